//! Levels come and go: their tables, and the values of new ones.

use super::host_tables::{HostLevel, NewLevelTables};
use super::store::DeviceLevel;
use super::{Machine, ResidentExecutor};
use crate::exec::device::{HostLevelTables, LevelContext, bytes_of};
use crate::exec::{DevicePhase, ExecError, Executor, NewValues};
use crate::index::Level;
use crate::mesh::{Hierarchy, Partition};
use crate::plan::{LevelPlans, MeshChange};
use riemann::real::Scalar;
use std::sync::Arc;

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Puts an empty level of the hierarchy in the place of what it held. Finer levels are dropped.
    pub(super) fn begin_level(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        partition: Option<Arc<Partition>>,
        time: f64,
    ) -> Result<(), ExecError> {
        self.truncate(level);
        let mesh = hierarchy.level(level);
        let tables = self.host_level(mesh, level, partition);
        let geometry = hierarchy.geometry(level);
        self.levels.push(DeviceLevel::new(&self.machine, mesh.clone(), tables, geometry, time, self.sizes)?);
        Ok(())
    }

    /// Sends the values that the host has of a level.
    pub(super) fn send_level(&mut self, level: Level) -> Result<(), ExecError> {
        let store = &self.levels[level.index()];
        let host = self.host.get_mut();
        let (q, start) = store.q();
        self.machine.upload(bytes_of(host.mirrored_q(level)), q, start)?;
        if let Some(aux) = &store.aux {
            self.machine.upload(bytes_of(host.mirrored_aux(level)), aux, 0)?;
        }
        Ok(())
    }

    /// Puts a replaced level aside if a rejected step may need it again.
    pub(super) fn retire(&mut self, level: usize, mut store: DeviceLevel<D, N>) {
        let has_saved = store.states.has_saved();
        if self.stash.takes(level, has_saved) {
            store.keep_saved_alone();
        }
        drop(self.stash.put(level, store, has_saved));
    }

    /// Makes a level's tables, if they are not there: those of its plans.
    pub(super) fn make_tables(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        if self.levels[level.index()].tables.is_some() {
            return Ok(());
        }
        let tables = match self.tables_by_kernels(level)? {
            Some(tables) => tables,
            None => {
                let (mesh, sides) = (&self.levels[level.index()].mesh, &self.sides);
                let context = LevelContext { mesh, sides, num_ghost: self.sizes.num_ghost };
                HostLevelTables::new(plans, context).send(&self.machine)?
            }
        };
        self.levels[level.index()].tables = Some(tables);
        Ok(())
    }

    /// From now on plans of a change are right; what was made of those that it replaces goes.
    pub(super) fn begin_change(&mut self, change: &MeshChange<'_, D>) {
        self.epoch = change.hierarchy().epoch();
        self.host.get_mut().truncate(change.first_replaced());
        for (_, store) in self.levels.iter_mut().enumerate().filter(|(l, _)| change.replaces_plans(*l)) {
            store.tables = None;
        }
    }

    /// Drops the levels from `first` on.
    pub(super) fn truncate(&mut self, first: Level) {
        while self.levels.len() > first.index() {
            let store = self.levels.pop().expect("a level is left");
            self.retire(self.levels.len(), store);
        }
    }

    /// Gives new levels the values that they have from others.
    pub(super) fn transfer_values(
        &mut self,
        change: &MeshChange<'_, D>,
        mut of_meshes: Vec<Option<HostLevel<D>>>,
        mut of_plans: Vec<Option<NewLevelTables<N>>>,
    ) -> Result<(), ExecError> {
        for level in change.new_levels() {
            if let Some(coarse) = change.filled_before(level) {
                self.make_tables(coarse, &change.plans()[coarse.index()])?;
                self.fill_ghosts(coarse, &change.plans()[coarse.index()])?;
                self.machine.enter(DevicePhase::Regrid);
            }
            let tables = of_meshes[level.index()].take().zip(of_plans[level.index()].take());
            self.transfer_level(change.hierarchy(), level, tables.expect("made for every new level"))?;
        }
        Ok(())
    }

    /// Takes a level over from the host, whose values are new.
    pub(super) fn take_from_host(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        partition: Option<Arc<Partition>>,
        time: f64,
    ) -> Result<(), ExecError> {
        self.begin_level(hierarchy, level, partition, time)?;
        self.send_level(level)
    }

    /// Gives the new levels of a change their values. `tables`: of their meshes, if values are transferred.
    pub(super) fn fill_new_levels(
        &mut self,
        change: &MeshChange<'_, D>,
        values: NewValues<'_, D>,
        of_meshes: Vec<Option<HostLevel<D>>>,
        of_plans: Vec<Option<NewLevelTables<N>>>,
    ) -> Result<(), ExecError> {
        let hierarchy = change.hierarchy();
        let partition = |level: Level| change.plans()[level.index()].partition.clone();
        match values {
            NewValues::Transferred => {
                self.transfer_values(change, of_meshes, of_plans)?;
                // What went wrong here and there, for all to hear of.
                if self.ranks.is_solo() { Ok(()) } else { self.failed.take().map_or(Ok(()), Err) }
            }
            NewValues::Initial(time) => change
                .new_levels()
                .try_for_each(|level| self.initialise_level(hierarchy, level, partition(level), time)),
            NewValues::Given(state) => change.new_levels().try_for_each(|level| {
                let (partition, rank) = (partition(level), self.ranks.rank().number);
                let is_here = |k| Partition::owns(partition.as_deref(), rank, k);
                let state = state(level, &is_here);
                self.host.get_mut().load_level(hierarchy, level, partition.clone(), &state)?;
                self.take_from_host(hierarchy, level, partition.clone(), state.time)
            }),
        }
    }
}
