//! Sweeps over a mesh of cells of any shape. Everything else of a step, sources, checks, retries, is that of a row of cells.

use super::cpu::CpuExecutor;
use super::step::{LevelSweep, Pass, SweepEngine};
use super::{ExecError, Executor, StepReport};
use crate::physics::{OnMesh, Problem};
use parking_lot::Mutex;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use std::sync::Arc;
use unstructured::step::{Field, Stepper, Variables};

/// The executor of a problem on a mesh, on CPU threads.
///
/// # Panics
/// The solver is not offered on meshes.
pub fn executor<const D: usize>(
    problem: &Problem<D>,
    solver: &Arc<dyn PatchSolver<f64>>,
    threads: usize,
) -> Box<dyn Executor<D>> {
    let sweeps = MeshSweeps::new(problem, solver.clone());
    Box::new(CpuExecutor::with_engine(problem.clone(), solver.clone(), Vec::new(), threads, Box::new(sweeps)))
}

struct MeshSweeps<const D: usize> {
    on_mesh: OnMesh<D>,
    solver: Arc<dyn PatchSolver<f64>>,
    stepper: Mutex<Stepper>,
}

impl<const D: usize> MeshSweeps<D> {
    fn new(problem: &Problem<D>, solver: Arc<dyn PatchSolver<f64>>) -> Self {
        let on_mesh = problem.on_mesh.clone().expect("a problem on a mesh");
        let (mesh, variables) = (on_mesh.sides.mesh(), on_mesh.variables.clone());
        let variables = variables.map(|variables| variables as Arc<dyn Variables>);
        let stepper = Stepper::interpolating(mesh, on_mesh.scheme, solver.equations().len(), variables);
        MeshSweeps { stepper: Mutex::new(stepper.moving(&on_mesh.sides.in_time)), on_mesh, solver }
    }
}

impl<const D: usize> SweepEngine<D, f64> for MeshSweeps<D> {
    fn put_on(&mut self, problem: &Problem<D>) {
        *self = MeshSweeps::new(problem, self.solver.clone());
    }

    fn update_all(&self, context: &LevelSweep<'_, D, f64>, pass: &Pass<'_, D>) -> Result<StepReport, ExecError> {
        let patch = &context.layout.patches[0];
        let component = patch.component();
        let place = |count: usize| patch.offset(count, patch.cells.lo);
        let len = |count: usize| count * component + PACK_OVERRUN;
        // SAFETY: the level's arrays are this sweep's until it returns; input and output are two of them.
        let (q, aux, new) = unsafe {
            let aux = match context.num_aux {
                0 => &[][..],
                n => context.aux.row(place(n), len(n)),
            };
            let [at, count] = [place(context.num_eqn), len(context.num_eqn)];
            (context.input.row(at, count), aux, context.output.row_mut(at, count))
        };
        let fields = (Field { values: q, component }, Field { values: aux, component });
        let parts = (self.solver.as_ref(), self.on_mesh.sides.as_ref() as _);
        let mut stepper = self.stepper.lock();
        let times = (pass.time, context.dt);
        let outcome = stepper.step(parts, fields, times, new, context.sharing_faces > 0);
        let outcome = outcome.map_err(|error| ExecError::Folded(error.what))?;
        self.on_mesh.sides.in_time.set_time(times.0 + times.1);
        Ok(StepReport::of(outcome.courant, 0, outcome.admissible))
    }

    fn host_bytes(&self) -> usize {
        self.stepper.lock().bytes()
    }
}
