//! Quantities computed from the fields of frames by formulas: for pictures, output fields and gauges.
//!
//! A formula may use the frame's fields, what every expression of position may use, the solver's parameters, the solver's named
//! quantities, and derivatives: `dx(f)`, `dy(f)`, `dz(f)` and the magnitude of the gradient, `grad(f)`, by central differences
//! within each patch, of second order and one-sided in the cells at its sides; on a mesh from a file by least squares.

mod around;
mod evaluate;
mod lazy;
mod quantities;
mod vocabulary;
mod whole;

pub(super) use evaluate::field_values;
pub use evaluate::{append, derive};
pub use lazy::{FieldSource, LAND_HEIGHTS, LazyFields};
pub use quantities::{Primitives, Quantity, primitive_variables, quantities};
pub use vocabulary::Vocabulary;
pub use whole::{Whole, WholeFormula};

use crate::formula::{Derivative, DerivativeKind, ExpressionError, Names, RowExpressions};
use crate::formula::{Syntax, cell_names, derivative_name, physical_names};
use crate::frames::frame::Frame;

/// A formula over a frame's fields, ready to be computed.
#[derive(Clone, Debug)]
pub struct Formula<const D: usize> {
    /// Its variables: those of a cell, the fields, the derivatives.
    expression: RowExpressions<D>,
    derivatives: Vec<(DerivativeKind, Formula<D>)>,
    /// The fields that the variables stand for.
    num_fields: usize,
}

/// A formula is wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{text}\n{marks}\n{}: {}", error.message, error.help)]
pub struct FormulaError {
    text: String,
    marks: String,
    /// What is wrong, and where in the text.
    pub error: ExpressionError,
}

impl FormulaError {
    fn new(text: &str, error: ExpressionError) -> Self {
        let before = text.get(..error.span.start).unwrap_or_default().chars().count();
        let wrong = text.get(error.span.clone()).unwrap_or_default().chars().count().max(1);
        FormulaError { text: text.to_owned(), marks: " ".repeat(before) + &"^".repeat(wrong), error }
    }
}

impl FormulaError {
    /// The first of several mistakes in a text.
    pub fn first(text: &str, errors: Vec<ExpressionError>) -> Self {
        let error = errors.into_iter().next().unwrap_or_else(|| unreachable!("an error without a mistake"));
        Self::new(text, error)
    }
}

impl<const D: usize> Formula<D> {
    /// Reads a formula over `fields`.
    ///
    /// # Errors
    /// The first mistake, marked in the text.
    pub fn new(text: &str, fields: &[String], vocabulary: &Vocabulary) -> Result<Self, FormulaError> {
        let syntax = Syntax::parse(text).map_err(|error| FormulaError::new(text, error))?;
        Self::of_syntax(&syntax, fields, vocabulary).map_err(|error| FormulaError::new(text, error))
    }

    /// As [`Formula::new`], over fields of a frame on a mesh of any kind.
    ///
    /// # Errors
    /// As for [`Formula::new`].
    pub fn on_mesh(
        text: &str,
        frame: &Frame<D>,
        fields: &[String],
        vocabulary: &Vocabulary,
    ) -> Result<Self, FormulaError> {
        let parse = |text: &str| Syntax::parse(text).map_err(|error| FormulaError::new(text, error));
        if frame.mapping.is_empty() {
            return Self::new(text, fields, vocabulary);
        }
        let formulas = frame.mapping.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?;
        let wrong = |error| FormulaError::new(text, error);
        let known = vocabulary.names(fields.to_vec());
        let whole = vocabulary.definitions.without(fields).put_in(&parse(text)?).map_err(wrong)?;
        let physical = whole.with_formulas(&physical_names(&formulas.iter().collect::<Vec<_>>()), &known);
        Self::of_own_names(&physical, fields, vocabulary).map_err(wrong)
    }

    /// As [`Formula::new`], for a formula that has been parsed.
    ///
    /// # Errors
    /// The first mistake.
    pub fn of_syntax(syntax: &Syntax, fields: &[String], vocabulary: &Vocabulary) -> Result<Self, ExpressionError> {
        let whole = vocabulary.definitions.without(fields).put_in(syntax)?;
        Self::of_own_names(&whole, fields, vocabulary)
    }

    /// As [`Formula::of_syntax`], for a formula without names of `[define]`.
    fn of_own_names(syntax: &Syntax, fields: &[String], vocabulary: &Vocabulary) -> Result<Self, ExpressionError> {
        let variables = cell_names(D).into_iter().chain(fields.iter().cloned()).collect();
        let names = vocabulary.names(variables);
        let whole = syntax.with_formulas(&vocabulary.resolved(&names), &names);
        Self::compile(&whole, &names, fields.len(), vocabulary)
    }

    fn compile(
        syntax: &Syntax,
        names: &Names,
        num_fields: usize,
        vocabulary: &Vocabulary,
    ) -> Result<Self, ExpressionError> {
        let (outer, inner) = syntax.without_derivatives(D)?;
        let derivative =
            |Derivative { kind, of }: Derivative| Ok((kind, Self::compile(&of, names, num_fields, vocabulary)?));
        let derivatives = inner.into_iter().map(derivative).collect::<Result<Vec<_>, ExpressionError>>()?;
        let mut all = names.clone();
        all.variables.extend((0..derivatives.len()).map(derivative_name));
        let expression = outer.compile(&all).map_err(|errors| vocabulary.first(errors))?;
        Ok(Formula { expression: RowExpressions::new(vec![expression]), derivatives, num_fields })
    }

    /// The values of formulas without derivatives over the same fields, as one function of a cell.
    pub fn together<'a>(formulas: impl Iterator<Item = &'a Formula<D>>) -> RowExpressions<D> {
        RowExpressions::joined(formulas.map(|formula| &formula.expression))
    }

    /// Whether it depends on the field or quantity of a cell of this name.
    pub fn uses(&self, name: &str) -> bool {
        self.expression.depends_on(name) || self.derivatives.iter().any(|(_, of)| of.uses(name))
    }

    /// True if the value at a point depends only on position, time and the fields there: not on derivatives or the cell's size or
    /// sides.
    pub fn is_pointwise(&self) -> bool {
        // The names of a cell begin with its centre, its distance and the time.
        self.derivatives.is_empty() && !cell_names(D)[D + 2..].iter().any(|name| self.expression.depends_on(name))
    }

    /// The value at a point, of a formula that does not depend on the cell's size or sides. `fields`: their values there, then
    /// those of its derivatives.
    pub fn at_point(&self, position: [f64; D], time: f64, fields: &[f64]) -> f64 {
        let row = crate::physics::CellRow::point(position, [0.0; D], time);
        let rows: Vec<&[f64]> = fields.iter().map(std::slice::from_ref).collect();
        let mut out = [0.0];
        self.expression.evaluate(&row, &rows, &mut out);
        out[0]
    }
}
