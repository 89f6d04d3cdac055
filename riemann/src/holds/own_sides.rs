//! Whether fluctuations move away from their face.

use super::sample::Face;
use super::trial::{difference, direction, largest, sum};
use super::{Outcome, Random, Subject};
use crate::axis::{Axis, Side};

/// Faces along each axis.
const FACES: usize = 20;

/// Times that a step is applied; the first of them during which modes part, that are of very different size in different components; the
/// growth in the others from which on it is unstable: by a quarter in each.
const STEPS: usize = 80;
const FIRST: usize = 16;
const GROWTH: f64 = 1e6;

/// Size of the jumps, relative to the states, and the least size of a component, relative to the largest.
const JUMP: f64 = 1e-6;
const LEAST: f64 = 1e-8;

/// Godunov's step changes a mode of the shortest wavelength, ±Δq from cell to cell, into `Δq − 2 Δt/Δx (𝒜⁺Δq − 𝒜⁻Δq)`, at Courant number 0.9
/// no larger. One whose fluctuations are exchanged, or of waves faster than its speeds, grows without bounds. Strikwerda, Finite Difference
/// Schemes and Partial Differential Equations (2004), §2.2. Fails only if it does at most faces: at the edge of what is admissible solvers are not linear.
pub(super) fn fluctuations(subject: &Subject<'_>) -> Outcome {
    let solver = &subject.faces.double;
    at_most_faces(subject, |face, axis, random| {
        let solve = |q: &[f64]| solver.normal_beside(axis, [&face.q[0], q], face.aux(), subject.faces.beside);
        let rest = solve(&face.q[0]);
        let still = difference(&rest.apdq, &rest.amdq);
        let sizes = sizes(face);
        let apart = |jump: &[f64]| {
            let jumped: Vec<f64> = jump.iter().map(|x| JUMP * x).collect();
            let solution = solve(&sum(&face.q[0], &jumped));
            let apart = difference(&difference(&solution.apdq, &solution.amdq), &still);
            apart.into_iter().map(|x| x / JUMP).collect()
        };
        grows(largest(&rest.speeds), &sizes, random, apart)
            .then(|| "steps of Godunov's method with amdq and apdq at the given speeds grow small waves without bounds: is amdq what changes the cell of ql, and are speeds large enough?".to_owned())
    })
}

/// Likewise of the parts of a fluctuation, along their axis.
pub(super) fn transverse_parts(subject: &Subject<'_>) -> Outcome {
    let solver = &subject.faces.double;
    if subject.info.dim == 1 {
        return Outcome::Unchecked("there is one axis only");
    }
    at_most_faces(subject, |face, axis, random| {
        let q = [face.q[0].as_slice(); 2];
        subject.across(axis).find_map(|across| {
            let speeds = solver.normal_beside(across, q, face.aux(), subject.faces.beside).speeds;
            let apart = |asdq: &[f64]| {
                let [lower, upper] = solver.transverse(axis, across, Side::Upper, q, face.aux_around(), asdq);
                difference(&upper, &lower)
            };
            grows(largest(&speeds), &sizes(face), random, apart).then(|| {
                "bmasdq and bpasdq grow small waves without bounds: is bmasdq what moves to smaller coordinates?"
                    .to_owned()
            })
        })
    })
}

/// Looks for a fault at each of a few faces between equal auxiliary values.
fn at_most_faces(subject: &Subject<'_>, mut fault: impl FnMut(&Face, Axis, &mut Random) -> Option<String>) -> Outcome {
    let mut random = Random::new(29);
    for &axis in subject.axes() {
        let mut failures = 0;
        let mut example = None;
        for _ in 0..FACES {
            let face = subject.face(axis, true, &mut random);
            if let Some(what) = fault(&face, axis, &mut random) {
                failures += 1;
                example.get_or_insert(subject.example(face, what));
            }
        }
        match example {
            Some(example) if 2 * failures > FACES => return Outcome::Fails(example),
            _ => {}
        }
    }
    Outcome::Holds
}

/// The size of each component.
fn sizes(face: &Face) -> Vec<f64> {
    let all = largest(face.q.iter().flatten());
    let size = |(a, b): (&f64, &f64)| a.abs().max((a - b).abs()).max(LEAST * all);
    face.q[0].iter().zip(&face.q[1]).map(size).collect()
}

/// Whether `x − 2 · 0.9 / fastest · apart(x)` grows, applied again and again.
fn grows(fastest: f64, sizes: &[f64], random: &mut Random, apart: impl Fn(&[f64]) -> Vec<f64>) -> bool {
    let mut x: Vec<f64> = direction(sizes.len(), random).iter().zip(sizes).map(|(x, size)| x * size).collect();
    let mut growth: f64 = 1.0;
    if !(fastest > 0.0 && fastest.is_finite()) {
        return false;
    }
    for step in 0..STEPS {
        let moved = apart(&x);
        x = x.iter().zip(&moved).map(|(x, moved)| x - 1.8 / fastest * moved).collect();
        let now = x.iter().zip(sizes).map(|(x, size)| x.abs() / size).fold(0.0, f64::max);
        // A wave that has left grows no more.
        if !(now > 1e-9 && now.is_finite()) {
            return false;
        }
        growth *= if step < FIRST { 1.0 } else { now };
        x.iter_mut().for_each(|x| *x /= now);
    }
    growth > GROWTH
}
