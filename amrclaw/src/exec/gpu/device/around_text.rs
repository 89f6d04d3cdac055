//! Formulas of a cell and its neighbours as CUDA C++.

use super::formula_text::{AROUND_HEAD, known, lines};
use crate::physics::{AroundFormulas, DerivativeKind, Quantity};
use std::fmt::Write;

/// Where formulas are computed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a cell of a patch, from differences of its neighbours.
    Cell,
    /// In a leaf of a mesh from a file, or beyond its sides; derivatives are those of least squares.
    Leaf,
}

/// The beginning of the function of a leaf, or of a place beyond sides.
const LEAF_HEAD: &str = "template <class Around> __device__ __forceinline__ void case_around(\n    \
     const Around& here, unsigned place, double* values)\n{\n";

impl Place {
    /// Name of the formulas' functions, their parameters, and these as arguments.
    fn words(self) -> [&'static str; 3] {
        match self {
            Place::Cell => ["around", "int i, int j, int k", "i, j, k"],
            Place::Leaf => ["leaf", "unsigned place", "place"],
        }
    }
}

/// The formulas in `dimension` dimensions, each with one value; `num_eqn`: values of a state.
pub(super) fn text(place: Place, formulas: &[AroundFormulas], dimension: usize, num_eqn: usize) -> String {
    let (mut text, mut count) = (String::new(), 0);
    let [name, ..] = place.words();
    let (head, at) = if place == Place::Cell { (AROUND_HEAD, "0, 0, 0") } else { (LEAF_HEAD, "place") };
    let mut all = String::from(head);
    for (n, of) in formulas.iter().enumerate() {
        let number = define(place, of, [dimension, num_eqn], &mut count, &mut text);
        let _ = writeln!(all, "    values[{n}] = {name}_{number}(here, {at});");
    }
    text + &all + "}\n"
}

/// Appends the function of the value at a place to `text`, after those that it calls; returns its number.
fn define(place: Place, formulas: &AroundFormulas, sizes: [usize; 2], count: &mut usize, text: &mut String) -> usize {
    let inner: Vec<usize> = formulas.differences.iter().map(|(_, of)| define(place, of, sizes, count, text)).collect();
    let (number, [dimension, num_eqn]) = (*count, sizes);
    *count += 1;
    let [name, parameters, arguments] = place.words();
    let _ = write!(
        text,
        "template <class Around> __device__ __forceinline__ double {name}_{number}(const Around& here, {parameters})\n\
         {{\n    const auto at = here.point({arguments});\n    const auto q = here.q({arguments});\n"
    );
    if place == Place::Cell {
        let _ = writeln!(text, "    const auto aux = here.aux({arguments});");
    }
    *text += "    double values[1];\n";
    for (n, ((kind, _), inner)) in formulas.differences.iter().zip(inner).enumerate() {
        let of = format!("[&]({parameters}) {{ return {name}_{inner}(here, {arguments}); }}");
        *text += &match place {
            Place::Cell => derivative_in_cell(n, kind, dimension, &of),
            Place::Leaf => derivative_in_leaf(n, kind, dimension, &of),
        };
    }
    *text += &lines(&formulas.formulas, |quantity| match quantity {
        Quantity::Value(k) if k >= formulas.num_values => format!("d{}", k - formulas.num_values),
        other => known(other, num_eqn),
    });
    *text += "    return values[0];\n}\n";
    number
}

/// The lines that define `d{n}`, a derivative of the function `of`.
fn derivative_in_cell(n: usize, kind: &DerivativeKind, dimension: usize, of: &str) -> String {
    let difference = |axis: usize| format!("here.difference({axis}, i, j, k, {of})");
    let slope = |axis: usize| format!("{} / (2.0 * at.level.dx[{axis}])", difference(axis));
    match kind {
        DerivativeKind::Along(axis) => format!("    const double d{n} = {};\n", slope(*axis)),
        DerivativeKind::Gradient => {
            let along = |axis: usize| format!("    const double d{n}_{axis} = {};\n", slope(axis));
            let square = |axis: usize| format!("d{n}_{axis} * d{n}_{axis}");
            let sum = (1..dimension).fold(square(0), |sum, axis| format!("{sum} + {}", square(axis)));
            (0..dimension).map(along).collect::<String>() + &format!("    const double d{n} = sqrt({sum});\n")
        }
        DerivativeKind::Jump => {
            let larger = |axis: usize| {
                format!(
                    "    const double d{n}_{axis} = fabs({});\n    d{n} = d{n}_{axis} > d{n} ? d{n}_{axis} : d{n};\n",
                    difference(axis)
                )
            };
            format!("    double d{n} = 0.0;\n") + &(0..dimension).map(larger).collect::<String>()
        }
    }
}

/// The same in leaves.
fn derivative_in_leaf(n: usize, kind: &DerivativeKind, dimension: usize, of: &str) -> String {
    let value = match kind {
        DerivativeKind::Along(axis) => format!("g{n}[{axis}]"),
        _ => {
            let squares: Vec<String> = (0..dimension).map(|d| format!("g{n}[{d}] * g{n}[{d}]")).collect();
            format!("sqrt({})", squares.join(" + "))
        }
    };
    format!("    const auto g{n} = here.gradient(place, {of});\n    const double d{n} = {value};\n")
}
