//! Plans as tables in the device's memory: made when a level's plans are new, used every step.

use super::messages::{LevelMessages, TransferMessages};
use super::outside::{Sides, origin};
use super::regions::{TableOffsets, region, region_of};
use super::{FaceMapPlace, HostTables, Machine, Table, TableBuilder, pointer};
use crate::index::Ratio;
use crate::mesh::{LevelMesh, OriginRun};
use crate::plan::{self, GhostPlan, LevelPlans, OutsideParts, PatchLists, RefluxPlan, RestrictPlan, TransferPlan};
use crate::threads::join;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::{FaceRun, NumberFacesArgs, Origin, Patch, Region};
use std::borrow::Cow;
use std::sync::Arc;

/// What the tables of a level depend on besides its plans.
#[derive(Clone, Copy)]
pub(in crate::exec) struct LevelContext<'a, const D: usize> {
    pub mesh: &'a LevelMesh<D>,
    pub sides: &'a Sides<D>,
    pub num_ghost: i32,
}

/// The regions that fill ghost cells: those inside the domain, then those outside.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct FillTable {
    pub table: Table,
    /// Number of regions inside.
    pub num_inside: u32,
    /// Number of copies among those outside.
    pub num_outside_copies: u32,
    /// Byte offset of the origins of the regions outside.
    pub origins: usize,
    /// The regions outside by axis, if functions or mapped walls compute any.
    pub by_axis: [SideTable; 3],
    /// The regions outside of one rank among several, which are filled after the messages of other ranks are unpacked.
    pub after: SideTable,
}

/// Ghost cells beyond sides of the domain.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct SideTable {
    pub table: Table,
    pub(super) origins: usize,
}

impl SideTable {
    pub fn origins<N: Machine>(&self, memory: &N::Memory) -> Pointer<Origin> {
        pointer::<Origin, N>(memory, self.origins)
    }

    fn at(self, offsets: TableOffsets) -> Self {
        SideTable { table: self.table.at(offsets), origins: offsets.of(self.origins) }
    }
}

impl FillTable {
    pub fn origins<N: Machine>(&self, memory: &N::Memory) -> Pointer<Origin> {
        pointer::<Origin, N>(memory, self.origins)
    }
}

/// The tables of a level's plans in the device's memory.
pub(in crate::exec) struct LevelTables<N: Machine> {
    pub memory: N::Memory,
    pub fill: FillTable,
    pub restrict: Table,
    pub runs: Runs,
    /// How many faces they have.
    pub faces: FaceCounts,
    /// Messages to other ranks and from them.
    pub messages: LevelMessages,
}

/// Runs of faces to the coarser level. For a single rank both tables are the same; among several, patches on one side may belong to
/// another rank.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct Runs {
    /// Of this rank's fine patches.
    pub fine: Table,
    /// Beside this rank's coarse patches.
    pub coarse: Table,
}

/// Numbers of faces between a level and the next coarser one.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct FaceCounts {
    /// Of coarse cells: slots.
    pub coarse: usize,
    /// Of fine cells.
    pub fine: usize,
}

/// The tables of a level's plans on the host, before they are sent.
pub(in crate::exec) struct HostLevelTables {
    ghost: (HostTables, FillTable),
    /// Tables between the level and the coarser one: averages, runs of faces.
    joint: (HostTables, (Table, Runs)),
    faces: FaceCounts,
    /// Messages to other ranks and from them.
    messages: (HostTables, LevelMessages),
}

impl HostLevelTables {
    /// Made by any threads.
    pub fn new<const D: usize>(plans: &LevelPlans<D>, context: LevelContext<'_, D>) -> Self {
        let alone = plans.partition.is_none();
        let messages = || {
            let mut builder = TableBuilder::default();
            let messages = if alone {
                LevelMessages::default()
            } else {
                LevelMessages::new(&mut builder, plans, context.num_ghost)
            };
            (builder.done(), messages)
        };
        let ghost = || fill_table(plans.ghost(), context, alone);
        let (ghost, (joint, messages)) = join(ghost, || join(|| joint_tables(plans), messages));
        let faces = |plan: &Arc<RefluxPlan<D>>| FaceCounts { coarse: plan.num_slots, fine: plan.num_fine };
        let faces = plans.reflux().map_or_else(FaceCounts::default, faces);
        HostLevelTables { ghost, joint, faces, messages }
    }

    pub fn send<N: Machine>(self, machine: &N) -> Result<LevelTables<N>, CudaError> {
        let HostLevelTables { ghost: (ghost, fill), joint: (joint, (restrict, runs)), faces, messages } = self;
        let (messages, of_messages) = messages;
        let (memory, [of_ghost, of_joint, at]) = HostTables::send([&ghost, &joint, &messages], machine)?;
        let by_axis = fill.by_axis.map(|side| side.at(of_ghost));
        let (table, origins, after) = (fill.table.at(of_ghost), of_ghost.of(fill.origins), fill.after.at(of_ghost));
        let fill = FillTable { table, origins, by_axis, after, ..fill };
        let runs = Runs { fine: runs.fine.at(of_joint), coarse: runs.coarse.at(of_joint) };
        Ok(LevelTables { memory, fill, restrict: restrict.at(of_joint), runs, faces, messages: of_messages.at(at) })
    }
}

/// The runs of a plan without those in the messages `crossing`, sent to other ranks or received from them.
fn runs_of<const D: usize>(
    plan: &RefluxPlan<D>,
    crossing: impl Fn(&RefluxPlan<D>) -> &[plan::MessageItems<Vec<plan::FaceRun<D>>>],
) -> Cow<'_, PatchLists<plan::FaceRun<D>>> {
    let mut crossing: Vec<u32> =
        crossing(plan).iter().flat_map(|message| message.items.iter().map(|run| run.first_slot)).collect();
    if crossing.is_empty() {
        return Cow::Borrowed(&plan.runs);
    }
    // Faces are numbered in the order of runs.
    crossing.sort_unstable();
    let mut crossing = crossing.into_iter().peekable();
    let mut kept = plan.runs.clone();
    kept.retain(|run| crossing.next_if_eq(&run.first_slot).is_none());
    Cow::Owned(kept)
}

/// `alone`: there are no other ranks, so that cells outside need not wait for messages.
fn fill_table<const D: usize>(
    ghost: &GhostPlan<D>,
    LevelContext { mesh, sides, num_ghost }: LevelContext<'_, D>,
    alone: bool,
) -> (HostTables, FillTable) {
    let mut builder = TableBuilder::default();
    // Cells beyond folded sides are among those outside.
    let [copies, interps] =
        [&ghost.copies, &ghost.interps].map(|list| list.all().iter().filter(|region| !region.shift.turned));
    let num_first = copies.clone().count() as u32;
    let num_inside = num_first + interps.clone().count() as u32;
    let at_once = alone && !sides.ask();
    let outside = if at_once { OutsideParts::new(ghost, mesh, &sides.beyond) } else { OutsideParts::default() };
    let OutsideParts { copies: outside_copies, interps: outside_interps } = &outside;
    let origins = outside_copies.iter().chain(outside_interps).map(|part| origin(&part.origins));
    let origins = builder.append(origins);
    let beyond = outside_copies.iter().chain(outside_interps).map(|part| region_of(&part.region));
    let table = builder.table(copies.chain(interps).map(region_of).chain(beyond)).with_first(num_first);
    let by_axis = if sides.ask() { side_tables(&mut builder, ghost, mesh, sides) } else { Default::default() };
    let after = if alone || sides.ask() {
        SideTable::default()
    } else {
        own_table(&mut builder, &OutsideParts::of_own(ghost, mesh, &sides.beyond, num_ghost))
    };
    let num_outside_copies = outside_copies.len() as u32;
    (builder.done(), FillTable { table, num_inside, num_outside_copies, origins, by_axis, after })
}

/// Regions outside the domain whose values come from the same patch.
fn own_table<const D: usize>(builder: &mut TableBuilder, outside: &OutsideParts<D>) -> SideTable {
    let table = builder.table(outside.copies.iter().map(|part| region_of(&part.region)));
    SideTable { table, origins: builder.append(outside.copies.iter().map(|part| origin(&part.origins))) }
}

/// The regions outside the domain by axis, cut so that each takes its values from one run of cells. The source of a region is its side,
/// its shift the first cell of the plan's region.
fn side_tables<const D: usize>(
    builder: &mut TableBuilder,
    ghost: &GhostPlan<D>,
    mesh: &LevelMesh<D>,
    sides: &Sides<D>,
) -> [SideTable; 3] {
    let ends = mesh.ends(&sides.beyond);
    std::array::from_fn(|axis| {
        let mut parts = Vec::new();
        for part in ghost.boundaries.all().iter().filter(|part| part.axis.index() == axis) {
            let (side, whole) = (part.side.index() as u32, part.cells);
            for run in ends[axis].runs(whole.lo[axis], whole.hi[axis]) {
                let mut cells = whole;
                (cells.lo[axis], cells.hi[axis]) = (run.lo, run.hi);
                let runs =
                    std::array::from_fn(|d| if d == axis { run } else { OriginRun::own(whole.lo[d], whole.hi[d]) });
                parts.push((region(part.target, side, &cells, whole.lo), origin::<D>(&runs)));
            }
        }
        let table = builder.table(parts.iter().map(|(region, _)| *region));
        SideTable { table, origins: builder.append(parts.iter().map(|(_, origin)| *origin)) }
    })
}

fn joint_tables<const D: usize>(plans: &LevelPlans<D>) -> (HostTables, (Table, Runs)) {
    let mut builder = TableBuilder::default();
    let restrict = plans.restrict().map_or_else(Table::default, |plan| restrict_table(&mut builder, plan));
    let mut run_table = |runs: &PatchLists<plan::FaceRun<D>>| builder.table(runs.all().iter().map(face_run));
    let fine = plans.reflux();
    let fine = fine.map_or_else(Table::default, |plan| run_table(&runs_of(plan, |plan| &plan.exchange.sent)));
    let of_others = plans.reflux().filter(|_| plans.partition.is_some());
    let coarse = of_others.map_or(fine, |plan| run_table(&runs_of(plan, |plan| &plan.exchange.received)));
    (builder.done(), (restrict, Runs { fine, coarse }))
}

fn restrict_table<const D: usize>(builder: &mut TableBuilder, plan: &RestrictPlan<D>) -> Table {
    builder.table(plan.regions.all().iter().map(region_of))
}

/// A run as kernels see it, and its number of faces.
pub(in crate::exec) fn face_run<const D: usize>(r: &crate::plan::FaceRun<D>) -> (FaceRun, usize) {
    let (Region { lo, size, shift, .. }, cells) = region(0, 0, &r.cells, r.shift.by);
    let run = FaceRun {
        coarse_patch: r.coarse_patch,
        fine_patch: r.fine_patch,
        axis: r.axis as u32,
        coarse_side: r.coarse_side as u32,
        lo,
        size,
        shift,
        turned: u32::from(r.shift.turned),
        first_slot: r.first_slot,
        first_fine: r.first_fine,
    };
    (run, cells)
}

/// The tables of a transfer: what fills the new patches, and the coarse cells under interpolated ones where these keep what those held.
pub(in crate::exec) struct TransferTables<M> {
    /// On the device; [`HostTables`] before they are sent.
    pub memory: M,
    pub fill: Table,
    pub conserve: Table,
    /// Messages to other ranks and from them.
    pub messages: TransferMessages,
}

impl TransferTables<HostTables> {
    /// Made by any thread.
    pub fn on_host<const D: usize>(plan: &TransferPlan<D>, ratio: Ratio<D>, keeps_means: bool, num_ghost: i32) -> Self {
        let mut builder = TableBuilder::default();
        let (copies, interps) = (plan.copies.all().iter(), plan.interps.all().iter());
        let num_first = copies.len() as u32;
        let fill = builder.table(copies.chain(interps.clone()).map(region_of)).with_first(num_first);
        let over = interps.map(|region| region_of(&region.over(ratio)));
        let conserve = if keeps_means { builder.table(over) } else { Table::default() };
        let messages = TransferMessages::new(&mut builder, plan, (ratio, keeps_means), num_ghost);
        TransferTables { memory: builder.done(), fill, conserve, messages }
    }

    pub fn send<N: Machine>(self, machine: &N) -> Result<TransferTables<N::Memory>, CudaError> {
        let TransferTables { memory, fill, conserve, messages } = self;
        let (memory, [offsets]) = HostTables::send([&memory], machine)?;
        let (fill, conserve, messages) = (fill.at(offsets), conserve.at(offsets), messages.at(offsets));
        Ok(TransferTables { memory, fill, conserve, messages })
    }
}

/// The faces of a level whose fluxes are kept: which, and in which slots.
pub(in crate::exec) struct FaceMap<N: Machine> {
    /// Words of bits, a base for each, and the number of faces.
    pub words: N::Memory,
    pub num_words: usize,
    /// The slot of each face, by its number: the base of its word plus the bits before its own.
    pub slots: N::Memory,
    /// Number of slots of faces to the coarser level; those to the finer one follow.
    pub num_fine: usize,
}

impl<N: Machine> FaceMap<N> {
    /// Allocates a map of `num_words` words and `num_faces` faces.
    pub fn new(machine: &N, num_words: usize, num_faces: usize, num_fine: usize) -> Result<Self, CudaError> {
        let words = machine.allocate(Self::bytes(num_words))?;
        let slots = machine.allocate(num_faces.max(1) * size_of::<u32>())?;
        Ok(FaceMap { words, num_words, slots, num_fine })
    }

    fn bytes(num_words: usize) -> usize {
        (2 * num_words + 1) * size_of::<u32>()
    }

    /// Removes all faces from the map.
    pub fn clear(&self, machine: &N) -> Result<(), CudaError> {
        machine.zero(&self.words, 0, Self::bytes(self.num_words))
    }

    /// The addresses of the map, for kernels.
    pub fn place(&self) -> FaceMapPlace {
        FaceMapPlace {
            words: pointer::<_, N>(&self.words, 0),
            bases: pointer::<_, N>(&self.words, self.num_words * size_of::<u32>()),
            slots: pointer::<_, N>(&self.slots, 0),
        }
    }

    /// Arguments of the kernel that numbers the faces. `patches`: of the level.
    pub fn numbering(&self, patches: Pointer<Patch>) -> NumberFacesArgs {
        let FaceMapPlace { words, bases, .. } = self.place();
        let count = pointer::<_, N>(&self.words, 2 * self.num_words * size_of::<u32>());
        NumberFacesArgs { patches, words, bases, count }
    }
}
