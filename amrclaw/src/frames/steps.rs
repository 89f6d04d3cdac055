//! `steps.jsonl`: a line per step of the coarsest level, as JSON, for whoever looks at a run while it goes on.
//!
//! ```text
//! {"step":12,"time":0.03,"dt":0.0025,"courant":0.899,"wall":0.41,"patches":[1,4],"cells":[400,1024],"advanced":29712,"phases":[…]}
//! ```
//!
//! After 10,000 lines a line follows the one before only after a 5000th of the run's time, so that the longest run's file stays small.

use super::error::{InputError, OutputError};
use crate::diagnose::PhaseSeconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Name of the file.
pub const FILE_NAME: &str = "steps.jsonl";
/// How every line begins.
pub const BEGINNING: &str = "{\"step\":";

/// Lines that are written whatever the time between them.
const LINES: u64 = 10_000;
/// Later ones follow each other after this part of the time so far.
const PART: f64 = 1.0 / 5000.0;
/// Lines are in the file this long after their step at the latest, if another step follows.
const FLUSH: Duration = Duration::from_secs(1);

/// A step of the coarsest level, and the run after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Steps of the coarsest level so far.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// The step's size.
    pub dt: f64,
    /// Largest Courant number of its steps on all levels.
    pub courant: f64,
    /// Seconds since this process began the run.
    pub wall: f64,
    /// Patches on each level.
    pub patches: Vec<usize>,
    /// Cells on each level.
    pub cells: Vec<usize>,
    /// Cells advanced so far, by this process.
    pub advanced: u64,
    /// Seconds by phase so far.
    pub phases: PhaseSeconds,
    /// Integral of each equation's quantity, after steps that end at a frame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub totals: BTreeMap<String, f64>,
}

/// Appends lines. What cannot be written is left out: a run does not fail for it.
pub struct StepsWriter {
    out: Option<BufWriter<File>>,
    lines: u64,
    /// Seconds of the run at the last line.
    last: f64,
    flushed: Instant,
}

impl StepsWriter {
    /// Begins the file in the folder `dir`, or continues it after the step `resumed`: later lines, and one that was cut off, are dropped.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn open(dir: &Path, resumed: Option<u64>) -> Result<Self, OutputError> {
        let path = dir.join(FILE_NAME);
        let kept = match resumed.map(|steps| kept(&path, steps)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                return Err(InputError::io(&path)(error).into());
            }
            Some(Ok(kept)) => kept,
            _ => 0,
        };
        let open = OpenOptions::new().append(true).create(true).open(&path);
        let file = open.and_then(|file| file.set_len(kept).map(|()| file)).map_err(OutputError::io("write", &path))?;
        Ok(StepsWriter { out: Some(BufWriter::new(file)), lines: 0, last: 0.0, flushed: Instant::now() })
    }

    /// Whether the next line is due, `wall` seconds after the start of the run.
    pub fn is_due(&self, wall: f64) -> bool {
        self.out.is_some() && (self.lines < LINES || wall - self.last >= PART * wall)
    }

    /// Appends a line.
    pub fn record(&mut self, record: &StepRecord) {
        let Some(out) = &mut self.out else { return };
        let mut written = serde_json::to_writer(&mut *out, record).map_err(io::Error::from);
        written = written.and_then(|()| out.write_all(b"\n"));
        if self.lines == 0 || self.flushed.elapsed() >= FLUSH || record.wall - self.last >= 0.1 {
            written = written.and_then(|()| out.flush());
            self.flushed = Instant::now();
        }
        (self.lines, self.last) = (self.lines + 1, record.wall);
        if let Err(error) = written {
            tracing::warn!(%error, "{FILE_NAME} goes no further");
            self.out = None;
        }
    }
}

/// Bytes of the whole lines of steps up to `steps`.
fn kept(path: &Path, steps: u64) -> io::Result<u64> {
    let text = std::fs::read(path)?;
    let is_kept = |line: &&[u8]| {
        line.ends_with(b"\n") && serde_json::from_slice(line).is_ok_and(|record: StepRecord| record.step <= steps)
    };
    Ok(text.split_inclusive(|&byte| byte == b'\n').take_while(is_kept).map(|line| line.len() as u64).sum())
}

/// The records in the file from byte `from` on, and where the next one will begin.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path, from: u64, most: u64) -> Result<(Vec<StepRecord>, u64), InputError> {
    use std::io::{Read, Seek, SeekFrom};
    let bytes = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        // A file that has become shorter was begun anew.
        let from = if file.metadata()?.len() < from { 0 } else { from };
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = from.to_le_bytes().to_vec();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = bytes().map_err(InputError::io(path))?;
    let (from, bytes) =
        bytes.split_first_chunk().map_or((0, &[][..]), |(from, rest)| (u64::from_le_bytes(*from), rest));
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let lines = bytes[..whole].split(|&byte| byte == b'\n');
    Ok((lines.filter_map(|line| serde_json::from_slice(line).ok()).collect(), from + whole as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(step: u64, wall: f64) -> StepRecord {
        StepRecord { step, wall, time: 0.1 * step as f64, patches: vec![1, 3], ..StepRecord::default() }
    }

    /// Lines come back in parts; a line that was cut off is not read, and a restart drops it and those of later steps.
    #[test]
    fn lines_are_continued_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        let mut writer = StepsWriter::open(dir.path(), None).unwrap();
        (1..=5).for_each(|step| writer.record(&record(step, 1.0)));
        drop(writer);
        let line = std::fs::read(&path).unwrap().iter().position(|&byte| byte == b'\n').unwrap() as u64;
        let (first, next) = read(&path, 0, 2 * line).unwrap();
        assert_eq!(first, [record(1, 1.0)]);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"step\":6,\"ti").unwrap();
        let (rest, end) = read(&path, next, u64::MAX).unwrap();
        assert_eq!(rest.iter().map(|record| record.step).collect::<Vec<_>>(), [2, 3, 4, 5]);
        assert_eq!(read(&path, end, u64::MAX).unwrap(), (vec![], end));
        let mut writer = StepsWriter::open(dir.path(), Some(3)).unwrap();
        writer.record(&record(4, 2.0));
        drop(writer);
        let steps = |(records, _): (Vec<StepRecord>, u64)| records.iter().map(|r| (r.step, r.wall)).collect::<Vec<_>>();
        assert_eq!(steps(read(&path, 0, u64::MAX).unwrap()), [(1, 1.0), (2, 1.0), (3, 1.0), (4, 2.0)]);
        // Begun anew, the file is read from its start.
        drop(StepsWriter::open(dir.path(), None).unwrap());
        assert_eq!(read(&path, end, u64::MAX).unwrap(), (vec![], 0));
    }

    /// However many steps a run takes, its lines stay few: ten million of 10 µs give 10,000, and some for each doubling of the time after.
    #[test]
    fn long_runs_have_few_lines() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = StepsWriter { out: None, ..StepsWriter::open(dir.path(), None).unwrap() };
        writer.out = Some(BufWriter::new(File::create(dir.path().join("lines")).unwrap()));
        let mut lines = 0;
        for step in 0..10_000_000_u64 {
            let wall = 1e-5 * step as f64;
            if writer.is_due(wall) {
                (writer.lines, writer.last, lines) = (writer.lines + 1, wall, lines + 1);
            }
        }
        // ln(100 s / 0.1 s) · 5000 more.
        assert!((40_000..50_000).contains(&lines), "{lines}");
    }
}
