//! Tables of regions: built by the host, divided by the device into chunks, each the work of one warp.

use super::{Queue, axes, bytes_of, pointer};
use crate::index::{CellBox, CellIndex};
use crate::plan;
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer};
use cuda::amr::kernels::LIST_CHUNKS;
use cuda::amr::tuning::chunk_cells;
use cuda::amr::{Chunk, Chunked, ListArgs, Region, RegionTable, RunTable};
use std::ops::Range;

/// A region and its number of cells.
pub(in crate::exec) fn region<const D: usize>(
    target: u32,
    source: u32,
    cells: &CellBox<D>,
    shift: CellIndex<D>,
) -> (Region, usize) {
    let (lo, size, shift) = (axes(cells.lo, 0), axes(cells.size(), 1), axes(shift, 0));
    (Region { target, source, lo, size, shift }, cells.volume())
}

/// The same of a plan's region.
pub(in crate::exec) fn region_of<const D: usize>(region: &plan::Region<D>) -> (Region, usize) {
    self::region(region.target, region.source, &region.cells, region.shift.by)
}

/// Regions or runs, and their chunks, each the work of one warp.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::exec) struct Table {
    /// Where the regions begin, in bytes.
    items: usize,
    /// Where the chunks begin.
    chunks: usize,
    pub num_chunks: u32,
    pub chunk_cells: u32,
    /// Leading items of another kind: copies before interpolations.
    pub num_first: u32,
}

impl Table {
    /// A table by the byte offsets of its items and chunks, the number of its chunks, and the cells of a chunk.
    pub fn placed([items, chunks]: [usize; 2], [num_chunks, chunk_cells]: [u32; 2]) -> Self {
        Table { items, chunks, num_chunks, chunk_cells, num_first: 0 }
    }

    pub fn items<T: Pointee, N: Queue>(&self, memory: &N::Memory) -> Pointer<T> {
        pointer::<T, N>(memory, self.items)
    }

    pub fn chunks<N: Queue>(&self, memory: &N::Memory) -> Pointer<Chunk> {
        pointer::<Chunk, N>(memory, self.chunks)
    }

    /// A table of regions, as kernels see it.
    pub fn regions<N: Queue>(&self, memory: &N::Memory) -> RegionTable {
        let (items, chunks) = (self.items::<_, N>(memory), self.chunks::<N>(memory));
        RegionTable { items, chunks, num_chunks: self.num_chunks, chunk_cells: self.chunk_cells }
    }

    /// A table of runs likewise.
    pub fn runs<N: Queue>(&self, memory: &N::Memory) -> RunTable {
        let (items, chunks) = (self.items::<_, N>(memory), self.chunks::<N>(memory));
        RunTable { items, chunks, num_chunks: self.num_chunks, chunk_cells: self.chunk_cells }
    }

    /// The table with only some of its chunks, for kernels that do not distinguish the kinds of items.
    pub fn with_chunks(self, chunks: &Range<u32>) -> Self {
        let start = self.chunks + chunks.start as usize * size_of::<Chunk>();
        Table { chunks: start, num_chunks: chunks.len() as u32, ..self }
    }

    /// The table, whose first `num_first` items are of another kind.
    pub fn with_first(self, num_first: u32) -> Self {
        Table { num_first, ..self }
    }

    /// The table after its builder's tables have been sent to `offsets`.
    pub fn at(self, offsets: TableOffsets) -> Self {
        Table { items: offsets.items + self.items, chunks: offsets.chunks + self.chunks, ..self }
    }
}

/// Puts tables one after another, to be sent by one copy. The device lists their chunks.
#[derive(Debug, Default)]
pub(in crate::exec) struct TableBuilder {
    bytes: Vec<u8>,
    /// Regions of all tables, and how many chunks they have together.
    chunked: Vec<Chunked>,
    num_chunks: usize,
}

/// Byte offsets of a builder's items and chunks in the memory to which they are sent.
#[derive(Clone, Copy)]
pub(in crate::exec) struct TableOffsets {
    items: usize,
    chunks: usize,
}

impl TableOffsets {
    /// The byte offset in that memory of what begins at `start` in the builder.
    pub fn of(self, start: usize) -> usize {
        self.items + start
    }
}

impl TableBuilder {
    /// Appends numbers or structs; returns their byte offset.
    pub fn append<T: Copy>(&mut self, items: impl Iterator<Item = T>) -> usize {
        append(&mut self.bytes, items)
    }

    /// The same for a slice, by one copy.
    pub fn append_all<T: Copy>(&mut self, items: &[T]) -> usize {
        let start = self.bytes.len().next_multiple_of(16);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytes_of(items));
        start
    }

    /// Appends a table of items, each with its number of cells.
    pub fn table<T: Copy>(&mut self, items: impl Iterator<Item = (T, usize)>) -> Table {
        let (first_chunk, first) = (self.num_chunks, self.chunked.len());
        let mut total = 0;
        let at_least = items.size_hint().0;
        self.chunked.reserve(at_least);
        self.bytes.reserve(at_least * (size_of::<T>() + size_of::<Chunked>()) + 32);
        let (bytes, chunked) = (&mut self.bytes, &mut self.chunked);
        let written = items.map(|(item, cells)| {
            total += cells;
            // `first_chunk` holds the number of cells until the size of a chunk is known.
            let number = (chunked.len() - first) as u32;
            chunked.push(Chunked { first_chunk: cells as u32, number, chunk_cells: 0 });
            item
        });
        let items = append(bytes, written);
        let chunk_cells = chunk_cells(total);
        for entry in &mut self.chunked[first..] {
            let chunks = entry.first_chunk.div_ceil(chunk_cells);
            (entry.first_chunk, entry.chunk_cells) = (self.num_chunks as u32, chunk_cells);
            self.num_chunks += chunks as usize;
        }
        Table {
            items,
            chunks: first_chunk * size_of::<Chunk>(),
            num_chunks: (self.num_chunks - first_chunk) as u32,
            chunk_cells,
            num_first: 0,
        }
    }

    /// Finishes the tables: no more can be appended.
    pub fn done(mut self) -> HostTables {
        let num_regions = self.chunked.len();
        let regions = append(&mut self.bytes, self.chunked.into_iter());
        HostTables { bytes: self.bytes, regions, num_regions, num_chunks: self.num_chunks }
    }

    /// Sends what has been appended, where none of it is a table.
    pub fn send<N: Queue>(&self, machine: &N) -> Result<N::Memory, CudaError> {
        let memory = machine.allocate(self.bytes.len().max(1))?;
        machine.upload(&self.bytes, &memory, 0)?;
        Ok(memory)
    }
}

/// Appends numbers or structs; returns their byte offset.
fn append<T: Copy>(bytes: &mut Vec<u8>, items: impl Iterator<Item = T>) -> usize {
    let start = bytes.len().next_multiple_of(16);
    bytes.resize(start, 0);
    items.for_each(|item| bytes.extend_from_slice(bytes_of(&[item])));
    start
}

/// Tables before they are sent, with the regions by which the device lists their chunks.
#[derive(Debug)]
pub(in crate::exec) struct HostTables {
    bytes: Vec<u8>,
    /// Byte offset of these regions, and their number.
    regions: usize,
    num_regions: usize,
    num_chunks: usize,
}

impl HostTables {
    /// Sends several to one allocation, where the device lists their chunks behind them.
    pub fn send<const K: usize, N: Queue>(
        several: [&Self; K],
        machine: &N,
    ) -> Result<(N::Memory, [TableOffsets; K]), CudaError> {
        let mut end = 0;
        let mut room = |bytes: usize| {
            let start = end;
            end = (start + bytes).next_multiple_of(16);
            start
        };
        let items = several.map(|tables| room(tables.bytes.len()));
        let chunks = several.map(|tables| room(tables.num_chunks * size_of::<Chunk>()));
        let memory = machine.allocate(end.max(1))?;
        for (k, tables) in several.into_iter().enumerate() {
            machine.upload(&tables.bytes, &memory, items[k])?;
            if tables.num_chunks == 0 {
                continue;
            }
            let args = ListArgs {
                regions: pointer::<_, N>(&memory, items[k] + tables.regions),
                chunks: pointer::<_, N>(&memory, chunks[k]),
                num_regions: tables.num_regions as u32,
                num_chunks: tables.num_chunks as u32,
            };
            // SAFETY: the regions are sent before; there is room for each chunk, which one thread writes.
            unsafe { machine.run(&LIST_CHUNKS, 1, tables.num_chunks, &args)? };
        }
        Ok((memory, std::array::from_fn(|k| TableOffsets { items: items[k], chunks: chunks[k] })))
    }
}
