//! Mappings given by expressions, and expressions of mapped positions.

use super::{Expression, ExpressionError, Input, Names, Syntax};
use crate::mesh::MapFunction;
use crate::physics::{Formulas, Quantity};

/// Physical coordinates from expressions of the computational ones.
#[derive(Clone, Debug)]
pub struct ExpressionMap(Vec<Expression>);

impl ExpressionMap {
    /// One expression for each axis, whose variables are those of [`ExpressionMap::names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        ExpressionMap(expressions)
    }

    /// Names of the computational coordinates.
    pub fn names(dimension: usize) -> Names {
        Names::variables(["X", "Y", "Z"].into_iter().take(dimension))
    }

    /// Reads one formula for each axis.
    ///
    /// # Errors
    /// The mistakes in the first wrong formula.
    pub fn read(formulas: &[String]) -> Result<Self, Vec<ExpressionError>> {
        formulas
            .iter()
            .map(|text| Expression::compile(text, &Self::names(formulas.len())))
            .collect::<Result<_, _>>()
            .map(ExpressionMap)
    }

    /// The formulas as a graph, with a cell's centre as the computational coordinates.
    pub fn formulas(&self) -> Formulas {
        Expression::graph(&self.0, (0..self.0.len()).map(Quantity::Centre))
    }
}

impl<const D: usize> MapFunction<D> for ExpressionMap {
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]) {
        let columns: Vec<Vec<f64>> = (0..D).map(|d| points.iter().map(|point| point[d]).collect()).collect();
        let inputs: Vec<Input<'_>> = columns.iter().map(|column| Input::Row(column)).collect();
        let mut values = vec![0.0; points.len()];
        for (d, expression) in self.0.iter().enumerate().take(D) {
            expression.eval_row(&inputs, &mut values);
            positions.iter_mut().zip(&values).for_each(|(position, value)| position[d] = *value);
        }
    }
}

/// Definitions, on a mapped mesh, of the names of positions in terms of those of a straight cell: the physical centre `x`, `y`, `z` and its
/// distance `r`, and computational quantities in capitals. `formulas`: one for each axis.
pub fn physical_names(formulas: &[&Syntax]) -> Vec<(String, Syntax)> {
    let parse = |text: &str| Syntax::parse(text).expect("right as it stands here");
    let axes = &["x", "y", "z"][..formulas.len()];
    let straight = |axis: &str| [axis.to_owned(), format!("{axis}_lower"), format!("{axis}_upper"), format!("d{axis}")];
    let mut names: Vec<(String, Syntax)> = axes
        .iter()
        .flat_map(|axis| straight(axis).map(|name| (name.replace(axis, &axis.to_uppercase()), parse(&name))))
        .collect();
    let physical = formulas.iter().map(|syntax| syntax.with_formulas(&names, &Names::default()));
    let centre: Vec<(String, Syntax)> = axes.iter().map(|axis| (*axis).to_owned()).zip(physical).collect();
    let squares: Vec<String> = axes.iter().map(|axis| format!("{axis} * {axis}")).collect();
    let radius = parse(&format!("sqrt({})", squares.join(" + "))).with_formulas(&centre, &Names::default());
    names.extend(centre);
    names.push(("r".to_owned(), radius));
    names
}

/// Names that exist on straight cells only.
const STRAIGHT: [&str; 9] = ["x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper", "dx", "dy", "dz"];

/// The first name in a formula that exists on straight cells only, as a mistake.
pub fn straight_name(syntax: &Syntax) -> Option<ExpressionError> {
    let (name, span) = syntax.first_of(&STRAIGHT)?;
    let message = format!("`{name}` is not known on a mapped mesh");
    let capital = ["x", "y", "z"].iter().fold(name, |name, axis| name.replace(axis, &axis.to_uppercase()));
    Some(ExpressionError::new(span, message, format!("write `{capital}`, which is computational")))
}

/// Compiles a formula of position and time, with the variables of `names`. `mapping`: the physical coordinates as formulas of the computational
/// ones; empty on a straight mesh.
///
/// # Errors
/// The mistakes in the formula.
pub fn compile_on_mesh(text: &str, mapping: &[String], names: &Names) -> Result<Expression, Vec<ExpressionError>> {
    if mapping.is_empty() {
        return Expression::compile(text, names);
    }
    let parse = |text: &str| Syntax::parse(text).map_err(|error| vec![error]);
    let syntax = parse(text)?;
    if let Some(error) = straight_name(&syntax) {
        return Err(vec![error]);
    }
    let positions = mapping.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?;
    syntax.with_formulas(&physical_names(&positions.iter().collect::<Vec<_>>()), &Names::default()).compile(names)
}
