//! A level's values in the device's memory.

use super::flags::{FlagTables, Flags};
use super::host_tables::{HostLevel, Sizes};
use super::tiles::LevelTiles;
use crate::exec::gpu::device::{DeviceBoxes, FaceMap, FunctionTables, LevelTables, Machine, pointer, sent};
use crate::exec::step::{LevelSpec, States};
use crate::fields::LevelLayout;
use crate::index::Level;
use crate::mesh::{Geometry, LevelMesh, Partition};
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer, Real};
use cuda::amr::{LevelView, Patch};
use std::sync::Arc;

/// Terms of the conservation fix between a level and the next coarser one, per coarse face: `[component, slot]`. All components of a face
/// that are sent to another rank are copied at once.
pub(super) struct Register<N: Machine> {
    /// `Σ Δt (fine flux + C1) − Δt coarse flux` for each equation; behind these state and aux of the coarse cell beside the face, for each sweep;
    /// behind these the allowances of quantities that are kept from being negative; behind these, where there are source
    /// terms, the cell as they act on it.
    pub memory: N::Memory,
    /// Bytes at which the cells begin, the allowances, the cells for sources, and at which these end.
    pub starts: [usize; 4],
}

impl<N: Machine> Register<N> {
    pub fn sums(&self) -> Pointer<Real> {
        pointer::<_, N>(&self.memory, 0)
    }

    pub fn coarse_cells(&self) -> Pointer<Real> {
        pointer::<_, N>(&self.memory, self.starts[0])
    }

    pub fn allowances(&self) -> Pointer<Real> {
        pointer::<_, N>(&self.memory, self.starts[1])
    }

    pub fn source_cells(&self) -> Pointer<Real> {
        pointer::<_, N>(&self.memory, self.starts[2])
    }
}

/// A level's values.
pub(super) struct DeviceLevel<const D: usize, N: Machine> {
    pub mesh: Arc<LevelMesh<D>>,
    /// Owners of the patches, if there are several ranks.
    pub partition: Option<Arc<Partition>>,
    pub layout: Arc<LevelLayout<D>>,
    pub geometry: Geometry<D>,
    /// Arrays of q, used in turn.
    buffers: Vec<Option<N::Memory>>,
    buffer_bytes: usize,
    /// New states overwrite old ones that nobody needs any more.
    pub in_place: bool,
    pub states: States,
    pub aux: Option<N::Memory>,
    /// The time of which the auxiliary values are; NaN before they are filled.
    pub aux_time: f64,
    /// Tables of the cells that a kernel fills with auxiliary values, once it has been launched.
    pub aux_tables: Option<FunctionTables<N::Memory>>,
    /// Physical positions of cells: `[axis, cell]`, once a source needs them.
    pub centres: Option<N::Memory>,
    patches: N::Memory,
    /// The patches' boxes, once kernels plan the level.
    pub boxes: Option<DeviceBoxes<N::Memory>>,
    /// Words of a face map.
    pub map_words: usize,
    /// The tiles of each sweep, made by the first step.
    pub tiles: Option<LevelTiles<N::Memory>>,
    pub tables: Option<LevelTables<N>>,
    /// Second-order corrections that the last sweep kept: `[equation, slot]`.
    pub kept: Option<N::Memory>,
    pub num_kept: usize,
    pub map: Option<FaceMap<N>>,
    pub register: Option<Register<N>>,
    /// Flags that have been requested.
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
        let HostLevel { layout, partition, patches: table, map_words } = tables;
        let patches = sent(machine, &table)?;
        let aux = match sizes.num_aux {
            0 => None,
            count => Some(machine.allocate(layout.len(count) * sizes.number)?),
        };
        let buffer_bytes = layout.len(sizes.num_eqn) * sizes.number;
        Ok(DeviceLevel {
            buffers: vec![Some(machine.allocate(buffer_bytes)?)],
            buffer_bytes,
            in_place: false,
            mesh,
            partition,
            layout,
            geometry,
            states: States::new(time),
            aux,
            aux_time: f64::NAN,
            aux_tables: None,
            centres: None,
            patches,
            boxes: None,
            map_words,
            tiles: None,
            tables: None,
            kept: None,
            num_kept: 0,
            map: None,
            register: None,
            flags: None,
            flag_tables: None,
        })
    }

    /// What the level is made of.
    pub fn spec(&self, level: Level) -> LevelSpec<D> {
        let (mesh, partition) = (self.mesh.clone(), self.partition.clone());
        LevelSpec { level, mesh, geometry: self.geometry, partition, time: self.states.time }
    }

    /// The tiles of the sweeps.
    pub fn tiles(&self) -> &LevelTiles<N::Memory> {
        self.tiles.as_ref().expect("made before the step")
    }

    /// The table of patches.
    pub fn patches(&self) -> Pointer<Patch> {
        pointer::<Patch, N>(&self.patches, 0)
    }

    /// The present state.
    pub fn q(&self) -> &N::Memory {
        self.buffers[self.states.current()].as_ref().expect("the present state is kept")
    }

    /// The address of the present state.
    pub fn q_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        pointer::<T, N>(self.q(), 0)
    }

    /// The state before the last step, where it is kept.
    pub fn before(&self) -> Option<&N::Memory> {
        self.buffers[self.states.old()?].as_ref()
    }

    /// The address of the state before the last step, where it is kept.
    pub fn q_old<T: Pointee + ?Sized>(&self) -> Option<Pointer<T>> {
        self.before().map(|memory| pointer::<T, N>(memory, 0))
    }

    /// Address of the auxiliary values.
    pub fn aux_address<T: Pointee + ?Sized>(&self) -> Pointer<T> {
        self.aux.as_ref().map_or(Pointer::NULL, |aux| pointer::<T, N>(aux, 0))
    }

    /// The present state and the auxiliary values.
    pub fn view(&self) -> LevelView {
        LevelView { patches: self.patches(), q: self.q_address(), aux: self.aux_address() }
    }

    /// The present state alone.
    pub fn state(&self) -> LevelView {
        LevelView::of_state(self.patches(), self.q_address())
    }

    /// Bytes of an array of q.
    pub fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    fn next_index(&self) -> usize {
        self.states.next(self.buffers.len(), self.in_place)
    }

    /// Makes the array that the next state goes to.
    pub fn make_next(&mut self, machine: &N) -> Result<(), CudaError> {
        let next = self.next_index();
        if next == self.buffers.len() {
            self.buffers.push(None);
        }
        if self.buffers[next].is_none() {
            self.buffers[next] = Some(machine.allocate(self.buffer_bytes)?);
        }
        Ok(())
    }

    /// The array that the next state goes to, once [`DeviceLevel::make_next`] has made it.
    pub fn next(&self) -> &N::Memory {
        self.buffers[self.next_index()].as_ref().expect("made before the step")
    }

    /// The same, to be exchanged.
    pub fn next_mut(&mut self) -> &mut N::Memory {
        let next = self.next_index();
        self.buffers[next].as_mut().expect("made before the step")
    }

    /// What the step has written becomes the present state.
    pub fn advance(&mut self, dt: f64) {
        self.states.advance(self.next_index(), dt);
    }

    /// Drops all but the present state and the saved one: the level is about to be replaced.
    pub fn keep_states_alone(&mut self) {
        for k in (0..self.buffers.len()).filter(|&k| self.states.is_spare(k)) {
            self.buffers[k] = None;
        }
        self.states.forget_spare();
        (self.tiles, self.tables, self.kept, self.map, self.register) = (None, None, None, None, None);
        (self.flags, self.flag_tables, self.aux_tables, self.centres) = (None, None, None, None);
    }

    /// Drops all but the saved state: the level is replaced, but the step may yet be rejected.
    pub fn keep_saved_alone(&mut self) {
        self.states.restore();
        self.keep_states_alone();
    }
}
