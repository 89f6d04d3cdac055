//! Which cells of a frame's level the next finer one covers.

use crate::index::{CellBox, Ratio};
use crate::mesh::Bins;

/// The cells of a level that lie under the patches of the next finer level.
#[derive(Clone, Debug)]
pub struct CoveredCells<const D: usize> {
    /// Cells of the level wholly under each patch.
    under: Vec<CellBox<D>>,
    bins: Bins<D>,
}

impl<const D: usize> CoveredCells<D> {
    /// `finer`: the patches of the next finer level, `ratio` times as fine.
    pub(crate) fn new(finer: impl Iterator<Item = CellBox<D>>, ratio: Ratio<D>) -> Self {
        // A cell of which only a part lies under a patch is not covered, so this rounds inward.
        let inward = |fine: CellBox<D>| {
            let up = |d: usize| (fine.lo[d] + ratio.0[d] - 1).div_euclid(ratio.0[d]);
            CellBox::new(std::array::from_fn(up), std::array::from_fn(|d| fine.hi[d].div_euclid(ratio.0[d])))
        };
        let under: Vec<CellBox<D>> = finer.map(inward).filter(|cells| !cells.is_empty()).collect();
        CoveredCells { bins: Bins::new(&under), under }
    }

    /// For each cell of a box of the level, x fastest: true if it is covered.
    pub fn of(&self, cells: &CellBox<D>) -> Vec<bool> {
        let mut covered = vec![false; cells.volume()];
        self.bins.for_each_in(&self.under, cells, |_, part| {
            for row in part.rows() {
                covered[cells.number_of(row)..][..part.size()[0] as usize].fill(true);
            }
        });
        covered
    }
}
