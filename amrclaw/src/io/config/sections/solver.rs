//! `[solver]`.

use crate::io::config::case::{SolverChoice, SolverFrom};
use crate::io::config::reader::Reader;
use crate::io::config::shape::{SolverProblem, SolverShape};
use std::path::{Path, PathBuf};

/// Reads the solver's name or path; every other key is one of its parameters.
pub fn read(reader: &mut Reader<'_>) -> Option<SolverChoice> {
    let from = from(reader);
    let mut parameters = Some(std::collections::BTreeMap::new());
    for (name, _) in reader.names("solver") {
        if matches!(name, "name" | "path") {
            continue;
        }
        let value = reader.number(&format!("solver.{name}"), 0.0);
        parameters = parameters.zip(value).map(|(mut known, value)| {
            known.insert(name.to_string(), value);
            known
        });
    }
    Some(SolverChoice { from: from?, parameters: parameters? })
}

/// Asks for the solver; notes why there is none.
pub fn find(
    reader: &mut Reader<'_>,
    choice: &SolverChoice,
    find: impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>,
) -> Option<SolverShape> {
    let key = match choice.from {
        SolverFrom::Name(_) => "solver.name",
        SolverFrom::Path(_) => "solver.path",
    };
    find(choice).map_err(|problem| reader.wrong(key, problem.message, problem.help)).ok()
}

fn from(reader: &mut Reader<'_>) -> Option<SolverFrom> {
    let Some(key) = reader.exclusive(&["solver.name", "solver.path"]) else {
        reader.wrong(
            "solver.name",
            "is missing",
            "write `name = \"acoustics\"` under `[solver]`, or `path = \"my_solver.rs\"`",
        );
        return None;
    };
    let text = reader.string(key)??;
    if text.is_empty() {
        reader.wrong(key, "is empty", "write a built-in solver's name, or the path of a solver's file");
        return None;
    }
    Some(match key {
        "solver.name" => SolverFrom::Name(text.to_string()),
        _ => SolverFrom::Path(path_from_case(reader, key, text)),
    })
}

/// A relative path in the case file counts from that file's folder; in an override, from where the program runs.
fn path_from_case(reader: &Reader<'_>, key: &str, text: &str) -> PathBuf {
    let place = reader.origin.place(key);
    let file = &reader.origin.sources[0];
    match (place, Path::new(&file.name).parent()) {
        (Some(place), Some(folder)) if place.source == 0 => folder.join(text),
        _ => PathBuf::from(text),
    }
}
