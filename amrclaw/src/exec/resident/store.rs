//! A level's values in the device's memory.

use super::flags::{FlagTables, Flags};
use super::functions::FunctionTables;
use super::host_tables::{HostLevel, Sizes, Tiles};
use crate::exec::device::{FaceMap, LevelTables, Machine, pointer};
use crate::exec::step::States;
use crate::fields::LevelLayout;
use crate::mesh::{Geometry, LevelMesh};
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer};
use cuda::amr::{Patch, Tile};
use std::sync::Arc;

/// Terms of the conservation fix between a level and the next coarser one.
pub(super) struct Register<N: Machine> {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` per coarse face: `[equation, slot]`.
    pub sums: N::Memory,
    /// State and aux of the coarse cell beside each face, per sweep: `[sweep, equation then aux, slot]`.
    pub coarse_cells: N::Memory,
}

/// A level's values.
pub(super) struct DeviceLevel<const D: usize, N: Machine> {
    pub mesh: Arc<LevelMesh<D>>,
    pub layout: Arc<LevelLayout<D>>,
    pub geometry: Geometry<D>,
    /// Arrays of q, which take turns.
    buffers: Vec<Option<N::Memory>>,
    buffer_bytes: usize,
    pub states: States,
    pub aux: Option<N::Memory>,
    /// The cells that a kernel fills with them, once it has been asked to.
    pub aux_tables: Option<FunctionTables<N::Memory>>,
    /// Table of patches, then the tiles of each sweep.
    patches: N::Memory,
    /// Words of a face map.
    pub map_words: usize,
    /// What each sweep updates.
    tiles: Vec<Tiles>,
    pub tables: Option<LevelTables<N>>,
    /// Second-order corrections that the last sweep kept: `[equation, slot]`.
    pub kept: Option<N::Memory>,
    pub num_kept: usize,
    pub map: Option<FaceMap<N>>,
    pub register: Option<Register<N>>,
    /// Flags that were asked for.
    pub flags: Option<Flags<N>>,
    pub flag_tables: Option<FlagTables<D, N::Memory>>,
}

impl<const D: usize, N: Machine> DeviceLevel<D, N> {
    /// A level without values, its tables sent.
    pub fn new(
        machine: &N,
        mesh: Arc<LevelMesh<D>>,
        tables: HostLevel<D>,
        geometry: Geometry<D>,
        time: f64,
        sizes: Sizes,
    ) -> Result<Self, CudaError> {
        let HostLevel { layout, builder, map_words, tiles } = tables;
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
            geometry,
            states: States::new(time),
            aux,
            aux_tables: None,
            patches,
            map_words,
            tiles,
            tables: None,
            kept: None,
            num_kept: 0,
            map: None,
            register: None,
            flags: None,
            flag_tables: None,
        })
    }

    /// The tiles of a sweep, and their number.
    pub fn tiles(&self, sweep: usize) -> (Pointer<Tile>, u32) {
        let Tiles { start, count } = self.tiles[sweep];
        (pointer::<_, N>(&self.patches, start), count as u32)
    }

    /// The table of patches.
    pub fn patches(&self) -> Pointer<Patch> {
        pointer::<Patch, N>(&self.patches, 0)
    }

    /// The present state.
    pub fn q(&self) -> &N::Memory {
        self.buffers[self.states.current()].as_ref().expect("the present state is kept")
    }

    /// Its address.
    pub fn q_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        pointer::<T, N>(self.q(), 0)
    }

    /// Address of the state before the last step, where it is kept.
    pub fn q_old<T: Pointee + ?Sized>(&self) -> Option<Pointer<T>> {
        let buffer = self.buffers[self.states.old()?].as_ref()?;
        Some(pointer::<T, N>(buffer, 0))
    }

    /// The state before the last step, where it is kept.
    pub fn before(&self) -> Option<&N::Memory> {
        self.buffers[self.states.old()?].as_ref()
    }

    /// Address of the auxiliary values.
    pub fn aux_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        self.aux.as_ref().map_or(Pointer::NULL, |aux| pointer::<T, N>(aux, 0))
    }

    /// Bytes of an array of q.
    pub fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    fn next_index(&self) -> usize {
        self.states.next(self.buffers.len(), false)
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

    /// The array that the next state goes to, once [`DeviceLevel::next`] has made it.
    pub fn made_next(&self) -> &N::Memory {
        self.buffers[self.next_index()].as_ref().expect("made before the step")
    }

    /// What the step has written becomes the present state.
    pub fn advance(&mut self, dt: f64) {
        self.states.advance(self.next_index(), dt);
    }

    /// Keeps the present state and the one to return to alone: the level is about to be replaced.
    pub fn keep_states_alone(&mut self) {
        for k in (0..self.buffers.len()).filter(|&k| self.states.is_spare(k)) {
            self.buffers[k] = None;
        }
        self.states.forget_spare();
        (self.tables, self.kept, self.map, self.register) = (None, None, None, None);
        (self.flags, self.flag_tables, self.aux_tables) = (None, None, None);
    }

    /// Keeps the state to return to alone: the level is replaced, but the step may yet be rejected.
    pub fn keep_saved_alone(&mut self) {
        self.states.restore();
        self.keep_states_alone();
    }
}
