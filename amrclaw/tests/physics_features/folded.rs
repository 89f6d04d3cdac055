//! Folded sides, which meet themselves: a sphere made of two squares.

use super::common::{advance_to, case, for_each_finest_cell, start};
use amrclaw::case::BoundaryKind;
use amrclaw::simulation::Simulation;

const SPHERE: &str = include_str!("../../../examples/advection_sphere/case.toml");

/// Values of the finest cells by place, as far as y < 1.
fn values(simulation: &Simulation<2>) -> Vec<(usize, [i64; 2], f64)> {
    let mut all = Vec::new();
    for_each_finest_cell(&simulation.frame(), |level, [x, y], _, q| {
        if y < 1.0 {
            all.push((level, [x, y].map(|x| (x * 1e6).round() as i64), q[0]));
        }
    });
    all.sort_by_key(|(level, place, _)| (*level, *place));
    all
}

/// The sphere with folded sides is half of its double cover, a domain that is periodic along both axes and has everything twice, turned by 180°:
/// on the same cells it has the same values, where patches end at a fold (the upper half alone is refined), where three levels cross it and its ends, and
/// with a source that depends on the position. Tiles of four cells are turned into tiles. Tolerance: round-off of some hundred steps; an error
/// of a ghost cell, a flux or a flag is one of 1e-3.
#[test]
fn a_folded_sphere_is_half_of_its_double_cover() {
    let common = [
        "regrid.cluster=\"tiles\"",
        "regrid.tile_size=4",
        "regrid.flag.criterion=\"user\"",
        "scheme.source=\"strang\"",
        "source.q=\"-0.3 * (1 + Y(x, y)) * q\"",
        "time.end=1.5",
    ];
    let at_the_fold = "Z(x, y) > 0 and X(x, y) * cos(2 * t) - Y(x, y) * sin(2 * t) > 0.2";
    let across = "X(x, y) * cos(2 * t) - Y(x, y) * sin(2 * t) > 0.6";
    for (flag, levels, buffer) in [(at_the_fold, 2, 0), (across, 3, 1)] {
        let more = [
            format!("regrid.flag.expression=\"{flag}\""),
            format!("levels={{max={levels},ratio=2}}"),
            format!("regrid.buffer={buffer}"),
        ];
        let run = |mesh: &[&str]| {
            let all: Vec<&str> =
                common.iter().copied().chain(more.iter().map(String::as_str)).chain(mesh.iter().copied()).collect();
            let mut simulation = start(SPHERE, &all);
            advance_to(&mut simulation, 1.5);
            assert_eq!(simulation.hierarchy().levels().len(), levels);
            values(&simulation)
        };
        let folded = run(&["mesh.cells=[32,16]"]);
        let double = run(&["mesh.cells=[32,32]", "mesh.upper=[1.0,3.0]", "mesh.boundary.y=\"periodic\""]);
        assert_eq!(folded.len(), double.len());
        for (a, b) in folded.iter().zip(&double) {
            assert_eq!((a.0, a.1), (b.0, b.1), "{flag}: other cells");
            assert!((a.2 - b.2).abs() < 1e-12, "{flag}: {a:?}, {b:?}");
        }
    }
}

/// A hump that crosses the folds on levels that follow it keeps its integral, and after a turn it is where it was. Tolerances: round-off; two
/// coarse cells, and the third that the scheme takes of a hump five coarse cells wide.
#[test]
fn a_hump_comes_around_a_sphere() {
    let mut simulation = start(SPHERE, &["mesh.cells=[48,24]"]);
    let highest = |simulation: &Simulation<2>| {
        let all = values(simulation).into_iter().map(|(_, [x, y], q)| (q, x, y));
        all.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are cells")
    };
    let (total, (first, x, y)) = (simulation.totals()[0], highest(&simulation));
    advance_to(&mut simulation, std::f64::consts::TAU);
    let lost = (simulation.totals()[0] - total) / total;
    assert!(lost.abs() < 1e-13, "{lost:e}");
    let (last, at_x, at_y) = highest(&simulation);
    assert!(
        last > 0.6 * first && (x.abs_diff(at_x)).max(y.abs_diff(at_y)) < 100_000,
        "{first} at {x}, {y}, then {last} at {at_x}, {at_y}"
    );
}

/// What folded sides ask of the mesh and of the solver is said before the first step.
#[test]
fn folded_sides_are_checked() {
    let wrong = |changes: &[&str]| {
        let overrides: Vec<String> = changes.iter().map(|o| (*o).to_string()).collect();
        let found = amrclaw::case::Case::from_str_with(SPHERE, "case.toml", &overrides, amrclaw::case::find_built_in);
        found.err().unwrap_or_else(|| panic!("{changes:?} is no mistake")).to_string()
    };
    for (changes, said) in [
        (&["mesh.boundary.x=\"extrapolate\""][..], "x is not periodic"),
        (&["mesh.cells=[33,16]"], "in the middle of a cell"),
        (&["mesh.boundary.y=[\"folded\",\"wall\"]"], "one side is folded"),
        (&["mesh.mapping={x=\"X\",y=\"Y\"}"], "has no folded sides"),
    ] {
        assert!(wrong(changes).contains(said), "{changes:?}: {}", wrong(changes));
    }
    assert_eq!(case(SPHERE, &[]).mesh.boundary[1], [BoundaryKind::Folded; 2]);
}
