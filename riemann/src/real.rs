//! The number type that solvers are written over.
//!
//! A solver's formulas are generic over [`Real`]: one face at a time with `f64` or `f32`, or one face per lane with
//! the vector types of [`crate::lanes`]. Every operation is IEEE and applied lane by lane, never contracted into a
//! fused multiply-add, so that all widths give the same bits.

mod choose;
mod table;

pub use choose::Choose;
pub use table::interpolated;

use crate::elementary::Double;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// A truth value per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + Choose<Self> {
    /// True if any lane is set.
    fn any(self) -> bool;
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// A real number, or a pack of them that are treated alike.
///
/// Branches on values are written with [`Real::select`]: both sides are evaluated, each lane keeps its own.
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Result of a comparison.
    type Mask: Mask;
    /// The type of one lane: `f32` or `f64`.
    type Scalar: Scalar;
    /// A pack in double precision: of `f32` half as many lanes as this has.
    type Double: Double;
    /// Number of lanes.
    const LANES: usize;

    /// The constant `x` in every lane, rounded to the precision of the lane.
    fn constant(x: f64) -> Self;
    /// The same for a number that is known only when the program runs, such as a solver's parameter.
    #[inline(always)]
    fn runtime(x: f64) -> Self {
        Self::constant(in_register(x))
    }
    /// `x` in every lane.
    fn splat(x: Self::Scalar) -> Self;
    /// Reads [`Real::LANES`] consecutive numbers.
    ///
    /// # Safety
    /// `p .. p + LANES` must be readable. No alignment beyond that of the scalar is needed.
    unsafe fn load(p: *const Self::Scalar) -> Self;
    /// Writes [`Real::LANES`] consecutive numbers.
    ///
    /// # Safety
    /// `p .. p + LANES` must be writable. No alignment beyond that of the scalar is needed.
    unsafe fn store(self, p: *mut Self::Scalar);
    /// Writes the lanes that are set to their places among [`Real::LANES`] consecutive numbers, and no others.
    ///
    /// # Safety
    /// The places of the lanes that are set must be writable.
    unsafe fn store_where(self, mask: Self::Mask, p: *mut Self::Scalar);
    /// A mask of the lanes `first .. end`.
    fn lanes_between(first: usize, end: usize) -> Self::Mask;
    /// The lanes moved up by one: the last lane of `before`, then all but the last of `here`.
    fn shift_up(before: Self, here: Self) -> Self;
    /// The lanes moved down by one: all but the first of `here`, then the first of `after`.
    fn shift_down(here: Self, after: Self) -> Self;
    /// The largest lane; lanes that are NaN are passed over.
    fn max_lane(self) -> Self::Scalar;

    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The smaller of two numbers. Written `select(self.lt(other), self, other)`: `other` where either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    /// The larger of two numbers. Written `select(self.gt(other), self, other)`: `other` where either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.gt(other), self, other)
    }
    /// `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self >= other`.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// `self == other`.
    #[inline(always)]
    fn equal(self, other: Self) -> Self::Mask {
        self.le(other) & self.ge(other)
    }
    /// `self != other`.
    #[inline(always)]
    fn unequal(self, other: Self) -> Self::Mask {
        !self.equal(other)
    }
    /// A truth value given to every lane.
    #[inline(always)]
    fn mask(truth: bool) -> Self::Mask {
        Self::zero().lt(Self::constant(if truth { 1.0 } else { 0.0 }))
    }
    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The number zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(0.0)
    }
    /// `f` computed in double precision, then rounded.
    fn in_double(self, other: Self, f: impl Fn(Self::Double, Self::Double) -> Self::Double) -> Self;
    /// Calls `f` as a separate function that may use the pack's instructions, which the processor must have. All that `f` calls must be
    /// `#[inline(always)]`. Loops that have nothing in common compile faster as separate functions, and each then has all registers;
    /// with full optimisation the compiler inlines some of them into functions with the same instructions, which is as fast or faster.
    /// `P`: any type of the module with which `f` is to be compiled: a method is compiled with its type's module, and modules are
    /// compiled in parallel.
    #[inline(always)]
    fn outlined<P, T>(f: impl FnOnce() -> T) -> T {
        trait Place {
            fn enter<T>(f: impl FnOnce() -> T) -> T;
        }
        impl<P> Place for P {
            #[inline(never)]
            fn enter<T>(f: impl FnOnce() -> T) -> T {
                f()
            }
        }
        P::enter(f)
    }
}

/// One lane: `f32` or `f64`, with the vector types that a processor may offer for it.
pub trait Scalar: Real<Scalar = Self, Mask = bool> + PartialOrd + Default {
    /// Pack for AVX-512.
    type Avx512: Real<Scalar = Self>;
    /// Pack for AVX2.
    type Avx2: Real<Scalar = Self>;
    /// Pack that every processor can run; on x86-64 the scalar itself: few processors are without AVX2, and packs of plain arrays
    /// take long to compile.
    type Portable: Real<Scalar = Self>;
    /// Bytes of one number.
    const BYTES: usize = std::mem::size_of::<Self>();
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;

    /// The value as `f64`.
    fn to_f64(self) -> f64;
    /// The nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// False for NaN and infinities.
    fn finite(self) -> bool;
}

/// The precision of a run's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits.
    #[default]
    F64,
    /// 32 bits.
    F32,
}

impl Precision {
    /// All of them.
    pub const ALL: [Precision; 2] = [Precision::F64, Precision::F32];

    /// That of `f64` or `f32`.
    pub const fn of<R: Scalar>() -> Precision {
        if R::BYTES == 8 { Precision::F64 } else { Precision::F32 }
    }

    /// `f64` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::F64 => f64::NAME,
            Precision::F32 => f32::NAME,
        }
    }
}

/// Returns `x`; the compiler then knows only that it is in a register.
///
/// Where all lanes of an operation are equal, the compiler computes only one of them; and where it knows that the number lies in memory, it
/// may load and compute a whole vector that begins there, even for a division or a square root. The numbers behind are often not normal,
/// and Intel's processors take a hundred cycles and more for those.
#[inline(always)]
fn in_register(x: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: no instruction.
        unsafe { std::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}

macro_rules! impl_scalar {
    ($t:ty, $name:literal, $avx512:ident, $avx2:ident, $portable:ident) => {
        impl Real for $t {
            type Mask = bool;
            type Scalar = $t;
            type Double = f64;
            const LANES: usize = 1;

            #[inline(always)]
            fn constant(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn splat(x: $t) -> Self {
                x
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller promises that `p` is readable.
                unsafe { *p }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller promises that `p` is writable.
                unsafe { *p = self }
            }
            #[inline(always)]
            unsafe fn store_where(self, mask: bool, p: *mut $t) {
                if mask {
                    // SAFETY: the caller promises that `p` is writable.
                    unsafe { *p = self }
                }
            }
            #[inline(always)]
            fn lanes_between(first: usize, end: usize) -> bool {
                first == 0 && end > 0
            }
            #[inline(always)]
            fn shift_up(before: Self, _here: Self) -> Self {
                before
            }
            #[inline(always)]
            fn shift_down(_here: Self, after: Self) -> Self {
                after
            }
            #[inline(always)]
            fn max_lane(self) -> $t {
                self
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inline(always)]
            fn select(mask: bool, yes: Self, no: Self) -> Self {
                if mask { yes } else { no }
            }
            #[inline(always)]
            fn in_double(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
                f(f64::from(self), f64::from(other)) as $t
            }
        }

        impl Scalar for $t {
            type Avx512 = crate::lanes::$avx512;
            type Avx2 = crate::lanes::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Portable = $t;
            #[cfg(not(target_arch = "x86_64"))]
            type Portable = crate::lanes::$portable;
            const NAME: &'static str = $name;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn finite(self) -> bool {
                self.is_finite()
            }
        }
    };
}

impl_scalar!(f64, "f64", F64x8, F64x4, F64x2);
impl_scalar!(f32, "f32", F32x16, F32x8, F32x4);
