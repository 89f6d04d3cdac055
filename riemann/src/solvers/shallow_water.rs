//! The shallow water equations over a flat bottom.
//!
//! PDE: `h_t + (hu)_x + (hv)_y = 0`, `(hu)_t + (hu² + gh²/2)_x + (huv)_y = 0`, `(hv)_t + (huv)_x + (hv² + gh²/2)_y = 0`.
//! Variables: depth `h`, momentum `hu`, `hv`. Parameter: gravity `g`.
//!
//! Roe's solver. Waves at a face in x: 0 gravity (u − a), 1 shear (u), 2 gravity (u + a), `a = √(g (hl + hr)/2)`.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`,
//! B the Jacobian of the transverse flux at Roe's average; nothing moves against a supercritical stream; a transonic
//! rarefaction moves to both sides; dry cells give finite numbers.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.3,
//! §15.3.5 (entropy fix) and chapter 21.

use super::{Acoustic, difference, left_going, normal_and_transverse};
use crate::prelude::*;

/// Position of the depth among the equations.
const DEPTH: usize = 0;

/// Depth that stands in for any smaller one where something is divided by it: a dry cell then has a finite velocity,
/// and zero where its momentum is zero. Small against any depth that matters, large enough that its powers are normal
/// numbers in `f32` too.
const DRY_DEPTH: f64 = 1e-12;

/// The shallow water equations: `depth`, `x_momentum`, `y_momentum`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShallowWater {
    /// Acceleration of gravity g, positive.
    pub gravity: f64,
}

/// Roe's average of the two sides of a face, in the face's own directions.
#[derive(Clone, Copy)]
struct RoeAverage<V> {
    /// Velocity normal to the face.
    u: V,
    /// Velocity along the face.
    v: V,
    /// Speed of gravity waves a.
    celerity: V,
    /// `1/(2a)`.
    half_slowness: V,
    /// `u − √(gh)` of the left state.
    lower_left: V,
    /// `u + √(gh)` of the right state.
    upper_right: V,
}

/// Strengths of the three waves that run along one direction.
#[derive(Clone, Copy)]
struct Strengths<V> {
    /// Gravity wave at `speed − a`.
    lower: V,
    /// Shear wave: jump of the other momentum.
    shear: V,
    /// Gravity wave at `speed + a`.
    upper: V,
}

/// `depth`, or [`DRY_DEPTH`] where that is larger.
#[inline(always)]
fn wet<V: Real>(depth: V) -> V {
    V::constant(DRY_DEPTH).max(depth)
}

impl ShallowWater {
    /// Roe's average at a face with normal `axis`.
    ///
    /// `u = (√hl ul + √hr ur)/(√hl + √hr)`, likewise v. With `√h u = hu/√h`, all quotients by depths come from the one
    /// reciprocal of `√hl √hr (√hl + √hr)`.
    #[inline(always)]
    fn average<V: Real>(&self, axis: Axis, ql: [V; 3], qr: [V; 3]) -> RoeAverage<V> {
        let (n, t) = normal_and_transverse(axis);
        let (hl, hr) = (wet(ql[DEPTH]), wet(qr[DEPTH]));
        let (root_l, root_r) = (hl.sqrt(), hr.sqrt());
        let root_sum = root_l + root_r;
        let reciprocal = V::constant(1.0) / (root_l * root_r * root_sum);
        // 1/hl = hr/(hl hr), and the other way round.
        let inverse_product = root_sum * reciprocal * (root_sum * reciprocal);
        let (weight_l, weight_r) = (root_r * reciprocal, root_l * reciprocal);
        let celerity = (V::constant(0.5 * self.gravity) * (hl + hr)).sqrt();
        let root_gravity = V::constant(self.gravity.sqrt());
        RoeAverage {
            u: ql[n] * weight_l + qr[n] * weight_r,
            v: ql[t] * weight_l + qr[t] * weight_r,
            celerity,
            half_slowness: V::constant(0.5) / celerity,
            lower_left: ql[n] * (hr * inverse_product) - root_gravity * root_l,
            upper_right: qr[n] * (hl * inverse_product) + root_gravity * root_r,
        }
    }

    /// The part of each of the three speeds that belongs to `amdq`, with the entropy fix.
    ///
    /// The states beside the shear wave are those of the linearisation, `ql + wave 0` and `qr − wave 2`. Where that
    /// leaves no water there is no rarefaction to fix.
    #[inline(always)]
    fn left_going_speeds<V: Real>(
        &self,
        n: usize,
        ql: [V; 3],
        qr: [V; 3],
        roe: &RoeAverage<V>,
        waves: &[[V; 3]; 3],
        speeds: [V; 3],
    ) -> [V; 3] {
        let zero = V::zero();
        let (h1, hu1) = (ql[DEPTH] + waves[0][DEPTH], ql[n] + waves[0][n]);
        let (h2, hu2) = (qr[DEPTH] - waves[2][DEPTH], qr[n] - waves[2][n]);
        let (wet_1, wet_2) = (wet(h1), wet(h2));
        let reciprocal = V::constant(1.0) / (wet_1 * wet_2);
        let gravity = V::constant(self.gravity);
        let lower = Acoustic {
            speed: speeds[0],
            before: roe.lower_left,
            after: hu1 * (wet_2 * reciprocal) - (gravity * wet_1).sqrt(),
        };
        let upper = Acoustic {
            speed: speeds[2],
            before: hu2 * (wet_1 * reciprocal) + (gravity * wet_2).sqrt(),
            after: roe.upper_right,
        };
        // Where the shear wave moves right, so does the upper one, whole.
        let (left_lower, left_upper) = left_going(lower, upper, speeds[1].le(zero));
        let dry = V::constant(DRY_DEPTH);
        [
            V::select(h1.gt(dry), left_lower, speeds[0].min(zero)),
            speeds[1].min(zero),
            V::select(h2.gt(dry), left_upper, speeds[2].min(zero)),
        ]
    }
}

impl<V: Real> RoeAverage<V> {
    /// Strengths, in a jump or a fluctuation `dq`, of the waves that run along component `along` of the momentum at
    /// the velocity `speed`; `across` and `drift` are the other component and its velocity.
    #[inline(always)]
    fn decompose(&self, dq: [V; 3], (along, speed): (usize, V), (across, drift): (usize, V)) -> Strengths<V> {
        let a = self.celerity;
        Strengths {
            lower: ((speed + a) * dq[DEPTH] - dq[along]) * self.half_slowness,
            shear: dq[across] - drift * dq[DEPTH],
            upper: (dq[along] - (speed - a) * dq[DEPTH]) * self.half_slowness,
        }
    }

    /// The sum of the waves of the given strengths: the inverse of [`RoeAverage::decompose`].
    #[inline(always)]
    fn compose(&self, s: Strengths<V>, (along, speed): (usize, V), (across, drift): (usize, V)) -> [V; 3] {
        let depth = s.lower + s.upper;
        let mut dq = [depth; 3];
        dq[along] = speed * depth + self.celerity * (s.upper - s.lower);
        dq[across] = drift * depth + s.shear;
        dq
    }
}

impl<V: Real> Strengths<V> {
    /// Each strength times its wave's speed.
    #[inline(always)]
    fn times(self, [lower, middle, upper]: [V; 3]) -> Self {
        Strengths { lower: lower * self.lower, shear: middle * self.shear, upper: upper * self.upper }
    }
}

/// The wave `strength · (1, normal, transverse)`, each velocity given with its component.
#[inline(always)]
fn wave<V: Real>(strength: V, (n, normal): (usize, V), (t, transverse): (usize, V)) -> [V; 3] {
    let mut wave = [strength; 3];
    wave[n] = strength * normal;
    wave[t] = strength * transverse;
    wave
}

impl Solver<3, 3, 0> for ShallowWater {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 3] = ["depth", "x_momentum", "y_momentum"];
    const AUX: [&'static str; 0] = [];
    const WALL_NORMAL: [Option<usize>; 3] = [Some(1), Some(2), None];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 3], qr: [V; 3], _aux_l: [V; 0], _aux_r: [V; 0]) -> Normal<V, 3, 3> {
        let (n, t) = normal_and_transverse(axis);
        let roe = self.average(axis, ql, qr);
        let (u, v, a) = (roe.u, roe.v, roe.celerity);
        let strengths = roe.decompose(difference(qr, ql), (n, u), (t, v));
        let mut waves = [[V::zero(); 3]; 3];
        waves[0] = wave(strengths.lower, (n, u - a), (t, v));
        waves[1][t] = strengths.shear;
        waves[2] = wave(strengths.upper, (n, u + a), (t, v));

        let speeds = [u - a, u, u + a];
        let left = self.left_going_speeds(n, ql, qr, &roe, &waves, speeds);
        let right = difference(speeds, left);
        Normal {
            waves,
            speeds,
            amdq: roe.compose(strengths.times(left), (n, u), (t, v)),
            apdq: roe.compose(strengths.times(right), (n, u), (t, v)),
        }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _side: Side,
        ql: [V; 3],
        qr: [V; 3],
        _aux: &TransverseAux<V, 0>,
        asdq: [V; 3],
    ) -> Transverse<V, 3> {
        let (n, t) = normal_and_transverse(axis);
        let roe = self.average(axis, ql, qr);
        let (u, v, a, zero) = (roe.u, roe.v, roe.celerity, V::zero());
        let strengths = roe.decompose(asdq, (t, v), (n, u));
        let down = [(v - a).min(zero), v.min(zero), (v + a).min(zero)];
        let up = [(v - a).max(zero), v.max(zero), (v + a).max(zero)];
        Transverse {
            bmasdq: roe.compose(strengths.times(down), (t, v), (n, u)),
            bpasdq: roe.compose(strengths.times(up), (t, v), (n, u)),
        }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; 3], _aux: [V; 0]) -> Option<[V; 3]> {
        let (n, t) = normal_and_transverse(axis);
        let velocity = q[n] / wet(q[DEPTH]);
        let mut flux = [q[n]; 3];
        flux[n] = q[n] * velocity + V::constant(0.5 * self.gravity) * (q[DEPTH] * q[DEPTH]);
        flux[t] = q[t] * velocity;
        Some(flux)
    }
}
