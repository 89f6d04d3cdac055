//! Linear elasticity in plane strain, in a solid that varies from cell to cell; a fluid where the shear modulus is zero.
//!
//! PDE: that of [`Elasticity`](super::Elasticity) in the plane, with `ρ`, `λ` and `μ` functions of the place.
//! Variables: stress `σ¹¹`, `σ²²`, `σ¹²`; velocity `u`, `v`. Aux of the cell: `density` ρ, Lamé's `lambda` λ and `mu` μ, and the speeds of pressure and
//! shear waves, `cp = √((λ + 2μ)/ρ)`, `cs = √(μ/ρ)`.
//!
//! Waves at a face in x: 0 pressure (−cp of the left cell), 1 pressure (cp of the right cell), 2 and 3 shear likewise.
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the stress along the face, part of whose jump stands still, and for the shear stress beside a fluid;
//! `amdq + apdq = Σ s wave`; between cells of one solid everything is as in [`Elasticity`](super::Elasticity).
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §22.1–22.5.

use crate::prelude::*;

/// Linear elasticity in a varying solid: `stress_xx`, `stress_yy`, `stress_xy`, `u`, `v`, aux `density`, `lambda`, `mu`, `cp`,
/// `cs`.
#[riemann::solver(
    title = "Linear elasticity in a solid given cell by cell",
    equations = [tensor("stress_xx", "stress_yy", "stress_xy"), vector("u", "v")],
    aux = ["density", "lambda", "mu", "cp", "cs"],
    positive = ["density", "lambda", "cp"],
    waves = 4
)]
pub struct ElasticityVariable;

#[riemann::kernels]
impl ElasticityVariable {
    /// Positions of the shear stress and of the first velocity.
    const SHEAR: usize = 2;
    const VELOCITY: usize = 3;
    /// What stands in for the sum of two impedances of shear, if both are zero.
    const NO_SHEAR: Real = 1e-30;

    /// Of a solid: `λ + 2μ`, `λ`, `μ`, `cp`, `cs`.
    type Solid = (Real, Real, Real, Real, Real);

    fn solid(aux: Aux) -> Solid {
        (aux[1] + 2.0 * aux[2], aux[1], aux[2], aux[3], aux[4])
    }

    /// A pressure wave and a shear wave of some strengths in a solid, which move it along `along` and across; `sign`: where they run to.
    fn waves_in(solid: Solid, (p, s): (Real, Real), along: usize, sign: Real) -> (State, State) {
        let (stiffness, lambda, mu, cp, cs) = solid;
        let (mut pressure, mut shear) = ([0.0; M], [0.0; M]);
        pressure[along] = p * stiffness;
        pressure[1 - along] = p * lambda;
        pressure[VELOCITY + along] = -(sign * p * cp);
        shear[SHEAR] = s * mu;
        shear[VELOCITY + 1 - along] = -(sign * s * cs);
        (pressure, shear)
    }

    /// Strengths, in a jump `dq` between two solids, of the waves in the solid `to`, which run away from the solid `from`.
    fn strengths(dq: State, from: Solid, to: Solid, along: usize, sign: Real) -> (Real, Real) {
        let (stress, push) = (dq[along], sign * dq[VELOCITY + along]);
        let (shear, slip) = (dq[SHEAR], sign * dq[VELOCITY + 1 - along]);
        let p = (from.3 * stress - from.0 * push) / (to.0 * from.3 + from.0 * to.3);
        let s = (from.4 * shear - from.2 * slip) / (to.2 * from.4 + from.2 * to.4).max(NO_SHEAR);
        (p, s)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let along = axis.index();
        let (left, right) = (Self::solid(aux_l), Self::solid(aux_r));
        let mut jump = qr;
        for m in 0..M {
            jump[m] -= ql[m];
        }
        let (pl, sl) = Self::waves_in(left, Self::strengths(jump, right, left, along, -1.0), along, -1.0);
        let (pr, sr) = Self::waves_in(right, Self::strengths(jump, left, right, along, 1.0), along, 1.0);
        let (mut amdq, mut apdq) = (pl, pr);
        for m in 0..M {
            amdq[m] = -(left.3 * pl[m] + left.4 * sl[m]);
            apdq[m] = right.3 * pr[m] + right.4 * sr[m];
        }
        Normal { waves: [pl, pr, sl, sr], speeds: [-left.3, right.3, -left.4, right.4], amdq, apdq }
    }

    /// The two parts need not sum to `B asdq`: part of a wave is reflected where the solid changes across an edge.
    fn transverse(&self, across: Axis, aux: TransverseAux, asdq: State) -> Transverse {
        let along = across.index();
        let (below, here, above) = (Self::solid(aux.below), Self::solid(aux.here), Self::solid(aux.above));
        let (pl, sl) = Self::waves_in(below, Self::strengths(asdq, here, below, along, -1.0), along, -1.0);
        let (pr, sr) = Self::waves_in(above, Self::strengths(asdq, here, above, along, 1.0), along, 1.0);
        let (mut bmasdq, mut bpasdq) = (pl, pr);
        for m in 0..M {
            bmasdq[m] = -(below.3 * pl[m] + below.4 * sl[m]);
            bpasdq[m] = above.3 * pr[m] + above.4 * sr[m];
        }
        Transverse { bmasdq, bpasdq }
    }

    /// Where the solid is the same in all cells.
    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let along = axis.index();
        let (stiffness, lambda, mu, _, _) = Self::solid(aux);
        let mut flux = [0.0; M];
        flux[along] = -(stiffness * q[VELOCITY + along]);
        flux[1 - along] = -(lambda * q[VELOCITY + along]);
        flux[SHEAR] = -(mu * q[VELOCITY + 1 - along]);
        flux[VELOCITY + along] = -(q[along] / aux[0]);
        flux[VELOCITY + 1 - along] = -(q[SHEAR] / aux[0]);
        flux
    }

    fn admissible_aux(&self, unit: Aux) -> Aux {
        let [density, lambda, mu] = [unit[0], unit[1], unit[2]].map(|u| 0.5 + u);
        [density, lambda, mu, ((lambda + 2.0 * mu) / density).sqrt(), (mu / density).sqrt()]
    }
}
