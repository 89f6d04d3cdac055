//! The Euler equations of an ideal gas by central fluxes with scalar dissipation, for meshes from files.
//!
//! PDE, variables and parameter γ: those of the built-in `euler`. Parameter β: how much artificial viscosity.
//!
//! The flux at a face is `½ (f_l + f_r) − β λ (q_r − q_l)`, with `λ = |u| + c`, the mean of both sides. Two waves run at ±λ: Courant numbers count the
//! true speeds of sound. Stable by `rk3_low_storage` up to about 1.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`.
//!
//! Source: Corrigan, Camelli, Löhner & Wallin, *Int. J. Numer. Meth. Fluids* 66 (2011) 221–229, doi:10.1002/fld.2254, eqs. (1)–(5). As printed, with
//! normals that point outwards and β > 0, the dissipation of (4) has the wrong sign.

use riemann::prelude::*;

/// The Euler equations: `density`, `x_momentum`, `y_momentum`, `z_momentum`, `energy`.
#[riemann::solver(
    dim = [2, 3],
    title = "Euler equations, central fluxes with scalar dissipation",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    quantities = ["pressure", "mach"],
    waves = 2
)]
pub struct EulerCentral<const D: usize = 3> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
    /// artificial viscosity
    #[parameter(positive, default = 0.2)]
    pub beta: Real,
}

#[riemann::kernels]
impl EulerCentral {
    const ENERGY: usize = D + 1;

    /// Square of the speed, pressure and speed of sound.
    fn gas(&self, q: State) -> [Real; 3] {
        let mut squared = 0.0;
        for k in 1..ENERGY {
            squared += q[k] * q[k];
        }
        squared = squared / (q[0] * q[0]);
        let pressure = (self.gamma - 1.0) * (q[ENERGY] - 0.5 * q[0] * squared);
        [squared, pressure, (self.gamma * pressure / q[0]).sqrt()]
    }

    fn flux_of(axis: Axis, q: State, pressure: Real) -> State {
        let n = axis.index() + 1;
        let u = q[n] / q[0];
        let mut flux = [0.0; M];
        for m in 0..M {
            flux[m] = u * q[m];
        }
        flux[n] += pressure;
        flux[ENERGY] += u * pressure;
        flux
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (left, right) = (self.gas(ql), self.gas(qr));
        let fastest = 0.5 * (left[0].sqrt() + left[2] + right[0].sqrt() + right[2]);
        let (fl, fr) = (Self::flux_of(axis, ql, left[1]), Self::flux_of(axis, qr, right[1]));
        let mut waves = [[0.0; M]; W];
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for m in 0..M {
            let (jump, change) = (qr[m] - ql[m], fr[m] - fl[m]);
            waves[0][m] = 0.5 * (jump - change / fastest);
            waves[1][m] = 0.5 * (jump + change / fastest);
            let viscous = self.beta * fastest * jump;
            amdq[m] = 0.5 * change - viscous;
            apdq[m] = 0.5 * change + viscous;
        }
        Normal { waves, speeds: [-fastest, fastest], amdq, apdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let gas = self.gas(q);
        Self::flux_of(axis, q, gas[1])
    }

    fn admissible_state(&self, q: State) -> [Real; 2] {
        let gas = self.gas(q);
        [q[0], gas[1]]
    }

    fn quantities(&self, q: State) -> [Real; 2] {
        let gas = self.gas(q);
        [gas[1], gas[0].sqrt() / gas[2]]
    }

    fn admissible(&self, unit: State) -> State {
        let density = 0.2 + unit[0];
        let mut q = unit.map(|u| density * (2.0 * u - 1.0));
        let squared: f64 = q[1..M - 1].iter().map(|momentum| momentum * momentum).sum();
        q[0] = density;
        q[M - 1] = (0.2 + unit[M - 1]) / (self.gamma - 1.0) + 0.5 * squared / density;
        q
    }
}
