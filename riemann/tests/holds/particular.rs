//! Properties of single solvers.

use crate::cases::{self, gas};
use crate::random::Random;
use crate::{AXES, FACES, NO_AUX, assert_close, direction, for_random_faces, largest};
use riemann::prelude::*;
use riemann::solvers::{AcousticsVariable, AdvectionEdge, AdvectionReaction, Burgers};

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
            let split = acoustics.solver.transverse(axis, axis.transverse_2d(), Side::Lower, q, q, q, &NO_AUX, q);
            let sum = std::array::from_fn(|m| split.bmasdq[m] + split.bpasdq[m]);
            let flux = acoustics.solver.flux(axis.transverse_2d(), q, []).expect("a conservation law");
            assert_close(sum, flux, 2e-15 * (1.0 + acoustics.solver.bulk), "acoustics");

            let split = advection.solver.transverse(axis, axis.transverse_2d(), Side::Lower, s, s, s, &NO_AUX, s);
            let flux = advection.solver.flux(axis.transverse_2d(), s, []).expect("a conservation law");
            assert_eq!([split.bmasdq[0] + split.bpasdq[0]], flux);
        }
    }
}

/// With the same impedance and sound speed everywhere, the solver of a varying medium agrees with that of a uniform one. Tolerance: a few roundings.
#[test]
fn uniform_varying_medium_is_uniform() {
    let case = cases::acoustics();
    let aux = [case.solver.impedance(), case.solver.sound_speed()];
    let around = TransverseAux { below: aux, here: aux, above: aux };
    for_random_faces(&case, |axis, [ql, qr], _, random| {
        let uniform = case.solver.normal(axis, ql, qr, [], []);
        let varying = AcousticsVariable::<2>.normal(axis, ql, qr, aux, aux);
        let tolerance = 1e-14 * (1.0 + largest(&uniform.amdq) + largest(&uniform.apdq));
        assert_eq!(uniform.speeds, varying.speeds);
        assert_close(uniform.amdq, varying.amdq, tolerance, "amdq");
        assert_close(uniform.apdq, varying.apdq, tolerance, "apdq");

        let asdq = direction(random);
        let uniform = case.solver.transverse(axis, axis.transverse_2d(), Side::Upper, ql, qr, ql, &NO_AUX, asdq);
        let varying =
            AcousticsVariable::<2>.transverse(axis, axis.transverse_2d(), Side::Upper, ql, qr, ql, &around, asdq);
        assert_close(uniform.bmasdq, varying.bmasdq, 1e-14 * (1.0 + largest(&uniform.bmasdq)), "bmasdq");
        assert_close(uniform.bpasdq, varying.bpasdq, 1e-14 * (1.0 + largest(&uniform.bpasdq)), "bpasdq");
    });
}

/// A pressure pulse at an interface to a different impedance is transmitted with `2 Zr/(Zl + Zr)` of its pressure and
/// reflected with the rest (LeVeque 2002, §9.8). The same in the transverse direction: the part through the upper edge is the transmitted
/// pressure times the upper cell's sound speed. All numbers are binary fractions: exact.
#[test]
fn impedance_jump_transmits_and_reflects() {
    let (soft, hard) = ([1.0, 4.0], [3.0, 2.0]);
    let transmitted = 2.0 * 3.0 / (1.0 + 3.0);
    // A right-going wave in the soft medium has u = p/Z; behind it p = 1, ahead of it the state is zero.
    let face = AcousticsVariable::<2>.normal(Axis::X, [1.0, 1.0, 0.0], [0.0; 3], soft, hard);
    assert_eq!(face.waves[1], [-transmitted, -transmitted / 3.0, 0.0]);
    assert_eq!(face.waves[0], [transmitted - 1.0, -(transmitted - 1.0), 0.0]);
    assert_eq!(face.speeds, [-4.0, 2.0]);

    let around = TransverseAux { below: soft, here: soft, above: hard };
    let split = AcousticsVariable::<2>.transverse(
        Axis::X,
        Axis::Y,
        Side::Upper,
        [0.0; 3],
        [0.0; 3],
        [0.0; 3],
        &around,
        [1.0, 0.0, 1.0],
    );
    assert_eq!(split.bmasdq, [0.0; 3]);
    assert_eq!(split.bpasdq, [2.0 * transmitted, 0.0, 2.0 * transmitted / 3.0]);
}

/// Each part of a fluctuation moves with the velocity at the edge that it crosses. The lower edge's velocity is stored in the cell, the
/// upper edge's in the cell above.
#[test]
fn edge_velocities_are_those_of_their_edges() {
    let around = TransverseAux { below: [9.0, 9.0], here: [-2.0, -3.0], above: [4.0, 5.0] };
    let split = AdvectionEdge::<2>.transverse(Axis::X, Axis::Y, Side::Upper, [0.0], [0.0], [0.0], &around, [1.0]);
    assert_eq!((split.bmasdq, split.bpasdq), ([-3.0], [5.0]));
    let split = AdvectionEdge::<2>.transverse(Axis::Y, Axis::X, Side::Upper, [0.0], [0.0], [0.0], &around, [1.0]);
    assert_eq!((split.bmasdq, split.bpasdq), ([-2.0], [4.0]));
    // The face's velocity is stored in the upper cell, and the whole jump moves downwind.
    let face = AdvectionEdge::<2>.normal(Axis::Y, [1.0], [4.0], [9.0, 9.0], [7.0, -2.0]);
    assert_eq!((face.speeds, face.amdq, face.apdq), ([-2.0], [-6.0], [0.0]));
}

/// Burgers: a transonic rarefaction leaves the sonic value 0 on the face, whose flux is 0, so that the fluctuations are
/// `−f(ql)` and `f(qr)`; every other wave moves undivided, at the shock's speed.
#[test]
fn burgers_waves_move_whole_unless_transonic() {
    let case = cases::burgers();
    for_random_faces(&case, |axis, [[l], [r]], _, _| {
        let face = Burgers::<2>.normal(axis, [l], [r], [], []);
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

/// In supersonic flow nothing moves upstream: the fluctuation on that side is exactly zero, normal to the face
/// and along it. The added velocity exceeds all sound speeds of the states.
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
            let (across, mean) = (axis.transverse_2d(), case.solver.mean_state(ql, qr));
            let split = case.solver.transverse(axis, across, Side::Upper, ql, qr, mean, &NO_AUX, direction(random));
            let against = if sign > 0.0 { [face.amdq, split.bmasdq] } else { [face.apdq, split.bpasdq] };
            assert_eq!(against, [[0.0; 4]; 2], "{axis:?} {ql:?} {qr:?}");
        }
    });
    let case = cases::shallow_water();
    for_random_faces(&case, |axis, states, _, random| {
        for sign in [-1.0, 1.0] {
            // Velocities are reduced, since a linearised solver may leave almost no water between diverging flows.
            let [ql, qr] = states.map(|[h, mx, my]| [h, 0.2 * mx + sign * 30.0 * h, 0.2 * my + sign * 30.0 * h]);
            let face = case.solver.normal(axis, ql, qr, [], []);
            let (across, mean) = (axis.transverse_2d(), case.solver.mean_state(ql, qr));
            let split = case.solver.transverse(axis, across, Side::Upper, ql, qr, mean, &NO_AUX, direction(random));
            let against = if sign > 0.0 { [face.amdq, split.bmasdq] } else { [face.apdq, split.bpasdq] };
            assert_eq!(against, [[0.0; 3]; 2], "{axis:?} {ql:?} {qr:?}");
        }
    });
}

/// The reaction is integrated by the trapezoidal rule: exact for binary fractions; its error per step is of third order.
#[test]
fn reaction_decays() {
    let solver = AdvectionReaction { u: 0.0, v: 0.0, rate: 0.5 };
    assert_eq!(solver.source([0.0; 3], 0.0, 2.0, [3.0], []), [1.0]);
    let error = |dt: f64| (solver.source([0.0; 3], 0.0, dt, [1.0], [])[0] - (-0.5 * dt).exp()).abs();
    let ratio = error(0.1) / error(0.05);
    assert!((7.5..8.5).contains(&ratio), "{ratio}");
}
