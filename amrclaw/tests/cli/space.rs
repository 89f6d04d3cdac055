//! Three dimensions, from the command line to the files.

use super::{Outcome, files, program, record};
use std::path::Path;

/// `amrclaw` with its arguments, which must succeed.
fn amrclaw(folder: &Path, arguments: &[&str]) -> Outcome {
    let outcome: Outcome = program(folder).args(arguments).output().unwrap().into();
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
    outcome
}

/// A pulse of sound on two levels, in a box with three different side lengths.
const SOUND: &str = r#"
[initial]
pressure = "exp(-60 * ((x - 0.3)^2 + (y - 0.4)^2 + (z - 0.5)^2))"
u = 0
v = 0
w = 0
[solver]
name = "acoustics"
density = 1.0
bulk = 4.0
[mesh]
upper = [1.3, 1.0, 1.1]
cells = [13, 10, 11]
[levels]
max = 2
[regrid.flag]
tolerance = 0.2
[time]
end = 0.1
max_steps = 4
[output]
png = false
checkpoint_every_steps = 2
[[gauge]]
name = "inside"
position = [0.3, 0.4, 0.5]
"#;

/// A run writes all formats, a gauge's time series and checkpoints; a restart from one of these writes the same bytes.
#[test]
fn all_files_of_a_run_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sound.toml"), SOUND).unwrap();
    let formats = "output.format=[\"vtkhdf\",\"plotfile\",\"clawpack-ascii\"]";
    amrclaw(dir, &["run", "sound.toml", "--quiet", "--set", formats, "--output", "whole"]);
    let whole = dir.join("whole");
    assert_eq!(record(&whole)["cells_advanced"].as_array().unwrap().len(), 2);
    let count = |text: &str, word: &str| text.lines().filter(|line| line.contains(word)).count();
    let patches = std::fs::read_to_string(whole.join("fort.q0001")).unwrap();
    assert_eq!(count(&patches, "zlow"), count(&patches, "AMR_level"));
    let header = std::fs::read_to_string(whole.join("plt00001/Header")).unwrap();
    assert_eq!(header.lines().nth(6), Some("3"), "the number of dimensions stands behind four fields: {header}");
    let gauge = std::fs::read_to_string(whole.join("gauge_inside.csv")).unwrap();
    assert_eq!(gauge.lines().nth(1), Some("level,t,pressure,u,v,w"));
    let restart = ["--restart", "whole/checkpoint_000002.h5", "--output", "parts"];
    amrclaw(dir, &[&["run", "sound.toml", "--quiet", "--set", formats][..], &restart].concat());
    let last = |run: &str| std::fs::read(dir.join(run).join("frame_0001.vtkhdf")).unwrap();
    assert!(last("whole") == last("parts"), "{:?}", files(&dir.join("parts")));
}

/// Slices, several slices at once, projections, and by default the three planes through the middle are drawn with the right shapes; a
/// position outside the domain is refused with the domain's extent.
#[test]
fn planes_and_projections_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sound.toml"), SOUND).unwrap();
    amrclaw(dir, &["run", "sound.toml", "--quiet", "--output", "out"]);
    let size = |arguments: &[&str]| {
        amrclaw(dir, &[&["plot", "out", "--size", "120", "--output", "a.png"], arguments].concat());
        let file = std::io::BufReader::new(std::fs::File::open(dir.join("a.png")).unwrap());
        let reader = png::Decoder::new(file).read_info().unwrap();
        (reader.info().width, reader.info().height)
    };
    let (one, _) = size(&["--slice", "z=0.25"]);
    let (two, _) = size(&["--slice", "z=0.25", "--slice", "x=0.5"]);
    let (planes, _) = size(&[]);
    assert!(one < two && two < planes, "{one}, {two}, {planes}");
    for projection in ["max:z", "mean:x", "integral:y", "min:z"] {
        assert!(size(&["--projection", projection, "--field", "sqrt(u^2 + v^2 + w^2)"]).0 < two, "{projection}");
    }
    let outside: Outcome = program(dir).args(["plot", "out", "--slice", "y=1.2"]).output().unwrap().into();
    assert_eq!(outside.code, Some(2));
    assert!(outside.stderr.contains("from 0 to 1"), "{}", outside.stderr);
}

/// Sweeps and tuning run three-dimensional cases too.
#[test]
fn sweeps_and_tuning_run() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("sound.toml"), SOUND).unwrap();
    let quiet = ["--threads", "1", "--set", "output.format=[]"];
    let sweep = ["sweep", "sound.toml", "--vary", "regrid.cutoff=0.5,0.9", "--output", "sweep"];
    let outcome = amrclaw(dir, &[&sweep[..], &quiet].concat());
    assert!(outcome.stdout.contains("fastest on cpu: cutoff = "), "{}", outcome.stdout);
    let tune = ["tune", "sound.toml", "--steps", "4", "--trials", "3", "--repeat", "1", "--output", "tune"];
    let outcome = amrclaw(dir, &[&tune[..], &quiet].concat());
    assert!(outcome.stdout.contains("[regrid]\ninterval = "), "{}", outcome.stdout);
}
