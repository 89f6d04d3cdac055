//! Steps on a mesh from a file. Its tables and all values stay in the device's memory; a stage is a few launches over cells or faces.

use super::advance::{Array, Step};
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::{bytes_of, pointer};
use crate::physics::{MeshSides, OnMesh, Problem};
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer, Real};
use cuda::amr::kernels::{CELLS_BEYOND, CELLS_FACES, CELLS_GATHER, CELLS_RANGE, CELLS_STATES, CELLS_UPDATE};
use cuda::amr::{CellsArgs, CellsBeyondArgs};
use riemann::cells::turn_of;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Scalar;
use std::marker::PhantomData;
use unstructured::Mesh;
use unstructured::step::{Limiter, Place, SolvedBy, TimeStep, smoothness, stencil};

/// Cells whose entries are stored together, so that the threads of a warp read neighbouring numbers.
const SLICE: usize = 32;
/// An entry behind a cell's last one.
const NO_FACE: u32 = u32::MAX;

/// A mesh on a device.
pub(super) struct DeviceMesh<N: Machine> {
    /// Arguments of a stage but for what changes from step to step.
    stage: CellsArgs,
    /// Arguments of the kernel that fills ghost cells, and of the same at faces.
    beyond: [CellsBeyondArgs; 2],
    /// Centroids: `[axis, cell]`.
    pub centroids: Pointer<f64>,
    solved_by: SolvedBy,
    /// The start of each stage within the step, and its share.
    stages: &'static [(f64, f64)],
    order: u8,
    /// States at faces are half a step later.
    predicts: bool,
    /// Bits of the range of values, where the limiter asks for it.
    range: Option<N::Memory>,
    num_eqn: usize,
    number: usize,
    _memory: Vec<N::Memory>,
}

/// Sends the tables of a mesh, in the run's precision.
struct Sender<'a, N: Machine, R> {
    machine: &'a N,
    sent: Vec<N::Memory>,
    numbers: PhantomData<R>,
}

impl<N: Machine, R: Scalar> Sender<'_, N, R> {
    fn room<T: Pointee + ?Sized>(&mut self, bytes: usize) -> Result<Pointer<T>, CudaError> {
        self.sent.push(self.machine.allocate(bytes.max(1))?);
        Ok(pointer::<T, N>(&self.sent[self.sent.len() - 1], 0))
    }

    fn send<T: Copy, P: Pointee + ?Sized>(&mut self, values: &[T]) -> Result<Pointer<P>, CudaError> {
        let place = self.room(size_of_val(values))?;
        self.machine.upload(bytes_of(values), &self.sent[self.sent.len() - 1], 0)?;
        Ok(place)
    }

    fn numbers(&mut self, values: impl Iterator<Item = f64>) -> Result<Pointer<Real>, CudaError> {
        self.send(&values.map(R::from_f64).collect::<Vec<R>>())
    }

    /// One of the first `D` components of vectors after the other.
    fn vectors<const D: usize, T>(
        &mut self,
        items: &[T],
        vector: impl Fn(&T) -> [f64; 3],
    ) -> Result<Pointer<Real>, CudaError> {
        let vector = &vector;
        self.numbers((0..D).flat_map(|d| items.iter().map(move |item| vector(item)[d])))
    }

    fn room_for(&mut self, numbers: usize) -> Result<Pointer<Real>, CudaError> {
        self.room(numbers * R::BYTES)
    }
}

/// Where each slice of cells begins in the tables of entries, and for each entry its number in the mesh's lists.
fn sliced(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
    let starts = &mesh.cell_faces.starts;
    let cells = mesh.num_cells();
    let (mut slices, mut places) = (vec![0], Vec::with_capacity(mesh.cell_faces.items.len()));
    for first in (0..cells).step_by(SLICE) {
        let row = |lane: usize| match first + lane {
            cell if cell < cells => starts[cell]..starts[cell + 1],
            _ => 0..0,
        };
        let width = (0..SLICE).map(|lane| row(lane).len()).max().unwrap_or(0);
        places.extend((0..width).flat_map(|k| (0..SLICE).map(move |lane| row(lane).nth(k).unwrap_or(NO_FACE))));
        slices.push(places.len() as u32);
    }
    (slices, places)
}

/// Sends what lies beyond the sides of a mesh: arguments for ghost cells, and for states at faces.
fn sides_of<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    sides: &MeshSides<D>,
    stage: &CellsArgs,
) -> Result<[CellsBeyondArgs; 2], CudaError> {
    let mesh = &sides.mesh;
    let (faces, boundary) = (mesh.num_faces(), mesh.boundary.len());
    let first = mesh.first_boundary();
    let behind_by =
        |address: Pointer<Real>, numbers: usize| Pointer::new(address.address() + (numbers * R::BYTES) as u64);
    let rules = to.send(sides.name_of())?;
    let mut positions = |place: Place| {
        let all: Vec<[f64; D]> = (0..boundary).map(|number| MeshSides::position(mesh, number, place)).collect();
        to.send(&(0..D).flat_map(|d| all.iter().map(move |at| at[d])).collect::<Vec<f64>>())
    };
    let [at_ghosts, at_faces] = [positions(Place::Ghost)?, positions(Place::Face)?];
    let ghosts = CellsBeyondArgs {
        rules,
        positions: at_ghosts,
        turn: behind_by(stage.turn, first),
        inside: Pointer::NULL,
        inside_at: Pointer::new(stage.left.address() + 4 * first as u64),
        to: stage.ghosts,
        inside_component: u64::from(stage.num_cells),
        to_component: boundary as u64,
        t: 0.0,
        num_boundary: boundary as u32,
        num_faces: faces as u32,
    };
    let faces = CellsBeyondArgs {
        positions: at_faces,
        inside: behind_by(stage.at_faces, first),
        inside_at: Pointer::NULL,
        to: behind_by(stage.at_faces, faces + first),
        inside_component: 2 * faces as u64,
        to_component: 2 * faces as u64,
        ..ghosts
    };
    Ok([ghosts, faces])
}

impl<N: Machine> DeviceMesh<N> {
    /// The mesh of a problem, if it is on one.
    pub fn of<const D: usize, R: Scalar>(
        machine: &N,
        problem: &Problem<D>,
        num_eqn: usize,
    ) -> Result<Option<DeviceMesh<N>>, CudaError> {
        problem.on_mesh.as_ref().map(|on_mesh| Self::new::<D, R>(machine, on_mesh, num_eqn)).transpose()
    }

    /// Sends a mesh, and makes room for the values of a stage of `num_eqn` components.
    fn new<const D: usize, R: Scalar>(
        machine: &N,
        on_mesh: &OnMesh<D>,
        num_eqn: usize,
    ) -> Result<DeviceMesh<N>, CudaError> {
        let (sides, scheme) = (&on_mesh.sides, on_mesh.scheme);
        let (mesh, is_second) = (&*sides.mesh, scheme.order > 1);
        let (cells, faces, boundary) = (mesh.num_cells(), mesh.num_faces(), mesh.boundary.len());
        let mut to = Sender::<N, R> { machine, sent: Vec::new(), numbers: PhantomData };
        let (slices, places) = sliced(mesh);
        let of_entries = |value: &dyn Fn(usize) -> u32| -> Vec<u32> {
            places.iter().map(|&place| if place == NO_FACE { NO_FACE } else { value(place as usize) }).collect()
        };
        let behind = |entry: u32| [&mesh.faces.right, &mesh.faces.left][(entry % 2) as usize][(entry / 2) as usize];
        let neighbours = of_entries(&|place| behind(mesh.cell_faces.items[place]));
        let across = if is_second { stencil(mesh, scheme.gradient, 0) } else { Vec::new() };
        let across: Vec<_> = if is_second {
            places
                .iter()
                .map(|&place| across.get(place as usize).map_or([[0.0; 3]; 2], |a| [a.to_face, a.weight]))
                .collect()
        } else {
            Vec::new()
        };
        let by_faces = scheme.solved_by == SolvedBy::Faces;
        let has_range = is_second && scheme.limiter == Limiter::Venkatakrishnan;
        let range = has_range.then(|| machine.allocate(2 * 8 * num_eqn)).transpose()?;
        let only = |is: bool, numbers: usize| if is { numbers } else { 0 };
        let stage = CellsArgs {
            slices: to.send(&slices)?,
            entries: to.send(&of_entries(&|place| mesh.cell_faces.items[place]))?,
            neighbours: to.send(&neighbours)?,
            to_face: to.vectors::<D, _>(&across, |[to_face, _]| *to_face)?,
            weight: to.vectors::<D, _>(&across, |[_, weight]| *weight)?,
            left: to.send(&mesh.faces.left)?,
            right: to.send(&mesh.faces.right)?,
            turn: to.vectors::<D, _>(&mesh.faces.normal, |normal| turn_of(D, *normal))?,
            size: to.numbers(mesh.faces.size.iter().copied())?,
            volume: to.numbers(mesh.volume.iter().copied())?,
            range: range.as_ref().map_or(Pointer::NULL, |range| pointer::<_, N>(range, 0)),
            ghosts: to.room_for(num_eqn * boundary)?,
            at_faces: to.room_for(only(is_second, 2 * num_eqn * faces))?,
            to_left: to.room_for(only(by_faces, num_eqn * faces))?,
            to_right: to.room_for(only(by_faces, num_eqn * faces))?,
            speed: to.room_for(only(by_faces, faces))?,
            before: Pointer::NULL,
            now: Pointer::NULL,
            to: Pointer::NULL,
            aux: Pointer::NULL,
            report: Pointer::NULL,
            smooth: smoothness(mesh, scheme.limiter),
            dt: 0.0,
            share: 1.0,
            num_cells: cells as u32,
            num_faces: faces as u32,
            num_boundary: boundary as u32,
            num_entries: places.len() as u32,
            is_second: 0,
            is_last: 0,
        };
        let centroids: Vec<f64> = (0..D).flat_map(|d| mesh.centroid.iter().map(move |at| at[d])).collect();
        Ok(DeviceMesh {
            stage,
            beyond: sides_of(&mut to, sides, &stage)?,
            centroids: to.send(&centroids)?,
            solved_by: scheme.solved_by,
            stages: scheme.time.stages(),
            order: scheme.order,
            predicts: scheme.time == TimeStep::Hancock,
            range,
            num_eqn,
            number: R::BYTES,
            _memory: to.sent,
        })
    }

    /// Intermediate states of a step.
    pub fn intermediate(&self) -> usize {
        self.stages.len() - 1
    }

    /// Queues a stage.
    fn enqueue(&self, machine: &N, dim: usize, stage: &CellsArgs, t: f64) -> Result<(), CudaError> {
        let (cells, faces) = (stage.num_cells as usize, stage.num_faces as usize);
        let beyond = |args: &CellsBeyondArgs| {
            if args.num_boundary > 0 {
                // SAFETY: the tables are the mesh's; the states beyond have room for each boundary face.
                unsafe { machine.run(&CELLS_BEYOND, dim, args.num_boundary as usize, args)? };
            }
            Ok::<_, CudaError>(())
        };
        beyond(&CellsBeyondArgs { inside: stage.now, t, ..self.beyond[0] })?;
        if stage.is_second != 0 {
            if let Some(range) = &self.range {
                machine.zero(range, 0, 2 * 8 * self.num_eqn)?;
                // SAFETY: the states are those of all cells.
                unsafe { machine.run(&CELLS_RANGE, dim, cells, stage)? };
            }
            // SAFETY: likewise; there is room for two states of each face.
            unsafe { machine.run(&CELLS_STATES, dim, cells, stage)? };
            let t = if self.predicts { t + 0.5 * stage.dt } else { t };
            beyond(&CellsBeyondArgs { t, ..self.beyond[1] })?;
        }
        // SAFETY: tables and arrays are the mesh's, and the states that a stage reads are not those that it writes.
        unsafe {
            match self.solved_by {
                SolvedBy::Cells => machine.run(&CELLS_UPDATE, dim, cells, stage),
                SolvedBy::Faces => {
                    machine.run(&CELLS_FACES, dim, faces, stage)?;
                    machine.run(&CELLS_GATHER, dim, cells, stage)
                }
            }
        }
    }
}

impl<const D: usize, R: Scalar, N: Machine> ResidentExecutor<D, R, N> {
    /// Takes the stages of a step of the mesh, from the states `input`. `free`: the first array between them.
    pub(super) fn advance_mesh(
        &self,
        mesh: &DeviceMesh<N>,
        step: Step,
        (input, free): (Array, usize),
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        // The one patch has no ghost cells.
        let cells = |array: Pointer<Real>| match array.address() {
            0 => Pointer::NULL,
            address => Pointer::new(address + (PACK_OVERRUN * mesh.number) as u64),
        };
        let before = cells(self.address(l, input));
        let mut now = before;
        for (number, &(start, share)) in mesh.stages.iter().enumerate() {
            let is_last = number + 1 == mesh.stages.len();
            let to = cells(self.address(l, if is_last { Array::Next } else { Array::Stage(free + number) }));
            let stage = CellsArgs {
                before,
                now,
                to,
                aux: cells(store.aux_address()),
                report: step.reports,
                dt: step.dt,
                share,
                is_second: u32::from(mesh.order > 1 && self.problem.scheme.sharing_faces == 0),
                is_last: u32::from(is_last),
                ..mesh.stage
            };
            mesh.enqueue(&self.machine, D, &stage, store.states.time + start * step.dt)?;
            now = to;
        }
        Ok(())
    }
}
