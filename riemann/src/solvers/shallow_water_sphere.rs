//! The shallow water equations on a sphere, in degrees of longitude λ and latitude φ, with shores.
//!
//! PDE, with metres along the axes: `cos φ h_t + (hu)_x + (cos φ hv)_y = 0`, `(hu)_t + … = −g h b_x + 2 Ω sin φ hv + u hv tan φ / R`,
//! `(hv)_t + … = −g h b_y − 2 Ω sin φ hu − u hu tan φ / R`. Source: Manning's friction, the Coriolis force, and what of the curvature the
//! waves do not hold.
//! Variables: depth `h`, momentum `hu` to the east, `hv` to the north. Aux: `bottom`; `x_edge`, 1, and `y_edge`, cos φ on the cell's
//! lower side; `cosine`, the mean of cos φ in the cell, to be named as the scheme's capacity. Parameters: gravity `g`; the sphere's radius
//! R; its rotation Ω; depth, speed and friction as of [`ShallowWaterBathymetry`](super::ShallowWaterBathymetry).
//!
//! The solution of a face is that of `shared_shore`, times the face's length. The momentum to the north enters it multiplied by the ratio of
//! the cell's cosine and the face's, and leaves it divided by the mean of both sides' ratios: so the water that leaves a cell enters the next
//! one, and none is lost. The momentum's own flux is then `(cos² φ hv²)_y / cos² φ` in place of `(cos φ hv²)_y / cos φ`: the source adds
//! the difference.
//!
//! Holds: of the depth `amdq + apdq` is the difference of fluxes, of which a cell has the same at its sides along a meridian; a lake at rest
//! is still.
//!
//! Source: Williamson, Drake, Hack, Jakob & Swarztrauber, *J. Comput. Phys.* 102 (1992) 211–224, doi:10.1016/S0021-9991(05)80016-6.

use super::Shore;
use crate::prelude::*;

/// The shallow water equations on a sphere: `depth`, `x_momentum`, `y_momentum`, aux `bottom`, `x_edge`, `y_edge`, `cosine`.
#[riemann::solver(
    title = "Shallow water equations on a sphere in degrees, over a bottom given cell by cell, with shores",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    kept_nonnegative = ["depth"],
    aux = ["bottom", faces("x_edge", "y_edge"), "cosine"],
    waves = 3,
    fwaves,
    directions,
    axes_differ
)]
pub struct ShallowWaterSphere {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
    /// radius of the sphere
    #[parameter(positive, default = 6.3675e6)]
    pub radius: Real,
    /// angle of rotation in a unit of time
    #[parameter(default = 0.0)]
    pub rotation: Real,
    /// depth up to which water has no velocity
    #[parameter(positive, default = 1e-3)]
    pub dry_depth: Real,
    /// largest speed of water
    #[parameter(positive, default = 50.0)]
    pub speed_limit: Real,
    /// Manning's coefficient of friction
    #[parameter(default = 0.0)]
    pub manning: Real,
}

#[riemann::kernels(with(Shore))]
impl ShallowWaterSphere {
    /// Position of the cosine among the auxiliary values.
    const COSINE: usize = 3;
    /// Radians in a degree.
    const RADIANS: Real = 0.017453292519943295;

    /// Position of a face's length among the auxiliary values.
    fn edge(axis: Axis) -> usize {
        axis.index() + 1
    }

    /// What the momentum along the axis is multiplied with at a face of this length: the cell's cosine over the face's.
    fn stretch(axis: Axis, aux: Aux, length: Real) -> Real {
        let (n, _) = axis.normal_and_transverse();
        if n == 2 { aux[COSINE] / length } else { 1.0 }
    }

    /// A state with the momentum along the axis multiplied.
    fn stretched(axis: Axis, q: State, by: Real) -> State {
        let (n, _) = axis.normal_and_transverse();
        let mut stretched = q;
        stretched[n] = q[n] * by;
        stretched
    }

    /// The length of a face, at least so large that nothing is divided by zero at a pole, and the same over that of a degree.
    fn length(&self, axis: Axis, aux: Aux) -> (Real, Real) {
        let length = aux[Self::edge(axis)].max(1e-9);
        (length, length * (1.0 / (self.radius * RADIANS)))
    }

    fn scaled(q: State, factor: Real) -> State {
        let mut scaled = q;
        for m in 0..M {
            scaled[m] = q[m] * factor;
        }
        scaled
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (length, factor) = self.length(axis, aux_r);
        let (sl, sr) = (Self::stretch(axis, aux_l, length), Self::stretch(axis, aux_r, length));
        let face = self.shore(axis, Self::stretched(axis, ql, sl), Self::stretched(axis, qr, sr), aux_l, aux_r);
        let back = 2.0 / (sl + sr);
        let mut waves = face.waves;
        let mut speeds = face.speeds;
        for w in 0..W {
            waves[w] = Self::scaled(Self::stretched(axis, face.waves[w], back), factor);
            speeds[w] = face.speeds[w] * factor;
        }
        Normal {
            waves,
            speeds,
            amdq: Self::scaled(Self::stretched(axis, face.amdq, back), factor),
            apdq: Self::scaled(Self::stretched(axis, face.apdq, back), factor),
        }
    }

    fn transverse(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        ql: State,
        qr: State,
        mean: State,
        aux: TransverseAux,
        asdq: State,
    ) -> Transverse {
        let (length_below, below) = self.length(across, aux.here);
        let (length_above, above) = self.length(across, aux.above);
        let by = Self::stretch(across, aux.here, 0.5 * (length_below + length_above));
        let (moving, part) = (Self::stretched(across, mean, by), Self::stretched(across, asdq, by));
        let (down, up) = self.crossing(axis, side, ql, qr, moving, aux, part);
        Transverse {
            bmasdq: Self::scaled(Self::stretched(across, down, 1.0 / by), below),
            bpasdq: Self::scaled(Self::stretched(across, up, 1.0 / by), above),
        }
    }

    fn source(&self, x: [Real; 3], dt: Real, q: State) -> State {
        let mut after = self.rubbed(dt, q);
        let latitude = x[1] * RADIANS;
        let (sine, cosine) = (latitude.sin(), latitude.cos().max(1e-9));
        let wet = self.is_wet(q);
        let curvature = sine / (self.radius * cosine * (if wet { q[DEPTH] } else { 1.0 }));
        after = Self::turned(after, dt * (2.0 * self.rotation * sine + curvature * after[1]));
        after[2] = after[2] / (1.0 + (dt * curvature * after[2]).max(-0.5));
        after
    }

    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let (length, factor) = self.length(axis, aux);
        let by = Self::stretch(axis, aux, length);
        let flux = self.flux_over_flat(axis, Self::stretched(axis, q, by));
        Self::scaled(Self::stretched(axis, flux, 1.0 / by), factor)
    }
}
