//! Ghost cells, for checks.

use super::CpuExecutor;
use crate::exec::{ExecError, Flagged, FlagsDone, PatchValues, Probe};
use crate::fields::PatchLayout;
use crate::index::{CellBox, Level};
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> Probe<D> for CpuExecutor<D, R> {
    fn with_ghosts(&self, level: Level) -> Vec<PatchValues<D>> {
        let store = &self.levels[level.index()];
        let of_patch = |patch: &PatchLayout<D>| {
            let start = patch.offset(store.num_eqn, patch.with_ghosts().lo);
            let values = &store.q()[start..][..store.num_eqn * patch.component()];
            (patch.with_ghosts(), values.iter().map(|value| value.to_f64()).collect())
        };
        store.layout.patches.iter().map(of_patch).collect()
    }

    fn poison_ghosts(&mut self, level: Level) {
        let store = &mut self.levels[level.index()];
        let (layout, num_eqn) = (store.layout.clone(), store.num_eqn);
        let q = store.q_mut();
        for patch in &layout.patches {
            let mut ghosts: Vec<CellBox<D>> = Vec::new();
            patch.with_ghosts().subtract_into(&patch.cells, &mut ghosts);
            for row in ghosts.iter().flat_map(|cells| cells.rows().map(|row| (row, cells.size()[0] as usize))) {
                for m in 0..num_eqn {
                    let start = patch.offset(num_eqn, row.0) + m * patch.component();
                    q[start..][..row.1].fill(R::from_f64(f64::NAN));
                }
            }
        }
    }

    fn flags(&mut self, level: Level, dt: f64) -> Result<Flagged<D>, ExecError> {
        let tags = self.flag_level(level, dt)?;
        let cells = self.levels[level.index()].mesh.num_cells();
        Ok(Flagged { tags, done: FlagsDone::default(), of_all: !self.ranks.keeps_flags(cells, false) })
    }

    fn poison_new_arrays(&mut self) {
        self.pool.poison();
    }
}
