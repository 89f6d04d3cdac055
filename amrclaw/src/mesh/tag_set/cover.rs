//! The tiles that a level's tags can lie in, known before there are tags: where a device puts them.

use super::{Places, TagSet, Tiling, key};
use crate::index::{CellBox, CellIndex};
use crate::mesh::LevelMesh;
use rayon::prelude::*;

/// Tiles that one thread looks at or copies at a time, at least.
const SHARED: usize = 256;
/// Tiles of a box around all tiles that may be mapped however few of them there are.
const MAPPED: usize = 1 << 16;

/// The tiles over a level's patches and all around these, as far as they touch the domain: they hold the level's tags, widened by
/// up to a tile's extent.
pub(crate) struct TileCover<const D: usize> {
    domain: CellBox<D>,
    /// In the order of a set's tiles.
    tiles: Vec<CellIndex<D>>,
    /// `patches[starts[k]..starts[k + 1]]`: the patches that share cells with tile `k`.
    starts: Vec<u32>,
    patches: Vec<u32>,
    map: Option<(CellBox<D>, Vec<u32>)>,
}

impl<const D: usize> TileCover<D> {
    /// The number where there is no tile.
    pub const NONE: u32 = u32::MAX;

    /// Of all patches, or of some.
    pub fn new(mesh: &LevelMesh<D>, is_covered: impl Fn(usize) -> bool) -> Self {
        let domain = mesh.domain();
        let covered = || mesh.patches().iter().enumerate().filter(|(k, _)| is_covered(*k));
        let touched = covered().map(|(_, patch)| Tiling::tiles_touching(patch));
        let tiles = NumberedTiles::new(touched.clone(), &Tiling::tiles_touching(&domain));
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
        TileCover { domain, tiles: tiles.list, starts, patches, map: tiles.map }
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

    /// A box of tiles around all, and the number of each of its tiles, first axis fastest, [`TileCover::NONE`] where there is none; if the
    /// box is not much larger than there are tiles.
    pub fn map(&self) -> Option<(CellBox<D>, &[u32])> {
        self.map.as_ref().map(|(around, numbers)| (*around, numbers.as_slice()))
    }

    /// For each tile the first one that is not before the tile `step` further: where a walk along that one's row starts.
    pub fn starts_beside(&self, step: [i32; D]) -> impl Iterator<Item = u32> {
        let mut first = 0;
        self.tiles.iter().map(move |tile| {
            let beside = std::array::from_fn(|d| tile[d] + step[d]);
            while self.tiles.get(first).is_some_and(|tile| key(*tile) < key(beside)) {
                first += 1;
            }
            first as u32
        })
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

/// Tiles in order, and the number of each.
struct NumberedTiles<const D: usize> {
    list: Vec<CellIndex<D>>,
    /// A box around all tiles with the number of each of its tiles, if it is not much larger than there are tiles.
    map: Option<(CellBox<D>, Vec<u32>)>,
}

impl<const D: usize> NumberedTiles<D> {
    /// Those that boxes of tiles hold, and their neighbours, as far as `all` does.
    fn new(spans: impl Iterator<Item = CellBox<D>> + Clone, all: &CellBox<D>) -> Self {
        let grown = spans.map(|span| span.grow(1).intersect(all));
        let around = grown.clone().fold(CellBox::EMPTY, |hull, span| hull.hull(&span));
        let there: usize = grown.clone().map(|span| span.volume()).sum();
        let volume = around.size().iter().try_fold(1usize, |volume, &n| volume.checked_mul(n as usize));
        if volume.is_none_or(|volume| volume > MAPPED.max(4 * there)) {
            let mut list: Vec<_> = grown.flat_map(|span| span.cells()).collect();
            list.sort_unstable_by_key(|&tile| key(tile));
            list.dedup();
            return NumberedTiles { list, map: None };
        }
        let mut numbers = vec![TileCover::<D>::NONE; around.volume()];
        for span in grown {
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
        let (cover, all) = (TileCover::new(mesh, |_| true), Tiling::tiles_touching(&mesh.domain()));
        let mut expected: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (patch, cells) in mesh.patches().iter().enumerate() {
            let touched = Tiling::tiles_touching(cells);
            for tile in touched.grow(1).intersect(&all).cells() {
                let patches = expected.entry(key(tile)).or_default();
                patches.extend(touched.contains(tile).then_some(patch as u32));
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
        for step in CellBox::new([-1; D], [2; D]).cells() {
            for (tile, first) in cover.tiles().iter().zip(cover.starts_beside(step)) {
                let beside = std::array::from_fn(|d| tile[d] + step[d]);
                let before = expected.keys().filter(|other| **other < key(beside)).count();
                prop_assert_eq!(first as usize, before);
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Tiles, the patches in them and their neighbours are those that a search finds, whether the patches lie close together
        /// or at the ends of a huge domain.
        #[test]
        fn agrees_with_a_search(lo in [-70..70i32, -70..70i32], cuts in [1..290i32, 1..190i32], far in 0..2i32) {
            let domain = CellBox::new(lo, [lo[0] + 300 + far * 1_000_000, lo[1] + 200 + far * 1_000_000]);
            let near = CellBox::new(lo, [lo[0] + 300, lo[1] + 200]);
            let (left, right) = near.split(0, lo[0] + cuts[0]);
            let (below, above) = right.split(1, lo[1] + cuts[1]);
            let end = CellBox::new(domain.hi.map(|i| i - 5), domain.hi);
            let patches = if far == 1 { vec![left, above, end] } else { vec![left, below, above] };
            check(&LevelMesh::new(domain, [false; 2], patches))?;
            let line = |cells: &CellBox<2>| CellBox::new([cells.lo[0]], [cells.hi[0]]);
            check(&LevelMesh::new(line(&domain), [false], vec![line(&left), line(&end)]))?;
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
