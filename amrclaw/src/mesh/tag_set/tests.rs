//! Tag sets against sets of cells.

use super::*;
use crate::index::Ratio;
use crate::mesh::LevelMesh;
use proptest::prelude::*;
use std::collections::HashSet;

/// One change of a set; coordinates are taken from the domain's lower corner.
#[derive(Clone, Debug)]
enum Change {
    Cell([i32; 3]),
    Row([i32; 3], u64),
    Insert([i32; 3], [i32; 3]),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let corner = || [-20..160i32, -20..90i32, -6..24i32];
    let size = || [0..140i32, 0..80i32, 0..20i32];
    let change = prop_oneof![
        4 => corner().prop_map(Change::Cell),
        4 => (corner(), any::<u64>()).prop_map(|(c, bits)| Change::Row(c, bits)),
        2 => (corner(), size()).prop_map(|(c, n)| Change::Insert(c, n)),
    ];
    prop::collection::vec(change, 0..12)
}

/// A cell of `D` dimensions from one of three.
fn cut<const D: usize>(cell: [i32; 3], domain: &CellBox<D>) -> CellIndex<D> {
    std::array::from_fn(|d| domain.lo[d] + cell[d])
}

fn span<const D: usize>(corner: [i32; 3], size: [i32; 3], domain: &CellBox<D>) -> CellBox<D> {
    let lo = cut(corner, domain);
    CellBox::new(lo, std::array::from_fn(|d| lo[d] + size[d]))
}

fn apply<const D: usize>(change: &Change, tags: &mut TagSet<D>, cells: &mut HashSet<CellIndex<D>>) {
    let domain = *tags.domain();
    match *change {
        Change::Cell(c) => {
            tags.insert(cut(c, &domain));
            cells.insert(cut(c, &domain));
        }
        Change::Row(c, bits) => {
            let start = cut(c, &domain);
            tags.insert_row(start, bits);
            cells.extend((0..64).filter(|k| bits >> k & 1 == 1).map(|k| {
                let mut cell = start;
                cell[0] += k;
                cell
            }));
        }
        Change::Insert(c, n) => {
            tags.insert_boxes(&[span(c, n, &domain)]);
            cells.extend(span(c, n, &domain).cells());
        }
    }
    cells.retain(|&cell| domain.contains(cell));
}

fn check<const D: usize>(
    domain: CellBox<D>,
    changes: &[Change],
    query: &CellBox<D>,
    ratio: Ratio<D>,
) -> Result<(), TestCaseError> {
    let (mut tags, mut cells) = (TagSet::new(domain), HashSet::new());
    let (mut others, mut other_cells) = (TagSet::new(domain), HashSet::new());
    let (half, rest) = changes.split_at(changes.len() / 2);
    half.iter().for_each(|change| apply(change, &mut tags, &mut cells));
    rest.iter().for_each(|change| apply(change, &mut others, &mut other_cells));

    prop_assert_eq!(tags.count(), cells.len());
    prop_assert_eq!(tags.is_empty(), cells.is_empty());
    prop_assert_eq!(tags.iter().collect::<HashSet<_>>(), cells.clone());
    prop_assert_eq!(tags.iter().count(), cells.len());
    prop_assert!(domain.grow(2).cells().all(|cell| tags.contains(cell) == cells.contains(&cell)));

    let inside: Vec<_> = cells.iter().copied().filter(|&cell| query.contains(cell)).collect();
    let hull = inside.iter().fold(CellBox::EMPTY, |hull, &cell| hull.hull(&CellBox::cell(cell)));
    prop_assert_eq!(tags.bounding_box_in(query), hull);
    let mut signatures = query.size().map(|planes| vec![0; planes as usize]);
    TagCounter::new(&tags).count(query, signatures.each_mut().map(Vec::as_mut_slice));
    for axis in 0..D {
        let plane = |i: i32| inside.iter().filter(|cell| cell[axis] == i).count() as u32;
        let signature: Vec<u32> = (query.lo[axis]..query.hi[axis]).map(plane).collect();
        prop_assert_eq!(&signatures[axis], &signature);
    }

    let coarse: HashSet<_> = cells.iter().map(|c| CellBox::cell(*c).coarse_from_fine(ratio).lo).collect();
    prop_assert_eq!(tags.coarse_from_fine(ratio).iter().collect::<HashSet<_>>(), coarse);

    type Op<const D: usize> = fn(&mut TagSet<D>, &TagSet<D>);
    let both: [(Op<D>, HashSet<_>); 2] =
        [(TagSet::union, &cells | &other_cells), (TagSet::subtract, &cells - &other_cells)];
    for (op, expected) in both {
        let mut result = tags.clone();
        op(&mut result, &others);
        prop_assert_eq!(result.iter().collect::<HashSet<_>>(), expected.clone());
        let mut rebuilt = TagSet::new(domain);
        expected.iter().for_each(|&cell| rebuilt.insert(cell));
        prop_assert_eq!(result == rebuilt, true, "sets with the same cells must be equal");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every operation agrees with the same one on a set of cells, whatever the changes before it. Domains begin at
    /// negative indices and inside of tiles; boxes reach past the domain's sides.
    #[test]
    fn agrees_with_sets_of_cells_1d(changes in changes(), lo in -70..70i32, query in -100..200i32, n in 0..200i32,
                                    ratio in 1..5i32) {
        check(CellBox::new([lo], [lo + 151]), &changes, &CellBox::new([query], [query + n]), Ratio([ratio]))?;
    }

    #[test]
    fn agrees_with_sets_of_cells_2d(changes in changes(), lo in [-70..70i32, -70..70i32],
                                    query in [-80..150i32, -80..80i32], n in [0..150i32, 0..100i32],
                                    ratio in [1..5i32, 1..5i32]) {
        let domain = CellBox::new(lo, [lo[0] + 131, lo[1] + 77]);
        check(domain, &changes, &CellBox::new(query, [query[0] + n[0], query[1] + n[1]]), Ratio(ratio))?;
    }

    #[test]
    fn agrees_with_sets_of_cells_3d(changes in changes(), lo in [-70..70i32, -9..9i32, -9..9i32],
                                    query in [-80..100i32, -10..20i32, -10..20i32], n in [0..99i32, 0..30i32, 0..20i32],
                                    ratio in [1..4i32, 1..4i32, 1..4i32]) {
        let domain = CellBox::new(lo, [lo[0] + 75, lo[1] + 21, lo[2] + 13]);
        let query = CellBox::new(query, std::array::from_fn(|d| query[d] + n[d]));
        check(domain, &changes, &query, Ratio(ratio))?;
    }
}

proptest! {
    /// Bitmaps of patches tag the cells whose bits are set, wherever patches lie between tiles.
    #[test]
    fn bitmaps_tag_their_cells(cuts in [1..140i32, 1..90i32], lo in [-70..70i32, -70..70i32], seed: u64) {
        let domain = CellBox::new(lo, [lo[0] + 141, lo[1] + 91]);
        let (left, right) = domain.split(0, lo[0] + cuts[0]);
        let (below, above) = right.split(1, lo[1] + cuts[1]);
        let mesh = LevelMesh::new(domain, [true, false], vec![left, below, above]);
        // All, then all but one.
        for left_out in [3, 1] {
            let (mut words, mut expected) = (Vec::new(), TagSet::new(domain));
            for (_, patch) in mesh.patches().iter().enumerate().filter(|(k, _)| *k != left_out) {
                let (start, words_per_row) = (words.len(), (patch.size()[0] as usize).div_ceil(64));
                let word = |k: usize| (seed ^ k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(k as u32);
                words.extend((0..words_per_row * patch.size()[1] as usize).map(word));
                for cell in patch.cells() {
                    let [x, y]: [usize; 2] = std::array::from_fn(|d| (cell[d] - patch.lo[d]) as usize);
                    if words[start + y * words_per_row + x / 64] >> (x % 64) & 1 == 1 {
                        expected.insert(cell);
                    }
                }
            }
            prop_assert_eq!(TagSet::from_bitmaps(&mesh, |k| k != left_out, &words), expected);
        }
    }

    /// The words of two halves and of the whole, added to an empty set, reproduce the set; tiles that are taken out are missing.
    #[test]
    fn words_lead_back_to_the_tags(cells in prop::collection::vec([-9..300i32, -9..200i32, 0..20i32], 0..30), at in 0..300i32) {
        let domain = CellBox::new([-9, -9, 0], [300, 200, 20]);
        let mut tags = TagSet::new(domain);
        cells.iter().for_each(|cell| tags.insert(*cell));
        let (lower, upper) = domain.split(0, at);
        let mut told = TagSet::new(domain);
        [&lower, &domain, &upper].into_iter().for_each(|half| told.add_words(&tags.words_in(half)));
        prop_assert_eq!(&told, &tags);
        // Words are of tiles with tags alone.
        prop_assert_eq!(tags.words_in(&domain).len() / (3 + 64), tags.tiles().count());

        let rank_of = |cells: &CellBox<3>| Some((cells.lo[0] >> 6) as usize).filter(|_| cells.lo[1] >= 64);
        let taken = told.take_tiles(rank_of);
        let near = |cell: &&[i32; 3]| cell[1] < 64;
        prop_assert_eq!(told.count(), tags.iter().filter(|cell| near(&cell)).count());
        for (rank, words) in taken {
            let mut part = TagSet::new(domain);
            part.add_words(&words);
            prop_assert!(part.iter().all(|cell| (cell[0] >> 6) as usize == rank));
            told.add_words(&words);
        }
        prop_assert_eq!(told, tags);
    }
}

/// Boxes tagged together are boxes tagged one by one: close together, too far apart for a map of the tiles around them, and so many
/// that threads share them; in tiles that there are and in new ones.
#[test]
fn boxes_at_once_are_boxes_one_by_one() {
    let near = [CellBox::new([-7, 60], [70, 70]), CellBox::new([60, 3], [66, 130]), CellBox::new([-99, 0], [-5, 2])];
    let far = [near[0], CellBox::new([900_000, 800_000], [900_003, 800_200])];
    let many = [near[1], CellBox::new([5, 5], [64 * 130, 64 * 130])];
    for boxes in [&near[..], &far, &many, &[]] {
        let mut tags = TagSet::new(CellBox::new([-9, 0], [1_000_000, 1_000_000]));
        tags.insert([65, 66]);
        tags.insert([300, 3]);
        let mut expected = tags.clone();
        boxes.iter().for_each(|b| expected.insert_boxes(&[*b]));
        tags.insert_boxes(boxes);
        assert!(tags == expected, "{boxes:?}");
        assert_eq!(tags.count(), expected.iter().count());
    }
}

/// Queries over a huge region with few tags must not walk its tiles: 500 000³ cells have 3e13 of them, more than any
/// test can visit.
#[test]
fn deep_levels_cost_only_their_tags() {
    let domain = CellBox::new([0; 3], [500_000; 3]);
    let mut tags = TagSet::new(domain);
    for k in 0..100 {
        tags.insert([4_999 * k, 499_999 - 3_000 * k, 1_234 * k]);
    }
    assert_eq!(tags.count(), 100);
    assert_eq!(tags.bounding_box(), CellBox::new([0, 202_999, 0], [494_902, 500_000, 122_167]));
    let part = CellBox::new([4_999, 0, 0], [500_000, 499_999, 500_000]);
    assert_eq!(tags.bounding_box_in(&part).lo, [4_999, 202_999, 1_234]);
}

/// A region large enough to be counted by several threads, and tags too far apart for a map of the tiles around them.
#[test]
fn counts_large_regions() {
    let domain = CellBox::new([-9, 3], [6000, 4500]);
    let mut tags = TagSet::new(domain);
    let blocks = [
        CellBox::new([-9, 3], [2, 5]),
        CellBox::new([700, 255], [1700, 2259]),
        CellBox::new([5990, 4480], [6000, 4490]),
    ];
    for part in [1, 3] {
        tags.insert_boxes(&blocks[..part]);
        let mut signatures = domain.size().map(|planes| vec![0; planes as usize]);
        TagCounter::new(&tags).count(&domain, signatures.each_mut().map(Vec::as_mut_slice));
        for (axis, signature) in signatures.iter().enumerate() {
            for (i, &count) in (domain.lo[axis]..).zip(signature) {
                let cut = blocks[..part].iter().filter(|block| block.lo[axis] <= i && i < block.hi[axis]);
                let expected: i32 = cut.map(|block| block.size()[1 - axis]).sum();
                assert_eq!(count, expected as u32, "plane {i} across axis {axis}");
            }
        }
    }
    let far = CellBox::new([0; 3], [1 << 20; 3]);
    let mut tags = TagSet::new(far);
    [[5, 6, 7], [70_000, 6, 900_000], [1_000_000, 8, 7]].into_iter().for_each(|cell| tags.insert(cell));
    let mut signatures = [[0; 100]; 3];
    TagCounter::new(&tags)
        .count(&CellBox::new([999_950, 0, 0], [1_000_050, 100, 100]), signatures.each_mut().map(|s| &mut s[..]));
    let plane = |axis: usize| signatures[axis].iter().position(|&n| n == 1);
    assert_eq!(
        (signatures.as_flattened().iter().sum::<u32>(), [0, 1, 2].map(plane)),
        (3, [Some(50), Some(8), Some(7)])
    );
}
