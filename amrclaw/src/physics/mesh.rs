//! A problem on a mesh of cells of any shape.
//!
//! To what knows boxes only, the mesh is a row: cell `i` is cell `i` of a domain from 0 to the number of cells, one cell wide along the other axes.
//! Its map takes the row's centres to the cells' centroids, so that functions of position get these: of a mesh that moves, those at the time of the
//! values.

use super::{AroundFormulas, Boundary, BoundaryCell, BoundaryFunction, CellRow, Formulas, StateFunction};
use crate::mesh::{Domain, MapFunction, Mapping};
use riemann::axis::{Axis, Side};
use riemann::cells::{turn_of, turn_state};
use riemann::group::Group;
use std::ops::Range;
use std::sync::Arc;
use unstructured::Mesh;
use unstructured::adapt::{Forest, Leaves};
use unstructured::motion::MeshInTime;
use unstructured::step::{Boost, BoundaryFace, Gradient, Outside, Place, Scheme, Surroundings, Variables, mirror};

/// The mesh, what lies beyond its sides, and how steps are taken.
#[derive(Clone)]
pub struct OnMesh<const D: usize> {
    /// Order, stages, limiter.
    pub scheme: Scheme,
    /// What is interpolated to faces in place of states.
    pub variables: Option<Arc<FaceVariables<D>>>,
    /// The mesh and what lies beyond its sides.
    pub sides: Arc<MeshSides<D>>,
    /// The trees whose leaves the mesh's cells are, where they are refined.
    pub forest: Option<Arc<Forest>>,
    /// Formulas that flag these, in the order of the criterion's fields.
    pub marked_by: Arc<[AroundFormulas]>,
    /// Of a mesh that moves without curves: where nodes are, of where they were before and of time; and the leaves of the forest that its cells are, if one
    /// is divided.
    pub nodes: Option<(Arc<Formulas>, Option<Arc<Leaves>>)>,
}

impl<const D: usize> OnMesh<D> {
    /// Whether there are kernels that refine the mesh.
    pub fn is_refined_by_kernels(&self) -> bool {
        let is_still = self.forest.is_some() && !self.sides.in_time.moves();
        is_still && self.scheme.order > 1 && self.scheme.gradient == Gradient::LeastSquares
    }
}

/// The solver's primitive variables, which are interpolated to faces: functions of a cell's values alone.
pub struct FaceVariables<const D: usize> {
    /// Of the state.
    pub primitive: Arc<dyn StateFunction<D>>,
    /// The state, of these.
    pub conserved: Arc<dyn StateFunction<D>>,
}

impl<const D: usize> Variables for FaceVariables<D> {
    fn of_states(&self, len: usize, states: &[f64], aux: &[f64], variables: &mut [f64]) {
        let row = CellRow { len, ..CellRow::point([0.0; D], [1.0; D], 0.0) };
        self.primitive.fill_row(&row, states, aux, variables);
    }

    fn to_states(&self, len: usize, variables: &[f64], aux: &[f64], states: &mut [f64]) {
        let row = CellRow { len, ..CellRow::point([0.0; D], [1.0; D], 0.0) };
        self.conserved.fill_row(&row, variables, aux, states);
    }
}

/// The domain of a mesh as a row of cells.
pub fn row_of<const D: usize>(mesh: &Mesh) -> Domain<D> {
    let cells: [i32; D] = std::array::from_fn(|d| if d == 0 { mesh.num_cells() as i32 } else { 1 });
    Domain { lower: [0.0; D], upper: cells.map(f64::from), cells, repeats: [false; D].into() }
}

/// The map from the row to the cells' centroids.
pub fn centroids<const D: usize>(mesh: &Arc<MeshInTime>) -> Mapping<D> {
    let domain = row_of::<D>(&mesh.now());
    let cells = domain.cells;
    Mapping::new(Arc::new(Centroids(mesh.clone())), domain, cells)
}

struct Centroids(Arc<MeshInTime>);

impl<const D: usize> MapFunction<D> for Centroids {
    fn fill(&self, points: &[[f64; D]], positions: &mut [[f64; D]]) {
        let mesh = self.0.now();
        let last = mesh.num_cells() - 1;
        for (point, position) in points.iter().zip(positions) {
            let centroid = mesh.centroid[(point[0].max(0.0) as usize).min(last)];
            *position = std::array::from_fn(|d| centroid[d]);
        }
    }

    fn moves(&self) -> bool {
        self.0.moves()
    }
}

/// What lies beyond the mesh's sides.
pub struct MeshSides<const D: usize> {
    /// The mesh at the time of the values.
    pub in_time: Arc<MeshInTime>,
    groups: Vec<Group>,
    /// What walls that move add to a state.
    boost: Option<Boost>,
    /// Of each name of the mesh's sides.
    rules: Vec<Boundary<D>>,
}

impl<const D: usize> MeshSides<D> {
    /// `rules`: one for each name of the mesh's sides; walls, functions and extrapolation.
    pub fn new(
        in_time: Arc<MeshInTime>,
        (groups, boost): (Vec<Group>, Option<Boost>),
        rules: Vec<Boundary<D>>,
    ) -> Self {
        assert_eq!(rules.len(), in_time.still().boundary.names.len(), "a rule for each name");
        MeshSides { in_time, groups, boost, rules }
    }

    /// The mesh before it moves.
    pub fn mesh(&self) -> Arc<Mesh> {
        self.in_time.still()
    }

    /// What lies beyond the sides of each name.
    pub fn rules(&self) -> &[Boundary<D>] {
        &self.rules
    }

    /// True if a function says what lies beyond the sides of name number `name`.
    pub fn is_function(&self, name: usize) -> bool {
        matches!(self.rules[name], Boundary::User(_))
    }

    /// True if one says so beyond some side.
    pub fn has_functions(&self) -> bool {
        (0..self.rules.len()).any(|name| self.is_function(name))
    }

    /// The state's vectors and tensors.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// What walls that move add to a state.
    pub fn boost(&self) -> Option<&Boost> {
        self.boost.as_ref()
    }

    /// Where a function's state beyond a boundary face is wanted.
    pub fn position(mesh: &Mesh, number: usize, place: Place) -> [f64; D] {
        let face = mesh.first_boundary() + number;
        let (at, normal) = (mesh.faces.centre[face], mesh.faces.normal[face]);
        let from = mesh.centroid[mesh.faces.left[face] as usize];
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
    fn fill(&self, face: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]) {
        match &self.rules[face.mesh.boundary.name_of(face.number)] {
            Boundary::Wall(wall) => mirror(face, (&self.groups, self.boost.as_ref()), *wall, inside, outside),
            Boundary::User(_) if self.at_once(face.mesh.boundary.name_of(face.number)) => {
                outside.copy_from_slice(inside);
                let sides = Surroundings { mesh: face.mesh, outside: self, time: face.time, speeds: &[] };
                self.fill_all(&sides, face.place, face.number..face.number + 1, outside);
            }
            Boundary::User(function) => {
                let centre = Self::position(face.mesh, face.number, face.place);
                let cell = BoundaryCell { centre, time: face.time, axis: Axis::X, side: Side::Upper };
                if !function.asks_for_side() {
                    return function.fill(&cell, inside, outside);
                }
                let normal = face.mesh.faces.normal[face.mesh.first_boundary() + face.number];
                let (turn, mut seen) = (turn_of(D, normal), inside.to_vec());
                turn_state(D, &self.groups, turn, true, &mut seen);
                function.fill(&cell, &seen, outside);
                turn_state(D, &self.groups, turn, false, outside);
            }
            _ => outside.copy_from_slice(inside),
        }
    }

    /// Formulas are as fast face by face.
    fn at_once(&self, name: usize) -> bool {
        let is_one =
            |function: &Arc<dyn BoundaryFunction<D>>| function.asks_for_side() && function.by_block().is_some();
        matches!(&self.rules[name], Boundary::User(function) if is_one(function))
    }

    fn fill_all(&self, sides: &Surroundings<'_>, place: Place, faces: Range<usize>, states: &mut [f64]) {
        let (mesh, count) = (sides.mesh, faces.len());
        let name = mesh.boundary.name_of(faces.start);
        let Boundary::User(function) = &self.rules[name] else { unreachable!("it is found at once") };
        let function = function.by_block().unwrap_or_else(|| unreachable!("it is found at once"));
        let turn = |face: usize| turn_of(D, mesh.faces.normal[mesh.first_boundary() + face]);
        let len = states.len() / count;
        let mut values = vec![0.0; states.len()];
        for ((k, face), state) in faces.clone().enumerate().zip(states.chunks_exact_mut(len)) {
            turn_state(D, &self.groups, turn(face), true, state);
            state.iter().enumerate().for_each(|(m, value)| values[m * count + k] = *value);
        }
        let places: Vec<[f64; D]> = faces.clone().map(|face| Self::position(mesh, face, place)).collect();
        function.fill_side(&mesh.boundary.names[name], &places, sides.time, &mut values);
        for ((k, face), state) in faces.enumerate().zip(states.chunks_exact_mut(len)) {
            state.iter_mut().enumerate().for_each(|(m, value)| *value = values[m * count + k]);
            turn_state(D, &self.groups, turn(face), false, state);
        }
    }
}
