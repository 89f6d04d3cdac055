//! Two layers of shallow water over a bottom that is not flat, well balanced.
//!
//! PDE, layer 1 above layer 2: `(h₁)_t + ∇·(h₁v₁) = 0`, `(h₁v₁)_t + ∇·(h₁ v₁ v₁) + g h₁ ∇(h₁ + h₂ + b) = 0`, `(h₂)_t + ∇·(h₂v₂) = 0`,
//! `(h₂v₂)_t + ∇·(h₂ v₂ v₂) + g h₂ ∇(r h₁ + h₂ + b) = 0`. Variables: depth and momentum of each layer. Aux: `bottom`, the height b of the
//! cell's bottom. Parameters: gravity `g`, the `ratio` r of the upper density to the lower one. Both layers are everywhere: depths are
//! positive.
//!
//! f-waves of the mean state. At a face in x: 0 and 3 surface waves, 1 and 2 internal ones, in the plane 4 and 5 shear of each layer. The speeds
//! are the roots of their quartic; where layers slide so fast that internal ones are complex, the two are held apart.
//!
//! Holds: `Σ_w wave_w = amdq + apdq`; layers at rest with level surfaces stay so over any bottom; small internal waves run at the speed of their
//! eigenvalue.
//!
//! Source: Mandli, *Ocean Model.* 72 (2013) 80–91, doi:10.1016/j.ocemod.2013.08.002; f-waves: Bale, LeVeque, Mitran & Rossmanith, *SIAM J. Sci.
//! Comput.* 24 (2002) 955–978, doi:10.1137/S106482750139738X.

use crate::prelude::*;

/// Two layers of shallow water: `depth_1`, `x_momentum_1`, `y_momentum_1`, `depth_2`, `x_momentum_2`, `y_momentum_2`, aux `bottom`.
#[riemann::solver(
    dim = [1, 2],
    title = "Two layers of shallow water over a bottom given cell by cell",
    equations = [
        "depth_1", vector("x_momentum_1", "y_momentum_1"), "depth_2", vector("x_momentum_2", "y_momentum_2")
    ],
    aux = ["bottom"],
    positive = ["depth_1", "depth_2"],
    waves = [4, 6],
    fwaves
)]
pub struct ShallowWaterLayers<const D: usize = 2> {
    /// acceleration of gravity
    #[parameter(positive, default = 9.81)]
    pub gravity: Real,
    /// density of the upper layer over that of the lower one
    #[parameter(positive, default = 0.98)]
    pub ratio: Real,
}

#[riemann::kernels]
impl ShallowWaterLayers {
    /// Position of the second layer's depth.
    const LOWER: usize = D + 1;

    /// The speeds of the four gravity waves about the mean of the two velocities, which are `δ` above and below it: the roots of
    /// `((μ − δ)² − a)((μ + δ)² − b) = r a b`, `a = g h₁`, `b = g h₂`.
    fn speeds(&self, delta: Real, a: Real, b: Real) -> [Real; 4] {
        let product = self.ratio * a * b;
        // Beyond the outermost roots the quartic is convex: Newton's method comes nearer from one side.
        let surface = (0.5 * (a + b + ((a - b) * (a - b) + 4.0 * product).sqrt())).sqrt();
        let start = delta.abs() + surface;
        let mut outer = [-start, start];
        for k in 0..2 {
            for _ in 0..20 {
                let (above, below) = (outer[k] - delta, outer[k] + delta);
                let (upper, lower) = (above * above - a, below * below - b);
                let step = (upper * lower - product) / (2.0 * (above * lower + below * upper));
                outer[k] -= step;
                if step.abs() <= 1e-14 * start {
                    break;
                }
            }
        }
        // The sum of all roots is zero, that of their products in pairs −2δ² − a − b.
        let sum = outer[0] + outer[1];
        let pairs = -(2.0 * delta * delta + a + b);
        let squared = (0.25 * sum * sum - (pairs - outer[0] * outer[1] + sum * sum)).max(1e-8 * (a + b));
        let apart = squared.sqrt();
        [outer[0], -(0.5 * sum) - apart, apart - 0.5 * sum, outer[1]]
    }

    fn normal(&self, axis: Axis, ql: State, qr: State, aux_l: Aux, aux_r: Aux) -> Normal {
        let n = axis.index() + 1;
        let (h1, h2) = (0.5 * (ql[0] + qr[0]), 0.5 * (ql[LOWER] + qr[LOWER]));
        let (i1l, i1r, i2l, i2r) = (1.0 / ql[0], 1.0 / qr[0], 1.0 / ql[LOWER], 1.0 / qr[LOWER]);
        let (u1l, u1r) = (ql[n] * i1l, qr[n] * i1r);
        let (u2l, u2r) = (ql[LOWER + n] * i2l, qr[LOWER + n] * i2r);
        let (u1, u2) = (0.5 * (u1l + u1r), 0.5 * (u2l + u2r));
        let (mean, delta) = (0.5 * (u1 + u2), 0.5 * (u1 - u2));
        let (a, b) = (self.gravity * h1, self.gravity * h2);

        // Differences of the fluxes and slopes of the surfaces.
        let (step_1, step_2) = (qr[0] - ql[0], qr[LOWER] - ql[LOWER]);
        let interface = (qr[LOWER] + aux_r[0]) - (ql[LOWER] + aux_l[0]);
        let (mass_1, mass_2) = (qr[n] - ql[n], qr[LOWER + n] - ql[LOWER + n]);
        let thrust_1 = (qr[n] * u1r - ql[n] * u1l) + a * (step_1 + interface);
        let thrust_2 = (qr[LOWER + n] * u2r - ql[LOWER + n] * u2l) + b * (self.ratio * step_1 + interface);

        // Wave k is β (1, λ) in layer 1 and (α β)(1, λ) in layer 2, with (μ − δ)² = a (1 + α) and λ = μ + the mean velocity: moments of β.
        let (push_1, push_2) = (thrust_1 - mean * mass_1, thrust_2 - mean * mass_2);
        let second = a * (mass_1 + mass_2) + 2.0 * delta * push_1 - delta * delta * mass_1;
        let third = a * (push_1 + push_2) + 2.0 * delta * second - delta * delta * push_1;
        let mu = self.speeds(delta, a, b);
        let mut waves = [[0.0; M]; W];
        let mut speeds = [0.0; W];
        for k in 0..4 {
            let (p, q, s) = (mu[(k + 1) % 4], mu[(k + 2) % 4], mu[(k + 3) % 4]);
            let among = third - (p + q + s) * second + (p * q + q * s + s * p) * push_1 - p * q * s * mass_1;
            let beta = among / ((mu[k] - p) * (mu[k] - q) * (mu[k] - s));
            let along = mu[k] - delta;
            let beneath = beta * (along * along / a - 1.0);
            speeds[k] = mean + mu[k];
            waves[k][0] = beta;
            waves[k][n] = beta * speeds[k];
            waves[k][LOWER] = beneath;
            waves[k][LOWER + n] = beneath * speeds[k];
        }
        if D > 1 {
            let t = 3 - n;
            let (v1l, v1r) = (ql[t] * i1l, qr[t] * i1r);
            let (v2l, v2r) = (ql[LOWER + t] * i2l, qr[LOWER + t] * i2r);
            let (v1, v2) = (0.5 * (v1l + v1r), 0.5 * (v2l + v2r));
            for k in 0..4 {
                waves[k][t] = v1 * waves[k][0];
                waves[k][LOWER + t] = v2 * waves[k][LOWER];
            }
            waves[4][t] = (qr[n] * v1r - ql[n] * v1l) - v1 * mass_1;
            waves[5][LOWER + t] = (qr[LOWER + n] * v2r - ql[LOWER + n] * v2l) - v2 * mass_2;
            speeds[4] = u1;
            speeds[5] = u2;
        }
        let (mut amdq, mut apdq) = ([0.0; M], [0.0; M]);
        for w in 0..W {
            // A wave that stands still goes to both sides.
            let share = if speeds[w] < 0.0 { 1.0 } else { if speeds[w] > 0.0 { 0.0 } else { 0.5 } };
            for m in 0..M {
                amdq[m] += share * waves[w][m];
                apdq[m] += (1.0 - share) * waves[w][m];
            }
        }
        Normal { waves, speeds, amdq, apdq }
    }

    /// Depths from 1/2 to 2; velocities that differ by less than internal waves bear.
    fn admissible(&self, unit: State) -> State {
        let mut q = unit;
        for layer in [0, Self::LOWER] {
            q[layer] = 4_f64.powf(unit[layer] - 0.5);
            for k in 1..=D {
                q[layer + k] = q[layer] * (unit[k] - 0.5 + 0.1 * unit[layer + k]);
            }
        }
        q
    }
}
