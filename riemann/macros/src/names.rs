//! Names of the solver language's methods, and those that the texts made from a block cannot have.

use syn::{Error, Result};

/// Methods of numbers, with the number of their arguments: those of `riemann::elementary::Double`.
pub const PRIMITIVES: [(&str, usize); 6] =
    [("head", 0), ("power_of_two", 0), ("exponent", 0), ("significand", 0), ("two_over_pi", 0), ("copysign", 1)];

/// Methods of numbers in the solver language that are made of such blocks, with the number of their arguments.
pub const ELEMENTARY: [(&str, usize); 16] = [
    ("exp", 0),
    ("ln", 0),
    ("sin", 0),
    ("cos", 0),
    ("tan", 0),
    ("asin", 0),
    ("acos", 0),
    ("atan", 0),
    ("sinh", 0),
    ("cosh", 0),
    ("tanh", 0),
    ("floor", 0),
    ("ceil", 0),
    ("atan2", 1),
    ("powf", 1),
    ("hypot", 1),
];

/// Names that mean something else in one of the two texts.
const RESERVED: &[&str] = &[
    "A",
    "D",
    "M",
    "W",
    "V",
    "X",
    "Y",
    "Z",
    "Lower",
    "Upper",
    "State",
    "Aux",
    "Array",
    "Real",
    "Normal",
    "Transverse",
    "TransverseAux",
    "Axis",
    "Side",
    "select",
    "real_abs",
    "real_max",
    "real_min",
    "real_sqrt",
    "real_quotient",
    "real_root",
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "constexpr",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "explicit",
    "export",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "sizeof",
    "switch",
    "template",
    "this",
    "throw",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "xor",
];

/// Whether a name must not be written in either text.
pub fn is_reserved(name: &str) -> bool {
    let function = name.strip_prefix("real_");
    RESERVED.contains(&name) || function.is_some_and(|name| ELEMENTARY.iter().any(|(known, _)| *known == name))
}

/// Refuses names that one of the texts cannot have.
pub fn check_name(name: &syn::Ident) -> Result<()> {
    let text = name.to_string();
    if !text.is_ascii() {
        return Err(Error::new(name.span(), "write the name in Latin letters: `rho` for ρ"));
    }
    if text.contains("__") {
        return Err(Error::new(
            name.span(),
            "names with two underscores in a row are kept for the texts made from this one",
        ));
    }
    Ok(())
}

/// Refuses names that stand in both texts as they are: those of functions and parameters.
pub fn check_shared_name(name: &syn::Ident) -> Result<()> {
    if is_reserved(&name.to_string()) {
        return Err(Error::new(name.span(), format!("`{name}` is a word of CUDA C++: choose another name")));
    }
    check_name(name)
}
