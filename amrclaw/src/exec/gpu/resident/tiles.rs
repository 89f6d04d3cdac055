//! The tiles that the update of a level works on. The level's first step cuts them, while the device is still busy with filling the new
//! level.

use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{TableBuilder, cut_into_tiles, pointer, strip_table, tile_shape};
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::LIST_TILES;
use cuda::amr::{ListTilesArgs, Tile};

/// A level's tiles.
pub(super) struct LevelTiles<M> {
    memory: M,
    /// For each sweep the number of its first tile, and how many it has.
    of_sweeps: Vec<(usize, u32)>,
}

impl<M> LevelTiles<M> {
    /// The tiles of a sweep, and their number.
    pub fn of_sweep<N: Machine<Memory = M>>(&self, sweep: usize) -> (Pointer<Tile>, u32) {
        let (first, count) = self.of_sweeps[sweep];
        (pointer::<_, N>(&self.memory, first * size_of::<Tile>()), count)
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Cuts a level into tiles, if it has not been.
    pub(super) fn make_tiles(&mut self, l: usize) -> Result<(), CudaError> {
        let store = &self.levels[l];
        if store.tiles.is_some() {
            return Ok(());
        }
        let (sizes, resident_tiles) = (self.sizes, self.machine.resident_tiles());
        let (mut builder, mut lists, mut of_sweeps, mut num_tiles) =
            (TableBuilder::default(), Vec::new(), Vec::new(), 0);
        for sweep in &self.split.sweeps {
            let shape = tile_shape(sweep, sizes.num_eqn, sizes.precision);
            let strips = strip_table(&store.layout, sweep, shape, 0..store.layout.patches.len());
            let (cells, count) = cut_into_tiles(strips, resident_tiles);
            lists.push((builder.append_all(&cells), cells.len() as u32));
            of_sweeps.push((num_tiles, count));
            num_tiles += count as usize;
        }
        let cells = builder.send(&self.machine)?;
        let memory = self.machine.allocate((num_tiles * size_of::<Tile>()).max(1))?;
        let made = LevelTiles { memory, of_sweeps };
        for (sweep, (start, num_cells)) in lists.into_iter().enumerate() {
            let (tiles, num_tiles) = made.of_sweep::<N>(sweep);
            let args = ListTilesArgs { cells: pointer::<_, N>(&cells, start), tiles, num_cells, num_tiles };
            // SAFETY: there is room for each tile, which one thread writes.
            unsafe { self.machine.run(&LIST_TILES, D, num_tiles as usize, &args)? };
        }
        self.levels[l].tiles = Some(made);
        Ok(())
    }
}
