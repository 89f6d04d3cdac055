//! The p-system: waves in a material whose stress is a nonlinear function of its strain.
//!
//! PDE: `ε_t − u_x − v_y = 0`, `ρ u_t − σ(ε)_x = 0`, `ρ v_t − σ(ε)_y = 0` with `σ(ε) = K ε + N ε²`; in one
//! dimension without `v`.
//! Variables: strain `ε`, momentum `ρu`, `ρv`. Parameters: density `ρ`, modulus `K`, nonlinearity `N`. Hyperbolic while
//! `σ′(ε) = K + 2 N ε` is positive; below a hundredth of K, that is taken.
//!
//! f-waves: 0 runs left at −c of the left state, 1 right at c of the right state, `c = √(σ′/ρ)`.
//!
//! Holds: `Σ_w wave_w = f(qr) − f(ql)` but for the momentum along the face, whose jump stands still; `amdq` is wave 0 and
//! `apdq` wave 1; `bmasdq + bpasdq = B asdq`, B the Jacobian of the transverse flux at the mean strain.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §2.12, §13.11,
//! §15.5 (f-waves); in the plane: Ketcheson & Quezada de Luna, *Multiscale Model. Simul.* 13 (2015) 440–458,
//! doi:10.1137/130946526.

use super::TwoMaterials;
use crate::prelude::*;

/// The p-system: `strain`, `x_momentum`, `y_momentum`.
#[riemann::solver(
    dim = [1, 2],
    title = "Nonlinear elastic waves: the p-system",
    equations = ["strain", vector("x_momentum", "y_momentum")],
    nonnegative = ["slope of the stress"],
    waves = 2,
    fwaves
)]
pub struct PSystem<const D: usize = 2> {
    /// density of the material
    #[parameter(positive)]
    pub density: Real,
    /// modulus of the material at rest
    #[parameter(positive)]
    pub modulus: Real,
    /// stress per strain squared
    #[parameter(default = 0.0)]
    pub nonlinearity: Real,
}

#[riemann::kernels(with(TwoMaterials))]
impl PSystem {
    /// Position of the strain among the equations.
    const STRAIN: usize = 0;

    fn stress(&self, strain: Real) -> Real {
        strain * (self.modulus + self.nonlinearity * strain)
    }

    /// Sound speed and impedance at a strain.
    fn speed_and_impedance(&self, strain: Real) -> (Real, Real) {
        let slope = (self.modulus + (2.0 * self.nonlinearity) * strain).max(0.01 * self.modulus);
        let speed = (slope / self.density).sqrt();
        (speed, self.density * speed)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (n, _) = axis.normal_and_transverse();
        let (cl, zl) = self.speed_and_impedance(ql[STRAIN]);
        let (cr, zr) = self.speed_and_impedance(qr[STRAIN]);
        // Differences of the fluxes −m/ρ and −σ.
        let d0 = (ql[n] - qr[n]) / self.density;
        let d1 = self.stress(ql[STRAIN]) - self.stress(qr[STRAIN]);
        let (amdq, apdq) = Self::split([d0, d1], n, zl, zr);
        Normal { waves: [amdq, apdq], speeds: [-cl, cr], amdq, apdq }
    }

    fn transverse(&self, axis: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let (_, t) = axis.normal_and_transverse();
        let (c, z) = self.speed_and_impedance(0.5 * (ql[STRAIN] + qr[STRAIN]));
        let scaled = asdq[t] / z;
        let down = (0.5 * c) * (asdq[STRAIN] + scaled);
        let up = (0.5 * c) * (asdq[STRAIN] - scaled);
        let (mut bmasdq, mut bpasdq) = ([0.0; M], [0.0; M]);
        bmasdq[STRAIN] = -down;
        bmasdq[t] = -(down * z);
        bpasdq[STRAIN] = up;
        bpasdq[t] = -(up * z);
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, _) = axis.normal_and_transverse();
        let mut flux = [0.0; M];
        flux[STRAIN] = -(q[n] / self.density);
        flux[n] = -self.stress(q[STRAIN]);
        flux
    }

    fn admissible_state(&self, q: State) -> [Real; 1] {
        [self.modulus + (2.0 * self.nonlinearity) * q[STRAIN]]
    }

    fn admissible(&self, unit: State) -> State {
        let mut q = unit.map(|u| 2.0 * u - 1.0);
        q[Self::STRAIN] *= 0.1;
        q
    }
}
