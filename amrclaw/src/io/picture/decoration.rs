//! What stands around a plot: title, axes, colour bar, legend of levels.

use super::canvas::{Align, Area, Colour, Image};
use super::colour_map::{ColourMap, ColourScale};
use super::font;
use super::ticks::{Tick, ticks};

/// Lines and text.
pub const INK: Colour = [40, 40, 40];
/// The paper.
pub const PAPER: Colour = [255, 255, 255];

/// Colours of the levels' lines, coarsest first, then again from the start: on grey, blue and red, and on paper.
const ON_DIVERGING: [Colour; 6] =
    [[120, 120, 120], [0, 0, 0], [214, 0, 154], [0, 140, 60], [255, 150, 0], [110, 60, 20]];
/// The same on purple, green and yellow.
const ON_SEQUENTIAL: [Colour; 6] =
    [[150, 150, 150], [255, 70, 30], [255, 90, 230], [255, 255, 255], [0, 230, 255], [0, 0, 0]];

/// The colour of a level's lines on a plot in these colours.
pub fn level_colour(level: usize, map: ColourMap) -> Colour {
    let colours = match map {
        ColourMap::Sequential => ON_SEQUENTIAL,
        ColourMap::Diverging => ON_DIVERGING,
    };
    colours[level % colours.len()]
}

/// Sizes in pixels, all from the size of the plot.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    /// Text.
    pub font: f64,
    /// Between things.
    pub gap: usize,
    /// Length of a tick.
    pub tick: usize,
}

impl Metrics {
    /// Sizes that suit a plot whose longer side has `size` pixels.
    pub fn of(size: usize) -> Self {
        let font = (size as f64 / 50.0).clamp(10.0, 40.0);
        Metrics { font, gap: (0.6 * font) as usize, tick: (0.35 * font) as usize }
    }

    /// Height of a line of text with space around it.
    pub fn line(&self) -> usize {
        (1.5 * self.font) as usize
    }
}

/// The widest label, in pixels.
pub fn widest(labels: &[Tick], metrics: Metrics) -> usize {
    labels.iter().map(|tick| font::width(&tick.label, metrics.font).ceil() as usize).max().unwrap_or(0)
}

/// One axis: its extent in the data, its name and its ticks.
pub struct Axis {
    /// Data at the two ends.
    pub range: (f64, f64),
    /// Name.
    pub name: String,
    /// Ticks.
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// An axis with as many ticks as fit its length: labels beside each other along x, above each other along y.
    pub fn new(range: (f64, f64), name: &str, length: usize, spacing: f64) -> Self {
        let most = ((length as f64 / spacing) as usize).clamp(3, 10);
        Axis { range, name: name.to_owned(), ticks: ticks(range.0, range.1, most) }
    }

    /// Where a value lies along the axis: 0 at its first end, 1 at its second.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.range.0) / (self.range.1 - self.range.0)
    }
}

/// Draws the border of a plot with the ticks and names of both axes.
pub fn draw_axes(image: &mut Image, plot: Area, x: &Axis, y: &Axis, metrics: Metrics) {
    let border = Area { left: plot.left - 1, top: plot.top - 1, width: plot.width + 2, height: plot.height + 2 };
    image.outline(border, INK, 1.0);
    let labels_row = (plot.bottom() + metrics.tick) as f64 + 0.8 * metrics.font;
    for tick in &x.ticks {
        let column = plot.left as f64 + x.part(tick.value) * plot.width as f64;
        let mark = Area { left: column as usize, top: plot.bottom(), width: 1, height: metrics.tick };
        image.fill(mark, INK);
        image.text(&tick.label, [column, labels_row], Align::Centre, metrics.font, INK);
    }
    for tick in &y.ticks {
        let row = plot.bottom() as f64 - y.part(tick.value) * plot.height as f64;
        let mark = Area { left: plot.left - metrics.tick, top: row as usize, width: metrics.tick, height: 1 };
        image.fill(mark, INK);
        let right = (plot.left - metrics.tick) as f64 - 0.3 * metrics.font;
        image.text(&tick.label, [right, row], Align::Right, metrics.font, INK);
    }
    let middle = (plot.left + plot.width / 2) as f64;
    image.text(&x.name, [middle, labels_row + 1.2 * metrics.font], Align::Centre, metrics.font, INK);
    let left = plot.left as f64 - 0.6 * metrics.font - (metrics.tick + widest(&y.ticks, metrics)) as f64;
    image.text(&y.name, [left, (plot.top + plot.height / 2) as f64], Align::Right, metrics.font, INK);
}

/// Draws the colours of a scale beside their values.
pub fn draw_colour_bar(image: &mut Image, bar: Area, scale: &ColourScale, values: &Axis, metrics: Metrics) {
    for row in 0..bar.height {
        let part = 1.0 - (row as f64 + 0.5) / bar.height as f64;
        let colour = scale.colour(scale.low + part * (scale.high - scale.low));
        image.fill(Area { top: bar.top + row, height: 1, ..bar }, colour);
    }
    image.outline(bar, INK, 1.0);
    for tick in &values.ticks {
        let row = bar.bottom() as f64 - values.part(tick.value) * bar.height as f64;
        let row = row.min((bar.bottom() - 1) as f64);
        image.fill(Area { left: bar.right(), top: row as usize, width: metrics.tick, height: 1 }, INK);
        let left = (bar.right() + metrics.tick) as f64 + 0.3 * metrics.font;
        image.text(&tick.label, [left, row], Align::Left, metrics.font, INK);
    }
}

/// Draws one line of text with the colour of each level, from `[left, middle]` on.
pub fn draw_legend(image: &mut Image, corner: [usize; 2], num_levels: usize, map: ColourMap, metrics: Metrics) {
    let [mut column, row] = corner;
    for level in 0..num_levels {
        let side = metrics.font as usize;
        let sample = Area { left: column, top: row - side / 2, width: side, height: side };
        image.fill(sample, level_colour(level, map));
        image.outline(sample, INK, 1.0);
        column += side + metrics.gap / 2;
        let label = format!("level {}", level + 1);
        image.text(&label, [column as f64, row as f64], Align::Left, metrics.font, INK);
        column += font::width(&label, metrics.font) as usize + 2 * metrics.gap;
    }
}
