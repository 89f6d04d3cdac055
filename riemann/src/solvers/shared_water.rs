//! What solvers of the shallow water equations over a flat bottom share: Roe's average, its waves along any axis, and the flux.
//!
//! The state begins with the depth and one component of momentum per axis.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.3 and chapter 21.

/// Functions that a solver's block takes in with `#[riemann::kernels(with(Linearised, Water))]`.
#[riemann::shared]
impl Water {
    /// Position of the depth among the equations.
    const DEPTH: usize = 0;
    /// Depth that stands in for any smaller one where something is divided by it: a dry cell then has a finite velocity,
    /// and zero where its momentum is zero. Small against any depth that matters, large enough that its powers are
    /// normal numbers in `f32` too.
    const DRY_DEPTH: Real = 1e-12;

    /// Roe's average in the face's own directions: velocity normal to the face and along it, speed of gravity waves a,
    /// `1/(2a)`.
    type Roe = (Real, Real, Real, Real);
    /// Depth, and momentum along one direction.
    type Flow = (Real, Real);
    /// A direction along which waves run: its component of the momentum and its velocity.
    type Direction = (usize, Real);
    /// Strengths of the waves along one direction: gravity at `speed − a`, shear (the jump of the other momentum),
    /// gravity at `speed + a`.
    type Strengths = (Real, Real, Real);

    /// `depth`, or the depth of a dry cell where that is larger.
    fn wet(depth: Real) -> Real {
        DRY_DEPTH.max(depth)
    }

    /// Roe's average at a face with normal `axis`: `u = (√hl ul + √hr ur)/(√hl + √hr)`, likewise v.
    fn average(&self, axis: Axis, ql: State, qr: State) -> Roe {
        let (n, t) = axis.normal_and_transverse();
        let (hl, hr) = (Self::wet(ql[DEPTH]), Self::wet(qr[DEPTH]));
        let (weight_l, weight_r) = Self::roe_weights(hl, hr);
        let celerity = ((0.5 * self.gravity) * (hl + hr)).sqrt();
        let u = ql[n] * weight_l + qr[n] * weight_r;
        let v = if D > 1 { ql[t] * weight_l + qr[t] * weight_r } else { 0.0 };
        (u, v, celerity, 0.5 / celerity)
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

    /// The state with as much less of its momentum as it has less water than a dry cell: what leaves a cell is then in proportion to what it
    /// has, and nothing leaves one that has none. One that has less by round-off counts as one without: else waves far higher than the water
    /// on both sides would make up its lack, and empty it further.
    fn afloat(q: State) -> State {
        let mut moving = q;
        moving[DEPTH] = q[DEPTH].max(0.0);
        let share = (moving[DEPTH] * (1.0 / DRY_DEPTH)).min(1.0);
        for d in 0..D {
            moving[1 + d] *= share;
        }
        moving
    }

    /// `qr − ql`, of which at dry cells only what is afloat moves.
    fn rise(qr: State, ql: State) -> State {
        let mut rise = Self::difference(qr, ql);
        if rarely(ql[DEPTH].min(qr[DEPTH]) < DRY_DEPTH) {
            rise = Self::difference(Self::afloat(qr), Self::afloat(ql));
        }
        rise
    }

    /// `(hu)² − gh³`: positive where water of this depth and momentum moves faster than gravity waves.
    fn excess(&self, (depth, momentum): Flow) -> Real {
        momentum * momentum - self.gravity * (depth * depth * depth)
    }

    /// Depth, at least that of a dry cell, and momentum along component `n`.
    fn flow(q: State, n: usize) -> Flow {
        (Self::wet(q[DEPTH]), q[n])
    }

    /// The part of each of the three speeds that belongs to `amdq`, with the entropy fix. Of each side: state, gravity wave.
    ///
    /// The states beside the shear wave are those of the linearisation, `ql + wave 0` and `qr − wave 2`. Where that
    /// leaves no water, or a transonic wave goes [astray](Self::astray), the parts are HLLE's. Whether `u − a` or `u + a` changes its sign across a wave is seen without a
    /// root or a quotient. Each of the two waves is judged by itself, so that the mirror image of a face has the mirror image of its
    /// fluctuations.
    fn left_going_speeds(
        &self,
        n: usize,
        (ql, first): (State, State),
        (qr, last): (State, State),
        speeds: [Real; 3],
    ) -> [Real; 3] {
        let (left, right) = (Self::flow(ql, n), Self::flow(qr, n));
        let (q1, q2) = (Self::sum(ql, first), Self::difference(qr, last));
        let (behind_lower, behind_upper) = (Self::flow(q1, n), Self::flow(q2, n));
        let enters = left.1 < 0.0 || self.excess(left) < 0.0;
        let leaves = right.1 > 0.0 || self.excess(right) < 0.0;
        let lower = enters && behind_lower.1 > 0.0 && self.excess(behind_lower) > 0.0;
        let upper = leaves && behind_upper.1 < 0.0 && self.excess(behind_upper) > 0.0;
        let lower_transonic = lower && q1[DEPTH] > DRY_DEPTH;
        let upper_transonic = upper && q2[DEPTH] > DRY_DEPTH;
        let mut leftward = [speeds[0].min(0.0), speeds[1].min(0.0), speeds[2].min(0.0)];
        let empty = q1[DEPTH] < 0.0 || q2[DEPTH] < 0.0;
        if rarely(lower_transonic || upper_transonic || empty) {
            let (before_lower, after_lower) = self.characteristic_speeds(left, behind_lower, -1.0);
            let (before_upper, after_upper) = self.characteristic_speeds(behind_upper, right, 1.0);
            let left_lower = Self::left_going(speeds[0], before_lower, after_lower);
            let left_upper = Self::left_going(speeds[2], before_upper, after_upper);
            leftward[0] = if lower_transonic { left_lower } else { leftward[0] };
            leftward[2] = if upper_transonic { left_upper } else { leftward[2] };
            let (lowest, highest) = (before_lower.min(speeds[0]), after_upper.max(speeds[2]));
            let astray_lower = Self::astray(speeds[0], before_lower, after_lower, (first[DEPTH], left.0));
            let astray_upper = Self::astray(speeds[2], before_upper, after_upper, (last[DEPTH], right.0));
            let astray = (lower_transonic && astray_lower) || (upper_transonic && astray_upper);
            for k in 0..3 {
                let part = Self::left_going_of_both(speeds[k], lowest, highest);
                leftward[k] = if empty || astray { part } else { leftward[k] };
            }
        }
        leftward
    }

    /// `u + sign √(gh)` before and after a wave.
    fn characteristic_speeds(&self, before: Flow, after: Flow, sign: Real) -> (Real, Real) {
        let reciprocal = 1.0 / (before.0 * after.0);
        (
            before.1 * (after.0 * reciprocal) + sign * (self.gravity * before.0).sqrt(),
            after.1 * (before.0 * reciprocal) + sign * (self.gravity * after.0).sqrt(),
        )
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
}

/// What solvers share whose state is that of the water and nothing more.
#[riemann::shared]
impl WaterAlone {
    /// What `transverse` needs of Roe's average: the speed of gravity waves and the velocity.
    fn mean_state(&self, ql: State, qr: State) -> State {
        let (u, v, a, _) = self.average(Axis::X, ql, qr);
        let mut mean = [a; M];
        mean[1] = u;
        if D > 1 {
            mean[2] = v;
        }
        mean
    }

    fn transverse(&self, axis: Axis, mean: State, asdq: State) -> Transverse {
        let (n, t) = axis.normal_and_transverse();
        let (u, v, a) = (mean[n], mean[t], mean[DEPTH]);
        let roe = (u, v, a, 0.5 / a);
        let strengths = Self::decompose(roe, asdq, (t, v), (n, u));
        let down = [(v - a).min(0.0), v.min(0.0), (v + a).min(0.0)];
        let up = [(v - a).max(0.0), v.max(0.0), (v + a).max(0.0)];
        Transverse {
            bmasdq: Self::compose(roe, strengths, down, (t, v), (n, u)),
            bpasdq: Self::compose(roe, strengths, up, (t, v), (n, u)),
        }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let (velocity, moving) = (q[n] / Self::wet(q[DEPTH]), Self::afloat(q));
        let mut flux = [moving[n]; M];
        flux[n] = moving[n] * velocity + (0.5 * self.gravity) * (q[DEPTH] * q[DEPTH]);
        if D > 1 {
            flux[t] = moving[t] * velocity;
        }
        flux
    }
}
