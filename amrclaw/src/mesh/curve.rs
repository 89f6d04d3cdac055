//! Hilbert's curve through the domain: places that are close along it are close in space.

use crate::index::CellBox;

/// Bits of a place along each axis: those of three axes fit a key.
const BITS: u32 = 21;

/// Where along Hilbert's curve the centre of a box lies, in a domain that has the same extents on every level: one curve goes through
/// the patches of all levels.
///
/// J. Skilling, "Programming the Hilbert curve", 2004, doi:10.1063/1.1751381.
pub(super) fn key_of<const D: usize>(cells: &CellBox<D>, domain: &CellBox<D>) -> u64 {
    hilbert_index::<D>(std::array::from_fn(|d| {
        let twice_centre =
            (i64::from(cells.lo[d]) - i64::from(domain.lo[d])) + (i64::from(cells.hi[d]) - i64::from(domain.lo[d]));
        let size = i64::from(domain.hi[d]) - i64::from(domain.lo[d]);
        ((twice_centre << (BITS - 1)) / size) as u32
    }))
}

/// Position along the curve of a place whose coordinates have [`BITS`] bits. Without branches: levels of a million patches are put in this
/// order.
fn hilbert_index<const D: usize>(mut place: [u32; D]) -> u64 {
    for bit in (1..BITS).rev() {
        let below = (1 << bit) - 1;
        for d in 0..D {
            // All bits set where this one is.
            let is_set = (place[d] >> bit & 1).wrapping_neg();
            let differing = (place[0] ^ place[d]) & below & !is_set;
            place[0] ^= differing | below & is_set;
            place[d] ^= differing;
        }
    }
    for d in 1..D {
        place[d] ^= place[d - 1];
    }
    // Each bit becomes the sum of those above it.
    let mut turned = place[D - 1] >> 1;
    for distance in [1, 2, 4, 8, 16] {
        turned ^= turned >> distance;
    }
    place.into_iter().fold(0, |key, x| key << 1 | spread::<D>(u64::from(x ^ turned)))
}

/// The bits of a coordinate, `D` places apart: halves move apart, then their halves, down to single bits.
fn spread<const D: usize>(bits: u64) -> u64 {
    [16, 8, 4, 2, 1].into_iter().fold(bits, |bits, block| {
        // The first bits of every `D` blocks.
        let mask = (0..BITS).fold(0, |mask, bit| mask | 1 << (bit % block + bit / block * block * D as u32));
        (bits | bits << (block * (D as u32 - 1))) & mask
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a cube of cells around the origin every place has a position of its own, and each next position is a neighbour's.
    fn steps_lead_to_neighbours<const D: usize>(size: i32) {
        let mut cells: Vec<_> = CellBox::new([0; D], [size; D]).cells().collect();
        cells.sort_by_key(|cell| hilbert_index(cell.map(|i| i as u32)));
        for pair in cells.windows(2) {
            let distance: i32 = (0..D).map(|d| (pair[0][d] - pair[1][d]).abs()).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }

    #[test]
    fn the_curve_leads_from_neighbour_to_neighbour() {
        steps_lead_to_neighbours::<1>(64);
        steps_lead_to_neighbours::<2>(16);
        steps_lead_to_neighbours::<3>(8);
    }

    /// A box and the same box on a finer level lie at the same place.
    #[test]
    fn levels_share_the_curve() {
        let (cells, domain) = (CellBox::new([3, 4, 0], [5, 7, 2]), CellBox::new([0, 0, 0], [11, 9, 6]));
        let ratio = crate::index::Ratio([2, 4, 2]);
        assert_eq!(key_of(&cells, &domain), key_of(&cells.fine_from_coarse(ratio), &domain.fine_from_coarse(ratio)));
    }
}
