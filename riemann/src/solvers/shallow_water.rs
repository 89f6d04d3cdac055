//! The shallow water equations over a flat bottom.
//!
//! PDE: `h_t + (hu)_x + (hv)_y = 0`, `(hu)_t + (hu² + gh²/2)_x + (huv)_y = 0`, `(hv)_t + (huv)_x + (hv² + gh²/2)_y = 0`.
//! In one dimension without `hv`.
//! Variables: depth `h`, momentum `hu`, `hv`. Parameter: gravity `g`.
//!
//! Roe's solver. Waves at a face in x: 0 gravity (u − a), 1 shear (u), 2 gravity (u + a), `a = √(g (hl + hr)/2)`; in one
//! dimension there is no shear.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`,
//! B the Jacobian of the transverse flux at Roe's average; nothing moves against a supercritical stream; a transonic
//! rarefaction moves to both sides; dry cells give finite numbers.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.3,
//! §15.3.5 (entropy fix) and chapter 21.

use super::{Linearised, Water, WaterAlone};
use crate::prelude::*;

/// The shallow water equations: `depth`, `x_momentum`, `y_momentum`.
#[riemann::solver(
    dim = [1, 2],
    title = "Shallow water equations over a flat bottom",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    nonnegative = ["depth"],
    waves = D + 1
)]
pub struct ShallowWater<const D: usize = 2> {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
}

#[riemann::kernels(with(Linearised, Water, WaterAlone))]
impl ShallowWater {
    /// Position of the last wave.
    const LAST: usize = W - 1;

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let roe = self.average(axis, ql, qr);
        let (u, v, a, _) = roe;
        let strengths = Self::decompose(roe, Self::rise(qr, ql), (n, u), (t, v));
        let (lower, shear, upper) = strengths;
        let mut waves = [[0.0; M]; W];
        waves[0] = Self::wave(lower, (n, u - a), (t, v));
        if D > 1 {
            waves[1][t] = shear;
        }
        waves[LAST] = Self::wave(upper, (n, u + a), (t, v));

        let speeds = [u - a, u, u + a];
        let leftward = self.left_going_speeds(n, (ql, waves[0]), (qr, waves[LAST]), speeds);
        let mut rightward = speeds;
        for k in 0..3 {
            rightward[k] -= leftward[k];
        }
        Normal {
            waves,
            speeds: if D > 1 { speeds } else { [speeds[0], speeds[2]] },
            amdq: Self::compose(roe, strengths, leftward, (n, u), (t, v)),
            apdq: Self::compose(roe, strengths, rightward, (n, u), (t, v)),
        }
    }

    fn admissible(&self, unit: State) -> State {
        // Depths from 1/5 to 5, velocities from −5 to 5.
        let depth = 25_f64.powf(unit[0] - 0.5);
        let mut q = unit.map(|u| depth * (10.0 * u - 5.0));
        q[Self::DEPTH] = depth;
        q
    }
}
