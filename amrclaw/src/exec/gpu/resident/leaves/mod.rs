//! Leaves of a mesh, divided and joined by kernels: marks, levels, lists, links, faces and their geometry, as `unstructured::adapt`
//! makes them, to the bit. The host learns how many there are, and which if it asks.

mod lists;
mod marks;

use super::mesh_tables::{Sender, Tables};
use super::on_mesh::DeviceMesh;
use super::strategy::{HostReason, Made, Way, unless};
use super::{Machine, ResidentExecutor};
use crate::exec::gpu::device::bytes_of_mut;
use crate::exec::step::{LevelSpec, Rollback};
use crate::exec::{ExecError, LeafMarks, LeavesMade};
use crate::index::Level;
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::abi::{Plain, Pointer};
use cuda::amr::kernels::{LEAVES_LINKS, LEAVES_TRANSFER};
use cuda::amr::tuning::LEAVES_THREADS;
use cuda::amr::{CellsArgs, Launcher, LeafMesh, LeafTotal, LeavesArgs};
use riemann::real::Precision;
use unstructured::Mesh;
use unstructured::adapt::{Forest, Leaves, points_of};

/// Nodes, and most links, of a leaf in so many dimensions: two for each of four sides, four for each of six.
fn nodes_of(dim: usize) -> usize {
    1 << dim
}
fn links_of(dim: usize) -> usize {
    (2 * dim) << (dim - 1)
}

/// The leaves that a device has.
pub(super) struct DeviceLeaves<N: Machine> {
    pub mesh: LeafMesh,
    dim: usize,
    /// The arguments of kernels, with the forest; of the last change too.
    args: LeavesArgs,
    /// Tables of the forest.
    _forest: Tables<N>,
    /// Tables of the leaves that there are, and of those before them.
    sets: [Tables<N>; 2],
    /// What the host reads and marks need; what new lists need; entries and faces of the next leaves, of those that there are; the boundary and what a stage keeps;
    /// what is flagged.
    work: [Tables<N>; 6],
}

/// A thread takes an item in any number of dimensions.
const ANY: usize = 1;

/// Launches a kernel on leaves.
fn run<N: Machine>(machine: &N, kernel: &Launcher<LeavesArgs>, count: u32, args: &LeavesArgs) -> Result<(), CudaError> {
    // SAFETY: the tables are those of the leaves, with room for what a kernel writes.
    unsafe { machine.run(kernel, ANY, count as usize, args) }
}

impl<N: Machine> DeviceLeaves<N> {
    /// The leaves that the cells of a mesh are whose tables the device has.
    fn new(
        machine: &N,
        (forest, leaves, mesh): (&Forest, &Leaves, &Mesh),
        stage: &CellsArgs,
        centroid: Pointer<f64>,
    ) -> Result<Self, CudaError> {
        let (tables, roots, dim) = (forest.tables(), forest.roots(), mesh.dim);
        let mut to = Sender::<N, f64>::new(machine, Vec::new());
        let args = LeavesArgs {
            division: to.send(&tables.division)?,
            across: to.send(&tables.across)?,
            shapes: to.send(&tables.shapes)?,
            root_points: to.send(&tables.points)?,
            root_volume: to.send(&roots.volume)?,
            shifts: to.send(&tables.shifts)?,
            num_roots: roots.num_cells() as u32,
            num_groups: (1 + roots.periodic.len() + roots.boundary.names.len()) as u32,
            num_periodic: roots.periodic.len() as u32,
            first_boundary: stage.tables.num_faces - stage.tables.num_boundary,
            ..LeavesArgs::ZERO
        };
        let forest = to.sent;
        let mut to = Sender::<N, f64>::new(machine, Vec::new());
        let now = LeafMesh {
            tables: stage.tables,
            root: to.send(&leaves.root)?,
            level: to.send(&leaves.level.iter().map(|&level| u32::from(level)).collect::<Vec<_>>())?,
            place: to.send(&leaves.place)?,
            starts: to.send(&leaves.starts)?,
            link_starts: to.room_of(leaves.len() + 1)?,
            links: to.room_of(links_of(dim) * leaves.len())?,
            points: to
                .send(&(0..leaves.len()).flat_map(|leaf| points_of(mesh, leaf, nodes_of(dim))).collect::<Vec<f64>>())?,
            centroid,
            centre: to.send(&mesh.faces.centre.iter().flat_map(|at| at[..dim].to_vec()).collect::<Vec<f64>>())?,
        };
        let mut made = DeviceLeaves {
            mesh: now,
            dim,
            args: LeavesArgs { now, ..args },
            _forest: forest,
            sets: [to.sent, Vec::new()],
            work: Default::default(),
        };
        made.link(machine)?;
        Ok(made)
    }

    /// Makes the links of leaves that the host has sent.
    fn link(&mut self, machine: &N) -> Result<(), CudaError> {
        let (cells, num_totals) = (self.mesh.tables.num_cells, self.num_totals());
        let mut totals = vec![0; num_totals];
        totals[LeafTotal::Leaves as usize] = cells;
        let [mut to, mut work] = [(); 2].map(|()| Sender::<N, f64>::new(machine, Vec::new()));
        self.args.totals = to.send(&totals)?;
        self.args.sums = work.room_of_zeros(num_totals * cells.div_ceil(LEAVES_THREADS) as usize)?;
        self.args.counts = work.room_of((self.args.num_groups * cells) as usize)?;
        self.args.room = cells;
        (self.work[0], self.work[1]) = (to.sent, work.sent);
        run(machine, &LEAVES_LINKS, cells, &self.launched())
    }

    /// Numbers that the host reads.
    fn num_totals(&self) -> usize {
        LeafTotal::OfGroups as usize + self.args.num_groups as usize
    }

    /// The arguments of a launch that adds up numbers.
    fn launched(&mut self) -> LeavesArgs {
        self.args.launch += 1;
        self.args
    }

    /// The leaves, copied to the host.
    fn fetch(&self, machine: &N) -> Result<Leaves, CudaError> {
        let count = self.mesh.tables.num_cells as usize;
        let (mut root, mut level, mut place) = (vec![0_u32; count], vec![0_u32; count], vec![0_u64; count]);
        let set = &self.sets[0];
        machine.download(&set[0].0, 0, bytes_of_mut(&mut root))?;
        machine.download(&set[1].0, 0, bytes_of_mut(&mut level))?;
        machine.download(&set[2].0, 0, bytes_of_mut(&mut place))?;
        let level = level.into_iter().map(|level| level as u8).collect();
        Ok(Leaves::of(root, level, place, self.args.num_roots as usize))
    }
}

impl<const D: usize, N: Machine> ResidentExecutor<D, N> {
    /// Who renews leaves.
    fn way_of_leaves(&self, on_mesh: &OnMesh<D>, marks: &LeafMarks<'_>) -> Way {
        let is_alone = self.ranks.is_solo()
            && self.sizes.num_aux == 0
            && !self.facts.has_nonnegative
            && self.problem.source.is_some() == self.functions.source.is_some();
        unless(
            HostReason::Leaves,
            !(on_mesh.is_refined_by_kernels() && self.sizes.precision == Precision::F64 && is_alone),
        )?;
        unless(HostReason::MarksOfHost, marks.fields.is_none())
    }

    /// Renews leaves, if kernels can.
    pub(super) fn renew_leaves_by_kernels(&mut self, marks: &LeafMarks<'_>) -> Result<LeavesMade, ExecError> {
        let on_mesh = self.problem.on_mesh.clone().expect("a mesh from a file");
        let way = self.way_of_leaves(&on_mesh, marks);
        self.regrids.ways.note(Made::Leaves, way);
        let (Ok(()), Some(fields)) = (way, marks.fields) else { return Ok(LeavesMade::ByHost) };
        let mesh = self.on_mesh.as_mut().expect("a mesh from a file");
        let forest = on_mesh.forest.as_ref().expect("it is refined");
        let store = &self.levels[Level::COARSEST.index()];
        let (q, time) = (self.sizes.first_cell(store.q_address()), store.states.time);
        let machine = &self.machine;
        if self.leaves.is_none() {
            let centroid = mesh.centroids::<D>(machine, &on_mesh.sides.in_time)?;
            let host = (&**forest, marks.leaves, &*on_mesh.sides.mesh());
            self.leaves = Some(Box::new(DeviceLeaves::new(machine, host, mesh.stage(), centroid)?));
        }
        let leaves = self.leaves.as_mut().expect("made above");
        let (old, num_eqn) = (*mesh.stage(), self.sizes.num_eqn);
        let fill = |states, ghosts| mesh.fill_ghosts(machine, D, (states, ghosts), time);
        let places = (mesh.at_ghosts(), time);
        let flag = |leaves: &mut DeviceLeaves<N>| {
            leaves.flag(machine, (marks, fields), places, (q, old.ghosts, num_eqn), &fill)
        };
        leaves.mark(machine, marks, flag)?;
        let Some(made) = leaves.make(machine, (&on_mesh, &old, num_eqn))? else { return Ok(LeavesMade::Same) };
        let leaves = leaves.mesh;
        mesh.go_on_with(made, leaves.centroid);
        Ok(LeavesMade::New(leaves.tables.num_cells as usize))
    }

    /// Puts the level of new leaves in the place of that of old ones, whose states it gets.
    pub(super) fn transfer_leaves(&mut self, spec: LevelSpec<D>) -> Result<(), ExecError> {
        let old = self.levels.pop().expect("the level of leaves");
        // Nobody returns to the mesh before.
        self.rollback = Rollback::new(self.ratios.len() + 1);
        self.begin_level(LevelSpec { time: old.states.time, ..spec })?;
        let leaves = self.leaves.as_ref().expect("kernels have made them");
        let new_values = self.sizes.first_cell(self.levels[Level::COARSEST.index()].q_address());
        let args = LeavesArgs { values: self.sizes.first_cell(old.q_address()), new_values, ..leaves.args };
        // SAFETY: the states are those of the old and of the new leaves.
        unsafe { self.machine.run(&LEAVES_TRANSFER, D, leaves.mesh.tables.num_cells as usize, &args)? };
        self.on_mesh.iter_mut().for_each(DeviceMesh::forget_sent);
        Ok(())
    }

    /// The leaves that kernels have made, copied to the host.
    pub(super) fn fetch_leaves(&self) -> Result<Option<Leaves>, ExecError> {
        Ok(self.leaves.as_ref().map(|leaves| leaves.fetch(&self.machine)).transpose()?)
    }
}
