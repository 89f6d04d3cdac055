//! Tables of a mesh from a file in a device's memory.

use super::Machine;
use crate::exec::gpu::device::{bytes_of, pointer};
use crate::physics::MeshSides;
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer, Real};
use cuda::amr::{CellsArgs, CellsBeyondArgs};
use riemann::cells::turn_of;
use riemann::real::Scalar;
use std::marker::PhantomData;
use std::sync::Arc;
use unstructured::Mesh;
use unstructured::motion::Moved;
use unstructured::step::{Place, Scheme, smoothness, stencil};

/// Cells whose entries are stored together, so that the threads of a warp read neighbouring numbers.
pub(super) const SLICE: usize = 32;
/// An entry behind a cell's last one.
pub(super) const NO_FACE: u32 = u32::MAX;

/// Sends the tables of a mesh, in the run's precision.
pub(super) struct Sender<'a, N: Machine, R> {
    machine: &'a N,
    pub sent: Vec<N::Memory>,
    /// The next table, which has been sent before if there is memory for it.
    next: usize,
    numbers: PhantomData<R>,
}

impl<'a, N: Machine, R: Scalar> Sender<'a, N, R> {
    /// `sent`: memory of tables that are sent again, in the same order.
    pub fn new(machine: &'a N, sent: Vec<N::Memory>) -> Self {
        Sender { machine, sent, next: 0, numbers: PhantomData }
    }

    pub fn room<T: Pointee + ?Sized>(&mut self, bytes: usize) -> Result<Pointer<T>, CudaError> {
        if self.next == self.sent.len() {
            self.sent.push(self.machine.allocate(bytes.max(1))?);
        }
        self.next += 1;
        Ok(pointer::<T, N>(&self.sent[self.next - 1], 0))
    }

    pub fn send<T: Copy, P: Pointee + ?Sized>(&mut self, values: &[T]) -> Result<Pointer<P>, CudaError> {
        let place = self.room(size_of_val(values))?;
        self.machine.upload(bytes_of(values), &self.sent[self.next - 1], 0)?;
        Ok(place)
    }

    pub fn numbers(&mut self, values: impl Iterator<Item = f64>) -> Result<Pointer<Real>, CudaError> {
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

    pub fn room_for(&mut self, numbers: usize) -> Result<Pointer<Real>, CudaError> {
        self.room(numbers * R::BYTES)
    }
}

/// Where each slice of cells begins in the tables of entries, and for each entry its number in the mesh's lists.
pub(super) fn sliced(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
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

/// Sends what the nodes of a mesh decide, into the arguments of a stage, and of ghost cells and states at faces.
pub(super) fn send_geometry<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    (mesh, moved): (&Mesh, Option<&Moved>),
    (scheme, places): (Scheme, &[u32]),
    stage: &mut CellsArgs,
    beyond: &mut [CellsBeyondArgs; 2],
) -> Result<(), CudaError> {
    let first = mesh.first_boundary();
    let behind_by =
        |address: Pointer<Real>, numbers: usize| Pointer::new(address.address() + (numbers * R::BYTES) as u64);
    let across = if scheme.order > 1 { stencil(mesh, scheme.gradient) } else { Arc::default() };
    let of = |place: &u32| across.get(*place as usize).map_or([[0.0; 3]; 2], |a| [a.to_face, a.weight]);
    let across: Vec<_> = places.iter().filter(|_| scheme.order > 1).map(of).collect();
    stage.to_face = to.vectors::<D, _>(&across, |[to_face, _]| *to_face)?;
    stage.weight = to.vectors::<D, _>(&across, |[_, weight]| *weight)?;
    stage.turn = to.vectors::<D, _>(&mesh.faces.normal, |normal| turn_of(D, *normal))?;
    stage.size = to.numbers(mesh.faces.size.iter().copied())?;
    stage.volume = to.numbers(mesh.volume.iter().copied())?;
    stage.smooth = smoothness(mesh, scheme.limiter);
    if let Some(Moved { before, after, speed, .. }) = moved {
        stage.volumes = to.numbers(before.volume.iter().chain(&after.volume).copied())?;
        stage.moving = to.numbers(speed.iter().copied())?;
        let normals = &mesh.faces.normal[first..];
        let normals: Vec<f64> = (0..D).flat_map(|d| normals.iter().map(move |normal| normal[d])).collect();
        beyond[0].normals = to.send(&normals)?;
        beyond[0].moving = behind_by(stage.moving, first);
    }
    for (beyond, place) in beyond.iter_mut().zip([Place::Ghost, Place::Face]) {
        let position = |number: usize| MeshSides::<D>::position(mesh, number, place);
        let all: Vec<[f64; D]> = (0..mesh.boundary.len()).map(position).collect();
        beyond.positions = to.send(&(0..D).flat_map(|d| all.iter().map(move |at| at[d])).collect::<Vec<f64>>())?;
        beyond.turn = behind_by(stage.turn, first);
    }
    (beyond[1].normals, beyond[1].moving) = (beyond[0].normals, beyond[0].moving);
    Ok(())
}

/// Arguments for what lies beyond the sides of a mesh, without what its nodes decide: for ghost cells, and for states at faces.
pub(super) fn sides_of<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    sides: &MeshSides<D>,
    stage: &CellsArgs,
) -> Result<[CellsBeyondArgs; 2], CudaError> {
    let mesh = &sides.mesh;
    let (faces, boundary) = (mesh.num_faces(), mesh.boundary.len());
    let first = mesh.first_boundary();
    let behind_by =
        |address: Pointer<Real>, numbers: usize| Pointer::new(address.address() + (numbers * R::BYTES) as u64);
    let ghosts = CellsBeyondArgs {
        rules: to.send(sides.name_of())?,
        positions: Pointer::NULL,
        turn: Pointer::NULL,
        normals: Pointer::NULL,
        moving: Pointer::NULL,
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
        inside: behind_by(stage.at_faces, first),
        inside_at: Pointer::NULL,
        to: behind_by(stage.at_faces, faces + first),
        inside_component: 2 * faces as u64,
        to_component: 2 * faces as u64,
        ..ghosts
    };
    Ok([ghosts, faces])
}

/// Centroids of cells, `[axis, cell]`.
pub(super) fn centroids<const D: usize>(mesh: &Mesh) -> Vec<f64> {
    (0..D).flat_map(|d| mesh.centroid.iter().map(move |at| at[d])).collect()
}
