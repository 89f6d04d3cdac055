//! Two fluids that know nothing of each other: a wall reflects the velocities of both.

use super::{assert_conserved, begin, common};
use amrclaw::plugin::ChosenSolver;
use riemann::prelude::*;

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
}

/// In a closed box with a fine level both pressures keep their totals, and the second sound is the first one, bit for bit.
#[test]
fn walls_reflect_every_vector() {
    let solver = ChosenSolver::own(TwoSounds { c: 1.0 });
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
