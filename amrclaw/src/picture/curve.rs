//! A field of a 1D frame as a curve.

use super::canvas::{Align, Area, Colour};
use super::colour_map::{ColourMap, DECADES};
use super::decoration::{Axis, Metrics, draw_axes, draw_heading, draw_legend, level_colour, widest};
use super::figure::Figure;
use super::range::{View, value_range, widen};
use super::{Outlines, PictureError, PictureOptions, find_field, title};
use crate::frames::frame::{FieldIndex, Frame};

/// The curve.
const CURVE: Colour = [31, 78, 160];
/// The exact solution beneath it.
const EXACT: Colour = [213, 94, 0];
/// Lines at the ticks.
const GRID: Colour = [228, 228, 228];
/// Height of the plot over its width.
const SHAPE: f64 = 0.6;

/// Draws a field of a 1D frame: a curve through the centres of the finest cells, a dot at each where there is room, and
/// below it a strip per level that shows where its patches are.
///
/// # Errors
/// There is no such field, or the frame holds no values.
pub fn render_curve(frame: &Frame<1>, field: &str, options: &PictureOptions) -> Result<Figure, PictureError> {
    let index = find_field(frame, field)?;
    let view = View::of(frame, options)?;
    let exact = options.exact.iter().find(|(name, _)| name == field).map(|(_, formula)| find_field(frame, formula));
    let exact = exact.transpose()?;
    let range_of = |index| value_range((frame, frame), index, &view, None, options.log);
    let range = match asked_range(options) {
        Some(range) => range,
        None => {
            let mut range = Some(range_of(index)?);
            exact.map(range_of).transpose()?.into_iter().for_each(|exact| widen(&mut range, exact));
            with_margin(range.expect("set above"), options.log)
        }
    };
    let curve = Curve {
        title: title(frame, field, options),
        span: (view.lower[0], view.upper[0]),
        range,
        points: finest_cells(frame, index),
        exact: exact.map(|index| finest_cells(frame, index)).unwrap_or_default(),
    };
    Ok(compose(&curve, Some(frame), options))
}

/// Draws a quantity over time. `what`: the heading.
///
/// # Errors
/// There is nothing to draw.
pub fn render_series(what: &str, points: Vec<(f64, f64)>, options: &PictureOptions) -> Result<Figure, PictureError> {
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        let mut ends = None;
        values.filter(|v| v.is_finite()).for_each(|v| widen(&mut ends, (v, v)));
        ends
    };
    let nothing = || PictureError::Cut(format!("{what}: there is nothing to draw"));
    let whole = ends(&mut points.iter().map(|p| p.0)).filter(|(first, last)| last > first);
    let span = options.zoom.first().copied().or(whole).ok_or_else(nothing)?;
    let shown = |p: &&(f64, f64)| (span.0..=span.1).contains(&p.0) && (!options.log || p.1 > 0.0);
    let data = ends(&mut points.iter().filter(shown).map(|p| p.1)).ok_or_else(nothing)?;
    let range = asked_range(options).unwrap_or_else(|| with_margin(data, options.log));
    Ok(compose(&Curve { title: what.to_owned(), span, range, points, exact: Vec::new() }, None, options))
}

/// The range of values that the options ask for.
fn asked_range(options: &PictureOptions) -> Option<(f64, f64)> {
    options.range.or_else(|| options.zoom.get(1).copied())
}

/// The content of a curve's picture.
struct Curve {
    title: String,
    /// From and to along the abscissa.
    span: (f64, f64),
    /// Of the values.
    range: (f64, f64),
    points: Vec<(f64, f64)>,
    /// The exact solution, empty if it is not known.
    exact: Vec<(f64, f64)>,
}

/// Draws a curve with axes and heading, and for a frame the strips of its levels.
fn compose(curve: &Curve, frame: Option<&Frame<1>>, options: &PictureOptions) -> Figure {
    let metrics = Metrics::of(options.size);
    let (width, height) = (options.size.max(1), ((SHAPE * options.size as f64) as usize).max(1));
    let x = Axis::along(curve.span, &options.axes[0], width, metrics);
    let y = Axis::upward(curve.range, "", height, options.log, metrics);
    let left = metrics.line() + widest(&y.ticks, metrics) + metrics.tick;
    let plot = Area { left, top: 2 * metrics.line(), width, height };
    let strip = if options.outlines == Outlines::None { 0 } else { metrics.gap };
    let bottom = plot.bottom() + 4 * metrics.line() + metrics.tick;

    let mut figure = Figure::new(plot.right() + metrics.line(), bottom);
    for tick in &x.ticks {
        let column = plot.left + (x.part(tick.value) * width as f64) as usize;
        figure.fill(Area { left: column.min(plot.right() - 1), width: 1, ..plot }, GRID);
    }
    for tick in &y.ticks {
        let row = plot.bottom() as f64 - y.part(tick.value) * height as f64;
        figure.fill(Area { top: (row as usize).min(plot.bottom() - 1), height: 1, ..plot }, GRID);
    }
    if let Some(frame) = frame {
        draw_strips(&mut figure, plot, frame, &x, strip, &options.outlines);
    }
    draw_curve(&mut figure, plot, (&curve.exact, EXACT), &x, &y, metrics);
    draw_curve(&mut figure, plot, (&curve.points, CURVE), &x, &y, metrics);
    draw_axes(&mut figure, plot, &x, &y, metrics);
    draw_heading(&mut figure, &curve.title, [plot.left, plot.right()], metrics);
    let corner = [plot.left, bottom - metrics.line()];
    if !curve.exact.is_empty() {
        let at = [plot.right() as f64, corner[1] as f64];
        figure.text("exact", at, Align::Right, metrics.font, EXACT);
    }
    let levels = (0..frame.map_or(0, |frame| frame.levels.len())).filter(|&l| options.outlines.shows(l));
    draw_legend(&mut figure, corner, plot.right(), levels, ColourMap::DIVERGING, metrics);
    figure
}

/// A range with some space above and below; a constant gets space of its own size.
fn with_margin((low, high): (f64, f64), log: bool) -> (f64, f64) {
    if log {
        let low = low.max(high / DECADES);
        let ratio = if high > low { (high / low).powf(0.06) } else { 10.0 };
        return (low / ratio, high * ratio);
    }
    let span = if high > low { high - low } else { high.abs().max(1.0) };
    (low - 0.06 * span, high + 0.06 * span)
}

/// Centre and value of each cell that no finer level covers, along x.
fn finest_cells(frame: &Frame<1>, field: FieldIndex) -> Vec<(f64, f64)> {
    let mut cells = Vec::new();
    for (l, level) in frame.levels.iter().enumerate() {
        let (covering, geometry) = (frame.covering(l), frame.geometry(l));
        for patch in &level.patches {
            let values = patch.values(field).iter().zip(covering.of(&patch.cells));
            for (cell, (&value, covered)) in patch.cells.cells().zip(values) {
                if !covered {
                    cells.push((geometry.centre_along(0, cell[0]), value));
                }
            }
        }
    }
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    cells
}

/// Draws the curve; it is interrupted where values are not numbers.
fn draw_curve(
    figure: &mut Figure,
    plot: Area,
    (cells, colour): (&[(f64, f64)], Colour),
    x: &Axis,
    y: &Axis,
    metrics: Metrics,
) {
    let point = |&(centre, value): &(f64, f64)| {
        let column = plot.left as f64 + x.part(centre) * plot.width as f64;
        // Points far outside the plot are moved closer, which makes the line to them cheaper to draw.
        let row = plot.bottom() as f64 - y.part(value).clamp(-1.0, 2.0) * plot.height as f64;
        [column, row]
    };
    let thickness = 0.12 * metrics.font;
    for piece in cells.split(|(_, value)| value.is_nan()).filter(|piece| piece.len() > 1) {
        figure.path(piece.iter().map(point).collect(), thickness, colour, plot);
    }
    if colour == CURVE && 5.0 * thickness * (cells.len() as f64) < plot.width as f64 {
        for cell in cells.iter().filter(|(_, value)| !value.is_nan()) {
            figure.path(vec![point(cell)], 2.5 * thickness, colour, plot);
        }
    }
}

/// Draws a strip of `height` pixels for each level along the bottom of the plot, coarsest lowest.
fn draw_strips(figure: &mut Figure, plot: Area, frame: &Frame<1>, x: &Axis, height: usize, outlines: &Outlines) {
    let shown = frame.levels.iter().enumerate().filter(|&(l, _)| outlines.shows(l));
    for (place, (l, level)) in shown.enumerate() {
        let Some(top) = plot.bottom().checked_sub((place + 1) * height).filter(|&top| height > 0 && top > plot.top)
        else {
            return;
        };
        for patch in &level.patches {
            let part = |cell| x.part(frame.corner(l, cell)[0]);
            let (lower, upper) = (part(patch.cells.lo), part(patch.cells.hi));
            if upper <= 0.0 || lower >= 1.0 {
                continue;
            }
            let [first, last] = [lower, upper].map(|p| (p.clamp(0.0, 1.0) * plot.width as f64).round() as usize);
            // The last column stays free, so that neighbouring patches are distinguishable.
            let strip = Area { left: plot.left + first, top, width: (last - first).max(2) - 1, height: height - 1 };
            figure.fill(strip, level_colour(l, ColourMap::DIVERGING));
        }
    }
}
