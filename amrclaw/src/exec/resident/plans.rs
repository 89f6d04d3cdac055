//! Tables of plans that the device makes from the boxes alone; or the choice that the host makes them.

use super::host_tables::{NewLevelTables, PlanTables};
use super::slide::is_worth_it;
use super::store::DeviceLevel;
use super::{Machine, ResidentExecutor};
use crate::exec::device::{CountedTables, DeviceBoxes, LevelTables, PlanRequest, kernels_have_room};
use crate::index::Level;
use crate::plan::MeshChange;
use cuda::CudaError;
use riemann::real::Scalar;

/// A new level's tables, whose sizes are being copied to the host, and its boxes.
pub(super) struct CountedLevel<N: Machine> {
    pub boxes: DeviceBoxes<N::Memory>,
    pub tables: CountedTables<N>,
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// True if kernels make the tables of plans of levels with these numbers of patches. The host makes them for one of several ranks, which
    /// plans only what involves its own patches; where functions or mapped walls fill cells outside the domain, side by side; and for levels that
    /// slide, whose batches need the runs of their own patches.
    pub(super) fn planned_by_kernels(&self, patches: impl Iterator<Item = usize>) -> bool {
        let most = patches.max().unwrap_or(0);
        let slides = is_worth_it(most, self.machine.resident_tiles());
        self.ranks.is_solo() && !self.sides.ask() && !slides && kernels_have_room(most)
    }

    fn plan_request<'a>(
        &'a self,
        boxes: &'a DeviceBoxes<N::Memory>,
        coarser: Option<(&'a DeviceBoxes<N::Memory>, Level)>,
        transfer: Option<Option<&'a DeviceBoxes<N::Memory>>>,
    ) -> PlanRequest<'a, D, N::Memory> {
        PlanRequest {
            periodic: self.levels[0].mesh.periodic(),
            boxes,
            coarser: coarser.map(|(boxes, level)| (boxes, self.ratios[level.index()])),
            transfer,
            sides: &self.sides,
            num_ghost: self.sizes.num_ghost,
            keeps_faces: self.problem.conservation_fix,
            capacity: self.problem.scheme.capacity >= 0,
        }
    }

    /// Sends the boxes of the levels that kernels have not planned yet.
    fn send_boxes(&mut self) -> Result<(), CudaError> {
        for store in &mut self.levels {
            if store.boxes.is_none() {
                store.boxes = Some(DeviceBoxes::send(&store.mesh, &self.machine)?);
            }
        }
        Ok(())
    }

    pub(super) fn boxes_of(store: &DeviceLevel<D, N>) -> &DeviceBoxes<N::Memory> {
        store.boxes.as_ref().expect("sent before")
    }

    /// Tables of the plans of an existing level, if kernels make them.
    pub(super) fn tables_by_kernels(&mut self, level: Level) -> Result<Option<LevelTables<N>>, CudaError> {
        let l = level.index();
        if !self.planned_by_kernels(self.levels[l.saturating_sub(1)..=l].iter().map(|store| store.mesh.patches().len()))
        {
            return Ok(None);
        }
        self.send_boxes()?;
        let store = &self.levels[l];
        let coarser = level.coarser().map(|coarser| (Self::boxes_of(&self.levels[coarser.index()]), coarser));
        let request = self.plan_request(Self::boxes_of(store), coarser, None);
        let written = CountedTables::begin(request, &self.machine)?.write::<D>(&self.machine)?;
        Ok(written.map(|(tables, _)| tables))
    }

    /// Begins to count the items of the tables of new levels, whose values are transferred.
    pub(super) fn count_plans(
        &mut self,
        change: &MeshChange<'_, D>,
    ) -> Result<Vec<Option<CountedLevel<N>>>, CudaError> {
        self.send_boxes()?;
        let hierarchy = change.hierarchy();
        let mut ahead = self.early_counts.take().filter(|ahead| ahead.are_of(hierarchy));
        let mut counted: Vec<Option<CountedLevel<N>>> = Vec::new();
        for (l, mesh) in hierarchy.levels().iter().enumerate() {
            if !change.replaces(l) {
                counted.push(None);
                continue;
            }
            let coarser = self.coarser_boxes(l, counted.last().and_then(Option::as_ref).map(|level| &level.boxes));
            let of_level = match ahead.as_mut().and_then(|ahead| ahead.take(l)) {
                Some(CountedLevel { mut boxes, tables }) => {
                    boxes.learn(mesh);
                    let tables = tables.of_known(&boxes, coarser);
                    CountedLevel { boxes, tables }
                }
                None => self.count_level(l, DeviceBoxes::send(mesh, &self.machine)?, coarser)?,
            };
            counted.push(Some(of_level));
        }
        Ok(counted)
    }

    /// The boxes of the next coarser level than `level`: new ones, or those of the existing level.
    pub(super) fn coarser_boxes<'a>(
        &'a self,
        level: usize,
        new: Option<&'a DeviceBoxes<N::Memory>>,
    ) -> Option<&'a DeviceBoxes<N::Memory>> {
        let coarser = level.checked_sub(1)?;
        Some(new.unwrap_or_else(|| Self::boxes_of(&self.levels[coarser])))
    }

    /// Begins to count the items of the tables of a level with new boxes, to which values are transferred.
    pub(super) fn count_level(
        &self,
        level: usize,
        boxes: DeviceBoxes<N::Memory>,
        coarser: Option<&DeviceBoxes<N::Memory>>,
    ) -> Result<CountedLevel<N>, CudaError> {
        let coarser = coarser.zip(Level(level as u8).coarser());
        let request = self.plan_request(&boxes, coarser, Some(self.levels.get(level).map(Self::boxes_of)));
        let tables = CountedTables::begin(request, &self.machine)?;
        Ok(CountedLevel { boxes, tables })
    }

    /// Writes the tables of new levels; the host makes those for which the kernels have no room.
    pub(super) fn write_plans(
        &self,
        change: &MeshChange<'_, D>,
        counted: Vec<Option<CountedLevel<N>>>,
    ) -> Result<Vec<Option<NewLevelTables<N>>>, CudaError> {
        let write = |(l, counted): (usize, Option<CountedLevel<N>>)| {
            let Some(CountedLevel { boxes, tables }) = counted else { return Ok(None) };
            let tables = match tables.write::<D>(&self.machine)? {
                Some((tables, transfer)) => PlanTables::Device(tables, transfer.expect("asked for")),
                None => self.host_tables_of_plans(change, l, &change.plan_transfer(Level(l as u8))),
            };
            Ok(Some((tables, Some(boxes))))
        };
        counted.into_iter().enumerate().map(write).collect()
    }
}
