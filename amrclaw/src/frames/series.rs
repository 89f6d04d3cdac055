//! Writes time series as CSV: two lines of a header, then rows of a number, a time and values.

use super::atomic::Partial;
use super::error::{InputError, OutputError};
use crate::text::digits17;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Appends rows to the file of a series.
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    out: BufWriter<File>,
    /// The file while it has a temporary name.
    partial: Option<Partial>,
}

impl SeriesWriter {
    /// Begins a file; [`SeriesWriter::show`] replaces that of an earlier run.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn create(path: PathBuf, header: &str) -> Result<Self, OutputError> {
        Self::begin(path, header.as_bytes())
    }

    /// Begins a file, or continues that of a run up to the row before `resumed`, the time at which it goes on: that row is
    /// written again.
    ///
    /// # Errors
    /// As for the two.
    pub fn open(path: PathBuf, header: &str, resumed: Option<f64>) -> Result<Self, OutputError> {
        match resumed {
            Some(time) => Self::resume(path, header, time.next_down()),
            None => Self::create(path, header),
        }
    }

    /// Continues a file after a restart at `time`: drops rows of later times, and a row that was cut off. Begins the file if
    /// there is none.
    ///
    /// # Errors
    /// Names the file and the cause; the file has another header.
    pub fn resume(path: PathBuf, header: &str, time: f64) -> Result<Self, OutputError> {
        let text = match std::fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Self::create(path, header),
            text => text.map_err(InputError::io(&path))?,
        };
        let Some(rows) = text.strip_prefix(header) else {
            return Err(OutputError::Input(InputError::Kind {
                path,
                expected: "the file of this gauge or force",
                reason: format!("it does not begin with\n{header}"),
            }));
        };
        let keep: usize = rows.split_inclusive('\n').take_while(|row| is_kept(row, time)).map(str::len).sum();
        let kept = &text.as_bytes()[..header.len() + keep];
        Self::begin(path, kept)
    }

    fn begin(path: PathBuf, text: &[u8]) -> Result<Self, OutputError> {
        let (partial, file) = Partial::create(&path)?;
        let mut out = BufWriter::new(file);
        out.write_all(text).and_then(|()| out.flush()).map_err(OutputError::io("write", &path))?;
        Ok(SeriesWriter { path, out, partial: Some(partial) })
    }

    /// Renames the file to its final name, and replaces an earlier one.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn show(&mut self) -> Result<(), OutputError> {
        self.partial.take().map_or(Ok(()), Partial::show)
    }

    /// Adds a row. Rows are buffered until there are enough, or until [`SeriesWriter::flush`].
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn record(&mut self, number: impl Display, time: f64, values: &[f64]) -> Result<(), OutputError> {
        let mut row = format!("{number},{}", digits17(time));
        for &value in values {
            row.push(',');
            row += &digits17(value);
        }
        row.push('\n');
        self.out.write_all(row.as_bytes()).map_err(OutputError::io("write", &self.path))
    }

    /// Writes all rows to the file.
    ///
    /// # Errors
    /// Names the file and the cause.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.out.flush().map_err(OutputError::io("write", &self.path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name within its folder.
    pub fn name(&self) -> Option<String> {
        Some(self.path.file_name()?.to_str()?.to_owned())
    }
}

/// True for a complete row whose time is not after `time`.
fn is_kept(row: &str, time: f64) -> bool {
    let stated = row.split(',').nth(1).and_then(|t| t.parse::<f64>().ok());
    row.ends_with('\n') && stated.is_some_and(|t| t <= time)
}
