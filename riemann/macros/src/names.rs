//! Names of the solver language's methods, and names that the emitted texts cannot use.

use syn::{Error, Result};

/// Methods of numbers in blocks of functions, with the number of their arguments: those of `riemann::elementary::Double`.
pub const PRIMITIVES: [(&str, usize); 6] =
    [("head", 0), ("power_of_two", 0), ("exponent", 0), ("significand", 0), ("two_over_pi", 0), ("copysign", 1)];

/// Methods of numbers in the solver language that blocks of functions define, with the number of their arguments.
pub const ELEMENTARY: [(&str, usize); 22] = [
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
    ("asinh", 0),
    ("acosh", 0),
    ("atanh", 0),
    ("exp_m1", 0),
    ("ln_1p", 0),
    ("cbrt", 0),
    ("floor", 0),
    ("ceil", 0),
    ("atan2", 1),
    ("powf", 1),
    ("hypot", 1),
];

/// Names that have another meaning in one of the two texts.
const RESERVED: &str = "\
    A D M W V X Y Z Lower Upper State Aux Array Real Normal Transverse TransverseAux Axis Side select real_abs \
    real_max real_min real_sqrt real_quotient real_root alignas alignof and asm auto bitand bitor bool case catch \
    char class compl constexpr decltype default delete do double explicit export float friend goto inline int long \
    mutable namespace new noexcept not nullptr operator or private protected public register short signed sizeof \
    switch template this throw try typedef typeid typename union unsigned using virtual void volatile xor";

/// Whether neither text may use a name.
pub fn is_reserved(name: &str) -> bool {
    let function = name.strip_prefix("real_");
    RESERVED.split(' ').any(|word| word == name)
        || function.is_some_and(|name| ELEMENTARY.iter().any(|(known, _)| *known == name))
}

/// Refuses names that one of the texts cannot use.
pub fn check_name(name: &syn::Ident) -> Result<()> {
    let text = name.to_string();
    if !text.is_ascii() {
        return Err(Error::new(name.span(), "write the name in Latin letters: `rho` for ρ"));
    }
    if text.contains("__") {
        return Err(Error::new(name.span(), "names with two underscores in a row are reserved for generated code"));
    }
    Ok(())
}

/// As [`check_name`], for functions and parameters: both texts keep their names, so that reserved ones are refused too.
pub fn check_shared_name(name: &syn::Ident) -> Result<()> {
    if is_reserved(&name.to_string()) {
        return Err(Error::new(name.span(), format!("`{name}` is a word of CUDA C++: choose another name")));
    }
    check_name(name)
}
