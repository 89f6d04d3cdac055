//! The names of a case's formulas, checked against the solver, and the compilation of formulas.

use super::reader::Reader;
use super::settings::{CaseSettings, NamedExpression, SolverChoice, SolverFrom};
use super::shape::SolverShape;
use crate::formula::{Expression, Names, nearest};
use crate::frames::derived::Vocabulary;
use crate::frames::run_json::SolverRecord;

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

/// The solver with all its parameters.
pub(super) fn solver_record(case: &CaseSettings, shape: &SolverShape) -> SolverRecord {
    let name = match &case.solver.from {
        SolverFrom::Name(name) => name.clone(),
        SolverFrom::Path(path) => path.display().to_string(),
    };
    let parameters = parameters(&case.solver, shape);
    let quantities = shape.formulas.with_parameters(&parameters).quantities;
    SolverRecord { name, parameters: parameters.into_iter().collect(), quantities }
}

/// Names that the formulas of output fields may use besides fields and positions.
pub(super) fn vocabulary(case: &CaseSettings, shape: &SolverShape) -> Vocabulary {
    Vocabulary::of_solver(&solver_record(case, shape), case.dimension())
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
