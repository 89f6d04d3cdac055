//! The tiles that the update of a level works on. The level's first step cuts them, while the device is still busy with filling the new
//! level.

use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{TableBuilder, cut_into_tiles, pointer, strip_table, tile_shape};
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::LIST_TILES;
use cuda::amr::{ListTilesArgs, Tile};
use riemann::real::Scalar;
use std::ops::Range;

/// The tiles of a sweep: the number of the first among those of the level, and their count.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    first: usize,
    pub count: u32,
}

/// A level's tiles.
pub(super) struct LevelTiles<M> {
    memory: M,
    /// Of all patches, by sweep.
    pub all: Vec<Tiles>,
    /// Of each batch, by sweep, where states slide.
    pub batches: Vec<Vec<Tiles>>,
}

impl<M> LevelTiles<M> {
    /// The address of tiles.
    pub fn address<N: Machine<Memory = M>>(&self, tiles: Tiles) -> Pointer<Tile> {
        pointer::<_, N>(&self.memory, tiles.first * size_of::<Tile>())
    }
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Cuts a level into tiles, if it has not been.
    pub(super) fn make_tiles(&mut self, l: usize) -> Result<(), CudaError> {
        let store = &self.levels[l];
        if store.tiles.is_some() {
            return Ok(());
        }
        let (sizes, resident_tiles) = (self.sizes, self.machine.resident_tiles());
        let (mut builder, mut lists, mut num_tiles) = (TableBuilder::default(), Vec::new(), 0);
        let mut cut = |patches: Range<usize>| -> Vec<Tiles> {
            let of_sweep = |sweep| {
                let shape = tile_shape(sweep, sizes.num_eqn, sizes.precision);
                let strips = strip_table(&store.layout, sweep, shape, patches.clone());
                let (cells, count) = cut_into_tiles(strips, resident_tiles);
                let tiles = Tiles { first: num_tiles, count };
                lists.push((builder.append_all(&cells), cells.len() as u32, tiles));
                num_tiles += count as usize;
                tiles
            };
            self.sweeps.iter().map(of_sweep).collect()
        };
        let all = cut(0..store.layout.patches.len());
        let batches = store.slide.iter().flat_map(|slide| &slide.batches).map(|patches| cut(patches.clone())).collect();
        let cells = builder.send(&self.machine)?;
        let memory = self.machine.allocate((num_tiles * size_of::<Tile>()).max(1))?;
        let made = LevelTiles { memory, all, batches };
        for (start, num_cells, tiles) in lists {
            let cells = pointer::<_, N>(&cells, start);
            let args = ListTilesArgs { cells, tiles: made.address::<N>(tiles), num_cells, num_tiles: tiles.count };
            // SAFETY: there is room for each tile, which one thread writes.
            unsafe { self.machine.run(&LIST_TILES, D, tiles.count as usize, &args)? };
        }
        self.levels[l].tiles = Some(made);
        Ok(())
    }
}
