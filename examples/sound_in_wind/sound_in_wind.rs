//! Sound in a steady wind.
//!
//! PDE, for the disturbance of a medium that moves with the velocity `(U, V)`, `D_t = ∂_t + U ∂_x + V ∂_y`:
//! `D_t p + K (u_x + v_y) = 0`, `ρ D_t u + p_x = 0`, `ρ D_t v + p_y = 0`.
//! Variables: pressure `p`; velocity `u`, `v`. Parameters: density ρ, bulk modulus K, wind U, V. Sound speed `c = √(K/ρ)`,
//! impedance `Z = ρ c`.
//!
//! Waves at a face: 0 sound (wind − c), 1 shear (wind), 2 sound (wind + c), with the wind's component normal to the face.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq`, B the transverse matrix.
//!
//! Source: LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, §2.7, §2.8.

use riemann::prelude::*;

/// Sound in a steady wind.
#[riemann::solver(
    title = "Sound in a steady wind",
    equations = ["pressure", vector("u", "v")],
    waves = 3,
)]
pub struct SoundInWind {
    /// density of the medium
    #[parameter(positive, default = 1.0)]
    pub density: Real,
    /// bulk modulus of the medium
    #[parameter(positive, default = 1.0)]
    pub bulk: Real,
    /// wind along x
    #[parameter(default = 0.0)]
    pub wind_x: Real,
    /// wind along y
    #[parameter(default = 0.0)]
    pub wind_y: Real,
}

#[riemann::kernels]
impl SoundInWind {
    fn sound_speed(&self) -> Real {
        (self.bulk / self.density).sqrt()
    }

    fn impedance(&self) -> Real {
        self.density * self.sound_speed()
    }

    /// The wind's component along an axis.
    fn wind(&self, axis: Axis) -> Real {
        match axis {
            Axis::X => self.wind_x,
            _ => self.wind_y,
        }
    }

    /// Splits a jump or a fluctuation `dq` into the three waves along `axis`, whose sum is `dq`.
    fn split(&self, axis: Axis, dq: State) -> [[Real; M]; W] {
        let (n, t) = axis.normal_and_transverse();
        let z = self.impedance();
        let left = (z * dq[n] - dq[0]) * (0.5 / z);
        let right = (z * dq[n] + dq[0]) * (0.5 / z);
        let mut waves = [[0.0; M]; W];
        waves[0][0] = -left * z;
        waves[0][n] = left;
        waves[1][t] = dq[t];
        waves[2][0] = right * z;
        waves[2][n] = right;
        waves
    }

    /// The speeds of the three waves.
    fn speeds(&self, axis: Axis) -> [Real; W] {
        let (wind, c) = (self.wind(axis), self.sound_speed());
        [wind - c, wind, wind + c]
    }

    fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal {
        let mut jump = [0.0; M];
        for m in 0..M {
            jump[m] = qr[m] - ql[m];
        }
        let waves = self.split(axis, jump);
        let speeds = self.speeds(axis);
        let mut amdq = [0.0; M];
        let mut apdq = [0.0; M];
        for w in 0..W {
            for m in 0..M {
                amdq[m] += speeds[w].min(0.0) * waves[w][m];
                apdq[m] += speeds[w].max(0.0) * waves[w][m];
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    fn transverse(&self, axis: Axis, asdq: State) -> Transverse {
        let along = axis.transverse_2d();
        let waves = self.split(along, asdq);
        let speeds = self.speeds(along);
        let mut bmasdq = [0.0; M];
        let mut bpasdq = [0.0; M];
        for w in 0..W {
            for m in 0..M {
                bmasdq[m] += speeds[w].min(0.0) * waves[w][m];
                bpasdq[m] += speeds[w].max(0.0) * waves[w][m];
            }
        }
        Transverse { bmasdq, bpasdq }
    }

    /// `f = (wind p + K u_n, wind u_n + p/ρ, wind u_t)`.
    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, _) = axis.normal_and_transverse();
        let wind = self.wind(axis);
        let mut flux = [0.0; M];
        for m in 0..M {
            flux[m] = wind * q[m];
        }
        flux[0] += self.bulk * q[n];
        flux[n] += q[0] / self.density;
        flux
    }

    /// The solver of the problem with x and y exchanged: the wind's components are exchanged.
    fn exchanged(&self) -> Option<Self> {
        Some(SoundInWind { wind_x: self.wind_y, wind_y: self.wind_x, ..*self })
    }

    /// The solver of the problem in a mirror normal to an axis: the wind blows the other way along it.
    fn mirrored(&self, axis: Axis) -> Option<Self> {
        Some(match axis {
            Axis::X => SoundInWind { wind_x: -self.wind_x, ..*self },
            _ => SoundInWind { wind_y: -self.wind_y, ..*self },
        })
    }

    /// A ring of pressure around (−0.4, −0.2).
    fn initial(&self, cell: &Cell) -> [f64; 3] {
        let (x, y) = (cell.centre[0] + 0.4, cell.centre[1] + 0.2);
        let distance = (x * x + y * y).sqrt();
        [(-400.0 * (distance - 0.15).powi(2)).exp(), 0.0, 0.0]
    }

    /// Flags cells with a noticeable pressure.
    fn flag(&self, q: State) -> bool {
        q[0].abs() > 0.1
    }
}
