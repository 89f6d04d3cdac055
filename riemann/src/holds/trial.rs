//! Random faces, and comparisons of a solver's results for them.

use super::sample::Face;
use super::{Outcome, Random, Subject, named};
use crate::axis::Axis;
use crate::faces::FaceSolution;

impl Face {
    pub(super) fn states(&self) -> [&[f64]; 2] {
        [&self.q[0], &self.q[1]]
    }

    pub(super) fn aux(&self) -> [&[f64]; 2] {
        [&self.aux[0], &self.aux[1]]
    }

    /// The auxiliary values of the cells below, here and above.
    pub(super) fn aux_around(&self) -> [&[f64]; 3] {
        [&self.aux[0], &self.aux[1], &self.aux[0]]
    }
}

/// What differs, if it does.
pub(super) type Verdict = Result<(), String>;

/// Tries random faces along the axes. `alike`: the same auxiliary values on both sides.
pub(super) fn try_faces(
    subject: &Subject<'_>,
    axes: &[Axis],
    alike: bool,
    mut judge: impl FnMut(&Face, &mut Random) -> Verdict,
) -> Outcome {
    let mut random = Random::new(17);
    let tolerated = subject.sample.tolerated * subject.sample.faces as f64;
    for &axis in axes {
        let mut failures = 0;
        for _ in 0..subject.sample.faces {
            let face = subject.face(axis, alike, &mut random);
            let Err(what) = judge(&face, &mut random) else { continue };
            failures += 1;
            if f64::from(failures) > tolerated {
                return Outcome::Fails(subject.example(face, what));
            }
        }
    }
    Outcome::Holds
}

/// The largest absolute value.
pub(super) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, x| largest.max(x.abs()))
}

/// That `a`, called `what`, is `b` to within `tolerance` in every component. `names`: those of the components; none for
/// speeds.
pub(super) fn close(what: [&str; 2], names: &[&str], a: &[f64], b: &[f64], tolerance: f64) -> Verdict {
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let comparable = a.iter().chain(b).all(|x| x.is_finite());
    if comparable && difference <= tolerance {
        return Ok(());
    }
    let [a, b] = [a, b].map(|values| named(names, values));
    let by = if comparable { format!("\nthey differ by {difference:.3e}") } else { String::new() };
    Err(format!("{} {a}\nbut {} {b}{by}", what[0], what[1]))
}

/// That two solutions have the same speeds, and at each speed the same waves, added up: which of the waves of one speed comes first is the
/// solver's affair. `what`: what the speeds, a wave, and the second solution are called. `tolerances`: of speeds and of waves.
pub(super) fn same_waves(
    what: [&str; 3],
    names: &[&str],
    solutions: [&FaceSolution<f64>; 2],
    tolerances: [f64; 2],
) -> Verdict {
    let ([of_speeds, of_waves], [speeds_are, wave_is, other]) = (tolerances, what);
    let [ours, theirs] = solutions.map(in_order);
    let [speeds, their_speeds] =
        [&ours, &theirs].map(|waves| waves.iter().map(|(speed, _)| *speed).collect::<Vec<_>>());
    close([speeds_are, other], &[], &speeds, &their_speeds, of_speeds)?;
    let total =
        |waves: &[(f64, &Vec<f64>)]| waves.iter().fold(vec![0.0; names.len()], |all, (_, wave)| sum(&all, wave));
    let mut next = 0;
    for together in ours.chunk_by(|(before, _), (after, _)| after - before <= 2.0 * of_speeds) {
        let end = next + together.len();
        close([wave_is, other], names, &total(together), &total(&theirs[next..end]), of_waves)?;
        next = end;
    }
    Ok(())
}

/// Speeds and waves in the order of the speeds.
fn in_order(face: &FaceSolution<f64>) -> Vec<(f64, &Vec<f64>)> {
    let mut waves: Vec<_> = face.speeds.iter().copied().zip(&face.waves).collect();
    waves.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    waves
}

/// `a + b`.
pub(super) fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `a − b`.
pub(super) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// `Σ_w scale_w wave_w`.
pub(super) fn sum_of_waves(face: &FaceSolution<f64>, scales: &[f64]) -> Vec<f64> {
    let component = |m: usize| face.waves.iter().zip(scales).map(|(wave, scale)| scale * wave[m]).sum();
    (0..face.amdq.len()).map(component).collect()
}

/// The largest component of any wave.
pub(super) fn size_of_waves(face: &FaceSolution<f64>) -> f64 {
    largest(face.waves.iter().flatten())
}

/// Numbers between −1 and 1.
pub(super) fn direction(len: usize, random: &mut Random) -> Vec<f64> {
    (0..len).map(|_| random.between(-1.0, 1.0)).collect()
}
