//! Formulas of what a run writes and draws.

use super::define::wrong_in;
use super::names::vocabulary;
use super::reader::Reader;
use super::settings::{CaseSettings, NamedExpression};
use super::shape::SolverShape;

/// Checks the fields computed for frames, whose names are new, and all other formulas of what is recorded and drawn.
pub(super) fn check_shown(reader: &mut Reader<'_>, case: &CaseSettings, dimension: usize, shape: &SolverShape) {
    let vocabulary = vocabulary(case, shape);
    let known = [shape.equations.as_slice(), &shape.aux].concat();
    for field in &case.fields {
        let path = field.key.replace("formula", "name");
        let message = format!("the solver `{}` has a field `{}` already", shape.name, field.name);
        reader.check(!known.contains(&field.name), &path, message, "give the field a name of its own");
        if let Some(e) = wrong_in(dimension, &field.syntax, &known, &vocabulary) {
            reader.wrong_formula(&field.key, e);
        }
    }
    check_plots(reader, case, dimension, shape);
    let monitored = case.monitor.iter().flat_map(|monitor| &monitor.values).map(|(_, formula)| formula);
    for NamedExpression { syntax, key, .. } in case.output.forces.iter().map(|force| &force.value).chain(monitored) {
        if let Some(error) = wrong_in(dimension, syntax, &known, &vocabulary) {
            reader.wrong_formula(key, error);
        }
    }
}

/// Checks the formulas of pictures, which are of what frames hold.
fn check_plots(reader: &mut Reader<'_>, case: &CaseSettings, dimension: usize, shape: &SolverShape) {
    let vocabulary = vocabulary(case, shape);
    let aux = if case.output.aux { shape.aux.as_slice() } else { &[] };
    let further = case.fields.iter().map(|field| &field.name);
    let in_frames: Vec<String> = shape.equations.iter().chain(aux).chain(further).cloned().collect();
    for NamedExpression { syntax, key, .. } in
        case.plot.iter().flat_map(|plot| plot.fields.iter().chain(&plot.vectors).chain(&plot.land))
    {
        let wrong = |names: &[String]| wrong_in(dimension, syntax, names, &vocabulary);
        if let Some(error) = wrong(&in_frames) {
            let all = [in_frames.as_slice(), &shape.aux].concat();
            let (message, help) = ("needs auxiliary values, which frames lack", "write `aux = true` under `[output]`");
            match wrong(&all) {
                None => reader.wrong(key, message, help),
                Some(_) => reader.wrong_formula(key, error),
            }
        }
    }
}
