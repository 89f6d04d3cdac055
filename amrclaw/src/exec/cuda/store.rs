//! A level's values in the device's memory.

use super::drafts::LevelDraft;
use super::flags::{FlagTables, Flags};
use super::machine::Machine;
use super::tables::{FaceMap, LevelTables};
use crate::fields::LevelLayout;
use crate::mesh::LevelMesh;
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer};
use cuda::regions::Patch;
use cuda::update;
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
pub(super) struct Tiles {
    pub start: usize,
    pub count: usize,
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

    /// The state before the last step, where it is kept.
    pub fn before(&self) -> Option<&N::Memory> {
        self.buffers[self.old?].as_ref()
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
