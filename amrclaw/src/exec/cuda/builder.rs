//! Tables of regions: put together by the host, cut into the warps' work by the device.

use super::machine::{Machine, bytes_of};
use super::store::pointer;
use cuda::abi::{Pointee, Pointer};
use cuda::regions::{Chunk, Chunked, LIST_CHUNKS, ListArgs};
use cuda::{CudaError, Grid};

/// Threads of a block where a warp takes a chunk.
const THREADS: u32 = 128;
/// Warps that a table should give work to.
const WARPS: usize = 1 << 14;

/// Regions or runs, and the warps' work on them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Table {
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
    pub fn items<T: Pointee, N: Machine>(&self, memory: &N::Memory) -> Pointer<T> {
        pointer::<T, N>(memory, self.items)
    }

    pub fn chunks<N: Machine>(&self, memory: &N::Memory) -> Pointer<Chunk> {
        pointer::<Chunk, N>(memory, self.chunks)
    }

    /// The table, whose first items are of another kind.
    pub fn with_first(self, num_first: u32) -> Self {
        Table { num_first, ..self }
    }

    /// The table once its builder's tables are sent to that place.
    pub fn at(self, place: Place) -> Self {
        Table { items: place.items + self.items, chunks: place.chunks + self.chunks, ..self }
    }

    /// One warp a chunk.
    pub fn grid(&self) -> Grid {
        Grid { blocks: [(self.num_chunks * 32).div_ceil(THREADS), 1, 1], threads: THREADS, shared_bytes: 0 }
    }
}

/// Puts tables one after another, to be sent in one piece. Chunks are listed by the device.
#[derive(Debug, Default)]
pub(super) struct TableBuilder {
    bytes: Vec<u8>,
    /// Regions of all tables, and how many chunks they have together.
    chunked: Vec<Chunked>,
    num_chunks: usize,
}

/// Where in memory the items of a builder begin, and their chunks.
#[derive(Clone, Copy)]
pub(super) struct Place {
    items: usize,
    chunks: usize,
}

impl TableBuilder {
    /// Appends numbers or structs; answers where they begin.
    pub fn append<T: Copy>(&mut self, items: impl ExactSizeIterator<Item = T>) -> usize {
        let start = self.bytes.len().next_multiple_of(16);
        self.bytes.resize(start + items.len() * size_of::<T>(), 0);
        let places = self.bytes[start..].chunks_exact_mut(size_of::<T>());
        places.zip(items).for_each(|(place, item)| place.copy_from_slice(bytes_of(&[item])));
        start
    }

    /// Appends a table; `cells`: of each item.
    pub fn table<T: Copy>(&mut self, items: impl ExactSizeIterator<Item = (T, usize)> + Clone) -> Table {
        let total: usize = items.clone().map(|(_, cells)| cells).sum();
        let chunk_cells = (total / WARPS).next_multiple_of(32).clamp(32, 1024);
        let first = self.num_chunks;
        self.chunked.reserve(items.len());
        for (number, (_, cells)) in (0..).zip(items.clone()) {
            let first_chunk = self.num_chunks as u32;
            self.chunked.push(Chunked { first_chunk, number, chunk_cells: chunk_cells as u32 });
            self.num_chunks += cells.div_ceil(chunk_cells);
        }
        Table {
            items: self.append(items.map(|(item, _)| item)),
            chunks: first * size_of::<Chunk>(),
            num_chunks: (self.num_chunks - first) as u32,
            chunk_cells: chunk_cells as u32,
            num_first: 0,
        }
    }

    /// Sends what is no table.
    pub fn send<N: Machine>(&self, machine: &N) -> Result<N::Memory, CudaError> {
        let memory = machine.allocate(self.bytes.len().max(1))?;
        machine.upload(&self.bytes, &memory, 0)?;
        Ok(memory)
    }

    /// Sends the tables of several builders into one piece of memory and lists their chunks behind them.
    pub fn send_tables<const K: usize, N: Machine>(
        mut builders: [Self; K],
        machine: &N,
    ) -> Result<(N::Memory, [Place; K]), CudaError> {
        let mut end = 0;
        let mut room = |bytes: usize| {
            let start = end;
            end = (start + bytes).next_multiple_of(16);
            start
        };
        let lists = builders.each_mut().map(|builder| {
            let chunked = std::mem::take(&mut builder.chunked);
            (builder.append(chunked.iter().copied()), chunked.len())
        });
        let items = builders.each_ref().map(|builder| room(builder.bytes.len()));
        let chunks = builders.each_ref().map(|builder| room(builder.num_chunks * size_of::<Chunk>()));
        let memory = machine.allocate(end.max(1))?;
        for (k, builder) in builders.iter().enumerate() {
            machine.upload(&builder.bytes, &memory, items[k])?;
            if builder.num_chunks == 0 {
                continue;
            }
            let args = ListArgs {
                regions: pointer::<_, N>(&memory, items[k] + lists[k].0),
                chunks: pointer::<_, N>(&memory, chunks[k]),
                num_regions: lists[k].1 as u32,
                num_chunks: builder.num_chunks as u32,
            };
            // SAFETY: the regions are sent before; there is room for each chunk, which one thread writes.
            unsafe { machine.launch(LIST_CHUNKS, Grid::over(builder.num_chunks, THREADS), &args)? };
        }
        Ok((memory, std::array::from_fn(|k| Place { items: items[k], chunks: chunks[k] })))
    }
}
