//! Frames of a run.

use super::remote_values::{FrameWithRemoteValues, Purpose, RemoteValues};
use super::snapshot::Files;
use crate::frames::format::picture_name;
use crate::frames::frame::{Frame, PatchSource};
use crate::frames::{OutputError, vtkhdf};
use crate::picture::{self, PictureError, PictureOptions};
use crate::threads::in_pool;
use std::path::PathBuf;
use tracing::warn;

/// Writes a frame in all formats of the case, with its further fields, and its picture. Returns the files. `remote` provides the
/// values of other ranks.
pub(super) fn write<const D: usize>(
    files: &Files,
    frame: &mut Frame<D>,
    remote: Option<&RemoteValues<D>>,
) -> Result<Vec<PathBuf>, OutputError> {
    files.content.show(frame, |frame| match remote {
        None => write_shown(files, frame, None),
        Some(remote) => {
            let values = FrameWithRemoteValues { frame, remote, purpose: Purpose::Frame };
            write_shown(files, frame, Some(&values))
        }
    })
}

/// Writes the file of the present state.
pub(super) fn write_live<const D: usize>(
    files: &Files,
    frame: &mut Frame<D>,
    remote: Option<&RemoteValues<D>>,
) -> Result<(), OutputError> {
    let path = files.folder.dir().join(vtkhdf::LIVE);
    files.folder.announce(&[vtkhdf::LIVE.to_owned()])?;
    files.content.show(frame, |frame| match remote {
        None => vtkhdf::write_as(&path, frame, frame),
        Some(remote) => {
            vtkhdf::write_as(&path, frame, &FrameWithRemoteValues { frame, remote, purpose: Purpose::Frame })
        }
    })
}

/// Writes a frame with its present fields; `distant`: the source of its values, if not the frame itself.
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
    // The picture is drawn at the same time.
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

/// Draws a frame's pressure, or its first field; a frame without finite values has no picture.
fn draw<const D: usize>(
    files: &Files,
    frame: &Frame<D>,
    distant: Option<&dyn PatchSource<D>>,
) -> Result<Option<PathBuf>, OutputError> {
    if !files.png || D == 3 && frame.mesh.is_some() {
        return Ok(None);
    }
    let field = frame.field("pressure").map(|_| "pressure");
    let draw = || match distant {
        None => picture::draw(frame, field, &PictureOptions::default()),
        Some(values) => picture::draw_from(frame, values, field, &PictureOptions::default()),
    };
    let start = || rayon::ThreadPoolBuilder::new().num_threads(files.threads).build().ok();
    let drawn = files.drawing.get_or_init(start).as_ref().map_or_else(draw, |threads| in_pool(threads, draw));
    match drawn {
        Ok(figure) => {
            let path = files.folder.dir().join(picture_name(frame.number));
            figure.write(&path)?;
            Ok(Some(path))
        }
        Err(PictureError::Output(error)) => Err(error),
        Err(error) => {
            warn!(%error, "no picture");
            Ok(None)
        }
    }
}
