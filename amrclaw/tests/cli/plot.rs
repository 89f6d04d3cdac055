//! `amrclaw plot`: pictures of a run's frames, and wrong input.

use super::{Outcome, example, files, program, record, run_well};
use std::path::Path;

fn plot(folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = program(folder);
    command.args(["plot", "out"]).args(arguments);
    command.output().expect("the program starts").into()
}

fn plot_well(folder: &Path, arguments: &[&str]) -> Outcome {
    let outcome = plot(folder, arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
    outcome
}

/// Three frames of Euler's equations on two levels.
fn euler(folder: &Path) {
    let sets = ["mesh.cells=[20,20]", "levels.max=2", "levels.ratio=2", "time.end=0.1", "output.count=2"];
    let sets = [&sets[..], &["output.png=false"]].concat();
    run_well(folder, &example("euler_quadrants"), &sets, &["--output", "out"]);
}

/// Formulas and the solver's quantities are drawn, also several in one picture, with range, logarithm, zoom and outlines of one
/// level; the parameter gamma is taken from the run.
#[test]
fn quantities_and_formulas_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    let arguments = [
        ["--field", "mach"],
        ["--field", "sqrt(x_momentum^2 + y_momentum^2) / density"],
        ["--field", "abs(grad(density))"],
        ["--zoom", "0.1,0.5,0.2,0.6"],
        ["--output", "panel.png"],
        ["--outline-level", "2"],
    ];
    plot_well(folder.path(), arguments.as_flattened());
    plot_well(folder.path(), &["--field", "pressure", "--log", "--range", "0.01,2", "--output", "log.png"]);
    plot_well(folder.path(), &["--field", "density", "--slice", "y=0.5", "--output", "line.png"]);
    let magma = ["--field", "pressure", "--log", "--range", "0.01,2", "--colours", "Magma_r", "--output", "magma.png"];
    plot_well(folder.path(), &magma);
    let arrows = ["--vectors", "x_momentum, y_momentum/max(density, 1)", "--contours", "5", "--output", "arrows.svg"];
    plot_well(folder.path(), &arrows);
    let line = ["--line", "0,0.5,1,0.5", "--exact", "density = 1 + 0.1*x"];
    plot_well(folder.path(), &[&line[..], &["--output", "exact.svg"]].concat());
    let names = ["arrows.svg", "exact.svg", "line.png", "log.png", "magma.png", "out", "panel.png"];
    assert_eq!(files(folder.path()), names);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_ne!(bytes("log.png"), bytes("magma.png"));
    let size = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(folder.path().join(name)).unwrap());
        let reader = png::Decoder::new(file).read_info().unwrap();
        (reader.info().width, reader.info().height)
    };
    // Three square pictures are arranged in two columns and two rows.
    let ((width, height), (one_width, one_height)) = (size("panel.png"), size("log.png"));
    assert!(width > 2 * 800 && height > 2 * 800 && width < 3 * one_width && height == 2 * one_height);
}

/// If the system refuses to start threads, one thread draws the same picture.
#[test]
fn one_thread_draws_what_several_draw() {
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    plot_well(folder.path(), &["--frames", "0-2", "--size", "60", "--film", "several.gif"]);
    let mut command = program(folder.path());
    // No thread can be started with such a stack.
    command.env("RUST_MIN_STACK", "1000000000000000");
    command.args(["plot", "out", "--frames", "0-2", "--size", "60", "--film", "one.gif"]);
    let outcome: Outcome = command.output().expect("the program starts").into();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let [several, one] = ["several.gif", "one.gif"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    assert!(several == one, "{} and {} bytes", several.len(), one.len());
}

/// Films in two formats hold every frame; without a film, every frame's picture is a file.
#[test]
fn films_hold_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    plot_well(folder.path(), &["--frames", "all", "--size", "60", "--film", "film.gif", "--field", "density"]);
    plot_well(folder.path(), &["--frames", "0-2", "--size", "60", "--film", "film.html"]);
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut film = decoder.read_info(std::fs::File::open(folder.path().join("film.gif")).unwrap()).unwrap();
    let mut pictures = 0;
    while film.read_next_frame().unwrap().is_some() {
        pictures += 1;
    }
    assert_eq!(pictures, 3);
    let page = std::fs::read_to_string(folder.path().join("film.html")).unwrap();
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
    assert!(!page.contains("http"), "nothing comes from the network");
    let outcome = plot_well(folder.path(), &["--frames", "all", "--size", "60", "--fps", "5"]);
    assert_eq!(outcome.stderr, "remark: --fps has no effect without --film\n");
    assert_eq!(outcome.stdout.lines().count(), 3);
    assert!(folder.path().join("out/plot_0002.png").exists());
}

/// Pictures of the case: a run draws them in place of the usual one, formulas of `[define]` too; `plot` draws the same bytes of
/// all, or of one, which options change, as with the options themselves; options of what is drawn leave them out.
#[test]
fn pictures_of_the_case_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let plots = "plot=[{name=\"fast\",field=[\"0.5*twice\",\"mach\"],range=[0,2],colours=\"magma_r\",outlines=false,contours=3,land=\"density < 0.5\"},\
                 {name=\"cut\",field=\"pressure\",log=true,range=[0.01,2],slice={y=0.5},line=[[0,0],[1,0.7]]}]";
    let sets = ["mesh.cells=[20,20]", "levels.max=2", "levels.ratio=2", "time.end=0.1", "output.count=1", plots];
    let sets = [&sets[..], &["define.twice=\"2*hypot(x_momentum, y_momentum)\""]].concat();
    run_well(folder.path(), &example("euler_quadrants"), &sets, &["--output", "out"]);
    let drawn: Vec<String> = files(&folder.path().join("out")).into_iter().filter(|f| f.ends_with(".png")).collect();
    assert_eq!(drawn, ["frame_0000_cut.png", "frame_0000_fast.png", "frame_0001_cut.png", "frame_0001_fast.png"]);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(plot_well(folder.path(), &[]).stdout, "out/plot_last_fast.png\nout/plot_last_cut.png\n");
    // What a definition stands for is part of the title.
    let fast = record(&folder.path().join("out"))["plots"][0]["fields"][0].as_str().unwrap().to_owned();
    let land = record(&folder.path().join("out"))["plots"][0]["land"].as_str().unwrap().to_owned();
    let options = [
        ["--field", &fast],
        ["--field", "mach"],
        ["--range", "0,2"],
        ["--colours", "magma_r"],
        ["--contours", "3"],
        ["--land", &land],
    ];
    plot_well(folder.path(), &[options.as_flattened(), &["--no-outlines", "--output", "fast.png"]].concat());
    let options = ["--field", "pressure", "--log", "--range", "0.01,2", "--slice", "y=0.5", "--line", "0,0,1,0.7"];
    plot_well(folder.path(), &[&options[..], &["--output", "cut.png"]].concat());
    for name in ["fast", "cut"] {
        let by_hand = bytes(&format!("{name}.png"));
        assert!(bytes(&format!("out/frame_0001_{name}.png")) == by_hand, "the run's {name}");
        assert!(bytes(&format!("out/plot_last_{name}.png")) == by_hand, "{name} of plot");
    }
    plot_well(folder.path(), &["--plot", "cut", "--slice", "y=0.2", "--frame", "0"]);
    assert_ne!(bytes("out/plot_0000_cut.png"), bytes("out/frame_0000_cut.png"));
    let usual = plot_well(folder.path(), &["--field", "density"]);
    assert_eq!(usual.stdout, "out/plot_last_density.png\n");
    // Names of the case are known by what the run has recorded.
    plot_well(folder.path(), &["--field", "twice", "--land", "twice < 0.1", "--output", "twice.png"]);
    for (arguments, reason) in [
        (&["--plot", "slow"][..], "no [[plot]] named slow: there are fast, cut"),
        (&["--output", "one.png"], "choose one by --plot, of fast, cut"),
    ] {
        let outcome = plot(folder.path(), arguments);
        assert!(outcome.code == Some(2) && outcome.stderr.contains(reason), "{}", outcome.stderr);
    }
}

/// A picture never replaces what is no picture of this program; of two formulas each has its own picture.
#[test]
fn pictures_replace_pictures_only() {
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    let small = ["--size", "60"];
    for name in ["case.toml", "foreign.png", "out/frame_0000.vtkhdf", "out/plot_last.png", "out/plot_0001.png"] {
        let path = folder.path().join(name);
        if !path.exists() {
            std::fs::write(&path, "precious").unwrap();
        }
        let before = std::fs::read(&path).unwrap();
        let outcome = match name {
            "out/plot_last.png" => plot(folder.path(), &small),
            "out/plot_0001.png" => plot(folder.path(), &[&small[..], &["--frames", "0-2"]].concat()),
            _ => plot(folder.path(), &[&small[..], &["--output", name]].concat()),
        };
        let reason = if name.ends_with(".png") { "no picture that this program wrote" } else { "pictures end in .png" };
        assert!(outcome.code == Some(2) && outcome.stderr.contains(reason), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(name) && std::fs::read(&path).unwrap() == before, "{}", outcome.stderr);
    }
    assert!(!folder.path().join("out/plot_0000.png").exists(), "nothing is drawn before all names are checked");
    let name = |field: &str| plot_well(folder.path(), &[&small[..], &["--field", field]].concat()).stdout;
    assert_ne!(name("density/2"), name("density*2"));
    assert_eq!(name("density/2"), name("density/2"), "its own picture is replaced");
}

/// Frames and fields that do not exist are refused with a list of those that do.
#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    let table: &[(&[&str], &[&str])] = &[
        (&["--frame", "9"], &["frame_0009", "there are frames 0 to 2"]),
        (&["--field", "densty"], &["did you mean `density`", "mach"]),
        (&["--field", "dz(density)"], &["2D"]),
        (&["--colours", "jet"], &["no colour map `jet`", "RdBu"]),
        (&["--range", "2,1"], &["write the smaller one first"]),
        (&["--vectors", "density"], &["2D has 2 components, not 1"]),
        (&["--exact", "density = x"], &["drawn beside curves"]),
        (&["--slice", "y=0.5", "--exact", "density = nothing"], &["nothing"]),
        (&["--log", "--range", "0,1"], &["no logarithms"]),
        (&["--zoom", "5,6,0,1"], &["outside the domain along x", "from 0 to 1"]),
        (&["--slice", "z=0.5"], &["cannot be cut along z"]),
        (&["--projection", "max:y"], &["only frames in 3D"]),
        (&["--outline-level", "1", "--outline-level", "7"], &["no level 7", "levels are 1 to 2"]),
        (&["--output", "picture"], &["picture: pictures end in .png"]),
        (&["--film", "film.avi"], &[".mp4, .gif or .html"]),
        (&["--field", "x_momentum - x_momentum", "--log"], &["no positive value"]),
    ];
    for (arguments, reasons) in table {
        let outcome = plot(folder.path(), arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        for reason in *reasons {
            assert!(outcome.stderr.contains(reason), "no \"{reason}\" in\n{}", outcome.stderr);
        }
    }
    assert_eq!(files(folder.path()), ["out"]);
}

/// If ffmpeg fails after it has written a part, an earlier film stays as it is, and nothing else is left. A stand-in for ffmpeg
/// writes.
#[test]
#[cfg(unix)]
fn a_failed_film_leaves_the_earlier_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    euler(folder.path());
    let programs = tempfile::tempdir().unwrap();
    let stand_in = programs.path().join("ffmpeg");
    let film = |lines: &str| {
        let text =
            format!("#!/bin/sh\n[ \"$1\" = -version ] && exit 0\ncat >/dev/null\nfor last; do :; done\n{lines}\n");
        std::fs::write(&stand_in, text).unwrap();
        std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_amrclaw"));
        command.args(["plot", "out", "--film", "film.mp4"]).current_dir(folder.path()).env("PATH", path);
        command.output().unwrap()
    };
    assert!(film("echo whole >\"$last\"").status.success());
    let failed = film("echo part >\"$last\"; echo no room >&2; exit 1");
    let told = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(!failed.status.success() && told.contains("film.mp4") && told.contains("ffmpeg failed: no room"), "{told}");
    assert_eq!(std::fs::read_to_string(folder.path().join("film.mp4")).unwrap(), "whole\n");
    assert_eq!(files(folder.path()), ["film.mp4", "out"]);
}

/// Output fields in frames equal the same formulas applied to the frames; gauges hold those that need no neighbouring cells.
#[test]
fn output_fields_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let sets = [
        "mesh.cells=[20,20]",
        "levels.max=2",
        "levels.ratio=2",
        "time.end=0.05",
        "output.times=[0.05]",
        r#"output.field=[{name = "m", formula = "mach"}, {name = "slope", formula = "grad(density)"}]"#,
        r#"gauge=[{name = "g", position = [0.5, 0.5]}]"#,
    ];
    run_well(folder.path(), &example("euler_quadrants"), &sets, &["--output", "out"]);
    let gauge = std::fs::read_to_string(folder.path().join("out/gauge_g.csv")).unwrap();
    assert!(gauge.lines().nth(1).unwrap().ends_with("energy,m"), "{gauge}");
    let row: Vec<f64> = gauge.lines().last().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
    let [density, mx, my, energy, mach] = row[2..] else { panic!("{row:?}") };
    let speed = mx.hypot(my) / density;
    let pressure = 0.4 * (energy - 0.5 * density * speed * speed);
    assert!((mach - speed / (1.4 * pressure / density).sqrt()).abs() < 1e-12, "{mach}");
    for (field, formula) in [("m", "mach"), ("slope", "grad(density)")] {
        plot_well(folder.path(), &["--field", field, "--output", "written.png"]);
        plot_well(folder.path(), &["--field", &format!("0 + {field} - ({formula})"), "--output", "difference.png"]);
        // If the difference is zero everywhere, no logarithm can be drawn.
        let difference = format!("abs({field} - ({formula}))");
        let outcome = plot(folder.path(), &["--field", &difference, "--log"]);
        assert!(outcome.stderr.contains("no positive value"), "{field}: {}", outcome.stderr);
    }
}
