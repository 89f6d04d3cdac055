//! Boxes over the tags of a level, made on the device: by cuts, or of aligned tiles.

use super::flags::Flags;
use super::strategy::tiles_along_curve;
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{box_by_axes, pointer};
use crate::exec::{ClusterMethod, Cuts};
use crate::index::{CellBox, Level};
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{CLUSTER, CLUSTER_LONG, JOIN_TILES, MARK_TILES, TURN_TAGS};
use cuda::amr::tuning::BLOCK_PLANES;
use cuda::amr::{
    self, Candidate, ClusterArgs, ClusterState, JoinTilesArgs, MarkTilesArgs, TileMap, TurnArgs, TurnedTile,
};

/// Boxes and candidates that there is room for.
pub(super) const ROOM: usize = 1 << 15;
/// Bytes of the state of clustering, and of a box.
pub(super) const STATE: usize = size_of::<ClusterState>();
pub(super) const BOX: usize = size_of::<amr::CellBox>();

/// Memory for clustering, reused for all levels and regrids.
pub(super) struct ClusterMemory<M> {
    /// Candidates.
    pub queue: M,
    /// Boxes before and after nesting.
    pub boxes: [M; 2],
    /// For signatures, with its bytes.
    pub scratch: Option<(M, usize)>,
    /// Number of tags in each plane, zero between two runs, with its bytes.
    pub planes: Option<(M, usize)>,
    /// Number of the last run of the kernel that clusters.
    pub run: u32,
    /// The boxes made of each level's tags, and their number the last time.
    pub made: Vec<NewBoxes<M>>,
    pub known: Vec<usize>,
}

impl<M> ClusterMemory<M> {
    pub fn new<N: Machine<Memory = M>>(machine: &N, levels: usize) -> Result<Self, CudaError> {
        let queue = machine.allocate(ROOM * size_of::<Candidate>())?;
        // So no candidate seems to belong to a later run.
        machine.zero(&queue, 0, ROOM * size_of::<Candidate>())?;
        let boxes = [machine.allocate(ROOM * BOX)?, machine.allocate(ROOM * BOX)?];
        let made = |_| {
            let memory = machine.allocate(STATE + ROOM * BOX)?;
            // More boxes may be fetched than have been written.
            machine.zero(&memory, 0, STATE + ROOM * BOX)?;
            Ok(NewBoxes(memory))
        };
        let made = (0..levels).map(made).collect::<Result<_, CudaError>>()?;
        Ok(ClusterMemory { queue, boxes, scratch: None, planes: None, run: 0, made, known: vec![0; levels] })
    }
}

/// The tags of a level.
pub(super) struct Tags<'a, const D: usize, N: Machine> {
    pub level: Level,
    pub flags: &'a Flags<N>,
    pub map: TileMap,
    /// The cells of all tiles in the domain.
    pub bounds: CellBox<D>,
}

impl<const D: usize, N: Machine> Tags<'_, D, N> {
    pub fn words(&self) -> Pointer<u64> {
        pointer::<_, N>(&self.flags.tags, 0)
    }

    pub fn num_tiles(&self) -> usize {
        self.map.num_tiles as usize
    }
}

/// The state of clustering of a level, and behind it the boxes in order.
pub(super) struct NewBoxes<M>(pub M);

impl<M> NewBoxes<M> {
    pub fn state<N: Machine<Memory = M>>(&self) -> Pointer<ClusterState> {
        pointer::<_, N>(&self.0, 0)
    }

    pub fn boxes<N: Machine<Memory = M>>(&self) -> Pointer<amr::CellBox> {
        pointer::<_, N>(&self.0, STATE)
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Covers tags with boxes.
    pub(super) fn cover_tags(
        &self,
        method: ClusterMethod,
        tags: &Tags<'_, D, N>,
        memory: &mut ClusterMemory<N::Memory>,
        made: &NewBoxes<N::Memory>,
    ) -> Result<(), CudaError> {
        match method {
            ClusterMethod::BergerRigoutsos(cuts) => self.cluster(cuts, tags, memory, made.state::<N>()),
            ClusterMethod::Tiles(size) => {
                self.machine.zero(&made.0, 0, STATE)?;
                self.join_tiles(size, tags, pointer::<_, N>(&memory.boxes[0], 0), made.state::<N>())
            }
        }
    }

    /// Makes boxes of aligned tiles that hold tags: see [`crate::regrid::tiles`].
    fn join_tiles(
        &self,
        size: i32,
        tags: &Tags<'_, D, N>,
        boxes: Pointer<amr::CellBox>,
        state: Pointer<ClusterState>,
    ) -> Result<(), CudaError> {
        let mut num_words = (tiles_along_curve(size, &tags.bounds) as usize).div_ceil(64);
        // A bit for each tile, behind these a bit for each full word of them, and so on.
        let memory = self.machine.allocate(2 * (num_words + 1) * size_of::<u64>())?;
        self.machine.zero(&memory, 0, num_words * size_of::<u64>())?;
        let (words, marks) = (tags.words(), pointer::<u64, N>(&memory, 0));
        let marking = MarkTilesArgs { map: tags.map, words, marks, size };
        // SAFETY: there are words for the rows of every tile, and bits for all aligned tiles that these touch.
        unsafe { self.machine.run(&MARK_TILES, D, tags.num_tiles(), &marking)? };
        let (mut begin, mut level) = (0, 0);
        loop {
            let end = begin + num_words * size_of::<u64>();
            let args = JoinTilesArgs {
                state,
                boxes,
                marks: pointer::<_, N>(&memory, begin),
                full: pointer::<_, N>(&memory, end),
                domain: tags.map.domain,
                size,
                level,
                num_words: num_words as u32,
                room: ROOM as u32,
            };
            // SAFETY: likewise; behind the words there is a bit for each.
            unsafe { self.machine.run(&JOIN_TILES, D, num_words, &args)? };
            if num_words == 1 {
                return Ok(());
            }
            (begin, level, num_words) = (end, level + 6, num_words.div_ceil(64));
        }
    }

    /// Grows memory to at least `bytes` bytes; new memory is zero.
    fn grow(&self, memory: &mut Option<(N::Memory, usize)>, bytes: usize) -> Result<Pointer<u32>, CudaError> {
        if bytes > memory.as_ref().map_or(0, |(_, held)| *held) {
            let grown = self.machine.allocate(bytes)?;
            self.machine.zero(&grown, 0, bytes)?;
            *memory = Some((grown, bytes));
        }
        Ok(memory.as_ref().map_or(Pointer::NULL, |(memory, _)| pointer::<_, N>(memory, 0)))
    }

    /// Clusters tags by cuts: see [`crate::regrid::cluster`].
    fn cluster(
        &self,
        Cuts { cutoff, halved_below, min_size }: Cuts,
        tags: &Tags<'_, D, N>,
        memory: &mut ClusterMemory<N::Memory>,
        state: Pointer<ClusterState>,
    ) -> Result<(), CudaError> {
        memory.run += 1;
        let (queue, run, num_tiles) = (pointer::<_, N>(&memory.queue, 0), memory.run, tags.num_tiles());
        let turned_memory = self.machine.allocate(num_tiles * size_of::<TurnedTile>())?;
        let turned = pointer::<_, N>(&turned_memory, 0);
        let (words, bounds) = (tags.words(), box_by_axes(&tags.bounds));
        let num_planes = tags.bounds.size().iter().map(|&n| n as usize).sum::<usize>();
        let planes = self.grow(&mut memory.planes, num_planes * size_of::<u32>())?;
        let turning = TurnArgs { map: tags.map, words, turned, planes, state, queue, bounds, run };
        let (is_long, scratch_words) = (num_planes > BLOCK_PLANES, 2 * num_planes + num_planes.div_ceil(32) + D);
        let bytes = if is_long { self.cluster_blocks() * scratch_words * size_of::<u32>() } else { 0 };
        let scratch = self.grow(&mut memory.scratch, bytes)?;
        let args = ClusterArgs {
            map: tags.map,
            turned,
            planes,
            state,
            queue,
            boxes: pointer::<_, N>(&memory.boxes[0], 0),
            scratch,
            cutoff,
            halved_below,
            min_size,
            room: ROOM as u32,
            num_planes: num_planes as u32,
            scratch_words: scratch_words as u32,
            run,
        };
        // SAFETY: tiles, words and memory are those of the level, with as much room as is said.
        unsafe {
            self.machine.run(&TURN_TAGS, D, num_tiles, &turning)?;
            self.machine.run(if is_long { &CLUSTER_LONG } else { &CLUSTER }, D, self.cluster_blocks(), &args)
        }
    }
}
