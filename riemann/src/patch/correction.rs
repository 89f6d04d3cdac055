//! The limited second-order correction of a face.

use super::Scheme;
use crate::real::Real;
use crate::solver::Solver;

/// Waves and speeds of one pack of faces.
#[derive(Clone, Copy)]
pub(super) struct Waves<V, const M: usize, const W: usize> {
    pub waves: [[V; M]; W],
    pub speeds: [V; W],
}

/// Products `𝒲(i) · 𝒲(i − 1)` of each wave with the same wave of the face below. That of a face with the face above is
/// the product that the face above has with this one: each is computed once, and serves both limiters.
#[inline(always)]
pub(super) fn wave_products<V: Real, const M: usize, const W: usize>(
    below: &[[V; M]; W],
    here: &[[V; M]; W],
) -> [V; W] {
    let mut products = [V::zero(); W];
    for w in 0..W {
        for m in 0..M {
            products[w] += here[w][m] * below[w][m];
        }
    }
    products
}

/// Second-order correction `½ Σ |s| (1 − |s| Δt/κΔx) φ 𝒲`: LeVeque 2002 eqs 6.60 and 23.6; for f-waves (§15.5) `sgn(s)`
/// takes the place of `|s|` in front. `below`, `above`: the products of the waves with those of the neighbouring faces.
#[inline(always)]
pub(super) fn limited_correction<S, V, const M: usize, const W: usize, const A: usize>(
    scheme: &Scheme,
    here: &Waves<V, M, W>,
    [below, above]: [&[V; W]; 2],
    dtdx: V,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let (zero, half, one) = (V::zero(), V::constant(0.5), V::constant(1.0));
    let mut correction = [zero; M];
    for w in 0..W {
        let mut norm = zero;
        for m in 0..M {
            norm += here.waves[w][m] * here.waves[w][m];
        }
        let speed = here.speeds[w];
        let rightward = speed.gt(zero);
        let upwind = V::select(rightward, below[w], above[w]);
        let size = speed.abs();
        let lead = if S::FWAVES { V::select(rightward, one, V::select(speed.lt(zero), -one, zero)) } else { size };
        let factor = half * lead * (one - size * dtdx) * scheme.limiters[w].phi(upwind, norm);
        for m in 0..M {
            correction[m] += factor * here.waves[w][m];
        }
    }
    correction
}
