//! The Euler equations of a polytropic ideal gas with walls inside of the domain, by the HLLE solver.
//!
//! PDE, variables and parameter: those of [`Euler`](super::Euler). Aux of the cell: `open`, 1 where there is gas, 0 in a solid, whose values
//! never change.
//!
//! Between gas and solid the gas meets its mirror image: of the waves of [`EulerHlle`](super::EulerHlle) the one that returns is left. The
//! rest of the jump, and all of it between solids, stands still. No transverse waves: they would pass walls.
//!
//! Holds: in the gas everything is as in [`EulerHlle`](super::EulerHlle); nothing moves into a solid.
//!
//! Source: that of [`EulerHlle`](super::EulerHlle).

use super::{IdealGas, Linearised, TwoWaves};
use crate::prelude::*;

/// The Euler equations with walls: `density`, `x_momentum`, `y_momentum`, `z_momentum`, as many of them as there are axes, `energy`, aux `open`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Euler equations of an ideal gas with walls in the domain, HLLE solver",
    equations = ["density", vector("x_momentum", "y_momentum", "z_momentum"), "energy"],
    aux = ["open"],
    positive = ["density", "pressure"],
    waves = 2
)]
pub struct EulerWallsHlle<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.4)]
    pub gamma: Real,
}

#[riemann::kernels(with(Linearised, IdealGas, TwoWaves))]
impl EulerWallsHlle {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let components = Self::components(axis);
        let n = components.0;
        let (open_l, open_r) = (aux_l[0] > 0.5, aux_r[0] > 0.5);
        let (mut lower, mut upper) = (ql, qr);
        for m in 0..M {
            let sign = if m == n { -1.0 } else { 1.0 };
            lower[m] = if open_l { ql[m] } else { sign * qr[m] };
            upper[m] = if open_r { qr[m] } else { sign * ql[m] };
        }
        let (left, right, roe) = self.average(components, lower, upper);
        let (u, a) = (roe.0.0, roe.3);
        let lowest = (lower[n] * left.0 - self.sound_speed(left)).min(u - a);
        let highest = (upper[n] * right.0 + self.sound_speed(right)).max(u + a);
        let rise = Self::difference(self.gas_flux(upper, n), self.gas_flux(lower, n));
        let free = Self::two_waves(Self::difference(upper, lower), rise, [lowest, highest]);

        let (mut waves, mut amdq, mut apdq) = (free.waves, free.amdq, free.apdq);
        for m in 0..M {
            let (jump, below, above) = (qr[m] - ql[m], free.waves[0][m], free.waves[1][m]);
            waves[0][m] = if open_l { below } else { jump - (if open_r { above } else { 0.0 }) };
            waves[1][m] = if open_r { above } else { jump - (if open_l { below } else { 0.0 }) };
            waves[1][m] = if open_l || open_r { waves[1][m] } else { 0.0 };
            amdq[m] = if open_l { free.amdq[m] } else { 0.0 };
            apdq[m] = if open_r { free.apdq[m] } else { 0.0 };
        }
        let speeds = [if open_l { lowest } else { 0.0 }, if open_r { highest } else { 0.0 }];
        Normal { waves, speeds, amdq, apdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        self.gas_flux(q, axis.index() + 1)
    }

    fn admissible(&self, unit: State) -> State {
        super::Euler { gamma: self.gamma }.admissible(unit)
    }

    fn admissible_aux(&self, _unit: Aux) -> Aux {
        [1.0]
    }
}
