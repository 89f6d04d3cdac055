//! The README's commands and every example run.

#[path = "../../../examples/sedov_3d/exact.rs"]
mod exact;

use super::{example, files, program, record, run_well};
use std::path::Path;

/// The README's command on a smaller mesh: frames, picture and record are where the summary says, and the record is consistent.
#[test]
fn a_run_writes_frames_picture_and_record() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "time.end=0.05", "output.times=[0.0,0.05]"];
    let outcome = run_well(folder.path(), &example("acoustics_radial"), &sets, &["--threads", "2"]);
    assert!(outcome.stdout.contains("output/acoustics_radial"), "{}", outcome.stdout);
    let dir = folder.path().join("output/acoustics_radial");
    let expected = ".amrclaw frame_0000.png frame_0000.vtkhdf frame_0001.png frame_0001.vtkhdf frames.vtkhdf.series run.json steps.jsonl";
    assert_eq!(files(&dir).join(" "), expected);
    let record = record(&dir);
    assert_eq!((&record["status"], &record["time"]), (&"done".into(), &0.05.into()));
    assert_eq!(
        (&record["threads"], &record["precision"], &record["device"]),
        (&2.into(), &"f64".into(), &"cpu".into())
    );
    let cells = record["cells_advanced"].as_array().unwrap();
    let total: u64 = cells.iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(record["cells_advanced_total"], total);
    // The coarsest level always covers the domain.
    assert_eq!(cells[0].as_u64().unwrap(), 400 * record["steps"][0].as_u64().unwrap());
    // Nothing has reached the sides yet, so the pressure's integral is conserved, to round-off of sums over 10⁴ cells.
    let total = |key: &str| record[key]["pressure"].as_f64().unwrap();
    assert!((total("totals_initial") - total("totals_final")).abs() < 1e-12);
}

/// A run that overwrites another removes its frames, whatever their formats.
#[test]
fn frames_of_an_earlier_run_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let case = example("burgers_square");
    let sets =
        ["mesh.cells=[10,10]", "levels.max=1", "time.end=0.1", "output.times=[0.0,0.05,0.1]", "output.png=false"];
    for format in ["output.format=vtkhdf", "output.format=clawpack-binary", "output.format=plotfile"] {
        let sets = [&sets[..], &[format]].concat();
        run_well(folder.path(), &case, &sets, &["--output", "out", "--overwrite"]);
    }
    let dir = folder.path().join("out");
    assert!(
        dir.join("plt00002").exists() && !dir.join("fort.b0002").exists() && !dir.join("frame_0002.vtkhdf").exists()
    );
    std::fs::write(dir.join("fort.notes"), "mine").unwrap();
    let sets = [&sets[..3], &["output.times=[0.1]", "output.png=false"]].concat();
    run_well(folder.path(), &case, &sets, &["--output", "out", "--overwrite"]);
    assert_eq!(
        files(&dir).join(" "),
        ".amrclaw fort.notes frame_0000.vtkhdf frames.vtkhdf.series run.json steps.jsonl"
    );
}

/// Single precision takes half the memory, and the result is that of double precision up to its round-off.
#[test]
fn single_precision_runs() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "time.end=0.05", "output.times=[0.05]"];
    for precision in ["f64", "f32"] {
        let arguments = ["--output", precision, "--precision", precision];
        run_well(folder.path(), &example("acoustics_radial"), &sets, &arguments);
    }
    let [double, single] = ["f64", "f32"].map(|p| record(&folder.path().join(p)));
    assert_eq!(single["precision"], "f32");
    let total = |record: &serde_json::Value| record["totals_final"]["pressure"].as_f64().unwrap();
    // A few hundred steps with a round-off of 6e-8 each, which partly cancels.
    assert!((total(&double) - total(&single)).abs() < 1e-5 * total(&double));
    assert!(total(&double) != total(&single));
}

/// The exact solution of the point explosion has the constant of Sedov's tables for γ = 1.4, 0.851072, up to the error of
/// the quadrature, and the right state behind the shock; a hundredth of the radius further in, the density is a fifth lower.
#[test]
fn the_exact_explosion_is_sedovs() {
    let exact = exact::Sedov::new(1.4);
    assert!((exact.alpha - 0.851072).abs() < 2e-5, "{}", exact.alpha);
    assert!((exact.radius(0.5) - (0.25_f64 / 0.851072).powf(0.2)).abs() < 1e-5);
    assert!((exact.peak_density() - 6.0).abs() < 1e-14);
    let shock = exact.behind(1.0).expect("it is not beyond");
    for value in [shock.lambda, shock.velocity, shock.density, shock.pressure] {
        assert!((value - 1.0).abs() < 1e-12, "{value}");
    }
    let further_in = exact.behind(0.99).expect("it is not beyond");
    assert!((further_in.density - 0.818).abs() < 1e-3, "{}", further_in.density);
    assert!(exact.behind(1.01).is_none());
}

/// Whether an example's mesh has three axes.
fn in_space(name: &str) -> bool {
    let case = std::fs::read_to_string(example(name)).unwrap();
    case.lines().any(|line| line.starts_with("z = "))
}

/// Every example runs, with the formats and frames that its case asks for. What `amrclaw example` writes of it is complete, but for meshes,
/// which `amrclaw mesh make` makes.
#[test]
fn every_example_runs() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut names: Vec<_> = std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() >= 7);
    for name in names.iter().filter_map(|name| name.to_str()) {
        let folder = tempfile::tempdir().unwrap();
        let cells = match name {
            "traffic_light" | "gas_near_vacuum" | "carrier_greenspan" | "channel_friction" => "mesh.cells=[24]",
            // These domains are longer than wide.
            "euler_shock_bubble" => "mesh.cells=[48,12]",
            "shallow_hump" => "mesh.cells=[36,18]",
            // Their meshes are in files.
            "shock_corner_cells" => "levels.max=2",
            "pitching_aerofoil" => "levels.max=1",
            "naca0012" | "missile" => "scheme.time=rk2",
            "mach_jet" => "mesh.cells=[40,10]",
            "dam_break_valley" => "mesh.cells=[50,20]",
            "shock_bubble_3d" => "mesh.cells=[12,5,5]",
            // Coarser cells do not resolve the region that holds the energy.
            "sedov_3d" => "mesh.cells=[16,16,16]",
            // With fewer cells the run ends after three steps.
            "acoustics_spherical" => "mesh.cells=[12,12,12]",
            _ if in_space(name) => "mesh.cells=[8,8,8]",
            _ => "mesh.cells=[24,24]",
        };
        let outcome = run_well(folder.path(), &example(name), &[cells, "time.max_steps=3"], &[]);
        let record = record(&folder.path().join("output").join(name));
        assert_eq!((&record["status"], &record["steps"][0]), (&"done".into(), &3.into()), "{name}");
        assert!(outcome.stdout.contains("max_steps"), "{}", outcome.stdout);
        let [source, copy] = [example(name).parent().unwrap().to_owned(), folder.path().join(name)];
        assert!(program(folder.path()).args(["example", name]).output().unwrap().status.success(), "{name}");
        for file in std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "msh") {
                std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
            }
        }
        let validated = program(folder.path()).arg("validate").arg(copy.join("case.toml")).output().unwrap();
        assert!(validated.status.success(), "{name}: {}", String::from_utf8_lossy(&validated.stderr));
    }
}

/// `--quiet` prints nothing, except that files go to another folder than asked for; without it, a short run writes only the log to standard
/// error.
#[test]
fn quiet_runs_are_silent() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[10,10]", "time.max_steps=1"];
    let quiet = run_well(folder.path(), &example("burgers_square"), &sets, &["--quiet"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let again = run_well(folder.path(), &example("burgers_square"), &sets, &["--quiet"]);
    assert!(
        again.stdout.is_empty() && again.stderr.contains("this run writes to output/burgers_square_2"),
        "{}",
        again.stderr
    );
    let logged = run_well(folder.path(), &example("burgers_square"), &sets, &["--quiet", "--log", "info"]);
    assert!(logged.stdout.is_empty() && logged.stderr.contains("frame written"), "{}", logged.stderr);
}

/// `info` names what can be chosen.
#[test]
fn info_lists_solvers_limiters_and_formats() {
    let output = program(Path::new(".")).arg("info").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for word in [env!("CARGO_PKG_VERSION"), "threads", "acoustics_variable", "gamma", "vtkhdf", "plotfile", "van_leer"]
    {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}

/// `plot` draws the given frame and field, by default the last frame's first field; if one does not exist, it lists those that do.
#[test]
fn plot_draws_frames() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["mesh.cells=[20,20]", "time.max_steps=1", "output.count=1", "output.png=false"];
    run_well(folder.path(), &example("acoustics_radial"), &sets, &["--output", "out"]);
    let plot = |arguments: &[&str]| program(folder.path()).arg("plot").args(arguments).output().unwrap();
    for (arguments, file) in [
        (&["out"][..], "out/plot_last.png"),
        (&["out", "--frame", "0", "--field", "u"], "out/plot_0000_u.png"),
        (&["out", "--output", "mine.png", "--no-outlines", "--size", "100"], "mine.png"),
    ] {
        let output = plot(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), file);
        let picture = std::fs::read(folder.path().join(file)).unwrap();
        assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    }
    for (arguments, reason) in
        [(&["out", "--field", "q"][..], "pressure, u, v"), (&["out", "--frame", "9"], "frame_0009"), (&["no"], "no")]
    {
        let output = plot(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(reason), "{arguments:?}");
    }
}
