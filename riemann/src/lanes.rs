//! Packs of lanes: vector types of the processor behind [`Real`].
//!
//! The intrinsics of a pack may only run on a processor that has them. Packs are therefore used inside functions
//! marked `#[target_feature]` alone, which are entered by [`Real::outlined`] after the processor was asked: see [`crate::patch`].

use crate::elementary::Double;
use crate::real::{Choose, Mask, Real};
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};

/// Prefetches the number at `p` into the processor's caches; any address is allowed.
#[inline(always)]
pub(crate) fn prefetch<R>(p: *const R) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which reads nothing that a program could see.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// Defines a pack over a vector type and its mask over the vector's comparison result.
macro_rules! pack {
    (
        $(#[$doc:meta])* $pack:ident, $mask:ident, $lane:ty, $lanes:literal, $vec:ty, $mvec:ty,
        splat: $splat:expr, load: $load:expr, store: $store:expr,
        store_where: $store_where:expr, lanes_between: $lanes_between:expr,
        add: $add:expr, sub: $sub:expr, mul: $mul:expr, div: $div:expr,
        abs: $abs:expr, neg: $neg:expr, sqrt: $sqrt:expr,
        lt: $lt:expr, le: $le:expr, select: $select:expr, shift_up: $shift_up:expr, shift_down: $shift_down:expr,
        and: $and:expr, or: $or:expr, not: $not:expr, any: $any:expr, double: $double:tt $(, features: $features:literal)? $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $pack($vec);

        /// Mask of the pack of the same shape.
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($mvec);

        pack!(@binary $pack, Add, add, $add);
        pack!(@binary $pack, Sub, sub, $sub);
        pack!(@binary $pack, Mul, mul, $mul);
        pack!(@binary $pack, Div, div, $div);
        pack!(@binary $mask, BitAnd, bitand, $and);
        pack!(@binary $mask, BitOr, bitor, $or);
        pack!(@unary $pack, Neg, neg, $neg);
        pack!(@unary $mask, Not, not, $not);

        impl AddAssign for $pack {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl SubAssign for $pack {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl Choose<$mask> for $mask {
            #[inline(always)]
            fn choose(mask: $mask, yes: $mask, no: $mask) -> $mask {
                (mask & yes) | (!mask & no)
            }
        }
        impl Mask for $mask {
            #[inline(always)]
            fn any(self) -> bool {
                // SAFETY: a mask only exists where its instructions run (module comment).
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                unsafe { $any(self.0) }
            }
        }

        pack!(@bits $pack $double);

        impl Real for $pack {
            type Mask = $mask;
            type Scalar = $lane;
            pack!(@double $double);
            const LANES: usize = $lanes;

            #[inline(always)]
            fn constant(x: f64) -> Self {
                Self::splat(x as $lane)
            }
            #[inline(always)]
            fn splat(x: $lane) -> Self {
                // SAFETY: packs are used inside `#[target_feature]` functions alone (module comment).
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $splat(x) })
            }
            #[inline(always)]
            unsafe fn load(p: *const $lane) -> Self {
                // SAFETY: readable by the caller's promise; the instruction takes any alignment.
                Self(unsafe { $load(p) })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $lane) {
                // SAFETY: writable by the caller's promise; the instruction takes any alignment.
                unsafe { $store(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_where(self, mask: $mask, p: *mut $lane) {
                // SAFETY: writable where the mask is set by the caller's promise; the instruction takes any alignment.
                unsafe { $store_where(p, mask.0, self.0) }
            }
            #[inline(always)]
            fn lanes_between(first: usize, end: usize) -> $mask {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                $mask(unsafe { $lanes_between(first, end) })
            }
            #[inline(always)]
            fn shift_up(before: Self, here: Self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $shift_up(before.0, here.0) })
            }
            #[inline(always)]
            fn shift_down(here: Self, after: Self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $shift_down(here.0, after.0) })
            }
            #[inline(always)]
            fn max_lane(self) -> $lane {
                let mut lanes = [<$lane>::default(); $lanes];
                // SAFETY: the array has room for every lane.
                unsafe { self.store(lanes.as_mut_ptr()) };
                lanes.into_iter().fold(<$lane>::NEG_INFINITY, <$lane>::max)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $abs(self.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                $mask(unsafe { $lt(self.0, other.0) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                $mask(unsafe { $le(self.0, other.0) })
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                // SAFETY: as for `splat`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $select(mask.0, yes.0, no.0) })
            }
            $(
            #[inline(always)]
            fn outlined<P, T>(f: impl FnOnce() -> T) -> T {
                trait Place {
                    unsafe fn enter<T>(f: impl FnOnce() -> T) -> T;
                }
                impl<P> Place for P {
                    #[target_feature(enable = $features)]
                    unsafe fn enter<T>(f: impl FnOnce() -> T) -> T {
                        f()
                    }
                }
                // SAFETY: whoever has packs, or makes them in `f`, has asked the processor (module comment).
                unsafe { P::enter(f) }
            }
            )?
        }
    };
    // A pack of `f64` is its own pack in double precision; others are halved and joined again.
    (@double (own and: $and:expr, or: $or:expr, left: $left:expr, right: $right:expr $(,)?)) => {
        type Double = Self;
        #[inline(always)]
        fn in_double(self, other: Self, f: impl Fn(Self, Self) -> Self) -> Self {
            f(self, other)
        }
    };
    (@double (halves of $double:ident, lower: $lower:expr, upper: $upper:expr, join: $join:expr $(,)?)) => {
        type Double = $double;
        #[inline(always)]
        fn in_double(self, other: Self, f: impl Fn($double, $double) -> $double) -> Self {
            // SAFETY: as for `splat`.
            #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
            unsafe {
                let lower = f($double($lower(self.0)), $double($lower(other.0)));
                let upper = f($double($upper(self.0)), $double($upper(other.0)));
                Self($join(lower.0, upper.0))
            }
        }
    };
    (@bits $pack:ident (halves $($any:tt)*)) => {};
    (@bits $pack:ident (own and: $and:expr, or: $or:expr, left: $left:expr, right: $right:expr $(,)?)) => {
        impl Double for $pack {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: packs are used inside `#[target_feature]` functions alone (module comment).
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: as for `and`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn shift_left(self, count: u32) -> Self {
                // SAFETY: as for `and`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $left(self.0, count) })
            }
            #[inline(always)]
            fn shift_right(self, count: u32) -> Self {
                // SAFETY: as for `and`.
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $right(self.0, count) })
            }
        }
    };
    (@binary $type:ident, $op:ident, $method:ident, $intrinsic:expr) => {
        impl $op for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: packs are used inside `#[target_feature]` functions alone (module comment).
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
    (@unary $type:ident, $op:ident, $method:ident, $intrinsic:expr) => {
        impl $op for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self) -> Self {
                // SAFETY: packs are used inside `#[target_feature]` functions alone (module comment).
                #[allow(unused_unsafe, reason = "the portable packs need no intrinsics")]
                Self(unsafe { $intrinsic(self.0) })
            }
        }
    };
}

/// Defines a pack of plain arrays, which the compiler maps to whatever vectors the target has.
macro_rules! array_pack {
    ($(#[$doc:meta])* $pack:ident, $mask:ident, $lane:ty, $lanes:literal, double: $double:tt) => {
        pack! {
            $(#[$doc])* $pack, $mask, $lane, $lanes, [$lane; $lanes], [bool; $lanes],
            splat: |x| [x; $lanes],
            load: |p: *const $lane| p.cast::<[$lane; $lanes]>().read_unaligned(),
            store: |p: *mut $lane, v| p.cast::<[$lane; $lanes]>().write_unaligned(v),
            store_where: |p: *mut $lane, m: [bool; $lanes], v: [$lane; $lanes]| {
                (0..$lanes).filter(|&i| m[i]).for_each(|i| *p.add(i) = v[i])
            },
            lanes_between: |first: usize, end: usize| std::array::from_fn(|i| first <= i && i < end),
            add: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] + b[i]),
            sub: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] - b[i]),
            mul: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] * b[i]),
            div: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] / b[i]),
            abs: |a: [$lane; $lanes]| a.map(<$lane>::abs),
            neg: |a: [$lane; $lanes]| a.map(|x| -x),
            sqrt: |a: [$lane; $lanes]| a.map(<$lane>::sqrt),
            lt: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] < b[i]),
            le: |a: [$lane; $lanes], b: [$lane; $lanes]| std::array::from_fn(|i| a[i] <= b[i]),
            select: |m: [bool; $lanes], a: [$lane; $lanes], b: [$lane; $lanes]| {
                std::array::from_fn(|i| if m[i] { a[i] } else { b[i] })
            },
            shift_up: |before: [$lane; $lanes], here: [$lane; $lanes]| -> [$lane; $lanes] {
                std::array::from_fn(|i| if i == 0 { before[$lanes - 1] } else { here[i - 1] })
            },
            shift_down: |here: [$lane; $lanes], after: [$lane; $lanes]| -> [$lane; $lanes] {
                std::array::from_fn(|i| if i == $lanes - 1 { after[0] } else { here[i + 1] })
            },
            and: |a: [bool; $lanes], b: [bool; $lanes]| std::array::from_fn(|i| a[i] && b[i]),
            or: |a: [bool; $lanes], b: [bool; $lanes]| std::array::from_fn(|i| a[i] || b[i]),
            not: |a: [bool; $lanes]| a.map(|x| !x),
            any: |a: [bool; $lanes]| a.contains(&true),
            double: $double,
        }
    };
}

array_pack!(
    /// Two `f64`, for any processor.
    F64x2, Mask64x2, f64, 2, double: (own
        and: |a: [f64; 2], b: [f64; 2]| std::array::from_fn(|i| a[i].and(b[i])),
        or: |a: [f64; 2], b: [f64; 2]| std::array::from_fn(|i| a[i].or(b[i])),
        left: |a: [f64; 2], count| a.map(|x| x.shift_left(count)),
        right: |a: [f64; 2], count| a.map(|x| x.shift_right(count)),
    )
);
array_pack!(
    /// Four `f32`, for any processor.
    F32x4, Mask32x4, f32, 4, double: (halves of F64x2,
        lower: |a: [f32; 4]| [f64::from(a[0]), f64::from(a[1])],
        upper: |a: [f32; 4]| [f64::from(a[2]), f64::from(a[3])],
        join: |a: [f64; 2], b: [f64; 2]| [a[0] as f32, a[1] as f32, b[0] as f32, b[1] as f32],
    )
);

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;

#[cfg(not(target_arch = "x86_64"))]
mod other {
    /// Elsewhere the wide packs are the portable ones, and are never chosen.
    pub use super::{F32x4 as F32x8, F32x4 as F32x16, F64x2 as F64x4, F64x2 as F64x8};
}
#[cfg(not(target_arch = "x86_64"))]
pub use other::*;
