//! Single rules of clustering on tags from pictures, random tags against a plain search, and the cost next to AMRClaw's.

use super::*;
use crate::index::CellIndex;
use proptest::prelude::*;

/// Tags from a picture, first row lowest.
fn tags_from<const N: usize>(rows: [&str; N]) -> TagSet<2> {
    let mut tags = TagSet::new(CellBox::new([0, 0], [rows[0].len() as i32, N as i32]));
    for (j, row) in rows.iter().enumerate() {
        row.bytes().enumerate().filter(|(_, c)| *c == b'#').for_each(|(i, _)| tags.insert([i as i32, j as i32]));
    }
    tags
}

fn clustered(tags: &TagSet<2>, cutoff: f64) -> Vec<CellBox<2>> {
    let mut boxes = cluster(tags, &ClusterParams { cutoff, ..ClusterParams::default() });
    boxes.sort_unstable();
    boxes
}

/// A plane without tags comes before any inflection, and the widest gap first. No tags, no boxes.
#[test]
fn cuts_at_holes() {
    assert_eq!(clustered(&TagSet::new(CellBox::new([0, 0], [9, 9])), 0.7), []);
    let tags = tags_from(["##....###", "##....###", ".........", "##......."]);
    let boxes = [CellBox::new([0, 0], [2, 2]), CellBox::new([0, 3], [2, 4]), CellBox::new([6, 0], [9, 2])];
    assert_eq!(clustered(&tags, 0.9), boxes);
    assert_eq!(clustered(&tags, 0.7), [CellBox::new([0, 0], [2, 4]), boxes[2]]);
    assert_eq!(clustered(&tags, 0.1), [CellBox::new([0, 0], [9, 4])]);
}

/// The signatures along x and y step down at 3 and at 2: the higher step, of four cells at y = 2, is cut.
#[test]
fn cuts_at_the_strongest_inflection() {
    let tags = tags_from(["#######", "#######", "###....", "###....", "###...."]);
    assert_eq!(clustered(&tags, 0.8), [CellBox::new([0, 0], [7, 2]), CellBox::new([0, 2], [3, 5])]);
}

/// A diagonal has constant signatures, no hole and no inflection; halving it saves half of the cells each time.
#[test]
fn halves_what_has_no_edges() {
    let mut tags = TagSet::new(CellBox::new([0, 0], [64, 64]));
    (0..64).for_each(|i| tags.insert([i, i]));
    let boxes = clustered(&tags, 0.7);
    let cells: usize = boxes.iter().map(CellBox::volume).sum();
    assert_eq!((boxes.len(), cells), (16, 16 * 16), "halved down to 4 x 4, where ghost cells outweigh the gain");
}

/// Halving a chequerboard never saves anything, so it is left alone though it misses the cutoff.
#[test]
fn leaves_what_cannot_be_improved() {
    let mut tags = TagSet::new(CellBox::new([0, 0], [64, 64]));
    let black = |cell: &CellIndex<2>| (cell[0] + cell[1]) % 2 == 0;
    CellBox::new([0, 0], [64, 64]).cells().filter(black).for_each(|cell| tags.insert(cell));
    assert_eq!(clustered(&tags, 0.7), [CellBox::new([0, 0], [64, 64])]);
}

/// AMRClaw's clustering (5.13.1, `smartbis.f`) makes this many boxes and cells of the same ring, off the centre so
/// that few ties arise, buffered by eight and by two cells. Both follow Berger & Rigoutsos and differ in holes, ties
/// and halving, which moves single boxes: a fifth of the boxes, but no more than five per cent of the cells.
#[test]
fn rings_cost_what_they_cost_in_amrclaw() {
    let domain = CellBox::new([0, 0], [1000, 1000]);
    let mut ring = TagSet::new(domain);
    let coordinate = |i: i32, centre: f64| (f64::from(i) + 0.5) / 500.0 - 1.0 - centre;
    let in_ring = |c: &CellIndex<2>| (coordinate(c[0], 0.013).hypot(coordinate(c[1], 0.007)) - 0.5).abs() < 0.05;
    domain.cells().filter(in_ring).for_each(|cell| ring.insert(cell));
    for (width, cutoff, boxes, cells) in [
        (8, 0.5, 24, 166_251),
        (8, 0.7, 86, 127_945),
        (8, 0.9, 293, 117_765),
        (2, 0.5, 34, 125_292),
        (2, 0.7, 101, 104_811),
        (2, 0.9, 319, 92_654),
    ] {
        let found = clustered(&crate::regrid::buffer(&ring, width, [false; 2]), cutoff);
        let volume: usize = found.iter().map(CellBox::volume).sum();
        let off = |ours: usize, theirs: usize| (ours as f64 / theirs as f64 - 1.0).abs();
        let figures = format!("cutoff {cutoff}: {} boxes, {volume} cells, not {boxes}, {cells}", found.len());
        assert!(off(volume, cells) < 0.05 && off(found.len(), boxes) < 0.2, "{figures}");
    }
}

/// Clustering as its rules are written, cell by cell; boxes in no order.
fn plain<const D: usize>(cells: &[CellIndex<D>], params: &ClusterParams) -> Vec<CellBox<D>> {
    let hull = |cells: &[CellIndex<D>]| cells.iter().fold(CellBox::EMPTY, |hull, c| hull.hull(&CellBox::cell(*c)));
    let bounds = hull(cells);
    let (size, efficiency) = (bounds.size(), cells.len() as f64 / bounds.volume() as f64);
    let (mut holes, mut bends) = (Vec::new(), Vec::new());
    for axis in 0..D {
        let mut planes = vec![0i64; size[axis] as usize];
        cells.iter().for_each(|cell| planes[(cell[axis] - bounds.lo[axis]) as usize] += 1);
        let middle = (bounds.lo[axis] + bounds.hi[axis] - 1).div_euclid(2);
        let offer = |merit: i64, k: usize| {
            let at = bounds.lo[axis] + k as i32;
            ((merit, -(at - middle).abs(), axis, -at), axis, at)
        };
        for k in (1..planes.len()).filter(|&k| planes[k - 1] == 0 && planes[k] > 0) {
            holes.push(offer(planes[..k].iter().rev().take_while(|n| **n == 0).count() as i64, k));
        }
        let bend = |k: usize| planes[k - 1] - 2 * planes[k] + planes[k + 1];
        let margin = params.min_size.max(2) as usize;
        for k in margin..(planes.len() + 1).saturating_sub(margin) {
            let (before, after) = (bend(k - 1), bend(k));
            if before * after < 0 {
                bends.push(offer((before - after).abs(), k));
            }
        }
    }
    let split = |axis: usize, at: i32| cells.iter().partition::<Vec<_>, _>(|cell| cell[axis] < at);
    let mut cut = holes.into_iter().max().or(bends.into_iter().max()).map(|(_, axis, at)| (axis, at));
    if cut.is_none() && efficiency < HALVED_BELOW {
        let mut axes: Vec<usize> = (0..D).filter(|&axis| size[axis] >= 2 * params.min_size).collect();
        axes.sort_by_key(|&axis| Reverse(size[axis]));
        cut = axes.into_iter().map(|axis| (axis, bounds.lo[axis] + size[axis] / 2)).find(|&(axis, at)| {
            let (lower, upper) = split(axis, at);
            let kept = hull(&lower).volume() + hull(&upper).volume();
            kept + 2 * bounds.volume() / (size[axis] as usize) < bounds.volume()
        });
    }
    match cut {
        Some((axis, at)) if efficiency < params.cutoff => {
            let (lower, upper) = split(axis, at);
            [plain(&lower, params), plain(&upper, params)].concat()
        }
        _ => vec![bounds],
    }
}

/// Centre, largest distance from it along each axis, and which of three shapes.
type Blob = ([i32; 3], [i32; 3], usize);

fn compare<const D: usize>(blobs: &[Blob], params: &ClusterParams) -> Result<(), TestCaseError> {
    let domain = CellBox::new([-70; D], [400; D]);
    let mut tags = TagSet::new(domain);
    for (centre, radius, shape) in blobs {
        let centre: CellIndex<D> = std::array::from_fn(|d| centre[d]);
        let inside = |cell: &CellIndex<D>| {
            let distance = |d: usize| f64::from(cell[d] - centre[d]) / f64::from(radius[d]);
            let (far, squares) = (0..D).map(distance).fold((0.0f64, 0.0), |(m, s), x| (m.max(x.abs()), s + x * x));
            // A box, an ellipse or a ring.
            [far < 1.0, squares < 1.0, (0.6..1.0).contains(&squares)][*shape]
        };
        let around = CellBox::cell(centre).grow_by(std::array::from_fn(|d| radius[d]));
        around.cells().filter(inside).for_each(|cell| tags.insert(cell));
    }
    let cells: Vec<_> = tags.iter().collect();
    let mut expected = if cells.is_empty() { Vec::new() } else { plain(&cells, params) };
    let mut found = cluster(&tags, params);
    expected.sort_unstable();
    found.sort_unstable();
    prop_assert_eq!(found, expected);
    Ok(())
}

/// Boxes, ellipses and rings of up to so many cells along each axis.
fn blobs(most: [i32; 3]) -> impl Strategy<Value = Vec<Blob>> {
    let centre = [-70..400i32, -70..400i32, -70..400i32];
    prop::collection::vec((centre, most.map(|n| 1..=n), 0..3usize), 0..12)
}

fn params() -> impl Strategy<Value = ClusterParams> {
    (0.3..1.0f64, 1..5i32).prop_map(|(cutoff, min_size)| ClusterParams { cutoff, min_size })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The boxes are the same, one by one, as those of the plain search: across tiles, beyond the domain's sides, in
    /// candidates small and large enough for threads of their own.
    #[test]
    fn finds_the_boxes_of_a_plain_search_1d(blobs in blobs([90, 1, 1]), params in params()) {
        compare::<1>(&blobs, &params)?;
    }

    #[test]
    fn finds_the_boxes_of_a_plain_search_2d(blobs in blobs([120, 120, 2]), params in params()) {
        compare::<2>(&blobs, &params)?;
    }

    #[test]
    fn finds_the_boxes_of_a_plain_search_3d(blobs in blobs([30, 20, 20]), params in params()) {
        compare::<3>(&blobs, &params)?;
    }
}
