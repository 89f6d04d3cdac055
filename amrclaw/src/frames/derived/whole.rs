//! Formulas of a whole solution: of its largest and smallest values and its totals.

use super::{Formula, Vocabulary};
use crate::formula::{Expression, ExpressionError, Input, Reduction, ReductionKind, Syntax, reduction_name};

/// A value of the whole solution.
#[derive(Clone, Debug)]
pub enum Whole<const D: usize> {
    /// The largest value of a formula.
    Largest {
        /// The formula.
        of: Box<Formula<D>>,
        /// Less that, which is the smallest value of what the formula is the negative of.
        negated: bool,
    },
    /// The integral of the quantity of the equation of this number.
    Total(usize),
}

impl<const D: usize> Whole<D> {
    /// The formula whose largest value it is.
    fn of_cells(&self) -> Option<&Formula<D>> {
        match self {
            Whole::Largest { of, .. } => Some(of),
            Whole::Total(_) => None,
        }
    }
}

/// A formula of the time, parameters, `max(f)`, `min(f)` and `total(q)`.
#[derive(Clone, Debug)]
pub struct WholeFormula<const D: usize> {
    /// Its variables: the time, then the parts.
    outer: Expression,
    parts: Vec<Whole<D>>,
}

impl<const D: usize> WholeFormula<D> {
    /// Reads a formula over a solver's equations and auxiliary values.
    ///
    /// # Errors
    /// The first mistake.
    pub fn of_syntax(
        syntax: &Syntax,
        [equations, aux]: [&[String]; 2],
        vocabulary: &Vocabulary,
    ) -> Result<Self, ExpressionError> {
        let (outer, reductions) = syntax.without_reductions();
        let fields = [equations, aux].concat();
        let of_cells = |syntax: &Syntax| Formula::of_syntax(syntax, &fields, vocabulary).map(Box::new);
        let part = |Reduction { kind, of }: &Reduction| match kind {
            ReductionKind::Total => {
                let number = of.as_name().and_then(|name| equations.iter().position(|equation| equation == name));
                number.map(Whole::Total).ok_or_else(|| {
                    let help = format!("write one of {}", equations.join(", "));
                    ExpressionError::new(of.span(), "`total` takes the name of an equation", help)
                })
            }
            ReductionKind::Max => Ok(Whole::Largest { of: of_cells(of)?, negated: false }),
            ReductionKind::Min => Ok(Whole::Largest { of: of_cells(&of.negative())?, negated: true }),
        };
        let parts = reductions.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        let variables = ["t".to_owned()].into_iter().chain((0..parts.len()).map(reduction_name)).collect();
        let names = vocabulary.names(variables);
        let outer = outer.compile(&names).map_err(|errors| {
            let mut first = errors.into_iter().next().unwrap_or_else(|| unreachable!("an error without a mistake"));
            if first.is_unknown_name {
                first.help = "write `max(f)`, `min(f)` or `total(q)` of what differs from cell to cell".to_owned();
            }
            first
        })?;
        if outer.constant().is_some() {
            let message = "depends neither on the solution nor on the time";
            return Err(ExpressionError::new(syntax.span(), message, "write for example `max(f) < 1e-6`"));
        }
        Ok(WholeFormula { outer, parts })
    }

    /// The values of the whole solution that it needs.
    pub fn parts(&self) -> &[Whole<D>] {
        &self.parts
    }

    /// The formulas whose largest values it needs, in order.
    pub fn of_cells(&self) -> impl Iterator<Item = &Formula<D>> {
        self.parts.iter().filter_map(Whole::of_cells)
    }

    /// Whether it changes with time where the solution does not.
    pub fn depends_on_time(&self) -> bool {
        self.outer.depends_on("t") || self.of_cells().any(|formula| formula.uses("t"))
    }

    /// Its value, given that of each part.
    pub fn value(&self, time: f64, parts: &[f64]) -> f64 {
        let inputs: Vec<Input<'_>> = [time].iter().chain(parts).map(|&value| Input::Uniform(value)).collect();
        let mut out = [0.0];
        self.outer.eval_row(&inputs, &mut out);
        out[0]
    }
}
