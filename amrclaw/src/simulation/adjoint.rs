//! The adjoint solution that the criterion "adjoint" needs, computed when a simulation is made.
//!
//! It is that of a case of its own, or made of a solution of the case's own equations by [`Reversal`]. Every rank computes it by itself, on
//! one level, on threads, in `f64`: so it is the same for all ranks and devices, and after a restart.

use super::build::axes;
use super::media::Media;
use super::memory::machine_bytes;
use super::{Precision, RunError, RunOptions, Simulation};
use crate::case::{AdjointOf, AdjointSettings, Case};
use crate::mesh::Geometry;
use crate::physics::{AdjointFlag, AdjointSnapshots, CellFunction, CellRow, Criterion, Problem, UserFunctions, solve};
use crate::plugin::{ChosenSolver, find_solver};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;
use tracing::info;

/// The adjoint solution that the criterion "adjoint" of a case compares with.
///
/// # Errors
/// The case has no such criterion, its equations no known adjoint, or either problem cannot be solved.
pub fn adjoint_solution<const D: usize>(case: &Case) -> Result<AdjointSnapshots<D>, RunError> {
    let Some(settings) = &case.regrid.flag.adjoint else {
        let message = "is not `adjoint`: there is no adjoint solution";
        return Err(case.error("regrid.flag.criterion", message, "write `criterion = \"adjoint\"`").into());
    };
    let solver = &ChosenSolver::of(case, Precision::F64)?;
    let (functions, options) = (&UserFunctions::default(), &RunOptions::default());
    let problem = AdjointProblem { case, settings, solver, functions, options };
    let (simulation, waves) = problem.assemble()?;
    problem.record(simulation, waves.as_ref())
}

/// What makes the adjoint solution.
pub(super) struct AdjointProblem<'a, const D: usize> {
    pub case: &'a Case,
    pub settings: &'a AdjointSettings,
    pub solver: &'a ChosenSolver,
    pub functions: &'a UserFunctions<D>,
    pub options: &'a RunOptions,
}

impl<const D: usize> AdjointProblem<'_, D> {
    /// The criterion, by the adjoint solution. `None` if the problem is only to be checked.
    pub fn criterion(&self, only_check: bool) -> Result<Option<Criterion<D>>, RunError> {
        let clock = Instant::now();
        let (simulation, waves) = self.assemble()?;
        if only_check {
            return Ok(None);
        }
        let snapshots = Arc::new(self.record(simulation, waves.as_ref())?);
        info!(snapshots = self.settings.snapshots, seconds = clock.elapsed().as_secs_f64(), "adjoint problem solved");
        let (window, tolerance) = (self.settings.window, self.case.regrid.flag.tolerance);
        let about = self.case.state_at_rest();
        let flag = Arc::new(AdjointFlag { snapshots, about, window, tolerance });
        Ok(Some(match self.settings.of {
            AdjointOf::Solution => Criterion::User(flag),
            AdjointOf::Error => Criterion::Richardson { tolerance, of_estimate: Some(flag) },
        }))
    }

    /// The simulation without values, and the matrices that make the adjoint solution of its own.
    fn assemble(&self) -> Result<(Simulation<D>, Option<Waves>), RunError> {
        self.check_memory()?;
        let options = &self.own_options();
        match &self.settings.case {
            Some(path) => Ok((self.own_case(path, options)?, None)),
            None => self.reversed(options).map(|(simulation, waves)| (simulation, Some(waves))),
        }
    }

    /// Refuses snapshots that this machine cannot hold. A case of its own says by itself how many cells it has.
    fn check_memory(&self) -> Result<(), RunError> {
        let AdjointSettings { snapshots, cells, case: None, .. } = self.settings else { return Ok(()) };
        // In floating point: the number of cells may be larger than any integer.
        let numbers = cells.iter().map(|&n| f64::from(n)).product::<f64>() * self.case.shape().equations.len() as f64;
        let (needed, limit) = (8.0 * numbers * (*snapshots as f64 + 1.0), machine_bytes().unwrap_or(f64::INFINITY));
        if needed <= limit {
            return Ok(());
        }
        let message = format!(
            "needs {:.0} GB for the adjoint solution, and this machine has {:.0} GB",
            needed / 1e9,
            limit / 1e9
        );
        let help = "write fewer `cells` or `snapshots` under `[regrid.flag.adjoint]`";
        Err(self.case.error("regrid.flag.criterion", message, help).into())
    }

    fn own_options(&self) -> RunOptions {
        let RunOptions { threads, unchecked_solver, functions, stop, comm, .. } = self.options;
        let own = RunOptions {
            threads: *threads,
            unchecked_solver: *unchecked_solver,
            functions: functions.clone(),
            ..Default::default()
        };
        // A rank that stops alone would leave the others waiting.
        if comm.is_solo() { RunOptions { stop: stop.clone(), ..own } } else { own }
    }

    /// The simulation of the user's adjoint case.
    fn own_case(&self, path: &std::path::Path, options: &RunOptions) -> Result<Simulation<D>, RunError> {
        let own = Case::load_with(path, &["levels.max=1".to_owned()], find_solver)?;
        let key = "regrid.flag.adjoint.case";
        let wrong = |message: String, help: &str| Err(RunError::from(self.case.error(key, message, help)));
        let (mesh, of_run) = (&own.mesh, &self.case.mesh);
        if (&mesh.lower, &mesh.upper) != (&of_run.lower, &of_run.upper) || mesh.file.is_some() {
            return wrong(
                "has another domain than this case".to_owned(),
                "write the same `mesh.lower` and `mesh.upper`",
            );
        }
        let [theirs, ours] = [&own, self.case].map(|case| case.shape().equations.len());
        if theirs != ours {
            return wrong(format!("has {theirs} equations, and this case {ours}"), "use a solver with as many");
        }
        let [span, needed] = [own.time.end - own.time.start, self.span()];
        if span < needed {
            let message =
                format!("ends after a time of {span}, but {needed} lie between the run's start and the window's end");
            return wrong(message, "write a later `time.end` there");
        }
        Simulation::builder(&own).options(options).assemble()
    }

    /// The simulation of the case's own equations with the functional as data, and the matrices that make the adjoint solution of it.
    fn reversed(&self, options: &RunOptions) -> Result<(Simulation<D>, Waves), RunError> {
        let case = self.case.of_adjoint(self.settings);
        let media = RefCell::new(None);
        let about = self.case.state_at_rest::<D>();
        let reverse = |problem: Problem<D>| {
            let found = Media::new(&problem, self.solver.kernels.double.as_ref(), about.as_deref());
            let found = found.map_err(|why| {
                let message = format!("no adjoint is known of the solver `{}`: {why}", case.shape().name);
                let help = "give the adjoint problem as a case of its own: `case` under `[regrid.flag.adjoint]`";
                self.case.error("regrid.flag.criterion", message, help)
            })?;
            let data = ReversedData::new(&problem, &found);
            media.replace(Some(Waves { media: found, amplitude: data.amplitude }));
            Ok(Problem { initial: Arc::new(data), ..problem })
        };
        let builder = Simulation::builder(&case).options(options).functions(self.functions.clone()).solver(self.solver);
        let simulation = builder.change(&reverse).assemble()?;
        Ok((simulation, media.take().expect("made with the problem")))
    }

    /// The time from the run's start to the window's end.
    fn span(&self) -> f64 {
        self.settings.window[1] - self.case.time.start
    }

    /// Advances the adjoint solution and keeps its snapshots.
    fn record(&self, mut simulation: Simulation<D>, waves: Option<&Waves>) -> Result<AdjointSnapshots<D>, RunError> {
        simulation.attempt(Simulation::build_initial_hierarchy)?;
        let (start, count, num_eqn) = (simulation.time(), self.settings.snapshots, self.case.shape().equations.len());
        let interval = self.span() / count as f64;
        let domain = simulation.hierarchy().domain().clone();
        let cells = domain.cells.map(|n| n as usize);
        let len = num_eqn * cells.iter().product::<usize>();
        let mut values = vec![0.0; (count + 1) * len];
        for (k, snapshot) in values.chunks_exact_mut(len).enumerate() {
            simulation.advance_to(start + k as f64 * interval)?;
            let frame = simulation.frame();
            for patch in &frame.levels[0].patches {
                let volume = patch.cells.volume();
                for (i, cell) in patch.cells.cells().enumerate() {
                    let place = number(cell, cells);
                    let state: Vec<f64> = (0..num_eqn).map(|m| patch.q[m * volume + i]).collect();
                    let out = &mut snapshot[place * num_eqn..][..num_eqn];
                    match waves {
                        None => out.copy_from_slice(&state),
                        Some(waves) => waves.adjoint(place, &state, out),
                    }
                }
            }
        }
        let geometry = Geometry::new(domain.lower, domain.upper, axes(&domain.cells));
        Ok(AdjointSnapshots { geometry, cells, interval, num_eqn, values: values.into() })
    }
}

/// The number of a cell, x fastest.
fn number<const D: usize>(cell: [i32; D], cells: [usize; D]) -> usize {
    (0..D).rev().fold(0, |number, d| number * cells[d] + cell[d] as usize)
}

/// What makes the adjoint solution of waves: the matrices, and what the waves have been multiplied with.
struct Waves {
    media: Media,
    amplitude: f64,
}

impl Waves {
    /// The adjoint solution of a cell's state; zero where no waves run.
    fn adjoint(&self, cell: usize, state: &[f64], out: &mut [f64]) {
        let (matrix, rest) = self.media.at(cell, state.len());
        let of_wave = |m: usize| (state[m] - rest.get(m).unwrap_or(&0.0)) / self.amplitude;
        out.iter_mut().enumerate().for_each(|(i, out)| {
            let terms = matrix.iter().flat_map(|matrix| &matrix[i]).enumerate();
            *out = terms.fold(0.0, |sum, (m, factor)| sum + factor * of_wave(m));
        });
    }
}

/// Data of the equations whose solution gives the adjoint one: the functional divided by the matrices, on top of the state at rest.
struct ReversedData<const D: usize> {
    /// `[cell, component]`.
    values: Vec<f64>,
    num_eqn: usize,
    cells: [usize; D],
    amplitude: f64,
}

impl<const D: usize> ReversedData<D> {
    fn new(problem: &Problem<D>, media: &Media) -> Self {
        let (domain, functional) = (&problem.domain, &problem.initial);
        let (num_eqn, cells) = (functional.num_values(), domain.cells.map(|n| n as usize));
        let geometry = Geometry::new(domain.lower, domain.upper, domain.cells);
        let len = cells[0];
        let (mut row_values, mut values) = (vec![0.0; num_eqn * len], Vec::new());
        for first in domain.coarsest().rows() {
            functional.fill_row(&CellRow { geometry, first, len, time: 0.0 }, &mut row_values);
            for i in 0..len {
                let here = row_values.iter().skip(i).step_by(len).copied().collect();
                match media.at(values.len() / num_eqn, num_eqn).0 {
                    Some(matrix) => values.extend(solve(matrix.clone(), here).expect("these matrices have inverses")),
                    None => values.extend(vec![0.0; num_eqn]),
                }
            }
        }
        let amplitude = media.amplitude(values.iter().fold(0.0, |most: f64, value| most.max(value.abs())));
        for (cell, values) in values.chunks_exact_mut(num_eqn).enumerate() {
            let rest = media.at(cell, num_eqn).1;
            values
                .iter_mut()
                .enumerate()
                .for_each(|(m, value)| *value = rest.get(m).unwrap_or(&0.0) + amplitude * *value);
        }
        ReversedData { values, num_eqn, cells, amplitude }
    }
}

impl<const D: usize> CellFunction<D> for ReversedData<D> {
    fn num_values(&self) -> usize {
        self.num_eqn
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        for i in 0..row.len {
            let here = self.values.iter().skip(number(row.cell(i), self.cells) * self.num_eqn);
            out.iter_mut().skip(i).step_by(row.len).zip(here).for_each(|(out, value)| *out = *value);
        }
    }
}
