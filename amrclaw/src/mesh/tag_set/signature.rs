//! Signatures: how many cells are tagged in each plane across an axis.

use super::{TagSet, Tiling, visit_tiles};
use crate::index::CellBox;

/// Cells whose tags are worth being counted by two threads.
const CELLS_FOR_A_THREAD: usize = 1 << 17;

impl<const D: usize> TagSet<D> {
    /// Tagged cells of `region` in each plane across `axis`, from `region.lo[axis]` on.
    pub fn signature(&self, region: &CellBox<D>, axis: usize) -> Vec<u32> {
        let [signature] = self.count_planes(region, [axis]);
        signature
    }

    /// The signatures of `region` along all axes.
    pub fn signatures(&self, region: &CellBox<D>) -> [Vec<u32>; D] {
        self.count_planes(region, std::array::from_fn(|d| d))
    }

    /// Counts parts of a large region on several threads.
    fn count_planes<const N: usize>(&self, region: &CellBox<D>, axes: [usize; N]) -> [Vec<u32>; N] {
        let last = D - 1;
        let length = region.size()[last];
        // Cut between tiles: none is visited twice.
        let extent = Tiling::<D>::extent(last) as i32;
        let middle = (region.lo[last] + length / 2 + extent / 2).div_euclid(extent) * extent;
        if region.volume() < CELLS_FOR_A_THREAD || middle <= region.lo[last] || middle >= region.hi[last] {
            return self.count_planes_here(region, axes);
        }
        let (lower, upper) = region.split(last, middle);
        let (mut counts, more) = rayon::join(|| self.count_planes(&lower, axes), || self.count_planes(&upper, axes));
        for ((counts, more), axis) in counts.iter_mut().zip(more).zip(axes) {
            match axis == last {
                true => counts.extend(more),
                false => counts.iter_mut().zip(more).for_each(|(count, more)| *count += more),
            }
        }
        counts
    }

    fn count_planes_here<const N: usize>(&self, region: &CellBox<D>, axes: [usize; N]) -> [Vec<u32>; N] {
        let size = region.size();
        let mut signatures = axes.map(|axis| vec![0; size[axis] as usize]);
        visit_tiles(&self.tiles, &region.intersect(&self.domain), |start, part| {
            let mask = Tiling::row_mask(part);
            let length = (part.hi[0] - part.lo[0]) as u32;
            let mut columns = ColumnCounter::default();
            // Rows are mostly empty or full.
            let mut full_rows = 0;
            Tiling::for_each_row(part, |row, cell| {
                let bits = self.words[start + row] & mask;
                if bits == 0 {
                    return;
                }
                let count = if bits == mask { length } else { bits.count_ones() };
                for (signature, &axis) in signatures.iter_mut().zip(&axes) {
                    if axis > 0 {
                        signature[(cell[axis] - region.lo[axis]) as usize] += count;
                    } else if bits == mask {
                        full_rows += 1;
                    } else {
                        columns.add(bits);
                    }
                }
            });
            let first = (part.lo[0] - region.lo[0]) as usize;
            for (signature, _) in signatures.iter_mut().zip(&axes).filter(|(_, axis)| **axis == 0) {
                let columns_here = &mut signature[first..first + length as usize];
                columns_here.iter_mut().for_each(|count| *count += full_rows);
                columns.add_to(columns_here, part.lo[0] as u32 & 63);
            }
        });
        signatures
    }
}

/// Counts, for each of 64 bit positions, in how many words the bit is set.
///
/// The counts are kept bit-sliced: word `k` holds bit `k` of all 64 of them, so that a word is added with about two
/// operations. A tile has at most 64 rows, so seven bits are enough.
#[derive(Default)]
struct ColumnCounter {
    planes: [u64; 7],
}

impl ColumnCounter {
    fn add(&mut self, bits: u64) {
        let mut carry = bits;
        for plane in &mut self.planes {
            let sum = *plane ^ carry;
            carry &= *plane;
            *plane = sum;
            if carry == 0 {
                return;
            }
        }
    }

    /// Adds how often each bit was set, bit `first` to the first of `counts`.
    fn add_to(&self, counts: &mut [u32], first: u32) {
        for (k, plane) in self.planes.iter().enumerate().filter(|(_, plane)| **plane != 0) {
            let plane = plane >> first;
            for (bit, count) in counts.iter_mut().enumerate() {
                *count += ((plane >> bit & 1) as u32) << k;
            }
        }
    }
}
