//! Mirrored states give mirrored waves and speeds.

use super::sample::Face;
use super::trial::{Verdict, close, direction, largest, same_waves, size_of_waves, try_faces};
use super::{Mirror, Outcome, Random, Subject};
use crate::axis::{Axis, Side};
use crate::faces::{FaceSolution, FaceSolver};

/// Relative tolerance: round-off in products of the largest numbers. A solver that eliminates its waves one after another begins at the other
/// end in a mirror, which costs digits where waves are nearly parallel.
const TOLERANCE: f64 = 1e-9;

/// In a mirror along which a solver declares its vectors and tensors, it finds the mirror images of its waves, at every face: the equations
/// know no left and right. A wall is such a mirror.
pub(super) fn is_mirrored(subject: &Subject<'_>) -> Outcome {
    let Some(mirrored) = &subject.faces.mirrored else {
        return Outcome::Unchecked("the solver says that it goes one way");
    };
    for (&axis, mirrored) in subject.axes().iter().zip(mirrored) {
        // Nobody says whether values on faces are components of vectors, such as velocities, or coefficients.
        let outcome = |negates_faces| {
            holds_in(subject, &Mirror::new(subject.info, &subject.faces.aux_face, axis, negates_faces), &**mirrored)
        };
        let of_velocities = outcome(true);
        if subject.faces.aux_face.contains(&Some(axis))
            && of_velocities != Outcome::Holds
            && outcome(false) == Outcome::Holds
        {
            continue;
        }
        if let Outcome::Fails(mut example) = of_velocities {
            example.what += "\nvectors, tensors and pseudo-scalars are declared in `#[riemann::solver(equations = […], aux = […])]`; where \
                             parameters have a direction, write `fn mirrored(&self, axis: Axis) -> Option<Self>`; where the \
                             equations have no mirror image, `one_way` in the attribute";
            return Outcome::Fails(example);
        }
    }
    Outcome::Holds
}

/// The solutions of `mirrored`, the solver in the mirror, for mirrored states are the mirror images of the solver's.
fn holds_in(subject: &Subject<'_>, mirror: &Mirror<'_>, mirrored: &dyn FaceSolver<f64>) -> Outcome {
    try_faces(subject, subject.axes(), false, |face, random| {
        normal_in(subject, mirror, mirrored, face)?;
        transverse_in(subject, mirror, mirrored, face, random)
    })
}

/// Along the mirror's own axis the sides of a face change places.
fn images<T: Clone>(mirror: &Mirror<'_>, axis: Axis, [lower, upper]: [T; 2]) -> [T; 2] {
    if axis == mirror.axis { [upper, lower] } else { [lower, upper] }
}

fn normal_in(subject: &Subject<'_>, mirror: &Mirror<'_>, mirrored: &dyn FaceSolver<f64>, face: &Face) -> Verdict {
    let names = subject.info.equations;
    let turns = face.axis == mirror.axis;
    let q = images(mirror, face.axis, face.q.each_ref().map(|q| mirror.state(q)));
    // The face's own values stay with the cell above it.
    let [below, above] = images(mirror, face.axis, face.aux());
    let [lower, upper] = face.aux();
    let aux = match turns {
        true => [mirror.aux(below, lower), mirror.aux(above, upper)],
        false => [mirror.aux(below, below), mirror.aux(above, above)],
    };
    let solver = &subject.faces.double;
    let here = solver.normal_beside(face.axis, face.states(), face.aux(), subject.faces.beside);
    let there = mirrored.normal_beside(face.axis, [&q[0], &q[1]], [&aux[0], &aux[1]], subject.faces.beside);
    let scale = (1.0 + largest(&here.speeds)) * (size_of_waves(&here) + largest(face.q.iter().flatten()));
    let tolerance = TOLERANCE * scale;
    // F-waves are parts of a flux difference, which changes its sign twice.
    let [of_speed, of_wave] = [turns, turns && !subject.info.fwaves].map(|negates| if negates { -1.0 } else { 1.0 });
    let image = |wave: &Vec<f64>| mirror.state(wave).iter().map(|x| of_wave * x).collect();
    let image = FaceSolution {
        waves: here.waves.iter().map(image).collect(),
        speeds: here.speeds.iter().map(|s| of_speed * s).collect(),
        ..here.clone()
    };
    let of_speeds = TOLERANCE * (1.0 + largest(&here.speeds));
    let name = ["in a mirror along x", "in a mirror along y", "in a mirror along z"][mirror.axis.index()];
    let what = ["the mirrored speeds are", "a mirrored wave is", name];
    same_waves(what, names, [&image, &there], [of_speeds, tolerance])?;
    let [amdq, apdq] = images(mirror, face.axis, [&here.amdq, &here.apdq]).map(|part| mirror.state(part));
    close(["the mirrored amdq is", name], names, &amdq, &there.amdq, tolerance)?;
    close(["the mirrored apdq is", name], names, &apdq, &there.apdq, tolerance)?;
    let here = [solver.steepness(face.axis, face.states(), face.aux())];
    let there = [mirrored.steepness(face.axis, [&q[0], &q[1]], [&aux[0], &aux[1]])];
    close(["the steepness is", name], &[], &here, &there, TOLERANCE * (1.0 + largest(&here)))
}

fn transverse_in(
    subject: &Subject<'_>,
    mirror: &Mirror<'_>,
    mirrored: &dyn FaceSolver<f64>,
    face: &Face,
    random: &mut Random,
) -> Verdict {
    let (names, solver) = (subject.info.equations, &subject.faces.double);
    let asdq = direction(face.q[0].len(), random);
    let unit: Vec<f64> = (0..subject.info.aux.len()).map(|_| random.between(0.0, 1.0)).collect();
    let beyond = solver.admissible_aux(&unit);
    let [below, here, above] = [face.aux[0].as_slice(), &face.aux[1], &beyond];
    let q = images(mirror, face.axis, face.q.each_ref().map(|q| mirror.state(q)));
    for (across, side) in subject.across(face.axis).flat_map(|across| Side::BOTH.map(|side| (across, side))) {
        let turns = across == mirror.axis;
        let there_side = if face.axis == mirror.axis { side.opposite() } else { side };
        // The cell's faces along the mirror's axis are its own lower one and that of the cell above.
        let aux = match turns {
            true => [mirror.aux(above, below), mirror.aux(here, above), mirror.aux(below, here)],
            false => [below, here, above].map(|aux| mirror.aux(aux, aux)),
        };
        let split = solver.transverse(face.axis, across, side, face.states(), [below, here, above], &asdq);
        let around = [aux[0].as_slice(), &aux[1], &aux[2]];
        let there = mirrored.transverse(face.axis, across, there_side, [&q[0], &q[1]], around, &mirror.state(&asdq));
        let size = largest(face.q.iter().flatten()) + largest(split.iter().flatten());
        // The matrix along the mirror's axis changes its sign.
        let sign = if turns { -1.0 } else { 1.0 };
        let image = |part: Vec<f64>| mirror.state(&part).iter().map(|x| sign * x).collect::<Vec<_>>();
        let [lower, upper] = images(mirror, across, split).map(image);
        let tolerance = TOLERANCE * (1.0 + size);
        close(["the mirrored bmasdq is", "in the mirror"], names, &lower, &there[0], tolerance)?;
        close(["the mirrored bpasdq is", "in the mirror"], names, &upper, &there[1], tolerance)?;
    }
    Ok(())
}
