//! What lies beyond the sides of a mesh.

use crate::Mesh;
use std::ops::Range;

/// Where the state beyond a boundary face is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the face.
    Face,
    /// At the mirror image of the cell's centroid.
    Ghost,
}

/// A boundary face, beyond which a state is wanted.
#[derive(Clone, Copy)]
pub struct BoundaryFace<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its number among boundary faces.
    pub number: usize,
    /// Where the state is wanted.
    pub place: Place,
    /// When.
    pub time: f64,
    /// The face's speed along its normal.
    pub speed: f64,
}

/// What lies beyond the boundary.
pub trait Outside: Sync {
    /// The state beyond a boundary face, where `inside` is that on its inner side.
    fn fill(&self, face: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]);

    /// True if what lies beyond all faces of name number `name` is found at once, by [`Outside::fill_all`].
    fn at_once(&self, _name: usize) -> bool {
        false
    }

    /// Puts the states beyond boundary faces of one name in place of those on their inner sides, `[face, component]`.
    fn fill_all(&self, _sides: &Surroundings<'_>, _place: Place, _faces: Range<usize>, _states: &mut [f64]) {
        unreachable!("nothing is found at once")
    }
}

/// What lies beyond the sides of a mesh at a time.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Rules.
    pub outside: &'a dyn Outside,
    /// The time.
    pub time: f64,
    /// Speeds of boundary faces along their normals; empty where none moves.
    pub speeds: &'a [f64],
}

impl Surroundings<'_> {
    /// The state beyond a boundary face, by its number among these.
    pub fn fill(&self, number: usize, place: Place, inside: &[f64], outside: &mut [f64]) {
        let speed = self.speeds.get(number).copied().unwrap_or(0.0);
        self.outside.fill(&BoundaryFace { mesh: self.mesh, number, place, time: self.time, speed }, inside, outside);
    }
}
