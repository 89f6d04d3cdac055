//! Pictures of fields: maps with patch outlines in 2D, curves in 1D, cuts and projections in 3D.
//!
//! Every pixel shows the finest data at its centre. Values of one sign are drawn from dark blue to yellow (viridis),
//! values of both signs from blue through grey to red, symmetric about zero. The line of a patch has its level's colour.

mod arrows;
mod canvas;
mod cells;
mod chart;
mod colour_map;
mod curve;
mod decoration;
mod error;
mod figure;
mod film;
mod folder;
mod font;
mod map;
mod mapped;
mod mapped_cut;
mod options;
mod origin;
mod panel;
mod plane;
mod range;
mod relief;
mod same;
mod ticks;

pub use canvas::{Colour, Image, base64};
pub use cells::quadrangle;
pub use chart::{Line, chart};
pub use colour_map::{ColourMap, ColourScale};
pub use curve::{render_curve, render_series};
pub use decoration::level_colour;
pub use error::PictureError;
pub use figure::Figure;
pub use film::{FilmFormat, write_film};
pub use folder::{FrameChoice, Source, draw_film, draw_from_folder, draw_gauge};
pub use map::render;
pub use mapped_cut::extent;
pub use options::{Cut, Outlines, PictureOptions};
pub use origin::{check_picture_file, is_own_picture};
pub use plane::{Plane, Shown};

use crate::frames::derived::{FieldSource, LazyFields, Vocabulary};
use crate::frames::frame::{FieldIndex, Frame, PatchSource};
use crate::frames::plot::Plot;
use crate::frames::slice::{Projection, line_from, project_from, slice_from};
use crate::frames::{InputError, OutputError};
use map::render_from;
use options::{check, extent as extent_along};
pub use range::widen;
use range::{View, value_range};
use same::Same;
use std::any::Any;
use std::io;
use std::path::Path;

/// Draws a field (the first one, if `field` is `None`) of a frame of any dimension: of a 3D frame the three cuts through
/// its middle.
///
/// # Errors
/// There is no such field, or the frame holds no values.
pub fn draw<const D: usize>(
    frame: &Frame<D>,
    field: Option<&str>,
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    draw_from(frame, frame, field, options)
}

/// As [`draw`], with values from `values`, one patch at a time.
///
/// # Errors
/// As for [`draw`]; values cannot be read.
pub fn draw_from<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    field: Option<&str>,
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    let field: Vec<String> = field.map(str::to_owned).into_iter().collect();
    let names = or_first(frame, &field)?;
    find_field(frame, &names[0])?;
    draw_shown((frame, values), &names, options)
}

/// Draws fields and formulas, a row or a grid of pictures of them, each with the cuts that the options ask for.
///
/// # Errors
/// A formula is wrong, the options do not fit the frame, or it holds no values.
pub fn draw_fields<const D: usize>(
    source: &dyn FieldSource<D>,
    fields: &[String],
    vocabulary: &Vocabulary,
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    let names = or_first(source.outline(), fields)?;
    let further = options.vectors.iter().chain(options.exact.iter().map(|(_, formula)| formula));
    let all: Vec<String> = names.iter().chain(further).cloned().collect();
    let shown = LazyFields::new(source, &all, options.land.as_deref(), vocabulary)?;
    draw_shown((&shown.outline, &shown), &names, &options.clone().on_axes_of(vocabulary))
}

/// Draws a picture that a case asks for.
///
/// # Errors
/// As for [`draw_fields`].
pub fn draw_plot<const D: usize>(
    source: &dyn FieldSource<D>,
    plot: &Plot,
    vocabulary: &Vocabulary,
) -> Result<Figure, PictureError> {
    draw_fields(source, &plot.fields, vocabulary, &plot.into())
}

/// Draws fields that the frame has.
fn draw_shown<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    names: &[String],
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    check(frame, options)?;
    let mut images = Vec::new();
    let mut across = 1;
    for name in names {
        let views = draw_views((frame, values), name, options)?;
        across = views.len();
        images.extend(views);
    }
    // Cuts are placed side by side, fields below each other; fields with one view each fill a grid.
    let columns = if across > 1 { across.min(3) } else { (images.len() as f64).sqrt().ceil() as usize };
    Ok(panel::arrange(images, columns))
}

/// The fields to draw: by default the first one.
fn or_first<const D: usize>(frame: &Frame<D>, fields: &[String]) -> Result<Vec<String>, PictureError> {
    let first = || frame.fields().next().map(|(name, _)| name.to_owned()).ok_or(PictureError::Empty(frame.number));
    if fields.is_empty() { Ok(vec![first()?]) } else { Ok(fields.to_vec()) }
}

/// A field along a line.
fn draw_line<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    field: &str,
    ends: [[f64; 3]; 2],
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    let ends = ends.map(|end| -> [f64; D] { std::array::from_fn(|d| end[d]) });
    let line = line_from(frame, values, ends, options.size).map_err(values_unavailable(frame.number))?;
    let [from, to] = ends.map(|end| format!("({})", end.map(ticks::short).join(", ")));
    let remark = format!("{}{from} to {to}", separated(&options.remark));
    let axes = ["distance".to_owned(), String::new()];
    let (outlines, contours) = (Outlines::None, None);
    render_curve(
        &line,
        field,
        &PictureOptions { axes, remark, outlines, contours, cuts: Vec::new(), ..options.clone() },
    )
}

/// The values along a line through a mesh from a file on which a coordinate is constant, over the other one.
fn across_mesh(
    frame: &Frame<2>,
    values: &dyn PatchSource<2>,
    (axis, position): (usize, f64),
    count: usize,
) -> io::Result<Frame<1>> {
    let along = extent_along(frame, 1 - axis);
    let ends = along.map(|end| if axis == 0 { [position, end] } else { [end, position] });
    let line = line_from(frame, values, ends, count)?;
    let [lower, upper] = along.map(|end| [end]);
    Ok(Frame { lower, upper, ..line })
}

/// The pictures of one field: one, or one for each cut.
fn draw_views<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    field: &str,
    options: &PictureOptions,
) -> Result<Vec<Figure>, PictureError> {
    let unavailable = values_unavailable(frame.number);
    let any: &dyn Any = frame;
    if let Some(frame) = any.downcast_ref::<Frame<1>>() {
        let whole = frame.filled(&Same(values)).map_err(unavailable)?;
        return Ok(vec![render_curve(&whole, field, options)?]);
    }
    if let Some(frame) = any.downcast_ref::<Frame<2>>() {
        let values = &Same(values);
        if options.cuts.is_empty() {
            return Ok(vec![render_from(frame, values, field, options)?]);
        }
        let cut = |cut: &Cut| match *cut {
            Cut::At { axis, position } => {
                let line = match frame.mesh {
                    Some(_) => across_mesh(frame, values, (axis, position), options.size),
                    None => slice_from(frame, values, axis, position),
                };
                let line = line.map_err(unavailable)?;
                render_curve(&line, field, &of_cut::<2>(axis, &place(axis, position), options))
            }
            Cut::Line { ends, .. } => draw_line((frame, values), field, ends, options),
            Cut::Along { .. } => unreachable!("checked: 2D frames are not projected"),
        };
        return options.cuts.iter().map(cut).collect();
    }
    let Some(frame) = any.downcast_ref::<Frame<3>>() else { panic!("frames have 1, 2 or 3 dimensions, not {D}") };
    let values = &Same(values);
    let (lines, cuts): (Vec<Cut>, Vec<Cut>) = options.cuts.iter().partition(|cut| matches!(cut, Cut::Line { .. }));
    let mut images = Vec::new();
    if lines.is_empty() || !cuts.is_empty() {
        let options = PictureOptions { cuts, ..options.clone() };
        images = match frame.mapped() {
            Some(mapping) => {
                mapped_cut::draw_cuts(&frame.filled(values).map_err(unavailable)?, &mapping, field, &options)?
            }
            None => draw_planes(frame, values, field, &options)?,
        };
    }
    for cut in lines {
        if let Cut::Line { ends, .. } = cut {
            images.push(draw_line((frame, values), field, ends, options)?);
        }
    }
    Ok(images)
}

/// The cuts and projections of a field in three dimensions.
fn draw_planes(
    frame: &Frame<3>,
    values: &dyn PatchSource<3>,
    field: &str,
    options: &PictureOptions,
) -> Result<Vec<Figure>, PictureError> {
    let middle = |axis: usize| Cut::At { axis, position: 0.5 * (frame.lower[axis] + frame.upper[axis]) };
    let by_default = options.cuts.is_empty();
    let cuts = if by_default { vec![middle(2), middle(1), middle(0)] } else { options.cuts.clone() };
    let index = find_field(frame, field)?;
    // Each with its normal axis, and whether it is a projection.
    let plane = |cut: &Cut| -> io::Result<(usize, Frame<2>, PictureOptions)> {
        Ok(match *cut {
            Cut::At { axis, position } => {
                (axis, slice_from(frame, values, axis, position)?, of_cut::<3>(axis, &place(axis, position), options))
            }
            Cut::Along { axis, projection } => {
                let what = format!("{} along {}", projection_name(projection), ["x", "y", "z"][axis]);
                // A projection has no outlines, since patches overlap in it, and one field.
                let flat = of_cut::<3>(axis, &what, options);
                let options = PictureOptions { outlines: Outlines::None, vectors: Vec::new(), ..flat };
                (axis, project_from((frame, values), index, axis, projection)?, options)
            }
            Cut::Line { .. } => unreachable!("drawn as a curve"),
        })
    };
    let planes = cuts.iter().map(plane).collect::<io::Result<Vec<_>>>().map_err(values_unavailable(frame.number))?;
    // Cuts of one field have one scale, so that they can be compared, and a panel is about as wide as one picture.
    let mut range = options.range;
    if range.is_none() && cuts.iter().all(|cut| matches!(cut, Cut::At { .. })) {
        range = Some(common_range(planes.iter().map(|(axis, plane, _)| (*axis, plane)), field, options)?);
    }
    let size = if by_default { (options.size / 2).max(50) } else { options.size };
    let draw = |(_, plane, options): &(usize, Frame<2>, PictureOptions)| {
        render(plane, field, &PictureOptions { range, size, ..options.clone() })
    };
    planes.iter().map(draw).collect()
}

/// The common range of all planes; each is given with its normal axis.
fn common_range<'a>(
    planes: impl Iterator<Item = (usize, &'a Frame<2>)>,
    field: &str,
    options: &PictureOptions,
) -> Result<(f64, f64), PictureError> {
    let (mut all, mut number) = (None, 0);
    for (axis, plane) in planes {
        number = plane.number;
        let view = View::of(plane, &of_cut::<3>(axis, "", options))?;
        widen(&mut all, value_range((plane, plane), find_field(plane, field)?, &view, None, options.log)?);
    }
    let scale = ColourScale::showing(all.ok_or(PictureError::Empty(number))?, options.log);
    Ok((scale.low, scale.high))
}

/// The error for values of a frame that cannot be read.
fn values_unavailable(number: usize) -> impl Fn(io::Error) -> PictureError + Copy {
    move |error| match error.downcast::<InputError>() {
        Ok(error) => error.into(),
        Err(error) => {
            OutputError::io("draw", Path::new(&crate::frames::format::picture_name(number, None)))(error).into()
        }
    }
}

/// `z = 0.25`.
fn place(axis: usize, position: f64) -> String {
    format!("{} = {}", ["x", "y", "z"][axis], ticks::short(position))
}

/// The word for a projection.
fn projection_name(projection: Projection) -> &'static str {
    match projection {
        Projection::Max => "max",
        Projection::Min => "min",
        Projection::Mean => "mean",
        Projection::Integral => "integral",
    }
}

/// Options for a cut of a `D`-dimensional frame across `axis`.
fn of_cut<const D: usize>(axis: usize, what: &str, options: &PictureOptions) -> PictureOptions {
    let named = |d: usize| options.axes.get(d).filter(|_| D == 2).map_or(["x", "y", "z"][d], String::as_str);
    let mut axes = (0..D).filter(|d| *d != axis).map(named);
    let mut next = || axes.next().unwrap_or_default().to_owned();
    let remark = format!("{}{what}", separated(&options.remark));
    let mut vectors = options.vectors.clone();
    if axis < vectors.len() {
        vectors.remove(axis);
    }
    PictureOptions { axes: [next(), next()], remark, vectors, cuts: Vec::new(), ..options.clone() }
}

fn find_field<const D: usize>(frame: &Frame<D>, name: &str) -> Result<FieldIndex, PictureError> {
    frame.field(name).ok_or_else(|| PictureError::UnknownField {
        name: name.to_owned(),
        known: frame.fields().map(|(known, _)| known.to_owned()).collect(),
    })
}

/// The title: field, time, and the remark if there is one.
fn title<const D: usize>(frame: &Frame<D>, field: &str, options: &PictureOptions) -> String {
    format!("{field}    {}t = {}", separated(&options.remark), ticks::short(frame.time))
}

/// The text followed by spaces, unless it is empty.
fn separated(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}    ") }
}
