//! Which boxes of a new level can nest, given the levels that stay.

use crate::index::{CellBox, Ratio};
use crate::mesh::{LevelMesh, TagSet, clear_bits, hull_of_bits};

/// Where a level may be refined when all levels finer than a base level are about to be replaced.
///
/// The base level's patches stay. A box of a finer level can nest if every level between can be given patches that
/// surround it by the nesting width and nest themselves: grown by the width, coarsened, grown by the width, coarsened
/// and so on, it must end in the base level's patches, or past a wall of the domain.
#[derive(Clone, Debug)]
pub struct LevelNesting<'a, const D: usize> {
    base: &'a LevelMesh<D>,
    /// The base level covers the whole domain: everything nests.
    base_is_whole: bool,
    /// From the base level to the next finer one, and on to the level that is to be refined.
    ratios: &'a [Ratio<D>],
    nesting_width: i32,
}

impl<'a, const D: usize> LevelNesting<'a, D> {
    /// For refining the level that is `ratios.len()` levels finer than the base level.
    ///
    /// `ratios` leads from the base level to the level to be refined, and is empty if that is the base level itself.
    pub fn new(base: &'a LevelMesh<D>, ratios: &'a [Ratio<D>], nesting_width: i32) -> Self {
        LevelNesting { base, base_is_whole: base.covers_domain(), ratios, nesting_width }
    }

    /// True if whatever box nests.
    pub fn nests_all(&self) -> bool {
        self.base_is_whole
    }

    /// True if the base level covers `region`, given in its cells. Cells beyond a wall count as covered; cells beyond a
    /// periodic side are those inside at the opposite side.
    pub fn covers(&self, region: &CellBox<D>) -> bool {
        self.base_is_whole || self.base.covers(&self.once_around(region))
    }

    /// The part of a region, in cells of the base level, within one domain size of the domain: cells further away are periodic
    /// images of cells in this part.
    fn once_around(&self, region: &CellBox<D>) -> CellBox<D> {
        let domain = self.base.domain();
        region.intersect(&domain.grow_by(domain.size()))
    }

    /// True if a patch over `region`, in cells of the level to be refined, can nest.
    pub fn nests(&self, region: &CellBox<D>) -> bool {
        self.base_is_whole || self.covers(&self.needed(region))
    }

    /// What the base level must cover for a patch over `region`, in cells of the level to be refined, to nest.
    fn needed(&self, region: &CellBox<D>) -> CellBox<D> {
        let grown = region.grow(self.nesting_width);
        self.ratios.iter().rev().fold(grown, |fine, &r| fine.coarse_from_fine(r).grow(self.nesting_width))
    }

    /// Removes the tags of cells of the level to be refined that cannot nest.
    pub fn clip(&self, tags: &mut TagSet<D>) {
        if self.base_is_whole {
            return;
        }
        tags.change_tiles(|cells, words| {
            let tagged = hull_of_bits(cells.lo, words);
            if tagged.is_empty() {
                return;
            }
            let needed = self.once_around(&self.needed(&tagged));
            for open in self.base.uncovered(&self.base.inside_domain(&needed)) {
                clear_bits(&self.barred(&open).intersect(&tagged), words);
            }
        });
    }

    /// The cells of the level to be refined that cannot nest because the base level does not cover `open`: the cells within
    /// the nesting width of it, widened again on every level.
    fn barred(&self, open: &CellBox<D>) -> CellBox<D> {
        let on_finer = |cells: CellBox<D>, &r: &Ratio<D>| cells.fine_from_coarse(r).grow(self.nesting_width);
        self.ratios.iter().fold(open.grow(self.nesting_width), on_finer)
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
        let ell = LevelMesh::new(domain, [false; 2], ell.to_vec());
        let direct = LevelNesting::new(&ell, &[], 1);
        assert!(direct.nests(&CellBox::new([0, 0], [12, 5])) && !direct.nests(&CellBox::new([6, 0], [12, 6])));
        assert!(direct.nests(&CellBox::new([4, 4], [5, 6])) && !direct.nests(&CellBox::new([5, 5], [6, 6])));

        let twice = LevelNesting::new(&ell, &[Ratio([2, 4])], 2);
        assert!(twice.nests(&CellBox::new([14, 0], [24, 14])));
        assert!(!twice.nests(&CellBox::new([14, 0], [24, 15])));
        assert!(twice.covers(&CellBox::new([-5, -5], [14, 6])) && !twice.covers(&CellBox::new([-5, -5], [14, 7])));
    }

    /// Across a periodic side the base level continues with its patches at the opposite side; a wall does not restrict
    /// refinement.
    #[test]
    fn continues_across_periodic_sides() {
        let domain = CellBox::new([0, 0], [12, 12]);
        let strip = |periodic| LevelMesh::new(domain, periodic, vec![CellBox::new([0, 0], [4, 12])]);
        let nests = |periodic, region| LevelNesting::new(&strip(periodic), &[], 1).nests(&region);
        let at_the_side = CellBox::new([0, 0], [3, 12]);
        assert!(nests([false, false], at_the_side) && nests([false, true], at_the_side));
        assert!(!nests([true, false], at_the_side) && nests([true, false], CellBox::new([1, 0], [3, 12])));
    }
}
