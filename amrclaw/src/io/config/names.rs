//! Names that a case gives to values of its solver, and formulas that are compiled for it.

use super::reader::Reader;
use super::settings::{NamedExpression, SolverChoice};
use super::shape::SolverShape;
use crate::io::expression::{Expression, Names, nearest};

/// Notes the names that are not among the `wanted` ones; `what` these are: equations or auxiliary values.
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
    // A parameter that is missing is reported as such, not once more by every expression that uses it.
    shape.parameters.iter().map(|p| (p.name.clone(), value(&p.name).or(p.default).unwrap_or(f64::NAN))).collect()
}

/// What to write in place of a name that is not known.
pub(super) fn choose_from(name: &str, known: &[String], what: &str) -> String {
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("it has no {what}s: remove the line"),
        None => format!("its {what}s are {}", known.join(", ")),
    }
}

/// A formula compiled; `None`, and its mistakes noted, if it cannot be.
pub(super) fn compile(reader: &mut Reader<'_>, field: &NamedExpression, names: &Names) -> Option<Expression> {
    match field.syntax.compile(names) {
        Ok(expression) => Some(expression),
        Err(errors) => {
            errors.into_iter().for_each(|error| reader.wrong_formula(&field.key, error));
            None
        }
    }
}
