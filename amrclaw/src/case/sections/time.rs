//! `[time]`.

use crate::case::reader::Reader;
use crate::case::settings::TimeSettings;

/// Share of the whole time that the first step takes unless given: small, since nothing is known of the wave speeds.
const FIRST_STEP: f64 = 1e-4;

/// Reads the time span and the choice of steps.
pub fn read(reader: &mut Reader<'_>) -> TimeSettings {
    let start = reader.number("time.start", 0.0);
    reader.require("time.end", "write `end = 1.0` under `[time]`");
    let end = reader.number("time.end", start + 1.0);
    if reader.fine(&["time.start", "time.end"]) {
        let message = format!("must be later than the start at {start}, but is {end}");
        reader.check(start < end, "time.end", message, "write a later time");
        let message = format!("the span from {start:e} to {end:e} is no finite number");
        reader.check((end - start).is_finite(), "time.end", message, "write an earlier time, or begin later");
    }
    let (cfl_desired, cfl_max) = courant(reader);
    let [dt, dt_initial, dt_max] = ["time.dt", "time.dt_initial", "time.dt_max"].map(|path| positive(reader, path));
    for (path, step) in [("time.dt", dt), ("time.dt_initial", dt_initial)] {
        if let (Some(step), Some(most), true) = (step, dt_max, reader.fine(&[path, "time.dt_max"])) {
            let message = format!("must not exceed `time.dt_max`, but {step} > {most}");
            reader.check(step <= most, path, message, format!("write {most} or less, or raise `dt_max`"));
        }
    }
    TimeSettings {
        start,
        end,
        dt_initial: dt_initial.unwrap_or((end - start) * FIRST_STEP),
        dt_max,
        cfl_desired,
        cfl_max,
        dt,
        max_steps: reader.optional_integer("time.max_steps", 1).map(|n| n as u64),
        max_retries: reader.integer("time.max_retries", 0, 10) as u32,
        growth_limit: growth_limit(reader),
        stop_when: reader.named_expression("time.stop_when"),
        stop_every: reader.integer("time.stop_every", 1, 1) as u64,
    }
}

/// How much the solution may grow.
fn growth_limit(reader: &mut Reader<'_>) -> f64 {
    let limit = reader.number("time.growth_limit", 1e6);
    let message = format!("must be 0, for no limit, or at least 10, but is {limit}");
    reader.check(limit == 0.0 || limit >= 10.0, "time.growth_limit", message, "write for example `1e6`");
    limit
}

fn positive(reader: &mut Reader<'_>, path: &str) -> Option<f64> {
    let value = reader.optional_number(path)?;
    reader.check(value > 0.0, path, format!("must be positive, but is {value}"), "write a step such as `1e-4`");
    Some(value)
}

/// Desired and largest Courant number, where they are given.
fn courant(reader: &mut Reader<'_>) -> (Option<f64>, Option<f64>) {
    let mut read = |path: &str| {
        let value = reader.optional_number(path)?;
        let message = format!("must lie in (0, 1], but is {value}");
        let help = "the method is unstable above Courant number 1; write for example `0.9`";
        reader.check(value > 0.0 && value <= 1.0, path, message, help);
        Some(value)
    };
    let (max, desired) = (read("time.cfl_max"), read("time.cfl_desired"));
    if let (Some(max), Some(desired)) = (max, desired)
        && reader.fine(&["time.cfl_max", "time.cfl_desired"])
    {
        let message = format!("must not exceed `time.cfl_max`, but {desired} > {max}");
        reader.check(desired <= max, "time.cfl_desired", message, format!("write {max} or less, or raise `cfl_max`"));
    }
    (desired, max)
}
