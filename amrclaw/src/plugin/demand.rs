//! What a run demands of a user's solver before its first step: the properties that every solver has, at a few faces.

use super::ChosenSolver;
use crate::mesh::Geometry;
use crate::physics::{CellRow, Problem};
use cuda::cache::Hash;
use riemann::holds::{self, Cells, Random};
use riemann::patch::PatchSolver;
use std::io::Write;
use std::path::Path;
use thiserror::Error;

/// A solver without a property that every solver has.
#[derive(Clone, Debug, Error)]
#[error(
    "`{solver}` is not a solver of its equations\n{property}: fails {example}\n  help: correct the solver: `amrclaw solver check` \
     tests it with many more states, and docs/solver-guide.md explains each property; `--check-solver off` (in Python \
     `check_solver=False`) runs it as it is"
)]
pub struct NotASolver {
    solver: String,
    property: &'static str,
    example: String,
}

/// Cells of the problem whose values are tried.
const CELLS: usize = 64;

impl ChosenSolver {
    /// The message of the first panic in a user's solver.
    pub fn failure(&self) -> Option<String> {
        self.plugin.as_ref().and_then(|(instance, _)| PatchSolver::<f64>::failure(instance))
    }

    /// Refuses a user's solver that is none. That takes milliseconds; of a file that has been compiled and its parameters, the result is
    /// kept. Nothing is said of built-in solvers.
    ///
    /// # Errors
    /// The solver lacks a property.
    pub fn demand<const D: usize>(&self, problem: &Problem<D>, time: f64) -> Result<(), NotASolver> {
        let Some((instance, _)) = &self.plugin else { return Ok(()) };
        let has_waves = problem.scheme.order > 1;
        let values = instance.values().iter().fold(Hash::new(), |hash, value| hash.with(value.to_le_bytes()));
        let what = values.with([D as u8, u8::from(has_waves)]).digits();
        if self.library.as_ref().is_some_and(|library| is_known(library, &what)) {
            return Ok(());
        }
        let Some(cells) = Cells::new(cells(problem, self.shape.aux.len(), time)) else { return Ok(()) };
        let found = holds::refuse((instance.info(), &instance.faces()), &cells, has_waves);
        if let Some((property, example)) = found {
            let solver = self.shape.name.clone();
            return Err(NotASolver { solver, property, example: example.to_string() });
        }
        if let Some(library) = self.library.as_ref().filter(|_| self.failure().is_none()) {
            keep(library, &what);
        }
        Ok(())
    }
}

/// The values of some cells of the coarsest level at the start, `[state, aux]`.
fn cells<const D: usize>(problem: &Problem<D>, num_aux: usize, time: f64) -> Vec<[Vec<f64>; 2]> {
    let domain = &problem.domain;
    let geometry = Geometry::new(domain.lower, domain.upper, domain.cells);
    let mut random = Random::new(29);
    let mut cell = || {
        let first = domain.cells.map(|count| random.between(0.0, f64::from(count)).floor() as i32);
        let row = CellRow { geometry, first, len: 1, time };
        let mut q = vec![0.0; problem.initial.num_values()];
        problem.initial.fill_row(&row, &mut q);
        let mut aux = vec![0.0; problem.aux.as_ref().map_or(0, |aux| aux.num_values())];
        problem.aux.iter().for_each(|function| function.fill_row(&row, &mut aux));
        // On mapped meshes the geometry follows.
        aux.truncate(num_aux);
        [q, aux]
    };
    (0..CELLS).map(|_| cell()).collect()
}

/// True if the solver in the library has been found to be one, with these parameters.
fn is_known(library: &Path, what: &str) -> bool {
    std::fs::read_to_string(library.with_extension(KNOWN)).is_ok_and(|text| text.lines().any(|line| line == what))
}

/// Without the file the solver is tried again, so that failure to write it is ignored.
fn keep(library: &Path, what: &str) {
    let file = std::fs::File::options().create(true).append(true).open(library.with_extension(KNOWN));
    let _ = file.and_then(|mut file| file.write_all(format!("{what}\n").as_bytes()));
}

/// Ending of the file beside a library that lists with which parameters its solver is one.
const KNOWN: &str = "solves";
