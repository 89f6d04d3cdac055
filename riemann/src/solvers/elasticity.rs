//! Linear elasticity in a uniform solid, plane strain.
//!
//! PDE: `σ¹¹_t − (λ + 2μ) u_x − λ v_y = 0`, `σ²²_t − λ u_x − (λ + 2μ) v_y = 0`, `σ¹²_t − μ (v_x + u_y) = 0`,
//! `ρ u_t − σ¹¹_x − σ¹²_y = 0`, `ρ v_t − σ¹²_x − σ²²_y = 0`.
//! Variables: stress `σ¹¹`, `σ²²`, `σ¹²`; velocity `u`, `v`. Parameters: density `ρ`, Lamé's `λ` and `μ`.
//! Speeds of pressure and shear waves: `cp = √((λ + 2μ)/ρ)`, `cs = √(μ/ρ)`.
//!
//! Waves at a face in x: 0 pressure (−cp), 1 pressure (+cp), 2 shear (−cs), 3 shear (+cs).
//!
//! Holds: `Σ_w wave_w = qr − ql` but for the stress along the face, part of whose jump stands still;
//! `amdq + apdq = Σ s wave = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq`, B the transverse coefficient matrix.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §22.1–22.4.

use crate::prelude::*;

/// Linear elasticity: `stress_xx`, `stress_yy`, `stress_xy`, `u`, `v`.
#[riemann::solver(
    title = "Linear elasticity in a uniform solid, plane strain",
    equations = ["stress_xx", "stress_yy", "stress_xy", vector("u", "v")],
    waves = 4
)]
pub struct Elasticity {
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
    /// Position of the shear stress among the equations.
    const SHEAR: usize = 2;

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

    /// The four waves in a jump or a fluctuation `dq` that run along `axis`.
    fn split(&self, dq: State, axis: Axis) -> [State; 4] {
        let (along, across) = (axis.index(), axis.transverse_2d().index());
        let (cp, cs) = (self.pressure_speed(), self.shear_speed());
        let (stress, push) = (dq[along] * (0.5 / self.stiffness()), dq[3 + along] * (0.5 / cp));
        let (shear, slip) = (dq[SHEAR] * (0.5 / self.mu), dq[3 + across] * (0.5 / cs));
        let (p, s) = ([stress + push, stress - push], [shear + slip, shear - slip]);
        let (steps_p, steps_s) = ([cp, -cp], [cs, -cs]);
        let mut waves = [[0.0; M]; W];
        for k in 0..2 {
            waves[k][along] = p[k] * self.stiffness();
            waves[k][across] = p[k] * self.lambda;
            waves[k][3 + along] = p[k] * steps_p[k];
            waves[2 + k][SHEAR] = s[k] * self.mu;
            waves[2 + k][3 + across] = s[k] * steps_s[k];
        }
        waves
    }

    /// The parts of a split that move to the lower and to the upper side, times their speeds.
    fn move_apart(&self, waves: [State; 4]) -> (State, State) {
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
        Normal { waves, speeds: [-cp, cp, -cs, cs], amdq, apdq }
    }

    fn transverse(&self, axis: Axis, asdq: State) -> Transverse {
        let (bmasdq, bpasdq) = self.move_apart(self.split(asdq, axis.transverse_2d()));
        Transverse { bmasdq, bpasdq }
    }

    fn flux(&self, axis: Axis, q: State) -> State {
        let (along, across) = (axis.index(), axis.transverse_2d().index());
        let mut flux = q;
        flux[along] = -(self.stiffness() * q[3 + along]);
        flux[across] = -(self.lambda * q[3 + along]);
        flux[SHEAR] = -(self.mu * q[3 + across]);
        flux[3 + along] = -(q[along] / self.density);
        flux[3 + across] = -(q[SHEAR] / self.density);
        flux
    }
}
