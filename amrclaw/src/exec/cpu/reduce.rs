//! Values taken from a level: snapshots, totals, values at points.

use super::CpuExecutor;
use crate::exec::LevelState;
use crate::exec::step::agree::sums_of_all;
use crate::exec::{Reduction, larger};
use crate::fields::PatchLayout;
use crate::index::{CellBox, Level};
use crate::mesh::Surroundings;
use crate::physics::StateFunction;
use crate::plan::LevelPlans;
use crate::threads::{parallel_map, parallel_reduce};
use riemann::real::Scalar;

/// Number of independent maxima.
const LANES: usize = 16;

/// Values of a box of cells in an array laid out as `patch`, `[component, z, y, x]`, x fastest.
pub(super) fn gather<const D: usize, R: Scalar>(
    array: &[R],
    patch: &PatchLayout<D>,
    cells: &CellBox<D>,
    num_components: usize,
) -> Vec<f64> {
    let len = cells.size()[0] as usize;
    let mut values = Vec::with_capacity(num_components * cells.volume());
    for m in 0..num_components {
        for row in cells.rows() {
            let start = patch.offset(num_components, row) + m * patch.component();
            values.extend(array[start..start + len].iter().map(|v| v.to_f64()));
        }
    }
    values
}

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// A level's interior values.
    pub(in crate::exec) fn level_state(&self, level: Level) -> LevelState<D> {
        let store = &self.levels[level.index()];
        let num_aux = self.solver.aux().len();
        let patches = &store.layout.patches;
        let interior = |array: &[R], patch: &PatchLayout<D>, count: usize| {
            if patch.is_local { gather(array, patch, &patch.cells, count) } else { Vec::new() }
        };
        LevelState {
            time: store.states.time,
            q: parallel_map(patches.len(), |k| interior(store.q(), &patches[k], store.num_eqn)),
            aux: parallel_map(patches.len(), |k| interior(&store.aux, &patches[k], num_aux)),
        }
    }

    pub(super) fn load_state(&mut self, level: Level, state: &LevelState<D>) {
        let store = &mut self.levels[level.index()];
        let (layout, num_eqn) = (store.layout.clone(), store.num_eqn);
        let q = store.q_mut();
        for (patch, values) in layout.patches.iter().zip(&state.q).filter(|(patch, _)| patch.is_local) {
            let len = patch.cells.size()[0] as usize;
            let mut from = values.chunks_exact(len);
            for m in 0..num_eqn {
                for (row, values) in patch.cells.rows().zip(&mut from) {
                    let start = patch.offset(num_eqn, row) + m * patch.component();
                    q[start..][..len].iter_mut().zip(values).for_each(|(o, v)| *o = R::from_f64(*v));
                }
            }
        }
    }

    /// Totals over a level's uncovered cells. Patches are summed in their order, so that the number of threads does not matter.
    pub(in crate::exec) fn level_totals(&self, level: Level, finer: Option<&LevelPlans<D>>) -> Vec<f64> {
        let store = &self.levels[level.index()];
        let num_eqn = store.num_eqn;
        let volume = store.geometry.volume();
        let sums = |k: usize| {
            let patch = &store.layout.patches[k];
            let mut sums = vec![0.0; num_eqn];
            if !patch.is_local {
                return sums;
            }
            let open = LevelPlans::uncovered_cells(finer, k, &patch.cells);
            for row in open.iter().flat_map(|b| b.rows().map(|row| (row, b.size()[0] as usize))) {
                self.add_row(store.q(), &store.aux, patch, row, &mut sums);
            }
            sums
        };
        let per_patch = parallel_map(store.layout.patches.len(), sums);
        let per_patch = sums_of_all(&self.ranks, store.partition.as_deref(), per_patch);
        let mut totals = vec![0.0; num_eqn];
        for sums in per_patch {
            totals.iter_mut().zip(sums).for_each(|(t, s)| *t += s * volume);
        }
        totals
    }

    /// The largest value of each of a function's values in this rank's uncovered cells of a level; NaN if there is one.
    pub(super) fn level_extremes(
        &self,
        level: Level,
        finer: Option<&LevelPlans<D>>,
        function: &dyn StateFunction<D>,
    ) -> Vec<f64> {
        let store = &self.levels[level.index()];
        let patches = &store.layout.patches;
        let of_patch = |k: usize| {
            let (patch, mut most) = (&patches[k], vec![f64::NEG_INFINITY; function.num_values()]);
            let open = if patch.is_local { LevelPlans::uncovered_cells(finer, k, &patch.cells) } else { Vec::new() };
            let by_block = function.by_block().filter(|_| !open.is_empty());
            let all = by_block.map(|by_block| self.fill_by_block_function(store, patch, by_block, most.len()));
            for cells in &open {
                let len = cells.size()[0] as usize;
                let mut values = vec![0.0; most.len() * len];
                for row in cells.rows() {
                    match &all {
                        None => self.fill_row_by(store, patch, (row, len), function, &mut values),
                        Some(all) => {
                            let of_patch = all.chunks_exact(patch.cells.volume());
                            let of_row = of_patch.map(|all| &all[patch.cells.number_of(row)..][..len]);
                            values.chunks_exact_mut(len).zip(of_row).for_each(|(to, from)| to.copy_from_slice(from));
                        }
                    }
                    for (most, values) in most.iter_mut().zip(values.chunks_exact(len)) {
                        *most = values.iter().fold(*most, |most, &value| larger(most, value));
                    }
                }
            }
            most
        };
        let (all, mut most) = (parallel_map(patches.len(), of_patch), Vec::new());
        all.iter().for_each(|values| Reduction::Extremes.join(values, &mut most));
        most
    }

    /// Largest absolute value of equation `m` in a level's own cells.
    pub(super) fn level_largest(&self, level: Level, m: usize) -> f64 {
        let store = &self.levels[level.index()];
        let patches = &store.layout.patches;
        let of_patch = |k: usize| {
            let patch = &patches[k];
            if !patch.is_local {
                return 0.0;
            }
            let len = patch.cells.size()[0] as usize;
            // Independent maxima, which the compiler vectorises; their order does not matter.
            let mut lanes = [R::zero(); LANES];
            for row in patch.cells.rows() {
                let start = patch.offset(store.num_eqn, row) + m * patch.component();
                for chunk in store.q()[start..][..len].chunks(LANES) {
                    for (lane, &value) in lanes.iter_mut().zip(chunk) {
                        *lane = value.abs().max(*lane);
                    }
                }
            }
            lanes.into_iter().fold(0.0, |most: f64, lane| most.max(lane.to_f64()))
        };
        parallel_reduce(patches.len(), of_patch, 0.0, f64::max)
    }

    fn add_row(&self, q: &[R], aux: &[R], patch: &PatchLayout<D>, (row, len): ([i32; D], usize), sums: &mut [f64]) {
        let num_aux = self.solver.aux().len();
        let kappa = usize::try_from(self.problem.scheme.capacity)
            .ok()
            .map(|c| &aux[patch.offset(num_aux, row) + c * patch.component()..][..len]);
        let start = patch.offset(sums.len(), row);
        if let Some(on_mesh) = &self.problem.on_mesh {
            let mesh = on_mesh.sides.in_time.now();
            let volumes = &mesh.volume[row[0] as usize..][..len];
            for (m, sum) in sums.iter_mut().enumerate() {
                let values = &q[start + m * patch.component()..][..len];
                *sum += values.iter().zip(volumes).map(|(value, volume)| value.to_f64() * volume).sum::<f64>();
            }
            return;
        }
        for (m, sum) in sums.iter_mut().enumerate() {
            let values = &q[start + m * patch.component()..][..len];
            *sum += match kappa {
                None => values.iter().map(|v| v.to_f64()).sum::<f64>(),
                Some(kappa) => values.iter().zip(kappa).map(|(v, k)| v.to_f64() * k.to_f64()).sum::<f64>(),
            };
        }
    }

    /// Multilinear interpolation between the cell centres around a point; ghost cells may take part. Leaves `out` alone if another rank
    /// has the patch.
    pub(super) fn sample_patch(&self, level: Level, patch: usize, position: [f64; D], out: &mut [f64]) {
        let store = &self.levels[level.index()];
        let layout = &store.layout.patches[patch];
        out.fill(0.0);
        if self.problem.on_mesh.is_some() {
            let start = layout.offset(store.num_eqn, store.geometry.cell_at(position));
            out.iter_mut()
                .enumerate()
                .for_each(|(m, value)| *value = store.q()[start + m * layout.component()].to_f64());
            return;
        }
        let Surroundings { cells, weights } = store.geometry.around(position, &layout.with_ghosts());
        for (cell, weight) in cells.cells().zip(weights) {
            for (m, value) in out.iter_mut().enumerate() {
                let offset = layout.offset(store.num_eqn, cell) + m * layout.component();
                *value += weight * store.q()[offset].to_f64();
            }
        }
    }
}
