//! What stands around a plot: title, axes, colour bar, legend of levels.

use super::canvas::{Align, Area, Colour, Image, PAPER};
use super::colour_map::{ColourMap, ColourScale};
use super::figure::Figure;
use super::font;
use super::ticks::{DEGREES, Tick, log_ticks, named, ticks};

/// Colour of lines and text.
pub const INK: Colour = [40, 40, 40];
/// Opacity of patch outlines: the data remain visible beneath them.
pub const OUTLINE_OPACITY: f32 = 0.75;

/// Colours of the levels' lines, coarsest first, used cyclically: on grey, blue and red, and on the background.
const ON_LIGHT: [Colour; 6] = [[120, 120, 120], [0, 0, 0], [214, 0, 154], [0, 140, 60], [255, 150, 0], [110, 60, 20]];
/// Colours of the levels' lines on purple, green and yellow.
const ON_DARK: [Colour; 6] =
    [[150, 150, 150], [255, 70, 30], [255, 90, 230], [255, 255, 255], [0, 230, 255], [0, 0, 0]];

/// The colour of a level's lines on a plot in these colours.
pub fn level_colour(level: usize, map: ColourMap) -> Colour {
    let colours = if map.is_light() { ON_LIGHT } else { ON_DARK };
    colours[level % colours.len()]
}

/// Sizes in pixels, all from the size of the plot.
#[derive(Clone, Copy, Debug)]
pub struct Metrics {
    /// Text.
    pub font: f64,
    /// Space between elements.
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
    /// Name; none in degrees, whose letters tell.
    pub name: String,
    /// Ticks.
    pub ticks: Vec<Tick>,
    /// The axis is logarithmic.
    log: bool,
}

/// Space between labels beside each other, in heights of text.
const LABEL_SPACE: f64 = 0.8;

impl Axis {
    /// An axis along x of `length` pixels, with as many ticks as have labels that do not touch.
    pub fn along(range: (f64, f64), name: &str, length: usize, metrics: Metrics) -> Self {
        let ticks = |most| named(ticks(range.0, range.1, most), name);
        let axis = |most| Axis { range, name: shown(name), ticks: ticks(most), log: false };
        let fits = |axis: &Axis| {
            let needed = widest(&axis.ticks, metrics) as f64 + LABEL_SPACE * metrics.font;
            axis.ticks.windows(2).all(|pair| {
                let apart = (pair[1].value - pair[0].value) / (range.1 - range.0) * length as f64;
                apart >= needed
            })
        };
        (2..=10).rev().map(axis).find(fits).unwrap_or_else(|| {
            let mut sparse = axis(2);
            sparse.ticks.truncate(1);
            sparse
        })
    }

    /// An axis whose labels stand above each other.
    pub fn upward(range: (f64, f64), name: &str, length: usize, log: bool, metrics: Metrics) -> Self {
        let most = ((length as f64 / (2.5 * metrics.font)) as usize).clamp(3, 10);
        let ticks = if log { log_ticks(range.0, range.1, most) } else { ticks(range.0, range.1, most) };
        Axis { range, name: shown(name), ticks: named(ticks, name), log }
    }

    /// Position of a value along the axis: 0 at its first end, 1 at its second.
    pub fn part(&self, value: f64) -> f64 {
        if self.log {
            return (value.max(f64::MIN_POSITIVE) / self.range.0).ln() / (self.range.1 / self.range.0).ln();
        }
        (value - self.range.0) / (self.range.1 - self.range.0)
    }
}

fn shown(name: &str) -> String {
    if DEGREES.iter().any(|(known, _)| *known == name) { String::new() } else { name.to_owned() }
}

/// Writes a picture's heading into `[left, right)`: in smaller type if necessary, and shortened if that is not enough.
pub fn draw_heading(figure: &mut Figure, text: &str, span: [usize; 2], metrics: Metrics) {
    let room = span[1].saturating_sub(span[0]) as f64;
    let largest = 1.2 * metrics.font;
    let size = largest.min(largest * room / font::width(text, largest).max(1.0)).max(0.8 * metrics.font);
    let mut shown = text.to_owned();
    while font::width(&shown, size) > room && shown.chars().count() > 2 {
        shown = shown.trim_end_matches('…').to_owned();
        shown.pop();
        shown.push('…');
    }
    figure.text(&shown, [span[0] as f64, metrics.line() as f64], Align::Left, size, INK);
}

/// Draws the border of a plot with the ticks and names of both axes.
pub fn draw_axes(figure: &mut Figure, plot: Area, x: &Axis, y: &Axis, metrics: Metrics) {
    let border = Area { left: plot.left - 1, top: plot.top - 1, width: plot.width + 2, height: plot.height + 2 };
    figure.outline(border, INK);
    let labels_row = (plot.bottom() + metrics.tick) as f64 + 0.8 * metrics.font;
    for tick in &x.ticks {
        let column = plot.left as f64 + x.part(tick.value) * plot.width as f64;
        let mark = Area { left: column as usize, top: plot.bottom(), width: 1, height: metrics.tick };
        figure.fill(mark, INK);
        figure.text(&tick.label, [column, labels_row], Align::Centre, metrics.font, INK);
    }
    for tick in &y.ticks {
        let row = plot.bottom() as f64 - y.part(tick.value) * plot.height as f64;
        let mark = Area { left: plot.left - metrics.tick, top: row as usize, width: metrics.tick, height: 1 };
        figure.fill(mark, INK);
        let right = (plot.left - metrics.tick) as f64 - 0.3 * metrics.font;
        figure.text(&tick.label, [right, row], Align::Right, metrics.font, INK);
    }
    let middle = (plot.left + plot.width / 2) as f64;
    figure.text(&x.name, [middle, labels_row + 1.2 * metrics.font], Align::Centre, metrics.font, INK);
    let left = plot.left as f64 - 0.6 * metrics.font - (metrics.tick + widest(&y.ticks, metrics)) as f64;
    figure.text(&y.name, [left, (plot.top + plot.height / 2) as f64], Align::Right, metrics.font, INK);
}

/// Draws the colours of a scale beside their values.
pub fn draw_colour_bar(figure: &mut Figure, bar: Area, scale: &ColourScale, values: &Axis, metrics: Metrics) {
    let mut colours = Image::new(bar.width, bar.height, PAPER);
    for row in 0..bar.height {
        let part = 1.0 - (row as f64 + 0.5) / bar.height as f64;
        colours.fill(Area { top: row, height: 1, ..colours.area() }, scale.colour_at(part));
    }
    figure.raster(colours, [bar.left, bar.top]);
    figure.outline(bar, INK);
    for tick in &values.ticks {
        let row = bar.bottom() as f64 - values.part(tick.value) * bar.height as f64;
        let row = row.min((bar.bottom() - 1) as f64);
        figure.fill(Area { left: bar.right(), top: row as usize, width: metrics.tick, height: 1 }, INK);
        let left = (bar.right() + metrics.tick) as f64 + 0.3 * metrics.font;
        figure.text(&tick.label, [left, row], Align::Left, metrics.font, INK);
    }
}

/// Draws the colour and name of each level in one line from `[left, middle]` to at most `right`; if that is too narrow, the
/// number instead of the name.
pub fn draw_legend(
    figure: &mut Figure,
    corner: [usize; 2],
    right: usize,
    levels: impl Iterator<Item = usize>,
    map: ColourMap,
    metrics: Metrics,
) {
    let [mut column, row] = corner;
    let side = metrics.font as usize;
    let levels: Vec<usize> = levels.collect();
    let width = |label: &str| side + metrics.gap / 2 + font::width(label, metrics.font) as usize + 2 * metrics.gap;
    let names: Vec<String> = levels.iter().map(|level| format!("level {}", level + 1)).collect();
    let long = names.iter().map(|name| width(name)).sum::<usize>() <= right.saturating_sub(column);
    for (level, name) in levels.into_iter().zip(names) {
        let label = if long { name } else { (level + 1).to_string() };
        if column + width(&label) > right + 2 * metrics.gap {
            return;
        }
        let sample = Area { left: column, top: row - side / 2, width: side, height: side };
        figure.fill(sample, level_colour(level, map));
        figure.outline(sample, INK);
        let text = (column + side + metrics.gap / 2) as f64;
        figure.text(&label, [text, row as f64], Align::Left, metrics.font, INK);
        column += width(&label);
    }
}
