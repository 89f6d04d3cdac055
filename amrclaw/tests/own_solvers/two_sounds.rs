//! Two fluids that know nothing of each other: a wall reflects the velocities of both.

use super::{assert_conserved, begin, common};
use amrclaw::physics::{CellBlock, CellRow, StateBlockFunction, StateFunction};
use amrclaw::plugin::ChosenSolver;
use amrclaw::simulation::UserFunctions;
use riemann::prelude::*;
use std::sync::Arc;

/// Two independent copies of acoustics.
#[riemann::solver(equations = ["p1", vector("u1", "v1"), "p2", vector("u2", "v2")], waves = 4)]
pub struct TwoSounds {
    /// speed of sound
    #[parameter(positive, default = 1.0)]
    pub c: Real,
}

#[riemann::kernels]
impl TwoSounds {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let mut waves = [[0.0; M]; W];
        for k in 0..2 {
            let (p, n) = (3 * k, 3 * k + 1 + axis.index());
            let (dp, du) = (qr[p] - ql[p], qr[n] - ql[n]);
            let (left, right) = (0.5 * (dp - du), 0.5 * (dp + du));
            waves[2 * k][p] = left;
            waves[2 * k][n] = -left;
            waves[2 * k + 1][p] = right;
            waves[2 * k + 1][n] = right;
        }
        let speeds = [-self.c, self.c, -self.c, self.c];
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            for m in 0..M {
                amdq[m] += speeds[w].min(0.0) * waves[w][m];
                apdq[m] += speeds[w].max(0.0) * waves[w][m];
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    fn flag(&self, below: [State; 3], above: [State; 3]) -> bool {
        let mut jump = 0.0;
        for d in 0..D {
            for m in 0..M {
                jump = (above[d][m] - below[d][m]).abs().max(jump);
            }
        }
        jump > 0.05
    }
}

/// In a closed box with a fine level both pressures keep their totals, and the second sound is the first one, bit for bit.
#[test]
fn walls_reflect_every_vector() {
    let solver = ChosenSolver::own_in_double(TwoSounds { c: 1.0 });
    let pulse = "exp(-50*((x-0.3)^2+(y-0.6)^2))";
    let text = format!(
        "[mesh]\ncells = [19, 16]\n[mesh.boundary]\nx = \"wall\"\ny = \"wall\"\n[levels]\nmax = 2\n[regrid.flag]\ntolerance = 0.05\n\
         [time]\nend = 2.0\n[initial]\np1 = \"{pulse}\"\nu1 = 0\nv1 = 0\np2 = \"{pulse}\"\nu2 = 0\nv2 = 0\n"
    );
    let mut simulation = begin(&solver, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let before = simulation.totals();
    simulation.advance_to(2.0).unwrap_or_else(|e| panic!("{e}"));
    assert_conserved(&simulation, &before, &[0, 3]);
    let mut largest: f64 = 0.0;
    common::for_each_finest_cell(&simulation.frame(), |_, _, _, q| {
        assert_eq!([q[0], q[1], q[2]], [q[3], q[4], q[5]]);
        largest = largest.max(q[0].abs());
    });
    assert!(largest > 0.01, "sound is still there: {largest}");
}

/// A criterion that takes the differences of neighbours selects the cells that the built-in one selects: the same patches and values, bit for bit.
#[test]
fn criteria_see_neighbours() {
    let solver = ChosenSolver::own_in_double(TwoSounds { c: 1.0 });
    let pulse = "exp(-50*((x-0.3)^2+(y-0.6)^2))";
    let text = format!(
        "[mesh]\ncells = [19, 16]\n[levels]\nmax = 2\n[regrid.flag]\n[time]\nend = 0.2\n\
         [initial]\np1 = \"{pulse}\"\nu1 = 0\nv1 = 0\np2 = \"{pulse}\"\nu2 = 0\nv2 = 0\n"
    );
    let frame = |flag: &str| {
        let mut simulation = begin::<2>(&solver, &text, &[flag]).unwrap_or_else(|e| panic!("{e}"));
        simulation.advance_to(0.2).unwrap_or_else(|e| panic!("{e}"));
        simulation.frame()
    };
    let own = frame("regrid.flag={criterion='user'}");
    let fine: usize = own.levels[1].patches.iter().map(|patch| patch.cells.volume()).sum();
    assert!((100..1200).contains(&fine), "{fine} of 1216 cells are fine");
    assert_eq!(own, frame("regrid.flag={criterion='difference',tolerance=0.05}"));
}

/// Differences of neighbours above 0.05, of boxes of any size.
struct Steep;

impl StateBlockFunction<2> for Steep {
    fn fill(&self, block: &CellBlock<2>, state: &[f64], _: &[f64], out: &mut [f64]) {
        let [len, rows] = block.size;
        for (k, out) in out.iter_mut().enumerate() {
            let here = (k / len + 1) * (len + 2) + k % len + 1;
            let jumps = state
                .chunks_exact((len + 2) * (rows + 2))
                .flat_map(|q| [(q[here + 1] - q[here - 1]).abs(), (q[here + len + 2] - q[here - len - 2]).abs()]);
            *out = f64::from(u8::from(jumps.fold(0.0, f64::max) > 0.05));
        }
    }
}

impl StateFunction<2> for Steep {
    fn num_values(&self) -> usize {
        1
    }

    fn fill_row(&self, _: &CellRow<2>, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!("boxes are asked for");
    }

    fn by_block(&self) -> Option<&dyn StateBlockFunction<2>> {
        Some(self)
    }
}

/// On a mapped mesh, where each cell is asked at its physical position, a criterion over boxes sees the same neighbours as the built-in one.
#[test]
fn criteria_see_neighbours_on_mapped_meshes() {
    let text = "[solver]\nname = \"acoustics\"\ndensity = 1\nbulk = 1\n[mesh]\ncells = [19, 16]\n[mesh.mapping]\n\
                x = \"X + 0.05 * sin(6 * Y)\"\ny = \"Y\"\n[levels]\nmax = 2\n[time]\nend = 0.2\n\
                [initial]\npressure = \"exp(-50*((x-0.3)^2+(y-0.6)^2))\"\nu = 0\nv = 0\n";
    let functions = UserFunctions { flag: Some(Arc::new(Steep)), ..UserFunctions::default() };
    let mut own = common::start_with(text, &["regrid.flag={criterion='user'}"], functions);
    let mut built_in = common::start(text, &["regrid.flag={criterion='difference',tolerance=0.05}"]);
    common::take_steps(&mut own, 3);
    common::take_steps(&mut built_in, 3);
    let frame = own.frame();
    let fine: usize = frame.levels[1].patches.iter().map(|patch| patch.cells.volume()).sum();
    assert!((100..1200).contains(&fine), "{fine} of 1216 cells are fine");
    assert_eq!(frame, built_in.frame());
}
