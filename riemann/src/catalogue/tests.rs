//! The catalogue finds, checks and builds solvers.

use super::*;

/// Reports the type and value it was given.
struct Describe;

impl SolverVisitor for Describe {
    type Output = (&'static str, [usize; 3], f64);

    fn visit<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(self, solver: S) -> Self::Output {
        let q: [f64; M] = std::array::from_fn(|m| 1.0 + m as f64);
        let flux = solver.flux(crate::axis::Axis::X, q, [0.5; A]).map_or(0.0, |flux| flux[M - 1] + flux[0]);
        (std::any::type_name::<S>().rsplit("::").next().unwrap_or_default(), [M, W, A], flux)
    }
}

fn given(values: &[(&str, f64)]) -> BTreeMap<String, f64> {
    values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// Every listed solver can be built with its defaults, or one for each missing parameter, and is the one listed: a name
/// without its arm in the visitor, or numbers that disagree, fail here.
#[test]
fn every_solver_builds_as_listed() {
    for info in all() {
        let values: Vec<_> = info.parameters.iter().filter(|p| p.default.is_none()).map(|p| (p.name, 1.0)).collect();
        let (_, shape, _) = build(info.name, info.dim, &given(&values), Describe).expect(info.name);
        assert_eq!(shape, [info.equations.len(), info.waves, info.aux.len()], "{}", info.name);
        assert_eq!(find(info.name, info.dim).map(|found| found.dim), Some(info.dim));
        let (mut next, dim) = (0, info.dim);
        for components in info.groups.iter().map(|group| group.components(dim)) {
            assert!(next <= components.start && components.end <= info.equations.len(), "{}", info.name);
            next = components.end;
        }
    }
    assert!(
        all().is_sorted_by(|a, b| (a.name, a.dim) < (b.name, b.dim)),
        "the list is sorted and nothing occurs twice"
    );
}

/// Parameters reach the fields of their own names: flux (K u) + 0 for acoustics at (1, 2, 3) is 2 K.
#[test]
fn parameters_reach_their_fields() {
    let built = build("acoustics", 2, &given(&[("density", 3.0), ("bulk", 5.0)]), Describe).expect("valid");
    assert_eq!(built, ("Acoustics", [3, 2, 0], 10.0));
    let built = build("advection", 2, &given(&[("u", -2.0), ("v", 7.0)]), Describe).expect("valid");
    assert_eq!(built, ("Advection", [1, 1, 0], -4.0));
    let built = build("advection", 1, &given(&[("u", -2.0)]), Describe).expect("there is no v on a line");
    assert_eq!(built, ("Advection<1>", [1, 1, 0], -4.0));
    assert!(build("advection", 1, &given(&[("u", -2.0), ("v", 7.0)]), Describe).is_err());
    let euler = find("euler", 2).expect("listed");
    assert_eq!(euler.resolve(&given(&[])).expect("default").get("gamma"), Some(&1.4));
    assert_eq!(euler.resolve(&given(&[("gamma", 1.67)])).expect("valid").get("gamma"), Some(&1.67));
}

/// All problems are reported together, each with its place and what to write instead.
#[test]
fn all_problems_are_reported_at_once() {
    let errors =
        build("acoustics", 2, &given(&[("bulc", 4.0), ("density", -1.0)]), Describe).expect_err("three errors");
    let places: Vec<_> = errors.0.iter().map(ParameterError::parameter).collect();
    assert_eq!(places, [Some("bulc"), Some("density"), Some("bulk")]);
    assert_eq!(
        errors.to_string(),
        "solver \"acoustics\" has no parameter \"bulc\" (did you mean \"bulk\"?); it has: density, bulk\n\
         \"density\", the density of the medium, is -1 and must be a positive number\n\
         solver \"acoustics\" needs \"bulk\", the bulk modulus of the medium: give a positive number"
    );
    let errors = build("burgers", 2, &given(&[("speed", 1.0)]), Describe).expect_err("no parameters");
    assert_eq!(errors.to_string(), "solver \"burgers\" has no parameter \"speed\"; it has none");
    for bad in [1.0, f64::NAN, f64::INFINITY] {
        assert!(build("euler", 2, &given(&[("gamma", bad)]), Describe).is_err(), "gamma = {bad}");
    }
}

/// A name that is nearly right is answered with the right one, and any wrong name with the list.
#[test]
fn unknown_solver_gets_a_suggestion() {
    let message = |name: &str| build(name, 2, &given(&[]), Describe).expect_err("unknown").to_string();
    assert!(message("acustics").contains("did you mean \"acoustics\"?"));
    assert!(message("Euler").contains("did you mean \"euler\"?"));
    assert!(message("shallow").contains("did you mean \"shallow_water\"?"));
    let far = message("maxwell");
    assert!(!far.contains("did you mean"), "{far}");
    assert!(far.ends_with("shallow_water_whole_sphere, traffic, traffic_variable, traffic_variable_tracer"));
}

/// Every solver that knows no directions is there on mapped meshes, in the plane and in space, and no other.
#[test]
fn solvers_without_directions_are_framed() {
    for info in all().iter().filter(|info| info.dim > 1) {
        let turns = !info.directions && !info.groups.is_empty();
        assert_eq!(FRAMED.contains(&(info.name, info.dim)), turns, "{} in {}D", info.name, info.dim);
    }
}
