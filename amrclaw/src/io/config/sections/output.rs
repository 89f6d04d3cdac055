//! `[output]` and `[[gauge]]`.

use super::AXES;
use crate::io::config::case::{FrameSchedule, GaugeSettings, MeshSettings, OutputSettings, TimeSettings};
use crate::io::config::choice::OutputFormat;
use crate::io::config::reader::Reader;

/// Reads what to write and when.
pub fn read(reader: &mut Reader<'_>, time: Option<&TimeSettings>) -> Option<OutputSettings> {
    let format = match reader.choices("output.format") {
        Some(formats) => formats,
        None => Some(vec![OutputFormat::Vtkhdf]),
    };
    if let Some(repeated) = format.as_ref().and_then(|f| (1..f.len()).find(|&i| f[..i].contains(&f[i]))) {
        reader.wrong(&format!("output.format.{repeated}"), "is listed twice", "remove one of the two");
    }
    let frames = frames(reader, time);
    let checkpoint_every_steps = reader.integer("output.checkpoint_every_steps", 0, 0);
    let aux = reader.boolean("output.aux", false);
    let png = reader.boolean("output.png", true);
    Some(OutputSettings {
        format: format?,
        frames: frames?,
        checkpoint_every_steps: checkpoint_every_steps? as u64,
        aux: aux?,
        png: png?,
    })
}

fn frames(reader: &mut Reader<'_>, time: Option<&TimeSettings>) -> Option<FrameSchedule> {
    let times = match reader.numbers("output.times") {
        Some(times) => times.and_then(|times| check_times(reader, times, time)).map(Some),
        None => Some(None),
    };
    let count = reader.integer("output.count", 1, 1);
    let every_steps = reader.integer("output.every_steps", 1, 1);
    match reader.exclusive(&["output.times", "output.count", "output.every_steps"]) {
        Some("output.times") => times?.map(FrameSchedule::Times),
        Some("output.every_steps") => Some(FrameSchedule::EverySteps(every_steps? as u64)),
        _ => Some(FrameSchedule::Count(count? as u64)),
    }
}

/// Times must ascend within the run.
fn check_times(reader: &mut Reader<'_>, times: Vec<f64>, span: Option<&TimeSettings>) -> Option<Vec<f64>> {
    let mut fine = true;
    for (i, &time) in times.iter().enumerate() {
        let path = format!("output.times.{i}");
        if let Some(span) = span.filter(|span| time < span.start || time > span.end) {
            let message = format!("{time} lies outside the run, which goes from {} to {}", span.start, span.end);
            reader.wrong(&path, message, "remove the time, or change `time.start` or `time.end`");
            fine = false;
        }
        if i > 0 && times[i - 1] >= time {
            reader.wrong(
                &path,
                format!("{time} does not come after {}", times[i - 1]),
                "write the times in ascending order",
            );
            fine = false;
        }
    }
    fine.then_some(times)
}

/// Reads the gauges.
pub fn gauges(
    reader: &mut Reader<'_>,
    dimension: Option<usize>,
    mesh: Option<&MeshSettings>,
) -> Option<Vec<GaugeSettings>> {
    let mut names: Vec<String> = Vec::new();
    let mut gauges = Some(Vec::new());
    for i in 0..reader.count("gauge") {
        let name = gauge_name(reader, &format!("gauge.{i}.name"), &names);
        names.extend(name.clone());
        let position = gauge_position(reader, &format!("gauge.{i}.position"), dimension, mesh);
        gauges = gauges.zip(name.zip(position)).map(|(mut gauges, (name, position))| {
            gauges.push(GaugeSettings { name, position });
            gauges
        });
    }
    gauges
}

/// The name becomes a file's name.
fn gauge_name(reader: &mut Reader<'_>, path: &str, others: &[String]) -> Option<String> {
    reader.require(path, "write `name = \"g1\"` under this `[[gauge]]`")?;
    let name = reader.string(path)??;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        let help = "a file is named after the gauge: use letters, digits, `_`, `-` and `.` only, not `.` first";
        reader.wrong(path, format!("\"{name}\" cannot name a file"), help);
        return None;
    }
    if others.iter().any(|other| other.eq_ignore_ascii_case(name)) {
        reader.wrong(path, format!("there is another gauge \"{name}\""), "give each gauge a name of its own");
        return None;
    }
    Some(name.to_string())
}

fn gauge_position(
    reader: &mut Reader<'_>,
    path: &str,
    dimension: Option<usize>,
    mesh: Option<&MeshSettings>,
) -> Option<Vec<f64>> {
    reader.require(path, "write the gauge's position, one number per axis")?;
    let position = reader.per_axis(path, dimension)??;
    let mesh = mesh?;
    let mut fine = true;
    for (d, x) in position.iter().enumerate().filter(|(d, x)| **x < mesh.lower[*d] || **x > mesh.upper[*d]) {
        let message = format!("the gauge stands outside the domain: {} = {x}", AXES[d]);
        let help = format!("write a number from {} to {}", mesh.lower[d], mesh.upper[d]);
        reader.wrong(&format!("{path}.{d}"), message, help);
        fine = false;
    }
    fine.then_some(position)
}
