//! The Euler equations of a polytropic ideal gas.
//!
//! PDE: `ρ_t + (ρu)_x + (ρv)_y = 0`, `(ρu)_t + (ρu² + p)_x + (ρuv)_y = 0`, `(ρv)_t + (ρuv)_x + (ρv² + p)_y = 0`,
//! `E_t + ((E + p) u)_x + ((E + p) v)_y = 0`, with `p = (γ − 1)(E − ρ(u² + v²)/2)`.
//! Variables: density `ρ`, momentum `ρu`, `ρv`, total energy `E`, all per volume. Parameter: ratio of specific heats γ.
//!
//! Roe's solver. Waves at a face in x: 0 acoustic (u − a), 1 shear (u), 2 entropy (u), 3 acoustic (u + a).
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)` (Roe's property); `bmasdq + bpasdq = B asdq`,
//! B the Jacobian of the transverse flux at Roe's average; nothing moves against a supersonic stream; a transonic
//! rarefaction moves to both sides.
//!
//! Source: Roe, *J. Comput. Phys.* 43 (1981) 357–372, doi:10.1016/0021-9991(81)90128-5; LeVeque, *Finite Volume
//! Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.4, §15.3.5 (entropy fix), chapter 21.

use super::{Acoustic, difference, left_going, normal_and_transverse, sum};
use crate::prelude::*;

/// Position of the density among the equations.
const DENSITY: usize = 0;
/// Position of the energy among the equations.
const ENERGY: usize = 3;

/// The Euler equations: `density`, `x_momentum`, `y_momentum`, `energy`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Euler {
    /// Ratio of specific heats γ, greater than one.
    pub gamma: f64,
}

/// What pressure and speeds need of a state besides its conserved quantities.
#[derive(Clone, Copy)]
struct Gas<V> {
    inverse_density: V,
    pressure: V,
}

/// Roe's average of the two sides of a face, in the face's own directions.
#[derive(Clone, Copy)]
struct RoeAverage<V> {
    left: Gas<V>,
    right: Gas<V>,
    /// Velocity normal to the face.
    u: V,
    /// Velocity along the face.
    v: V,
    /// Specific total enthalpy `(E + p)/ρ`.
    enthalpy: V,
    /// `(u² + v²)/2`.
    kinetic: V,
    /// Sound speed a.
    sound_speed: V,
    /// `1/(2a)`.
    half_slowness: V,
    /// `(γ − 1)/a²`.
    compressibility: V,
}

/// Strengths of the four waves that run along one direction.
#[derive(Clone, Copy)]
struct Strengths<V> {
    /// Acoustic wave at `speed − a`.
    lower: V,
    /// Shear wave: jump of the other momentum.
    shear: V,
    /// Entropy wave.
    entropy: V,
    /// Acoustic wave at `speed + a`.
    upper: V,
}

impl Euler {
    /// Pressure of a state, given the reciprocal of its density.
    #[inline(always)]
    fn gas<V: Real>(&self, q: [V; 4], inverse_density: V) -> Gas<V> {
        let momentum_squared = q[1] * q[1] + q[2] * q[2];
        let kinetic = V::constant(0.5) * momentum_squared * inverse_density;
        Gas { inverse_density, pressure: V::constant(self.gamma - 1.0) * (q[ENERGY] - kinetic) }
    }

    /// Sound speed `√(γp/ρ)`.
    #[inline(always)]
    fn sound_speed<V: Real>(&self, gas: Gas<V>) -> V {
        (V::constant(self.gamma) * gas.pressure * gas.inverse_density).sqrt()
    }

    /// Roe's average at a face with normal `axis`.
    ///
    /// `u = (√ρl ul + √ρr ur)/(√ρl + √ρr)`, likewise v and the enthalpy H; `a² = (γ − 1)(H − (u² + v²)/2)`. With
    /// `√ρ u = ρu/√ρ`, all quotients here come from the one reciprocal of `√ρl √ρr (√ρl + √ρr)`.
    #[inline(always)]
    fn average<V: Real>(&self, axis: Axis, ql: [V; 4], qr: [V; 4]) -> RoeAverage<V> {
        let (n, t) = normal_and_transverse(axis);
        let one = V::constant(1.0);
        let (root_l, root_r) = (ql[DENSITY].sqrt(), qr[DENSITY].sqrt());
        let root_sum = root_l + root_r;
        let reciprocal = one / (root_l * root_r * root_sum);
        // 1/ρl = ρr/(ρl ρr), and the other way round.
        let inverse_product = root_sum * reciprocal * (root_sum * reciprocal);
        let left = self.gas(ql, qr[DENSITY] * inverse_product);
        let right = self.gas(qr, ql[DENSITY] * inverse_product);

        let (weight_l, weight_r) = (root_r * reciprocal, root_l * reciprocal);
        let u = ql[n] * weight_l + qr[n] * weight_r;
        let v = ql[t] * weight_l + qr[t] * weight_r;
        let enthalpy = (ql[ENERGY] + left.pressure) * weight_l + (qr[ENERGY] + right.pressure) * weight_r;
        let kinetic = V::constant(0.5) * (u * u + v * v);
        let sound_speed = (V::constant(self.gamma - 1.0) * (enthalpy - kinetic)).sqrt();
        let slowness = one / sound_speed;
        RoeAverage {
            left,
            right,
            u,
            v,
            enthalpy,
            kinetic,
            sound_speed,
            half_slowness: V::constant(0.5) * slowness,
            compressibility: V::constant(self.gamma - 1.0) * (slowness * slowness),
        }
    }

    /// The part of each of the three speeds that belongs to `amdq`, with the entropy fix.
    ///
    /// The states between the outer waves and the middle ones are those of the linearisation, `ql + wave 0` and
    /// `qr − wave 3`.
    #[inline(always)]
    fn left_going_speeds<V: Real>(
        &self,
        n: usize,
        ql: [V; 4],
        qr: [V; 4],
        roe: &RoeAverage<V>,
        waves: &[[V; 4]; 4],
        speeds: [V; 3],
    ) -> [V; 3] {
        let q1 = sum(ql, waves[0]);
        let q2 = difference(qr, waves[3]);
        let reciprocal = V::constant(1.0) / (q1[DENSITY] * q2[DENSITY]);
        let gas_1 = self.gas(q1, q2[DENSITY] * reciprocal);
        let gas_2 = self.gas(q2, q1[DENSITY] * reciprocal);
        let lower = Acoustic {
            speed: speeds[0],
            before: ql[n] * roe.left.inverse_density - self.sound_speed(roe.left),
            after: q1[n] * gas_1.inverse_density - self.sound_speed(gas_1),
        };
        let upper = Acoustic {
            speed: speeds[2],
            before: q2[n] * gas_2.inverse_density + self.sound_speed(gas_2),
            after: qr[n] * roe.right.inverse_density + self.sound_speed(roe.right),
        };
        // Where the middle waves move right, so does the upper one, whole.
        let (left_lower, left_upper) = left_going(lower, upper, speeds[1].lt(V::zero()));
        [left_lower, speeds[1].min(V::zero()), left_upper]
    }
}

/// The wave `strength · (1, normal, transverse, energy)`, each velocity given with its component.
#[inline(always)]
fn wave<V: Real>(strength: V, (n, normal): (usize, V), (t, transverse): (usize, V), energy: V) -> [V; 4] {
    let mut wave = [strength; 4];
    wave[n] = strength * normal;
    wave[t] = strength * transverse;
    wave[ENERGY] = strength * energy;
    wave
}

impl<V: Real> RoeAverage<V> {
    /// Strengths, in a jump or a fluctuation `dq`, of the waves that run along component `along` of the momentum at
    /// the velocity `speed`; `across` and `drift` are the other component and its velocity.
    #[inline(always)]
    fn decompose(&self, dq: [V; 4], (along, speed): (usize, V), (across, drift): (usize, V)) -> Strengths<V> {
        let a = self.sound_speed;
        let rest = self.enthalpy - (self.kinetic + self.kinetic);
        let entropy = self.compressibility * (rest * dq[DENSITY] + speed * dq[along] + drift * dq[across] - dq[ENERGY]);
        let shear = dq[across] - drift * dq[DENSITY];
        let upper = (dq[along] + (a - speed) * dq[DENSITY] - a * entropy) * self.half_slowness;
        let lower = dq[DENSITY] - entropy - upper;
        Strengths { lower, shear, entropy, upper }
    }

    /// The sum of the waves of the given strengths: the inverse of [`RoeAverage::decompose`].
    #[inline(always)]
    fn compose(&self, s: Strengths<V>, (along, speed): (usize, V), (across, drift): (usize, V)) -> [V; 4] {
        let acoustic = s.lower + s.upper;
        let density = acoustic + s.entropy;
        let thrust = self.sound_speed * (s.upper - s.lower);
        let mut dq = [density; 4];
        dq[along] = speed * density + thrust;
        dq[across] = drift * density + s.shear;
        dq[ENERGY] = self.enthalpy * acoustic + speed * thrust + self.kinetic * s.entropy + drift * s.shear;
        dq
    }
}

impl<V: Real> Strengths<V> {
    /// Each strength times its wave's speed; shear and entropy waves share the middle one.
    #[inline(always)]
    fn times(self, [lower, middle, upper]: [V; 3]) -> Self {
        Strengths {
            lower: lower * self.lower,
            shear: middle * self.shear,
            entropy: middle * self.entropy,
            upper: upper * self.upper,
        }
    }
}

impl Solver<4, 4, 0> for Euler {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 4] = ["density", "x_momentum", "y_momentum", "energy"];
    const AUX: [&'static str; 0] = [];
    const WALL_NORMAL: [Option<usize>; 3] = [Some(1), Some(2), None];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 4], qr: [V; 4], _aux_l: [V; 0], _aux_r: [V; 0]) -> Normal<V, 4, 4> {
        let (n, t) = normal_and_transverse(axis);
        let roe = self.average(axis, ql, qr);
        let (u, v, a) = (roe.u, roe.v, roe.sound_speed);
        let strengths = roe.decompose(difference(qr, ql), (n, u), (t, v));
        let lift = u * a;
        let mut waves = [[V::zero(); 4]; 4];
        waves[0] = wave(strengths.lower, (n, u - a), (t, v), roe.enthalpy - lift);
        waves[1][t] = strengths.shear;
        waves[1][ENERGY] = strengths.shear * v;
        waves[2] = wave(strengths.entropy, (n, u), (t, v), roe.kinetic);
        waves[3] = wave(strengths.upper, (n, u + a), (t, v), roe.enthalpy + lift);

        let speeds = [u - a, u, u + a];
        let left = self.left_going_speeds(n, ql, qr, &roe, &waves, speeds);
        let right = difference(speeds, left);
        Normal {
            waves,
            speeds: [speeds[0], u, u, speeds[2]],
            amdq: roe.compose(strengths.times(left), (n, u), (t, v)),
            apdq: roe.compose(strengths.times(right), (n, u), (t, v)),
        }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _side: Side,
        ql: [V; 4],
        qr: [V; 4],
        _aux: &TransverseAux<V, 0>,
        asdq: [V; 4],
    ) -> Transverse<V, 4> {
        let (n, t) = normal_and_transverse(axis);
        let roe = self.average(axis, ql, qr);
        let (u, v, a, zero) = (roe.u, roe.v, roe.sound_speed, V::zero());
        let strengths = roe.decompose(asdq, (t, v), (n, u));
        let down = [(v - a).min(zero), v.min(zero), (v + a).min(zero)];
        let up = [(v - a).max(zero), v.max(zero), (v + a).max(zero)];
        Transverse {
            bmasdq: roe.compose(strengths.times(down), (t, v), (n, u)),
            bpasdq: roe.compose(strengths.times(up), (t, v), (n, u)),
        }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; 4], _aux: [V; 0]) -> Option<[V; 4]> {
        let (n, t) = normal_and_transverse(axis);
        let inverse_density = V::constant(1.0) / q[DENSITY];
        let Gas { pressure, .. } = self.gas(q, inverse_density);
        let velocity = q[n] * inverse_density;
        let mut flux = [q[n]; 4];
        flux[n] = q[n] * velocity + pressure;
        flux[t] = q[t] * velocity;
        flux[ENERGY] = (q[ENERGY] + pressure) * velocity;
        Some(flux)
    }
}
