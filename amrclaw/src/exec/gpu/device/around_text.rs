//! Formulas of a cell and its neighbours as CUDA C++.

use super::formula_text::{AROUND_HEAD, known, lines};
use crate::physics::{AroundFormulas, DerivativeKind, Quantity};
use std::fmt::Write;

/// The formulas in `dimension` dimensions, each with one value; `num_eqn`: values of a state.
pub(super) fn text(formulas: &[AroundFormulas], dimension: usize, num_eqn: usize) -> String {
    let (mut text, mut count) = (String::new(), 0);
    let mut all = String::from(AROUND_HEAD);
    for (n, of) in formulas.iter().enumerate() {
        let number = define(of, [dimension, num_eqn], &mut count, &mut text);
        let _ = writeln!(all, "    values[{n}] = around_{number}(here, 0, 0, 0);");
    }
    text + &all + "}\n"
}

/// Appends the function of the value in a cell to `text`, after those that it calls; returns its number.
fn define(formulas: &AroundFormulas, sizes: [usize; 2], count: &mut usize, text: &mut String) -> usize {
    let inner: Vec<usize> = formulas.differences.iter().map(|(_, of)| define(of, sizes, count, text)).collect();
    let (number, [dimension, num_eqn]) = (*count, sizes);
    *count += 1;
    let _ = write!(
        text,
        "template <class Around> __device__ __forceinline__ double around_{number}(const Around& here, int i, int j, int k)\n\
         {{\n    const Point at = here.point(i, j, k);\n    const auto q = here.q(i, j, k);\n    \
         const auto aux = here.aux(i, j, k);\n    double values[1];\n"
    );
    for (n, ((kind, _), inner)) in formulas.differences.iter().zip(inner).enumerate() {
        let difference = |axis: usize| {
            format!(
                "here.difference({axis}, i, j, k, [&](int i, int j, int k) {{ return around_{inner}(here, i, j, k); }})"
            )
        };
        let slope = |axis: usize| format!("{} / (2.0 * at.level.dx[{axis}])", difference(axis));
        let _ = match kind {
            DerivativeKind::Along(axis) => writeln!(text, "    const double d{n} = {};", slope(*axis)),
            DerivativeKind::Gradient => {
                (0..dimension).for_each(|axis| {
                    let _ = writeln!(text, "    const double d{n}_{axis} = {};", slope(axis));
                });
                let square = |axis: usize| format!("d{n}_{axis} * d{n}_{axis}");
                let sum = (1..dimension).fold(square(0), |sum, axis| format!("{sum} + {}", square(axis)));
                writeln!(text, "    const double d{n} = sqrt({sum});")
            }
            DerivativeKind::Jump => {
                let _ = writeln!(text, "    double d{n} = 0.0;");
                (0..dimension).for_each(|axis| {
                    let _ = writeln!(text, "    const double d{n}_{axis} = fabs({});", difference(axis));
                    let _ = writeln!(text, "    d{n} = d{n}_{axis} > d{n} ? d{n}_{axis} : d{n};");
                });
                Ok(())
            }
        };
    }
    *text += &lines(&formulas.formulas, |quantity| match quantity {
        Quantity::Value(k) if k >= formulas.num_values => format!("d{}", k - formulas.num_values),
        other => known(other, num_eqn),
    });
    *text += "    return values[0];\n}\n";
    number
}

/// The beginning of the function of a leaf of a mesh, or of a place beyond its sides.
const LEAF_HEAD: &str = "template <class Around> __device__ __forceinline__ void case_around(\n    \
     const Around& here, unsigned place, double* values)\n{\n";

/// The same in leaves of a mesh, whose derivatives are those of least squares.
pub(super) fn text_of_leaves(formulas: &[AroundFormulas], dimension: usize, num_eqn: usize) -> String {
    let (mut text, mut count) = (String::new(), 0);
    let mut all = String::from(LEAF_HEAD);
    for (n, of) in formulas.iter().enumerate() {
        let number = define_of_leaf(of, [dimension, num_eqn], &mut count, &mut text);
        let _ = writeln!(all, "    values[{n}] = leaf_{number}(here, place);");
    }
    text + &all + "}\n"
}

/// Appends the function of the value in a leaf to `text`, after those that it calls; returns its number.
fn define_of_leaf(formulas: &AroundFormulas, sizes: [usize; 2], count: &mut usize, text: &mut String) -> usize {
    let inner: Vec<usize> = formulas.differences.iter().map(|(_, of)| define_of_leaf(of, sizes, count, text)).collect();
    let (number, [dimension, num_eqn]) = (*count, sizes);
    *count += 1;
    let _ = write!(
        text,
        "template <class Around> __device__ __forceinline__ double leaf_{number}(const Around& here, unsigned place)\n\
         {{\n    const auto at = here.point(place);\n    const auto q = here.q(place);\n    double values[1];\n"
    );
    for (n, ((kind, _), inner)) in formulas.differences.iter().zip(inner).enumerate() {
        let _ = writeln!(
            text,
            "    const auto g{n} = here.gradient(place, [&](unsigned place) {{ return leaf_{inner}(here, place); }});"
        );
        let value = match kind {
            DerivativeKind::Along(axis) => format!("g{n}[{axis}]"),
            _ => {
                let squares: Vec<String> = (0..dimension).map(|d| format!("g{n}[{d}] * g{n}[{d}]")).collect();
                format!("sqrt({})", squares.join(" + "))
            }
        };
        let _ = writeln!(text, "    const double d{n} = {value};");
    }
    *text += &lines(&formulas.formulas, |quantity| match quantity {
        Quantity::Value(k) if k >= formulas.num_values => format!("d{}", k - formulas.num_values),
        other => known(other, num_eqn),
    });
    *text += "    return values[0];\n}\n";
    number
}
