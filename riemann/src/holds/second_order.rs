//! Whether the scheme is of second order with a solver's waves.

use super::sample::{Face, towards};
use super::trial::{difference, largest, sum, sum_of_waves};
use super::{Outcome, Random, Subject, named};
use crate::axis::Axis;
use crate::faces::FaceSolution;

/// Faces along each axis.
const FACES: usize = 200;

/// Size of the jumps, relative to the distance between two admissible states.
const JUMP: f64 = 1e-5;

/// What differs counts from here on, relative to the waves. Second derivatives of the flux make a part `JUMP` of them, times some tens near
/// vacuum; a solver without all waves leaves a quarter.
const TOLERANCE: f64 = 2e-3;

/// The corrections add `½ Σ |s| (1 − |s| Δt/Δx) 𝒲` to each face's flux: the first part must take away the numerical viscosity of the
/// fluctuations, `𝒜⁺Δq − 𝒜⁻Δq`, the second is Lax and Wendroff's term `A² Δq`. LeVeque (2002), §6.4. Fails only if it does at most faces: within an
/// entropy fix, at speeds near zero, a right solver is of first order too.
pub(super) fn gives_second_order(subject: &Subject<'_>) -> Outcome {
    let mut random = Random::new(23);
    for &axis in subject.axes() {
        let mut failures = 0;
        let mut example = None;
        for _ in 0..FACES {
            let face = near_states(subject, axis, &mut random);
            if let Err(what) = judge(subject, &face) {
                failures += 1;
                example.get_or_insert(subject.example(face, what));
            }
        }
        match example {
            Some(example) if 2 * failures > FACES => return Outcome::Remark(example),
            _ => {}
        }
    }
    Outcome::Holds
}

/// A face between states close together, with the same auxiliary values.
fn near_states(subject: &Subject<'_>, axis: Axis, random: &mut Random) -> Face {
    let solver = &subject.faces.double;
    let mut unit = |len: usize| -> Vec<f64> { (0..len).map(|_| random.between(0.0, 1.0)).collect() };
    let (here, far) = (unit(subject.info.equations.len()), unit(subject.info.equations.len()));
    let aux = solver.admissible_aux(&unit(subject.info.aux.len()));
    let q = [solver.admissible(&here), solver.admissible(&towards(&here, &far, JUMP))];
    Face { axis, q, aux: [aux.clone(), aux] }
}

fn judge(subject: &Subject<'_>, face: &Face) -> Result<(), String> {
    let solver = &subject.faces.double;
    let solution = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
    let fastest = largest(&solution.speeds);
    let moved = sum(&solution.amdq, &solution.apdq);
    if !fastest.is_finite() || fastest == 0.0 || moved.iter().any(|x| !x.is_finite()) {
        return Ok(());
    }
    // A² Δq by a jump of A Δq about the mean, divided by the speed to be as small as Δq.
    let halves = moved.iter().map(|x| 0.5 * x / fastest).collect::<Vec<_>>();
    let mean: Vec<f64> = sum(&face.q[0], &face.q[1]).iter().map(|q| 0.5 * q).collect();
    let (lower, upper) = (difference(&mean, &halves), sum(&mean, &halves));
    let next = solver.normal_beside(face.axis, [&lower, &upper], face.aux(), subject.faces.beside);
    let squared: Vec<f64> = sum(&next.amdq, &next.apdq).iter().map(|x| x * fastest).collect();

    let fwaves = subject.info.fwaves;
    // F-waves are waves times their speeds.
    let weight = |s: f64, power: i32| match fwaves {
        false => s.abs().powi(power),
        true if s == 0.0 => 0.0,
        true => s.signum() * s.abs().powi(power - 1),
    };
    let weights = |power: i32| solution.speeds.iter().map(|&s| weight(s, power)).collect::<Vec<_>>();
    let [once, twice] = [1, 2].map(|power| sum_of_waves(&solution, &weights(power)));
    let viscosity = difference(&solution.apdq, &solution.amdq);
    let sizes = sizes(subject, face, &solution, fastest);
    let terms = match fwaves {
        false => ["Σ |speed| · wave =", "Σ speed² · wave ="],
        true => ["Σ sign of speed · f-wave =", "Σ speed · f-wave ="],
    };
    let within = |a: &[f64], b: &[f64], speed: f64| {
        a.iter().zip(b).zip(&sizes).all(|((a, b), size)| (a - b).abs() <= speed * size)
    };
    let (term, got, name, wanted) = if !within(&twice, &squared, fastest * fastest) {
        (terms[1], twice, "A² (qr − ql), by A = amdq + apdq of such jumps,", squared)
    } else if !within(&once, &viscosity, fastest) {
        (terms[0], once, "apdq − amdq", viscosity)
    } else {
        return Ok(());
    };
    let [got, wanted] = [got, wanted].map(|values| named(subject.info.equations, &values));
    Err(format!(
        "of this small jump {term} {got}\nbut {name} = {wanted}\nThe corrections of second order consist of waves and speeds. With these \
         the scheme is of first order, whatever `scheme.order` says: the solver is right, but less accurate. The solver guide, under \
         \"Second order\", says what to do"
    ))
}

/// What may differ in each component, per speed or its square: a part of the jump and the waves, and round-off.
fn sizes(subject: &Subject<'_>, face: &Face, solution: &FaceSolution<f64>, fastest: f64) -> Vec<f64> {
    let jump = difference(&face.q[1], &face.q[0]);
    let per_speed = if subject.info.fwaves { fastest } else { 1.0 };
    let state = largest(&face.q[0]);
    let size = |m: usize| {
        let wave = largest(solution.waves.iter().map(|wave| &wave[m])) / per_speed;
        TOLERANCE * wave.max(jump[m].abs()) + 1e-4 * JUMP * face.q[0][m].abs() + 1e-12 * state
    };
    (0..jump.len()).map(size).collect()
}
