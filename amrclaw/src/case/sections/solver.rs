//! `[solver]`.

use crate::case::names::GAUGE_COLUMNS;
use crate::case::reader::Reader;
use crate::case::settings::{SolverChoice, SolverFrom};
use crate::case::shape::{NoSolver, SolverShape};
use crate::formula::is_free_name;

/// Reads the solver's name or path; every other key is one of its parameters. The dimension is the mesh's to say.
pub fn read(reader: &mut Reader<'_>) -> SolverChoice {
    let from = from(reader);
    let names = reader.names("solver").into_iter().map(|(name, _)| name);
    let parameters = names.filter(|name| !matches!(*name, "name" | "path")).filter_map(|name| {
        let value = reader.optional_number(&format!("solver.{name}"))?;
        Some((name.to_string(), value))
    });
    SolverChoice { parameters: parameters.collect(), dimension: None, from }
}

/// Asks `find` for the solver; if there is none, notes why.
pub fn find(
    reader: &mut Reader<'_>,
    choice: &SolverChoice,
    find: impl FnOnce(&SolverChoice) -> Result<SolverShape, NoSolver>,
) -> Option<SolverShape> {
    let key = match choice.from {
        SolverFrom::Name(_) => "solver.name",
        SolverFrom::Path(_) => "solver.path",
    };
    if !reader.fine(&[key]) {
        return None;
    }
    let shape = find(choice).map_err(|none| reader.wrong(key, none.message, none.help)).ok()?;
    check_names(reader, key, &shape);
    reader.fine(&[key]).then_some(shape)
}

/// Notes names of values that formulas, keys or columns could not tell from something else. The macro of a solver's file refuses them
/// too; not every solver is described by it.
fn check_names(reader: &mut Reader<'_>, key: &str, shape: &SolverShape) {
    let names = [shape.equations.as_slice(), &shape.aux].concat();
    for (k, name) in names.iter().enumerate() {
        let fine = is_free_name(name) && !GAUGE_COLUMNS.contains(&name.as_str()) && !names[..k].contains(name);
        let message = format!("the solver `{}` has a value called \"{name}\"", shape.name);
        let help = "in the solver, give each value a name of its own, of letters, digits and `_`, that is no word of formulas \
                    such as `x` and not `level`";
        reader.check(fine, key, message, help);
    }
}

fn from(reader: &mut Reader<'_>) -> SolverFrom {
    let Some(key) = reader.exclusive(&["solver.name", "solver.path"]) else {
        reader.require("solver.name", "write `name = \"acoustics\"` under `[solver]`, or `path = \"my_solver.rs\"`");
        return SolverFrom::Name(String::new());
    };
    let text = reader.string(key).unwrap_or_default();
    let fine = !text.is_empty() || !reader.fine(&[key]);
    reader.check(fine, key, "is empty", "write a built-in solver's name, or the path of a solver's file");
    match key {
        "solver.name" => SolverFrom::Name(text.to_string()),
        _ => SolverFrom::Path(super::path_from_case(reader, key, text)),
    }
}
