//! Properties that every solver must have, checked on random admissible states along every axis.
//!
//! The states are made by [`crate::solver::Solver::admissible`], every other pair of them close together, so that weak waves
//! are tried as well. Each property reports the first face where it does not hold.

mod exchange;
mod mirror;
mod own_sides;
mod properties;
mod random;
mod sample;
mod second_order;
mod trial;

pub use random::Random;
pub use sample::{Cells, Sample};

use crate::axis::Axis;
use crate::catalogue::SolverInfo;
use crate::faces::Faces;
use exchange::{Exchange, Mirror};
use std::fmt;

/// Random faces per property and axis.
pub const FACES: usize = 2000;

/// The outcome of checking a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It holds at every face tried.
    Holds,
    /// It does not hold here.
    Fails(CounterExample),
    /// It does not hold here, as it need not in a right solver; what that means.
    Remark(CounterExample),
    /// The solver does not offer what the check needs.
    Unchecked(&'static str),
}

/// A face where a property does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterExample {
    /// Normal of the face.
    pub axis: Axis,
    /// The states on its two sides.
    pub q: [Vec<f64>; 2],
    /// The auxiliary values there.
    pub aux: [Vec<f64>; 2],
    /// What should be equal, and is not.
    pub what: String,
    /// Names of the states' components, and of the auxiliary values.
    pub names: [&'static [&'static str]; 2],
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = ["x", "y", "z"][self.axis.index()];
        writeln!(f, "at a face along {axis} between")?;
        for (side, q, aux) in [("ql", &self.q[0], &self.aux[0]), ("qr", &self.q[1], &self.aux[1])] {
            write!(f, "  {side}: {}", named(self.names[0], q))?;
            match aux.is_empty() {
                true => writeln!(f)?,
                false => writeln!(f, "; aux: {}", named(self.names[1], aux))?,
            }
        }
        write!(f, "  {}", self.what.replace('\n', "\n  "))
    }
}

/// Numbers with their names; without names, one after another.
fn named(names: &[&str], values: &[f64]) -> String {
    let number = |(k, value): (usize, &f64)| match names.get(k) {
        Some(name) => format!("{name} = {value:?}"),
        None => format!("{value:?}"),
    };
    values.iter().enumerate().map(number).collect::<Vec<_>>().join(", ")
}

/// A property and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The property, in a few words.
    pub property: &'static str,
    /// Its outcome.
    pub outcome: Outcome,
}

/// A solver to check.
pub struct Subject<'a> {
    /// Its description.
    pub info: &'a SolverInfo,
    /// Its evaluators.
    pub faces: &'a Faces,
    /// The faces that are tried.
    pub sample: Sample<'a>,
}

impl Subject<'_> {
    /// The axes that its dimension has.
    fn axes(&self) -> &'static [Axis] {
        &Axis::ALL[..self.info.dim]
    }

    /// The axes along a face with normal `axis`.
    fn across(&self, axis: Axis) -> impl Iterator<Item = Axis> + use<> {
        axis.transverse(self.info.dim)
    }

    /// False where the solver does not say which states there can be: then all numbers from −1 to 1 are tried.
    pub fn says_admissible(&self) -> bool {
        let unit: Vec<f64> = (0..self.info.equations.len()).map(|m| 0.17 + 0.05 * m as f64).collect();
        let any: Vec<f64> = unit.iter().map(|u| 2.0 * u - 1.0).collect();
        self.faces.double.admissible(&unit) != any
    }

    /// What is wrong at a face.
    fn example(&self, face: sample::Face, what: String) -> CounterExample {
        let names = [self.info.equations, self.info.aux];
        CounterExample { axis: face.axis, q: face.q, aux: face.aux, what, names }
    }

    /// Waves in a message, each on its own.
    fn waves(&self, waves: &[Vec<f64>]) -> String {
        let kind = if self.info.fwaves { "f-wave" } else { "wave" };
        let wave = |(w, wave): (usize, &Vec<f64>)| format!("{kind} {}: {}", w + 1, named(self.info.equations, wave));
        waves.iter().enumerate().map(wave).collect::<Vec<_>>().join("\n")
    }

    fn exchange(&self, axes: [Axis; 2]) -> Exchange {
        Exchange::new(self.info, &self.faces.aux_face, axes)
    }
}

/// Jumps beside a face with which solvers that look at them are checked: one of the size of the speeds, and one above all of them.
const BESIDE: [f64; 2] = [0.7, 1e3];

/// The outcome of a check; of a solver that looks at jumps beside faces also where there are some.
fn with_jumps_beside(subject: &Subject<'_>, check: properties::Check) -> Outcome {
    let alone = check(subject);
    if !subject.info.looks_beside || alone != Outcome::Holds {
        return alone;
    }
    let told = |steepest: f64| {
        let mut outcome = check(&Subject { faces: &Faces { beside: steepest, ..subject.faces.clone() }, ..*subject });
        if let Outcome::Fails(example) = &mut outcome {
            example.what += &format!("\nwhere `beside` is {steepest}");
        }
        outcome
    };
    BESIDE.into_iter().map(told).find(|outcome| matches!(outcome, Outcome::Fails(_))).unwrap_or(alone)
}

/// Checks all properties.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let of = |&(property, check)| Finding { property, outcome: with_jumps_beside(subject, check) };
    properties::of(subject).map(of).collect()
}

/// The first property of any solver that fails at a few faces of a problem: a solver without it must not run. `cells`: those of the problem.
/// `has_waves`: the scheme uses waves, and not fluctuations alone.
pub fn refuse(
    (info, faces): (&SolverInfo, &Faces),
    cells: &Cells,
    has_waves: bool,
) -> Option<(&'static str, CounterExample)> {
    let of = |sample| Subject { info, faces, sample };
    let of_cells = of(Sample::of_cells(cells));
    let admissible = of_cells.says_admissible().then(|| of(Sample::admissible(cells)));
    let failing = |subject: Subject<'_>| {
        properties::required(&subject, has_waves).find_map(|(property, check)| {
            match with_jumps_beside(&subject, check) {
                Outcome::Fails(example) => Some((property, example)),
                _ => None,
            }
        })
    };
    admissible.into_iter().chain([of_cells]).find_map(failing)
}

#[cfg(test)]
mod tests;
