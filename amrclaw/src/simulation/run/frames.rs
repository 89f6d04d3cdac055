//! Frames of a run.

use super::remote_values::{FrameWithRemoteValues, Purpose, RemoteValues};
use super::snapshot::Files;
use crate::frames::format::picture_name;
use crate::frames::frame::{Frame, PatchSource};
use crate::frames::{OutputError, vtkhdf};
use crate::picture::{self, PictureError, PictureOptions, draw_plot};
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
    let pictures = if files.png { picture_names(files, frame.number) } else { Vec::new() };
    let names = files.format.iter().flat_map(|format| format.file_names(frame.number, !frame.aux.is_empty()));
    files.folder.announce(&names.chain(pictures).collect::<Vec<_>>())?;
    let mut written = Vec::new();
    // Pictures are drawn at the same time.
    let pictures = std::thread::scope(|scope| {
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
    written.extend(pictures);
    files.folder.complete(&written);
    Ok(written)
}

/// Names of a frame's pictures: one, or those that the case asks for.
fn picture_names(files: &Files, number: usize) -> Vec<String> {
    match &files.content.plots[..] {
        [] => vec![picture_name(number, None)],
        plots => plots.iter().map(|plot| picture_name(number, Some(&plot.name))).collect(),
    }
}

/// Draws what the case asks for, by default a frame's pressure, or its first field; a frame without finite values has no picture.
fn draw<const D: usize>(
    files: &Files,
    frame: &Frame<D>,
    distant: Option<&dyn PatchSource<D>>,
) -> Result<Vec<PathBuf>, OutputError> {
    if !files.png {
        return Ok(Vec::new());
    }
    let field = frame.field("pressure").map(|_| "pressure");
    let values = distant.unwrap_or(frame);
    let options = PictureOptions::default().on_axes_of(&files.content.vocabulary);
    let one = || picture::draw_from(frame, values, field, &options);
    let draw = || match &files.content.plots[..] {
        [] => vec![one()],
        plots => plots.iter().map(|plot| draw_plot(&(frame, values), plot, &files.content.vocabulary)).collect(),
    };
    let start = || rayon::ThreadPoolBuilder::new().num_threads(files.threads).build().ok();
    let drawn = files.drawing.get_or_init(start).as_ref().map_or_else(draw, |threads| in_pool(threads, draw));
    let mut written = Vec::new();
    for (name, drawn) in picture_names(files, frame.number).into_iter().zip(drawn) {
        match drawn {
            Ok(figure) => {
                let path = files.folder.dir().join(name);
                figure.write(&path)?;
                written.push(path);
            }
            Err(PictureError::Output(error)) => return Err(error),
            Err(error) => warn!(%error, "no picture {name}"),
        }
    }
    Ok(written)
}
