//! Answers from the files of runs.

mod cells;
mod code;
mod cut;
mod frame;
mod tiles;

use super::ViewError;
use super::wish::Wish;
use crate::frames::derived::Vocabulary;
use crate::frames::gauge::{self, GaugeSeries};
use crate::frames::read::{FrameReader, list_frames, peek_dimension};
use crate::frames::run_json::RunStatus;
use crate::frames::{RunRecord, run_json, steps, vtkhdf};
use crate::picture::{ColourMap, ColourScale, Cut, Figure, PictureOptions, Source, base64, level_colour};
use cells::MeshCells;
use frame::{AnyReader, OpenFrame};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
pub use tiles::Form;

/// Frames that are kept open: the present one, and its neighbours that are fetched ahead, of two runs.
const OPEN_FRAMES: usize = 12;
/// Colours of a map that the page gets.
const COLOURS: usize = 1025;
/// Most rows of a gauge, and most bytes of records of steps in one answer.
const ROWS: usize = 20_000;
const STEP_BYTES: u64 = 1 << 23;

/// The runs that are looked at.
pub struct Runs(Vec<RunFiles>);

/// The folder of a run.
pub struct RunFiles {
    dir: PathBuf,
    /// The frames used last, the newest last, each with what tells that its file is the same.
    open: Mutex<Vec<(usize, Stamp, Kept)>>,
}

/// What is kept of a frame.
type Kept = (Arc<AnyReader>, Arc<OnceLock<MeshCells>>);

/// Tells a file from another one of its name.
type Stamp = (u64, Option<SystemTime>);

fn stamp(found: &Metadata) -> Stamp {
    (found.len(), found.modified().ok())
}

impl Runs {
    /// # Errors
    /// A folder cannot be read, or has neither frames nor the record of a run.
    pub fn open(dirs: &[PathBuf]) -> Result<Self, ViewError> {
        let open = |dir: &PathBuf| {
            let is_run = !list_frames(dir)?.is_empty() || dir.join(run_json::FILE_NAME).is_file();
            let missing = || format!("{}: there is neither a frame_*.vtkhdf nor a run.json", dir.display());
            is_run
                .then(|| RunFiles { dir: dir.clone(), open: Mutex::default() })
                .ok_or_else(|| ViewError::Data(missing()))
        };
        dirs.iter().map(open).collect::<Result<_, _>>().map(Runs)
    }

    /// The run of that number.
    ///
    /// # Errors
    /// There is none.
    pub fn run(&self, number: usize) -> Result<&RunFiles, ViewError> {
        self.0.get(number).ok_or_else(|| ViewError::NotFound(format!("there is no run {number}")))
    }

    /// The colours of all maps, by name.
    pub fn colours() -> Value {
        let of_map = |map: ColourMap| {
            let scale = ColourScale::linear(map, 0.0, 1.0);
            let colours = (0..COLOURS).flat_map(|k| scale.colour_at(k as f64 / (COLOURS - 1) as f64));
            let levels: Vec<_> = (0..6).map(|l| level_colour(l, map)).collect();
            json!({ "colours": base64(&colours.collect::<Vec<u8>>()), "levels": levels })
        };
        ColourMap::all().map(|map| (map.name().to_owned(), of_map(map))).collect::<serde_json::Map<_, _>>().into()
    }

    /// All about the runs but values.
    pub fn all(&self) -> Value {
        let runs: Vec<Value> = self.0.iter().map(RunFiles::summary).collect();
        json!({ "version": env!("CARGO_PKG_VERSION"), "runs": runs })
    }
}

impl RunFiles {
    /// Never fails: a page that waits for a run's first frame, or meets a damaged one, goes on.
    pub fn summary(&self) -> Value {
        let frames = list_frames(&self.dir).unwrap_or_default();
        let times = vtkhdf::times(&self.dir);
        let mut listed: Vec<Value> = frames.iter().map(|(number, _)| json!([number, times.get(number)])).collect();
        let record = RunRecord::read(&self.dir.join(run_json::FILE_NAME)).ok();
        let live = self.live();
        listed.extend(live.map(|(number, time)| json!([number, time])));
        let numbers = frames.iter().map(|(number, _)| *number).chain(live.map(|(number, _)| number));
        let last = numbers.rev().find_map(|number| self.frame(number).ok());
        let mut summary = json!({
            "name": self.dir.display().to_string(),
            "frames": listed,
            "gauges": self.gauges(),
            "record": record,
            "error": Value::Null,
        });
        match last {
            Some(frame) => summary["fields"] = frame.fields(),
            None if frames.is_empty() => {}
            None => summary["error"] = json!("no frame can be read"),
        }
        summary
    }

    /// The frame of that number.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn frame(&self, number: usize) -> Result<OpenFrame, ViewError> {
        let (reader, cells) = self.opened(number, &self.path(number)?)?;
        let (equations, dimension) = reader.equations();
        Ok(OpenFrame { vocabulary: Vocabulary::of_folder(&self.dir, equations, dimension), reader, cells })
    }

    /// The file's reader, kept under a number.
    fn opened(&self, number: usize, path: &Path) -> Result<Kept, ViewError> {
        let found = path.metadata().map(|found| stamp(&found))?;
        let mut open = self.open.lock();
        let kept = open.iter().position(|(n, stamp, _)| (*n, stamp) == (number, &found)).map(|k| open.remove(k));
        let entry = match kept {
            Some(entry) => entry,
            None => {
                open.retain(|(n, ..)| *n != number);
                let reader = match peek_dimension(path)? {
                    1 => AnyReader::One(FrameReader::open(path)?),
                    2 => AnyReader::Two(FrameReader::open(path)?),
                    _ => AnyReader::Three(FrameReader::open(path)?),
                };
                (number, found, (Arc::new(reader), Arc::default()))
            }
        };
        let kept = entry.2.clone();
        open.push(entry);
        let surplus = open.len().saturating_sub(OPEN_FRAMES);
        open.drain(..surplus);
        Ok(kept)
    }

    /// Number and time of the present state of a run that goes on, which stands in the place of its next frame.
    fn live(&self) -> Option<(usize, f64)> {
        let record = RunRecord::read(&self.dir.join(run_json::FILE_NAME)).ok()?;
        let reader = || self.opened(usize::MAX, &self.dir.join(vtkhdf::LIVE)).ok();
        let live = (record.status == RunStatus::Running).then(reader)??.0.number_and_time();
        (!self.dir.join(vtkhdf::file_name(live.0)).exists()).then_some(live)
    }

    fn path(&self, number: usize) -> Result<PathBuf, ViewError> {
        let path = self.dir.join(vtkhdf::file_name(number));
        if path.is_file() {
            return Ok(path);
        }
        let is_live = self.live().is_some_and(|(live, _)| live == number);
        let missing = || ViewError::NotFound(format!("there is no frame {number}"));
        is_live.then(|| self.dir.join(vtkhdf::LIVE)).ok_or_else(missing)
    }

    /// Smallest and largest value of a field in all frames.
    ///
    /// # Errors
    /// A frame cannot be read, or the field not be computed.
    pub fn range(&self, wish: &Wish) -> Result<Value, ViewError> {
        let mut range = None;
        for (number, _) in list_frames(&self.dir)? {
            self.frame(number)?.widen(&mut range, wish)?;
        }
        Ok(json!(range))
    }

    /// The picture that `amrclaw plot` draws.
    ///
    /// # Errors
    /// As there.
    pub fn figure(&self, frame: usize, wish: &Wish) -> Result<Figure, ViewError> {
        let cut = wish.slice.map(|(axis, position)| Cut::At { axis, position });
        let options = PictureOptions {
            range: wish.range,
            colours: wish.colours,
            log: wish.log,
            zoom: wish.numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
            cuts: cut.into_iter().collect(),
            ..PictureOptions::default()
        };
        let fields: Vec<String> = Some(wish.field.clone()).filter(|field| !field.is_empty()).into_iter().collect();
        Ok(Source { dir: &self.dir, fields: &fields }.draw(&self.path(frame)?, &options)?)
    }

    /// Names of the gauges, sorted.
    fn gauges(&self) -> Vec<String> {
        gauge::names_in(&self.dir)
    }

    /// The rows of a gauge by columns: of more than [`ROWS`] rows, every second, third, ….
    ///
    /// # Errors
    /// There is no such gauge, or its file cannot be read.
    pub fn gauge(&self, number: usize) -> Result<Value, ViewError> {
        let name = self.gauges().get(number).cloned();
        let name = name.ok_or_else(|| ViewError::NotFound(format!("there is no gauge {number}")))?;
        let series = GaugeSeries::read(&self.dir, &name, ROWS)?;
        // JSON has null for what is no number.
        let column = |k: usize| -> Vec<Option<f64>> { series.rows.iter().map(|row| row.get(k).copied()).collect() };
        let values: Vec<_> = (0..series.columns.len()).map(column).collect();
        Ok(json!({ "name": name, "about": series.about, "columns": series.columns, "values": values }))
    }

    /// Records of steps from a byte of their file on, and where to go on.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn steps(&self, from: u64) -> Result<Value, ViewError> {
        let path = self.dir.join(steps::FILE_NAME);
        if !path.exists() {
            return Ok(json!({ "records": [], "next": 0 }));
        }
        let (records, next) = steps::read(&path, from, STEP_BYTES)?;
        Ok(json!({ "records": records, "next": next }))
    }
}
