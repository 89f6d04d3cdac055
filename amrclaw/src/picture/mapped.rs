//! Draws the cells of a mapped mesh at their physical positions.

use super::canvas::{Area, Colour, Image};
use super::cells::quadrangle;
use super::colour_map::ColourScale;
use super::decoration::{OUTLINE_OPACITY, level_colour};
use super::range::View;
use super::{Outlines, PictureError, PictureOptions};
use crate::frames::frame::{FieldIndex, Frame, PatchSource};
use crate::index::CellBox;
use crate::mesh::Mapping;
use std::io;

/// Cells of the domain's boundary that are looked at along each side to find its extent.
const BOUNDARY_POINTS: i32 = 400;
/// Patches with fewer cells along an axis get no outline: it would hide them.
const SMALLEST_OUTLINED: i32 = 2;

/// The part of the plane to show: along axes without a zoom, the extent of the coarsest level's nodes.
///
/// # Errors
/// It does not overlap the mapped domain.
pub fn view(frame: &Frame<2>, mapping: &Mapping<2>, options: &PictureOptions) -> Result<View<2>, PictureError> {
    if let Some(mesh) = &frame.mesh {
        let [x, y, _] = mesh.bounds();
        return View { lower: [x[0], y[0]], upper: [x[1], y[1]] }.zoomed(options);
    }
    let (cells, dx) =
        (frame.domain(0), std::array::from_fn(|d| (frame.upper[d] - frame.lower[d]) / f64::from(frame.cells[d])));
    let mut lower = [f64::INFINITY; 2];
    let mut upper = [f64::NEG_INFINITY; 2];
    let mut hold = |position: [f64; 2]| {
        for d in 0..2 {
            (lower[d], upper[d]) = (lower[d].min(position[d]), upper[d].max(position[d]));
        }
    };
    let steps = |d: usize| (frame.cells[d] / BOUNDARY_POINTS).max(1);
    let rows = (0..frame.cells[1]).step_by(steps(1) as usize).chain([frame.cells[1] - 1]);
    for row in rows {
        let row = CellBox::new([cells.lo[0], row], [cells.hi[0], row + 1]);
        mapping.corners(&row, dx).into_iter().for_each(&mut hold);
    }
    View { lower, upper }.zoomed(options)
}

/// The transformation from physical positions to pixels.
pub struct Pixels<'a> {
    /// The part of the plane that is shown.
    pub view: &'a View<2>,
    /// Its rectangle of pixels.
    pub plot: Area,
}

impl Pixels<'_> {
    /// The pixel coordinates of a position, with fractions.
    pub fn of(&self, position: [f64; 2]) -> [f64; 2] {
        let part = |d: usize| (position[d] - self.view.lower[d]) / (self.view.upper[d] - self.view.lower[d]);
        let (left, bottom) = (self.plot.left as f64, self.plot.bottom() as f64);
        [left + part(0) * self.plot.width as f64, bottom - part(1) * self.plot.height as f64]
    }
}

/// Paints all levels, coarse to fine, each with its outlines, as on a straight mesh.
pub fn paint(
    image: &mut Image,
    (frame, values, mapping): (&Frame<2>, &dyn PatchSource<2>, &Mapping<2>),
    field: FieldIndex,
    view: &View<2>,
    scale: &ColourScale,
    outlines: &Outlines,
) -> io::Result<Vec<usize>> {
    let pixels = Pixels { view, plot: image.area() };
    if let Some(mesh) = &frame.mesh {
        let row = values.patch(0, 0)?;
        for (cell, value) in row.values(field).iter().enumerate() {
            fill(image, quadrangle(mesh, cell).map(|corner| pixels.of(corner)), scale.colour(*value));
        }
        return Ok(Vec::new());
    }
    let mut seen = Vec::new();
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for number in 0..level.patches.len() {
            let patch = values.patch(l, number)?;
            let corners = positions(mapping, &pixels, &patch.cells, level.dx);
            let columns = patch.cells.size()[0] as usize;
            let cells = patch.values(field).iter().zip(covering.of(&patch.cells)).enumerate();
            for (k, (value, _)) in cells.filter(|(_, (_, covered))| !covered) {
                let first = k + k / columns;
                let quadrangle = [first, first + 1, first + columns + 2, first + columns + 1].map(|n| corners[n]);
                fill(image, quadrangle, scale.colour(*value));
            }
        }
        if *outlines == Outlines::All && draw_outlines(image, (frame, mapping), &pixels, l, level_colour(l, scale.map))
        {
            seen.push(l);
        }
    }
    let whole = (0..frame.levels.len()).filter(|&l| outlines.shows_whole(l));
    seen.extend(whole.filter(|&l| draw_outlines(image, (frame, mapping), &pixels, l, level_colour(l, scale.map))));
    Ok(seen)
}

/// Pixels of the corners of a box's cells, x fastest.
fn positions(mapping: &Mapping<2>, pixels: &Pixels<'_>, cells: &CellBox<2>, dx: [f64; 2]) -> Vec<[f64; 2]> {
    mapping.corners(cells, dx).into_iter().map(|position| pixels.of(position)).collect()
}

/// Fills the pixels whose centres lie in a quadrangle, that is, in either of the two triangles into which a diagonal divides it.
pub fn fill(image: &mut Image, corners: [[f64; 2]; 4], colour: Colour) {
    let span = |d: usize, high: usize| {
        let (first, last) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), corner| {
            (first.min(corner[d]), last.max(corner[d]))
        });
        let first = (first - 0.5).ceil().max(0.0) as usize;
        first..((last - 0.5).floor().max(-1.0) + 1.0).min(high as f64) as usize
    };
    for row in span(1, image.height()) {
        for column in span(0, image.width()) {
            let centre = [column as f64 + 0.5, row as f64 + 0.5];
            let [a, b, c, d] = corners;
            if in_triangle(centre, [a, b, c]) || in_triangle(centre, [a, c, d]) {
                image.set(column, row, colour);
            }
        }
    }
}

/// Whether a point lies in a triangle or on its sides.
fn in_triangle(point: [f64; 2], [a, b, c]: [[f64; 2]; 3]) -> bool {
    let side = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}

/// Draws the outlines of one level's patches along their cells, and says whether any is seen.
fn draw_outlines(
    image: &mut Image,
    (frame, mapping): (&Frame<2>, &Mapping<2>),
    pixels: &Pixels<'_>,
    l: usize,
    colour: Colour,
) -> bool {
    let (level, mut seen) = (&frame.levels[l], false);
    for CellBox { lo, hi } in level.patches.iter().map(|patch| patch.cells) {
        if (hi[0] - lo[0]).min(hi[1] - lo[1]) < SMALLEST_OUTLINED {
            continue;
        }
        for side in 0..2 {
            // The corners of a row or column of cells form two lines: the one on the patch's side is drawn.
            let row = if side == 0 { lo[1] } else { hi[1] - 1 };
            let corners = positions(mapping, pixels, &CellBox::new([lo[0], row], [hi[0], row + 1]), level.dx);
            let count = (hi[0] - lo[0]) as usize + 1;
            seen |= line(image, &corners[side * count..][..count], colour);
            let column = if side == 0 { lo[0] } else { hi[0] - 1 };
            let corners = positions(mapping, pixels, &CellBox::new([column, lo[1]], [column + 1, hi[1]]), level.dx);
            let along: Vec<[f64; 2]> = corners.iter().skip(side).step_by(2).copied().collect();
            seen |= line(image, &along, colour);
        }
    }
    seen
}

/// Draws a line through points, each pixel once, and says whether any is seen.
pub fn line(image: &mut Image, points: &[[f64; 2]], colour: Colour) -> bool {
    let (right, bottom) = (image.width() as f64, image.height() as f64);
    let mut last = None;
    for ends in points.windows(2) {
        let [from, to] = [ends[0], ends[1]];
        let steps = ((to[0] - from[0]).abs().max((to[1] - from[1]).abs())).ceil().clamp(1.0, 1e5) as usize;
        for k in 0..=steps {
            let part = k as f64 / steps as f64;
            let at = [0, 1].map(|d| (from[d] + part * (to[d] - from[d])).floor());
            // Points on the right and lower edges are drawn in its last pixels.
            let [column, row] = [at[0].min(right - 1.0), at[1].min(bottom - 1.0)];
            let inside = column >= 0.0 && row >= 0.0;
            let close = at[0] <= right && at[1] <= bottom;
            if inside && close && last != Some([column, row]) {
                image.blend(column as i64, row as i64, colour, OUTLINE_OPACITY);
                last = Some([column, row]);
            }
        }
    }
    last.is_some()
}
