//! Ghost cells and the values of new patches.

use super::builder::Table;
use super::drafts::{MeshDrafts, PlanDrafts};
use super::machine::{bytes_of, bytes_of_mut};
use super::store::DeviceLevel;
use super::tables::{self, FillTable, TransferTables};
use super::{CudaExecutor, Machine};
use crate::exec::ExecError;
use crate::index::Level;
use crate::mesh::Hierarchy;
use crate::plan::{LevelPlans, TransferPlan};
use ::cuda::abi::Pointer;
use ::cuda::regions::{BOUNDARY_PERIODIC, ConserveArgs, FillArgs};
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;

impl<const D: usize, R: Scalar, N: Machine> CudaExecutor<D, R, N> {
    pub(super) fn fill_level(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        self.make_tables(level, plans)?;
        let l = level.index();
        let store = &self.levels[l];
        let tables = store.tables.as_ref().expect("made above");
        let coarse = l.checked_sub(1).map(|c| &self.levels[c]);
        let [ratio_x, ratio_y] = coarse.map_or([1; 2], |_| tables::ratios(self.ratios[l - 1]));
        let FillTable { table, num_inside, num_outside_copies } = tables.fill;
        let cells = store.mesh.domain().hi;
        let side = |d: usize, s: usize| {
            self.sides.and_then(|sides| sides.kinds.get(d).map(|kinds| kinds[s])).unwrap_or(BOUNDARY_PERIODIC)
        };
        let normal = |d: usize| self.sides.and_then(|sides| sides.normals.get(d).copied()).unwrap_or(-1);
        let args = FillArgs {
            regions: table.items::<_, N>(&tables.memory),
            chunks: table.chunks::<N>(&tables.memory),
            target_patches: store.patches(),
            source_patches: store.patches(),
            coarse_patches: coarse.map_or(Pointer::NULL, |c| c.patches()),
            target: store.q_address(),
            source: store.q_address(),
            coarse_old: coarse.map_or(Pointer::NULL, |c| c.q_old().unwrap_or(c.q_address())),
            coarse_new: coarse.map_or(Pointer::NULL, |c| c.q_address()),
            alpha: coarse.map_or(1.0, |c| c.weight_at(store.time)),
            num_chunks: table.num_chunks,
            chunk_cells: table.chunk_cells,
            num_copies: table.num_first,
            wide: 1,
            ratio_x,
            ratio_y,
            num_inside,
            num_outside_copies,
            cells_x: cells[0],
            cells_y: cells.get(1).copied().unwrap_or(1),
            lower_x: side(0, 0),
            upper_x: side(0, 1),
            lower_y: side(1, 0),
            upper_y: side(1, 1),
            normal_x: normal(0),
            normal_y: normal(1),
        };
        // SAFETY: tables and arrays are those of the levels' present patches; each ghost cell has one region, and regions
        // read interior cells of this level and cells of the coarser one, which nothing writes meanwhile.
        unsafe { self.machine.launch("fill", table.grid(), &args)? };
        if self.sides.is_none() && !plans.ghost.all_boundaries().all().is_empty() {
            self.ask_boundaries(level, plans)?;
        }
        Ok(())
    }

    /// Lets the host fill the ghost cells outside the domain, where the user has a say.
    fn ask_boundaries(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        self.fetch_level(level)?;
        let host = self.host.get_mut();
        host.mirror_boundaries(level, &plans.ghost)?;
        let store = &self.levels[level.index()];
        Ok(self.machine.upload(bytes_of(host.mirrored_q(level)), store.q(), 0)?)
    }

    pub(super) fn transfer_level(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        plan: &TransferPlan<D>,
    ) -> Result<(), ExecError> {
        let l = level.index();
        let time = self.levels[l - 1].time;
        let (ratio, capacity) = (hierarchy.ratio(Level(l as u8 - 1)), self.problem.scheme.capacity >= 0);
        let of_mesh = self.mesh_drafts.get_mut(l).and_then(Option::take);
        let of_plans = self.plan_drafts.get_mut(l).and_then(Option::take);
        let (store, made, later) = match of_mesh.zip(of_plans) {
            Some((MeshDrafts { level: draft, flags }, PlanDrafts { tables, transfer })) => {
                let (mesh, dx) = (hierarchy.level(level).clone(), hierarchy.dx(level));
                let store = DeviceLevel::new(&self.machine, mesh, draft, dx, time, self.sizes)?;
                (store, transfer.send(&self.machine)?, Some((tables, flags)))
            }
            None => {
                let made = TransferTables::draft(plan, ratio, capacity).send(&self.machine)?;
                (self.new_level(hierarchy, level, time)?, made, None)
            }
        };
        let old = if l < self.levels.len() { Some(self.levels.remove(l)) } else { None };
        self.levels.insert(l, store);
        let (store, coarse) = (&self.levels[l], &self.levels[l - 1]);
        let [ratio_x, ratio_y] = tables::ratios(ratio);
        let Table { num_chunks, chunk_cells, num_first, .. } = made.fill;
        let args = FillArgs {
            regions: made.fill.items::<_, N>(&made.memory),
            chunks: made.fill.chunks::<N>(&made.memory),
            target_patches: store.patches(),
            source_patches: old.as_ref().map_or(Pointer::NULL, |o| o.patches()),
            coarse_patches: coarse.patches(),
            target: store.q_address(),
            source: old.as_ref().map_or(Pointer::NULL, |o| o.q_address()),
            coarse_old: coarse.q_address(),
            coarse_new: coarse.q_address(),
            alpha: 1.0,
            num_chunks,
            chunk_cells,
            num_copies: num_first,
            wide: 0,
            ratio_x,
            ratio_y,
            num_inside: u32::MAX,
            num_outside_copies: 0,
            cells_x: 0,
            cells_y: 0,
            lower_x: BOUNDARY_PERIODIC,
            upper_x: BOUNDARY_PERIODIC,
            lower_y: BOUNDARY_PERIODIC,
            upper_y: BOUNDARY_PERIODIC,
            normal_x: -1,
            normal_y: -1,
        };
        // SAFETY: tables and arrays are those of the new, the old and the coarser level; each new cell has one region.
        unsafe { self.machine.launch("fill", made.fill.grid(), &args)? };
        if let Some((tables, flags)) = later {
            // Sent while the device fills the level.
            let store = &mut self.levels[l];
            store.tables = Some(tables.send(&self.machine)?);
            store.flag_tables = flags.map(|flags| flags.send(&self.machine)).transpose()?;
        }
        self.fill_aux(level, time)?;
        if capacity {
            self.conserve(level, &made, [ratio_x, ratio_y])?;
        }
        if let Some(old) = old {
            self.retire(l, old);
        }
        Ok(())
    }

    /// With a capacity function, keeps what each coarse cell held.
    fn conserve(
        &mut self,
        level: Level,
        made: &TransferTables<N::Memory>,
        [ratio_x, ratio_y]: [i32; 2],
    ) -> Result<(), ExecError> {
        let (fine, coarse) = (&self.levels[level.index()], &self.levels[level.index() - 1]);
        let args = ConserveArgs {
            regions: made.conserve.items::<_, N>(&made.memory),
            chunks: made.conserve.chunks::<N>(&made.memory),
            coarse_patches: coarse.patches(),
            fine_patches: fine.patches(),
            coarse: coarse.q_address(),
            fine: fine.q_address(),
            coarse_aux: coarse.aux_address(),
            fine_aux: fine.aux_address(),
            num_chunks: made.conserve.num_chunks,
            chunk_cells: made.conserve.chunk_cells,
            ratio_x,
            ratio_y,
        };
        // SAFETY: as for the transfer; each coarse cell's fine cells have one lane.
        unsafe { self.machine.launch("conserve", made.conserve.grid(), &args)? };
        Ok(())
    }

    /// Fills a level's auxiliary values as they are at a time: the host computes them.
    pub(super) fn fill_aux(&mut self, level: Level, time: f64) -> Result<(), ExecError> {
        if self.problem.aux.is_none() {
            return Ok(());
        }
        self.mirror_levels(level);
        let host = self.host.get_mut();
        host.mirror_aux(level, time)?;
        match &self.levels[level.index()].aux {
            Some(aux) => Ok(self.machine.upload(bytes_of(host.mirrored_aux(level)), aux, 0)?),
            None => Ok(()),
        }
    }

    /// Gives the host the meshes of a level and the coarser ones.
    pub(super) fn mirror_levels(&self, level: Level) {
        let mut host = self.host.lock();
        for (l, store) in self.levels.iter().enumerate().take(level.index() + 1) {
            host.mirror(Level(l as u8), &store.mesh, store.dx, store.time);
        }
    }

    /// Gives the host a level's present values, ghost cells included.
    pub(super) fn fetch_level(&self, level: Level) -> Result<(), ExecError> {
        self.mirror_levels(level);
        let store = &self.levels[level.index()];
        let mut host = self.host.lock();
        self.fetch(store.q(), host.mirrored_q(level))?;
        match &store.aux {
            Some(aux) => self.fetch(aux, host.mirrored_aux(level)),
            None => Ok(()),
        }
    }

    /// Copies a level's array to the host, but for its ends, which belong to no patch.
    pub(super) fn fetch(&self, array: &N::Memory, values: &mut [R]) -> Result<(), ExecError> {
        let inner = PACK_OVERRUN..values.len() - PACK_OVERRUN;
        Ok(self.machine.download(array, PACK_OVERRUN * R::BYTES, bytes_of_mut(&mut values[inner]))?)
    }
}
