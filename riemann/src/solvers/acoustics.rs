//! Linear acoustics in a uniform medium.
//!
//! PDE: `p_t + K (u_x + v_y + w_z) = 0`, `ρ u_t + p_x = 0`, `ρ v_t + p_y = 0`, `ρ w_t + p_z = 0`; in two dimensions without `w`,
//! in one without `v` too. Variables: pressure `p`; velocity `u`, `v`, `w`. Parameters: density `ρ`, bulk modulus `K`.
//! Sound speed `c = √(K/ρ)`, impedance `Z = ρ c`.
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the velocity along the face, whose jump stands still;
//! `amdq + apdq = f(qr) − f(ql)`; wave 0 runs left at −c, wave 1 right at +c; `bmasdq + bpasdq = B asdq`, B the
//! transverse coefficient matrix.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §3.9 and §21.5.

use crate::prelude::*;

/// Linear acoustics in a uniform medium: equations `pressure`, `u`, `v`, `w`, as many of them as there are axes.
#[riemann::solver(
    dim = [1, 2, 3],
    title = "Linear acoustics in a uniform medium",
    equations = ["pressure", vector("u", "v", "w")],
    waves = 2,
    solve_again
)]
pub struct Acoustics<const D: usize = 2> {
    /// density of the medium
    #[parameter(positive)]
    pub density: Real,
    /// bulk modulus of the medium
    #[parameter(positive)]
    pub bulk: Real,
}

#[riemann::kernels]
impl Acoustics {
    /// Sound speed `c = √(K/ρ)`.
    pub fn sound_speed(&self) -> Real {
        (self.bulk / self.density).sqrt()
    }

    /// Impedance `Z = ρ c`.
    pub fn impedance(&self) -> Real {
        self.density * self.sound_speed()
    }

    /// Strengths of the waves `(−Z, 1)` and `(Z, 1)` in a jump of pressure and of one velocity component.
    fn strengths(&self, pressure: Real, velocity: Real) -> (Real, Real) {
        let half_admittance = 0.5 / self.impedance();
        let scaled = self.impedance() * velocity;
        ((scaled - pressure) * half_admittance, (scaled + pressure) * half_admittance)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let n = axis.index() + 1;
        let (c, z) = (self.sound_speed(), self.impedance());
        let (left, right) = self.strengths(qr[0] - ql[0], qr[n] - ql[n]);

        let mut waves = [[0.0; M]; W];
        waves[0][0] = -left * z;
        waves[0][n] = left;
        waves[1][0] = right * z;
        waves[1][n] = right;

        let mut amdq = [0.0; M];
        amdq[0] = -c * waves[0][0];
        amdq[n] = -c * left;
        let mut apdq = [0.0; M];
        apdq[0] = c * waves[1][0];
        apdq[n] = c * right;
        Normal { waves, speeds: [-c, c], amdq, apdq }
    }

    fn transverse(&self, across: Axis, asdq: State) -> Transverse {
        let t = across.index() + 1;
        let (c, z) = (self.sound_speed(), self.impedance());
        let (down, up) = self.strengths(asdq[0], asdq[t]);
        let (down, up) = (c * down, c * up);

        let mut bmasdq = [0.0; M];
        bmasdq[0] = down * z;
        bmasdq[t] = -down;
        let mut bpasdq = [0.0; M];
        bpasdq[0] = up * z;
        bpasdq[t] = up;
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let n = axis.index() + 1;
        let mut flux = [0.0; M];
        flux[0] = self.bulk * q[n];
        flux[n] = q[0] / self.density;
        flux
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pressure jump of 2 Z in a medium at rest sends off two equal waves. All numbers are binary fractions, so the
    /// results are exact; a swapped sign, axis or factor changes them.
    #[test]
    fn pressure_jump_splits_evenly() {
        let solver = Acoustics::<2> { density: 1.0, bulk: 4.0 };
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
            let split =
                solver.transverse(axis, axis.transverse_2d(), Side::Upper, [0.0; 3], [0.0; 3], [0.0; 3], &aux, asdq);
            // B asdq = (K v, 0, p/ρ) of asdq, half of |B| asdq = (c p, 0, c v) to each side.
            assert_eq!(split.bmasdq[0] + split.bpasdq[0], 0.0);
            assert_eq!(split.bpasdq[0], 4.0);
            assert_eq!(split.bmasdq[t], split.bpasdq[t]);
            assert_eq!(split.bmasdq[t] + split.bpasdq[t], 4.0);
            assert_eq!((split.bmasdq[n], split.bpasdq[n]), (0.0, 0.0));
        }
    }
}
