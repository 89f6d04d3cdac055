//! Linear elasticity in a uniform solid; in two dimensions plane strain.
//!
//! PDE: `σ¹¹_t − (λ + 2μ) u_x − λ (v_y + w_z) = 0` and likewise for `σ²²`, `σ³³`; `σ¹²_t − μ (v_x + u_y) = 0`,
//! `σ¹³_t − μ (w_x + u_z) = 0`, `σ²³_t − μ (w_y + v_z) = 0`; `ρ u_t − σ¹¹_x − σ¹²_y − σ¹³_z = 0` and likewise for `v`, `w`; in two
//! dimensions without `w` and the stresses with a 3.
//! Variables: stress `σ¹¹`, `σ²²`, `σ³³`, `σ¹²`, `σ¹³`, `σ²³`; velocity `u`, `v`, `w`. Parameters: density `ρ`, Lamé's `λ` and `μ`.
//! Speeds of pressure and shear waves: `cp = √((λ + 2μ)/ρ)`, `cs = √(μ/ρ)`.
//!
//! Waves at a face in x: 0 pressure (−cp), 1 pressure (+cp), 2 shear (−cs), 3 shear (+cs). In three dimensions a shear wave holds
//! the motions along y and z together: they have one speed, and no order of the two would treat all axes alike.
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the stresses along the face, part of whose jump stands still;
//! `amdq + apdq = Σ s wave = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq`, B the transverse coefficient matrix.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §22.1–22.4.

use crate::prelude::*;

/// Linear elasticity: `stress_xx`, `stress_yy`, `stress_xy`, `u`, `v`; in three dimensions `stress_xx`, `stress_yy`,
/// `stress_zz`, `stress_xy`, `stress_xz`, `stress_yz`, `u`, `v`, `w`.
#[riemann::solver(
    dim = [2, 3],
    title = "Linear elasticity in a uniform solid",
    equations = [
        tensor("stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_xz", "stress_yz"),
        vector("u", "v", "w")
    ],
    waves = 4,
    solve_again
)]
pub struct Elasticity<const D: usize = 2> {
    /// density of the solid
    #[parameter(positive)]
    pub density: Real,
    /// Lamé's first parameter of the solid
    #[parameter(positive)]
    pub lambda: Real,
    /// shear modulus of the solid
    #[parameter(positive)]
    pub mu: Real,
}

#[riemann::kernels]
impl Elasticity {
    /// Position of the first velocity among the equations.
    const VELOCITY: usize = 3 * (D - 1);

    /// `λ + 2μ`.
    fn stiffness(&self) -> Real {
        self.lambda + 2.0 * self.mu
    }

    /// Speed of pressure waves.
    pub fn pressure_speed(&self) -> Real {
        (self.stiffness() / self.density).sqrt()
    }

    /// Speed of shear waves.
    pub fn shear_speed(&self) -> Real {
        (self.mu / self.density).sqrt()
    }

    /// The axes seen from one: itself, and the others. In the plane there is one other, and the last is never used.
    fn axes(along: usize) -> (usize, usize, usize) {
        (along, (along + 1) % D, (along + 2) % D)
    }

    /// Strengths of the two shear waves along `along` that move the solid along `across`.
    fn shear_strengths(&self, dq: State, along: usize, across: usize) -> [Real; 2] {
        let cs = self.shear_speed();
        let (shear, slip) = (dq[D + along + across - 1] * (0.5 / self.mu), dq[VELOCITY + across] * (0.5 / cs));
        [shear + slip, shear - slip]
    }

    /// The waves in a jump or a fluctuation `dq` that run along `axis`.
    fn split(&self, dq: State, axis: Axis) -> [State; W] {
        let (along, across, third) = Self::axes(axis.index());
        let (cp, cs) = (self.pressure_speed(), self.shear_speed());
        let (stress, push) = (dq[along] * (0.5 / self.stiffness()), dq[VELOCITY + along] * (0.5 / cp));
        let p = [stress + push, stress - push];
        let s = self.shear_strengths(dq, along, across);
        let (steps_p, steps_s) = ([cp, -cp], [cs, -cs]);
        let mut waves = [[0.0; M]; W];
        for k in 0..2 {
            waves[k][along] = p[k] * self.stiffness();
            waves[k][across] = p[k] * self.lambda;
            waves[k][VELOCITY + along] = p[k] * steps_p[k];
            waves[2 + k][D + along + across - 1] = s[k] * self.mu;
            waves[2 + k][VELOCITY + across] = s[k] * steps_s[k];
        }
        if D > 2 {
            let s = self.shear_strengths(dq, along, third);
            for k in 0..2 {
                waves[k][third] = p[k] * self.lambda;
                waves[2 + k][D + along + third - 1] = s[k] * self.mu;
                waves[2 + k][VELOCITY + third] = s[k] * steps_s[k];
            }
        }
        waves
    }

    /// The parts of a split that move to the lower and to the upper side, times their speeds.
    fn move_apart(&self, waves: [State; W]) -> (State, State) {
        let (cp, cs) = (self.pressure_speed(), self.shear_speed());
        let (mut lower, mut upper) = (waves[0], waves[1]);
        for m in 0..M {
            lower[m] = -(cp * waves[0][m] + cs * waves[2][m]);
            upper[m] = cp * waves[1][m] + cs * waves[3][m];
        }
        (lower, upper)
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let mut jump = qr;
        for m in 0..M {
            jump[m] -= ql[m];
        }
        let waves = self.split(jump, axis);
        let (amdq, apdq) = self.move_apart(waves);
        let (cp, cs) = (self.pressure_speed(), self.shear_speed());
        let mut speeds = [cs; W];
        speeds[0] = -cp;
        speeds[1] = cp;
        speeds[2] = -cs;
        Normal { waves, speeds, amdq, apdq }
    }

    fn transverse(&self, across: Axis, asdq: State) -> Transverse {
        let (bmasdq, bpasdq) = self.move_apart(self.split(asdq, across));
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (along, across, third) = Self::axes(axis.index());
        let mut flux = [0.0; M];
        flux[along] = -(self.stiffness() * q[VELOCITY + along]);
        flux[across] = -(self.lambda * q[VELOCITY + along]);
        flux[D + along + across - 1] = -(self.mu * q[VELOCITY + across]);
        flux[VELOCITY + along] = -(q[along] / self.density);
        flux[VELOCITY + across] = -(q[D + along + across - 1] / self.density);
        if D > 2 {
            flux[third] = -(self.lambda * q[VELOCITY + along]);
            flux[D + along + third - 1] = -(self.mu * q[VELOCITY + third]);
            flux[VELOCITY + third] = -(q[D + along + third - 1] / self.density);
        }
        flux
    }
}
