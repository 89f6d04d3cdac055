//! The checks accept right solvers, and each detects what it is there to detect.

use super::*;
use crate::catalogue;
use crate::prelude::*;
use crate::solvers::{Acoustics, Burgers};

/// Acoustics with something wrong.
#[derive(Clone)]
struct Wrong {
    right: Acoustics,
    property: &'static str,
}

impl Solver<3, 2, 0> for Wrong {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 3] = ["pressure", "u", "v"];
    const AUX: [&'static str; 0] = [];
    const WALL_NORMAL: [Option<usize>; 3] = [Some(1), Some(2), None];

    fn normal<V: Real>(&self, axis: Axis, ql: [V; 3], qr: [V; 3], l: [V; 0], r: [V; 0]) -> Normal<V, 3, 2> {
        let mut face = self.right.normal(axis, ql, qr, l, r);
        let tiny = V::constant(1e-3);
        match self.property {
            "all numbers are finite" => face.speeds[0] = V::zero() / V::zero(),
            "equal states are still" => face.waves[1][0] += tiny * ql[0],
            "waves sum to the jump" => {
                // The fluctuations stay right: the speed compensates.
                face.waves[0] = face.waves[0].map(|x| x + x);
                face.speeds[0] = face.speeds[0] * V::constant(0.5);
            }
            "round-off" => face.waves[1][0] += V::constant(5e-17),
            "waves are NaN" => face.waves[1][0] = V::zero() / V::zero(),
            "fluctuations sum to what the waves move" => face.speeds[1] += tiny,
            "fluctuations sum to the flux difference" => {
                face.speeds = face.speeds.map(|s| s + tiny * s);
                face.amdq = face.amdq.map(|x| x + tiny * x);
                face.apdq = face.apdq.map(|x| x + tiny * x);
            }
            "the axes are alike" if axis == Axis::Y => face.speeds = [face.speeds[1], face.speeds[0]],
            "f32 agrees with f64" if size_of::<V::Scalar>() == 4 => face.speeds[0] += V::constant(0.1),
            _ => {}
        }
        face
    }

    fn transverse<V: Real>(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        ql: [V; 3],
        qr: [V; 3],
        mean: [V; 3],
        aux: &TransverseAux<V, 0>,
        asdq: [V; 3],
    ) -> Transverse<V, 3> {
        let mut split = self.right.transverse(axis, across, side, ql, qr, mean, aux, asdq);
        match self.property {
            "transverse parts are linear in the fluctuation" => split.bmasdq[0] += V::constant(1e-3) * asdq[0].abs(),
            property if property.starts_with("transverse") => split.bmasdq[0] = -split.bmasdq[0],
            _ => {}
        }
        split
    }

    fn flux<V: Real>(&self, axis: Axis, q: [V; 3], aux: [V; 0]) -> Option<[V; 3]> {
        self.right.flux(axis, q, aux)
    }
}

fn findings<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(solver: S, name: &str) -> Vec<Finding> {
    let info = catalogue::find(name, S::DIM).expect("the solver is built in");
    check(&Subject { info, aux_face: &S::AUX_FACE, faces: &Faces::new(solver) })
}

/// A right solver passes every check.
#[test]
fn right_solvers_pass() {
    for findings in
        [findings(Acoustics::<2> { density: 1.3, bulk: 3.7 }, "acoustics"), findings(Burgers::<2>, "burgers")]
    {
        for Finding { property, outcome } in findings {
            assert_eq!(outcome, Outcome::Holds, "{property}");
        }
    }
}

/// For each property a solver that violates it is detected, with a face as counterexample.
#[test]
fn wrong_solvers_are_found_out() {
    for &(property, _) in properties::ALL {
        let wrong = Wrong { right: Acoustics { density: 1.3, bulk: 3.7 }, property };
        let findings = findings(wrong, "acoustics");
        let finding = findings.iter().find(|finding| finding.property == property).expect("every property is checked");
        let Outcome::Fails(example) = &finding.outcome else { panic!("{property}: {:?}", finding.outcome) };
        let text = example.to_string();
        assert!(text.contains("between\n  ql: pressure = ") && text.contains("\n  qr: pressure = "), "{text}");
    }
}

/// Waves between equal states that are round-off of the state are none, NaN is never still, and never stands still; every wave
/// is named, with the equations.
#[test]
fn round_off_is_still_and_nan_is_not() {
    let outcome = |wrong: &'static str| {
        let wrong = Wrong { right: Acoustics { density: 1.3, bulk: 3.7 }, property: wrong };
        let mut findings = findings(wrong, "acoustics").into_iter();
        move |property: &str| findings.find(|finding| finding.property == property).expect("it is checked").outcome
    };
    assert_eq!(outcome("round-off")("equal states are still"), Outcome::Holds);
    assert!(matches!(outcome("waves are NaN")("equal states are still"), Outcome::Fails(_)));
    let Outcome::Fails(example) = outcome("waves are NaN")("waves sum to the jump") else { panic!("NaN is no sum") };
    assert!(example.what.contains("the waves sum to pressure = NaN, u = "), "{}", example.what);
    let Outcome::Fails(example) = outcome("equal states are still")("equal states are still") else {
        panic!("a part in a thousand is no round-off")
    };
    assert!(example.what.contains("\nwave 1: pressure = ") && example.what.contains("\nwave 2: "), "{}", example.what);
}

/// Acoustics says nothing of its states, gases do.
#[test]
fn solvers_without_admissible_states_are_known() {
    let says = |name: &str| {
        let info = catalogue::find(name, 2).expect("the solver is built in");
        let given = info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.4))).collect();
        let faces = catalogue::faces(name, 2, &given).expect("its parameters are right");
        Subject { info, aux_face: &[], faces: &faces }.says_admissible()
    };
    assert!(!says("acoustics") && says("euler"));
}

/// Acoustics in space that splits along the same axis whichever is asked for.
#[derive(Clone)]
struct ForgetsAcross(Acoustics<3>);

impl Solver<4, 2, 0> for ForgetsAcross {
    const DIM: usize = 3;
    const EQUATIONS: [&'static str; 4] = ["pressure", "u", "v", "w"];
    const AUX: [&'static str; 0] = [];
    const WALL_NORMAL: [Option<usize>; 3] = [Some(1), Some(2), Some(3)];

    fn normal<V: Real>(&self, axis: Axis, ql: [V; 4], qr: [V; 4], l: [V; 0], r: [V; 0]) -> Normal<V, 4, 2> {
        self.0.normal(axis, ql, qr, l, r)
    }

    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _across: Axis,
        side: Side,
        ql: [V; 4],
        qr: [V; 4],
        mean: [V; 4],
        aux: &TransverseAux<V, 0>,
        asdq: [V; 4],
    ) -> Transverse<V, 4> {
        let first = axis.transverse(3).next().expect("there are two");
        self.0.transverse(axis, first, side, ql, qr, mean, aux, asdq)
    }
}

/// In space both axes along a face are tried, and every exchange of axes.
#[test]
fn both_axes_along_a_face_are_tried() {
    let right = Acoustics::<3> { density: 1.3, bulk: 3.7 };
    for Finding { property, outcome } in findings(right, "acoustics") {
        assert_eq!(outcome, Outcome::Holds, "{property}");
    }
    let found = findings(ForgetsAcross(right), "acoustics");
    let failing = found.iter().filter(|finding| matches!(finding.outcome, Outcome::Fails(_)));
    let failing: Vec<_> = failing.map(|finding| finding.property).collect();
    assert_eq!(failing, ["the axes are alike", "transverse parts sum to the other axis's fluctuations"]);
}
