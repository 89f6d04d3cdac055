//! Wave limiters.
//!
//! A limiter compares a wave with the neighbouring wave of the same family on its upwind side. With `n = |𝒲|²` and
//! `d = 𝒲 · 𝒲_upwind`, the ratio is `θ = d / n` and the wave is scaled by φ(θ) in the second-order correction:
//! LeVeque 2002, doi:10.1017/CBO9780511791253, §6.11 eqs 6.39–6.41 and §9.13.
//! Each φ is written with a single division, the most expensive operation of the update.

use crate::real::Real;
use std::str::FromStr;

/// Limiter of one wave family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Limiter {
    /// φ = 1: Lax–Wendroff.
    None = 0,
    /// φ = max(0, min(1, θ)).
    Minmod = 1,
    /// φ = max(0, min(1, 2θ), min(2, θ)).
    Superbee = 2,
    /// φ = (θ + |θ|) / (1 + |θ|).
    #[default]
    VanLeer = 3,
    /// φ = max(0, min((1 + θ)/2, 2, 2θ)): monotonised central difference.
    Mc = 4,
}

impl Limiter {
    /// All limiters.
    pub const ALL: [Limiter; 5] = [Limiter::None, Limiter::Minmod, Limiter::Superbee, Limiter::VanLeer, Limiter::Mc];

    /// The name used in case files.
    pub const fn name(self) -> &'static str {
        match self {
            Limiter::None => "none",
            Limiter::Minmod => "minmod",
            Limiter::Superbee => "superbee",
            Limiter::VanLeer => "van_leer",
            Limiter::Mc => "mc",
        }
    }

    /// φ(d / n). Where the wave vanishes (`n = 0`) the value is finite and of no consequence.
    #[inline(always)]
    pub fn phi<V: Real>(self, d: V, n: V) -> V {
        let (zero, one, two) = (V::zero(), V::constant(1.0), V::constant(2.0));
        match self {
            Limiter::None => one,
            Limiter::VanLeer => {
                let aligned = d.gt(zero);
                V::select(aligned, two * d, zero) / V::select(aligned, n + d, one)
            }
            Limiter::Minmod => d.min(n).max(zero) / nonzero(n),
            Limiter::Superbee => {
                let steep = (two * d).min(n);
                let flat = d.min(two * n);
                steep.max(flat).max(zero) / nonzero(n)
            }
            Limiter::Mc => {
                let central = V::constant(0.5) * (n + d);
                central.min((two * n).min(two * d)).max(zero) / nonzero(n)
            }
        }
    }
}

#[inline(always)]
fn nonzero<V: Real>(n: V) -> V {
    V::select(n.gt(V::zero()), n, V::constant(1.0))
}

impl FromStr for Limiter {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Limiter::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            let names: Vec<_> = Limiter::ALL.iter().map(|l| l.name()).collect();
            format!("unknown limiter \"{name}\": write one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one-division forms equal the textbook's φ(θ). Both are a handful of roundings, hence 1e-14.
    #[test]
    fn one_division_forms_equal_the_textbook() {
        for k in -300..=300 {
            let theta = f64::from(k) * 0.01;
            for n in [0.3, 1.0, 7.0] {
                let textbook = [
                    1.0,
                    theta.clamp(0.0, 1.0),
                    f64::max(0.0, f64::max(f64::min(1.0, 2.0 * theta), f64::min(2.0, theta))),
                    (theta + theta.abs()) / (1.0 + theta.abs()),
                    f64::max(0.0, f64::min(0.5 * (1.0 + theta), f64::min(2.0, 2.0 * theta))),
                ];
                for limiter in Limiter::ALL {
                    let phi = limiter.phi(theta * n, n);
                    assert!((phi - textbook[limiter as usize]).abs() < 1e-14, "{limiter:?} {theta} {phi}");
                }
            }
        }
    }

    /// A vanishing wave must not make a NaN: it would spread through the sum of corrections.
    #[test]
    fn vanishing_waves_give_finite_factors() {
        for limiter in Limiter::ALL {
            assert!(limiter.phi(0.0f64, 0.0).is_finite());
            assert!(limiter.phi(0.0f32, 0.0).is_finite());
        }
    }
}
