//! Largest values, of which the host reads a few numbers.

use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{TableBuilder, bytes_of_mut, pointer, region};
use crate::exec::{ExecError, Reduction};
use crate::index::Level;
use crate::plan::LevelPlans;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{EXTREMES, LARGEST};
use cuda::amr::tuning::patch_blocks;
use cuda::amr::{ExtremesArgs, LargestArgs, Region};
use std::time::Instant;

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Words that a kernel raises from zero.
    fn raised(
        &self,
        count: usize,
        launch: impl FnOnce(Pointer<u64>) -> Result<(), CudaError>,
    ) -> Result<Vec<u64>, CudaError> {
        let mut words = vec![0_u64; count];
        let out = self.machine.allocate(8 * count)?;
        self.machine.zero(&out, 0, 8 * count)?;
        launch(pointer::<_, N>(&out, 0))?;
        self.machine.download(&out, 0, bytes_of_mut(&mut words))?;
        Ok(words)
    }

    /// The largest absolute values in a level's own cells.
    pub(super) fn level_largest(&self, level: Level) -> Result<Vec<f64>, ExecError> {
        let store = &self.levels[level.index()];
        let num_patches = store.mesh.patches().len();
        let blocks_per_patch = patch_blocks(num_patches, store.layout.num_cells_with_ghosts());
        let bits = self.raised(self.sizes.num_eqn, |largest| {
            let args = LargestArgs { view: store.view(), largest, blocks_per_patch };
            // SAFETY: the array and the patches are those of the level; there is a number for each equation.
            unsafe { self.machine.run(&LARGEST, D, num_patches * blocks_per_patch as usize, &args) }
        })?;
        Ok(bits.into_iter().map(f64::from_bits).collect())
    }

    /// As [`Reduction::Extremes`]; the host computes those that kernels cannot.
    pub(super) fn level_extremes(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Result<Vec<f64>, ExecError> {
        let Some(function) = &self.functions.extremes else {
            let start = Instant::now();
            self.fetch_level(level)?;
            let (host, mut found) = (self.host.lock(), Vec::new());
            host.reduce(Reduction::Extremes, level, finer, &mut found)?;
            host.works().note("extremes", self.levels[level.index()].mesh.num_cells(), start);
            return Ok(found);
        };
        let store = &self.levels[level.index()];
        let local = store.layout.patches.iter().enumerate().filter(|(_, patch)| patch.is_local);
        let open = local.flat_map(|(k, patch)| {
            let cells = LevelPlans::uncovered_cells(finer, k, &patch.cells);
            cells.into_iter().map(move |cells| region(k as u32, k as u32, &cells, [0; D]))
        });
        let (boxes, cells): (Vec<Region>, Vec<usize>) = open.unzip();
        if boxes.is_empty() {
            return Ok(vec![f64::NEG_INFINITY; function.num_values]);
        }
        let blocks_per_box = patch_blocks(boxes.len(), cells.iter().sum());
        let mut builder = TableBuilder::default();
        builder.append(boxes.iter().copied());
        let memory = builder.send(&self.machine)?;
        let words = self.raised(function.num_values, |largest| {
            let args = ExtremesArgs {
                view: store.view(),
                boxes: pointer::<_, N>(&memory, 0),
                largest,
                level: self.lattice(level)?,
                t: store.states.time,
                blocks_per_box,
            };
            // SAFETY: the boxes are interior cells of the level's patches; there is a number for each value of the function.
            unsafe { self.machine.run(&EXTREMES, D, boxes.len() * blocks_per_box as usize, &args) }
        })?;
        Ok(words.into_iter().map(number_of).collect())
    }
}

/// The number that an integer of the same order stands for: see `kernels/extremes.cu`.
fn number_of(ordered: u64) -> f64 {
    let sign = 1 << 63;
    f64::from_bits(if ordered & sign == 0 { !ordered } else { ordered ^ sign })
}
