//! Names that formulas may use besides fields and positions.

use super::quantities;
use crate::formula::{Definitions, ExpressionError, Names, Syntax};
use crate::frames::run_json::{self, RunRecord, SolverRecord};
use crate::physics::ReducedParameters;
use riemann::catalogue;
use std::path::Path;
use std::sync::Arc;

/// Numbers and formulas by name: a solver's parameters and quantities, and what a case defines.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Named numbers.
    pub constants: Vec<(String, f64)>,
    /// Named formulas; each may use those before it.
    pub formulas: Vec<(String, String)>,
    /// Names and functions of a case's `[define]`, which fields of the same name hide.
    pub definitions: Definitions,
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
    /// The vocabulary of a solver in `dimension` dimensions; for a solver that is not built in, its parameters and its own
    /// quantities.
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
        let in_degrees = solver.name == IN_DEGREES;
        Vocabulary { constants, formulas, aux, in_degrees, ..Vocabulary::default() }
    }

    /// The vocabulary with the heads and formulas of `[define]`.
    pub fn with_definitions(self, texts: &[(String, String)]) -> Self {
        let parsed = |(head, text): &'_ (String, String)| Some((head.clone(), Syntax::parse(text).ok()?));
        let parsed: Vec<(String, Syntax)> = texts.iter().filter_map(parsed).collect();
        let given: Vec<(&str, &Syntax)> = parsed.iter().map(|(head, syntax)| (head.as_str(), syntax)).collect();
        Vocabulary { definitions: Definitions::new(&given).0, ..self }
    }

    /// The vocabulary of the run whose files are in a folder; if it has no `run.json`, that of the first built-in solver with
    /// these equations, if there is one.
    pub fn of_folder(dir: &Path, equations: &[String], dimension: usize) -> Self {
        let record = RunRecord::read(&dir.join(run_json::FILE_NAME)).unwrap_or_default();
        if let Some(solver) = record.solver {
            return Self::of_solver(&solver, dimension).with_definitions(&record.definitions);
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

    /// The first of several mistakes; for an unknown name, its help lists the solver's quantities, or says how frames get
    /// auxiliary values.
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

    /// Frames know the names and functions of their run's case, over the solver's quantities and parameters; a field of such a
    /// name is itself.
    #[test]
    fn definitions_are_known() {
        let parameters = [("density".to_owned(), 2.0), ("bulk".to_owned(), 8.0)].into();
        let solver = SolverRecord { name: "acoustics".to_owned(), parameters, ..SolverRecord::default() };
        let texts = [("excess", "scaled(pressure) - 0.25"), ("scaled(a)", "a / bulk")];
        let texts = texts.map(|(head, text)| (head.to_owned(), text.to_owned()));
        let vocabulary = Vocabulary::of_solver(&solver, 2).with_definitions(&texts);
        let value = |text: &str, fields: [&str; 3]| {
            let formula = Formula::<2>::new(text, &fields.map(str::to_owned), &vocabulary);
            formula.unwrap_or_else(|e| panic!("{e}")).at_point([0.0; 2], 0.0, &[4.0, 3.0, 4.0])
        };
        // The speed is 5.
        assert_eq!(value("excess + scaled(speed)", ["pressure", "u", "v"]), 4.0 / 8.0 - 0.25 + 5.0 / 8.0);
        assert_eq!(value("2 * excess", ["pressure", "excess", "v"]), 6.0);
        let wrong = Formula::<2>::new("scaled(u, v)", &["u", "v"].map(str::to_owned), &vocabulary).unwrap_err();
        assert!(wrong.to_string().contains("`scaled` takes one argument"), "{wrong}");
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
