//! Properties of the solvers of the Euler equations.

use crate::cases::{self, GAMMA, gas};
use crate::random::Random;
use crate::{AXES, FACES, NO_AUX, assert_close, for_random_faces, largest};
use riemann::prelude::*;
use riemann::solvers::{Euler, EulerHllc, EulerTracer};

/// A transonic rarefaction: characteristic speed on the near side, where it starts, and on the far side.
#[derive(Clone, Copy)]
pub struct Fan {
    pub near: f64,
    pub far: f64,
}

impl Fan {
    /// Asserts that the fluctuation towards the near side is Harten and Hyman's share of the wave,
    /// `near (far − s)/(far − near)` of it (LeVeque 2002, §15.3.5), and not all or none of it.
    ///
    /// The speeds here are those of the exact fan, the solver's are those of its linearisation. For a weak wave as here the
    /// shares differ by less than a tenth.
    #[track_caller]
    pub fn assert_share<const M: usize>(self, fluctuation: [f64; M], wave: [f64; M], s: f64) {
        let share = self.near * (self.far - s) / (self.far - self.near);
        let expected = wave.map(|x| share * x);
        assert_close(fluctuation, expected, 0.1 * largest(&expected), "transonic rarefaction");
    }
}

/// A transonic rarefaction in a gas moves to both sides, for the slowest wave and, mirrored, for the fastest.
///
/// Along a 1-rarefaction `u + 2c/(γ − 1)` and `p/ρ^γ` are constant. On the left `ρ = p = γ`, so that `c = 1`.
#[test]
fn gas_rarefaction_moves_to_both_sides() {
    let solver = Euler::<2> { gamma: GAMMA };
    let (ul, ur) = (0.9, 1.1);
    let sound = |u: f64| 1.0 - (u - ul) * (GAMMA - 1.0) / 2.0;
    let fan = |u: f64| {
        let density = GAMMA * sound(u).powf(2.0 / (GAMMA - 1.0));
        [density, u, 0.25, density * sound(u).powi(2) / GAMMA]
    };
    let (left, right) = (fan(ul), fan(ur));
    let speeds = Fan { near: ul - sound(ul), far: ur - sound(ur) };
    for axis in AXES {
        let state = |[density, u, v, p]: [f64; 4], mirror: f64| match axis {
            Axis::X => gas([density, mirror * u, v, p]),
            _ => gas([density, v, mirror * u, p]),
        };
        let face = solver.normal(axis, state(left, 1.0), state(right, 1.0), [], []);
        speeds.assert_share(face.amdq, face.waves[0], face.speeds[0]);
        let face = solver.normal(axis, state(right, -1.0), state(left, -1.0), [], []);
        let mirrored = Fan { near: -speeds.near, far: -speeds.far };
        mirrored.assert_share(face.apdq, face.waves[3], face.speeds[3]);
    }
}

/// States very different from each other, with densities and pressures over six decades, give finite numbers.
#[test]
fn extreme_gases_stay_finite() {
    let solver = Euler::<2> { gamma: GAMMA };
    let mut random = Random::new(11);
    let mut state = || {
        let (u, v) = (random.between(-30.0, 30.0), random.between(-30.0, 30.0));
        gas([random.positive(1e-3, 1e3), u, v, random.positive(1e-3, 1e3)])
    };
    for axis in AXES {
        for _ in 0..FACES {
            let (ql, qr) = (state(), state());
            let face = solver.normal(axis, ql, qr, [], []);
            let mean = solver.mean_state(ql, qr);
            let split = solver.transverse(axis, axis.transverse_2d(), Side::Lower, ql, qr, mean, &NO_AUX, face.amdq);
            let numbers = [face.amdq, face.apdq, face.speeds, split.bmasdq, split.bpasdq];
            assert!(numbers.as_flattened().iter().all(|x| x.is_finite()), "{axis:?} {ql:?} {qr:?}");
        }
    }
}

/// A stationary contact has zero fluctuations with HLLC. Tolerance: a few roundings of the pressure's flux.
#[test]
fn a_standing_contact_stays_sharp() {
    let solver = EulerHllc::<2> { gamma: GAMMA };
    for (axis, turn) in [(Axis::X, false), (Axis::Y, true)] {
        let state =
            |density, drift| if turn { gas([density, drift, 0.0, 1.5]) } else { gas([density, 0.0, drift, 1.5]) };
        let face = solver.normal(axis, state(1.0, 0.3), state(4.0, -0.8), [], []);
        assert_close(face.amdq, [0.0; 4], 1e-14, "amdq");
        assert_close(face.apdq, [0.0; 4], 1e-14, "apdq");
    }
}

/// The tracer does not affect the gas (to the bit), and a concentration that is equal on both sides stays so: the tracer's part of
/// each fluctuation is φ times the density's (to round-off in the fluctuations).
#[test]
fn a_tracer_is_carried() {
    let (case, bare) = (cases::euler_tracer(), Euler::<2> { gamma: GAMMA });
    for_random_faces(&case, |axis, [ql, qr], _, _| {
        let gas = |q: [f64; 5]| [q[0], q[1], q[2], q[3]];
        let carrying = case.solver.normal(axis, ql, qr, [], []);
        let without = bare.normal(axis, gas(ql), gas(qr), [], []);
        assert_eq!((gas(carrying.amdq), gas(carrying.apdq)), (without.amdq, without.apdq));

        let phi = 0.625;
        let mixed = |q: [f64; 5]| [q[0], q[1], q[2], q[3], phi * q[0]];
        let face = EulerTracer::<2> { gamma: GAMMA }.normal(axis, mixed(ql), mixed(qr), [], []);
        let tolerance =
            1e-13 * (1.0 + largest(&face.amdq) + largest(&face.apdq)) + 1e-13 * largest(&face.speeds) * (ql[0] + qr[0]);
        assert_close([face.amdq[4], face.apdq[4]], [phi * face.amdq[0], phi * face.apdq[0]], tolerance, "tracer");
    });
}

/// Where a plasma meets its mirror image, as at a wall, no rounding decides which way a wave goes. Tolerance: the rounding put in, 1e-14, over
/// the least jump there on which a share depends, a ten-thousandth.
#[test]
fn no_rounding_turns_waves_at_a_wall() {
    let case = cases::rare::mhd();
    for_random_faces(&case, |axis, [q, _], _, random| {
        let mirrored = |mut q: [f64; 9]| {
            for m in [1, 5] {
                q[m + axis.index()] = -q[m + axis.index()];
            }
            q
        };
        let image = mirrored(q).map(|x| x * (1.0 + random.between(-1e-14, 1e-14)));
        let face = case.solver.normal(axis, q, image, [], []);
        assert_close(face.amdq, mirrored(face.apdq), 1e-10 * largest(&face.apdq), "amdq");
    });
}
