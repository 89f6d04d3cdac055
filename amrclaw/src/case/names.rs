//! The names of a case's formulas, checked against the solver, and the compilation of formulas.

use super::reader::Reader;
use super::settings::{CaseSettings, NamedExpression, SolverChoice};
use super::shape::SolverShape;
use crate::formula::{Expression, Names, nearest};
use crate::frames::derived::Vocabulary;
use crate::frames::run_json::SolverRecord;
use crate::physics::ReducedParameters;
use std::sync::Arc;

/// Columns of the gauges' files that are no values.
pub(super) const GAUGE_COLUMNS: [&str; 2] = ["level", "t"];

/// Notes the names that are not in `wanted`; `what` says what these are: `equation` or `auxiliary value`.
pub(super) fn check_names(
    reader: &mut Reader<'_>,
    given: &[NamedExpression],
    wanted: &[String],
    what: &str,
    shape: &SolverShape,
) {
    for field in given.iter().filter(|field| !wanted.contains(&field.name)) {
        let section = field.key.rsplit_once('.').map_or("", |(section, _)| section);
        let place = reader.place_of_name(section, &field.name);
        let message = format!("the solver `{}` has no {what} `{}`", shape.name, field.name);
        let help = choose_from(&field.name, wanted, what);
        reader.wrong_at(place, &field.key, message, help);
    }
}

/// The solver's parameters as named numbers.
pub(super) fn parameters(solver: &SolverChoice, shape: &SolverShape) -> Vec<(String, f64)> {
    let value = |name: &str| solver.parameters.get(name).copied();
    // A missing parameter is reported once, elsewhere; NaN keeps every expression that uses it from reporting it again.
    shape.parameters.iter().map(|p| (p.name.clone(), value(&p.name).or(p.default).unwrap_or(f64::NAN))).collect()
}

/// The solver with all its parameters, of which some have changed.
pub(super) fn solver_record(case: &CaseSettings, shape: &SolverShape, changed: &[(String, f64)]) -> SolverRecord {
    let mut parameters = parameters(&case.solver, shape);
    for (name, value) in changed {
        parameters.iter_mut().filter(|(other, _)| other == name).for_each(|(_, old)| *old = *value);
    }
    let quantities = shape.formulas.with_parameters(&parameters).quantities;
    SolverRecord { name: case.solver.from.to_string(), parameters: parameters.into_iter().collect(), quantities }
}

/// Names that formulas may use besides fields and positions, where parameters that change from step to step are not known.
pub(super) fn vocabulary(case: &CaseSettings, shape: &SolverShape) -> Vocabulary {
    vocabulary_of_steps(case, shape, None)
}

/// As [`vocabulary`] for what steps compute, with the parameters that change from step to step.
pub(super) fn vocabulary_of_steps(
    case: &CaseSettings,
    shape: &SolverShape,
    reduced: Option<Arc<ReducedParameters>>,
) -> Vocabulary {
    let changes = |name: &String| case.reduce.iter().any(|formula| formula.name == *name);
    let lasting: Vec<_> = parameters(&case.solver, shape).into_iter().filter(|(name, _)| !changes(name)).collect();
    let mut quantities = shape.formulas.with_parameters(&lasting).quantities;
    for formula in &case.reduce {
        quantities
            .iter_mut()
            .for_each(|(_, text)| *text = text.replace(&format!("{{{}}}", formula.name), &formula.name));
    }
    let record =
        SolverRecord { parameters: lasting.into_iter().collect(), quantities, ..solver_record(case, shape, &[]) };
    let mut vocabulary = Vocabulary::of_solver(&record, case.dimension());
    vocabulary.constants.retain(|(name, _)| !changes(name));
    Vocabulary { reduced, ..vocabulary }
}

/// The parameters that change from step to step, with their values before the first; `None` if there are none.
pub(super) fn reduced_parameters(case: &CaseSettings, shape: &SolverShape) -> Option<Arc<ReducedParameters>> {
    let values = parameters(&case.solver, shape);
    let value =
        |name: &String| values.iter().find(|(parameter, _)| parameter == name).map_or(f64::NAN, |(_, value)| *value);
    let reduced = case.reduce.iter().map(|formula| (formula.name.clone(), value(&formula.name)));
    (!case.reduce.is_empty()).then(|| ReducedParameters::new(reduced))
}

/// Help text for an unknown name.
pub(super) fn choose_from(name: &str, known: &[String], what: &str) -> String {
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("it has no {what}s: remove the line"),
        None => format!("its {what}s are {}", known.join(", ")),
    }
}

/// Compiles a formula; if it is wrong, notes its mistakes and returns `None`.
pub(super) fn compile(reader: &mut Reader<'_>, field: &NamedExpression, names: &Names) -> Option<Expression> {
    match field.syntax.compile(names) {
        Ok(expression) => Some(expression),
        Err(errors) => {
            errors.into_iter().for_each(|error| reader.wrong_formula(&field.key, error));
            None
        }
    }
}
