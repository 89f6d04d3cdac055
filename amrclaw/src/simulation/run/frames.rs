//! Frames of a run.

use super::Driver;
use crate::io::config::Case;
use crate::io::derived::{append, derive};
use crate::io::frame::Frame;
use crate::io::picture::{self, PictureError, PictureOptions};
use crate::io::{OutputError, vtkhdf};
use std::path::{Path, PathBuf};
use tracing::{info, warn};

/// Name of the picture of frame `number`.
fn picture_name(number: usize) -> String {
    format!("frame_{number:04}.png")
}

/// True for the names of frames and pictures, in any format.
fn is_frame(name: &str) -> bool {
    let numbered = |start: &str, end: &str| {
        let number = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        number.is_some_and(|number| number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let clawpack = ["fort.t", "fort.q", "fort.b", "fort.a"];
    numbered("frame_", ".vtkhdf") || numbered("frame_", ".png") || clawpack.iter().any(|start| numbered(start, ""))
}

/// True for the folder of a plotfile.
fn is_plotfile(path: &Path, name: &str) -> bool {
    let number = name.strip_prefix("plt").filter(|number| number.len() >= 5);
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit())) && path.join("Header").is_file()
}

/// Removes the frames and pictures of an earlier run from a folder, which would look like later ones of this run.
pub(super) fn remove_old(dir: &Path) -> Result<(), OutputError> {
    for entry in std::fs::read_dir(dir).map_err(OutputError::io("read", dir))? {
        let path = entry.map_err(OutputError::io("read", dir))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let removed = if is_frame(&name) || name == vtkhdf::SERIES {
            std::fs::remove_file(&path)
        } else if is_plotfile(&path, &name) {
            std::fs::remove_dir_all(&path)
        } else {
            Ok(())
        };
        removed.map_err(OutputError::io("remove", &path))?;
    }
    Ok(())
}

/// Draws a frame's pressure, or its first field; a frame without finite values has no picture.
fn draw<const D: usize>(case: &Case, dir: &Path, frame: &Frame<D>) -> Result<Option<PathBuf>, OutputError> {
    if !case.output.png {
        return Ok(None);
    }
    let field = frame.field("pressure").map(|_| "pressure");
    match picture::draw(frame, field, &PictureOptions::default()) {
        Ok(image) => {
            let path = dir.join(picture_name(frame.number));
            image.write_png(&path)?;
            Ok(Some(path))
        }
        Err(PictureError::Output(error)) => Err(error),
        Err(error) => {
            warn!(%error, "no picture");
            Ok(None)
        }
    }
}

impl<const D: usize> Driver<'_, D> {
    /// Writes the state as a frame in all formats of the case.
    pub(super) fn write_frame(&mut self) -> Result<Vec<PathBuf>, OutputError> {
        self.timed(Self::write_frame_files)
    }

    fn write_frame_files(&mut self) -> Result<Vec<PathBuf>, OutputError> {
        self.gauges.record(&self.simulation)?;
        let mut frame = self.simulation.frame();
        frame.number = self.frame_number;
        let further = derive(&frame, &self.case.output_fields(), &self.case.vocabulary());
        let further = further.unwrap_or_else(|error| unreachable!("checked with the case: {error}"));
        if !self.case.output.aux {
            frame.aux.clear();
            frame.levels.iter_mut().flat_map(|level| &mut level.patches).for_each(|patch| patch.aux = Vec::new());
        }
        append(&mut frame, further);
        let (case, dir) = (self.case, self.dir);
        let mut files = Vec::new();
        let mut write = || -> Result<(), OutputError> {
            for format in &case.output.format {
                files.extend(format.write(&frame, dir)?);
            }
            Ok(())
        };
        // The picture is drawn meanwhile.
        let picture = std::thread::scope(|scope| {
            let drawing = std::thread::Builder::new().spawn_scoped(scope, || draw(case, dir, &frame));
            write()?;
            match drawing {
                Ok(drawing) => drawing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(error) => {
                    warn!(%error, "no thread to draw on");
                    draw(case, dir, &frame)
                }
            }
        })?;
        files.extend(picture);
        info!(number = frame.number, time = frame.time, "frame written");
        self.frame_number += 1;
        self.frame_at = Some(self.steps());
        Ok(files)
    }

    /// Writes the state as a frame unless it is one already.
    pub(super) fn write_last_frame(&mut self) -> Result<Vec<PathBuf>, OutputError> {
        if self.frame_at == Some(self.steps()) { Ok(Vec::new()) } else { self.write_frame() }
    }
}
