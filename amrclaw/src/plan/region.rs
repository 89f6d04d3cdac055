//! Regions shared by several plans.

use super::patch_lists::PatchLists;
use crate::index::{CellBox, CellIndex, Ratio};
use crate::mesh::Image;

/// Cells copied from a patch to another of the same level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyRegion<const D: usize> {
    /// Destination patch.
    pub target: u32,
    /// Source patch.
    pub source: u32,
    /// Cells written, in the destination's coordinates.
    pub cells: CellBox<D>,
    /// `cell − shift` is read; zero but across periodic sides.
    pub shift: CellIndex<D>,
}

/// Cells interpolated from a patch of the next coarser level. The slopes' stencil, one coarse cell to each side, lies in
/// that patch and its ghost cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterpRegion<const D: usize> {
    /// Destination patch, fine.
    pub target: u32,
    /// Source patch, coarse.
    pub source: u32,
    /// Cells written, in the destination's coordinates.
    pub cells: CellBox<D>,
    /// The coarse cell over fine cell `i` is `⌊i / ratio⌋ − shift`; zero but across periodic sides.
    pub shift: CellIndex<D>,
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
    regions: &mut PatchLists<InterpRegion<D>>,
) {
    let mut covered = 0;
    for image in under {
        let part = image.part.fine_from_coarse(ratio).intersect(cells);
        if !part.is_empty() {
            covered += part.volume();
            regions.push(InterpRegion { target, source: image.patch as u32, cells: part, shift: image.shift });
        }
    }
    assert_eq!(covered, cells.volume(), "cells {cells:?} of a fine patch are not nested in the coarser level");
}
