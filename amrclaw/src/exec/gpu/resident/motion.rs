//! The geometry of a mesh that moves, by kernels before each step: `unstructured::motion` and `unstructured::step::stencil`, to the bit. Where nodes are,
//! the host says if curves move them too.

use super::Machine;
use super::mesh_tables::{Sender, Tables};
use super::motion_tables::{flat, instant_of, make_geometry, send_mesh};
use super::springs::DeviceSprings;
use crate::exec::ExecError;
use crate::exec::gpu::device::{bytes_of, pointer, sent, structs_of};
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{MOTION_CELLS, MOTION_ENTRIES, MOTION_FACES, MOTION_LEAVES, MOTION_NODES};
use cuda::amr::{CellsArgs, CellsBeyondArgs, MotionArgs, MotionInstant, Wrong};
use riemann::real::Scalar;
use std::cell::{Cell, RefCell};
use unstructured::motion::springs::Springs;
use unstructured::motion::{Around, MeshInTime};
use unstructured::{Mesh, MeshError};

/// Bytes of what kernels note of cells.
const NOTES: usize = 4 * Wrong::Kinds as usize;

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
    /// What these displace at two multiples of their time.
    displaced: Vec<(f64, N::Memory)>,
    is_held: Option<N::Memory>,
    _tables: Tables<N>,
}

/// What a step reads of the motion.
pub(super) struct OfStep<N: Machine> {
    /// The volumes before and after it.
    pub volumes: [Pointer<f64>; 2],
    times: (f64, f64),
    found: N::Download,
}

impl<N: Machine> Motion<N> {
    /// Sends the mesh, and makes room for its geometry, which becomes that of a stage and of what lies beyond sides.
    pub fn new<const D: usize, R: Scalar>(
        machine: &N,
        on_mesh: &OnMesh<D>,
        stage: &mut CellsArgs,
        beyond: &mut [CellsBeyondArgs; 2],
    ) -> Result<Self, CudaError> {
        let mut to = Sender::<N, R>::new(machine, Vec::new());
        let mut args = send_mesh::<D, R, N>(&mut to, on_mesh, stage)?;
        make_geometry::<D, R, N>(&mut to, on_mesh.scheme, &mut args, (stage, beyond))?;
        let bytes = 8 * D * on_mesh.sides.mesh().points.len();
        let points = [machine.allocate(bytes)?, machine.allocate(bytes)?];
        let mut instants = [(f64::NAN, args.before), (f64::NAN, args.before)];
        for ((_, instant), points) in instants.iter_mut().zip(&points) {
            *instant = instant_of::<D, R, N>(&mut to, &args, pointer::<_, N>(points, 0))?;
        }
        let found = machine.allocate(NOTES)?;
        args.found = pointer::<_, N>(&found, 0);
        let by_formulas = on_mesh.nodes.is_some();
        let (displaced, is_held, springs, _tables) = (Vec::new(), None, None, to.sent);
        Ok(Motion { args, instants, points, found, by_formulas, springs, displaced, is_held, _tables })
    }

    /// Makes what a step of `dt` from a time reads.
    pub fn step<const D: usize>(
        &mut self,
        machine: &N,
        in_time: &MeshInTime,
        (time, dt): (f64, f64),
    ) -> Result<OfStep<N>, ExecError> {
        machine.zero(&self.found, 0, NOTES)?;
        let begin = self.at::<D>(machine, in_time, time)?;
        let end = 1 - begin;
        self.place::<D>(machine, in_time, (end, time + dt))?;
        let [before, after] = [begin, end].map(|k| self.instants[k].1);
        let args = MotionArgs { before, after, dt, ..self.args };
        let (cells, faces) = (args.tables.num_cells as usize, args.tables.num_faces as usize);
        // SAFETY: the tables are the mesh's, and there is room for what its cells, faces and entries have.
        unsafe {
            machine.run(&MOTION_CELLS, D, cells, &args)?;
            machine.run(&MOTION_FACES, D, faces, &args)?;
            if args.tables.to_face.address() != 0 || args.num_periodic > 0 {
                machine.run(&MOTION_ENTRIES, D, cells, &args)?;
            }
        }
        let found = machine.begin_download(&self.found, NOTES)?;
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
        let found = Pointer::new(self.args.found.address() + 4 * Wrong::FoldedBefore as u64);
        let args = MotionArgs { after: self.instants[0].1, found, ..self.args };
        // SAFETY: as above.
        unsafe { machine.run(&MOTION_CELLS, D, args.tables.num_cells as usize, &args)? };
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
        let (displaced, share) = self.draw(machine, in_time, time)?;
        if !self.by_formulas {
            return machine.upload(bytes_of(&flat::<D>(&in_time.points(time))), &self.points[at], 0);
        }
        let is_held = self.is_held.as_ref().map_or(Pointer::NULL, |held| pointer::<_, N>(held, 0));
        let args = MotionArgs { after, displaced, is_held, share, t: time, ..self.args };
        let (nodes, leaves) = (args.num_nodes as usize, args.tables.num_cells as usize);
        // SAFETY: as above.
        unsafe {
            if args.root_points.address() == 0 {
                return machine.run(&MOTION_NODES, D, nodes, &args);
            }
            let of_roots = MotionInstant { points: args.root_points, ..after };
            machine.run(&MOTION_NODES, D, nodes, &MotionArgs { after: of_roots, ..args })?;
            machine.run(&MOTION_LEAVES, D, leaves, &args)
        }
    }

    /// Solves springs around a time, and sends what they displace before and behind it, if kernels place nodes; with where the time lies between these.
    fn draw(&mut self, machine: &N, in_time: &MeshInTime, time: f64) -> Result<([Pointer<f64>; 2], f64), CudaError> {
        let Motion { springs, displaced, is_held, by_formulas, .. } = self;
        let (springs, failed) = (RefCell::new(springs), Cell::new(None));
        let mut sent = Ok(([Pointer::NULL; 2], 0.0));
        let solve = |of: &Springs, displaced: &mut [f64]| {
            if let Err(error) = DeviceSprings::solve(machine, &mut springs.borrow_mut(), (of, displaced)) {
                failed.set(Some(error));
            }
        };
        in_time.solve_ahead(time, &solve, &mut |around| {
            if *by_formulas {
                sent = send_displaced(machine, displaced, is_held, around).map(|places| (places, around.share));
            }
        });
        failed.take().map_or(sent, Err)
    }
}

/// Sends what springs displace around a time, unless it has been sent; and which nodes they do not draw.
fn send_displaced<N: Machine>(
    machine: &N,
    known: &mut Vec<(f64, N::Memory)>,
    is_held: &mut Option<N::Memory>,
    around: &Around<'_>,
) -> Result<[Pointer<f64>; 2], CudaError> {
    if is_held.is_none() {
        let held: Vec<u8> = (0..around.springs.num_nodes()).map(|node| around.springs.is_held(node).into()).collect();
        *is_held = Some(sent(machine, &held)?);
    }
    let mut places = [Pointer::NULL; 2];
    for ((number, displaced), place) in around.numbers.into_iter().zip(around.displaced).zip(&mut places) {
        let at = known.iter().position(|(of, _)| *of == number).map_or_else(
            || {
                // The memory of a number that is not wanted any more, if there are two.
                let free = known.iter().position(|(of, _)| !around.numbers.contains(of)).filter(|_| known.len() > 1);
                let at = free.unwrap_or(known.len());
                if free.is_none() {
                    known.push((number, machine.allocate(size_of_val(displaced))?));
                }
                known[at].0 = number;
                machine.upload(bytes_of(displaced), &known[at].1, 0).map(|()| at)
            },
            Ok,
        )?;
        *place = pointer::<_, N>(&known[at].1, 0);
    }
    Ok(places)
}

impl<N: Machine> OfStep<N> {
    /// Waits for what kernels have found wrong with the mesh.
    ///
    /// # Errors
    /// A cell would be folded, or periodic sides do not move alike.
    pub fn check(self, machine: &N, mesh: &Mesh) -> Result<(), ExecError> {
        let (begin, end) = self.times;
        let words = machine.finish_download(self.found, |bytes| structs_of::<u32>(bytes).collect::<Vec<_>>())?;
        let cell = |what: Wrong| Some(!words[what as usize] as usize).filter(|_| words[what as usize] > 0);
        let [folded, half_way, open, of_begin] =
            [Wrong::Folded, Wrong::FoldedHalfWay, Wrong::Open, Wrong::FoldedBefore].map(cell);
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
