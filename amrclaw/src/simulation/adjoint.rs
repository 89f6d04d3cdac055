//! The adjoint solution that the criterion "adjoint" needs, computed when a simulation is made.
//!
//! It is that of a case of its own, or made of a solution of the case's own equations by [`Reversal`]. Every rank computes it by itself, on
//! one level, on threads, in `f64`: so it is the same for all ranks and devices, and after a restart.

use super::build::axes;
use super::media::Media;
use super::{RunError, RunOptions, Simulation};
use crate::case::{AdjointOf, AdjointSettings, Case};
use crate::mesh::Geometry;
use crate::physics::{AdjointFlag, AdjointSnapshots, CellFunction, CellRow, Criterion, Problem, UserFunctions, solve};
use crate::plugin::{ChosenSolver, find_solver};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;
use tracing::info;

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
        let options = &self.own_options();
        match &self.settings.case {
            Some(path) => Ok((self.own_case(path, options)?, None)),
            None => self.reversed(options).map(|(simulation, waves)| (simulation, Some(waves))),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::find_built_in;
    use riemann::real::Precision;

    /// A case on one level, and the integrals of a functional's density times its solution at the end, and of the adjoint solution times its
    /// data.
    fn integrals<const D: usize>(text: &str) -> [f64; 2] {
        let case = Case::from_str_with(text, "case", &[], find_built_in).unwrap_or_else(|e| panic!("{e}"));
        let solver = &ChosenSolver::of(&case, Precision::F64).unwrap();
        let (settings, functions) = (case.regrid.flag.adjoint.as_ref().unwrap(), &UserFunctions::default());
        let problem = AdjointProblem::<D> { case: &case, settings, solver, functions, options: &RunOptions::default() };
        let (adjoint, waves) = problem.assemble().unwrap_or_else(|e| panic!("{e}"));
        let snapshots = problem.record(adjoint, waves.as_ref()).unwrap();
        let mut forward = Simulation::<D>::builder(&case).build().unwrap();
        let len = snapshots.values.len() / (settings.snapshots + 1);
        let integral = |simulation: &Simulation<D>, k: usize| -> f64 {
            let (frame, snapshot) = (simulation.frame(), &snapshots.values[k * len..][..len]);
            let term = |patch: &crate::frames::frame::FramePatch<D>| -> f64 {
                let (volume, num_eqn, num_aux) = (patch.cells.volume(), snapshots.num_eqn, frame.aux.len());
                let of_cell = |(i, cell): (usize, [i32; D])| {
                    let capacity = if frame.aux.iter().any(|name| name == "capacity") {
                        patch.aux[(num_aux - 1) * volume + i]
                    } else {
                        1.0
                    };
                    let place = number(cell, snapshots.cells);
                    let rest = waves.as_ref().map_or(&[][..], |waves| waves.media.at(place, num_eqn).1);
                    let wave = |m: usize| patch.q[m * volume + i] - rest.get(m).unwrap_or(&0.0);
                    let products = (0..num_eqn).map(|m| wave(m) * snapshot[place * num_eqn + m]);
                    capacity * products.sum::<f64>()
                };
                patch.cells.cells().enumerate().map(of_cell).sum()
            };
            frame.levels[0].patches.iter().map(term).sum::<f64>() * snapshots.geometry.volume()
        };
        let at_start = integral(&forward, settings.snapshots);
        forward.advance_to(case.time.end).unwrap();
        [integral(&forward, 0), at_start]
    }

    /// What the functional will be is known from the start: the integral of the solution times the adjoint solution is the same at both ends,
    /// in one, two and three dimensions, in media that vary, between walls, in solids, on mapped meshes. The two differ by the error of
    /// either solution, a few per cent here; a wrong factor or sign of any component changes them by tens.
    #[test]
    fn the_adjoint_solution_tells_the_functional() {
        let flag =
            "regrid = { flag = { criterion = \"adjoint\", tolerance = 1, adjoint = { snapshots = 4, functional = ";
        let line = "solver = { name = \"acoustics_variable\" }\nmesh = { cells = [200], boundary = { x = \"wall\" } }\n\
            time = { end = 0.5 }\naux = { impedance = \"if(x < 0.5, 1, 3)\", sound_speed = \"if(x < 0.5, 1, 0.7)\" }\n\
            initial = { pressure = \"exp(-200 * (x - 0.3)^2)\", u = \"exp(-200 * (x - 0.3)^2)\" }\n";
        let plane = "solver = { name = \"acoustics\", density = 2, bulk = 1 }\nmesh = { cells = [40, 40], boundary = { x = \"wall\" } }\n\
            time = { end = 0.4 }\ninitial = { pressure = \"exp(-40 * ((x - 0.4)^2 + (y - 0.4)^2))\", u = 0.1, v = \"y * 0.3\" }\n";
        let mapped = plane.replace("cells", "mapping = { x = \"X + 0.3 * Y\", y = \"Y - 0.1 * X * X\" }, cells");
        let block = "solver = { name = \"elasticity\", density = 1, lambda = 2, mu = 1 }\nmesh = { cells = [16, 16, 16] }\n\
            time = { end = 0.1 }\ninitial = { stress_xx = \"exp(-20 * ((x - 0.4)^2 + (y - 0.4)^2 + (z - 0.6)^2))\", stress_yy = 0, \
            stress_zz = 0, stress_xy = 0.2, stress_xz = 0, stress_yz = 0, u = 0, v = \"z\", w = 0 }\n";
        // A small wave that runs right, past an island; the adjoint leaves friction out.
        let hump = "exp(-40 * ((x - 0.4)^2 + (y - 0.5)^2))";
        let water = format!(
            "solver = {{ name = \"shallow_water_bathymetry\", manning = 0.01 }}\nmesh = {{ cells = [40, 40], boundary = {{ x = \"wall\" }} }}\n\
             time = {{ end = 0.06 }}\naux = {{ bottom = \"1.5 * exp(-60 * ((x - 0.5)^2 + (y - 0.2)^2)) - 1 - 0.3 * x\" }}\n\
             initial = {{ depth = \"max(0, 1e-5 * {hump} - bottom)\", x_momentum = \"max(0, -bottom) * 3e-5 * {hump}\", y_momentum = 0 }}\n"
        );
        let of_water = flag.replace("functional", "about = { depth = \"max(0, -bottom)\" }, functional");
        let near = "exp(-40 * ((x - 0.6)^2 + (y - 0.5)^2))";
        let table: [([f64; 2], f64); 5] = [
            (
                integrals::<2>(&format!("{water}{of_water}{{ depth = \"{near}\", x_momentum = \"{near}\" }} }} }} }}")),
                0.03,
            ),
            (
                integrals::<1>(&format!(
                    "{line}{flag}{{ pressure = \"exp(-200 * (x - 0.7)^2)\", u = \"3 * x\" }} }} }} }}"
                )),
                0.02,
            ),
            (integrals::<2>(&format!("{plane}{flag}{{ pressure = \"{near}\", v = \"{near}\" }} }} }} }}")), 0.03),
            (integrals::<2>(&format!("{mapped}{flag}{{ pressure = \"{near}\", v = \"{near}\" }} }} }} }}")), 0.03),
            (
                integrals::<3>(&format!(
                    "{block}{flag}{{ stress_zz = \"{near}\", v = \"{near}\", stress_xy = \"{near}\" }} }} }} }}"
                )),
                0.03,
            ),
        ];
        let close =
            |([expected, found], tolerance): &([f64; 2], f64)| (found - expected).abs() < tolerance * expected.abs();
        assert!(table.iter().all(close), "{table:?}");
    }

    /// Equations whose adjoint is not known are refused before the first step, and the reason is told.
    #[test]
    fn other_equations_are_refused() {
        let rest = "mesh = { cells = [8, 8] }\nlevels = { max = 2 }\ntime = { end = 1 }\ninitial = { q = \"x\" }\n\
            regrid = { flag = { criterion = \"adjoint\", tolerance = 1, adjoint = { functional = { q = \"x\" } } } }";
        let table = [
            ("advection\", u = 1, v = 2", "its equations are not the same when time runs backwards"),
            ("burgers\"", "its equations are not linear"),
            ("advection_reaction\", u = 1, v = 2, rate = 1", "of a source term"),
        ];
        for (solver, why) in table {
            let text = format!("solver = {{ name = \"{} }}\n{rest}", solver);
            let case = Case::from_str_with(&text, "case", &[], find_built_in);
            let error = case.map_err(RunError::from).and_then(|case| crate::simulation::check(&case));
            let error = error.err().map_or_else(String::new, |error| error.to_string());
            assert!(error.contains(why), "{solver}: {error}");
        }
    }
}
