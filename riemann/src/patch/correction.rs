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

impl<V: Real, const M: usize, const W: usize> Waves<V, M, W> {
    pub(super) const fn none(zero: V) -> Self {
        Waves { waves: [[zero; M]; W], speeds: [zero; W] }
    }
}

/// Second-order correction `½ Σ |s| (1 − |s| Δt/κΔx) φ 𝒲`: LeVeque 2002 eqs 6.60 and 23.6; for f-waves (§15.5) `sgn(s)`
/// takes the place of `|s|` in front. `below`, `above`: the waves of the neighbouring faces along the axis.
#[inline(always)]
pub(super) fn limited_correction<S, V, const M: usize, const W: usize, const A: usize>(
    scheme: &Scheme,
    below: &[[V; M]; W],
    here: &Waves<V, M, W>,
    above: &[[V; M]; W],
    dtdx: V,
) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    let (zero, half, one) = (V::zero(), V::constant(0.5), V::constant(1.0));
    let mut correction = [zero; M];
    for w in 0..W {
        let (mut norm, mut dot) = (zero, zero);
        let speed = here.speeds[w];
        let rightward = speed.gt(zero);
        for m in 0..M {
            let mine = here.waves[w][m];
            norm += mine * mine;
            dot += mine * V::select(rightward, below[w][m], above[w][m]);
        }
        let size = speed.abs();
        let lead = if S::FWAVES { V::select(rightward, one, V::select(speed.lt(zero), -one, zero)) } else { size };
        let factor = half * lead * (one - size * dtdx) * scheme.limiters[w].phi(dot, norm);
        for m in 0..M {
            correction[m] += factor * here.waves[w][m];
        }
    }
    correction
}
