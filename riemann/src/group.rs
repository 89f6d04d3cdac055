//! What mirrors, sides and rotations do to the components of a state.
//!
//! A solver declares its vectors, tensors and pseudo-scalars once; every other component is a scalar. Walls, the exchange of axes, the
//! frames of mapped faces and the checks of solvers follow from this declaration.

use crate::axis::Axis;

/// How the components of a group change under mirrors and rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum GroupKind {
    /// One component that every mirror negates, such as the vorticity in the plane.
    PseudoScalar,
    /// One component along each axis. A mirror negates the one normal to it.
    Vector,
    /// Likewise, but a mirror negates those along it: a magnetic field, an angular momentum.
    PseudoVector,
    /// A symmetric tensor: the diagonal, then `xy`, `xz`, `yz`. A mirror negates components with one index normal to it.
    Tensor,
    /// A vector's one component beyond the last axis. No mirror changes it.
    OutOfPlane,
}

/// Neighbouring components of a state that change together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Group {
    /// How they change.
    pub kind: GroupKind,
    /// The first of them.
    pub first: u32,
}

/// What is beyond a side of the domain that reflects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wall {
    /// The mirror image: nothing passes, and nothing holds what moves along the side.
    Slip,
    /// Vectors are reversed as a whole, so that they vanish at the side; tensors are mirrored without change.
    Clamped,
    /// Components of tensors with an index along the normal are reversed, so that there is no traction; vectors are mirrored without change.
    Free,
}

impl GroupKind {
    /// All there are.
    pub const ALL: [GroupKind; 5] =
        [GroupKind::PseudoScalar, GroupKind::Vector, GroupKind::PseudoVector, GroupKind::Tensor, GroupKind::OutOfPlane];

    /// Number of components in `dim` dimensions.
    #[inline(always)]
    pub const fn len(self, dim: usize) -> usize {
        match self {
            GroupKind::PseudoScalar | GroupKind::OutOfPlane => 1,
            GroupKind::Vector | GroupKind::PseudoVector => dim,
            GroupKind::Tensor => dim * (dim + 1) / 2,
        }
    }

    /// True if a mirror changes the sign once more than its indices say.
    #[inline(always)]
    pub const fn is_pseudo(self) -> bool {
        matches!(self, GroupKind::PseudoScalar | GroupKind::PseudoVector)
    }

    /// How many indices of component `k` are `axis`.
    #[inline(always)]
    const fn indices_along(self, dim: usize, k: usize, axis: usize) -> usize {
        match self {
            GroupKind::PseudoScalar | GroupKind::OutOfPlane => 0,
            GroupKind::Tensor if k < dim => 2 * (k == axis) as usize,
            GroupKind::Tensor => (axis != GroupKind::index_left_out(dim, k)) as usize,
            GroupKind::Vector | GroupKind::PseudoVector => (k == axis) as usize,
        }
    }

    /// The one index of three that a tensor's component `k` off the diagonal does not have: `xy`, `xz`, `yz` follow the diagonal.
    #[inline(always)]
    const fn index_left_out(dim: usize, k: usize) -> usize {
        2 + dim - k
    }
}

impl Group {
    /// Number of components in `dim` dimensions.
    #[inline(always)]
    pub const fn len(self, dim: usize) -> usize {
        self.kind.len(dim)
    }

    /// The components of a state that belong to the group.
    #[inline(always)]
    pub const fn components(self, dim: usize) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.len(dim)
    }

    /// The component of a tensor with indices `i` and `j`.
    #[inline(always)]
    pub const fn of_tensor(self, dim: usize, i: usize, j: usize) -> usize {
        self.first as usize + if i == j { i } else { dim + i + j - 1 }
    }

    /// True if component `k` of the group changes its sign beyond a side normal to `axis`.
    #[inline(always)]
    pub const fn is_negated(self, dim: usize, k: usize, axis: Axis, wall: Wall) -> bool {
        let along = self.kind.indices_along(dim, k, axis.index());
        match (self.kind, wall) {
            (GroupKind::Vector | GroupKind::OutOfPlane, Wall::Clamped) => true,
            (GroupKind::Tensor, Wall::Clamped) | (GroupKind::Vector, Wall::Free) => false,
            (GroupKind::Tensor, Wall::Free) => along > 0,
            _ => (along % 2 == 1) != self.kind.is_pseudo(),
        }
    }

    /// What a fluctuation that has entered a wall's face and its image beyond the wall add up to: true if component `k` doubles, false if it
    /// vanishes. `axis`: along the face's normal.
    #[inline(always)]
    pub const fn doubles(self, dim: usize, k: usize, axis: Axis, wall: Wall) -> bool {
        match (self.kind, wall) {
            // A wave to a free side has stress along the side in proportion to that across it, which the side takes away.
            (GroupKind::Tensor, Wall::Free) => true,
            _ => self.is_negated(dim, k, axis, wall),
        }
    }

    /// The component of the group that takes the place of component `k` where two axes are exchanged, and whether it then changes its sign.
    pub fn exchanged(self, dim: usize, k: usize, axes: [Axis; 2]) -> (usize, bool) {
        let [a, b] = axes.map(Axis::index);
        let other = |axis: usize| match axis {
            _ if axis == a => b,
            _ if axis == b => a,
            _ => axis,
        };
        let from = match self.kind {
            GroupKind::PseudoScalar | GroupKind::OutOfPlane => k,
            GroupKind::Tensor if k >= dim => 2 + dim - other(GroupKind::index_left_out(dim, k)),
            _ => other(k),
        };
        (from, self.kind.is_pseudo())
    }
}

/// What sides that reflect can be: where there are vectors and tensors, as in solids, [`Wall::Clamped`] and [`Wall::Free`] too.
pub const fn walls(groups: &[Group]) -> &'static [Wall] {
    let (mut vector, mut tensor, mut n) = (false, false, 0);
    while n < groups.len() {
        vector |= matches!(groups[n].kind, GroupKind::Vector);
        tensor |= matches!(groups[n].kind, GroupKind::Tensor);
        n += 1;
    }
    if vector && tensor { &[Wall::Slip, Wall::Clamped, Wall::Free] } else { &[Wall::Slip] }
}

/// True if components change their sign at mirrors normal to `axis`: a solver without can have no walls there.
pub fn reflects(groups: &[Group], dim: usize, axis: Axis) -> bool {
    groups.iter().any(|group| (0..group.len(dim)).any(|k| group.is_negated(dim, k, axis, Wall::Slip)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Wall::{Clamped, Free, Slip};

    /// The signs of a group's components beyond a side, `-` where they change.
    fn signs(kind: GroupKind, dim: usize, axis: usize, wall: Wall) -> String {
        let sign = |k| if (Group { kind, first: 0 }).is_negated(dim, k, Axis::ALL[axis], wall) { '-' } else { '+' };
        (0..kind.len(dim)).map(sign).collect()
    }

    /// The table of signs in two and three dimensions, from the definitions: a tensor is `xx yy xy`, in space `xx yy zz xy xz yz`.
    #[test]
    fn sides_negate_what_they_should() {
        use GroupKind::{OutOfPlane, PseudoScalar, PseudoVector, Tensor, Vector};
        for (kind, dim, wall, expected) in [
            (Vector, 1, Slip, &["-"][..]),
            (Vector, 2, Slip, &["-+", "+-"]),
            (Vector, 3, Slip, &["-++", "+-+", "++-"]),
            (PseudoVector, 2, Slip, &["+-", "-+"]),
            (PseudoVector, 3, Slip, &["+--", "-+-", "--+"]),
            (PseudoScalar, 2, Slip, &["-", "-"]),
            (Tensor, 1, Slip, &["+"]),
            (Tensor, 2, Slip, &["++-", "++-"]),
            (Tensor, 3, Slip, &["+++--+", "+++-+-", "++++--"]),
            (Vector, 2, Clamped, &["--", "--"]),
            (OutOfPlane, 2, Slip, &["+", "+"]),
            (OutOfPlane, 1, Clamped, &["-"]),
            (OutOfPlane, 2, Free, &["+", "+"]),
            (Tensor, 2, Clamped, &["+++", "+++"]),
            (Vector, 2, Free, &["++", "++"]),
            (Tensor, 1, Free, &["-"]),
            (Tensor, 2, Free, &["-+-", "+--"]),
            (Tensor, 3, Free, &["-++--+", "+-+-+-", "++-+--"]),
        ] {
            for (axis, expected) in expected.iter().enumerate() {
                assert_eq!(signs(kind, dim, axis, wall), *expected, "{kind:?} in {dim}D, {wall:?} across {axis}");
            }
        }
    }

    /// Exchanging two axes twice is nothing, and a tensor's components go where their indices do.
    #[test]
    fn exchanges_follow_the_indices() {
        for dim in 2..=3 {
            for &axes in Axis::pairs(dim) {
                for kind in GroupKind::ALL {
                    let group = Group { kind, first: 0 };
                    for k in 0..group.len(dim) {
                        let (there, _) = group.exchanged(dim, k, axes);
                        assert_eq!(group.exchanged(dim, there, axes).0, k, "{kind:?}, {axes:?}");
                    }
                }
                let [a, b] = axes.map(Axis::index);
                let swap = |i| [a, b].into_iter().find(|_| i == a || i == b).map_or(i, |_| a + b - i);
                let tensor = Group { kind: GroupKind::Tensor, first: 0 };
                for (i, j) in (0..dim).flat_map(|i| (0..dim).map(move |j| (i, j))) {
                    let there = tensor.exchanged(dim, tensor.of_tensor(dim, i, j), axes).0;
                    assert_eq!(there, tensor.of_tensor(dim, swap(i), swap(j)), "{i}, {j}, {axes:?}");
                }
            }
        }
    }
}
