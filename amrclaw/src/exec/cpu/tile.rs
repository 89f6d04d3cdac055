//! Tiles of patches, and the order in which threads take whole patches of several tiles.

use crate::fields::LevelLayout;
use std::cmp::Reverse;
use std::ops::Range;

/// A tile of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The patch.
    pub patch: u32,
    /// First cell, counted from the patch's first.
    pub lo: [i32; 3],
    /// One past the last cell.
    pub hi: [i32; 3],
    /// Positions in [`super::tiles::TilePlan::kept`]: by axis for split sweeps, all in the first for the unsplit update.
    pub kept: [Range<usize>; 3],
}

/// Cells that tiles read beyond their own on every side.
pub(super) const READ_BEYOND: i32 = 2;

/// The order in which threads take whole patches, with the tiles of each in order.
#[derive(Clone, Debug, Default)]
pub(super) struct PatchOrder {
    /// Numbers of tiles, one patch's after another.
    tiles: Vec<u32>,
    /// The tiles of each patch in `tiles`; the largest patch first.
    patches: Vec<Range<usize>>,
    /// Most cells that an update in place buffers for one patch.
    pub most_buffered: usize,
}

/// Cells of a patch, counted from its first: `lo <= cell < hi`.
pub(super) type Block = [[i32; 3]; 2];

impl Tile {
    /// The tile's cells that later tiles of a patch of this size read: its last rows, and the last columns of its other rows.
    pub fn read_later(&self, size: [i32; 3]) -> [Block; 2] {
        let (lo, hi) = (self.lo, self.hi);
        let [x, y] = [0, 1].map(|d| if hi[d] < size[d] { lo[d].max(hi[d] - READ_BEYOND) } else { hi[d] });
        [[[lo[0], y, lo[2]], hi], [[x, lo[1], lo[2]], [hi[0], y, hi[2]]]]
    }

    /// Number of these cells.
    pub fn num_read_later(&self, size: [i32; 3]) -> usize {
        let cells = |[lo, hi]: Block| (0..3).map(|d| (hi[d] - lo[d]) as usize).product::<usize>();
        self.read_later(size).into_iter().map(cells).sum()
    }
}

impl PatchOrder {
    /// Sorts a level's tiles by patch.
    pub fn new<const D: usize>(tiles: &[Tile], layout: &LevelLayout<D>) -> Self {
        let mut numbers: Vec<u32> = (0..tiles.len() as u32).collect();
        numbers.sort_unstable_by_key(|&n| {
            let Tile { patch, lo: [x, y, z], .. } = tiles[n as usize];
            (Reverse(layout.patches[patch as usize].cells.volume()), patch, [z, y, x])
        });
        let mut turns = PatchOrder::default();
        let mut start = 0;
        for of_patch in numbers.chunk_by(|&a, &b| tiles[a as usize].patch == tiles[b as usize].patch) {
            let patch = layout.patches[tiles[of_patch[0] as usize].patch as usize].cells.size();
            let size = std::array::from_fn(|d| patch.get(d).copied().unwrap_or(1));
            let aside = of_patch.iter().map(|&n| tiles[n as usize].num_read_later(size)).sum();
            turns.most_buffered = turns.most_buffered.max(aside);
            turns.patches.push(start..start + of_patch.len());
            start += of_patch.len();
        }
        turns.tiles = numbers;
        turns
    }

    /// Number of patches.
    pub fn num_patches(&self) -> usize {
        self.patches.len()
    }

    /// Numbers of the tiles of the `n`-th largest patch.
    pub fn tiles_of(&self, n: usize) -> &[u32] {
        &self.tiles[self.patches[n].clone()]
    }
}
