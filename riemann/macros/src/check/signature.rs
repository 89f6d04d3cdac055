//! Signatures of the trait's functions and of the user's helpers.

use super::Context;
use crate::description::Form;
use crate::tree::BESIDE;
use crate::types::Type;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Error, Result};

/// Names and types of all parameters of a function; a solver may leave some out.
type Parameters = &'static [(&'static str, Shape)];

/// A function of the trait that a solver may define.
pub struct Entry {
    pub name: &'static str,
    pub parameters: Parameters,
    pub result: Shape,
}

/// A type in an entry's signature, which does not know the numbers of equations and auxiliary values.
#[derive(Clone, Copy, PartialEq)]
pub enum Shape {
    Real,
    Point,
    State,
    /// A state for each axis.
    States,
    Aux,
    TransverseAux,
    Axis,
    Side,
    Normal,
    Transverse,
    Truth,
}

/// The functions that run on the CPU and on a GPU.
pub const ENTRIES: &[Entry] = {
    use Shape::*;
    &[
        Entry {
            name: "normal",
            parameters: &[("axis", Axis), ("ql", State), ("qr", State), ("aux_l", Aux), ("aux_r", Aux), (BESIDE, Real)],
            result: Normal,
        },
        Entry {
            name: STEEPNESS,
            parameters: &[("axis", Axis), ("ql", State), ("qr", State), ("aux_l", Aux), ("aux_r", Aux)],
            result: Real,
        },
        Entry {
            name: "transverse",
            parameters: &[
                ("axis", Axis),
                ("across", Axis),
                ("side", Side),
                ("ql", State),
                ("qr", State),
                ("mean", State),
                ("aux", TransverseAux),
                ("asdq", State),
            ],
            result: Transverse,
        },
        Entry { name: "mean_state", parameters: &[("ql", State), ("qr", State)], result: State },
        Entry { name: "flux", parameters: &[("axis", Axis), ("q", State), ("aux", Aux)], result: State },
        Entry {
            name: "source",
            parameters: &[("x", Point), ("t", Real), ("dt", Real), ("q", State), ("aux", Aux)],
            result: State,
        },
        Entry { name: SETTLE, parameters: &[("q", State), ("aux", Aux), ("emptied", Truth)], result: State },
        Entry { name: TRANSFER[0], parameters: &[("q", State), ("aux", Aux)], result: State },
        Entry { name: TRANSFER[1], parameters: &[("t", State), ("aux", Aux)], result: State },
        Entry { name: TRANSFER[2], parameters: &[("t", State), ("aux", Aux)], result: State },
        Entry {
            name: "boundary",
            parameters: &[("axis", Axis), ("side", Side), ("x", Point), ("t", Real), ("mirror", State)],
            result: State,
        },
        Entry {
            name: "flag",
            parameters: &[("x", Point), ("t", Real), ("q", State), ("aux", Aux), ("below", States), ("above", States)],
            result: Truth,
        },
    ]
};

/// The function that says how steep the jump between two neighbours is.
pub const STEEPNESS: &str = "steepness";

/// The function that puts each new state in order.
pub const SETTLE: &str = "settle";
/// The functions between the state and what passes between levels, with the derivative of the second.
pub const TRANSFER: [&str; 3] = ["to_transfer", "from_transfer", "transfer_weight"];
/// The function that says whether the source does anything with these parameters.
pub const SOURCE_ACTS: &str = "source_acts";

/// The function that computes the quantities that must be positive, then those that must not be negative.
pub const ADMISSIBLE_STATE: &str = "admissible_state";
/// The parameters of functions of the state in a cell.
const OF_STATE: [(&str, Shape); 2] = [("q", Shape::State), ("aux", Shape::Aux)];

/// Functions that run on the CPU only, once per cell at the start: arbitrary Rust, in `f64`.
pub const PLAIN: &[&str] =
    &["initial", "aux_values", "admissible", "admissible_aux", "exchanged", "mirrored", SOURCE_ACTS];

/// Those of [`PLAIN`] that fill cells: if they are in the solver language, they become formulas too.
pub const OF_CELL: &[&str] = &["initial", "aux_values"];

/// The function that maps a computational position to a physical one: emitted as formulas only.
pub const MAPPING: &str = "mapping";

/// The function that computes the solver's further quantities: emitted as formulas only.
pub const QUANTITIES: &str = "quantities";

/// The functions between the state and the attribute's `primitive` variables: emitted as formulas, and called only where the block does.
pub const PRIMITIVE: &str = "primitive";
/// The inverse of [`PRIMITIVE`].
pub const CONSERVED: &str = "conserved";
/// The parameters of the latter.
const OF_PRIMITIVE: [(&str, Shape); 2] = [("primitive", Shape::State), ("aux", Shape::Aux)];

/// Functions that the trait does not have: their parameters, and their result where all solvers have the same.
const FURTHER: [(&str, Parameters, Option<Shape>); 5] = [
    (ADMISSIBLE_STATE, &OF_STATE, None),
    (QUANTITIES, &OF_STATE, None),
    (PRIMITIVE, &OF_STATE, Some(Shape::State)),
    (CONSERVED, &OF_PRIMITIVE, Some(Shape::State)),
    // A computational position.
    (MAPPING, &[("x", Shape::Point)], Some(Shape::Point)),
];

/// What a call needs to know of a function.
pub struct Signature {
    pub name: Ident,
    pub takes_self: bool,
    pub parameters: Vec<Type>,
    /// Their names, for messages.
    pub parameter_names: Vec<String>,
    pub result: Type,
}

impl Entry {
    pub fn find(name: &Ident) -> Option<&'static Entry> {
        ENTRIES.iter().find(|entry| name == entry.name)
    }
}

impl Shape {
    fn resolve(self, context: &Context) -> Type {
        self.resolve_in(context.form)
    }

    /// The type in one form of a solver.
    pub fn resolve_in(self, form: &Form) -> Type {
        match self {
            Shape::Real => Type::Real,
            Shape::Point => Type::reals(3),
            Shape::State => Type::reals(form.equations.len()),
            Shape::States => Type::Array(Box::new(Type::reals(form.equations.len())), 3),
            Shape::Aux => Type::reals(form.aux.len()),
            Shape::TransverseAux => Type::TransverseAux,
            Shape::Axis => Type::Axis,
            Shape::Side => Type::Side,
            Shape::Normal => Type::Normal,
            Shape::Transverse => Type::Transverse,
            Shape::Truth => Type::Mask,
        }
    }

    /// The type's name in CUDA C++.
    pub fn cuda_name(self) -> &'static str {
        match self {
            Shape::Real => "Real",
            Shape::Point => "Array<Real, 3>",
            Shape::State => "State",
            Shape::States => "Array<State, 3>",
            Shape::Aux => "Aux",
            Shape::TransverseAux => "TransverseAux",
            Shape::Axis => "Axis",
            Shape::Side => "Side",
            Shape::Normal => "Normal",
            Shape::Transverse => "Transverse",
            Shape::Truth => "bool",
        }
    }
}

impl Context<'_> {
    /// The type that the user wrote.
    pub fn read_type(&self, ty: &syn::Type) -> Result<Type> {
        let form = self.form;
        match ty {
            syn::Type::Paren(inner) => self.read_type(&inner.elem),
            syn::Type::Group(inner) => self.read_type(&inner.elem),
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Type::Unit),
            syn::Type::Tuple(tuple) => {
                Ok(Type::Tuple(tuple.elems.iter().map(|element| self.read_type(element)).collect::<Result<_>>()?))
            }
            syn::Type::Array(array) => {
                let count = self.read_count(&array.len)?;
                Type::array(self.read_type(&array.elem)?, count, &array.len)
            }
            syn::Type::Reference(reference) => {
                Err(Error::new_spanned(reference.and_token, "values are passed as copies: leave out the `&`"))
            }
            syn::Type::Path(path) if path.path.segments.len() == 1 => {
                let name = &path.path.segments[0].ident;
                Ok(match name.to_string().as_str() {
                    "Real" => Type::Real,
                    "State" => Type::reals(form.equations.len()),
                    "Aux" => Type::reals(form.aux.len()),
                    "Normal" => Type::Normal,
                    "Transverse" => Type::Transverse,
                    "TransverseAux" => Type::TransverseAux,
                    "Axis" => Type::Axis,
                    "Side" => Type::Side,
                    "usize" => Type::Int,
                    "bool" => Type::Mask,
                    "f64" | "f32" => {
                        let message = "write `Real`: the solver is compiled for `f64` and for `f32`";
                        return Err(Error::new_spanned(ty, message));
                    }
                    other => match self.aliases.get(other) {
                        Some(meant) => self.read_type(meant)?,
                        None => {
                            let message = format!(
                                "no type of the solver language: for a name of your own write `type {other} = …;` inside \
                                 this block; else Real, usize, bool, State, Aux, Normal, Transverse, TransverseAux, Axis, \
                                 Side, an array or a tuple of these"
                            );
                            return Err(Error::new_spanned(ty, message));
                        }
                    },
                })
            }
            other => Err(Error::new_spanned(other, "not a type of the solver language: write `Real` or `[Real; 3]`")),
        }
    }

    /// A helper's or an entry's signature.
    pub fn read_signature(&self, signature: &syn::Signature) -> Result<Signature> {
        if let Some(generic) = signature.generics.params.first() {
            return Err(Error::new_spanned(generic, "functions of a solver take no type parameters: write `Real`"));
        }
        let mut parameters = Vec::new();
        let mut takes_self = false;
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(syn::Receiver { kind: syn::ReceiverKind::Reference(_, _, None), .. }) => {
                    takes_self = true;
                }
                syn::FnArg::Receiver(receiver) => {
                    return Err(Error::new_spanned(receiver, "a solver does not change while it runs: write `&self`"));
                }
                syn::FnArg::Typed(typed) => parameters.push(self.read_type(&typed.ty)?),
            }
        }
        let result = match &signature.output {
            syn::ReturnType::Default => {
                return Err(Error::new_spanned(&signature.ident, "a function of a solver returns a value: `-> Real`"));
            }
            syn::ReturnType::Type(_, ty) => self.read_type(ty)?,
        };
        let of_trait = Entry::find(&signature.ident).map(|entry| (entry.name, entry.parameters, Some(entry.result)));
        let further = FURTHER.iter().copied().find(|(name, ..)| signature.ident == name);
        // Without primitive variables these two names are the block's own.
        let is_own =
            self.form.primitive.is_empty() && [PRIMITIVE, CONSERVED].iter().any(|name| signature.ident == name);
        if let Some((name, known, wanted)) = of_trait.or(further).filter(|_| !is_own) {
            self.check_entry(known, signature, takes_self, &parameters)?;
            if let Some(wanted) = wanted.filter(|wanted| wanted.resolve(self) != result) {
                let message = format!("`{name}` returns {}, not {result}", self.describe(wanted));
                return Err(Error::new_spanned(&signature.output, message));
            }
        }
        let typed = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(typed.pat.to_token_stream().to_string()),
            syn::FnArg::Receiver(_) => None,
        });
        let (name, parameter_names) = (signature.ident.clone(), typed.collect());
        Ok(Signature { name, takes_self, parameters, parameter_names, result })
    }

    /// Parameters and result of a function that fills cells, however the user writes their types.
    pub fn signature_of_cell(&self, function: &syn::ImplItemFn) -> Signature {
        let (state, aux) = (Shape::State.resolve(self), Shape::Aux.resolve(self));
        let name = function.sig.ident.clone();
        let result = if name == "initial" { state } else { aux.clone() };
        let parameter_names = vec!["cell".to_owned(), "aux".to_owned()];
        Signature { name, takes_self: true, parameters: vec![Type::Cell, aux], parameter_names, result }
    }

    /// Compares a function's signature with the trait's.
    fn check_entry(
        &self,
        entry: &[(&str, Shape)],
        signature: &syn::Signature,
        takes_self: bool,
        types: &[Type],
    ) -> Result<()> {
        let function = &signature.ident;
        if !takes_self {
            return Err(Error::new_spanned(function, format!("`{function}` takes `&self`")));
        }
        let typed = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(typed),
            syn::FnArg::Receiver(_) => None,
        });
        for (typed, ty) in typed.zip(types) {
            let name = parameter_name(&typed.pat)?;
            let known = entry.iter().find(|(known, _)| name == known);
            let Some((known, shape)) = known else {
                let names: Vec<_> = entry.iter().map(|(name, _)| *name).collect();
                let message = format!("`{function}` has no parameter `{name}`; it has: {}", names.join(", "));
                return Err(Error::new_spanned(&typed.pat, message));
            };
            let expected = shape.resolve(self);
            if *ty != expected {
                let message = format!("`{known}` of `{function}` is {}, not {ty}", self.describe(*shape));
                return Err(Error::new_spanned(&typed.ty, message));
            }
        }
        Ok(())
    }

    /// A type by the name that a user should write.
    fn describe(&self, shape: Shape) -> String {
        match shape {
            Shape::State => "State, one Real per equation".to_owned(),
            Shape::States => "[State; 3], the states of the neighbours along x, y and z".to_owned(),
            Shape::Aux => "Aux, one Real per auxiliary value".to_owned(),
            Shape::Point => "[Real; 3], a position".to_owned(),
            other => other.resolve(self).to_string(),
        }
    }
}

/// The name of a parameter of an entry.
pub fn parameter_name(pattern: &syn::Pat) -> Result<&Ident> {
    match pattern {
        syn::Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Ok(&pattern.ident),
        other => Err(Error::new_spanned(other, "give this parameter its name here and take it apart with `let`")),
    }
}
