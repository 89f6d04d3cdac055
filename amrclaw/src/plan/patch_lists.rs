//! One list of items per patch, stored one after another in one array.

use std::ops::Range;

/// Items of all patches, in the order of patches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLists<T> {
    items: Vec<T>,
    /// End of each patch's items.
    ends: Vec<u32>,
}

impl<T> Default for PatchLists<T> {
    fn default() -> Self {
        PatchLists { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> PatchLists<T> {
    /// Empty lists with capacity for `patches` patches of `items` items each: lists that many threads grow at the same time contend
    /// for the allocator.
    pub(super) fn with_capacity(patches: usize, items: usize) -> Self {
        PatchLists { items: Vec::with_capacity(patches * items), ends: Vec::with_capacity(patches) }
    }

    /// Adds an item to the list of the current patch.
    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Ends the list of the current patch.
    pub(crate) fn end_patch(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    /// Removes all items for which `keep` is false.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool)
    where
        T: Copy,
    {
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.ends {
            for n in start..*end as usize {
                if keep(&self.items[n]) {
                    self.items[kept] = self.items[n];
                    kept += 1;
                }
            }
            (start, *end) = (*end as usize, kept as u32);
        }
        self.items.truncate(kept);
    }

    /// Concatenates the lists of consecutive runs of patches.
    pub(crate) fn join<'a>(parts: impl Iterator<Item = &'a Self> + Clone) -> Self
    where
        T: Copy + 'a,
    {
        let (num_items, num_patches) =
            parts.clone().fold((0, 0), |(items, patches), part| (items + part.items.len(), patches + part.ends.len()));
        let mut lists = PatchLists { items: Vec::with_capacity(num_items), ends: Vec::with_capacity(num_patches) };
        for part in parts {
            let start = lists.items.len() as u32;
            lists.items.extend_from_slice(&part.items);
            lists.ends.extend(part.ends.iter().map(|end| start + end));
        }
        lists
    }

    /// Sorts items into the lists of so many patches; items of a patch keep their order.
    pub(crate) fn sorted<'a>(
        items: impl Iterator<Item = &'a T> + Clone,
        num_patches: usize,
        patch: impl Fn(&T) -> u32,
    ) -> Self
    where
        T: Copy + 'a,
    {
        let mut next = vec![0; num_patches + 1];
        items.clone().for_each(|item| next[patch(item) as usize + 1] += 1);
        for k in 1..next.len() {
            next[k] += next[k - 1];
        }
        let ends = next[1..].to_vec();
        let mut sorted: Vec<T> = items.clone().copied().collect();
        for item in items {
            let place = &mut next[patch(item) as usize];
            sorted[*place as usize] = *item;
            *place += 1;
        }
        PatchLists { items: sorted, ends }
    }

    /// Number of patches.
    pub fn num_patches(&self) -> usize {
        self.ends.len()
    }

    /// Where a patch's items lie in [`PatchLists::all`].
    pub fn range(&self, patch: usize) -> Range<usize> {
        let start = if patch == 0 { 0 } else { self.ends[patch - 1] };
        start as usize..self.ends[patch] as usize
    }

    /// Items of a patch.
    pub fn of(&self, patch: usize) -> &[T] {
        &self.items[self.range(patch)]
    }

    /// Items of all patches.
    pub fn all(&self) -> &[T] {
        &self.items
    }

    /// Items of all patches, mutable.
    pub(super) fn all_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorting groups items by patch, keeps the order within a patch and leaves patches without items empty.
    #[test]
    fn sorts_by_patch() {
        let lists = PatchLists::sorted([(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd')].iter(), 4, |item| item.0);
        assert_eq!(lists.all(), [(0, 'b'), (0, 'd'), (2, 'a'), (2, 'c')]);
        assert_eq!((lists.of(0).len(), lists.of(1).len(), lists.range(2), lists.of(3).len()), (2, 0, 2..4, 0));
        assert_eq!(lists.num_patches(), 4);
    }

    /// What is left stays in its patch's list, in its order.
    #[test]
    fn keeps_some() {
        let mut lists = PatchLists::sorted([(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd'), (3, 'e')].iter(), 5, |item| item.0);
        lists.retain(|&(_, letter)| !"be".contains(letter));
        assert_eq!((lists.of(0), lists.of(2)), (&[(0, 'd')][..], &[(2, 'a'), (2, 'c')][..]));
        assert_eq!((lists.all().len(), lists.range(1), lists.range(3), lists.range(4)), (3, 1..1, 3..3, 3..3));
    }
}
