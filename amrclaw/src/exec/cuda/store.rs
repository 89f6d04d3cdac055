//! A level's values in the device's memory.

use super::flags::{FlagTables, Flags};
use super::machine::Machine;
use super::tables::{FaceMap, LevelTables, TableBuilder};
use crate::exec::cpu::update::Sweep;
use crate::fields::LevelLayout;
use crate::mesh::LevelMesh;
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer};
use cuda::regions::Patch;
use cuda::update::{self, Taps, TileHeights, TileTable, UpdateOptions};
use riemann::patch::PACK_OVERRUN;
use std::sync::Arc;

/// Terms of the conservation fix between a level and the next coarser one.
pub(super) struct Register<N: Machine> {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    pub sums: N::Memory,
    /// State and aux of the coarse cell beside each face, per sweep: `[sweep, equation then aux, slot]`.
    pub coarse_cells: N::Memory,
}

/// A level's values. The arrays of q take turns: one holds the present state, one the state before the last step, one
/// the state to return to if the coarse step is rejected; any two may be the same.
pub(super) struct DeviceLevel<const D: usize, N: Machine> {
    pub mesh: Arc<LevelMesh<D>>,
    pub layout: Arc<LevelLayout<D>>,
    pub dx: [f64; D],
    buffers: Vec<Option<N::Memory>>,
    buffer_bytes: usize,
    current: usize,
    old: Option<usize>,
    saved: Option<usize>,
    pub aux: Option<N::Memory>,
    pub time: f64,
    pub time_old: f64,
    saved_time: f64,
    /// Table of patches, then the patches as the update sees them, tiles.
    patches: N::Memory,
    /// Words of a face map.
    pub map_words: usize,
    /// Where the patches as the update sees them begin in the table.
    update_patches: usize,
    /// What each sweep updates.
    tiles: Vec<Tiles>,
    pub tables: Option<LevelTables<D, N>>,
    /// Fluxes that the last sweep kept: `[equation, slot]`.
    pub taps: Option<N::Memory>,
    pub num_taps: usize,
    pub map: Option<FaceMap<D, N>>,
    pub register: Option<Register<N>>,
    /// Flags that were asked for.
    pub flags: Option<Flags<N>>,
    pub flag_tables: Option<FlagTables<D, N::Memory>>,
}

/// Where the tiles of a sweep begin in the table of patches, and their number.
#[derive(Clone, Copy)]
struct Tiles {
    start: usize,
    count: usize,
}

/// Sizes of a level's arrays.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub num_ghost: i32,
    pub num_eqn: usize,
    pub num_aux: usize,
    /// Bytes of a number.
    pub number: usize,
}

/// The patches as the device sees them, and the words of a face map.
fn patch_table<const D: usize>(layout: &LevelLayout<D>) -> (Vec<Patch>, usize) {
    let (mut first, mut word) = (0u64, 0usize);
    let place = |patch: &crate::fields::PatchLayout<D>| {
        let (strides, size, with_ghosts) = (patch.strides(), patch.cells.size(), patch.with_ghosts().size());
        let row = with_ghosts[0] as usize;
        let (ny, rows) = if D > 1 { (size[1], with_ghosts[1]) } else { (1, 1) };
        let entry = Patch {
            first,
            first_word: word as u32,
            row: row as i32,
            component: strides.component as i32,
            lo_x: patch.cells.lo[0],
            lo_y: if D > 1 { patch.cells.lo[1] } else { 0 },
            nx: size[0],
            ny,
            padding: 0,
        };
        first += strides.component as u64;
        word += 2 * rows as usize * row.div_ceil(32);
        entry
    };
    let patches = layout.patches.iter().map(place).collect();
    (patches, word)
}

/// The patches as the update sees them.
fn update_table<const D: usize>(layout: &LevelLayout<D>, sizes: Sizes, table: &[Patch]) -> Vec<update::Patch> {
    let place = |(patch, entry): (&crate::fields::PatchLayout<D>, &Patch)| update::Patch {
        q: patch.offset(sizes.num_eqn, patch.cells.lo) as u64,
        aux: if sizes.num_aux > 0 { patch.offset(sizes.num_aux, patch.cells.lo) as u64 } else { 0 },
        cell: (patch.offset(1, patch.cells.lo) - PACK_OVERRUN) as u64,
        row: entry.row,
        component: entry.component,
        columns: entry.nx,
        rows: entry.ny,
        first_word: entry.first_word,
        padding: 0,
    };
    layout.patches.iter().zip(table).map(place).collect()
}

/// Cuts a level's patches into the tiles of a sweep.
fn tiles<const D: usize>(layout: &LevelLayout<D>, sweep: &Sweep, resident_warps: u32) -> Vec<update::Tile> {
    // Only which axes are swept matters for the tiles.
    let [x, y, _] = sweep.axes;
    let options =
        UpdateOptions { order: 2, transverse: 0, limiters: Vec::new(), capacity: None, sweep: [x, y], taps: Taps::Map };
    let grown = |cells: &crate::index::CellBox<D>| {
        let size = cells.size();
        let axis = |d: usize| if d < D { [-sweep.grow[d], size[d] + sweep.grow[d]] } else { [0, 1] };
        let ([lo_x, hi_x], [lo_y, hi_y]) = (axis(0), axis(1));
        [[lo_x, lo_y], [hi_x, hi_y]]
    };
    let boxes = layout.patches.iter().map(|patch| grown(&patch.cells));
    let sizes = boxes.clone().map(|[lo, hi]| [hi[0] - lo[0], hi[1] - lo[1]]);
    let mut heights = TileHeights::new(sizes.clone(), options.tile_columns(), resident_warps);
    let mut table = TileTable::default();
    for (k, (cells, size)) in boxes.zip(sizes).enumerate() {
        table.add_patch(&options, heights.next(size), k as u32, cells, &[]);
    }
    table.sort_by_height();
    table.tiles
}

/// A level's tables before they are sent: made from the mesh alone, by any thread.
pub(super) struct LevelDraft<const D: usize> {
    layout: Arc<LevelLayout<D>>,
    builder: TableBuilder,
    map_words: usize,
    update_patches: usize,
    tiles: Vec<Tiles>,
}

impl<const D: usize> LevelDraft<D> {
    pub fn new(mesh: &LevelMesh<D>, sizes: Sizes, sweeps: &[Sweep], resident_warps: u32) -> Self {
        let layout = Arc::new(LevelLayout::new(mesh, sizes.num_ghost));
        let (table, map_words) = patch_table(&layout);
        let mut builder = TableBuilder::default();
        builder.append(table.iter().copied());
        let update_patches = builder.append(update_table(&layout, sizes, &table).into_iter());
        let cut = |sweep| {
            let tiles = tiles(&layout, sweep, resident_warps);
            Tiles { start: builder.append(tiles.iter().copied()), count: tiles.len() }
        };
        let tiles = sweeps.iter().map(cut).collect();
        LevelDraft { layout, builder, map_words, update_patches, tiles }
    }
}

impl<const D: usize, N: Machine> DeviceLevel<D, N> {
    /// A level without values, its tables sent.
    pub fn new(
        machine: &N,
        mesh: Arc<LevelMesh<D>>,
        draft: LevelDraft<D>,
        dx: [f64; D],
        time: f64,
        sizes: Sizes,
    ) -> Result<Self, CudaError> {
        let LevelDraft { layout, builder, map_words, update_patches, tiles } = draft;
        let patches = builder.send(machine)?;
        let aux = match sizes.num_aux {
            0 => None,
            count => Some(machine.allocate(layout.len(count) * sizes.number)?),
        };
        let buffer_bytes = layout.len(sizes.num_eqn) * sizes.number;
        Ok(DeviceLevel {
            buffers: vec![Some(machine.allocate(buffer_bytes)?)],
            buffer_bytes,
            mesh,
            layout,
            dx,
            current: 0,
            old: None,
            saved: None,
            aux,
            time,
            time_old: time,
            saved_time: time,
            patches,
            map_words,
            update_patches,
            tiles,
            tables: None,
            taps: None,
            num_taps: 0,
            map: None,
            register: None,
            flags: None,
            flag_tables: None,
        })
    }

    /// The tiles of a sweep, and their number.
    pub fn tiles(&self, sweep: usize) -> (Pointer<update::Tile>, u32) {
        let Tiles { start, count } = self.tiles[sweep];
        (pointer::<_, N>(&self.patches, start), count as u32)
    }

    /// The table of patches.
    pub fn patches(&self) -> Pointer<Patch> {
        pointer::<Patch, N>(&self.patches, 0)
    }

    /// The patches as the update sees them.
    pub fn update_patches(&self) -> Pointer<update::Patch> {
        pointer::<update::Patch, N>(&self.patches, self.update_patches)
    }

    /// The present state.
    pub fn q(&self) -> &N::Memory {
        self.buffers[self.current].as_ref().expect("the present state is kept")
    }

    /// Its address.
    pub fn q_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        pointer::<T, N>(self.q(), 0)
    }

    /// Address of the state before the last step, where it is kept.
    pub fn q_old<T: Pointee + ?Sized>(&self) -> Option<Pointer<T>> {
        let buffer = self.buffers[self.old?].as_ref()?;
        Some(pointer::<T, N>(buffer, 0))
    }

    /// Address of the auxiliary values.
    pub fn aux_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        self.aux.as_ref().map_or(Pointer::NULL, |aux| pointer::<T, N>(aux, 0))
    }

    /// Bytes of an array of q.
    pub fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    /// The array that a step writes: neither the present state nor the one to return to.
    fn next_index(&self) -> usize {
        (0..=self.buffers.len()).find(|&k| k != self.current && Some(k) != self.saved).unwrap_or(0)
    }

    /// The array that the next state goes to.
    pub fn next(&mut self, machine: &N) -> Result<&N::Memory, CudaError> {
        let next = self.next_index();
        if next == self.buffers.len() {
            self.buffers.push(None);
        }
        let bytes = self.buffer_bytes;
        match &mut self.buffers[next] {
            Some(buffer) => Ok(buffer),
            empty => Ok(empty.insert(machine.allocate(bytes)?)),
        }
    }

    /// The same, once [`DeviceLevel::next`] has made it.
    pub fn made_next(&self) -> &N::Memory {
        self.buffers[self.next_index()].as_ref().expect("made before the step")
    }

    /// What the step has written becomes the present state.
    pub fn advance(&mut self, dt: f64) {
        let next = self.next_index();
        self.old = Some(self.current);
        self.current = next;
        self.time_old = self.time;
        self.time += dt;
    }

    /// Remembers the present state; nothing is copied.
    pub fn save(&mut self) {
        self.saved = Some(self.current);
        self.saved_time = self.time;
    }

    /// Returns to the state remembered.
    pub fn restore(&mut self) {
        if let Some(saved) = self.saved {
            self.current = saved;
            self.old = None;
            self.time = self.saved_time;
            self.time_old = self.time;
        }
    }

    /// True if there is a state to return to.
    pub fn has_saved(&self) -> bool {
        self.saved.is_some()
    }

    /// Keeps the state to return to alone: the level is being replaced, but the step may yet be rejected.
    pub fn keep_saved_alone(&mut self) {
        self.restore();
        for k in (0..self.buffers.len()).filter(|&k| k != self.current) {
            self.buffers[k] = None;
        }
        (self.tables, self.taps, self.map, self.register) = (None, None, None, None);
        (self.flags, self.flag_tables) = (None, None);
    }

    /// Weight of the present state in the level's state at `time`, between its last step's ends.
    pub fn weight_at(&self, time: f64) -> f64 {
        let known = self.old.is_some() && self.time > self.time_old;
        if known { (time - self.time_old) / (self.time - self.time_old) } else { 1.0 }
    }
}

/// An address in memory, `bytes` behind its beginning.
pub(super) fn pointer<T: Pointee + ?Sized, N: Machine>(memory: &N::Memory, bytes: usize) -> Pointer<T> {
    Pointer::new(N::address(memory) + bytes as u64)
}
