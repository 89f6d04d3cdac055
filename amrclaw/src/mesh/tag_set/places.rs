//! Where the words of each tile begin.

/// A sorted map from `tiling::key` to a tile's first word: fast to iterate over, and built from sorted keys at no cost.
#[derive(Clone, Default)]
pub(super) struct Places<const D: usize> {
    sorted: Vec<([i32; D], usize)>,
}

impl<const D: usize> Places<D> {
    /// From keys in order.
    pub fn from_sorted(places: impl Iterator<Item = ([i32; D], usize)>) -> Self {
        let sorted: Vec<_> = places.collect();
        debug_assert!(sorted.is_sorted_by(|a, b| a.0 < b.0));
        Places { sorted }
    }

    fn find(&self, key: &[i32; D]) -> Result<usize, usize> {
        self.sorted.binary_search_by(|place| place.0.cmp(key))
    }

    /// The place of a tile, if it exists.
    pub fn get(&self, key: &[i32; D]) -> Option<usize> {
        self.find(key).ok().map(|n| self.sorted[n].1)
    }

    /// The place of a tile, which is `new` if it did not exist.
    pub fn get_or_insert(&mut self, key: [i32; D], new: usize) -> usize {
        match self.find(&key) {
            Ok(n) => self.sorted[n].1,
            Err(n) => {
                self.sorted.insert(n, (key, new));
                new
            }
        }
    }

    /// Adds places of tiles that have none.
    pub fn add(&mut self, places: Vec<([i32; D], usize)>) {
        if !places.is_empty() {
            self.sorted.extend(places);
            self.sorted.sort_unstable_by_key(|place| place.0);
        }
    }

    /// All, in order.
    pub fn all(&self) -> &[([i32; D], usize)] {
        &self.sorted
    }

    /// Those from a key on, in order.
    pub fn starting_at(&self, key: &[i32; D]) -> &[([i32; D], usize)] {
        &self.sorted[self.sorted.partition_point(|place| place.0 < *key)..]
    }
}
