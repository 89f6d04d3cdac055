//! Which components a solver's transverse splitting can change: sound along y changes pressure and v, but neither u nor w. The other
//! components are neither stored nor summed up.

use crate::axis::{Axis, Side};
use crate::real::Real;
use crate::solver::{Solver, TransverseAux};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Components that can be other than zero.
pub(super) type Live<const M: usize> = [bool; M];

/// A stand-in for a number that tells whether it can be other than zero. What is computed from zeros alone cannot.
#[derive(Clone, Copy, Debug)]
struct Trace(bool);

/// Components of what a fluctuation along `axis` sends along `along`.
#[inline(never)]
pub(super) fn live<S, const M: usize, const W: usize, const A: usize>(solver: &S, axis: Axis, along: Axis) -> Live<M>
where
    S: Solver<M, W, A>,
{
    let (state, aux) = ([Trace(true); M], [Trace(true); A]);
    let aux = TransverseAux { below: aux, here: aux, above: aux };
    let mut live = [false; M];
    for side in Side::BOTH {
        let split = solver.transverse(axis, along, side, state, state, state, &aux, state);
        for m in 0..M {
            live[m] |= split.bmasdq[m].0 | split.bpasdq[m].0;
        }
    }
    live
}

macro_rules! either {
    ($($op:ident $method:ident),*) => {$(
        impl $op for Trace {
            type Output = Self;
            #[expect(clippy::suspicious_arithmetic_impl, reason = "of both numbers it matters whether they can be other than zero")]
            #[inline]
            fn $method(self, other: Self) -> Self {
                Trace(self.0 | other.0)
            }
        }
    )*};
}

either!(Add add, Sub sub, Mul mul);

impl Div for Trace {
    type Output = Self;
    #[inline]
    fn div(self, _: Self) -> Self {
        Trace(true)
    }
}

impl Neg for Trace {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self
    }
}

impl AddAssign for Trace {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Trace {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Real for Trace {
    type Mask = bool;
    type Scalar = f64;
    type Double = f64;
    const LANES: usize = 1;

    #[inline]
    fn constant(x: f64) -> Self {
        Trace(x != 0.0)
    }
    #[inline]
    fn splat(x: f64) -> Self {
        Trace(x != 0.0)
    }
    unsafe fn load(_: *const f64) -> Self {
        Trace(true)
    }
    unsafe fn store(self, _: *mut f64) {}
    unsafe fn store_where(self, _: bool, _: *mut f64) {}
    fn lanes_between(_: usize, _: usize) -> bool {
        true
    }
    fn shift_up(before: Self, here: Self) -> Self {
        before + here
    }
    fn shift_down(here: Self, after: Self) -> Self {
        here + after
    }
    fn max_lane(self) -> f64 {
        f64::from(u8::from(self.0))
    }
    #[inline]
    fn abs(self) -> Self {
        self
    }
    #[inline]
    fn sqrt(self) -> Self {
        self
    }
    #[inline]
    fn lt(self, _: Self) -> bool {
        true
    }
    #[inline]
    fn le(self, _: Self) -> bool {
        true
    }
    /// Either may be chosen, whatever comparisons return here.
    #[inline]
    fn select(_: bool, yes: Self, no: Self) -> Self {
        yes + no
    }
    /// Functions such as cos are not zero at zero.
    #[inline]
    fn in_double(self, _: Self, _: impl Fn(f64, f64) -> f64) -> Self {
        Trace(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::{Acoustics, Burgers, EulerHllc};

    /// Pressure and the velocity along the axis, whatever the parameters; of a gas all components.
    #[test]
    fn components_are_those_that_splitting_changes() {
        let sound = Acoustics::<3> { density: 1.0, bulk: 4.0 };
        let gas = EulerHllc::<3> { gamma: 1.4 };
        for (axis, along) in Axis::ALL.into_iter().flat_map(|a| a.transverse(3).map(move |b| (a, b))) {
            let expected = std::array::from_fn(|m| m == 0 || m == along.index() + 1);
            assert_eq!(live(&sound, axis, along), expected);
            assert_eq!(live(&gas, axis, along), [true; 5]);
        }
        assert_eq!(live(&Burgers::<3>, Axis::X, Axis::Z), [true]);
    }
}
