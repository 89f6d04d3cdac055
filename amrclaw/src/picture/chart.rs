//! Charts with logarithmic axes: errors over resolution.

use super::canvas::{Align, Area, Colour};
use super::decoration::{INK, Metrics, draw_heading};
use super::figure::Figure;
use super::font;
use super::range::widen;
use super::ticks::{log_ticks, short};

/// Colours of the lines, used cyclically: distinguishable by the colour-blind (Okabe and Ito 2008).
const LINES: [Colour; 6] = [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [230, 159, 0]];
/// Lines at the ticks.
const GRID: Colour = [225, 225, 225];
/// Reference slopes.
const SLOPE: Colour = [150, 150, 150];

/// Points with positive coordinates, and their label.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Text beside its colour in the legend.
    pub label: String,
    /// Abscissa and ordinate.
    pub points: Vec<(f64, f64)>,
}

/// Draws lines on logarithmic axes, with a tick at every abscissa, and for each of `slopes` a line of that order, through
/// the first point of the first line. `None` if there is nothing to draw.
pub fn chart(title: &str, x_name: &str, lines: &[Line], slopes: &[f64], size: usize) -> Option<Figure> {
    let drawn =
        |line: &Line| line.points.iter().copied().filter(|p| p.0 > 0.0 && p.1 > 0.0 && p.1.is_finite()).collect();
    let points: Vec<Vec<(f64, f64)>> = lines.iter().map(drawn).collect();
    let all = || points.iter().flatten();
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let mut range = None;
        values.for_each(|v| widen(&mut range, (v, v)));
        range
    };
    let (left, right) = range(&mut all().map(|p| p.0))?;
    let (low, high) = range(&mut all().map(|p| p.1))?;
    // Room around the points, more of it below for a single one.
    let (left, right, low, high) = (left / 1.2, right * 1.2, low / 2.0, high * 2.0);

    let metrics = Metrics::of(size);
    let (width, height) = (size.max(1), (size * 7 / 10).max(1));
    let y_ticks = log_ticks(low, high, 8);
    let label_width = y_ticks.iter().map(|t| font::width(&t.label, metrics.font).ceil() as usize).max().unwrap_or(0);
    let plot = Area { left: 2 * metrics.line() + label_width, top: 2 * metrics.line(), width, height };
    let legend = lines.len() * metrics.line();
    let mut figure = Figure::new(plot.right() + 2 * metrics.line(), plot.bottom() + 3 * metrics.line() + legend);
    let place = |(x, y): (f64, f64)| {
        let across = (x / left).ln() / (right / left).ln();
        let up = (y / low).ln() / (high / low).ln();
        [plot.left as f64 + across * width as f64, plot.bottom() as f64 - up * height as f64]
    };
    for tick in &y_ticks {
        let [_, row] = place((left, tick.value));
        figure.fill(Area { top: row as usize, height: 1, ..plot }, GRID);
        let at = [plot.left as f64 - 0.5 * metrics.font, row];
        figure.text(&tick.label, at, Align::Right, metrics.font, INK);
    }
    let mut free_from = f64::NEG_INFINITY;
    let mut abscissas: Vec<f64> = all().map(|p| p.0).collect();
    abscissas.sort_by(f64::total_cmp);
    abscissas.dedup();
    for x in abscissas {
        let [column, _] = place((x, low));
        figure.fill(Area { left: column as usize, width: 1, ..plot }, GRID);
        let label = short(x);
        let half = 0.5 * font::width(&label, metrics.font);
        if column - half > free_from {
            let at = [column, plot.bottom() as f64 + metrics.font];
            figure.text(&label, at, Align::Centre, metrics.font, INK);
            free_from = column + half + metrics.font;
        }
    }
    figure.outline(plot, INK);
    let first = points.iter().flatten().next().copied()?;
    for slope in slopes {
        let end = (right, first.1 * (right / first.0).powf(-slope));
        figure.path(vec![place(first), place(end)], 1.0, SLOPE, plot);
        // The slope's label is at the point where its line leaves the plot.
        let leaves = if end.1 > low { right } else { first.0 * (first.1 / low).powf(1.0 / slope) };
        let [column, row] = place((leaves, first.1 * (leaves / first.0).powf(-slope)));
        let at = [column - 1.5 * metrics.font, row + 0.5 * metrics.font];
        figure.text(&format!("order {}", short(*slope)), at, Align::Right, 0.8 * metrics.font, SLOPE);
    }
    for (number, (line, points)) in lines.iter().zip(&points).enumerate() {
        let colour = LINES[number % LINES.len()];
        figure.path(points.iter().copied().map(place).collect(), 0.15 * metrics.font, colour, plot);
        for point in points {
            figure.path(vec![place(*point)], 0.5 * metrics.font, colour, plot);
        }
        let row = plot.bottom() + 5 * metrics.line() / 2 + number * metrics.line() + metrics.line() / 2;
        let side = metrics.font as usize;
        figure.fill(Area { left: plot.left, top: row - side / 2, width: side, height: side }, colour);
        let at = [(plot.left + 2 * side) as f64, row as f64];
        figure.text(&line.label, at, Align::Left, metrics.font, INK);
    }
    let middle = [(plot.left + width / 2) as f64, (plot.bottom() + 2 * metrics.line()) as f64 - 0.5 * metrics.font];
    figure.text(x_name, middle, Align::Centre, metrics.font, INK);
    draw_heading(&mut figure, title, [plot.left, plot.right()], metrics);
    Some(figure)
}
