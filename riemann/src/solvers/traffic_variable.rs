//! Traffic flow on a road with a speed limit in each cell.
//!
//! PDE: `q_t + (u(x) q (1 − q))_x = 0`.
//! Variable: density `q` of cars, one where they stand bumper to bumper. Aux: the speed `limit` u of the cell.
//!
//! One f-wave: where the limit changes, a jump of the density stands still.
//!
//! Holds: `wave = f(qr) − f(ql) = amdq + apdq`, at the mean of the characteristic speeds `u (1 − 2q)`; the flux at the face is Godunov's, the
//! least of what the left cell sends and what the right one takes.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §16.4 (variable fluxes); the flux:
//! Daganzo, *Transp. Res. B* 29 (1995) 79–93, doi:10.1016/0191-2615(94)00022-R.

use super::LimitedTraffic;
use crate::prelude::*;

/// Traffic flow under varying speed limits: equation `density`, aux `limit`.
#[riemann::solver(
    dim = 1,
    title = "Traffic flow under a speed limit given cell by cell",
    equations = ["density"],
    aux = ["limit"],
    positive = ["limit"],
    nonnegative = ["density", "1 - density"],
    waves = 1,
    fwaves,
    one_way,
    directions
)]
pub struct TrafficVariable;

#[riemann::kernels(with(LimitedTraffic))]
impl TrafficVariable {
    fn normal(&self, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (speed, [left, right]) = Self::cars(ql, qr, aux_l, aux_r);
        Normal { waves: [[left + right]], speeds: [speed], amdq: [left], apdq: [right] }
    }

    fn flux(&self, q: State, aux: Aux) -> State {
        [aux[0] * q[0] * (1.0 - q[0])]
    }
}
