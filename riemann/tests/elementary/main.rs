//! The elementary functions: the same bits in every width of vectors and in CUDA C++, special values, monotony where it must be, and
//! errors in single precision. Errors in double precision are found beside mpmath by `python/tests/test_elementary.py`, of what
//! `samples` writes.

mod arguments;
mod device;
mod every_single;
mod samples;
mod special;
mod widths;

use riemann::elementary::rows::{Binary, Unary};
use riemann::patch::Isa;
use riemann::real::Scalar;

/// Any of the functions.
#[derive(Clone, Copy, Debug)]
enum Function {
    One(Unary),
    Two(Binary),
}

impl Function {
    fn all() -> impl Iterator<Item = Function> {
        Unary::ALL.into_iter().map(Function::One).chain(Binary::ALL.into_iter().map(Function::Two))
    }

    fn name(self) -> &'static str {
        match self {
            Function::One(f) => f.name(),
            Function::Two(f) => f.name(),
        }
    }

    /// The values at points; of a function of one number the second coordinates do not matter.
    fn values<R: Scalar>(self, isa: Isa, x: &[R], y: &[R]) -> Vec<R> {
        let mut out = vec![R::default(); x.len()];
        match self {
            Function::One(f) => f.fill(isa, x, &mut out),
            Function::Two(f) => f.fill(isa, x, y, &mut out),
        }
        out
    }
}

/// The bits of a number; all that are none have the same.
fn bits<R: Scalar>(x: R) -> u64 {
    if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() }
}
