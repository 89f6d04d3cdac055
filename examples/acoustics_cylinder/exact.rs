//! A plane wave scattered by a rigid cylinder, as a series.
//!
//! The incident sound moves along x at speed 1 as a train of pulses `exp(−((x − x₀ − t − jL)/w)²)`, j any integer: the sum of
//! `c_m cos(k_m (x − x₀ − t))` with `k_m = 2πm/L`, `c_m = 2 w √π/L exp(−(k_m w/2)²)` and half of that for m = 0. L is so long
//! that the sound of the previous pulse has left. With a cylinder of radius a, on which the normal velocity vanishes, each term becomes
//! ```text
//! Re Σ_n ε_n iⁿ e^(−ik(x₀ + t)) (J_n(kr) − J_n'(ka)/H_n'(ka) H_n(kr)) cos nθ,   ε₀ = 1, else 2, H_n = J_n + iY_n.
//! ```
//! Morse and Ingard, *Theoretical Acoustics* (1968), §8.1; Bessel functions: Abramowitz and Stegun, *Handbook of Mathematical
//! Functions* (1964), 9.1.27, 9.1.88 and 9.12.

use amrclaw::frames::frame::Frame;
use std::f64::consts::PI;

/// Distance between the pulses of the train.
const APART: f64 = 24.0;
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// The pulse and the cylinder, whose centre is the origin.
pub struct Scattering {
    /// Radius of the cylinder.
    pub radius: f64,
    /// Position x₀ of the pulse's middle at the start, without the cylinder.
    pub start: f64,
    /// The distance w from its middle at which the pulse has fallen to 1/e.
    pub width: f64,
}

impl Scattering {
    /// The parameters of the example's case.
    pub fn of_case() -> Self {
        Scattering { radius: 0.5, start: -1.2, width: 0.2 }
    }

    /// The pressure at time `t` at distance `r` from the origin, as coefficients of `cos nθ`.
    pub fn harmonics(&self, r: f64, t: f64) -> Vec<f64> {
        let mut sums = vec![self.width * PI.sqrt() / APART];
        for m in 1.. {
            let k = 2.0 * PI * f64::from(m) / APART;
            let amplitude = 2.0 * self.width * PI.sqrt() / APART * (-(0.5 * k * self.width).powi(2)).exp();
            if amplitude < 1e-9 {
                break;
            }
            // Beyond this order the functions at kr are negligible.
            let orders = (k * r) as usize + 20;
            let ([j, y], [j_wall, y_wall]) = (bessel(k * r, orders), bessel(k * self.radius, orders + 1));
            sums.resize(sums.len().max(orders), 0.0);
            for n in 0..orders {
                let slope = |f: &[f64]| if n == 0 { -f[1] } else { 0.5 * (f[n - 1] - f[n + 1]) };
                let ratio = slope(&j_wall) / slope(&y_wall);
                let share = ratio / (1.0 + ratio * ratio);
                let real = j[n] - share * (ratio * j[n] + y[n]);
                let imaginary = -share * (ratio * y[n] - j[n]);
                let phase = 0.5 * PI * (n % 4) as f64 - k * (self.start + t);
                let twice = if n == 0 { 1.0 } else { 2.0 };
                sums[n] += amplitude * twice * (phase.cos() * real - phase.sin() * imaginary);
            }
        }
        sums
    }
}

/// `Σ sums[n] cos nθ`, by Clenshaw's recurrence.
pub fn sum(sums: &[f64], angle: f64) -> f64 {
    let twice = 2.0 * angle.cos();
    let (mut b1, mut b2) = (0.0, 0.0);
    for value in sums.iter().skip(1).rev() {
        (b1, b2) = (value + twice * b1 - b2, b1);
    }
    sums[0] + 0.5 * twice * b1 - b2
}

/// The integral of |p − exact| divided by that of |exact|, over the finest cells everywhere; `None` if the mesh is not mapped.
pub fn relative_error(frame: &Frame<2>) -> Option<f64> {
    let mapping = frame.mapped()?;
    let exact = Scattering::of_case();
    let (mut difference, mut whole) = (0.0, 0.0);
    for (l, level) in frame.levels.iter().enumerate() {
        let covering = frame.covering(l);
        for patch in &level.patches {
            let (covered, volume) = (covering.of(&patch.cells), patch.cells.volume());
            let columns = patch.cells.size()[0] as usize;
            let corners = mapping.corners(&patch.cells, level.dx);
            let area = |k: usize| {
                let first = k + k / columns;
                let [a, b, c, d] = [0, 1, columns + 2, columns + 1].map(|n| corners[first + n]);
                0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]))
            };
            let centre = |k: usize| {
                let cell = patch.cells.cells().nth(k).expect("the patch has the cell");
                mapping.position(frame.geometry(l).centre(cell))
            };
            let harmonics: Vec<_> =
                (0..columns).map(&centre).map(|[x, y]| exact.harmonics(x.hypot(y), frame.time)).collect();
            for k in (0..volume).filter(|&k| !covered[k]) {
                let ([x, y], area) = (centre(k), area(k));
                let wanted = sum(&harmonics[k % columns], y.atan2(x));
                difference += area * (patch.q[k] - wanted).abs();
                whole += area * wanted.abs();
            }
        }
    }
    Some(difference / whole)
}

/// J and Y of orders 0 to `orders` at `x` > 0: J by Miller's downward recurrence, Y by upward recurrence from Neumann's series for the first two.
pub fn bessel(x: f64, orders: usize) -> [Vec<f64>; 2] {
    let top = (orders.max(x as usize) + 40) & !1;
    let mut j = vec![0.0; top + 2];
    j[top] = 1.0;
    for n in (1..=top).rev() {
        j[n - 1] = 2.0 * n as f64 / x * j[n] - j[n + 1];
        if j[n - 1].abs() > 1e200 {
            j.iter_mut().for_each(|value| *value *= 1e-200);
        }
    }
    let unit = j[0] + 2.0 * j.iter().skip(2).step_by(2).sum::<f64>();
    j.iter_mut().for_each(|value| *value /= unit);
    let logarithm = (0.5 * x).ln() + EULER_GAMMA;
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let terms = |n: usize| (1..=(top - n) / 2).map(move |k| (k, sign(k) * (n + 2 * k) as f64 / (k * (n + k)) as f64));
    let series = |n: usize| terms(n).map(|(k, factor)| factor * j[n + 2 * k]).sum::<f64>();
    let y0 = 2.0 / PI * (logarithm * j[0] - series(0));
    let y1 = 2.0 / PI * (-j[0] / x + (logarithm - 1.0) * j[1] - series(1));
    let mut y = vec![y0, y1];
    for n in 1..orders {
        y.push(2.0 * n as f64 / x * y[n] - y[n - 1]);
    }
    j.truncate(orders + 1);
    [j, y]
}
