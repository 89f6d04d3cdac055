//! Which boxes of a new level can nest, given the levels that stay.

use crate::index::{CellBox, Ratio, wrap_into_domain};
use crate::mesh::TagSet;
use crate::regrid::buffer;

/// Where a level may be refined when all levels finer than a base level are about to be replaced.
///
/// The base level's patches stay. A box of a finer level can nest if every level between can be given patches that
/// surround it by the nesting width and nest themselves: grown by the width, coarsened, grown by the width, coarsened
/// and so on, it must end in the base level's patches, or past a wall of the domain.
#[derive(Clone, Debug)]
pub struct LevelNesting<const D: usize> {
    /// Cells of the base level's patches.
    base: TagSet<D>,
    /// The base level covers the whole domain: everything nests.
    base_is_whole: bool,
    /// From the base level to the next finer one, and on to the level that is to be refined.
    ratios: Vec<Ratio<D>>,
    nesting_width: i32,
    periodic: [bool; D],
}

impl<const D: usize> LevelNesting<D> {
    /// For refining the level that is `ratios.len()` levels finer than the base level.
    ///
    /// `base_boxes` are the base level's patches and `base_domain` the domain, both in the base level's cells; `ratios`
    /// leads from the base level to the level to be refined, and is empty if that is the base level itself.
    pub fn new(
        base_boxes: &[CellBox<D>],
        base_domain: CellBox<D>,
        ratios: &[Ratio<D>],
        nesting_width: i32,
        periodic: [bool; D],
    ) -> Self {
        let mut base = TagSet::new(base_domain);
        base_boxes.iter().for_each(|b| base.insert_box(b));
        let base_is_whole = base.contains_box(&base_domain);
        LevelNesting { base, base_is_whole, ratios: ratios.to_vec(), nesting_width, periodic }
    }

    /// True if the base level covers `region`, which counts its cells. Cells past a wall count as covered; cells past a
    /// periodic side are those that come in at the other.
    pub fn covers(&self, region: &CellBox<D>) -> bool {
        self.base_is_whole
            || wrap_into_domain(region, self.base.domain(), self.periodic)
                .iter()
                .all(|piece| self.base.contains_box(piece))
    }

    /// True if a patch over `region`, in cells of the level to be refined, can nest.
    pub fn nests(&self, region: &CellBox<D>) -> bool {
        let grown = region.grow(self.nesting_width);
        let coarsest =
            self.ratios.iter().rev().fold(grown, |fine, &r| fine.coarse_from_fine(r).grow(self.nesting_width));
        self.covers(&coarsest)
    }

    /// Takes away the tags of the level to be refined whose cell alone cannot nest.
    pub fn clip(&self, tags: &mut TagSet<D>) {
        if !self.base_is_whole {
            let barred = self.barred(tags, &self.ratios);
            tags.subtract(&barred);
        }
    }

    /// The tags whose cell cannot nest, on the level that `ratios` leads to.
    ///
    /// Works on the cells within the nesting width of tags only, so that its cost follows the tags.
    fn barred(&self, tags: &TagSet<D>, ratios: &[Ratio<D>]) -> TagSet<D> {
        let mut unavailable = buffer(tags, self.nesting_width, self.periodic);
        match ratios.split_last() {
            None => unavailable.subtract(&self.base),
            Some((&ratio, coarser)) => {
                let barred_parents = self.barred(&unavailable.coarse_from_fine(ratio), coarser);
                unavailable.intersect(&barred_parents.fine_from_coarse(ratio));
            }
        }
        let mut barred = buffer(&unavailable, self.nesting_width, self.periodic);
        barred.intersect(tags);
        barred
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The base level is an L. Refining it directly leaves out a rim of the nesting width along its inner sides and
    /// none along walls. One level further the rims add up: two cells of the finer level are part of one base cell
    /// (ratio 4), and two more base cells follow.
    #[test]
    fn keeps_away_from_the_sides_of_the_base_level() {
        let domain = CellBox::new([0, 0], [12, 12]);
        let ell = [CellBox::new([0, 0], [12, 6]), CellBox::new([0, 6], [6, 12])];
        let direct = LevelNesting::new(&ell, domain, &[], 1, [false; 2]);
        assert!(direct.nests(&CellBox::new([0, 0], [12, 5])) && !direct.nests(&CellBox::new([6, 0], [12, 6])));
        assert!(direct.nests(&CellBox::new([4, 4], [5, 6])) && !direct.nests(&CellBox::new([5, 5], [6, 6])));

        let twice = LevelNesting::new(&ell, domain, &[Ratio([2, 4])], 2, [false; 2]);
        assert!(twice.nests(&CellBox::new([14, 0], [24, 14])));
        assert!(!twice.nests(&CellBox::new([14, 0], [24, 15])));
        assert!(twice.covers(&CellBox::new([-5, -5], [14, 6])) && !twice.covers(&CellBox::new([-5, -5], [14, 7])));
    }

    /// Across a periodic side the base level continues with its patches on the other side, across a wall with nothing
    /// that would bar refinement.
    #[test]
    fn continues_across_periodic_sides() {
        let domain = CellBox::new([0, 0], [12, 12]);
        let strip = [CellBox::new([0, 0], [4, 12])];
        let nests = |periodic, region| LevelNesting::new(&strip, domain, &[], 1, periodic).nests(&region);
        let at_the_side = CellBox::new([0, 0], [3, 12]);
        assert!(nests([false, false], at_the_side) && nests([false, true], at_the_side));
        assert!(!nests([true, false], at_the_side) && nests([true, false], CellBox::new([1, 0], [3, 12])));
    }
}
