//! Tables of numbers.

use super::{Real, Scalar};

/// Between the numbers of a table, linear in a real index, beyond which the first and the last number hold; NaN for NaN.
#[inline(always)]
pub fn interpolated<V: Real, const N: usize>(table: &[f64; N], place: V) -> V {
    const { assert!(V::LANES <= 16) };
    let bounded = place.max(V::zero()).min(V::constant((N - 1) as f64));
    let mut below = [V::Scalar::default(); 16];
    let (mut values, mut next) = (below, below);
    // SAFETY: the arrays have room for every lane.
    let (below, values, next) = unsafe {
        bounded.store(below.as_mut_ptr());
        for lane in 0..V::LANES {
            let k = below[lane].to_f64() as usize;
            below[lane] = V::Scalar::from_f64(k as f64);
            values[lane] = V::Scalar::from_f64(table[k.min(N - 1)]);
            next[lane] = V::Scalar::from_f64(table[(k + 1).min(N - 1)]);
        }
        (V::load(below.as_ptr()), V::load(values.as_ptr()), V::load(next.as_ptr()))
    };
    V::select(place.equal(place), values + (bounded - below) * (next - values), place)
}
