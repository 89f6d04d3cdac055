//! Values of a new level after regridding.

use super::CpuExecutor;
use super::ghost::{CoarseLevel, copy_region};
use super::interpolate::Slope;
use super::store::LevelStore;
use super::turns::each_in_turn;
use crate::exec::ExecError;
use crate::fields::{PatchLayout, Shared};
use crate::index::Level;
use crate::mesh::Hierarchy;
use crate::plan::{InterpRegion, TransferPlan};
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn transfer_level(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        plan: &TransferPlan<D>,
    ) -> Result<(), ExecError> {
        let l = level.index();
        let time = self.levels[l - 1].states.time;
        self.levels[l..].iter_mut().for_each(|store| store.release_spare(&mut self.pool));
        let mut store = self.new_store(hierarchy, level, time);
        let mut old = if l < self.levels.len() { Some(self.levels.remove(l)) } else { None };
        {
            let coarse = &self.levels[l - 1];
            let source = CoarseLevel::at_time(coarse, coarse.states.time, hierarchy.ratio(Level((l - 1) as u8)));
            let old = old.as_mut().map(|o| (o.layout.clone(), Shared::new(o.q_mut())));
            let (layout, num_eqn) = (store.layout.clone(), store.num_eqn);
            let q = Shared::new(store.q_mut());
            each_in_turn(plan.num_patches(), |k| {
                let target = &layout.patches[k];
                // SAFETY: each new patch is written by its own task alone; the old ones are only read.
                unsafe {
                    for region in plan.copies(k) {
                        if let Some((layout, values)) = &old {
                            let from = &layout.patches[region.source as usize];
                            copy_region(q, target, *values, from, region, num_eqn);
                        }
                    }
                    for region in plan.interps(k) {
                        source.interpolate(q, target, region, num_eqn, Slope::Minmod);
                    }
                }
            });
        }
        self.levels.insert(l, store);
        self.fill_level_aux(level, time)?;
        self.conserve_with_capacity(level, plan);
        if let Some(old) = old {
            self.retire(l, old);
        }
        Ok(())
    }

    /// With a capacity function, shifts the interpolated cells of each coarse cell so that `Σ κ_f Q_f / N = κ_c Q_c`.
    fn conserve_with_capacity(&mut self, level: Level, plan: &TransferPlan<D>) {
        let Ok(capacity) = usize::try_from(self.problem.scheme.capacity) else { return };
        let num_aux = self.solver.aux().len();
        let ratio = self.ratios[level.index() - 1];
        let (coarser, finer) = self.levels.split_at_mut(level.index());
        let (coarse, fine) = (&coarser[level.index() - 1], &mut finer[0]);
        let (layout, num_eqn) = (fine.layout.clone(), fine.num_eqn);
        let aux = std::mem::take(&mut fine.aux);
        let q = Shared::new(fine.q_mut());
        let kappa = |aux: &[R], patch: &PatchLayout<D>, cell| {
            aux[patch.offset(num_aux, cell) + capacity * patch.component()].to_f64()
        };
        each_in_turn(plan.num_patches(), |k| {
            let target = &layout.patches[k];
            let adjust = |region: &InterpRegion<D>| {
                let source = &coarse.layout.patches[region.source as usize];
                for cell in region.cells.coarse_from_fine(ratio).cells() {
                    let fine_cells = crate::index::CellBox::cell(cell).fine_from_coarse(ratio);
                    let coarse_cell = std::array::from_fn(|d| cell[d] - region.shift[d]);
                    for m in 0..num_eqn {
                        let at = |c| target.offset(num_eqn, c) + m * target.component();
                        let sum = |cells: [i32; D]| {
                            // SAFETY: each new patch is touched by its own task alone.
                            kappa(&aux, target, cells) * unsafe { *q.at(at(cells)) }.to_f64()
                        };
                        let held: f64 = fine_cells.cells().map(sum).sum();
                        let capacity_sum: f64 = fine_cells.cells().map(|c| kappa(&aux, target, c)).sum();
                        let q_coarse =
                            coarse.q()[source.offset(num_eqn, coarse_cell) + m * source.component()].to_f64();
                        let wanted = kappa(&coarse.aux, source, coarse_cell) * q_coarse * f64::from(ratio.cells());
                        let shift = R::from_f64((wanted - held) / capacity_sum);
                        for row in fine_cells.rows() {
                            // SAFETY: likewise.
                            let values = unsafe { q.row_mut(at(row), fine_cells.size()[0] as usize) };
                            values.iter_mut().for_each(|v| *v += shift);
                        }
                    }
                }
            };
            plan.interps(k).iter().for_each(adjust);
        });
        fine.aux = aux;
    }

    /// An empty store for a level of the hierarchy.
    pub(super) fn new_store(&mut self, hierarchy: &Hierarchy<D>, level: Level, time: f64) -> LevelStore<D, R> {
        LevelStore::new(
            hierarchy.level(level).clone(),
            hierarchy.geometry(level),
            self.num_ghost,
            self.solver.equations().len(),
            self.solver.aux().len(),
            time,
            &mut self.pool,
        )
    }

    /// Puts a replaced level aside if a rejected step may need it again, else gives its memory back.
    pub(super) fn retire(&mut self, level: usize, mut store: LevelStore<D, R>) {
        let has_saved = store.states.has_saved();
        if self.stash.takes(level, has_saved) {
            store.keep_saved_alone(&mut self.pool);
        }
        if let Some(store) = self.stash.put(level, store, has_saved) {
            store.dismantle(&mut self.pool);
        }
    }
}
