//! Widening tags, so that features stay on fine patches until the next regrid.

use super::{TagSet, Tiling};
use crate::index::{CellBox, CellIndex, Repeats};
use std::borrow::Cow;

/// Tags every cell within `width` cells (maximum norm) of a tag.
///
/// The result is cut to the domain; where this repeats it wraps around instead. The maximum norm makes the widening
/// separable: one pass per axis, each with a logarithmic number of word operations.
pub fn buffer<const D: usize>(tags: &TagSet<D>, width: i32, repeats: impl Into<Repeats<D>>) -> TagSet<D> {
    assert!(width >= 0, "tags cannot be buffered by {width} cells");
    if width == 0 {
        return tags.clone();
    }
    let (size, repeats) = (tags.domain().size(), repeats.into());
    // Widening by the axis' length already reaches all its cells, so that one periodic image on either side is enough.
    let widths = size.map(|size| width.min(size));
    let images: [i32; D] = std::array::from_fn(|d| if repeats.axes[d] { widths[d] } else { 0 });
    let mut wide = Cow::Borrowed(tags);
    if images != [0; D] {
        wide = Cow::Owned(with_images(tags, images, repeats));
    }
    for axis in 0..D {
        let mut left = widths[axis];
        while left > 0 {
            let step = left.min(Tiling::<D>::extent(axis) as i32);
            wide = Cow::Owned(widen_axis(&wide, axis, step as usize));
            left -= step;
        }
    }
    if images == [0; D] {
        return wide.into_owned();
    }
    let mut inside = TagSet::new(*tags.domain());
    inside.union(&wide);
    inside
}

/// The tags on a domain with `images[d]` more cells on both sides along axis `d`, filled with the tags that these stand for.
fn with_images<const D: usize>(tags: &TagSet<D>, images: [i32; D], repeats: Repeats<D>) -> TagSet<D> {
    let domain = *tags.domain();
    let size = domain.size();
    let mut padded = TagSet::new(domain.grow_by(images));
    padded.union(tags);
    let periods = CellBox::new(images.map(|n| -i32::from(n > 0)), images.map(|n| 1 + i32::from(n > 0)));
    for period in periods.cells().filter(|period| *period != [0; D]) {
        let shift = repeats.shift(period, size);
        let source = shift.source_box(padded.domain()).intersect(&domain);
        if shift.turned {
            // The same the other way round.
            tags.iter().filter(|cell| source.contains(*cell)).for_each(|cell| padded.insert(shift.source(cell)));
            continue;
        }
        tags.for_each_word(&source, |origin, bits| {
            padded.insert_row(std::array::from_fn(|d| origin[d] + shift.by[d]), bits);
        });
    }
    padded
}

/// Widens tags by `step` cells both ways along one axis; `step` is at most a tile's extent, so that a tile reaches
/// only its neighbours.
fn widen_axis<const D: usize>(tags: &TagSet<D>, axis: usize, step: usize) -> TagSet<D> {
    let mut tiles = Vec::new();
    for (tile, _) in tags.tiles().filter(|(_, words)| words.iter().any(|&w| w != 0)) {
        tiles.extend([-1, 0, 1].map(|side| beside(tile, axis, side)));
    }
    let nothing = [0; 64];
    TagSet::from_tiles(*tags.domain(), tiles, &|tile, words| {
        let near = [-1, 0, 1].map(|side| tags.tile(beside(tile, axis, side)).unwrap_or(&nothing[..words.len()]));
        if axis == 0 { widen_rows(near, step, words) } else { widen_over_rows::<D>(near, axis, step, words) }
    })
}

fn beside<const D: usize>(mut tile: CellIndex<D>, axis: usize, side: i32) -> CellIndex<D> {
    tile[axis] += side;
    tile
}

/// Widens the rows of a tile along x. `near`: the tile before it, it, and the tile after it.
fn widen_rows([before, here, after]: [&[u64]; 3], step: usize, wide: &mut [u64]) {
    let step = step as u32;
    for (((wide, &before), &here), &after) in wide.iter_mut().zip(before).zip(here).zip(after) {
        *wide = spread(here, step);
        // The last tag before the row and the first one after it reach the farthest.
        *wide |= u64::MAX.checked_shr(64 + before.leading_zeros() - step).unwrap_or(0);
        *wide |= u64::MAX.checked_shl(64 + after.trailing_zeros() - step).unwrap_or(0);
    }
}

/// Widens the bits of a word by `step` both ways.
fn spread(bits: u64, step: u32) -> u64 {
    if bits == 0 || bits == u64::MAX {
        return bits;
    }
    let (mut up, mut down) = (bits, bits);
    for shift in doublings(step as usize) {
        up |= up.checked_shl(shift as u32).unwrap_or(0);
        down |= down.checked_shr(shift as u32).unwrap_or(0);
    }
    up | down
}

/// Widens a tile along an axis across its rows. `near`: the words of the tile below, of this one, and of the one above.
fn widen_over_rows<const D: usize>(near: [&[u64]; 3], axis: usize, step: usize, wide: &mut [u64]) {
    let (extent, stride) = (Tiling::<D>::extent(axis), Tiling::<D>::stride(axis));
    let length = extent + 2 * step;
    for line in (0..wide.len()).filter(|row| row / stride % extent == 0) {
        // Row `r` of the tile is entry `r + step`; two arrays take turns.
        let (mut rows, mut next) = ([0; 3 * 64], [0; 3 * 64]);
        for (r, entry) in rows[..length].iter_mut().enumerate() {
            let place = r + extent - step;
            *entry = near[place / extent][line + place % extent * stride];
        }
        for shift in doublings(2 * step) {
            next[..shift].copy_from_slice(&rows[..shift]);
            let shifted = rows[shift..length].iter().zip(&rows[..length - shift]);
            next[shift..length].iter_mut().zip(shifted).for_each(|(next, (a, b))| *next = a | b);
            std::mem::swap(&mut rows, &mut next);
        }
        for r in 0..extent {
            wide[line + r * stride] = rows[r + 2 * step];
        }
    }
}

/// Shifts whose successive "or" covers all shifts from 0 to `width`: 1, 2, 4 … and what is left.
fn doublings(width: usize) -> impl Iterator<Item = usize> {
    let mut covered = 0;
    std::iter::from_fn(move || {
        let shift = (covered + 1).min(width - covered);
        covered += shift;
        (shift > 0).then_some(shift)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::wrap_into_domain;
    use proptest::prelude::*;

    /// Cells of the domain that some tag reaches, by trying all images of all tags.
    fn buffer_by_search<const D: usize>(tags: &TagSet<D>, width: i32, periodic: [bool; D]) -> TagSet<D> {
        let domain = *tags.domain();
        let size = domain.size();
        let near = |a: CellIndex<D>, b: CellIndex<D>| {
            (0..D).all(|d| {
                let distance = (a[d] - b[d]).abs();
                distance <= width || periodic[d] && size[d] - distance <= width
            })
        };
        let mut wide = TagSet::new(domain);
        domain.cells().filter(|&cell| tags.iter().any(|tag| near(cell, tag))).for_each(|cell| wide.insert(cell));
        wide
    }

    fn check<const D: usize>(
        domain: CellBox<D>,
        cells: &[CellIndex<D>],
        width: i32,
        periodic: [bool; D],
    ) -> Result<(), TestCaseError> {
        let mut tags = TagSet::new(domain);
        for cell in cells {
            tags.insert(std::array::from_fn(|d| domain.lo[d] + cell[d].rem_euclid(domain.size()[d])));
        }
        prop_assert_eq!(buffer(&tags, width, periodic), buffer_by_search(&tags, width, periodic));
        Ok(())
    }

    /// Beyond folded sides too, whatever the width: a cell gets a tag from the cells that those around it stand for.
    #[test]
    fn widens_across_folded_sides() {
        let (domain, repeats) = (CellBox::new([0, 0], [70, 9]), Repeats { axes: [true; 2], folded: Some(1) });
        for (cell, width) in [([3, 0], 1), ([69, 8], 3), ([34, 2], 4), ([0, 4], 12), ([35, 0], 2)] {
            let mut tags = TagSet::new(domain);
            tags.insert(cell);
            let mut expected = TagSet::new(domain);
            for around in CellBox::cell(cell).grow(width).cells() {
                expected.insert(repeats.shift(repeats.turn(around, domain.hi), domain.hi).source(around));
            }
            assert_eq!(buffer(&tags, width, repeats), expected, "{cell:?}, {width}");
            let mut wrapped = TagSet::new(domain);
            wrapped.insert_boxes(&wrap_into_domain(&CellBox::cell(cell).grow(width), &domain, repeats));
            assert_eq!(wrapped, expected, "{cell:?}, {width}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Widening agrees with a search over all pairs: widths below, at and above a tile, a domain or a
        /// period, domains that start and end inside of tiles.
        #[test]
        fn agrees_with_search_1d(lo in -200..200i32, n in 1..300i32, width in 0..200i32, periodic: bool,
                                 cells in prop::collection::vec(any::<[i16; 1]>(), 0..5)) {
            check(CellBox::new([lo], [lo + n]), &cells.iter().map(|c| c.map(i32::from)).collect::<Vec<_>>(), width, [periodic])?;
        }

        #[test]
        fn agrees_with_search_2d(lo: [i8; 2], n in [1..140i32, 1..140i32], width in 0..80i32, periodic: [bool; 2],
                                 cells in prop::collection::vec(any::<[i16; 2]>(), 0..5)) {
            let lo = lo.map(i32::from);
            let domain = CellBox::new(lo, [lo[0] + n[0], lo[1] + n[1]]);
            check(domain, &cells.iter().map(|c| c.map(i32::from)).collect::<Vec<_>>(), width, periodic)?;
        }

        #[test]
        fn agrees_with_search_3d(lo: [i8; 3], n in [1..70i32, 1..20i32, 1..20i32], width in 0..20i32, periodic: [bool; 3],
                                 cells in prop::collection::vec(any::<[i16; 3]>(), 0..5)) {
            let lo = lo.map(i32::from);
            let domain = CellBox::new(lo, std::array::from_fn(|d| lo[d] + n[d]));
            check(domain, &cells.iter().map(|c| c.map(i32::from)).collect::<Vec<_>>(), width, periodic)?;
        }
    }

    /// Proves that the work follows the tags and not the index space: 500 000² cells would be 31 GB of bits.
    #[test]
    fn deep_levels_cost_only_their_tags() {
        let domain = CellBox::new([0, 0], [500_000, 500_000]);
        let mut tags = TagSet::new(domain);
        tags.insert([0, 499_999]);
        tags.insert([250_000, 3]);
        let wide = buffer(&tags, 4, [true, true]);
        assert_eq!(wide.count(), 2 * 81);
        assert!(wide.contains([499_996, 3]) && wide.contains([250_004, 499_999]));
    }
}
