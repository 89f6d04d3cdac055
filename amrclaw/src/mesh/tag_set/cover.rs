//! The tiles that a level's tags can lie in, computed before the tags: a device stores its tags in them.

use super::{Places, TagSet, Tiling, key};
use crate::index::{CellBox, CellIndex, Repeats, wrap_into_domain};
use crate::mesh::LevelMesh;
use rayon::prelude::*;

/// Fewest tiles that one thread examines or copies at a time.
const SHARED: usize = 256;
/// A bounding box of up to so many tiles gets a map, however few tiles there are in it: 4 MB of numbers.
const MAPPED: usize = 1 << 20;

/// The tiles that touch a level's patches or lie within a tile's extent of them, in the domain and across periodic sides: they can hold
/// the level's tags, widened by up to a tile's extent.
pub(crate) struct TileCover<const D: usize> {
    domain: CellBox<D>,
    repeats: Repeats<D>,
    /// In the order of a set's tiles.
    tiles: Vec<CellIndex<D>>,
    /// `patches[starts[k]..starts[k + 1]]`: the patches that share cells with tile `k`.
    starts: Vec<u32>,
    patches: Vec<u32>,
    map: Option<(CellBox<D>, Vec<u32>)>,
}

impl<const D: usize> TileCover<D> {
    /// The number in the map where there is no tile.
    pub const NONE: u32 = u32::MAX;

    /// The tiles of the patches for which `is_covered` is true.
    pub fn new(mesh: &LevelMesh<D>, is_covered: impl Fn(usize) -> bool) -> Self {
        let covered = || mesh.patches().iter().enumerate().filter(|(k, _)| is_covered(*k));
        let touched = covered().map(|(_, patch)| Tiling::tiles_touching(patch));
        let mut within_reach = Vec::with_capacity(mesh.patches().len());
        covered().for_each(|(_, patch)| add_within_reach(mesh, patch, &mut within_reach));
        let tiles = NumberedTiles::new(&within_reach);
        let mut starts = vec![0; tiles.list.len() + 1];
        touched.clone().flat_map(|span| span.cells()).for_each(|tile| starts[tiles.number(tile) + 1] += 1);
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut patches = vec![0; starts.last().map_or(0, |&end| end as usize)];
        let mut next = starts.clone();
        for ((patch, _), span) in covered().zip(touched) {
            for tile in span.cells() {
                let next = &mut next[tiles.number(tile)];
                patches[*next as usize] = patch as u32;
                *next += 1;
            }
        }
        TileCover { domain: mesh.domain(), repeats: mesh.repeats(), tiles: tiles.list, starts, patches, map: tiles.map }
    }

    /// All cells that the level could have, and how these repeat.
    pub fn domain(&self) -> (CellBox<D>, Repeats<D>) {
        (self.domain, self.repeats)
    }

    /// The tiles, in the order of a set's tiles.
    pub fn tiles(&self) -> &[CellIndex<D>] {
        &self.tiles
    }

    /// All tiles' patches, one tile's after another.
    pub fn patches(&self) -> &[u32] {
        &self.patches
    }

    /// Where the patches of tile `k` begin and end.
    pub fn patches_of(&self, k: usize) -> [u32; 2] {
        [self.starts[k], self.starts[k + 1]]
    }

    /// The bounding box of all tiles, and the number of each tile in it, first axis fastest, [`TileCover::NONE`] where there is none. `None` if
    /// the box has far more places than there are tiles.
    pub fn map(&self) -> Option<(CellBox<D>, &[u32])> {
        self.map.as_ref().map(|(around, numbers)| (*around, numbers.as_slice()))
    }

    /// The tags whose words are given tile by tile. None lies outside the domain.
    pub fn tags(&self, words: &[u64]) -> TagSet<D> {
        let rows = Tiling::<D>::ROWS;
        assert_eq!(words.len(), self.tiles.len() * rows, "words of {} tiles", self.tiles.len());
        let has_tags = |&k: &usize| words[k * rows..][..rows].iter().any(|&w| w != 0);
        let tagged: Vec<usize> = (0..self.tiles.len()).into_par_iter().with_min_len(SHARED).filter(has_tags).collect();
        let mut kept = vec![0; tagged.len() * rows];
        let of_tiles = kept.par_chunks_exact_mut(rows).zip(&tagged).with_min_len(SHARED);
        of_tiles.for_each(|(to, k)| to.copy_from_slice(&words[k * rows..][..rows]));
        let places = tagged.iter().enumerate().map(|(n, &k)| (key(self.tiles[k]), n * rows));
        let tiles = Places::from_sorted(places);
        TagSet { domain: self.domain, tiles, words: kept }
    }
}

/// Adds the tiles that tags of a patch lie in once they are widened.
fn add_within_reach<const D: usize>(mesh: &LevelMesh<D>, patch: &CellBox<D>, tiles: &mut Vec<CellBox<D>>) {
    let wide = patch.grow_by(std::array::from_fn(|d| Tiling::<D>::extent(d) as i32));
    let (domain, repeats) = (mesh.domain(), mesh.repeats());
    // Most patches need no list of pieces.
    match repeats.axes == [false; D] || domain.contains_box(&wide) {
        true => tiles.push(Tiling::tiles_touching(&wide.intersect(&domain))),
        false => tiles.extend(wrap_into_domain(&wide, &domain, repeats).iter().map(Tiling::tiles_touching)),
    }
}

/// Tiles in order, and the number of each.
struct NumberedTiles<const D: usize> {
    list: Vec<CellIndex<D>>,
    /// A box around all tiles with the number of each of its tiles, if it is not much larger than there are tiles.
    map: Option<(CellBox<D>, Vec<u32>)>,
}

impl<const D: usize> NumberedTiles<D> {
    /// The tiles in some boxes of tiles.
    fn new(spans: &[CellBox<D>]) -> Self {
        let around = spans.iter().fold(CellBox::EMPTY, |hull, span| hull.hull(span));
        let there: usize = spans.iter().map(CellBox::volume).sum();
        let volume = around.size().iter().try_fold(1usize, |volume, &n| volume.checked_mul(n as usize));
        if volume.is_none_or(|volume| volume > MAPPED.max(4 * there)) {
            let mut list: Vec<_> = spans.iter().flat_map(CellBox::cells).collect();
            list.sort_unstable_by_key(|&tile| key(tile));
            list.dedup();
            return NumberedTiles { list, map: None };
        }
        let mut numbers = vec![TileCover::<D>::NONE; around.volume()];
        for span in spans {
            span.cells().for_each(|tile| numbers[place_in(&around, tile)] = 0);
        }
        let mut list = Vec::new();
        for (tile, number) in around.cells().zip(&mut numbers).filter(|(_, number)| **number == 0) {
            *number = list.len() as u32;
            list.push(tile);
        }
        NumberedTiles { list, map: Some((around, numbers)) }
    }

    /// The number of a tile of the list.
    fn number(&self, tile: CellIndex<D>) -> usize {
        match &self.map {
            Some((around, numbers)) => numbers[place_in(around, tile)] as usize,
            None => self.list.partition_point(|other| key(*other) < key(tile)),
        }
    }
}

/// The place of a tile in a box of tiles, first axis fastest.
pub(super) fn place_in<const D: usize>(around: &CellBox<D>, tile: CellIndex<D>) -> usize {
    (0..D).rev().fold(0, |place, d| place * around.size()[d] as usize + (tile[d] - around.lo[d]) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn check<const D: usize>(mesh: &LevelMesh<D>) -> Result<(), TestCaseError> {
        let (cover, domain) = (TileCover::new(mesh, |_| true), mesh.domain());
        // Domains are longer than tiles.
        let periods = CellBox::new([-1; D], [2; D]).cells();
        let periods: Vec<_> = periods.filter(|p| (0..D).all(|d| p[d] == 0 || mesh.periodic()[d])).collect();
        let mut expected: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (patch, cells) in mesh.patches().iter().enumerate() {
            let touched = Tiling::tiles_touching(cells);
            touched.cells().for_each(|tile| expected.entry(key(tile)).or_default().push(patch as u32));
            let wide = cells.grow_by(std::array::from_fn(|d| Tiling::<D>::extent(d) as i32));
            for period in &periods {
                let image = wide.shift(std::array::from_fn(|d| period[d] * domain.size()[d])).intersect(&domain);
                Tiling::tiles_touching(&image).cells().for_each(|tile| {
                    expected.entry(key(tile)).or_default();
                });
            }
        }
        prop_assert!(cover.tiles().iter().map(|&tile| key(tile)).eq(expected.keys().copied()));
        if let Some((around, numbers)) = cover.map() {
            for (tile, &number) in around.cells().zip(numbers) {
                let known = expected.keys().position(|k| *k == key(tile));
                prop_assert_eq!(known, (number != TileCover::<D>::NONE).then_some(number as usize));
            }
        }
        for (k, patches) in expected.values().enumerate() {
            let [start, end] = cover.patches_of(k).map(|n| n as usize);
            prop_assert_eq!(&cover.patches()[start..end], &patches[..]);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Tiles, the patches in them and their neighbours are those that a search finds, whether the patches lie close together
        /// or at the ends of a huge domain.
        #[test]
        fn agrees_with_a_search(
            lo in [-70..70i32, -70..70i32],
            cuts in [1..290i32, 1..190i32],
            far in 0..2i32,
            periodic in any::<[bool; 2]>(),
        ) {
            let domain = CellBox::new(lo, [lo[0] + 300 + far * 1_000_000, lo[1] + 200 + far * 1_000_000]);
            let near = CellBox::new(lo, [lo[0] + 300, lo[1] + 200]);
            let (left, right) = near.split(0, lo[0] + cuts[0]);
            let (below, above) = right.split(1, lo[1] + cuts[1]);
            let end = CellBox::new(domain.hi.map(|i| i - 5), domain.hi);
            let patches = if far == 1 { vec![left, above, end] } else { vec![left, below, above] };
            check(&LevelMesh::new(domain, periodic, patches))?;
            let line = |cells: &CellBox<2>| CellBox::new([cells.lo[0]], [cells.hi[0]]);
            check(&LevelMesh::new(line(&domain), [periodic[0]], vec![line(&left), line(&end)]))?;
        }

        /// A set made of a cover's words has the tags of the words.
        #[test]
        fn words_are_tags(cells in prop::collection::vec([0..300i32, 0..200i32], 0..9)) {
            let domain = CellBox::new([0, 0], [300, 200]);
            let cover = TileCover::new(&LevelMesh::new(domain, [false; 2], vec![domain]), |_| true);
            let (mut tags, mut words) = (TagSet::new(domain), vec![0; 64 * cover.tiles().len()]);
            for cell in cells {
                tags.insert(cell);
                let tile = cover.tiles().iter().position(|tile| *tile == Tiling::tile_of(cell)).expect("all are there");
                words[tile * 64 + Tiling::row_of(cell)] |= 1 << (cell[0] & 63);
            }
            prop_assert!(cover.tags(&words) == tags);
        }
    }
}
