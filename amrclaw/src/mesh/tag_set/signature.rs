//! Signatures: how many cells are tagged in each plane across an axis.

use super::{TagSet, Tiling, visit_tiles};
use crate::index::CellBox;

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

    fn count_planes<const N: usize>(&self, region: &CellBox<D>, axes: [usize; N]) -> [Vec<u32>; N] {
        let size = region.size();
        let mut signatures = axes.map(|axis| vec![0; size[axis] as usize]);
        visit_tiles(&self.tiles, &region.intersect(&self.domain), |start, part| {
            let mask = Tiling::row_mask(part);
            let mut columns = ColumnCounter::default();
            Tiling::for_each_row(part, |row, cell| {
                let bits = self.words[start + row] & mask;
                if bits == 0 {
                    return;
                }
                for (signature, &axis) in signatures.iter_mut().zip(&axes) {
                    if axis == 0 {
                        columns.add(bits);
                    } else {
                        signature[(cell[axis] - region.lo[axis]) as usize] += bits.count_ones();
                    }
                }
            });
            let origin = part.lo[0] & !63;
            for (signature, _) in signatures.iter_mut().zip(&axes).filter(|(_, axis)| **axis == 0) {
                columns.for_each(|bit, count| signature[(origin + bit - region.lo[0]) as usize] += count);
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

    /// Calls `visit` with every bit that was set at least once, and how often.
    fn for_each(&self, mut visit: impl FnMut(i32, u32)) {
        let mut seen = self.planes.iter().fold(0, |seen, plane| seen | plane);
        while seen != 0 {
            let bit = seen.trailing_zeros();
            let count = self.planes.iter().enumerate().map(|(k, plane)| ((plane >> bit & 1) as u32) << k).sum();
            visit(bit as i32, count);
            seen &= seen - 1;
        }
    }
}
