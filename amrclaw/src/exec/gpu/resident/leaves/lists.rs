//! Lists of new leaves, and the mesh that they are.

use super::super::Machine;
use super::super::mesh_tables::{Sender, behind_by, make_rooms, sides_of};
use super::{DeviceLeaves, ENTRIES, FACES, Kernels, LINKS, MOST_LINKS, WORDS, parts_of};
use crate::exec::gpu::device::{bytes_of_mut, pointer};
use crate::physics::OnMesh;
use cuda::CudaError;
use cuda::abi::Pointer;
use cuda::amr::kernels::{LEAVES_ENTRIES, LEAVES_FACES, LEAVES_LINKS, LEAVES_PLACES, LEAVES_RENEW, LEAVES_SIDES};
use cuda::amr::{CellsArgs, CellsBeyondArgs, LeafMesh, LeavesArgs};
use unstructured::step::smoothness;

impl<N: Machine> DeviceLeaves<N> {
    /// Makes the links of the new leaves.
    pub(super) fn link(&self, kernels: &Kernels<'_, N>, sums: Pointer<u32>) -> Result<(), CudaError> {
        let (args, cells) = (&self.args, self.args.now.num_cells);
        kernels.run(&LEAVES_LINKS, cells, args)?;
        kernels.sum_up(args.now.link_starts, cells as usize, LINKS, sums)?;
        kernels.run(&LEAVES_LINKS, cells, &LeavesArgs { call: 1, ..*args })
    }

    /// Makes `count` new leaves and their mesh: the arguments of a stage of `num_eqn` components, and of what lies beyond sides.
    pub(super) fn make<const D: usize>(
        &mut self,
        machine: &N,
        (on_mesh, old, num_eqn): (&OnMesh<D>, &CellsArgs, usize),
        count: usize,
    ) -> Result<(CellsArgs, [CellsBeyondArgs; 2]), CudaError> {
        let kernels = Kernels { machine, words: pointer::<_, N>(&self.work[0][0].0, 0) };
        self.make_lists(&kernels, count)?;
        let boundary = self.count_faces(machine)?;
        self.make_room_for_faces(machine)?;
        let (mesh, scheme) = (self.args.now, on_mesh.scheme);
        let mut stage = CellsArgs {
            slices: mesh.slices,
            entries: mesh.entries,
            neighbours: mesh.neighbours,
            to_face: mesh.to_face,
            weight: mesh.weight,
            left: mesh.left,
            right: mesh.right,
            turn: mesh.turn,
            size: mesh.size,
            volume: mesh.volume,
            smooth: smoothness((count, D), scheme.limiter),
            num_cells: mesh.num_cells,
            num_faces: mesh.num_faces,
            num_boundary: boundary,
            num_entries: mesh.num_entries,
            ..*old
        };
        let mut to = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[4]));
        let args = &mut self.args;
        args.rules = to.room_of(boundary as usize)?;
        args.at_ghosts = to.room_of(2 * boundary as usize)?;
        args.at_sides = to.room_of(2 * boundary as usize)?;
        make_rooms(&mut to, scheme, num_eqn, &mut stage)?;
        kernels.run(&LEAVES_FACES, mesh.num_cells, &LeavesArgs { call: 1, ..*args })?;
        kernels.run(&LEAVES_ENTRIES, mesh.num_cells.next_multiple_of(32), args)?;
        kernels.run(&LEAVES_SIDES, boundary, args)?;
        let mut beyond = sides_of::<f64>(args.rules, &stage);
        for (beyond, positions) in beyond.iter_mut().zip([args.at_ghosts, args.at_sides]) {
            beyond.positions = positions;
            beyond.turn = behind_by::<f64>(stage.turn, args.first_boundary as usize);
        }
        (self.mesh, self.work[4]) = (mesh, to.sent);
        self.sets.swap(0, 1);
        self.work.swap(2, 3);
        Ok((stage, beyond))
    }

    /// Makes the lists of the new leaves, their nodes and links, and counts their faces.
    fn make_lists(&mut self, kernels: &Kernels<'_, N>, count: usize) -> Result<(), CudaError> {
        let (cells, groups) = (count as u32, self.args.num_groups as usize);
        let mut work = Sender::<N, f64>::new(kernels.machine, std::mem::take(&mut self.work[1]));
        let mut to = Sender::<N, f64>::new(kernels.machine, std::mem::take(&mut self.sets[1]));
        let counts = work.room_of(groups * count + 1)?;
        let sums = work.room_of(parts_of(groups * count))?;
        let args = &mut self.args;
        args.now = LeafMesh {
            root: to.room_of(count)?,
            level: to.room_of(count)?,
            place: to.room_of(count)?,
            starts: to.room_of(args.num_roots as usize + 1)?,
            link_starts: to.room_of(count + 1)?,
            links: to.room_of(MOST_LINKS * count)?,
            points: to.room_of(8 * count)?,
            volume: to.room_for(count)?,
            centroid: to.room_of(2 * count)?,
            slices: to.room_of(count.div_ceil(32) + 1)?,
            num_cells: cells,
            ..args.now
        };
        (args.from, args.change) = (work.room_of(count)?, work.room_of(count)?);
        kernels.run(&LEAVES_RENEW, args.before.num_cells, args)?;
        kernels.run(&LEAVES_PLACES, cells, args)?;
        (args.counts, args.rows) = (counts, work.room_of(MOST_LINKS * count)?);
        (self.work[1], self.sets[1]) = (work.sent, to.sent);
        self.link(kernels, sums)?;
        let args = &self.args;
        kernels.run(&LEAVES_FACES, cells, args)?;
        kernels.sum_up(args.counts, groups * count, FACES, sums)?;
        kernels.sum_up(args.now.slices, count.div_ceil(32), ENTRIES, sums)
    }

    /// Learns how many faces and entries there are; the number of boundary faces.
    fn count_faces(&mut self, machine: &N) -> Result<u32, CudaError> {
        let (mut found, mut first) = ([0_u32; WORDS], [0_u32]);
        machine.download(&self.work[0][0].0, 0, bytes_of_mut(&mut found))?;
        let args = &mut self.args;
        let inner = (1 + args.num_periodic as usize) * args.now.num_cells as usize;
        machine.download(&self.work[1][0].0, 4 * inner, bytes_of_mut(&mut first))?;
        (args.now.num_faces, args.now.num_entries, args.first_boundary) = (found[FACES], found[ENTRIES], first[0]);
        Ok(found[FACES] - first[0])
    }

    /// Makes room for faces and entries.
    fn make_room_for_faces(&mut self, machine: &N) -> Result<(), CudaError> {
        let (faces, entries) = (self.args.now.num_faces as usize, self.args.now.num_entries as usize);
        let mut to = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[2]));
        self.args.now = LeafMesh {
            entries: to.room_of(entries)?,
            neighbours: to.room_of(entries)?,
            to_face: to.room_for(2 * entries)?,
            weight: to.room_for(2 * entries)?,
            left: to.room_of(faces)?,
            right: to.room_of(faces)?,
            turn: to.room_for(2 * faces)?,
            size: to.room_for(faces)?,
            centre: to.room_of(2 * faces)?,
            ..self.args.now
        };
        self.work[2] = to.sent;
        Ok(())
    }
}
