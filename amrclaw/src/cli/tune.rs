//! `amrclaw tune`.

use crate::cli::Failure;
use crate::cli::arguments::TuneArguments;
use crate::cli::run::default_folder;
use crate::cli::sweep::failure;
use crate::cli::terminal;
use crate::tune::{self, Notice, Tried, Tune, Tuned};
use indicatif::{ProgressBar, ProgressStyle};
use std::ffi::OsString;
use std::fmt::Write;
use std::io::IsTerminal;

pub fn tune(arguments: &TuneArguments, own: &[OsString]) -> Result<(), Failure> {
    let (file, execution) = (&arguments.case.case, &arguments.execution);
    let case = execution.load(&arguments.case, &[]).map_err(|errors| Failure::Input(errors.to_string()))?;
    if case.mesh.file.is_some() {
        let message = "mesh.file: tune searches how patches are made, which a mesh from a file has not; compare settings by `amrclaw sweep`, such \
                       as --vary regrid.interval=2,4,8 or, on a GPU, scheme.loop=cell,face";
        return Err(Failure::Input(message.to_owned()));
    }
    execution.check_devices(arguments.device)?;
    let settings = Tune {
        launch: execution.launch(&arguments.case, own)?,
        device: arguments.device.to_string(),
        dir: arguments.output.clone().unwrap_or_else(|| default_folder(file, "_tune")),
        steps: arguments.steps,
        most: arguments.trials.into(),
        repeats: arguments.repeat.into(),
    };
    let bar = (!execution.quiet && std::io::stderr().is_terminal()).then(|| {
        let style = ProgressStyle::with_template("{spinner} [{elapsed}] {prefix} | {msg}");
        ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
    });
    let outcome = tune::tune(&case, &settings, &mut |notice| match (&bar, notice) {
        (Some(bar), Notice::Begin(count, what)) => bar.set_prefix(format!("trial {count}: {what}")),
        (Some(bar), Notice::Progress(line)) => bar.set_message(line.trim().to_owned()),
        (None, Notice::Begin(count, what)) if !execution.quiet => note!("trial {count}: {what}"),
        (None, _) => {}
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let tuned = outcome.map_err(failure)?;
    if !execution.quiet {
        terminal::show(&text(&tuned));
    }
    say!("[regrid]\n{}", tuned.setting().lines().join("\n"));
    Ok(())
}

/// The settings tried and their results, as text.
fn text(tuned: &Tuned) -> String {
    let mut out = String::new();
    let [start, end] = tuned.piece;
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "trial runs from t = {start} to {end}; error: difference from the finest setting\n");
    let key = tuned.setting().cover.key();
    let width = key.len();
    let _ = writeln!(out, "interval  buffer  {key}  max_patch_size  s per unit of t      error  cell updates");
    for (number, Tried { setting, measured }) in tuned.found.tried.iter().enumerate() {
        let remark = match number {
            _ if measured.seconds.is_infinite() => "  failed",
            // Written so that a NaN error exceeds the limit.
            _ if !matches!(measured.error.partial_cmp(&tuned.limit), Some(o) if o.is_le()) => "  error too large",
            _ if number == tuned.found.fastest => "  fastest",
            0 => "  the case's own",
            _ => "",
        };
        let _ = writeln!(
            out,
            "{:8}  {:6}  {:width$}  {:14}  {:15.4}  {:9.2e}  {:12.3e}{remark}",
            setting.interval,
            setting.buffer,
            setting.cover.number(),
            setting.max_patch_size,
            measured.seconds,
            measured.error,
            measured.cells as f64
        );
    }
    if let Some(worth) = tuned.worth {
        let _ = writeln!(out, "\nlargest error accepted: {:.2e}; error with one level less: {worth:.2e}", tuned.limit);
    }
    let _ = match (tuned.speedup(), tuned.compared) {
        (Some(speedup), _) => {
            writeln!(out, "in alternating runs, the fastest is {speedup:.2} times as fast as the case's own setting")
        }
        (None, Some(_)) => writeln!(out, "in alternating runs, no setting is faster than the case's own, which stays"),
        (None, None) => writeln!(out, "nothing faster than the case's own setting was found"),
    };
    out.push('\n');
    out
}
