//! From a case, and what a program adds to it, to a simulation.

use super::adjoint::AdjointProblem;
use super::build::{axes, problem, remark, settings};
use super::executor::{MakeExecutor, make};
use super::gauge::middle_of;
use super::leaves::Refined;
use super::reduce::Reduced;
use super::steady::SteadyCheck;
use super::whole::StopCondition;
use super::{Device, Gauge, Precision, RunError, RunOptions, ScheduleState, Simulation};
use crate::case::{Case, GaugeSettings};
use crate::frames::derived::WholeFormula;
use crate::frames::frame::{Frame, PatchSource};
use crate::physics::{Boundary, Problem, UserFunctions};
use crate::plugin::ChosenSolver;
use riemann::frame;
use std::sync::Arc;

/// What a simulation is made from: a case, and what a program adds to it. [`Simulation::builder`] begins one.
///
/// ```
/// use amrclaw::case::{Case, find_built_in};
/// use amrclaw::simulation::{RunOptions, Simulation};
///
/// let text = r#"
///     solver = { name = "advection", u = 1.0, v = 0.5 }
///     mesh = { cells = [20, 10] }
///     time = { end = 0.1 }
///     initial = { q = "x" }
/// "#;
/// let case = Case::from_str_with(text, "case", &[], find_built_in)?;
/// let two_threads = RunOptions { threads: Some(2), ..RunOptions::default() };
/// let mut simulation = Simulation::<2>::builder(&case).options(&two_threads).build()?;
/// simulation.advance_to(0.1)?;
/// assert_eq!(simulation.time(), 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SimulationBuilder<'a, const D: usize> {
    case: &'a Case,
    options: RunOptions,
    functions: UserFunctions<D>,
    solver: Option<&'a ChosenSolver>,
    make: MakeExecutor<'a, D>,
    change: &'a dyn Fn(Problem<D>) -> Result<Problem<D>, RunError>,
    only_checked: bool,
}

/// Refuses what a mesh from a file does not allow.
fn check_on_mesh(case: &Case, options: &RunOptions, is_offered: bool) -> Result<(), RunError> {
    let wrong = |message: &str, help: &str| Err(RunError::from(case.error("mesh.file", message, help)));
    // For the processor kernels over faces are compiled in `f64` alone: in `f32` too they would make every build longer.
    if options.precision == Precision::F32 && options.device == Device::Cpu {
        return wrong(
            "meshes from files run in `f32` on a GPU only",
            "write `--device cuda`, or leave `--precision` out",
        );
    }
    if !is_offered {
        let message = format!(
            "the solver `{}` has auxiliary values with a direction, or on the faces of a box",
            case.shape().name
        );
        return wrong(&message, "use a solver whose auxiliary values are scalars of cells");
    }
    if options.device == Device::CudaStreamed {
        let message = "`--device cuda-streamed` takes values patch by patch, and a mesh from a file is one";
        return wrong(message, "write `--device cuda`");
    }
    if options.comm.rank().of > 1 {
        return wrong("meshes from files run on one rank only as yet", "use threads: `--threads`");
    }
    Ok(())
}

/// Refuses what folded sides do not allow of a solver or a device.
fn check_folded(case: &Case, options: &RunOptions, (axis, has_transfers): (&str, bool)) -> Result<(), RunError> {
    let wrong = |message: &str, help: &str| {
        Err(RunError::from(case.error(&format!("mesh.boundary.{axis}"), message.to_owned(), help)))
    };
    if has_transfers {
        let message =
            format!("the solver `{}` has transfer variables, which cross no folded side as yet", case.shape().name);
        return wrong(&message, "use another solver, or two copies of the domain, which are periodic");
    }
    if options.device == Device::Cuda && options.comm.rank().of > 1 {
        return wrong("folded sides need all patches on one GPU as yet", "use one device");
    }
    Ok(())
}

impl<const D: usize> Simulation<D> {
    /// A builder for a simulation of the case, with default options.
    ///
    /// # Panics
    /// [`SimulationBuilder::build`] does if the case has another number of dimensions, or was checked against another solver than
    /// that of [`SimulationBuilder::solver`].
    pub fn builder(case: &Case) -> SimulationBuilder<'_, D> {
        let (options, functions) = (RunOptions::default(), UserFunctions::default());
        SimulationBuilder { case, options, functions, solver: None, make: &make, change: &Ok, only_checked: false }
    }
}

impl<'a, const D: usize> SimulationBuilder<'a, D> {
    /// How the case is run: threads, precision, device.
    pub fn options(mut self, options: &RunOptions) -> Self {
        self.options = options.clone();
        self
    }

    /// Functions for the case's `"user"` entries, before those of the options.
    pub fn functions(mut self, functions: UserFunctions<D>) -> Self {
        self.functions = functions;
        self
    }

    /// A solver of the calling program instead of the case's, with its functions: see [`ChosenSolver::own`]. The case must have
    /// been checked against its shape.
    pub fn solver(mut self, solver: &'a ChosenSolver) -> Self {
        self.solver = Some(solver);
        self
    }

    /// An executor of the calling program instead of the one for the options' device.
    pub fn executor(mut self, make: MakeExecutor<'a, D>) -> Self {
        self.make = make;
        self
    }

    /// Changes the problem that the case and the functions give.
    pub(super) fn change(mut self, change: &'a dyn Fn(Problem<D>) -> Result<Problem<D>, RunError>) -> Self {
        self.change = change;
        self
    }

    /// The simulation will take no step.
    pub(super) fn only_checked(mut self) -> Self {
        self.only_checked = true;
        self
    }

    /// The simulation at its start: the hierarchy is built from exact initial data on every level.
    ///
    /// # Errors
    /// Errors of the case, and initial data or a capacity that are not finite.
    pub fn build(self) -> Result<Simulation<D>, RunError> {
        let case = self.case;
        let mut simulation = self.assemble()?;
        simulation.attempt(|simulation| simulation.check_sources(case))?;
        let begin = |simulation: &mut Simulation<D>| {
            simulation.build_initial_hierarchy()?;
            simulation.watch_growth(true)
        };
        let begun = simulation.attempt(begin);
        begun.map_err(|error| error.in_case(case, &simulation.names.equations, &simulation.names.aux))?;
        Ok(simulation)
    }

    /// A simulation that continues from a frame, which holds auxiliary values if the solver has any. The case may differ
    /// from that of the frame in everything except the domain, the equations and the ratios of the frame's levels.
    ///
    /// # Errors
    /// Errors of the case, and a case that does not fit the frame.
    pub fn resume(self, frame: &Frame<D>, state: &ScheduleState) -> Result<Simulation<D>, RunError> {
        self.resume_from(frame, frame, state)
    }

    /// As [`SimulationBuilder::resume`], with the frame's values from `values`: each of several ranks reads only those of its own
    /// patches.
    ///
    /// # Errors
    /// As for [`SimulationBuilder::resume`]; values that cannot be read.
    pub fn resume_from(
        self,
        frame: &Frame<D>,
        values: &dyn PatchSource<D>,
        state: &ScheduleState,
    ) -> Result<Simulation<D>, RunError> {
        let case = self.case;
        let mut simulation = self.assemble()?;
        simulation.attempt(|simulation| simulation.load_leaves(case, state))?;
        simulation.check_fit(case, frame)?;
        simulation.check_mesh(case, state)?;
        simulation.check_levels(case, frame)?;
        simulation.attempt(|simulation| simulation.load(frame, values, state))?;
        Ok(simulation)
    }

    /// A simulation that has no values yet.
    pub(super) fn assemble(self) -> Result<Simulation<D>, RunError> {
        let Self { case, options, functions, solver, make, change, only_checked } = self;
        let options = options.settled();
        if options.comm.is_solo() && !matches!(options.num_ranks(), Ok(1)) {
            return Err(RunError::Ranks);
        }
        let of_case;
        let solver = match solver {
            Some(solver) => solver,
            None => {
                of_case = ChosenSolver::of(case, options.precision)?;
                &of_case
            }
        };
        let (shape, kernels) = (&solver.shape, &solver.kernels);
        assert_eq!(kernels.double.dim(), D, "the solver's dimension");
        assert_eq!(shape, case.shape(), "the case was checked against another solver");
        if options.precision == Precision::F32 && kernels.single.is_none() {
            let message = format!("the library of `{}` has no kernels in `f32`", shape.name);
            let help = "give the solver's `.rs` file, or a library of both precisions";
            return Err(case.error("solver.path", message, help).into());
        }
        let geometry = if case.solves_in_frames() { frame::geometry(D).len() } else { 0 };
        assert_eq!(kernels.double.aux().len(), shape.aux.len() + geometry, "the kernels' auxiliary values");
        let aux = case.aux_cells::<D>().map(|cells| Arc::new(cells) as _);
        let reduced = case.reduced_parameters();
        let adjoint = case.regrid.flag.adjoint.as_ref().filter(|_| case.levels.max > 1).map(|settings| {
            let problem = AdjointProblem { case, settings, solver, functions: &functions, options: &options };
            problem.criterion(only_checked)
        });
        let adjoint = adjoint.transpose()?.flatten();
        let functions = functions.or(options.functions.of()).or(solver.functions(case, aux));
        let problem = change(problem::<D>(case, functions.clone(), (reduced.clone(), adjoint))?)?;
        remark(case, &problem);
        let demanded = if options.unchecked_solver { Ok(()) } else { solver.demand(&problem, case.time.start) };
        if let Some(message) = solver.failure() {
            return Err(RunError::Solver(message));
        }
        demanded?;
        if let Some(axis) = problem.domain.repeats.folded {
            let has_transfers = kernels.double.transfers().is_some();
            check_folded(case, &options, (["x", "y", "z"][axis], has_transfers))?;
        }
        if case.mesh.file.is_some() {
            let solver = &kernels.double;
            let of_cells = solver.aux_face().iter().all(Option::is_none) && solver.aux_groups().is_empty();
            check_on_mesh(case, &options, of_cells && (options.device != Device::Cpu || solver.solves_faces()))?;
        }
        if let Some(on_mesh) = &problem.on_mesh {
            let of_host = |rule: &Boundary<D>| matches!(rule, Boundary::User(values) if values.device_form().is_none());
            if options.device == Device::Cuda && on_mesh.sides.rules().iter().any(of_host) {
                let message =
                    "values from files, and functions of a program, at sides of a mesh are known to the host alone";
                return Err(case.error("mesh.boundary", message, "write formulas, or `--device cpu`").into());
            }
            let help = "write formulas that keep cells as they are, turned and stretched";
            let start = on_mesh.sides.in_time.check(case.time.start);
            start.map_err(|error| case.error("mesh.motion", error.to_string(), help))?;
        }
        let settings = settings::<D>(case, problem.num_ghost());
        let executor = make(&problem, kernels, settings.ratios.clone(), &options)?;
        let mapping = case.mapping::<D>();
        let gauge = |gauge: &GaugeSettings| {
            let position: [f64; D] = axes(&gauge.position);
            let point = match (&case.mesh.file, &mapping) {
                (Some(file), _) => {
                    let now =
                        problem.on_mesh.as_ref().and_then(|on_mesh| on_mesh.sides.in_time.now().cell_at(&position));
                    now.or_else(|| file.mesh.cell_at(&position)).map(middle_of)
                }
                (None, Some(mapping)) => mapping.inverse(position),
                (None, None) => Some(position),
            };
            let point = point.expect("checked: the mesh reaches the gauge");
            Gauge::new(gauge.name.clone(), position, point, shape.equations.len())
        };
        let gauges = case.gauge.iter().map(gauge).collect();
        let simulation =
            Simulation::new(problem, settings, executor, shape, (gauges, case.mapping_texts()), &options, kernels);
        let mut simulation = simulation.map_err(|error| error.in_case(case, &shape.equations, &shape.aux))?;
        let every = case.time.stop_every;
        let parameters = reduced.clone();
        let first = case.reductions::<D>().iter().flat_map(WholeFormula::of_cells).count();
        let tolerance = case.mesh.file.as_ref().and_then(|file| file.steady);
        simulation.checks.steady = tolerance.map(|tolerance| SteadyCheck { tolerance, before: None, change: None });
        simulation.checks.stop_when =
            case.stop_condition(&reduced).map(|formula| StopCondition { formula, first, every });
        simulation.reduced = reduced.map(|parameters| Reduced::new(case, solver, parameters)).transpose()?;
        simulation.refined = Refined::new(case, functions, parameters)?.map(Box::new);
        simulation.exec.prepare_steps(false, None)?;
        Ok(simulation)
    }
}
