//! Tables of plans that kernels make from the boxes of patches alone: they count items patch by patch, sum up the counts, and write each
//! patch's items behind those of the patches before. The items are those of the plans of [`crate::plan`], which need not be made then.

use super::messages::{LevelMessages, TransferMessages};
use super::tables::{FillTable, Runs, SideTable};
use super::{FaceCounts, LevelTables, Machine, Sides, Table, TransferTables, axes, box_by_axes, pointer, sent};
use crate::index::Ratio;
use crate::mesh::LevelMesh;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer};
use cuda::amr::kernels::{COUNT_PLAN, SUM_PLAN, WRITE_PLAN};
use cuda::amr::tuning::chunk_cells;
use cuda::amr::{
    self, Chunk, ClusterState, FaceRun, Origin, PLAN_COLUMNS, PlanArgs, PlanColumn, PlanLevel, PlanTable, Region,
};

/// Bytes of the sums, and of a word behind them that is set if the kernels have failed.
const TOTALS: usize = (PLAN_COLUMNS + 1) * size_of::<u32>();

/// The boxes of a level's patches in the device's memory.
pub(in crate::exec) struct DeviceBoxes<M> {
    /// Owns the boxes to which `level` points.
    _memory: M,
    level: PlanLevel,
    /// Cells of all patches, and faces by axis of all lower sides.
    cells: usize,
    lower_faces: [usize; 3],
    /// Owners of the patches, among several ranks, once they have been sent.
    owners: Option<M>,
}

/// No level.
const NOWHERE: PlanLevel = PlanLevel { domain: amr::CellBox { lo: [0; 3], hi: [1; 3] }, ..PlanLevel::ZERO };

impl<M> DeviceBoxes<M> {
    /// Sends the boxes of a mesh.
    pub fn send<const D: usize, N: Machine<Memory = M>>(mesh: &LevelMesh<D>, machine: &N) -> Result<Self, CudaError> {
        let boxes: Vec<_> = mesh.patches().iter().map(box_by_axes).collect();
        let memory = sent(machine, &boxes)?;
        let level = PlanLevel { boxes: pointer::<_, N>(&memory, 0), domain: box_by_axes(&mesh.domain()), ..NOWHERE };
        let mut boxes = DeviceBoxes { _memory: memory, level, cells: 0, lower_faces: [0; 3], owners: None };
        boxes.learn(mesh);
        Ok(boxes)
    }

    /// Boxes that kernels are making in place of `before`, whose cells and faces serve as estimates: memory with `room` places for them, and
    /// `found`, the state that will have their number.
    pub fn in_place_of<N: Machine<Memory = M>>(
        before: &Self,
        (memory, room): (M, usize),
        found: Pointer<ClusterState>,
    ) -> Self {
        let (boxes, num_boxes) = (pointer::<_, N>(&memory, 0), room as u32);
        let level = PlanLevel { boxes, found, num_boxes, ..before.level };
        DeviceBoxes { _memory: memory, level, owners: None, ..*before }
    }

    /// Takes the number and the sizes of the boxes from the mesh, now that the host knows it.
    pub fn learn<const D: usize>(&mut self, mesh: &LevelMesh<D>) {
        (self.cells, self.lower_faces) = (0, [0; 3]);
        let level = &mut self.level;
        (level.found, level.num_boxes, level.tallest) = (Pointer::NULL, mesh.patches().len() as u32, 0);
        for patch in mesh.patches() {
            let size = patch.size();
            self.cells += patch.volume();
            for d in 0..D {
                self.lower_faces[d] += (0..D).filter(|&e| e != d).map(|e| size[e] as usize).product::<usize>();
            }
            level.tallest = level.tallest.max(size[D - 1]);
        }
    }

    /// The address of the boxes.
    pub fn places(&self) -> Pointer<amr::CellBox> {
        self.level.boxes
    }

    /// Number of boxes, or of places for them while kernels make them.
    pub fn num_places(&self) -> usize {
        self.level.num_boxes as usize
    }

    /// Sends the owners of the patches.
    pub fn send_owners<N: Machine<Memory = M>>(&mut self, owners: &[u32], machine: &N) -> Result<(), CudaError> {
        self.owners = Some(sent(machine, owners)?);
        Ok(())
    }

    /// The address of the owners, or null if they have not been sent.
    pub fn owners<N: Machine<Memory = M>>(&self) -> Pointer<u32> {
        self.owners.as_ref().map_or(Pointer::NULL, |owners| pointer::<_, N>(owners, 0))
    }
}

/// What a level's tables depend on.
pub(in crate::exec) struct PlanRequest<'a, const D: usize, M> {
    /// Axes along which the domain repeats.
    pub periodic: [bool; D],
    pub boxes: &'a DeviceBoxes<M>,
    /// The next coarser level, and the ratio to it.
    pub coarser: Option<(&'a DeviceBoxes<M>, Ratio<D>)>,
    /// If the tables of the transfer of values are wanted: the level that is replaced, if there was one.
    pub transfer: Option<Option<&'a DeviceBoxes<M>>>,
    pub sides: &'a Sides<D>,
    pub num_ghost: i32,
    /// Faces of the conservation fix are wanted.
    pub keeps_faces: bool,
    /// New patches are to keep what coarse cells held.
    pub keeps_means: bool,
    /// There are other ranks: ghost cells outside the domain are filled after those ranks' messages.
    pub outside_last: bool,
}

/// Lanes of a warp, which share the counting of a patch; each lane's counts are stored.
const LANES: usize = 32;

/// Tables whose sizes are being counted or are known.
pub(in crate::exec) struct CountedTables<N: Machine> {
    pub(super) args: PlanArgs,
    /// The sums, then the counts of patches and lanes.
    pub(super) memory: N::Memory,
    pub(super) totals: N::Download,
    pub(super) transfers: bool,
}

/// How many items there are, and how many chunks of them.
pub(super) struct Counts([u32; PLAN_COLUMNS]);

impl Counts {
    /// Waits for the counts; `None` if there are more patches around one than the kernels have room for, or a level is not nested.
    pub fn finish<N: Machine>(totals: N::Download, machine: &N) -> Result<Option<Self>, CudaError> {
        let words: [u32; PLAN_COLUMNS + 1] = machine.finish_download(totals, |bytes| {
            std::array::from_fn(|k| u32::from_ne_bytes(bytes[4 * k..][..4].try_into().expect("four bytes")))
        })?;
        let has_failed = words[PLAN_COLUMNS] != 0;
        Ok((!has_failed).then(|| Counts(std::array::from_fn(|column| words[column]))))
    }

    pub fn of(&self, column: PlanColumn) -> u32 {
        self.0[column as usize]
    }

    /// Chunks of the items of a kind.
    pub fn chunks(&self, kind: PlanColumn) -> u32 {
        self.0[PlanColumn::Kinds as usize + kind as usize]
    }

    /// An upper bound for the cells of the items of a kind.
    pub fn cells(&self, kind: PlanColumn, chunk_cells: u32) -> usize {
        self.chunks(kind) as usize * chunk_cells as usize
    }
}

/// Tables of a level's plans and, if requested, of the transfer of its values.
pub(in crate::exec) type WrittenTables<N> = (LevelTables<N>, Option<TransferTables<<N as super::Queue>::Memory>>);

impl<N: Machine> CountedTables<N> {
    /// Begins to count.
    pub fn begin<const D: usize>(request: PlanRequest<'_, D, N::Memory>, machine: &N) -> Result<Self, CudaError> {
        let (num_patches, transfers) = (request.boxes.num_places(), request.transfer.is_some());
        let memory = machine.allocate(TOTALS + (1 + LANES) * PLAN_COLUMNS * num_patches * size_of::<u32>())?;
        machine.zero(&memory, 0, TOTALS)?;
        let args = plan_args::<D, N>(request, &memory);
        // SAFETY: the boxes are those of the levels, and there is a place for each count and sum.
        unsafe {
            machine.run(&COUNT_PLAN, D, num_patches, &args)?;
            machine.run(&SUM_PLAN, D, PLAN_COLUMNS, &args)?;
        }
        let totals = machine.begin_download(&memory, TOTALS)?;
        Ok(CountedTables { args, memory, totals, transfers })
    }

    /// Replaces the boxes of the level and of the next coarser one by those that the host knows now.
    pub fn of_known(mut self, boxes: &DeviceBoxes<N::Memory>, coarser: Option<&DeviceBoxes<N::Memory>>) -> Self {
        (self.args.level, self.args.coarse) = (boxes.level, coarser.map_or(NOWHERE, |coarser| coarser.level));
        self
    }

    /// Writes the tables of a single rank; `None` if the kernels have no room for them, or a level is not nested.
    pub fn write<const D: usize>(self, machine: &N) -> Result<Option<WrittenTables<N>>, CudaError> {
        let CountedTables { mut args, memory: _counts, totals, transfers } = self;
        let Some(counts) = Counts::finish(totals, machine)? else { return Ok(None) };
        let (of, chunks) = (|column| counts.of(column), |kind| counts.chunks(kind));
        use PlanColumn::{
            Averages, Copies, Faces, FineFaces, Interps, Moved, New, NewCoarse, OutsideCopies, OutsideInterps,
            Runs as FaceRuns,
        };
        let ghost = [Copies, Interps, OutsideCopies, OutsideInterps];
        let mut room = OffsetAllocator::default();
        let regions = room.of::<Region>(ghost.map(of).iter().sum());
        let fill = room.table(regions, ghost.map(chunks).iter().sum(), args.ghost).with_first(of(Copies));
        let origins = room.of::<Origin>(of(OutsideCopies) + of(OutsideInterps));
        let regions = room.of::<Region>(of(Averages));
        let restrict = room.table(regions, chunks(Averages), args.averages);
        let face_runs = room.of::<FaceRun>(of(FaceRuns));
        let runs = room.table(face_runs, chunks(FaceRuns), args.runs);
        let memory = machine.allocate(room.0.max(1))?;
        args.ghost = placed::<N>(&fill, &memory, args.ghost);
        args.averages = placed::<N>(&restrict, &memory, args.averages);
        args.runs = placed::<N>(&runs, &memory, args.runs);
        (args.origins, args.face_runs) = (pointer::<_, N>(&memory, origins), runs.items::<_, N>(&memory));
        let mut moved = OffsetAllocator::default();
        let regions = moved.of::<Region>(of(Moved) + of(New));
        let values = moved.table(regions, chunks(Moved) + chunks(New), args.values).with_first(of(Moved));
        let conserved = if args.conserves == 0 { 0 } else { of(New) };
        let regions = moved.of::<Region>(conserved);
        let conserve = moved.table(regions, of(NewCoarse), args.new_coarse);
        let transfer = if transfers { Some(machine.allocate(moved.0.max(1))?) } else { None };
        if let Some(memory) = &transfer {
            args.values = placed::<N>(&values, memory, args.values);
            args.new_coarse = placed::<N>(&conserve, memory, args.new_coarse);
        }
        // SAFETY: there is room for as many items and chunks as have been counted.
        unsafe { machine.run(&WRITE_PLAN, D, args.level.num_boxes as usize, &args)? };
        let fill = FillTable {
            table: fill,
            num_inside: of(Copies) + of(Interps),
            num_outside_copies: of(OutsideCopies),
            origins,
            by_axis: Default::default(),
            after: SideTable::default(),
        };
        let faces = FaceCounts { coarse: of(Faces) as usize, fine: of(FineFaces) as usize };
        let runs = Runs { fine: runs, coarse: runs };
        let messages = LevelMessages::default();
        let tables = LevelTables { memory, fill, restrict, runs, faces, messages };
        let messages = TransferMessages::default();
        let transfer = transfer.map(|memory| TransferTables { memory, fill: values, conserve, messages });
        Ok(Some((tables, transfer)))
    }
}

/// What the kernel that writes a table needs, with its place in memory.
fn placed<N: Machine>(table: &Table, memory: &N::Memory, known: PlanTable) -> PlanTable {
    PlanTable { regions: table.items::<_, N>(memory), chunks: table.chunks::<N>(memory), ..known }
}

/// Bytes of an allocation that have been assigned so far.
#[derive(Default)]
pub(super) struct OffsetAllocator(pub usize);

impl OffsetAllocator {
    /// Assigns bytes to `count` structs; returns their byte offset.
    pub fn of<T>(&mut self, count: u32) -> usize {
        let start = self.0.next_multiple_of(16);
        self.0 = start + count as usize * size_of::<T>();
        start
    }

    /// A table whose items begin at byte `items`; assigns bytes to its chunks.
    fn table(&mut self, items: usize, num_chunks: u32, known: PlanTable) -> Table {
        Table::placed([items, self.of::<Chunk>(num_chunks)], [num_chunks, known.chunk_cells])
    }
}

/// The arguments of the kernels, except where tables are written.
fn plan_args<const D: usize, N: Machine>(request: PlanRequest<'_, D, N::Memory>, memory: &N::Memory) -> PlanArgs {
    let PlanRequest { periodic, boxes, coarser, transfer, sides, num_ghost, keeps_faces, keeps_means, outside_last } =
        request;
    let ratio = coarser.map_or(Ratio::uniform(1), |(_, ratio)| ratio);
    // Estimates of the tables' cells, which decide the size of chunks.
    let (cells, lower_faces) = (boxes.cells, &boxes.lower_faces[..D]);
    let ghost = 2 * num_ghost as usize * lower_faces.iter().sum::<usize>();
    let faces = (0..D).map(|d| 2 * lower_faces[d] / ratio.faces(d) as usize).sum();
    let table = |cells: usize| PlanTable { chunk_cells: chunk_cells(cells), ..PlanTable::ZERO };
    PlanArgs {
        level: boxes.level,
        coarse: coarser.map_or(NOWHERE, |(boxes, _)| boxes.level),
        old: transfer.flatten().map_or(NOWHERE, |boxes| boxes.level),
        counts: pointer::<_, N>(memory, TOTALS),
        lanes: pointer::<_, N>(memory, TOTALS + PLAN_COLUMNS * boxes.num_places() * size_of::<u32>()),
        totals: pointer::<_, N>(memory, 0),
        failed: pointer::<_, N>(memory, PLAN_COLUMNS * size_of::<u32>()),
        ghost: table(ghost),
        averages: table(cells / ratio.cells() as usize),
        runs: table(faces),
        values: table(cells),
        new_coarse: table(cells / ratio.cells() as usize),
        periodic: axes(periodic.map(u32::from), 0),
        beyond: sides.rules(),
        ratio: axes(ratio.0, 1),
        keeps_faces: u32::from(keeps_faces),
        transfers: u32::from(transfer.is_some()),
        conserves: u32::from(keeps_means),
        outside_last: u32::from(outside_last),
        room: boxes.level.num_boxes,
        ..PlanArgs::ZERO
    }
}
