//! What one solver alone promises.

use crate::cases::{self, GAMMA, gas};
use crate::random::Random;
use crate::{AXES, FACES, assert_close, direction, for_random_faces, largest};
use riemann::prelude::*;
use riemann::solvers::{
    AcousticsVariable, AdvectionEdge, AdvectionReaction, Burgers, Euler, EulerHllc, EulerTracer, ShallowWater,
    ShallowWaterBathymetry,
};

/// Aux values of a solver that has none.
const NO_AUX: TransverseAux<f64, 0> = TransverseAux { below: [], here: [], above: [] };

/// Acoustic waves run at ∓c, the first to the left and the second to the right, and each fluctuation is one of them.
#[test]
fn acoustic_waves_part() {
    let case = cases::acoustics();
    let c: f64 = case.solver.sound_speed();
    for_random_faces(&case, |axis, [ql, qr], _, _| {
        let face = case.solver.normal(axis, ql, qr, [], []);
        assert_eq!(face.speeds, [-c, c]);
        let across = axis.transverse_2d().index() + 1;
        assert_eq!(face.waves.map(|wave| wave[across]), [0.0; 2], "the other velocity's jump is in no wave");
        assert_eq!(face.amdq, face.waves[0].map(|x| -c * x));
        assert_eq!(face.apdq, face.waves[1].map(|x| c * x));
    });
}

/// Linear transverse matrices act exactly: `bmasdq + bpasdq` is the flux of asdq, to round-off.
#[test]
fn linear_transverse_is_the_flux() {
    let (acoustics, advection) = (cases::acoustics(), cases::advection());
    let mut random = Random::new(3);
    for axis in AXES {
        for _ in 0..FACES {
            let (q, s) = (direction::<3>(&mut random), direction::<1>(&mut random));
            let split = acoustics.solver.transverse(axis, Side::Lower, q, q, &NO_AUX, q);
            let sum = std::array::from_fn(|m| split.bmasdq[m] + split.bpasdq[m]);
            let flux = acoustics.solver.flux(axis.transverse_2d(), q, []).expect("a conservation law");
            assert_close(sum, flux, 2e-15 * (1.0 + acoustics.solver.bulk), "acoustics");

            let split = advection.solver.transverse(axis, Side::Lower, s, s, &NO_AUX, s);
            let flux = advection.solver.flux(axis.transverse_2d(), s, []).expect("a conservation law");
            assert_eq!([split.bmasdq[0] + split.bpasdq[0]], flux);
        }
    }
}

/// With one impedance and sound speed everywhere, the varying medium is the uniform one. Tolerance: a few roundings.
#[test]
fn uniform_varying_medium_is_uniform() {
    let case = cases::acoustics();
    let aux = [case.solver.impedance(), case.solver.sound_speed()];
    let around = TransverseAux { below: aux, here: aux, above: aux };
    for_random_faces(&case, |axis, [ql, qr], _, random| {
        let uniform = case.solver.normal(axis, ql, qr, [], []);
        let varying = AcousticsVariable.normal(axis, ql, qr, aux, aux);
        let tolerance = 1e-14 * (1.0 + largest(&uniform.amdq) + largest(&uniform.apdq));
        assert_eq!(uniform.speeds, varying.speeds);
        assert_close(uniform.amdq, varying.amdq, tolerance, "amdq");
        assert_close(uniform.apdq, varying.apdq, tolerance, "apdq");

        let asdq = direction(random);
        let uniform = case.solver.transverse(axis, Side::Upper, ql, qr, &NO_AUX, asdq);
        let varying = AcousticsVariable.transverse(axis, Side::Upper, ql, qr, &around, asdq);
        assert_close(uniform.bmasdq, varying.bmasdq, 1e-14 * (1.0 + largest(&uniform.bmasdq)), "bmasdq");
        assert_close(uniform.bpasdq, varying.bpasdq, 1e-14 * (1.0 + largest(&uniform.bpasdq)), "bpasdq");
    });
}

/// A pressure pulse that meets a medium of other impedance is transmitted with `2 Zr/(Zl + Zr)` of its pressure and
/// reflected with the rest (LeVeque 2002, §9.8). Along the face too: what crosses the upper edge has the transmitted
/// pressure times the upper cell's sound speed. All numbers are binary fractions: exact.
#[test]
fn impedance_jump_transmits_and_reflects() {
    let (soft, hard) = ([1.0, 4.0], [3.0, 2.0]);
    let transmitted = 2.0 * 3.0 / (1.0 + 3.0);
    // A right-going wave in the soft medium has u = p/Z; behind it p = 1, before it nothing.
    let face = AcousticsVariable.normal(Axis::X, [1.0, 1.0, 0.0], [0.0; 3], soft, hard);
    assert_eq!(face.waves[1], [-transmitted, -transmitted / 3.0, 0.0]);
    assert_eq!(face.waves[0], [transmitted - 1.0, -(transmitted - 1.0), 0.0]);
    assert_eq!(face.speeds, [-4.0, 2.0]);

    let around = TransverseAux { below: soft, here: soft, above: hard };
    let split = AcousticsVariable.transverse(Axis::X, Side::Upper, [0.0; 3], [0.0; 3], &around, [1.0, 0.0, 1.0]);
    assert_eq!(split.bmasdq, [0.0; 3]);
    assert_eq!(split.bpasdq, [2.0 * transmitted, 0.0, 2.0 * transmitted / 3.0]);
}

/// Each fluctuation crosses the edge it moves to with that edge's own velocity: the lower edge's is the cell's, the
/// upper edge's belongs to the cell above.
#[test]
fn edge_velocities_are_those_of_their_edges() {
    let around = TransverseAux { below: [9.0, 9.0], here: [-2.0, -3.0], above: [4.0, 5.0] };
    let split = AdvectionEdge.transverse(Axis::X, Side::Upper, [0.0], [0.0], &around, [1.0]);
    assert_eq!((split.bmasdq, split.bpasdq), ([-3.0], [5.0]));
    let split = AdvectionEdge.transverse(Axis::Y, Side::Upper, [0.0], [0.0], &around, [1.0]);
    assert_eq!((split.bmasdq, split.bpasdq), ([-2.0], [4.0]));
    // The face's own velocity is in the upper cell, and all moves downwind.
    let face = AdvectionEdge.normal(Axis::Y, [1.0], [4.0], [9.0, 9.0], [7.0, -2.0]);
    assert_eq!((face.speeds, face.amdq, face.apdq), ([-2.0], [-6.0], [0.0]));
}

/// Burgers: a transonic rarefaction leaves the sonic value 0 on the face, whose flux is 0, so that the sides take
/// `−f(ql)` and `f(qr)`; every other wave moves whole, with the shock's speed.
#[test]
fn burgers_waves_move_whole_unless_transonic() {
    let case = cases::burgers();
    for_random_faces(&case, |axis, [[l], [r]], _, _| {
        let face = Burgers.normal(axis, [l], [r], [], []);
        let whole = 0.5 * (l + r) * (r - l);
        let expected = match (l < 0.0 && r > 0.0, l + r < 0.0) {
            (true, _) => [-0.5 * l * l, 0.5 * r * r],
            (false, true) => [whole, 0.0],
            (false, false) => [0.0, whole],
        };
        assert_close([face.amdq[0], face.apdq[0]], expected, 1e-15, "burgers");
        assert_eq!(face.speeds, [0.5 * (l + r)]);
    });
}

/// Nothing moves against a stream faster than its sound: the fluctuation on that side is exactly zero, normal to the face
/// and along it. The added speed is above any sound speed of the states.
#[test]
fn nothing_moves_against_a_supersonic_stream() {
    let case = cases::euler();
    for_random_faces(&case, |axis, states, _, random| {
        let [n, t] = [axis.index() + 1, axis.transverse_2d().index() + 1];
        for sign in [-1.0, 1.0] {
            let [ql, qr] = states.map(|q| {
                let mut primitive = [q[0], q[1] / q[0], q[2] / q[0], 1.0];
                primitive[n] += sign * 30.0;
                primitive[t] += sign * 30.0;
                gas(primitive)
            });
            let face = case.solver.normal(axis, ql, qr, [], []);
            let split = case.solver.transverse(axis, Side::Upper, ql, qr, &NO_AUX, direction(random));
            let against = if sign > 0.0 { [face.amdq, split.bmasdq] } else { [face.apdq, split.bpasdq] };
            assert_eq!(against, [[0.0; 4]; 2], "{axis:?} {ql:?} {qr:?}");
        }
    });
    let case = cases::shallow_water();
    for_random_faces(&case, |axis, states, _, random| {
        for sign in [-1.0, 1.0] {
            // Slowed down so that streams do not part, where a linearised solver may leave next to no water.
            let [ql, qr] = states.map(|[h, mx, my]| [h, 0.2 * mx + sign * 30.0 * h, 0.2 * my + sign * 30.0 * h]);
            let face = case.solver.normal(axis, ql, qr, [], []);
            let split = case.solver.transverse(axis, Side::Upper, ql, qr, &NO_AUX, direction(random));
            let against = if sign > 0.0 { [face.amdq, split.bmasdq] } else { [face.apdq, split.bpasdq] };
            assert_eq!(against, [[0.0; 3]; 2], "{axis:?} {ql:?} {qr:?}");
        }
    });
}

/// A transonic rarefaction: characteristic speed on the side that it starts from, and on the other.
#[derive(Clone, Copy)]
struct Fan {
    near: f64,
    far: f64,
}

impl Fan {
    /// Asserts that the fluctuation towards the near side is Harten and Hyman's share of the wave,
    /// `near (far − s)/(far − near)` of it (LeVeque 2002, §15.3.5), and not all or none of it.
    ///
    /// The speeds are those of the exact fan, the solver's those of its linearisation: for a weak wave as here a tenth of
    /// the share apart.
    #[track_caller]
    fn assert_share<const M: usize>(self, fluctuation: [f64; M], wave: [f64; M], s: f64) {
        let share = self.near * (self.far - s) / (self.far - self.near);
        let expected = wave.map(|x| share * x);
        assert_close(fluctuation, expected, 0.1 * largest(&expected), "transonic rarefaction");
    }
}

/// A transonic rarefaction in a gas moves to both sides, for the slowest wave and, mirrored, for the fastest.
///
/// Along a 1-rarefaction `u + 2c/(γ − 1)` and `p/ρ^γ` stay: with `ρ = p = γ` at left, `c = 1` there.
#[test]
fn gas_rarefaction_moves_to_both_sides() {
    let solver = Euler { gamma: GAMMA };
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

/// The same for shallow water, where `u + 2√(gh)` stays along the slower wave; `√(gh) = 1` at left.
#[test]
fn water_rarefaction_moves_to_both_sides() {
    let solver = ShallowWater { gravity: 9.81 };
    let (ul, ur) = (0.9, 1.1);
    let celerity = |u: f64| 1.0 - 0.5 * (u - ul);
    let fan = |u: f64| [celerity(u).powi(2) / 9.81, u, 0.25];
    let (left, right) = (fan(ul), fan(ur));
    let speeds = Fan { near: ul - celerity(ul), far: ur - celerity(ur) };
    for axis in AXES {
        let state = |[h, u, v]: [f64; 3], mirror: f64| match axis {
            Axis::X => [h, h * mirror * u, h * v],
            _ => [h, h * v, h * mirror * u],
        };
        let face = solver.normal(axis, state(left, 1.0), state(right, 1.0), [], []);
        speeds.assert_share(face.amdq, face.waves[0], face.speeds[0]);
        let face = solver.normal(axis, state(right, -1.0), state(left, -1.0), [], []);
        let mirrored = Fan { near: -speeds.near, far: -speeds.far };
        mirrored.assert_share(face.apdq, face.waves[2], face.speeds[2]);
    }
}

/// Gases far from each other, with densities and pressures over six decades, give finite numbers.
#[test]
fn extreme_gases_stay_finite() {
    let solver = Euler { gamma: GAMMA };
    let mut random = Random::new(11);
    let mut state = || {
        let (u, v) = (random.between(-30.0, 30.0), random.between(-30.0, 30.0));
        gas([random.positive(1e-3, 1e3), u, v, random.positive(1e-3, 1e3)])
    };
    for axis in AXES {
        for _ in 0..FACES {
            let (ql, qr) = (state(), state());
            let face = solver.normal(axis, ql, qr, [], []);
            let split = solver.transverse(axis, Side::Lower, ql, qr, &NO_AUX, face.amdq);
            let numbers = [face.amdq, face.apdq, face.speeds, split.bmasdq, split.bpasdq];
            assert!(numbers.as_flattened().iter().all(|x| x.is_finite()), "{axis:?} {ql:?} {qr:?}");
        }
    }
}

/// Cells without water, or with next to none, give finite numbers in both precisions, and dry beside dry gives zero.
#[test]
fn dry_cells_stay_finite() {
    let solver = ShallowWater { gravity: 9.81 };
    let dry = [[0.0; 3], [1e-15, 0.0, 0.0], [1e-9, 1e-10, -1e-10], [1.0, 3.0, -2.0], [2.0, -8.0, 1.0]];
    for axis in AXES {
        for ql in dry {
            for qr in dry {
                let face = solver.normal(axis, ql, qr, [], []);
                let split = solver.transverse(axis, Side::Lower, ql, qr, &NO_AUX, face.amdq);
                let numbers = [face.amdq, face.apdq, face.speeds, split.bmasdq, split.bpasdq];
                assert!(numbers.as_flattened().iter().all(|x| x.is_finite()), "{axis:?} {ql:?} {qr:?}");

                let [short_l, short_r] = [ql, qr].map(|q| q.map(|x| x as f32));
                let face = solver.normal(axis, short_l, short_r, [], []);
                let numbers = [face.amdq, face.apdq, face.speeds];
                assert!(numbers.as_flattened().iter().all(|x| x.is_finite()), "{axis:?} {ql:?} {qr:?} in f32");
            }
        }
        let face = solver.normal(axis, [0.0; 3], [0.0; 3], [], []);
        assert_eq!((face.amdq, face.apdq), ([0.0; 3], [0.0; 3]));
    }
}

/// A lake at rest is still over any bottom: its surface is level, so no f-wave is left. Heights are binary fractions, so
/// that depth and bottom add up to the surface exactly; then the result is exact too.
#[test]
fn a_lake_at_rest_is_still() {
    let solver = ShallowWaterBathymetry { gravity: 9.81 };
    let bottom = [-1.0, -0.125, -0.75, -2.5];
    for axis in AXES {
        for below in bottom {
            for above in bottom {
                let face = solver.normal(axis, [-below, 0.0, 0.0], [-above, 0.0, 0.0], [below], [above]);
                assert_eq!((face.amdq, face.apdq), ([0.0; 3], [0.0; 3]), "bottoms {below}, {above}");
            }
        }
    }
}

/// Over a flat bottom the f-waves sum to the difference of the flux of [`ShallowWater`]; over a step, to that and the bottom's
/// thrust. Tolerance: round-off in terms of the fluxes' size.
#[test]
fn bathymetry_pushes_the_water() {
    let case = cases::shallow_water_bathymetry();
    let flat = ShallowWater { gravity: 9.81 };
    for_random_faces(&case, |axis, [ql, qr], [aux_l, aux_r], _| {
        let face = case.solver.normal(axis, ql, qr, aux_l, aux_r);
        let flux = |q| flat.flux(axis, q, []).expect("a conservation law");
        let (left, right) = (flux(ql), flux(qr));
        let mut expected: [f64; 3] = std::array::from_fn(|m| right[m] - left[m]);
        expected[axis.index() + 1] += 9.81 * 0.5 * (ql[0] + qr[0]) * (aux_r[0] - aux_l[0]);
        let sum = std::array::from_fn(|m| face.amdq[m] + face.apdq[m]);
        assert_close(sum, expected, 1e-12 * (1.0 + largest(&left) + largest(&right)), "thrust");
    });
}

/// Water beside dry land that is higher than its surface meets a wall: no mass crosses, and nothing happens on the land.
/// Dry cells of all kinds give finite numbers in both precisions.
#[test]
fn dry_land_is_a_wall() {
    let solver = ShallowWaterBathymetry { gravity: 9.81 };
    for axis in AXES {
        let face = solver.normal(axis, [1.0, 0.5, 0.5], [0.0; 3], [-1.0], [0.25]);
        assert_eq!(face.apdq, [0.0; 3]);
        let mirrored = solver.normal(axis, [0.0; 3], [1.0, 0.5, 0.5], [0.25], [-1.0]);
        assert_eq!(mirrored.amdq, [0.0; 3]);
        let states: [[f64; 3]; 4] = [[0.0; 3], [1e-9, 1e-9, 0.0], [1.0, 3.0, -2.0], [1e-3, -1e-2, 0.0]];
        for ql in states {
            for qr in states {
                for (bl, br) in [(0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (0.0, 1e-4)] {
                    let face = solver.normal(axis, ql, qr, [bl], [br]);
                    let around = TransverseAux { below: [bl], here: [br], above: [bl] };
                    let split = solver.transverse(axis, Side::Lower, ql, qr, &around, face.amdq);
                    let numbers = [face.amdq, face.apdq, face.speeds, split.bmasdq, split.bpasdq];
                    assert!(numbers.as_flattened().iter().all(|x| x.is_finite()), "{axis:?} {ql:?} {qr:?} {bl} {br}");
                    let [short_l, short_r] = [ql, qr].map(|q| q.map(|x| x as f32));
                    let face = solver.normal(axis, short_l, short_r, [bl as f32], [br as f32]);
                    assert!(face.amdq.iter().chain(&face.apdq).all(|x| x.is_finite()), "{ql:?} {qr:?} in f32");
                }
            }
        }
    }
}

/// A contact that stands still stays as it is: HLLC moves nothing. Tolerance: a few roundings of the pressure's flux.
#[test]
fn a_standing_contact_stays_sharp() {
    let solver = EulerHllc { gamma: GAMMA };
    for (axis, turn) in [(Axis::X, false), (Axis::Y, true)] {
        let state =
            |density, drift| if turn { gas([density, drift, 0.0, 1.5]) } else { gas([density, 0.0, drift, 1.5]) };
        let face = solver.normal(axis, state(1.0, 0.3), state(4.0, -0.8), [], []);
        assert_close(face.amdq, [0.0; 4], 1e-14, "amdq");
        assert_close(face.apdq, [0.0; 4], 1e-14, "apdq");
    }
}

/// The gas does not feel the tracer, and a concentration that is the same on both sides stays so: the tracer's part of each
/// fluctuation is φ times the density's. The first to the bit, the second to round-off in the fluctuations.
#[test]
fn a_tracer_is_carried() {
    let (case, bare) = (cases::euler_tracer(), Euler { gamma: GAMMA });
    for_random_faces(&case, |axis, [ql, qr], _, _| {
        let gas = |q: [f64; 5]| [q[0], q[1], q[2], q[3]];
        let carrying = case.solver.normal(axis, ql, qr, [], []);
        let without = bare.normal(axis, gas(ql), gas(qr), [], []);
        assert_eq!((gas(carrying.amdq), gas(carrying.apdq)), (without.amdq, without.apdq));

        let phi = 0.625;
        let mixed = |q: [f64; 5]| [q[0], q[1], q[2], q[3], phi * q[0]];
        let face = EulerTracer { gamma: GAMMA }.normal(axis, mixed(ql), mixed(qr), [], []);
        let tolerance =
            1e-13 * (1.0 + largest(&face.amdq) + largest(&face.apdq)) + 1e-13 * largest(&face.speeds) * (ql[0] + qr[0]);
        assert_close([face.amdq[4], face.apdq[4]], [phi * face.amdq[0], phi * face.apdq[0]], tolerance, "tracer");
    });
}

/// The reaction is the trapezoidal rule: right for binary fractions, and third order beside the exponential.
#[test]
fn reaction_decays() {
    let solver = AdvectionReaction { u: 0.0, v: 0.0, rate: 0.5 };
    assert_eq!(solver.source([0.0; 3], 0.0, 2.0, [3.0], []), [1.0]);
    let error = |dt: f64| (solver.source([0.0; 3], 0.0, dt, [1.0], [])[0] - (-0.5 * dt).exp()).abs();
    let ratio = error(0.1) / error(0.05);
    assert!((7.5..8.5).contains(&ratio), "{ratio}");
}
