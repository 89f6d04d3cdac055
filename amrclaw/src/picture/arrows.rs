//! Arrows of a vector field on a map.

use super::canvas::{Area, PAPER};
use super::decoration::{INK, Metrics};
use super::figure::Figure;
use super::range::View;
use super::{PictureError, PictureOptions, find_field, ticks};
use crate::frames::frame::{Frame, PatchSource};
use crate::mesh::Mapping;

/// Distance of arrows, in heights of text; the longest one has this length.
const SPACING: f64 = 2.2;
/// Length of an arrow's head over that of the arrow, and the tangent of the angle of its sides.
const HEAD: (f64, f64) = (0.35, 0.45);

/// Arrows: places as parts of the plot from its lower left corner, vectors in units of the data.
#[derive(Default)]
pub struct Arrows(Vec<([f64; 2], [f64; 2])>);

impl Arrows {
    /// The vectors of the options for a plot of this width and height, of one cell for each square of the plot: the finest at its place that is nearest to the square's middle.
    ///
    /// # Errors
    /// There is no such field, or values cannot be read.
    pub fn of(
        (frame, values): (&Frame<2>, &dyn PatchSource<2>),
        mapping: Option<&Mapping<2>>,
        view: &View<2>,
        size: (usize, usize),
        options: &PictureOptions,
    ) -> Result<Self, PictureError> {
        let [across, up] = &options.vectors[..] else { return Ok(Arrows::default()) };
        let fields = [find_field(frame, across)?, find_field(frame, up)?];
        let squares = {
            let spacing = SPACING * Metrics::of(options.size).font;
            [size.0, size.1].map(|pixels| (pixels as f64 / spacing).ceil())
        };
        let mut nearest = vec![None; (squares[0] * squares[1]) as usize];
        for (l, level) in frame.levels.iter().enumerate() {
            let (covering, geometry) = (frame.covering(l), frame.geometry(l));
            for number in 0..level.patches.len() {
                let patch = values.patch(l, number).map_err(super::values_unavailable(frame.number))?;
                let [u, v] = fields.map(|field| patch.values(field));
                let cells = patch.cells.cells().zip(u.iter().zip(v)).zip(covering.of(&patch.cells));
                for ((cell, (&u, &v)), _) in cells.filter(|(_, covered)| !covered) {
                    let centre = geometry.centre(cell);
                    let centre = mapping.map_or(centre, |mapping| mapping.position(centre));
                    if !(u.is_finite() && v.is_finite() && view.contains(centre)) {
                        continue;
                    }
                    let part = |d: usize| (centre[d] - view.lower[d]) / (view.upper[d] - view.lower[d]);
                    let place = [0, 1].map(|d| part(d) * squares[d]);
                    let square = [0, 1].map(|d| place[d].floor().min(squares[d] - 1.0));
                    let off = (0..2).map(|d| (place[d] - square[d] - 0.5).powi(2)).sum::<f64>();
                    let kept = &mut nearest[(square[1] * squares[0] + square[0]) as usize];
                    if kept.is_none_or(|(least, _)| off < least) {
                        *kept = Some((off, ([part(0), part(1)], [u, v])));
                    }
                }
            }
        }
        Ok(Arrows(nearest.into_iter().flatten().map(|(_, arrow)| arrow).collect()))
    }

    /// The size of the longest.
    fn longest(&self) -> f64 {
        self.0.iter().map(|(_, [u, v])| u.hypot(*v)).fold(0.0, f64::max)
    }

    /// The title with what the longest arrow stands for.
    pub fn titled(&self, title: String, options: &PictureOptions) -> String {
        let [across, up] = &options.vectors[..] else { return title };
        format!("{title}    arrows ({across}, {up}) to {}", ticks::short(self.longest()))
    }

    /// Draws them, each with its middle at its place.
    pub fn draw(&self, figure: &mut Figure, plot: Area, metrics: Metrics) {
        let (scale, thickness) = (SPACING * metrics.font / self.longest(), 0.09 * metrics.font);
        for ([right, above], [u, v]) in &self.0 {
            let along = [u * scale, -v * scale];
            let length = along[0].hypot(along[1]);
            // Where all are zero it is NaN.
            if length.is_nan() || length < 1.0 {
                continue;
            }
            let middle =
                [plot.left as f64 + right * plot.width as f64, plot.bottom() as f64 - above * plot.height as f64];
            // A point so far along the arrow and to its side.
            let point =
                |t: f64, s: f64| [middle[0] + t * along[0] - s * along[1], middle[1] + t * along[1] + s * along[0]];
            let (head, side) = (HEAD.0, HEAD.0 * HEAD.1);
            let tip = point(0.5, 0.0);
            let lines = [vec![point(-0.5, 0.0), tip], vec![point(0.5 - head, side), tip, point(0.5 - head, -side)]];
            // A light rim makes them visible on dark colours.
            for (thickness, colour) in [(2.5 * thickness, PAPER), (thickness, INK)] {
                lines.iter().for_each(|line| figure.path(line.clone(), thickness, colour, plot));
            }
        }
    }
}
