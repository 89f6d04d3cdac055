//! Mapped positions from expressions.

use super::{Expression, ExpressionError, Input, Names, Syntax};
use crate::mesh::MapFunction;

/// Physical coordinates from expressions of the computational ones.
#[derive(Clone, Debug)]
pub struct ExpressionMap(Vec<Expression>);

impl ExpressionMap {
    /// One expression for each axis, whose variables are those of [`ExpressionMap::names`].
    pub fn new(expressions: Vec<Expression>) -> Self {
        ExpressionMap(expressions)
    }

    /// The computational coordinates.
    pub fn names() -> Names {
        Names::variables(["X", "Y"])
    }

    /// Reads one formula for each axis.
    ///
    /// # Errors
    /// What is wrong with the first that is wrong.
    pub fn read(formulas: &[String]) -> Result<Self, Vec<ExpressionError>> {
        formulas
            .iter()
            .map(|text| Expression::compile(text, &Self::names()))
            .collect::<Result<_, _>>()
            .map(ExpressionMap)
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

/// What names of positions stand for on a mapped mesh, in terms of the names of a straight cell: the physical centre `x`, `y` and its
/// distance `r`, and under capitals what is computational.
pub fn physical_names(x: &Syntax, y: &Syntax) -> Vec<(String, Syntax)> {
    let parse = |text: &str| Syntax::parse(text).expect("right as it stands here");
    let computational = [
        ("X", "x"),
        ("Y", "y"),
        ("X_lower", "x_lower"),
        ("X_upper", "x_upper"),
        ("Y_lower", "y_lower"),
        ("Y_upper", "y_upper"),
        ("dX", "dx"),
        ("dY", "dy"),
    ];
    let mut names: Vec<(String, Syntax)> =
        computational.iter().map(|(name, straight)| ((*name).to_owned(), parse(straight))).collect();
    let [x, y] = [x, y].map(|syntax| syntax.with_formulas(&names, &Names::default()));
    let centre = [("x".to_owned(), x), ("y".to_owned(), y)];
    let radius = parse("sqrt(x * x + y * y)").with_formulas(&centre, &Names::default());
    names.extend(centre);
    names.push(("r".to_owned(), radius));
    names
}
