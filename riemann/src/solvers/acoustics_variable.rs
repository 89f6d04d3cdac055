//! Linear acoustics in a medium that varies from cell to cell.
//!
//! PDE: `p_t + K (u_x + v_y + w_z) = 0`, `ρ u_t + p_x = 0`, `ρ v_t + p_y = 0`, `ρ w_t + p_z = 0` with `ρ` and `K` functions
//! of the place; in two dimensions without `w`, in one without `v` too.
//! Variables: pressure `p`; velocity `u`, `v`, `w`. Aux: impedance `Z = √(K ρ)` and sound speed `c = √(K/ρ)` of the cell.
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the velocity along the face, whose jump stands still; wave 0 runs left at the
//! left cell's −c, wave 1 right at the right cell's c; `amdq + apdq = Σ s wave`; between cells of equal aux everything
//! is as in [`Acoustics`](super::Acoustics).
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §9.9 and
//! §21.5 (transverse waves in heterogeneous media).

use crate::prelude::*;

/// Linear acoustics in a varying medium: equations `pressure`, `u`, `v`, `w`, as many of them as there are axes, aux
/// `impedance`, `sound_speed`, both positive.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Linear acoustics in a medium given cell by cell",
    equations = ["pressure", vector("u", "v", "w")],
    aux = ["impedance", "sound_speed"],
    positive = ["impedance", "sound_speed"],
    waves = 2
)]
pub struct AcousticsVariable<const D: usize = 2>;

#[riemann::kernels]
impl AcousticsVariable {
    /// Position of the impedance among the aux values.
    const IMPEDANCE: usize = 0;
    /// Position of the sound speed among the aux values.
    const SOUND_SPEED: usize = 1;

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let n = axis.index() + 1;
        let (zl, zr) = (aux_l[IMPEDANCE], aux_r[IMPEDANCE]);
        let (cl, cr) = (aux_l[SOUND_SPEED], aux_r[SOUND_SPEED]);
        let (dp, du) = (qr[0] - ql[0], qr[n] - ql[n]);
        let admittance = 1.0 / (zl + zr);
        let left = (zr * du - dp) * admittance;
        let right = (zl * du + dp) * admittance;

        let mut waves = [[0.0; M]; W];
        waves[0][0] = -left * zl;
        waves[0][n] = left;
        waves[1][0] = right * zr;
        waves[1][n] = right;

        let mut amdq = [0.0; M];
        amdq[0] = -cl * waves[0][0];
        amdq[n] = -cl * left;
        let mut apdq = [0.0; M];
        apdq[0] = cr * waves[1][0];
        apdq[n] = cr * right;
        Normal { waves, speeds: [-cl, cr], amdq, apdq }
    }

    /// The two parts need not sum to `B asdq`: where the impedance changes across an edge, part of the wave is
    /// reflected and does not cross.
    fn transverse(&self, across: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let t = across.index() + 1;
        let (below, here, above) = (aux.below[IMPEDANCE], aux.here[IMPEDANCE], aux.above[IMPEDANCE]);
        // One division serves both edges: 1/a = b/(ab), 1/b = a/(ab).
        let (lower, upper) = (below + here, here + above);
        let reciprocal = 1.0 / (lower * upper);
        let scaled = here * asdq[t];
        let down = aux.below[SOUND_SPEED] * ((scaled - asdq[0]) * (upper * reciprocal));
        let up = aux.above[SOUND_SPEED] * ((scaled + asdq[0]) * (lower * reciprocal));

        let mut bmasdq = [0.0; M];
        bmasdq[0] = down * below;
        bmasdq[t] = -down;
        let mut bpasdq = [0.0; M];
        bpasdq[0] = up * above;
        bpasdq[t] = up;
        Transverse { bmasdq, bpasdq }
    }

    /// In a uniform medium: `(K u, p/ρ)` with `K = Z c`, `1/ρ = c/Z`.
    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let n = axis.index() + 1;
        let mut flux = [0.0; M];
        flux[0] = aux[IMPEDANCE] * aux[SOUND_SPEED] * q[n];
        flux[n] = aux[SOUND_SPEED] / aux[IMPEDANCE] * q[0];
        flux
    }
}
