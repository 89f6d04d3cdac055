//! The checks accept right solvers, and each detects what it is there to detect.

// tidy: long because each property has a solver without it

mod beside;

use super::*;
use crate::catalogue;
use crate::group::{Group, GroupKind};
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
    const GROUPS: &'static [Group] = &[Group { kind: GroupKind::Vector, first: 1 }];
    const TRANSFERS: bool = true;

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
            "fluctuations move to their sides" => (face.amdq, face.apdq) = (face.apdq, face.amdq),
            "waves and speeds give second order" => {
                // Rusanov's waves, at twice the speed of sound.
                let twice = face.speeds[1] + face.speeds[1];
                let moved: [V; 3] = std::array::from_fn(|m| (face.amdq[m] + face.apdq[m]) / twice);
                let half = V::constant(0.5);
                face.speeds = [-twice, twice];
                face.waves[0] = std::array::from_fn(|m| half * (qr[m] - ql[m] - moved[m]));
                face.waves[1] = std::array::from_fn(|m| half * (qr[m] - ql[m] + moved[m]));
                face.amdq = face.waves[0].map(|x| -twice * x);
                face.apdq = face.waves[1].map(|x| twice * x);
            }
            "the axes are alike" if axis == Axis::Y => face.speeds = [face.speeds[1], face.speeds[0]],
            "a mirror image gives the mirror image" => face.speeds[0] += tiny,
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
            "transverse parts move to their sides" => (split.bmasdq, split.bpasdq) = (split.bpasdq, split.bmasdq),
            property if property.starts_with("transverse") => split.bmasdq[0] = -split.bmasdq[0],
            _ => {}
        }
        split
    }

    fn flux<V: Real>(&self, axis: Axis, q: [V; 3], aux: [V; 0]) -> Option<[V; 3]> {
        self.right.flux(axis, q, aux)
    }

    fn transfer_weight<V: Real>(&self, _: [V; 3], _: [V; 0]) -> [V; 3] {
        [V::constant(if self.property.starts_with("transfer v") { 1.01 } else { 1.0 }); 3]
    }
}

fn findings<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(solver: S, name: &str) -> Vec<Finding> {
    let info = catalogue::find(name, S::DIM).expect("the solver is built in");
    check(&Subject { info, faces: &Faces::new(solver), sample: Sample::FULL })
}

/// A right solver passes every check.
#[test]
fn right_solvers_pass() {
    for findings in
        [findings(Acoustics::<2> { density: 1.3, bulk: 3.7 }, "acoustics"), findings(Burgers::<2>, "burgers")]
    {
        for Finding { property, outcome } in findings {
            let goes_one_way = property.contains("mirror") && matches!(outcome, Outcome::Unchecked(_));
            assert!(outcome == Outcome::Holds || goes_one_way, "{property}: {outcome:?}");
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
        let (Outcome::Fails(example) | Outcome::Remark(example)) = &finding.outcome else {
            panic!("{property}: {:?}", finding.outcome)
        };
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
        let faces =
            catalogue::faces(name, 2, &given).expect("its parameters are right").expect("tests have those of all");
        Subject { info, faces: &faces, sample: Sample::FULL }.says_admissible()
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
    const GROUPS: &'static [Group] = &[Group { kind: GroupKind::Vector, first: 1 }];

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
    let expected = [
        "the axes are alike",
        "a mirror image gives the mirror image",
        "transverse parts sum to the other axis's fluctuations",
    ];
    assert_eq!(failing, expected);
}

/// Maxwell's equations in a vacuum, `E_t = ∇ × H`, `H_t = −∇ × E`, with all components in every number of dimensions. A wave for each
/// electric field along the face; which of the two that have one speed comes first depends on the axis.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Maxwell's equations",
    equations = [vector3("ex", "ey", "ez"), pseudo_vector3("hx", "hy", "hz")],
    waves = 4
)]
pub struct Maxwell<const D: usize>;

#[riemann::kernels]
impl Maxwell {
    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let (t, b) = ((axis.index() + 1) % 3, (axis.index() + 2) % 3);
        let mut waves = [[0.0; M]; W];
        let turns = [(t, 3 + b, 1.0), (b, 3 + t, -1.0)];
        for k in 0..2 {
            let (e, h, sign) = turns[k];
            let (electric, magnetic) = (qr[e] - ql[e], sign * (qr[h] - ql[h]));
            let halves = [0.5 * (electric - magnetic), 0.5 * (electric + magnetic)];
            waves[k][e] = halves[0];
            waves[k][h] = -sign * halves[0];
            waves[2 + k][e] = halves[1];
            waves[2 + k][h] = sign * halves[1];
        }
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for m in 0..M {
            amdq[m] = -(waves[0][m] + waves[1][m]);
            apdq[m] = waves[2][m] + waves[3][m];
        }
        Normal { waves, speeds: [-1.0, -1.0, 1.0, 1.0], amdq, apdq }
    }
}

/// The properties that fail for the solver if these are its components that are not scalars.
fn failing_with<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(
    solver: S,
    groups: &'static [Group],
) -> Vec<&'static str> {
    let info = catalogue::find("acoustics", S::DIM).expect("there is one");
    let equations: &'static [&'static str] = S::EQUATIONS.to_vec().leak();
    let (aux, aux_groups): (&'static [&'static str], _) = (S::AUX.to_vec().leak(), S::AUX_GROUPS);
    let info = catalogue::SolverInfo { groups, equations, aux, aux_groups, waves: W, ..*info };
    let faces = &Faces::new(solver);
    let findings = check(&Subject { info: &info, faces, sample: Sample::FULL });
    let fails = findings.iter().filter(|finding| matches!(finding.outcome, Outcome::Fails(_)));
    fails.map(|finding| finding.property).collect()
}

/// A right solver passes with its declaration, and fails with any other: in a mirror, and, where that shows it, with axes exchanged. A
/// magnetic field is no vector; the stress of a solid is no set of scalars.
#[test]
fn declarations_are_checked() {
    const ALIKE: &str = "the axes are alike";
    const MIRROR: &str = "a mirror image gives the mirror image";
    let of = |kind, first| Group { kind, first };
    use GroupKind::{PseudoVector, Tensor, Vector};
    assert!(failing_with(Maxwell::<1>, <Maxwell<1> as Solver<6, 4, 0>>::GROUPS).is_empty());
    assert!(failing_with(Maxwell::<2>, <Maxwell<2> as Solver<6, 4, 0>>::GROUPS).is_empty());
    assert!(failing_with(Maxwell::<3>, <Maxwell<3> as Solver<6, 4, 0>>::GROUPS).is_empty());
    let vectors = [of(Vector, 0), of(Vector, 3)];
    for groups in [vectors.to_vec(), vec![vectors[0]], vec![of(PseudoVector, 0), of(PseudoVector, 3)]] {
        assert_eq!(failing_with(Maxwell::<3>, groups.leak()), [ALIKE, MIRROR]);
    }
    assert_eq!(failing_with(Maxwell::<1>, vectors.to_vec().leak()), [MIRROR]);
    let solid = crate::solvers::Elasticity::<2> { density: 1.3, lambda: 2.1, mu: 0.9 };
    assert!(failing_with(solid, vec![of(Tensor, 0), of(Vector, 3)].leak()).is_empty());
    assert_eq!(failing_with(solid, vec![of(Vector, 3)].leak()), [ALIKE, MIRROR]);
    assert_eq!(failing_with(solid, vec![of(Tensor, 0)].leak()), [ALIKE, MIRROR]);
    assert_eq!(failing_with(solid, vec![of(Vector, 0), of(Vector, 3)].leak()), [MIRROR]);
}

/// Something that a wind carries, which is given cell by cell.
#[riemann::solver(equations = ["q"], aux = [vector("wind_x", "wind_y")], waves = 1)]
pub struct Carried;

#[riemann::kernels]
impl Carried {
    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let wind = 0.5 * (aux_l[axis.index()] + aux_r[axis.index()]);
        let jump = qr[0] - ql[0];
        Normal { waves: [[jump]], speeds: [wind], amdq: [wind.min(0.0) * jump], apdq: [wind.max(0.0) * jump] }
    }
}

/// The same, but its wind is declared to be two numbers.
#[derive(Clone)]
struct Numbers(Carried);

impl Solver<1, 1, 2> for Numbers {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 1] = ["q"];
    const AUX: [&'static str; 2] = ["wind_x", "wind_y"];
    const HAS_TRANSVERSE: bool = false;

    fn normal<V: Real>(&self, axis: Axis, ql: [V; 1], qr: [V; 1], l: [V; 2], r: [V; 2]) -> Normal<V, 1, 1> {
        self.0.normal(axis, ql, qr, l, r)
    }

    fn transverse<V: Real>(
        &self,
        _: Axis,
        _: Axis,
        _: Side,
        _: [V; 1],
        _: [V; 1],
        _: [V; 1],
        _: &TransverseAux<V, 2>,
        _: [V; 1],
    ) -> Transverse<V, 1> {
        Transverse { bmasdq: [V::zero()], bpasdq: [V::zero()] }
    }
}

/// A wind given cell by cell is a vector: declared, it is mirrored and its components are exchanged, and two numbers fail both checks.
#[test]
fn a_wind_is_a_vector() {
    assert!(failing_with(Carried, &[]).is_empty());
    assert_eq!(failing_with(Numbers(Carried), &[]), ["the axes are alike", "a mirror image gives the mirror image"]);
}

/// Velocities on faces change their sign in a mirror, and equations that go one way have no mirror image.
#[test]
fn one_way_and_values_on_faces() {
    let outcome = |findings: Vec<Finding>| {
        let mirror = findings.into_iter().find(|finding| finding.property.contains("mirror"));
        mirror.expect("it is checked").outcome
    };
    assert_eq!(outcome(findings(crate::solvers::AdvectionEdge::<2>, "advection_edge")), Outcome::Holds);
    assert!(matches!(outcome(findings(Burgers::<2>, "burgers")), Outcome::Unchecked(_)));
    let wind = crate::solvers::Advection::<2> { u: 0.7, v: -0.4, w: 0.0 };
    assert_eq!(outcome(findings(wind, "advection")), Outcome::Holds);
}

/// Water with a dissolved substance by waves of Harten, Lax and van Leer. With `split` the substance's own wave is one of its own.
#[riemann::solver(dim = 1, title = "Salt water", equations = ["depth", vector("discharge"), "salt"], waves = 3)]
pub struct SaltWater {
    /// 1: split the middle state
    #[parameter(default = 1.0)]
    pub split: Real,
}

#[riemann::kernels]
impl SaltWater {
    fn flux(&self, q: State) -> State {
        let u = q[1] / q[0];
        [q[1], q[1] * u + 4.9 * q[0] * q[0], q[2] * u]
    }

    fn normal(&self, ql: State, qr: State) -> Normal {
        let (fl, fr) = (self.flux(ql), self.flux(qr));
        let u = 0.5 * (ql[1] / ql[0] + qr[1] / qr[0]);
        let c = (4.9 * (ql[0] + qr[0])).sqrt();
        let (sl, sr) = (u - c, u + c);
        let concentration = 0.5 * (ql[2] / ql[0] + qr[2] / qr[0]);
        let mut waves = [[0.0; M]; W];
        waves[1][2] = self.split * (qr[2] - ql[2] - concentration * (qr[0] - ql[0]));
        for m in 0..M {
            // What is left for the outer waves.
            let jump = qr[m] - ql[m] - waves[1][m];
            let moved = fr[m] - fl[m] - u * waves[1][m];
            waves[0][m] = (sr * jump - moved) / (sr - sl);
            waves[2][m] = (moved - sl * jump) / (sr - sl);
        }
        let speeds = [sl, u, sr];
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for w in 0..W {
            for m in 0..M {
                amdq[m] += speeds[w].min(0.0) * waves[w][m];
                apdq[m] += speeds[w].max(0.0) * waves[w][m];
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    fn admissible(&self, unit: State) -> State {
        let depth = 0.2 + unit[0];
        [depth, depth * (2.0 * unit[1] - 1.0), depth * unit[2]]
    }
}

/// A solver whose waves and speeds are not those of the equations gets a remark; as the guide says, its middle state, split by the waves that
/// belong there, makes it a solver of second order. It has all other properties with and without.
#[test]
fn first_order_is_remarked() {
    for (split, is_second_order) in [(0.0, false), (1.0, true)] {
        let info = catalogue::find("acoustics", 1).expect("there is one");
        let info = catalogue::SolverInfo {
            equations: &<SaltWater as Solver<3, 3, 0>>::EQUATIONS,
            waves: 3,
            fwaves: false,
            ..*info
        };
        let faces = Faces::new(SaltWater { split });
        for finding in check(&Subject { info: &info, faces: &faces, sample: Sample::FULL }) {
            match finding.outcome {
                Outcome::Remark(example) => {
                    assert!(!is_second_order, "{example}");
                    assert!(
                        example.what.contains("Σ speed² · wave = depth = ") && example.what.contains("Second order")
                    );
                }
                Outcome::Fails(example) => panic!("{split}: {} fails {example}", finding.property),
                Outcome::Holds => assert!(is_second_order || !finding.property.contains("second order")),
                Outcome::Unchecked(_) => {}
            }
        }
    }
}

/// A pulse of pressure in a gas at rest, a single state, and water that is dry in half of the cells.
fn cells(kind: &str) -> Cells {
    let cell = |k: usize| match kind {
        "pulse" => vec![f64::from(u8::from(k.is_multiple_of(10))), 0.0, 0.0],
        "constant" => vec![2.0, 0.0, 0.0],
        // Far from a pulse: components of very different size.
        "tail" => vec![(-0.4 * (k * k) as f64).exp(), 1e-5, 0.0],
        _ if k.is_multiple_of(2) => vec![0.0, 0.0, 0.0],
        _ => vec![1.0 + 0.1 * k as f64, 0.0, 0.0],
    };
    Cells::new((0..20).map(|k| [cell(k), vec![]]).collect()).expect("they are finite")
}

/// What is no solver is refused by a few faces between cells of a problem, even where only one component varies there, or none; right
/// solvers are not, also where they say nothing of their states, with a jump between wet and dry cells; nor is one whose waves alone are wrong
/// if the scheme uses none.
#[test]
fn what_is_no_solver_is_refused() {
    let refused = |property: &'static str, kind: &str, has_waves: bool| {
        let wrong = Wrong { right: Acoustics { density: 1.3, bulk: 3.7 }, property };
        let info = catalogue::find("acoustics", 2).expect("the solver is built in");
        refuse((info, &Faces::new(wrong)), &cells(kind), has_waves).map(|(property, _)| property)
    };
    let required = [
        "all numbers are finite",
        "equal states are still",
        "waves sum to the jump",
        "fluctuations sum to what the waves move",
        "fluctuations sum to the flux difference",
        "fluctuations move to their sides",
    ];
    let others = ["round-off", "transverse parts are linear in the fluctuation", "waves and speeds give second order"];
    for kind in ["pulse", "constant", "tail"] {
        for property in required.into_iter().filter(|property| kind != "tail" || property.contains("sides")) {
            assert_eq!(refused(property, kind, true), Some(property), "{kind}");
        }
        for property in others {
            assert_eq!(refused(property, kind, true), None, "{property}, {kind}");
        }
    }
    assert_eq!(refused("waves sum to the jump", "pulse", false), None);
    let info = catalogue::find("shallow_water", 2).expect("the solver is built in");
    let water = crate::solvers::ShallowWater::<2> { gravity: 9.81 };
    assert_eq!(refuse((info, &Faces::new(water)), &cells("dry"), true), None);
}
