//! The paper's benchmark through the command line: `cargo xtask bench` and `cargo xtask bench-compare`.
//!
//! Every run is a separate process, as for a user.

mod compare;
mod measure;
mod record;

use crate::process::{self, Outcome, cargo, command, output, release_program, root};
use measure::Sample;
use record::{Record, Row};

pub use compare::compare;

struct Options {
    runs: usize,
    threads: Vec<usize>,
    cells: String,
    case: String,
    json: Option<String>,
}

/// Builds in release mode, runs the case once to warm up and `runs` times for each thread count, prints the medians.
pub fn run(arguments: &[String]) -> Outcome {
    let options = parse(arguments)?;
    let program = release_program()?;
    let mut rows = Vec::new();
    for &threads in &options.threads {
        let sample = || measure::run_case(&program, &options.case, &options.cells, threads);
        sample()?;
        let samples = (0..options.runs).map(|_| sample()).collect::<Outcome<Vec<Sample>>>()?;
        rows.push(Row::from_samples(threads, samples));
        eprintln!("{threads} thread(s): {} runs done", options.runs);
    }
    let record = Record { case: options.case, cells: options.cells, commit: commit()?, processor: processor(), rows };
    record.print();
    if let Some(file) = options.json {
        let path = root().join(&file);
        std::fs::write(&path, record.to_json()).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok(())
}

/// Partitions hierarchies among many ranks: `amrclaw/benches/scale`.
pub fn scale(arguments: &[String]) -> Outcome {
    let mut command = cargo(&["bench", "--workspace", "--bench", "scale", "--"]);
    process::run(command.args(arguments))
}

fn parse(arguments: &[String]) -> Outcome<Options> {
    let mut options = Options {
        runs: 5,
        threads: vec![1, 2],
        cells: "250,250".into(),
        case: "examples/acoustics_radial/case.toml".into(),
        json: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("`{word}` wants a value"));
        match word.as_str() {
            "--runs" => options.runs = positive(&value()?)?,
            "--threads" => options.threads = value()?.split(',').map(positive).collect::<Outcome<_>>()?,
            "--cells" => options.cells = value()?,
            "--case" => options.case = value()?,
            "--json" => options.json = Some(value()?),
            _ => return Err(format!("no option `{word}`; see `cargo xtask help`")),
        }
    }
    Ok(options)
}

fn positive(text: &str) -> Outcome<usize> {
    text.trim().parse().ok().filter(|&n| n > 0).ok_or_else(|| format!("`{text}` is not a positive whole number"))
}

/// The commit that is measured, marked if files differ from it.
fn commit() -> Outcome<String> {
    Ok(output(command("git").args(["describe", "--always", "--dirty", "--exclude", "*"]))?.trim().to_string())
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{}, {cores} threads", name.map_or("unknown", |(_, name)| name))
}
