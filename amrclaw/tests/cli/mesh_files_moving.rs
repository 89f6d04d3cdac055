//! Cases on meshes from files that move.

use super::mesh_files::{write_block, write_case};
use super::*;
use std::fs;
use unstructured::make::{Naca0012, Of};

const BREATHING: &str = r#"
[solver]
name = "euler_hllc"

[mesh]
file = "square.msh"

[mesh.boundary]
x_lower = "wall"
x_upper = "wall"
y_lower = "wall"
y_upper = "wall"

# The box becomes wider and lower, its inner nodes swing.
[mesh.motion]
x = "(1 + 0.3 * sin(4 * t)) * (x + 0.1 * sin(6 * t) * sin(2 * pi * y) * x * (1 - x))"
y = "y * (1 - 0.2 * sin(5 * t))"

[initial]
density = "1 + 0.3 * exp(-40 * ((x - 0.5)^2 + (y - 0.4)^2))"
x_momentum = "0"
y_momentum = "0"
energy = "2.5"

[scheme]
order = 2

[regrid]
interval = 2
flag = { tolerance = { density = 0.05 } }

[time]
end = 0.2

[output]
count = 2
checkpoint_every_steps = 4

[output.forces.x_upper]
value = "pressure"

[[gauge]]
name = "middle"
position = [0.5, 0.5]
"#;

/// Meshes move by formulas, or their sides do and springs draw the nodes within after them: in a closed box that is deformed mass stays to round-off, frames have the nodes of their time, a restart writes the same
/// bytes, on other numbers of threads too, and so it is where cells are refined meanwhile. There a uniform state stays to the last bit between
/// sides that let everything pass, at order 1, of which one is curved. Where a curve's cells become wider what they have beyond their fathers does
/// too: mass stays to that.
#[test]
fn meshes_move() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "square.msh", &[8, 8], Of::Mixed);
    write_block(folder.path(), "box.msh", &[4, 4, 2], Of::Hexahedra);
    let case = write_case(folder.path(), BREATHING);
    let moved = |output: &str| {
        let last = amrclaw::frames::read::frame::<2>(&folder.path().join(output).join("frame_0002.vtkhdf")).unwrap();
        let mesh = last.mesh.clone().expect("the frame has its mesh");
        let far = [0, 1].map(|d| mesh.points.iter().map(|point| point[d]).fold(0.0, f64::max));
        assert!((far[0] - (1.0 + 0.3 * 0.8_f64.sin())).abs() < 1e-14, "{output}: {far:?}");
        assert!((far[1] - (1.0 - 0.2 * 1.0_f64.sin())).abs() < 1e-14, "{output}: {far:?}");
        last
    };
    let springs = &["levels.max=3", "mesh.springs=0.03"][..];
    let in_space = &[
        "mesh.file=\"box.msh\"",
        "mesh.boundary.z_lower=wall",
        "mesh.boundary.z_upper=wall",
        "mesh.motion.z=\"z * (1 + 0.2 * sin(5 * t) * x)\"",
        "initial.z_momentum=0",
        "levels.max=2",
        "gauge=[]",
    ][..];
    let curve = "mesh.curves.y_lower.y=\"0.01 * sin(pi * x)\"";
    let curved = &["levels.max=3", "mesh.springs=0.03", "regrid.flag.tolerance.density=0.01", curve][..];
    for (name, sets) in [
        ("whole", &["levels.max=1"][..]),
        ("refined", &["levels.max=3"]),
        ("springs", springs),
        ("curved", curved),
        ("box", in_space),
    ] {
        run_well(folder.path(), &case, sets, &["--output", name, "--threads", "2"]);
        let parts = format!("{name}-parts");
        run_well(folder.path(), &case, &[sets, &["time.max_steps=4"]].concat(), &["--output", &parts]);
        let from = format!("{parts}/checkpoint_000004.h5");
        run_well(folder.path(), &case, sets, &["--output", &parts, "--restart", &from, "--threads", "1"]);
        let [whole, parts] = [name, &parts].map(|dir| folder.path().join(dir));
        let files = ["frame_0002.vtkhdf", "force_x_upper.csv", "gauge_middle.csv"];
        for file in &files[..if name == "box" { 2 } else { 3 }] {
            assert!(fs::read(whole.join(file)).unwrap() == fs::read(parts.join(file)).unwrap(), "{name}: {file}");
        }
        let record = record(&whole);
        let total = |key: &str| record[key]["density"].as_f64().unwrap();
        let most = if name == "curved" { 1e-5 } else { 1e-13 };
        assert!((total("totals_final") / total("totals_initial") - 1.0).abs() < most, "{name}");
        if name == "box" {
            let last = amrclaw::frames::read::frame::<3>(&whole.join("frame_0002.vtkhdf")).unwrap();
            assert!(last.cells[0] > 32, "cells are refined");
            continue;
        }
        let last = moved(name);
        assert!((last.cells[0] > 100) == (name != "whole"), "{name}");
        // Others' nodes are at the side or a cell away.
        let on_curve = |at: &&[f64; 3]| 1e-3 < at[1] && at[1] < 0.01;
        let curved = last.mesh.iter().flat_map(|mesh| &mesh.points).filter(on_curve).count();
        assert!((curved > 8) == (name == "curved"), "{name}: {curved}");
    }
    let open: Vec<String> = ["x_lower", "x_upper", "y_lower", "y_upper"]
        .iter()
        .map(|side| format!("mesh.boundary.{side}=\"extrapolate\""))
        .collect();
    let uniform = [
        "levels.max=3",
        "scheme.order=1",
        "initial={density=\"1.1\",x_momentum=\"0.3\",y_momentum=\"0.2\",energy=\"2.7\"}",
        "regrid.flag={criterion=\"user\",expression=\"hypot(x - 0.5, y - 0.2) < 0.3 - t\"}",
        curve,
    ];
    let sets: Vec<&str> = uniform.into_iter().chain(open.iter().map(String::as_str)).collect();
    run_well(folder.path(), &case, &sets, &["--output", "uniform"]);
    let last = moved("uniform");
    let cells = last.cells[0] as usize;
    for (m, value) in [1.1, 0.3, 0.2, 2.7].into_iter().enumerate() {
        let values = &last.levels[0].patches[0].q[m * cells..][..cells];
        assert!(values.iter().all(|q| *q == value), "equation {m}");
    }
    let folding = ["mesh.motion.x=\"x + 30 * t * x * (1 - x) * sin(20 * y)\""];
    let outcome = run(folder.path(), &case, &folding, &["--output", "folded"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("of the mesh is folded at t = "), "{}", outcome.stderr);
}

const PITCHING: &str = r#"
[define]
angle = "5 * pi / 180 * sin(t)"

[solver]
name = "euler_hllc"

[mesh]
file = "wing.msh"

[mesh.boundary]
wing = "wall"
far = "inflow"
far_state = { density = "1.4", x_momentum = "1.4 * 0.5", y_momentum = "0", energy = "2.5 + 0.7 * 0.25" }

[mesh.motion]
x = "0.25 + (x - 0.25) * cos(angle) + y * sin(angle)"
y = "y * cos(angle) - (x - 0.25) * sin(angle)"

[initial]
density = "1.4"
x_momentum = "1.4 * 0.5"
y_momentum = "0"
energy = "2.5 + 0.7 * 0.25"

[scheme]
order = 2
time = "hancock"
limiter = "none"

[time]
end = 1.5
dt = 0.003

[output]
count = 1
forces = { wing = { value = "pressure" } }
"#;

/// A profile pitches in a stream: nose up it is lifted. A wing between walls is lifted as its profile: the same steps on one more axis, to round-off that
/// grows over 500 steps; so it is where cells downstream are refined from the start, with gradients by faces' areas, as a side of a hexahedron has twice the
/// small faces. Whether the mesh turns as a whole or springs draw it after the profile, in a circle at rest, changes the lift as other
/// cells do: by some percent on a mesh as coarse as this.
#[test]
fn wings_pitch() {
    let folder = tempfile::tempdir().unwrap();
    let case = write_case(folder.path(), PITCHING);
    let naca = Naca0012 { around: 24, radius: 4.0, span: 0.5, ..Naca0012::default() };
    let format = unstructured::write::Format::Gmsh4 { binary: true };
    for (name, layers, of) in [("flat", 0, Of::Quadrilaterals), ("deep", 1, Of::Hexahedra)] {
        let elements = Naca0012 { layers, of, ..naca.clone() }.make().expect("there is such a wing");
        unstructured::write::write(&folder.path().join(name).with_extension("msh"), &elements, format).unwrap();
    }
    let lift = |name: &str, sets: &[&str]| {
        run_well(folder.path(), &case, sets, &["--output", name]);
        record(&folder.path().join(name))["forces"]["wing"][1].as_f64().unwrap()
    };
    let flat = lift("flat", &["mesh.file=\"flat.msh\""]);
    let in_space = [
        "mesh.file=\"deep.msh\"",
        "initial.z_momentum=0",
        "mesh.boundary.symmetry=wall",
        "mesh.boundary.far_state.z_momentum=0",
    ];
    let deep = lift("deep", &in_space);
    let turning = "mesh.motion={x=\"if(hypot(x - 0.5, y) < 0.8, 0.25 + (x - 0.25) * cos(angle) + y * sin(angle), x)\",\
                   y=\"if(hypot(x - 0.5, y) < 0.8, y * cos(angle) - (x - 0.25) * sin(angle), y)\"}";
    let drawn = lift("drawn", &["mesh.file=\"flat.msh\"", "mesh.springs=0.05", turning]);
    let refined = [
        "time.end=0.05",
        "time.dt=0.001",
        "scheme.gradient=green-gauss",
        "levels.max=2",
        "regrid={interval=1000,flag={criterion=\"user\",expression=\"x > 0.5\"}}",
    ];
    let near = lift("near", &[&["mesh.file=\"flat.msh\""][..], &refined].concat());
    let at_span = lift("at_span", &[&in_space[..], &refined].concat());
    println!("lift {flat}, per span {}, by springs {drawn}", deep / 0.5);
    assert!(flat > 0.01 && (deep / 0.5 / flat - 1.0).abs() < 1e-9 && (drawn / flat - 1.0).abs() < 0.03);
    assert!(near != flat && (at_span / 0.5 / near - 1.0).abs() < 1e-9, "{near} {}", at_span / 0.5);
}
