//! Which faces are tried.

use super::{FACES, Random, Subject};
use crate::axis::Axis;

/// A face to try.
pub(super) struct Face {
    pub(super) axis: Axis,
    pub(super) q: [Vec<f64>; 2],
    pub(super) aux: [Vec<f64>; 2],
}

/// The faces that are tried, and how closely their solutions are judged.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Faces along each axis.
    pub(super) faces: usize,
    /// Round-off, relative to the largest numbers.
    pub(super) round_off: f64,
    /// The share of the faces along an axis at which a property may fail.
    pub(super) tolerated: f64,
    /// Auxiliary values are those of these cells, the same on both sides: where they jump, fluctuations may contain a source.
    pub(super) aux: Option<&'a Cells>,
    /// States are those of these cells, and not what the solver calls admissible.
    pub(super) states: Option<&'a Cells>,
}

impl<'a> Sample<'a> {
    /// Many admissible states, all of which count.
    pub const FULL: Sample<'static> =
        Sample { faces: FACES, round_off: 1e-12, tolerated: 0.0, aux: None, states: None };

    /// So few states that it takes milliseconds, and only errors that round-off cannot explain.
    const BRIEF: Sample<'static> = Sample { faces: 100, round_off: 1e-8, ..Sample::FULL };

    /// A few states that the solver calls admissible, with the auxiliary values of a problem's cells.
    pub(super) fn admissible(cells: &'a Cells) -> Self {
        Sample { aux: Some(cells), ..Self::BRIEF }
    }

    /// A few pairs of a problem's cells. At the edge of what is admissible, as beside a dry bed, a right solver may do something else: the
    /// property may fail at a quarter of them.
    pub(super) fn of_cells(cells: &'a Cells) -> Self {
        Sample { tolerated: 0.25, aux: Some(cells), states: Some(cells), ..Self::BRIEF }
    }
}

/// Values of some cells of a problem.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The state and the auxiliary values of each.
    values: Vec<[Vec<f64>; 2]>,
    /// The least and the largest value of each component.
    ranges: Vec<[f64; 2]>,
}

impl Cells {
    /// Those of the cells, `[state, aux]`, whose values are finite; `None` if there is no such cell.
    pub fn new(mut values: Vec<[Vec<f64>; 2]>) -> Option<Self> {
        values.retain(|[q, aux]| q.iter().chain(aux).all(|x| x.is_finite()));
        let range = |m: usize| {
            let all = values.iter().map(move |[q, _]| q[m]);
            all.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], x| [x.min(least), x.max(most)])
        };
        let num_eqn = values.first()?[0].len();
        Some(Cells { ranges: (0..num_eqn).map(range).collect(), values })
    }

    fn any(&self, random: &mut Random) -> &[Vec<f64>; 2] {
        let at = random.between(0.0, self.values.len() as f64) as usize;
        &self.values[at.min(self.values.len() - 1)]
    }

    /// A cell's state, changed a little, so that all components jump; what is never negative in any cell stays so.
    fn state(&self, random: &mut Random) -> Vec<f64> {
        let size = |[least, most]: [f64; 2]| most.max(-least);
        let largest = self.ranges.iter().map(|&range| size(range)).fold(0.0, f64::max);
        let [state, _] = self.any(random).clone();
        let changed = |(&x, &[least, most]): (&f64, &[f64; 2])| {
            let change = 1e-3 * random.between(-1.0, 1.0);
            match size([least, most]) {
                _ if x != 0.0 => x * (1.0 + change),
                0.0 if largest == 0.0 => change,
                0.0 => largest * change,
                size if least < 0.0 && most > 0.0 => size * change,
                _ => (least + most) * change.abs(),
            }
        };
        state.iter().zip(&self.ranges).map(changed).collect()
    }
}

impl Subject<'_> {
    /// A random face of the sample. `alike`: with the same auxiliary values on both sides.
    pub(super) fn face(&self, axis: Axis, alike: bool, random: &mut Random) -> Face {
        let (num_eqn, num_aux, solver) = (self.info.equations.len(), self.info.aux.len(), &self.faces.double);
        let mut unit = |len: usize| -> Vec<f64> { (0..len).map(|_| random.between(0.0, 1.0)).collect() };
        let (here, far) = (unit(num_eqn), unit(num_eqn));
        // Near states are near in the numbers that they are made of, so that they are admissible too.
        let weight = if unit(1)[0] < 0.5 { 1.0 } else { 0.1 };
        let there = towards(&here, &far, weight);
        let mut aux = || match self.sample.aux {
            Some(cells) => cells.any(random)[1].clone(),
            None => {
                let unit: Vec<f64> = (0..num_aux).map(|_| random.between(0.0, 1.0)).collect();
                solver.admissible_aux(&unit)
            }
        };
        let lower = aux();
        let upper = if alike || self.sample.aux.is_some() { lower.clone() } else { aux() };
        let q = match self.sample.states {
            Some(cells) => [cells.state(random), cells.state(random)],
            None => [solver.admissible(&here), solver.admissible(&there)],
        };
        Face { axis, q, aux: [lower, upper] }
    }
}

/// The point that is `weight` of the way from `here` to `far`.
pub(super) fn towards(here: &[f64], far: &[f64], weight: f64) -> Vec<f64> {
    here.iter().zip(far).map(|(here, far)| here + weight * (far - here)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changed states jump in every component; depths stay positive, also in dry cells, and cells that are not finite are left out.
    #[test]
    fn cells_are_changed_a_little() {
        let dry = [vec![0.0, 0.0, 0.0], vec![]];
        let cells = Cells::new(vec![dry, [vec![2.0, 0.0, -1.0], vec![]], [vec![f64::NAN, 0.0, 0.0], vec![]]]).unwrap();
        assert_eq!(cells.values.len(), 2);
        let mut random = Random::new(1);
        for _ in 0..100 {
            let state = cells.state(&mut random);
            assert!(state[0] > 0.0 && state[0] < 2.01 && state[1].abs() <= 2e-3 && state[2] < 0.0, "{state:?}");
        }
        assert!(Cells::new(vec![[vec![f64::NAN], vec![]]]).is_none());
    }
}
