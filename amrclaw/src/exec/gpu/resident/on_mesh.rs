//! Steps on a mesh from a file. Its tables and all values stay in the device's memory; a stage is a few launches over cells or faces.

use super::advance::{Array, Step};
use super::mesh_tables::{Sender, Tables, centroids, make_rooms, send_geometry, sides_of, sliced};
use super::motion::{Motion, OfStep};
use super::springs::DeviceSprings;
use super::{Machine, ResidentExecutor};
use crate::exec::ExecError;
use crate::exec::gpu::device::pointer;
use crate::exec::step::share_of_first_half;
use crate::physics::{OnMesh, Problem};
use crate::threads::parallel_table;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer, Real};
use cuda::amr::kernels::{
    CELLS_BEYOND, CELLS_EXTREMES, CELLS_FACES, CELLS_GATHER, CELLS_RANGE, CELLS_STATES, CELLS_UPDATE,
};
use cuda::amr::{CellsArgs, CellsBeyondArgs, MeshTables, NO_ITEM};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use riemann::real::Scalar;
use unstructured::motion::MeshInTime;
use unstructured::step::{Limiter, SolvedBy, TimeStep};

/// A mesh on a device.
pub(super) struct DeviceMesh<N: Machine> {
    /// Arguments of a stage but for what changes from step to step.
    stage: CellsArgs,
    /// Arguments of the kernel that fills ghost cells, and of the same at faces.
    beyond: [CellsBeyondArgs; 2],
    /// Centroids of a mesh that does not move: `[axis, cell]`.
    centroids: Pointer<f64>,
    /// Of a mesh that moves: what is made anew.
    motion: Option<Mutex<Motion<N>>>,
    solved_by: SolvedBy,
    /// The start of each stage within the step, and its share.
    stages: &'static [(f64, f64)],
    order: u8,
    /// States at faces are half a step later.
    predicts: bool,
    /// Bits of the range of values, where the limiter asks for it.
    range: Option<N::Memory>,
    num_eqn: usize,
    /// What sources do beyond sides in the first half of Strang's splitting, with its bytes.
    gained: Mutex<Option<(N::Memory, usize)>>,
    memory: [Tables<N>; 2],
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
        let (mesh, moves) = (&*sides.mesh(), sides.in_time.moves());
        let boundary = mesh.boundary.len();
        let mut to = Sender::<N, R>::new(machine, Vec::new());
        let (slices, places) = sliced(mesh);
        let of_entries = |value: &(dyn Fn(usize) -> u32 + Sync)| {
            parallel_table(places.len(), |k| if places[k] == NO_ITEM { NO_ITEM } else { value(places[k] as usize) })
        };
        let behind = |entry: u32| [&mesh.faces.right, &mesh.faces.left][(entry % 2) as usize][(entry / 2) as usize];
        let neighbours = of_entries(&|place| behind(mesh.cell_faces.items[place]));
        let has_range = scheme.order > 1 && scheme.limiter == Limiter::Venkatakrishnan;
        let range = has_range.then(|| machine.allocate(2 * 8 * num_eqn)).transpose()?;
        let tables = MeshTables {
            slices: to.send(&slices)?,
            entries: to.send(&of_entries(&|place| mesh.cell_faces.items[place]))?,
            neighbours: to.send(&neighbours)?,
            left: to.send(&mesh.faces.left)?,
            right: to.send(&mesh.faces.right)?,
            num_cells: mesh.num_cells() as u32,
            num_faces: mesh.num_faces() as u32,
            num_boundary: boundary as u32,
            num_entries: places.len() as u32,
            ..MeshTables::ZERO
        };
        let range_at = range.as_ref().map_or(Pointer::NULL, |range| pointer::<_, N>(range, 0));
        let mut stage = CellsArgs { tables, range: range_at, share: 1.0, ..CellsArgs::ZERO };
        make_rooms(&mut to, scheme, num_eqn, &mut stage)?;
        let name_of = |number: usize| mesh.boundary.name_of(number) as u32;
        let rules = to.send(&(0..boundary).map(name_of).collect::<Vec<_>>())?;
        let mut beyond = sides_of::<R>(rules, &stage);
        let mut tables = Sender::<N, R>::new(machine, Vec::new());
        let motion = match moves {
            true => Some(Mutex::new(Motion::new::<D, R>(machine, on_mesh, &mut stage, &mut beyond)?)),
            false => {
                send_geometry::<D, R, N>(&mut tables, mesh, (scheme, &places), &mut stage, &mut beyond)?;
                None
            }
        };
        let centroids = if moves { Pointer::NULL } else { tables.send(&centroids::<D>(mesh))? };
        Ok(DeviceMesh {
            stage,
            beyond,
            centroids,
            motion,
            solved_by: scheme.solved_by,
            stages: scheme.time.stages(),
            order: scheme.order,
            predicts: scheme.time == TimeStep::Hancock,
            range,
            num_eqn,
            gained: Mutex::default(),
            memory: [to.sent, tables.sent],
        })
    }

    /// What is known of springs.
    pub fn into_springs(self) -> Option<DeviceSprings<N>> {
        self.motion.and_then(|motion| motion.into_inner().springs)
    }

    /// The same mesh, with the springs of one whose cells were others.
    pub fn with_springs(mut self, springs: Option<DeviceSprings<N>>) -> Self {
        if let Some(motion) = &mut self.motion {
            motion.get_mut().springs = springs;
        }
        self
    }

    /// The arguments of a stage.
    pub fn stage(&self) -> &CellsArgs {
        &self.stage
    }

    /// Fills the ghost cells of states.
    pub fn fill_ghosts(
        &self,
        machine: &N,
        dim: usize,
        (inside, to): (Pointer<Real>, Pointer<Real>),
        t: f64,
    ) -> Result<(), CudaError> {
        fill_beyond(machine, dim, &CellsBeyondArgs { inside, to, t, ..self.beyond[0] })
    }

    /// Where ghost cells are.
    pub fn at_ghosts(&self) -> Pointer<f64> {
        self.beyond[0].positions
    }

    /// Goes on with the tables that kernels have made of leaves.
    pub fn go_on_with(&mut self, (stage, beyond): (CellsArgs, [CellsBeyondArgs; 2]), centroids: Pointer<f64>) {
        (self.stage, self.beyond, self.centroids) = (stage, beyond, centroids);
    }

    /// Gives the tables back that the host has sent of the mesh.
    pub fn forget_sent(&mut self) {
        self.memory = Default::default();
    }

    /// Memory for what sources do beyond sides.
    pub fn gained(&self, machine: &N, bytes: usize) -> Result<MappedMutexGuard<'_, (N::Memory, usize)>, CudaError> {
        let mut gained = self.gained.lock();
        if gained.as_ref().is_none_or(|(_, held)| *held < bytes) {
            *gained = Some((machine.allocate(bytes)?, bytes));
        }
        Ok(MutexGuard::map(gained, |gained| gained.as_mut().expect("made above")))
    }

    /// Intermediate states of a step.
    pub fn intermediate(&self) -> usize {
        self.stages.len() - 1
    }

    /// Where cells lie at the time of the solution.
    pub fn centroids<const D: usize>(&self, machine: &N, in_time: &MeshInTime) -> Result<Pointer<f64>, CudaError> {
        let moved = |motion: &Mutex<Motion<N>>| motion.lock().centroids::<D>(machine, in_time, in_time.time());
        self.motion.as_ref().map_or(Ok(self.centroids), moved)
    }

    /// Queues a stage at time `t` of the step from `start`.
    fn enqueue(
        &self,
        machine: &N,
        dim: usize,
        (stage, beyond_args): (&CellsArgs, &[CellsBeyondArgs; 2]),
        (start, t): (f64, f64),
    ) -> Result<(), CudaError> {
        let (cells, faces) = (stage.tables.num_cells as usize, stage.tables.num_faces as usize);
        let beyond = |args: CellsBeyondArgs, t: f64| {
            let share = share_of_first_half(t, (start, stage.dt));
            fill_beyond(machine, dim, &CellsBeyondArgs { t, share, ..args })
        };
        beyond(CellsBeyondArgs { inside: stage.now, ..beyond_args[0] }, t)?;
        if stage.is_second != 0 {
            if let Some(range) = &self.range {
                machine.zero(range, 0, 2 * 8 * self.num_eqn)?;
                // SAFETY: the states are those of all cells, each of which has room for its extremes.
                unsafe {
                    machine.run(&CELLS_RANGE, dim, cells, stage)?;
                    machine.run(&CELLS_EXTREMES, dim, cells, stage)?;
                }
            }
            // SAFETY: likewise; there is room for two states of each face.
            unsafe { machine.run(&CELLS_STATES, dim, cells, stage)? };
            let t = if self.predicts { t + 0.5 * stage.dt } else { t };
            beyond(beyond_args[1], t)?;
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

/// Queues the kernel that fills states beyond sides.
pub(super) fn fill_beyond<N: Machine>(machine: &N, dim: usize, args: &CellsBeyondArgs) -> Result<(), CudaError> {
    if args.num_boundary > 0 {
        // SAFETY: the tables are the mesh's; the states beyond have room for each boundary face.
        unsafe { machine.run(&CELLS_BEYOND, dim, args.num_boundary as usize, args)? };
    }
    Ok(())
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Takes the stages of a step of the mesh, from the states `input`. `free`: the first array between them.
    pub(super) fn advance_mesh(
        &self,
        mesh: &DeviceMesh<N>,
        step: Step,
        (input, free): (Array, usize),
    ) -> Result<(), ExecError> {
        let l = step.level.index();
        let store = &self.levels[l];
        let cells = |array: Pointer<Real>| self.sizes.first_cell(array);
        let before = cells(self.address(l, input));
        let mut now = before;
        let on_mesh = self.problem.on_mesh.as_ref().expect("a mesh from a file");
        let time = store.states.time;
        let in_time = &on_mesh.sides.in_time;
        let moving = |motion: &Mutex<Motion<N>>| motion.lock().step::<D>(&self.machine, in_time, (time, step.dt));
        let moved: Option<OfStep<N>> = mesh.motion.as_ref().map(moving).transpose()?;
        let volumes = moved.as_ref().map_or(mesh.stage.volumes, |moved| moved.volumes);
        let gained = self.gain_beyond(step, (mesh, &mesh.beyond[0]), before)?;
        let beyond = mesh.beyond.map(|args| CellsBeyondArgs { gained, ..args });
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
                start,
                share,
                is_second: u32::from(mesh.order > 1 && self.problem.scheme.sharing_faces == 0),
                is_last: u32::from(is_last),
                volumes,
                ..mesh.stage
            };
            mesh.enqueue(&self.machine, D, (&stage, &beyond), (time, time + start * step.dt))?;
            now = to;
        }
        // The device steps meanwhile; nobody reads what it makes of a mesh that is folded.
        moved.map_or(Ok(()), |moved| moved.check(&self.machine, &on_mesh.sides.mesh()))?;
        in_time.set_time(time + step.dt);
        Ok(())
    }
}
