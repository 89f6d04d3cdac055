//! Regions shared by several plans.

use super::patch_lists::PatchLists;
use crate::index::{CellBox, Ratio, Shift};
use crate::mesh::Image;

/// Cells of a patch that take their values from another patch: by a copy, by an average of finer cells, or by interpolation between
/// coarser ones, whose stencil, one coarse cell to each side, lies in that patch and its ghost cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region<const D: usize> {
    /// Destination patch.
    pub target: u32,
    /// Source patch.
    pub source: u32,
    /// Cells written, in the destination's coordinates.
    pub cells: CellBox<D>,
    /// Which cell is read for a cell, or for the coarser one `⌊cell / ratio⌋`.
    pub shift: Shift<D>,
}

impl<const D: usize> Region<D> {
    /// The part of patch `target` that an image of a source covers.
    pub(super) fn of_image(target: u32, image: &Image<D>) -> Self {
        Region { target, source: image.patch as u32, cells: image.part, shift: image.shift }
    }

    /// For an interpolation, the coarse cells beneath it.
    pub fn over(&self, ratio: Ratio<D>) -> Self {
        Region { cells: self.cells.coarse_from_fine(ratio), ..*self }
    }
}

/// Splits `cells` of fine patch `target` by the coarse patches beneath. `under`: what patches of the coarser level cover of
/// a region that holds all the cells.
///
/// # Panics
/// If the coarse level does not lie under all the cells: the fine level is not properly nested.
pub(super) fn interpolations<const D: usize>(
    under: &[Image<D>],
    ratio: Ratio<D>,
    target: u32,
    cells: &CellBox<D>,
    regions: &mut PatchLists<Region<D>>,
) {
    let mut covered = 0;
    for image in under {
        let part = image.part.fine_from_coarse(ratio).intersect(cells);
        if !part.is_empty() {
            covered += part.volume();
            regions.push(Region { cells: part, ..Region::of_image(target, image) });
        }
    }
    assert_eq!(covered, cells.volume(), "cells {cells:?} of a fine patch are not nested in the coarser level");
}
