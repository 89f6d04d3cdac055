//! The shallow water equations over a flat bottom, by the HLLE solver.
//!
//! PDE, variables and parameter: those of [`ShallowWater`](super::ShallowWater).
//!
//! Two waves, at Einfeldt's speeds: s₀, the smaller of `ul − √(g hl)` and Roe's `u − a`, and s₁, the larger of `ur + √(g hr)` and Roe's
//! `u + a`; between them one state. The depth stays positive; shear is spread as by a scheme of first order.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq`, B the Jacobian of the
//! transverse flux at Roe's average; dry cells give finite numbers.
//!
//! Source: Einfeldt, *SIAM J. Numer. Anal.* 25 (1988) 294–318, doi:10.1137/0725021; LeVeque, *Finite Volume Methods for Hyperbolic
//! Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.7.

use super::{Linearised, TwoWaves, Water, WaterAlone};
use crate::prelude::*;

/// The shallow water equations by HLLE: `depth`, `x_momentum`, `y_momentum`.
#[riemann::solver(
    dim = [1, 2],
    title = "Shallow water equations over a flat bottom, HLLE solver",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    nonnegative = ["depth"],
    waves = 2
)]
pub struct ShallowWaterHlle<const D: usize = 2> {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
}

#[riemann::kernels(with(Linearised, Water, WaterAlone, TwoWaves))]
impl ShallowWaterHlle {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (u, _, a, _) = self.average(axis, ql, qr);
        let (hl, hr) = (Self::wet(ql[DEPTH]), Self::wet(qr[DEPTH]));
        let lowest = (ql[n] / hl - (self.gravity * hl).sqrt()).min(u - a);
        let highest = (qr[n] / hr + (self.gravity * hr).sqrt()).max(u + a);
        let rise = Self::difference(self.flux(axis, qr), self.flux(axis, ql));
        Self::two_waves(Self::rise(qr, ql), rise, [lowest, highest])
    }

    fn admissible(&self, unit: State) -> State {
        super::ShallowWater { gravity: self.gravity }.admissible(unit)
    }
}
