//! The case file: a problem and how to solve it, in TOML.
//!
//! [`Case::load`] reads the file and the overrides of the command line. Everything that is wrong is reported at once,
//! each mistake with its line and key. `docs/case-file.md` describes the keys.

mod case;
mod check;
mod choice;
mod error;
mod inflow;
mod keys;
mod mistakes;
mod origin;
mod parse;
mod reader;
mod sections;
mod settle;
mod shape;
mod unknown;

pub use case::{
    Case, CellData, FlagSettings, FrameSchedule, GaugeSettings, InflowValues, LevelSettings, MeshSettings,
    NamedExpression, OutputSettings, Region, RegridSettings, SchemeSettings, SolverChoice, SolverFrom, TimeSettings,
};
pub use choice::{BoundaryKind, Criterion};
pub use error::{CaseError, CaseErrors};
pub use keys::{KEYS, Key};
pub use settle::Settled;
pub use shape::{ParameterShape, SolverProblem, SolverShape};

use crate::io::derived::{FormulaError, Vocabulary};
use crate::io::expression::{
    Expression, ExpressionBoundary, ExpressionCells, Names, RowExpressions, cell_names, nearest,
};
use check::Compiled;
use reader::Reader;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The built-in solver that a case asks for; a finder for [`Case::load_with`].
///
/// # Errors
/// There is no built-in solver of that name.
pub fn find_built_in(choice: &SolverChoice) -> Result<SolverShape, SolverProblem> {
    let name = match &choice.from {
        SolverFrom::Name(name) => name,
        SolverFrom::Path(_) => {
            let message = "a solver's file cannot be loaded here".to_string();
            return Err(SolverProblem { message, help: "write `name = \"...\"` with a built-in solver".to_string() });
        }
    };
    if let Some(info) = riemann::catalogue::find(name, choice.dimension.unwrap_or(2)) {
        return Ok(SolverShape::from(info));
    }
    let known = riemann::catalogue::names();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"? The built-in solvers are {}", known.join(", ")),
        None => format!("the built-in solvers are {}", known.join(", ")),
    };
    Err(SolverProblem { message: format!("there is no built-in solver \"{name}\""), help })
}

impl Case {
    /// Reads the case file at `path`, with overrides `key.path=value` laid over it.
    ///
    /// What depends on the solver is left to [`Case::check`]; [`Case::load_with`] does both.
    ///
    /// # Errors
    /// Everything that is wrong with the file or the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Case, CaseErrors> {
        Case::from_str(&read_file(path)?, &path.display().to_string(), overrides)
    }

    /// As [`Case::load`], and checks the case against the solver that `find` makes of the `[solver]` section.
    ///
    /// # Errors
    /// Everything that is wrong with the file, the overrides or their fit to the solver.
    pub fn load_with(
        path: &Path,
        overrides: &[String],
        find: impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>,
    ) -> Result<Case, CaseErrors> {
        Case::from_str_with(&read_file(path)?, &path.display().to_string(), overrides, find)
    }

    /// Reads a case file's `text`, called `name` in messages.
    ///
    /// # Errors
    /// Everything that is wrong with the text or the overrides.
    pub fn from_str(text: &str, name: &str, overrides: &[String]) -> Result<Case, CaseErrors> {
        read_text(text, name, overrides, None::<fn(&SolverChoice) -> Result<SolverShape, SolverProblem>>)
    }

    /// As [`Case::from_str`], and checks the case against the solver that `find` makes of the `[solver]` section.
    ///
    /// # Errors
    /// Everything that is wrong with the text, the overrides or their fit to the solver.
    pub fn from_str_with(
        text: &str,
        name: &str,
        overrides: &[String],
        find: impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>,
    ) -> Result<Case, CaseErrors> {
        read_text(text, name, overrides, Some(find))
    }

    /// Checks the case against its solver: dimension, parameters, equations, waves and names in expressions.
    ///
    /// # Errors
    /// Everything that does not fit.
    pub fn check(&self, shape: &SolverShape) -> Result<(), CaseErrors> {
        self.compiled(shape).map(drop)
    }

    /// Initial data, one value per equation; `None` if the solver or the program has its own.
    ///
    /// # Errors
    /// Those of [`Case::check`].
    pub fn initial_cells<const D: usize>(&self, shape: &SolverShape) -> Result<Option<ExpressionCells<D>>, CaseErrors> {
        self.assert_dimension::<D>();
        let compiled = self.compiled(shape)?;
        let aux = compiled.aux.unwrap_or_default();
        Ok(compiled.initial.map(|initial| ExpressionCells::with_definitions(aux, initial)))
    }

    /// Auxiliary values; `None` if the solver or the program has its own, or if there are none.
    ///
    /// # Errors
    /// Those of [`Case::check`].
    pub fn aux_cells<const D: usize>(&self, shape: &SolverShape) -> Result<Option<ExpressionCells<D>>, CaseErrors> {
        self.assert_dimension::<D>();
        Ok(self.compiled(shape)?.aux.filter(|aux| !aux.is_empty()).map(ExpressionCells::new))
    }

    /// Source terms dq/dt, one per equation; `None` without `[source]`. Further values of their rows: the
    /// equations, then the auxiliary values.
    ///
    /// # Errors
    /// Those of [`Case::check`].
    pub fn source_terms<const D: usize>(&self, shape: &SolverShape) -> Result<Option<RowExpressions<D>>, CaseErrors> {
        self.assert_dimension::<D>();
        Ok(self.compiled(shape)?.source.map(RowExpressions::new))
    }

    /// The refinement criterion as an expression, not zero where to refine. Further values of its rows: the
    /// equations, then the auxiliary values.
    ///
    /// # Errors
    /// Those of [`Case::check`].
    pub fn flag_expression<const D: usize>(
        &self,
        shape: &SolverShape,
    ) -> Result<Option<RowExpressions<D>>, CaseErrors> {
        self.assert_dimension::<D>();
        Ok(self.compiled(shape)?.flag.map(|flag| RowExpressions::new(vec![flag])))
    }

    /// Per axis and side, the values beyond it where the case gives formulas for them.
    ///
    /// # Errors
    /// Those of [`Case::check`].
    pub fn inflow<const D: usize>(
        &self,
        shape: &SolverShape,
    ) -> Result<Vec<[Option<ExpressionBoundary<D>>; 2]>, CaseErrors> {
        self.assert_dimension::<D>();
        let sides = self.compiled(shape)?.inflow.into_iter();
        Ok(sides.map(|side| side.map(|values| values.map(ExpressionBoundary::new))).collect())
    }

    /// What the formulas of output fields may use besides fields and positions.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary::of_solver(&self.solver_record(), self.dimension())
    }

    /// Name and text of each output field.
    pub fn output_fields(&self) -> Vec<(String, String)> {
        self.fields.iter().map(|field| (field.name.clone(), field.text.clone())).collect()
    }

    /// Whether formulas of position and time can be compared with the solution, each with its equation's name.
    ///
    /// # Errors
    /// The first one that cannot, in words.
    pub fn check_exact(&self, formulas: &[(String, String)]) -> Result<(), String> {
        let names = Names { variables: cell_names(self.dimension()), constants: self.vocabulary().constants };
        for (name, text) in formulas {
            let known = matches!(&self.initial, CellData::User)
                || matches!(&self.initial, CellData::Expressions(fields) if fields.iter().any(|f| f.name == *name));
            if !known {
                return Err(format!("there is no equation `{name}`"));
            }
            Expression::compile(text, &names).map_err(|errors| FormulaError::first(text, errors).to_string())?;
        }
        Ok(())
    }

    /// The case file's name.
    pub fn file(&self) -> &str {
        &self.origin.sources[0].name
    }

    /// The case file's text, followed by the overrides as comments.
    pub fn text(&self) -> String {
        let mut sources = self.origin.sources.iter();
        let file = sources.next().map_or_else(String::new, |source| source.text.clone());
        sources.fold(file, |text, source| format!("{text}\n# --set {}", source.text))
    }

    /// A mistake that shows only later, such as a value that the solver refuses, at the line of `key`.
    pub fn error(&self, key: &str, message: impl Into<String>, help: impl Into<String>) -> CaseErrors {
        let error = self.origin.error(key, message.into(), help.into());
        CaseErrors::one(self.file(), error)
    }

    fn compiled(&self, shape: &SolverShape) -> Result<Compiled, CaseErrors> {
        let mut reader = Reader::new(&self.origin);
        let compiled = check::check(&mut reader, self, Some(self.dimension()), shape);
        let (errors, more) = reader.mistakes.into_parts();
        CaseErrors::unless_empty(errors, more, &self.origin)?;
        Ok(compiled)
    }

    fn assert_dimension<const D: usize>(&self) {
        assert_eq!(D, self.dimension(), "the case has another dimension");
    }
}

/// Most bytes of a case file: a thousand times those of the longest example. What is longer is no case, or holds data that
/// a solver's `initial` should compute.
const MOST_BYTES: usize = 1 << 20;

fn read_file(path: &Path) -> Result<String, CaseErrors> {
    let wrong = |message: &str, help: &str| {
        let name = path.display().to_string();
        CaseErrors::one(&name, CaseError::without_line(&name, message, help))
    };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|e| wrong(&format!("cannot be read: {e}"), "write the path of a case file"))?;
    if bytes.len() > MOST_BYTES {
        return Err(wrong(TOO_LONG, TOO_LONG_HELP));
    }
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        wrong(&format!("is no text: line {line} is not UTF-8"), "write the path of a case file")
    })
}

const TOO_LONG: &str = "is longer than 1 MiB, which no case is";
const TOO_LONG_HELP: &str = "write values as formulas, or compute them in a solver's `initial` or `aux_values`";

fn read_text(
    text: &str,
    name: &str,
    overrides: &[String],
    find: Option<impl FnOnce(&SolverChoice) -> Result<SolverShape, SolverProblem>>,
) -> Result<Case, CaseErrors> {
    if text.len() > MOST_BYTES {
        return Err(CaseErrors::one(name, CaseError::without_line(name, TOO_LONG, TOO_LONG_HELP)));
    }
    let (origin, syntax_errors, more_syntax) = parse::parse(text, name, overrides);
    // Else the rest of the file may be misread: what is wrong with it shows when its brackets are right.
    let goes_on = syntax_errors.iter().all(CaseError::is_within_value);
    let origin = Arc::new(origin);
    let mut reader = Reader::new(&origin);
    let case = sections::read(&mut reader, &origin, find);
    let (mut errors, mut more) = if goes_on { reader.mistakes.into_parts() } else { Default::default() };
    if !syntax_errors.is_empty() {
        // The lines that could not be read are there, and wrong in one way only.
        let unread = |error: &CaseError| syntax_errors.iter().any(|s| (&s.place, s.line) == (&error.place, error.line));
        errors.retain(|error| !error.is_missing() && !unread(error));
        errors.extend(syntax_errors);
        more += more_syntax;
    }
    CaseErrors::unless_empty(errors, more, &origin)?;
    Ok(case)
}

#[cfg(test)]
mod tests;
