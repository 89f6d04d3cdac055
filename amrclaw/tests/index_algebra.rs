//! Operations on boxes agree with brute force over their cells, in one, two and three dimensions, with negative indices,
//! empty boxes and ratios that differ between axes.

use amrclaw::index::{CellBox, CellIndex, Ratio, wrap_into_domain};
use proptest::prelude::*;
use std::collections::HashSet;

/// Lower corner and lengths of a box; lengths start at −1, so that empty and inverted boxes occur.
type Span = ([i32; 3], [i32; 3]);

fn span() -> impl Strategy<Value = Span> {
    ([-9..9i32, -9..9i32, -9..9i32], [-1..9i32, -1..9i32, -1..9i32])
}

fn box_of<const D: usize>((lo, size): Span) -> CellBox<D> {
    CellBox::new(std::array::from_fn(|d| lo[d]), std::array::from_fn(|d| lo[d] + size[d]))
}

/// Cells of a box by the definition, without any method of the box.
fn cells_of<const D: usize>(b: &CellBox<D>) -> HashSet<CellIndex<D>> {
    let mut cells = vec![[0; D]];
    for d in 0..D {
        let extend = |cell: &CellIndex<D>| {
            let cell = *cell;
            (b.lo[d]..b.hi[d]).map(move |i| std::array::from_fn(|e| if e == d { i } else { cell[e] }))
        };
        cells = cells.iter().flat_map(extend).collect();
    }
    cells.into_iter().collect()
}

/// Fails unless `parts` are disjoint and together hold exactly `cells`.
fn check_partition<const D: usize>(parts: &[CellBox<D>], cells: &HashSet<CellIndex<D>>) -> Result<(), TestCaseError> {
    let volume: usize = parts.iter().map(CellBox::volume).sum();
    let together: HashSet<_> = parts.iter().flat_map(cells_of).collect();
    prop_assert_eq!(volume, together.len(), "parts overlap: {:?}", parts);
    prop_assert_eq!(&together, cells);
    Ok(())
}

/// Checks the operations on two boxes.
fn check_pair<const D: usize>(a: Span, b: Span) -> Result<(), TestCaseError> {
    let (a, b) = (box_of::<D>(a), box_of::<D>(b));
    let (in_a, in_b) = (cells_of(&a), cells_of(&b));
    prop_assert_eq!(cells_of(&a.intersect(&b)), &in_a & &in_b);
    prop_assert_eq!(a.intersects(&b), !in_a.is_disjoint(&in_b));
    prop_assert_eq!(a.contains_box(&b), in_b.is_subset(&in_a));

    let hull = a.hull(&b);
    prop_assert!(hull.contains_box(&a) && hull.contains_box(&b));
    for (d, cells) in (0..D).flat_map(|d| [(d, &in_a), (d, &in_b)]).filter(|(_, cells)| !cells.is_empty()) {
        let all = || in_a.iter().chain(&in_b).map(move |cell| cell[d]);
        prop_assert_eq!((Some(hull.lo[d]), Some(hull.hi[d] - 1)), (all().min(), all().max()), "{} cells", cells.len());
    }

    let mut parts = vec![];
    a.subtract_into(&b, &mut parts);
    prop_assert!(parts.len() <= 2 * D && parts.iter().all(|part| !part.is_empty()));
    check_partition(&parts, &(&in_a - &in_b))
}

/// Checks the operations on one box.
fn check_single<const D: usize>(a: Span, n: i32, by: [i32; 3]) -> Result<(), TestCaseError> {
    let a = box_of::<D>(a);
    let cells = cells_of(&a);
    prop_assert_eq!(a.is_empty(), cells.is_empty());
    prop_assert_eq!(a.volume(), cells.len());
    prop_assert!(a.grow(1).cells().all(|cell| a.contains(cell) == cells.contains(&cell)));

    // Cells come once each, sorted with the first axis fastest.
    let listed: Vec<_> = a.cells().collect();
    prop_assert_eq!(listed.iter().copied().collect::<HashSet<_>>(), cells.clone());
    prop_assert!(listed.windows(2).all(|pair| pair[0].iter().rev().lt(pair[1].iter().rev())));

    let longest = a.longest_axis();
    prop_assert!((0..D).all(|d| a.size()[d] < a.size()[longest] || d >= longest && a.size()[d] == a.size()[longest]));

    let by: [i32; D] = std::array::from_fn(|d| by[d]);
    let shifted = |cell: &CellIndex<D>| std::array::from_fn(|d| cell[d] + by[d]);
    prop_assert_eq!(cells_of(&a.shift(by)), cells.iter().map(shifted).collect::<HashSet<_>>());

    if !a.is_empty() {
        let near = |cell: &CellIndex<D>, other: &CellIndex<D>| (0..D).all(|d| (cell[d] - other[d]).abs() <= n);
        let grown = a.grow(n);
        prop_assert!(a.grow(n + 1).cells().all(|cell| grown.contains(cell) == cells.iter().any(|c| near(c, &cell))));
        prop_assert_eq!(grown.grow(-n), a);
    }
    for axis in 0..D {
        for at in a.lo[axis]..=a.hi[axis] {
            let (lower, upper) = a.split(axis, at);
            prop_assert!(cells_of(&lower).iter().all(|cell| cell[axis] < at));
            prop_assert!(cells_of(&upper).iter().all(|cell| cell[axis] >= at));
            check_partition(&[lower, upper], &cells)?;
        }
    }
    Ok(())
}

/// Refining gives exactly the children of a box, coarsening exactly the parents; coarsening and refining again is the identity on
/// refined boxes and rounds outward otherwise.
fn check_ratio<const D: usize>(a: Span, ratio: [i32; 3]) -> Result<(), TestCaseError> {
    let a = box_of::<D>(a);
    let r = Ratio::<D>(std::array::from_fn(|d| ratio[d]));
    let parent = |cell: CellIndex<D>| -> CellIndex<D> {
        std::array::from_fn(|d| (f64::from(cell[d]) / f64::from(r.0[d])).floor() as i32)
    };
    let fine = a.fine_from_coarse(r);
    prop_assert!(fine.grow(4).cells().all(|cell| fine.contains(cell) == a.contains(parent(cell))));
    prop_assert_eq!(fine.volume(), a.volume() * r.cells() as usize);
    prop_assert_eq!(fine.coarse_from_fine(r), a);
    if !a.is_empty() {
        let coarse = a.coarse_from_fine(r);
        prop_assert_eq!(cells_of(&coarse), cells_of(&a).into_iter().map(parent).collect::<HashSet<_>>());
        prop_assert!(coarse.fine_from_coarse(r).contains_box(&a));
    }
    for axis in 0..D {
        let face = CellBox::<D>::cell([0; D]).fine_from_coarse(r).split(axis, 1).0;
        prop_assert_eq!(r.faces(axis) as usize, face.volume());
        prop_assert!(r.0[axis] <= r.largest() && r.0.contains(&r.largest()));
    }
    Ok(())
}

/// The pieces are disjoint and hold exactly the cells that are congruent to one of the region's along periodic axes
/// and equal along the others.
fn check_wrap<const D: usize>(region: Span, domain: Span, periodic: [bool; 3]) -> Result<(), TestCaseError> {
    let (region, domain) = (box_of::<D>(region), box_of::<D>(domain));
    prop_assume!(!domain.is_empty());
    let periodic: [bool; D] = std::array::from_fn(|d| periodic[d]);
    let stands_for = |cell: &CellIndex<D>, image: &CellIndex<D>| {
        (0..D).all(|d| cell[d] == image[d] || periodic[d] && (cell[d] - image[d]) % domain.size()[d] == 0)
    };
    let images = cells_of(&region);
    let expected = cells_of(&domain).into_iter().filter(|cell| images.iter().any(|image| stands_for(cell, image)));
    check_partition(&wrap_into_domain(&region, &domain, periodic), &expected.collect())
}

proptest! {
    #[test]
    fn pairs_of_boxes(a in span(), b in span()) {
        check_pair::<1>(a, b)?;
        check_pair::<2>(a, b)?;
        check_pair::<3>(a, b)?;
    }

    #[test]
    fn single_boxes(a in span(), n in 0..3i32, by: [i8; 3]) {
        check_single::<1>(a, n, by.map(i32::from))?;
        check_single::<2>(a, n, by.map(i32::from))?;
        check_single::<3>(a, n, by.map(i32::from))?;
    }

    #[test]
    fn ratios(a in span(), ratio in [1..5i32, 1..5i32, 1..5i32]) {
        check_ratio::<1>(a, ratio)?;
        check_ratio::<2>(a, ratio)?;
        check_ratio::<3>(a, ratio)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn wrapping(region in span(), domain in ([-5..5i32, -5..5i32, -5..5i32], [1..7i32, 1..7i32, 1..7i32]),
                periodic: [bool; 3]) {
        check_wrap::<1>(region, domain, periodic)?;
        check_wrap::<2>(region, domain, periodic)?;
        check_wrap::<3>(region, domain, periodic)?;
    }
}

/// The sign conventions of rounding, by hand: cells −1 and −4 have parent −1 at ratio 4, cell −5 has parent −2.
#[test]
fn coarsening_rounds_towards_minus_infinity() {
    let parents = |lo, hi| CellBox::new([lo], [hi]).coarse_from_fine(Ratio([4]));
    assert_eq!(parents(-1, 0), CellBox::new([-1], [0]));
    assert_eq!(parents(-4, 1), CellBox::new([-1], [1]));
    assert_eq!(parents(-5, 4), CellBox::new([-2], [1]));
}
