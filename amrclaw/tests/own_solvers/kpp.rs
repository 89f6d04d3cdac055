//! A rotating wave whose fluxes are neither convex nor concave.

use super::{assert_conserved, begin, range, run_to};
use amrclaw::plugin::ChosenSolver;
use riemann::prelude::*;
use std::f64::consts::PI;

/// The problem of Kurganov, Petrova and Popov: `q_t + (sin q)_x + (cos q)_y = 0` for q from 0 to 12; local Lax–Friedrichs.
///
/// A. Kurganov, G. Petrova, B. Popov, SIAM J. Sci. Comput. 29 (2007) 2381–2401, doi:10.1137/040614189, §5.3.
#[riemann::solver(title = "Fluxes sin q and cos q", equations = ["q"], waves = 2)]
pub struct Kpp {}

#[riemann::kernels]
impl Kpp {
    const HALF_TURN: Real = 3.141592653589793;

    /// sin x for x from 0 to 14: the series about zero, to 1e-6, after whole turns have been taken off.
    fn sine(x: Real) -> Real {
        let mut y = x - HALF_TURN;
        for _k in 0..2 {
            y = if y > HALF_TURN { y - 2.0 * HALF_TURN } else { y };
        }
        let s = y * y;
        let tail = s / 110.0 * (1.0 - s / 156.0 * (1.0 - s / 210.0 * (1.0 - s / 272.0)));
        let series = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - tail))));
        -y * series
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        match axis {
            Axis::X => [Self::sine(q[0])],
            _ => [Self::sine(q[0] + 0.5 * HALF_TURN)],
        }
    }

    /// No characteristic is faster than 1, so two waves at speeds −1 and 1 enclose them all.
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let left = match axis {
            Axis::X => Self::sine(ql[0]),
            _ => Self::sine(ql[0] + 0.5 * HALF_TURN),
        };
        let right = match axis {
            Axis::X => Self::sine(qr[0]),
            _ => Self::sine(qr[0] + 0.5 * HALF_TURN),
        };
        let middle = 0.5 * (ql[0] + qr[0]) - 0.5 * (right - left);
        let waves = [[middle - ql[0]], [qr[0] - middle]];
        Normal { waves, speeds: [-1.0, 1.0], amdq: [ql[0] - middle], apdq: [qr[0] - middle] }
    }
}

/// The paper's data on a coarse mesh with a finer level around the front; the sides are so far away that the front does not reach them.
const CASE: &str = r#"
[mesh]
lower = [-3.0, -3.5]
upper = [3.0, 2.5]
cells = [30, 30]
[levels]
max = 2
[regrid.flag]
tolerance = 1.0
[time]
end = 1.0
[initial]
q = "if(r < 1, 3.5 * pi, 0.25 * pi)"
"#;

/// Values stay in the range of the initial data, up to overshoots of the limited scheme where both sweeps steepen, and their total is
/// conserved. The front rotates: at t = 1 the high values have left the initial circle.
#[test]
fn a_scalar_without_transverse_stays_bounded() {
    let solver = ChosenSolver::own_in_double(Kpp {});
    let (simulation, totals) = run_to(&solver, CASE, 1.0);
    let (frame, [low, high]) = (simulation.frame(), [0.25 * PI, 3.5 * PI]);
    let [least, largest] = range(&frame, 0);
    assert!(least > low - 0.05 * high && largest < 1.05 * high, "{least} to {largest}");
    let mut outside: f64 = 0.0;
    super::common::for_each_finest_cell(&frame, |_, [x, y], _, q| {
        outside = if x.hypot(y) > 1.2 { outside.max(q[0]) } else { outside };
    });
    assert!(outside > 3.0, "the front has turned: {outside}");
    // The state at the sides is constant, so that inflow and outflow cancel.
    assert_conserved(&simulation, &totals, &[0]);
}

/// The reason for the default of split sweeps: the unsplit scheme grows without bound.
#[test]
fn unsplit_sweeps_would_grow() {
    let solver = ChosenSolver::own_in_double(Kpp {});
    let wild = ["scheme.split=unsplit", "scheme.allow_unstable=true", "time.cfl_desired=0.9"];
    let mut simulation = begin(&solver, CASE, &wild).unwrap();
    let failed = (0..30).any(|_| simulation.step().is_err() || range(&simulation.frame(), 0)[1] > 50.0);
    assert!(failed, "unsplit sweeps at Courant number 0.9 are stable: then they need not be refused");
}
