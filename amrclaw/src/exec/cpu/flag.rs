//! Flagging: which cells the criterion selects for refinement.

use super::CpuExecutor;
use super::reduce::gather;
use super::store::LevelStore;
use crate::exec::ExecError;
use crate::fields::PatchLayout;
use crate::index::{CellBox, Level};
use crate::mesh::TagSet;
use crate::physics::{CellBlock, CellRow, Criterion, StateBlockFunction, StateFunction};
use crate::ranks::{CommError, MessageKind, RunLengths};
use crate::threads::parallel_map;
use riemann::real::Scalar;
use std::time::Instant;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Tags of a level, or of this rank's patches alone where ranks keep their flags; `bitmap` makes those of a patch, see
    /// [`TagSet::from_bitmaps`].
    pub(super) fn tags_of_patches(
        &self,
        level: Level,
        bitmap: impl Fn(&PatchLayout<D>) -> Vec<u64> + Sync,
    ) -> Result<TagSet<D>, ExecError> {
        let store = &self.levels[level.index()];
        let patches = &store.layout.patches;
        let of_patch = |k: usize| if patches[k].is_local { bitmap(&patches[k]) } else { Vec::new() };
        let bitmaps = parallel_map(patches.len(), of_patch).concat();
        Ok(match self.ranks.keeps_flags(store.mesh.num_cells(), false) {
            true => TagSet::from_bitmaps(&store.mesh, |k| patches[k].is_local, &bitmaps),
            false => TagSet::from_bitmaps(&store.mesh, |_| true, &self.bitmaps_of_all(level, bitmaps)?),
        })
    }

    /// The bitmaps of all patches, one after another in the mesh's order, gathered from the ranks. `own`: those of this rank's patches.
    fn bitmaps_of_all(&self, level: Level, own: Vec<u64>) -> Result<Vec<u64>, CommError> {
        let store = &self.levels[level.index()];
        let Some(partition) = &store.partition else { return Ok(own) };
        let words_of = |cells: &CellBox<D>| {
            let size = cells.size();
            (size[0] as usize).div_ceil(64) * (cells.volume() / size[0] as usize)
        };
        let patches =
            || store.mesh.patches().iter().enumerate().map(|(k, patch)| (partition.owner(k), words_of(patch)));
        let all = self.ranks.gather_runs(self.header(MessageKind::Flags, level), RunLengths::new(&own))?;
        let mut counts = vec![0; all.len()];
        patches().for_each(|(owner, count)| counts[owner] += count);
        let bitmaps: Vec<Vec<u64>> = (all.iter().zip(&counts))
            .map(|(runs, &count)| {
                let mut words = vec![0; count];
                RunLengths::join(std::slice::from_ref(runs), &mut words);
                words
            })
            .collect();
        let mut rest: Vec<&[u64]> = bitmaps.iter().map(Vec::as_slice).collect();
        let mut words = Vec::with_capacity(counts.iter().sum());
        for (owner, count) in patches() {
            let (these, after) = rest[owner].split_at(count);
            words.extend_from_slice(these);
            rest[owner] = after;
        }
        Ok(words)
    }

    /// Flags by any criterion.
    pub(in crate::exec) fn flag_level(&mut self, level: Level, dt: f64) -> Result<TagSet<D>, ExecError> {
        if let Criterion::Richardson { .. } = self.problem.criterion {
            return self.flag_by_richardson(level, dt);
        }
        let (store, start) = (&self.levels[level.index()], Instant::now());
        let bitmap = |patch: &PatchLayout<D>| {
            let mut flags = vec![false; patch.cells.size()[0] as usize];
            let mut widest = vec![R::from_f64(0.0); flags.len()];
            let mut bits = Vec::new();
            let by_block = match &self.problem.criterion {
                Criterion::User(function) => function.by_block(),
                Criterion::Difference { .. } | Criterion::Richardson { .. } => None,
            };
            if let Some(function) = by_block {
                let values = self.fill_by_block_function(store, patch, function, 1);
                let wanted: Vec<bool> = values.into_iter().map(|value| value != 0.0).collect();
                wanted.chunks_exact(flags.len()).for_each(|row| pack_bits(row, &mut bits));
                return bits;
            }
            for row in patch.cells.rows() {
                match &self.problem.criterion {
                    Criterion::User(function) => {
                        self.fill_by_function(store, patch, row, function.as_ref(), &mut flags)
                    }
                    Criterion::Difference { tolerance } => {
                        let tolerance = R::from_f64(*tolerance);
                        widest_differences(store, patch, row, tolerance, &mut widest);
                        flags.iter_mut().zip(&widest).for_each(|(flag, widest)| *flag = *widest > tolerance);
                    }
                    Criterion::Richardson { .. } => unreachable!("handled above"),
                }
                pack_bits(&flags, &mut bits);
            }
            bits
        };
        let tags = self.tags_of_patches(level, bitmap)?;
        if matches!(self.problem.criterion, Criterion::User(_)) {
            self.note_host("flags", level, start);
        }
        Ok(tags)
    }

    fn fill_by_function(
        &self,
        store: &LevelStore<D, R>,
        patch: &PatchLayout<D>,
        row: [i32; D],
        function: &dyn StateFunction<D>,
        flags: &mut [bool],
    ) {
        let mut wanted = vec![0.0; flags.len()];
        self.fill_row_by(store, patch, (row, flags.len()), function, &mut wanted);
        flags.iter_mut().zip(wanted).for_each(|(flag, w)| *flag = w != 0.0);
    }

    /// Fills the values of a function of the state in a row of cells of a patch.
    pub(super) fn fill_row_by(
        &self,
        store: &LevelStore<D, R>,
        patch: &PatchLayout<D>,
        (first, len): ([i32; D], usize),
        function: &dyn StateFunction<D>,
        out: &mut [f64],
    ) {
        let mut end = first.map(|i| i + 1);
        end[0] = first[0] + len as i32;
        let of_row = CellBox::new(first, end);
        let state = gather(store.q(), patch, &of_row, store.num_eqn);
        let aux = gather(&store.aux, patch, &of_row, self.solver.aux().len());
        let cells = CellRow { geometry: store.geometry, first, len, time: store.states.time };
        function.fill_row(&cells, &state, &aux, out);
    }

    /// The values of a function over boxes in a patch, shape `[value, z, y, x]`.
    pub(super) fn fill_by_block_function(
        &self,
        store: &LevelStore<D, R>,
        patch: &PatchLayout<D>,
        function: &dyn StateBlockFunction<D>,
        num_values: usize,
    ) -> Vec<f64> {
        let block = CellBlock {
            geometry: store.geometry,
            first: patch.cells.lo,
            size: patch.cells.size().map(|n| n as usize),
            time: store.states.time,
        };
        let [of_state, of_aux] = function.reach().map(|reach| patch.cells.grow(reach));
        let state = gather(store.q(), patch, &of_state, store.num_eqn);
        let aux = gather(&store.aux, patch, &of_aux, self.solver.aux().len());
        let mut values = vec![0.0; num_values * block.num_cells()];
        function.fill(&block, &state, &aux, &mut values);
        values
    }
}

/// The largest `|q_{i+1} − q_{i−1}|` of each cell of a row along any axis, of any component; `least` if none is larger.
///
/// All numbers have one type, so that the compiler vectorises the loop.
fn widest_differences<const D: usize, R: Scalar>(
    store: &LevelStore<D, R>,
    patch: &PatchLayout<D>,
    row: [i32; D],
    least: R,
    widest: &mut [R],
) {
    widest.fill(least);
    let strides = patch.strides();
    let start = patch.offset(store.num_eqn, row);
    for m in 0..store.num_eqn {
        for step in [1, strides.row, strides.slab].into_iter().take(D) {
            let here = start + m * patch.component();
            let below = &store.q()[here - step..][..widest.len()];
            let above = &store.q()[here + step..][..widest.len()];
            for ((widest, a), b) in widest.iter_mut().zip(above).zip(below) {
                let difference = (*a - *b).abs();
                // NaN counts as not larger.
                *widest = if difference > *widest { difference } else { *widest };
            }
        }
    }
}

/// Appends a row of flags, 64 to a word.
pub(super) fn pack_bits(flags: &[bool], bits: &mut Vec<u64>) {
    bits.extend(
        flags
            .chunks(64)
            .map(|word| word.iter().enumerate().fold(0u64, |bits, (k, &flag)| bits | (u64::from(flag) << k))),
    );
}
