//! Tables for messages between ranks. The cells of each item lie in a message as a block, like a patch without ghost cells, so that the
//! kernels that copy, interpolate and average between patches also write messages and read them.
//!
//! All messages that a rank sends at one step of the method lie in one array, one after another, and so do those that it receives.
//! Faces of the conservation fix are a row of cells.

use super::patch_table::block_entry;
use super::regions::{TableOffsets, region, region_of};
use super::{Machine, Table, TableBuilder, pointer};
use crate::index::{CellBox, Ratio, Shift};
use crate::plan::{self, Exchange, FaceRun, LevelPlans, MessageItems, RefluxPlan, Regions, TransferPlan};
use cuda::abi::Pointer;
use cuda::amr::{Patch, Region};
use std::ops::Range;

/// The message to another rank, or from it.
#[derive(Clone, Debug)]
pub(in crate::exec) struct RankMessage {
    pub rank: usize,
    /// Its cells among those of all messages.
    pub cells: Range<usize>,
    /// Of a received message, the chunks of the regions that are filled from it.
    pub chunks: Range<u32>,
}

/// All messages that a rank sends, or all that it receives, at one step of the method.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct MessageTables {
    /// The message of each other rank.
    pub by_rank: Vec<RankMessage>,
    /// The regions that are packed into the messages, or unpacked from them.
    pub table: Table,
    /// Where the table of blocks begins, in bytes.
    pub(super) blocks: usize,
}

/// What a rank sends and receives.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct ExchangeTables {
    pub sent: MessageTables,
    pub received: MessageTables,
}

impl MessageTables {
    /// Cells of all messages.
    pub fn num_cells(&self) -> usize {
        self.by_rank.last().map_or(0, |of_rank| of_rank.cells.end)
    }

    /// The blocks, as kernels see them.
    pub fn blocks<N: Machine>(&self, memory: &N::Memory) -> Pointer<Patch> {
        pointer::<_, N>(memory, self.blocks)
    }

    fn at(self, offsets: TableOffsets) -> Self {
        MessageTables { table: self.table.at(offsets), blocks: offsets.of(self.blocks), ..self }
    }
}

impl ExchangeTables {
    pub fn at(self, offsets: TableOffsets) -> Self {
        ExchangeTables { sent: self.sent.at(offsets), received: self.received.at(offsets) }
    }
}

/// Builds the tables of messages: blocks, and the regions that are copied to them or from them.
#[derive(Default)]
struct Blocks {
    num_ghost: i32,
    patches: Vec<Patch>,
    cells: usize,
    /// The two kinds of regions; those of received messages are all of the first kind, one message's after another.
    regions: [Vec<(Region, usize)>; 2],
    /// Each rank, its cells, and the number of regions of the first kind when its message ended.
    ends: Vec<(usize, Range<usize>, usize)>,
}

impl Blocks {
    fn new(num_ghost: i32) -> Self {
        Blocks { num_ghost, ..Blocks::default() }
    }

    /// Adds a block for a box of cells; returns its number.
    fn add<const D: usize>(&mut self, cells: &CellBox<D>) -> u32 {
        self.patches.push(block_entry(cells, self.cells, self.num_ghost));
        self.cells += cells.volume();
        self.patches.len() as u32 - 1
    }

    /// Ends the message of a rank.
    fn end(&mut self, rank: usize) {
        let start = self.ends.last().map_or(0, |(_, cells, _)| cells.end);
        self.ends.push((rank, start..self.cells, self.regions[0].len()));
    }

    /// The messages, with the table of their regions.
    fn done(self, builder: &mut TableBuilder) -> MessageTables {
        let blocks = builder.append(self.patches.into_iter());
        let [first, second] = &self.regions;
        let regions: Vec<_> = first.iter().chain(second).copied().collect();
        let table = builder.table(regions.into_iter()).with_first(first.len() as u32);
        let chunks = |regions: &[(Region, usize)]| {
            regions.iter().map(|&(_, cells)| (cells as u32).div_ceil(table.chunk_cells)).sum::<u32>()
        };
        let (mut region, mut chunk) = (0, 0);
        let by_rank = self.ends.into_iter().map(|(rank, cells, end)| {
            let start = chunk;
            chunk += chunks(&first[region..end]);
            region = end;
            RankMessage { rank, cells, chunks: start..chunk }
        });
        MessageTables { by_rank: by_rank.collect(), table, blocks }
    }
}

/// The tables of messages, whose items are two lists of boxes.
fn message_tables<const D: usize, P>(
    builder: &mut TableBuilder,
    (messages, sent): (&[MessageItems<P>], bool),
    num_ghost: i32,
    boxes: impl Fn(&P) -> [Vec<plan::Region<D>>; 2],
) -> MessageTables {
    let mut blocks = Blocks::new(num_ghost);
    for message in messages {
        for (kind, regions) in boxes(&message.items).into_iter().enumerate() {
            for region in regions {
                let block = blocks.add(&region.cells);
                match sent {
                    true => blocks.regions[kind].push(region_of(&plan::Region { target: block, ..region })),
                    false => {
                        blocks.regions[0].push(region_of(&plan::Region { source: block, shift: Shift::NONE, ..region }))
                    }
                }
            }
        }
        blocks.end(message.rank);
    }
    blocks.done(builder)
}

fn both_directions<const D: usize, P>(
    builder: &mut TableBuilder,
    exchange: &Exchange<P>,
    num_ghost: i32,
    boxes: impl Fn(&P) -> [Vec<plan::Region<D>>; 2],
) -> ExchangeTables {
    let sent = message_tables(builder, (&exchange.sent, true), num_ghost, &boxes);
    let received = message_tables(builder, (&exchange.received, false), num_ghost, &boxes);
    ExchangeTables { sent, received }
}

/// Copies first, then interpolations.
fn of_regions<const D: usize>(regions: &Regions<D>) -> [Vec<plan::Region<D>>; 2] {
    [regions.copies.clone(), regions.interps.clone()]
}

/// The messages between ranks in a level's steps.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct LevelMessages {
    /// Ghost cells: packed by copies and interpolations, unpacked by copies.
    pub ghost: ExchangeTables,
    /// Averages: packed by averaging down, unpacked by copies.
    pub restrict: ExchangeTables,
    /// What the coarse level has put into the flux register.
    pub faces: ExchangeTables,
    /// Complete sums of the flux register, sent back to the owners of coarse patches.
    pub sums: ExchangeTables,
    /// Byte offset of the patch entry whose cells are the faces of the register.
    pub(super) slots: usize,
}

impl LevelMessages {
    pub fn new<const D: usize>(builder: &mut TableBuilder, plans: &LevelPlans<D>, num_ghost: i32) -> Self {
        let ghost = both_directions(builder, &plans.ghost().exchange, num_ghost, of_regions::<D>);
        let restrict = plans.restrict();
        let averages = |regions: &Vec<plan::Region<D>>| [regions.clone(), Vec::new()];
        let restrict = restrict.map(|plan| both_directions(builder, &plan.exchange, num_ghost, averages));
        let mut of_level = LevelMessages { ghost, restrict: restrict.unwrap_or_default(), ..LevelMessages::default() };
        if let Some(plan) = plans.reflux() {
            let Exchange { sent, received } = &plan.exchange;
            let mut tables =
                |messages: &[MessageItems<Vec<FaceRun<D>>>], sent| face_messages(builder, (messages, sent), num_ghost);
            of_level.faces = ExchangeTables { sent: tables(sent, true), received: tables(received, false) };
            of_level.sums = ExchangeTables { sent: tables(received, true), received: tables(sent, false) };
            of_level.slots = builder.append([slot_patch(plan, num_ghost)].into_iter());
        }
        of_level
    }

    /// The patch entry whose cells are the faces of the register.
    pub fn slots<N: Machine>(&self, memory: &N::Memory) -> Pointer<Patch> {
        pointer::<_, N>(memory, self.slots)
    }

    pub fn at(self, offsets: TableOffsets) -> Self {
        let LevelMessages { ghost, restrict, faces, sums, slots } = self;
        let [ghost, restrict, faces, sums] = [ghost, restrict, faces, sums].map(|tables| tables.at(offsets));
        LevelMessages { ghost, restrict, faces, sums, slots: offsets.of(slots) }
    }
}

/// The faces of a register as cells of one patch.
fn slot_patch<const D: usize>(plan: &RefluxPlan<D>, num_ghost: i32) -> Patch {
    in_dimensions(D, block_entry(&CellBox::new([0], [plan.num_slots as i32]), 0, num_ghost), num_ghost)
}

/// The entry of a row of cells, in `dim` dimensions.
fn in_dimensions(dim: usize, mut row: Patch, num_ghost: i32) -> Patch {
    row.lo[1..dim].fill(num_ghost);
    row
}

/// The messages of runs of faces, each one block. The cells of a region are numbered as in the array that is written.
fn face_messages<const D: usize>(
    builder: &mut TableBuilder,
    (messages, sent): (&[MessageItems<Vec<FaceRun<D>>>], bool),
    num_ghost: i32,
) -> MessageTables {
    let mut blocks = Blocks::new(num_ghost);
    for (number, message) in messages.iter().enumerate() {
        let mut next = 0;
        for run in &message.items {
            let (slot, faces) = (run.first_slot as i32, run.cells.volume() as i32);
            let (target, source, first, from) = if sent { (number, 0, next, slot) } else { (0, number, slot, next) };
            let cells = CellBox::new([first], [first + faces]);
            blocks.regions[0].push(region(target as u32, source as u32, &cells, [first - from]));
            next += faces;
        }
        blocks.add(&CellBox::new([0], [next]));
        blocks.end(message.rank);
    }
    blocks.patches.iter_mut().for_each(|patch| *patch = in_dimensions(D, *patch, num_ghost));
    blocks.done(builder)
}

/// The messages between ranks that transfer values to new patches.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct TransferMessages {
    /// The values.
    pub values: ExchangeTables,
    /// The coarse cells under interpolated ones, where these keep what those held.
    pub coarse: ExchangeTables,
}

impl TransferMessages {
    pub fn new<const D: usize>(
        builder: &mut TableBuilder,
        plan: &TransferPlan<D>,
        (ratio, keeps_means): (Ratio<D>, bool),
        num_ghost: i32,
    ) -> Self {
        let values = both_directions(builder, &plan.exchange, num_ghost, of_regions::<D>);
        let coarse =
            |regions: &Regions<D>| [regions.interps.iter().map(|region| region.over(ratio)).collect(), Vec::new()];
        let coarse = match keeps_means {
            true => both_directions(builder, &plan.exchange, num_ghost, coarse),
            false => ExchangeTables::default(),
        };
        TransferMessages { values, coarse }
    }

    pub fn at(self, offsets: TableOffsets) -> Self {
        TransferMessages { values: self.values.at(offsets), coarse: self.coarse.at(offsets) }
    }
}
