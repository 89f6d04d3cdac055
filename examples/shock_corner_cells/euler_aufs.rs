//! The Euler equations of an ideal gas by artificially upstream flux vector splitting (AUFS), for meshes from files.
//!
//! PDE, variables and parameter γ: those of the built-in `euler`.
//!
//! The flux is split by two artificial speeds, `f = (1 − M) f₁ + M f₂` with `M = s₁/(s₁ − s₂)`: f₁ moves with the mean velocity s₁, so that only its
//! pressures are left, which are split as a flux vector; f₂ moves with s₂, a speed that all waves outrun, and is that of the upstream side d:
//! `f₁ = ½ (P_l + P_r) + δ`, `f₂ = q_d (u_d − s₂) + P_d`, `P = (0, p n, p u)`. Contacts that stand still stay sharp.
//!
//! Two waves run at the lowest and the highest speed of sound, as HLL's: they tell time steps and moving faces how fast things go.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`.
//!
//! Source: Sun & Takayama, *J. Comput. Phys.* 189 (2003) 305–329, doi:10.1016/S0021-9991(03)00212-2.

use riemann::prelude::*;

/// The Euler equations: `density`, `x_momentum`, `y_momentum`, `z_momentum`, `energy`.
#[riemann::solver(
    dim = [2, 3],
    title = "Euler equations, artificially upstream flux vector splitting",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    positive = ["density", "pressure"],
    waves = 2
)]
pub struct EulerAufs<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels]
impl EulerAufs {
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

    /// `speed q + P`, where the gas moves at `u` along component `n`: for `speed = u` the flux.
    fn moved(n: usize, q: State, speed: Real, u: Real, pressure: Real) -> State {
        let mut flux = [0.0; M];
        for m in 0..M {
            flux[m] = speed * q[m];
        }
        flux[n] += pressure;
        flux[ENERGY] += u * pressure;
        flux
    }

    /// `½ (P_l + P_r) + δ`, where δ is the jump of `p (1, velocity, c²/(γ − 1) + ½ speed²)` from right to left over 2c, c the mean speed of sound.
    fn pressures(&self, n: usize, (ql, left): (State, [Real; 3]), (qr, right): (State, [Real; 3])) -> State {
        let sound = 0.5 * (left[2] + right[2]);
        let (per_l, per_r) = (left[1] / ql[0], right[1] / qr[0]);
        let mut flux = [left[1] - right[1]; M];
        for k in 1..ENERGY {
            flux[k] = per_l * ql[k] - per_r * qr[k];
        }
        flux[ENERGY] = sound * sound / (self.gamma - 1.0) * (left[1] - right[1])
            + 0.5 * (left[1] * left[0] - right[1] * right[0]);
        for m in 0..M {
            flux[m] = flux[m] / (2.0 * sound);
        }
        flux[n] += 0.5 * (left[1] + right[1]);
        flux[ENERGY] += 0.5 * (per_l * ql[n] + per_r * qr[n]);
        flux
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (left, right) = (self.gas(ql), self.gas(qr));
        let (ul, ur) = (ql[n] / ql[0], qr[n] / qr[0]);
        // Velocity and sound speed between two rarefactions.
        let between = 0.5 * (ul + ur) + (left[2] - right[2]) / (self.gamma - 1.0);
        let sound = 0.5 * (left[2] + right[2]) + 0.25 * (self.gamma - 1.0) * (ul - ur);
        let lowest = (ul - left[2]).min(between - sound);
        let highest = (ur + right[2]).max(between + sound);

        let s1 = 0.5 * (ul + ur);
        let s2 = if s1 > 0.0 { lowest.min(0.0) } else { highest.max(0.0) };
        let upstream = s1 / (s1 - s2);
        let from_left = Self::moved(n, ql, ul - s2, ul, left[1]);
        let from_right = Self::moved(n, qr, ur - s2, ur, right[1]);
        let pressures = self.pressures(n, (ql, left), (qr, right));
        let (fl, fr) = (Self::moved(n, ql, ul, ul, left[1]), Self::moved(n, qr, ur, ur, right[1]));

        let mut same = true;
        for m in 0..M {
            same = same && ql[m] == qr[m];
        }
        let mut waves = [[0.0; M]; W];
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for m in 0..M {
            let (jump, change) = (qr[m] - ql[m], fr[m] - fl[m]);
            let f2 = if s1 > 0.0 { from_left[m] } else { from_right[m] };
            let flux = (1.0 - upstream) * pressures[m] + upstream * f2;
            // Between equal states nothing happens; round-off must not make waves.
            amdq[m] = if same { 0.0 } else { flux - fl[m] };
            apdq[m] = if same { 0.0 } else { fr[m] - flux };
            waves[0][m] = (highest * jump - change) / (highest - lowest);
            waves[1][m] = (change - lowest * jump) / (highest - lowest);
        }
        Normal { waves, speeds: [lowest, highest], amdq, apdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, gas) = (axis.index() + 1, self.gas(q));
        let u = q[n] / q[0];
        Self::moved(n, q, u, u, gas[1])
    }

    fn admissible_state(&self, q: State) -> [Real; 2] {
        let gas = self.gas(q);
        [q[0], gas[1]]
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
