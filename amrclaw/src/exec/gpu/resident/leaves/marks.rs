//! Marks of leaves and the levels that they get.

use super::super::Machine;
use super::super::mesh_tables::{Sender, behind_by};
use super::{CHANGED, DeviceLeaves, Kernels, LEAVES, RENEWS, WORDS, behind, parts_of};
use crate::exec::LeafMarks;
use crate::exec::gpu::device::bytes_of_mut;
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::kernels::{
    LEAVES_COUNT, LEAVES_DIFFER, LEAVES_FAMILIES, LEAVES_FLAG, LEAVES_LIMIT, LEAVES_MEANS, LEAVES_SETTLE,
    LEAVES_SLOPES, LEAVES_WISH,
};
use cuda::amr::{Launcher, LeavesArgs};

/// Sweeps towards levels that leaves can have, before the host asks whether they were enough.
pub(super) const SWEEPS: usize = 8;

impl<N: Machine> DeviceLeaves<N> {
    /// Flags leaves by a criterion. `q`: their states; `fill`: fills ghosts of states.
    pub(super) fn flag(
        &mut self,
        kernels: &Kernels<'_, N>,
        (marks, fields): (&LeafMarks<'_>, &[(usize, [f64; 2])]),
        (q, ghosts, num_eqn): (Pointer<Real>, Pointer<Real>, usize),
        fill: &dyn Fn(Pointer<Real>, Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let (args, cells) = (self.args, self.mesh.num_cells);
        let (count, boundary) = (cells as usize, (self.mesh.num_faces - args.first_boundary) as usize);
        let mut work = Sender::<N, f64>::new(kernels.machine, std::mem::take(&mut self.work[5]));
        let of_all = |numbers: usize| if marks.by_curvature { 0 } else { num_eqn * numbers };
        let coarse = work.room_for(of_all(count))?;
        let beyond_coarse = work.room_for(of_all(boundary))?;
        self.work[5] = work.sent;
        fill(q, ghosts)?;
        if !marks.by_curvature {
            kernels.run(&LEAVES_MEANS, cells, &LeavesArgs { values: q, new_values: coarse, ..args })?;
            fill(coarse, beyond_coarse)?;
        }
        for &(component, [tolerance, kept]) in fields {
            let of = |all: Pointer<Real>, numbers: usize| behind_by::<f64>(all, component * numbers);
            let args = LeavesArgs {
                field: of(q, count),
                beyond: of(ghosts, boundary),
                coarse: of(coarse, count),
                beyond_coarse: of(beyond_coarse, boundary),
                tolerance,
                kept,
                ..args
            };
            if marks.by_curvature {
                kernels.run(&LEAVES_SLOPES, cells, &args)?;
                kernels.run(&LEAVES_FLAG, cells, &args)?;
            } else {
                kernels.run(&LEAVES_DIFFER, cells, &args)?;
            }
        }
        Ok(())
    }

    /// Settles the levels of leaves: the number of the new ones; `None` if they are those that there are. `flag`: flags leaves.
    pub(super) fn mark(
        &mut self,
        machine: &N,
        marks: &LeafMarks<'_>,
        flag: impl FnOnce(&mut Self, &Kernels<'_, N>) -> Result<(), CudaError>,
    ) -> Result<Option<usize>, CudaError> {
        let (cells, count) = (self.mesh.num_cells, self.mesh.num_cells as usize);
        let mut work = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[0]));
        let kernels = Kernels { machine, words: work.room_of(WORDS)? };
        let sums = work.room_of(parts_of(count))?;
        let flags = work.room_of(count)?;
        let [mut levels, mut next] = [work.room_of(count)?, work.room_of(count)?];
        self.args = LeavesArgs {
            before: self.mesh,
            flags,
            slopes: work.room_of(2 * count)?,
            families: work.room_of(count)?,
            counts: work.room_of(count + 1)?,
            changed: behind(kernels.words, CHANGED),
            renews: behind(kernels.words, RENEWS),
            finest: marks.finest,
            ..self.args
        };
        self.work[0] = work.sent;
        machine.zero(&self.work[0][2].0, 0, 4 * count)?;
        kernels.run(&LEAVES_FAMILIES, cells, &self.args)?;
        flag(self, &kernels)?;
        let (args, words) = (self.args, &self.work[0][0].0);
        let mut sweep = |kernel: &Launcher<LeavesArgs>, call: usize| {
            let args = LeavesArgs { levels, next, call: call as u32, ..args };
            std::mem::swap(&mut levels, &mut next);
            kernels.run(kernel, cells, &args)?;
            Ok::<_, CudaError>(levels)
        };
        (0..=marks.buffer as usize).try_for_each(|call| sweep(&LEAVES_WISH, call).map(drop))?;
        sweep(&LEAVES_LIMIT, 0)?;
        loop {
            machine.zero(words, 0, 4 * WORDS)?;
            let settled = (0..SWEEPS).try_fold(Pointer::NULL, |_, call| sweep(&LEAVES_SETTLE, call))?;
            let settled = LeavesArgs { levels: settled, ..args };
            kernels.run(&LEAVES_COUNT, cells, &settled)?;
            kernels.sum_up(args.counts, count, LEAVES, sums)?;
            let mut found = [0_u32; WORDS];
            machine.download(words, 0, bytes_of_mut(&mut found))?;
            // Of levels that one sweep more does not change.
            if found[CHANGED + SWEEPS - 1] == 0 {
                self.args = settled;
                return Ok((found[RENEWS] != 0).then_some(found[LEAVES] as usize));
            }
        }
    }
}
