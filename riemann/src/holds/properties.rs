//! The properties, each with the tolerance that round-off requires.

use super::mirror::is_mirrored;
use super::own_sides;
use super::second_order::gives_second_order;
use super::trial::{close, difference, direction, largest, same_waves, size_of_waves, sum, sum_of_waves, try_faces};
use super::{Exchange, Outcome, Subject, named};
use crate::axis::{Axis, Side};
use crate::faces::{FaceSolution, FaceSolver};
use crate::patch::Transfer;

/// A check of one property.
pub(super) type Check = fn(&Subject<'_>) -> Outcome;

/// Every property with its name.
pub const ALL: &[(&str, Check)] = &[
    ("all numbers are finite", finite),
    ("equal states are still", equal_states_are_still),
    ("waves sum to the jump", waves_sum),
    ("fluctuations sum to what the waves move", fluctuations_sum),
    ("fluctuations sum to the flux difference", flux_difference),
    ("fluctuations move to their sides", own_sides::fluctuations),
    ("the axes are alike", axes_are_alike),
    ("a mirror image gives the mirror image", is_mirrored),
    ("transverse parts sum to the other axis's fluctuations", transverse_sums),
    ("transverse parts are linear in the fluctuation", transverse_is_linear),
    ("transverse parts move to their sides", own_sides::transverse_parts),
    ("waves and speeds give second order", gives_second_order),
    (TRANSFER, transfer_variables),
    ("f32 agrees with f64", single_precision),
];

/// The property of solvers that have transfer variables.
const TRANSFER: &str = "transfer variables stand for the state";

/// The properties that a solver can have.
pub(super) fn of(subject: &Subject<'_>) -> impl Iterator<Item = &'static (&'static str, Check)> + use<> {
    let numbers = |count: usize| vec![0.5; count];
    let (state, aux) = (numbers(subject.info.equations.len()), numbers(subject.info.aux.len()));
    let has_transfer = subject.faces.double.transfer(Transfer::To, &state, &aux).is_some();
    ALL.iter().filter(move |(property, _)| *property != TRANSFER || has_transfer)
}

/// The properties without which a solver is none: those that also right solvers of unusual kinds have. F-waves may contain a source, which
/// changes equal states too, and is no part of the flux.
pub(super) fn required(subject: &Subject<'_>, has_waves: bool) -> impl Iterator<Item = (&'static str, Check)> + use<> {
    let has_source = subject.info.fwaves && equal_states_are_still(subject) != Outcome::Holds;
    let fwaves = subject.info.fwaves;
    ALL.iter().copied().filter(move |&(property, _)| match property {
        "all numbers are finite" | "fluctuations move to their sides" => true,
        "equal states are still" => !fwaves,
        "waves sum to the jump" => has_waves && !has_source,
        "fluctuations sum to what the waves move" => has_waves,
        "fluctuations sum to the flux difference" => !has_source,
        _ => false,
    })
}

fn finite(subject: &Subject<'_>) -> Outcome {
    let solver = &subject.faces.double;
    try_faces(subject, subject.axes(), false, |face, _| {
        let solution = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let mut numbers = vec![("states", face.q.concat()), ("waves", solution.waves.concat())];
        numbers.extend([
            ("speeds", solution.speeds.clone()),
            ("amdq", solution.amdq.clone()),
            ("apdq", solution.apdq.clone()),
            ("steepness", vec![solver.steepness(face.axis, face.states(), face.aux())]),
        ]);
        for across in subject.across(face.axis) {
            let (q, aux) = (face.states(), face.aux_around());
            let [lower, upper] = solver.transverse(face.axis, across, Side::Lower, q, aux, &solution.amdq);
            numbers.extend([("bmasdq", lower), ("bpasdq", upper)]);
        }
        match numbers.iter().find(|(_, values)| values.iter().any(|x| !x.is_finite())) {
            Some(("waves", _)) => Err(subject.waves(&solution.waves)),
            Some(("states", _)) => Err("these are the states that the solver calls admissible".to_owned()),
            Some((name @ ("speeds" | "steepness"), values)) => Err(format!("{name}: {}", named(&[], values))),
            Some((name, values)) => Err(format!("{name}: {}", named(subject.info.equations, values))),
            None => Ok(()),
        }
    })
}

/// To round-off: a formula such as `a (b ql) − b (a qr)` leaves an ulp or two of its terms, which are products of states and speeds. A
/// constant state then stays constant to that accuracy. NaN is never still.
fn equal_states_are_still(subject: &Subject<'_>) -> Outcome {
    let round_off = f64::max(64.0 * f64::EPSILON, 1e-2 * subject.sample.round_off);
    try_faces(subject, subject.axes(), true, |face, _| {
        let q = [face.q[0].as_slice(); 2];
        let solution = subject.faces.double.normal_beside(face.axis, q, face.aux(), subject.faces.beside);
        let tolerance = round_off * (1.0 + largest(&solution.speeds)) * (1.0 + largest(&face.q[0]));
        let is_still = |values: &[f64]| values.iter().all(|x| x.abs() <= tolerance);
        if !solution.waves.iter().all(|wave| is_still(wave)) {
            return Err(format!("between ql and itself\n{}", subject.waves(&solution.waves)));
        }
        for (name, values) in [("amdq", solution.amdq), ("apdq", solution.apdq)] {
            if !is_still(&values) {
                return Err(format!("between ql and itself {name}: {}", named(subject.info.equations, &values)));
            }
        }
        Ok(())
    })
}

/// The part of the jump that is in no wave must be stationary: solved as a jump of its own, it moves nothing. F-waves decompose the whole
/// flux difference. Tolerance: round-off in products of the largest numbers, which squares of Mach numbers amplify.
fn waves_sum(subject: &Subject<'_>) -> Outcome {
    let names = subject.info.equations;
    let (info, solver, round_off) = (subject.info, &subject.faces.double, subject.sample.round_off);
    let mut without_flux = false;
    let outcome = try_faces(subject, subject.axes(), true, |face, _| {
        let solution = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let total = sum_of_waves(&solution, &vec![1.0; info.waves]);
        let mut scale = size_of_waves(&solution) + largest(face.q.iter().flatten());
        let (name, expected) = if info.fwaves {
            let [left, right] = [0, 1].map(|side| solver.flux(face.axis, &face.q[side], &face.aux[side]));
            let Some((left, right)) = left.zip(right) else {
                without_flux = true;
                return Ok(());
            };
            scale += largest(left.iter().chain(&right));
            ("the fluxes differ by", difference(&right, &left))
        } else {
            ("qr − ql =", difference(&face.q[1], &face.q[0]))
        };
        let waves = if info.fwaves { "the f-waves sum to" } else { "the waves sum to" };
        let verdict = close([waves, name], names, &total, &expected, round_off * scale);
        if verdict.is_ok() || info.fwaves {
            return verdict;
        }
        let beside = sum(&face.q[0], &difference(&expected, &total));
        let rest = solver.normal_beside(face.axis, [&face.q[0], &beside], face.aux(), subject.faces.beside);
        let is_finite = rest.amdq.iter().chain(&rest.apdq).all(|x| x.is_finite());
        let moved = largest(rest.amdq.iter().chain(&rest.apdq));
        if is_finite && moved <= round_off * scale * (1.0 + largest(&rest.speeds)) { Ok(()) } else { verdict }
    });
    if without_flux { Outcome::Unchecked("the solver gives no flux, which its f-waves decompose") } else { outcome }
}

fn fluctuations_sum(subject: &Subject<'_>) -> Outcome {
    let (names, round_off) = (subject.info.equations, subject.sample.round_off);
    let fwaves = subject.info.fwaves;
    try_faces(subject, subject.axes(), false, |face, _| {
        let solution = subject.faces.double.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let ones = vec![1.0; solution.speeds.len()];
        let (name, moved) = match fwaves {
            true => ("the f-waves sum to", sum_of_waves(&solution, &ones)),
            false => ("Σ speed · wave =", sum_of_waves(&solution, &solution.speeds)),
        };
        let scale = (1.0 + largest(&solution.speeds)) * (size_of_waves(&solution) + largest(face.q.iter().flatten()));
        close(["amdq + apdq =", name], names, &sum(&solution.amdq, &solution.apdq), &moved, round_off * scale)
    })
}

fn flux_difference(subject: &Subject<'_>) -> Outcome {
    let (names, round_off) = (subject.info.equations, subject.sample.round_off);
    let solver = &subject.faces.double;
    let mut without_flux = false;
    let outcome = try_faces(subject, subject.axes(), true, |face, _| {
        let [left, right] = [0, 1].map(|side| solver.flux(face.axis, &face.q[side], &face.aux[side]));
        let Some((left, right)) = left.zip(right) else {
            without_flux = true;
            return Ok(());
        };
        let solution = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let fluctuations = sum(&solution.amdq, &solution.apdq);
        let scale = (1.0 + largest(&solution.speeds)) * (size_of_waves(&solution) + largest(face.q.iter().flatten()))
            + largest(left.iter().chain(&right));
        close(["amdq + apdq =", "f(qr) − f(ql) ="], names, &fluctuations, &difference(&right, &left), round_off * scale)
    });
    if without_flux { Outcome::Unchecked("the solver gives no flux") } else { outcome }
}

/// A face along one axis gives the solution along another one with the two axes exchanged. Rotations of the axes are compositions of
/// exchanges.
fn axes_are_alike(subject: &Subject<'_>) -> Outcome {
    if subject.info.dim == 1 {
        return Outcome::Unchecked("there is one axis only");
    }
    let Some(exchanged) = &subject.faces.exchanged else {
        return Outcome::Unchecked("the solver says that its axes differ");
    };
    let pairs = Axis::pairs(subject.info.dim).iter().zip(exchanged);
    let outcomes = pairs.map(|(&axes, exchanged)| alike_with(subject, &subject.exchange(axes), &**exchanged));
    let outcome = outcomes.reduce(|before, next| if before == Outcome::Holds { next } else { before });
    match outcome.unwrap_or(Outcome::Holds) {
        Outcome::Fails(mut example) => {
            example.what += "\nwhere the axes differ on purpose, write `axes_differ` in `#[riemann::solver(…)]`";
            Outcome::Fails(example)
        }
        other => other,
    }
}

/// The solutions of `exchanged`, the solver with two axes exchanged, for exchanged states are the solver's solutions, exchanged.
fn alike_with(subject: &Subject<'_>, exchange: &Exchange, exchanged: &dyn FaceSolver<f64>) -> Outcome {
    let names = subject.info.equations;
    let solver = &subject.faces.double;
    // In the plane a face along y tests nothing more than one along x.
    let axes = if subject.info.dim == 2 { &[Axis::X] } else { subject.axes() };
    try_faces(subject, axes, false, |face, random| {
        let turned_q = face.q.each_ref().map(|q| exchange.state(q));
        let turned_aux = face.aux.each_ref().map(|aux| exchange.aux(aux));
        let (q, aux) = ([turned_q[0].as_slice(), &turned_q[1]], [turned_aux[0].as_slice(), &turned_aux[1]]);
        let there_axis = exchange.axis(face.axis);
        let here = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let there = exchanged.normal_beside(there_axis, q, aux, subject.faces.beside);
        let name = ["along x exchanged", "along y exchanged", "along z exchanged"][there_axis.index()];
        let scale = (1.0 + largest(&here.speeds)) * (size_of_waves(&here) + largest(face.q.iter().flatten()));
        let tolerance = 1e-12 * scale;
        let of_speeds = 1e-12 * (1.0 + largest(&here.speeds));
        let image =
            FaceSolution { waves: here.waves.iter().map(|wave| exchange.state(wave)).collect(), ..here.clone() };
        same_waves(["the speeds are", "a wave is", name], names, [&image, &there], [of_speeds, tolerance])?;
        close(["amdq is", name], names, &exchange.state(&here.amdq), &there.amdq, tolerance)?;
        close(["apdq is", name], names, &exchange.state(&here.apdq), &there.apdq, tolerance)?;
        let steep = [solver.steepness(face.axis, face.states(), face.aux())];
        let there = [exchanged.steepness(there_axis, q, aux)];
        close(["the steepness is", name], &[], &steep, &there, 1e-12 * (1.0 + largest(&steep)))?;
        let asdq = direction(here.amdq.len(), random);
        let around = [aux[0], aux[1], aux[0]];
        for (across, side) in subject.across(face.axis).flat_map(|across| Side::BOTH.map(|side| (across, side))) {
            let [lower, upper] = solver.transverse(face.axis, across, side, face.states(), face.aux_around(), &asdq);
            let there_across = exchange.axis(across);
            let there = exchanged.transverse(there_axis, there_across, side, q, around, &exchange.state(&asdq));
            let tolerance = 1e-12 * (1.0 + scale + largest(lower.iter().chain(&upper)));
            close(["bmasdq is", name], names, &exchange.state(&lower), &there[0], tolerance)?;
            close(["bpasdq is", name], names, &exchange.state(&upper), &there[1], tolerance)?;
        }
        Ok(())
    })
}

/// False where the transverse parts of every fluctuation vanish.
fn has_transverse_waves(subject: &Subject<'_>) -> bool {
    let solver = &subject.faces.double;
    let found = try_faces(subject, subject.axes(), true, |face, random| {
        let asdq = direction(face.q[0].len(), random);
        let split = |across| solver.transverse(face.axis, across, Side::Upper, face.states(), face.aux_around(), &asdq);
        let still = subject.across(face.axis).all(|across| split(across).iter().flatten().all(|&x| x == 0.0));
        if still { Ok(()) } else { Err(String::new()) }
    });
    found != Outcome::Holds
}

/// Between equal states the parts of a fluctuation sum to B asdq, as the fluctuations of a small jump `ε asdq` along the other
/// axis do. Tolerance: ε = 1e-6 of the state's size times second derivatives of the flux, and round-off 1e-16/ε.
fn transverse_sums(subject: &Subject<'_>) -> Outcome {
    let names = subject.info.equations;
    let solver = &subject.faces.double;
    if subject.info.dim == 1 {
        return Outcome::Unchecked("there is one axis only");
    }
    if !has_transverse_waves(subject) {
        return Outcome::Unchecked("the solver has no transverse waves");
    }
    try_faces(subject, subject.axes(), true, |face, random| {
        let (q, aux) = (&face.q[0], &face.aux[0]);
        let asdq = direction(q.len(), random);
        let epsilon = 1e-6;
        let jumped: Vec<f64> = q.iter().zip(&asdq).map(|(q, a)| q + epsilon * a).collect();
        for across in subject.across(face.axis) {
            let other = solver.normal_beside(across, [q, &jumped], [aux, aux], subject.faces.beside);
            let expected: Vec<f64> = sum(&other.amdq, &other.apdq).iter().map(|x| x / epsilon).collect();
            for side in Side::BOTH {
                let [lower, upper] = solver.transverse(face.axis, across, side, [q, q], [aux, aux, aux], &asdq);
                let tolerance = 2e-4 * (1.0 + largest(lower.iter().chain(&upper)) + largest(&expected));
                close(["bmasdq + bpasdq =", "B asdq ="], names, &sum(&lower, &upper), &expected, tolerance)?;
            }
        }
        Ok(())
    })
}

/// A fluctuation is split by a matrix, whatever its size and sign: the update splits several at once. Tolerance: round-off in products of
/// the parts, amplified by squares of Mach numbers.
fn transverse_is_linear(subject: &Subject<'_>) -> Outcome {
    let names = subject.info.equations;
    let solver = &subject.faces.double;
    try_faces(subject, subject.axes(), false, |face, random| {
        let (a, b) = (direction(face.q[0].len(), random), direction(face.q[0].len(), random));
        for (across, side) in subject.across(face.axis).flat_map(|across| Side::BOTH.map(|side| (across, side))) {
            let split =
                |asdq: &[f64]| solver.transverse(face.axis, across, side, face.states(), face.aux_around(), asdq);
            let (whole, [first, second]) = (split(&sum(&a, &b)), [split(&a), split(&b)]);
            let tolerance = 1e-12 * (1.0 + largest(first.iter().chain(&second).flatten()));
            for (k, name) in ["bmasdq of a sum is", "bpasdq of a sum is"].into_iter().enumerate() {
                close([name, "of its terms"], names, &whole[k], &sum(&first[k], &second[k]), tolerance)?;
            }
        }
        Ok(())
    })
}

/// Transfer variables give the state back to round-off; each component of it grows with the variable of its number as its weight says, to a
/// part in 1e4 for the curvature over a step, and does not change with later ones.
fn transfer_variables(subject: &Subject<'_>) -> Outcome {
    let (solver, names) = (&subject.faces.double, subject.info.equations);
    try_faces(subject, &subject.axes()[..1], false, |face, _| {
        let (q, aux) = (&face.q[0], &face.aux[0]);
        let of = |what, values: &[f64]| solver.transfer(what, values, aux).unwrap_or_default();
        let t = of(Transfer::To, q);
        let round_off = 1e-12 * (1.0 + largest(q) + largest(&t)) * (1.0 + largest(&t));
        let back = of(Transfer::From, &t);
        close(["from_transfer(to_transfer(ql)) is", "not ql,"], names, &back, q, round_off)?;
        let weights = of(Transfer::Weight, &t);
        for m in 0..t.len() {
            let step = 1e-6 * (1.0 + t[m].abs());
            let [below, above] = [-step, step].map(|step| {
                let mut moved = t.clone();
                moved[m] += step;
                of(Transfer::From, &moved)
            });
            close(
                [&format!("with another t[{m}] from_transfer is"), "not"],
                names,
                &above[..m],
                &back[..m],
                round_off,
            )?;
            let slope = (above[m] - below[m]) / (2.0 * step);
            let tolerance = 1e-4 * (weights[m].abs() + slope.abs()) + round_off / step;
            if !((weights[m] - slope).abs() <= tolerance && slope >= -tolerance) {
                let (name, weight) = (names[m], weights[m]);
                let what = if slope < 0.0 { "must not decrease" } else { "is not the weight" };
                return Err(format!("{name} of from_transfer changes by {slope:?} with t[{m}]: it {what}, {weight:?}"));
            }
        }
        Ok(())
    })
}

/// To a part in 1e4 of the largest numbers: round-off of 6e-8, amplified by squares of Mach numbers and differences of nearly
/// equal numbers.
fn single_precision(subject: &Subject<'_>) -> Outcome {
    let names = subject.info.equations;
    let (double, single) = (&subject.faces.double, &subject.faces.single);
    try_faces(subject, subject.axes(), false, |face, random| {
        let short = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let long = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let (q, aux) = (face.q.each_ref().map(|q| short(q)), face.aux.each_ref().map(|aux| short(aux)));
        let exact = double.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
        let short_solution =
            single.normal_beside(face.axis, [&q[0], &q[1]], [&aux[0], &aux[1]], subject.faces.beside as f32);
        let scale = largest(face.q.iter().flatten()) + size_of_waves(&exact);
        let tolerance = 1e-4 * (1.0 + scale);
        close(["speeds in f32 are", "in f64"], &[], &long(&short_solution.speeds), &exact.speeds, tolerance)?;
        let moved = 1e-4 * scale * (1.0 + largest(&exact.speeds));
        for (w, (short, exact)) in short_solution.waves.iter().zip(&exact.waves).enumerate() {
            close([&format!("wave {} in f32 is", w + 1), "in f64"], names, &long(short), exact, moved)?;
        }
        close(["amdq in f32 is", "in f64"], names, &long(&short_solution.amdq), &exact.amdq, moved)?;
        close(["apdq in f32 is", "in f64"], names, &long(&short_solution.apdq), &exact.apdq, moved)?;
        for across in subject.across(face.axis) {
            let asdq = direction(exact.amdq.len(), random);
            let split = double.transverse(face.axis, across, Side::Upper, face.states(), face.aux_around(), &asdq);
            let (q, around) = ([q[0].as_slice(), &q[1]], [aux[0].as_slice(), &aux[1], &aux[0]]);
            let short_split = single.transverse(face.axis, across, Side::Upper, q, around, &short(&asdq));
            let tolerance = moved + 1e-4 * largest(split.iter().flatten());
            for (short, exact) in short_split.iter().zip(&split) {
                close(["a transverse part in f32 is", "in f64"], names, &long(short), exact, tolerance)?;
            }
        }
        Ok(())
    })
}
