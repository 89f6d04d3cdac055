//! Source terms by formulas.

use super::rows::Rows;
use super::steps::Steps;
use super::{Expression, Input, RowExpressions};
use crate::physics::{CachedCellFunction, CellRow, DeviceForm, Formulas, ReducedParameters, SourceStep, StateFunction};
use std::sync::Arc;

/// Source terms from expressions of position, time and a cell's values.
#[derive(Clone, Debug)]
pub struct SourceExpressions<const D: usize> {
    whole: RowExpressions<D>,
    /// The same in two steps, if this gains anything.
    steps: Option<Steps<D>>,
    jacobian: FormulaRows<D>,
    /// An implicit step, if it is to be taken.
    implicit: Option<FormulaRows<D>>,
}

impl<const D: usize> SourceExpressions<D> {
    /// One rate of change per expression; their variables are [`cell_names`](super::cell_names), then a cell's values. `implicit`: they are
    /// integrated by implicit steps.
    pub fn new(expressions: Vec<Expression>, implicit: bool) -> Self {
        let parameters = expressions.iter().find_map(|expression| expression.program.parameters.clone());
        let (steps, whole) = (Steps::of(&expressions), RowExpressions::new(expressions));
        let (rates, num_values) = (whole.formulas(), whole.num_further());
        let jacobian = FormulaRows::new(rates.jacobian(), num_values, parameters.clone());
        let implicit = implicit.then(|| FormulaRows::new(rates.implicit_step(), num_values, parameters));
        SourceExpressions { whole, steps, jacobian, implicit }
    }
}

impl<const D: usize> StateFunction<D> for SourceExpressions<D> {
    fn num_values(&self) -> usize {
        self.whole.len()
    }

    fn depends_on_time(&self) -> bool {
        self.whole.depends_on("t")
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        self.whole.fill_row(row, state, aux, out);
    }

    fn in_steps(&self) -> Option<&dyn CachedCellFunction<D>> {
        self.steps.as_ref().filter(|_| self.implicit.is_none()).map(|steps| steps as _)
    }

    fn jacobian(&self) -> Option<&dyn StateFunction<D>> {
        Some(&self.jacobian)
    }

    fn implicit(&self) -> Option<&dyn SourceStep<D>> {
        self.implicit.as_ref().map(|step| step as _)
    }

    fn device_form(&self) -> Option<DeviceForm> {
        match &self.implicit {
            Some(step) => step.device_form(),
            None => self.whole.device_form(),
        }
    }
}

/// Formulas of a cell and its values, and what they compute in rows.
#[derive(Clone, Debug)]
struct FormulaRows<const D: usize> {
    formulas: Formulas,
    rows: Rows,
}

impl<const D: usize> FormulaRows<D> {
    fn new(formulas: Formulas, num_values: usize, parameters: Option<Arc<ReducedParameters>>) -> Self {
        FormulaRows { rows: Rows::of_formulas::<D>(&formulas, num_values, parameters), formulas }
    }
}

impl<const D: usize> SourceStep<D> for FormulaRows<D> {
    fn fill_row(&self, row: &CellRow<D>, dt: f64, values: [&[f64]; 2], out: &mut [f64]) {
        let rows = values.into_iter().flat_map(|values| values.chunks_exact(row.len.max(1)));
        let inputs: Vec<Input<'_>> = rows.map(Input::Row).chain([Input::Uniform(dt)]).collect();
        self.rows.evaluate(row, &inputs, out);
    }
}

impl<const D: usize> StateFunction<D> for FormulaRows<D> {
    fn num_values(&self) -> usize {
        self.formulas.results().len()
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        SourceStep::fill_row(self, row, 0.0, [state, aux], out);
    }

    fn device_form(&self) -> Option<DeviceForm> {
        Some(DeviceForm::Formulas(self.formulas.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Names, cell_names};
    use super::*;

    /// Source terms on a line for equations of these names.
    fn source(equations: &[&str], texts: &[&str], implicit: bool) -> SourceExpressions<1> {
        let names = cell_names(1).into_iter().chain(equations.iter().map(|name| (*name).to_owned()));
        let names = Names::variables(names);
        let compile = |text: &&str| Expression::compile(text, &names).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        SourceExpressions::new(texts.iter().map(compile).collect(), implicit)
    }

    fn cell_at(time: f64) -> CellRow<1> {
        CellRow::point([0.5], [0.5], time)
    }

    /// The state after `steps` implicit steps to time `end`.
    fn integrated(source: &SourceExpressions<1>, state: &[f64], end: f64, steps: u32) -> Vec<f64> {
        let step = source.implicit().expect("asked for");
        let (mut state, mut after) = (state.to_vec(), vec![0.0; state.len()]);
        let dt = end / f64::from(steps);
        for n in 0..steps {
            step.fill_row(&cell_at(f64::from(n) * dt), dt, [&state, &[]], &mut after);
            state.copy_from_slice(&after);
        }
        state
    }

    /// What one implicit step makes of `q = 1` with the rate `z q`.
    fn damped(z: f64) -> f64 {
        integrated(&source(&["q"], &[&format!("{z:e} * q")], true), &[1.0], 1.0, 1)[0]
    }

    /// The Jacobian is that by differences, which are right to 1e-6, for every operation of formulas; on both branches of those with kinks.
    #[test]
    fn derivatives_are_those_of_differences() {
        let table = [
            "3 * a * a - a / b + x * t",
            "a^3 + a^2.5 + a^0.5 + b^(-1.5) + a^b + 2^a",
            "sqrt(a + b) * abs(b - a) + abs(a - 2 * b)",
            "min(a, b, 0.3 * a) - max(a, b) * a",
            "if(a < b, a * b, a / b) + if(a > b, a, 3 * b) + (a < b) * a + not a",
            "floor(a) * b + ceil(b) + sign(b - a) * a + heaviside(a - 5) * b",
            "mod(3 * a, b) + mod(a, 1.2) * b",
            "sin(a * b) + cos(b) * tan(a) + asin(a / 3) * acos(b / 3) + atan(a * b)",
            "atan2(a, b) * hypot(a, 3 * b) + sinh(a) * cosh(b) - tanh(a - b)",
            "exp(-a * b) * log(a + b)",
            "asinh(a * b) * acosh(1 + a) + atanh(a * b / 2) - expm1(a - b) * log1p(a * b) + cbrt(a - 2 * b)",
        ];
        for (text, [a, b]) in table.iter().flat_map(|text| [(text, [0.7, 1.1]), (text, [1.3, 0.4])]) {
            let source = source(&["a", "b"], &[text, "0"], false);
            let mut found = [f64::NAN; 4];
            source.jacobian().unwrap().fill_row(&cell_at(0.0), &[a, b], &[], &mut found);
            let rate = |state: [f64; 2]| {
                let mut rates = [0.0; 2];
                source.fill_row(&cell_at(0.0), &state, &[], &mut rates);
                rates[0]
            };
            let h = 1e-6;
            let expected = [
                (rate([a + h, b]) - rate([a - h, b])) / (2.0 * h),
                (rate([a, b + h]) - rate([a, b - h])) / (2.0 * h),
                0.0,
                0.0,
            ];
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{text}: {found}, not {expected}");
            }
        }
    }

    /// What rests stays at rest, to the bit: friction at zero speed, whose derivative has a kink; a stiff equilibrium.
    #[test]
    fn equilibria_stay() {
        let friction = ["-9 * u * sqrt(u^2 + v^2)", "-9 * v * hypot(u, v)", "-sqrt(abs(w))"];
        assert_eq!(integrated(&source(&["u", "v", "w"], &friction, true), &[0.0; 3], 1e3, 3), [0.0; 3]);
        assert_eq!(integrated(&source(&["q"], &["1e8 * q * (1 - q)"], true), &[1.0], 1.0, 3), [1.0]);
    }

    /// Decay at any rate keeps its sign and loses nothing but size: the factor is that of the formula, positive, below one, and tends to zero.
    /// Growth that a step cannot resolve gives NaN, so that the step is taken again.
    #[test]
    fn decay_is_damped_at_any_rate() {
        for z in (-80..25).map(|k| -10.0_f64.powf(0.125 * f64::from(k))).chain([0.5, 1.0, 3.0]) {
            let gamma = 0.182;
            let numerator = 1.0 + (1.0 - 3.0 * gamma) * z + (0.5 - 3.0 * gamma + 3.0 * gamma * gamma) * z * z;
            let (found, expected) = (damped(z), numerator / (1.0 - gamma * z).powi(3));
            assert!((found - expected).abs() <= 1e-13 * expected, "{z}: {found}, not {expected}");
            assert!(z > 0.0 || (0.0 < found && found < 1.0), "{z}: {found}");
        }
        // 9 / |z| for large rates.
        assert!(damped(-1e12) < 1e-11);
        assert!(damped(4.2).is_nan() && damped(1e3).is_nan());
    }

    /// Order two: a nonlinear source; one that depends on time, stiff and not stiff; nonlinear rotation; a chain of reactions.
    #[test]
    fn implicit_steps_have_order_two() {
        type Table<'a> = [(&'a [&'a str], &'a [&'a str], &'a [f64], Vec<f64>); 5];
        let turned = 2.0_f64;
        let table: Table<'_> = [
            (&["q"], &["-q^2"], &[1.0], vec![0.5]),
            (&["q"], &["-3 * (q - sin(t)) + cos(t)"], &[0.0], vec![1.0_f64.sin()]),
            (&["q"], &["-1e6 * (q - sin(t)) + cos(t)"], &[0.0], vec![1.0_f64.sin()]),
            (
                &["u", "v"],
                &["-v * (u^2 + v^2)", "u * (u^2 + v^2)"],
                &[2.0_f64.sqrt(), 0.0],
                vec![turned.sqrt() * turned.cos(), turned.sqrt() * turned.sin()],
            ),
            (&["a", "b", "c"], &["-2 * a", "2 * a - b", "b"], &[1.0, 0.0, 0.0], {
                let (a, b) = ((-2.0_f64).exp(), 2.0 * ((-1.0_f64).exp() - (-2.0_f64).exp()));
                vec![a, b, 1.0 - a - b]
            }),
        ];
        for (equations, texts, state, exact) in table {
            let source = source(equations, texts, true);
            let errors = [20, 40, 80].map(|steps| {
                let found = integrated(&source, state, 1.0, steps);
                found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            });
            let orders: Vec<f64> = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
            assert!(orders.iter().all(|order| (1.8..2.5).contains(order)), "{texts:?}: {errors:?}, {orders:?}");
        }
    }

    /// Robertson's reactions, whose rates span nine orders of magnitude (Hairer & Wanner II, §IV.1): the sum of all species is kept to
    /// round-off, each stays positive, and the state at t = 40 is the known one within the error of these steps.
    #[test]
    fn stiff_reactions_keep_their_sum() {
        let rates = ["-0.04 * a + 1e4 * b * c", "0.04 * a - 1e4 * b * c - 3e7 * b^2", "3e7 * b^2"];
        let found = integrated(&source(&["a", "b", "c"], &rates, true), &[1.0, 0.0, 0.0], 40.0, 4000);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{found:?}");
        for (found, expected) in found.iter().zip([0.715_827_06, 9.185_534_8e-6, 0.284_163_75]) {
            assert!((found / expected - 1.0).abs() < 1e-4, "{found} for {expected}");
        }
        let long = integrated(&source(&["a", "b", "c"], &rates, true), &found, 1e6, 100);
        assert!((long.iter().sum::<f64>() - 1.0).abs() < 1e-12 && long.iter().all(|x| *x > 0.0), "{long:?}");
    }

    /// The order of the equations does not matter, although the first pivot vanishes in one of them.
    #[test]
    fn elimination_takes_the_largest_pivot() {
        let growth = 1.0 / 0.182;
        let (first, second) = (format!("{growth:?} * u - 90 * v"), "80 * u - 40 * v");
        let one = integrated(&source(&["u", "v"], &[&first, second], true), &[1.0, 0.3], 1.0, 1);
        let other = integrated(&source(&["v", "u"], &[second, &first], true), &[0.3, 1.0], 1.0, 1);
        for (a, b) in one.iter().zip(other.iter().rev()) {
            assert!((a - b).abs() < 1e-13 && a.is_finite(), "{one:?} {other:?}");
        }
    }
}
