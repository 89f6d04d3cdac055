//! Runs that end before their time because of `time.stop_when`.

use super::common::{case, options};
use amrclaw::case::{Case, find_built_in};
use amrclaw::frames::{RunRecord, read};
use amrclaw::simulation::{RunFailure, RunFiles, RunOptions, run};
use std::ops::ControlFlow;
use std::path::Path;

/// Sound that leaves a box on two levels.
const LEAVING: &str = "
[solver]
name = \"acoustics\"
density = 1.0
bulk = 1.0
[mesh]
cells = [24, 18]
[mesh.boundary]
y = \"periodic\"
[levels]
max = 2
[regrid.flag]
tolerance = 0.02
[define]
loudness = \"abs(pressure) + abs(u)\"
quiet = 0.3
[time]
end = 10.0
stop_when = \"max(loudness) < quiet && t > 0.1\"
[initial]
pressure = \"exp(-100 * (x - 0.4)^2)\"
u = 0
v = 0
[output]
png = false
checkpoint_every_steps = 3
";

fn done(text: &str, overrides: &[&str], dir: &Path, change: impl Fn(&mut RunOptions, &mut RunFiles)) -> RunRecord {
    let (mut options, mut files) = (options(2), RunFiles::new(dir));
    change(&mut options, &mut files);
    let record = run(&case(text, overrides), &options, &files, &mut |_| ControlFlow::Continue(()));
    record.unwrap_or_else(|failure| match failure {
        RunFailure::Refused(cause) => panic!("{cause}"),
        _ => panic!("the run failed"),
    })
}

/// The last frame of a folder has the largest loudness below the limit, that before the last step above it.
#[test]
fn a_run_ends_where_its_condition_holds() {
    let (text, folder) = (LEAVING, tempfile::tempdir().unwrap());
    let dir = folder.path().join("whole");
    let whole = done(text, &["output.every_steps=1"], &dir, |_, _| ());
    assert_eq!(whole.stopped_by.as_deref(), Some("time.stop_when"));
    let steps = whole.steps[0];
    assert!(steps > 6 && whole.time < 10.0, "{steps} steps to {}", whole.time);
    let loudest = |number: u64| {
        let frame = read::frame::<2>(&dir.join(format!("frame_{number:04}.vtkhdf"))).unwrap();
        let patches = frame.levels.iter().flat_map(|level| &level.patches);
        let cells = patches.flat_map(|patch| {
            let cells = patch.cells.volume();
            (0..cells).map(move |k| patch.q[k].abs() + patch.q[cells + k].abs())
        });
        (cells.fold(0.0, f64::max), frame.time)
    };
    assert!(loudest(steps).0 < 0.3 && loudest(steps).1 == whole.time);
    assert!(loudest(steps - 1).0 >= 0.3);
    // The same on two ranks, in one part as in two, and with looks at every fifth step at the fifth step that follows.
    let two = done(text, &[], &folder.path().join("two"), |options, _| options.ranks = Some(2));
    assert_eq!((two.time, &two.steps, two.stopped_by.is_some()), (whole.time, &whole.steps, true));
    assert!(folder.path().join("two/frame_0001.vtkhdf").exists(), "the end is a frame");
    let resumed = done(text, &[], &folder.path().join("resumed"), |_, files| {
        let last = (steps - 1) / 3 * 3;
        files.restart = Some(folder.path().join(format!("two/checkpoint_{last:06}.h5")));
    });
    assert_eq!((resumed.time, resumed.steps, resumed.totals_final), (whole.time, whole.steps, whole.totals_final));
    let rarely = done(text, &["time.stop_every=5"], &folder.path().join("rarely"), |_, _| ());
    assert_eq!(rarely.steps[0], steps.next_multiple_of(5));
}

/// Totals, minima and the time itself; a value that is no number is an error.
#[test]
fn conditions_know_totals_and_minima() {
    let folder = tempfile::tempdir().unwrap();
    let table = [
        ("t >= 0.15", None),
        ("total(pressure) < 0.5 * 0.1772", None),
        ("min(pressure) < -1e-3 or max(pressure, u) > 3", Some("unknown name `pressure`")),
        ("max(sqrt(pressure - 10)) > 0", Some("not a number")),
        ("max(u) + u > 0", Some("write `max(f)`, `min(f)` or `total(q)`")),
        ("total(u^2) > 0", Some("`total` takes the name of an equation")),
        ("2 > 3", Some("depends neither on the solution nor on the time")),
        ("max(speed) > 0.01", None),
        ("max(grad(pressure)) < 1e-3 || t > 0.05", None),
    ];
    for (n, (condition, wrong)) in table.into_iter().enumerate() {
        let set = [format!("time.stop_when={condition}")];
        let loaded = Case::from_str_with(LEAVING, "case.toml", &set, find_built_in);
        let dir = folder.path().join(n.to_string());
        let outcome = match &loaded {
            Err(errors) => Err(errors.to_string()),
            Ok(case) => run(case, &options(2), &RunFiles::new(dir), &mut |_| ControlFlow::Continue(()))
                .map_err(|failure| failure.to_string()),
        };
        match (outcome, wrong) {
            (Ok(record), None) => {
                assert!(record.stopped_by.is_some() && record.time < 1.0, "{condition}: {}", record.time)
            }
            (Err(message), Some(part)) => assert!(message.contains(part), "{condition}: {message}"),
            (outcome, _) => panic!("{condition}: {outcome:?}"),
        }
    }
}
