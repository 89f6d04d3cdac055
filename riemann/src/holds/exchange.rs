//! States and auxiliary values with x and y exchanged.

use crate::axis::Axis;
use crate::catalogue::SolverInfo;

/// Where each component goes when x and y change places.
pub struct Exchange {
    state: Vec<usize>,
    aux: Vec<usize>,
}

impl Exchange {
    /// Velocities at walls change places, face values along x and y, and components whose names tell the axes apart: `u`
    /// and `v`, `momentum_x` and `momentum_y`, `stress_11` and `stress_22`.
    pub fn new(info: &SolverInfo, aux_face: &[Option<Axis>]) -> Self {
        let mut state = by_names(info.equations);
        if let [Some(x), Some(y), _] = info.wall_normal {
            (state[x], state[y]) = (y, x);
        }
        let mut aux = by_names(info.aux);
        let faces = |axis| (0..aux_face.len()).filter(move |&a| aux_face[a] == Some(axis));
        for (x, y) in faces(Axis::X).zip(faces(Axis::Y)) {
            (aux[x], aux[y]) = (y, x);
        }
        Exchange { state, aux }
    }

    /// A state, or what is added to one, with x and y exchanged.
    pub fn state(&self, q: &[f64]) -> Vec<f64> {
        self.state.iter().map(|&m| q[m]).collect()
    }

    /// Auxiliary values with x and y exchanged.
    pub fn aux(&self, aux: &[f64]) -> Vec<f64> {
        self.aux.iter().map(|&a| aux[a]).collect()
    }
}

/// For each name the number of the one that differs from it in the most letters, all of them letters of axes; itself where
/// that is not mutual.
fn by_names(names: &[&str]) -> Vec<usize> {
    let best = |here: usize| {
        let others = (0..names.len()).filter_map(|other| Some((other, axis_letters(names[here], names[other])?)));
        others.filter(|&(_, letters)| letters > 0).max_by_key(|&(_, letters)| letters).map_or(here, |(other, _)| other)
    };
    (0..names.len()).map(|here| if best(best(here)) == here { best(here) } else { here }).collect()
}

/// In how many letters two names differ, if each of them tells one axis from the other.
fn axis_letters(a: &str, b: &str) -> Option<usize> {
    const PAIRS: [(char, char); 3] = [('x', 'y'), ('u', 'v'), ('1', '2')];
    if a.chars().count() != b.chars().count() {
        return None;
    }
    let different: Vec<_> = a.chars().zip(b.chars()).filter(|(a, b)| a != b).collect();
    let of_axes = |&(a, b): &(char, char)| PAIRS.contains(&(a, b)) || PAIRS.contains(&(b, a));
    different.iter().all(of_axes).then_some(different.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors and tensors change places, the shear stress and names that only look alike stay.
    #[test]
    fn components_are_paired_by_name() {
        assert_eq!(by_names(&["stress_xx", "stress_yy", "stress_xy", "u", "v"]), [1, 0, 2, 4, 3]);
        assert_eq!(by_names(&["pressure", "velocity_x", "velocity_y"]), [0, 2, 1]);
        assert_eq!(by_names(&["depth", "tracer"]), [0, 1]);
    }
}
