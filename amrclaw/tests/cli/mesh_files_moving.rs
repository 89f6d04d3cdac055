//! Cases on meshes from files that move.

use super::mesh_files::{write_block, write_case};
use super::*;
use std::fs;
use unstructured::make::Of;

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

/// Meshes move by formulas: in a closed box that is deformed mass stays to round-off, frames have the nodes of their time, a restart writes the same
/// bytes, on other numbers of threads too, and so it is where cells are refined meanwhile. There a uniform state stays to the last bit between
/// sides that let everything pass, at order 1.
#[test]
fn meshes_move() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "square.msh", &[8, 8], Of::Mixed);
    let case = write_case(folder.path(), BREATHING);
    let moved = |output: &str| {
        let last = amrclaw::frames::read::frame::<2>(&folder.path().join(output).join("frame_0002.vtkhdf")).unwrap();
        let mesh = last.mesh.clone().expect("the frame has its mesh");
        let far = [0, 1].map(|d| mesh.points.iter().map(|point| point[d]).fold(0.0, f64::max));
        assert!((far[0] - (1.0 + 0.3 * 0.8_f64.sin())).abs() < 1e-14, "{output}: {far:?}");
        assert!((far[1] - (1.0 - 0.2 * 1.0_f64.sin())).abs() < 1e-14, "{output}: {far:?}");
        last
    };
    for (name, sets) in [("whole", &["levels.max=1"][..]), ("refined", &["levels.max=3"])] {
        run_well(folder.path(), &case, sets, &["--output", name, "--threads", "2"]);
        let parts = format!("{name}-parts");
        run_well(folder.path(), &case, &[sets, &["time.max_steps=4"]].concat(), &["--output", &parts]);
        let from = format!("{parts}/checkpoint_000004.h5");
        run_well(folder.path(), &case, sets, &["--output", &parts, "--restart", &from, "--threads", "1"]);
        let [whole, parts] = [name, &parts].map(|dir| folder.path().join(dir));
        for file in ["frame_0002.vtkhdf", "gauge_middle.csv", "force_x_upper.csv"] {
            assert!(fs::read(whole.join(file)).unwrap() == fs::read(parts.join(file)).unwrap(), "{name}: {file}");
        }
        let record = record(&whole);
        let total = |key: &str| record[key]["density"].as_f64().unwrap();
        assert!((total("totals_final") / total("totals_initial") - 1.0).abs() < 1e-13, "{name}");
        assert!((moved(name).cells[0] > 100) == (name == "refined"), "{name}");
    }
    let open: Vec<String> = ["x_lower", "x_upper", "y_lower", "y_upper"]
        .iter()
        .map(|side| format!("mesh.boundary.{side}=\"extrapolate\""))
        .collect();
    let uniform = [
        "levels.max=3",
        "scheme.order=1",
        "initial={density=\"1.1\",x_momentum=\"0.3\",y_momentum=\"0.2\",energy=\"2.7\"}",
        "regrid.flag={criterion=\"user\",expression=\"hypot(x - 0.5, y - 0.4) < 0.3 - t\"}",
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
