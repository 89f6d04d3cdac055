//! The summary printed at the end of a run.

use crate::frames::RunRecord;
use std::fmt::Write;
use std::path::Path;

/// The summary of a run whose files are in `dir`.
pub fn text(record: &RunRecord, dir: &Path) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let stopped = record.stopped_by.as_ref().map_or_else(String::new, |key| format!(" (stopped by {key})"));
    let _ = writeln!(out, "t = {}{stopped}, {:.2} s on {} threads", record.time, record.wall_seconds, record.threads);
    let _ = writeln!(out, "\n level      steps   cell updates   patches");
    for (l, &steps) in record.steps.iter().enumerate() {
        let (cells, patches) = (record.cells_advanced[l], record.patches_mean[l]);
        let _ = writeln!(out, "{:6} {steps:10} {cells:14} {patches:9.1}", l + 1);
    }
    let total = record.cells_advanced_total;
    let _ = writeln!(out, "   all            {total:14}             {:.3e} updates/s", record.updates_per_second);
    let [steps, cells] =
        [&record.steps_repeated, &record.cells_repeated].map(|of_levels| of_levels.iter().sum::<u64>());
    if steps > 0 {
        let _ = writeln!(out, "besides, {steps} steps with {cells} cell updates were taken again");
    }
    if let Some(change) = record.steady_change {
        let is = if record.stopped_by.as_deref() == Some("scheme.steady") { "steady" } else { "not steady yet" };
        let steps = record.steps[0];
        let _ = writeln!(out, "{is} after {steps} steps: a step changes cells by {change:.1e} of their values");
    }
    if let Some(limits) = &record.step_limits {
        let _ = writeln!(out, "\n{limits}");
    }
    let phases = &record.phases;
    let parts = [
        ("advance", phases.advance),
        ("ghost", phases.ghost),
        ("reflux", phases.reflux),
        ("average", phases.average),
        ("regrid", phases.regrid),
        ("output", phases.output),
        ("other", phases.other),
    ];
    let shares = parts.map(|(name, seconds)| format!("{name} {:.0} %", 100.0 * seconds / record.wall_seconds));
    let _ = writeln!(out, "\n{}", shares.join(", "));
    for work in record.device_use.iter().flat_map(|device_use| &device_use.host) {
        let _ = writeln!(out, "{work}");
    }
    let _ = writeln!(out, "files in {}", dir.display());
    out
}
