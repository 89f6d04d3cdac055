//! Marks of leaves and the levels that they get.

use super::super::Machine;
use super::super::mesh_tables::{Sender, behind_by};
use super::{DeviceLeaves, run};
use crate::exec::{LeafMarks, MarkedBy};
use cuda::CudaError;
use cuda::abi::{Pointer, Real};
use cuda::amr::LeavesArgs;
use cuda::amr::kernels::{
    LEAVES_ABOVE, LEAVES_DIFFER, LEAVES_FLAG, LEAVES_MEANS, LEAVES_SETTLE, LEAVES_SLOPES, LEAVES_VALUES, LEAVES_WISH,
};

impl<N: Machine> DeviceLeaves<N> {
    /// Flags leaves by a criterion. `q`: their states; `places`: where ghost cells are, and the time; `fill`: fills ghosts of states.
    pub(super) fn flag(
        &mut self,
        machine: &N,
        (marks, fields): (&LeafMarks<'_>, &[(usize, [f64; 2])]),
        places: (Pointer<f64>, f64),
        (q, ghosts, num_eqn): (Pointer<Real>, Pointer<Real>, usize),
        fill: &dyn Fn(Pointer<Real>, Pointer<Real>) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let cells = self.mesh.tables.num_cells;
        let (count, boundary) = (cells as usize, (self.mesh.tables.num_faces - self.args.first_boundary) as usize);
        let formulas = fields.iter().filter(|(number, _)| *number >= num_eqn).count();
        let has_means = marks.by != MarkedBy::Curvature;
        let mut work = Sender::<N, f64>::new(machine, std::mem::take(&mut self.work[5]));
        let of_all = |numbers: usize| if has_means { num_eqn * numbers } else { 0 };
        let coarse = work.room_for(of_all(count))?;
        let beyond_coarse = work.room_for(of_all(boundary))?;
        let values = work.room_for(formulas * (count + boundary))?;
        let coarse_values = work.room_for(if has_means { formulas * (count + boundary) } else { 0 })?;
        self.work[5] = work.sent;
        let args = LeavesArgs { at_ghosts: places.0, t: places.1, ..self.args };
        let evaluate = |states: Pointer<Real>, beyond: Pointer<Real>, to: Pointer<Real>| match formulas {
            0 => Ok(()),
            _ => {
                let args = LeavesArgs { values: states, beyond, new_values: to, ..args };
                run(machine, &LEAVES_VALUES, (count + boundary) as u32, &args)
            }
        };
        fill(q, ghosts)?;
        evaluate(q, ghosts, values)?;
        if has_means {
            run(machine, &LEAVES_MEANS, cells, &LeavesArgs { values: q, new_values: coarse, ..args })?;
            fill(coarse, beyond_coarse)?;
            evaluate(coarse, beyond_coarse, coarse_values)?;
        }
        // Of a quantity, or of the formulas behind these.
        let of = |number: usize, [states, beyond, values]: [Pointer<Real>; 3]| match number.checked_sub(num_eqn) {
            None => [behind_by::<f64>(states, number * count), behind_by::<f64>(beyond, number * boundary)],
            Some(k) => [0, count].map(|behind| behind_by::<f64>(values, k * (count + boundary) + behind)),
        };
        for (call, &(number, [tolerance, kept])) in (0..).zip(fields) {
            let [field, beyond] = of(number, [q, ghosts, values]);
            let [coarse, beyond_coarse] = of(number, [coarse, beyond_coarse, coarse_values]);
            let args = LeavesArgs { field, beyond, coarse, beyond_coarse, tolerance, kept, call, ..args };
            match marks.by {
                MarkedBy::Differences => run(machine, &LEAVES_DIFFER, cells, &args)?,
                MarkedBy::Curvature => {
                    run(machine, &LEAVES_SLOPES, cells, &args)?;
                    run(machine, &LEAVES_FLAG, cells, &args)?;
                }
                MarkedBy::Values => run(machine, &LEAVES_ABOVE, cells, &args)?,
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
        let (cells, count) = (self.mesh.tables.num_cells, self.mesh.tables.num_cells as usize);
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
