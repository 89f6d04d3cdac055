//! Creation, replacement and removal of levels: their tables, and the values of new ones.

use super::host_tables::{HostLevel, NewLevelTables, PlanTables};
use super::store::DeviceLevel;
use super::strategy::Made;
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{HostLevelTables, Overlap, Queue, TransferTables};
use crate::exec::step::LevelSpec;
use crate::exec::{DevicePhase, ExecError, Executor, NewValues};
use crate::index::Level;
use crate::mesh::Hierarchy;
use crate::plan::{LevelPlans, MeshChange};
use cuda::CudaError;

/// A new level without values, and the tables of its plans.
pub(super) struct NewLevel<const D: usize, N: Machine> {
    level: Level,
    store: DeviceLevel<D, N>,
    tables: NewLevelTables<N>,
}

/// The level that a new one replaces, and the tables of the transfer of values.
pub(super) struct Replacement<const D: usize, N: Machine> {
    pub level: Level,
    pub old: Option<DeviceLevel<D, N>>,
    pub transfer: TransferTables<<N as Queue>::Memory>,
}

/// Pairs the stores and the tables of new levels.
fn joined<const D: usize, N: Machine>(
    stores: Vec<Option<DeviceLevel<D, N>>>,
    tables: Vec<Option<NewLevelTables<N>>>,
) -> Vec<NewLevel<D, N>> {
    let of_levels = stores.into_iter().zip(tables).enumerate();
    let of_level = |(l, (store, tables))| Some(NewLevel { level: Level(l as u8), store: store?, tables: tables? });
    of_levels.filter_map(of_level).collect()
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Replaces a level by one without values. Finer levels are dropped.
    pub(super) fn begin_level(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        self.truncate(spec.level);
        let LevelSpec { mesh, geometry, partition, time, .. } = spec;
        let tables = self.host_level(&mesh, partition);
        self.levels.push(DeviceLevel::new(&self.machine, mesh, tables, geometry, time, self.sizes)?);
        Ok(())
    }

    /// Copies a level's values from the host's copy to the device.
    pub(super) fn send_level(&mut self, level: Level) -> Result<(), ExecError> {
        let store = &self.levels[level.index()];
        let host = self.host.get_mut();
        self.machine.upload(host.q_of_copy(level), store.q(), 0)?;
        if let Some(aux) = &store.aux {
            self.machine.upload(host.aux_of_copy(level), aux, 0)?;
        }
        Ok(())
    }

    /// Puts a replaced level aside if a rejected step may need it again.
    pub(super) fn retire_level(&mut self, level: usize, mut store: DeviceLevel<D, N>) {
        let has_saved = store.states.has_saved();
        if self.rollback.takes(level, has_saved) {
            store.keep_saved_alone();
        }
        drop(self.rollback.put(level, store, has_saved));
    }

    /// Makes the tables of a level's plans, unless they exist.
    pub(super) fn make_tables(&mut self, level: Level, plans: &LevelPlans<D>) -> Result<(), ExecError> {
        if self.levels[level.index()].tables.is_some() {
            return Ok(());
        }
        let tables = match self.tables_by_kernels(level)? {
            Some(tables) => tables,
            None => {
                let context = self.context(&self.levels[level.index()].mesh);
                HostLevelTables::new(plans, context).send(&self.machine)?
            }
        };
        self.levels[level.index()].tables = Some(tables);
        Ok(())
    }

    /// From now on the plans of a change are valid; drops the tables of the plans that it replaces.
    pub(super) fn begin_change(&mut self, change: &MeshChange<'_, D>) {
        self.epoch = change.hierarchy().epoch();
        self.regrids.early_counts = None;
        self.host.get_mut().truncate(change.first_replaced());
        for (_, store) in self.levels.iter_mut().enumerate().filter(|(l, _)| change.replaces_plans(*l)) {
            store.tables = None;
        }
    }

    /// Drops the levels from `first` on.
    pub(super) fn truncate(&mut self, first: Level) {
        while self.levels.len() > first.index() {
            let store = self.levels.pop().expect("a level is left");
            self.retire_level(self.levels.len(), store);
        }
    }

    /// Makes the plans of a change and, if values are to be `moved` to new levels, these levels and their tables.
    pub(super) fn plan_change(
        &mut self,
        change: &mut MeshChange<'_, D>,
        moved: bool,
    ) -> Result<Vec<NewLevel<D, N>>, ExecError> {
        let (hierarchy, new) = (change.hierarchy(), change.new_levels().filter(|_| moved).collect::<Vec<_>>());
        let way = self.way_of_tables(hierarchy.levels().iter().map(|mesh| mesh.patches().len()));
        self.regrids.ways.note(Made::Tables, way);
        if way.is_err() {
            let of_meshes = change.plan_while(moved, |owners| self.host_levels(hierarchy, &new, owners));
            let tables = self.host_tables_of_plans(change);
            let stores = self.new_stores(hierarchy, of_meshes)?;
            return Ok(joined(stores, tables));
        }
        let counted = if moved { self.count_plans(change)? } else { Vec::new() };
        let owners = change.plan_lazily();
        let of_meshes = self.host_levels(hierarchy, &new, &owners);
        // Tables of patches are uploaded while the device counts.
        let stores = self.new_stores(hierarchy, of_meshes)?;
        let tables = self.write_plans(change, counted, &owners)?;
        Ok(joined(stores, tables))
    }

    /// Makes new levels of what the host has derived from their meshes.
    fn new_stores(
        &mut self,
        hierarchy: &Hierarchy<D>,
        of_meshes: Vec<Option<HostLevel<D>>>,
    ) -> Result<Vec<Option<DeviceLevel<D, N>>>, ExecError> {
        let of_levels = (0..).map(Level).zip(of_meshes);
        of_levels
            .map(|(level, tables)| Ok(tables.map(|tables| self.new_store(hierarchy, level, tables)).transpose()?))
            .collect()
    }

    /// Makes a new level. What the old one has besides its states is dropped before.
    fn new_store(
        &mut self,
        hierarchy: &Hierarchy<D>,
        level: Level,
        tables: HostLevel<D>,
    ) -> Result<DeviceLevel<D, N>, CudaError> {
        let l = level.index();
        if let Some(old) = self.levels.get_mut(l) {
            old.keep_states_alone();
        }
        // All levels that a regrid replaces have the time of the next coarser one.
        let time = self.levels[l.min(self.levels.len()) - 1].states.time;
        let (mesh, geometry) = (hierarchy.level(level).clone(), hierarchy.geometry(level));
        DeviceLevel::new(&self.machine, mesh, tables, geometry, time, self.sizes)
    }

    /// Puts new levels in the places of old ones, with room for what the conservation fix needs.
    pub(super) fn place_levels(
        &mut self,
        change: &MeshChange<'_, D>,
        new: Vec<NewLevel<D, N>>,
    ) -> Result<Vec<Replacement<D, N>>, ExecError> {
        let mut replaced = Vec::new();
        for NewLevel { level, mut store, tables: (tables, boxes) } in new {
            store.boxes = boxes;
            let transfer = match tables {
                PlanTables::Host(tables, transfer) => {
                    store.tables = Some(tables.send(&self.machine)?);
                    transfer.send(&self.machine)?
                }
                PlanTables::Device(tables, transfer) => {
                    store.tables = Some(tables);
                    transfer
                }
            };
            let l = level.index();
            let old = (l < self.levels.len()).then(|| self.levels.remove(l));
            self.levels.insert(l, store);
            replaced.push(Replacement { level, old, transfer });
        }
        self.make_room_for_fix(change)?;
        self.machine.fork(Overlap::Transfers)?;
        Ok(replaced)
    }

    /// Transfers values from old and coarser levels to new ones.
    fn transfer_values(&mut self, change: &MeshChange<'_, D>, replaced: &[Replacement<D, N>]) -> Result<(), ExecError> {
        for of_level in replaced {
            if let Some(coarse) = change.filled_before(of_level.level) {
                self.fill_ghosts(coarse, &change.plans()[coarse.index()])?;
                self.machine.enter(DevicePhase::Regrid);
            }
            self.transfer_level(of_level)?;
        }
        Ok(())
    }

    /// Gives the new levels of a change their values. `replaced`: the levels that they replace, if values are transferred.
    pub(super) fn fill_new_levels(
        &mut self,
        change: &MeshChange<'_, D>,
        values: NewValues<'_, D>,
        replaced: &[Replacement<D, N>],
    ) -> Result<(), ExecError> {
        match values {
            NewValues::Transferred => {
                self.transfer_values(change, replaced)?;
                // An earlier error of this rank, which all ranks are told of.
                if self.ranks.is_solo() { Ok(()) } else { self.unshared.take() }
            }
            NewValues::Initial(time) => {
                change.new_levels().try_for_each(|level| self.initialise_level(LevelSpec::of(change, level, time)))
            }
            NewValues::Saved => unreachable!("returned to without new levels"),
            NewValues::OfLeaves => {
                change.new_levels().try_for_each(|level| self.transfer_leaves(LevelSpec::of(change, level, f64::NAN)))
            }
            NewValues::Given(states) => change.new_levels().try_for_each(|level| {
                let (spec, state) = LevelSpec::given(change, level, states, self.ranks.rank().number);
                self.host.get_mut().load_level(spec.clone(), &state)?;
                self.begin_level(spec)?;
                self.send_level(level)
            }),
        }
    }
}
