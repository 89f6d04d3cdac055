//! A page that holds its data: one file that shows runs without the program and without a network.
//!
//! It has the page's own files, and the answers that the server would give, deflated, each in an element of its name.

use super::ViewError;
use super::answers::{Form, RunFiles, Runs};
use super::page;
use super::wish::Wish;
use crate::frames::Plot;
use crate::frames::atomic::{Durability, write_file};
use crate::picture::base64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most records of steps.
const STEPS: usize = 5000;

/// A page.
pub struct Saved {
    /// Its text.
    pub html: String,
    /// What was left out so that it is small enough.
    pub left_out: Option<String>,
}

impl Saved {
    /// Writes the page, also in place of another page, but of no other file.
    ///
    /// # Errors
    /// There is another file of this name; the system's.
    pub fn write(&self, path: &Path) -> Result<(), ViewError> {
        // A link counts as a file even if its target is missing.
        let is_page = || std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(page::beginning().as_bytes()));
        if path.symlink_metadata().is_ok() && !(path.is_file() && is_page()) {
            let message =
                format!("{}: this file is no page of amrclaw view: give another name, or remove it", path.display());
            return Err(ViewError::Request(message));
        }
        let written = write_file(path, Durability::Program, |out| out.write_all(self.html.as_bytes()));
        written.map_err(|error| ViewError::Data(error.to_string()))
    }
}

/// What of the runs a page holds.
#[derive(Clone, Copy)]
struct Choice {
    /// Levels, from the coarsest.
    levels: usize,
    /// Of so many frames one, the last among them.
    every: usize,
}

/// The page of the runs in folders, with these fields (by default all equations of the first run), in at most `budget` bytes: finest levels
/// are left out where it would be larger, then frames.
///
/// # Errors
/// A folder has no frames, a field cannot be computed, or not even the last frame's coarsest level is small enough.
pub fn saved_page(dirs: &[PathBuf], fields: &[String], budget: usize) -> Result<Saved, ViewError> {
    let runs = Runs::open(dirs)?;
    let mut all = runs.all();
    let named = |all: &Value| serde_json::from_value(all["runs"][0]["fields"]["names"].clone()).unwrap_or_default();
    let equations = || -> Result<Vec<String>, ViewError> {
        let names: Vec<String> = named(&all);
        let (run, last) = (runs.run(0)?, last_frame(&all["runs"][0])?);
        let count = run.frame(last)?.reader.equations().0.len();
        Ok(names.into_iter().take(count).collect())
    };
    // By default what the case draws.
    let plots: Vec<Plot> = serde_json::from_value(all["runs"][0]["record"]["plots"].clone()).unwrap_or_default();
    let mut drawn: Vec<String> = plots.into_iter().flat_map(|plot| plot.fields).collect();
    let mut seen = HashSet::new();
    drawn.retain(|field| seen.insert(field.clone()));
    let fields = match (fields, &drawn[..]) {
        ([], []) => equations()?,
        ([], _) => drawn,
        (given, _) => given.to_vec(),
    };
    let mut most = [1, 1];
    for (number, of_run) in all["runs"].as_array().into_iter().flatten().enumerate() {
        last_frame(of_run)?;
        let frames = frames(of_run, 1);
        most[1] = most[1].max(frames.len());
        for frame in frames {
            most[0] = most[0].max(runs.run(number)?.frame(frame)?.boxes()["levels"].as_array().map_or(1, Vec::len));
        }
    }
    let by_levels = (1..=most[0]).rev().map(|levels| Choice { levels, every: 1 });
    let by_frames = (1..).map(|power| Choice { levels: 1, every: 1 << power }).take_while(|c| c.every < 2 * most[1]);
    for choice in by_levels.chain(by_frames) {
        let mut page = Page { elements: String::new(), room: budget, errors: vec![0.0; fields.len()], picture: vec![] };
        if page.fill((&runs, &all), &fields, choice)? {
            let left_out = left_out(choice, most, budget);
            narrow(&mut all, &fields, choice);
            all["saved"] = json!({ "fields": fields, "errors": page.errors, "left_out": left_out });
            page.add("runs", &all.to_string().into_bytes())?;
            page.add("colours", &Runs::colours().to_string().into_bytes())?;
            let html = page::alone(&page.elements, &page.picture);
            if html.len() <= budget {
                return Ok(Saved { html, left_out });
            }
        }
    }
    let message =
        "the page of the coarsest level of the last frame is larger than the budget: give more, or fewer fields";
    Err(ViewError::Request(message.to_owned()))
}

/// The number of a run's last frame.
fn last_frame(run: &Value) -> Result<usize, ViewError> {
    let missing =
        || ViewError::Data(format!("{}: there is no frame_*.vtkhdf", run["name"].as_str().unwrap_or_default()));
    frames(run, 1).last().copied().ok_or_else(missing)
}

/// The numbers of the frames that are held of a run.
fn frames(run: &Value, every: usize) -> Vec<usize> {
    let all: Vec<usize> =
        run["frames"].as_array().into_iter().flatten().filter_map(|f| f[0].as_u64()).map(|n| n as usize).collect();
    let count = all.len();
    all.into_iter().enumerate().filter(|(k, _)| (count - 1 - k).is_multiple_of(every)).map(|(_, n)| n).collect()
}

/// What a page of limited size lacks.
fn left_out(choice: Choice, most: [usize; 2], budget: usize) -> Option<String> {
    let megabytes = budget as f64 / 1e6;
    let levels = || format!("levels above {} are left out", choice.levels);
    let every = || format!("of {} frames one is kept", choice.every);
    let what = match choice {
        Choice { every: 1, levels } if levels == most[0] => return None,
        Choice { every: 1, .. } => levels(),
        Choice { levels: 1, .. } if most[0] == 1 => every(),
        _ => format!("{}, and {}", levels(), every()),
    };
    Some(format!("{what}, for a page of at most {megabytes} MB"))
}

/// Has the page's account of the runs list what it holds alone.
fn narrow(all: &mut Value, fields: &[String], choice: Choice) {
    for run in all["runs"].as_array_mut().into_iter().flatten() {
        let kept = frames(run, choice.every);
        if let Some(listed) = run["frames"].as_array_mut() {
            listed.retain(|frame| kept.iter().any(|&n| frame[0] == n));
        }
        run["fields"]["names"] = json!(fields);
        run["fields"]["quantities"] = json!([]);
    }
}

/// Answers for a page.
struct Page {
    elements: String,
    /// Bytes that it may still take.
    room: usize,
    /// Largest error of each field.
    errors: Vec<f64>,
    /// The last frame, as PNG.
    picture: Vec<u8>,
}

impl Page {
    /// Adds an answer; returns whether there was room.
    fn add(&mut self, name: &str, body: &[u8]) -> Result<bool, ViewError> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(body)?;
        let text = base64(&encoder.finish()?);
        let element = format!("<script type=\"text/plain\" id=\"{name}\">{text}</script>\n");
        let fits = element.len() <= self.room;
        self.room = self.room.saturating_sub(element.len());
        self.elements += &element;
        Ok(fits)
    }

    /// Adds all answers but the account of the runs; returns whether there was room.
    fn fill(&mut self, (runs, all): (&Runs, &Value), fields: &[String], choice: Choice) -> Result<bool, ViewError> {
        let wish = Wish { field: fields[0].clone(), ..Wish::default() };
        self.picture = runs.run(0)?.figure(last_frame(&all["runs"][0])?, &wish)?.image().png()?;
        self.room = self.room.saturating_sub(self.picture.len() * 4 / 3);
        for (number, of_run) in all["runs"].as_array().into_iter().flatten().enumerate() {
            let run = runs.run(number)?;
            let mut fits = self.add(&format!("{number}/steps/0"), &steps(run)?)?;
            for k in 0..of_run["gauges"].as_array().map_or(0, Vec::len) {
                fits &= self.add(&format!("{number}/gauge/{k}"), &run.gauge(k)?.to_string().into_bytes())?;
            }
            for frame in frames(of_run, choice.every) {
                for (f, field) in fields.iter().enumerate() {
                    fits = fits && self.add_frame((run, number), frame, (f, field), choice.levels)?;
                }
            }
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds a field of a frame, in three dimensions on the planes through the middle.
    fn add_frame(
        &mut self,
        (run, number): (&RunFiles, usize),
        frame: usize,
        (index, field): (usize, &String),
        levels: usize,
    ) -> Result<bool, ViewError> {
        let open = run.frame(frame)?;
        let mut boxes = open.boxes();
        let (lower, upper, extent) = (boxes["lower"].clone(), boxes["upper"].clone(), boxes["extent"].clone());
        let mut fits = true;
        if index == 0 {
            if let Some(listed) = boxes["levels"].as_array_mut() {
                listed.truncate(levels);
            }
            fits = self.add(&format!("{number}/boxes/{frame}"), &boxes.to_string().into_bytes())?;
        }
        let middle = |axis: usize| {
            let ends = extent.get(axis).map_or([&lower[axis], &upper[axis]], |ends| [&ends[0], &ends[1]]);
            ends[0].as_f64().zip(ends[1].as_f64()).map(|(lo, hi)| (axis, lo + 0.5 * (hi - lo)))
        };
        let planes = if open.reader.equations().1 == 3 { vec![middle(0), middle(1), middle(2)] } else { vec![None] };
        for slice in planes {
            let wish = Wish { field: field.clone(), levels, slice, ..Wish::default() };
            let tiles = match open.tiles(&wish, Form::Codes) {
                Err(ViewError::TooMuch(_)) => return Ok(false),
                tiles => tiles?,
            };
            self.errors[index] = self.errors[index].max(tiles.error);
            let plane = slice.map_or(String::new(), |(axis, _)| axis.to_string());
            fits &= self.add(&format!("{number}/tiles/{frame}/{index}/{plane}"), &tiles.bytes)?;
        }
        Ok(fits)
    }
}

/// Records of a run's steps, every second, third, … of many.
fn steps(run: &RunFiles) -> Result<Vec<u8>, ViewError> {
    let (mut records, mut from) = (Vec::new(), 0);
    loop {
        let mut answer = run.steps(from)?;
        let next = answer["next"].as_u64().unwrap_or(0);
        records.extend(answer["records"].as_array_mut().map(std::mem::take).unwrap_or_default());
        if next <= from {
            break;
        }
        from = next;
    }
    let every = records.len().div_ceil(STEPS).max(1);
    let records: Vec<Value> = records.into_iter().step_by(every).collect();
    Ok(json!({ "records": records, "next": 1 }).to_string().into_bytes())
}
