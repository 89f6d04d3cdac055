//! The p-system in a material that varies from cell to cell.
//!
//! PDE: `ε_t − u_x − v_y = 0`, `(ρu)_t − σ(ε)_x = 0`, `(ρv)_t − σ(ε)_y = 0`; in one dimension without `v`.
//! Variables: strain `ε`, momentum `ρu`, `ρv`. Aux of the cell: density `ρ`, `modulus` K, and the `law` of its stress: 1 `K ε`, 2 `exp(K ε) − 1`,
//! 3 `K ε/10 + 5 (K ε)³`.
//!
//! f-waves: 0 runs left at −c of the left cell, 1 right at c of the right cell, `c = √(σ′/ρ)`.
//!
//! Holds: `Σ_w wave_w = f(qr) − f(ql)` but for the momentum along the face, whose jump stands still; `amdq` is wave 0 and `apdq` wave 1; equal
//! stresses at rest stand still, whatever the materials; between cells of one material `bmasdq + bpasdq = B asdq`, B the Jacobian of the
//! transverse flux at the mean strain.
//!
//! Source: LeVeque, *Int. J. Appl. Math. Comput. Sci.* 12 (2002) 399–409; in the plane: Ketcheson & Quezada de Luna, *Multiscale Model.
//! Simul.* 13 (2015) 440–458, doi:10.1137/130946526, whose laws these are.

use super::TwoMaterials;
use crate::prelude::*;

/// The p-system in a varying material: `strain`, `x_momentum`, `y_momentum`, aux `density`, `modulus`, `law`.
#[riemann::solver(
    dim = [1, 2],
    title = "Nonlinear elastic waves in a material given cell by cell",
    equations = ["strain", vector("x_momentum", "y_momentum")],
    aux = ["density", "modulus", "law"],
    positive = ["density", "modulus"],
    waves = 2,
    fwaves
)]
pub struct PSystemVariable<const D: usize = 2>;

#[riemann::kernels(with(TwoMaterials))]
impl PSystemVariable {
    /// Positions of the aux values.
    const DENSITY: usize = 0;
    const MODULUS: usize = 1;
    const LAW: usize = 2;

    fn stress(strain: Real, aux: Aux) -> Real {
        let linear = aux[MODULUS] * strain;
        let cubic = 0.1 * linear + 5.0 * (linear * linear * linear);
        let law = aux[LAW];
        if law < 1.5 { linear } else { if law < 2.5 { linear.exp() - 1.0 } else { cubic } }
    }

    /// Sound speed and impedance at a strain.
    fn speed_and_impedance(strain: Real, aux: Aux) -> (Real, Real) {
        let (modulus, law) = (aux[MODULUS], aux[LAW]);
        let linear = modulus * strain;
        let cubic = modulus * (0.1 + 15.0 * (linear * linear));
        let slope = if law < 1.5 { modulus } else { if law < 2.5 { modulus * linear.exp() } else { cubic } };
        let speed = (slope / aux[DENSITY]).sqrt();
        (speed, aux[DENSITY] * speed)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let n = axis.index() + 1;
        let (cl, zl) = Self::speed_and_impedance(ql[0], aux_l);
        let (cr, zr) = Self::speed_and_impedance(qr[0], aux_r);
        // Differences of the fluxes −m/ρ and −σ.
        let d0 = ql[n] / aux_l[DENSITY] - qr[n] / aux_r[DENSITY];
        let d1 = Self::stress(ql[0], aux_l) - Self::stress(qr[0], aux_r);
        let (amdq, apdq) = Self::split([d0, d1], n, zl, zr);
        Normal { waves: [amdq, apdq], speeds: [-cl, cr], amdq, apdq }
    }

    /// Into the materials below and above, at the mean strain.
    fn transverse(&self, across: Axis, ql: State, qr: State, aux: TransverseAux, asdq: State) -> Transverse {
        let t = across.index() + 1;
        let strain = 0.5 * (ql[0] + qr[0]);
        let (cl, zl) = Self::speed_and_impedance(strain, aux.below);
        let (cr, zr) = Self::speed_and_impedance(strain, aux.above);
        let reciprocal = 1.0 / (zl + zr);
        let down = cl * (zr * asdq[0] + asdq[t]) * reciprocal;
        let up = cr * (zl * asdq[0] - asdq[t]) * reciprocal;
        let (mut bmasdq, mut bpasdq) = ([0.0; M], [0.0; M]);
        bmasdq[0] = -down;
        bmasdq[t] = -(down * zl);
        bpasdq[0] = up;
        bpasdq[t] = -(up * zr);
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let n = axis.index() + 1;
        let mut flux = [0.0; M];
        flux[0] = -(q[n] / aux[DENSITY]);
        flux[n] = -Self::stress(q[0], aux);
        flux
    }

    fn admissible(&self, unit: State) -> State {
        let mut q = unit.map(|u| 2.0 * u - 1.0);
        q[0] *= 0.1;
        q
    }

    fn admissible_aux(&self, unit: Aux) -> Aux {
        [0.5 + unit[0], 0.5 + unit[1], (1.0 + 2.99 * unit[2]).floor()]
    }
}
