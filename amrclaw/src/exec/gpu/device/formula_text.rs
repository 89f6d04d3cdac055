//! Formulas as CUDA C++.

use crate::physics::{Formulas, Node, NodeKind, Primitive, Quantity};
use std::fmt::Write;

/// The beginning of a function which sees a cell and its neighbours.
pub(super) const AROUND_HEAD: &str =
    "template <class Around> __device__ __forceinline__ void case_around(const Around& here, double* values)\n{\n";

/// Formulas as CUDA C++, a line for each operation. `known`: what a quantity is called.
pub(super) fn lines(formulas: &Formulas, known: impl Fn(Quantity) -> String) -> String {
    let operand = |node: Node| match formulas.kind(node) {
        NodeKind::Number(bits) => number(f64::from_bits(bits)),
        NodeKind::Quantity(quantity) => known(quantity),
        NodeKind::Apply(..) => format!("n{}", node.index()),
    };
    let mut text = String::new();
    for (node, kind) in formulas.nodes() {
        let NodeKind::Apply(primitive, [a, b, c]) = kind else { continue };
        let [a, b, c] = [a, b, c].map(operand);
        let value = match primitive {
            Primitive::Add => format!("{a} + {b}"),
            Primitive::Subtract => format!("{a} - {b}"),
            Primitive::Multiply => format!("{a} * {b}"),
            Primitive::Divide => format!("{a} / {b}"),
            // Squares and cubes are products.
            Primitive::Power => format!("{b} == 2.0 ? {a} * {a} : {b} == 3.0 ? {a} * {a} * {a} : real_powf({a}, {b})"),
            other => {
                let arguments = [a, b, c][..other.arity()].join(", ");
                format!("{}({arguments})", cuda_name(other))
            }
        };
        let _ = writeln!(text, "    const double n{} = {value};", node.index());
    }
    for (k, result) in formulas.results().iter().enumerate() {
        let _ = writeln!(text, "    values[{k}] = {};", operand(*result));
    }
    text
}

/// A number as text that CUDA C++ reads back bit for bit.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() { format!("({value:?})") } else { format!("__longlong_as_double({:#x}ll)", value.to_bits()) }
}

/// What a quantity of a cell is called, in a state of `num_eqn` values.
pub(super) fn known(quantity: Quantity, num_eqn: usize) -> String {
    match quantity {
        Quantity::Centre(d) => format!("at.centre({d})"),
        Quantity::Radius => "at.radius()".to_owned(),
        Quantity::Time => "at.t".to_owned(),
        Quantity::LowerSide(d) => format!("at.lower({d})"),
        Quantity::UpperSide(d) => format!("at.upper({d})"),
        Quantity::Size(d) => format!("at.level.dx[{d}]"),
        Quantity::Value(m) if m < num_eqn => format!("q[{m}]"),
        Quantity::Value(k) => format!("aux[{}]", k - num_eqn),
        Quantity::Duration => "at.duration".to_owned(),
        Quantity::Parameter(k) => format!("reduced_parameters[{k}]"),
    }
}

/// The function of CUDA C++ that computes a primitive.
fn cuda_name(primitive: Primitive) -> String {
    use Primitive::{Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cbrt, Cos, Cosh, Exp, ExpM1, Hypot, Log, Log1p};
    use Primitive::{Sin, Sinh, Tan, Tanh};
    match primitive {
        Log => "real_ln".to_owned(),
        Log1p => "real_ln_1p".to_owned(),
        ExpM1 => "real_exp_m1".to_owned(),
        Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Exp | Cbrt
        | Hypot => {
            format!("real_{}", primitive.name())
        }
        other => format!("formula_{}", other.name()),
    }
}
