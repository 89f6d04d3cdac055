//! Auxiliary values with a direction: sound in a wind that a solver declares as a vector, cell by cell.

use super::common::{bits, for_each_finest_cell, options};
use super::{emulated, streamed};
use amrclaw::case::{Case, SolverShape};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{MakeExecutor, Simulation};
use riemann::catalogue::{self, SolverInfo};
use riemann::frame::FaceFrame;
use riemann::patch::{Kernels, PatchSolver, SolverKernels};
use riemann::prelude::*;
use riemann::solver::PositionFormulas;
use std::collections::HashMap;
use std::sync::Arc;

/// Sound in air of any density in a wind: at a face the mean wind and density of its cells.
#[riemann::solver(
    dim = [1, 2, 3],
    equations = ["pressure", vector("u", "v", "w")],
    aux = ["density", vector("wind_x", "wind_y", "wind_z")],
    waves = 3,
)]
pub struct WindyAir<const D: usize>;

#[riemann::kernels]
impl<const D: usize> WindyAir<D> {
    /// The waves of a jump and their speeds between two cells.
    fn split(n: usize, dq: State, below: Aux, above: Aux) -> ([[Real; M]; W], [Real; W]) {
        let z = 0.5 * (below[0] + above[0]);
        let wind = 0.5 * (below[n] + above[n]);
        let mut waves = [[0.0; M]; W];
        waves[0][0] = 0.5 * (dq[0] - z * dq[n]);
        waves[0][n] = 0.5 * (dq[n] - dq[0] / z);
        waves[2][0] = 0.5 * (dq[0] + z * dq[n]);
        waves[2][n] = 0.5 * (dq[n] + dq[0] / z);
        for m in 1..M {
            waves[1][m] = if m == n { 0.0 } else { dq[m] };
        }
        (waves, [wind - 1.0, wind, wind + 1.0])
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let mut jump = [0.0; M];
        for m in 0..M {
            jump[m] = qr[m] - ql[m];
        }
        let (waves, speeds) = Self::split(axis.index() + 1, jump, aux_l, aux_r);
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            for m in 0..M {
                amdq[m] += speeds[w].min(0.0) * waves[w][m];
                apdq[m] += speeds[w].max(0.0) * waves[w][m];
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    fn transverse(&self, across: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let (down, down_speeds) = Self::split(across.index() + 1, asdq, aux.below, aux.here);
        let (up, up_speeds) = Self::split(across.index() + 1, asdq, aux.here, aux.above);
        let (mut bmasdq, mut bpasdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            for m in 0..M {
                bmasdq[m] += down_speeds[w].min(0.0) * down[w][m];
                bpasdq[m] += up_speeds[w].max(0.0) * up[w][m];
            }
        }
        Transverse { bmasdq, bpasdq }
    }
}

/// What a box with walls and its twin have in common: two levels where the walls lie along the axes, since slopes between levels are limited by
/// component, which no other mirror keeps; data even and vectors odd about all planes `X = 0`, `X = 1` and so on.
/// The wind blows against the walls, so that it jumps there. `turn`: the sine and the cosine by which the plane is turned.
fn text<const D: usize>((cells, closed): ([usize; D], bool), mapping: Option<[f64; 2]>, more: &str) -> String {
    let position = |d: usize| if mapping.is_some() { ["X", "Y", "Z"][d] } else { ["x", "y", "z"][d] };
    let (mut cells, mut lower, side) = (cells, [0.0; D], if closed { "wall" } else { "periodic" });
    if !closed {
        (cells, lower) = (cells.map(|n| 2 * n), [-1.0; D]);
    }
    let sides: Vec<String> = (0..D).map(|d| format!("{} = \"{side}\"", ["x", "y", "z"][d])).collect();
    let even =
        |n: usize| (0..D).map(|d| format!("cos({} * pi * {})", n + d, position(d))).collect::<Vec<_>>().join(" * ");
    let odd = |n: usize, d: usize| {
        format!("{p} / abs({p}) * (0.3 + 0.1 * {n} * {even})", p = position(d), even = even(n + d))
    };
    // In a plane that is turned, components along its own axes are turned back.
    let turned = |n: usize| -> Vec<String> {
        let along: Vec<String> = (0..D).map(|d| odd(n, d)).collect();
        match mapping {
            Some([s, c]) => [
                format!("{c} * ({}) - {s} * ({})", along[0], along[1]),
                format!("{s} * ({}) + {c} * ({})", along[0], along[1]),
            ]
            .into_iter()
            .chain(along[2..].iter().cloned())
            .collect(),
            None => along,
        }
    };
    let named = |names: [&str; 3], n: usize| -> String {
        names.iter().zip(turned(n)).map(|(name, text)| format!("{name} = \"{text}\"\n")).collect()
    };
    let map = mapping.map(|[s, c]| {
        let bent = ["(X + 0.04 * sin(pi * X) * cos(pi * Y))", "(Y + 0.05 * cos(pi * X) * sin(pi * Y))"];
        let third = if D == 3 { "z = \"Z + 0.03 * cos(pi * X) * sin(pi * Z)\"\n" } else { "" };
        let [a, b] = bent;
        format!("[mesh.mapping]\nx = \"{c} * {a} - {s} * {b}\"\ny = \"{s} * {a} + {c} * {b}\"\n{third}")
    });
    let levels = if mapping.is_some() { 1 } else { 2 };
    let near = (0..D).map(|d| format!("abs(abs({}) - 0.8)", position(d))).collect::<Vec<_>>().join(" + ");
    format!(
        "[solver]\npath = \"of the test.rs\"\n[mesh]\ncells = {cells:?}\nlower = {lower:?}\nupper = {:?}\n[mesh.boundary]\n{}\n{}\
         [levels]\nmax = {levels}\n[regrid]\nbuffer = 0\n[regrid.flag]\ncriterion = \"user\"\nexpression = \"{near} < {}\"\n[time]\nend = 1.0\ncfl_desired = 0.8\n\
         [initial]\npressure = \"{}\"\n{}[aux]\ndensity = \"1.5 + 0.3 * {}\"\n{}{more}",
        [1.0; D],
        sides.join("\n"),
        map.unwrap_or_default(),
        0.25 * D as f64,
        even(1),
        named(["u", "v", "w"], 1),
        even(2),
        named(["wind_x", "wind_y", "wind_z"], 2),
    )
}

/// Takes four steps of a case with the solver.
fn run<const D: usize>(solver: &ChosenSolver, text: &str, make: Option<MakeExecutor<'_, D>>) -> Simulation<D> {
    let case =
        Case::from_str_with(text, "case.toml", &[], |_| Ok(solver.shape.clone())).unwrap_or_else(|e| panic!("{e}"));
    let options = options(2);
    let builder = Simulation::builder(&case).options(&options).solver(solver);
    let builder = make.into_iter().fold(builder, |builder, make| builder.executor(make));
    let mut simulation = builder.build().unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..4 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// In a closed box sound and wind are those of the periodic twin of twice the size, up to the round-off of four steps; on devices they are the CPU's,
/// bit for bit. A wind that walls mirrored as numbers would be wrong by a tenth.
fn closed_boxes_are_mirrored<const D: usize>(
    solver: &ChosenSolver,
    cells: [usize; D],
    mapping: Option<[f64; 2]>,
    more: &str,
) {
    let states = |simulation: &Simulation<D>| {
        let mut states = HashMap::new();
        for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
            states.insert(x.map(|x| (1e6 * x).round() as i64), q.to_vec());
        });
        states
    };
    let closed = text((cells, true), mapping, more);
    let cpu = run(solver, &closed, None);
    let (found, twin) = (states(&cpu), states(&run(solver, &text((cells, false), mapping, more), None)));
    assert_eq!(2_usize.pow(D as u32) * found.len(), twin.len(), "{more}: cells");
    for (x, q) in found {
        let error = q.iter().zip(&twin[&x]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error <= 1e-12, "{more} {mapping:?}, {x:?}: {error:e}");
    }
    let devices: [MakeExecutor<'_, D>; 2] = [&emulated, &streamed];
    for make in devices {
        let device = run(solver, &closed, Some(make));
        assert!(bits(&cpu.frame()) == bits(&device.frame()), "{more} {mapping:?}: bits");
    }
}

/// A solver of this test in double precision alone: kernels in both take twice as long to compile.
fn chosen<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(
    _: S,
    kernels: Arc<dyn PatchSolver<f64>>,
) -> ChosenSolver {
    let alike = catalogue::find("acoustics_variable", S::DIM).expect("it has the same equations");
    let (aux, aux_groups) = (S::AUX.to_vec().leak(), S::AUX_GROUPS);
    let formulas = PositionFormulas::NONE;
    let info = SolverInfo { aux, aux_groups, waves: W, positive: &[], formulas, ..*alike };
    ChosenSolver::of_kernels(SolverShape::from(&info), SolverKernels { double: kernels, single: None })
}

/// Of a few cells too, whose ghost cells lie beyond both walls; by all sweeps.
#[test]
fn walls_mirror_a_wind() {
    let split = "[scheme]\nsplit = \"strang\"\n";
    closed_boxes_are_mirrored(&chosen(WindyAir::<1>, Arc::new(Kernels::new(WindyAir::<1>))), [16], None, "");
    let plane = chosen(WindyAir::<2>, Arc::new(Kernels::new(WindyAir::<2>)));
    for (cells, scheme) in [([9, 12], ""), ([1, 8], split)] {
        closed_boxes_are_mirrored(&plane, cells, None, scheme);
    }
}

/// On bent cells between walls that lie across, so that mirrors mix a wind's components.
#[test]
fn mapped_walls_mirror_a_wind() {
    let turn = Some([0.6, 0.8]);
    let plane = chosen(WindyAir::<2>, Arc::new(Kernels::<_, 3, 3, 10>::new(FaceFrame::<_, 3>(WindyAir::<2>))));
    closed_boxes_are_mirrored(&plane, [8, 10], turn, "");
    let space = chosen(WindyAir::<3>, Arc::new(Kernels::<_, 4, 3, 17>::new(FaceFrame::<_, 4>(WindyAir::<3>))));
    closed_boxes_are_mirrored(&space, [5, 4, 4], turn, "");
}
