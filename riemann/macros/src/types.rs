//! Types of the solver language.

use crate::description::Form;
use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A real number: one lane or a pack of them.
    Real,
    /// An integer, the same in all lanes.
    Int,
    /// A truth value that is the same in all lanes: a comparison of integers, axes or sides.
    Bool,
    /// A truth value of each lane: a comparison of real numbers.
    Mask,
    Axis,
    Side,
    Array(Box<Type>, usize),
    Tuple(Vec<Type>),
    Normal,
    Transverse,
    TransverseAux,
    /// The argument of functions that fill cells.
    Cell,
    Unit,
}

impl Type {
    pub fn reals(count: usize) -> Type {
        Type::Array(Box::new(Type::Real), count)
    }

    /// Fields of a struct, in order; `None` for other types.
    pub fn fields(&self, form: &Form) -> Option<Vec<(&'static str, Type)>> {
        let (state, aux) = (Type::reals(form.equations.len()), Type::reals(form.aux.len()));
        Some(match self {
            Type::Normal => vec![
                ("waves", Type::Array(Box::new(state.clone()), form.waves)),
                ("speeds", Type::reals(form.waves)),
                ("amdq", state.clone()),
                ("apdq", state),
            ],
            Type::Transverse => vec![("bmasdq", state.clone()), ("bpasdq", state)],
            Type::TransverseAux => vec![("below", aux.clone()), ("here", aux.clone()), ("above", aux)],
            Type::Cell => {
                let point = Type::reals(3);
                let [centre, dx, lower, upper] = ["centre", "dx", "lower", "upper"].map(|name| (name, point.clone()));
                vec![centre, dx, ("time", Type::Real), lower, upper]
            }
            _ => return None,
        })
    }

    /// Whether lanes can choose between two values of this type.
    pub fn is_selectable(&self) -> bool {
        match self {
            Type::Real | Type::Mask | Type::Normal | Type::Transverse => true,
            Type::Array(element, _) => element.is_selectable(),
            Type::Tuple(elements) => elements.iter().all(Type::is_selectable),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Real => f.write_str("Real"),
            Type::Int => f.write_str("usize"),
            Type::Bool | Type::Mask => f.write_str("bool"),
            Type::Axis => f.write_str("Axis"),
            Type::Side => f.write_str("Side"),
            Type::Array(element, count) => write!(f, "[{element}; {count}]"),
            Type::Tuple(elements) => {
                let names: Vec<_> = elements.iter().map(Type::to_string).collect();
                write!(f, "({})", names.join(", "))
            }
            Type::Normal => f.write_str("Normal"),
            Type::Transverse => f.write_str("Transverse"),
            Type::TransverseAux => f.write_str("TransverseAux"),
            Type::Cell => f.write_str("Cell"),
            Type::Unit => f.write_str("()"),
        }
    }
}
