//! Pictures of frames whose values are held elsewhere: values are read patch by patch, and only those shown are kept.

use super::map::render_from;
use super::{
    Image, PictureError, PictureOptions, common_range, draw, of_cut, panel, place, render, values_unavailable,
};
use crate::frames::frame::{FieldIndex, Frame, FrameLevel, FramePatch, PatchSource};
use crate::frames::slice::slice_from;
use crate::index::CellBox;
use std::any::Any;
use std::borrow::Cow;
use std::io;

/// As [`draw`] with default options, with values from `values`.
///
/// # Errors
/// As for [`draw`]; values cannot be read.
pub fn draw_from<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    field: Option<&str>,
) -> Result<Image, PictureError> {
    let options = PictureOptions::default();
    let first = || frame.fields().next().map(|(name, _)| name.to_owned());
    let name = field.map(str::to_owned).or_else(first).ok_or(PictureError::Empty(frame.number))?;
    let any: &dyn Any = frame;
    if let Some(plane) = any.downcast_ref::<Frame<2>>() {
        return render_from(plane, &Plane(values), &name, &options);
    }
    if D == 3 && frame.mapping.is_empty() {
        return draw_planes(frame, values, &name, options);
    }
    let index = super::find_field(frame, &name)?;
    draw(&one_field(frame, values, &name, index).map_err(values_unavailable(frame.number))?, Some(&name), &options)
}

/// The three planes through the middle.
fn draw_planes<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    field: &str,
    mut options: PictureOptions,
) -> Result<Image, PictureError> {
    options.size = (options.size / 2).max(50);
    let middle = |axis: usize| 0.5 * (frame.lower[axis] + frame.upper[axis]);
    let plane = |axis: usize| Ok((axis, slice_from::<D, 2>(frame, values, axis, middle(axis))?));
    let planes =
        [2, 1, 0].into_iter().map(plane).collect::<io::Result<Vec<_>>>().map_err(values_unavailable(frame.number))?;
    options.range = Some(common_range(planes.iter().cloned(), field, &options)?);
    let draw = |(axis, plane): &(usize, Frame<2>)| {
        render(plane, field, &of_cut::<3>(*axis, &place(*axis, middle(*axis)), &options))
    };
    let images = planes.iter().map(draw).collect::<Result<Vec<_>, _>>()?;
    Ok(panel::arrange(&images, images.len()))
}

/// A frame with one field only.
fn one_field<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    name: &str,
    field: FieldIndex,
) -> io::Result<Frame<D>> {
    let level = |(l, level): (usize, &FrameLevel<D>)| {
        let patch = |k: usize| {
            let patch = values.patch(l, k)?;
            Ok(FramePatch { cells: patch.cells, q: patch.values(field).to_vec(), aux: Vec::new() })
        };
        let patches = (0..level.patches.len()).map(patch).collect::<io::Result<Vec<_>>>()?;
        Ok(FrameLevel { dx: level.dx, patches })
    };
    let levels = frame.levels.iter().enumerate().map(level).collect::<io::Result<Vec<_>>>()?;
    let (equations, aux) = (vec![name.to_owned()], Vec::new());
    let (steps, ratios, mapping) = (frame.steps.clone(), frame.ratios.clone(), frame.mapping.clone());
    Ok(Frame { equations, aux, levels, steps, ratios, mapping, ..*frame })
}

/// Presents a source of dimension `D` as one of dimension 2: here `D` is 2, which the compiler cannot know.
struct Plane<'a, const D: usize>(&'a dyn PatchSource<D>);

impl<const D: usize> PatchSource<2> for Plane<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<2>>> {
        let FramePatch { cells: CellBox { lo, hi }, q, aux } = self.0.patch(level, number)?.into_owned();
        let cells = CellBox::new([lo[0], lo[1]], [hi[0], hi[1]]);
        Ok(Cow::Owned(FramePatch { cells, q, aux }))
    }
}
