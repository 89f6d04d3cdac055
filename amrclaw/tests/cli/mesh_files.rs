//! Cases on meshes from files.

use super::*;
use amrclaw::frames::derived::{Vocabulary, derive};
use std::fs;
use unstructured::make::{Block, Of};

/// Writes a block of cells in the unit square or cube as `NAME`.
pub(super) fn write_block(folder: &Path, name: &str, cells: &[usize], of: Of) {
    write_shaken(folder, name, cells, of, 0.3);
}

fn write_shaken(folder: &Path, name: &str, cells: &[usize], of: Of, shake: f64) {
    let block = Block { shake, ..Block::new(cells, of) };
    let elements = block.make().expect("there is such a block");
    let format = unstructured::write::Format::Gmsh4 { binary: true };
    unstructured::write::write(&folder.join(name), &elements, format).expect("it can be written");
}

const CASE: &str = r#"
[solver]
name = "acoustics"
density = 1
bulk = 1

[mesh]
file = "square.msh"
periodic = [["x_lower", "x_upper"]]

[mesh.boundary]
y_lower = "wall"
y_upper = "wall"

[initial]
pressure = "exp(-40 * ((x - 0.5)^2 + (y - 0.4)^2))"
u = "0"
v = "0"

[time]
end = 0.2

[output]
count = 2
checkpoint_every_steps = 5

[[output.field]]
name = "twice"
formula = "2 * pressure + 0 * x"

[[output.field]]
name = "slopes"
formula = "dy(3 * y) + grad(4 * y + 0 * pressure) + dx(dy(y))"

[[output.field]]
name = "rise"
formula = "dy(pressure)"

[[gauge]]
name = "middle"
position = [0.5, 0.5]
"#;

pub(super) fn write_case(folder: &Path, text: &str) -> PathBuf {
    let case = folder.join("case.toml");
    fs::write(&case, text).expect("it can be written");
    case
}

/// A run on a mesh of shaken triangles writes what runs on patches write: frames as unstructured grids that are read back, further fields, a gauge,
/// totals that stay, checkpoints; a restart gives the same bits, as do other numbers of threads, and refuses another mesh of as many cells; frames are drawn.
#[test]
fn a_case_runs_on_triangles() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "square.msh", &[12, 12], Of::Triangles);
    let case = write_case(folder.path(), CASE);
    run_well(folder.path(), &case, &[], &["--output", "whole", "--threads", "2"]);
    run_well(folder.path(), &case, &["time.max_steps=5"], &["--output", "parts", "--threads", "1"]);
    let restart = ["--output", "parts", "--restart", "parts/checkpoint_000005.h5", "--threads", "1"];
    write_shaken(folder.path(), "other.msh", &[12, 12], Of::Triangles, 0.2);
    let other = run(folder.path(), &case, &["mesh.file=other.msh"], &restart);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("is not the mesh that the checkpoint was written on"), "{}", other.stderr);
    run_well(folder.path(), &case, &[], &restart);
    let [whole, parts] = ["whole", "parts"].map(|dir| folder.path().join(dir));
    for name in ["frame_0002.vtkhdf", "frame_0002.png", "gauge_middle.csv"] {
        assert!(files(&whole).contains(&name.to_owned()), "{name}: {:?}", files(&whole));
    }
    let read =
        |dir: &Path, n: usize| amrclaw::frames::read::frame::<2>(&dir.join(format!("frame_000{n}.vtkhdf"))).unwrap();
    let last = read(&whole, 2);
    let mesh = last.mesh.as_ref().expect("the frame has its mesh");
    assert_eq!((mesh.num_cells(), mesh.points.len(), last.cells), (288, 169, [288, 1]));
    let q = &last.levels[0].patches[0];
    assert!(q.q[..288].iter().zip(&q.aux[..288]).all(|(pressure, twice)| 2.0 * pressure == *twice));
    // The sides' cells know their gradients from within; of linear functions they are exact to round-off.
    assert!(q.aux[288..576].iter().all(|slopes| (slopes - 7.0).abs() < 1e-11), "{:?}", &q.aux[288..576]);
    run_well(folder.path(), &case, &["time.stop_when=\"max(abs(dy(3 * y) - 3)) < 1e-11\""], &["--output", "short"]);
    assert_eq!(record(&folder.path().join("short"))["steps"][0], 1, "derivatives are known to reductions");
    assert!(read(&parts, 2).levels == last.levels, "a restart gives the same bits");
    let gauge = |dir: &Path| fs::read_to_string(dir.join("gauge_middle.csv")).unwrap();
    assert_eq!(gauge(&whole), gauge(&parts));
    let record = record(&whole);
    let total = |key: &str| record[key]["pressure"].as_f64().unwrap();
    assert!((total("totals_final") - total("totals_initial")).abs() < 1e-13 * total("totals_initial"));
    assert!((total("totals_initial") - 0.078).abs() < 0.002, "the integral of the pulse: {}", total("totals_initial"));
    let drawn = program(folder.path()).args(["plot", "whole", "--output", "picture.png"]).output().unwrap();
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
}

/// Forces are a formula times the outward normal, summed over a side, with the states that order 2 has at faces: of a pressure that depends linearly on
/// position, which least squares find exactly, exact integrals, in the plane and in space, beside sides whose values are given, and of its derivative. A restart and other
/// numbers of threads give the same rows; `run.json` has the last ones. Tolerance: round-off.
#[test]
fn forces_are_sums_over_sides() {
    let folder = tempfile::tempdir().unwrap();
    for (axes, cells, of) in [(2, &[6, 5][..], Of::Triangles), (3, &[3, 4, 3], Of::Mixed)] {
        write_block(folder.path(), "block.msh", cells, of);
        let names = &["x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper"][..2 * axes];
        let sides: String = names.iter().map(|name| format!("{name} = \"inflow\"\n")).collect();
        let velocity =
            |value: &str| -> String { ["u", "v", "w"][..axes].iter().map(|u| format!("{u} = {value}\n")).collect() };
        let fields = format!("pressure = \"2 + 3 * x - y\"\n{}", velocity("0"));
        let text = format!(
            "solver = {{ name = \"acoustics\", density = 1, bulk = 1 }}\ntime.end = 0.1\nmesh.file = \"block.msh\"\n\
             scheme = {{ order = 2, limiter = \"none\" }}\n[mesh.boundary]\n{sides}[mesh.boundary.inflow]\n{fields}[initial]\n{fields}\
             [output.forces.x_upper]\nvalue = \"pressure\"\n\
             [output.forces.mass]\nside = \"y_upper\"\nvalue = \"dx(4 * pressure - dx(y)) / 6 * x + 0 * u\"\nevery_steps = 2\n"
        );
        let case = write_case(folder.path(), &text);
        let [whole, parts] = [format!("whole{axes}"), format!("parts{axes}")];
        let sets = ["time.max_steps=5", "output.checkpoint_every_steps=3"];
        run_well(folder.path(), &case, &sets, &["--output", &whole, "--threads", "2"]);
        run_well(folder.path(), &case, &["time.max_steps=3", sets[1]], &["--output", &parts, "--threads", "1"]);
        let restart = format!("{parts}/checkpoint_000003.h5");
        run_well(folder.path(), &case, &sets, &["--output", &parts, "--restart", &restart, "--threads", "1"]);
        let [whole, parts] = [whole, parts].map(|dir| folder.path().join(dir));
        let read = |dir: &Path, name: &str| fs::read_to_string(dir.join(name)).unwrap();
        let last: Vec<Vec<f64>> = ["x_upper", "mass"]
            .map(|name| {
                let series = read(&whole, &format!("force_{name}.csv"));
                assert_eq!(series, read(&parts, &format!("force_{name}.csv")), "a restart gives the same rows");
                let rows: Vec<&str> = series.lines().skip(2).collect();
                assert_eq!(rows.len(), if name == "mass" { 4 } else { 6 }, "{series}");
                let number = |row: &str| row.split(',').map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
                let (first, last) = (number(rows[0]), number(rows[rows.len() - 1]));
                // ∫ (2 + 3 x − y) dy over x = 1, and ∫ 2 x dx over y = 1.
                let (axis, exact) = if name == "mass" { (1, 1.0) } else { (0, 4.5) };
                for d in 0..axes {
                    let exact = if d == axis { exact } else { 0.0 };
                    // Of a derivative, quotients by distances between cells too.
                    let round_off = if name == "mass" { 1e-12 } else { 1e-13 };
                    assert!((first[2 + d] - exact).abs() < round_off, "{name}, {axes}D: {series}");
                }
                last[2..].to_vec()
            })
            .to_vec();
        let record = record(&whole);
        for (name, last) in ["x_upper", "mass"].iter().zip(last) {
            let values: Vec<f64> =
                record["forces"][name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            assert_eq!(values, last, "{name}");
        }
    }
}

/// Cells are refined where the case says so and joined again: by differences, by curvature, by a formula, by one of slopes, in a region and everywhere it forbids
/// none. Totals stay to round-off in a closed box, steps count the leaves of each mesh, a gauge follows its cell, and a restart right after a
/// mesh was renewed writes the same bytes, on other numbers of threads too.
#[test]
fn cells_are_refined() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "square.msh", &[12, 12], Of::Mixed);
    let case = write_case(folder.path(), CASE);
    let refined = ["levels.max=3", "regrid.interval=2", "regrid.buffer=1", "output.checkpoint_every_steps=4"];
    let cases: [(&str, &[&str]); 6] = [
        ("differences", &["regrid.flag.tolerance=0.1"]),
        ("curved", &["regrid.flag.tolerance=0.1", "mesh.curves.y_lower.y=\"0.004 * sin(pi * x)\""]),
        ("curvature", &["regrid.flag.criterion=\"curvature\"", "regrid.flag.tolerance={\"1 + pressure\"=0.06}"]),
        (
            "formula",
            &["regrid.flag.criterion=\"user\"", "regrid.flag.expression=\"hypot(x - 0.5, y - 0.4) < 0.3 - t\""],
        ),
        ("slopes", &["regrid.flag.criterion=\"user\"", "regrid.flag.expression=\"grad(pressure) > 1.5\""]),
        (
            "region",
            &["regrid.flag.tolerance=9", "regrid.region=[{lower=[0.2,0.1],upper=[0.5,0.6],levels=[3,3],time=[0,0.1]}]"],
        ),
    ];
    for (name, sets) in cases {
        let sets = [&refined[..], sets].concat();
        run_well(folder.path(), &case, &sets, &["--output", name, "--threads", "2"]);
        let parts = format!("{name}-parts");
        run_well(folder.path(), &case, &[&sets[..], &["time.max_steps=4"]].concat(), &["--output", &parts]);
        let from = format!("{parts}/checkpoint_000004.h5");
        run_well(folder.path(), &case, &sets, &["--output", &parts, "--restart", &from, "--threads", "1"]);
        let [whole, parts] = [name, &parts].map(|dir| folder.path().join(dir));
        for file in ["frame_0002.vtkhdf", "gauge_middle.csv"] {
            assert!(fs::read(whole.join(file)).unwrap() == fs::read(parts.join(file)).unwrap(), "{name}: {file}");
        }
        let record = record(&whole);
        let total = |key: &str| record[key]["pressure"].as_f64().unwrap();
        assert!((total("totals_final") - total("totals_initial")).abs() < 1e-13 * total("totals_initial"), "{name}");
        let cells: Vec<u64> = fs::read_to_string(whole.join("steps.jsonl"))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["cells"][0].as_u64().unwrap())
            .collect();
        let roots = amrclaw::frames::read::frame::<2>(&whole.join("frame_0000.vtkhdf")).unwrap();
        let again = [("again".to_owned(), "dy(pressure)".to_owned())];
        let derived = derive(&roots, &again, &Vocabulary::default()).unwrap().levels.remove(0).patches.remove(0).q;
        let rise = &roots.levels[0].patches[0].aux[2 * derived.len()..];
        assert!(derived == *rise, "{name}: nodes of a frame tell who is beside whom as faces do");
        assert!(
            roots.cells[0] > 300 && u64::try_from(roots.cells[0]).unwrap() < 16 * 200,
            "{name}: {}",
            roots.cells[0]
        );
        assert!(cells.windows(2).any(|pair| pair[0] != pair[1]), "{name}: leaves change, {cells:?}");
    }
    let of_region = files(&folder.path().join("region"));
    let from = of_region.iter().find(|name| name.starts_with("checkpoint_")).expect("the last one is kept");
    let from = format!("region/{from}");
    let outcome = run(folder.path(), &case, &[], &["--output", "other", "--restart", &from]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("the checkpoint's cells are refined"), "{}", outcome.stderr);
}

const WING: &str = r#"
[solver]
name = "euler_hllc"
gamma = 1.4

[define]
stream = 0.8
angle = "1.25 * pi / 180"

[mesh]
file = "wing.msh"

[mesh.boundary]
wing = "wall"
far = "inflow"

[mesh.boundary.far_state]
density = "1.4"
x_momentum = "1.4 * stream * cos(angle)"
y_momentum = "1.4 * stream * sin(angle)"
energy = "2.5 + 0.7 * stream^2"

[initial]
density = "1.4"
x_momentum = "1.4 * stream * cos(angle)"
y_momentum = "1.4 * stream * sin(angle)"
energy = "2.5 + 0.7 * stream^2"

[scheme]
order = 2
steady = 2e-5

[time]
end = 10000

[output]
png = false

[output.forces.wing]
value = "pressure"
every_steps = 100
"#;

/// The flow around NACA0012 becomes steady by steps of a cell's own length, and the run says after how many: at Mach 0.8 and 1.25 degrees with the
/// lift 0.33 to 0.36 and the drag 0.0214 to 0.0230 of the literature, which differs in how the profile is closed (examples/naca0012/README.md), within 18
/// and 25 % on this coarse and narrow mesh; at Mach 1.2 without incidence with no lift. A restart ends at the same step.
#[test]
fn a_wing_gets_its_steady_lift_and_drag() {
    let folder = tempfile::tempdir().unwrap();
    let wing = unstructured::make::Naca0012 { around: 48, radius: 10.0, ..Default::default() };
    let elements = wing.make().expect("there is such a wing");
    let format = unstructured::write::Format::Gmsh4 { binary: true };
    unstructured::write::write(&folder.path().join("wing.msh"), &elements, format).expect("it can be written");
    let case = write_case(folder.path(), WING);
    // Dynamic pressure ½ 1.4 M².
    let coefficients = |output: &str, mach: f64, degrees: f64| {
        let record = record(&folder.path().join(output));
        assert_eq!(record["stopped_by"], "scheme.steady");
        assert!(record["steady_change"].as_f64().unwrap() < 1e-3);
        let [x, y] = [0, 1].map(|d| record["forces"]["wing"][d].as_f64().unwrap() / (0.7 * mach * mach));
        let (sin, cos) = degrees.to_radians().sin_cos();
        (y * cos - x * sin, x * cos + y * sin)
    };
    let printed = run_well(folder.path(), &case, &[], &["--output", "out"]).stdout;
    assert!(printed.contains("steady after "), "{printed}");
    let (lift, drag) = coefficients("out", 0.8, 1.25);
    assert!((lift / 0.355 - 1.0).abs() < 0.18 && (drag / 0.0228 - 1.0).abs() < 0.25, "{lift} {drag}");
    let fast = ["define.stream=1.2", "define.angle=0", "scheme.steady=1e-3"];
    run_well(folder.path(), &case, &fast, &["--output", "fast"]);
    let (lift, drag) = coefficients("fast", 1.2, 0.0);
    assert!(lift.abs() < 1e-10 && (drag / 0.096 - 1.0).abs() < 0.25, "{lift} {drag}");
    let steps = |output: &str| record(&folder.path().join(output))["steps"][0].as_u64().unwrap();
    let first = [&fast[..], &["time.max_steps=29", "output.checkpoint_every_steps=29"]].concat();
    run_well(folder.path(), &case, &first, &["--output", "parts"]);
    run_well(folder.path(), &case, &fast, &["--output", "parts", "--restart", "parts/checkpoint_000029.h5"]);
    assert!(steps("fast") > 30 && steps("fast") == steps("parts"), "{} {}", steps("fast"), steps("parts"));
}

/// What a mesh from a file does not allow is refused with the key and the reason, and nothing is written.
#[test]
fn what_meshes_do_not_allow_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    write_block(folder.path(), "square.msh", &[4, 4], Of::Quadrilaterals);
    let case = write_case(folder.path(), CASE);
    let wrong: [(&[&str], &[&str], &str); 30] = [
        (&["scheme.gradients_of=primitive"], &[], "no primitive variables"),
        (&["scheme.gradients_of=pressure"], &[], "scheme.gradients_of"),
        (&["scheme.steady=1e-6", "source.pressure=-1"], &[], "steps of one length"),
        (&["scheme.steady=2"], &[], "between 0 and 1"),
        (&["output.forces.top.value=pressure"], &[], "no side `top`"),
        (
            &["output.forces.y_lower.value=pressure", "output.forces.Y_lower={value=\"1\",side=\"y_lower\"}"],
            &[],
            "another force",
        ),
        (&["mesh.cells=[4,4]"], &[], "mesh.cells"),
        (&["levels.max=2"], &[], "regrid.flag.tolerance"),
        (&["levels.max=2", "regrid.flag={tolerance=1,criterion=\"richardson\"}"], &[], "compares steps of boxes"),
        (&["levels={max=2,ratio=[4]}", "regrid.flag={tolerance=1}"], &[], "levels.ratio"),
        (&["scheme.split=\"strang\""], &[], "scheme.split"),
        (&["mesh.boundary.top=\"wall\""], &[], "no side `top`"),
        (&["mesh.periodic=[]"], &[], "mesh.boundary.x_lower"),
        (&["mesh.boundary.y_lower=\"inflow\""], &[], "[mesh.boundary.y_lower_state]"),
        (&["mesh.file=\"none.msh\""], &[], "none.msh"),
        (&["solver={name=\"advection\",u=1,v=0}", "initial={q=\"0\"}"], &[], "rotated"),
        (&["output.format=\"clawpack-ascii\""], &[], "output.format"),
        (&["mesh.motion.z=\"z\""], &[], "no axis `z`"),
        (&["mesh.motion.x=\"q\""], &[], "mesh.motion.x"),
        (&["mesh.motion.speed=\"1\""], &[], "mesh.motion.speed"),
        (&["mesh.motion.x=\"x + t\"", "scheme.steady=1e-6"], &[], "no steady state"),
        (&["mesh.motion.x=\"-x\""], &[], "is folded at t = 0"),
        (&["mesh.motion.x=\"x\"", "mesh.springs=-1"], &[], "must be positive, but is -1"),
        (&["mesh.springs=1"], &[], "follows sides that do not move"),
        (&["mesh.curves.x_lower.x=\"0\""], &[], "is for sides that are refined"),
        (&["levels.max=2", "regrid.flag={tolerance=1}", "mesh.curves.lid.x=\"0\""], &[], "the mesh has no side `lid`"),
        (&["levels.max=2", "regrid.flag={tolerance=1}", "mesh.curves.y_lower.z=\"0\""], &[], "no axis `z`"),
        (&[], &["--device", "cuda-streamed"], "patch by patch"),
        (&[], &["--precision", "f32"], "on a GPU only"),
        (&[], &["--ranks", "2"], "rank"),
    ];
    for (sets, arguments, expected) in wrong {
        let outcome = run(folder.path(), &case, sets, &[&["--output", "refused"], arguments].concat());
        assert_eq!(outcome.code, Some(2), "{sets:?} {arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{sets:?} {arguments:?}: {}", outcome.stderr);
        assert!(!folder.path().join("refused").exists(), "{sets:?} {arguments:?}");
    }
}
