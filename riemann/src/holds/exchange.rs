//! States and auxiliary values with two axes exchanged.

use crate::axis::Axis;
use crate::catalogue::SolverInfo;

/// Where each component goes when two axes change places.
pub struct Exchange {
    axes: [Axis; 2],
    state: Vec<usize>,
    aux: Vec<usize>,
}

impl Exchange {
    /// Velocities at walls change places, face values along them, and components whose names tell the axes apart: `u`
    /// and `v`, `momentum_x` and `momentum_y`, `stress_11` and `stress_22`.
    pub fn new(info: &SolverInfo, aux_face: &[Option<Axis>], axes: [Axis; 2]) -> Self {
        let mut state = by_names(info.equations, axes);
        if let [Some(a), Some(b)] = axes.map(|axis| info.wall_normal[axis.index()]) {
            (state[a], state[b]) = (b, a);
        }
        let mut aux = by_names(info.aux, axes);
        let faces = |axis| (0..aux_face.len()).filter(move |&a| aux_face[a] == Some(axis));
        for (a, b) in faces(axes[0]).zip(faces(axes[1])) {
            (aux[a], aux[b]) = (b, a);
        }
        Exchange { axes, state, aux }
    }

    /// The axis that an axis becomes.
    pub fn axis(&self, axis: Axis) -> Axis {
        match self.axes {
            [a, b] if axis == a => b,
            [a, b] if axis == b => a,
            _ => axis,
        }
    }

    /// A state, or what is added to one, with the axes exchanged.
    pub fn state(&self, q: &[f64]) -> Vec<f64> {
        self.state.iter().map(|&m| q[m]).collect()
    }

    /// Auxiliary values with the axes exchanged.
    pub fn aux(&self, aux: &[f64]) -> Vec<f64> {
        self.aux.iter().map(|&a| aux[a]).collect()
    }
}

/// For each name the number of the one that differs from it in the most letters, all of them letters of axes, or of the one that
/// names the exchanged component of a symmetric tensor; itself where that is not mutual.
fn by_names(names: &[&str], axes: [Axis; 2]) -> Vec<usize> {
    let best = |here: usize| {
        let others = (0..names.len()).filter_map(|other| Some((other, axis_letters(names[here], names[other], axes)?)));
        let direct = others.filter(|&(_, letters)| letters > 0).max_by_key(|&(_, letters)| letters);
        let symmetric = || names.iter().position(|name| Some(*name) == in_order(names[here], axes).as_deref());
        direct.map(|(other, _)| other).or_else(symmetric).unwrap_or(here)
    };
    (0..names.len()).map(|here| if best(best(here)) == here { best(here) } else { here }).collect()
}

/// A name that ends with two axes, such as `stress_xy`, with axes exchanged, the two in the other order: `stress_yz`, where `x` and
/// `z` change places.
fn in_order(name: &str, axes: [Axis; 2]) -> Option<String> {
    const LETTERS: [char; 3] = ['x', 'y', 'z'];
    let [a, b] = axes.map(|axis| LETTERS[axis.index()]);
    let exchanged = |c: char| {
        if c == a {
            b
        } else if c == b {
            a
        } else {
            c
        }
    };
    let (cut, _) = name.char_indices().rev().nth(1)?;
    let (first, last) = (name[cut..].chars().next()?, name.chars().next_back()?);
    let are_axes = LETTERS.contains(&first) && LETTERS.contains(&last);
    are_axes.then(|| format!("{}{}{}", &name[..cut], exchanged(last), exchanged(first)))
}

/// In how many letters two names differ, if each of them tells one of the axes from the other.
fn axis_letters(a: &str, b: &str, axes: [Axis; 2]) -> Option<usize> {
    const LETTERS: [[char; 3]; 3] = [['x', 'y', 'z'], ['u', 'v', 'w'], ['1', '2', '3']];
    let pairs = LETTERS.map(|letters| (letters[axes[0].index()], letters[axes[1].index()]));
    if a.chars().count() != b.chars().count() {
        return None;
    }
    let different: Vec<_> = a.chars().zip(b.chars()).filter(|(a, b)| a != b).collect();
    let of_axes = |&(a, b): &(char, char)| pairs.contains(&(a, b)) || pairs.contains(&(b, a));
    different.iter().all(of_axes).then_some(different.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors and tensors change places, the shear stress and names that only look alike stay.
    #[test]
    fn components_are_paired_by_name() {
        let plane = [Axis::X, Axis::Y];
        assert_eq!(by_names(&["stress_xx", "stress_yy", "stress_xy", "u", "v"], plane), [1, 0, 2, 4, 3]);
        assert_eq!(by_names(&["pressure", "velocity_x", "velocity_y"], plane), [0, 2, 1]);
        assert_eq!(by_names(&["depth", "tracer"], plane), [0, 1]);
        let space = ["pressure", "u", "v", "w", "spin_xy", "spin_yz", "spin_xz"];
        assert_eq!(by_names(&space, [Axis::Y, Axis::Z]), [0, 1, 3, 2, 6, 5, 4]);
        assert_eq!(by_names(&space, [Axis::X, Axis::Z]), [0, 3, 2, 1, 5, 4, 6]);
    }
}
