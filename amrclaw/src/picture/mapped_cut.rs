//! Cuts through mapped meshes in three dimensions: where a plane of physical space meets the cells.

use super::arrows::Arrows;
use super::canvas::Image;
use super::colour_map::ColourScale;
use super::decoration::level_colour;
use super::figure::Figure;
use super::map::{Scene, compose};
use super::mapped::{Pixels, fill, line};
use super::plane::{Plane, Shown};
use super::range::{View, widen};
use super::{Cut, Outlines, PictureError, PictureOptions, find_field, of_cut, place, title, values_unavailable};
use crate::frames::frame::{FieldIndex, Frame};
use crate::index::CellBox;
use crate::mesh::Mapping;

/// The six tetrahedra of a cell, each a path along edges from the first corner to the last. Bit `d` of a corner is its index along axis `d`.
const TETRAHEDRA: [&[u8]; 6] =
    [&[0, 1, 3, 7], &[0, 1, 5, 7], &[0, 2, 3, 7], &[0, 2, 6, 7], &[0, 4, 5, 7], &[0, 4, 6, 7]];

/// The two triangles of a face, whose corners are numbered like those of a cell.
const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 3], [0, 2, 3]];

/// Lower and upper end of the coarsest level's nodes along each axis.
pub fn extent(frame: &Frame<3>, mapping: &Mapping<3>) -> [[f64; 2]; 3] {
    if let Some(mesh) = &frame.mesh {
        return mesh.bounds();
    }
    let (cells, dx) =
        (frame.domain(0), std::array::from_fn(|d| (frame.upper[d] - frame.lower[d]) / f64::from(frame.cells[d])));
    let mut extent = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for (axis, side) in (0..3).flat_map(|axis| [(axis, cells.lo[axis]), (axis, cells.hi[axis] - 1)]) {
        let mut sheet = cells;
        (sheet.lo[axis], sheet.hi[axis]) = (side, side + 1);
        for position in mapping.corners(&sheet, dx) {
            for d in 0..3 {
                extent[d] = [extent[d][0].min(position[d]), extent[d][1].max(position[d])];
            }
        }
    }
    extent
}

/// The pictures of one field: one for each cut, by default of the three planes through the middle.
///
/// # Errors
/// The zoom does not overlap the mesh, or no values are shown.
pub fn draw_cuts(
    frame: &Frame<3>,
    mapping: &Mapping<3>,
    field: &str,
    options: &PictureOptions,
) -> Result<Vec<Figure>, PictureError> {
    let extent = extent(frame, mapping);
    let middle = |axis: usize| Plane { axis, position: 0.5 * (extent[axis][0] + extent[axis][1]) };
    let asked = options.cuts.iter().map(|cut| match *cut {
        Cut::At { axis, position } => Plane { axis, position },
        Cut::Along { .. } | Cut::Line { .. } => unreachable!("checked: not of mapped meshes, or drawn as a curve"),
    });
    let mut options = options.clone();
    let planes: Vec<Plane> = if options.cuts.is_empty() { [2, 1, 0].map(middle).to_vec() } else { asked.collect() };
    if options.cuts.is_empty() {
        options.size = (options.size / 2).max(50);
    }
    let index = find_field(frame, field)?;
    let mut views = Vec::new();
    for plane in planes {
        let of_plane = of_cut::<3>(plane.axis, &place(plane.axis, plane.position), &options);
        views.push((plane.show(frame, mapping, index), plane.view(&extent, &of_plane)?, of_plane));
    }
    // All cuts have one scale, so that they can be compared.
    let values = views.iter().flat_map(|(levels, view, _)| {
        let pieces = levels.iter().flat_map(|level| &level.pieces);
        pieces.filter(move |(corners, _)| corners.iter().any(|corner| view.contains(*corner))).map(|(_, value)| *value)
    });
    let mut range: Option<(f64, f64)> = None;
    for value in values.filter(|v| v.is_finite() && (*v > 0.0 || !options.log)) {
        widen(&mut range, (value, value));
    }
    let range =
        range.ok_or(if options.log { PictureError::NothingPositive } else { PictureError::Empty(frame.number) })?;
    let draw = |(levels, view, options): &(Vec<Shown>, View<2>, PictureOptions)| {
        let paint = |image: &mut Image, scale: &ColourScale| Ok(paint(image, levels, view, scale, options));
        let (title, arrows) = (title(frame, field, options), Arrows::default());
        let scene = Scene { view: *view, range, title, paint: &paint, arrows };
        compose(&scene, options).map_err(values_unavailable(frame.number))
    };
    views.iter().map(draw).collect()
}

/// Paints all levels, coarse to fine, each with its outlines; returns the levels whose outlines are seen.
fn paint(
    image: &mut Image,
    levels: &[Shown],
    view: &View<2>,
    scale: &ColourScale,
    options: &PictureOptions,
) -> Vec<usize> {
    let pixels = Pixels { view, plot: image.area() };
    let mut seen = Vec::new();
    let mut outline = |image: &mut Image, l: usize| {
        let draw = |ends: &[[f64; 2]; 2]| line(image, &ends.map(|end| pixels.of(end)), level_colour(l, scale.map));
        if levels[l].lines.iter().map(draw).fold(false, |any, drawn| any | drawn) {
            seen.push(l);
        }
    };
    for (l, level) in levels.iter().enumerate() {
        for (corners, value) in &level.pieces {
            fill(image, corners.map(|corner| pixels.of(corner)), scale.colour(*value));
        }
        if options.outlines == Outlines::All {
            outline(image, l);
        }
    }
    for l in (0..levels.len()).filter(|&l| options.outlines.shows_whole(l)) {
        outline(image, l);
    }
    seen
}

impl Plane {
    /// The part of the plane to show.
    fn view(self, extent: &[[f64; 2]; 3], options: &PictureOptions) -> Result<View<2>, PictureError> {
        let [across, up] = self.others().map(|d| extent[d]);
        View { lower: [across[0], up[0]], upper: [across[1], up[1]] }.zoomed(options)
    }

    /// Cuts all levels by the plane.
    fn show(self, frame: &Frame<3>, mapping: &Mapping<3>, field: FieldIndex) -> Vec<Shown> {
        if let Some(mesh) = &frame.mesh {
            let (mut shown, all) = (Shown::default(), 0..mesh.num_cells());
            self.cut_cells(mesh, all, frame.levels[0].patches[0].values(field), &mut shown);
            shown.lines = self.cut_outline(mesh);
            return vec![shown];
        }
        let mut levels = Vec::new();
        for (l, level) in frame.levels.iter().enumerate() {
            let mut shown = Shown::default();
            let covering = frame.covering(l);
            for patch in &level.patches {
                let corners = mapping.corners(&patch.cells, level.dx);
                self.cut_patch((&patch.cells, &corners), (patch.values(field), &covering.of(&patch.cells)), &mut shown);
            }
            levels.push(shown);
        }
        levels
    }

    /// Adds what the plane shows of a patch, where its cells are not `covered`. `corners`: of all cells, x fastest.
    pub fn cut_patch(
        self,
        (cells, corners): (&CellBox<3>, &[[f64; 3]]),
        (values, covered): (&[f64], &[bool]),
        shown: &mut Shown,
    ) {
        let size = cells.size();
        let number = |at: [i32; 3]| (((at[2] * (size[1] + 1)) + at[1]) * (size[0] + 1) + at[0]) as usize;
        let around = |cell: [i32; 3]| {
            let bit = |n: usize, d: usize| (n >> d & 1) as i32;
            std::array::from_fn(|n| corners[number(std::array::from_fn(|d| cell[d] - cells.lo[d] + bit(n, d)))])
        };
        for ((cell, value), _) in cells.cells().zip(values).zip(covered).filter(|(_, covered)| !**covered) {
            self.cut_cell(&around(cell), &TETRAHEDRA, |piece| shown.pieces.push((piece, *value)));
        }
        self.cut_sides(cells, &around, &mut shown.lines);
    }

    /// The lines in which the sides of a patch meet the plane.
    fn cut_sides(
        self,
        cells: &CellBox<3>,
        around: &impl Fn([i32; 3]) -> [[f64; 3]; 8],
        lines: &mut Vec<[[f64; 2]; 2]>,
    ) {
        for (axis, upper) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut sheet = *cells;
            let at = if upper == 1 { cells.hi[axis] - 1 } else { cells.lo[axis] };
            (sheet.lo[axis], sheet.hi[axis]) = (at, at + 1);
            let [first, second] = Plane { axis, position: 0.0 }.others();
            for cell in sheet.cells() {
                let corners = around(cell);
                let face: [[f64; 3]; 4] =
                    std::array::from_fn(|n| corners[(upper << axis) | ((n & 1) << first) | ((n >> 1) << second)]);
                for triangle in TRIANGLES {
                    lines.extend(self.cut_triangle(triangle.map(|n| face[n])));
                }
            }
        }
    }
}
