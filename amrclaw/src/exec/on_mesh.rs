//! Sweeps over a mesh of cells of any shape. Everything else of a step, sources, checks, retries, is that of a row of cells.

use super::cpu::CpuExecutor;
use super::step::{FirstHalf, LevelSweep, Pass, SweepEngine, share_of_first_half};
use super::{ExecError, Executor, StepReport};
use crate::fields::Shared;
use crate::physics::{MeshSides, OnMesh, Problem};
use parking_lot::Mutex;
use riemann::patch::{PACK_OVERRUN, PatchSolver};
use std::sync::Arc;
use unstructured::step::{BoundaryFace, Field, Outside, Place, Stepper, Variables};

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
    /// With room for what sources do beyond sides.
    stepper: Mutex<(Stepper, Vec<f64>)>,
}

impl<const D: usize> MeshSweeps<D> {
    fn new(problem: &Problem<D>, solver: Arc<dyn PatchSolver<f64>>) -> Self {
        let on_mesh = problem.on_mesh.clone().expect("a problem on a mesh");
        let (mesh, variables) = (on_mesh.sides.mesh(), on_mesh.variables.clone());
        let variables = variables.map(|variables| variables as Arc<dyn Variables>);
        let stepper = Stepper::interpolating(mesh, on_mesh.scheme, solver.equations().len(), variables);
        let stepper = stepper.moving(&on_mesh.sides.in_time);
        MeshSweeps { stepper: Mutex::new((stepper, Vec::new())), on_mesh, solver }
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
        let (sides, times) = (&*self.on_mesh.sides, (pass.time, context.dt));
        let (stepper, gained) = &mut *self.stepper.lock();
        let sourced = context.first_half.filter(|_| sides.has_functions()).map(|half| {
            gained.resize(context.num_eqn * sides.mesh().boundary.len(), 0.0);
            // SAFETY: the states before are the level's own, which this sweep does not write.
            let before = unsafe { half.before.row(place(context.num_eqn), len(context.num_eqn)) };
            Sourced { sides, half, before: Field { values: before, component }, times, gained: Shared::new(gained) }
        });
        let outside = sourced.as_ref().map_or(sides as &dyn Outside, |sourced| sourced);
        let outcome = stepper.step((self.solver.as_ref(), outside), fields, times, new, context.sharing_faces > 0);
        let outcome = outcome.map_err(|error| ExecError::Folded(error.what))?;
        self.on_mesh.sides.in_time.set_time(times.0 + times.1);
        Ok(StepReport::of(outcome.courant, 0, outcome.admissible))
    }

    fn host_bytes(&self) -> usize {
        let (stepper, gained) = &*self.stepper.lock();
        stepper.bytes() + size_of_val(&gained[..])
    }
}

/// What lies beyond sides after sources have acted within: of what a function gives whether they have acted or not, they change this too, in the
/// place of the cell within. `cells_beyond.cu` does the same.
struct Sourced<'a, const D: usize> {
    sides: &'a MeshSides<D>,
    half: FirstHalf<'a, f64>,
    /// The states before.
    before: Field<'a>,
    /// The step's start and length.
    times: (f64, f64),
    /// What the first half adds beyond each boundary face, `[face, component]`: found as ghost cells are filled for the first time.
    gained: Shared<'a, f64>,
}

impl<const D: usize> Sourced<'_, D> {
    /// What it adds where `found` is what lies beyond when sources have acted within.
    fn find(&self, face: &BoundaryFace<'_>, found: &[f64], gained: &mut [f64]) {
        let cell = face.mesh.faces.left[face.mesh.first_boundary() + face.number] as usize;
        let num_eqn = found.len();
        let inside: Vec<f64> = (0..num_eqn).map(|m| self.before.values[m * self.before.component + cell]).collect();
        let mut before = inside.clone();
        self.sides.fill(face, &inside, &mut before);
        let mut after = before.clone();
        after.resize(num_eqn + PACK_OVERRUN, 0.0);
        (self.half.act)(cell as i32, &mut after);
        for (m, gained) in gained.iter_mut().enumerate() {
            *gained = if found[m] == before[m] { after[m] - before[m] } else { 0.0 };
        }
    }
}

impl<const D: usize> Outside for Sourced<'_, D> {
    fn fill(&self, face: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]) {
        self.sides.fill(face, inside, outside);
        if !self.sides.is_function(face.mesh.boundary.name_of(face.number)) {
            return;
        }
        // SAFETY: each boundary face has numbers of its own.
        let gained = unsafe { self.gained.row_mut(face.number * outside.len(), outside.len()) };
        if face.place == Place::Ghost && face.time == self.times.0 {
            self.find(face, outside, gained);
        }
        let share = share_of_first_half(face.time, self.times);
        for (value, gained) in outside.iter_mut().zip(gained).filter(|(_, gained)| **gained != 0.0) {
            *value += share * *gained;
        }
    }
}
