//! `[output]` and `[[gauge]]`.

use super::AXES;
use crate::case::names::GAUGE_COLUMNS;
use crate::case::reader::{Reader, brief};
use crate::case::settings::{
    ForceSettings, FrameSchedule, GaugeSettings, LevelSettings, MeshSettings, NamedExpression, OutputSettings,
    TimeSettings,
};
use crate::frames::FrameFormat;
use std::collections::HashSet;

/// Most frames that a case may ask for by their number.
const MAX_FRAMES: i64 = 1_000_000;

/// Reads what to write and when.
pub fn read(
    reader: &mut Reader<'_>,
    time: &TimeSettings,
    levels: &LevelSettings,
    dimension: Option<usize>,
) -> OutputSettings {
    let format = reader.choices("output.format").unwrap_or(vec![FrameFormat::VtkHdf]);
    if let Some(repeated) = (1..format.len()).find(|&i| format[..i].contains(&format[i])) {
        reader.wrong(&format!("output.format.{repeated}"), "is listed twice", "remove one of the two");
    }
    check_formats(reader, &format, levels, dimension);
    let minutes = reader.number("output.checkpoint_every_minutes", 10.0);
    let message = format!("must be at least 0, but is {minutes}");
    let help = "write minutes such as `10`, or 0 for none";
    reader.check(minutes >= 0.0, "output.checkpoint_every_minutes", message, help);
    OutputSettings {
        format,
        frames: frames(reader, time),
        checkpoint_every_steps: reader.integer("output.checkpoint_every_steps", 0, 0) as u64,
        checkpoint_every_minutes: minutes,
        aux: reader.boolean("output.aux", false),
        png: reader.boolean("output.png", true),
        live: live(reader, levels),
        forces: Vec::new(),
    }
}

/// Reads the forces, of a mesh from a file.
pub fn forces(reader: &mut Reader<'_>, mesh: &MeshSettings) -> Vec<ForceSettings> {
    let (mut forces, mut names) = (Vec::new(), HashSet::new());
    for (name, place) in reader.names("output.forces") {
        let path = format!("output.forces.{name}");
        let [key, side_key] = ["value", "side"].map(|last| format!("{path}.{last}"));
        reader.require(&key, "write what is summed times the outward normal, such as `value = \"pressure\"`");
        let value = reader.named_expression(&key);
        let side = reader.string(&side_key).unwrap_or(name);
        let every_steps = reader.integer(&format!("{path}.every_steps"), 1, 1) as u64;
        check_file_name(reader, &path, name, ("force", &mut names));
        match &mesh.file {
            Some(file) if file.mesh.boundary.number(side).is_none() => {
                let help = format!("write `side`, one of {}", file.mesh.boundary.names.join(", "));
                let given = reader.is_present(&side_key);
                let (place, at) = if given { (None, &side_key) } else { (Some(place), &path) };
                reader.wrong_at(place, at, format!("the mesh has no side `{side}`"), help);
            }
            None if !reader.is_present("mesh.file") => {
                let help = "remove the table, or write `mesh.file`".to_owned();
                reader.wrong_at(Some(place), &path, "is for a mesh from a file".to_owned(), help);
            }
            _ => {}
        }
        forces.extend(value.map(|value| ForceSettings {
            name: name.to_owned(),
            side: side.to_owned(),
            every_steps,
            value,
        }));
    }
    forces
}

/// The file of the present state is in a format that asks for equal ratios.
fn live(reader: &mut Reader<'_>, levels: &LevelSettings) -> bool {
    let live = reader.boolean("output.live", false);
    let wrong = FrameFormat::VtkHdf.supports(&levels.ratio).err().filter(|_| live);
    if let Some(message) = wrong {
        reader.wrong("output.live", message, "choose equal ratios, or leave the key out");
    }
    live
}

/// Formats must not overwrite each other's files, and must be able to express the levels.
fn check_formats(reader: &mut Reader<'_>, formats: &[FrameFormat], levels: &LevelSettings, dimension: Option<usize>) {
    if let Some([one, other]) = FrameFormat::clash(formats) {
        let message = format!("\"{one}\" and \"{other}\" both write files called fort.q");
        reader.wrong("output.format", message, "choose one of the two");
    }
    // Ratios with too few or too many axes have already been reported.
    if levels.ratio.iter().any(|ratio| Some(ratio.len()) != dimension) {
        return;
    }
    for message in formats.iter().filter_map(|format| format.supports(&levels.ratio).err()) {
        let help = "choose equal ratios, or write \"clawpack-ascii\" or \"clawpack-binary\" instead";
        let key = if reader.is_present("output.format") { "output.format" } else { "levels.ratio" };
        reader.wrong(key, message, help);
    }
}

fn frames(reader: &mut Reader<'_>, time: &TimeSettings) -> FrameSchedule {
    let times = reader.numbers("output.times", false).unwrap_or_default();
    let count = reader.integer("output.count", 1, 1);
    let message = format!("must be at most {MAX_FRAMES}, but is {count}");
    reader.check(count <= MAX_FRAMES, "output.count", message, "write fewer, or frames by `output.every_steps`");
    let count = count.min(MAX_FRAMES);
    let every_steps = reader.integer("output.every_steps", 1, 1);
    match reader.exclusive(&["output.times", "output.count", "output.every_steps"]) {
        Some("output.times") => {
            let times = within_shortened_run(reader, times, time);
            check_times(reader, &times, time);
            FrameSchedule::Times(times)
        }
        Some("output.every_steps") => FrameSchedule::EverySteps(every_steps as u64),
        _ => FrameSchedule::Count(count as u64),
    }
}

/// If the end of the run was overridden after the output times were given, as by `--set time.end=0.1`, drops the times beyond it. If
/// none is left, the end is the only output time.
fn within_shortened_run(reader: &mut Reader<'_>, times: Vec<f64>, span: &TimeSettings) -> Vec<f64> {
    if !reader.is_later("time.end", "output.times") || !reader.fine(&["time.start", "time.end", "output.times"]) {
        return times;
    }
    let mut within: Vec<f64> = times.iter().copied().filter(|&time| time <= span.end).collect();
    let dropped = times.len() - within.len();
    if dropped > 0 {
        let instead = if within.is_empty() { "; the end is written instead" } else { "" };
        let end = brief(span.end);
        reader.remark(
            "output.times",
            format!("{dropped} of {} are after the end at {end} and are left out{instead}", times.len()),
        );
    }
    if within.is_empty() && dropped > 0 {
        within.push(span.end);
    }
    within
}

/// Times must ascend within the run.
fn check_times(reader: &mut Reader<'_>, times: &[f64], span: &TimeSettings) {
    let span_is_fine = reader.fine(&["time.start", "time.end"]);
    for (i, &time) in times.iter().enumerate() {
        let path = format!("output.times.{i}");
        let inside = span.start <= time && time <= span.end;
        let [at, start, end] = [time, span.start, span.end].map(brief);
        let message = format!("{at} is outside the run, from {start} to {end}");
        let help = "remove the time, or change `time.start` or `time.end`";
        reader.check(inside || !span_is_fine, &path, message, help);
        if i > 0 {
            let message = format!("{time} is not later than {}", times[i - 1]);
            reader.check(times[i - 1] < time, &path, message, "write the times in ascending order");
        }
    }
}

/// Reads the gauges.
pub fn gauges(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> Vec<GaugeSettings> {
    let (mut gauges, mut names) = (Vec::new(), HashSet::new());
    for i in 0..reader.count("gauge") {
        let name = gauge_name(reader, &format!("gauge.{i}.name"), &mut names);
        let position = gauge_position(reader, &format!("gauge.{i}.position"), mesh, dimension);
        gauges.push(GaugeSettings { name, position });
    }
    gauges
}

/// Most characters of a name: file systems allow names of 255, which also have to hold `gauge_` and endings.
const LONGEST_NAME: usize = 100;

/// The name becomes part of a file name. `others`: earlier names in lower case, since some file systems ignore case.
fn gauge_name(reader: &mut Reader<'_>, path: &str, others: &mut HashSet<String>) -> String {
    reader.require(path, "write `name = \"g1\"` under this `[[gauge]]`");
    let Some(name) = reader.string(path) else { return String::new() };
    check_file_name(reader, path, name, ("gauge", others));
    name.to_string()
}

/// Notes a name that cannot become part of a file name. `others`: as in [`gauge_name`].
pub fn check_file_name(reader: &mut Reader<'_>, path: &str, name: &str, (kind, others): (&str, &mut HashSet<String>)) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let fine = !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain);
    let help = format!("a file is named after the {kind}: use letters, digits, `_`, `-` and `.` only, not `.` first");
    reader.check(fine, path, format!("\"{name}\" cannot name a file"), help);
    let length = name.chars().count();
    let message = format!("has {length} letters, but at most {LONGEST_NAME} can name a file");
    reader.check(!fine || length <= LONGEST_NAME, path, message, "choose a shorter name");
    let is_new = !fine || others.insert(name.to_ascii_lowercase());
    let help = format!("give each {kind} a name of its own");
    reader.check(is_new, path, format!("there is another {kind} \"{name}\""), help);
}

fn gauge_position(reader: &mut Reader<'_>, path: &str, mesh: &MeshSettings, dimension: Option<usize>) -> Vec<f64> {
    reader.require(path, "write the gauge's position, one number per axis");
    let position = reader.per_axis(path, dimension).unwrap_or_default();
    // On a mapped mesh positions are physical; `config::mapping` checks them.
    if let Some(file) = &mesh.file {
        let holds = position.len() != file.mesh.dim || file.mesh.cell_at(&position).is_some();
        reader.check(holds, path, "the gauge is in no cell of the mesh", "write a point inside the mesh");
        return position;
    }
    if mesh.mapping.is_none() {
        let places = position.iter().enumerate();
        places.for_each(|(d, &x)| check_inside(reader, &format!("{path}.{d}"), "the gauge is", (d, x), mesh));
    }
    position
}

/// Notes a coordinate along an axis that is outside the domain. `what`: the beginning of the message.
pub(super) fn check_inside(reader: &mut Reader<'_>, key: &str, what: &str, (d, x): (usize, f64), mesh: &MeshSettings) {
    if let (true, Some(&lower), Some(&upper)) =
        (reader.fine(&["mesh.lower", "mesh.upper"]), mesh.lower.get(d), mesh.upper.get(d))
    {
        let message = format!("{what} outside the domain: {} = {}", AXES[d], brief(x));
        let help = format!("write a number from {} to {}", brief(lower), brief(upper));
        reader.check((lower..=upper).contains(&x), key, message, help);
    }
}

/// Reads the further fields of frames.
pub fn fields(reader: &mut Reader<'_>) -> Vec<NamedExpression> {
    let mut fields: Vec<NamedExpression> = Vec::new();
    for i in 0..reader.count("output.field") {
        let (name_path, key) = (format!("output.field.{i}.name"), format!("output.field.{i}.formula"));
        reader.require(&name_path, "write `name = \"speed\"` under this `[[output.field]]`");
        reader.require(&key, "write a formula such as `formula = \"sqrt(u^2 + v^2)\"`");
        let name = reader.string(&name_path).unwrap_or_default();
        // The names of data sets in files.
        let fine = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
        let present = reader.is_present(&name_path);
        let help = "use letters, digits and `_` only";
        reader.check(fine || !present, &name_path, format!("\"{name}\" cannot name a field"), help);
        let help = format!("give the field another name, such as `{name}_1`");
        let is_column = GAUGE_COLUMNS.contains(&name);
        reader.check(!is_column, &name_path, format!("the gauges' files have a column \"{name}\" already"), help);
        let is_new = fields.iter().all(|field| field.name != name);
        reader.check(
            is_new,
            &name_path,
            format!("there is another field \"{name}\""),
            "give each field a name of its own",
        );
        if let Some((text, syntax)) = reader.expression(&key) {
            fields.push(NamedExpression { name: name.to_string(), text, syntax, key });
        }
    }
    fields
}
