//! A problem on a mesh of cells of any shape.
//!
//! To what knows boxes only, the mesh is a row: cell `i` is cell `i` of a domain from 0 to the number of cells, one cell wide along the other axes.
//! Its map takes the row's centres to the cells' centroids, so that functions of position get these.

use super::{Boundary, BoundaryCell};
use crate::mesh::{Domain, MapFunction, Mapping};
use riemann::axis::{Axis, Side};
use riemann::cells::{mirror, turn_of};
use riemann::group::Group;
use std::sync::Arc;
use unstructured::Mesh;
use unstructured::step::{Outside, Place, Scheme};

/// The mesh, what lies beyond its sides, and how steps are taken.
#[derive(Clone)]
pub struct OnMesh<const D: usize> {
    /// Order, stages, limiter.
    pub scheme: Scheme,
    /// The mesh and what lies beyond its sides.
    pub sides: Arc<MeshSides<D>>,
}

/// The domain of a mesh as a row of cells.
pub fn row_of<const D: usize>(mesh: &Mesh) -> Domain<D> {
    let cells: [i32; D] = std::array::from_fn(|d| if d == 0 { mesh.num_cells() as i32 } else { 1 });
    Domain { lower: [0.0; D], upper: cells.map(f64::from), cells, periodic: [false; D] }
}

/// The map from the row to the cells' centroids.
pub fn centroids<const D: usize>(mesh: &Arc<Mesh>) -> Mapping<D> {
    let domain = row_of::<D>(mesh);
    let cells = domain.cells;
    Mapping::new(Arc::new(Centroids(mesh.clone())), domain, cells)
}

struct Centroids(Arc<Mesh>);

impl<const D: usize> MapFunction<D> for Centroids {
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]) {
        let last = self.0.num_cells() - 1;
        for (point, position) in points.iter().zip(positions) {
            let centroid = self.0.centroid[(point[0].max(0.0) as usize).min(last)];
            *position = std::array::from_fn(|d| centroid[d]);
        }
    }
}

/// What lies beyond the mesh's sides.
pub struct MeshSides<const D: usize> {
    /// The mesh.
    pub mesh: Arc<Mesh>,
    groups: Vec<Group>,
    /// Of each name of the mesh's sides.
    rules: Vec<Boundary<D>>,
    /// Of each boundary face the number of its name.
    name_of: Vec<u32>,
}

impl<const D: usize> MeshSides<D> {
    /// `rules`: one for each name of the mesh's sides; walls, functions and extrapolation.
    pub fn new(mesh: Arc<Mesh>, groups: Vec<Group>, rules: Vec<Boundary<D>>) -> Self {
        assert_eq!(rules.len(), mesh.boundary.names.len(), "a rule for each name");
        let faces = |name: usize| mesh.boundary.of_name(name).map(move |_| name as u32);
        let name_of = (0..rules.len()).flat_map(faces).collect();
        MeshSides { mesh, groups, rules, name_of }
    }

    /// What lies beyond the sides of each name.
    pub fn rules(&self) -> &[Boundary<D>] {
        &self.rules
    }

    /// Of each boundary face the number of its name.
    pub fn name_of(&self) -> &[u32] {
        &self.name_of
    }

    /// The state's vectors and tensors.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Where a function's state beyond a boundary face is wanted.
    pub fn position(&self, number: usize, place: Place) -> [f64; D] {
        let face = self.mesh.first_boundary() + number;
        let (at, normal) = (self.mesh.faces.centre[face], self.mesh.faces.normal[face]);
        let from = self.mesh.centroid[self.mesh.faces.left[face] as usize];
        let distance: f64 = (0..D).map(|d| (at[d] - from[d]) * normal[d]).sum();
        std::array::from_fn(|d| match place {
            Place::Face => at[d],
            Place::Ghost => from[d] + 2.0 * distance * normal[d],
        })
    }

    /// True if what lies beyond a side changes with time.
    pub fn depend_on_time(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule, Boundary::User(function) if function.depends_on_time()))
    }
}

impl<const D: usize> Outside for MeshSides<D> {
    fn fill(&self, number: usize, place: Place, time: f64, inside: &[f64], outside: &mut [f64]) {
        let face = self.mesh.first_boundary() + number;
        match &self.rules[self.name_of[number] as usize] {
            Boundary::Wall(wall) => {
                mirror(D, &self.groups, turn_of(D, self.mesh.faces.normal[face]), *wall, inside, outside);
            }
            Boundary::User(function) => {
                // The axis and the side of a box, which formulas do not ask for.
                let cell =
                    BoundaryCell { centre: self.position(number, place), time, axis: Axis::X, side: Side::Upper };
                function.fill(&cell, inside, outside);
            }
            _ => outside.copy_from_slice(inside),
        }
    }
}
