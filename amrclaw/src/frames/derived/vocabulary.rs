//! Names that formulas may use besides fields and positions.

use super::quantities;
use crate::formula::{ExpressionError, Names, Syntax};
use crate::frames::run_json::{self, RunRecord, SolverRecord};
use crate::physics::ReducedParameters;
use riemann::catalogue;
use std::path::Path;
use std::sync::Arc;

/// Numbers and formulas by name: a solver's parameters and quantities.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Named numbers.
    pub constants: Vec<(String, f64)>,
    /// Named formulas; each may use those before it.
    pub formulas: Vec<(String, String)>,
    /// Auxiliary values, which not all frames have.
    pub aux: &'static [&'static str],
    /// Parameters that change from step to step, which hide numbers.
    pub reduced: Option<Arc<ReducedParameters>>,
    /// Positions are longitudes and latitudes.
    pub in_degrees: bool,
}

/// The solver whose positions are.
const IN_DEGREES: &str = "shallow_water_sphere";

impl Vocabulary {
    /// The vocabulary of a solver in `dimension` dimensions; for a solver that is not built in, its parameters and its own quantities.
    pub fn of_solver(solver: &SolverRecord, dimension: usize) -> Self {
        let info = catalogue::find(&solver.name, dimension);
        let defaults = info.into_iter().flat_map(|info| info.parameters).filter_map(|p| Some((p.name, p.default?)));
        let mut constants: Vec<(String, f64)> = solver.parameters.iter().map(|(n, v)| (n.clone(), *v)).collect();
        for (name, value) in defaults {
            if !solver.parameters.contains_key(name) {
                constants.push((name.to_owned(), value));
            }
        }
        let quantities = quantities(&solver.name, dimension);
        let built_in = quantities.iter().map(|q| (q.name.to_owned(), q.formula.to_owned()));
        let formulas = built_in.chain(solver.quantities.iter().cloned()).collect();
        let aux = info.map_or(&[][..], |info| info.aux);
        Vocabulary { constants, formulas, aux, reduced: None, in_degrees: solver.name == IN_DEGREES }
    }

    /// The vocabulary of the run whose files are in a folder; if it has no `run.json`, that of the first built-in solver with
    /// these equations, if there is one.
    pub fn of_folder(dir: &Path, equations: &[String], dimension: usize) -> Self {
        let record = RunRecord::read(&dir.join(run_json::FILE_NAME)).ok();
        if let Some(solver) = record.and_then(|record| record.solver) {
            return Self::of_solver(&solver, dimension);
        }
        let same = |info: &&catalogue::SolverInfo| info.dim == dimension && info.equations == equations;
        let named = |info: &catalogue::SolverInfo| {
            Self::of_solver(&SolverRecord { name: info.name.to_owned(), ..SolverRecord::default() }, dimension)
        };
        catalogue::all().iter().find(same).map(named).unwrap_or_default()
    }

    /// The names that a formula with these variables may use.
    pub(super) fn names(&self, variables: Vec<String>) -> Names {
        Names { variables, constants: self.constants.clone(), reduced: self.reduced.clone() }
    }

    /// The formulas, each with earlier ones substituted. Formulas that need names outside `names` are included: they are
    /// checked only where they are used.
    pub(super) fn resolved(&self, names: &Names) -> Vec<(String, Syntax)> {
        let mut known: Vec<(String, Syntax)> = Vec::new();
        for (name, text) in &self.formulas {
            if let Ok(syntax) = Syntax::parse(text) {
                let whole = syntax.with_formulas(&known, names);
                known.push((name.clone(), whole));
            }
        }
        known
    }

    /// The first of several mistakes; for an unknown name, its help lists the solver's quantities, or says how frames get auxiliary values.
    pub(super) fn first(&self, errors: Vec<ExpressionError>) -> ExpressionError {
        let mut first = errors.into_iter().next().unwrap_or_else(|| unreachable!("an error without a mistake"));
        if first.is_unknown_name && self.aux.iter().any(|aux| first.message.ends_with(&format!("`{aux}`"))) {
            first.help += "; a run with `output.aux = true` writes auxiliary values";
        } else if first.is_unknown_name && !self.formulas.is_empty() {
            let names: Vec<&str> = self.formulas.iter().map(|(name, _)| name.as_str()).collect();
            first.help += &format!("; quantities of the solver: {}", names.join(", "));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::derived::Formula;
    use crate::index::in_dimensions;

    /// Every quantity of every built-in solver can be computed from the solver's fields and parameters.
    #[test]
    fn quantities_of_all_solvers_compile() {
        for info in catalogue::all() {
            let parameters = info.parameters.iter().map(|p| (p.name.to_owned(), p.default.unwrap_or(1.0))).collect();
            let solver = SolverRecord { name: info.name.to_owned(), parameters, ..SolverRecord::default() };
            let vocabulary = Vocabulary::of_solver(&solver, info.dim);
            let fields: Vec<String> = info.equations.iter().chain(info.aux).map(|s| (*s).to_owned()).collect();
            for (name, _) in &vocabulary.formulas {
                let wrong = in_dimensions!(info.dim, D => Formula::<D>::new(name, &fields, &vocabulary).err());
                assert!(wrong.is_none(), "{name} of {} in {}D: {}", info.name, info.dim, wrong.unwrap());
            }
        }
    }

    /// Where a frame lacks the auxiliary values that a quantity needs, the error says how to get them.
    #[test]
    fn missing_auxiliary_values_are_told() {
        let solver = SolverRecord { name: "shallow_water_bathymetry".to_owned(), ..SolverRecord::default() };
        let fields = ["depth", "x_momentum", "y_momentum"].map(str::to_owned);
        let wrong =
            Formula::<2>::new("surface", &fields, &Vocabulary::of_solver(&solver, 2)).err().unwrap().to_string();
        assert!(wrong.contains("unknown name `bottom`") && wrong.contains("`output.aux = true`"), "{wrong}");
    }
}
