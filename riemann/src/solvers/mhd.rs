//! Ideal magnetohydrodynamics of a polytropic gas.
//!
//! PDE: `ρ_t + ∇·(ρv) = 0`, `(ρv)_t + ∇·(ρ v v + (p + B²/2) I − B B) = 0`, `E_t + ∇·((E + p + B²/2) v − (v·B) B) = 0`,
//! `B_t + ∇·(v B − B v + ψ I) = 0`, `ψ_t + c² ∇·B = 0`, with `p = (γ − 1)(E − ρv²/2 − B²/2)`. Velocity and field have three components
//! whatever the dimension; ψ, which carries divergences of B away at speed c, exists from two dimensions on. Variables: density, momentum,
//! total energy, field (in units without 4π), ψ. Parameters: γ; c, which no wave should overtake: `[reduce] cleaning_speed = "max(fastest)"`.
//!
//! f-waves: the difference of the fluxes in eigenvectors at the mean of the primitive variables. At a face in x: 0 and 6 fast, 1 and 5 Alfvén,
//! 2 and 4 slow, 3 entropy, 7 and 8 divergence (∓c). Divergences push the gas; what they add to the second-order terms is in waves 7 and 8.
//! Where pressures jump by more than the gas's own, or a fast or slow rarefaction is transonic, the fluctuations are those of HLL.
//!
//! Holds: `Σ_w wave_w = amdq + apdq = f(qr) − f(ql)`; `Σ s wave = A² (qr − ql)` for small jumps; reversing the whole field changes nothing
//! else: here it is a vector, and a wall a perfect conductor.
//!
//! Source: eigenvectors: Roe & Balsara, *SIAM J. Appl. Math.* 56 (1996) 57–67, doi:10.1137/S003613999427084X; divergence: Dedner et al., *J. Comput.
//! Phys.* 175 (2002) 645–673, doi:10.1006/jcph.2001.6961, eq. 24; f-waves: Bale, LeVeque, Mitran & Rossmanith, *SIAM J. Sci. Comput.* 24 (2002)
//! 955–978, doi:10.1137/S106482750139738X.

use super::Linearised;
use crate::prelude::*;

/// Ideal magnetohydrodynamics: `density`, `x_momentum`, `y_momentum`, `z_momentum`, `energy`, `bx`, `by`, `bz`, from two dimensions on `psi`.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Ideal magnetohydrodynamics, divergence cleaning",
    equations = [
        "density", vector3("x_momentum", "y_momentum", "z_momentum"), "energy", vector3("bx", "by", "bz"), from(2, "psi")
    ],
    positive = ["density", "pressure"],
    primitive = ["density", vector3("u", "v", "w"), "pressure", vector3("bx", "by", "bz"), from(2, "psi")],
    quantities = ["fastest", "beta"],
    waves = [7, 9, 9],
    fwaves
)]
pub struct Mhd<const D: usize = 2> {
    /// ratio of specific heats
    #[parameter(greater_than_one, default = 1.6666666666666667)]
    pub gamma: Real,
    /// speed at which divergences of the field leave
    #[parameter(positive, default = 1.0, dim = 2)]
    pub cleaning_speed: Real,
}

#[riemann::kernels(with(Linearised))]
impl Mhd {
    const ENERGY: usize = 4;
    /// Positions of the first components of the momentum and of the field, and of ψ, if there is one.
    const MOTION: usize = 1;
    const FIELD: usize = 5;
    const PSI: usize = M - 1;

    /// Density, velocity, pressure and field, their components along the normal and two axes along the face.
    type Plasma = (Real, [Real; 3], Real, [Real; 3]);
    /// Speeds of fast, Alfvén and slow waves.
    type Speeds = (Real, Real, Real);

    /// The axes seen from a face: in the plane the first along the face lies in it.
    fn axes(axis: Axis) -> [usize; 3] {
        let n = axis.index();
        let t = if D > 2 { (n + 1) % 3 } else { 1 - n % 2 };
        [n, t, 3 - n - t]
    }

    fn square(a: [Real; 3]) -> Real {
        a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    }

    fn dot(a: [Real; 3], b: [Real; 3]) -> Real {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn plasma(&self, q: State, axes: [usize; 3]) -> Plasma {
        let reciprocal = 1.0 / q[0];
        let (mut velocity, mut field) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            velocity[k] = q[MOTION + axes[k]] * reciprocal;
            field[k] = q[FIELD + axes[k]];
        }
        let inner = q[ENERGY] - 0.5 * (q[0] * Self::square(velocity) + Self::square(field));
        (q[0], velocity, (self.gamma - 1.0) * inner, field)
    }

    fn admissible_state(&self, q: State) -> [Real; 2] {
        let (density, _, pressure, _) = self.plasma(q, [0, 1, 2]);
        [density, pressure]
    }

    /// A state, or what is added to one, of its parts along the axes of a face.
    fn state(density: Real, momentum: [Real; 3], energy: Real, field: [Real; 3], axes: [usize; 3]) -> State {
        let mut q = [0.0; M];
        q[0] = density;
        q[ENERGY] = energy;
        for k in 0..3 {
            q[MOTION + axes[k]] = momentum[k];
            q[FIELD + axes[k]] = field[k];
        }
        q
    }

    /// The flux along the first of the axes, but for ψ.
    fn flux_of(&self, plasma: Plasma, energy: Real, axes: [usize; 3]) -> State {
        let (density, v, pressure, b) = plasma;
        let (total, mass) = (pressure + 0.5 * Self::square(b), density * v[0]);
        let (mut momentum, mut field) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            momentum[k] = mass * v[k] - b[0] * b[k];
        }
        momentum[0] += total;
        for k in 1..3 {
            field[k] = v[0] * b[k] - v[k] * b[0];
        }
        Self::state(mass, momentum, (energy + total) * v[0] - Self::dot(v, b) * b[0], field, axes)
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let axes = Self::axes(axis);
        let mut flux = self.flux_of(self.plasma(q, axes), q[ENERGY], axes);
        if D > 1 {
            flux[FIELD + axes[0]] = q[PSI];
            flux[PSI] = self.cleaning_speed * self.cleaning_speed * q[FIELD + axes[0]];
        }
        flux
    }

    /// Speeds relative to the gas, and the squares of those of sound and of the fast wave, and the difference of fast and slow ones.
    fn speeds(&self, plasma: Plasma) -> (Speeds, [Real; 3]) {
        let (density, _, pressure, b) = plasma;
        let reciprocal = 1.0 / density;
        let (sound, along) = (self.gamma * pressure * reciprocal, b[0] * b[0] * reciprocal);
        let across = (b[1] * b[1] + b[2] * b[2]) * reciprocal;
        let (sum, excess) = (sound + along + across, along + across - sound);
        let spread = (excess * excess + 4.0 * sound * across).sqrt();
        let fast = 0.5 * (sum + spread);
        let slow = sound * along / fast;
        ((fast.sqrt(), along.sqrt(), slow.sqrt()), [sound, fast, spread])
    }

    /// Whether a wave's speed passes from below zero to above.
    fn spreads(before: Real, after: Real) -> bool {
        before < 0.0 && after > 0.0
    }

    /// The direction along the face of a vector, if it is above `least`; else the other direction.
    fn direction(a: Real, b: Real, least: Real, other: [Real; 2]) -> [Real; 2] {
        let size = (a * a + b * b).sqrt();
        let known = size > least;
        let reciprocal = 1.0 / (if known { size } else { 1.0 });
        let (first, second) = (a * reciprocal, b * reciprocal);
        [if known { first } else { other[0] }, if known { second } else { other[1] }]
    }

    /// What an increment of the primitive variables is in a state.
    fn increment(&self, mean: Plasma, axes: [usize; 3], change: Plasma) -> State {
        let (density, v, _, b) = mean;
        let (mass, dv, pressure, db) = change;
        let mut momentum = [0.0; 3];
        for k in 0..3 {
            momentum[k] = mass * v[k] + density * dv[k];
        }
        let motion = 0.5 * mass * Self::square(v) + density * Self::dot(v, dv);
        Self::state(mass, momentum, motion + pressure / (self.gamma - 1.0) + Self::dot(b, db), db, axes)
    }

    /// Its inverse, of an increment that has no normal field.
    fn change(&self, mean: Plasma, axes: [usize; 3], dq: State) -> Plasma {
        let (density, v, _, b) = mean;
        let (mut dv, mut db) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            dv[k] = (dq[MOTION + axes[k]] - dq[0] * v[k]) / density;
        }
        for k in 1..3 {
            db[k] = dq[FIELD + axes[k]];
        }
        let motion = 0.5 * dq[0] * Self::square(v) + density * Self::dot(v, dv);
        (dq[0], dv, (self.gamma - 1.0) * (dq[ENERGY] - motion - Self::dot(b, db)), db)
    }

    /// The seven waves in an increment, from left to right; `beta`: the direction of the field along the face.
    fn split(&self, mean: Plasma, axes: [usize; 3], change: Plasma, beta: [Real; 2]) -> [State; W] {
        let ((cf, _, cs), [sound, fast, spread]) = self.speeds(mean);
        let (density, _, _, b) = mean;
        let (mass, dv, dp, db) = change;
        let apart = spread > 0.0;
        let reciprocal = 1.0 / (if apart { spread } else { 1.0 });
        // Shares of fast and slow waves, whose squares are one together.
        let shared = ((fast - sound).max(0.0) * reciprocal).min(1.0);
        let (af, as_) = ((1.0 - shared).sqrt(), shared.sqrt());
        let sign = if b[0] < 0.0 { -1.0 } else { 1.0 };
        let (root, slowness) = (density.sqrt(), 0.5 / sound);
        let a = sound.sqrt();
        let (qf, qs) = (sign * cf * af, sign * cs * as_);
        let (bf, bs) = (a * af * root, a * as_ * root);
        let (along_v, along_b) = (beta[0] * dv[1] + beta[1] * dv[2], beta[0] * db[1] + beta[1] * db[2]);
        let (turn_v, turn_b) = (beta[0] * dv[2] - beta[1] * dv[1], sign * (beta[0] * db[2] - beta[1] * db[1]) / root);
        let even_f = (af * dp + bs * along_b) / density;
        let even_s = (as_ * dp - bf * along_b) / density;
        let odd_f = cf * af * dv[0] - qs * along_v;
        let odd_s = cs * as_ * dv[0] + qf * along_v;
        let mut waves = [[0.0; M]; W];
        for side in 0..2 {
            let sense = if side == 0 { -1.0 } else { 1.0 };
            let f = (even_f + sense * odd_f) * slowness;
            let s = (even_s + sense * odd_s) * slowness;
            let turn = 0.5 * (turn_b - sense * turn_v);
            let (across_f, across_s) = (-(sense * qs * f), sense * qf * s);
            let of_fast = (
                density * af * f,
                [sense * cf * af * f, across_f * beta[0], across_f * beta[1]],
                density * sound * af * f,
                [0.0, bs * f * beta[0], bs * f * beta[1]],
            );
            let of_slow = (
                density * as_ * s,
                [sense * cs * as_ * s, across_s * beta[0], across_s * beta[1]],
                density * sound * as_ * s,
                [0.0, -(bf * s * beta[0]), -(bf * s * beta[1])],
            );
            let (v, field) = (-(sense * turn), sign * root * turn);
            let of_alfven = (0.0, [0.0, -(v * beta[1]), v * beta[0]], 0.0, [0.0, -(field * beta[1]), field * beta[0]]);
            waves[6 * side] = self.increment(mean, axes, of_fast);
            waves[2 + 2 * side] = self.increment(mean, axes, of_slow);
            waves[1 + 4 * side] = self.increment(mean, axes, of_alfven);
        }
        waves[3] = self.increment(mean, axes, (mass - dp / sound, [0.0; 3], 0.0, [0.0; 3]));
        waves
    }

    /// The waves 7 and 8 of jumps in the normal field and in ψ. Both push the gas by what `A` has beside its blocks of gas and divergence.
    fn divergence(&self, mean: Plasma, axes: [usize; 3], jump: Real, rise: Real) -> [State; 2] {
        let (_, v, _, b) = mean;
        let c = self.cleaning_speed;
        let (lower, upper) = (0.5 * (rise - c * jump), 0.5 * (rise + c * jump));
        let push = rise * (0.5 / c);
        let (mut momentum, mut field) = ([0.0; 3], [0.0; 3]);
        let work = (Self::dot(v, b) - v[0] * b[0]) * push;
        for k in 0..3 {
            momentum[k] = b[k] * push;
        }
        for k in 1..3 {
            field[k] = v[k] * push;
        }
        let half = 0.5 * b[0] * rise;
        let pushed = Self::state(0.0, momentum, work, field, axes);
        let (mut below, mut above) = (pushed, pushed);
        for m in 0..M {
            above[m] = -pushed[m];
        }
        below[ENERGY] += half;
        above[ENERGY] += half;
        below[FIELD + axes[0]] = lower;
        above[FIELD + axes[0]] = upper;
        below[PSI] = -(c * lower);
        above[PSI] = c * upper;
        [below, above]
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let axes = Self::axes(axis);
        let (left, right) = (self.plasma(ql, axes), self.plasma(qr, axes));
        let (mut velocity, mut field) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            velocity[k] = 0.5 * (left.1[k] + right.1[k]);
            field[k] = 0.5 * (left.3[k] + right.3[k]);
        }
        let mean = (0.5 * (left.0 + right.0), velocity, 0.5 * (left.2 + right.2), field);
        let rise = Self::difference(self.flux_of(right, qr[ENERGY], axes), self.flux_of(left, ql[ENERGY], axes));

        // Without a field along the face any direction will do: that of its jump stays in the plane where all does.
        let (jump_v, jump_b) =
            ([right.1[1] - left.1[1], right.1[2] - left.1[2]], [right.3[1] - left.3[1], right.3[2] - left.3[2]]);
        let tiny = 1e-6 * (mean.2 + Self::square(field)).sqrt();
        let beta = Self::direction(jump_v[0], jump_v[1], 0.0, [1.0, 0.0]);
        let beta = Self::direction(jump_b[0], jump_b[1], tiny, beta);
        let beta = Self::direction(field[1], field[2], tiny, beta);

        let mut rest = rise;
        let mut cleaning = [[0.0; M]; 2];
        if D > 1 {
            cleaning = self.divergence(mean, axes, right.3[0] - left.3[0], qr[PSI] - ql[PSI]);
            rest[ENERGY] -= cleaning[0][ENERGY] + cleaning[1][ENERGY];
        }
        let mut waves = self.split(mean, axes, self.change(mean, axes, rest), beta);
        // Where no field passes the face, or it turns round there as at a wall, Alfvén and slow waves have no sides: they stay with the gas.
        if rarely(left.3[0] * right.3[0] < tiny * tiny) {
            for m in 0..M {
                waves[3][m] += waves[1][m] + waves[2][m] + (waves[4][m] + waves[5][m]);
                waves[1][m] = 0.0;
                waves[2][m] = 0.0;
                waves[4][m] = 0.0;
                waves[5][m] = 0.0;
            }
        }
        let ((cf, ca, cs), _) = self.speeds(mean);
        let u = velocity[0];
        let steps = [-cf, -ca, -cs, 0.0, cs, ca, cf];
        let (mut speeds, mut shares) = ([0.0; W], [0.0; W]);
        for w in 0..7 {
            speeds[w] = u + steps[w];
            shares[w] = if speeds[w] < 0.0 { 1.0 } else { if speeds[w] > 0.0 { 0.0 } else { 0.5 } };
        }
        // A wave slower than what speeds differ by at the face stands still: it goes to both sides, more to where it runs. So no rounding
        // decides beside a wall.
        let apart = (right.1[0] - left.1[0]).abs() + (right.3[0] - left.3[0]).abs() / mean.0.sqrt();
        let reciprocal = 1.0 / apart.max(1e-20);
        for w in 1..6 {
            shares[w] = (0.5 - speeds[w] * reciprocal).max(0.0).min(1.0);
            speeds[w] = if speeds[w].abs() < 0.5 * apart { 0.0 } else { speeds[w] };
        }
        if D > 1 {
            shares[7] = 1.0;
            speeds[7] = -self.cleaning_speed;
            speeds[8] = self.cleaning_speed;
            waves[7] = cleaning[0];
            waves[8] = cleaning[1];
        }
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            for m in 0..M {
                amdq[m] += shares[w] * waves[w][m];
                apdq[m] += (1.0 - shares[w]) * waves[w][m];
            }
        }

        let ((cfl, _, csl), _) = self.speeds(left);
        let ((cfr, _, csr), _) = self.speeds(right);
        let (ul, ur) = (left.1[0], right.1[0]);
        let least = left.2.min(right.2);
        let strong = (right.2 - left.2).abs() > least
            || 0.5 * (Self::square(right.3) - Self::square(left.3)).abs() > least
            || left.0.min(right.0) * (ur - ul) * (ur - ul) > least;
        let transonic = Self::spreads(ul - cfl, ur - cfr)
            || Self::spreads(ul + cfl, ur + cfr)
            || Self::spreads(ul - csl, ur - csr)
            || Self::spreads(ul + csl, ur + csr);
        if rarely(strong || transonic) {
            let lowest = (u - cf).min(ul - cfl).min(0.0);
            let highest = (u + cf).max(ur + cfr).max(0.0);
            let reciprocal = 1.0 / (highest - lowest);
            for m in 0..8 {
                let along = lowest * (highest * (qr[m] - ql[m]) - rise[m]) * reciprocal;
                let is_normal_field = m == FIELD + axes[0];
                amdq[m] = if D > 1 && is_normal_field { amdq[m] } else { along };
                apdq[m] = if D > 1 && is_normal_field { apdq[m] } else { rise[m] - along };
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    /// An upper bound of the speeds along all axes, and the ratio of the gas's pressure to the field's.
    fn quantities(&self, q: State) -> [Real; 2] {
        let (density, v, pressure, b) = self.plasma(q, [0, 1, 2]);
        let magnetic = Self::square(b);
        let fast = ((self.gamma * pressure + magnetic) / density).sqrt();
        [Self::square(v).sqrt() + fast, pressure / (0.5 * magnetic)]
    }

    fn primitive(&self, q: State) -> State {
        let (_, v, pressure, _) = self.plasma(q, [0, 1, 2]);
        let mut primitive = q;
        for k in 0..3 {
            primitive[MOTION + k] = v[k];
        }
        primitive[ENERGY] = pressure;
        primitive
    }

    fn conserved(&self, primitive: State) -> State {
        self.of_primitive(primitive)
    }

    fn of_primitive(&self, primitive: State) -> State {
        let mut q = primitive;
        let (mut motion, mut field) = (0.0, 0.0);
        for k in 0..3 {
            let (v, b) = (primitive[MOTION + k], primitive[FIELD + k]);
            q[MOTION + k] = primitive[0] * v;
            motion += v * v;
            field += b * b;
        }
        q[ENERGY] = primitive[ENERGY] / (self.gamma - 1.0) + 0.5 * (primitive[0] * motion + field);
        q
    }

    /// Densities and pressures from 1/3 to 3; velocities and fields from −1.5 to 1.5.
    fn admissible(&self, unit: State) -> State {
        let mut primitive = unit.map(|u| 3.0 * u - 1.5);
        for m in [0, 4] {
            primitive[m] = 9_f64.powf(unit[m] - 0.5);
        }
        self.of_primitive::<f64>(primitive)
    }
}
