//! The largest Courant number at which an update is stable.
//!
//! The Courant number is the largest |s| Δt/Δ over faces, waves and axes, as steps report it.

use riemann::limiter::Limiter;

/// An update, as far as its stability depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update<'a> {
    /// Number of space dimensions.
    pub dimension: usize,
    /// 1 or 2.
    pub order: u8,
    /// 0: no transverse waves. 1: of the fluctuations. 2: of the corrections too.
    pub transverse: u8,
    /// In three dimensions, transverse parts are split once more along the third axis.
    pub double_transverse: bool,
    /// Axes are swept one after the other.
    pub split: bool,
    /// The waves' limiters.
    pub limiters: &'a [Limiter],
}

impl Update<'_> {
    /// The largest Courant number at which the update is stable; `None` if there is none to rely on.
    ///
    /// | update | 1D | 2D | 3D |
    /// |---|---|---|---|
    /// | sweeps one after the other | 1 | 1 | 1 |
    /// | order 1, transverse 0 | 1 | 1/2 | 1/3 |
    /// | order 1, transverse 1 or 2 | 1 | 1 | 1; without double transverse waves 1/2 |
    /// | order 2, transverse 0 | 1 | below | below |
    /// | order 2, transverse 1 | 1 | 1 | none |
    /// | order 2, transverse 2 | 1 | 1 | 1; without double transverse waves 1/2 |
    ///
    /// The 2D column comes from von Neumann analysis of advection and of acoustics, the 3D column from whether random data grow.
    /// The donor-cell sums of order 1 without transverse waves are stable while the axes' Courant numbers add to at most 1.
    ///
    /// Order 2 without transverse waves has an error along the diagonals that grows at any step: without a limiter there is
    /// no stable Courant number. With one, an advected value stays between its neighbours' while `Σ C ≤ 1` over the axes
    /// (Harten's lemma; LeVeque 2002, doi:10.1017/CBO9780511791253, theorem 6.1 and §6.12). `0 ≤ φ(θ) ≤ 2` and `φ(θ) ≤ 2θ`
    /// bound C by `ν (2 − ν)`; minmod, with 1 in place of 2, by `ν (3 − ν)/2`. Acoustics follow, with all limiters but
    /// superbee: its steepening lets random data grow from 0.2 on.
    pub fn stability_limit(&self) -> Option<f64> {
        let axes = self.dimension as f64;
        if self.split || self.dimension == 1 {
            return Some(1.0);
        }
        match (self.order, self.transverse) {
            (1, 0) => Some(1.0 / axes),
            (_, 0) => self.limiters.iter().map(|&limiter| monotone_courant(limiter, axes)).reduce(smaller).flatten(),
            _ if self.dimension == 2 => Some(1.0),
            (2.., 1) => None,
            _ if self.double_transverse => Some(1.0),
            _ => Some(0.5),
        }
    }
}

/// The Courant number ν at which the bound on C is `1/axes`, for order 2 without transverse waves; `None` if data may grow at any ν.
fn monotone_courant(limiter: Limiter, axes: f64) -> Option<f64> {
    match limiter {
        Limiter::None | Limiter::Superbee => None,
        Limiter::Minmod => Some(0.5 * (3.0 - (9.0 - 8.0 / axes).sqrt())),
        Limiter::Mc | Limiter::VanLeer => Some(1.0 - (1.0 - 1.0 / axes).sqrt()),
    }
}

/// The smaller of two bounds; `None` is smaller than any.
fn smaller(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.min(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Update<'_> = Update {
        dimension: 2,
        order: 2,
        transverse: 2,
        double_transverse: true,
        split: false,
        limiters: &[Limiter::Mc, Limiter::Minmod],
    };

    /// The table in three dimensions, as random data found it, and in one, where nothing is transverse.
    #[test]
    fn the_table_is_as_found() {
        let space = |order, transverse, double_transverse| {
            Update { dimension: 3, order, transverse, double_transverse, ..PLAIN }.stability_limit()
        };
        assert_eq!((space(1, 0, true), space(1, 1, false)), (Some(1.0 / 3.0), Some(0.5)));
        assert_eq!((space(1, 1, true), space(1, 2, true)), (Some(1.0), Some(1.0)));
        assert_eq!((space(2, 1, true), space(2, 1, false)), (None, None));
        assert_eq!((space(2, 2, true), space(2, 2, false)), (Some(1.0), Some(0.5)));
        for (dimension, split) in [(1, false), (2, true), (3, true)] {
            let update = Update { dimension, split, transverse: 0, limiters: &[Limiter::None], ..PLAIN };
            assert_eq!(update.stability_limit(), Some(1.0));
        }
    }

    /// The limiter with the smallest bound decides, and a wave without limiter leaves no bound.
    #[test]
    fn the_worst_limiter_decides() {
        let bound = |limiters| Update { transverse: 0, limiters, ..PLAIN }.stability_limit();
        let (minmod, mc) = (bound(&[Limiter::Minmod]).unwrap(), bound(&[Limiter::Mc]).unwrap());
        assert!((minmod - 0.381966).abs() < 1e-6 && (mc - 0.292893).abs() < 1e-6);
        assert_eq!(bound(&[Limiter::Minmod, Limiter::Mc]), Some(mc));
        assert_eq!((bound(&[Limiter::Mc, Limiter::None]), bound(&[Limiter::Superbee])), (None, None));
    }
}
