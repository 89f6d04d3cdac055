//! The frame of a face: the rotation of states to its normal and back, and what walls do to their components.

use super::no_face;
use crate::axis::Axis;
use crate::group::{Group, GroupKind, Wall, walls};
use crate::real::Real;

/// A property of a group's component at a wall: [`Group::doubles`], [`Group::is_negated`].
pub(super) type Marked = fn(Group, usize, usize, Axis, Wall) -> bool;

/// A face's frame and its length or area.
pub(crate) struct Frame<V> {
    /// Dimensions of the mesh, a constant at compile time.
    dim: usize,
    axis: Axis,
    /// In the plane the normal, in space the vector half way to it.
    turn: [V; 3],
    pub(super) size: V,
}

impl<V: Real> Frame<V> {
    /// A frame with the normal along x, from the normal or in space from the vector half way to it.
    #[inline(always)]
    pub(crate) fn along_x(dim: usize, turn: [V; 3], size: V) -> Self {
        Frame { dim, axis: Axis::X, turn, size }
    }

    /// The frame of a cell's lower face along `axis`; `own` auxiliary values come before those of the geometry.
    #[inline(always)]
    pub(super) fn new<const B: usize>(dim: usize, axis: Axis, own: usize, aux: &[V; B]) -> Self {
        let values = &aux[own + (dim + 1) * axis.index()..];
        let third = if dim == 3 { values[2] } else { V::zero() };
        Frame { dim, axis, turn: [values[0], values[1], third], size: values[dim] }
    }

    /// A vector in the frame, where the component along the axis is the one along the normal; or, out of the frame, back. In the plane
    /// the third component stays.
    #[inline(always)]
    fn turned(&self, into: bool, [a, b, c]: [V; 3]) -> [V; 3] {
        let [nx, ny, nz] = self.turn;
        if self.dim == 3 {
            // Half a turn is its own inverse.
            let part = a * nx + b * ny + c * nz;
            let twice = part + part;
            return [twice * nx - a, twice * ny - b, twice * nz - c];
        }
        match (into, self.axis) {
            (true, Axis::X) => [a * nx + b * ny, b * nx - a * ny, c],
            (true, _) => [a * ny - b * nx, a * nx + b * ny, c],
            (false, Axis::X) => [a * nx - b * ny, a * ny + b * nx, c],
            (false, _) => [b * nx + a * ny, b * ny - a * nx, c],
        }
    }

    /// The state with its vectors and tensors in the frame, or out of it. Of a tensor the rows are turned, then the columns.
    #[inline(always)]
    fn turn_state<const M: usize>(&self, into: bool, groups: &[Group], mut q: [V; M]) -> [V; M] {
        self.turn_values(into, groups, &mut q);
        q
    }

    /// The same in place.
    #[inline(always)]
    pub(crate) fn turn_values(&self, into: bool, groups: &[Group], q: &mut [V]) {
        let dim = self.dim;
        for group in groups {
            match group.kind {
                GroupKind::PseudoScalar | GroupKind::OutOfPlane => {}
                GroupKind::Vector | GroupKind::PseudoVector => {
                    let mut vector = [V::zero(); 3];
                    for d in 0..dim {
                        vector[d] = q[group.first as usize + d];
                    }
                    vector = self.turned(into, vector);
                    for d in 0..dim {
                        q[group.first as usize + d] = vector[d];
                    }
                }
                GroupKind::Tensor => {
                    let mut rows = [[V::zero(); 3]; 3];
                    for i in 0..dim {
                        for j in 0..dim {
                            rows[i][j] = q[group.of_tensor(dim, i, j)];
                        }
                        rows[i] = self.turned(into, rows[i]);
                    }
                    for j in 0..dim {
                        let column = self.turned(into, [rows[0][j], rows[1][j], rows[2][j]]);
                        for i in 0..=j {
                            q[group.of_tensor(dim, i, j)] = column[i];
                        }
                    }
                }
            }
        }
    }

    /// The state in the frame.
    #[inline(always)]
    pub(crate) fn enter<const M: usize>(&self, groups: &[Group], q: [V; M]) -> [V; M] {
        self.turn_state(true, groups, q)
    }

    /// The state back from the frame.
    #[inline(always)]
    pub(crate) fn leave<const M: usize>(&self, groups: &[Group], q: [V; M]) -> [V; M] {
        self.turn_state(false, groups, q)
    }

    /// Whether the cell is one of those behind such a wall, which have no such face.
    #[inline(always)]
    fn is_behind(&self, wall: Wall) -> V::Mask {
        let mark = no_face(wall);
        let flat = self.turn[0].equal(V::constant(mark[0])) & self.turn[1].equal(V::constant(mark[1]));
        if self.dim == 3 { flat & self.turn[2].equal(V::zero()) } else { flat }
    }

    /// What a wall does to the components of a state: those for which `is` holds.
    #[inline(always)]
    fn components<const M: usize>(&self, groups: &[Group], wall: Wall, is: Marked) -> [bool; M] {
        let mut marked = [false; M];
        for group in groups {
            for k in 0..group.len(self.dim) {
                marked[group.first as usize + k] = is(*group, self.dim, k, self.axis, wall);
            }
        }
        marked
    }

    /// A fluctuation that enters the face, in its frame, plus its image where the face is a wall's. `beyond`: the frame of the cell there.
    #[inline(always)]
    pub(super) fn mirrored<const M: usize>(&self, beyond: &Self, groups: &[Group], q: [V; M]) -> [V; M] {
        let mut all = q;
        for &wall in walls(groups) {
            let (behind, doubles) = (beyond.is_behind(wall), self.components::<M>(groups, wall, Group::doubles));
            for m in 0..M {
                all[m] = V::select(behind, if doubles[m] { q[m] + q[m] } else { V::zero() }, all[m]);
            }
        }
        all
    }

    /// The image in a wall of a state in the frame, or of a fluctuation that enters the wall's face.
    #[inline(always)]
    pub(super) fn image<const M: usize>(&self, beyond: &Self, groups: &[Group], q: [V; M], is_state: bool) -> [V; M] {
        let mut image = q;
        for &wall in walls(groups) {
            let behind = beyond.is_behind(wall);
            let (negated, doubles) = (
                self.components::<M>(groups, wall, Group::is_negated),
                self.components::<M>(groups, wall, Group::doubles),
            );
            for m in 0..M {
                let changes = if is_state { negated[m] } else { !doubles[m] };
                image[m] = V::select(behind, if changes { -q[m] } else { q[m] }, image[m]);
            }
        }
        image
    }

    /// Whether the cell is behind a wall.
    #[inline(always)]
    pub(super) fn is_behind_any(&self, groups: &[Group]) -> V::Mask {
        let mut behind = V::mask(false);
        for &wall in walls(groups) {
            behind = behind | self.is_behind(wall);
        }
        behind
    }

    /// A fluctuation rotated back and scaled.
    #[inline(always)]
    pub(super) fn leave_scaled<const M: usize>(&self, groups: &[Group], q: [V; M]) -> [V; M] {
        let mut q = self.leave(groups, q);
        for value in &mut q {
            *value = self.size * *value;
        }
        q
    }
}
