//! Types of the solver language.

use crate::description::Form;
use std::fmt;

/// Most numbers of an array in the language.
const MOST_NUMBERS: usize = 4096;

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

    /// An array of `count` values; an error if it has more numbers than compilers can handle.
    pub fn array(element: Type, count: usize, place: impl quote::ToTokens) -> syn::Result<Type> {
        let ty = Type::Array(Box::new(element), count);
        match ty.numbers() {
            numbers if numbers <= MOST_NUMBERS => Ok(ty),
            numbers => Err(syn::Error::new_spanned(
                place,
                format!(
                    "an array of {numbers} numbers is too large, at most {MOST_NUMBERS} are possible: every lane has its own, in registers \
                     and on the stack; write numbers per cell as auxiliary values (`aux`)"
                ),
            )),
        }
    }

    /// How many numbers a value has, without those of structs.
    fn numbers(&self) -> usize {
        match self {
            Type::Array(element, count) => element.numbers().saturating_mul(*count),
            Type::Tuple(elements) => elements.iter().map(Type::numbers).fold(0, usize::saturating_add),
            _ => 1,
        }
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
