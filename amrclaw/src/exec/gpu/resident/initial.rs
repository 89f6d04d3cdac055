//! Initial data: by kernels, or computed by the host piece by piece, each copied to the device while the next is computed.

use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::step::LevelSpec;
use crate::fields::LevelLayout;
use crate::index::Level;
use crate::mesh::LevelMesh;
use riemann::patch::PACK_OVERRUN;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// Cells of a piece, ghost cells included: enough for many threads, few enough to stay near the processor.
const CELLS: usize = 1 << 22;

/// Ranges of this rank's patches with at most `cells` cells together, or of a single patch.
fn pieces<const D: usize>(layout: &LevelLayout<D>, cells: usize) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut room = 0;
    for (k, (_, patch)) in layout.here().enumerate() {
        match pieces.last_mut() {
            Some(piece) if patch.component() <= room => piece.end = k + 1,
            _ => {
                pieces.push(k..k + 1);
                room = cells.max(patch.component());
            }
        }
        room -= patch.component();
    }
    pieces
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Makes a level with initial data. Finer levels are dropped.
    pub(super) fn initialise_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        let (level, cells) = (spec.level, spec.mesh.num_cells());
        if self.functions.initial.is_some() && self.evaluate_initial(spec.clone())? {
            return self.check_nonnegative(level);
        }
        let start = Instant::now();
        self.initialise_by_host(spec)?;
        self.host.get_mut().works().note("initial data", cells, start);
        Ok(())
    }

    /// Refuses initial data that the solver does not allow, where kernels have not seen all of it.
    fn check_nonnegative(&self, level: Level) -> Result<(), ExecError> {
        if !self.facts.has_nonnegative {
            return Ok(());
        }
        self.fetch_level(level)?;
        self.host.lock().check_filled(level)
    }

    /// Replaces a level by one with initial data computed on the host. Finer levels are dropped.
    fn initialise_by_host(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        let (level, mesh) = (spec.level, spec.mesh.clone());
        self.begin_level(spec.clone())?;
        if let Some(coarser) = level.coarser() {
            self.make_host_copies(coarser);
        }
        let layout = self.levels[level.index()].layout.clone();
        let here: Vec<usize> = layout.here().map(|(k, _)| k).collect();
        for piece in pieces(&layout, CELLS) {
            let patches = here[piece.clone()].iter().map(|&k| mesh.patches()[k]).collect();
            let part = Arc::new(LevelMesh::new(mesh.domain(), mesh.repeats(), patches));
            let part = LevelSpec { mesh: part, partition: None, ..spec.clone() };
            let made = self.host.get_mut().initialise_level(part);
            made.map_err(|error| error.of_patches(&here[piece.clone()]))?;
            self.send_piece(level, &layout, here[piece.start])?;
        }
        self.host.get_mut().truncate(level);
        Ok(())
    }

    /// Copies a piece of a level from the host's copy to the device, without the padding at the ends of its arrays.
    fn send_piece(&mut self, level: Level, layout: &LevelLayout<D>, first: usize) -> Result<(), ExecError> {
        let (store, host) = (&self.levels[level.index()], self.host.get_mut());
        let patch = &layout.patches[first];
        let (number, room) = (self.sizes.number, PACK_OVERRUN * self.sizes.number);
        let at = |count: usize| patch.offset(count, patch.with_ghosts().lo) * number;
        let inner = |values: &[u8]| room..values.len() - room;
        let q = &*host.q_of_copy(level);
        self.machine.upload(&q[inner(q)], store.q(), at(self.sizes.num_eqn))?;
        if let Some(memory) = &store.aux {
            let aux = &*host.aux_of_copy(level);
            self.machine.upload(&aux[inner(aux)], memory, at(self.sizes.num_aux))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::CellBox;

    /// Pieces follow one another, hold all patches and no more cells than they may, unless that is one patch.
    #[test]
    fn pieces_are_of_few_cells() {
        let patches = [[0, 3], [3, 10], [10, 12], [12, 13], [13, 30]].map(|[lo, hi]| CellBox::new([lo, 0], [hi, 6]));
        let mesh = LevelMesh::new(CellBox::new([0, 0], [30, 6]), [false; 2], patches.to_vec());
        let layout = LevelLayout::new(&mesh, 2);
        // With ghost cells: 7, 11, 6, 5 and 21 columns of 10 cells.
        assert_eq!(pieces(&layout, 180), [0..2, 2..4, 4..5]);
        assert_eq!(pieces(&layout, 0).len(), 5);
    }
}
