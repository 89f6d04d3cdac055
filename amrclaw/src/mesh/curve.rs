//! The Hilbert curve through the domain: points that are close along the curve are close in space.

use crate::index::CellBox;

/// Bits of a point's coordinate along each axis: three coordinates fit in one key.
const BITS: u32 = 21;

/// Boxes whose keys are computed together: as many numbers as a vector register holds.
pub(super) const LANES: usize = 8;

/// Positions along the Hilbert curve of the centres of up to [`LANES`] boxes. The curve is scaled to the domain, so that all levels share it.
///
/// J. Skilling, "Programming the Hilbert curve", 2004, doi:10.1063/1.1751381.
pub(super) fn keys_of<const D: usize>(boxes: &[CellBox<D>], domain: &CellBox<D>) -> [u64; LANES] {
    hilbert_indices::<D>(std::array::from_fn(|d| {
        let (lo, size) = (i64::from(domain.lo[d]), i64::from(domain.hi[d]) - i64::from(domain.lo[d]));
        std::array::from_fn(|n| {
            let twice_centre = boxes.get(n).map_or(0, |cells| i64::from(cells.lo[d]) + i64::from(cells.hi[d]) - 2 * lo);
            ((twice_centre << (BITS - 1)) / size) as u32
        })
    }))
}

/// Positions along the curve of points whose coordinates have [`BITS`] bits.
fn hilbert_indices<const D: usize>(mut places: [[u32; LANES]; D]) -> [u64; LANES] {
    for bit in (1..BITS).rev() {
        let below = (1 << bit) - 1;
        for d in 0..D {
            for n in 0..LANES {
                // All bits set where this one is.
                let is_set = (places[d][n] >> bit & 1).wrapping_neg();
                let differing = (places[0][n] ^ places[d][n]) & below & !is_set;
                places[0][n] ^= differing | below & is_set;
                places[d][n] ^= differing;
            }
        }
    }
    for d in 1..D {
        let before = places[d - 1];
        places[d].iter_mut().zip(before).for_each(|(x, before)| *x ^= before);
    }
    // Each bit becomes the exclusive or of all bits above it.
    let mut turned = places[D - 1].map(|x| x >> 1);
    for distance in [1, 2, 4, 8, 16] {
        turned.iter_mut().for_each(|x| *x ^= *x >> distance);
    }
    let mut keys = [0; LANES];
    for along in places {
        for n in 0..LANES {
            keys[n] = keys[n] << 1 | Apart::<D>::spread(along[n] ^ turned[n]);
        }
    }
    keys
}

/// Spreads the bits of a coordinate so that the bits of `D` axes can be interleaved: first halves move apart, then quarters, down to
/// single bits.
struct Apart<const D: usize>;

/// Bits that stay together in each pass.
const BLOCKS: [u32; 5] = [16, 8, 4, 2, 1];

impl<const D: usize> Apart<D> {
    /// Positions of the bits after each pass.
    const MASKS: [u64; BLOCKS.len()] = {
        let mut masks = [0; BLOCKS.len()];
        let mut k = 0;
        while k < BLOCKS.len() {
            let mut bit = 0;
            while bit < BITS {
                masks[k] |= 1 << (bit % BLOCKS[k] + bit / BLOCKS[k] * BLOCKS[k] * D as u32);
                bit += 1;
            }
            k += 1;
        }
        masks
    };

    fn spread(bits: u32) -> u64 {
        let turns = BLOCKS.into_iter().zip(Self::MASKS);
        turns.fold(u64::from(bits), |bits, (block, mask)| (bits | bits << (block * (D as u32 - 1))) & mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a cube of cells at the origin, consecutive cells along the curve are neighbours.
    fn steps_lead_to_neighbours<const D: usize>(size: i32) {
        let mut cells: Vec<_> = CellBox::new([0; D], [size; D]).cells().collect();
        // The other lanes hold other cells, whose keys are ignored.
        cells.sort_by_key(|cell| hilbert_indices(cell.map(|i| std::array::from_fn(|n| (i + n as i32) as u32)))[0]);
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
        let found = keys_of(&[cells, domain], &domain);
        let fine = [cells, domain].map(|cells| cells.fine_from_coarse(ratio));
        assert_eq!(found, keys_of(&fine, &fine[1]));
        // Each lane has its own box.
        let one_by_one = [cells, domain].map(|cells| keys_of(&[cells], &domain)[0]);
        assert_eq!(found[..2], one_by_one);
        assert_ne!(found[0], found[1]);
    }
}
