//! The shallow water equations over a bottom that is not flat, well balanced.
//!
//! PDE: those of [`ShallowWater`](super::ShallowWater) with the bottom at height b(x, y): `(hu)_t + … = −g h b_x`,
//! `(hv)_t + … = −g h b_y`.
//! Variables: depth `h`, momentum `hu`, `hv`. Aux: `bottom`, the height b of the cell's bottom. Parameter: gravity `g`.
//!
//! f-waves: the difference of the fluxes less the bottom's thrust is decomposed, so that water at rest stays at rest. Waves at
//! a face in x: 0 and 2 gravity, at Einfeldt's speeds, 1 shear (u). Beside a dry cell whose bottom is above the water's
//! surface the face is a wall. Depths may still fall below zero where a wave dries a cell up: for tsunamis on shores take
//! GeoClaw.
//!
//! Holds: `Σ_w wave_w = f(qr) − f(ql) + g (hl + hr)/2 (br − bl)` in the normal momentum; `amdq + apdq = Σ_w wave_w`; a lake
//! at rest is still; over a flat bottom `amdq + apdq` is that of [`ShallowWater`](super::ShallowWater); dry cells give
//! finite numbers.
//!
//! Source: Bale, LeVeque, Mitran & Rossmanith, *SIAM J. Sci. Comput.* 24 (2002) 955–978, doi:10.1137/S106482750139738X; dry
//! cells: George, *J. Comput. Phys.* 227 (2008) 3089–3113, doi:10.1016/j.jcp.2007.10.027, §6; speeds: Einfeldt,
//! *SIAM J. Numer. Anal.* 25 (1988) 294–318, doi:10.1137/0725021.

use crate::prelude::*;

/// The shallow water equations over bathymetry: `depth`, `x_momentum`, `y_momentum`, aux `bottom`.
#[riemann::solver(
    title = "Shallow water equations over a bottom given cell by cell",
    equations = ["depth", vector("x_momentum", "y_momentum")],
    nonnegative = ["depth"],
    aux = ["bottom"],
    waves = 3,
    fwaves
)]
pub struct ShallowWaterBathymetry {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
}

#[riemann::kernels]
impl ShallowWaterBathymetry {
    /// Position of the depth among the equations.
    const DEPTH: usize = 0;
    /// Depth below which a cell is dry: its momentum does not count.
    const DRY_DEPTH: Real = 1e-6;

    /// Depth and velocities along two components.
    type Flow = (Real, Real, Real);

    /// The flow along the components `n` and `t` given the reciprocal of the depth of a wet cell; no velocity in a dry one.
    fn flow(q: State, (n, t): (usize, usize), reciprocal: Real) -> Flow {
        let wet = q[DEPTH] > DRY_DEPTH;
        if wet { (q[DEPTH], q[n] * reciprocal, q[t] * reciprocal) } else { (q[DEPTH].max(0.0), 0.0, 0.0) }
    }

    /// Depth of a wet cell, one for a dry one: what flows are divided by.
    fn divisor(q: State) -> Real {
        if q[DEPTH] > DRY_DEPTH { q[DEPTH] } else { 1.0 }
    }

    /// The flows at both sides of a face, with one quotient.
    fn flows(ql: State, qr: State, components: (usize, usize)) -> (Flow, Flow) {
        let (left, right) = (Self::divisor(ql), Self::divisor(qr));
        let reciprocal = 1.0 / (left * right);
        (Self::flow(ql, components, right * reciprocal), Self::flow(qr, components, left * reciprocal))
    }

    /// Roe's averages: velocities, speed of gravity waves. `roots`: of the depths.
    fn average(&self, left: Flow, right: Flow, roots: (Real, Real)) -> Flow {
        let (root_l, root_r) = roots;
        let reciprocal = 1.0 / (root_l + root_r).max(DRY_DEPTH);
        let u = (root_l * left.1 + root_r * right.1) * reciprocal;
        let v = (root_l * left.2 + root_r * right.2) * reciprocal;
        (u, v, ((0.5 * self.gravity) * (left.0 + right.0)).sqrt())
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let ((mut hl, mut ul, mut vl), (mut hr, mut ur, mut vr)) = Self::flows(ql, qr, (n, t));
        let (mut bl, mut br) = (aux_l[0], aux_r[0]);
        let wall_right = hr <= DRY_DEPTH && br > bl + hl;
        let wall_left = hl <= DRY_DEPTH && bl > br + hr;
        if wall_right {
            hr = hl;
            ur = -ul;
            vr = vl;
            br = bl;
        }
        if wall_left {
            hl = hr;
            ul = -ur;
            vl = vr;
            bl = br;
        }
        let (root_l, root_r, root_gravity) = (hl.sqrt(), hr.sqrt(), self.gravity.sqrt());
        let (u, v, a) = self.average((hl, ul, vl), (hr, ur, vr), (root_l, root_r));
        let s0 = (u - a).min(ul - root_gravity * root_l);
        let s2 = (u + a).max(ur + root_gravity * root_r);

        // Depth, normal momentum, other momentum: flux difference less the bottom's thrust.
        let (ml, mr) = (hl * ul, hr * ur);
        let d0 = mr - ml;
        let d1 = (mr * ur - ml * ul) + (0.5 * self.gravity) * (hl + hr) * ((hr + br) - (hl + bl));
        let d2 = mr * vr - ml * vl;
        let spread = s2 - s0;
        let reciprocal = 1.0 / (if spread > DRY_DEPTH { spread } else { 1.0 });
        let mut strengths = [(s2 * d0 - d1) * reciprocal, d2 - v * d0, (d1 - s0 * d0) * reciprocal];
        let speeds = [s0, u, s2];
        let (mut leftward, mut rightward) = ([0.0; W], [0.0; W]);
        for w in 0..W {
            // Nothing passes a wall.
            let stops = wall_left && speeds[w] < 0.0 || wall_right && speeds[w] >= 0.0;
            strengths[w] = if stops { 0.0 } else { strengths[w] };
            leftward[w] = if speeds[w] < 0.0 { strengths[w] } else { 0.0 };
            rightward[w] = if speeds[w] < 0.0 { 0.0 } else { strengths[w] };
        }
        let mut waves = [[0.0; M]; W];
        for w in 0..2 {
            let strength = strengths[2 * w];
            waves[2 * w][DEPTH] = strength;
            waves[2 * w][n] = strength * speeds[2 * w];
            waves[2 * w][t] = strength * v;
        }
        waves[1][t] = strengths[1];
        let outer = [s0, s2];
        Normal {
            waves,
            speeds,
            amdq: Self::compose(leftward, outer, v, (n, t)),
            apdq: Self::compose(rightward, outer, v, (n, t)),
        }
    }

    /// The sum of waves of the given strengths along component `n`: gravity at the outer speeds, shear, where water drifts
    /// along the other component `t`.
    fn compose(strengths: [Real; 3], outer: [Real; 2], drift: Real, (n, t): (usize, usize)) -> State {
        let depth = strengths[0] + strengths[2];
        let mut dq = [depth; M];
        dq[n] = outer[0] * strengths[0] + outer[1] * strengths[2];
        dq[t] = drift * depth + strengths[1];
        dq
    }

    /// What `transverse` needs of Roe's average: the speed of gravity waves and the velocity.
    fn mean_state(&self, ql: State, qr: State) -> State {
        let (left, right) = Self::flows(ql, qr, (1, 2));
        let (u, v, a) = self.average(left, right, (left.0.sqrt(), right.0.sqrt()));
        [a, u, v]
    }

    fn transverse(&self, axis: Axis, mean: State, asdq: State) -> Transverse {
        let (n, t) = axis.normal_and_transverse();
        let (u, v) = (mean[n], mean[t]);
        let celerity = mean[DEPTH].max(DRY_DEPTH);
        let half_slowness = 0.5 / celerity;
        let lower = ((v + celerity) * asdq[DEPTH] - asdq[t]) * half_slowness;
        let upper = (asdq[t] - (v - celerity) * asdq[DEPTH]) * half_slowness;
        let shear = asdq[n] - u * asdq[DEPTH];
        let speeds = [v - celerity, v, v + celerity];
        let (mut down, mut up) = ([lower, shear, upper], [lower, shear, upper]);
        for w in 0..W {
            down[w] *= speeds[w].min(0.0);
            up[w] *= speeds[w].max(0.0);
        }
        let outer = [speeds[0], speeds[2]];
        Transverse { bmasdq: Self::compose(down, outer, u, (t, n)), bpasdq: Self::compose(up, outer, u, (t, n)) }
    }

    fn admissible(&self, unit: State) -> State {
        super::ShallowWater::<2> { gravity: self.gravity }.admissible(unit)
    }

    /// Over a flat bottom.
    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let (h, u, v) = Self::flow(q, (n, t), 1.0 / Self::divisor(q));
        let mut flux = [h * u; M];
        flux[n] = h * u * u + (0.5 * self.gravity) * (h * h);
        flux[t] = h * u * v;
        flux
    }
}
