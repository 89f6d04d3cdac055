//! A choice between two values of any shape, lane by lane.

use super::Real;
use crate::solver::{Normal, Transverse};

/// Values that lanes can choose between: numbers, truth values, and arrays, tuples and structs of them. `K` is the mask.
pub trait Choose<K>: Sized {
    /// `yes` where the mask is set, `no` elsewhere.
    fn choose(mask: K, yes: Self, no: Self) -> Self;
}

impl<V: Real> Choose<V::Mask> for V {
    #[inline(always)]
    fn choose(mask: V::Mask, yes: Self, no: Self) -> Self {
        V::select(mask, yes, no)
    }
}

impl Choose<bool> for bool {
    #[inline(always)]
    fn choose(mask: bool, yes: bool, no: bool) -> bool {
        if mask { yes } else { no }
    }
}

impl<K: Copy, T: Choose<K> + Copy, const N: usize> Choose<K> for [T; N] {
    #[inline(always)]
    fn choose(mask: K, yes: Self, no: Self) -> Self {
        let mut chosen = no;
        for k in 0..N {
            chosen[k] = T::choose(mask, yes[k], no[k]);
        }
        chosen
    }
}

impl<V: Real, const M: usize, const W: usize> Choose<V::Mask> for Normal<V, M, W> {
    #[inline(always)]
    fn choose(mask: V::Mask, yes: Self, no: Self) -> Self {
        Normal {
            waves: Choose::choose(mask, yes.waves, no.waves),
            speeds: Choose::choose(mask, yes.speeds, no.speeds),
            amdq: Choose::choose(mask, yes.amdq, no.amdq),
            apdq: Choose::choose(mask, yes.apdq, no.apdq),
        }
    }
}

impl<V: Real, const M: usize> Choose<V::Mask> for Transverse<V, M> {
    #[inline(always)]
    fn choose(mask: V::Mask, yes: Self, no: Self) -> Self {
        Transverse {
            bmasdq: Choose::choose(mask, yes.bmasdq, no.bmasdq),
            bpasdq: Choose::choose(mask, yes.bpasdq, no.bpasdq),
        }
    }
}

macro_rules! impl_for_tuple {
    ($($part:ident $index:tt),*) => {
        impl<K: Copy, $($part: Choose<K>),*> Choose<K> for ($($part,)*) {
            #[inline(always)]
            fn choose(mask: K, yes: Self, no: Self) -> Self {
                ($($part::choose(mask, yes.$index, no.$index),)*)
            }
        }
    };
}
impl_for_tuple!(T0 0);
impl_for_tuple!(T0 0, T1 1);
impl_for_tuple!(T0 0, T1 1, T2 2);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7, T8 8);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7, T8 8, T9 9);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7, T8 8, T9 9, T10 10);
impl_for_tuple!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7, T8 8, T9 9, T10 10, T11 11);
