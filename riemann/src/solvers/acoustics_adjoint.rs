//! The adjoint of linear acoustics in a medium that varies from cell to cell, in time that runs backwards.
//!
//! PDE: `p_s − (u/ρ)_x − (v/ρ)_y − (w/ρ)_z = 0`, `u_s − (K p)_x = 0` and likewise for v, w, with `s = T − t`: the integral of `p q₁ + u q₂ + …`
//! is the same at all times t if q solves [`AcousticsVariable`](super::AcousticsVariable). Variables: what a functional at time T gains by
//! pressure and velocities. Aux of the cell: `impedance` Z = ρc, `sound_speed` c; K = Zc.
//!
//! f-waves: 0 runs left at −c of the left cell, 1 right at c of the right cell.
//!
//! Holds: `Σ_w wave_w = f(qr) − f(ql)`; `amdq` is wave 0 and `apdq` wave 1; `bmasdq + bpasdq = B asdq` between equal cells; the integral above.
//!
//! Source: Davis & LeVeque, *ACM Trans. Math. Softw.* 46 (2020) 26, doi:10.1145/3392775, §2.

use super::TwoMaterials;
use crate::prelude::*;

/// The adjoint of acoustics: `pressure`, `u`, `v`, `w`, as many of them as there are axes, aux `impedance`, `sound_speed`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Adjoint of linear acoustics in a heterogeneous medium",
    equations = ["pressure", vector("u", "v", "w")],
    aux = ["impedance", "sound_speed"],
    positive = ["impedance", "sound_speed"],
    waves = 2,
    fwaves
)]
pub struct AcousticsAdjoint<const D: usize = 2>;

#[riemann::kernels(with(TwoMaterials))]
impl AcousticsAdjoint {
    const IMPEDANCE: usize = 0;
    const SOUND_SPEED: usize = 1;

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (left, right, n) = (self.flux(axis, ql, aux_l), self.flux(axis, qr, aux_r), axis.index() + 1);
        let rise = [right[0] - left[0], right[n] - left[n]];
        let (amdq, apdq) = Self::split(rise, n, aux_l[IMPEDANCE], aux_r[IMPEDANCE]);
        Normal { waves: [amdq, apdq], speeds: [-aux_l[SOUND_SPEED], aux_r[SOUND_SPEED]], amdq, apdq }
    }

    fn transverse(&self, across: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let n = across.index() + 1;
        let (mut bmasdq, mut bpasdq) = Self::split([asdq[0], asdq[n]], n, aux.below[IMPEDANCE], aux.above[IMPEDANCE]);
        for m in 0..M {
            bmasdq[m] *= -aux.below[SOUND_SPEED];
            bpasdq[m] *= aux.above[SOUND_SPEED];
        }
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let n = axis.index() + 1;
        let mut flux = [0.0; M];
        flux[0] = -(q[n] * aux[SOUND_SPEED] / aux[IMPEDANCE]);
        flux[n] = -(q[0] * aux[SOUND_SPEED] * aux[IMPEDANCE]);
        flux
    }
}
