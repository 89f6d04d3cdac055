//! `amrclaw sweep`.

use crate::case::{Case, CaseErrors, CaseSettings};
use crate::cli::Failure;
use crate::cli::arguments::SweepArguments;
use crate::cli::exact::exact;
use crate::cli::run::default_folder;
use crate::cli::terminal;
use crate::compare::Reference;
use crate::simulation::Device;
use crate::sweep::{
    CSV_NAME, JSON_NAME, Notice, Plan, REPORT_NAME, RunResultStatus, Summary, Sweep, SweepError, execute,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::ffi::OsString;
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

pub fn sweep(arguments: &SweepArguments, own: &[OsString]) -> Result<(), Failure> {
    let sweep = prepare(arguments, own)?;
    let mut display = Display::new(arguments.execution.quiet, sweep.plan.runs.len());
    let outcome = execute(&sweep, arguments.resume, &mut |notice| display.show(&sweep, notice));
    display.finish();
    let results = outcome.map_err(failure)?;
    if !arguments.execution.quiet {
        terminal::show(&text(&sweep, &Summary::of(&sweep, &results)));
    }
    let failed = results.iter().filter(|result| result.status == RunResultStatus::Failed).count();
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Work(format!(
            "{failed} of {} runs failed; {} says why",
            results.len(),
            sweep.dir.join(REPORT_NAME).display()
        ))),
    }
}

/// Checks the arguments and all cases of the sweep, and returns the sweep.
fn prepare(arguments: &SweepArguments, own: &[OsString]) -> Result<Sweep, Failure> {
    let usual = if arguments.execution.names_devices() { Device::Cuda } else { Device::Cpu };
    let devices = if arguments.device.is_empty() { vec![usual] } else { arguments.device.clone() };
    for (i, &device) in devices.iter().enumerate() {
        if devices[..i].contains(&device) {
            let message = format!("--device {device} is given twice; use --repeat to repeat runs");
            return Err(Failure::Input(message));
        }
    }
    let (names, repeats) = (devices.iter().map(Device::to_string).collect(), usize::from(arguments.repeat));
    let plan = Plan::new(arguments.vary.clone(), arguments.zip, names, repeats, arguments.seed).map_err(failure)?;
    let (first, case_text) = check_cases(arguments, &plan)?;
    devices.iter().try_for_each(|&device| arguments.execution.check_distributed(device))?;
    if arguments.zip && arguments.vary.len() < 2 && !arguments.execution.quiet {
        note!("remark: --zip has no effect without a second --vary");
    }
    let dir = arguments.output.clone().unwrap_or_else(|| default_folder(&arguments.case.case, "_sweep"));
    let mut launch = arguments.execution.launch(&arguments.case, own)?;
    let gpus = arguments.execution.take_devices(&mut launch);
    let reference = reference(arguments, &first)?;
    if reference.is_some() {
        let frames = ["output.format=\"vtkhdf\"", "output.count=1", "output.png=false"];
        launch.overrides.extend(frames.map(str::to_owned));
    }
    Ok(Sweep { plan, launch, case_text, gpus, seed: arguments.seed, reference, dir })
}

/// What `--error` compares the runs with. `case`: the case of any setting, to check formulas.
fn reference(arguments: &SweepArguments, case: &Case) -> Result<Option<Reference>, Failure> {
    match arguments.error.as_deref() {
        None => Ok(None),
        Some("finest") => Ok(Some(Reference::Finest)),
        Some(text) => exact("--error", &[text.to_owned()], case).map(Some),
    }
}

/// Reads the case with every setting; returns that of the first, and the case's text with the overrides that all runs share.
fn check_cases(arguments: &SweepArguments, plan: &Plan) -> Result<(Case, String), Failure> {
    let (mut first, mut wrong) = (None, None);
    for setting in 0..plan.settings.len() {
        match arguments.execution.load(&arguments.case, &plan.overrides(setting)) {
            Ok(case) => first = first.or(Some(case)),
            Err(errors) => {
                wrong = Some(match wrong.take() {
                    Some(before) => CaseErrors::and(before, errors),
                    None => errors,
                });
            }
        }
    }
    if let Some(errors) = wrong {
        return Err(Failure::Input(errors.to_string()));
    }
    let case = first.expect("a sweep has at least one setting");
    // The case alone need not be complete: the varied keys may be missing in it.
    let text = CaseSettings::load(&arguments.case.case, &arguments.case.overrides).map(|settings| settings.text());
    let text = text.or_else(|_| std::fs::read_to_string(&arguments.case.case));
    text.map(|text| (case, text)).map_err(|e| Failure::Input(e.to_string()))
}

pub fn failure(error: SweepError) -> Failure {
    match error {
        SweepError::Vary(_)
        | SweepError::Exists(_)
        | SweepError::Differs { .. }
        | SweepError::Folder(_)
        | SweepError::Input(_) => Failure::Input(error.to_string()),
        SweepError::Run { .. } | SweepError::Output(_) | SweepError::Start { .. } => Failure::Work(error.to_string()),
    }
}

/// Progress over the whole sweep: a bar on a terminal, a line per run elsewhere.
struct Display {
    quiet: bool,
    bar: Option<ProgressBar>,
    total: usize,
    ended: usize,
    kept: usize,
    start: Instant,
}

impl Display {
    fn new(quiet: bool, total: usize) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} [{elapsed}] {msg}");
            let bar = ProgressBar::new(total as u64);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Display { quiet, bar, total, ended: 0, kept: 0, start: Instant::now() }
    }

    fn show(&mut self, sweep: &Sweep, notice: Notice<'_>) {
        match notice {
            Notice::Kept(count) => {
                (self.ended, self.kept) = (count, count);
                self.line(&format!("{count} of {} runs are already complete", self.total));
            }
            Notice::Begin(run) => {
                if let Some(bar) = &self.bar {
                    bar.set_position(self.ended as u64);
                    let rest = self.rest().map_or_else(String::new, |s| format!("{s} left; "));
                    let device = &sweep.plan.devices[run.device];
                    bar.set_message(format!("{rest}{device}, {}", sweep.plan.describe(run.setting)));
                }
            }
            Notice::Progress(line) => {
                if let Some(bar) = &self.bar {
                    let message = bar.message();
                    let what = message.split(" | ").next().unwrap_or_default();
                    bar.set_message(format!("{what} | {}", line.trim()));
                }
            }
            Notice::End(result) => {
                self.ended += 1;
                let what = format!(
                    "{}, {}, run {}",
                    sweep.plan.devices[result.run.device],
                    sweep.plan.describe(result.run.setting),
                    result.run.repeat
                );
                let outcome = match (&result.status, &result.record) {
                    (RunResultStatus::Done, Some(record)) => format!("{:.2} s", record.wall_seconds),
                    _ => format!("failed: {}", result.error),
                };
                self.line(&format!("{}/{}  {what}: {outcome}", self.ended, self.total));
            }
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if !self.quiet => note!("{text}"),
            None => {}
        }
    }

    /// Time to the end of the sweep if its runs go on taking as long as they did.
    fn rest(&self) -> Option<String> {
        let mean = self.start.elapsed().checked_div((self.ended - self.kept) as u32)?;
        let seconds = mean.as_secs_f64() * (self.total - self.ended) as f64;
        Some(if seconds < 100.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) })
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The medians of every setting, the best of each device, and where the files are.
fn text(sweep: &Sweep, summary: &Summary) -> String {
    let plan = &sweep.plan;
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    for (number, device) in plan.devices.iter().enumerate() {
        let best = summary.best(number);
        let width = (0..plan.settings.len()).map(|s| plan.describe(s).chars().count()).max().unwrap_or(0);
        let _ = write!(
            out,
            "{device:<width$}         s  × fastest   advance s   regrid s  cell updates   patches    drift"
        );
        let _ = writeln!(out, "{}", if sweep.reference.is_some() { "     error" } else { "" });
        for m in summary.medians.iter().filter(|m| m.device == number) {
            let what = plan.describe(m.setting);
            if m.done == 0 {
                let _ = writeln!(out, "{what:<width$}    failed");
                continue;
            }
            let _ = write!(
                out,
                "{what:<width$}{:10.3} {:10.2} {:11.3} {:10.3} {:13.3e} {:9.1} {:8.1e}",
                m.seconds,
                m.seconds / best.map_or(f64::NAN, |best| best.fastest.seconds),
                m.phases.advance,
                m.phases.regrid,
                m.cells_advanced_total,
                m.patches_mean,
                m.drift,
            );
            let error = m.error.map_or_else(|| "–".to_owned(), |error| format!("{error:.2e}"));
            let _ = writeln!(out, "{}", if sweep.reference.is_some() { format!(" {error:>9}") } else { String::new() });
        }
        for line in summary.without_error(plan, number) {
            let _ = writeln!(out, "{line}");
        }
        if let Some(best) = best.filter(|_| plan.settings.len() > 1) {
            let _ = writeln!(
                out,
                "fastest on {device}: {}; the slowest, {}, takes {:.2} times as long\n",
                plan.describe(best.fastest.setting),
                plan.describe(best.slowest.setting),
                best.ratio()
            );
            if let Some(note) = summary.refinement_note(plan, number) {
                let _ = writeln!(out, "{note}\n");
            }
        }
    }
    let files = [REPORT_NAME, CSV_NAME, JSON_NAME].map(|name| sweep.dir.join(name).display().to_string());
    let _ = writeln!(out, "{}", files.join("\n"));
    out
}
