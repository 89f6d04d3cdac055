//! Tables of medians and of failed runs.

use super::phases::{PHASES, seconds};
use super::text::{escape, grouped, significant};
use crate::sweep::{Medians, Plan, RunResult, RunResultStatus, Summary};

/// Id of a device's table of results.
pub fn results_id(device: usize) -> String {
    format!("results-{device}")
}

/// Id of a device's table of phases.
pub fn phases_id(device: usize) -> String {
    format!("phases-{device}")
}

/// Medians of all settings on a device.
pub fn results(plan: &Plan, summary: &Summary, device: usize) -> String {
    let head = [
        "s",
        "wall s",
        "from",
        "to",
        "× fastest",
        "error",
        "drift",
        "Mupdates/s",
        "cells advanced",
        "extra cells",
        "patches",
        "MiB",
        "runs",
    ];
    let fastest = summary.best(device).map(|best| best.fastest.seconds);
    let here = || summary.medians.iter().filter(|m| m.device == device && m.done > 0);
    let fewest = here().map(|m| m.cells_advanced_total).fold(f64::INFINITY, f64::min);
    let row = |m: &Medians| {
        let failed = if m.failed > 0 { format!(" ({} failed)", m.failed) } else { String::new() };
        vec![
            significant(m.seconds),
            significant(m.wall_seconds),
            significant(m.wall_range[0]),
            significant(m.wall_range[1]),
            significant(m.seconds / fastest.unwrap_or(f64::NAN)),
            m.error.map_or_else(|| "–".to_owned(), |error| format!("{error:.2e}")),
            format!("{:.1e}", m.drift),
            significant(m.updates_per_second / 1e6),
            grouped(m.cells_advanced_total),
            format!("{:.1} %", 100.0 * (m.cells_advanced_total / fewest - 1.0)),
            significant(m.patches_mean),
            significant((m.memory_host + m.memory_device) / f64::from(1 << 20)),
            format!("{}{failed}", m.done),
        ]
    };
    let caption = format!(
        "{}: medians over the repeats of each setting; s are seconds without output, which settings are ranked by; from and \
         to are the shortest and the longest run; error is the mean error over the range of values; drift is the change of \
         the totals of the conserved quantities; Mupdates/s are millions of cell updates a second of the whole run; extra cells are those advanced beyond \
         the setting that advances the fewest",
        plan.devices[device]
    );
    table(plan, summary, device, &results_id(device), &caption, &head, &row)
}

/// Seconds per phase of all settings on a device.
pub fn phases(plan: &Plan, summary: &Summary, device: usize) -> String {
    let head: Vec<&str> = PHASES.iter().map(|(name, _, _)| *name).collect();
    let row = |m: &Medians| seconds(&m.phases).map(significant).to_vec();
    let caption = format!("{}: seconds per phase, medians", plan.devices[device]);
    table(plan, summary, device, &phases_id(device), &caption, &head, &row)
}

/// A table with a row per setting; the fastest is marked by a star as well as by style.
fn table(
    plan: &Plan,
    summary: &Summary,
    device: usize,
    id: &str,
    caption: &str,
    head: &[&str],
    row: &dyn Fn(&Medians) -> Vec<String>,
) -> String {
    let caption = escape(caption);
    let columns: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    let fastest = summary.best(device).map(|best| best.fastest.setting);
    let mut rows = String::new();
    for medians in summary.medians.iter().filter(|m| m.device == device) {
        let is_fastest = Some(medians.setting) == fastest;
        let (class, star) = if is_fastest { (" class=\"fastest\"", " ★ fastest") } else { ("", "") };
        let cells: String = row(medians).iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let name = escape(&plan.describe(medians.setting));
        rows.push_str(&format!("<tr{class}><th scope=\"row\">{name}{star}</th>{cells}</tr>\n"));
    }
    format!(
        "<section class=\"scroll\" tabindex=\"0\" aria-label=\"{caption}\"><table id=\"{id}\"><caption>{caption}</caption>\
         <thead><tr><th scope=\"col\">setting</th>{columns}</tr></thead>\n<tbody>\n{rows}</tbody></table></section>\n"
    )
}

/// The failed runs with their errors; empty if none failed.
pub fn failures(plan: &Plan, results: &[RunResult]) -> String {
    let failed: Vec<_> = results.iter().filter(|result| result.status == RunResultStatus::Failed).collect();
    if failed.is_empty() {
        return String::new();
    }
    let line = |result: &&RunResult| {
        let what = format!(
            "{}, {}, run {}",
            plan.devices[result.run.device],
            plan.describe(result.run.setting),
            result.run.repeat
        );
        format!("<li><strong>{}</strong>: {}</li>\n", escape(&what), escape(&result.error))
    };
    let lines: String = failed.iter().map(line).collect();
    format!("<h2 class=\"bad\">Runs that failed</h2>\n<ul>\n{lines}</ul>\n")
}
