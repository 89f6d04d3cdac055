//! The part of the domain that a picture shows, and the values there.

use super::{PictureError, PictureOptions, values_unavailable};
use crate::frames::covering::CoveredCells;
use crate::frames::frame::{FieldIndex, Frame, PatchSource};
use crate::mesh::Mapping;
use crate::threads::parallel_map;

/// Makes a range of values include another one.
pub fn widen(range: &mut Option<(f64, f64)>, (low, high): (f64, f64)) {
    let (lowest, highest) = range.get_or_insert((low, high));
    (*lowest, *highest) = (lowest.min(low), highest.max(high));
}

/// A part of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View<const D: usize> {
    /// Lower corner.
    pub lower: [f64; D],
    /// Upper corner.
    pub upper: [f64; D],
}

impl<const D: usize> View<D> {
    /// The part that the options ask for: the whole domain along axes without a zoom.
    ///
    /// # Errors
    /// It does not overlap the domain.
    pub fn of(frame: &Frame<D>, options: &PictureOptions) -> Result<Self, PictureError> {
        View { lower: frame.lower, upper: frame.upper }.zoomed(options)
    }

    /// The part of it that the options ask for.
    ///
    /// # Errors
    /// They do not overlap.
    pub fn zoomed(mut self, options: &PictureOptions) -> Result<Self, PictureError> {
        for (d, &(low, high)) in options.zoom.iter().enumerate().take(D) {
            if !(low < self.upper[d] && high > self.lower[d]) {
                let axis = options.axes.get(d).map_or("", String::as_str);
                return Err(PictureError::Zoom { axis: axis.to_owned(), domain: (self.lower[d], self.upper[d]) });
            }
            (self.lower[d], self.upper[d]) = (low, high);
        }
        Ok(self)
    }

    /// Whether a position is in the view.
    pub fn contains(&self, position: [f64; D]) -> bool {
        (0..D).all(|d| (self.lower[d]..=self.upper[d]).contains(&position[d]))
    }
}

/// The range of no values.
const NONE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// Smallest and largest value of a field in the view, among cells that no finer level covers; NaN and infinities are
/// ignored, and for logarithms values that are not positive. `mapping`: that of a mapped mesh.
pub fn value_range<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    field: FieldIndex,
    view: &View<D>,
    mapping: Option<&Mapping<D>>,
    log: bool,
) -> Result<(f64, f64), PictureError> {
    let whole = mapping.is_none() && *view == View { lower: frame.lower, upper: frame.upper };
    let of_patch = |l: usize, k: usize, covering: &CoveredCells<D>| {
        let (patch, geometry) = (values.patch(l, k)?, frame.geometry(l));
        let centre = |cell| {
            let centre = geometry.centre(cell);
            mapping.map_or(centre, |mapping| mapping.position(centre))
        };
        // If the view is the whole domain, positions are not needed.
        let mut cells = (!whole).then(|| patch.cells.cells());
        let (mut low, mut high) = NONE;
        for (&v, covered) in patch.values(field).iter().zip(covering.of(&patch.cells)) {
            let cell = cells.as_mut().and_then(Iterator::next);
            let is_seen = || cell.is_none_or(|cell| view.contains(centre(cell)));
            if !covered && v.is_finite() && (v > 0.0 || !log) && is_seen() {
                (low, high) = (low.min(v), high.max(v));
            }
        }
        Ok((low, high))
    };
    let (mut low, mut high) = NONE;
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for range in parallel_map(level.patches.len(), |k| of_patch(l, k, &covering)) {
            let (lowest, highest) = range.map_err(values_unavailable(frame.number))?;
            (low, high) = (low.min(lowest), high.max(highest));
        }
    }
    (low <= high).then_some((low, high)).ok_or(if log {
        PictureError::NothingPositive
    } else {
        PictureError::Empty(frame.number)
    })
}
