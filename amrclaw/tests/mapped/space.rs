//! Mapped meshes in three dimensions have the properties that they have in two.

use super::common::{
    absolute_totals, advance_to, case, for_each_finest_cell, largest_difference, options, orders, start, take_steps,
};
use amrclaw::case::{Case, find_built_in};
use amrclaw::simulation::Simulation;
use std::f64::consts::PI;

const ACOUSTICS: &str = r#"name = "acoustics", density = 1.0, bulk = 4.0"#;
const EULER: &str = r#"name = "euler_hllc""#;

/// A smooth mapping that curves all families of lines and surfaces and is periodic along all axes.
const SMOOTH: [&str; 3] = [
    "X + 0.03 * sin(2*pi*X) + 0.04 * sin(2*pi*Y) * sin(2*pi*Z)",
    "Y - 0.04 * sin(2*pi*X) * sin(2*pi*Z) + 0.1 * X",
    "Z + 0.04 * sin(2*pi*X) * cos(2*pi*Y) - 0.05 * X",
];
/// Moves nodes at random by up to two tenths of the finest cells, of which there are 36, 28 and 32 along the axes.
const ROUGH: [&str; 3] = [
    "X + 0.010 * (mod(sin(127 * X + 311 * Y + 74 * Z) * 43758.5, 1) - 0.5)",
    "Y + 0.014 * (mod(sin(269 * X + 183 * Y + 246 * Z) * 43758.5, 1) - 0.5)",
    "Z + 0.012 * (mod(sin(113 * X + 271 * Y + 124 * Z) * 43758.5, 1) - 0.5)",
];
const IDENTITY: [&str; 3] = ["X", "Y", "Z"];
const PERIODIC: &str = r#"{ x = "periodic", y = "periodic", z = "periodic" }"#;
const SOUND: [(&str, &str); 4] =
    [("pressure", "exp(-30 * ((x - 0.4)^2 + (y - 0.55)^2 + (z - 0.5)^2))"), ("u", "0.1"), ("v", "-0.2"), ("w", "0.3")];
const GAS: [(&str, &str); 5] = [
    ("density", "1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2 + (z - 0.5)^2))"),
    ("x_momentum", "0.3"),
    ("y_momentum", "-0.2"),
    ("z_momentum", "0.1"),
    ("energy", "2.5 + 2 * exp(-20 * ((x - 0.3)^2 + (y - 0.6)^2 + (z - 0.45)^2))"),
];

/// A case on three levels, the finest of which moves along a circle.
fn text(solver: &str, mesh: &str, mapping: &str, initial: &[(&str, &str)]) -> String {
    let initial: String = initial.iter().map(|(name, value)| format!("{name} = \"{value}\"\n")).collect();
    format!(
        "solver = {{ {solver} }}\n[mesh]\n{mesh}\n[mesh.mapping]\n{mapping}\n[levels]\nmax = 3\n\
         [regrid]\ninterval = 2\nbuffer = 1\nmax_patch_size = 16\n[regrid.flag]\ncriterion = \"user\"\n\
         expression = \"sqrt((X - 0.5 - 0.2 * cos(5 * t))^2 + (Y - 0.5 - 0.2 * sin(5 * t))^2 + (Z - 0.5)^2) < 0.13\"\n\
         [time]\nend = 10.0\ndt_initial = 0.001\n[initial]\n{initial}[output]\nformat = []\n"
    )
}

fn formulas([x, y, z]: [&str; 3]) -> String {
    format!("x = \"{x}\"\ny = \"{y}\"\nz = \"{z}\"")
}

fn in_space(text: &str, overrides: &[&str]) -> Simulation<3> {
    Simulation::builder(&case(text, overrides)).options(&options(2)).build().unwrap_or_else(|e| panic!("{e}"))
}

/// A constant state stays constant on three levels: the jumps are zero at all faces, whatever their normals. Bound: states of size one round
/// to 1e-16 in each of six steps, in averaging down and in the conservation fix.
#[test]
fn a_constant_state_stays_constant() {
    let gas =
        [("density", "1"), ("x_momentum", "0.7"), ("y_momentum", "-0.4"), ("z_momentum", "0.2"), ("energy", "2.8")];
    let sound = [("pressure", "1"), ("u", "0.7"), ("v", "-0.4"), ("w", "0.2")];
    for map in [SMOOTH, ROUGH] {
        for (solver, state) in [(EULER, &gas[..]), (ACOUSTICS, &sound)] {
            let mut simulation = in_space(&text(solver, "cells = [9, 7, 8]", &formulas(map), state), &[]);
            take_steps(&mut simulation, 6);
            assert_eq!(simulation.hierarchy().levels().len(), 3);
            let wanted: Vec<f64> = state.iter().map(|(_, value)| value.parse().unwrap()).collect();
            for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
                for (value, wanted) in q.iter().zip(&wanted) {
                    assert!((value - wanted).abs() <= 1e-13, "{solver} on {map:?} at {x:?}: {value} for {wanted}");
                }
            });
        }
    }
}

/// Totals over three levels are conserved across curved seams and between curved walls, which reflect transverse waves: the face vectors of
/// a cell sum to zero, those of fine faces to that of the coarse face, volumes of fine cells to that of the coarse cell. Bound: some thousand
/// faces between levels round to 1e-16 of the state, with either sign, in each of four steps.
#[test]
fn totals_stay_on_three_levels() {
    let drift = |text: &str, kept: &[usize], overrides: &[&str]| {
        let mut simulation = in_space(text, overrides);
        let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
        take_steps(&mut simulation, 4);
        assert_eq!(simulation.hierarchy().levels().len(), 3);
        let after = simulation.totals();
        kept.iter().map(|&m| (after[m] - before[m]).abs() / scale[0].max(scale[m])).fold(0.0, f64::max)
    };
    let seams = text(EULER, &format!("cells = [9, 7, 8]\nboundary = {PERIODIC}"), &formulas(SMOOTH), &GAS);
    let hill = "kind = \"hill\"\nx_centre = 0.45\ny_centre = 0.5\nwidth = 0.3\nheight = 0.25";
    let walls = r#"cells = [9, 7, 8]
        boundary = { x = "wall", y = "wall", z = "wall" }"#;
    let [sound, gas] = [text(ACOUSTICS, walls, hill, &SOUND), text(EULER, walls, hill, &GAS)];
    for (name, text, kept) in
        [("seams", &seams, &[0, 1, 2, 3, 4][..]), ("sound between walls", &sound, &[0]), ("gas", &gas, &[0, 4])]
    {
        let with = drift(text, kept, &[]);
        assert!(with <= 1e-13, "{name}: the totals drift by {with:e}");
    }
    let without = drift(&seams, &[0, 1, 2, 3, 4], &["regrid.conservation_fix=false"]);
    assert!(without >= 1e-10, "without the fix by {without:e} only");
    // More fine faces on a coarse one, without walls: their number and what walls do have nothing to do with each other.
    let with = drift(&seams, &[0, 1, 2, 3, 4], &["levels.ratio=[4,2]"]);
    assert!(with <= 1e-13, "seams, ratio 4: the totals drift by {with:e}");
}

/// Split schemes conserve totals on three levels if opposite faces of each cell are parallel, whatever the distances of nodes and the
/// angles between the axes; for other mappings they are refused. Tolerance as above.
#[test]
fn parallel_faces_may_be_swept() {
    let sheared = ["X + 0.1 * sin(2*pi*X) + 0.3 * Z", "0.7 * Y", "Z + 0.05 * cos(2*pi*Z) - 0.2 * Y"];
    let mesh = format!("cells = [9, 7, 8]\nboundary = {PERIODIC}");
    let gas = GAS.map(|(name, value)| (name, value.replace("(y", "(1.4 * y")));
    let gas = gas.each_ref().map(|(name, value)| (*name, value.as_str()));
    for split in ["scheme.split=\"strang\"", "scheme.split=\"godunov\""] {
        let mut simulation = in_space(&text(EULER, &mesh, &formulas(sheared), &gas), &[split]);
        let (before, scale) = (simulation.totals(), absolute_totals(&simulation.frame()));
        take_steps(&mut simulation, 4);
        assert_eq!(simulation.hierarchy().levels().len(), 3);
        for (m, after) in simulation.totals().iter().enumerate() {
            let drift = (after - before[m]).abs() / scale[0].max(scale[m]);
            assert!(drift <= 1e-13, "{split}: total {m} drifts by {drift:e}");
        }
        let bent = text(EULER, &mesh, &formulas(SMOOTH), &GAS);
        let overrides = vec![split.to_owned()];
        let refused = Case::from_str_with(&bent, "case.toml", &overrides, find_built_in).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("whose opposite faces differ"), "{refused}");
    }
}

/// Runs the case and the same case without its mapping for four steps.
fn both(text: &str, overrides: &[&str]) -> [Simulation<3>; 2] {
    let [before, after] = [text.split("[mesh.mapping]").next().unwrap(), text.split("[levels]").nth(1).unwrap()];
    let after = after.replace("X -", "x -").replace("Y -", "y -").replace("Z -", "z -");
    [text.to_owned(), format!("{before}[levels]{after}")].map(|text| {
        let mut simulation = in_space(&text, overrides);
        take_steps(&mut simulation, 4);
        simulation
    })
}

/// With the identity as mapping every rotation multiplies by one and adds zero, and reverses tangents twice: values are bitwise equal, on
/// cells whose corners are binary fractions. With several levels sums are weighted with volumes, in another order; at walls the reflected
/// transverse waves are twice those that enter instead of a splitting of their own: these cases differ by round-off of four steps.
#[test]
fn the_identity_changes_nothing() {
    for boundary in ["extrapolate", "wall", "periodic"] {
        let mesh =
            format!("cells = [8, 16, 8]\nboundary = {{ x = \"{boundary}\", y = \"{boundary}\", z = \"{boundary}\" }}");
        for (solver, state) in [(ACOUSTICS, &SOUND[..]), (EULER, &GAS)] {
            for (levels, allowed) in [("levels.max=1", 0.0), ("levels.max=2", 1e-14)] {
                let allowed: f64 = if boundary == "wall" { 1e-14 } else { allowed };
                let [mapped, straight] = both(&text(solver, &mesh, &formulas(IDENTITY), state), &[levels]);
                let difference = largest_difference(&mapped.frame(), &straight.frame());
                assert!(difference <= allowed, "{solver}, {boundary}, {levels}: {difference:e}");
            }
        }
    }
}

/// Between plane walls on a mesh that is curved everywhere else the solution is that of the periodic mesh of twice the length, the mirror image
/// behind them: also what has moved to a wall comes back and moves on along it. Bound: round-off of four steps.
#[test]
fn walls_are_mirrors() {
    let curved = [
        "X + 0.04 * sin(pi * X) * sin(2*pi*Y) * cos(2*pi*Z)",
        "Y + 0.05 * cos(pi * X) * sin(2*pi*Z)",
        "Z - 0.04 * cos(pi * X) * cos(2*pi*Y)",
    ];
    let sound = [
        ("pressure", "1 + cos(pi*x) * sin(2*pi*y)"),
        ("u", "sin(pi*x) * cos(2*pi*z)"),
        ("v", "cos(2*pi*x)"),
        ("w", "1"),
    ];
    let gas = [
        ("density", "2 + cos(pi*x) * sin(2*pi*y)"),
        ("x_momentum", "0.5 * sin(pi*x) * cos(2*pi*z)"),
        ("y_momentum", "0.4 * cos(2*pi*x)"),
        ("z_momentum", "-0.3 * cos(pi*x)"),
        ("energy", "6 + sin(2*pi*z) * cos(2*pi*x)"),
    ];
    // Walls may be the sides of any axis: of the computational axes the one named follows the position x.
    for (solver, state) in [(ACOUSTICS, &sound[..]), (EULER, &gas)] {
        for axis in 0..3 {
            let named = |of: usize| ["X", "Y", "Z"][(of + axis) % 3];
            let map = curved.map(|formula| {
                let formula = formula.replace('X', "A").replace('Y', "B").replace('Z', "C");
                formula.replace('A', named(0)).replace('B', named(1)).replace('C', named(2))
            });
            let run = |cells: usize, side: &str| {
                let (mut number, mut upper) = ([7, 7, 7], [1, 1, 1]);
                number[axis] = 8 * cells;
                upper[axis] = cells;
                let sides: Vec<_> = (0..3).map(|d| if d == axis { side } else { "periodic" }).collect();
                let mesh = format!(
                    "cells = {number:?}\nupper = {upper:?}\nboundary = {{ x = {:?}, y = {:?}, z = {:?} }}",
                    sides[0], sides[1], sides[2]
                );
                let mut simulation = in_space(
                    &text(solver, &mesh, &formulas(map.each_ref().map(String::as_str)), state),
                    &["levels.max=1"],
                );
                take_steps(&mut simulation, 4);
                let mut states = std::collections::HashMap::new();
                for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
                    states.insert(x.map(|x| (1e6 * x).round() as i64), q.to_vec());
                });
                states
            };
            let (walls, twin) = (run(1, "wall"), run(2, "periodic"));
            for (x, q) in walls {
                let error = q.iter().zip(&twin[&x]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error <= 1e-13, "{solver}, walls along {axis}, {x:?}: {error:e}");
            }
        }
    }
}

/// The same in a medium that varies, on one level and on two, bitwise equal except for sums between levels.
#[test]
fn the_identity_changes_nothing_in_a_medium() {
    let medium = "[aux]\nimpedance = \"1 + 0.5 * x\"\nsound_speed = \"2 - x * y\"\n";
    for (levels, allowed) in [("levels.max=1", 0.0), ("levels.max=2", 1e-14)] {
        let mesh = format!("cells = [8, 16, 8]\nboundary = {PERIODIC}");
        let text = text("name = \"acoustics_variable\"", &mesh, &formulas(IDENTITY), &SOUND) + medium;
        let [mapped, straight] = both(&text, &[levels]);
        let difference = largest_difference(&mapped.frame(), &straight.frame());
        assert!(difference <= allowed, "{levels}: {difference:e}");
    }
}

/// On a mesh rotated so far that normals point against their axes, the solution is that of the straight mesh with rotated velocities, up to
/// round-off of four steps.
#[test]
fn a_turned_grid_gives_the_turned_result() {
    // A rotation by 180° about (1, 2, 3)/√14, then by 36.87° about z. Its columns are the directions of the mesh's axes.
    let axis = [1.0, 2.0, 3.0].map(|x: f64| x / 14.0_f64.sqrt());
    let half = |v: [f64; 3]| -> [f64; 3] {
        let along = 2.0 * (0..3).map(|d| v[d] * axis[d]).sum::<f64>();
        std::array::from_fn(|d| along * axis[d] - v[d])
    };
    let turn = |v: [f64; 3]| {
        let [x, y, z] = half(v);
        [0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y, z]
    };
    let columns = [turn([1.0, 0.0, 0.0]), turn([0.0, 1.0, 0.0]), turn([0.0, 0.0, 1.0])];
    assert!(columns[0][0] < 0.0 && columns[1][1] < 0.0);
    let row = |d: usize| format!("({}) * X + ({}) * Y + ({}) * Z", columns[0][d], columns[1][d], columns[2][d]);
    let map = [row(0), row(1), row(2)];
    let pressure = "exp(-30 * ((X - 0.4)^2 + (Y - 0.55)^2 + (Z - 0.5)^2))";
    let [u, v, w] = turn([0.1, -0.2, 0.3]).map(|x| x.to_string());
    let turned = [("pressure", pressure), ("u", u.as_str()), ("v", &v), ("w", &w)];
    let mesh = "cells = [10, 8, 9]\nboundary = { x = \"wall\", z = \"periodic\" }";
    let mapped = text(ACOUSTICS, mesh, &formulas([&map[0], &map[1], &map[2]]), &turned);
    let straight = text(ACOUSTICS, mesh, &formulas(IDENTITY), &SOUND);
    let states = |text: &str, mapped: usize| {
        let mut states = Vec::new();
        let simulation = &both(text, &["levels.max=1"])[mapped];
        for_each_finest_cell(&simulation.frame(), |_, _, _, q| states.push([q[0], q[1], q[2], q[3]]));
        states
    };
    let (mapped, straight) = (states(&mapped, 0), states(&straight, 1));
    assert_eq!(mapped.len(), straight.len());
    for ([p, u, v, w], [p0, u0, v0, w0]) in mapped.into_iter().zip(straight) {
        let [u0, v0, w0] = turn([u0, v0, w0]);
        let error = [p - p0, u - u0, v - v0, w - w0].into_iter().fold(0.0_f64, |largest, e| largest.max(e.abs()));
        assert!(error <= 1e-12, "{error:e}");
    }
}

/// A ring extruded along z has in each plane the solution of the two-dimensional ring, up to round-off of four steps on two levels.
#[test]
fn a_mesh_drawn_out_gives_the_plane_result() {
    let of = |cells: &str, z: &str, more: &str| {
        format!(
            "solver = {{ {ACOUSTICS} }}\n[mesh]\ncells = {cells}\nboundary = {{ x = [\"wall\", \"extrapolate\"], \
             y = \"periodic\"{z} }}\n[mesh.mapping]\nkind = \"annulus\"\ninner = 0.5\nouter = 1.5\n[levels]\nmax = 2\n\
             [regrid]\ninterval = 100\nbuffer = 1\nmax_patch_size = 16\n[regrid.flag]\ncriterion = \"user\"\n\
             expression = \"X > 0.3 && X < 0.6 && Y < 0.4\"\n[time]\nend = 10.0\ndt = 0.01\n[initial]\n\
             pressure = \"exp(-8 * ((x - 0.7)^2 + (y - 0.4)^2))\"\nu = \"0.3 * y\"\nv = \"-0.2 * x\"\n{more}[output]\nformat = []\n"
        )
    };
    let mut plane = start(&of("[8, 24]", "", ""), &[]);
    let mut space = in_space(&of("[8, 24, 6]", ", z = \"periodic\"", "w = \"0\"\n"), &[]);
    take_steps(&mut plane, 4);
    take_steps(&mut space, 4);
    let key = |level: usize, x: f64, y: f64| (level, (1e6 * x).round() as i64, (1e6 * y).round() as i64);
    let mut wanted = std::collections::HashMap::new();
    for_each_finest_cell(&plane.frame(), |l, x, _, q| {
        wanted.insert(key(l, x[0], x[1]), [q[0], q[1], q[2]]);
    });
    let mut seen = 0;
    for_each_finest_cell(&space.frame(), |l, x, _, q| {
        let wanted = wanted[&key(l, x[0], x[1])];
        let error = (0..3).map(|m| (q[m] - wanted[m]).abs()).fold(q[3].abs(), f64::max);
        assert!(error <= 1e-12, "{error:e} at {x:?}");
        seen += l;
    });
    assert!(seen > 100, "{seen} cells of the finer level");
}

/// Smooth sound waves on a smooth mapping converge to second order; the bound allows for the coarsest grid.
#[test]
fn smooth_waves_converge_to_second_order() {
    // X + 1 is mapped to x + 1, y + 0.1 and z − 0.05; Y + 1 and Z + 1 leave x unchanged: these waves are periodic under all three.
    let error = |cells: usize| {
        let text = format!(
            "solver = {{ name = \"acoustics\", density = 1.0, bulk = 1.0 }}\n[mesh]\ncells = [{cells}, {cells}, {cells}]\n\
             boundary = {PERIODIC}\n[mesh.mapping]\n{}\n[scheme]\nlimiter = \"none\"\n[time]\nend = 0.15\n[initial]\n\
             pressure = \"sin(2*pi*x)\"\nu = \"sin(2*pi*x)\"\nv = \"0\"\nw = \"0\"\n[output]\nformat = []\n",
            formulas(SMOOTH)
        );
        let mapping = case(&text, &[]).mapping::<3>().expect("the case has one");
        let mut simulation = in_space(&text, &[]);
        advance_to(&mut simulation, 0.15);
        let (mut sum, mut count) = (0.0, 0.0);
        for_each_finest_cell(&simulation.frame(), |_, x, _, q| {
            sum += (q[0] - (2.0 * PI * (mapping.position(x)[0] - 0.15)).sin()).abs();
            count += 1.0;
        });
        sum / count
    };
    let found = orders(&[10, 20, 40].map(error));
    assert!(found.iter().all(|order| *order > 1.8), "{found:?}");
}

/// A gauge is at its physical position: its first sample is the initial data there, up to second order in the cell size.
#[test]
fn gauges_stand_at_physical_positions() {
    let shell = "kind = \"cubed_sphere_face\"\ninner = 1.0\nouter = 2.0";
    let data = [("pressure", "1 + 0.5 * x - 0.25 * y + z"), ("u", "0"), ("v", "0"), ("w", "0")];
    let text = text(ACOUSTICS, "cells = [12, 12, 12]", shell, &data);
    let text = text.replace("[output]", "[[gauge]]\nname = \"g\"\nposition = [0.6, -0.4, 1.2]\n[output]");
    let mut simulation = in_space(&text, &["time.dt=1e-9", "levels.max=1"]);
    take_steps(&mut simulation, 1);
    let gauges = simulation.gauges();
    let sample = gauges[0].samples().last().expect("a row");
    assert!((sample.q[0] - 2.6).abs() < 5e-3, "{}", sample.q[0]);
}
