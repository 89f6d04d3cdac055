//! The built-in Riemann solvers, one PDE a file.
//!
//! Each file opens with the PDE, its variables, its source and *Holds* lines: properties that `tests/holds` checks on
//! random states. [`crate::catalogue`] finds the solvers by name.

mod acoustics;
mod acoustics_variable;
mod advection;
mod advection_edge;
mod burgers;
mod euler;
mod shallow_water;

pub use acoustics::Acoustics;
pub use acoustics_variable::AcousticsVariable;
pub use advection::Advection;
pub use advection_edge::AdvectionEdge;
pub use burgers::Burgers;
pub use euler::Euler;
pub use shallow_water::ShallowWater;

use crate::axis::Axis;
use crate::real::Real;

/// Components of a vector quantity stored after one scalar, `[scalar, x, y, …]`: the one normal to a face of `axis`, and
/// the one along it.
#[inline(always)]
const fn normal_and_transverse(axis: Axis) -> (usize, usize) {
    (axis.index() + 1, axis.transverse_2d().index() + 1)
}

/// `a + b`, component by component. A loop and no closure: closures would hide the lanes' instructions behind calls.
#[inline(always)]
fn sum<V: Real, const M: usize>(mut a: [V; M], b: [V; M]) -> [V; M] {
    for m in 0..M {
        a[m] += b[m];
    }
    a
}

/// `a − b`, component by component.
#[inline(always)]
fn difference<V: Real, const M: usize>(mut a: [V; M], b: [V; M]) -> [V; M] {
    for m in 0..M {
        a[m] -= b[m];
    }
    a
}

/// An acoustic or gravity wave of a linearised solver: its speed, and the characteristic speeds on its two sides.
#[derive(Clone, Copy)]
struct Acoustic<V> {
    speed: V,
    before: V,
    after: V,
}

/// The parts of the speeds of the slowest and the fastest wave that belong to the left-going fluctuation.
///
/// A wave of speed s moves to one side: the part is `min(s, 0)`. But where the characteristic speed passes from
/// `λl < 0` before the wave to `λr > 0` after it, the wave is a transonic rarefaction and spreads to both sides: the
/// part is then `λl (λr − s)/(λr − λl)`, Harten and Hyman's entropy fix (LeVeque 2002, §15.3.5). The upper wave is fixed
/// only where `fix_upper` is set.
#[inline(always)]
fn left_going<V: Real>(lower: Acoustic<V>, upper: Acoustic<V>, fix_upper: V::Mask) -> (V, V) {
    let (zero, one) = (V::zero(), V::constant(1.0));
    let lower_transonic = lower.before.lt(zero) & lower.after.gt(zero);
    let upper_transonic = fix_upper & upper.before.lt(zero) & upper.after.gt(zero);
    // One division serves both fractions. Spreads that are not used are one, and cannot spoil the product.
    let lower_spread = V::select(lower_transonic, lower.after - lower.before, one);
    let upper_spread = V::select(upper_transonic, upper.after - upper.before, one);
    let reciprocal = one / (lower_spread * upper_spread);
    let lower_part = lower.before * (lower.after - lower.speed) * (upper_spread * reciprocal);
    let upper_part = upper.before * (upper.after - upper.speed) * (lower_spread * reciprocal);
    (
        V::select(lower_transonic, lower_part, lower.speed.min(zero)),
        V::select(upper_transonic, upper_part, upper.speed.min(zero)),
    )
}
