//! Frames of a run.

use super::Driver;
use crate::io::config::Case;
use crate::io::frame::Frame;
use crate::io::picture::{self, PictureError, PictureOptions};
use crate::io::{OutputError, read};
use std::path::{Path, PathBuf};
use tracing::{info, warn};

/// Name of the picture of frame `number`.
fn picture_name(number: usize) -> String {
    format!("frame_{number:04}.png")
}

/// Removes the frames and pictures of an earlier run from a folder, which would look like later ones of this run.
pub(super) fn remove_old(dir: &Path) -> Result<(), OutputError> {
    for (number, frame) in read::list_frames(dir)? {
        for file in [frame, dir.join(picture_name(number))] {
            if file.exists() {
                std::fs::remove_file(&file).map_err(OutputError::io("remove", &file))?;
            }
        }
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
        if !self.case.output.aux {
            frame.aux.clear();
            frame.levels.iter_mut().flat_map(|level| &mut level.patches).for_each(|patch| patch.aux = Vec::new());
        }
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
            let drawing = scope.spawn(|| draw(case, dir, &frame));
            write()?;
            drawing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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
