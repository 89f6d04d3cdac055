//! The patches of one level, and which of them lie in a region.

use super::bins::Bins;
use super::outside::{AxisEnds, Beyond};
use crate::index::{CellBox, CellIndex, Repeats, Shift};
use std::sync::OnceLock;

/// Disjoint patches of one level, sorted.
///
/// Invariant: a patch is not empty and lies in the level's domain box.
#[derive(Clone, Debug)]
pub struct LevelMesh<const D: usize> {
    domain: CellBox<D>,
    repeats: Repeats<D>,
    patches: Vec<CellBox<D>>,
    /// Made by the first search for patches.
    bins: OnceLock<Bins<D>>,
}

/// A part of a region that a patch covers, possibly as a periodic image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<const D: usize> {
    /// The covering patch.
    pub patch: usize,
    /// The covered part of the region, in the region's coordinates.
    pub part: CellBox<D>,
    /// Where the cells lie in the patch.
    pub shift: Shift<D>,
}

impl<const D: usize> LevelMesh<D> {
    /// A level from its patches, which need not be sorted.
    ///
    /// # Panics
    /// If a patch is empty or leaves the domain.
    pub fn new(domain: CellBox<D>, repeats: impl Into<Repeats<D>>, mut patches: Vec<CellBox<D>>) -> Self {
        match D {
            // Two indices fit in 64 bits, which sort in half the time.
            1 | 2 => patches.sort_unstable_by_key(|p| sort_key(p.lo) as u64),
            _ => patches.sort_unstable_by_key(|p| sort_key(p.lo)),
        }
        for p in &patches {
            assert!(!p.is_empty() && domain.contains_box(p), "patch {p:?} in domain {domain:?}");
        }
        LevelMesh { domain, repeats: repeats.into(), bins: OnceLock::new(), patches }
    }

    /// The patches, sorted by their lower corner, last axis first.
    pub fn patches(&self) -> &[CellBox<D>] {
        &self.patches
    }

    /// All cells that the level could have.
    pub fn domain(&self) -> CellBox<D> {
        self.domain
    }

    /// Axes along which the domain repeats.
    pub fn periodic(&self) -> [bool; D] {
        self.repeats.axes
    }

    /// How the domain repeats.
    pub fn repeats(&self) -> Repeats<D> {
        self.repeats
    }

    /// Both ends of each axis, given what lies beyond each side.
    pub fn ends(&self, sides: &[[Beyond; 2]; D]) -> [AxisEnds; D] {
        std::array::from_fn(|d| AxisEnds { sides: sides[d], count: self.domain.hi[d] })
    }

    /// Number of cells of all patches.
    pub fn num_cells(&self) -> usize {
        self.patches.iter().map(CellBox::volume).sum()
    }

    /// True if patches cover the whole domain.
    pub fn covers_domain(&self) -> bool {
        self.num_cells() == self.domain.volume()
    }

    /// Calls `visit` with each part of a region that a patch covers, periodic images included. The region may leave the
    /// domain.
    #[inline(always)]
    pub fn for_each_image(&self, region: &CellBox<D>, mut visit: impl FnMut(Image<D>)) {
        let bins = self.bins.get_or_init(|| Bins::new(&self.patches));
        let mut here = |shift: Shift<D>| {
            bins.for_each_in(&self.patches, &shift.source_box(region), |patch, part| {
                visit(Image { patch, part: shift.target_box(&part), shift });
            });
        };
        if self.inside_domain(region).is_empty() {
            return;
        }
        // Periods that the region touches: several where the domain is narrower than the region.
        let size = self.domain.size();
        let turn = |cell: CellIndex<D>| self.repeats.turn(std::array::from_fn(|d| cell[d] - self.domain.lo[d]), size);
        let (first, last) = (turn(region.lo), turn(region.hi.map(|hi| hi - 1)));
        if first == [0; D] && last == [0; D] {
            return here(Shift::NONE);
        }
        for turn in CellBox::new(first, last.map(|n| n + 1)).cells() {
            here(self.repeats.shift(turn, size));
        }
    }

    /// The parts of a region that patches cover, periodic images included. The region may leave the domain.
    pub fn images(&self, region: &CellBox<D>) -> Vec<Image<D>> {
        let mut images = Vec::new();
        self.for_each_image(region, |image| images.push(image));
        images
    }

    /// The part of a region that lies in the domain, or beyond a periodic side of it.
    pub fn inside_domain(&self, region: &CellBox<D>) -> CellBox<D> {
        let mut inside = *region;
        for d in (0..D).filter(|&d| !self.repeats.axes[d]) {
            inside.lo[d] = inside.lo[d].max(self.domain.lo[d]);
            inside.hi[d] = inside.hi[d].min(self.domain.hi[d]);
        }
        inside
    }

    /// True if patches cover every cell of the region that lies in the domain, or beyond a periodic side of it.
    pub fn covers(&self, region: &CellBox<D>) -> bool {
        let inside = self.inside_domain(region);
        let mut covered = 0;
        self.for_each_image(&inside, |image| covered += image.part.volume());
        covered == inside.volume()
    }

    /// The parts of a region that no patch covers.
    pub fn uncovered(&self, region: &CellBox<D>) -> Vec<CellBox<D>> {
        let mut cover = Cover::default();
        cover.find(self, region);
        cover.open
    }
}

/// How a level covers a region. Reused for many regions, so that a search allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Cover<const D: usize> {
    /// The parts that patches cover.
    pub images: Vec<Image<D>>,
    /// The parts that none covers.
    pub open: Vec<CellBox<D>>,
    spare: Vec<CellBox<D>>,
}

impl<const D: usize> Cover<D> {
    /// Finds what covers the region.
    pub fn find(&mut self, mesh: &LevelMesh<D>, region: &CellBox<D>) {
        self.images.clear();
        mesh.for_each_image(region, |image| self.images.push(image));
        self.close(region);
    }

    /// Finds what covers a region, given what covers a larger one.
    pub fn find_among(&mut self, images: &[Image<D>], region: &CellBox<D>) {
        self.images.clear();
        for_each_within(images, region, |image| self.images.push(image));
        self.close(region);
    }

    /// Sets `open` to the parts of the region that no image covers.
    fn close(&mut self, region: &CellBox<D>) {
        self.open.clear();
        let covered: usize = self.images.iter().map(|image| image.part.volume()).sum();
        self.open.extend(Some(*region).filter(|region| covered < region.volume()));
        for image in &self.images {
            if self.open.is_empty() {
                return;
            }
            self.spare.clear();
            self.open.iter().for_each(|part| part.subtract_into(&image.part, &mut self.spare));
            std::mem::swap(&mut self.open, &mut self.spare);
        }
    }
}

/// Calls `visit` with the parts of a region that the images of a larger one cover.
#[inline(always)]
pub(crate) fn for_each_within<const D: usize>(
    images: &[Image<D>],
    region: &CellBox<D>,
    mut visit: impl FnMut(Image<D>),
) {
    for image in images {
        let part = image.part.intersect(region);
        if !part.is_empty() {
            visit(Image { patch: image.patch, part, shift: image.shift });
        }
    }
}

/// A key that orders cells lexicographically, the last axis first. Patches are sorted by the key of their lower corners, which all
/// differ.
fn sort_key<const D: usize>(i: CellIndex<D>) -> u128 {
    (0..D).rev().fold(0, |key, d| key << 32 | u128::from(i[d].abs_diff(i32::MIN)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quarters() -> LevelMesh<2> {
        let domain = CellBox::new([0, 0], [10, 7]);
        let patches = vec![
            CellBox::new([5, 0], [10, 3]),
            CellBox::new([0, 0], [5, 3]),
            CellBox::new([0, 3], [5, 7]),
            CellBox::new([5, 3], [10, 7]),
        ];
        LevelMesh::new(domain, [true, false], patches)
    }

    /// A corner across the periodic side meets the patches of the far side, each cell once.
    #[test]
    fn images_cross_periodic_corners_once() {
        let mesh = quarters();
        let region = CellBox::new([-2, 2], [1, 4]);
        let images = mesh.images(&region);
        assert_eq!(images.iter().map(|i| i.part.volume()).sum::<usize>(), region.volume());
        assert!(images.iter().any(|i| i.shift.by == [-10, 0] && i.patch == 1));
        assert!(mesh.covers(&CellBox::new([-3, -3], [13, 10])));
    }

    /// Beyond folded sides each cell has one image, that of the cell turned about the middle of the side, again and again.
    #[test]
    fn images_cross_folded_sides_once() {
        let folded = Repeats { axes: [true; 2], folded: Some(1) };
        let mesh = LevelMesh::new(quarters().domain(), folded, quarters().patches().to_vec());
        let region = CellBox::new([-13, -9], [14, 17]);
        let images = mesh.images(&region);
        for cell in region.cells() {
            let [mut x, mut y] = cell;
            while !(0..7).contains(&y) {
                (x, y) = (9 - x, if y < 0 { -1 - y } else { 13 - y });
            }
            let found: Vec<_> = images.iter().filter(|image| image.part.contains(cell)).collect();
            assert!(found.len() == 1 && found[0].shift.source(cell) == [x.rem_euclid(10), y], "{cell:?}: {found:?}");
            assert!(mesh.patches()[found[0].patch].contains(found[0].shift.source(cell)));
        }
        assert!(mesh.covers(&region));
    }

    proptest! {
        /// Every cell of a region is found in exactly the patch that holds it, whatever the patches' sizes.
        #[test]
        fn images_agree_with_a_search_of_all_patches(
            cuts in proptest::collection::btree_set(1..40i32, 0..6),
            lo in [-9..50i32, -9..20i32],
            size in [1..30i32, 1..20i32],
        ) {
            let domain = CellBox::new([0, 0], [41, 13]);
            let mut patches = Vec::new();
            let mut rest = domain;
            for (k, cut) in cuts.into_iter().enumerate() {
                let (mut left, right) = rest.split(0, cut);
                left.hi[1] = if k % 2 == 0 { 13 } else { 5 };
                patches.push(left);
                rest = right;
            }
            patches.push(rest);
            let mesh = LevelMesh::new(domain, [false, false], patches);
            let region = CellBox::new(lo, [lo[0] + size[0], lo[1] + size[1]]);
            let images = mesh.images(&region);
            for cell in region.cells() {
                let expected = mesh.patches().iter().position(|p| p.contains(cell));
                let found: Vec<_> = images.iter().filter(|i| i.part.contains(cell)).map(|i| i.patch).collect();
                prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            }
            let open: usize = mesh.uncovered(&region).iter().map(CellBox::volume).sum();
            let covered: usize = images.iter().map(|i| i.part.volume()).sum();
            prop_assert_eq!(open + covered, region.volume());
        }
    }
}
