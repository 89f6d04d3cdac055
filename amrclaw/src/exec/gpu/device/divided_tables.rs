//! Tables of the plans of one rank among several: kernels make the lists of a single rank, and extract from them what this rank does
//! alone, sends and receives. All ranks divide the same lists, so that both ends of a message have its items in the same order.

use super::messages::{LevelMessages, TransferMessages};
use super::plan_tables::{CountedTables, Counts, OffsetAllocator, WrittenTables};
use super::tables::{FillTable, Runs, SideTable};
use super::{
    ExchangeTables, FaceCounts, LevelTables, Machine, MessageTables, RankMessage, Table, TransferTables, pointer,
    structs_of,
};
use crate::mesh::Rank;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer};
use cuda::amr::kernels::{DIVIDE_PLAN, WRITE_PLAN};
use cuda::amr::tuning::most_chunks;
use cuda::amr::{
    Chunk, DivideArgs, FaceRun, Form, MAX_PARTS, MAX_RANKS, Origin, PartReport, Patch, PlanArgs, PlanColumn, PlanPart,
    PlanTable, Region, Whose,
};

/// A rank, and the owners of patches in the device's memory.
#[derive(Clone, Copy)]
pub(in crate::exec) struct TableOwners {
    pub rank: Rank,
    /// Of the level's patches.
    pub own: Pointer<u32>,
    /// Of those of the next coarser level.
    pub coarser: Pointer<u32>,
    /// Of those of the level before it was replaced.
    pub old: Pointer<u32>,
}

/// A list of a single rank: the fields of [`PlanPart`] that describe it, its number of items, and an upper bound for their cells.
#[derive(Clone, Copy)]
struct List {
    whole: PlanPart,
    items: usize,
    cells: usize,
}

impl List {
    /// A list of regions of two kinds. `source_owners`: of the patches that each kind reads; `target_owners`: of those that are written.
    fn of(
        regions: Pointer<Region>,
        num_items: [u32; 2],
        (source_owners, target_owners): ([Pointer<u32>; 2], Pointer<u32>),
        cells: usize,
    ) -> Self {
        let whole = PlanPart { regions, source_owners, target_owners, num_items, ..PlanPart::ZERO };
        List { whole, items: num_items.iter().sum::<u32>() as usize, cells }
    }
}

/// The parts of lists of regions: what is done here alone, what is sent, what is received.
const OF_REGIONS: [(Whose, Form); 3] =
    [(Whose::Here, Form::Unchanged), (Whose::Sent, Form::Packed), (Whose::Received, Form::Unpacked)];

/// The parts of lists of runs: those of this rank's fine patches, and of its coarse patches; what the owners of coarse patches send to
/// those of fine ones, sent and received; the sums that these send back, sent and received.
const OF_RUNS: [(Whose, Form); 6] = [
    (Whose::TargetHere, Form::Unchanged),
    (Whose::SourceHere, Form::Unchanged),
    (Whose::Sent, Form::Packed),
    (Whose::Received, Form::Unpacked),
    (Whose::Received, Form::Packed),
    (Whose::Sent, Form::Unpacked),
];

/// Number of the first part of each of a level's lists, in the order in which they are added.
const GHOST: usize = 0;
const OUTSIDE: usize = GHOST + OF_REGIONS.len();
const AVERAGES: usize = OUTSIDE + 1;
const RUNS: usize = AVERAGES + OF_REGIONS.len();

/// The same for the lists of a transfer.
const VALUES: usize = 0;
const NEW_COARSE: usize = VALUES + OF_REGIONS.len();

/// Where a part lies in the memory of its tables, in bytes.
#[derive(Clone, Copy)]
struct PartOffsets {
    items: usize,
    origins: usize,
    chunks: usize,
    blocks: usize,
    slots: usize,
}

/// Parts of lists whose tables lie in one piece of memory.
#[derive(Default)]
struct Parts {
    room: OffsetAllocator,
    parts: Vec<PlanPart>,
    places: Vec<PartOffsets>,
}

impl Parts {
    /// Reserves memory for parts of a list.
    fn add(&mut self, List { whole, items, cells }: List, ways: &[(Whose, Form)]) {
        let of_runs = whole.runs.address() != 0;
        for &(whose, form) in ways {
            let (room, crosses) = (&mut self.room, form != Form::Unchanged);
            let count = items as u32;
            let place = PartOffsets {
                items: if of_runs && !crosses { room.of::<FaceRun>(count) } else { room.of::<Region>(count) },
                origins: room.of::<Origin>(if whole.origins.address() == 0 { 0 } else { count }),
                chunks: room.of::<Chunk>(most_chunks(items, cells) as u32),
                blocks: room.of::<Patch>(if of_runs { MAX_RANKS as u32 } else { count * u32::from(crosses) }),
                slots: room.of::<Patch>(u32::from(of_runs)),
            };
            self.parts.push(PlanPart { whose: whose as u32, form: form as u32, ..whole });
            self.places.push(place);
        }
    }

    /// Allocates the memory and sets the addresses of the parts.
    fn allocate<N: Machine>(&mut self, machine: &N) -> Result<N::Memory, CudaError> {
        let memory = machine.allocate(self.room.0.max(1))?;
        for (part, place) in self.parts.iter_mut().zip(&self.places) {
            let of_runs = part.runs.address() != 0;
            part.part_regions = pointer::<_, N>(&memory, place.items);
            part.part_runs = pointer::<_, N>(&memory, place.items);
            part.part_origins = pointer::<_, N>(&memory, place.origins);
            part.chunks = pointer::<_, N>(&memory, place.chunks);
            if part.form != Form::Unchanged as u32 {
                part.blocks = pointer::<_, N>(&memory, place.blocks);
            }
            if of_runs {
                part.slots = pointer::<_, N>(&memory, place.slots);
            }
        }
        Ok(memory)
    }
}

/// Tables that are being divided: the places of their parts, whose sizes are being copied to the host.
pub(in crate::exec) struct DividedTables<N: Machine> {
    memory: N::Memory,
    places: Vec<PartOffsets>,
    /// The same for the tables of a transfer, if they were requested.
    transfer: Option<(N::Memory, Vec<PartOffsets>)>,
    reports: N::Download,
}

impl<N: Machine> CountedTables<N> {
    /// Begins to write the tables of one of several ranks; `None` as for [`CountedTables::write`].
    pub fn divide<const D: usize>(
        self,
        owners: TableOwners,
        machine: &N,
    ) -> Result<Option<DividedTables<N>>, CudaError> {
        let CountedTables { mut args, memory: _counts, totals, transfers } = self;
        let Some(counts) = Counts::finish(totals, machine)? else { return Ok(None) };
        let _whole = write_whole::<D, N>(&mut args, &counts, machine)?;
        let mut level = Parts::default();
        let [ghost, outside, averages, runs] = level_lists(&args, &counts, owners);
        level.add(ghost, &OF_REGIONS);
        level.add(outside, &OF_REGIONS[..1]);
        level.add(averages, &OF_REGIONS);
        level.add(runs, &OF_RUNS);
        let memory = level.allocate(machine)?;
        let mut transfer = Parts::default();
        let moved = transfer_lists(&args, &counts, owners);
        moved.into_iter().filter(|_| transfers).for_each(|list| transfer.add(list, &OF_REGIONS));
        let of_transfer = if transfers { Some(transfer.allocate(machine)?) } else { None };
        let mut parts: Vec<_> = level.parts.into_iter().chain(transfer.parts).collect();
        let reports = machine.allocate(parts.len() * size_of::<PartReport>())?;
        for (k, part) in parts.iter_mut().enumerate() {
            part.report = pointer::<_, N>(&reports, k * size_of::<PartReport>());
        }
        let num_parts = parts.len();
        parts.resize(MAX_PARTS, PlanPart::ZERO);
        let Rank { number, of } = owners.rank;
        let args = DivideArgs {
            parts: parts.try_into().expect("a part for each place"),
            ratio: args.ratio,
            rank: number as u32,
            num_ranks: of as u32,
        };
        // SAFETY: the lists have been written before; each part has room for all items of its list, and an owner is known of each patch.
        unsafe { machine.run(&DIVIDE_PLAN, D, num_parts, &args)? };
        let reports = machine.begin_download(&reports, num_parts * size_of::<PartReport>())?;
        let transfer = of_transfer.map(|memory| (memory, transfer.places));
        Ok(Some(DividedTables { memory, places: level.places, transfer, reports }))
    }
}

/// Writes the lists of a single rank, without chunks; returns their memory.
fn write_whole<const D: usize, N: Machine>(
    args: &mut PlanArgs,
    counts: &Counts,
    machine: &N,
) -> Result<N::Memory, CudaError> {
    use PlanColumn::{Averages, Copies, Interps, Moved, New, OutsideCopies, Runs};
    let of = |column: PlanColumn| counts.of(column);
    let mut room = OffsetAllocator::default();
    let ghost = room.of::<Region>(of(Copies) + of(Interps) + of(OutsideCopies));
    let origins = room.of::<Origin>(of(OutsideCopies));
    let [averages, runs] = [room.of::<Region>(of(Averages)), room.of::<FaceRun>(of(Runs))];
    let values = room.of::<Region>(of(Moved) + of(New));
    let new_coarse = room.of::<Region>(of(New) * args.conserves);
    let memory = machine.allocate(room.0.max(1))?;
    let table = |known: &mut PlanTable, start: usize| {
        (known.regions, known.chunks) = (pointer::<_, N>(&memory, start), Pointer::NULL);
    };
    table(&mut args.ghost, ghost);
    table(&mut args.averages, averages);
    table(&mut args.runs, runs);
    table(&mut args.values, values);
    table(&mut args.new_coarse, new_coarse);
    (args.origins, args.face_runs) = (pointer::<_, N>(&memory, origins), pointer::<_, N>(&memory, runs));
    // SAFETY: there is room for as many items as have been counted.
    unsafe { machine.run(&WRITE_PLAN, D, args.level.num_boxes as usize, args)? };
    Ok(memory)
}

/// The lists of a level's plans: ghost cells, those outside the domain, averages, runs of faces.
fn level_lists(args: &PlanArgs, counts: &Counts, TableOwners { own, coarser, .. }: TableOwners) -> [List; 4] {
    use PlanColumn::{Averages, Copies, Interps, OutsideCopies, Runs};
    let of = |column: PlanColumn| counts.of(column);
    let cells = |column: PlanColumn, table: PlanTable| counts.cells(column, table.chunk_cells);
    let ghost_cells = cells(Copies, args.ghost) + cells(Interps, args.ghost);
    let behind = (of(Copies) + of(Interps)) as usize * size_of::<Region>();
    let beyond = Pointer::new(args.ghost.regions.address() + behind as u64);
    let ghost = List::of(args.ghost.regions, [of(Copies), of(Interps)], ([own, coarser], own), ghost_cells);
    let outside = List::of(beyond, [of(OutsideCopies), 0], ([own; 2], own), cells(OutsideCopies, args.ghost));
    let averages = args.averages.regions;
    let averages = List::of(averages, [of(Averages), 0], ([own; 2], coarser), cells(Averages, args.averages));
    let runs = List::of(Pointer::NULL, [of(Runs), 0], ([coarser; 2], own), cells(Runs, args.runs));
    let outside = List { whole: PlanPart { origins: args.origins, ..outside.whole }, ..outside };
    let runs = List { whole: PlanPart { runs: args.face_runs, ..runs.whole }, ..runs };
    [ghost, outside, averages, runs]
}

/// The lists of a transfer: its values, and the coarse cells under new ones.
fn transfer_lists(args: &PlanArgs, counts: &Counts, TableOwners { own, coarser, old, .. }: TableOwners) -> [List; 2] {
    use PlanColumn::{Moved, New, NewCoarse};
    let [moved, new] = [Moved, New].map(|column| counts.of(column));
    let value_cells = [Moved, New].map(|column| counts.cells(column, args.values.chunk_cells)).iter().sum();
    let coarse_cells = counts.of(NewCoarse) as usize * args.new_coarse.chunk_cells as usize;
    let values = List::of(args.values.regions, [moved, new], ([old, coarser], own), value_cells);
    let under_new = [new * args.conserves, 0];
    [values, List::of(args.new_coarse.regions, under_new, ([coarser; 2], own), coarse_cells)]
}

impl<N: Machine> DividedTables<N> {
    /// Waits for the sizes of the parts.
    pub fn finish(self, machine: &N) -> Result<WrittenTables<N>, CudaError> {
        let DividedTables { memory, places, transfer, reports } = self;
        let reports: Vec<PartReport> = machine.finish_download(reports, |bytes| structs_of(bytes).collect())?;
        let (of_level, of_transfer) = reports.split_at(places.len());
        let part = |k: usize| Part { place: places[k], report: &of_level[k] };
        let crossing = |first: usize| both_directions(part(first), part(first + 1));
        let fill = FillTable {
            table: part(GHOST).table(),
            num_inside: u32::MAX,
            num_outside_copies: 0,
            origins: 0,
            by_axis: Default::default(),
            after: SideTable { table: part(OUTSIDE).table(), origins: places[OUTSIDE].origins },
        };
        let PartReport { num_slots, num_fine, .. } = of_level[RUNS];
        let tables = LevelTables {
            memory,
            fill,
            restrict: part(AVERAGES).table(),
            runs: Runs { fine: part(RUNS).table(), coarse: part(RUNS + 1).table() },
            faces: FaceCounts { coarse: num_slots as usize, fine: num_fine as usize },
            messages: LevelMessages {
                ghost: crossing(GHOST + 1),
                restrict: crossing(AVERAGES + 1),
                faces: crossing(RUNS + 2),
                sums: crossing(RUNS + 4),
                slots: places[RUNS].slots,
            },
        };
        let transfer = transfer.map(|(memory, places)| {
            let part = |k: usize| Part { place: places[k], report: &of_transfer[k] };
            let crossing = |first: usize| both_directions(part(first), part(first + 1));
            let messages = TransferMessages { values: crossing(VALUES + 1), coarse: crossing(NEW_COARSE + 1) };
            TransferTables { memory, fill: part(VALUES).table(), conserve: part(NEW_COARSE).table(), messages }
        });
        Ok((tables, transfer))
    }
}

fn both_directions(sent: Part<'_>, received: Part<'_>) -> ExchangeTables {
    ExchangeTables { sent: sent.message_tables(), received: received.message_tables() }
}

/// A part and its sizes.
struct Part<'a> {
    place: PartOffsets,
    report: &'a PartReport,
}

impl Part<'_> {
    fn table(&self) -> Table {
        let &PartReport { num_first, num_chunks, chunk_cells, .. } = self.report;
        Table::placed([self.place.items, self.place.chunks], [num_chunks, chunk_cells]).with_first(num_first)
    }

    /// The messages of a part that is sent or received.
    fn message_tables(&self) -> MessageTables {
        let (mut cell, mut chunk) = (0, 0);
        let by_rank = self.report.cells.iter().zip(&self.report.chunks).enumerate().map(|(rank, (cells, chunks))| {
            let before = (cell, chunk);
            (cell, chunk) = (cell + *cells as usize, chunk + chunks);
            RankMessage { rank, cells: before.0..cell, chunks: before.1..chunk }
        });
        let by_rank = by_rank.filter(|of_rank| !of_rank.cells.is_empty()).collect();
        MessageTables { by_rank, table: self.table(), blocks: self.place.blocks }
    }
}
