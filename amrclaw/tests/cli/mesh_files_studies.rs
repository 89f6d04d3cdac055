//! Studies of cases on meshes from files, their pictures, and sources on many cells.

use super::mesh_files::{write_block, write_case};
use super::*;
use std::fs;
use unstructured::make::Of;

/// A plane wave of sound that runs obliquely between sides where it is given; `file` and what else changes stand behind.
const WAVE: &str = r#"
[solver]
name = "acoustics"
density = 1
bulk = 1

[define]
wave = "sin(6 * (0.8 * x + 0.6 * y - t))"

[mesh]
file = "coarse.msh"

[mesh.boundary]
x_lower = "inflow"
x_upper = "inflow"
y_lower = "inflow"
y_upper = "inflow"

[mesh.boundary.inflow]
pressure = "wave"
u = "0.8 * wave"
v = "0.6 * wave"

[initial]
pressure = "wave"
u = "0.8 * wave"
v = "0.6 * wave"

[scheme]
order = 2
limiter = "none"

[time]
end = 0.2
"#;

/// `converge` takes files, coarsest first: on shaken triangles sound has the order 2 of its scheme. What files do not allow is refused before the first
/// run, as is `tune`; a sweep over files compares with formulas. Lines and cuts through the mesh are drawn.
#[test]
fn studies_take_files() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "coarse.msh", &[10, 10], Of::Triangles);
    write_block(folder.path(), "fine.msh", &[20, 20], Of::Triangles);
    write_case(folder.path(), WAVE);
    let of = |arguments: &[&str]| -> Outcome { program(folder.path()).args(arguments).output().unwrap().into() };
    let well = |arguments: &[&str]| {
        let outcome = of(arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
        outcome.stdout
    };
    let (exact, files) = (["--exact", "pressure = wave"], ["--meshes", "coarse.msh,fine.msh"]);
    well(&[&["converge", "case.toml", "--output", "study"], &exact[..], &files].concat());
    let table = fs::read_to_string(folder.path().join("study/converge.csv")).unwrap();
    let order: f64 = table.lines().last().unwrap().split(',').nth(5).unwrap().parse().unwrap();
    assert!((1.8..2.3).contains(&order) && table.contains(",200,") && table.contains(",800,"), "{table}");
    let printed = well(&["sweep", "case.toml", "--vary", "mesh.file=coarse.msh,fine.msh", "--error", "u = 0.8 * wave"]);
    assert!(printed.contains("fine.msh"), "{printed}");
    let refused: [(&[&str], &str); 5] = [
        (&["converge", "case.toml", "--exact", "pressure = wave"], "write files, coarsest first"),
        (&["converge", "case.toml", "--meshes", "coarse.msh,fine.msh"], "write --exact"),
        (
            &["converge", "case.toml", "--exact", "u = 0", "--meshes", "fine.msh,coarse.msh"],
            "more cells than the one before",
        ),
        (
            &["converge", "case.toml", "--exact", "u = log(x - 0.5)", "--meshes", "coarse.msh,fine.msh"],
            "`u = log(x - 0.5)` is NaN",
        ),
        (&["tune", "case.toml"], "amrclaw sweep"),
    ];
    for (arguments, expected) in refused {
        let outcome = of(&[arguments, &["--output", "refused"]].concat());
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{arguments:?}: {}", outcome.stderr);
        assert!(!folder.path().join("refused").exists(), "{arguments:?}");
    }
    for [option, cut] in [["--line", "0,0.1,1,0.7"], ["--slice", "y=0.4"]] {
        well(&["plot", "study/cells_200", option, cut, "--output", "cut.png"]);
    }
    let outside = of(&["plot", "study/cells_200", "--line", "0,0,2,1", "--output", "other.png"]);
    assert!(outside.stderr.contains("outside the domain, where x is from 0 to 1"), "{}", outside.stderr);
}

/// A source that depends on position acts in every cell of 1,296 triangles and of 1,080 tetrahedra, which threads share, at its own centroid: where sound
/// hardly moves the pressure is rate times time, up to round-off; the bytes do not depend on threads. Frames in space are drawn.
#[test]
fn sources_act_in_cells_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (cells, of) in [(&[27, 24][..], Of::Triangles), (&[6, 6, 5], Of::Tetrahedra)] {
        let axes = cells.len();
        write_block(folder.path(), "block.msh", cells, of);
        let names = &["x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper"][..2 * axes];
        let walls: String = names.iter().map(|name| format!("{name} = \"wall\"\n")).collect();
        let at_rest: String = ["u", "v", "w"][..axes].iter().map(|u| format!("{u} = \"0\"\n")).collect();
        // The waves' speed is 1e-15.
        let text = format!(
            "solver = {{ name = \"acoustics\", density = 1, bulk = 1e-30 }}\nmesh.file = \"block.msh\"\n\
             time = {{ end = 0.5, dt = 0.125 }}\noutput.count = 1\nsource.pressure = \"sin(3 * x) * y\"\n\
             [mesh.boundary]\n{walls}[initial]\npressure = \"0\"\n{at_rest}"
        );
        let case = write_case(folder.path(), &text);
        let frames = ["1", "2"].map(|threads| {
            let output = format!("{axes}on{threads}");
            run_well(folder.path(), &case, &[], &["--output", &output, "--threads", threads]);
            folder.path().join(output).join("frame_0001.vtkhdf")
        });
        let [one, two] = frames.each_ref().map(|file| fs::read(file).unwrap());
        assert!(one == two, "{axes}D: one thread and two");
        let mut pressures: Vec<f64> = Vec::new();
        let mut centroids: Vec<[f64; 3]> = Vec::new();
        if axes == 2 {
            let frame = amrclaw::frames::read::frame::<2>(&frames[1]).unwrap();
            pressures.extend(&frame.levels[0].patches[0].q[..frame.cells[0] as usize]);
            centroids.extend(&frame.mesh.as_ref().unwrap().centroid);
        } else {
            let frame = amrclaw::frames::read::frame::<3>(&frames[1]).unwrap();
            pressures.extend(&frame.levels[0].patches[0].q[..frame.cells[0] as usize]);
            centroids.extend(&frame.mesh.as_ref().unwrap().centroid);
            assert!(frames[1].with_extension("png").exists(), "a picture of planes through the middle");
        }
        for (pressure, at) in pressures.iter().zip(&centroids) {
            let exact = 0.5 * (3.0 * at[0]).sin() * at[1];
            assert!((pressure - exact).abs() < 1e-14, "{axes}D: {pressure} at {at:?}, not {exact}");
        }
        assert!(pressures.len() > 1024, "more than a thread takes at a time");
    }
}

/// Sources act beyond sides too in the first half of Strang's splitting: a uniform state that decays, which sides give by its formula, has an error of
/// second order in the step, whatever the stages are; it is of first order where they do not. Where formulas give the state within, nothing acts twice:
/// of data that are not uniform the bytes are those of sides that let all pass.
#[test]
fn sources_act_beyond_sides() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "block.msh", &[6, 5], Of::Triangles);
    let [given, within] = [["exp(-3 * t)", "0.5 * exp(-3 * t)", "0"], ["pressure", "u", "v"]];
    let fields = |of: [&str; 3]| format!("pressure = {:?}\nu = {:?}\nv = {:?}\n", of[0], of[1], of[2]);
    let text = |side: &str, state: [&str; 3], initial: [&str; 3]| {
        let sides: String =
            ["x_lower", "x_upper", "y_lower", "y_upper"].map(|name| format!("{name} = \"{side}\"\n")).concat();
        let state = if side == "inflow" { format!("[mesh.boundary.inflow]\n{}", fields(state)) } else { String::new() };
        format!(
            "solver = {{ name = \"acoustics\", density = 1, bulk = 1 }}\nmesh.file = \"block.msh\"\nscheme.source = \"strang\"\n\
             time.end = 0.4\noutput.count = 1\n[source]\n{}[mesh.boundary]\n{sides}{state}[initial]\n{}",
            fields(["-3 * pressure", "-3 * u", "-3 * v"]),
            fields(initial)
        )
    };
    let last = |text: &str, sets: &[&str]| {
        let case = write_case(folder.path(), text);
        run_well(folder.path(), &case, sets, &["--output", "out", "--overwrite", "--threads", "1"]);
        amrclaw::frames::read::frame::<2>(&folder.path().join("out/frame_0001.vtkhdf")).unwrap().levels.remove(0)
    };
    let uniform = text("inflow", given, ["1", "0.5", "0"]);
    for scheme in
        ["scheme.order=1", "scheme.time=rk2", "scheme.time=rk3", "scheme.time=rk3_low_storage", "scheme.time=hancock"]
    {
        let errors = ["time.dt=0.02", "time.dt=0.01"].map(|dt| {
            let pressures = &last(&uniform, &[scheme, dt]).patches[0].q[..60];
            pressures.iter().map(|pressure| (pressure - (-1.2_f64).exp()).abs()).fold(0.0, f64::max)
        });
        assert!(errors[0] < 1e-3 && errors[0] > 3.5 * errors[1], "{scheme}: {errors:?}");
    }
    let pulse = ["exp(-9 * (x^2 + y^2))", "0", "0"];
    let [inside, open] = ["inflow", "extrapolate"].map(|side| last(&text(side, within, pulse), &[]));
    assert!(inside == open, "what is within is beyond");
}
