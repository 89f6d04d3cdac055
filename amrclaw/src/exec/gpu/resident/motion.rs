//! The geometry of a mesh that moves, by kernels before each step: `unstructured::motion` and `unstructured::step::stencil`, to the bit. Where nodes are,
//! the host says unless formulas alone do.

use super::Machine;
use super::mesh_tables::{Sender, Tables, behind_by};
use super::springs::DeviceSprings;
use crate::exec::ExecError;
use crate::exec::gpu::device::{bytes_of, pointer, structs_of};
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{MOTION_CELLS, MOTION_ENTRIES, MOTION_FACES, MOTION_NODES};
use cuda::amr::{CellsArgs, CellsBeyondArgs, MotionArgs, MotionInstant, SHAPE_WORDS};
use riemann::real::Scalar;
use std::cell::{Cell, RefCell};
use unstructured::motion::{FLAT, MeshInTime, OPEN};
use unstructured::step::{Gradient, smoothness};
use unstructured::{Mesh, MeshError, Shape};

/// What kernels find wrong with a step's end, half way, and with what faces sweep; then with its begin.
const WRONGS: usize = 4;
const OF_BEGIN: usize = 3;

/// No nodes.
const NOWHERE: MotionInstant = MotionInstant { points: Pointer::NULL, volume: Pointer::NULL, centroid: Pointer::NULL };

/// A mesh that moves.
pub(super) struct Motion<N: Machine> {
    args: MotionArgs,
    /// A step's begin and its end, in turn: the time that is known, and the arrays.
    instants: [(f64, MotionInstant); 2],
    /// Where nodes are then.
    points: [N::Memory; 2],
    found: N::Memory,
    by_formulas: bool,
    /// Springs that draw nodes, once they have been solved.
    pub springs: Option<DeviceSprings<N>>,
    _tables: Tables<N>,
}

/// What a step reads of the motion.
pub(super) struct OfStep<N: Machine> {
    /// The volumes before and after it.
    pub volumes: [Pointer<f64>; 2],
    times: (f64, f64),
    found: N::Download,
}

/// The first `D` components of vectors, side by side.
fn flat<const D: usize>(vectors: &[[f64; 3]]) -> Vec<f64> {
    vectors.iter().flat_map(|vector| vector[..D].to_vec()).collect()
}

/// A shape, as `motion.cuh` has it.
fn words_of(shape: Shape) -> [u32; SHAPE_WORDS] {
    let word =
        |face: &&[u8]| face.iter().rev().fold(0, |word, &node| (word << 4) | u32::from(node)) << 4 | face.len() as u32;
    let faces = shape.faces();
    let head = [shape.num_nodes() as u32, faces.len() as u32];
    std::array::from_fn(|k| head.get(k).copied().or_else(|| faces.get(k - 2).map(word)).unwrap_or(0))
}

impl<N: Machine> Motion<N> {
    /// Sends the mesh, and makes room for its geometry, which becomes that of a stage and of what lies beyond sides.
    pub fn new<const D: usize, R: Scalar>(
        machine: &N,
        on_mesh: &OnMesh<D>,
        stage: &mut CellsArgs,
        beyond: &mut [CellsBeyondArgs; 2],
    ) -> Result<Self, CudaError> {
        let (mesh, scheme) = (&*on_mesh.sides.mesh(), on_mesh.scheme);
        let (cells, faces, nodes) = (mesh.num_cells(), mesh.num_faces(), mesh.points.len());
        let (boundary, first) = (mesh.boundary.len(), mesh.first_boundary());
        let first_periodic = mesh.periodic.first().map_or(first, |pair| pair.faces.start);
        let mut to = Sender::<N, R>::new(machine, Vec::new());
        let points = [machine.allocate(8 * D * nodes)?, machine.allocate(8 * D * nodes)?];
        let found = machine.allocate(4 * WRONGS)?;
        let mut instant = |points| {
            Ok::<_, CudaError>(MotionInstant { points, volume: to.room_of(cells)?, centroid: to.room_of(D * cells)? })
        };
        let [begin, end] = [0, 1].map(|k| pointer::<f64, N>(&points[k], 0));
        let (instants, half_way) = ([(f64::NAN, instant(begin)?), (f64::NAN, instant(end)?)], instant(Pointer::NULL)?);
        stage.volume = to.room_for(cells)?;
        stage.size = to.room_for(faces)?;
        stage.turn = to.room_for(D * faces)?;
        stage.moving = to.room_for(faces)?;
        stage.smooth = smoothness((cells, D), scheme.limiter);
        if scheme.order > 1 {
            stage.to_face = to.room_for(D * stage.num_entries as usize)?;
            stage.weight = to.room_for(D * stage.num_entries as usize)?;
        }
        let shapes: Vec<u32> = mesh.cells.shape.iter().map(|&shape| shape as u32).collect();
        let ends: Vec<u32> = mesh.periodic.iter().map(|pair| pair.faces.end as u32).collect();
        let shifts: Vec<[f64; 3]> = mesh.periodic.iter().map(|pair| pair.shift).collect();
        let seen: Vec<[f64; 3]> = (first_periodic..first).map(|face| mesh.seen_from(face)).collect();
        let args = MotionArgs {
            before: NOWHERE,
            half_way,
            after: NOWHERE,
            still_points: to.send(&flat::<D>(&mesh.points))?,
            still_volume: to.send(&mesh.volume)?,
            bulge: if mesh.bulge.is_empty() { Pointer::NULL } else { to.send(&mesh.bulge)? },
            of_shapes: to.send(Shape::ALL.map(words_of).as_flattened())?,
            shapes: to.send(&shapes)?,
            cell_starts: to.send(&mesh.cells.nodes.starts)?,
            cell_nodes: to.send(&mesh.cells.nodes.items)?,
            face_starts: to.send(&mesh.faces.nodes.starts)?,
            face_nodes: to.send(&mesh.faces.nodes.items)?,
            slices: stage.slices,
            entries: stage.entries,
            neighbours: stage.neighbours,
            left: stage.left,
            periodic_ends: to.send(&ends)?,
            shifts: to.send(&flat::<D>(&shifts))?,
            seen: to.send(&flat::<D>(&seen))?,
            volume: stage.volume,
            size: stage.size,
            turn: stage.turn,
            speed: stage.moving,
            to_face: stage.to_face,
            weight: stage.weight,
            centre: to.room_of(D * faces)?,
            normal: to.room_of(D * faces)?,
            face_size: to.room_of(faces)?,
            swept: to.room_of(faces)?,
            normals: to.room_of(D * boundary)?,
            at_ghosts: to.room_of(D * boundary)?,
            at_sides: to.room_of(D * boundary)?,
            found: pointer::<_, N>(&found, 0),
            t: 0.0,
            dt: 0.0,
            flat: FLAT,
            open: OPEN,
            num_nodes: nodes as u32,
            num_cells: stage.num_cells,
            num_faces: stage.num_faces,
            num_entries: stage.num_entries,
            first_periodic: first_periodic as u32,
            first_boundary: first as u32,
            num_periodic: mesh.periodic.len() as u32,
            is_green_gauss: u32::from(scheme.gradient == Gradient::GreenGauss),
        };
        for (beyond, positions) in beyond.iter_mut().zip([args.at_ghosts, args.at_sides]) {
            (beyond.positions, beyond.normals) = (positions, args.normals);
            beyond.turn = behind_by::<R>(stage.turn, first);
            beyond.moving = behind_by::<R>(stage.moving, first);
        }
        let by_formulas = on_mesh.nodes.is_some();
        Ok(Motion { args, instants, points, found, by_formulas, springs: None, _tables: to.sent })
    }

    /// Makes what a step of `dt` from a time reads.
    pub fn step<const D: usize>(
        &mut self,
        machine: &N,
        in_time: &MeshInTime,
        (time, dt): (f64, f64),
    ) -> Result<OfStep<N>, ExecError> {
        machine.zero(&self.found, 0, 4 * WRONGS)?;
        let begin = self.at::<D>(machine, in_time, time)?;
        let end = 1 - begin;
        self.place::<D>(machine, in_time, (end, time + dt))?;
        let [before, after] = [begin, end].map(|k| self.instants[k].1);
        let args = MotionArgs { before, after, dt, ..self.args };
        let (cells, faces) = (args.num_cells as usize, args.num_faces as usize);
        // SAFETY: the tables are the mesh's, and there is room for what its cells, faces and entries have.
        unsafe {
            machine.run(&MOTION_CELLS, D, cells, &args)?;
            machine.run(&MOTION_FACES, D, faces, &args)?;
            if args.to_face.address() != 0 || args.num_periodic > 0 {
                machine.run(&MOTION_ENTRIES, D, cells, &args)?;
            }
        }
        let found = machine.begin_download(&self.found, 4 * WRONGS)?;
        Ok(OfStep { volumes: [before.volume, after.volume], times: (time, time + dt), found })
    }

    /// Centroids at a time.
    pub fn centroids<const D: usize>(
        &mut self,
        machine: &N,
        in_time: &MeshInTime,
        time: f64,
    ) -> Result<Pointer<f64>, CudaError> {
        let at = self.at::<D>(machine, in_time, time)?;
        Ok(self.instants[at].1.centroid)
    }

    /// The arrays of an instant, which are made if they are not known.
    fn at<const D: usize>(&mut self, machine: &N, in_time: &MeshInTime, time: f64) -> Result<usize, CudaError> {
        if let Some(known) = self.instants.iter().position(|(known, _)| *known == time) {
            return Ok(known);
        }
        self.place::<D>(machine, in_time, (0, time))?;
        let found = Pointer::new(self.args.found.address() + 4 * OF_BEGIN as u64);
        let args = MotionArgs { after: self.instants[0].1, found, ..self.args };
        // SAFETY: as above.
        unsafe { machine.run(&MOTION_CELLS, D, args.num_cells as usize, &args)? };
        Ok(0)
    }

    /// Places the nodes of an instant.
    fn place<const D: usize>(
        &mut self,
        machine: &N,
        in_time: &MeshInTime,
        (at, time): (usize, f64),
    ) -> Result<(), CudaError> {
        self.instants[at].0 = time;
        let after = self.instants[at].1;
        if self.by_formulas {
            let args = MotionArgs { after, t: time, ..self.args };
            // SAFETY: as above.
            return unsafe { machine.run(&MOTION_NODES, D, args.num_nodes as usize, &args) };
        }
        let (springs, failed) = (RefCell::new(&mut self.springs), Cell::new(None));
        in_time.solve_ahead(time, &|of, displaced| {
            if let Err(error) = DeviceSprings::solve(machine, &mut springs.borrow_mut(), (of, displaced)) {
                failed.set(Some(error));
            }
        });
        failed.take().map_or(Ok(()), Err)?;
        machine.upload(bytes_of(&flat::<D>(&in_time.points(time))), &self.points[at], 0)
    }
}

impl<N: Machine> OfStep<N> {
    /// Waits for what kernels have found wrong with the mesh.
    ///
    /// # Errors
    /// A cell would be folded, or periodic sides do not move alike.
    pub fn check(self, machine: &N, mesh: &Mesh) -> Result<(), ExecError> {
        let (begin, end) = self.times;
        let words = machine.finish_download(self.found, |bytes| structs_of::<u32>(bytes).collect::<Vec<_>>())?;
        let cell = |what: usize| (words[what] > 0).then_some(!words[what] as usize);
        let [folded, half_way, open, of_begin] = [0, 1, 2, OF_BEGIN].map(cell);
        let error = match (of_begin, folded, half_way, open) {
            (Some(cell), ..) => mesh.folded(cell, begin),
            (_, Some(cell), ..) => mesh.folded(cell, end),
            (.., Some(cell), open) if open.is_none_or(|open| cell <= open) => mesh.folded(cell, end),
            (.., Some(_)) => MeshError::torn(end),
            _ => return Ok(()),
        };
        Err(ExecError::Folded(error.what))
    }
}
