//! Linear acoustics in a uniform medium.
//!
//! PDE: `p_t + K (u_x + v_y) = 0`, `ρ u_t + p_x = 0`, `ρ v_t + p_y = 0`.
//! Variables: pressure `p`; velocity `u`, `v`. Parameters: density `ρ`, bulk modulus `K`.
//! Sound speed `c = √(K/ρ)`, impedance `Z = ρ c`.
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the transverse velocity, whose jump stands still;
//! `amdq + apdq = f(qr) − f(ql)`; wave 0 runs left at −c, wave 1 right at +c; `bmasdq + bpasdq = B asdq`, B the
//! transverse coefficient matrix.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §3.9 and §21.5.

use super::normal_and_transverse;
use crate::prelude::*;

/// Linear acoustics in a uniform medium: equations `pressure`, `u`, `v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acoustics {
    /// Density ρ, positive.
    pub density: f64,
    /// Bulk modulus K, positive.
    pub bulk: f64,
}

impl Acoustics {
    /// Sound speed `c = √(K/ρ)`.
    #[inline(always)]
    pub fn sound_speed(&self) -> f64 {
        (self.bulk / self.density).sqrt()
    }

    /// Impedance `Z = ρ c`.
    #[inline(always)]
    pub fn impedance(&self) -> f64 {
        self.density * self.sound_speed()
    }

    /// Strengths of the waves `(−Z, 1)` and `(Z, 1)` in a jump of pressure and of one velocity component.
    #[inline(always)]
    fn strengths<V: Real>(&self, pressure: V, velocity: V) -> (V, V) {
        let half_admittance = V::constant(0.5 / self.impedance());
        let scaled = V::constant(self.impedance()) * velocity;
        ((scaled - pressure) * half_admittance, (scaled + pressure) * half_admittance)
    }
}

impl Solver<3, 2, 0> for Acoustics {
    const DIM: usize = 2;
    const EQUATIONS: [&'static str; 3] = ["pressure", "u", "v"];
    const AUX: [&'static str; 0] = [];
    const SOLVE_AGAIN: bool = true;
    const WALL_NORMAL: [Option<usize>; 3] = [Some(1), Some(2), None];

    #[inline(always)]
    fn normal<V: Real>(&self, axis: Axis, ql: [V; 3], qr: [V; 3], _aux_l: [V; 0], _aux_r: [V; 0]) -> Normal<V, 3, 2> {
        let (n, _) = normal_and_transverse(axis);
        let c = V::constant(self.sound_speed());
        let z = V::constant(self.impedance());
        let (left, right) = self.strengths(qr[0] - ql[0], qr[n] - ql[n]);

        let mut waves = [[V::zero(); 3]; 2];
        waves[0][0] = -left * z;
        waves[0][n] = left;
        waves[1][0] = right * z;
        waves[1][n] = right;

        let mut amdq = [V::zero(); 3];
        amdq[0] = -c * waves[0][0];
        amdq[n] = -c * left;
        let mut apdq = [V::zero(); 3];
        apdq[0] = c * waves[1][0];
        apdq[n] = c * right;
        Normal { waves, speeds: [-c, c], amdq, apdq }
    }

    #[inline(always)]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        _side: Side,
        _ql: [V; 3],
        _qr: [V; 3],
        _aux: &TransverseAux<V, 0>,
        asdq: [V; 3],
    ) -> Transverse<V, 3> {
        let (_, t) = normal_and_transverse(axis);
        let c = V::constant(self.sound_speed());
        let z = V::constant(self.impedance());
        let (down, up) = self.strengths(asdq[0], asdq[t]);
        let (down, up) = (c * down, c * up);

        let mut bmasdq = [V::zero(); 3];
        bmasdq[0] = down * z;
        bmasdq[t] = -down;
        let mut bpasdq = [V::zero(); 3];
        bpasdq[0] = up * z;
        bpasdq[t] = up;
        Transverse { bmasdq, bpasdq }
    }

    #[inline(always)]
    fn flux<V: Real>(&self, axis: Axis, q: [V; 3], _aux: [V; 0]) -> Option<[V; 3]> {
        let (n, _) = normal_and_transverse(axis);
        let mut flux = [V::zero(); 3];
        flux[0] = V::constant(self.bulk) * q[n];
        flux[n] = q[0] / V::constant(self.density);
        Some(flux)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pressure jump of 2 Z in a medium at rest sends off two equal waves. All numbers are binary fractions, so the
    /// results are exact; a swapped sign, axis or factor changes them.
    #[test]
    fn pressure_jump_splits_evenly() {
        let solver = Acoustics { density: 1.0, bulk: 4.0 };
        assert_eq!((solver.sound_speed(), solver.impedance()), (2.0, 2.0));
        for (axis, n, t) in [(Axis::X, 1, 2), (Axis::Y, 2, 1)] {
            let face = solver.normal(axis, [4.0, 0.0, 7.0], [0.0, 0.0, 7.0], [], []);
            let mut left = [-2.0_f64, 0.0, 0.0];
            left[n] = 1.0;
            let mut right = [-2.0_f64, 0.0, 0.0];
            right[n] = -1.0;
            assert_eq!(face.waves, [left, right]);
            assert_eq!(face.speeds, [-2.0, 2.0]);
            assert_eq!(face.amdq, left.map(|x| -2.0 * x));
            assert_eq!(face.apdq, right.map(|x| 2.0 * x));

            let aux = TransverseAux { below: [], here: [], above: [] };
            let mut asdq = [4.0, 5.0, 5.0];
            asdq[t] = 0.0;
            let split = solver.transverse(axis, Side::Upper, [0.0; 3], [0.0; 3], &aux, asdq);
            // B asdq = (K v, 0, p/ρ) of asdq, half of |B| asdq = (c p, 0, c v) to each side.
            assert_eq!(split.bmasdq[0] + split.bpasdq[0], 0.0);
            assert_eq!(split.bpasdq[0], 4.0);
            assert_eq!(split.bmasdq[t], split.bpasdq[t]);
            assert_eq!(split.bmasdq[t] + split.bpasdq[t], 4.0);
            assert_eq!((split.bmasdq[n], split.bpasdq[n]), (0.0, 0.0));
        }
    }
}
