//! A field of a 2D frame as a map.

use super::canvas::{Align, Area, Colour, Image};
use super::colour_map::{ColourMap, ColourScale};
use super::decoration::{Axis, INK, Metrics, PAPER, draw_axes, draw_colour_bar, draw_legend, level_colour, widest};
use super::{PictureError, PictureOptions, find_field, title, value_range};
use crate::index::CellBox;
use crate::io::frame::{FieldIndex, Frame};

/// Opacity of patch outlines: the data shimmers through.
const OUTLINE_OPACITY: f32 = 0.75;
/// Patches with fewer pixels along an axis get no outline: it would hide them.
const SMALLEST_OUTLINED: usize = 4;
/// The shorter side of the plot has at least this part of the longer one; longer domains are squeezed.
const FLATTEST: f64 = 0.2;

/// Draws a field of a 2D frame.
///
/// # Errors
/// There is no such field, or the frame holds no values.
pub fn render(frame: &Frame<2>, field: &str, options: &PictureOptions) -> Result<Image, PictureError> {
    let index = find_field(frame, field)?;
    let scale = match options.range {
        None => {
            let (low, high) = value_range(frame, index)?;
            ColourScale::suiting(low, high)
        }
        Some((low, high)) => {
            let symmetric = low < 0.0 && low == -high;
            ColourScale { map: if symmetric { ColourMap::Diverging } else { ColourMap::Sequential }, low, high }
        }
    };
    let metrics = Metrics::of(options.size);
    let (width, height) = plot_size(frame, options.size);
    let x = Axis::new((frame.lower[0], frame.upper[0]), &options.axes[0], width, 6.0 * metrics.font);
    let y = Axis::new((frame.lower[1], frame.upper[1]), &options.axes[1], height, 2.5 * metrics.font);
    let values = Axis::new((scale.low, scale.high), "", height, 2.5 * metrics.font);

    let left = 2 * metrics.line() + widest(&y.ticks, metrics) + metrics.tick;
    let plot = Area { left, top: 2 * metrics.line(), width, height };
    let bar = Area { left: plot.right() + 2 * metrics.gap, width: metrics.line(), ..plot };
    let right = bar.right() + metrics.tick + widest(&values.ticks, metrics) + 2 * metrics.gap;
    let bottom = plot.bottom() + 4 * metrics.line() + metrics.tick;

    let mut image = Image::new(right, bottom, PAPER);
    paint(&mut image, plot, frame, index, &scale, options.outlines);
    draw_axes(&mut image, plot, &x, &y, metrics);
    draw_colour_bar(&mut image, bar, &scale, &values, metrics);
    let heading = [plot.left as f64, metrics.line() as f64];
    image.text(&title(frame, field, options), heading, Align::Left, 1.2 * metrics.font, INK);
    if options.outlines {
        let corner = [plot.left, bottom - metrics.line()];
        draw_legend(&mut image, corner, frame.levels.len(), scale.map, metrics);
    }
    Ok(image)
}

/// Width and height of the plot: the domain's shape, the longer side with `size` pixels.
fn plot_size(frame: &Frame<2>, size: usize) -> (usize, usize) {
    let extent = [frame.upper[0] - frame.lower[0], frame.upper[1] - frame.lower[1]];
    let longer = extent[0].max(extent[1]);
    let [width, height] = extent.map(|e| ((e / longer).max(FLATTEST) * size as f64).round().max(1.0) as usize);
    (width, height)
}

/// Paints all levels, coarse to fine, each with its outlines: finer levels hide both data and lines of coarser ones.
fn paint(image: &mut Image, plot: Area, frame: &Frame<2>, field: FieldIndex, scale: &ColourScale, outlines: bool) {
    for (l, level) in frame.levels.iter().enumerate() {
        let columns = cells_at_pixels(plot.width, frame.lower[0], frame.upper[0], level.dx[0]);
        let mut rows = cells_at_pixels(plot.height, frame.lower[1], frame.upper[1], level.dx[1]);
        rows.reverse(); // y points up, rows count down
        for patch in &level.patches {
            let values = patch.values(field);
            let CellBox { lo, hi } = patch.cells;
            let inside = |cells: &[i32], d: usize| -> Vec<(usize, i32)> {
                cells.iter().copied().enumerate().filter(|(_, c)| (lo[d]..hi[d]).contains(c)).collect()
            };
            let columns = inside(&columns, 0);
            for (row, j) in inside(&rows, 1) {
                for &(column, i) in &columns {
                    let colour = scale.colour(values[patch.offset([i, j])]);
                    image.set(plot.left + column, plot.top + row, colour);
                }
            }
        }
        if outlines {
            draw_outlines(image, plot, frame, l, level_colour(l, scale.map));
        }
    }
}

/// For each pixel along an axis, the cell at its centre.
fn cells_at_pixels(pixels: usize, lower: f64, upper: f64, dx: f64) -> Vec<i32> {
    let cell = |k| ((k as f64 + 0.5) * (upper - lower) / pixels as f64 / dx).floor() as i32;
    (0..pixels).map(cell).collect()
}

/// Draws the outlines of one level's patches. Neighbours share one line of pixels: the first ones of the upper patch.
fn draw_outlines(image: &mut Image, plot: Area, frame: &Frame<2>, l: usize, colour: Colour) {
    let level = &frame.levels[l];
    let lines = |cell: i32, d: usize, pixels: usize| -> usize {
        let part = f64::from(cell) * level.dx[d] / (frame.upper[d] - frame.lower[d]);
        (part * pixels as f64 - 0.5).ceil().clamp(0.0, (pixels - 1) as f64) as usize
    };
    for patch in &level.patches {
        let CellBox { lo, hi } = patch.cells;
        let (left, right) = (lines(lo[0], 0, plot.width), lines(hi[0], 0, plot.width));
        let (below, above) = (lines(lo[1], 1, plot.height), lines(hi[1], 1, plot.height));
        let (width, height) = (right - left + 1, above - below + 1);
        if width.min(height) >= SMALLEST_OUTLINED {
            let area = Area { left: plot.left + left, top: plot.bottom() - 1 - above, width, height };
            image.outline(area, colour, OUTLINE_OPACITY);
        }
    }
}
