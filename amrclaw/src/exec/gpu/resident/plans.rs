//! Tables of plans that the device makes from the boxes alone, where no function computes cells outside the domain. Among several ranks
//! each device makes the tables of a single rank and extracts its rank's part of them.

use super::host_tables::{NewLevelTables, PlanTables};
use super::store::DeviceLevel;
use super::strategy::{HostReason, Made, Way, unless, way_of_tables};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{
    CountedTables, DeviceBoxes, DividedTables, LevelTables, PlanRequest, TableOwners, WrittenTables,
};
use crate::index::Level;
use crate::mesh::Partition;
use crate::plan::MeshChange;
use cuda::CudaError;
use cuda::abi::Pointer;
use std::sync::Arc;

/// A new level's tables, whose sizes are being copied to the host, and its boxes.
pub(super) struct CountedLevel<N: Machine> {
    pub boxes: DeviceBoxes<N::Memory>,
    pub tables: CountedTables<N>,
}

/// A new level's tables as they are being written, and its boxes.
struct WrittenLevel<N: Machine> {
    boxes: DeviceBoxes<N::Memory>,
    tables: Written<N>,
}

/// Tables that are being written.
enum Written<N: Machine> {
    /// Of a single rank.
    Whole(Box<WrittenTables<N>>),
    /// Of one of several.
    Divided(DividedTables<N>),
    /// The kernels have no room for them.
    NoRoom,
}

impl<N: Machine> Written<N> {
    /// Begins to write. `owners`: among several ranks.
    fn begin<const D: usize>(
        counted: CountedTables<N>,
        owners: Option<TableOwners>,
        machine: &N,
    ) -> Result<Self, CudaError> {
        Ok(match owners {
            None => counted.write::<D>(machine)?.map_or(Written::NoRoom, |tables| Written::Whole(Box::new(tables))),
            Some(owners) => counted.divide::<D>(owners, machine)?.map_or(Written::NoRoom, Written::Divided),
        })
    }

    fn finish(self, machine: &N) -> Result<Option<WrittenTables<N>>, CudaError> {
        match self {
            Written::Whole(tables) => Ok(Some(*tables)),
            Written::Divided(tables) => tables.finish(machine).map(Some),
            Written::NoRoom => Ok(None),
        }
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Who makes the tables of plans of levels with these numbers of patches.
    pub(super) fn way_of_tables(&self, patches: impl Iterator<Item = usize>) -> Way {
        unless(HostReason::OneRow, self.on_mesh.is_some())?;
        unless(HostReason::Folded, self.problem.domain.repeats.folded.is_some())?;
        way_of_tables(self.ranks.rank().of, self.sides.ask(), patches.max().unwrap_or(0))
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
            keeps_means: self.sizes.keeps_means,
            outside_last: !self.ranks.is_solo(),
        }
    }

    /// Sends the boxes of the levels that kernels have not planned yet.
    fn send_boxes(&mut self) -> Result<(), CudaError> {
        for store in &mut self.levels {
            if store.boxes.is_none() {
                let mut boxes = DeviceBoxes::send(&store.mesh, &self.machine)?;
                if let Some(partition) = &store.partition {
                    boxes.send_owners(partition.owners(), &self.machine)?;
                }
                store.boxes = Some(boxes);
            }
        }
        Ok(())
    }

    pub(super) fn boxes_of(store: &DeviceLevel<D, N>) -> &DeviceBoxes<N::Memory> {
        store.boxes.as_ref().expect("sent before")
    }

    /// Owners of the patches of a level, of the next coarser one and of the level before it was replaced; `None` for a single rank.
    fn owners(
        &self,
        own: &DeviceBoxes<N::Memory>,
        coarser: Option<&DeviceBoxes<N::Memory>>,
        old: Option<&DeviceBoxes<N::Memory>>,
    ) -> Option<TableOwners> {
        let of = |boxes: Option<&DeviceBoxes<N::Memory>>| boxes.map_or(Pointer::NULL, DeviceBoxes::owners::<N>);
        let owners =
            TableOwners { rank: self.ranks.rank(), own: own.owners::<N>(), coarser: of(coarser), old: of(old) };
        (!self.ranks.is_solo()).then_some(owners)
    }

    /// Tables of the plans of an existing level, if kernels make them.
    pub(super) fn tables_by_kernels(&mut self, level: Level) -> Result<Option<LevelTables<N>>, CudaError> {
        let l = level.index();
        let levels = &self.levels[l.saturating_sub(1)..=l];
        if self.way_of_tables(levels.iter().map(|store| store.mesh.patches().len())).is_err() {
            return Ok(None);
        }
        self.send_boxes()?;
        let store = &self.levels[l];
        let coarser = level.coarser().map(|coarser| (Self::boxes_of(&self.levels[coarser.index()]), coarser));
        let request = self.plan_request(Self::boxes_of(store), coarser, None);
        let counted = CountedTables::begin(request, &self.machine)?;
        let owners = self.owners(Self::boxes_of(store), coarser.map(|(boxes, _)| boxes), None);
        let written = Written::begin::<D>(counted, owners, &self.machine)?;
        Ok(written.finish(&self.machine)?.map(|(tables, _)| tables))
    }

    /// Begins to count the items of the tables of new levels, whose values are transferred.
    pub(super) fn count_plans(
        &mut self,
        change: &MeshChange<'_, D>,
    ) -> Result<Vec<Option<CountedLevel<N>>>, CudaError> {
        self.send_boxes()?;
        let hierarchy = change.hierarchy();
        let mut ahead = self.regrids.early_counts.take().filter(|ahead| ahead.are_of(hierarchy));
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

    /// Writes the tables of new levels, whose owners are known by now; the host makes those for which the kernels have no room.
    pub(super) fn write_plans(
        &self,
        change: &MeshChange<'_, D>,
        counted: Vec<Option<CountedLevel<N>>>,
        partitions: &[Option<Arc<Partition>>],
    ) -> Result<Vec<Option<NewLevelTables<N>>>, CudaError> {
        let mut begun: Vec<Option<WrittenLevel<N>>> = Vec::new();
        for (l, counted) in counted.into_iter().enumerate() {
            let Some(CountedLevel { mut boxes, tables }) = counted else {
                begun.push(None);
                continue;
            };
            if let Some(partition) = &partitions[l] {
                boxes.send_owners(partition.owners(), &self.machine)?;
            }
            let coarser = self.coarser_boxes(l, begun.last().and_then(Option::as_ref).map(|level| &level.boxes));
            let owners = self.owners(&boxes, coarser, self.levels.get(l).map(Self::boxes_of));
            let tables = Written::begin::<D>(tables, owners, &self.machine)?;
            begun.push(Some(WrittenLevel { boxes, tables }));
        }
        let finish = |(l, begun): (usize, Option<WrittenLevel<N>>)| {
            let Some(WrittenLevel { boxes, tables }) = begun else { return Ok(None) };
            let tables = match tables.finish(&self.machine)? {
                Some((tables, transfer)) => PlanTables::Device(tables, transfer.expect("asked for")),
                None => {
                    self.regrids.ways.note(Made::Tables, Err(HostReason::ManyNeighbours));
                    self.host_tables_of_plan(change, l, &change.plan_transfer(Level(l as u8)))
                }
            };
            Ok(Some((tables, Some(boxes))))
        };
        begun.into_iter().enumerate().map(finish).collect()
    }
}
