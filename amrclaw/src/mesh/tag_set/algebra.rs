//! Set algebra, and tags of a level from those of another.

use super::{TagSet, Tiling, low_bits};
use crate::index::{CellBox, CellIndex, Ratio};

impl<const D: usize> TagSet<D> {
    /// Adds the tags of another set, as far as they lie in this one's domain.
    pub fn union(&mut self, other: &Self) {
        for (tile, words) in other.tiles() {
            self.or_tile(tile, words);
        }
    }

    /// Removes the tags of another set.
    pub fn subtract(&mut self, other: &Self) {
        for (k, start) in self.tiles.all() {
            let Some(others) = other.tiles.get(k) else { continue };
            let own = &mut self.words[*start..*start + Tiling::<D>::ROWS];
            own.iter_mut().zip(&other.words[others..]).for_each(|(word, others)| *word &= !others);
        }
    }

    /// The cells of the coarser level above at least one tag.
    pub fn coarse_from_fine(&self, ratio: Ratio<D>) -> Self {
        let mut coarse = TagSet::new(self.domain.coarse_from_fine(ratio));
        self.for_each_run(|run| {
            let parent = run.coarse_from_fine(ratio);
            coarse.insert_row(parent.lo, low_bits(parent.hi[0] - parent.lo[0]));
        });
        coarse
    }

    /// Calls `visit` with each run of consecutive tagged cells along x; a run does not extend beyond its word.
    fn for_each_run(&self, mut visit: impl FnMut(CellBox<D>)) {
        self.for_each_word(&self.domain, |origin, mut bits| {
            let mut run = CellBox::cell(origin);
            run.hi[0] = origin[0];
            while bits != 0 {
                let gap = bits.trailing_zeros();
                let length = (bits >> gap).trailing_ones();
                run.lo[0] = run.hi[0] + gap as i32;
                run.hi[0] = run.lo[0] + length as i32;
                visit(run);
                bits = bits.checked_shr(gap + length).unwrap_or(0);
            }
        });
    }
}

/// Sets are equal if they have the same domain and the same tags.
impl<const D: usize> PartialEq for TagSet<D> {
    fn eq(&self, other: &Self) -> bool {
        let tagged = |(_, words): &(CellIndex<D>, &[u64])| words.iter().any(|&w| w != 0);
        self.domain == other.domain && self.tiles().filter(tagged).eq(other.tiles().filter(tagged))
    }
}

impl<const D: usize> Eq for TagSet<D> {}
