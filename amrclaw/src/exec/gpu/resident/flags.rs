//! Flags, computed and widened on the device: kernels write a level's tags in the tiles of a tag set.

use super::strategy::{Way, way_of_flags};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::{TableBuilder, axes, box_by_axes, pointer, words_of};
use crate::exec::{ExecError, FlagRegion, FlagRequest, Flagged, FlagsDone};
use crate::index::{CellBox, Level};
use crate::mesh::{LevelMesh, TileCover, Tiling};
use crate::physics::Criterion;
use crate::ranks::{MessageKind, RunLengths};
use cuda::CudaError;
use cuda::amr::kernels::{FLAG_DIFFERENCE, FLAG_FUNCTION, FLAG_REGIONS, FLAG_WIDEN};
use cuda::amr::{self, FlagArgs, FlagFunctionArgs, FlagRegionsArgs, FlagTile, TileMap, WidenArgs};
use std::time::Instant;

/// The tiles that a level's flags are put in.
pub(super) struct FlagTables<const D: usize, M> {
    cover: TileCover<D>,
    /// Tiles, then the patches in them.
    memory: M,
    /// Where the patches begin.
    parts: usize,
    /// Each rank keeps its own flags.
    kept: bool,
    /// Byte offset of the tiles' numbers in a box of tiles around all, and that box, if there is one.
    map: Option<(usize, CellBox<D>)>,
}

/// A level's flags, which are being copied to the host unless the device makes boxes of them.
pub(super) struct Flags<N: Machine> {
    pub words: Option<N::Download>,
    /// Who makes boxes of them.
    pub way: Way,
    /// The tags, and the cells that patches cover, each of `bytes` bytes.
    pub tags: N::Memory,
    pub covered: N::Memory,
    pub bytes: usize,
    /// Which parts of the request have been carried out.
    pub done: FlagsDone,
}

impl<const D: usize, M> FlagTables<D, M> {
    /// `is_local`: whether this rank has a patch's values; `kept`: each rank keeps its own flags, so that it needs only its patches' tiles.
    fn new<N: Machine<Memory = M>>(
        mesh: &LevelMesh<D>,
        (is_local, kept): (impl Fn(usize) -> bool, bool),
        machine: &N,
    ) -> Result<Self, CudaError> {
        let cover = TileCover::new(mesh, |patch| !kept || is_local(patch));
        let mut patches: Vec<u32> = Vec::with_capacity(cover.patches().len());
        let tiles: Vec<FlagTile> = (cover.tiles().iter().enumerate())
            .map(|(k, tile)| {
                let ([first, end], first_part) = (cover.patches_of(k), patches.len() as u32);
                let of_tile = &cover.patches()[first as usize..end as usize];
                patches.extend(of_tile.iter().filter(|&&patch| is_local(patch as usize)));
                let end_part = patches.len() as u32;
                FlagTile { at: axes(*tile, 0), first_part, end_part }
            })
            .collect();
        let mut memory = TableBuilder::default();
        memory.append_all(&tiles);
        let parts = memory.append_all(&patches);
        let map = cover.map().map(|(around, numbers)| (memory.append_all(numbers), around));
        Ok(FlagTables { cover, memory: memory.send(machine)?, parts, kept, map })
    }

    /// The tiles as kernels find them, and a box of tiles around all.
    pub fn map<N: Machine<Memory = M>>(&self) -> Option<(TileMap, CellBox<D>)> {
        let (numbers, around) = self.map?;
        let (domain, repeats) = self.cover.domain();
        let map = TileMap {
            numbers: pointer::<_, N>(&self.memory, numbers),
            tiles: pointer::<_, N>(&self.memory, 0),
            lo: axes(around.lo, 0),
            size: axes(around.size(), 1),
            domain: box_by_axes(&domain),
            periodic: axes(repeats.axes.map(u32::from), 0),
            num_tiles: self.cover.tiles().len() as u32,
        };
        Some((map, around))
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Makes the flag tables of the levels that the next regrid may flag, while the device is busy with their steps.
    pub(super) fn expect_flags(&mut self) -> Result<(), ExecError> {
        let num_flagged = self.levels.len().min(self.ratios.len());
        if self.flags_by_kernels() { (0..num_flagged).try_for_each(|l| self.make_flag_tables(l)) } else { Ok(()) }
    }

    /// Makes the tables of a level's flags, if they are not there.
    fn make_flag_tables(&mut self, l: usize) -> Result<(), ExecError> {
        let store = &mut self.levels[l];
        if store.flag_tables.is_none() {
            let kept = self.ranks.keeps_flags(store.mesh.num_cells(), true);
            let is_local = |k: usize| store.layout.patches[k].is_local;
            store.flag_tables = Some(FlagTables::new(&store.mesh, (is_local, kept), &self.machine)?);
        }
        Ok(())
    }

    /// Enqueues the computation of a level's flags, where kernels make them.
    pub(super) fn enqueue_flags(&mut self, level: Level, request: FlagRequest<'_, D>) -> Result<(), ExecError> {
        if !self.flags_by_kernels() {
            return Ok(());
        }
        self.make_flag_tables(level.index())?;
        let tables = self.levels[level.index()].flag_tables.as_ref().expect("made above");
        let bytes = tables.cover.tiles().len() * Tiling::<D>::ROWS * size_of::<u64>();
        let [tags, covered] = [self.machine.allocate(bytes)?, self.machine.allocate(bytes)?];
        self.make_flags(level, tables, [&tags, &covered])?;
        let mut flags = Flags { words: None, way: Ok(()), tags, covered, bytes, done: FlagsDone::default() };
        let map = tables.map::<N>();
        if let Some(map) = map {
            self.widen_flags(&mut flags, map, request)?;
        }
        flags.way = way_of_flags(tables.kept, map.is_some(), flags.done.width != request.width);
        if flags.way.is_err() {
            flags.words = Some(self.machine.begin_download(&flags.tags, bytes)?);
        }
        self.levels[level.index()].flags = Some(flags);
        Ok(())
    }

    /// Applies regions to flags and widens the flags, unless that reaches past a tile's neighbours.
    fn widen_flags(
        &self,
        flags: &mut Flags<N>,
        (map, around): (TileMap, CellBox<D>),
        request: FlagRequest<'_, D>,
    ) -> Result<(), CudaError> {
        let [bits, covered] = [&flags.tags, &flags.covered].map(|memory| pointer::<_, N>(memory, 0));
        if !request.regions.is_empty() {
            let (memory, starts) = self.send_regions(request.regions, &around)?;
            let (regions, starts) = (pointer::<_, N>(&memory, 0), pointer::<_, N>(&memory, starts));
            let args = FlagRegionsArgs { map, flags: bits, covered, regions, starts };
            // SAFETY: there are words for every row of the map's tiles, and starts for every plane of them.
            unsafe { self.machine.run(&FLAG_REGIONS, D, flags.bytes / size_of::<u64>(), &args)? };
        }
        flags.done.regions = true;
        // The cells that no patch covers are known only if all patches are here.
        let inset = request.inset.filter(|_| self.ranks.is_solo());
        let shortest = (0..D).map(Tiling::<D>::extent).min().unwrap_or(0) as i32;
        let (reach, folded) = (request.width.max(inset.unwrap_or(0)), self.problem.domain.repeats.folded);
        if reach > shortest || reach == 0 && inset.is_none() || folded.is_some() {
            return Ok(());
        }
        let wide = self.machine.allocate(flags.bytes)?;
        let (tags, width) = (pointer::<_, N>(&wide, 0), request.width);
        let args = WidenArgs { map, flags: bits, covered, tags, width, inset: inset.unwrap_or(-1) };
        // SAFETY: likewise; the width is at most a tile's, so that tags lie in the map's tiles.
        unsafe { self.machine.run(&FLAG_WIDEN, D, map.num_tiles as usize, &args)? };
        flags.tags = wide;
        flags.done = FlagsDone { width, inset: inset.is_some(), ..flags.done };
        Ok(())
    }

    /// The boxes of regions, sorted by the planes of a box of tiles that they touch, and where the planes' starts are.
    fn send_regions(&self, regions: &[FlagRegion<D>], around: &CellBox<D>) -> Result<(N::Memory, usize), CudaError> {
        let axis = D - 1;
        let mut planes: Vec<Vec<amr::FlagRegion>> = vec![Vec::new(); around.size()[axis] as usize];
        for &FlagRegion { cells, forces, forbids } in regions {
            let [forces, forbids] = [forces, forbids].map(u32::from);
            let region = amr::FlagRegion { cells: box_by_axes(&cells), forces, forbids };
            let touched = Tiling::tiles_touching(&cells).intersect(around);
            (touched.lo[axis]..touched.hi[axis]).for_each(|k| planes[(k - around.lo[axis]) as usize].push(region));
        }
        let mut starts = vec![0];
        planes.iter().for_each(|plane| starts.push(starts[starts.len() - 1] + plane.len() as u32));
        let mut table = TableBuilder::default();
        table.append_all(&planes.concat());
        let starts = table.append_all(&starts);
        Ok((table.send(&self.machine)?, starts))
    }

    /// True if kernels make the flags.
    fn flags_by_kernels(&self) -> bool {
        matches!(self.problem.criterion, Criterion::Difference { .. }) || self.functions.flag.is_some()
    }

    /// Makes the bits of a level's flags, and of the cells that patches cover.
    fn make_flags(
        &self,
        level: Level,
        tables: &FlagTables<D, N::Memory>,
        [tags, covered]: [&N::Memory; 2],
    ) -> Result<(), CudaError> {
        let store = &self.levels[level.index()];
        let tiles = pointer::<_, N>(&tables.memory, 0);
        let parts = pointer::<_, N>(&tables.memory, tables.parts);
        let [bits, covered] = [tags, covered].map(|memory| pointer::<_, N>(memory, 0));
        let (view, count) = (store.view(), tables.cover.tiles().len());
        // SAFETY: the level's patches, tiles and arrays; there are words for every tile.
        unsafe {
            if let Criterion::Difference { tolerance } = self.problem.criterion {
                let args = FlagArgs { view, tiles, parts, bits, covered, tolerance };
                return self.machine.run(&FLAG_DIFFERENCE, D, count, &args);
            }
            let (level, t) = (store.geometry.in_space().into(), store.states.time);
            let numbers = pointer::<_, N>(&self.small.flag_numbers, 0);
            let args = FlagFunctionArgs { view, tiles, parts, bits, covered, level, t, numbers };
            self.machine.run(&FLAG_FUNCTION, D, count, &args)
        }
    }

    pub(super) fn flag_level(&mut self, level: Level, dt: f64) -> Result<Flagged<D>, ExecError> {
        let header = self.header(MessageKind::Flags, level);
        let cells = self.levels[level.index()].mesh.num_cells();
        let (with_ranks, by_kernels) = (!self.ranks.is_solo(), self.flags_by_kernels());
        let of_all = !self.ranks.keeps_flags(cells, by_kernels);
        let (tags, done) = if by_kernels {
            let store = &mut self.levels[level.index()];
            let flags = store.flags.take().expect("flags are asked for before they are taken");
            let tables = store.flag_tables.as_ref().expect("flags are asked for with tables");
            let cover = &tables.cover;
            let words = flags.words.map_or_else(|| self.machine.begin_download(&flags.tags, flags.bytes), Ok)?;
            let own = self.machine.finish_download(words, |bytes| match with_ranks && of_all {
                false => Ok(cover.tags(words_of(bytes))),
                true => Err(RunLengths::new(words_of(bytes))),
            })?;
            let tags = match own {
                Ok(tags) => tags,
                Err(own) => {
                    // The union of all ranks' flags.
                    self.regrids.flag_words.resize(cover.tiles().len() * Tiling::<D>::ROWS, 0);
                    RunLengths::join(&self.ranks.gather_runs(header, own)?, &mut self.regrids.flag_words);
                    cover.tags(&self.regrids.flag_words)
                }
            };
            (tags, flags.done)
        } else {
            let start = Instant::now();
            self.fetch_level(level)?;
            let Flagged { tags, .. } = self.host.get_mut().flags(level, dt)?;
            self.host.get_mut().works().note("flags", cells, start);
            (tags, FlagsDone::default())
        };
        Ok(Flagged { tags, done, of_all })
    }
}
