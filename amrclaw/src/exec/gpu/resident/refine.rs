//! New boxes, made on the device from the tags there: tags under finer boxes, clustering, nesting. Only the boxes are copied to the host.
//!
//! They are the boxes that `regrid` makes of the same tags; where the kernels' room does not suffice, `regrid` makes them.
//!
//! Blocks of threads take candidates from a queue and put the parts that they cut back (`cluster`), or marks of aligned tiles are joined along
//! the Morton curve (`join_tiles`); nesting, splitting and sorting follow. Across periodic sides kernels read the bits of a row at the other side.

use super::cover_tags::{BOX, ClusterMemory, NewBoxes, ROOM, STATE, Tags};
use super::early_counts::EarlyCounts;
use super::strategy::{HostReason, Made, Way, unless, way_of_cover, way_of_levels};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{DeviceBoxes, axes, bytes_of_mut, pointer, structs_of};
use crate::exec::{ExecError, RefineRequest};
use crate::index::{CellBox, Level};
use crate::mesh::Tiling;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{CLIP_TAGS, NEST, PROJECT_BOXES, SORT_BOXES};
use cuda::amr::{self, ClusterState, NestArgs, ProjectArgs, SortArgs};

/// Tiles of the update that occupy as much of the device as a candidate does.
const WARPS: usize = 4;
/// Least number of boxes of a level that are fetched together with their count.
const FETCHED: usize = 1 << 9;

/// The boxes of each level, the coarsest first, and their plans, whose items are being counted.
type MadeBoxes<const D: usize, N> = (Vec<Vec<CellBox<D>>>, Option<EarlyCounts<D, N>>);

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// The tags of the levels to be refined, the finest first, if the kernels can make boxes of all of them.
    fn tags_of(&self, request: &RefineRequest<'_, D>) -> Way<Vec<Tags<'_, D, N>>> {
        let levels = request.base.index()..=request.finest.index();
        let tags = |l: usize| {
            let store = &self.levels[l];
            let (Some(flags), Some(tables)) = (&store.flags, &store.flag_tables) else {
                return Err(HostReason::Criterion);
            };
            flags.way?;
            let (map, around) = tables.map::<N>().expect("kernels go on with flags that have a map");
            let bounds = CellBox::new(Tiling::cells_of(around.lo).lo, Tiling::cells_of(around.hi).lo);
            let bounds = bounds.intersect(&store.mesh.domain());
            way_of_cover(request.method, &bounds)?;
            Ok(Tags { level: Level(l as u8), flags, map, bounds })
        };
        way_of_levels(levels.clone().count())?;
        unless(HostReason::Folded, self.problem.domain.repeats.folded.is_some())?;
        levels.rev().map(tags).collect()
    }

    /// Makes the boxes of all levels finer than a base level; `None` if the host is to make them.
    pub(super) fn refine_levels(
        &mut self,
        request: &RefineRequest<'_, D>,
    ) -> Result<Option<Vec<Vec<CellBox<D>>>>, ExecError> {
        self.regrids.early_counts = None;
        let mut memory = match self.regrids.cluster_memory.take() {
            Some(memory) => memory,
            None => ClusterMemory::new(&self.machine, self.ratios.len())?,
        };
        let made = std::mem::take(&mut memory.made);
        let boxes = self.boxes_of_tags(request, (&mut memory, &made));
        self.regrids.cluster_memory = Some(ClusterMemory { made, ..memory });
        let boxes = boxes?;
        self.regrids.ways.note(Made::Boxes, boxes.as_ref().map_or_else(|reason| Err(*reason), |_| Ok(())));
        let Ok((boxes, ahead)) = boxes else { return Ok(None) };
        self.regrids.early_counts = ahead;
        self.levels.iter_mut().for_each(|store| store.flags = None);
        Ok(Some(boxes))
    }

    /// Makes the boxes of each level, the coarsest first, and begins to count the items of their plans if possible.
    fn boxes_of_tags(
        &self,
        request: &RefineRequest<'_, D>,
        (memory, made): (&mut ClusterMemory<N::Memory>, &[NewBoxes<N::Memory>]),
    ) -> Result<Way<MadeBoxes<D, N>>, ExecError> {
        // All ranks have tags of the same levels.
        let tags = match self.tags_of(request) {
            Ok(tags) => tags,
            Err(reason) => return Ok(Err(reason)),
        };
        let base = tags.last().expect("a level is to be refined");
        if !self.ranks.is_solo() {
            self.join_flags(&tags, request.hierarchy.level(request.base).covers_domain())?;
        }
        let places = self.places_ahead(request, made)?;
        let (mut finer, mut downloads) = (None, Vec::new());
        for of_level in &tags {
            let boxes = &made[of_level.level.index()];
            let patches = places.get(of_level.level.index() - request.base.index());
            self.make_boxes(request, [of_level, base], finer, memory, (boxes, patches))?;
            let expected = (2 * memory.known[of_level.level.index()]).clamp(FETCHED, ROOM);
            downloads.push(self.machine.begin_download(&boxes.0, STATE + expected * BOX)?);
            finer = Some(boxes);
        }
        let counted = self.count_ahead(request.base, places)?;
        let mut levels = Vec::new();
        for (tags, download) in tags.iter().zip(downloads) {
            let Some(found) = self.fetch_boxes(&made[tags.level.index()], download)? else {
                return Ok(Err(HostReason::ManyBoxes));
            };
            memory.known[tags.level.index()] = found.len();
            levels.insert(0, found);
        }
        let ahead = EarlyCounts::new(request.base.index() + 1, counted, &levels);
        Ok(Ok((levels, ahead)))
    }

    /// Fetches the boxes of a level, the first of them by `download`; `None` if the room for them did not suffice.
    fn fetch_boxes(
        &self,
        boxes: &NewBoxes<N::Memory>,
        download: N::Download,
    ) -> Result<Option<Vec<CellBox<D>>>, CudaError> {
        let (count, mut found) = self.machine.finish_download(download, |bytes| {
            let (state, boxes) = bytes.split_at(STATE);
            let state: ClusterState = structs_of(state).next().expect("a state comes first");
            let count = Some(state.nested as usize).filter(|_| state.failed == 0);
            (count, structs_of(boxes).take(count.unwrap_or(0)).collect::<Vec<amr::CellBox>>())
        })?;
        let Some(count) = count else { return Ok(None) };
        let known = found.len();
        if count > known {
            found.resize(count, amr::CellBox { lo: [0; 3], hi: [0; 3] });
            self.machine.download(&boxes.0, STATE + known * BOX, bytes_of_mut(&mut found[known..]))?;
        }
        let of_dimensions =
            |b: amr::CellBox| CellBox::new(std::array::from_fn(|d| b.lo[d]), std::array::from_fn(|d| b.hi[d]));
        Ok(Some(found.into_iter().map(of_dimensions).collect()))
    }

    /// Enqueues the clustering of a level's tags. `finer`: the new boxes two levels finer. `boxes`: where the boxes are written; `patches`: where
    /// they are also written to stay as long as the level has these patches, if their plans are counted ahead.
    fn make_boxes(
        &self,
        request: &RefineRequest<'_, D>,
        [tags, base]: [&Tags<'_, D, N>; 2],
        finer: Option<&NewBoxes<N::Memory>>,
        memory: &mut ClusterMemory<N::Memory>,
        (boxes, patches): (&NewBoxes<N::Memory>, Option<&DeviceBoxes<N::Memory>>),
    ) -> Result<(), CudaError> {
        if let Some(finer) = finer {
            self.project(request, tags, finer)?;
        }
        let nesting = nest_args::<D, N>(request, [tags, base], memory, boxes.state::<N>());
        if nesting.nests_all == 0 && (finer.is_some() || !tags.flags.done.inset) {
            // SAFETY: the words are those of the tiles, the covered cells those of the base level's.
            unsafe { self.machine.run(&CLIP_TAGS, D, tags.num_tiles(), &nesting)? };
        }
        self.cover_tags(request.method, tags, memory, boxes)?;
        let sorting = SortArgs {
            state: boxes.state::<N>(),
            boxes: nesting.nested,
            sorted: boxes.boxes::<N>(),
            patches: patches.map_or(Pointer::NULL, DeviceBoxes::places),
            room: ROOM as u32,
            room_for_patches: patches.map_or(0, DeviceBoxes::num_places) as u32,
        };
        // SAFETY: likewise; there is as much room for boxes as is said.
        unsafe {
            self.machine.run(&NEST, D, 2 * self.cluster_blocks(), &nesting)?;
            self.machine.run(&SORT_BOXES, D, WARPS * self.cluster_blocks(), &sorting)
        }
    }

    /// Number of thread blocks that work on candidates.
    pub(super) fn cluster_blocks(&self) -> usize {
        (self.machine.resident_tiles() as usize).div_ceil(WARPS).max(1)
    }

    /// Tags the cells under the boxes two levels finer.
    fn project(
        &self,
        request: &RefineRequest<'_, D>,
        tags: &Tags<'_, D, N>,
        finer: &NewBoxes<N::Memory>,
    ) -> Result<(), CudaError> {
        let hierarchy = request.hierarchy;
        let args = ProjectArgs {
            map: tags.map,
            words: tags.words(),
            finer: finer.state::<N>(),
            boxes: finer.boxes::<N>(),
            ratio: axes(hierarchy.ratio(tags.level).0, 1),
            ratio_fine: axes(hierarchy.ratio(tags.level.finer()).0, 1),
            width: request.nesting_width,
            around: request.room,
            room: ROOM as u32,
        };
        // SAFETY: the words are those of the tiles; the boxes are made before.
        unsafe { self.machine.run(&PROJECT_BOXES, D, WARPS * self.cluster_blocks(), &args) }
    }
}

/// Arguments of the kernels that make the boxes over a level's tags nest.
fn nest_args<const D: usize, N: Machine>(
    request: &RefineRequest<'_, D>,
    [tags, base]: [&Tags<'_, D, N>; 2],
    memory: &ClusterMemory<N::Memory>,
    state: Pointer<ClusterState>,
) -> NestArgs {
    let hierarchy = request.hierarchy;
    let ratio = hierarchy.ratio(tags.level);
    let between = &hierarchy.ratios()[base.level.index()..tags.level.index()];
    let mesh = hierarchy.level(base.level);
    NestArgs {
        map: tags.map,
        base: base.map,
        words: tags.words(),
        covered: pointer::<_, N>(&base.flags.covered, 0),
        state,
        boxes: pointer::<_, N>(&memory.boxes[0], 0),
        nested: pointer::<_, N>(&memory.boxes[1], 0),
        between: std::array::from_fn(|k| between.get(k).map_or([1; 3], |ratio| axes(ratio.0, 1))),
        ratio: axes(ratio.0, 1),
        largest: axes(ratio.0.map(|r| (request.max_patch_size / r).max(1)), 1),
        num_between: between.len() as u32,
        width: request.nesting_width,
        room: ROOM as u32,
        nests_all: u32::from(mesh.covers_domain()),
    }
}
