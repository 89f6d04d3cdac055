//! The figures of Qin, LeVeque & Motley 2018 (arXiv:1808.02638), §4, made by the program itself: `cargo xtask paper`.
//!
//! Figure 8 consists of pictures of one run; 9 to 12 are reports of sweeps (times of phases; cells, patches and times over cutoff and regrid
//! interval); 13 is the update of a single level, with the least number of bytes that it must move. In the folder of `cargo xtask gpu-bundle`
//! this program runs without the sources: there it uses the command line and the case beside it.

use crate::process::{Outcome, output, release_program, root, run, target_dir, tested_program};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};

/// A figure: its number, its folder, and the function that makes it.
type Figure = (&'static str, &'static str, fn(&Benchmark, &Path) -> Outcome);

const FIGURES: [Figure; 4] = [
    ("8", "figure_8", pictures),
    ("9", "figure_9", phases),
    ("10", "figures_10_to_12", settings),
    ("13", "figure_13", one_level),
];

/// No files except the record, so that only the computation is timed.
const NO_FILES: [&str; 4] = ["--set", "output.format=[]", "--set", "output.png=false"];

/// The case in the folder of `gpu-bundle`.
const BUNDLED_CASE: &str = "cases/acoustics_radial/case.toml";

struct Options {
    /// Cells of the coarsest level along each axis.
    cells: u32,
    /// End of the runs that are timed.
    end: f64,
    devices: Vec<String>,
    threads: Option<String>,
    repeat: u32,
    figures: Vec<String>,
    output: PathBuf,
    /// The command line; built when none is named.
    program: Option<PathBuf>,
    case: PathBuf,
}

/// `cargo xtask paper [--cells N] [--end T] [--devices A,B] [--threads N] [--repeat N] [--figures A,B] [--output DIR] [--program FILE]`.
pub fn make(arguments: &[String]) -> Outcome {
    make_all(parse(arguments)?)
}

/// All figures of a small version of the benchmark, with the program that the tests build.
pub fn small() -> Outcome {
    let folder = target_dir().join("paper-small");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let program = Some(tested_program()?);
    make_all(Options { cells: 32, end: 0.05, output: folder, program, ..parse(&[])? })
}

fn parse(arguments: &[String]) -> Outcome<Options> {
    let list = |text: &str| text.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    let mut options = Options {
        cells: 1000,
        end: 1.0,
        devices: list("cpu,cuda,cuda-streamed"),
        threads: None,
        repeat: 1,
        figures: FIGURES.map(|(number, ..)| number.to_owned()).to_vec(),
        output: target_dir().join("paper"),
        program: None,
        case: root().join("examples/acoustics_radial/case.toml"),
    };
    let folder = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    if let Some(bundle) = folder.filter(|folder| folder.join(BUNDLED_CASE).is_file()) {
        options.case = bundle.join(BUNDLED_CASE);
        options.program = Some(bundle.join("amrclaw"));
        options.output = bundle.join("results/paper");
    }
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{word}` wants a value"))?;
        let wrong = |_| format!("`{word} {value}` is not a whole number");
        match word.as_str() {
            "--cells" => options.cells = value.parse().map_err(wrong)?,
            "--repeat" => options.repeat = value.parse().map_err(wrong)?,
            "--end" => options.end = value.parse().map_err(|_| format!("`--end {value}` is not a time"))?,
            "--devices" => options.devices = list(value),
            "--threads" => options.threads = Some(value.clone()),
            "--figures" => options.figures = list(value),
            "--output" => options.output = value.into(),
            "--program" => options.program = Some(value.into()),
            _ => return Err(format!("no option `{word}`; see `cargo xtask help`")),
        }
    }
    match options.figures.iter().find(|asked| FIGURES.iter().all(|(number, ..)| number != asked)) {
        Some(asked) => Err(format!("there is no figure `{asked}`: write 8, 9, 10 (for 10 to 12) or 13")),
        None => Ok(options),
    }
}

fn make_all(mut options: Options) -> Outcome {
    // Programs that are named by a path are found from any folder then.
    let program = options.program.take().map_or_else(release_program, Ok)?;
    let whole = |path: &Path| absolute(path).map_err(|e| format!("{}: {e}", path.display()));
    let program = whole(&program)?;
    options.output = whole(&options.output)?;
    let benchmark = Benchmark { program, devices: Vec::new(), options };
    let benchmark = Benchmark { devices: benchmark.devices_here()?, ..benchmark };
    let Options { figures, output, .. } = &benchmark.options;
    for (_, name, make) in FIGURES.iter().filter(|(number, ..)| figures.iter().any(|asked| asked == number)) {
        let folder = output.join(name);
        make(&benchmark, &folder)?;
        println!("{name}: {}", folder.display());
    }
    Ok(())
}

/// The program and the case that figures are made by.
struct Benchmark {
    program: PathBuf,
    /// Devices that there are.
    devices: Vec<String>,
    options: Options,
}

impl Benchmark {
    /// A command of the program on the benchmark.
    fn on_case(&self, verb: &str, folder: &Path) -> Command {
        let mut program = Command::new(&self.program);
        program.arg(verb).arg(&self.options.case).arg("--output").arg(folder);
        program.args(["--set", &format!("mesh.cells=[{0},{0}]", self.options.cells)]);
        if let Some(threads) = &self.options.threads {
            program.args(["--threads", threads]);
        }
        program
    }

    /// The requested devices on which a step of a small mesh succeeds; prints why the others are left out.
    fn devices_here(&self) -> Outcome<Vec<String>> {
        let mut here = Vec::new();
        for device in &self.options.devices {
            let mut step = self.on_case("run", &self.options.output.join("probe"));
            step.args(["--device", device, "--overwrite", "--quiet", "--set", "mesh.cells=[16,16]"]);
            step.args(["--set", "time.max_steps=1"]).args(NO_FILES).stdout(Stdio::null());
            match output(&mut step) {
                Ok(_) => here.push(device.clone()),
                Err(why) => {
                    let line = why.lines().find(|line| line.contains("error")).unwrap_or(&why);
                    println!("without {device}: {line}");
                }
            }
        }
        if here.is_empty() { Err("on none of the devices a run succeeds".to_owned()) } else { Ok(here) }
    }

    /// A sweep on all devices, with the devices' own times.
    fn sweep(&self, folder: &Path, more: &[&str]) -> Outcome {
        let mut sweep = self.on_case("sweep", folder);
        self.devices.iter().for_each(|device| {
            sweep.args(["--device", device]);
        });
        let (repeat, end) = (self.options.repeat.to_string(), self.options.end);
        sweep.args([
            "--repeat",
            &repeat,
            "--set",
            &format!("time.end={end:?}"),
            "--set",
            &format!("output.times=[{end:?}]"),
        ]);
        run(sweep.args(NO_FILES).args(more))
    }
}

/// Pressure with the patches of level 1, the velocities with those of levels 2 and 3, at the start and at t = 0.7 or the end.
fn pictures(benchmark: &Benchmark, folder: &Path) -> Outcome {
    let frames = folder.join("frames");
    let end = benchmark.options.end.min(0.7);
    let mut simulate = benchmark.on_case("run", &frames);
    simulate.args(["--quiet", "--overwrite", "--device", &benchmark.devices[0], "--set", "output.png=false"]);
    simulate.args(["--set", &format!("time.end={end:?}"), "--set", &format!("output.times=[0.0,{end:?}]")]);
    run(&mut simulate)?;
    for (field, level) in [("pressure", "1"), ("u", "2"), ("v", "3")] {
        for frame in ["0", "1"] {
            let mut plot = Command::new(&benchmark.program);
            plot.arg("plot").arg(&frames).args(["--field", field, "--frame", frame, "--outline-level", level]);
            run(plot.arg("--output").arg(folder.join(format!("{field}_{frame}.png"))))?;
        }
    }
    Ok(())
}

/// Seconds by phase on each device, at the paper's cutoff and interval; and what streamed sweeps took by the device's own times, since the host
/// does the other phases of such runs.
fn phases(benchmark: &Benchmark, folder: &Path) -> Outcome {
    benchmark.sweep(folder, &["--device-times", "on"])?;
    let mut table =
        String::from("| device | sweeps s | kernels s | GB to the device | GB from it |\n|---|---|---|---|---|\n");
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|run| run.path().join("run.json")).filter(|path| path.is_file()) {
        let record = json(&path)?;
        let used = &record["device_use"]["streamed"];
        let figure = |key: &str| used[key].as_f64().unwrap_or(f64::NAN);
        if used.is_object() {
            let device = record["device"].as_str().unwrap_or("?");
            let (seconds, kernels) = (figure("seconds"), figure("kernel_seconds"));
            let [to, from] = ["bytes_to_device", "bytes_to_host"].map(|key| 1e-9 * figure(key));
            let _ = writeln!(table, "| {device} | {seconds:.3} | {kernels:.3} | {to:.1} | {from:.1} |");
        }
    }
    if benchmark.devices.iter().any(|device| device == "cuda-streamed") { publish(folder, &table) } else { Ok(()) }
}

/// The value in a JSON file.
fn json(path: &Path) -> Outcome<Value> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Prints a table and writes it into the figure's folder.
fn publish(folder: &Path, table: &str) -> Outcome {
    print!("{table}");
    let path = folder.join("table.md");
    std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))
}

/// The nine settings of cutoff and regrid interval; the buffer goes with the interval.
fn settings(benchmark: &Benchmark, folder: &Path) -> Outcome {
    benchmark.sweep(folder, &["--vary", "regrid.cutoff=0.5,0.7,0.9", "--vary", "regrid.interval,regrid.buffer=2,8,16"])
}

/// The update of a single level on each device: nanoseconds per cell, bytes per cell as measured, and the least possible bytes: each state read
/// once and written once.
fn one_level(benchmark: &Benchmark, folder: &Path) -> Outcome {
    const FLOOR: f64 = 2.0 * 3.0 * 8.0;
    benchmark.sweep(folder, &["--device-times", "on", "--set", "levels.max=1"])?;
    let sweep = json(&folder.join("sweep.json"))?;
    let mut table = String::from(
        "| device | ns a cell | bytes a cell at least | GB/s with these | bytes a cell by ncu |\n|---|---|---|---|---|\n",
    );
    for setting in sweep["settings"].as_array().into_iter().flatten() {
        let figure = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let (cells, seconds) = (figure(&setting["cells_advanced_total"]), figure(&setting["phases"]["advance"]));
        let device = setting["device"].as_str().unwrap_or("?");
        let counted = counted_bytes(benchmark, device, folder).unwrap_or_else(|why| why);
        let (nanoseconds, speed) = (1e9 * seconds / cells, 1e-9 * FLOOR * cells / seconds);
        let _ = writeln!(table, "| {device} | {nanoseconds:.4} | {FLOOR} | {speed:.1} | {counted} |");
    }
    publish(folder, &table)
}

/// Bytes that the update of a cell moves to and from device memory, measured by NVIDIA's `ncu`; the error says why there are none.
fn counted_bytes(benchmark: &Benchmark, device: &str, folder: &Path) -> Outcome<String> {
    if device != "cuda" {
        return Err("–".to_owned());
    }
    let run = benchmark.on_case("run", &folder.join("counted"));
    let mut ncu = Command::new("ncu");
    ncu.args(["--csv", "--print-units", "base", "--kernel-name", "regex:^update", "--metrics", BYTES_OF_MEMORY]);
    ncu.args(["--launch-skip", "8", "--launch-count", "8"]).arg(run.get_program()).args(run.get_args());
    ncu.args(["--device", device, "--overwrite", "--quiet", "--set", "levels.max=1", "--set", "time.max_steps=20"]);
    let printed = output(ncu.args(NO_FILES)).map_err(|_| "`ncu` does not run".to_owned())?;
    let (launches, bytes) = bytes_of_launches(&printed);
    let cells = f64::from(benchmark.options.cells) * f64::from(benchmark.options.cells);
    if launches == 0 {
        Err("`ncu` counted nothing".to_owned())
    } else {
        Ok(format!("{:.1}", bytes / launches as f64 / cells))
    }
}

/// The metric of `ncu`.
const BYTES_OF_MEMORY: &str = "dram__bytes.sum";

/// The number of launches in a table of `ncu --csv`, and the sum of their bytes: a row for each, which ends with name, unit and value.
fn bytes_of_launches(table: &str) -> (usize, f64) {
    let value = |row: &str| {
        let mut from_end = row.trim_end().trim_matches('"').rsplit("\",\"");
        let value = from_end.next()?.replace(',', "").parse::<f64>().ok()?;
        (from_end.nth(1)? == BYTES_OF_MEMORY).then_some(value)
    };
    let values: Vec<f64> = table.lines().filter_map(value).collect();
    (values.len(), values.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the update count, whatever else is printed, with commas in numbers or without.
    #[test]
    fn rows_of_ncu_are_read() {
        let table = concat!(
            "==PROF== Connected to process 7\n",
            "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n",
            "\"0\",\"update_2d\",\"dram__bytes.sum\",\"byte\",\"52,000,000\"\n",
            "\"0\",\"update_2d\",\"gpu__time_duration.sum\",\"nsecond\",\"9,000\"\n",
            "\"1\",\"update_2d\",\"dram__bytes.sum\",\"byte\",\"48000000\"\n",
        );
        assert_eq!(bytes_of_launches(table), (2, 1e8));
    }
}
