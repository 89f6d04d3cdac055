//! Which components change their sign beyond the sides of the domain.

use super::Boundary;
use riemann::axis::Axis;
use riemann::group::{Group, Wall};

/// For each component of the state a bit for each side that reflects it with its sign changed: bit `2 axis + side`.
///
/// Where a domain has fewer cells than ghost cells, values are reflected several times: [`crate::mesh::Origin`] tells which sides an odd
/// number of times.
#[derive(Clone, Debug)]
pub struct SideSigns(Vec<u8>);

impl SideSigns {
    /// The signs at these sides. `groups`: the solver's components that are not scalars.
    pub fn new<const D: usize>(sides: &[[Boundary<D>; 2]; D], groups: &[Group], num_eqn: usize) -> Self {
        let mut signs = vec![0; num_eqn];
        for (bit, side) in sides.as_flattened().iter().enumerate() {
            let Boundary::Wall(wall) = side else { continue };
            for group in groups {
                for (k, m) in group.components(D).enumerate() {
                    signs[m] |= u8::from(group.is_negated(D, k, Axis::ALL[bit / 2], *wall)) << bit;
                }
            }
        }
        SideSigns(signs)
    }

    /// Those of auxiliary values, which every wall mirrors as an image in a plane. `groups`: those that are not scalars.
    pub fn of_aux<const D: usize>(groups: &[Group], num_aux: usize) -> Self {
        Self::new::<D>(
            &std::array::from_fn(|_| [Boundary::Wall(Wall::Slip), Boundary::Wall(Wall::Slip)]),
            groups,
            num_aux,
        )
    }

    /// The bits of all components, for devices.
    pub fn bits(&self) -> &[u8] {
        &self.0
    }

    /// True if component `m` changes its sign after reflections at the sides `walls` along `axis`, a bit for each.
    pub fn is_negated(&self, m: usize, axis: Axis, walls: u8) -> bool {
        (self.0[m] >> (2 * axis.index()) & walls).count_ones() % 2 == 1
    }
}
