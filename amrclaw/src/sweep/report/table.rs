//! Tables of medians, with bars beneath the numbers that settings are compared by, and of failed runs.

use super::text::{escape, grouped, significant};
use crate::diagnose::PhaseSeconds;
use crate::sweep::{Medians, Plan, RunResult, RunResultStatus, Summary};
use std::fmt::Write;

/// Names of the phases; `style.css` has their colours.
const PHASES: [&str; 7] = ["advance", "ghost", "reflux", "average", "regrid", "output", "other"];

/// Seconds of each phase, in the order of [`PHASES`].
fn seconds(phases: &PhaseSeconds) -> [f64; 7] {
    let PhaseSeconds { advance, ghost, reflux, average, regrid, output, other } = *phases;
    [advance, ghost, reflux, average, regrid, output, other]
}

/// What stands in a cell: markup, and the number that its bar shows, if it has one.
type Cell = (String, Option<f64>);

fn plain(text: String) -> Cell {
    (text, None)
}

/// A number and its bar, which is as long as the cell where the number is the column's largest.
fn with_bar(value: f64, text: fn(f64) -> String) -> Cell {
    (text(value), Some(value))
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
            with_bar(m.seconds, significant),
            with_bar(m.wall_seconds, significant),
            plain(significant(m.wall_range[0])),
            plain(significant(m.wall_range[1])),
            plain(significant(m.seconds / fastest.unwrap_or(f64::NAN))),
            plain(m.error.map_or_else(|| "–".to_owned(), |error| format!("{error:.2e}"))),
            plain(format!("{:.1e}", m.drift)),
            plain(significant(m.updates_per_second / 1e6)),
            with_bar(m.cells_advanced_total, grouped),
            plain(format!("{:.1} %", 100.0 * (m.cells_advanced_total / fewest - 1.0))),
            with_bar(m.patches_mean, significant),
            plain(significant((m.memory_host + m.memory_device) / f64::from(1 << 20))),
            plain(format!("{}{failed}", m.done)),
        ]
    };
    let caption = format!(
        "{}: medians over the repeats of each setting; s are seconds without output, which settings are ranked by; from and \
         to are the shortest and the longest run; error is the mean error over the range of values; drift is the change of \
         the totals of the conserved quantities; Mupdates/s are millions of cell updates a second of the whole run; extra cells are those advanced beyond \
         the setting that advances the fewest. Bars compare a column's numbers, as figs. 10 and 12 of the paper do",
        plan.devices[device]
    );
    table(plan, summary, device, &caption, &head, &row)
}

/// Seconds per phase of all settings on a device.
pub fn phases(plan: &Plan, summary: &Summary, device: usize) -> String {
    let total = |m: &Medians| seconds(&m.phases).iter().filter(|s| s.is_finite()).sum::<f64>();
    let longest = summary.medians.iter().filter(|m| m.device == device).map(total).fold(0.0, f64::max);
    let names = PHASES.map(|name| format!("<i class=\"{name}\"></i> {name}"));
    let head: Vec<&str> = ["all"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let row = |m: &Medians| {
        let phases = seconds(&m.phases);
        let bar = stacked(&phases, longest);
        [plain(bar)].into_iter().chain(phases.into_iter().map(|s| with_bar(s, significant))).collect()
    };
    let caption = format!(
        "{}: seconds by what they were spent on, medians, after figs. 9 and 11 of the paper; advance is what updates cells, with what the \
         conservation fix keeps of that. On a GPU the host's seconds, and what it waits for the device is other, unless --device-times took the device's own",
        plan.devices[device]
    );
    table(plan, summary, device, &caption, &head, &row)
}

/// A bar of the phases one after the other, as long as the cell where their sum is `longest`.
fn stacked(phases: &[f64; 7], longest: f64) -> String {
    let pieces = PHASES.iter().zip(phases).filter(|(_, seconds)| **seconds > 0.0);
    let piece = |(name, &seconds): (&&str, &f64)| {
        let (width, text) = (100.0 * seconds / longest, significant(seconds));
        format!("<i class=\"{name}\" style=\"width:{width:.1}%\" title=\"{name}: {text} s\"></i>")
    };
    format!("<div class=\"phases\">{}</div>", pieces.map(piece).collect::<String>())
}

/// A table with a row per setting; the fastest is marked by a star as well as by style.
fn table(
    plan: &Plan,
    summary: &Summary,
    device: usize,
    caption: &str,
    head: &[&str],
    row: &dyn Fn(&Medians) -> Vec<Cell>,
) -> String {
    let caption = escape(caption);
    let columns: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    let fastest = summary.best(device).map(|best| best.fastest.setting);
    let here: Vec<_> = summary.medians.iter().filter(|m| m.device == device).map(|m| (m, row(m))).collect();
    let largest = |column: usize| here.iter().filter_map(|(_, cells)| cells[column].1).fold(0.0, f64::max);
    let largest: Vec<f64> = (0..head.len()).map(largest).collect();
    let mut rows = String::new();
    for (medians, cells) in &here {
        let is_fastest = Some(medians.setting) == fastest;
        let (class, star) = if is_fastest { (" class=\"fastest\"", " ★ fastest") } else { ("", "") };
        let cells: String = cells.iter().zip(&largest).map(|(cell, &largest)| cell_text(cell, largest)).collect();
        let name = escape(&plan.describe(medians.setting));
        // Writing to a string cannot fail.
        let _ = writeln!(rows, "<tr{class}><th scope=\"row\">{name}{star}</th>{cells}</tr>");
    }
    format!(
        "<section class=\"scroll\" tabindex=\"0\" aria-label=\"{caption}\"><table><caption>{caption}</caption>\
         <thead><tr><th scope=\"col\">setting</th>{columns}</tr></thead>\n<tbody>\n{rows}</tbody></table></section>\n"
    )
}

fn cell_text((text, bar): &Cell, largest: f64) -> String {
    match bar {
        Some(value) if *value > 0.0 => {
            format!("<td class=\"bar\" style=\"--part:{:.1}%\">{text}</td>", 100.0 * value / largest)
        }
        _ => format!("<td>{text}</td>"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest number's bar fills its cell, the others' are in proportion, and what is no number has none.
    #[test]
    fn bars_are_in_proportion() {
        assert_eq!(cell_text(&with_bar(2.0, significant), 8.0), "<td class=\"bar\" style=\"--part:25.0%\">2.00</td>");
        assert!(cell_text(&with_bar(8.0, significant), 8.0).contains("--part:100.0%"));
        for missing in [with_bar(f64::NAN, significant), plain("–".to_owned())] {
            assert_eq!(cell_text(&missing, 8.0), "<td>–</td>");
        }
        let phases = seconds(&PhaseSeconds { advance: 2.0, regrid: 1.0, other: 1.0, ..PhaseSeconds::default() });
        let bar = stacked(&phases, 8.0);
        let widths = ["advance\" style=\"width:25.0%", "regrid\" style=\"width:12.5%", "other\" style=\"width:12.5%"];
        assert!(widths.iter().all(|width| bar.contains(width)) && bar.matches("<i ").count() == 3, "{bar}");
    }
}
