//! The self-similar solution of a point explosion in space, in closed form.
//!
//! A gas of density ρ₀ without pressure, in which the energy E is released at a point. At time t the shock is at
//! `R = (E t²/(α ρ₀))^(1/5)`, and behind it every quantity is a function of `λ = r/R` times its value at the shock:
//! `ρ₂ = (γ + 1)/(γ − 1) ρ₀`, `u₂ = 2 Ṙ/(γ + 1)`, `p₂ = 2 ρ₀ Ṙ²/(γ + 1)`.
//!
//! Source: Sedov, *Similarity and Dimensional Methods in Mechanics* (1959), chapter IV §11; in the notation of Kamm and Timmes,
//! On efficient generation of numerically robust Sedov solutions, LA-UR-07-2849 (2007), the standard case with ω = 0.

use std::f64::consts::PI;

/// The solution for a ratio of specific heats below 2.
pub struct Sedov {
    gamma: f64,
    /// The constant α in the formula of the shock's radius.
    pub alpha: f64,
}

/// The state at a point behind the shock, each quantity in units of its value at the shock.
#[derive(Clone, Copy)]
pub struct Behind {
    /// Distance from the centre in units of the shock's.
    pub lambda: f64,
    pub velocity: f64,
    pub density: f64,
    pub pressure: f64,
}

impl Sedov {
    pub fn new(gamma: f64) -> Self {
        let mut solution = Sedov { gamma, alpha: 0.0 };
        // Kinetic and internal energy of shells, in units of 4π ρ₀ Ṙ² R³, by the trapezoidal rule. Values of the
        // parameter are spaced as a high power, since near the centre λ is a small power of it.
        let (centre, shock) = solution.ends();
        let energy = |b: Behind| {
            let kinetic = 2.0 / (gamma * gamma - 1.0) * b.density * b.velocity * b.velocity;
            let internal = 2.0 / (gamma * gamma - 1.0) * b.pressure;
            (kinetic + internal) * b.lambda * b.lambda
        };
        let (mut integral, mut last) = (0.0, (0.0, 0.0));
        for i in 1..=20_000 {
            let behind = solution.at(centre + (shock - centre) * (f64::from(i) / 20_000.0).powi(6));
            let next = (behind.lambda, energy(behind));
            integral += 0.5 * (next.1 + last.1) * (next.0 - last.0);
            last = next;
        }
        // Ṙ = 2 R/(5 t).
        solution.alpha = 16.0 * PI / 25.0 * integral;
        solution
    }

    /// Distance of the shock from the centre, for E = ρ₀ = 1.
    pub fn radius(&self, t: f64) -> f64 {
        (t * t / self.alpha).powf(0.2)
    }

    /// Density at the shock, for ρ₀ = 1.
    pub fn peak_density(&self) -> f64 {
        (self.gamma + 1.0) / (self.gamma - 1.0)
    }

    /// The state at the distance `lambda`, in units of the shock's distance; `None` beyond the shock.
    pub fn behind(&self, lambda: f64) -> Option<Behind> {
        let (mut low, mut high) = self.ends();
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.at(middle).lambda < lambda { low = middle } else { high = middle }
        }
        (lambda <= 1.0).then(|| self.at(low))
    }

    /// The parameter at the centre and at the shock.
    fn ends(&self) -> (f64, f64) {
        (2.0 / (5.0 * self.gamma), 4.0 / (5.0 * (self.gamma + 1.0)))
    }

    /// The state where the parameter `V = u t/r` has the value `v`: equations of Kamm and Timmes, §3.
    fn at(&self, v: f64) -> Behind {
        let g = self.gamma;
        let a2 = -(g - 1.0) / (2.0 * g + 1.0);
        let a1 = 5.0 * g / (3.0 * g - 1.0) * (6.0 * (2.0 - g) / (25.0 * g) - a2);
        let a3 = 3.0 / (2.0 * g + 1.0);
        let a4 = 5.0 * a1 / (2.0 - g);
        let a5 = -2.0 / (2.0 - g);
        let compression = (g + 1.0) / (g - 1.0);
        let x1 = 1.25 * (g + 1.0) * v;
        let x2 = compression * (2.5 * g * v - 1.0);
        let x3 = 5.0 * (g + 1.0) / (5.0 * (g + 1.0) - 2.0 * (3.0 * g - 1.0)) * (1.0 - 0.5 * (3.0 * g - 1.0) * v);
        let x4 = compression * (1.0 - 2.5 * v);
        let lambda = x1.powf(-0.4) * x2.powf(-a2) * x3.powf(-a1);
        Behind {
            lambda,
            velocity: x1 * lambda,
            density: x2.powf(a3) * x3.powf(a4) * x4.powf(a5),
            pressure: x1.powf(1.2) * x3.powf(a4 - 2.0 * a1) * x4.powf(1.0 + a5),
        }
    }
}
