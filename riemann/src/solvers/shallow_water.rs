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

use super::Linearised;
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

#[riemann::kernels(with(Linearised))]
impl ShallowWater {
    /// Position of the depth among the equations.
    const DEPTH: usize = 0;
    /// Position of the last wave.
    const LAST: usize = W - 1;
    /// Depth that stands in for any smaller one where something is divided by it: a dry cell then has a finite velocity,
    /// and zero where its momentum is zero. Small against any depth that matters, large enough that its powers are
    /// normal numbers in `f32` too.
    const DRY_DEPTH: Real = 1e-12;

    /// Roe's average in the face's own directions: velocity normal to the face and along it, speed of gravity waves a,
    /// `1/(2a)`.
    type Roe = (Real, Real, Real, Real);
    /// A direction along which waves run: its component of the momentum and its velocity.
    type Direction = (usize, Real);
    /// Strengths of the waves along one direction: gravity at `speed − a`, shear (the jump of the other momentum),
    /// gravity at `speed + a`.
    type Strengths = (Real, Real, Real);

    /// `depth`, or the depth of a dry cell where that is larger.
    fn wet(depth: Real) -> Real {
        DRY_DEPTH.max(depth)
    }

    /// Roe's average at a face with normal `axis`, `u − √(gh)` of the left state and `u + √(gh)` of the right one.
    ///
    /// `u = (√hl ul + √hr ur)/(√hl + √hr)`, likewise v. With `√h u = hu/√h`, all quotients by depths come from the one
    /// reciprocal of `√hl √hr (√hl + √hr)`.
    fn average(&self, axis: Axis, ql: State, qr: State) -> (Roe, Real, Real) {
        let (n, t) = axis.normal_and_transverse();
        let (hl, hr) = (Self::wet(ql[DEPTH]), Self::wet(qr[DEPTH]));
        let (root_l, root_r) = (hl.sqrt(), hr.sqrt());
        let root_sum = root_l + root_r;
        let reciprocal = 1.0 / (root_l * root_r * root_sum);
        // 1/hl = hr/(hl hr), and the other way round.
        let inverse_product = root_sum * reciprocal * (root_sum * reciprocal);
        let (weight_l, weight_r) = (root_r * reciprocal, root_l * reciprocal);
        let celerity = ((0.5 * self.gravity) * (hl + hr)).sqrt();
        let root_gravity = self.gravity.sqrt();
        let u = ql[n] * weight_l + qr[n] * weight_r;
        let v = if D > 1 { ql[t] * weight_l + qr[t] * weight_r } else { 0.0 };
        let lower_left = ql[n] * (hr * inverse_product) - root_gravity * root_l;
        let upper_right = qr[n] * (hl * inverse_product) + root_gravity * root_r;
        ((u, v, celerity, 0.5 / celerity), lower_left, upper_right)
    }

    /// The part of each of the three speeds that belongs to `amdq`, with the entropy fix. Of each side: state,
    /// characteristic speed, gravity wave.
    ///
    /// The states beside the shear wave are those of the linearisation, `ql + wave 0` and `qr − wave 2`. Where that
    /// leaves no water there is no rarefaction to fix.
    fn left_going_speeds(
        &self,
        n: usize,
        (ql, lower_left, first): (State, Real, State),
        (qr, upper_right, last): (State, Real, State),
        speeds: [Real; 3],
    ) -> [Real; 3] {
        let (h1, hu1) = (ql[DEPTH] + first[DEPTH], ql[n] + first[n]);
        let (h2, hu2) = (qr[DEPTH] - last[DEPTH], qr[n] - last[n]);
        let (wet_1, wet_2) = (Self::wet(h1), Self::wet(h2));
        let reciprocal = 1.0 / (wet_1 * wet_2);
        let after_lower = hu1 * (wet_2 * reciprocal) - (self.gravity * wet_1).sqrt();
        let before_upper = hu2 * (wet_1 * reciprocal) + (self.gravity * wet_2).sqrt();
        let lower = (speeds[0], lower_left, after_lower);
        // Where the shear wave moves right, so does the upper one, whole.
        let fix_upper = speeds[1] <= 0.0;
        let (left_lower, left_upper) = Self::left_going(lower, (speeds[2], before_upper, upper_right), fix_upper);
        [
            if h1 > DRY_DEPTH { left_lower } else { speeds[0].min(0.0) },
            speeds[1].min(0.0),
            if h2 > DRY_DEPTH { left_upper } else { speeds[2].min(0.0) },
        ]
    }

    /// Strengths, in a jump or a fluctuation `dq`, of the waves that run along `(along, speed)`; `(across, drift)` is
    /// the other direction.
    fn decompose(roe: Roe, dq: State, (along, speed): Direction, (across, drift): Direction) -> Strengths {
        let (_, _, a, half_slowness) = roe;
        (
            ((speed + a) * dq[DEPTH] - dq[along]) * half_slowness,
            if D > 1 { dq[across] - drift * dq[DEPTH] } else { 0.0 },
            (dq[along] - (speed - a) * dq[DEPTH]) * half_slowness,
        )
    }

    /// The sum of the waves of the given strengths, each times its wave's speed: the inverse of `decompose`, applied to the
    /// moved strengths.
    fn compose(roe: Roe, strengths: Strengths, speeds: [Real; 3], along: Direction, across: Direction) -> State {
        let ((along, speed), (across, drift)) = (along, across);
        let (lower, shear, upper) = (speeds[0] * strengths.0, speeds[1] * strengths.1, speeds[2] * strengths.2);
        let depth = lower + upper;
        let mut dq = [depth; M];
        dq[along] = speed * depth + roe.2 * (upper - lower);
        if D > 1 {
            dq[across] = drift * depth + shear;
        }
        dq
    }

    /// The wave `strength · (1, normal, transverse)`, each velocity given with its component.
    fn wave(strength: Real, (n, normal): Direction, (t, transverse): Direction) -> State {
        let mut wave = [strength; M];
        wave[n] = strength * normal;
        if D > 1 {
            wave[t] = strength * transverse;
        }
        wave
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let (roe, lower_left, upper_right) = self.average(axis, ql, qr);
        let (u, v, a, _) = roe;
        let strengths = Self::decompose(roe, Self::difference(qr, ql), (n, u), (t, v));
        let (lower, shear, upper) = strengths;
        let mut waves = [[0.0; M]; W];
        waves[0] = Self::wave(lower, (n, u - a), (t, v));
        if D > 1 {
            waves[1][t] = shear;
        }
        waves[LAST] = Self::wave(upper, (n, u + a), (t, v));

        let speeds = [u - a, u, u + a];
        let leftward = self.left_going_speeds(n, (ql, lower_left, waves[0]), (qr, upper_right, waves[LAST]), speeds);
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

    fn transverse(&self, axis: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let (n, t) = axis.normal_and_transverse();
        let (roe, _, _) = self.average(axis, ql, qr);
        let (u, v, a, _) = roe;
        let strengths = Self::decompose(roe, asdq, (t, v), (n, u));
        let down = [(v - a).min(0.0), v.min(0.0), (v + a).min(0.0)];
        let up = [(v - a).max(0.0), v.max(0.0), (v + a).max(0.0)];
        Transverse {
            bmasdq: Self::compose(roe, strengths, down, (t, v), (n, u)),
            bpasdq: Self::compose(roe, strengths, up, (t, v), (n, u)),
        }
    }

    fn admissible(&self, unit: State) -> State {
        // Depths from 1/5 to 5, velocities from −5 to 5.
        let depth = 25_f64.powf(unit[0] - 0.5);
        let mut q = unit.map(|u| depth * (10.0 * u - 5.0));
        q[Self::DEPTH] = depth;
        q
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let velocity = q[n] / Self::wet(q[DEPTH]);
        let mut flux = [q[n]; M];
        flux[n] = q[n] * velocity + (0.5 * self.gravity) * (q[DEPTH] * q[DEPTH]);
        if D > 1 {
            flux[t] = q[t] * velocity;
        }
        flux
    }
}
