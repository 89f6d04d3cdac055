//! Light and shade on land in maps.

use super::canvas::Colour;
use super::range::{View, value_range};
use crate::frames::derived::LAND_HEIGHTS;
use crate::frames::frame::{FieldIndex, Frame, FramePatch, PatchSource};
use crate::index::CellBox;

/// A slope this many times as steep as from the lowest to the highest land over the whole map has 0.7 of the contrast.
const STEEP: f64 = 4.0;
/// The part by which the steepest slopes are brighter or darker than flat land.
const CONTRAST: f64 = 0.25;

/// Heights of land.
pub(super) struct Relief {
    heights: FieldIndex,
    steep: f64,
}

impl Relief {
    /// That of a frame that has heights of land, of which not all are the same.
    pub fn of((frame, values): (&Frame<2>, &dyn PatchSource<2>), view: &View<2>) -> Option<Self> {
        let heights = frame.field(LAND_HEIGHTS)?;
        let (low, high) = value_range((frame, values), heights, view, None, false).ok()?;
        let extent = (0..2).map(|d| view.upper[d] - view.lower[d]).fold(0.0, f64::max);
        (high > low).then_some(Relief { heights, steep: STEEP * (high - low) / extent })
    }

    /// The colour of a cell of land, of size `dx`, with the light from the upper left.
    pub fn lit(&self, colour: Colour, patch: &FramePatch<2>, cell: [i32; 2], dx: [f64; 2]) -> Colour {
        let (heights, CellBox { lo, hi }) = (patch.values(self.heights), patch.cells);
        let slope = |d: usize| {
            // Beyond the patch or the coast the cell itself.
            let beside = |step: i32| {
                let mut other = cell;
                other[d] = (cell[d] + step).clamp(lo[d], hi[d] - 1);
                let height = heights[patch.offset(other)];
                if height.is_nan() { (cell[d], heights[patch.offset(cell)]) } else { (other[d], height) }
            };
            let ((first, below), (last, above)) = (beside(-1), beside(1));
            if last > first { (above - below) / (f64::from(last - first) * dx[d]) } else { 0.0 }
        };
        let towards = (slope(0) - slope(1)) / self.steep;
        let light = 1.0 + CONTRAST * towards / towards.hypot(1.0);
        colour.map(|part| (f64::from(part) * light).min(255.0) as u8)
    }
}
