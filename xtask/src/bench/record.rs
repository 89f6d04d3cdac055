//! The record of a benchmark: medians per thread count, as a table and as JSON.

use super::measure::Sample;
use crate::process::Outcome;
use serde_json::{Map, Value, json};

/// Phases of a run besides advancing that make up the cost of adaptivity.
const ADAPTIVITY: [&str; 4] = ["ghost", "reflux", "update", "regrid"];

/// Results of one invocation.
pub struct Record {
    /// The case file.
    pub case: String,
    /// Cells of the coarsest level, as `nx,ny`.
    pub cells: String,
    /// The commit that was built.
    pub commit: String,
    /// The machine's processor.
    pub processor: String,
    /// One row per thread count.
    pub rows: Vec<Row>,
}

/// Results for one thread count: all from the run of median wall time, so that they belong together.
pub struct Row {
    /// Threads asked for.
    pub threads: usize,
    /// Measured runs.
    pub runs: usize,
    /// Wall seconds of the fastest and the slowest run.
    pub wall_range: [f64; 2],
    /// Wall seconds of the median run.
    pub wall_seconds: f64,
    /// Cell updates of all levels.
    pub cells_advanced: f64,
    /// Seconds in each phase.
    pub phases: Map<String, Value>,
    /// Largest resident memory, bytes.
    pub peak_bytes: f64,
    /// Memory of the solution on the host, bytes, as the run counts it.
    pub memory_bytes: f64,
}

impl Row {
    /// Picks the median run. There must be at least one sample.
    pub fn from_samples(threads: usize, mut samples: Vec<Sample>) -> Self {
        samples.sort_by(|a, b| wall_seconds(a).total_cmp(&wall_seconds(b)));
        let median = &samples[samples.len() / 2];
        Row {
            threads,
            runs: samples.len(),
            wall_range: [wall_seconds(&samples[0]), wall_seconds(&samples[samples.len() - 1])],
            wall_seconds: wall_seconds(median),
            cells_advanced: number(&median.report["cells_advanced_total"]),
            phases: median.report["phases"].as_object().cloned().unwrap_or_default(),
            peak_bytes: median.peak_bytes as f64,
            memory_bytes: number(&median.report["memory_bytes"]["host"]),
        }
    }

    /// Cell updates per second of the whole run.
    pub fn rate(&self) -> f64 {
        self.cells_advanced / self.wall_seconds
    }

    /// Cell updates per second of the phase `advance` alone.
    pub fn advance_rate(&self) -> f64 {
        self.cells_advanced / self.phase("advance")
    }

    /// The part of the run spent on ghost cells, conservation fix, averaging down and regridding.
    pub fn adaptivity_share(&self) -> f64 {
        ADAPTIVITY.iter().map(|name| self.phase(name)).sum::<f64>() / self.wall_seconds
    }

    fn phase(&self, name: &str) -> f64 {
        self.phases.get(name).map_or(0.0, number)
    }

    fn to_value(&self) -> Value {
        json!({
            "threads": self.threads, "runs": self.runs,
            "wall_seconds": self.wall_seconds, "wall_range": self.wall_range,
            "cells_advanced_total": self.cells_advanced,
            "updates_per_second": self.rate(), "advance_updates_per_second": self.advance_rate(),
            "adaptivity_share": self.adaptivity_share(), "phases": self.phases,
            "peak_bytes": self.peak_bytes, "memory_bytes": self.memory_bytes,
        })
    }

    fn from_value(value: &Value) -> Self {
        Row {
            threads: value["threads"].as_u64().unwrap_or(0) as usize,
            runs: value["runs"].as_u64().unwrap_or(0) as usize,
            wall_range: [number(&value["wall_range"][0]), number(&value["wall_range"][1])],
            wall_seconds: number(&value["wall_seconds"]),
            cells_advanced: number(&value["cells_advanced_total"]),
            phases: value["phases"].as_object().cloned().unwrap_or_default(),
            peak_bytes: number(&value["peak_bytes"]),
            memory_bytes: number(&value["memory_bytes"]),
        }
    }
}

impl Record {
    /// The record as JSON text.
    pub fn to_json(&self) -> String {
        let rows: Vec<Value> = self.rows.iter().map(Row::to_value).collect();
        let value = json!({
            "case": self.case, "cells": self.cells, "commit": self.commit, "processor": self.processor, "rows": rows,
        });
        format!("{value:#}\n")
    }

    /// Reads a file that [`Record::to_json`] made.
    pub fn read(path: &str) -> Outcome<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))?;
        let rows = value["rows"].as_array().ok_or_else(|| format!("{path}: no `rows`; is it a saved benchmark?"))?;
        let string = |key: &str| value[key].as_str().unwrap_or("unknown").to_string();
        Ok(Record {
            case: string("case"),
            cells: string("cells"),
            commit: string("commit"),
            processor: string("processor"),
            rows: rows.iter().map(Row::from_value).collect(),
        })
    }

    /// Prints the record as a Markdown table with what it was measured on.
    pub fn print(&self) {
        println!("{} with mesh.cells=[{}], commit {}, {}", self.case, self.cells, self.commit, self.processor);
        println!(
            "\n| threads | wall s, median of runs (range) | updates/s | of advance alone | against the first row |"
        );
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            let [low, high] = row.wall_range;
            println!(
                "| {} | {:.3}, {} ({low:.3}–{high:.3}) | {:.3e} | {:.3e} | {:.2} |",
                row.threads,
                row.wall_seconds,
                row.runs,
                row.rate(),
                row.advance_rate(),
                row.rate() / self.rows[0].rate(),
            );
        }
        println!(
            "\n| threads | ghost + reflux + update + regrid | phases, % of wall | peak memory MiB | solution MiB |"
        );
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            let mebibytes = |bytes: f64| bytes / (1u64 << 20) as f64;
            let percent = |(name, seconds)| format!("{name} {:.1}", 100.0 * number(seconds) / row.wall_seconds);
            let phases = row.phases.iter().map(percent).collect::<Vec<_>>().join(", ");
            println!(
                "| {} | {:.1} % | {phases} | {:.1} | {:.1} |",
                row.threads,
                100.0 * row.adaptivity_share(),
                mebibytes(row.peak_bytes),
                mebibytes(row.memory_bytes),
            );
        }
    }
}

fn wall_seconds(sample: &Sample) -> f64 {
    // The run's own time excludes the program's start; without one, the process's time is used.
    sample.report["wall_seconds"].as_f64().unwrap_or(sample.process_seconds)
}

/// A number of a JSON report; NaN if it is not a number, which is visible in the table.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(wall: f64) -> Sample {
        let report = json!({
            "wall_seconds": wall, "cells_advanced_total": 600, "memory_bytes": {"host": 7},
            "phases": {"advance": wall / 2.0, "ghost": wall / 8.0, "regrid": wall / 8.0, "other": wall / 4.0},
        });
        Sample { process_seconds: 0.0, peak_bytes: 11, report }
    }

    /// The row is that of the median run, and is unchanged after conversion to and from JSON.
    #[test]
    fn rows_are_medians() {
        let row = Row::from_samples(2, vec![sample(9.0), sample(1.0), sample(3.0)]);
        for row in [Row::from_value(&row.to_value()), row] {
            assert_eq!((row.threads, row.runs, row.wall_range), (2, 3, [1.0, 9.0]));
            assert_eq!((row.rate(), row.advance_rate(), row.adaptivity_share()), (200.0, 400.0, 0.25));
            assert_eq!((row.peak_bytes, row.memory_bytes), (11.0, 7.0));
        }
    }
}
