//! A simulation: a problem, its hierarchy, and its time stepping.

mod adjoint;
mod any;
mod build;
mod builder;
mod deferred;
mod error;
mod executor;
mod force;
mod gauge;
mod gpus;
mod growth;
mod inflow;
mod leaf_values;
mod leaves;
mod media;
mod memory;
mod monitors;
mod open;
mod options;
mod parts;
mod queries;
mod reduce;
mod regrid;
mod restart;
mod run;
mod run_option;
mod speeds;
mod start;
mod steady;
mod step;
mod step_limits;
mod stiffness;
mod whole;

pub use crate::physics::{AnyUserFunctions, UserFunctions};
pub use adjoint::adjoint_solution;
pub use any::{AnySimulation, HostPatch, HostPatches, any_simulation};
pub use builder::SimulationBuilder;
pub use error::RunError;
pub use executor::MakeExecutor;
pub use force::Force;
pub use gauge::{Gauge, GaugeSample};
pub use growth::GrowthRecord;
pub use memory::keep_freed_memory;
pub use options::{Device, Precision, RunOptions, Word, available_threads, most_threads};
pub use restart::ScheduleState;
pub use run::{Cause, Progress, RunFailure, RunFiles, Watch, run};
pub use run_option::{RUN_OPTIONS, RunOption, RunOptionError, RunOptionValue};
pub use start::check;
pub use step_limits::StepLimit;

use crate::case::SolverShape;
use crate::diagnose::{Counts, LevelCounts, Stopwatch};
use crate::exec::{ExecError, Executor, HostMemory, HostValues, PatchArray, Reduction, reduce_levels};
use crate::frames::frame::{Frame, FrameLevel, FramePatch};
use crate::index::{Level, Ratio};
use crate::mesh::{Hierarchy, Partition};
use crate::physics::Problem;
use crate::plan::{LevelPlans, PlanOptions};
use crate::ranks::Ranks;
use crate::regrid::{RegridOptions, nest};
use crate::schedule::{StepControl, Subcycle};
use crate::threads::in_pool;
use parts::{Checks, Crew, Names, NextStep, Work};
use riemann::patch::SolverKernels;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use step_limits::StepLimits;

/// Levels, regridding and time steps.
#[derive(Clone, Debug)]
pub struct Settings<const D: usize> {
    /// Ratios between levels.
    pub ratios: Vec<Ratio<D>>,
    /// Ratios between levels in time.
    pub time_ratios: Vec<u32>,
    /// How levels are made.
    pub regrid: RegridOptions<D>,
    /// Steps of a level between regrids of the finer ones.
    pub regrid_interval: u64,
    /// Time at the start.
    pub start: f64,
    /// First step.
    pub dt_initial: f64,
    /// Every step, if it is fixed.
    pub dt_fixed: Option<f64>,
    /// Longest step, if the case limits it.
    pub dt_max: Option<f64>,
    /// Longest step where it does not and something depends on time.
    pub dt_max_in_time: f64,
    /// Parameters of `[reduce]` change with time, whatever the solution does.
    pub reduced_in_time: bool,
    /// Courant number that steps aim for.
    pub cfl_desired: f64,
    /// Courant number above which a coarse step is taken again.
    pub cfl_max: f64,
    /// How often it may be taken again.
    pub max_retries: u32,
    /// Time at which the run ends.
    pub end: f64,
    /// Growth of the solution at which the run fails; 0 to disable the check.
    pub growth_limit: f64,
    /// Unstable steps of sources are not refused.
    pub allow_unstable: bool,
}

/// A problem with its present solution.
pub struct Simulation<const D: usize> {
    problem: Problem<D>,
    settings: Settings<D>,
    names: Names,
    hierarchy: Hierarchy<D>,
    plans: Arc<Vec<LevelPlans<D>>>,
    exec: Box<dyn Executor<D>>,
    subcycle: Subcycle,
    saved: Option<Box<step::Saved<D>>>,
    time: f64,
    next: NextStep,
    work: Work,
    gauges: Vec<Gauge<D>>,
    monitors: monitors::Monitors<D>,
    checks: Checks<D>,
    /// The cells of a mesh from a file as leaves, where these are refined.
    refined: Option<Box<leaves::Refined<D>>>,
    /// The solver's parameters that change from step to step.
    reduced: Option<reduce::Reduced<D>>,
    deferred: deferred::DeferredReports,
    memory: memory::HostMemory,
    crew: Crew,
    /// The solver; in `f32` too where that takes the steps.
    kernels: SolverKernels,
}

impl<const D: usize> Simulation<D> {
    /// A simulation without values. `mapping`: physical coordinates by formulas.
    fn new(
        problem: Problem<D>,
        settings: Settings<D>,
        exec: Box<dyn Executor<D>>,
        shape: &SolverShape,
        (gauges, mapping): (Vec<Gauge<D>>, Vec<String>),
        options: &RunOptions,
        kernels: &SolverKernels,
    ) -> Result<Self, RunError> {
        let solver = kernels.double.clone();
        let num_eqn = shape.equations.len();
        let memory = memory::HostMemory::new(options, num_eqn, solver.aux().len(), &problem);
        let memory = memory.of_all(&options.comm).map_err(ExecError::from)?;
        memory.check([[problem.domain.coarsest()].as_slice()].into_iter())?;
        let threads = options.num_threads();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| RunError::Threads { threads, message: e.to_string() })?;
        let coarsest = nest::split_to_size(&[problem.domain.coarsest()], [settings.regrid.max_patch_size; D]);
        let hierarchy = Hierarchy::new(problem.domain.clone(), settings.ratios.clone(), coarsest);
        let control = StepControl {
            time_ratios: settings.time_ratios.clone(),
            regrid_interval: settings.regrid_interval,
            cfl_desired: settings.cfl_desired,
        };
        let limits = StepLimits::new(&problem, &settings, solver.has_source(), shape.of_time);
        Ok(Simulation {
            subcycle: Subcycle::new(control, Level::COARSEST),
            saved: None,
            plans: Arc::new(Vec::new()),
            names: Names {
                equations: shape.equations.clone(),
                aux: solver.aux().iter().map(|name| (*name).to_owned()).collect(),
                mapping,
                solver: shape.name.clone(),
            },
            time: settings.start,
            next: NextStep {
                dt: limits.or_first(settings.start, Some(settings.dt_initial), settings.dt_initial),
                limited_by: StepLimit::default(),
                limits,
                fallback_left: 0,
                filled: 0..0,
            },
            work: Work {
                counts: Counts::new(hierarchy.max_levels()),
                last_courant: 0.0,
                repeated: vec![LevelCounts::default(); hierarchy.max_levels()],
                stopwatch: Stopwatch::default(),
                own_cells_advanced: 0,
                speeds: speeds::Measured::new(options.comm.rank().of),
                most_state_bytes: 0,
            },
            checks: Checks {
                growth: growth::GrowthCheck::new(
                    settings.growth_limit,
                    &problem,
                    solver.has_source(),
                    (num_eqn, solver.groups()),
                    growth::first_with_least(solver.as_ref()),
                ),
                sources: stiffness::SourceCheck::default(),
                stop_when: None,
                steady: None,
            },
            gauges,
            monitors: monitors::Monitors::default(),
            refined: None,
            reduced: None,
            deferred: deferred::DeferredReports::new(hierarchy.max_levels()),
            memory,
            crew: Crew {
                threads: Arc::new(pool),
                stop: if options.comm.is_solo() { options.stop.clone() } else { options.comm.stop() },
                ranks: options.comm.clone(),
            },
            kernels: SolverKernels {
                double: solver,
                single: kernels.single.clone().filter(|_| options.precision == Precision::F32),
            },
            hierarchy,
            problem,
            settings,
            exec,
        })
    }

    /// Runs `work` on the simulation's own threads.
    fn in_pool<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        in_pool(&self.crew.threads.clone(), || work(self))
    }

    /// As [`Simulation::in_pool`]. A failure of the solver itself takes precedence over any result.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), RunError> + Send) -> Result<(), RunError> {
        let outcome = self.in_pool(work);
        let failure = match (self.kernels.double.failure(), self.crew.ranks.is_solo()) {
            (failure, true) => failure,
            (own, false) => {
                self.crew.ranks.first(own.as_ref(), |_| 0).map_err(ExecError::from)?.map(|(_, message)| message)
            }
        };
        failure.map_or(outcome, |message| Err(RunError::Solver(message)))
    }

    /// An error if the simulation has been asked to stop.
    fn check_stop(&self) -> Result<(), RunError> {
        if self.crew.stop.load(Ordering::Relaxed) { Err(RunError::Stopped) } else { Ok(()) }
    }

    /// What plans depend on besides the mesh.
    fn plan_options(&self) -> PlanOptions {
        PlanOptions {
            num_ghost: self.problem.num_ghost(),
            conservation_fix: self.problem.conservation_fix,
            rank: self.crew.ranks.rank(),
        }
    }

    /// Sets auxiliary values that depend on time to those of the present time, for frames and totals: steps leave those of their
    /// middle.
    ///
    /// # Errors
    /// Invalid values; errors of the executor.
    pub fn renew_aux(&mut self) -> Result<(), RunError> {
        self.in_pool(|simulation| {
            for l in 0..simulation.hierarchy.num_levels() {
                simulation.exec.renew_aux(Level(l as u8), None)?;
            }
            Ok(())
        })
    }

    /// Integral of each quantity over the composite grid: the finest cells at each place, weighted with the capacity. After a step see
    /// [`Simulation::renew_aux`].
    pub fn totals(&self) -> Vec<f64> {
        let mut totals = Vec::new();
        let sum = || reduce_levels(&*self.exec, Reduction::Totals, &self.plans, &mut totals);
        let summed = self.learn_leaves().map(|()| in_pool(&self.crew.threads, sum));
        // The run itself reports the failure of a device.
        if matches!(summed, Ok(Ok(()))) { totals } else { vec![f64::NAN; self.names.equations.len()] }
    }

    /// False if the values are lost with the device that held them.
    pub fn is_readable(&self) -> bool {
        let look = || self.exec.reduce(Reduction::Largest, Level::COARSEST, None, &mut Vec::new());
        !self.crew.ranks.are_lost() && in_pool(&self.crew.threads, look).is_ok()
    }

    /// The present values of a level, in place; `None` if they are not in host memory, or if there is no such level.
    pub fn host_values(&self, level: Level) -> Option<HostValues<'_, D>> {
        self.exec.host_values(level)
    }

    /// The present solution on a patch of a level, in place and without ghost cells: an array of shape `[equation, (z,) (y,) x]`.
    /// `None` if it is not in host memory, or if there is no such patch.
    ///
    /// ```
    /// use amrclaw::index::Level;
    /// use amrclaw::case::{Case, find_built_in};
    /// use amrclaw::simulation::Simulation;
    ///
    /// let text = r#"
    ///     solver = { name = "advection", u = 1.0, v = 0.5 }
    ///     mesh = { cells = [20, 10] }
    ///     time = { end = 1.0 }
    ///     initial = { q = "x + 100 * y" }
    /// "#;
    /// let case = Case::from_str_with(text, "case", &[], find_built_in)?;
    /// let simulation = Simulation::<2>::builder(&case).build()?;
    /// let q = simulation.q_view(Level::COARSEST, 0).and_then(|view| view.f64()).expect("one patch in f64");
    /// assert_eq!(q.shape(), [1, 10, 20]);
    /// assert!((q[[0, 9, 0]] - 95.025).abs() < 1e-12); // the cell with its centre at (0.025, 0.95)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn q_view(&self, level: Level, patch: usize) -> Option<PatchArray<'_>> {
        self.host_values(level)?.q_view(patch)
    }

    /// Hands over the memory behind [`Simulation::host_values`] to a caller that still reads it; the simulation continues with
    /// a copy.
    pub fn take_values(&mut self, level: Level) -> Option<HostMemory> {
        self.exec.take_values(level)
    }

    /// Owners of a level's patches, if there are several ranks.
    pub fn partition(&self, level: Level) -> Option<&Partition> {
        self.plans.get(level.index())?.partition.as_deref()
    }

    /// The ranks that advance the simulation together.
    pub fn ranks(&self) -> &Ranks {
        &self.crew.ranks
    }

    /// With several ranks, cells that this rank has advanced, including steps that were taken again; 0 with a single rank.
    pub fn own_cells_advanced(&self) -> u64 {
        self.work.own_cells_advanced
    }

    /// A snapshot of the solution; with several ranks only the patches of this rank have values. Its number is 0: the writer of frames
    /// numbers them. After a step see [`Simulation::renew_aux`].
    pub fn frame(&self) -> Frame<D> {
        // A device that is lost has no values either.
        let _ = self.learn_leaves();
        let level = |l: usize| {
            let level = Level(l as u8);
            let state = in_pool(&self.crew.threads, || self.exec.snapshot(level));
            let patches = self.hierarchy.level(level).patches().iter().zip(state.q).zip(state.aux);
            let patches = patches.map(|((&cells, q), aux)| FramePatch { cells, q, aux }).collect();
            FrameLevel { dx: self.hierarchy.dx(level), patches }
        };
        Frame {
            number: 0,
            time: self.time,
            steps: self.work.counts.levels.iter().map(|l| l.steps).collect(),
            equations: self.names.equations.clone(),
            aux: self.names.aux.clone(),
            lower: self.problem.domain.lower,
            upper: self.problem.domain.upper,
            cells: self.problem.domain.cells,
            ratios: self.settings.ratios.clone(),
            mapping: self.names.mapping.clone(),
            mesh: self.problem.on_mesh.as_ref().map(|on_mesh| on_mesh.sides.in_time.now()),
            levels: (0..self.hierarchy.num_levels()).map(level).collect(),
        }
    }
}
