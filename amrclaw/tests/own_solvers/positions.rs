//! A solver's functions of position, which become formulas too if they keep to the solver language.

use super::common::for_each_finest_cell;
use amrclaw::case::Case;
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::{RunOptions, Simulation};
use riemann::frame::FaceFrame;
use riemann::lattice::Lattice;
use riemann::patch::SolverKernels;
use riemann::prelude::*;
use riemann::solver::Solver;

/// Linear acoustics with a medium and a mapping of its own.
#[riemann::solver(
    title = "Sound on a mesh of its own",
    equations = ["pressure", vector("u", "v")],
    aux = ["stiffness", "thickness"],
    waves = 2,
)]
pub struct BentSound {
    /// bulk modulus
    #[parameter(positive)]
    pub bulk: Real,
    /// how far lines bend, of either sign
    pub bend: Real,
}

#[riemann::kernels]
impl BentSound {
    const TAU: Real = 6.283185307179586;

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let c = self.bulk.sqrt();
        let (dp, du) = (qr[0] - ql[0], qr[n] - ql[n]);
        let (left, right) = (0.5 * (du - dp / c), 0.5 * (du + dp / c));
        let mut waves = [[0.0; M]; W];
        waves[0][0] = -left * c;
        waves[0][n] = left;
        waves[1][0] = right * c;
        waves[1][n] = right;
        let (mut amdq, mut apdq) = (waves[0], waves[1]);
        for m in 0..M {
            amdq[m] *= -c;
            apdq[m] *= c;
        }
        Normal { waves, speeds: [-c, c], amdq, apdq }
    }

    /// A bump around a point, and whether (x, y) is near it.
    fn bump(&self, x: Real, y: Real) -> (Real, bool) {
        let squared = (x - 0.4).powi(2) + (y - 0.6).powi(2);
        ((-30.0 * squared).exp(), squared < 0.09)
    }

    fn mapping(&self, x: [Real; 3]) -> [Real; 3] {
        let [bend, other] = [self.bend, -self.bend];
        let wave = (Self::TAU * x[0]).sin() * (Self::TAU * x[1]).sin();
        [x[0] + bend * wave, x[1] - other * wave / 2.0, 0.0]
    }

    fn initial(&self, cell: &Cell) -> State {
        let [x, y, _] = cell.centre;
        let mut state = [0.0; M];
        let (height, felt) = self.bump(x, y);
        if felt && !(x > y) || cell.lower(Axis::Y) > 0.9 {
            state[0] = -height;
        } else {
            state[0] = 2.0 * height;
            state[2] = cell.dx[0] - (x - 3.0 * y) / (1.0 + x.abs());
        }
        for m in 1..M {
            state[m] += 0.125 * m as Real - x.min(y).max(0.3) * cell.time;
        }
        state
    }

    fn aux_values(&self, cell: &Cell) -> Aux {
        let across = cell.upper(Axis::X) - cell.lower(Axis::X);
        let stiffness = if A == 2 { self.bulk.powf(0.5) } else { 0.0 };
        [
            stiffness.hypot(cell.centre[1]),
            match D {
                2 => across,
                _ => 0.0,
            },
        ]
    }
}

const CASE: &str = r#"
initial = "user"
aux = "user"
[solver]
path = "own.rs"
[mesh]
cells = [14, 12]
upper = [1.0, 1.0]
[mesh.boundary]
x = "periodic"
y = "periodic"
[levels]
max = 2
[regrid.flag]
tolerance = 0.3
[scheme]
split = "unsplit"
order = 1
transverse = 0
allow_unstable = true
[time]
end = 1.0
cfl_desired = 0.4
[output]
format = []
"#;

fn read(solver: &ChosenSolver, overrides: &[&str]) -> Case {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(CASE, "case.toml", &overrides, |_| Ok(solver.shape.clone())).unwrap_or_else(|e| panic!("{e}"))
}

fn start(solver: &ChosenSolver, overrides: &[&str]) -> Simulation<2> {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let case = read(solver, overrides);
    Simulation::builder(&case).options(&options).solver(solver).build().unwrap_or_else(|e| panic!("{e}"))
}

/// Formulas give the values of the functions, with loops, branches, helpers and parameters of either sign, up to a few units in
/// the last place, since the functions use the standard library's `exp`, `powf` and `hypot`.
#[test]
fn formulas_are_the_functions() {
    for bend in [0.05, -0.05] {
        let own = BentSound { bulk: 4.0, bend };
        let solver = ChosenSolver::own_in_double(own);
        assert_eq!([solver.shape.formulas.initial.len(), solver.shape.formulas.aux.len()], [3, 2]);
        let simulation = start(&solver, &[]);
        let frame = simulation.frame();
        let mut cells = 0;
        for_each_finest_cell(&frame, |_, [x, y], dx, q| {
            let cell = Cell::new(&Lattice::point([x, y, 0.0], [dx[0], dx[1], 0.0]), [0; 3], 0.0);
            let wanted = Solver::<3, 2, 2>::initial(&own, &cell, [0.0; 2]);
            for (got, wanted) in q.iter().zip(wanted) {
                assert!((got - wanted).abs() <= 4e-15 * (1.0 + wanted.abs()), "{got} {wanted} at {x}, {y}");
            }
            cells += 1;
        });
        assert!(cells > 168, "there are finer cells: {cells}");
    }
}

/// A solver's mapping gives a mesh bitwise equal to that of the same formulas in the case, and is reported as formulas.
#[test]
fn a_solvers_mapping_is_one_by_formulas() {
    let own = BentSound { bulk: 4.0, bend: 0.04 };
    let kernels = SolverKernels::new::<_, 3, 2, 9>(FaceFrame::<_, 2>(own));
    let solver = ChosenSolver::of_kernels(ChosenSolver::own_in_double(own).shape, kernels);
    let data = [
        "initial={pressure=\"exp(-30*((x - 0.5)^2 + (y - 0.5)^2))\",u=\"0\",v=\"0\"}",
        "aux={stiffness=\"1\",thickness=\"1\"}",
    ];
    let by_hand = "mesh.mapping={x=\"X + (0.04) * (sin(6.283185307179586*X) * sin(6.283185307179586*Y))\",\
                   y=\"Y - -(0.04) * (sin(6.283185307179586*X) * sin(6.283185307179586*Y)) / 2\"}";
    let frames = ["mesh.mapping=\"user\"", by_hand].map(|mapping| {
        let mut simulation = start(&solver, &[&data[..], &[mapping]].concat());
        (0..4).for_each(|_| simulation.step().map(drop).unwrap_or_else(|e| panic!("{e}")));
        simulation.frame()
    });
    let [by_solver, by_formulas] = &frames;
    assert!(by_solver.mapping[0].contains("sin("), "{:?}", by_solver.mapping);
    assert_eq!(by_solver.levels, by_formulas.levels);
}
