//! A field of a 2D frame as a map.

use super::arrows::Arrows;
use super::canvas::{Area, Colour, Image, PAPER};
use super::colour_map::ColourScale;
use super::decoration::{
    Axis, Metrics, OUTLINE_OPACITY, draw_axes, draw_colour_bar, draw_heading, draw_legend, level_colour, widest,
};
use super::figure::Figure;
use super::range::{View, value_range};
use super::relief::Relief;
use super::{Outlines, PictureError, PictureOptions, find_field, mapped, title, values_unavailable};
use crate::frames::frame::{FieldIndex, Frame, FramePatch, PatchSource};
use crate::index::CellBox;
use crate::threads::parallel_map;
use std::io;

/// Patches with fewer pixels along an axis get no outline: it would hide them.
const SMALLEST_OUTLINED: usize = 4;
/// Least ratio of the plot's shorter to its longer side; more elongated domains are stretched to it.
const FLATTEST: f64 = 0.2;

/// Draws a field of a 2D frame.
///
/// # Errors
/// There is no such field, or the frame holds no values.
pub fn render(frame: &Frame<2>, field: &str, options: &PictureOptions) -> Result<Figure, PictureError> {
    render_from(frame, frame, field, options)
}

/// As [`render`], with values from `values`, one patch at a time.
pub(super) fn render_from(
    frame: &Frame<2>,
    values: &dyn PatchSource<2>,
    field: &str,
    options: &PictureOptions,
) -> Result<Figure, PictureError> {
    let index = find_field(frame, field)?;
    let mapping = frame.mapped();
    let view = match &mapping {
        Some(mapping) => mapped::view(frame, mapping, options)?,
        None => View::of(frame, options)?,
    };
    let range = match options.range {
        Some(range) => range,
        None => value_range((frame, values), index, &view, mapping.as_ref(), options.log)?,
    };
    let paint = |image: &mut Image, scale: &ColourScale| match &mapping {
        Some(mapping) => mapped::paint(image, (frame, values, mapping), index, &view, scale, &options.outlines),
        None => {
            let contours = options.contours.as_ref().map_or_else(Vec::new, |contours| contours.values(scale));
            let relief = if scale.has_land { Relief::of((frame, values), &view) } else { None };
            let painting = Painting { field: index, scale, contours: &contours, relief };
            paint(image, (frame, values), &view, &painting, &options.outlines)
        }
    };
    let arrows = Arrows::of((frame, values), mapping.as_ref(), &view, plot_size(&view, options.size), options)?;
    let title = arrows.titled(title(frame, field, options), options);
    let scene = Scene { view, range, title, paint: &paint, arrows };
    compose(&scene, options).map_err(values_unavailable(frame.number))
}

/// The content of a map.
pub struct Scene<'a> {
    /// The part of the plane.
    pub view: View<2>,
    /// The smallest and the largest value, unless the options say otherwise.
    pub range: (f64, f64),
    /// Heading.
    pub title: String,
    /// Paints cells and outlines; returns the levels whose outlines are seen.
    pub paint: &'a dyn Fn(&mut Image, &ColourScale) -> io::Result<Vec<usize>>,
    /// Arrows over them.
    pub arrows: Arrows,
}

/// Draws a map with axes, colour bar, heading and legend.
///
/// # Errors
/// Values cannot be read.
pub fn compose(scene: &Scene<'_>, options: &PictureOptions) -> io::Result<Figure> {
    let view = scene.view;
    let mut scale = match options.range {
        Some((low, high)) => ColourScale::over(low, high, options.log),
        None => ColourScale::showing(scene.range, options.log),
    };
    scale.map = options.colours.unwrap_or(scale.map);
    scale.has_land = options.land.is_some();
    let metrics = Metrics::of(options.size);
    let (width, height) = plot_size(&view, options.size);
    let x = Axis::along((view.lower[0], view.upper[0]), &options.axes[0], width, metrics);
    let y = Axis::upward((view.lower[1], view.upper[1]), &options.axes[1], height, false, metrics);
    let ticks = Axis::upward((scale.low, scale.high), "", height, scale.log, metrics);

    let left = 2 * metrics.line() + widest(&y.ticks, metrics) + metrics.tick;
    let plot = Area { left, top: 2 * metrics.line(), width, height };
    let bar = Area { left: plot.right() + 2 * metrics.gap, width: metrics.line(), ..plot };
    let right = bar.right() + metrics.tick + widest(&ticks.ticks, metrics) + 2 * metrics.gap;
    let bottom = plot.bottom() + 4 * metrics.line() + metrics.tick;

    let mut map = Image::new(width, height, PAPER);
    let levels = (scene.paint)(&mut map, &scale)?;
    let mut figure = Figure::new(right, bottom);
    figure.raster(map, [plot.left, plot.top]);
    scene.arrows.draw(&mut figure, plot, metrics);
    draw_axes(&mut figure, plot, &x, &y, metrics);
    draw_colour_bar(&mut figure, bar, &scale, &ticks, metrics);
    draw_heading(&mut figure, &scene.title, [plot.left, right], metrics);
    let corner = [plot.left, bottom - metrics.line()];
    draw_legend(&mut figure, corner, right, levels.into_iter(), scale.map, metrics);
    Ok(figure)
}

/// Width and height of the plot: the view's shape, the longer side with `size` pixels.
fn plot_size(view: &View<2>, size: usize) -> (usize, usize) {
    let extent = [view.upper[0] - view.lower[0], view.upper[1] - view.lower[1]];
    let longer = extent[0].max(extent[1]);
    let [width, height] = extent.map(|e| ((e / longer).max(FLATTEST) * size as f64).round().max(1.0) as usize);
    (width, height)
}

/// Rows of pixels that a thread paints at a time. The work is divided by rows since a single patch may fill the picture.
const ROWS_AT_A_TIME: usize = 32;

/// Lines of equal values.
const CONTOUR: Colour = [20, 20, 20];
/// How much they hide.
const CONTOUR_OPACITY: f32 = 0.75;

/// What is painted of a patch.
struct Painting<'a> {
    field: FieldIndex,
    scale: &'a ColourScale,
    /// Values of the contours, in ascending order.
    contours: &'a [f64],
    /// Of land.
    relief: Option<Relief>,
}

/// Paints all levels, coarse to fine, each with its outlines: finer levels hide both data and lines of coarser ones. The
/// outlines of chosen levels come last.
fn paint(
    image: &mut Image,
    (frame, values): (&Frame<2>, &dyn PatchSource<2>),
    view: &View<2>,
    painting: &Painting<'_>,
    outlines: &Outlines,
) -> io::Result<Vec<usize>> {
    let (scale, mut seen) = (painting.scale, Vec::new());
    for (l, level) in frame.levels.iter().enumerate() {
        let columns = places_of_pixels(image.width(), view, frame, 0, level.dx[0]);
        let mut rows = places_of_pixels(image.height(), view, frame, 1, level.dx[1]);
        rows.reverse(); // y points up, rows count down
        let paint = |k: usize| -> io::Result<Vec<(Image, usize, usize)>> {
            let CellBox { lo, hi } = level.patches[k].cells;
            let inside = |places: &[f64], d: usize| -> Vec<(usize, f64)> {
                let is_inside = |place: f64| (lo[d]..hi[d]).contains(&(place.floor() as i32));
                places.iter().copied().enumerate().filter(|(_, place)| is_inside(*place)).collect()
            };
            let (columns, rows) = (inside(&columns, 0), inside(&rows, 1));
            let Some(&(left, _)) = columns.first().filter(|_| !rows.is_empty()) else { return Ok(Vec::new()) };
            let patch = values.patch(l, k)?;
            let bands: Vec<_> = rows.chunks(ROWS_AT_A_TIME).collect();
            let paint = |n: usize| (paint_rows((&patch, level.dx), painting, &columns, bands[n]), left, bands[n][0].0);
            Ok(parallel_map(bands.len(), paint))
        };
        for of_patch in parallel_map(level.patches.len(), paint) {
            for (painted, left, top) in of_patch? {
                image.paste(&painted, left, top);
            }
        }
        if *outlines == Outlines::All && draw_outlines(image, frame, l, view, level_colour(l, scale.map)) {
            seen.push(l);
        }
    }
    let whole = (0..frame.levels.len()).filter(|&l| outlines.shows_whole(l));
    seen.extend(whole.filter(|&l| draw_outlines(image, frame, l, view, level_colour(l, scale.map))));
    Ok(seen)
}

/// The colours of a patch's cells, at columns and rows of pixels, each with its place in cells; and the contours.
fn paint_rows(
    (patch, dx): (&FramePatch<2>, [f64; 2]),
    painting: &Painting<'_>,
    columns: &[(usize, f64)],
    rows: &[(usize, f64)],
) -> Image {
    let (values, first) = (patch.values(painting.field), patch.cells.lo[0]);
    let mut painted = Image::new(columns.len(), rows.len(), PAPER);
    for (n, &(_, y)) in rows.iter().enumerate() {
        let of_row = &values[patch.offset([first, y.floor() as i32])..];
        for (m, &(_, x)) in columns.iter().enumerate() {
            let value = of_row[(x.floor() as i32 - first) as usize];
            let mut colour = painting.scale.colour(value);
            if let Some(relief) = painting.relief.as_ref().filter(|_| painting.scale.is_land(value)) {
                colour = relief.lit(colour, patch, [x, y].map(|place| place.floor() as i32), dx);
            }
            painted.set(m, n, colour);
        }
    }
    if painting.scale.has_land {
        let is_land =
            |x: f64, y: f64| painting.scale.is_land(values[patch.offset([x.floor() as i32, y.floor() as i32])]);
        for (n, here) in rows.iter().enumerate() {
            let below = rows.get(n + 1).unwrap_or(here).1;
            for (m, (_, x)) in columns.iter().enumerate() {
                let land = is_land(*x, here.1);
                if columns.get(m + 1).is_some_and(|(_, next)| is_land(*next, here.1) != land)
                    || is_land(*x, below) != land
                {
                    painted.set(m, n, CONTOUR);
                }
            }
        }
    }
    if !painting.contours.is_empty() {
        paint_contours(&mut painted, (patch, values), painting.contours, columns, rows);
    }
    painted
}

/// Marks the pixels between whose value and that of the next one to the right or below a contour lies. Values are linear between the centres of
/// a patch's cells.
fn paint_contours(
    painted: &mut Image,
    (patch, values): (&FramePatch<2>, &[f64]),
    contours: &[f64],
    columns: &[(usize, f64)],
    rows: &[(usize, f64)],
) {
    let size = patch.cells.size();
    let place = |at: f64, d: usize| -> (usize, usize, f64) {
        let at = (at - f64::from(patch.cells.lo[d]) - 0.5).clamp(0.0, f64::from(size[d] - 1));
        (at as usize, (at as usize + 1).min(size[d] as usize - 1), at.fract())
    };
    // Number of contours below the value at a point.
    let below = |x: f64, y: f64| {
        let ((i, next_i, s), (j, next_j, t)) = (place(x, 0), place(y, 1));
        let of_row = |j: usize| {
            let row = &values[j * size[0] as usize..];
            row[i] + s * (row[next_i] - row[i])
        };
        let value = of_row(j) + t * (of_row(next_j) - of_row(j));
        contours.partition_point(|contour| *contour < value)
    };
    // Beyond the last pixel of a patch the same distance again.
    let next = |places: &[(usize, f64)], k: usize| match places.get(k + 1) {
        Some((_, place)) => *place,
        None => 2.0 * places[k].1 - places[k.saturating_sub(1)].1,
    };
    for (n, &(_, y)) in rows.iter().enumerate() {
        for (m, &(_, x)) in columns.iter().enumerate() {
            let here = below(x, y);
            if here != below(next(columns, m), y) || here != below(x, next(rows, n)) {
                painted.blend(m as i64, n as i64, CONTOUR, CONTOUR_OPACITY);
            }
        }
    }
}

/// For each pixel along an axis, where its centre lies, in cells.
fn places_of_pixels(pixels: usize, view: &View<2>, frame: &Frame<2>, d: usize, dx: f64) -> Vec<f64> {
    let (lower, extent) = (view.lower[d] - frame.lower[d], view.upper[d] - view.lower[d]);
    (0..pixels).map(|k| (lower + (k as f64 + 0.5) * extent / pixels as f64) / dx).collect()
}

/// Draws the outlines of one level's patches. Neighbours share one line of pixels: the first ones of the upper patch. Says
/// whether any is seen.
fn draw_outlines(image: &mut Image, frame: &Frame<2>, l: usize, view: &View<2>, colour: Colour) -> bool {
    let (level, mut seen) = (&frame.levels[l], false);
    let lines = |cell: i32, d: usize, pixels: usize| -> f64 {
        let place = frame.corner(l, [cell; 2])[d] - view.lower[d];
        (place / (view.upper[d] - view.lower[d]) * pixels as f64 - 0.5).ceil()
    };
    for patch in &level.patches {
        let CellBox { lo, hi } = patch.cells;
        let [across, up] = [(0, image.width()), (1, image.height())].map(|(d, pixels)| {
            let (first, last) = (lines(lo[d], d, pixels), lines(hi[d], d, pixels));
            // The domain's upper side is drawn in the last line of pixels.
            let on_edge = hi[d] == frame.domain(l).hi[d] && last == pixels as f64;
            [first, if on_edge { last - 1.0 } else { last }]
        });
        if (across[1] - across[0]).min(up[1] - up[0]) + 1.0 >= SMALLEST_OUTLINED as f64 {
            seen |= outline(image, across, up, colour);
        }
    }
    seen
}

/// Draws the sides of a rectangle as far as they lie in the picture, and says whether any does; columns and rows count from its lower left corner.
fn outline(image: &mut Image, across: [f64; 2], up: [f64; 2], colour: Colour) -> bool {
    let within = |span: [f64; 2], pixels: usize| {
        let (first, last) = (span[0].max(0.0), span[1].min(pixels as f64 - 1.0));
        if first <= last { first as i64..last as i64 + 1 } else { 0..0 }
    };
    let inside = |at: f64, pixels: usize| (0.0..pixels as f64).contains(&at);
    let (width, height) = (image.width(), image.height());
    let lowest = height as i64 - 1;
    let mut seen = false;
    let mut draw = |column: i64, row: i64| {
        image.blend(column, lowest - row, colour, OUTLINE_OPACITY);
        seen = true;
    };
    let rows: &[f64] = if up[0] == up[1] { &up[..1] } else { &up };
    for &row in rows.iter().filter(|&&row| inside(row, height)) {
        within(across, width).for_each(|column| draw(column, row as i64));
    }
    let columns: &[f64] = if across[0] == across[1] { &across[..1] } else { &across };
    // The horizontal lines include the corners.
    for &column in columns.iter().filter(|&&column| inside(column, width)) {
        within([up[0] + 1.0, up[1] - 1.0], height).for_each(|row| draw(column as i64, row));
    }
    seen
}
