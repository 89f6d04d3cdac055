//! The p-system of a gas in Lagrangian coordinates, whose entropy varies from place to place.
//!
//! PDE: `v_t − u_x = 0`, `u_t + p_x = 0` with `p = p* e^s (v*/v)^γ`.
//! Variables: specific `volume` v, `velocity` u. Aux: `entropy` s of the cell, which does not change in time. Parameters: ratio of specific heats
//! γ; pressure p* and volume v* where the entropy is zero.
//!
//! f-waves: 0 runs left at −c of the left state, 1 right at c of the right state, `c = √(γ p/v)`.
//!
//! Holds: `Σ_w wave_w = f(qr) − f(ql)`; `amdq` is wave 0 and `apdq` wave 1; equal pressures at rest stand still, whatever the entropies.
//!
//! Source: LeVeque, *Int. J. Appl. Math. Comput. Sci.* 12 (2002) 399–409 (f-waves for nonlinear elasticity in heterogeneous media); LeVeque,
//! *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.5.

use super::TwoMaterials;
use crate::prelude::*;

/// The p-system of a gas: `volume`, `velocity`, aux `entropy`.
#[riemann::solver(
    dim = 1,
    title = "The p-system of a gas with an entropy given cell by cell",
    equations = ["volume", vector("velocity")],
    aux = ["entropy"],
    positive = ["volume"],
    waves = 2,
    fwaves
)]
pub struct PSystemGas {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
    /// pressure where the entropy is zero
    #[parameter(positive, default = 1.0)]
    pub pstar: Real,
    /// specific volume at that pressure
    #[parameter(positive, default = 1.0)]
    pub vstar: Real,
}

#[riemann::kernels(with(TwoMaterials))]
impl PSystemGas {
    fn pressure(&self, volume: Real, entropy: Real) -> Real {
        self.pstar * entropy.exp() * (self.vstar / volume).powf(self.gamma)
    }

    fn normal(&self, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (pl, pr) = (self.pressure(ql[0], aux_l[0]), self.pressure(qr[0], aux_r[0]));
        let (cl, cr) = ((self.gamma * pl / ql[0]).sqrt(), (self.gamma * pr / qr[0]).sqrt());
        let (amdq, apdq) = Self::split([ql[1] - qr[1], pr - pl], 1, cl, cr);
        Normal { waves: [amdq, apdq], speeds: [-cl, cr], amdq, apdq }
    }

    fn flux(&self, q: State, aux: Aux) -> State {
        [-q[1], self.pressure(q[0], aux[0])]
    }

    fn admissible(&self, unit: State) -> State {
        [9_f64.powf(unit[0] - 0.5), 2.0 * unit[1] - 1.0]
    }
}
