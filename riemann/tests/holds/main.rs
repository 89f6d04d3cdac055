//! The *Holds* lines of the solvers, on random admissible states and along both axes.
//!
//! Here is what holds for every solver; `particular` has what one solver alone promises, `lanes` that vector lanes give
//! the bits of the scalar.

mod cases;
mod lanes;
mod particular;
#[path = "../../src/holds/random.rs"]
mod random;

use cases::{Case, Property, for_every_solver};
use random::Random;
use riemann::prelude::*;

/// Random faces tried per property, solver and axis.
const FACES: usize = 4000;
/// The axes of the plane.
const AXES: [Axis; 2] = [Axis::X, Axis::Y];

/// The largest absolute value.
fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, x| largest.max(x.abs()))
}

/// Asserts that two vectors differ by at most `tolerance`.
#[track_caller]
fn assert_close<const M: usize>(a: [f64; M], b: [f64; M], tolerance: f64, what: &str) {
    for m in 0..M {
        let difference = (a[m] - b[m]).abs();
        assert!(difference <= tolerance, "{what}: {a:?} and {b:?} differ by {difference:e} > {tolerance:e}");
    }
}

/// Calls `check` with random faces: axis, states and aux values of the two sides.
fn for_random_faces<S, const M: usize, const A: usize>(
    case: &Case<S, M, A>,
    mut check: impl FnMut(Axis, [[f64; M]; 2], [[f64; A]; 2], &mut Random),
) {
    let mut random = Random::new(17);
    for axis in AXES {
        for _ in 0..FACES {
            let ql = (case.state)(&mut random);
            let far = (case.state)(&mut random);
            // Every other jump is a tenth of that between unrelated states, so that weak waves are tried as well.
            let weight = if random.between(0.0, 1.0) < 0.5 { 1.0 } else { 0.1 };
            let qr = std::array::from_fn(|m| ql[m] + weight * (far[m] - ql[m]));
            let aux = [(case.aux)(&mut random), (case.aux)(&mut random)];
            check(axis, [ql, qr], aux, &mut random);
        }
    }
}

/// A random direction for a fluctuation.
fn direction<const M: usize>(random: &mut Random) -> [f64; M] {
    std::array::from_fn(|_| random.between(-1.0, 1.0))
}

/// `Σ_w speeds_w wave_w`, or with all speeds one the sum of the waves.
fn sum_of_waves<const M: usize, const W: usize>(waves: &[[f64; M]; W], speeds: [f64; W]) -> [f64; M] {
    std::array::from_fn(|m| (0..W).map(|w| speeds[w] * waves[w][m]).sum())
}

/// `Σ_w wave_w = qr − ql`, but for a component that stands still; f-waves are left to the next property. Tolerance: round-off in products of numbers up to the
/// largest wave component, squared Mach numbers (8² here) amplify it.
struct WavesSumToJump;

impl Property for WavesSumToJump {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [ql, qr], [aux_l, aux_r], _| {
            if S::FWAVES {
                return;
            }
            let face = case.solver.normal(axis, ql, qr, aux_l, aux_r);
            let sum = sum_of_waves(&face.waves, [1.0; W]);
            let jump = std::array::from_fn(|m| if (case.still)(axis) == Some(m) { sum[m] } else { qr[m] - ql[m] });
            let scale = largest(face.waves.as_flattened()) + largest(&ql) + largest(&qr);
            assert_close(sum, jump, 1e-13 * scale, case.name);
        });
    }
}

#[test]
fn waves_sum_to_the_jump() {
    for_every_solver(&WavesSumToJump);
}

/// `amdq + apdq = Σ_w s_w wave_w` (of f-waves the plain sum), and for conservation laws `= f(qr) − f(ql)`. The second needs Roe's average to be the
/// right one. Tolerance: round-off in terms of the fluxes' size.
struct FluctuationsSumToFluxDifference;

impl Property for FluctuationsSumToFluxDifference {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [ql, qr], [aux_l, aux_r], _| {
            let face = case.solver.normal(axis, ql, qr, aux_l, aux_r);
            let sum = std::array::from_fn(|m| face.amdq[m] + face.apdq[m]);
            let fluxes = case.solver.flux(axis, ql, aux_l).zip(case.solver.flux(axis, qr, aux_r));
            let moved = sum_of_waves(&face.waves, if S::FWAVES { [1.0; W] } else { face.speeds });
            let scale = largest(&face.speeds) * (largest(face.waves.as_flattened()) + largest(&ql) + largest(&qr));
            assert_close(sum, moved, 1e-13 * scale, case.name);
            if let Some((left, right)) = fluxes {
                let difference = std::array::from_fn(|m| right[m] - left[m]);
                let scale = scale + largest(&left) + largest(&right);
                assert_close(sum, difference, 1e-13 * scale, case.name);
            }
        });
    }
}

#[test]
fn fluctuations_sum_to_the_flux_difference() {
    for_every_solver(&FluctuationsSumToFluxDifference);
}

/// Between equal states nothing happens, exactly: a constant state stays constant to the bit.
struct EqualStatesAreStill;

impl Property for EqualStatesAreStill {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [q, _], [aux_l, aux_r], _| {
            // What f-waves take from the auxiliary values is a force, and moves equal states.
            let aux_r = if S::FWAVES { aux_l } else { aux_r };
            let face = case.solver.normal(axis, q, q, aux_l, aux_r);
            for m in 0..M {
                assert_eq!((face.amdq[m], face.apdq[m]), (0.0, 0.0), "{} {axis:?} {q:?}", case.name);
                assert!(face.waves.iter().all(|wave| wave[m] == 0.0), "{} {axis:?} {q:?}", case.name);
            }
        });
    }
}

#[test]
fn equal_states_are_still() {
    for_every_solver(&EqualStatesAreStill);
}

/// A face in y is a face in x with the coordinates exchanged, to the bit: no axis is treated by other arithmetic.
struct AxesAreAlike;

impl Property for AxesAreAlike {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [ql, qr], [aux_l, aux_r], random| {
            let (state, aux, other) = (case.exchange_state, case.exchange_aux, axis.transverse_2d());
            let here = case.solver.normal(axis, ql, qr, aux_l, aux_r);
            let there = case.exchanged.normal(other, state(ql), state(qr), aux(aux_l), aux(aux_r));
            assert_eq!(here.speeds, there.speeds, "{}", case.name);
            assert_eq!(here.waves.map(state), there.waves, "{}", case.name);
            assert_eq!(state(here.amdq), there.amdq, "{}", case.name);
            assert_eq!(state(here.apdq), there.apdq, "{}", case.name);

            let asdq = direction(random);
            let around = TransverseAux { below: aux_l, here: aux_r, above: (case.aux)(random) };
            let turned = TransverseAux { below: aux(around.below), here: aux(around.here), above: aux(around.above) };
            for side in Side::BOTH {
                let here = case.solver.transverse(axis, side, ql, qr, &around, asdq);
                let there = case.exchanged.transverse(other, side, state(ql), state(qr), &turned, state(asdq));
                assert_eq!(state(here.bmasdq), there.bmasdq, "{}", case.name);
                assert_eq!(state(here.bpasdq), there.bpasdq, "{}", case.name);
            }
        });
    }
}

#[test]
fn axes_are_alike() {
    for_every_solver(&AxesAreAlike);
}

/// `bmasdq + bpasdq = B asdq`, B the Jacobian of the transverse flux at the average that the solver linearises about.
///
/// B is had independently of the solver, by a central difference of the flux; tolerance: the difference's error, its
/// step 1e-4 squared times third derivatives of the flux, for the pressures and Mach numbers here below 1e3.
struct TransverseSumsToJacobian;

impl Property for TransverseSumsToJacobian {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [ql, qr], [_, here], random| {
            let (average, asdq) = ((case.average)(ql, qr), direction(random));
            let step = 1e-4;
            let flux = |sign: f64| {
                let q = std::array::from_fn(|m| average[m] + sign * step * asdq[m]);
                case.solver.flux(axis.transverse_2d(), q, here)
            };
            let Some((above, below)) = flux(1.0).zip(flux(-1.0)) else { return };
            let expected: [f64; M] = std::array::from_fn(|m| (above[m] - below[m]) / (2.0 * step));

            let around = TransverseAux { below: here, here, above: here };
            for side in Side::BOTH {
                let split = case.solver.transverse(axis, side, ql, qr, &around, asdq);
                let sum = std::array::from_fn(|m| split.bmasdq[m] + split.bpasdq[m]);
                assert_close(sum, expected, 1e-5 * (1.0 + largest(&expected)), case.name);
            }
        });
    }
}

#[test]
fn transverse_parts_sum_to_the_jacobian() {
    for_every_solver(&TransverseSumsToJacobian);
}

/// Between equal states the transverse parts of a fluctuation are what the normal solver makes of it as a small jump
/// along the other axis: `bmasdq = lim amdq(q, q + ε asdq)/ε`, and `bpasdq` with apdq. This tells the two parts apart,
/// which their sum does not. Tolerance: ε = 1e-6 times second derivatives of the flux, and round-off 1e-16/ε.
struct TransverseIsNormalAlongOtherAxis;

impl Property for TransverseIsNormalAlongOtherAxis {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [q, _], [aux, _], random| {
            let (asdq, epsilon) = (direction(random), 1e-6);
            let jumped = std::array::from_fn(|m| q[m] + epsilon * asdq[m]);
            let face = case.solver.normal(axis.transverse_2d(), q, jumped, aux, aux);
            let around = TransverseAux { below: aux, here: aux, above: aux };
            for side in Side::BOTH {
                let split = case.solver.transverse(axis, side, q, q, &around, asdq);
                let tolerance = 2e-4 * (1.0 + largest(&split.bmasdq) + largest(&split.bpasdq));
                assert_close(split.bmasdq, face.amdq.map(|x| x / epsilon), tolerance, case.name);
                assert_close(split.bpasdq, face.apdq.map(|x| x / epsilon), tolerance, case.name);
            }
        });
    }
}

#[test]
fn transverse_is_normal_along_the_other_axis() {
    for_every_solver(&TransverseIsNormalAlongOtherAxis);
}

/// Single precision gives the double-precision result to a part in 1e4 of the largest number that occurs: 1e-7 of
/// round-off, amplified by squared Mach numbers and by differences of nearly equal energies.
struct SinglePrecisionIsClose;

impl Property for SinglePrecisionIsClose {
    fn check<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(&self, case: &Case<S, M, A>) {
        for_random_faces(case, |axis, [ql, qr], [aux_l, aux_r], random| {
            let short = |q: [f64; M]| q.map(|x| x as f32);
            let (short_l, short_r) = (aux_l.map(|x| x as f32), aux_r.map(|x| x as f32));
            let double = case.solver.normal(axis, ql, qr, aux_l, aux_r);
            let single = case.solver.normal(axis, short(ql), short(qr), short_l, short_r);
            let scale = largest(&ql) + largest(&qr) + largest(double.waves.as_flattened());
            assert_close(single.speeds.map(f64::from), double.speeds, 1e-4 * (1.0 + scale), case.name);
            for (single, double) in single.waves.into_iter().zip(double.waves) {
                assert_close(single.map(f64::from), double, 1e-4 * scale, case.name);
            }
            let moved = scale * (1.0 + largest(&double.speeds));
            assert_close(single.amdq.map(f64::from), double.amdq, 1e-4 * moved, case.name);
            assert_close(single.apdq.map(f64::from), double.apdq, 1e-4 * moved, case.name);

            let asdq = direction(random);
            let around = TransverseAux { below: aux_l, here: aux_r, above: aux_l };
            let short_around = TransverseAux { below: short_l, here: short_r, above: short_l };
            let double = case.solver.transverse(axis, Side::Upper, ql, qr, &around, asdq);
            let single = case.solver.transverse(axis, Side::Upper, short(ql), short(qr), &short_around, short(asdq));
            assert_close(single.bmasdq.map(f64::from), double.bmasdq, 1e-4 * moved, case.name);
            assert_close(single.bpasdq.map(f64::from), double.bpasdq, 1e-4 * moved, case.name);
        });
    }
}

#[test]
fn single_precision_is_close() {
    for_every_solver(&SinglePrecisionIsClose);
}
