//! Tables of a mesh from a file in a device's memory.

use super::Machine;
use crate::exec::gpu::device::{Queue, bytes_of, pointer};
use crate::physics::MeshSides;
use crate::threads::{parallel_chunks, parallel_table};
use cuda::CudaError;
use cuda::abi::{Plain, Pointee, Pointer, Real};
use cuda::amr::{CellsArgs, CellsBeyondArgs, NO_ITEM};
use riemann::cells::turn_of;
use riemann::real::Scalar;
use std::marker::PhantomData;
use std::sync::Arc;
use unstructured::Mesh;
use unstructured::step::{Limiter, Place, Scheme, SolvedBy, smoothness, stencil};

/// Cells whose entries are stored together, so that the threads of a warp read neighbouring numbers.
pub(super) const SLICE: usize = 32;

/// Memory of tables, with its bytes.
pub(super) type Tables<N> = Vec<(<N as Queue>::Memory, usize)>;

/// Sends the tables of a mesh, in the run's precision.
pub(super) struct Sender<'a, N: Machine, R> {
    machine: &'a N,
    pub sent: Tables<N>,
    /// The next table, which has been sent before if there is memory for it.
    next: usize,
    numbers: PhantomData<R>,
}

impl<'a, N: Machine, R: Scalar> Sender<'a, N, R> {
    /// `sent`: memory of tables that are sent again, in the same order.
    pub fn new(machine: &'a N, sent: Tables<N>) -> Self {
        Sender { machine, sent, next: 0, numbers: PhantomData }
    }

    pub fn room<T: Pointee + ?Sized>(&mut self, bytes: usize) -> Result<Pointer<T>, CudaError> {
        match self.sent.get(self.next) {
            None => self.sent.push((self.machine.allocate(bytes.max(1))?, bytes)),
            // A mesh that grows needs more again soon.
            Some(&(_, held)) if held < bytes => {
                let bytes = bytes + bytes / 4;
                self.sent[self.next] = (self.machine.allocate(bytes)?, bytes);
            }
            Some(_) => {}
        }
        self.next += 1;
        Ok(pointer::<T, N>(&self.sent[self.next - 1].0, 0))
    }

    pub fn room_of<T: Pointee>(&mut self, count: usize) -> Result<Pointer<T>, CudaError> {
        self.room(count * size_of::<T>())
    }

    /// Room that is zero when it is new.
    pub fn room_of_zeros<T: Pointee>(&mut self, count: usize) -> Result<Pointer<T>, CudaError> {
        let held = self.sent.get(self.next).map(|&(_, bytes)| bytes);
        let place = self.room_of(count)?;
        let (memory, bytes) = &self.sent[self.next - 1];
        if held != Some(*bytes) {
            self.machine.zero(memory, 0, *bytes)?;
        }
        Ok(place)
    }

    pub fn send<T: Copy, P: Pointee + ?Sized>(&mut self, values: &[T]) -> Result<Pointer<P>, CudaError> {
        let place = self.room(size_of_val(values))?;
        self.machine.upload(bytes_of(values), &self.sent[self.next - 1].0, 0)?;
        Ok(place)
    }

    /// `value(0)`, `value(1)`, … up to `count`.
    pub fn numbers(&mut self, count: usize, value: impl Fn(usize) -> f64 + Sync) -> Result<Pointer<Real>, CudaError> {
        self.send(&parallel_table(count, |k| R::from_f64(value(k))))
    }

    /// One of the first `D` components of vectors after the other.
    fn vectors<const D: usize, T: Sync>(
        &mut self,
        items: &[T],
        vector: impl Fn(&T) -> [f64; 3] + Sync,
    ) -> Result<Pointer<Real>, CudaError> {
        let len = items.len();
        self.numbers(D * len, |k| vector(&items[k % len])[k / len])
    }

    pub fn room_for(&mut self, numbers: usize) -> Result<Pointer<Real>, CudaError> {
        self.room(numbers * R::BYTES)
    }
}

/// Where each slice of cells begins in the tables of entries, and for each entry its number in the mesh's lists.
pub(super) fn sliced(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
    let starts = &mesh.cell_faces.starts;
    let pieces = parallel_chunks(mesh.num_cells().div_ceil(SLICE), |slices| {
        let (mut widths, mut places) = (Vec::with_capacity(slices.len()), Vec::new());
        for slice in slices {
            let rows = starts[slice * SLICE..].windows(2).take(SLICE);
            let width = rows.clone().map(|row| row[1] - row[0]).max().unwrap_or(0);
            for k in 0..width {
                let entries = rows.clone().map(|row| if row[0] + k < row[1] { row[0] + k } else { NO_ITEM });
                places.extend(entries.chain(std::iter::repeat(NO_ITEM)).take(SLICE));
            }
            widths.push(SLICE as u32 * width);
        }
        (widths, places)
    });
    let mut slices = vec![0];
    pieces.iter().flat_map(|(widths, _)| widths).for_each(|width| slices.push(slices[slices.len() - 1] + width));
    (slices, pieces.into_iter().flat_map(|(_, places)| places).collect())
}

/// Sends what the nodes of a mesh decide, into the arguments of a stage, and of ghost cells and states at faces.
pub(super) fn send_geometry<const D: usize, R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    mesh: &Mesh,
    (scheme, places): (Scheme, &[u32]),
    stage: &mut CellsArgs,
    beyond: &mut [CellsBeyondArgs; 2],
) -> Result<(), CudaError> {
    let (cells, first) = (mesh.num_cells(), mesh.first_boundary());
    let across = if scheme.order > 1 { stencil(mesh, scheme.gradient) } else { Arc::default() };
    let places = if scheme.order > 1 { places } else { &[] };
    let of = |place: &u32| across.get(*place as usize).copied().unwrap_or_default();
    stage.tables.to_face = to.vectors::<D, _>(places, |place| of(place).to_face)?;
    stage.tables.weight = to.vectors::<D, _>(places, |place| of(place).weight)?;
    stage.tables.turn = to.vectors::<D, _>(&mesh.faces.normal, |normal| turn_of(D, *normal))?;
    stage.tables.size = to.numbers(mesh.num_faces(), |face| mesh.faces.size[face])?;
    stage.tables.volume = to.numbers(cells, |cell| mesh.volume[cell])?;
    stage.smooth = smoothness((cells, D), scheme.limiter);
    for (beyond, place) in beyond.iter_mut().zip([Place::Ghost, Place::Face]) {
        let position = |number: usize| MeshSides::<D>::position(mesh, number, place);
        let all: Vec<[f64; D]> = (0..mesh.boundary.len()).map(position).collect();
        beyond.positions = to.send(&(0..D).flat_map(|d| all.iter().map(move |at| at[d])).collect::<Vec<f64>>())?;
        beyond.turn = behind_by::<R>(stage.tables.turn, first);
    }
    Ok(())
}

/// Makes room for what a stage keeps of `num_eqn` components.
pub(super) fn make_rooms<R: Scalar, N: Machine>(
    to: &mut Sender<'_, N, R>,
    scheme: Scheme,
    num_eqn: usize,
    stage: &mut CellsArgs,
) -> Result<(), CudaError> {
    let (faces, boundary) = (stage.tables.num_faces as usize, stage.tables.num_boundary as usize);
    let only = |is: bool, numbers: usize| if is { numbers } else { 0 };
    let by_faces = scheme.solved_by == SolvedBy::Faces;
    let has_extremes = scheme.order > 1 && scheme.limiter == Limiter::Venkatakrishnan;
    stage.extremes = to.room_for(only(has_extremes, 2 * num_eqn * stage.tables.num_cells as usize))?;
    stage.ghosts = to.room_for(num_eqn * boundary)?;
    stage.at_faces = to.room_for(only(scheme.order > 1, 2 * num_eqn * faces))?;
    stage.to_left = to.room_for(only(by_faces, num_eqn * faces))?;
    stage.to_right = to.room_for(only(by_faces, num_eqn * faces))?;
    stage.speed = to.room_for(only(by_faces, faces))?;
    Ok(())
}

/// Arguments for what lies beyond the sides of a mesh, without what its nodes decide: for ghost cells, and for states at faces. `rules`: of each
/// boundary face the number of its name.
pub(super) fn sides_of<R: Scalar>(rules: Pointer<u32>, stage: &CellsArgs) -> [CellsBeyondArgs; 2] {
    let (faces, boundary) = (stage.tables.num_faces as usize, stage.tables.num_boundary as usize);
    let first = faces - boundary;
    let ghosts = CellsBeyondArgs {
        rules,
        inside_at: Pointer::new(stage.tables.left.address() + 4 * first as u64),
        to: stage.ghosts,
        inside_component: u64::from(stage.tables.num_cells),
        to_component: boundary as u64,
        num_boundary: boundary as u32,
        num_faces: faces as u32,
        ..CellsBeyondArgs::ZERO
    };
    let faces = CellsBeyondArgs {
        inside: behind_by::<R>(stage.at_faces, first),
        inside_at: Pointer::NULL,
        to: behind_by::<R>(stage.at_faces, faces + first),
        inside_component: 2 * faces as u64,
        to_component: 2 * faces as u64,
        ..ghosts
    };
    [ghosts, faces]
}

/// The address so many numbers behind another.
pub(super) fn behind_by<R: Scalar>(address: Pointer<Real>, numbers: usize) -> Pointer<Real> {
    Pointer::new(address.address() + (numbers * R::BYTES) as u64)
}

/// Centroids of cells, `[axis, cell]`.
pub(super) fn centroids<const D: usize>(mesh: &Mesh) -> Vec<f64> {
    let cells = mesh.num_cells();
    parallel_table(D * cells, |k| mesh.centroid[k % cells][k / cells])
}
