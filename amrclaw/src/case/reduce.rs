//! `[reduce]`: parameters of the solver by formulas of the whole solution.

use super::names::{choose_from, vocabulary};
use super::reader::Reader;
use super::settings::{CaseSettings, NamedExpression};
use super::shape::SolverShape;
use crate::formula::Syntax;
use crate::frames::derived::{Vocabulary, WholeFormula};
use crate::index::in_dimensions;

/// Most parameters: kernels have room for as many.
const MOST: usize = 64;

/// Checks the formulas, and that the solver has such parameters.
pub(super) fn check(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) -> Vec<Syntax> {
    let known: Vec<String> = shape.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let vocabulary = vocabulary(case, shape);
    let message = format!("has {} parameters, more than {MOST}", case.reduce.len());
    reader.check(case.reduce.len() <= MOST, "reduce", message, "leave some of them under `[solver]`");
    let check = |formula: &NamedExpression| {
        let NamedExpression { name, key, .. } = formula;
        if !known.contains(name) {
            let place = reader.place_of_name("reduce", name);
            let message = format!("the solver `{}` has no parameter `{name}`", shape.name);
            reader.wrong_at(place, key, message, choose_from(name, &known, "parameter"));
        }
        of_whole(reader, formula, shape, &vocabulary)
    };
    case.reduce.iter().map(check).collect()
}

/// Checks a formula of the whole solution.
pub(super) fn of_whole(
    reader: &mut Reader<'_>,
    formula: &NamedExpression,
    shape: &SolverShape,
    vocabulary: &Vocabulary,
) -> Syntax {
    let names = [shape.equations.as_slice(), &shape.aux];
    let wrong =
        in_dimensions!(shape.dimension, D => WholeFormula::<D>::of_syntax(&formula.syntax, names, vocabulary).err());
    wrong.into_iter().for_each(|error| reader.wrong_formula(&formula.key, error));
    formula.syntax.clone()
}
