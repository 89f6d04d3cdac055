//! Pictures of a field: a map with patch outlines in 2D, a curve in 1D, a cut through the middle in 3D.
//!
//! Every pixel shows the finest data at its centre. Values of one sign are drawn from dark blue to yellow (viridis),
//! values of both signs from blue through grey to red, symmetric about zero. The line of a patch has its level's colour.

mod canvas;
mod colour_map;
mod curve;
mod decoration;
mod font;
mod map;
mod ticks;

pub use canvas::{Colour, Image};
pub use colour_map::{ColourMap, ColourScale};
pub use curve::render_curve;
pub use map::render;
pub use ticks::{Tick, ticks};

use super::error::{InputError, OutputError};
use super::frame::{FieldIndex, Frame};
use super::slice::slice;
use super::{read, vtkhdf};
use std::any::Any;
use std::path::{Path, PathBuf};

/// What a picture shows beside the field.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// Pixels along the longer side of the plot, labels not counted.
    pub size: usize,
    /// Draw the outlines of patches.
    pub outlines: bool,
    /// Values of the first and the last colour (in 1D: at the bottom and at the top); by default the data's.
    pub range: Option<(f64, f64)>,
    /// Names of the axes.
    pub axes: [String; 2],
    /// Added to the title.
    pub remark: String,
}

impl Default for PictureOptions {
    fn default() -> Self {
        PictureOptions { size: 800, outlines: true, range: None, axes: ["x".into(), "y".into()], remark: String::new() }
    }
}

/// A picture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The frame has no such field.
    #[error("there is no field \"{name}\": the fields are {}", known.join(", "))]
    UnknownField {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The frame has no values to draw.
    #[error("frame {0} holds no values")]
    Empty(usize),
    /// The frame's file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The picture cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// There is no such frame.
    #[error("{} holds no {}", dir.display(), number.map_or("frame_*.vtkhdf".into(), vtkhdf::file_name))]
    NoFrame {
        /// The folder.
        dir: PathBuf,
        /// The frame asked for; `None` for the last.
        number: Option<usize>,
    },
}

/// Draws a field (the first one, if `field` is `None`) of a frame of any dimension: of a 3D frame the cut through the
/// middle of z.
///
/// # Errors
/// There is no such field, or the frame holds no values.
pub fn draw<const D: usize>(
    frame: &Frame<D>,
    field: Option<&str>,
    options: &PictureOptions,
) -> Result<Image, PictureError> {
    let first = || frame.fields().next().map(|(name, _)| name).ok_or(PictureError::Empty(frame.number));
    let field = field.map_or_else(first, Ok)?;
    let frame: &dyn Any = frame;
    if let Some(frame) = frame.downcast_ref::<Frame<1>>() {
        return render_curve(frame, field, options);
    }
    if let Some(frame) = frame.downcast_ref::<Frame<2>>() {
        return render(frame, field, options);
    }
    let Some(frame) = frame.downcast_ref::<Frame<3>>() else { panic!("frames have 1, 2 or 3 dimensions, not {D}") };
    let middle = 0.5 * (frame.lower[2] + frame.upper[2]);
    let remark = format!("{}z = {}", separated(&options.remark), ticks::short(middle));
    render(&slice(frame, 2, middle), field, &PictureOptions { remark, ..options.clone() })
}

/// Draws a frame from a folder of VTKHDF files: frame `number`, or the last one.
///
/// # Errors
/// There is no such frame or field, or the file cannot be read.
pub fn draw_from_folder(
    dir: &Path,
    number: Option<usize>,
    field: Option<&str>,
    options: &PictureOptions,
) -> Result<Image, PictureError> {
    let frames = read::list_frames(dir)?;
    let wanted = match number {
        Some(number) => frames.iter().find(|(n, _)| *n == number),
        None => frames.last(),
    };
    let Some((_, path)) = wanted else { return Err(PictureError::NoFrame { dir: dir.to_owned(), number }) };
    match read::peek_dimension(path)? {
        1 => draw(&read::frame::<1>(path)?, field, options),
        2 => draw(&read::frame::<2>(path)?, field, options),
        _ => draw(&read::frame::<3>(path)?, field, options),
    }
}

fn find_field<const D: usize>(frame: &Frame<D>, name: &str) -> Result<FieldIndex, PictureError> {
    frame.field(name).ok_or_else(|| PictureError::UnknownField {
        name: name.to_owned(),
        known: frame.fields().map(|(known, _)| known.to_owned()).collect(),
    })
}

/// Smallest and largest value of a field among cells that no finer level covers; NaN and infinities do not count.
fn value_range<const D: usize>(frame: &Frame<D>, field: FieldIndex) -> Result<(f64, f64), PictureError> {
    let mut range: Option<(f64, f64)> = None;
    for (l, level) in frame.levels.iter().enumerate() {
        for patch in &level.patches {
            let uncovered = patch.values(field).iter().zip(frame.covered(l, patch)).filter(|(_, covered)| !covered);
            for (&v, _) in uncovered.filter(|(v, _)| v.is_finite()) {
                let (low, high) = range.get_or_insert((v, v));
                (*low, *high) = (low.min(v), high.max(v));
            }
        }
    }
    range.ok_or(PictureError::Empty(frame.number))
}

/// The title: field, time, and the remark if there is one.
fn title<const D: usize>(frame: &Frame<D>, field: &str, options: &PictureOptions) -> String {
    format!("{field}    {}t = {}", separated(&options.remark), ticks::short(frame.time))
}

/// The text with space after it, unless it is empty.
fn separated(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}    ") }
}
