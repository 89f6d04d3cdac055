//! Frames of a run.

use super::Driver;
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
        let mut files = Vec::new();
        for format in &self.case.output.format {
            files.extend(format.write(&frame, self.dir)?);
        }
        files.extend(self.draw(&frame)?);
        info!(number = frame.number, time = frame.time, "frame written");
        self.frame_number += 1;
        self.frame_at = Some(self.steps());
        Ok(files)
    }

    /// Draws a frame's pressure, or its first field; a frame without finite values has no picture.
    fn draw(&self, frame: &Frame<D>) -> Result<Option<PathBuf>, OutputError> {
        if !self.case.output.png {
            return Ok(None);
        }
        let field = frame.field("pressure").map(|_| "pressure");
        match picture::draw(frame, field, &PictureOptions::default()) {
            Ok(image) => {
                let path = self.dir.join(picture_name(frame.number));
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

    /// Writes the state as a frame unless it is one already.
    pub(super) fn write_last_frame(&mut self) -> Result<Vec<PathBuf>, OutputError> {
        if self.frame_at == Some(self.steps()) { Ok(Vec::new()) } else { self.write_frame() }
    }
}
