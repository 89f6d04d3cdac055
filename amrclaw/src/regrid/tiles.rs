//! Covering tags with aligned tiles: if any cell of a tile is tagged, the whole tile is refined.
//!
//! Tiles that follow one another along the Morton curve (G. M. Morton 1966: bits of the indices interleaved) are joined to larger boxes,
//! level by level in the binary tree that the curve traverses. Aligned tiles need more cells than Berger & Rigoutsos' cuts, but their
//! boxes do not change while features move within a tile.

use crate::index::{CellBox, CellIndex, Ratio};
use crate::mesh::TagSet;

/// Disjoint boxes of whole tiles, `size` cells along every axis, counted from cell 0 and cut off at the domain's sides, that hold
/// all tags. Every tile in them holds a tag; the order depends on the tags alone.
///
/// A node of the curve's tree is a box of `2^k` tiles; it becomes one box if all its tiles hold tags. If its extents differ, those
/// of the first axes are the longer ones: rows along x stay long.
pub fn tiles<const D: usize>(tags: &TagSet<D>, size: i32) -> Vec<CellBox<D>> {
    assert!(size >= 1, "tiles cannot be smaller than one cell: {size}");
    let tile = Ratio([size; D]);
    let tagged = tags.coarse_from_fine(tile);
    let first = tagged.domain().lo;
    let mut keys: Vec<u128> = tagged.iter().map(|cell| key_of(cell, first)).collect();
    keys.sort_unstable();
    let mut nodes: Vec<Node> = Vec::with_capacity(keys.len());
    for key in keys {
        let mut node = Node { key, log2: 0 };
        while nodes.last().is_some_and(|before| before.is_first_half_beside(&node)) {
            node = Node { key: nodes.pop().expect("there is one").key, log2: node.log2 + 1 };
        }
        nodes.push(node);
    }
    let boxes = nodes.iter().map(|node| node.tiles(first).fine_from_coarse(tile).intersect(tags.domain()));
    boxes.collect()
}

/// The tiles whose keys share all bits but the `log2` lowest.
#[derive(Clone, Copy)]
struct Node {
    /// The first tile's.
    key: u128,
    log2: u32,
}

impl Node {
    /// True if the two are the halves of the next larger node, this one its first half.
    fn is_first_half_beside(&self, second: &Node) -> bool {
        self.log2 == second.log2 && self.key ^ second.key == 1 << self.log2
    }

    /// The node's tiles, if the first tile of all is `first`.
    fn tiles<const D: usize>(&self, first: CellIndex<D>) -> CellBox<D> {
        let lo = std::array::from_fn(|d| first[d] + coordinate::<D>(self.key, d));
        // Bits 0, D, 2 D, … are the first axis'.
        let halvings = |d: usize| (self.log2 as usize + D - 1 - d) / D;
        CellBox::new(lo, std::array::from_fn(|d| lo[d] + (1 << halvings(d))))
    }
}

/// Position of a tile along the curve that begins at `first`: the interleaved bits of its indices, the first axis in the lowest bit.
fn key_of<const D: usize>(tile: CellIndex<D>, first: CellIndex<D>) -> u128 {
    let place: [u32; D] = std::array::from_fn(|d| tile[d].wrapping_sub(first[d]) as u32);
    let bits = (0..u32::BITS).rev().flat_map(|bit| (0..D).rev().map(move |d| (bit, d)));
    bits.fold(0, |key, (bit, d)| key << 1 | u128::from(place[d] >> bit & 1))
}

/// Index along axis `d` of the tile with a key.
fn coordinate<const D: usize>(key: u128, d: usize) -> i32 {
    (0..u32::BITS).fold(0, |place, bit| place | ((key >> (bit as usize * D + d) & 1) as i32) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A full square of tiles is one box, whatever is beside it; two tiles that are neighbours along x are a node, along y they are not.
    #[test]
    fn full_nodes_are_one_box() {
        let mut tags = TagSet::new(CellBox::new([0, 0], [40, 40]));
        // One cell in each of the tiles (0, 0) to (3, 3), of 4 cells along each axis, then (4, 0) and (5, 0), then (0, 4) and (0, 5).
        CellBox::new([0, 0], [4, 4]).cells().for_each(|tile| tags.insert([4 * tile[0] + 3, 4 * tile[1]]));
        [[16, 0], [23, 3], [1, 16], [1, 20]].into_iter().for_each(|cell| tags.insert(cell));
        let expected = [([0, 0], [16, 16]), ([16, 0], [24, 4]), ([0, 16], [4, 20]), ([0, 20], [4, 24])];
        assert_eq!(tiles(&tags, 4), expected.map(|(lo, hi)| CellBox::new(lo, hi)));
    }

    /// Tiles are cut off at the domain's sides, and joined nevertheless.
    #[test]
    fn the_domain_bounds_the_boxes() {
        let domain = CellBox::new([-3, 1, 0], [11, 9, 5]);
        let mut tags = TagSet::new(domain);
        tags.insert_boxes(&[domain]);
        // Tiles -1 and 0 along x.
        assert_eq!(tiles(&tags, 16), [domain]);
        assert_eq!(tiles(&TagSet::new(domain), 3), []);
    }

    /// Boxes are disjoint, cover exactly the tiles with tags, and no two of them are the halves of a node.
    fn check<const D: usize>(
        cells: &[[i32; 3]],
        lo: [i32; 3],
        extent: [i32; 3],
        size: i32,
    ) -> Result<(), TestCaseError> {
        let lo: [i32; D] = std::array::from_fn(|d| lo[d]);
        let domain = CellBox::new(lo, std::array::from_fn(|d| lo[d] + extent[d]));
        let mut tags = TagSet::new(domain);
        cells.iter().for_each(|cell| tags.insert(std::array::from_fn(|d| lo[d] + cell[d])));
        let tile_of = |cell: [i32; D]| cell.map(|i| i.div_euclid(size));
        let tagged: BTreeSet<_> = tags.iter().map(tile_of).collect();
        let boxes = tiles(&tags, size);
        let covered: Vec<_> = boxes.iter().flat_map(|b| b.cells()).collect();
        let expected: Vec<_> = domain.cells().filter(|&cell| tagged.contains(&tile_of(cell))).collect();
        prop_assert_eq!(covered.len(), expected.len(), "boxes overlap, or tiles are missing");
        prop_assert_eq!(covered.into_iter().collect::<BTreeSet<_>>(), expected.into_iter().collect());
        for pair in boxes.windows(2) {
            let hull = pair[0].hull(&pair[1]);
            let first = tile_of(domain.lo);
            let in_tiles = |b: &CellBox<D>| -> [i32; D] {
                std::array::from_fn(|d| (b.hi[d] - 1).div_euclid(size) - b.lo[d].div_euclid(size) + 1)
            };
            let (count, halves) = (in_tiles(&hull), pair.iter().map(in_tiles).collect::<Vec<_>>());
            let node = halves[0] == halves[1]
                && hull.volume() == pair[0].volume() + pair[1].volume()
                && (0..D).all(|d| count[d].count_ones() == 1 && (tile_of(hull.lo)[d] - first[d]) % count[d] == 0)
                && count.windows(2).all(|n| n[0] == n[1] || n[0] == 2 * n[1])
                && count[0] <= 2 * count[D - 1];
            prop_assert!(!node, "{:?} could be one box", pair);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn boxes_are_the_tagged_tiles(
            cells in prop::collection::vec([0..60i32, 0..40i32, 0..9i32], 0..60), size in 1..9i32,
            lo in [-20..20i32, -20..20i32, -20..20i32],
        ) {
            check::<1>(&cells, lo, [61, 41, 9], size)?;
            check::<2>(&cells, lo, [61, 41, 9], size)?;
            check::<3>(&cells, lo, [61, 41, 9], size)?;
        }
    }
}
