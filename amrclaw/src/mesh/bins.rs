//! A spatial index of boxes: which of many boxes share cells with a region.

use crate::index::{CellBox, CellIndex};

/// Largest number of bins per box, and the number that is always allowed: enough for bins of a box's size in a mostly empty domain.
const BINS_PER_BOX: usize = 8;
const BINS_AT_LEAST: usize = 64;

/// A grid of bins over boxes, each with the boxes that it touches.
///
/// Bins are about as large as the mean box, and larger where boxes are sparse: memory is proportional to the number of boxes and
/// not to the space around them.
#[derive(Clone, Debug)]
pub struct Bins<const D: usize> {
    /// The smallest box around all boxes.
    hull: CellBox<D>,
    /// Binary logarithm of a bin's cells along each axis, and the number of bins.
    log2: [u32; D],
    counts: [usize; D],
    /// `entries[starts[b]..starts[b + 1]]`: the boxes of bin `b`, bins with the first axis fastest. The lowest `D` bits of an
    /// entry say along which axes the box begins in this bin; the others are its number.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl<const D: usize> Bins<D> {
    /// Sorts boxes in bins.
    ///
    /// # Panics
    /// If there are 2³² / 2ᴰ boxes or more.
    pub fn new(boxes: &[CellBox<D>]) -> Self {
        let hull = boxes.iter().fold(CellBox::EMPTY, |hull, b| hull.hull(b));
        let extent = hull.size();
        let mean = |d: usize| boxes.iter().map(|b| b.size()[d] as usize).sum::<usize>() / boxes.len().max(1);
        let mut log2: [u32; D] = std::array::from_fn(|d| mean(d).max(1).next_power_of_two().ilog2());
        let number = |log2: &[u32; D], d: usize| (extent[d] as usize).div_ceil(1 << log2[d]).max(1);
        let enough = BINS_AT_LEAST.max(BINS_PER_BOX * boxes.len());
        while (0..D).map(|d| number(&log2, d)).try_fold(1, usize::checked_mul).is_none_or(|n| n > enough) {
            let most = (0..D).max_by_key(|&d| number(&log2, d)).unwrap_or(0);
            log2[most] += 1;
        }
        let counts = std::array::from_fn(|d| number(&log2, d));
        let mut bins = Bins { hull, log2, counts, starts: Vec::new(), entries: Vec::new() };
        bins.sort_in(boxes);
        bins
    }

    /// Counts each bin's boxes, then puts them in place.
    fn sort_in(&mut self, boxes: &[CellBox<D>]) {
        assert!(boxes.len() >> (32 - D) == 0, "{} boxes have numbers of {} bits", boxes.len(), 32 - D);
        let mut starts = vec![0; self.counts.iter().product::<usize>() + 1];
        for b in boxes {
            self.for_each_bin(b, |bin, _| starts[bin + 1] += 1);
        }
        for bin in 1..starts.len() {
            starts[bin] += starts[bin - 1];
        }
        let mut entries = vec![0; *starts.last().unwrap_or(&0) as usize];
        let mut next = starts.clone();
        for (k, b) in boxes.iter().enumerate() {
            self.for_each_bin(b, |bin, first| {
                entries[next[bin] as usize] = (k as u32) << D | first;
                next[bin] += 1;
            });
        }
        (self.starts, self.entries) = (starts, entries);
    }

    fn bin_of(&self, cell: CellIndex<D>) -> [usize; D] {
        std::array::from_fn(|d| (cell[d] - self.hull.lo[d]) as usize >> self.log2[d])
    }

    /// Calls `visit` for every bin that the region touches, first axis fastest, with the bin's number and with one bit per axis:
    /// set if the bin is the first along that axis.
    #[inline(always)]
    fn for_each_bin(&self, region: &CellBox<D>, mut visit: impl FnMut(usize, u32)) {
        let region = region.intersect(&self.hull);
        if region.is_empty() {
            return;
        }
        let (first, last) = (self.bin_of(region.lo), self.bin_of(region.hi.map(|i| i - 1)));
        let mut bin = first;
        loop {
            let number = (0..D).rev().fold(0, |number, d| number * self.counts[d] + bin[d]);
            visit(number, (0..D).fold(0, |bits, d| bits | u32::from(bin[d] == first[d]) << d));
            let Some(d) = (0..D).find(|&d| bin[d] < last[d]) else { return };
            bin[d] += 1;
            bin[..d].copy_from_slice(&first[..d]);
        }
    }

    /// Calls `visit` once for each box that shares cells with the region, with the box's number and the common cells. `boxes`: the
    /// boxes that the bins were made from.
    #[inline(always)]
    pub fn for_each_in(&self, boxes: &[CellBox<D>], region: &CellBox<D>, mut visit: impl FnMut(usize, CellBox<D>)) {
        let all_axes = (1 << D) - 1;
        self.for_each_bin(region, |bin, first| {
            for &entry in &self.entries[self.starts[bin] as usize..self.starts[bin + 1] as usize] {
                // A box is reported in the bin of the first common cell alone: along each axis the box begins in that bin, or the bin is
                // the region's first.
                if (entry | first) & all_axes != all_axes {
                    continue;
                }
                let k = entry as usize >> D;
                let part = boxes[k].intersect(region);
                if !part.is_empty() {
                    visit(k, part);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every region finds each box that it shares a cell with exactly once, whether boxes overlap or are far apart.
        #[test]
        fn finds_what_a_search_of_all_finds(
            corners in proptest::collection::vec(([-90..90i32, -9..9i32, -9..9i32], [1..40i32, 1..9i32, 1..9i32]), 0..30),
            far in -100_000_000..100_000_000i32,
            query in ([-100..100i32, -12..12i32, -12..12i32], [0..90i32, 0..20i32, 0..20i32]),
        ) {
            let to_box = |(lo, size): &([i32; 3], [i32; 3])| CellBox::new(*lo, std::array::from_fn(|d| lo[d] + size[d]));
            let mut boxes: Vec<_> = corners.iter().map(to_box).collect();
            boxes.push(CellBox::new([far, 3, far], [far + 7, 5, far + 1]));
            let region = to_box(&query);
            let mut found = Vec::new();
            Bins::new(&boxes).for_each_in(&boxes, &region, |k, part| found.push((k, part)));
            found.sort_unstable();
            let parts = boxes.iter().map(|b| b.intersect(&region)).enumerate();
            prop_assert_eq!(found, parts.filter(|(_, part)| !part.is_empty()).collect::<Vec<_>>());
        }
    }

    /// Two boxes at opposite ends of the largest domain need no more bins than two adjacent boxes.
    #[test]
    fn memory_follows_the_boxes() {
        let end = i32::MAX / 2;
        let boxes = [CellBox::new([-end, -end], [1 - end, 1 - end]), CellBox::new([end - 1, end - 1], [end, end])];
        let bins = Bins::new(&boxes);
        assert!(bins.starts.len() <= BINS_AT_LEAST + 1 && bins.entries.len() == 2);
    }
}
