//! Marks of leaves and the levels that they get.

use super::super::Machine;
use super::super::mesh_tables::{Sender, behind_by};
use super::{DeviceLeaves, run};
use crate::exec::LeafMarks;
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::LeavesArgs;
use cuda::amr::kernels::{LEAVES_DIFFER, LEAVES_FLAG, LEAVES_MEANS, LEAVES_SETTLE, LEAVES_SLOPES, LEAVES_WISH};

impl<N: Machine> DeviceLeaves<N> {
    /// Flags leaves by a criterion. `q`: their states; `fill`: fills ghosts of states.
    pub(super) fn flag(
        &mut self,
        machine: &N,
        (marks, fields): (&LeafMarks<'_>, &[(usize, [f64; 2])]),
        (q, ghosts, num_eqn): (Pointer<Real>, Pointer<Real>, usize),
        fill: &dyn Fn(Pointer<Real>, Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let (args, cells) = (self.args, self.mesh.num_cells);
        let (count, boundary) = (cells as usize, (self.mesh.num_faces - args.first_boundary) as usize);
        let mut work = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[5]));
        let of_all = |numbers: usize| if marks.by_curvature { 0 } else { num_eqn * numbers };
        let coarse = work.room_for(of_all(count))?;
        let beyond_coarse = work.room_for(of_all(boundary))?;
        self.work[5] = work.sent;
        fill(q, ghosts)?;
        if !marks.by_curvature {
            run(machine, &LEAVES_MEANS, cells, &LeavesArgs { values: q, new_values: coarse, ..args })?;
            fill(coarse, beyond_coarse)?;
        }
        for (call, &(component, [tolerance, kept])) in (0..).zip(fields) {
            let of = |all: Pointer<Real>, numbers: usize| behind_by::<f64>(all, component * numbers);
            let args = LeavesArgs {
                field: of(q, count),
                beyond: of(ghosts, boundary),
                coarse: of(coarse, count),
                beyond_coarse: of(beyond_coarse, boundary),
                tolerance,
                kept,
                call,
                ..args
            };
            if marks.by_curvature {
                run(machine, &LEAVES_SLOPES, cells, &args)?;
                run(machine, &LEAVES_FLAG, cells, &args)?;
            } else {
                run(machine, &LEAVES_DIFFER, cells, &args)?;
            }
        }
        Ok(())
    }

    /// Settles the levels of leaves. `flag`: flags leaves.
    pub(super) fn mark(
        &mut self,
        machine: &N,
        marks: &LeafMarks<'_>,
        flag: impl FnOnce(&mut Self) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let (cells, count) = (self.mesh.num_cells, self.mesh.num_cells as usize);
        let mut work = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[0]));
        self.args = LeavesArgs {
            before: self.mesh,
            totals: work.room_of(self.num_totals())?,
            flags: work.room_of(count)?,
            slopes: work.room_of(self.dim * count)?,
            settled: work.room_of(count)?,
            numbers: work.room_of(count)?,
            levels: Pointer::NULL,
            finest: marks.finest,
            ..self.args
        };
        let mut wishes = [work.room_of(count)?, work.room_of(count)?];
        self.work[0] = work.sent;
        flag(self)?;
        for _ in 1..marks.buffer {
            run(machine, &LEAVES_WISH, cells, &LeavesArgs { next: wishes[0], ..self.args })?;
            self.args.levels = wishes[0];
            wishes.swap(0, 1);
        }
        // The last time leaves hear of those beside them as levels are settled.
        run(machine, &LEAVES_SETTLE, cells, &LeavesArgs { call: u32::from(marks.buffer > 0), ..self.args })
    }
}
