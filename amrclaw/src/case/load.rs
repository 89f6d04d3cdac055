//! Loads a case from a file or a text, with overrides.

use super::check;
use super::checked::Case;
use super::define;
use super::error::{CaseError, CaseErrors, Kind};
use super::mapping;
use super::parse;
use super::reader::Reader;
use super::sections;
use super::settings::{CaseSettings, SolverChoice};
use super::shape::{NoSolver, SolverShape};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

impl CaseSettings {
    /// Reads the case file at `path`, with overrides `key.path=value` laid over it. What depends on the solver is not
    /// checked.
    ///
    /// # Errors
    /// Everything that is wrong with the file or the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<CaseSettings, CaseErrors> {
        CaseSettings::from_str(&read_file(path)?, &path.display().to_string(), overrides)
    }

    /// Reads a case file's `text`, called `name` in messages. What depends on the solver is not checked.
    ///
    /// # Errors
    /// Everything that is wrong with the text or the overrides.
    pub fn from_str(text: &str, name: &str, overrides: &[String]) -> Result<CaseSettings, CaseErrors> {
        read_text(text, name, overrides, |_, settings, _| settings)
    }
}

impl Case {
    /// Reads the case file at `path`, applies overrides `key.path=value`, and checks the case against the solver that `find`
    /// returns for the `[solver]` section.
    ///
    /// # Errors
    /// Everything that is wrong with the file, the overrides or their fit to the solver.
    pub fn load_with(
        path: &Path,
        overrides: &[String],
        find: impl FnOnce(&SolverChoice) -> Result<SolverShape, NoSolver>,
    ) -> Result<Case, CaseErrors> {
        Case::from_str_with(&read_file(path)?, &path.display().to_string(), overrides, find)
    }

    /// Reads a case file's `text`, called `name` in messages, and checks it against the solver that `find` makes of the
    /// `[solver]` section.
    ///
    /// # Errors
    /// Everything that is wrong with the text, the overrides or their fit to the solver.
    pub fn from_str_with(
        text: &str,
        name: &str,
        overrides: &[String],
        find: impl FnOnce(&SolverChoice) -> Result<SolverShape, NoSolver>,
    ) -> Result<Case, CaseErrors> {
        let case = read_text(text, name, overrides, |reader, mut settings, dimension| {
            if settings.mesh.file.is_none() && reader.is_present("mesh.file") {
                // Without the mesh neither its sides nor the dimension are known.
                return None;
            }
            let shape = sections::find_solver(reader, &settings.solver, find)?;
            let mapping_is_own = mapping::take_from_solver(reader, &mut settings, &shape);
            define::put_in(reader, &mut settings, &shape, mapping_is_own);
            define::order_initial(reader, &mut settings, &shape);
            let formulas = check::check(reader, &settings, dimension, &shape);
            Some((settings, shape, formulas))
        })?;
        let (settings, shape, formulas) = case.expect("where the solver or the mesh is not found, there is a mistake");
        Ok(Case::new(settings, shape, formulas))
    }
}

/// Most bytes of a case file: a thousand times the longest example. A longer file is no case, or holds data that a solver's
/// `initial` should compute.
const MAX_BYTES: usize = 1 << 20;

fn read_file(path: &Path) -> Result<String, CaseErrors> {
    let wrong = |message: &str, help: &str| {
        let name = path.display().to_string();
        CaseErrors::one(&name, CaseError::without_line(&name, message, help))
    };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|e| wrong(&format!("cannot be read: {e}"), "write the path of a case file"))?;
    if bytes.len() > MAX_BYTES {
        return Err(wrong(TOO_LONG, TOO_LONG_HELP));
    }
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        wrong(&format!("is not a text file: line {line} is not UTF-8"), "write the path of a case file")
    })
}

const TOO_LONG: &str = "is longer than 1 MiB, the limit for a case file";
const TOO_LONG_HELP: &str = "write values as formulas, or compute them in a solver's `initial` or `aux_values`";

/// Reads a text and returns what `finish` makes of its settings and the dimension, if known. Fails if there is a mistake in the text, or
/// if `finish` notes one.
fn read_text<T>(
    text: &str,
    name: &str,
    overrides: &[String],
    finish: impl FnOnce(&mut Reader<'_>, CaseSettings, Option<usize>) -> T,
) -> Result<T, CaseErrors> {
    if text.len() > MAX_BYTES {
        return Err(CaseErrors::one(name, CaseError::without_line(name, TOO_LONG, TOO_LONG_HELP)));
    }
    let (origin, syntax_errors, more_syntax) = parse::parse(text, name, overrides);
    // Otherwise the rest of the file may be misread: its mistakes are reported once the brackets are right.
    let goes_on = syntax_errors.iter().all(CaseError::is_within_value);
    let origin = Arc::new(origin);
    let mut reader = Reader::new(&origin);
    let (settings, dimension) = sections::read(&mut reader, &origin);
    let finished = finish(&mut reader, settings, dimension);
    let (mut errors, mut more) = if goes_on { reader.mistakes.into_parts() } else { Default::default() };
    if !syntax_errors.is_empty() {
        // A line that could not be parsed is neither missing nor reported twice.
        let unread = |error: &CaseError| syntax_errors.iter().any(|s| (&s.place, s.line) == (&error.place, error.line));
        errors.retain(|error| error.kind != Kind::Missing && !unread(error));
        errors.extend(syntax_errors);
        more += more_syntax;
    }
    origin.refuse(errors, more)?;
    Ok(finished)
}
