//! Tables of plans that the device makes of the boxes alone, where one rank has all patches and no function has a say beyond the domain's
//! sides.

use super::host_tables::{NewLevelTables, PlanTables};
use super::store::DeviceLevel;
use super::{Machine, ResidentExecutor, slide};
use crate::exec::device::{
    CountedTables, DeviceBoxes, HostLevelTables, LevelContext, LevelTables, PlanRequest, TransferTables,
    kernels_have_room,
};
use crate::index::Level;
use crate::mesh::{Hierarchy, LevelMesh};
use crate::plan::MeshChange;
use cuda::CudaError;
use riemann::real::Scalar;

/// A new level's tables, whose sizes are on their way to the host, and its boxes.
pub(super) struct CountedLevel<N: Machine> {
    boxes: DeviceBoxes<N::Memory>,
    tables: CountedTables<N>,
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// True if kernels make the tables of a hierarchy's plans.
    pub(super) fn plans_by_kernels(&self, hierarchy: &Hierarchy<D>) -> bool {
        self.planned_by_kernels(hierarchy.levels().iter().map(|mesh| mesh.patches().len()))
    }

    /// The same of levels with so many patches each.
    fn planned_by_kernels(&self, patches: impl Iterator<Item = usize>) -> bool {
        let most = patches.max().unwrap_or(0);
        // Of levels that slide the host has to know which runs are whose.
        let slides = slide::is_worth_it(most, self.machine.resident_tiles());
        self.ranks.is_solo() && !self.sides.ask() && !slides && kernels_have_room(most)
    }

    fn plan_request<'a>(
        &'a self,
        mesh: &'a LevelMesh<D>,
        boxes: &'a DeviceBoxes<N::Memory>,
        coarser: Option<(&'a DeviceBoxes<N::Memory>, Level)>,
        transfer: Option<Option<&'a DeviceBoxes<N::Memory>>>,
    ) -> PlanRequest<'a, D, N::Memory> {
        PlanRequest {
            mesh,
            boxes,
            coarser: coarser.map(|(boxes, level)| (boxes, self.ratios[level.index()])),
            transfer,
            sides: &self.sides,
            num_ghost: self.sizes.num_ghost,
            keeps_faces: self.problem.conservation_fix,
            capacity: self.problem.scheme.capacity >= 0,
        }
    }

    /// Sends the boxes of levels that have not had to be planned by kernels yet.
    fn send_boxes(&mut self) -> Result<(), CudaError> {
        for store in &mut self.levels {
            if store.boxes.is_none() {
                store.boxes = Some(DeviceBoxes::send(&store.mesh, &self.machine)?);
            }
        }
        Ok(())
    }

    fn boxes_of(store: &DeviceLevel<D, N>) -> &DeviceBoxes<N::Memory> {
        store.boxes.as_ref().expect("sent before")
    }

    /// Tables of the plans of a level that is there, if kernels make them.
    pub(super) fn tables_by_kernels(&mut self, level: Level) -> Result<Option<LevelTables<N>>, CudaError> {
        let l = level.index();
        if !self.planned_by_kernels(self.levels[l.saturating_sub(1)..=l].iter().map(|store| store.mesh.patches().len()))
        {
            return Ok(None);
        }
        self.send_boxes()?;
        let store = &self.levels[l];
        let coarser = level.coarser().map(|coarser| (Self::boxes_of(&self.levels[coarser.index()]), coarser));
        let request = self.plan_request(&store.mesh, Self::boxes_of(store), coarser, None);
        let counted = CountedTables::begin(request, &self.machine)?;
        Ok(counted.write::<D>(&self.machine)?.map(|(tables, _)| tables))
    }

    /// Begins to count the items of the tables of new levels, whose values are transferred.
    pub(super) fn count_plans(
        &mut self,
        change: &MeshChange<'_, D>,
    ) -> Result<Vec<Option<CountedLevel<N>>>, CudaError> {
        self.send_boxes()?;
        let hierarchy = change.hierarchy();
        let mut counted: Vec<Option<CountedLevel<N>>> = Vec::new();
        for (l, mesh) in hierarchy.levels().iter().enumerate() {
            if !change.replaces(l) {
                counted.push(None);
                continue;
            }
            let boxes = DeviceBoxes::send(mesh, &self.machine)?;
            let coarser = Level(l as u8).coarser().map(|coarser| {
                let new = counted[coarser.index()].as_ref().map(|level| &level.boxes);
                (new.unwrap_or_else(|| Self::boxes_of(&self.levels[coarser.index()])), coarser)
            });
            let old = self.levels.get(l).map(Self::boxes_of);
            let request = self.plan_request(mesh, &boxes, coarser, Some(old));
            let tables = CountedTables::begin(request, &self.machine)?;
            counted.push(Some(CountedLevel { boxes, tables }));
        }
        Ok(counted)
    }

    /// Writes the tables of new levels; the host makes those for which the kernels have no room.
    pub(super) fn write_plans(
        &self,
        change: &MeshChange<'_, D>,
        counted: Vec<Option<CountedLevel<N>>>,
    ) -> Result<Vec<Option<NewLevelTables<N>>>, CudaError> {
        let mut written = Vec::new();
        for (l, counted) in counted.into_iter().enumerate() {
            let Some(CountedLevel { boxes, tables }) = counted else {
                written.push(None);
                continue;
            };
            let tables = match tables.write::<D>(&self.machine)? {
                Some((tables, transfer)) => PlanTables::Device(tables, transfer.expect("asked for")),
                None => self.host_tables_of_plan(change, Level(l as u8)),
            };
            written.push(Some((tables, Some(boxes))));
        }
        Ok(written)
    }

    /// The tables of a new level's plans that have not been made with those of others.
    fn host_tables_of_plan(&self, change: &MeshChange<'_, D>, level: Level) -> PlanTables<N> {
        let (hierarchy, num_ghost) = (change.hierarchy(), self.sizes.num_ghost);
        let context = LevelContext { mesh: hierarchy.level(level), sides: &self.sides, num_ghost };
        let tables = HostLevelTables::new(&change.plans()[level.index()], context);
        let (ratio, capacity) = (self.ratios[level.index() - 1], self.problem.scheme.capacity >= 0);
        let transfer = TransferTables::on_host(&change.plan_transfer(level), ratio, capacity, num_ghost);
        PlanTables::Host(tables, transfer)
    }
}
