//! Tag sets serialized as words, for messages to other ranks.

use super::{TagSet, Tiling, key, visit_tiles};
use crate::index::{CellBox, CellIndex};
use std::collections::BTreeMap;

impl<const D: usize> TagSet<D> {
    /// The tags of a region: for each tile with tags its `D` indices, one word each, then its words.
    pub fn words_in(&self, region: &CellBox<D>) -> Vec<u64> {
        let mut words = Vec::new();
        visit_tiles(&self.tiles, &region.intersect(&self.domain), |start, part| {
            let head = words.len();
            words.extend(Tiling::tile_of(part.lo).map(|i| i as u64));
            let (first, mask) = (words.len(), Tiling::row_mask(part));
            words.resize(first + Tiling::<D>::ROWS, 0);
            Tiling::for_each_run(part, |rows, _| {
                let to = &mut words[first + rows.start..first + rows.end];
                to.iter_mut().zip(&self.words[start..][rows]).for_each(|(to, word)| *to = word & mask);
            });
            if words[first..].iter().all(|&word| word == 0) {
                words.truncate(head);
            }
        });
        words
    }

    /// Adds the tags that [`TagSet::words_in`] returned for a set with the same domain.
    pub fn add_words(&mut self, words: &[u64]) {
        let mut added = Vec::new();
        for told in words.chunks_exact(D + Tiling::<D>::ROWS) {
            let (tile, bits) = told.split_at(D);
            let tile: CellIndex<D> = std::array::from_fn(|d| tile[d] as i32);
            match self.tiles.get(&key(tile)) {
                Some(start) => self.words[start..].iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits),
                None => {
                    added.push((key(tile), self.words.len()));
                    self.words.extend(bits);
                }
            }
        }
        self.tiles.add(added);
    }

    /// Removes the tiles for which `take` returns a rank, and returns each rank's tiles as words.
    pub(crate) fn take_tiles(&mut self, take: impl Fn(&CellBox<D>) -> Option<usize>) -> BTreeMap<usize, Vec<u64>> {
        let mut taken: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (cells, words) in self.parts() {
            if words.iter().all(|&word| word == 0) {
                continue;
            }
            if let Some(rank) = take(&cells) {
                let told = taken.entry(rank).or_default();
                told.extend(Tiling::tile_of(cells.lo).map(|i| i as u64));
                told.extend(&*words);
                words.fill(0);
            }
        }
        taken
    }
}
