//! The Euler equations of two gases, or of a gas and a liquid, with a volume fraction.
//!
//! PDE: `ρ_t + ∇·(ρv) = 0`, `(ρv)_t + ∇·(ρ v v + p I) = 0`, `E_t + ∇·((E + p) v) = 0`, `φ_t + v·∇φ = 0`, with
//! `E = ζ p + Π + ρv²/2`, `ζ = φ/(γ₁ − 1) + (1 − φ)/(γ₂ − 1)`, `Π = φ γ₁π₁/(γ₁ − 1) + (1 − φ) γ₂π₂/(γ₂ − 1)`. Variables: density, momentum,
//! energy, all per volume, and the `fraction` φ of the volume that the first fluid has, not in conservation form. Parameters: ratio of
//! specific heats γ and stiffness π of each fluid, 0 of an ideal gas.
//!
//! HLLC. Waves: 0 and 2 acoustic, 1 the contact with the jumps of φ and of the tangential velocity.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave`; where pressure and velocity are uniform they stay so, whatever the fluids: energies
//! average as fractions do.
//!
//! Source: Shyue, *J. Comput. Phys.* 142 (1998) 208–242, doi:10.1006/jcph.1998.5930; Allaire, Clerc & Kokh, *J. Comput. Phys.* 181 (2002)
//! 577–616, doi:10.1006/jcph.2002.7143; HLLC: Toro, Spruce & Speares, *Shock Waves* 4 (1994) 25–34, doi:10.1007/BF01414629.

use super::{ContactWaves, Linearised, ThreeWaves};
use crate::prelude::*;

/// The Euler equations of two gases: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`, `fraction`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of two gases with a volume fraction, HLLC solver",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy", "fraction"],
    positive = ["density", "stiffened_pressure"],
    primitive = ["density", vector("u", "v", "w"), "pressure", "fraction"],
    waves = 3
)]
pub struct EulerTwoGases<const D: usize = 2> {
    /// ratio of specific heats of the first fluid
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma_1: Real,
    /// pressure that stiffens the first fluid
    #[parameter(default = 0.0)]
    pub stiffness_1: Real,
    /// ratio of specific heats of the second fluid
    #[parameter(greater_than_one, default = 1.6666666666666667)]
    pub gamma_2: Real,
    /// pressure that stiffens the second fluid
    #[parameter(default = 0.0)]
    pub stiffness_2: Real,
}

#[riemann::kernels(with(Linearised, ContactWaves, ThreeWaves))]
impl EulerTwoGases {
    const DENSITY: usize = 0;
    const ENERGY: usize = D + 1;
    const FRACTION: usize = D + 2;

    /// Reciprocal of the density, and pressure.
    type Gas = (Real, Real);

    /// ζ and Π.
    fn law(&self, fraction: Real) -> (Real, Real) {
        let (first, second) = (1.0 / (self.gamma_1 - 1.0), 1.0 / (self.gamma_2 - 1.0));
        let stiff_1 = self.gamma_1 * self.stiffness_1 * first;
        let stiff_2 = self.gamma_2 * self.stiffness_2 * second;
        (second + fraction * (first - second), stiff_2 + fraction * (stiff_1 - stiff_2))
    }

    /// The gas, and `p + Π/(1 + ζ)`, of which sound lives.
    fn gas(&self, q: State) -> (Gas, Real) {
        let (zeta, stiff) = self.law(q[FRACTION]);
        let inverse_density = 1.0 / q[DENSITY];
        let mut squared = q[1] * q[1];
        for k in 2..ENERGY {
            squared += q[k] * q[k];
        }
        let pressure = (q[ENERGY] - 0.5 * squared * inverse_density - stiff) / zeta;
        ((inverse_density, pressure), pressure + stiff / (1.0 + zeta))
    }

    fn admissible_state(&self, q: State) -> [Real; 2] {
        let (_, stiffened) = self.gas(q);
        [q[DENSITY], stiffened]
    }

    fn sound_speed(&self, q: State, inverse_density: Real, stiffened: Real) -> Real {
        let (zeta, _) = self.law(q[FRACTION]);
        ((1.0 + 1.0 / zeta) * stiffened * inverse_density).sqrt()
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let ((left, stiffened_l), (right, stiffened_r)) = (self.gas(ql), self.gas(qr));
        let (ul, ur) = (ql[n] * left.0, qr[n] * right.0);
        let al = self.sound_speed(ql, left.0, stiffened_l);
        let ar = self.sound_speed(qr, right.0, stiffened_r);
        Self::contact_waves((ql, left), (qr, right), n, [(ul - al).min(ur - ar), (ul + al).max(ur + ar)])
    }

    fn primitive(&self, q: State) -> State {
        let ((inverse_density, pressure), _) = self.gas(q);
        let mut primitive = q;
        for k in 1..ENERGY {
            primitive[k] = q[k] * inverse_density;
        }
        primitive[ENERGY] = pressure;
        primitive
    }

    fn conserved(&self, primitive: State) -> State {
        self.of_primitive(primitive)
    }

    fn of_primitive(&self, primitive: State) -> State {
        let (zeta, stiff) = self.law(primitive[FRACTION]);
        let mut q = primitive;
        let mut squared = 0.0;
        for k in 1..ENERGY {
            q[k] = primitive[DENSITY] * primitive[k];
            squared += primitive[k] * primitive[k];
        }
        q[ENERGY] = zeta * primitive[ENERGY] + stiff + 0.5 * primitive[DENSITY] * squared;
        q
    }

    fn admissible(&self, unit: State) -> State {
        let mut primitive = unit.map(|u| 6.0 * u - 3.0);
        for m in [Self::DENSITY, Self::ENERGY] {
            primitive[m] = 25_f64.powf(unit[m] - 0.5);
        }
        primitive[Self::FRACTION] = unit[Self::FRACTION];
        self.of_primitive::<f64>(primitive)
    }
}
