//! States and auxiliary values with two axes exchanged, or in a mirror.

use crate::axis::Axis;
use crate::catalogue::SolverInfo;
use crate::group::{Group, Wall};

/// Where each component comes from when two axes change places, and whether its sign changes.
pub struct Exchange {
    axes: [Axis; 2],
    state: Vec<(usize, bool)>,
    aux: Vec<(usize, bool)>,
}

impl Exchange {
    /// By the solver's declaration of vectors, tensors and pseudo-scalars; of the auxiliary values, those on faces change places.
    pub fn new(info: &SolverInfo, aux_face: &[Option<Axis>], axes: [Axis; 2]) -> Self {
        let declared = |groups: &[Group], count: usize| {
            let mut places: Vec<_> = (0..count).map(|m| (m, false)).collect();
            for group in groups {
                for (k, m) in group.components(info.dim).enumerate() {
                    let (from, negated) = group.exchanged(info.dim, k, axes);
                    places[m] = (group.first as usize + from, negated);
                }
            }
            places
        };
        let state = declared(info.groups, info.equations.len());
        let mut aux = declared(info.aux_groups, info.aux.len());
        let faces = |axis| (0..aux_face.len()).filter(move |&a| aux_face[a] == Some(axis));
        for (a, b) in faces(axes[0]).zip(faces(axes[1])) {
            (aux[a].0, aux[b].0) = (b, a);
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
        placed(&self.state, q)
    }

    /// Auxiliary values with the axes exchanged.
    pub fn aux(&self, aux: &[f64]) -> Vec<f64> {
        placed(&self.aux, aux)
    }
}

/// Values, each from the place given, with its sign changed where that says so.
fn placed(places: &[(usize, bool)], values: &[f64]) -> Vec<f64> {
    places.iter().map(|&(n, negated)| if negated { -values[n] } else { values[n] }).collect()
}

/// A mirror normal to an axis.
pub struct Mirror<'a> {
    /// The axis.
    pub axis: Axis,
    /// Components of the state that change their sign, and auxiliary values of cells.
    negated: [Vec<bool>; 2],
    aux_face: &'a [Option<Axis>],
    /// Values on faces normal to the axis change their sign, as velocities do.
    negates_faces: bool,
}

impl<'a> Mirror<'a> {
    /// By the solver's declaration. `negates_faces`: what lives on faces normal to the axis is a component of a vector.
    pub fn new(info: &SolverInfo, aux_face: &'a [Option<Axis>], axis: Axis, negates_faces: bool) -> Self {
        let declared = [(info.groups, info.equations.len()), (info.aux_groups, info.aux.len())];
        let negated = declared.map(|(groups, count)| {
            let mut negated = vec![false; count];
            for group in groups {
                for (k, m) in group.components(info.dim).enumerate() {
                    negated[m] = group.is_negated(info.dim, k, axis, Wall::Slip);
                }
            }
            negated
        });
        Mirror { axis, negated, aux_face, negates_faces }
    }

    /// A state's mirror image.
    pub fn state(&self, q: &[f64]) -> Vec<f64> {
        self.negated[0].iter().zip(q).map(|(&negated, &q)| if negated { -q } else { q }).collect()
    }

    /// The auxiliary values of a cell's mirror image. `face`: those of the cell whose lower face is the cell's upper one, from which what
    /// lives on that face is taken.
    pub fn aux(&self, cell: &[f64], face: &[f64]) -> Vec<f64> {
        let of = |a: usize| match self.aux_face.get(a).copied().flatten() {
            Some(axis) if axis == self.axis && self.negates_faces => -face[a],
            Some(axis) if axis == self.axis => face[a],
            _ if self.negated[1].get(a) == Some(&true) => -cell[a],
            _ => cell[a],
        };
        (0..cell.len()).map(of).collect()
    }
}
