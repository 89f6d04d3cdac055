//! What is solved: everything that the user specifies besides the Riemann solver.

use super::{
    BoundaryBlockFunction, CachedCellFunction, CellFunction, CellRow, DeviceForm, MappedWall, OnMesh,
    ReducedParameters, SourceCentres, StateBlockFunction, centroids,
};
use crate::index::CellIndex;
use crate::mesh::{Beyond, Domain, Geometry};
use crate::text::choices;
use riemann::axis::{Axis, Side};
use riemann::group::Wall;
use riemann::patch::Scheme;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What happens at one side of the domain.
#[derive(Clone)]
pub enum Boundary<const D: usize> {
    /// Ghost cells take the nearest interior cell's state: waves leave.
    Extrapolate,
    /// Ghost cells mirror the interior, with signs changed as the wall's kind and the solver's vectors and tensors say.
    Wall(Wall),
    /// A solid wall on a mapped grid: ghost cells mirror the interior, vectors and tensors reflected about the normals of the side's own faces.
    MappedWall(MappedWall),
    /// The domain repeats.
    Periodic,
    /// Ghost cells are the user's.
    User(Arc<dyn BoundaryFunction<D>>),
}

impl<const D: usize> Boundary<D> {
    /// What lies beyond the side. At a user's side this is the mirror image, which the user's function then replaces.
    pub fn beyond(&self) -> Beyond {
        match self {
            Boundary::Extrapolate => Beyond::Nearest,
            Boundary::Wall(_) => Beyond::Wall,
            Boundary::Periodic => Beyond::Periodic,
            Boundary::MappedWall(_) | Boundary::User(_) => Beyond::Mirrored,
        }
    }

    /// As [`Boundary::beyond`] for auxiliary values, which are mirrored only at walls. `open`: what lies beyond sides that are neither
    /// walls nor periodic.
    pub fn beyond_of_aux(&self, open: AuxOutside) -> Beyond {
        match (self, open) {
            (Boundary::Wall(_) | Boundary::Periodic, _) => self.beyond(),
            (_, AuxOutside::Nearest) => Beyond::Nearest,
            (_, AuxOutside::Position) => Beyond::Itself,
        }
    }
}

/// A ghost cell outside the domain.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryCell<const D: usize> {
    /// Centre of the ghost cell.
    pub centre: [f64; D],
    /// Time.
    pub time: f64,
    /// Normal of the domain's side.
    pub axis: Axis,
    /// Which side.
    pub side: Side,
}

/// Ghost values that the user provides.
pub trait BoundaryFunction<const D: usize>: Send + Sync {
    /// Fills the ghost cell's state from that of its mirror image in the domain.
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]);

    /// False if the values certainly do not change with time by themselves.
    fn depends_on_time(&self) -> bool {
        true
    }

    /// True if the values depend on the side. At a mesh from a file such a function sees states in the face's frame, as at the upper side along x.
    fn asks_for_side(&self) -> bool {
        true
    }

    /// The same function over boxes, if it prefers to be called so.
    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<D>> {
        None
    }

    /// The same function in a form that a device can compute, if there is one; its `Quantity::Value` is the mirror image's state.
    fn device_form(&self) -> Option<DeviceForm> {
        None
    }
}

/// Values per cell as a function of position, time and state: flags, source terms.
pub trait StateFunction<const D: usize>: Send + Sync {
    /// Number of values per cell.
    fn num_values(&self) -> usize;

    /// Fills `out[value * row.len + cell]` from `state[equation * row.len + cell]` and `aux[value * row.len + cell]`.
    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]);

    /// False if the values certainly do not change with time by themselves.
    fn depends_on_time(&self) -> bool {
        true
    }

    /// The same function in two steps, if that saves work when it is called for the same cells again: for sources.
    fn in_steps(&self) -> Option<&dyn CachedCellFunction<D>> {
        None
    }

    /// Its derivatives by the state, `[value, by]`, if they are known: for sources.
    fn jacobian(&self) -> Option<&dyn StateFunction<D>> {
        None
    }

    /// What a step of this source term gives, if it is to be integrated by steps of its own: for sources. Its device form is then that of
    /// the new state.
    fn implicit(&self) -> Option<&dyn SourceStep<D>> {
        None
    }

    /// The same function over boxes, if it prefers to be called so: for flags and extremes.
    fn by_block(&self) -> Option<&dyn StateBlockFunction<D>> {
        None
    }

    /// The same function in a form that a device can compute, if there is one.
    fn device_form(&self) -> Option<DeviceForm> {
        None
    }
}

/// A step of a source term.
pub trait SourceStep<const D: usize>: Send + Sync {
    /// Fills `out[equation * row.len + cell]` with the state after `dt`. `values`: `state[equation * row.len + cell]` and
    /// `aux[value * row.len + cell]` at the row's time.
    fn fill_row(&self, row: &CellRow<D>, dt: f64, values: [&[f64]; 2], out: &mut [f64]);
}

/// Which cells to refine.
#[derive(Clone)]
pub enum Criterion<const D: usize> {
    /// Cells where any component's central difference `|q_{i+1} − q_{i−1}|` along any axis is above the tolerance.
    Difference {
        /// The tolerance.
        tolerance: f64,
    },
    /// Cells where Richardson's estimate of the error of a step is at or above the tolerance.
    Richardson {
        /// The tolerance.
        tolerance: f64,
        /// In its place: cells where this function of the estimates of all components is not zero.
        of_estimate: Option<Arc<dyn StateFunction<D>>>,
    },
    /// Cells where the user's function is not zero.
    User(Arc<dyn StateFunction<D>>),
}

/// What a program or a solver gives in place of `"user"` entries of a case.
#[derive(Clone, Default)]
pub struct UserFunctions<const D: usize> {
    /// Initial data.
    pub initial: Option<Arc<dyn CellFunction<D>>>,
    /// Auxiliary values.
    pub aux: Option<Arc<dyn CellFunction<D>>>,
    /// Refinement criterion.
    pub flag: Option<Arc<dyn StateFunction<D>>>,
    /// Boundary values.
    pub boundary: Option<Arc<dyn BoundaryFunction<D>>>,
    /// Source term dq/dt; it acts by Godunov's splitting unless the case chooses another.
    pub source: Option<Arc<dyn StateFunction<D>>>,
}

impl<const D: usize> UserFunctions<D> {
    /// These functions, and where one is missing that of `other`.
    pub fn or(self, other: Self) -> Self {
        UserFunctions {
            initial: self.initial.or(other.initial),
            aux: self.aux.or(other.aux),
            flag: self.flag.or(other.flag),
            boundary: self.boundary.or(other.boundary),
            source: self.source.or(other.source),
        }
    }
}

/// The user's functions for cases of any number of dimensions, where it is not known yet.
#[derive(Clone, Default)]
pub struct AnyUserFunctions {
    /// In one dimension.
    pub one: UserFunctions<1>,
    /// In two.
    pub two: UserFunctions<2>,
    /// In three.
    pub three: UserFunctions<3>,
}

impl AnyUserFunctions {
    /// Those for `D` dimensions.
    pub fn of<const D: usize>(&self) -> UserFunctions<D> {
        let all: [&dyn Any; 3] = [&self.one, &self.two, &self.three];
        all.into_iter().find_map(|functions| functions.downcast_ref()).cloned().unwrap_or_default()
    }
}

impl fmt::Debug for AnyUserFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyUserFunctions").finish_non_exhaustive()
    }
}

choices! {
    /// Auxiliary values of cells outside the domain, beyond sides that are neither walls nor periodic.
    AuxOutside {
        /// Those of the nearest cell: outgoing waves meet no new interface.
        Nearest = "nearest",
        /// Those of the cell's own position: the function is evaluated there as inside.
        Position = "position",
    }
    /// How the axes are swept.
    Split {
        /// All at once, with transverse waves.
        Unsplit = "unsplit",
        /// One after the other, each for the whole step.
        Godunov = "godunov",
        /// Half a step along the first axes, a whole one along the last, half a step back.
        Strang = "strang",
    }
    /// How a source term is split from the hyperbolic step.
    SourceSplit {
        /// Not at all.
        None = "none",
        /// For the whole step after the waves.
        Godunov = "godunov",
        /// For half a step before the waves, and half a step after them.
        Strang = "strang",
    }
    /// How a source term given by rates of change is integrated.
    #[derive(Default)]
    SourceMethod {
        /// By the midpoint rule.
        #[default]
        Explicit = "explicit",
        /// By a linearly implicit step.
        Implicit = "implicit",
    }
}

impl Split {
    /// Cells that a sweep along some axes reads beyond those that it updates, along each axis. `looks_beside`: as of [`Problem::looks_beside`].
    pub fn reach(axes: [bool; 3], looks_beside: bool) -> [i32; 3] {
        axes.map(|swept| if swept { 2 } else { i32::from(looks_beside) })
    }

    /// The sweeps of a step in `D` dimensions: their axes, and the part of the step that each takes.
    pub fn sweeps<const D: usize>(self) -> Vec<([bool; 3], f64)> {
        let single = |axis: usize, fraction: f64| (std::array::from_fn(|d| d == axis), fraction);
        match self {
            Split::Unsplit => vec![(std::array::from_fn(|d| d < D), 1.0)],
            Split::Godunov => (0..D).map(|d| single(d, 1.0)).collect(),
            Split::Strang => {
                let halves = (0..D - 1).map(|d| single(d, 0.5));
                halves.clone().chain([single(D - 1, 1.0)]).chain(halves.rev()).collect()
            }
        }
    }
}

/// A problem on a domain, without its Riemann solver.
#[derive(Clone)]
pub struct Problem<const D: usize> {
    /// The domain.
    pub domain: Domain<D>,
    /// Both sides along each axis.
    pub boundary: [[Boundary<D>; 2]; D],
    /// State at the start.
    pub initial: Arc<dyn CellFunction<D>>,
    /// Auxiliary values, if the solver has any.
    pub aux: Option<Arc<dyn CellFunction<D>>>,
    /// Auxiliary values that must be positive: those that the solver names, and the capacity.
    pub positive_aux: Vec<usize>,
    /// Auxiliary values of cells beyond open sides.
    pub aux_outside: AuxOutside,
    /// dq/dt of a source term, besides the solver's own.
    pub source: Option<Arc<dyn StateFunction<D>>>,
    /// On a mapped grid: the positions that the solver's own source gets, if it has one.
    pub own_source_at: Option<SourceCentres<D>>,
    /// Which cells to refine.
    pub criterion: Criterion<D>,
    /// Values of cells whose largest ones over the whole solution are asked for between steps.
    pub extremes: Option<Arc<dyn StateFunction<D>>>,
    /// Order, transverse waves, limiters, capacity.
    pub scheme: Scheme,
    /// Courant number that steps are to have.
    pub cfl_desired: f64,
    /// How the axes are swept.
    pub split: Split,
    /// The solver looks at the jumps beside faces: sweeps then read a cell on either side along the axes that they do not sweep.
    pub looks_beside: bool,
    /// How source terms are split from the hyperbolic step.
    pub source_split: SourceSplit,
    /// Keep conserved quantities' totals across level interfaces.
    pub conservation_fix: bool,
    /// Parameters of the solver that change from step to step, if any do. Formulas share their values.
    pub reduced: Option<Arc<ReducedParameters>>,
    /// The mesh, where cells have any shape.
    pub on_mesh: Option<OnMesh<D>>,
}

impl<const D: usize> Problem<D> {
    /// Ghost cells that a patch needs: two for one step of the scheme; more where several sweeps or steps follow one another
    /// without filling ghost cells between them, in Strang splitting and in Richardson's estimate.
    pub fn num_ghost(&self) -> i32 {
        if self.on_mesh.is_some() {
            return 0;
        }
        let sweeps = self.split.sweeps::<D>();
        let read = |d: usize| sweeps.iter().map(|&(axes, _)| Split::reach(axes, self.looks_beside)[d]).sum::<i32>();
        let of_step = (0..D).map(read).max().unwrap_or(0);
        of_step.max(match (self.split, &self.criterion) {
            // Two steps on the level and one on the level coarsened by two, whose edge may lie half a cell outside.
            (_, Criterion::Richardson { .. }) => 6,
            (Split::Strang, _) => 4,
            _ => 2,
        })
    }

    /// The centre of a cell, for messages: on a mesh from a file its centroid, else computational.
    pub fn centre(&self, geometry: &Geometry<D>, cell: CellIndex<D>) -> [f64; D] {
        match &self.on_mesh {
            Some(on_mesh) => centroids(&on_mesh.sides.in_time).position(geometry.centre(cell)),
            None => geometry.centre(cell),
        }
    }

    /// From now on corrections that would make states inadmissible are left out, or not: see `riemann::patch::admissible`.
    pub fn keep_admissible(&mut self, on: bool) {
        self.scheme.sharing_faces = match self.split {
            _ if !on => 0,
            Split::Unsplit => 2 * D as u8,
            split => 4 * split.sweeps::<D>().len() as u8,
        };
    }

    /// The speed up to which a step of `dt` leaves cells of size `dx` that are kept nonnegative: with it a cell would have the desired Courant number in
    /// another such step; on a mapped mesh, where [its width](riemann::solver::Solver::width) multiplies it, half of it, as waves enter cells that may be
    /// half as wide. 0, which bounds nothing, before the first step, and where the mesh's coordinates need not be those of velocities.
    pub fn free_speed(&self, dt: f64, dx: [f64; D]) -> f64 {
        let is_mapped = D == 2 && self.aux.as_deref().is_some_and(CellFunction::has_geometry);
        let part = match (self.scheme.capacity < 0, is_mapped) {
            (true, _) => 1.0,
            (false, true) => 0.5,
            (false, false) => 0.0,
        };
        if dt > 0.0 { part * self.cfl_desired * dx.into_iter().fold(0.0, f64::max) / dt } else { 0.0 }
    }

    /// The same of the conservation fix, after a step from a time to another: half of it, as a cell may be beside several faces of finer ones.
    pub fn free_speed_of_fix(&self, [from, to]: [f64; 2], dx: [f64; D]) -> f64 {
        0.5 * self.free_speed(to - from, dx)
    }

    /// True if steps apply source terms: a function's, or the solver's own if it has one.
    pub fn applies_sources(&self, has_own: bool) -> bool {
        self.source_split != SourceSplit::None && (has_own || self.source.is_some())
    }

    /// True if a side has the user's boundary function.
    pub fn has_user_sides(&self) -> bool {
        self.boundary.as_flattened().iter().any(|side| matches!(side, Boundary::User(_)))
    }
}
