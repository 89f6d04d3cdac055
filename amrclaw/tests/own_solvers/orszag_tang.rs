//! The vortex of Orszag and Tang: ideal magnetohydrodynamics in nine equations.

use super::{assert_conserved, range, run_to};
use amrclaw::plugin::ChosenSolver;
use riemann::prelude::*;

/// Ideal magnetohydrodynamics with a field ψ that transports the divergence of B away and damps it; local Lax–Friedrichs.
///
/// A. Dedner et al., J. Comput. Phys. 175 (2002) 645–673, doi:10.1006/jcph.2001.6961, eqs 24 and 45.
#[riemann::solver(
    title = "Ideal magnetohydrodynamics, divergence cleaning",
    equations = [
        "density", vector3("x_momentum", "y_momentum", "z_momentum"), "energy", vector3("bx", "by", "bz"), "psi"
    ],
    waves = 2,
)]
pub struct Plasma {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.6666666666666667)]
    pub gamma: Real,
    /// speed at which divergences leave
    #[parameter(positive, default = 2.5)]
    pub cleaning_speed: Real,
    /// rate at which they decay
    #[parameter(positive, default = 4.0)]
    pub decay: Real,
}

#[riemann::kernels]
impl Plasma {
    fn pressure(&self, q: State) -> Real {
        let kinetic = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
        let magnetic = q[5] * q[5] + q[6] * q[6] + q[7] * q[7];
        (self.gamma - 1.0) * (q[4] - 0.5 * kinetic - 0.5 * magnetic)
    }

    fn flux_along(&self, axis: Axis, q: State) -> State {
        let a = axis.index();
        let r = 1.0 / q[0];
        let (u, b) = (q[1 + a] * r, q[5 + a]);
        let total = self.pressure(q) + 0.5 * (q[5] * q[5] + q[6] * q[6] + q[7] * q[7]);
        let vb = (q[1] * q[5] + q[2] * q[6] + q[3] * q[7]) * r;
        let mut flux = [0.0; M];
        flux[0] = q[1 + a];
        for k in 0..3 {
            flux[1 + k] = q[1 + k] * u - q[5 + k] * b;
            flux[5 + k] = q[5 + k] * u - q[1 + k] * r * b;
        }
        flux[1 + a] += total;
        flux[4] = (q[4] + total) * u - vb * b;
        flux[5 + a] = q[8];
        flux[8] = self.cleaning_speed * self.cleaning_speed * b;
        flux
    }

    /// Largest speed along an axis: that of the fast magnetosonic wave.
    fn fastest(&self, axis: Axis, q: State) -> Real {
        let (a, r) = (axis.index(), 1.0 / q[0]);
        let sound = self.gamma * self.pressure(q).max(0.0) * r;
        let field = (q[5] * q[5] + q[6] * q[6] + q[7] * q[7]) * r;
        let along = q[5 + a] * q[5 + a] * r;
        let sum = sound + field;
        let fast = 0.5 * (sum + (sum * sum - 4.0 * sound * along).max(0.0).sqrt());
        (q[1 + a] * r).abs() + fast.sqrt()
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let fastest = self.fastest(axis, ql).max(self.fastest(axis, qr)).max(self.cleaning_speed);
        let (left, right) = (self.flux_along(axis, ql), self.flux_along(axis, qr));
        let mut waves = [[0.0; M]; W];
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for m in 0..M {
            let middle = 0.5 * (ql[m] + qr[m]) - 0.5 * (right[m] - left[m]) / fastest;
            waves[0][m] = middle - ql[m];
            waves[1][m] = qr[m] - middle;
            amdq[m] = -fastest * waves[0][m];
            apdq[m] = fastest * waves[1][m];
        }
        Normal { waves, speeds: [-fastest, fastest], amdq, apdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        self.flux_along(axis, q)
    }

    /// `ψ_t = −decay ψ` by the trapezoidal rule.
    fn source(&self, dt: Real, q: State) -> State {
        let half = 0.5 * dt * self.decay;
        let mut after = q;
        after[8] = q[8] * (1.0 - half) / (1.0 + half);
        after
    }
}

/// S. A. Orszag, C.-M. Tang, J. Fluid Mech. 90 (1979) 129–143, doi:10.1017/S002211207900210X; in the units of code comparisons.
const CASE: &str = r#"
[mesh]
upper = [6.283185307179586, 6.283185307179586]
cells = [40, 40]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[levels]
max = 2
[regrid.flag]
tolerance = 1.0
[time]
end = 1.0
[initial]
density = "25 / 9"
x_momentum = "-25 / 9 * sin(y)"
y_momentum = "25 / 9 * sin(x)"
z_momentum = 0
energy = "2.5 + 0.5 * 25 / 9 * (sin(y)^2 + sin(x)^2) + 0.5 * (sin(y)^2 + sin(2 * x)^2)"
bx = "-sin(y)"
by = "sin(2 * x)"
bz = 0
psi = 0
"#;

/// Totals of mass, momentum, energy and field are conserved; the density stays positive and of the order of the data (code comparisons have
/// 1.1 to 6 at t = 1), and the pressure positive. ψ, which the divergence generates, stays small.
#[test]
fn nine_equations_stay_admissible() {
    let solver = ChosenSolver::own(Plasma { gamma: 5.0 / 3.0, cleaning_speed: 2.5, decay: 4.0 });
    assert!(solver.shape.has_source && !solver.shape.has_transverse);
    let (simulation, totals) = run_to(&solver, CASE, 1.0);
    let frame = simulation.frame();
    let [least, largest] = range(&frame, 0);
    assert!(least > 0.8 && largest < 7.0 && largest > 4.0, "density from {least} to {largest}");
    super::common::for_each_finest_cell(&frame, |_, x, _, q| {
        let kinetic: f64 = q[1..4].iter().map(|m| m * m).sum::<f64>() / q[0];
        let pressure = (q[4] - 0.5 * kinetic - 0.5 * q[5..8].iter().map(|b| b * b).sum::<f64>()) * 2.0 / 3.0;
        assert!(pressure > 0.0, "pressure {pressure} at {x:?}");
    });
    let psi = range(&frame, 8);
    assert!(psi[0] > -0.5 && psi[1] < 0.5, "{psi:?}");
    assert_conserved(&simulation, &totals, &[0, 1, 2, 3, 4, 5, 6, 7]);
}
