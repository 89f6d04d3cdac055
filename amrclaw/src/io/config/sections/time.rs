//! `[time]`.

use crate::io::config::case::TimeSettings;
use crate::io::config::reader::Reader;

/// Share of the whole time that the first step takes unless given: small, since nothing is known of the wave speeds.
const FIRST_STEP: f64 = 1e-4;

/// Reads the time span and the choice of steps.
pub fn read(reader: &mut Reader<'_>) -> Option<TimeSettings> {
    let start = reader.number("time.start", 0.0);
    let given_end = reader.require("time.end", "write `end = 1.0` under `[time]`");
    let end = reader.number("time.end", 0.0).filter(|_| given_end.is_some());
    let span = start.zip(end).filter(|(start, end)| {
        let message = format!("must be later than the start at {start}, but is {end}");
        reader.check(start < end, "time.end", message, "write a later time");
        start < end
    });
    let dt_initial = match positive(reader, "time.dt_initial") {
        Some(dt) => dt,
        None => span.map(|(start, end)| (end - start) * FIRST_STEP),
    };
    let dt = match positive(reader, "time.dt") {
        Some(dt) => dt.map(Some),
        None => Some(None),
    };
    let (cfl_desired, cfl_max) = courant(reader);
    let max_steps = match reader.optional_integer("time.max_steps", 1) {
        Some(steps) => steps.map(|n| Some(n as u64)),
        None => Some(None),
    };
    let max_retries = reader.integer("time.max_retries", 0, 10);
    let (start, end) = span?;
    Some(TimeSettings {
        start,
        end,
        dt_initial: dt_initial?,
        cfl_desired: cfl_desired?,
        cfl_max: cfl_max?,
        dt: dt?,
        max_steps: max_steps?,
        max_retries: max_retries? as u32,
    })
}

/// `None` if absent, `Some(None)` if wrong.
fn positive(reader: &mut Reader<'_>, path: &str) -> Option<Option<f64>> {
    let value = reader.optional_number(path)?;
    Some(value.filter(|value| {
        reader.check(*value > 0.0, path, format!("must be positive, but is {value}"), "write a step such as `1e-4`");
        *value > 0.0
    }))
}

/// Desired and largest Courant number.
fn courant(reader: &mut Reader<'_>) -> (Option<f64>, Option<f64>) {
    let mut read = |path: &str, default: f64| {
        reader.number(path, default).filter(|value| {
            let fine = *value > 0.0 && *value <= 1.0;
            let message = format!("must lie in (0, 1], but is {value}");
            reader.check(fine, path, message, "the method is unstable above Courant number 1; write for example `0.9`");
            fine
        })
    };
    let max = read("time.cfl_max", 1.0);
    let desired = read("time.cfl_desired", max.map_or(0.9, |max| max.min(0.9)));
    if let (Some(desired), Some(max)) = (desired, max) {
        let message = format!("must not exceed `time.cfl_max`, but {desired} > {max}");
        reader.check(desired <= max, "time.cfl_desired", message, format!("write {max} or less, or raise `cfl_max`"));
    }
    (desired, max)
}
