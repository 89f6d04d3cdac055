//! Lists of new leaves, and the mesh that they are.

use super::super::Machine;
use super::super::mesh_tables::{SLICE, Sender, behind_by, make_rooms, sides_of};
use super::{DeviceLeaves, links_of, nodes_of, run};
use crate::exec::gpu::device::bytes_of_mut;
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::amr::kernels::{LEAVES_ENTRIES, LEAVES_FACES, LEAVES_LINKS, LEAVES_RENEW};
use cuda::amr::tuning::LEAVES_THREADS;
use cuda::amr::{CellsArgs, CellsBeyondArgs, LeafMesh, LeafTotal, LeavesArgs, MeshTables};
use unstructured::step::smoothness;

/// Leaves that there is room for beyond an eighth more than there are.
const LEAST_ROOM: usize = 32;

impl<N: Machine> DeviceLeaves<N> {
    /// Makes new leaves of the settled levels, and their mesh: the arguments of a stage of `num_eqn` components, and of what lies beyond sides. `None` if
    /// they are the leaves that there are.
    pub(super) fn make<const D: usize>(
        &mut self,
        machine: &N,
        (on_mesh, old, num_eqn): (&OnMesh<D>, &CellsArgs, usize),
    ) -> Result<Option<(CellsArgs, [CellsBeyondArgs; 2])>, CudaError> {
        if !self.make_lists(machine)? {
            return Ok(None);
        }
        self.make_room_for_faces(machine)?;
        let (mesh, scheme) = (self.args.now, on_mesh.scheme);
        let (tables, boundary) = (mesh.tables, mesh.tables.num_boundary);
        let smooth = smoothness((tables.num_cells as usize, D), scheme.limiter);
        let mut stage = CellsArgs { tables, smooth, ..*old };
        let mut to = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[4]));
        let args = &mut self.args;
        args.rules = to.room_of(boundary as usize)?;
        args.normals = to.room_of(D * boundary as usize)?;
        args.at_ghosts = to.room_of(D * boundary as usize)?;
        args.at_sides = to.room_of(D * boundary as usize)?;
        make_rooms(&mut to, scheme, num_eqn, &mut stage)?;
        run(machine, &LEAVES_FACES, tables.num_cells, args)?;
        run(machine, &LEAVES_ENTRIES, tables.num_cells.next_multiple_of(32), args)?;
        let mut beyond = sides_of::<f64>(args.rules, &stage);
        for (beyond, positions) in beyond.iter_mut().zip([args.at_ghosts, args.at_sides]) {
            beyond.positions = positions;
            beyond.turn = behind_by::<f64>(tables.turn, args.first_boundary as usize);
        }
        (self.mesh, self.work[4]) = (mesh, to.sent);
        self.sets.swap(0, 1);
        self.work.swap(2, 3);
        Ok(Some((stage, beyond)))
    }

    /// Makes the lists of new leaves, their nodes and links, and counts their faces; false if they are the leaves that there are.
    fn make_lists(&mut self, machine: &N) -> Result<bool, CudaError> {
        let count = self.mesh.tables.num_cells as usize;
        let mut room = count + count / 8 + LEAST_ROOM;
        loop {
            self.make_room_for_lists(machine, room)?;
            run(machine, &LEAVES_RENEW, self.mesh.tables.num_cells, &self.launched())?;
            run(machine, &LEAVES_LINKS, room as u32, &LeavesArgs { call: 1, ..self.launched() })?;
            let mut found = vec![0_u32; self.num_totals()];
            machine.download(&self.work[0][0].0, 0, bytes_of_mut(&mut found))?;
            let of = |total: LeafTotal| found[total as usize];
            let (leaves, changes, groups) =
                (of(LeafTotal::Leaves), of(LeafTotal::Changes), &found[LeafTotal::OfGroups as usize..]);
            if changes == 0 || leaves as usize <= room {
                let args = &mut self.args;
                args.first_boundary = groups[..=args.num_periodic as usize].iter().sum();
                let tables = &mut args.now.tables;
                (tables.num_cells, tables.num_entries) = (leaves, SLICE as u32 * of(LeafTotal::Widths));
                tables.num_faces = groups.iter().sum();
                tables.num_boundary = tables.num_faces - args.first_boundary;
                return Ok(changes != 0);
            }
            room = leaves as usize;
        }
    }

    fn make_room_for_lists(&mut self, machine: &N, room: usize) -> Result<(), CudaError> {
        let mut work = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[1]));
        let mut to = Sender::<N, f64>::new(machine, std::mem::take(&mut self.sets[1]));
        self.args.sums = work.room_of_zeros(self.num_totals() * room.div_ceil(LEAVES_THREADS as usize))?;
        let (args, dim) = (&mut self.args, self.dim);
        args.room = room as u32;
        args.counts = work.room_of(args.num_groups as usize * room)?;
        args.from = work.room_of(room)?;
        args.change = work.room_of(room)?;
        args.rows = work.room_of(links_of(dim) * room)?;
        args.now = LeafMesh {
            root: to.room_of(room)?,
            level: to.room_of(room)?,
            place: to.room_of(room)?,
            starts: to.room_of(args.num_roots as usize + 1)?,
            link_starts: to.room_of(room + 1)?,
            links: to.room_of(links_of(dim) * room)?,
            points: to.room_of(dim * nodes_of(dim) * room)?,
            tables: MeshTables {
                volume: to.room_for(room)?,
                slices: to.room_of(room.div_ceil(32) + 1)?,
                ..args.now.tables
            },
            centroid: to.room_of(dim * room)?,
            ..args.now
        };
        (self.work[1], self.sets[1]) = (work.sent, to.sent);
        Ok(())
    }

    /// Makes room for faces and entries.
    fn make_room_for_faces(&mut self, machine: &N) -> Result<(), CudaError> {
        let (LeafMesh { tables, .. }, dim) = (&mut self.args.now, self.dim);
        let (faces, entries) = (tables.num_faces as usize, tables.num_entries as usize);
        let mut to = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[2]));
        *tables = MeshTables {
            entries: to.room_of(entries)?,
            neighbours: to.room_of(entries)?,
            to_face: to.room_for(dim * entries)?,
            weight: to.room_for(dim * entries)?,
            left: to.room_of(faces)?,
            right: to.room_of(faces)?,
            turn: to.room_for(dim * faces)?,
            size: to.room_for(faces)?,
            ..*tables
        };
        self.args.now.centre = to.room_of(dim * faces)?;
        self.work[2] = to.sent;
        Ok(())
    }
}
