//! Shallow water on a rotating plane.

use super::{assert_conserved, range, run_to};
use amrclaw::plugin::ChosenSolver;
use riemann::prelude::*;

/// Shallow water with Coriolis forces; the solver of Harten, Lax and van Leer with the speeds of both sides.
///
/// Source: LeVeque 2002, doi:10.1017/CBO9780511791253, §13.1 and §15.3.7.
#[riemann::solver(
    title = "Rotating shallow water",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    waves = 2,
)]
pub struct RotatingWater {
    /// acceleration of gravity
    #[parameter(positive, default = 1.0)]
    pub gravity: Real,
    /// Coriolis parameter, twice the rate of turning
    pub coriolis: Real,
}

#[riemann::kernels]
impl RotatingWater {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let (ul, ur) = (ql[n] / ql[0], qr[n] / qr[0]);
        let (cl, cr) = ((self.gravity * ql[0]).sqrt(), (self.gravity * qr[0]).sqrt());
        let slow = (ul - cl).min(ur - cr);
        let fast = (ul + cl).max(ur + cr);
        let mut change = [0.0; M];
        change[0] = qr[n] - ql[n];
        change[n] = qr[n] * ur - ql[n] * ul + 0.5 * self.gravity * (qr[0] * qr[0] - ql[0] * ql[0]);
        change[t] = qr[t] * ur - ql[t] * ul;
        let mut waves = [[0.0; M]; W];
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for m in 0..M {
            waves[0][m] = (fast * (qr[m] - ql[m]) - change[m]) / (fast - slow);
            waves[1][m] = (change[m] - slow * (qr[m] - ql[m])) / (fast - slow);
            amdq[m] = slow.min(0.0) * waves[0][m] + fast.min(0.0) * waves[1][m];
            apdq[m] = slow.max(0.0) * waves[0][m] + fast.max(0.0) * waves[1][m];
        }
        Normal { waves, speeds: [slow, fast], amdq, apdq }
    }

    /// `(hu)_t = f hv`, `(hv)_t = −f hu`: the trapezoidal rule rotates the momentum and preserves its size.
    fn source(&self, dt: Real, q: State) -> State {
        let half = 0.5 * dt * self.coriolis;
        let r = 1.0 / (1.0 + half * half);
        let (along, across) = ((1.0 - half * half) * r, 2.0 * half * r);
        [q[0], along * q[1] + across * q[2], along * q[2] - across * q[1]]
    }
}

const BASIN: &str = r#"
coriolis = 2.0
[mesh]
cells = [24, 20]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[levels]
max = 2
[regrid.flag]
tolerance = 0.05
[time]
end = 0.7853981633974483
dt_initial = 1e-3
"#;

fn water() -> ChosenSolver {
    let solver = ChosenSolver::own_in_double(RotatingWater { gravity: 1.0, coriolis: 2.0 });
    assert!(solver.shape.has_source && !solver.shape.has_transverse);
    solver
}

/// The case's text without the parameter, which the struct gives.
fn basin(initial: &str) -> String {
    BASIN.replace("coriolis = 2.0\n", "") + initial
}

/// A uniform current turns right, by 90° after a time π/(2f): the source term acts although no key asks for it. The relative error of
/// the trapezoidal rule's angle is (f dt)²/12, some 1e-3.
#[test]
fn a_source_acts_without_being_asked_for() {
    let initial = "[initial]\ndepth = 1\nx_momentum = 0.1\ny_momentum = 0\n";
    let (simulation, _) = run_to(&water(), &basin(initial), std::f64::consts::FRAC_PI_4);
    let frame = simulation.frame();
    let ([low, high], [right, _]) = (range(&frame, 1), range(&frame, 2));
    assert!(low.abs() < 1e-3 && high.abs() < 1e-3, "x: {low} to {high}");
    assert!((right + 0.1).abs() < 1e-4, "y: {right}");
}

/// While a hump of water spreads and rotates, the depth stays in the range of the initial data, and no water is lost.
#[test]
fn a_hump_stays_bounded() {
    let initial =
        "[initial]\ndepth = \"1 + 0.5 * exp(-60 * ((x - 0.5)^2 + (y - 0.5)^2))\"\nx_momentum = 0\ny_momentum = 0\n";
    let (simulation, totals) = run_to(&water(), &basin(initial), 0.7);
    let [least, largest] = range(&simulation.frame(), 0);
    assert!(least > 0.8 && largest < 1.5 && largest - least > 0.01, "{least} to {largest}");
    assert_conserved(&simulation, &totals, &[0]);
}
