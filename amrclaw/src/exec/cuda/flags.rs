//! Flags, widened on the device: kernels write a level's tiles as a tag set has them.

use super::builder::TableBuilder;
use super::machine::words_of;
use super::store::pointer;
use super::{CudaExecutor, Machine};
use crate::exec::{ExecError, FlagRequest, Flagged};
use crate::index::Level;
use crate::mesh::{LevelMesh, TileCover, Tiling, buffer};
use crate::physics::Criterion;
use ::cuda::regions::{FLAG_THREADS, FlagArgs, FlagTile, WIDEN_THREADS, WidenArgs};
use ::cuda::{CudaError, Grid};
use riemann::real::Scalar;

/// The tiles that a level's flags are put in.
pub(super) struct FlagTables<const D: usize, M> {
    cover: TileCover<D>,
    /// Tiles, then the patches in them: on the device, a [`TableBuilder`] before they are sent.
    memory: M,
    /// Where the patches begin.
    parts: usize,
}

/// Flags on their way to the host.
pub(super) struct Flags<N: Machine> {
    words: N::Arrival,
    /// What has been done with them.
    done: FlagRequest,
}

impl<const D: usize> FlagTables<D, TableBuilder> {
    /// Made by any thread.
    pub fn draft(mesh: &LevelMesh<D>) -> Self {
        let cover = TileCover::new(mesh);
        let tile = |(k, ((tile, below), above)): (usize, ((&[i32; D], u32), u32))| {
            let [first_part, end_part] = cover.patches_of(k);
            FlagTile { x: tile[0], y: tile.get(1).copied().unwrap_or(0), first_part, end_part, below, above }
        };
        let beside = cover.tiles().iter().zip(cover.rows_beside(-1)).zip(cover.rows_beside(1));
        let tiles: Vec<FlagTile> = beside.enumerate().map(tile).collect();
        let mut memory = TableBuilder::default();
        memory.append(tiles.into_iter());
        let parts = memory.append(cover.patches().iter().copied());
        FlagTables { cover, memory, parts }
    }

    pub fn send<N: Machine>(self, machine: &N) -> Result<FlagTables<D, N::Memory>, CudaError> {
        let FlagTables { cover, memory, parts } = self;
        Ok(FlagTables { cover, memory: memory.send(machine)?, parts })
    }
}

impl<const D: usize, R: Scalar, N: Machine> CudaExecutor<D, R, N> {
    /// Asks for a level's flags, where kernels make them.
    pub(super) fn ask_for_flags(&mut self, level: Level, request: FlagRequest) -> Result<(), ExecError> {
        let Criterion::Difference { tolerance } = self.problem.criterion else { return Ok(()) };
        let domain = &self.problem.domain;
        // What reaches past a tile's neighbours or around the domain is left to the host.
        let reach = request.width.max(request.inset.unwrap_or(0));
        let here = reach <= Tiling::<D>::extent(0) as i32 && domain.periodic == [false; D];
        let done = if here { request } else { FlagRequest::default() };
        let store = &mut self.levels[level.index()];
        let tables = match store.flag_tables.take() {
            Some(tables) => tables,
            None => FlagTables::draft(&store.mesh).send(&self.machine)?,
        };
        let store = &*store;
        let num_tiles = tables.cover.tiles().len();
        let bytes = num_tiles * Tiling::<D>::ROWS * size_of::<u64>();
        let [mut tags, covered] = [self.machine.allocate(bytes)?, self.machine.allocate(bytes)?];
        let args = FlagArgs {
            patches: store.patches(),
            tiles: pointer::<_, N>(&tables.memory, 0),
            parts: pointer::<_, N>(&tables.memory, tables.parts),
            bits: pointer::<_, N>(&tags, 0),
            covered: pointer::<_, N>(&covered, 0),
            q: store.q_address(),
            tolerance,
        };
        let grid = |threads| Grid { blocks: [num_tiles as u32, 1, 1], threads, shared_bytes: 0 };
        // SAFETY: the level's patches, tiles and array; there are words for every tile.
        unsafe { self.machine.launch("flag_difference", grid(FLAG_THREADS), &args)? };
        if done.width > 0 || done.inset.is_some() {
            let flags = std::mem::replace(&mut tags, self.machine.allocate(bytes)?);
            let cells = store.mesh.domain().hi;
            let args = WidenArgs {
                tiles: pointer::<_, N>(&tables.memory, 0),
                flags: pointer::<_, N>(&flags, 0),
                covered: pointer::<_, N>(&covered, 0),
                tags: pointer::<_, N>(&tags, 0),
                num_tiles: num_tiles as u32,
                width: done.width,
                inset: done.inset.unwrap_or(-1),
                cells_x: cells[0],
                cells_y: cells.get(1).copied().unwrap_or(1),
                padding: 0,
            };
            // SAFETY: likewise; the width is at most a tile's, so that threads read no further than its neighbours.
            unsafe { self.machine.launch("flag_widen", grid(WIDEN_THREADS), &args)? };
        }
        let words = self.machine.begin_download(&tags, bytes)?;
        let store = &mut self.levels[level.index()];
        store.flags = Some(Flags { words, done });
        store.flag_tables = Some(tables);
        Ok(())
    }

    pub(super) fn flag_level(&mut self, level: Level, dt: f64, request: FlagRequest) -> Result<Flagged<D>, ExecError> {
        let (tags, done) = if matches!(self.problem.criterion, Criterion::Difference { .. }) {
            let store = &mut self.levels[level.index()];
            let flags = store.flags.take().expect("flags are asked for before they are taken");
            let tables = store.flag_tables.as_ref().expect("flags are asked for with tables");
            let tags = self.machine.finish_download(flags.words, |bytes| tables.cover.tags(words_of(bytes)))?;
            (tags, flags.done)
        } else {
            self.fetch_level(level)?;
            (self.host.get_mut().mirrored_flags(level, dt)?, FlagRequest::default())
        };
        let left = request.width - done.width;
        let tags = if left > 0 { buffer(&tags, left, self.problem.domain.periodic) } else { tags };
        Ok(Flagged { tags, inset: done.inset.is_some() })
    }
}
