//! Frames of a run.

use super::elsewhere::{Elsewhere, Outline, Purpose};
use super::snapshot::Files;
use crate::io::OutputError;
use crate::io::derived::append;
use crate::io::format::picture_name;
use crate::io::frame::{Frame, PatchSource};
use crate::io::picture::{self, PictureError, PictureOptions};
use std::path::PathBuf;
use tracing::warn;

/// Writes a frame in all formats of the case, with its further fields, and its picture; returns the files. `elsewhere` has the values
/// that it lacks.
pub(super) fn write<const D: usize>(
    files: &Files,
    frame: &mut Frame<D>,
    elsewhere: Option<&Elsewhere<D>>,
) -> Result<Vec<PathBuf>, OutputError> {
    let further = files.content.further(frame);
    let show = |frame: &mut Frame<D>| {
        append(frame, further);
        match elsewhere {
            None => write_shown(files, frame, None),
            Some(elsewhere) => {
                let values = Outline { frame, elsewhere, purpose: Purpose::Frame };
                write_shown(files, frame, Some(&values))
            }
        }
    };
    if !files.content.aux {
        return without_aux(frame, show);
    }
    let own = frame.aux.len();
    let written = show(frame);
    // A checkpoint of the same state has no further fields.
    frame.aux.truncate(own);
    let patches = frame.levels.iter_mut().flat_map(|level| &mut level.patches);
    patches.for_each(|patch| patch.aux.truncate(own * patch.cells.volume()));
    written
}

/// Writes a frame as it is; `distant`: where its values come from, if not from itself.
fn write_shown<const D: usize>(
    files: &Files,
    frame: &Frame<D>,
    distant: Option<&dyn PatchSource<D>>,
) -> Result<Vec<PathBuf>, OutputError> {
    let dir = files.folder.dir();
    let picture = files.png.then(|| picture_name(frame.number));
    let names = files.format.iter().flat_map(|format| format.file_names(frame.number, !frame.aux.is_empty()));
    files.folder.announce(&names.chain(picture).collect::<Vec<_>>())?;
    let mut written = Vec::new();
    // The picture is drawn meanwhile.
    let picture = std::thread::scope(|scope| {
        let drawing = std::thread::Builder::new().spawn_scoped(scope, || draw(files, frame, distant));
        for format in &files.format {
            written.extend(format.write_from(frame, distant.unwrap_or(frame), dir)?);
        }
        match drawing {
            Ok(drawing) => drawing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                warn!(%error, "no thread to draw on");
                draw(files, frame, distant)
            }
        }
    })?;
    written.extend(picture);
    files.folder.complete(&written);
    Ok(written)
}

/// Shows a frame without its auxiliary values, which it has again afterwards.
fn without_aux<T, const D: usize>(frame: &mut Frame<D>, look: impl FnOnce(&mut Frame<D>) -> T) -> T {
    let names = std::mem::take(&mut frame.aux);
    let patches = |frame: &mut Frame<D>, visit: &mut dyn FnMut(&mut Vec<f64>)| {
        frame.levels.iter_mut().flat_map(|level| &mut level.patches).for_each(|patch| visit(&mut patch.aux));
    };
    let mut values = Vec::new();
    patches(frame, &mut |aux| values.push(std::mem::take(aux)));
    let seen = look(frame);
    let mut values = values.into_iter();
    patches(frame, &mut |aux| *aux = values.next().unwrap_or_default());
    frame.aux = names;
    seen
}

/// Draws a frame's pressure, or its first field; a frame without finite values has no picture.
fn draw<const D: usize>(
    files: &Files,
    frame: &Frame<D>,
    distant: Option<&dyn PatchSource<D>>,
) -> Result<Option<PathBuf>, OutputError> {
    if !files.png {
        return Ok(None);
    }
    let field = frame.field("pressure").map(|_| "pressure");
    let drawn = match distant {
        None => picture::draw(frame, field, &PictureOptions::default()),
        Some(values) => picture::draw_from(frame, values, field),
    };
    match drawn {
        Ok(image) => {
            let path = files.folder.dir().join(picture_name(frame.number));
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
