//! Fitting clustered boxes: to the largest patch size, into the next coarser level, around the next finer level.
//!
//! A level is properly nested if each of its patches, grown by the nesting width, lies in the next coarser level or beyond
//! non-periodic sides of the domain: no patch is adjacent to a level more than one coarser.

mod level_nesting;

pub use level_nesting::LevelNesting;

use crate::index::{CellBox, Ratio, Repeats, wrap_into_domain};
use crate::mesh::TagSet;
use rayon::prelude::*;

/// Boxes per parallel task.
const BOXES_AT_A_TIME: usize = 64;

/// Cuts boxes into the fewest pieces of nearly equal size that are at most `max_size[d]` cells long along axis `d`.
pub fn split_to_size<const D: usize>(boxes: &[CellBox<D>], max_size: [i32; D]) -> Vec<CellBox<D>> {
    assert!(max_size.iter().all(|&n| n >= 1), "boxes cannot be split to {max_size:?} cells");
    let mut split = Vec::with_capacity(boxes.len());
    for whole in boxes {
        let size = whole.size();
        if (0..D).all(|d| size[d] <= max_size[d]) {
            split.push(*whole);
            continue;
        }
        let counts = CellBox::new([0; D], std::array::from_fn(|d| (size[d] + max_size[d] - 1) / max_size[d]));
        // In 64 bits: a length times a number of pieces can overflow an index.
        let cut = |d: usize, k: i32| whole.lo[d] + (i64::from(size[d]) * i64::from(k) / i64::from(counts.hi[d])) as i32;
        split.extend(counts.cells().map(|piece| {
            CellBox::new(std::array::from_fn(|d| cut(d, piece[d])), std::array::from_fn(|d| cut(d, piece[d] + 1)))
        }));
    }
    split
}

/// Replaces boxes that do not nest by smaller ones that do and hold the same tags; disjoint if `boxes` are.
///
/// A box that does not nest is cut, the parts are shrunk to their tags, and so on; pieces that make up a box that nests
/// are joined afterwards. `nests` must hold for every box inside one for which it holds, and for each tagged cell:
/// remove other tags first, see [`LevelNesting::clip`].
pub fn enforce<const D: usize>(
    boxes: &[CellBox<D>],
    tags: &TagSet<D>,
    nests: impl Fn(&CellBox<D>) -> bool + Sync,
) -> Vec<CellBox<D>> {
    let nested = |boxes: &[CellBox<D>]| {
        let mut nested = Vec::with_capacity(boxes.len());
        for whole in boxes {
            match nests(whole) {
                true => nested.push(*whole),
                false => nested.extend(nested_pieces(whole, tags, &nests)),
            }
        }
        nested
    };
    boxes.par_chunks(BOXES_AT_A_TIME).map(nested).collect::<Vec<_>>().concat()
}

/// Boxes that nest and together hold the tags of a box that does not nest.
fn nested_pieces<const D: usize>(
    whole: &CellBox<D>,
    tags: &TagSet<D>,
    nests: &impl Fn(&CellBox<D>) -> bool,
) -> Vec<CellBox<D>> {
    let mut pieces = Vec::new();
    let mut pending = vec![tags.bounding_box_in(whole)];
    while let Some(piece) = pending.pop() {
        if piece.is_empty() {
            continue;
        }
        if nests(&piece) {
            pieces.push(piece);
            continue;
        }
        assert!(piece.volume() > 1, "the tagged cell {:?} does not nest: clip tags before clustering", piece.lo);
        let (axis, at) = nested_end(&piece, nests).unwrap_or_else(|| {
            let axis = piece.longest_axis();
            (axis, piece.lo[axis] + piece.size()[axis] / 2)
        });
        let (lower, upper) = piece.split(axis, at);
        pending.extend([tags.bounding_box_in(&upper), tags.bounding_box_in(&lower)]);
    }
    join(&mut pieces, nests);
    pieces
}

/// The cut, an axis and a cell, that separates the largest nesting part at an end of a box; `None` if that part has less
/// than a quarter of the cells, since bisection then gives fewer and more compact pieces.
fn nested_end<const D: usize>(piece: &CellBox<D>, nests: &impl Fn(&CellBox<D>) -> bool) -> Option<(usize, i32)> {
    let size = piece.size();
    let mut best = None;
    // Among equal parts, takes the cut across the last axis: rows along x stay long.
    for axis in 0..D {
        let lower_end = longest(size[axis], |n| nests(&piece.split(axis, piece.lo[axis] + n).0));
        let upper_end = longest(size[axis], |n| nests(&piece.split(axis, piece.hi[axis] - n).1));
        let at = if lower_end >= upper_end { piece.lo[axis] + lower_end } else { piece.hi[axis] - upper_end };
        let share = f64::from(lower_end.max(upper_end)) / f64::from(size[axis]);
        if share >= best.map_or(0.25, |(largest, _)| largest) {
            best = Some((share, (axis, at)));
        }
    }
    best.map(|(_, cut)| cut)
}

/// The largest length below `end` for which `fine` holds, assuming that it holds for all shorter ones; 0 if there is none.
fn longest(end: i32, fine: impl Fn(i32) -> bool) -> i32 {
    let (mut longest, mut too_long) = (0, end);
    while longest + 1 < too_long {
        let middle = longest + (too_long - longest) / 2;
        *if fine(middle) { &mut longest } else { &mut too_long } = middle;
    }
    longest
}

/// Joins pairs of disjoint boxes whose union is a box that nests, until there are no such pairs.
fn join<const D: usize>(pieces: &mut Vec<CellBox<D>>, nests: &impl Fn(&CellBox<D>) -> bool) {
    let mut first = 0;
    while first < pieces.len() {
        let partner = (first + 1..pieces.len()).find(|&second| {
            let hull = pieces[first].hull(&pieces[second]);
            hull.volume() == pieces[first].volume() + pieces[second].volume() && nests(&hull)
        });
        match partner {
            Some(second) => {
                pieces[first] = pieces[first].hull(&pieces[second]);
                pieces.swap_remove(second);
                // The larger box may form a pair with a box that was skipped.
                first = 0;
            }
            None => first += 1,
        }
    }
}

/// Tags level `l` so that a level `l + 1` built on the tags surrounds the patches of level `l + 2`.
///
/// `boxes_fine` are the patches of level `l + 2` in its own cells, `ratio_fine` the ratio from level `l + 1` to
/// `l + 2`, `ratio` the one from level `l` to `l + 1`. Each box is coarsened to level `l + 1`, grown by `nesting_width`
/// cells of that level, coarsened again, grown by `room` cells of level `l` and tagged; it wraps around along periodic
/// axes and is cut at walls.
pub fn project<const D: usize>(
    boxes_fine: &[CellBox<D>],
    [ratio, ratio_fine]: [Ratio<D>; 2],
    nesting_width: i32,
    room: i32,
    tags: &mut TagSet<D>,
    repeats: impl Into<Repeats<D>>,
) {
    let (repeats, mut beneath) = (repeats.into(), Vec::with_capacity(boxes_fine.len()));
    for fine in boxes_fine {
        let surrounded = fine.coarse_from_fine(ratio_fine).grow(nesting_width);
        let region = surrounded.coarse_from_fine(ratio).grow(room);
        match tags.domain().contains_box(&region) {
            true => beneath.push(region),
            false => beneath.extend(wrap_into_domain(&region, tags.domain(), repeats)),
        }
    }
    tags.insert_boxes(&beneath);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces differ by at most one cell, and there are as few as possible: 600 cells in pieces of at most 256 make three of
    /// 200, where bisection would make four.
    #[test]
    fn splits_into_equal_pieces() {
        let pieces = split_to_size(&[CellBox::new([-7, 5], [593, 12])], [256, 4]);
        assert_eq!(pieces.len(), 3 * 2);
        assert!(pieces.iter().all(|p| p.size()[0] == 200 && [3, 4].contains(&p.size()[1])));
        assert_eq!(pieces[0], CellBox::new([-7, 5], [193, 8]));
        assert_eq!(split_to_size(&[CellBox::new([0], [5])], [5]), [CellBox::new([0], [5])]);
    }

    /// A box around the inner corner of an L is cut along the L's sides: two boxes, where halving makes eight.
    #[test]
    fn cuts_boxes_that_do_not_nest() {
        let mut inside = TagSet::new(CellBox::new([0, 0], [40, 40]));
        inside.insert_boxes(&[CellBox::new([0, 0], [40, 13]), CellBox::new([0, 0], [13, 40])]);
        let whole = CellBox::new([3, 3], [29, 29]);
        let mut tags = TagSet::new(*inside.domain());
        inside.iter().filter(|cell| whole.contains(*cell)).for_each(|cell| tags.insert(cell));
        let mut boxes = enforce(&[whole], &tags, |piece| piece.cells().all(|cell| inside.contains(cell)));
        boxes.sort_unstable();
        assert_eq!(boxes, [CellBox::new([3, 3], [29, 13]), CellBox::new([3, 13], [13, 29])]);
        assert_eq!(enforce(&[whole], &tags, |_| true), [whole]);
    }

    /// Joining asks the predicate too: where only boxes of up to eight cells nest, 96 cells make twelve of them.
    #[test]
    fn joins_only_what_nests() {
        let whole = CellBox::new([0, 0], [12, 8]);
        let mut tags = TagSet::new(whole);
        tags.insert_boxes(&[whole]);
        let boxes = enforce(&[whole], &tags, |piece| piece.volume() <= 8);
        assert!(boxes.iter().all(|b| b.volume() <= 8));
        assert_eq!((boxes.len(), boxes.iter().map(CellBox::volume).sum::<usize>()), (12, 96), "{boxes:?}");
    }

    #[test]
    #[should_panic(expected = "[4, 5] does not nest: clip tags before clustering")]
    fn refuses_tags_that_cannot_nest() {
        let mut tags = TagSet::new(CellBox::new([0, 0], [9, 9]));
        tags.insert([4, 5]);
        enforce(&[CellBox::new([4, 5], [5, 6])], &tags, |_| false);
    }

    /// By hand: cells 8..12 and 0..3 of level l + 2 are cells 2..3 and 0..1 of level l + 1 (ratio 4 and 3), grown by
    /// one 1..4 and −1..2, on level l (ratio 2) 0..2 and −1..1: wrapped along x, cut along y.
    #[test]
    fn projects_with_the_nesting_width() {
        let mut tags = TagSet::new(CellBox::new([0, 0], [10, 5]));
        let fine = CellBox::new([8, 0], [12, 3]);
        project(&[fine], [Ratio([2, 2]), Ratio([4, 3])], 1, 0, &mut tags, [true, false]);
        let mut expected = TagSet::new(*tags.domain());
        expected.insert_boxes(&[CellBox::new([0, 0], [2, 1])]);
        assert_eq!(tags, expected);
        project(&[fine.shift([-8, 0])], [Ratio([2, 2]), Ratio([4, 3])], 1, 0, &mut tags, [true, false]);
        expected.insert_boxes(&[CellBox::new([9, 0], [10, 1])]);
        assert_eq!(tags, expected);
        // One cell more on every side: on level l 8..10 and 0..3 along x, the same as from −2 to 3.
        project(&[fine.shift([-8, 0])], [Ratio([2, 2]), Ratio([4, 3])], 1, 1, &mut tags, [true, false]);
        expected.insert_boxes(&[CellBox::new([8, 0], [10, 2]), CellBox::new([0, 0], [2, 2])]);
        assert_eq!(tags, expected);
    }
}
