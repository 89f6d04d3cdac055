//! Wrong mappings are refused before anything runs, by messages that name the line.

use super::case;
use amrclaw::case::{Case, find_built_in};
use amrclaw::mesh::{Domain, MapFunction, Mapping};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ACOUSTICS: &str = r#"name = "acoustics", density = 1.0, bulk = 4.0"#;
const REST: [(&str, &str); 3] = [("pressure", "x"), ("u", "0"), ("v", "0")];

/// The error of reading the case.
fn told(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(text, "case.toml", &overrides, find_built_in).map(|_| ()).unwrap_err().to_string()
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// Refused: nodes out of order or not finite, periodic sides that do not match, solvers that depend on the axes' directions, other conflicts.
#[test]
fn wrong_mappings_are_refused() {
    let mesh = "cells = [8, 8]";
    let text = |map| case(ACOUSTICS, mesh, map, &REST);
    has(&told(&text(["X", "-Y"]), &[]), &["case.toml:6", "mesh.mapping.x", "folds", "level 1"]);
    has(&told(&text(["X + 0.02 * sin(60*X)", "Y"]), &[]), &["folds", "level 3"]);
    has(&told(&text(["1 / (X - 0.5)", "Y"]), &[]), &["mesh.mapping.x", "at X = 0.5, Y = 0", "numbers everywhere"]);
    has(&told(&text(["X +", "Y"]), &[]), &["mesh.mapping.x"]);
    has(&told(&text(["X + x", "Y"]), &[]), &["unknown name `x`"]);
    let ring = text(["(1 + X) * cos(6*Y)", "(1 + X) * sin(6*Y)"]);
    has(&told(&ring, &["mesh.boundary.y=\"periodic\""]), &["mesh.boundary.y", "do not match"]);
    let burgers = case(r#"name = "burgers""#, mesh, ["X", "2 * Y"], &[("q", "x")]);
    has(&told(&burgers, &[]), &["mesh.mapping", "`burgers` cannot be rotated"]);
    let bent = ["X", "Y + 0.1 * X * Y"];
    has(&told(&text(bent), &["scheme.split=\"strang\""]), &["scheme.split", "does not conserve totals"]);
    let walls = ["scheme.split=\"strang\"", "mesh.boundary.x=\"wall\""];
    has(&told(&text(["X + 0.2 * Y", "Y"]), &walls), &["scheme.split", "not perpendicular to the walls"]);
    has(&told(&text(["X", "Y"]), &["scheme.capacity=kappa"]), &["scheme.capacity", "their area"]);
    let richardson = ["regrid.flag={criterion=\"richardson\",tolerance=0.1}", "mesh.cells=[8,7]"];
    has(&told(&text(["X", "Y"]), &richardson), &["regrid.flag.criterion", "needs even numbers", "write even numbers"]);
    has(&told(&text(["X", "Y"]), &["mesh.mapping=\"user\""]), &["mesh.mapping", "`acoustics` provides no mapping"]);
    has(&told(&text(["X", "Y"]), &["mesh.mapping=\"users\""]), &["mesh.mapping", "\"users\" is not known"]);
    has(&told(&text(["X", "Y"]), &["initial.u=x_lower"]), &["initial.u", "`x_lower` is not known", "`X_lower`"]);
    has(
        &told(&text(["X", "Y"]), &["gauge=[{name=\"g\",position=[3.0,0.5]}]"]),
        &["gauge.0.position", "outside the mapped"],
    );
}

/// Counts the positions that are asked for.
struct Counted(AtomicUsize);

impl<const D: usize> MapFunction<D> for Counted {
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]) {
        self.0.fetch_add(points.len(), Ordering::Relaxed);
        positions.copy_from_slice(points);
    }
}

/// The cost of checking a level does not depend on how many finer ones there may be.
#[test]
fn checks_do_not_grow_with_the_number_of_levels() {
    fn cost<const D: usize>(levels: u32, most: usize) -> usize {
        let (lower, upper, periodic) = ([0.0; D], [1.0; D], [false; D]);
        let cells = |level: u32| std::array::from_fn(|d| [50, 35, 20][d] << level);
        let (domain, counted) =
            (Domain { lower, upper, cells: cells(0), repeats: periodic.into() }, Arc::new(Counted(0.into())));
        let mapping = Mapping::new(counted.clone(), domain.clone(), cells(levels));
        for level in 0..=levels {
            let dx = domain.dx(cells(level));
            mapping.check(dx, most).expect("the identity is a mapping");
            assert!(mapping.face_variation(dx, most) < 1e-12 && mapping.nonorthogonality(dx, most) < 1e-12);
        }
        counted.0.load(Ordering::Relaxed)
    }
    let most = 1 << 12;
    for (plane, space) in [2, 8, 13].map(|levels| (cost::<2>(levels, most), cost::<3>(levels, most))) {
        assert!(plane < 14 * 40 * most && space < 14 * 400 * most, "{plane} {space}");
    }
}

/// The same in three dimensions, and mappings that exist in two or in three dimensions only.
#[test]
fn wrong_mappings_in_space_are_refused() {
    let rest = [REST[0], REST[1], REST[2], ("w", "0")];
    let text = |mapping: &str| {
        case(ACOUSTICS, "cells = [4, 4, 4]", ["X", "Y"], &rest).replace("x = \"X\"\n        y = \"Y\"", mapping)
    };
    let formulas = |[x, y, z]: [&str; 3]| text(&format!("x = \"{x}\"\ny = \"{y}\"\nz = \"{z}\""));
    has(&told(&text("x = \"X\"\ny = \"Y\""), &[]), &["mesh.mapping.z", "is missing", "X, Y and Z"]);
    has(&told(&formulas(["X", "Z", "Y"]), &[]), &["mesh.mapping.x", "folds", "the volume of", "right-handed"]);
    has(&told(&formulas(["X", "Y", "1 / (0.5 - Z)"]), &[]), &["mesh.mapping.x", "X = 0, Y = 0, Z = 0.5"]);
    has(
        &told(&formulas(["X", "Y", "Z + 0.1 * X * Y"]), &["mesh.boundary.x=\"periodic\""]),
        &["mesh.boundary.x", "do not match"],
    );
    has(
        &told(&formulas(["X", "Y", "Z"]), &["gauge=[{name=\"g\",position=[0.5,0.5,1.2]}]"]),
        &["gauge.0.position", "outside the mapped domain: x = 0.5, y = 0.5, z = 1.2"],
    );
    has(&told(&formulas(["X", "Y", "Z"]), &["initial.u=z_upper"]), &["`z_upper` is not known", "`Z_upper`"]);
    let plane = case(ACOUSTICS, "cells = [8, 8]", ["X", "Y"], &REST);
    has(&told(&plane, &["mesh.mapping.z=Z"]), &["mesh.mapping.z", "has no z"]);
    has(&told(&plane, &["mesh.mapping={kind=\"spherical\"}"]), &["mesh.mapping.kind", "is three-dimensional"]);
    for table in [
        "kind=\"annulus\"\ninner=1.0\nouter=2.0",
        "kind=\"cubed_sphere_face\"\ninner=1.0\nouter=2.0",
        "kind=\"hill\"\nx_centre=0.5\ny_centre=0.4\nwidth=0.2\nheight=0.1",
    ] {
        let read = Case::from_str_with(&text(table), "case.toml", &[], find_built_in);
        assert!(read.is_ok(), "{table}: {}", read.unwrap_err());
    }
}

/// Errors name the line of the case file: nodes that are not finite, periodic sides that do not match, a solver that depends on the axes'
/// directions, a gauge outside the domain, `mapping = "user"` with a solver that has none.
#[test]
fn wrong_lines_are_named() {
    let mesh = "cells = [8, 8]\nboundary = { y = \"periodic\" }";
    let text = |map| case(ACOUSTICS, mesh, map, &REST);
    let infinite = told(&text(["1 / X", "Y"]), &[]);
    has(&infinite, &["case.toml:7:13: mesh.mapping.x"]);
    assert!(!infinite.contains("do not match"), "{infinite}");
    has(&told(&text(["(1 + X) * cos(6*Y)", "(1 + X) * sin(6*Y)"]), &[]), &["case.toml:5:18: mesh.boundary.y"]);
    has(&told(&case(r#"name = "burgers""#, mesh, ["X", "Y"], &[("q", "x")]), &[]), &["case.toml:6", "mesh.mapping"]);
    let gauge = text(["X", "Y"]) + "[[gauge]]\nname = \"g\"\nposition = [3.0, 0.5]\n";
    has(&told(&gauge, &[]), &["case.toml:31:12: gauge.0.position"]);
    let user = text(["X", "Y"]).replace("[mesh.mapping]", "mapping = \"user\"").replace("x = \"X\"", "");
    has(&told(&user.replace("y = \"Y\"", ""), &[]), &["case.toml:6", "mesh.mapping", "provides no mapping"]);
}

/// Built-in mappings take their parameters and no others.
#[test]
fn ready_mappings_have_parameters() {
    let text = case(ACOUSTICS, "cells = [8, 8]", ["X", "Y"], &REST);
    let of = |table: &str| format!("mesh.mapping={{{table}}}");
    let told = |table: &str| told(&text, &[&of(table)]);
    has(&told("kind=\"anulus\""), &["mesh.mapping.kind", "did you mean \"annulus\""]);
    has(&told("kind=\"annulus\",inner=1.0"), &["mesh.mapping.outer", "is missing"]);
    has(&told("kind=\"polar\",angle=1.0"), &["mesh.mapping.angle", "no such parameter"]);
    has(&told("kind=\"polar\",x=\"X\""), &["cannot stand beside"]);
    for table in [
        "kind=\"annulus\",inner=1.0,outer=2.0",
        "kind=\"polar\"",
        "kind=\"cylinder_in_box\",radius=0.5,half_width=2.0",
        "kind=\"wedge\",corner=0.3,angle=15.0",
        "kind=\"channel_with_bump\",centre=0.5,width=0.2,height=0.1",
    ] {
        let read = Case::from_str_with(&text, "case.toml", &[of(table)], find_built_in);
        assert!(read.is_ok(), "{table}: {}", read.unwrap_err());
    }
}
