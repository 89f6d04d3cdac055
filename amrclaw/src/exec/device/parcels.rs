//! What goes from rank to rank, as tables. The cells of each item lie in a message as those of a patch without ghost cells: kernels that
//! copy, interpolate and average from patch to patch then do so into messages and out of them.
//!
//! All messages of one step of the method that leave a rank lie in one array, one rank's after another, as do those that come. Faces of the
//! conservation fix are cells in a row.

use super::patch_table::block_entry;
use super::regions::{Place, region};
use super::{Machine, Table, TableBuilder, pointer};
use crate::index::{CellBox, CellIndex, Ratio};
use crate::plan::{Exchange, FaceRun, LevelPlans, Parcel, RefluxPlan, Regions, RestrictRegion, TransferPlan};
use cuda::abi::Pointer;
use cuda::amr::{Patch, Region};
use std::ops::Range;

/// The message to another rank, or from it.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Share {
    pub rank: usize,
    /// Its cells among those of all messages.
    pub cells: Range<usize>,
    /// Of a message that comes, the chunks of what is filled from it.
    pub chunks: Range<u32>,
}

/// The messages that go one way at one step of the method.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct Parcels {
    /// For each other rank.
    pub shares: Vec<Share>,
    /// What fills the messages, or is filled from them.
    pub table: Table,
    /// Where the table of blocks begins, in bytes.
    pub(super) blocks: usize,
}

/// What a rank sends and receives.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct BothWays {
    pub sent: Parcels,
    pub received: Parcels,
}

impl Parcels {
    /// Cells of all messages.
    pub fn num_cells(&self) -> usize {
        self.shares.last().map_or(0, |share| share.cells.end)
    }

    /// The blocks, as kernels see them.
    pub fn blocks<N: Machine>(&self, memory: &N::Memory) -> Pointer<Patch> {
        pointer::<_, N>(memory, self.blocks)
    }

    fn at(self, place: Place) -> Self {
        Parcels { table: self.table.at(place), blocks: place.of(self.blocks), ..self }
    }
}

impl BothWays {
    pub fn at(self, place: Place) -> Self {
        BothWays { sent: self.sent.at(place), received: self.received.at(place) }
    }
}

/// The messages of parcels as they are put together: blocks, and the regions that are copied to them or from them.
#[derive(Default)]
struct Blocks {
    num_ghost: i32,
    patches: Vec<Patch>,
    cells: usize,
    /// The two kinds of regions; of messages that come all are of the first kind, one message's after another.
    regions: [Vec<(Region, usize)>; 2],
    /// Each rank, its cells, and the number of regions of the first kind when its message ended.
    ends: Vec<(usize, Range<usize>, usize)>,
}

impl Blocks {
    fn new(num_ghost: i32) -> Self {
        Blocks { num_ghost, ..Blocks::default() }
    }

    /// A block for a box of cells; answers its number.
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

    /// The messages, with what fills them or is filled.
    fn done(self, builder: &mut TableBuilder) -> Parcels {
        let blocks = builder.append(self.patches.into_iter());
        let [first, second] = &self.regions;
        let regions: Vec<_> = first.iter().chain(second).copied().collect();
        let table = builder.table(regions.into_iter()).with_first(first.len() as u32);
        let chunks = |regions: &[(Region, usize)]| {
            regions.iter().map(|&(_, cells)| (cells as u32).div_ceil(table.chunk_cells)).sum::<u32>()
        };
        let (mut region, mut chunk) = (0, 0);
        let shares = self.ends.into_iter().map(|(rank, cells, end)| {
            let start = chunk;
            chunk += chunks(&first[region..end]);
            region = end;
            Share { rank, cells, chunks: start..chunk }
        });
        Parcels { shares: shares.collect(), table, blocks }
    }
}

/// A way of a box of cells: which patch is read, which written, the cells, and their shift.
type Way<const D: usize> = (u32, u32, CellBox<D>, CellIndex<D>);

/// The region of a box whose block has this number.
fn to_or_from_block<const D: usize>(block: u32, (source, target, cells, shift): Way<D>, sent: bool) -> (Region, usize) {
    if sent { region(block, source, &cells, shift) } else { region(target, block, &cells, [0; D]) }
}

/// The messages of parcels, whose items are two lists of boxes.
fn parcels<const D: usize, P>(
    builder: &mut TableBuilder,
    (parcels, sent): (&[Parcel<P>], bool),
    num_ghost: i32,
    boxes: impl Fn(&P) -> [Vec<Way<D>>; 2],
) -> Parcels {
    let mut blocks = Blocks::new(num_ghost);
    for parcel in parcels {
        for (kind, ways) in boxes(&parcel.items).into_iter().enumerate() {
            for way in ways {
                let region = to_or_from_block(blocks.add(&way.2), way, sent);
                blocks.regions[if sent { kind } else { 0 }].push(region);
            }
        }
        blocks.end(parcel.rank);
    }
    blocks.done(builder)
}

fn both_ways<const D: usize, P>(
    builder: &mut TableBuilder,
    exchange: &Exchange<P>,
    num_ghost: i32,
    boxes: impl Fn(&P) -> [Vec<Way<D>>; 2],
) -> BothWays {
    let sent = parcels(builder, (&exchange.sent, true), num_ghost, &boxes);
    let received = parcels(builder, (&exchange.received, false), num_ghost, &boxes);
    BothWays { sent, received }
}

/// Copies first, then interpolations.
fn of_regions<const D: usize>(regions: &Regions<D>) -> [Vec<Way<D>>; 2] {
    let copies = regions.copies.iter().map(|r| (r.source, r.target, r.cells, r.shift));
    let interps = regions.interps.iter().map(|r| (r.source, r.target, r.cells, r.shift));
    [copies.collect(), interps.collect()]
}

fn of_averages<const D: usize>(regions: &[RestrictRegion<D>]) -> [Vec<Way<D>>; 2] {
    [regions.iter().map(|r| (r.source, r.target, r.cells, [0; D])).collect(), Vec::new()]
}

/// What crosses between ranks at a level's steps.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct LevelParcels {
    /// Ghost cells: copies and interpolations out, copies in.
    pub ghost: BothWays,
    /// Averages out, copies in.
    pub restrict: BothWays,
    /// Faces that the coarse level has begun.
    pub faces: BothWays,
    /// Faces whose sums are complete, back on the way that they came.
    pub sums: BothWays,
    /// Where the patch begins that the faces of the register are the cells of.
    pub(super) slots: usize,
}

impl LevelParcels {
    pub fn new<const D: usize>(builder: &mut TableBuilder, plans: &LevelPlans<D>, num_ghost: i32) -> Self {
        let ghost = both_ways(builder, plans.ghost().exchange(), num_ghost, of_regions::<D>);
        let restrict = plans.restrict();
        let restrict =
            restrict.map(|plan| both_ways(builder, plan.exchange(), num_ghost, |regions| of_averages(regions)));
        let mut of_level = LevelParcels { ghost, restrict: restrict.unwrap_or_default(), ..LevelParcels::default() };
        if let Some(plan) = plans.reflux() {
            let Exchange { sent, received } = plan.exchange();
            let mut way = |parcels: &[Parcel<Vec<FaceRun<D>>>], sent| face_parcels(builder, (parcels, sent), num_ghost);
            of_level.faces = BothWays { sent: way(sent, true), received: way(received, false) };
            of_level.sums = BothWays { sent: way(received, true), received: way(sent, false) };
            of_level.slots = builder.append([slot_patch(plan, num_ghost)].into_iter());
        }
        of_level
    }

    /// The patch of the register's faces.
    pub fn slots<N: Machine>(&self, memory: &N::Memory) -> Pointer<Patch> {
        pointer::<_, N>(memory, self.slots)
    }

    pub fn at(self, place: Place) -> Self {
        let LevelParcels { ghost, restrict, faces, sums, slots } = self;
        let [ghost, restrict, faces, sums] = [ghost, restrict, faces, sums].map(|ways| ways.at(place));
        LevelParcels { ghost, restrict, faces, sums, slots: place.of(slots) }
    }
}

/// The faces of a register as cells of one patch.
fn slot_patch<const D: usize>(plan: &RefluxPlan<D>, num_ghost: i32) -> Patch {
    in_dimensions(D, block_entry(&CellBox::new([0], [plan.num_slots() as i32]), 0, num_ghost), num_ghost)
}

/// A row of cells as it is in more dimensions.
fn in_dimensions(dim: usize, mut row: Patch, num_ghost: i32) -> Patch {
    row.lo[1..dim].fill(num_ghost);
    row
}

/// The messages of runs of faces: each is one block. Cells are numbered by what is written.
fn face_parcels<const D: usize>(
    builder: &mut TableBuilder,
    (parcels, sent): (&[Parcel<Vec<FaceRun<D>>>], bool),
    num_ghost: i32,
) -> Parcels {
    let mut blocks = Blocks::new(num_ghost);
    for (number, parcel) in parcels.iter().enumerate() {
        let mut next = 0;
        for run in &parcel.items {
            let (slot, faces) = (run.first_slot as i32, run.cells.volume() as i32);
            let (target, source, first, from) = if sent { (number, 0, next, slot) } else { (0, number, slot, next) };
            let cells = CellBox::new([first], [first + faces]);
            blocks.regions[0].push(region(target as u32, source as u32, &cells, [first - from]));
            next += faces;
        }
        blocks.add(&CellBox::new([0], [next]));
        blocks.end(parcel.rank);
    }
    blocks.patches.iter_mut().for_each(|patch| *patch = in_dimensions(D, *patch, num_ghost));
    blocks.done(builder)
}

/// What crosses between ranks when new patches get their values.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct TransferParcels {
    /// The values.
    pub values: BothWays,
    /// Coarse cells over what was interpolated, where their capacity matters.
    pub coarse: BothWays,
}

impl TransferParcels {
    pub fn new<const D: usize>(
        builder: &mut TableBuilder,
        plan: &TransferPlan<D>,
        (ratio, capacity): (Ratio<D>, bool),
        num_ghost: i32,
    ) -> Self {
        let values = both_ways(builder, plan.exchange(), num_ghost, of_regions::<D>);
        let coarse = |regions: &Regions<D>| {
            let over = |cells: &CellBox<D>| cells.coarse_from_fine(ratio);
            [regions.interps.iter().map(|r| (r.source, r.target, over(&r.cells), r.shift)).collect(), Vec::new()]
        };
        let coarse = match capacity {
            true => both_ways(builder, plan.exchange(), num_ghost, coarse),
            false => BothWays::default(),
        };
        TransferParcels { values, coarse }
    }

    pub fn at(self, place: Place) -> Self {
        TransferParcels { values: self.values.at(place), coarse: self.coarse.at(place) }
    }
}
