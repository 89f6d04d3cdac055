//! From a case to a simulation.

use super::executor::MakeExecutor;
use super::{RunError, RunOptions, Settings, Simulation};
use crate::index::Ratio;
use crate::io::config::{self, Case, Settled, SolverShape};
use crate::io::expression::ExpressionBoundary;
use crate::mesh::Domain;
use crate::physics::{Boundary, CellFunction, Criterion, Problem, SourceSplit, Split, StateFunction, UserFunctions};
use crate::plan::nesting_width;
use crate::plugin::ChosenSolver;
use crate::regrid::{ClusterParams, RefinementRegion, RegridOptions};
use riemann::limiter::Limiter;
use riemann::patch::{MAX_WAVES, Scheme, SolverKernels};
use std::sync::Arc;
use tracing::{info, warn};

/// `v` as an array over the axes; the case has been checked for its length.
pub(super) fn axes<const D: usize, T: Copy>(v: &[T]) -> [T; D] {
    std::array::from_fn(|d| v[d])
}

fn domain<const D: usize>(case: &Case) -> Domain<D> {
    Domain {
        lower: axes(&case.mesh.lower),
        upper: axes(&case.mesh.upper),
        cells: axes(&case.mesh.cells),
        periodic: std::array::from_fn(|d| case.mesh.boundary[d][0] == config::BoundaryKind::Periodic),
    }
}

fn scheme(case: &Case, shape: &SolverShape, settled: &Settled) -> Scheme {
    let mut limiters = [Limiter::default(); MAX_WAVES];
    for (w, limiter) in limiters.iter_mut().enumerate().take(shape.waves) {
        *limiter = case.scheme.limiter[w.min(case.scheme.limiter.len() - 1)].into();
    }
    let capacity = case.scheme.capacity.as_ref().and_then(|name| shape.aux.iter().position(|a| a == name));
    Scheme {
        order: case.scheme.order,
        transverse: settled.transverse,
        double_transverse: case.scheme.double_transverse,
        limiters,
        capacity: capacity.map_or(-1, |c| c as i32),
    }
}

fn problem<const D: usize>(case: &Case, shape: &SolverShape, user: UserFunctions<D>) -> Result<Problem<D>, RunError> {
    let settled = case.settled(shape);
    let missing = |key: &str, what: &str| {
        case.error(
            key,
            format!("the solver `{}` brings no {what} along", shape.name),
            "write an expression or a kind by name; \"user\" needs a solver or a program that provides it",
        )
    };
    let boundary_of = |kind, d: usize, inflow: Option<ExpressionBoundary<D>>| {
        Ok::<_, RunError>(match kind {
            config::BoundaryKind::Extrapolate => Boundary::Extrapolate,
            config::BoundaryKind::Wall => Boundary::Wall,
            config::BoundaryKind::Periodic => Boundary::Periodic,
            config::BoundaryKind::Inflow => {
                let values = inflow.unwrap_or_else(|| unreachable!("checked: an inflow has values"));
                Boundary::User(Arc::new(values))
            }
            config::BoundaryKind::User => {
                let key = format!("mesh.boundary.{}", ["x", "y", "z"][d]);
                Boundary::User(user.boundary.clone().ok_or_else(|| missing(&key, "boundary values"))?)
            }
        })
    };
    let mut boundary = Vec::new();
    for (d, inflow) in case.inflow::<D>(shape)?.into_iter().enumerate() {
        let [lower, upper] = case.mesh.boundary[d];
        let [at_lower, at_upper] = inflow;
        boundary.push([boundary_of(lower, d, at_lower)?, boundary_of(upper, d, at_upper)?]);
    }
    let initial = case.initial_cells::<D>(shape)?.map(|cells| Arc::new(cells) as Arc<dyn CellFunction<D>>);
    let aux = case.aux_cells::<D>(shape)?.map(|cells| Arc::new(cells) as Arc<dyn CellFunction<D>>);
    let source = case.source_terms::<D>(shape)?.map(|rows| Arc::new(rows) as Arc<dyn StateFunction<D>>);
    let flag = case.flag_expression::<D>(shape)?.map(|rows| Arc::new(rows) as Arc<dyn StateFunction<D>>);
    let tolerance = case.regrid.flag.tolerance;
    let aux = aux.or(user.aux);
    if aux.is_none() && !shape.aux.is_empty() {
        return Err(missing("aux", "auxiliary values").into());
    }
    let source_split = match settled.source {
        config::SourceSplitting::None if case.scheme.source.is_none() && user.source.is_some() => SourceSplit::Godunov,
        config::SourceSplitting::None => SourceSplit::None,
        config::SourceSplitting::Godunov => SourceSplit::Godunov,
        config::SourceSplitting::Strang => SourceSplit::Strang,
    };
    let has_source = shape.has_source || source.is_some() || user.source.is_some();
    remark(case, shape, &settled, has_source && source_split == SourceSplit::None);
    Ok(Problem {
        domain: domain(case),
        boundary: boundary.try_into().unwrap_or_else(|_| unreachable!("one entry per axis")),
        initial: initial.or(user.initial).ok_or_else(|| missing("initial", "initial data"))?,
        aux,
        source: source.or(user.source),
        criterion: match case.regrid.flag.criterion {
            config::Criterion::Difference => Criterion::Difference { tolerance },
            config::Criterion::Richardson => Criterion::Richardson { tolerance },
            config::Criterion::User => Criterion::User(
                flag.or(user.flag).ok_or_else(|| missing("regrid.flag.criterion", "refinement criterion"))?,
            ),
        },
        scheme: scheme(case, shape, &settled),
        split: match settled.split {
            config::Sweeps::Unsplit => Split::Unsplit,
            config::Sweeps::Godunov => Split::Godunov,
            config::Sweeps::Strang => Split::Strang,
        },
        source_split,
        conservation_fix: case.regrid.conservation_fix,
    })
}

/// Logs what the case leaves to its solver, where that is not what other solvers get. `idle`: there is a source term, and the
/// case does without.
fn remark(case: &Case, shape: &SolverShape, settled: &Settled, idle: bool) {
    let (solver, Settled { split, cfl_desired, cfl_max, .. }) = (&shape.name, *settled);
    if case.scheme.split.is_none() && split != config::Sweeps::Unsplit {
        info!(solver, %split, "the solver has no `transverse`: sweeps go along the axes one by one");
    }
    match settled.stable_courant {
        Some(bound) if bound < 1.0 && !case.scheme.allow_unstable => {
            info!(bound, cfl_desired, cfl_max, "the scheme is stable at small Courant numbers only");
        }
        Some(bound) if bound >= cfl_max => {}
        bound => warn!(bound, cfl_max, "scheme.allow_unstable: the scheme is not stable up to time.cfl_max"),
    }
    if idle {
        warn!(solver, "scheme.source is \"none\": the source term does not act");
    }
}

fn settings<const D: usize>(case: &Case, shape: &SolverShape, num_ghost: i32) -> Settings<D> {
    let settled = case.settled(shape);
    let ratios: Vec<Ratio<D>> = case.levels.ratio.iter().map(|r| Ratio(axes(r))).collect();
    let largest = || ratios.iter().map(|r| r.largest() as u32).collect();
    let region = |r: &config::Region| RefinementRegion {
        coarsest: r.coarsest,
        finest: r.finest,
        lower: axes(&r.lower),
        upper: axes(&r.upper),
        time: r.time,
    };
    Settings {
        time_ratios: case.levels.ratio_time.as_ref().map_or_else(largest, |r| r.iter().map(|&r| r as u32).collect()),
        ratios,
        regrid: RegridOptions {
            buffer: case.regrid.buffer,
            cluster: ClusterParams { cutoff: case.regrid.cutoff, ..ClusterParams::default() },
            max_patch_size: case.regrid.max_patch_size,
            nesting_width: nesting_width(num_ghost),
            regions: case.regrid.region.iter().map(region).collect(),
        },
        regrid_interval: case.regrid.interval,
        start: case.time.start,
        dt_initial: case.time.dt.unwrap_or(case.time.dt_initial),
        dt_fixed: case.time.dt,
        cfl_desired: settled.cfl_desired,
        cfl_max: settled.cfl_max,
        max_retries: case.time.max_retries,
        end: case.time.end,
        growth_limit: case.time.growth_limit,
    }
}

impl<const D: usize> Simulation<D> {
    /// Sets up a case: builds the initial hierarchy from exact initial data on every level.
    ///
    /// # Errors
    /// Whatever is wrong with the case, and initial data or a capacity that is not finite.
    pub fn from_case(case: &Case, options: &RunOptions) -> Result<Self, RunError> {
        Self::with_functions(case, options, UserFunctions::default())
    }

    /// As [`Simulation::from_case`], with functions for what the case leaves to its user.
    ///
    /// # Errors
    /// Likewise.
    pub fn with_functions(case: &Case, options: &RunOptions, user: UserFunctions<D>) -> Result<Self, RunError> {
        Self::assemble_chosen(case, options, user, &super::executor::make)?.begin(case)
    }

    /// A simulation with the case's solver that has no values yet.
    pub(super) fn assemble_chosen(
        case: &Case,
        options: &RunOptions,
        user: UserFunctions<D>,
        make: MakeExecutor<'_, D>,
    ) -> Result<Self, RunError> {
        Self::assemble_with(case, options, &ChosenSolver::of(case)?, user, make)
    }

    fn assemble_with(
        case: &Case,
        options: &RunOptions,
        solver: &ChosenSolver,
        user: UserFunctions<D>,
        make: MakeExecutor<'_, D>,
    ) -> Result<Self, RunError> {
        let aux = case.aux_cells::<D>(&solver.shape)?.map(|cells| Arc::new(cells) as _);
        let user = user.or(solver.functions(aux));
        Self::assemble(case, options, &solver.shape, &solver.kernels, user, make)
    }

    /// As [`Simulation::with_functions`], on an executor of the program's own.
    ///
    /// # Errors
    /// Likewise.
    pub fn with_executor(
        case: &Case,
        options: &RunOptions,
        user: UserFunctions<D>,
        make: MakeExecutor<'_, D>,
    ) -> Result<Self, RunError> {
        Self::assemble_chosen(case, options, user, make)?.begin(case)
    }

    /// As [`Simulation::from_case`], with a solver of the program's own and what it brings along: see
    /// [`ChosenSolver::own`].
    ///
    /// # Errors
    /// Likewise.
    pub fn with_chosen(case: &Case, options: &RunOptions, solver: &ChosenSolver) -> Result<Self, RunError> {
        let make = &super::executor::make;
        Self::assemble_with(case, options, solver, UserFunctions::default(), make)?.begin(case)
    }

    /// As [`Simulation::with_functions`], with a solver of the program's own in place of the case's. `shape` describes it.
    ///
    /// # Errors
    /// Likewise.
    pub fn with_solver(
        case: &Case,
        options: &RunOptions,
        shape: &SolverShape,
        solver: &SolverKernels,
        user: UserFunctions<D>,
    ) -> Result<Self, RunError> {
        Self::assemble(case, options, shape, solver, user, &super::executor::make)?.begin(case)
    }

    /// Builds the initial hierarchy of a case.
    fn begin(mut self, case: &Case) -> Result<Self, RunError> {
        self.attempt(|simulation| simulation.check_sources(case))?;
        let begin = |simulation: &mut Self| {
            simulation.build_initial_hierarchy()?;
            simulation.watch_growth(true)
        };
        self.attempt(begin).map_err(|error| error.in_case(case, &self.equations, &self.aux))?;
        Ok(self)
    }

    fn assemble(
        case: &Case,
        options: &RunOptions,
        shape: &SolverShape,
        solver: &SolverKernels,
        user: UserFunctions<D>,
        make: MakeExecutor<'_, D>,
    ) -> Result<Self, RunError> {
        assert_eq!(solver.double.dim(), D, "the solver's dimension");
        let problem = problem::<D>(case, shape, user)?;
        let settings = settings::<D>(case, shape, problem.num_ghost());
        let ratios = settings.ratios.clone();
        let executor = make(&problem, solver, ratios, options)?;
        let gauges = case.gauge.iter().map(|g| (g.name.clone(), axes(&g.position))).collect();
        Simulation::new(problem, settings, executor, shape, gauges, options, solver.double.clone())
            .map_err(|error| error.in_case(case, &shape.equations, &shape.aux))
    }
}
