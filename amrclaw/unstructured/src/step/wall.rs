//! States beyond walls, which may move: a state is mirrored as it looks from the wall.

use super::{BoundaryFace, MOST_EQUATIONS};
use riemann::cells::turn_of;
use riemann::group::{Group, GroupKind, Wall};

/// What another velocity of the frame adds to a state: Galilei's transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boost {
    dim: usize,
    /// The first component of the velocity or the momentum.
    pub vector: usize,
    /// That of which momentum is the flow; without, the vector is the velocity.
    pub density: Option<usize>,
    /// The total energy.
    pub energy: Option<usize>,
}

impl Boost {
    /// Of states with one vector: either a velocity, or a momentum beside a `density` or `depth`; then `energy` is the total one.
    pub fn of(dim: usize, equations: &[impl AsRef<str>], groups: &[Group]) -> Option<Self> {
        let named = |names: &[&str]| equations.iter().position(|name| names.contains(&name.as_ref()));
        let mut vectors = groups.iter().filter(|group| group.kind == GroupKind::Vector);
        let vector = vectors.next().filter(|_| vectors.next().is_none())?.first as usize;
        let (name, density) = (equations[vector].as_ref(), named(&["density", "depth"]));
        let is_velocity = name == "u" || name.contains("velocity");
        match density {
            _ if is_velocity => Some(Boost { dim, vector, density: None, energy: None }),
            Some(_) if name.contains("momentum") => Some(Boost { dim, vector, density, energy: named(&["energy"]) }),
            _ => None,
        }
    }

    /// Adds a velocity.
    fn add(&self, velocity: [f64; 3], q: &mut [f64]) {
        let density = self.density.map_or(1.0, |at| q[at]);
        for (d, u) in velocity.into_iter().enumerate().take(self.dim) {
            let m = self.vector + d;
            if let Some(energy) = self.energy {
                q[energy] += u * (q[m] + 0.5 * density * u);
            }
            q[m] += density * u;
        }
    }
}

/// The image of a state beyond a wall. `boost`: for walls that move.
pub fn mirror(
    face: &BoundaryFace<'_>,
    (groups, boost): (&[Group], Option<&Boost>),
    wall: Wall,
    inside: &[f64],
    outside: &mut [f64],
) {
    let (mesh, mut seen) = (face.mesh, [0.0; MOST_EQUATIONS]);
    let normal = mesh.faces.normal[mesh.first_boundary() + face.number];
    let seen = &mut seen[..inside.len()];
    seen.copy_from_slice(inside);
    let boost = boost.filter(|_| face.speed != 0.0);
    if let Some(boost) = boost {
        boost.add(normal.map(|n| -face.speed * n), seen);
    }
    riemann::cells::mirror(mesh.dim, groups, turn_of(mesh.dim, normal), wall, seen, outside);
    if let Some(boost) = boost {
        boost.add(normal.map(|n| face.speed * n), outside);
    }
}
