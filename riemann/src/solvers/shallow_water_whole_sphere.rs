//! The shallow water equations on the whole sphere, or any other surface, over a flat bottom: momentum in space.
//!
//! PDE: `κ h_t + ∇·m = 0`, `κ m_t + ∇·(m mᵀ/h) + ∇ g h²/2 = −2 Ω r_z r × m` within the surface; m is kept tangent to it, which
//! contains all that curvature does.
//! Variables: depth `h`, momentum `m`, three numbers along the fixed axes of space, so that no side of the mesh, pole or fold changes them.
//! Aux: `left_…`, `down_…`, the vectors across a cell's lower faces within the surface, as long as these for each unit of the mesh's
//! coordinates along them; `radial_…`, the unit vector r across the cell; `capacity`, its area by its extents, to be named as the scheme's
//! capacity. Parameters: gravity `g`; the rotation Ω about the axis z.
//!
//! Roe's solver along a face's vector. Waves: 0 gravity (u − a), 1 shear (u) of the whole of m, 2 gravity (u + a).
//!
//! The vectors are `∫ r × dr` along the faces, those of coarse ones sums of the fine ones'. Around a cell they sum to a multiple of r, across which
//! no water flows: so the fluctuations of the depth are differences of fluxes, and none is lost. Water at rest has no jumps.
//!
//! Holds: `Σ_w wave_w = qr − ql`; `amdq + apdq = Σ s wave = f(qr) − f(ql)`; `bmasdq + bpasdq = B asdq` with the vectors of the
//! faces that it leaves by; a settled momentum is tangent; the Coriolis force keeps its size.
//!
//! Source: Calhoun, Helzel & LeVeque, *SIAM Rev.* 50 (2008) 723–752, doi:10.1137/060664094; Berger, Calhoun, Helzel & LeVeque, *Phil. Trans. R.
//! Soc. A* 367 (2009) 4483–4496, doi:10.1098/rsta.2009.0168; momentum in space: Swarztrauber, Williamson & Drake, *Mon. Weather Rev.* 125 (1997)
//! 2730–2744, doi:10.1175/1520-0493(1997)125<2730:TCMFSP>2.0.CO;2.

use super::{Linearised, Water};
use crate::prelude::*;

/// Shallow water on the whole sphere: `depth`, momentum in space, aux the vectors of faces and cells.
#[riemann::solver(
    title = "Shallow water equations on the whole sphere, momentum in space",
    equations = ["depth", "x_momentum", "y_momentum", "z_momentum"],
    positive = ["depth"],
    aux = [
        faces("left_x", "down_x"),
        faces("left_y", "down_y"),
        faces("left_z", "down_z"),
        "radial_x",
        "radial_y",
        "radial_z",
        "capacity"
    ],
    waves = 3,
    directions
)]
pub struct ShallowWaterWholeSphere {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
    /// angle of rotation about the axis z in a unit of time
    #[parameter(default = 0.0)]
    pub rotation: Real,
}

#[riemann::kernels(with(Linearised, Water))]
impl ShallowWaterWholeSphere {
    type Vector = [Real; 3];

    /// The vector across a cell's lower face along an axis.
    fn across(axis: Axis, aux: Aux) -> Vector {
        let d = axis.index();
        [aux[d], aux[d + 2], aux[d + 4]]
    }

    /// The unit vector across a cell.
    fn radial(aux: Aux) -> Vector {
        [aux[6], aux[7], aux[8]]
    }

    fn dot(a: Vector, b: Vector) -> Real {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    fn momentum(q: State) -> Vector {
        [q[1], q[2], q[3]]
    }

    /// The unit vector along a face's vector, and its length.
    fn direction(vector: Vector) -> (Vector, Real) {
        let length = Self::dot(vector, vector).sqrt();
        let reciprocal = 1.0 / length.max(1e-30);
        ([vector[0] * reciprocal, vector[1] * reciprocal, vector[2] * reciprocal], length)
    }

    /// Depth, and momentum along a unit vector as component 1.
    fn seen_along(q: State, unit: Vector) -> State {
        let mut seen = [0.0; M];
        seen[DEPTH] = q[DEPTH];
        seen[1] = Self::dot(Self::momentum(q), unit);
        seen
    }

    /// The state with tangent momentum. What comes from other levels or from data need not have it.
    fn tangent(q: State, aux: Aux) -> State {
        let radial = Self::radial(aux);
        let away = Self::dot(Self::momentum(q), radial);
        let mut tangent = q;
        for k in 0..3 {
            tangent[k + 1] = q[k + 1] - away * radial[k];
        }
        tangent
    }

    /// Roe's average: the speed of gravity waves, and the velocity.
    fn mean_state(&self, ql: State, qr: State) -> State {
        let (hl, hr) = (Self::wet(ql[DEPTH]), Self::wet(qr[DEPTH]));
        let (weight_l, weight_r) = Self::roe_weights(hl, hr);
        let mut mean = [((0.5 * self.gravity) * (hl + hr)).sqrt(); M];
        for m in 1..M {
            mean[m] = ql[m] * weight_l + qr[m] * weight_r;
        }
        mean
    }

    /// The waves along a unit vector in a jump or a fluctuation.
    fn waves_in(mean: State, dq: State, unit: Vector) -> [[Real; M]; W] {
        let (celerity, speed) = (mean[DEPTH], Self::dot(Self::momentum(mean), unit));
        let along = Self::dot(Self::momentum(dq), unit);
        let half_slowness = 0.5 / celerity;
        let lower = ((speed + celerity) * dq[DEPTH] - along) * half_slowness;
        let upper = (along - (speed - celerity) * dq[DEPTH]) * half_slowness;
        let mut waves = [[0.0; M]; W];
        waves[0][DEPTH] = lower;
        waves[2][DEPTH] = upper;
        for k in 0..3 {
            waves[0][k + 1] = lower * (mean[k + 1] - celerity * unit[k]);
            waves[2][k + 1] = upper * (mean[k + 1] + celerity * unit[k]);
            waves[1][k + 1] = dq[k + 1] - (waves[0][k + 1] + waves[2][k + 1]);
        }
        waves
    }

    /// The sum of waves, each times a factor and all times `length`.
    fn moved(waves: [[Real; M]; W], factors: [Real; 3], length: Real) -> State {
        let mut sum = [0.0; M];
        for m in 0..M {
            sum[m] = length * ((factors[0] * waves[0][m] + factors[2] * waves[2][m]) + factors[1] * waves[1][m]);
        }
        sum
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (ql, qr) = (Self::tangent(ql, aux_l), Self::tangent(qr, aux_r));
        let (unit, length) = Self::direction(Self::across(axis, aux_r));
        let mean = self.mean_state(ql, qr);
        let waves = Self::waves_in(mean, Self::difference(qr, ql), unit);
        let (celerity, speed) = (mean[DEPTH], Self::dot(Self::momentum(mean), unit));
        let speeds = [speed - celerity, speed, speed + celerity];
        let (left, first) = (Self::seen_along(ql, unit), Self::seen_along(waves[0], unit));
        let (right, last) = (Self::seen_along(qr, unit), Self::seen_along(waves[2], unit));
        let leftward = self.left_going_speeds(1, (left, first), (right, last), speeds);
        let mut rightward = speeds;
        for k in 0..3 {
            rightward[k] -= leftward[k];
        }
        Normal {
            waves,
            speeds: [speeds[0] * length, speeds[1] * length, speeds[2] * length],
            amdq: Self::moved(waves, leftward, length),
            apdq: Self::moved(waves, rightward, length),
        }
    }

    fn transverse(&self, across: Axis, mean: State, aux: TransverseAux, asdq: State) -> Transverse {
        let (down, length_down) = Self::direction(Self::across(across, aux.here));
        let (up, length_up) = Self::direction(Self::across(across, aux.above));
        let (mean, asdq) = (Self::tangent(mean, aux.here), Self::tangent(asdq, aux.here));
        let celerity = mean[DEPTH];
        let (below, above) = (Self::dot(Self::momentum(mean), down), Self::dot(Self::momentum(mean), up));
        let downward = [(below - celerity).min(0.0), below.min(0.0), (below + celerity).min(0.0)];
        let upward = [(above - celerity).max(0.0), above.max(0.0), (above + celerity).max(0.0)];
        Transverse {
            bmasdq: Self::moved(Self::waves_in(mean, asdq, down), downward, length_down),
            bpasdq: Self::moved(Self::waves_in(mean, asdq, up), upward, length_up),
        }
    }

    fn flux(&self, axis: Axis, q: State, aux: Aux) -> State {
        let vector = Self::across(axis, aux);
        let q = Self::tangent(q, aux);
        let through = Self::dot(Self::momentum(q), vector);
        let velocity = through / Self::wet(q[DEPTH]);
        let mut flux = [through; M];
        for k in 0..3 {
            flux[k + 1] = velocity * q[k + 1] + (0.5 * self.gravity) * (q[DEPTH] * q[DEPTH]) * vector[k];
        }
        flux
    }

    fn settle(&self, q: State, aux: Aux) -> State {
        Self::tangent(q, aux)
    }

    /// The Coriolis force turns the momentum about r.
    fn source(&self, dt: Real, q: State, aux: Aux) -> State {
        let radial = Self::radial(aux);
        let angle = dt * (2.0 * self.rotation) * radial[2];
        let (sine, cosine) = (angle.sin(), angle.cos());
        let mut after = q;
        after[1] = cosine * q[1] - sine * (radial[1] * q[3] - radial[2] * q[2]);
        after[2] = cosine * q[2] - sine * (radial[2] * q[1] - radial[0] * q[3]);
        after[3] = cosine * q[3] - sine * (radial[0] * q[2] - radial[1] * q[1]);
        after
    }

    fn source_acts(&self) -> bool {
        self.rotation != 0.0
    }

    fn admissible(&self, unit: State) -> State {
        // Depths from 1/5 to 5, velocities from −5 to 5.
        let depth = 25_f64.powf(unit[0] - 0.5);
        let mut q = unit.map(|u| depth * (10.0 * u - 5.0));
        q[Self::DEPTH] = depth;
        q
    }

    fn admissible_aux(&self, unit: Aux) -> Aux {
        // On a plane, whose cells have the same unit vector.
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| 2.0 * unit[k] - 1.0);
        [0.8 * a, 0.8 * b, c, d, -0.6 * a, -0.6 * b, 0.6, 0.0, 0.8, 0.5 + unit[9]]
    }
}
