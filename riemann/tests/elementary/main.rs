//! The elementary functions: the same bits in every vector width and in CUDA C++, special values, monotonicity, and
//! errors in single precision. For double precision, `python/tests/test_elementary.py` compares the values that `samples` writes
//! with mpmath's.

mod arguments;
mod breaks;
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

    /// The values at points. A function of one number ignores the second coordinates.
    fn values<R: Scalar>(self, isa: Isa, x: &[R], y: &[R]) -> Vec<R> {
        let mut out = vec![R::default(); x.len()];
        match self {
            Function::One(f) => f.fill(isa, x, &mut out),
            Function::Two(f) => f.fill(isa, x, y, &mut out),
        }
        out
    }
}

/// The bits of a number; the same for all NaNs.
fn bits<R: Scalar>(x: R) -> u64 {
    if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() }
}
