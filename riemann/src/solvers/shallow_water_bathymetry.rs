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

    /// Depth and velocities along the components `n` and `t`; zero velocity in a dry cell.
    fn primitive(q: State, n: usize, t: usize) -> (Real, Real, Real) {
        let wet = q[DEPTH] > DRY_DEPTH;
        let reciprocal = 1.0 / (if wet { q[DEPTH] } else { 1.0 });
        if wet { (q[DEPTH], q[n] * reciprocal, q[t] * reciprocal) } else { (q[DEPTH].max(0.0), 0.0, 0.0) }
    }

    /// Roe's averages: velocities, speed of gravity waves.
    fn average(&self, left: (Real, Real, Real), right: (Real, Real, Real)) -> (Real, Real, Real) {
        let (root_l, root_r) = (left.0.sqrt(), right.0.sqrt());
        let reciprocal = 1.0 / (root_l + root_r).max(DRY_DEPTH);
        let u = (root_l * left.1 + root_r * right.1) * reciprocal;
        let v = (root_l * left.2 + root_r * right.2) * reciprocal;
        (u, v, ((0.5 * self.gravity) * (left.0 + right.0)).sqrt())
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let (n, t) = axis.normal_and_transverse();
        let (mut hl, mut ul, mut vl) = Self::primitive(ql, n, t);
        let (mut hr, mut ur, mut vr) = Self::primitive(qr, n, t);
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
        let (u, v, a) = self.average((hl, ul, vl), (hr, ur, vr));
        let s0 = (u - a).min(ul - (self.gravity * hl).sqrt());
        let s2 = (u + a).max(ur + (self.gravity * hr).sqrt());

        // Depth, normal momentum, other momentum: flux difference less the bottom's thrust.
        let (ml, mr) = (hl * ul, hr * ur);
        let d0 = mr - ml;
        let d1 = (mr * ur - ml * ul) + (0.5 * self.gravity) * (hl + hr) * ((hr + br) - (hl + bl));
        let d2 = mr * vr - ml * vl;
        let spread = s2 - s0;
        let reciprocal = 1.0 / (if spread > DRY_DEPTH { spread } else { 1.0 });
        let lower = (s2 * d0 - d1) * reciprocal;
        let upper = (d1 - s0 * d0) * reciprocal;
        let shear = d2 - v * d0;

        let mut waves = [[0.0; M]; W];
        waves[0][DEPTH] = lower;
        waves[0][n] = lower * s0;
        waves[0][t] = lower * v;
        waves[1][t] = shear;
        waves[2][DEPTH] = upper;
        waves[2][n] = upper * s2;
        waves[2][t] = upper * v;
        let speeds = [s0, u, s2];
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            for m in 0..M {
                // Nothing passes a wall.
                let left = if speeds[w] < 0.0 { waves[w][m] } else { 0.0 };
                let right = waves[w][m] - left;
                amdq[m] += if wall_left { 0.0 } else { left };
                apdq[m] += if wall_right { 0.0 } else { right };
                waves[w][m] =
                    if wall_left && speeds[w] < 0.0 || wall_right && speeds[w] >= 0.0 { 0.0 } else { waves[w][m] };
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    fn transverse(&self, axis: Axis, ql: State, qr: State, asdq: State) -> Transverse {
        let (n, t) = axis.normal_and_transverse();
        let (u, v, a) = self.average(Self::primitive(ql, n, t), Self::primitive(qr, n, t));
        let celerity = a.max(DRY_DEPTH);
        let half_slowness = 0.5 / celerity;
        let lower = ((v + celerity) * asdq[DEPTH] - asdq[t]) * half_slowness;
        let upper = (asdq[t] - (v - celerity) * asdq[DEPTH]) * half_slowness;
        let shear = asdq[n] - u * asdq[DEPTH];
        let speeds = [v - celerity, v, v + celerity];
        let (mut bmasdq, mut bpasdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            let mut part = [0.0; M];
            if w == 1 {
                part[n] = shear;
            } else {
                let strength = if w == 0 { lower } else { upper };
                part[DEPTH] = strength;
                part[t] = strength * speeds[w];
                part[n] = strength * u;
            }
            for m in 0..M {
                bmasdq[m] += speeds[w].min(0.0) * part[m];
                bpasdq[m] += speeds[w].max(0.0) * part[m];
            }
        }
        Transverse { bmasdq, bpasdq }
    }

    fn admissible(&self, unit: State) -> State {
        super::ShallowWater::<2> { gravity: self.gravity }.admissible(unit)
    }

    /// Over a flat bottom.
    fn flux(&self, axis: Axis, q: State) -> State {
        let (n, t) = axis.normal_and_transverse();
        let (h, u, v) = Self::primitive(q, n, t);
        let mut flux = [h * u; M];
        flux[n] = h * u * u + (0.5 * self.gravity) * (h * h);
        flux[t] = h * u * v;
        flux
    }
}
