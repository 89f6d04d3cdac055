//! Whether a solver's `conserved` is the inverse of its `primitive`.

use crate::case::SolverFormulas;
use crate::formula::{Expression, Names};
use riemann::axis::Axis;
use riemann::catalogue::SolverInfo;
use riemann::faces::Faces;
use riemann::holds::{CounterExample, FACES, Finding, Outcome, Random};

/// Round-off, relative to the largest number of a state.
const ROUND_OFF: f64 = 1e-12;

/// Tries admissible states; `None` if the solver has no primitive variables. `parameters`: their values, in the solver's order.
pub fn check_primitive(info: &SolverInfo, faces: &Faces, parameters: &[f64]) -> Option<Finding> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
    let (names, primitive): (Vec<&str>, Vec<&str>) = info.formulas.primitive.iter().copied().unzip();
    if names.is_empty() {
        return None;
    }
    let values: Vec<_> = info.parameters.iter().map(|p| p.name.to_owned()).zip(parameters.iter().copied()).collect();
    let put = |conserved| SolverFormulas { conserved, ..SolverFormulas::default() }.with_parameters(&values).conserved;
    let compiled = |texts: &[&str], names: &[&str]| {
        let names = Names::variables(names.iter().chain(info.aux).copied());
        put(owned(texts)).iter().map(|text| Expression::compile(text, &names)).collect::<Result<Vec<_>, _>>().ok()
    };
    let formulas = compiled(&primitive, info.equations).zip(compiled(info.formulas.conserved, &names));
    let outcome = match formulas {
        Some((to, back)) => counter_example(info, faces, [&to, &back]).map_or(Outcome::Holds, Outcome::Fails),
        None => Outcome::Unchecked("its formulas cannot be read"),
    };
    Some(Finding { property: "conserved inverts primitive", outcome })
}

/// A state that is not that of its primitive variables, by the formulas from the state and back.
fn counter_example(info: &SolverInfo, faces: &Faces, [to, back]: [&[Expression]; 2]) -> Option<CounterExample> {
    let mut random = Random::new(41);
    let mut unit = |count: usize| (0..count).map(|_| random.between(0.0, 1.0)).collect::<Vec<f64>>();
    let computed = |formulas: &[Expression], state: &[f64], aux: &[f64]| -> Vec<f64> {
        let inputs = [state, aux].concat();
        formulas.iter().map(|formula| formula.eval(&inputs)).collect()
    };
    (0..FACES).find_map(|_| {
        let (q, aux) = (unit(info.equations.len()), unit(info.aux.len()));
        let (q, aux) = (faces.double.admissible(&q), faces.double.admissible_aux(&aux));
        let primitive = computed(to, &q, &aux);
        let again = computed(back, &primitive, &aux);
        let scale = q.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUND_OFF * scale;
        if q.iter().zip(&again).all(near) {
            return None;
        }
        let what = format!("primitive(ql): {primitive:?}\nconserved(primitive(ql)): {again:?}");
        let (q, aux) = ([q.clone(), q], [aux.clone(), aux]);
        Some(CounterExample { axis: Axis::X, q, aux, what, names: [info.equations, info.aux] })
    })
}
