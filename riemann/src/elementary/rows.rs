//! Elementary functions of many numbers, in the widest vectors of the processor.

use super::Functions;
use crate::patch::Isa;
use crate::real::{Real, Scalar};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// e^x.
    Exp,
    /// The natural logarithm.
    Ln,
    /// The sine, of radians.
    Sin,
    /// The cosine, of radians.
    Cos,
    /// The tangent, of radians.
    Tan,
    /// The arcsine, in −π/2 … π/2.
    Asin,
    /// The arccosine, in 0 … π.
    Acos,
    /// The arctangent, in −π/2 … π/2.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse hyperbolic sine.
    Asinh,
    /// The inverse hyperbolic cosine, from 0 on.
    Acosh,
    /// The inverse hyperbolic tangent.
    Atanh,
    /// e^x − 1.
    ExpM1,
    /// log(1 + x).
    Ln1p,
    /// The cube root.
    Cbrt,
    /// The largest whole number that is not above.
    Floor,
    /// The smallest whole number that is not below.
    Ceil,
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `atan2(y, x)`: the angle of (x, y) above the first axis, in −π … π.
    Atan2,
    /// The first to the power of the second.
    Pow,
    /// √(a² + b²).
    Hypot,
    /// The remainder of the first divided by the second, the quotient rounded towards zero; exact.
    Remainder,
}

impl Unary {
    /// All of them.
    pub const ALL: [Unary; 19] = {
        use Unary::*;
        [
            Exp, Ln, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, ExpM1, Ln1p, Cbrt, Floor,
            Ceil,
        ]
    };

    /// The name of the corresponding method of numbers.
    pub const fn name(self) -> &'static str {
        use Unary::*;
        match self {
            Exp => "exp",
            Ln => "ln",
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Asin => "asin",
            Acos => "acos",
            Atan => "atan",
            Sinh => "sinh",
            Cosh => "cosh",
            Tanh => "tanh",
            Asinh => "asinh",
            Acosh => "acosh",
            Atanh => "atanh",
            ExpM1 => "exp_m1",
            Ln1p => "ln_1p",
            Cbrt => "cbrt",
            Floor => "floor",
            Ceil => "ceil",
        }
    }

    /// `out[i]` = f(`x[i]`), in the vectors of `isa`; all give the same bits.
    ///
    /// # Panics
    /// If the rows are not of one length, or the processor has no such vectors.
    pub fn fill<R: Scalar>(self, isa: Isa, x: &[R], out: &mut [R]) {
        assert_eq!(x.len(), out.len(), "rows of one length");
        enter(isa, UnaryRow { function: self, x, out });
    }

    /// The function of one number.
    pub fn of<R: Scalar>(self, x: R) -> R {
        let mut out = [x];
        UnaryRow { function: self, x: &[x], out: &mut out }.run::<R>();
        out[0]
    }
}

impl Binary {
    /// All of them.
    pub const ALL: [Binary; 4] = [Binary::Atan2, Binary::Pow, Binary::Hypot, Binary::Remainder];

    /// The name of the corresponding method of numbers.
    pub const fn name(self) -> &'static str {
        match self {
            Binary::Atan2 => "atan2",
            Binary::Pow => "powf",
            Binary::Hypot => "hypot",
            Binary::Remainder => "remainder",
        }
    }

    /// `out[i]` = f(`x[i]`, `y[i]`), in the vectors of `isa`; all give the same bits.
    ///
    /// # Panics
    /// If the rows are not of one length, or the processor has no such vectors.
    pub fn fill<R: Scalar>(self, isa: Isa, x: &[R], y: &[R], out: &mut [R]) {
        assert!(x.len() == out.len() && y.len() == out.len(), "rows of one length");
        enter(isa, BinaryRow { function: self, x, y, out });
    }

    /// The function of two numbers.
    pub fn of<R: Scalar>(self, x: R, y: R) -> R {
        let mut out = [x];
        BinaryRow { function: self, x: &[x], y: &[y], out: &mut out }.run::<R>();
        out[0]
    }
}

/// A loop that can be run in any vectors.
trait Row<R: Scalar> {
    fn run<V: Real<Scalar = R>>(self);
}

/// Runs a loop in vectors.
fn enter<R: Scalar, L: Row<R>>(isa: Isa, row: L) {
    assert!(Isa::available().contains(&isa), "this processor has no {}", isa.name());
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => run::<R::Avx512, L>(row),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => run::<R::Avx2, L>(row),
        _ => run::<R::Portable, L>(row),
    }
}

fn run<V: Real, L: Row<V::Scalar>>(row: L) {
    V::outlined::<L, _>(
        #[inline(always)]
        || row.run::<V>(),
    );
}

struct UnaryRow<'a, R> {
    function: Unary,
    x: &'a [R],
    out: &'a mut [R],
}

impl<R: Scalar> Row<R> for UnaryRow<'_, R> {
    #[inline(always)]
    fn run<V: Real<Scalar = R>>(self) {
        let Self { function, x, out } = self;
        macro_rules! choose {
            ($($name:ident $method:ident),*) => {
                match function {
                    $(Unary::$name => unary::<V>(x, out, #[inline(always)] |x| x.$method()),)*
                }
            };
        }
        choose!(
            Exp exp, Ln ln, Sin sin, Cos cos, Tan tan, Asin asin, Acos acos, Atan atan, Sinh sinh, Cosh cosh, Tanh tanh,
            Asinh asinh, Acosh acosh, Atanh atanh, ExpM1 exp_m1, Ln1p ln_1p, Cbrt cbrt, Floor floor, Ceil ceil
        );
    }
}

struct BinaryRow<'a, R> {
    function: Binary,
    x: &'a [R],
    y: &'a [R],
    out: &'a mut [R],
}

impl<R: Scalar> Row<R> for BinaryRow<'_, R> {
    #[inline(always)]
    fn run<V: Real<Scalar = R>>(self) {
        let Self { function, x, y, out } = self;
        macro_rules! choose {
            ($($name:ident $method:ident),*) => {
                match function {
                    $(Binary::$name => binary::<V>(x, y, out, #[inline(always)] |x, y| x.$method(y)),)*
                }
            };
        }
        choose!(Atan2 atan2, Pow powf, Hypot hypot, Remainder remainder);
    }
}

// A function passed by name would not be inlined and could not use the pack's instructions; the closures are marked to be inlined.

#[inline(always)]
fn unary<V: Real>(x: &[V::Scalar], out: &mut [V::Scalar], f: impl Fn(V) -> V) {
    binary::<V>(
        x,
        x,
        out,
        #[inline(always)]
        |x, _| f(x),
    );
}

/// Pack by pack; the last one, which may not be full, from arrays of a pack's length.
#[inline(always)]
fn binary<V: Real>(x: &[V::Scalar], y: &[V::Scalar], out: &mut [V::Scalar], f: impl Fn(V, V) -> V) {
    V::outlined::<V, _>(
        #[inline(always)]
        || {
            let full = out.len() - out.len() % V::LANES;
            for i in (0..full).step_by(V::LANES) {
                // SAFETY: all rows are as long as `out`, and `full` is not beyond.
                unsafe { f(V::load(x[i..].as_ptr()), V::load(y[i..].as_ptr())).store(out[i..].as_mut_ptr()) };
            }
            let rest = out.len() - full;
            if rest > 0 {
                let mut packs = [[V::Scalar::default(); 16]; 2];
                packs[0][..rest].copy_from_slice(&x[full..]);
                packs[1][..rest].copy_from_slice(&y[full..]);
                // SAFETY: no pack has more than 16 lanes.
                unsafe { f(V::load(packs[0].as_ptr()), V::load(packs[1].as_ptr())).store(packs[0].as_mut_ptr()) };
                out[full..].copy_from_slice(&packs[0][..rest]);
            }
        },
    );
}
