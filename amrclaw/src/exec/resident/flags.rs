//! Flags, widened on the device: kernels write a level's tiles as a tag set has them.

use super::{Machine, ResidentExecutor};
use crate::exec::comm::{Phase, RunLengths};
use crate::exec::device::{TableBuilder, axes, pointer, words_of};
use crate::exec::{ExecError, FlagRequest, Flagged};
use crate::index::{CellBox, Level};
use crate::mesh::{LevelMesh, TileCover, Tiling, buffer};
use crate::physics::Criterion;
use cuda::CudaError;
use cuda::amr::kernels::{FLAG_DIFFERENCE, FLAG_FUNCTION, FLAG_WIDEN};
use cuda::amr::{FlagArgs, FlagFunctionArgs, FlagTile, TileMap, WidenArgs};
use riemann::real::Scalar;
use std::time::Instant;

/// The tiles that a level's flags are put in.
pub(super) struct FlagTables<const D: usize, M> {
    cover: TileCover<D>,
    /// Tiles, then the patches in them.
    memory: M,
    /// Where the patches begin.
    parts: usize,
    /// Where the numbers of a box of tiles around all begin, and that box, if it is known.
    map: Option<(usize, CellBox<D>)>,
}

/// Flags, on their way to the host unless they stay.
pub(super) struct Flags<N: Machine> {
    words: Option<N::Download>,
    /// Where they are: the tags, and the cells that patches cover, each in so many bytes.
    pub tags: N::Memory,
    pub covered: N::Memory,
    pub bytes: usize,
    /// What has been done with them.
    pub done: FlagRequest,
}

/// True of steps along axes that there are.
fn within<const D: usize>(step: &[i32; 3]) -> bool {
    step[D..].iter().all(|&along| along == 0)
}

impl<const D: usize, M> FlagTables<D, M> {
    /// `is_here`: whether the values of a patch are; `kept`: flags stay with the rank, whose tiles are all that is needed.
    fn new<N: Machine<Memory = M>>(
        mesh: &LevelMesh<D>,
        (is_here, kept): (impl Fn(usize) -> bool, bool),
        machine: &N,
    ) -> Result<Self, CudaError> {
        let cover = TileCover::new(mesh, |patch| !kept || is_here(patch));
        let mut patches: Vec<u32> = Vec::with_capacity(cover.patches().len());
        let mut tiles: Vec<FlagTile> = (cover.tiles().iter().enumerate())
            .map(|(k, tile)| {
                let ([first, end], first_part) = (cover.patches_of(k), patches.len() as u32);
                let of_tile = &cover.patches()[first as usize..end as usize];
                patches.extend(of_tile.iter().filter(|&&patch| is_here(patch as usize)));
                let end_part = patches.len() as u32;
                FlagTile { at: axes(*tile, 0), first_part, end_part, beside: [0; 9] }
            })
            .collect();
        for (n, step) in CellBox::new([-1; 3], [2; 3]).cells().filter(|s| s[0] < 0).filter(within::<D>).enumerate() {
            let starts = cover.starts_beside(std::array::from_fn(|d| step[d]));
            tiles.iter_mut().zip(starts).for_each(|(tile, start)| tile.beside[n] = start);
        }
        let mut memory = TableBuilder::default();
        memory.append_all(&tiles);
        let parts = memory.append_all(&patches);
        let map = cover.map().map(|(around, numbers)| (memory.append_all(numbers), around));
        Ok(FlagTables { cover, memory: memory.send(machine)?, parts, map })
    }

    /// The tiles as kernels find them, and a box of tiles around all.
    pub fn map<N: Machine<Memory = M>>(&self) -> Option<(TileMap, CellBox<D>)> {
        let (numbers, around) = self.map?;
        let map = TileMap {
            numbers: pointer::<_, N>(&self.memory, numbers),
            tiles: pointer::<_, N>(&self.memory, 0),
            lo: axes(around.lo, 0),
            size: axes(around.size(), 1),
            num_tiles: self.cover.tiles().len() as u32,
            padding: 0,
        };
        Some((map, around))
    }
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Asks for a level's flags, where kernels make them.
    pub(super) fn ask_for_flags(&mut self, level: Level, request: FlagRequest) -> Result<(), ExecError> {
        if !self.flags_by_kernels() {
            return Ok(());
        }
        let domain = &self.problem.domain;
        // What reaches past a tile's neighbours or around the domain is left to the host.
        let reach = request.width.max(request.inset.unwrap_or(0));
        let shortest = (0..D).map(Tiling::<D>::extent).min().unwrap_or(0) as i32;
        let here = reach <= shortest && domain.periodic == [false; D];
        // What no patch covers is known where all patches are.
        let inset = request.inset.filter(|_| self.ranks.is_solo());
        let tables = self.levels[level.index()].flag_tables.take();
        let store = &self.levels[level.index()];
        let kept = self.ranks.keeps_flags(store.mesh.num_cells(), true);
        let stay = request.stay && here && !kept;
        let done = if here { FlagRequest { inset, stay, ..request } } else { FlagRequest::default() };
        let tables = tables.map_or_else(
            || FlagTables::new(&store.mesh, (|k| store.layout.patches[k].is_here, kept), &self.machine),
            Ok,
        )?;
        let num_tiles = tables.cover.tiles().len();
        let bytes = num_tiles * Tiling::<D>::ROWS * size_of::<u64>();
        let [mut tags, covered] = [self.machine.allocate(bytes)?, self.machine.allocate(bytes)?];
        self.make_flags(level, &tables, [&tags, &covered])?;
        if done.width > 0 || done.inset.is_some() {
            let flags = std::mem::replace(&mut tags, self.machine.allocate(bytes)?);
            let args = WidenArgs {
                tiles: pointer::<_, N>(&tables.memory, 0),
                flags: pointer::<_, N>(&flags, 0),
                covered: pointer::<_, N>(&covered, 0),
                tags: pointer::<_, N>(&tags, 0),
                num_tiles: num_tiles as u32,
                width: done.width,
                inset: done.inset.unwrap_or(-1),
                cells: axes(store.mesh.domain().hi, 1),
            };
            // SAFETY: likewise; the width is at most a tile's, so that threads read no further than its neighbours.
            unsafe { self.machine.run(&FLAG_WIDEN, D, num_tiles, &args)? };
        }
        let words = if stay { None } else { Some(self.machine.begin_download(&tags, bytes)?) };
        let store = &mut self.levels[level.index()];
        store.flags = Some(Flags { words, tags, covered, bytes, done });
        store.flag_tables = Some(tables);
        Ok(())
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
        let (patches, q, count) = (store.patches(), store.q_address(), tables.cover.tiles().len());
        // SAFETY: the level's patches, tiles and arrays; there are words for every tile.
        unsafe {
            if let Criterion::Difference { tolerance } = self.problem.criterion {
                let args = FlagArgs { patches, tiles, parts, bits, covered, q, tolerance };
                return self.machine.run(&FLAG_DIFFERENCE, D, count, &args);
            }
            let (lower, dx) = (axes(store.geometry.lower, 0.0), store.geometry.dx_in_space());
            let (aux, t) = (store.aux_address(), store.states.time);
            let args = FlagFunctionArgs { patches, tiles, parts, bits, covered, q, aux, lower, dx, t };
            self.machine.run(&FLAG_FUNCTION, D, count, &args)
        }
    }

    pub(super) fn flag_level(&mut self, level: Level, dt: f64, request: FlagRequest) -> Result<Flagged<D>, ExecError> {
        let head = self.head(Phase::Flags, level);
        let cells = self.levels[level.index()].mesh.num_cells();
        let (told, by_kernels) = (!self.ranks.is_solo(), self.flags_by_kernels());
        let of_all = !self.ranks.keeps_flags(cells, by_kernels);
        let (tags, done) = if by_kernels {
            let store = &mut self.levels[level.index()];
            let flags = store.flags.take().expect("flags are asked for before they are taken");
            let tables = store.flag_tables.as_ref().expect("flags are asked for with tables");
            let cover = &tables.cover;
            let words = flags.words.map_or_else(|| self.machine.begin_download(&flags.tags, flags.bytes), Ok)?;
            let own = self.machine.finish_download(words, |bytes| match told && of_all {
                false => Ok(cover.tags(words_of(bytes))),
                true => Err(RunLengths::new(words_of(bytes))),
            })?;
            let tags = match own {
                Ok(tags) => tags,
                Err(own) => {
                    // Those that any rank has raised.
                    self.flag_words.resize(cover.tiles().len() * Tiling::<D>::ROWS, 0);
                    RunLengths::join(&self.ranks.gather_runs(head, own)?, &mut self.flag_words);
                    cover.tags(&self.flag_words)
                }
            };
            (tags, flags.done)
        } else {
            let start = Instant::now();
            self.fetch_level(level)?;
            let tags = self.host.get_mut().mirrored_flags(level, dt)?;
            self.host_works.note("flags", cells, start);
            (tags, FlagRequest::default())
        };
        let left = request.width - done.width;
        let tags = if left > 0 { buffer(&tags, left, self.problem.domain.periodic) } else { tags };
        Ok(Flagged { tags, inset: done.inset.is_some(), of_all })
    }
}
