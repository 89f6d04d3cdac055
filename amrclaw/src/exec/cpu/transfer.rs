//! Values of a new level after regridding.

use super::CpuExecutor;
use super::exchange::{blocks, exchange};
use super::failure::LookedAt;
use super::former_aux::FormerAux;
use super::interpolate::Slope;
use super::regions::{CoarseLevel, Filling};
use super::store::LevelStore;
use super::transfer_variables::{Shifted, Written};
use crate::exec::ExecError;
use crate::exec::step::LevelSpec;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Level, Ratio};
use crate::plan::{Region, Regions, TransferPlan};
use crate::ranks::{CommError, MessageKind};
use crate::threads::parallel_for;
use riemann::lattice::Lattice;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    pub(super) fn transfer_level(&mut self, spec: LevelSpec<D>, plan: &TransferPlan<D>) -> Result<(), ExecError> {
        let (level, time, l) = (spec.level, spec.time, spec.level.index());
        let (ranks, header) = (self.ranks.clone(), self.header(MessageKind::NewPatches, level));
        self.levels[l..].iter_mut().for_each(|store| store.release_spare(&mut self.pool));
        let mut store = self.new_store(spec);
        let mut old = if l < self.levels.len() { Some(self.levels.remove(l)) } else { None };
        let exchanged = {
            let coarse = &self.levels[l - 1];
            let (ratio, limiter) = (self.ratios[l - 1], (self.solver.as_ref(), &self.scratch.tiles));
            let source = CoarseLevel::at_time(coarse, coarse.states.time, ratio, limiter);
            let old = old.as_mut().map(|o| (o.layout.clone(), Shared::new(o.q_mut())));
            let (layout, num_eqn) = (store.layout.clone(), store.num_eqn);
            let q = Shared::new(store.q_mut());
            // A level that is new as a whole copies nothing.
            let from = old.as_ref().map_or((q, &*layout), |(layout, values)| (*values, &**layout));
            let target = (q, &*layout);
            let filling = Filling {
                plan,
                num_eqn,
                target,
                source: from,
                coarse: Some(source),
                slope: Slope::Minmod,
                written: Written::Variables,
            };
            // SAFETY: the new level is nobody else's yet; the old level and the coarser one are only read.
            unsafe { filling.all((&ranks, header)) }
        };
        self.levels.insert(l, store);
        if let Some(old) = old {
            self.retire_level(l, old);
        }
        exchanged?;
        let filled = self.fill_level_aux(level, time);
        self.unshared.defer(&self.ranks, filled)?;
        Ok(self.keep_means(level, plan)?)
    }

    /// With a capacity function or transfer variables, shifts the interpolated cells of each coarse cell so that `Σ κ_f Q_f / N = κ_c Q_c`. Where
    /// that cannot be or leaves one inadmissible, all get the same state.
    fn keep_means(&mut self, level: Level, plan: &TransferPlan<D>) -> Result<(), CommError> {
        let capacity = usize::try_from(self.problem.scheme.capacity).ok();
        let transfers = self.solver.transfers().map(|_| self.solver.as_ref());
        if capacity.is_none() && transfers.is_none() {
            return Ok(());
        }
        let (ranks, header) = (self.ranks.clone(), self.header(MessageKind::Capacity, level));
        let num_aux = self.solver.aux().len();
        let ratio = self.ratios[level.index() - 1];
        let (coarser, finer) = self.levels.split_at_mut(level.index());
        let (coarse, fine) = (&coarser[level.index() - 1], &mut finer[0]);
        let (layout, num_eqn) = (fine.layout.clone(), fine.num_eqn);
        let aux = std::mem::take(&mut fine.aux);
        let limiter = self.solver.limits().then_some((self.solver.as_ref(), fine.geometry.in_space()));
        let q = Shared::new(fine.q_mut());
        let shift = Shift { q, aux: &aux, num_eqn, num_aux, capacity, ratio, limiter, transfers };
        // State and capacity of a coarse cell, one after another.
        let of_coarse = |source: usize, cell: [i32; D], m: usize| {
            let patch = &coarse.layout.patches[source];
            match capacity.filter(|_| m == num_eqn) {
                None => coarse.q()[patch.offset(num_eqn, cell) + m * patch.component()],
                Some(capacity) => coarse.aux[patch.offset(num_aux, cell) + capacity * patch.component()],
            }
        };
        let num_sent = num_eqn + usize::from(capacity.is_some());
        let len = |regions: &Regions<D>| {
            let cells: usize = regions.coarse_boxes(ratio).map(|cells| cells.volume()).sum();
            num_sent * cells
        };
        let pack = |regions: &Regions<D>, message: Shared<'_, R>| {
            for (region, block) in regions.interps.iter().zip(blocks(regions.coarse_boxes(ratio))) {
                for (cell, m) in block.cells.cells().flat_map(|cell| (0..num_sent).map(move |m| (cell, m))) {
                    let place = block.offset(num_sent, cell) + m * block.component();
                    let beneath = region.shift.source(cell);
                    // SAFETY: each message is one task's.
                    unsafe { *message.at(place) = of_coarse(region.source as usize, beneath, m) };
                }
            }
        };
        let own = || {
            parallel_for(plan.num_patches(), |k| {
                for region in plan.interps.of(k) {
                    // SAFETY: each new patch is touched by its own task alone.
                    unsafe {
                        shift.region(region, &layout.patches[k], |cell, m| {
                            of_coarse(region.source as usize, region.shift.source(cell), m)
                        });
                    }
                }
            });
        };
        let unpack = |regions: &Regions<D>, message: Shared<'_, R>| {
            for (region, block) in regions.interps.iter().zip(blocks(regions.coarse_boxes(ratio))) {
                // SAFETY: the new level is nobody else's yet; the message is only read.
                unsafe {
                    shift.region(region, &layout.patches[region.target as usize], |cell, m| {
                        *message.at(block.offset(num_sent, cell) + m * block.component())
                    });
                }
            }
        };
        let exchanged = exchange((&ranks, header), plan.exchange.directions(), len, pack, own, unpack);
        fine.aux = aux;
        exchanged
    }

    /// An empty store for a level.
    pub(super) fn new_store(&mut self, spec: LevelSpec<D>) -> LevelStore<D, R> {
        let sizes = [self.num_ghost as usize, self.solver.equations().len(), self.solver.aux().len()];
        let LevelSpec { mesh, geometry, partition, time, .. } = spec;
        let owner = (self.ranks.rank().number, partition);
        LevelStore::new(mesh, geometry, owner, sizes, time, &mut self.pool)
    }

    /// Sets a replaced level aside if a rejected step may need it again, else frees its memory. Auxiliary values that depend on the cell
    /// alone are kept for the new level.
    pub(super) fn retire_level(&mut self, level: usize, mut store: LevelStore<D, R>) {
        let has_saved = store.states.has_saved();
        let may_return = self.rollback.takes(level, has_saved);
        if may_return {
            store.keep_saved_alone(&mut self.pool);
        }
        if self.problem.aux.as_ref().is_some_and(|aux| aux.depends_on_cell_alone()) && !store.aux.is_empty() {
            let former =
                if may_return { FormerAux::copy_of(&store, &mut self.pool) } else { FormerAux::take_from(&mut store) };
            let before = self.former_aux[level].replace(former);
            before.into_iter().for_each(|before| self.pool.give(before.values));
        }
        if let Some(store) = self.rollback.put(level, store, has_saved) {
            store.dismantle(&mut self.pool);
        }
    }
}

/// What shifting interpolated cells needs of the fine level.
struct Shift<'a, const D: usize, R> {
    q: Shared<'a, R>,
    aux: &'a [R],
    num_eqn: usize,
    num_aux: usize,
    /// Number of the auxiliary value that is the capacity.
    capacity: Option<usize>,
    ratio: Ratio<D>,
    /// The solver, if it asks something of states, and where the level's cells lie.
    limiter: Option<(&'a dyn PatchSolver<R>, Lattice)>,
    /// The solver, if it has transfer variables: the cells hold these.
    transfers: Option<&'a dyn PatchSolver<R>>,
}

impl<const D: usize, R: Scalar> Shift<'_, D, R> {
    /// Shifts the cells of a region. `coarse` returns component `m` of a coarse cell: an equation or, behind the last one, the
    /// capacity.
    ///
    /// # Safety
    /// Nobody else touches the region's cells meanwhile.
    unsafe fn region(&self, region: &Region<D>, target: &PatchLayout<D>, coarse: impl Fn([i32; D], usize) -> R) {
        let (num_eqn, num_fine) = (self.num_eqn, f64::from(self.ratio.cells()));
        let kappa = |cell| {
            self.capacity.map_or(1.0, |capacity| {
                self.aux[target.offset(self.num_aux, cell) + capacity * target.component()].to_f64()
            })
        };
        for cell in region.cells.coarse_from_fine(self.ratio).cells() {
            let own = self.capacity.map_or(1.0, |_| coarse(cell, num_eqn).to_f64());
            let wanted = |m| own * coarse(cell, m).to_f64() * num_fine;
            let fine_cells = CellBox::cell(cell).fine_from_coarse(self.ratio);
            let kappas: Vec<f64> = fine_cells.cells().map(kappa).collect();
            let capacity_sum: f64 = kappas.iter().sum();
            // SAFETY: the caller's promise.
            let is_kept = unsafe {
                match self.transfers {
                    Some(solver) => self.restore(solver, (&fine_cells, target), &kappas, wanted),
                    None => self.shift(&fine_cells, target, &kappas, wanted),
                }
            };
            // SAFETY: likewise.
            if is_kept && unsafe { self.admits(&fine_cells, target) } {
                continue;
            }
            for m in 0..num_eqn {
                let mean = R::from_f64(wanted(m) / capacity_sum);
                // SAFETY: likewise.
                unsafe { self.change(&fine_cells, target, m, |_| mean) };
            }
        }
    }

    /// Shifts the states of the fine cells in a coarse one.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile.
    unsafe fn shift(
        &self,
        fine_cells: &CellBox<D>,
        target: &PatchLayout<D>,
        kappas: &[f64],
        wanted: impl Fn(usize) -> f64,
    ) -> bool {
        let capacity_sum: f64 = kappas.iter().sum();
        for m in 0..self.num_eqn {
            let at = |c| target.offset(self.num_eqn, c) + m * target.component();
            // SAFETY: the caller's promise.
            let value = |c: [i32; D]| unsafe { *self.q.at(at(c)) }.to_f64();
            let held: f64 = fine_cells.cells().zip(kappas).map(|(c, kappa)| kappa * value(c)).sum();
            let shift = R::from_f64((wanted(m) - held) / capacity_sum);
            // SAFETY: likewise.
            unsafe { self.change(fine_cells, target, m, |value| value + shift) };
        }
        true
    }

    /// Replaces the transfer variables of the fine cells in a coarse one by states, if shifts can keep the coarse cell's.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile.
    unsafe fn restore(
        &self,
        solver: &dyn PatchSolver<R>,
        (fine_cells, target): (&CellBox<D>, &PatchLayout<D>),
        kappa: &[f64],
        wanted: impl Fn(usize) -> f64,
    ) -> bool {
        let places = |count: usize| {
            (0..count)
                .flat_map(move |m| fine_cells.cells().map(move |c| target.offset(count, c) + m * target.component()))
        };
        let aux: Vec<R> = places(self.num_aux).map(|place| self.aux[place]).collect();
        // SAFETY: the caller's promise.
        let mut t: Vec<R> = places(self.num_eqn).map(|place| unsafe { *self.q.at(place) }).collect();
        let (mut q, mut weights) = (t.clone(), t.clone());
        let shifted = Shifted { solver, aux: &aux, kappa };
        let is_kept = shifted.restore(wanted, &mut t, [&mut q, &mut weights]);
        // SAFETY: likewise.
        places(self.num_eqn).zip(q).for_each(|(place, value)| unsafe { *self.q.at(place) = value });
        is_kept
    }

    /// Changes component `m` of some cells.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile.
    unsafe fn change(&self, cells: &CellBox<D>, target: &PatchLayout<D>, m: usize, new: impl Fn(R) -> R) {
        for row in cells.rows() {
            let start = target.offset(self.num_eqn, row) + m * target.component();
            // SAFETY: the caller's promise.
            let values = unsafe { self.q.row_mut(start, cells.size()[0] as usize) };
            values.iter_mut().for_each(|value| *value = new(*value));
        }
    }

    /// Whether the solver allows the states of some cells.
    ///
    /// # Safety
    /// Nobody writes these cells meanwhile.
    unsafe fn admits(&self, cells: &CellBox<D>, target: &PatchLayout<D>) -> bool {
        let Some((solver, lattice)) = self.limiter else { return true };
        cells.rows().all(|row| {
            let q = self.q.at(target.offset(self.num_eqn, row));
            let states = LookedAt { layout: target, q, aux: self.aux, num_aux: self.num_aux, lattice };
            // SAFETY: the row lies in the patch, with all its components; it is only read.
            unsafe { solver.first_inadmissible(&states.row(row, cells.size()[0] as usize), true) }.is_none()
        })
    }
}
