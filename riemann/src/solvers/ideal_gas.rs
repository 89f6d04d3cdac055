//! What the solvers of the Euler equations share: Roe's average, its waves, and their sums.
//!
//! The state begins with density, one component of momentum per axis, and energy; what may follow is left to the solver.
//!
//! Source: Roe, *J. Comput. Phys.* 43 (1981) 357–372, doi:10.1016/0021-9991(81)90128-5; LeVeque, *Finite Volume
//! Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §15.3.4.

/// Functions that a solver's block takes in with `#[riemann::kernels(with(Linearised, IdealGas))]`.
#[riemann::shared]
impl IdealGas {
    /// Position of the density among the equations.
    const DENSITY: usize = 0;
    /// Position of the energy among the equations.
    const ENERGY: usize = D + 1;

    /// Reciprocal of the density and pressure: what speeds need of a state.
    type Gas = (Real, Real);
    /// Components of the momentum: along the axis that waves run along, and along the others, first and second. On a line
    /// there are no others, in the plane there is one; what there is not is never read.
    type Components = (usize, usize, usize);
    /// Velocity along the same axes.
    type Velocity = (Real, Real, Real);
    /// Roe's average: velocity, specific total enthalpy `(E + p)/ρ`, `(u² + v² + w²)/2`, sound speed a, `1/(2a)`,
    /// `(γ − 1)/a²`.
    type Roe = (Velocity, Real, Real, Real, Real, Real);
    /// Strengths of the waves along one axis: acoustic at `speed − a`, shear (the jumps of the other momenta), entropy,
    /// acoustic at `speed + a`.
    type Strengths = (Real, (Real, Real), Real, Real);

    /// The components seen from a face with normal `axis`.
    fn components(axis: Axis) -> Components {
        let n = axis.index() + 1;
        let t = (axis.index() + 1) % D + 1;
        (n, t, 6 - n - t)
    }

    /// The components for waves along `across`, an axis along the face.
    fn components_across(axis: Axis, across: Axis) -> Components {
        let (n, t) = (axis.index() + 1, across.index() + 1);
        (t, n, 6 - n - t)
    }

    /// A state's gas, given the reciprocal of its density.
    fn gas(&self, q: State, inverse_density: Real) -> Gas {
        let mut momentum_squared = q[1] * q[1];
        for k in 2..ENERGY {
            momentum_squared += q[k] * q[k];
        }
        let kinetic = 0.5 * momentum_squared * inverse_density;
        (inverse_density, (self.gamma - 1.0) * (q[ENERGY] - kinetic))
    }

    /// Density and pressure.
    fn admissible_state(&self, q: State) -> [Real; 2] {
        let (_, pressure) = self.gas(q, 1.0 / q[DENSITY]);
        [q[DENSITY], pressure]
    }

    /// Sound speed `√(γp/ρ)`.
    fn sound_speed(&self, gas: Gas) -> Real {
        let (inverse_density, pressure) = gas;
        (self.gamma * pressure * inverse_density).sqrt()
    }

    /// The gases at left and right and Roe's average, its velocity along the axes of the components.
    ///
    /// `u = (√ρl ul + √ρr ur)/(√ρl + √ρr)`, likewise v, w and the enthalpy H; `a² = (γ − 1)(H − (u² + v² + w²)/2)`.
    fn average(&self, (n, t, b): Components, ql: State, qr: State) -> (Gas, Gas, Roe) {
        let (weight_l, weight_r) = Self::roe_weights(ql[DENSITY], qr[DENSITY]);
        // 1/(ρl + s) + 1/(ρr + s) = 1/s; 1/ρl = ρr/s², and the other way round.
        let inverse_mean = weight_l + weight_r;
        let inverse_product = inverse_mean * inverse_mean;
        let left = self.gas(ql, qr[DENSITY] * inverse_product);
        let right = self.gas(qr, ql[DENSITY] * inverse_product);

        let u = ql[n] * weight_l + qr[n] * weight_r;
        let v = if D > 1 { ql[t] * weight_l + qr[t] * weight_r } else { 0.0 };
        let w = if D > 2 { ql[b] * weight_l + qr[b] * weight_r } else { 0.0 };
        let enthalpy = (ql[ENERGY] + left.1) * weight_l + (qr[ENERGY] + right.1) * weight_r;
        let squared = u * u + v * v;
        let kinetic = 0.5 * (if D > 2 { squared + w * w } else { squared });
        let sound_speed = ((self.gamma - 1.0) * (enthalpy - kinetic)).sqrt();
        let slowness = 1.0 / sound_speed;
        let compressibility = (self.gamma - 1.0) * (slowness * slowness);
        (left, right, ((u, v, w), enthalpy, kinetic, sound_speed, 0.5 * slowness, compressibility))
    }

    /// Density times internal energy, `ρp/(γ − 1)`.
    fn heat(q: State) -> Real {
        let mut momentum_squared = q[1] * q[1];
        for k in 2..ENERGY {
            momentum_squared += q[k] * q[k];
        }
        q[DENSITY] * q[ENERGY] - 0.5 * momentum_squared
    }

    /// `(ρu)² − γρp` along component `n`: positive where the gas moves faster than sound along it.
    fn excess(&self, q: State, n: usize) -> Real {
        q[n] * q[n] - (self.gamma * (self.gamma - 1.0)) * Self::heat(q)
    }

    /// The part of each of the three speeds that belongs to `amdq`, with the entropy fix; HLLE's where a middle state has no positive
    /// density or pressure, or a transonic wave goes [astray](Self::astray). `first`, `last`: the acoustic waves.
    ///
    /// The states between the outer waves and the middle ones are those of the linearisation, `ql + wave 0` and
    /// `qr − the last wave`. Whether `u − a` or `u + a` changes its sign across a wave is seen without a root or a quotient. Each of the
    /// two waves is judged by itself, so that the mirror image of a face has the mirror image of its fluctuations.
    fn left_going_speeds(
        &self,
        n: usize,
        (ql, first): (State, State),
        (qr, last): (State, State),
        speeds: [Real; 3],
    ) -> [Real; 3] {
        let (q1, q2) = (Self::sum(ql, first), Self::difference(qr, last));
        let enters = ql[n] < 0.0 || self.excess(ql, n) < 0.0;
        let leaves = qr[n] > 0.0 || self.excess(qr, n) < 0.0;
        let lower_transonic = enters && q1[n] > 0.0 && self.excess(q1, n) > 0.0;
        let upper_transonic = leaves && q2[n] < 0.0 && self.excess(q2, n) > 0.0;
        let mut leftward = [speeds[0].min(0.0), speeds[1].min(0.0), speeds[2].min(0.0)];
        let mut astray = false;
        if rarely(lower_transonic || upper_transonic) {
            let (before_lower, after_lower) = self.characteristic_speeds(n, ql, q1, -1.0);
            let (before_upper, after_upper) = self.characteristic_speeds(n, q2, qr, 1.0);
            leftward[0] = Self::left_going(speeds[0], before_lower, after_lower);
            leftward[2] = Self::left_going(speeds[2], before_upper, after_upper);
            let lower = Self::astray(speeds[0], before_lower, after_lower, (first[DENSITY], ql[DENSITY]));
            let upper = Self::astray(speeds[2], before_upper, after_upper, (last[DENSITY], qr[DENSITY]));
            astray = (lower_transonic && lower) || (upper_transonic && upper);
        }
        let empty =
            astray || q1[DENSITY] <= 0.0 || q2[DENSITY] <= 0.0 || Self::heat(q1) <= 0.0 || Self::heat(q2) <= 0.0;
        if rarely(empty) {
            let (lower, _) = self.characteristic_speeds(n, ql, qr, -1.0);
            let (_, upper) = self.characteristic_speeds(n, ql, qr, 1.0);
            let (lowest, highest) = (lower.min(speeds[0]), upper.max(speeds[2]));
            for k in 0..3 {
                leftward[k] = Self::left_going_of_both(speeds[k], lowest, highest);
            }
        }
        leftward
    }

    /// `u + sign a` before and after a wave.
    fn characteristic_speeds(&self, n: usize, before: State, after: State, sign: Real) -> (Real, Real) {
        let reciprocal = 1.0 / (before[DENSITY] * after[DENSITY]);
        let gas_before = self.gas(before, after[DENSITY] * reciprocal);
        let gas_after = self.gas(after, before[DENSITY] * reciprocal);
        (
            before[n] * gas_before.0 + sign * self.sound_speed(gas_before),
            after[n] * gas_after.0 + sign * self.sound_speed(gas_after),
        )
    }

    /// Strengths, in a jump or a fluctuation `dq`, of the waves that run along the first of the axes.
    fn decompose(roe: Roe, dq: State, (n, t, b): Components) -> Strengths {
        let ((u, v, w), enthalpy, kinetic, a, half_slowness, compressibility) = roe;
        let rest = enthalpy - (kinetic + kinetic);
        let motion = rest * dq[DENSITY] + u * dq[n];
        let motion = if D > 1 { motion + v * dq[t] } else { motion };
        let motion = if D > 2 { motion + w * dq[b] } else { motion };
        let entropy = compressibility * (motion - dq[ENERGY]);
        let shear_t = if D > 1 { dq[t] - v * dq[DENSITY] } else { 0.0 };
        let shear_b = if D > 2 { dq[b] - w * dq[DENSITY] } else { 0.0 };
        let upper = (dq[n] + (a - u) * dq[DENSITY] - a * entropy) * half_slowness;
        let lower = dq[DENSITY] - entropy - upper;
        (lower, (shear_t, shear_b), entropy, upper)
    }

    /// What `transverse` needs of Roe's average: the specific total enthalpy, the velocity, and `1/(2a)` in the place of the energy.
    fn mean_gas(&self, ql: State, qr: State) -> State {
        let (_, _, roe) = self.average((1, 2, 3), ql, qr);
        let ((u, v, w), enthalpy, _, _, half_slowness, _) = roe;
        let mut mean = ql;
        mean[DENSITY] = enthalpy;
        mean[1] = u;
        if D > 1 {
            mean[2] = v;
        }
        if D > 2 {
            mean[3] = w;
        }
        mean[ENERGY] = half_slowness;
        mean
    }

    /// Roe's average of which `mean` was made, its velocity along the axes of the components: without a root or a quotient.
    fn average_in(&self, mean: State, (n, t, b): Components) -> Roe {
        let (u, v, w) = (mean[n], if D > 1 { mean[t] } else { 0.0 }, if D > 2 { mean[b] } else { 0.0 });
        let (enthalpy, half_slowness) = (mean[DENSITY], mean[ENERGY]);
        let squared = u * u + v * v;
        let kinetic = 0.5 * (if D > 2 { squared + w * w } else { squared });
        let slowness = half_slowness + half_slowness;
        let sound_speed = (self.gamma - 1.0) * (enthalpy - kinetic) * slowness;
        let compressibility = (self.gamma - 1.0) * (slowness * slowness);
        ((u, v, w), enthalpy, kinetic, sound_speed, half_slowness, compressibility)
    }

    /// The sum of the waves of the given strengths, each times its wave's speed: the inverse of `decompose`, applied to the
    /// moved strengths. Shear and entropy waves share the middle speed.
    fn compose(roe: Roe, strengths: Strengths, speeds: [Real; 3], (n, t, b): Components) -> State {
        let ((u, v, w), enthalpy, kinetic, a, _, _) = roe;
        let (lower, shear) = (speeds[0] * strengths.0, speeds[1] * strengths.1.0);
        let (entropy, upper) = (speeds[1] * strengths.2, speeds[2] * strengths.3);
        let acoustic = lower + upper;
        let density = acoustic + entropy;
        let thrust = a * (upper - lower);
        let mut dq = [density; M];
        dq[n] = u * density + thrust;
        dq[ENERGY] = enthalpy * acoustic + u * thrust + kinetic * entropy;
        if D > 1 {
            dq[t] = v * density + shear;
            dq[ENERGY] += v * shear;
        }
        if D > 2 {
            let shear = speeds[1] * strengths.1.1;
            dq[b] = w * density + shear;
            dq[ENERGY] += w * shear;
        }
        dq
    }

    /// The wave `strength · (1, velocity, energy)`.
    fn wave(strength: Real, (n, t, b): Components, (u, v, w): Velocity, energy: Real) -> State {
        let mut wave = [strength; M];
        wave[n] = strength * u;
        if D > 1 {
            wave[t] = strength * v;
        }
        if D > 2 {
            wave[b] = strength * w;
        }
        wave[ENERGY] = strength * energy;
        wave
    }

    /// Sums of the fluctuation's parts that run down and up along the first of the axes.
    fn split(roe: Roe, asdq: State, components: Components) -> (State, State) {
        let (speed, a) = (roe.0.0, roe.3);
        let strengths = Self::decompose(roe, asdq, components);
        let down = [(speed - a).min(0.0), speed.min(0.0), (speed + a).min(0.0)];
        let up = [(speed - a).max(0.0), speed.max(0.0), (speed + a).max(0.0)];
        (Self::compose(roe, strengths, down, components), Self::compose(roe, strengths, up, components))
    }

    /// Flux of density, momentum and energy along component `n` of the momentum.
    fn gas_flux(&self, q: State, n: usize) -> State {
        let inverse_density = 1.0 / q[DENSITY];
        let (_, pressure) = self.gas(q, inverse_density);
        let velocity = q[n] * inverse_density;
        let mut flux = [q[n]; M];
        for k in 1..ENERGY {
            flux[k] = q[k] * velocity;
        }
        flux[n] += pressure;
        flux[ENERGY] = (q[ENERGY] + pressure) * velocity;
        flux
    }
}

/// What solvers share whose state is that of the gas and nothing more.
#[riemann::shared]
impl GasAlone {
    fn mean_state(&self, ql: State, qr: State) -> State {
        self.mean_gas(ql, qr)
    }

    fn transverse(&self, axis: Axis, across: Axis, mean: State, asdq: State) -> Transverse {
        let components = Self::components_across(axis, across);
        let roe = self.average_in(mean, components);
        let (bmasdq, bpasdq) = Self::split(roe, asdq, components);
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        self.gas_flux(q, axis.index() + 1)
    }
}

/// What Roe's solvers share. Only in the plane is there a shear wave besides the entropy wave.
#[riemann::shared]
impl RoeGas {
    /// Positions of the entropy wave and of the last acoustic one, whatever waves follow.
    const ENTROPY_WAVE: usize = 2 - D % 2;
    const LAST_WAVE: usize = 3 - D % 2;

    /// The waves of the given strengths.
    fn roe_waves(roe: Roe, strengths: Strengths, components: Components) -> [State; W] {
        let (_, t, b) = components;
        let ((u, v, w), enthalpy, kinetic, a, _, _) = roe;
        let (lower, shear, entropy, upper) = strengths;
        let lift = u * a;
        let mut waves = [[0.0; M]; W];
        waves[0] = Self::wave(lower, components, (u - a, v, w), enthalpy - lift);
        if D == 2 {
            waves[1][t] = shear.0;
            waves[1][ENERGY] = shear.0 * v;
        }
        waves[ENTROPY_WAVE] = Self::wave(entropy, components, (u, v, w), kinetic);
        if D > 2 {
            waves[ENTROPY_WAVE][t] += shear.0;
            waves[ENTROPY_WAVE][b] += shear.1;
            waves[ENTROPY_WAVE][ENERGY] += shear.0 * v + shear.1 * w;
        }
        waves[LAST_WAVE] = Self::wave(upper, components, (u + a, v, w), enthalpy + lift);
        waves
    }

    /// The parts of the three speeds that belong to `amdq`.
    fn roe_shares(&self, roe: Roe, components: Components, ql: State, qr: State, waves: [State; W]) -> [Real; 3] {
        let (u, a) = (roe.0.0, roe.3);
        self.left_going_speeds(components.0, (ql, waves[0]), (qr, waves[LAST_WAVE]), [u - a, u, u + a])
    }

    /// The solution with these waves, of whose speeds the parts `leftward` belong to `amdq`.
    fn roe_solution(
        roe: Roe,
        strengths: Strengths,
        components: Components,
        waves: [State; W],
        leftward: [Real; 3],
    ) -> Normal {
        let (u, a) = (roe.0.0, roe.3);
        let speeds = [u - a, u, u + a];
        let mut rightward = speeds;
        for k in 0..3 {
            rightward[k] -= leftward[k];
        }
        let mut wave_speeds = [u; W];
        wave_speeds[0] = speeds[0];
        wave_speeds[LAST_WAVE] = speeds[2];
        Normal {
            waves,
            speeds: wave_speeds,
            amdq: Self::compose(roe, strengths, leftward, components),
            apdq: Self::compose(roe, strengths, rightward, components),
        }
    }
}

/// A tracer in the gas, the last of the equations, per volume; its wave is the last.
#[riemann::shared]
impl GasWithTracer {
    /// Position of the tracer among the equations.
    const TRACER: usize = D + 2;
    /// Position of its wave.
    const TRACER_WAVE: usize = W - 1;

    /// Roe's average of the concentration φ.
    fn concentration(ql: State, qr: State) -> Real {
        let (weight_l, weight_r) = Self::roe_weights(ql[DENSITY], qr[DENSITY]);
        ql[TRACER] * weight_l + qr[TRACER] * weight_r
    }

    /// The waves of the gas, then the jump of the concentration at the velocity of the gas.
    fn normal_with_tracer(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let components = Self::components(axis);
        let (_, _, roe) = self.average(components, ql, qr);
        let jump = Self::difference(qr, ql);
        let strengths = Self::decompose(roe, jump, components);
        let of_gas = Self::roe_waves(roe, strengths, components);
        let leftward = self.roe_shares(roe, components, ql, qr, of_gas);
        let gas = Self::roe_solution(roe, strengths, components, of_gas, leftward);

        // The tracer moves with the mass, and its jump at the velocity of the gas.
        let phi = Self::concentration(ql, qr);
        let excess = jump[TRACER] - phi * jump[DENSITY];
        let (mut waves, mut amdq, mut apdq) = (of_gas, gas.amdq, gas.apdq);
        waves[0][TRACER] = phi * waves[0][DENSITY];
        waves[ENTROPY_WAVE][TRACER] = phi * waves[ENTROPY_WAVE][DENSITY];
        waves[LAST_WAVE][TRACER] = phi * waves[LAST_WAVE][DENSITY];
        waves[TRACER_WAVE][TRACER] = excess;
        amdq[TRACER] = phi * amdq[DENSITY] + leftward[1] * excess;
        apdq[TRACER] = phi * apdq[DENSITY] + (roe.0.0 - leftward[1]) * excess;
        Normal { waves, speeds: gas.speeds, amdq, apdq }
    }
}
