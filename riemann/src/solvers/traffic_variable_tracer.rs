//! Traffic flow on a road with a speed limit in each cell, and a tracer: a property of the cars, which moves with them.
//!
//! PDE: that of [`TrafficVariable`](super::TrafficVariable), and `p_t + u(x) (1 − q) p_x = 0`.
//! Variables: density `q` of cars, `tracer` p. Aux: the speed `limit` u of the cell.
//!
//! f-waves: 0 that of [`TrafficVariable`](super::TrafficVariable), 1 the tracer's jump times the velocity of the cars in the right cell.
//!
//! Holds: `Σ_w wave_w = amdq + apdq`; nothing of the tracer moves to the left.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §16.4 and §9.3.

use super::LimitedTraffic;
use crate::prelude::*;

/// Traffic flow under varying speed limits with a tracer: `density`, `tracer`, aux `limit`.
#[riemann::solver(
    dim = 1,
    title = "Traffic flow under a speed limit given cell by cell, with a tracer",
    equations = ["density", "tracer"],
    aux = ["limit"],
    positive = ["limit"],
    nonnegative = ["density", "1 - density"],
    waves = 2,
    fwaves,
    one_way,
    directions
)]
pub struct TrafficVariableTracer;

#[riemann::kernels(with(LimitedTraffic))]
impl TrafficVariableTracer {
    fn normal(&self, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (speed, [left, right]) = Self::cars(ql, qr, aux_l, aux_r);
        let (velocity, jump) = (aux_r[0] * (1.0 - qr[0]), qr[1] - ql[1]);
        Normal {
            waves: [[left + right, 0.0], [0.0, velocity * jump]],
            speeds: [speed, velocity],
            amdq: [left, 0.0],
            apdq: [right, velocity * jump],
        }
    }
}
