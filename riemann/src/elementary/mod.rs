//! Elementary functions, the same bits on every processor.
//!
//! Processors and their libraries round exp, sin and the like differently. Here they are written once, in the solver language with a few
//! more methods, from operations that IEEE 754 defines to the bit: sums, products, quotients, roots, comparisons and the bits of a number.
//! The block becomes Rust over vectors ([`Double`]) and CUDA C++ ([`device_text`]); products are never contracted with sums, whatever
//! options a kernel is compiled with. Numbers in single precision are computed in double precision and rounded.
//!
//! Guaranteed is an error of at most 1 ulp (2 for tan and pow) over the whole range, and special values as in IEEE 754-2019,
//! doi:10.1109/IEEESTD.2019.8766229, §9.2. `docs/elementary-functions.md` has the measured errors and how they are measured. Polynomials
//! are minimax fits, `cargo xtask minimax` prints their coefficients.
//!
//! Formulas call them as methods of numbers: [`Functions::exp`] and so on; [`rows`] are for many numbers at once.

// Shared blocks come before the blocks that include them: their names are macros.
mod arcs;
mod circular;
mod cubic;
mod exponential;
mod logarithm;
mod pairs;
mod whole;

mod bits;
mod functions;
pub mod rows;

use arcs::Arcs;
pub use bits::Double;
use circular::Circular;
use cubic::Cubic;
use exponential::Exponential;
pub use functions::Functions;
use logarithm::Logarithm;
use pairs::Pairs;
use std::sync::LazyLock;
use whole::Whole;

/// The functions by the names that they have in mathematics, over numbers in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Elementary;

#[riemann::functions(with(Pairs, Whole, Exponential, Logarithm, Circular, Arcs, Cubic))]
impl Elementary {}

/// What the CUDA C++ rests on: bits of numbers, and the functions' names in formulas.
const BITS: &str = include_str!("bits.cuh");
const CALLS: &str = include_str!("calls.cuh");

/// The CUDA C++ of all functions, as `real_exp` and so on, each for `double` and for `float`. It relies on a template `select` defined
/// before it, and compiles for a host as well.
pub fn device_text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let pieces = bits::TWO_OVER_PI.map(|piece| format!("{piece:?}")).join(", ");
        let bits = BITS.replace("TWO_OVER_PI_PIECES", &pieces);
        format!(
            "{bits}\nnamespace elementary {{\nstruct Elementary {{\n    typedef double Real;\n{}}};\n}}\n{CALLS}",
            Elementary::CUDA
        )
    });
    &TEXT
}

/// Names of the functions in CUDA C++.
pub const DEVICE_NAMES: [&str; 23] = [
    "real_exp",
    "real_ln",
    "real_sin",
    "real_cos",
    "real_tan",
    "real_asin",
    "real_acos",
    "real_atan",
    "real_atan2",
    "real_sinh",
    "real_cosh",
    "real_tanh",
    "real_asinh",
    "real_acosh",
    "real_atanh",
    "real_exp_m1",
    "real_ln_1p",
    "real_cbrt",
    "real_powf",
    "real_hypot",
    "real_remainder",
    "real_floor",
    "real_ceil",
];

/// Whether a text in CUDA C++ calls one of the functions and needs [`device_text`] before it.
pub fn is_called_in(text: &str) -> bool {
    text.contains("real_") && DEVICE_NAMES.iter().any(|name| text.contains(&format!("{name}(")))
}
