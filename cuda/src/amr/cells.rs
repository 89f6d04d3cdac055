//! Arguments of the kernels of cells of any shape, and what these are specialised by.

use super::PatchReport;
use crate::abi::{Pointer, Real};
use crate::{device_enum, device_struct};
use riemann::cells::{CellSums, text_of_face};
use riemann::group::Group;

/// In the place of a face or a node: there are no more.
pub const NO_ITEM: u32 = u32::MAX;

device_struct! {
    /// The tables of a mesh: vectors are `[axis, entry]` or `[axis, face]`.
    pub struct MeshTables {
        /// Where each slice of 32 cells begins in the tables of entries, and where the last one ends. Entry k of cell c is
        /// `slices[c / 32] + c % 32 + 32 k`.
        pub slices: Pointer<u32>,
        /// Of each entry the face, twice, plus 1 if the cell is on its right; [`NO_ITEM`] behind a cell's last one.
        pub entries: Pointer<u32>,
        /// Of each entry the cell behind the face, or the number of cells plus that of the boundary face.
        pub neighbours: Pointer<u32>,
        /// Of each entry the vector from the cell's centroid to the face's; null at order 1.
        pub to_face: Pointer<Real>,
        /// Of each entry the weight of its difference in the gradient, likewise.
        pub weight: Pointer<Real>,
        /// Of each face the cell on its left.
        pub left: Pointer<u32>,
        /// On its right, as in `neighbours`.
        pub right: Pointer<u32>,
        /// Of each face the frame: `riemann::cells::turn_of`.
        pub turn: Pointer<Real>,
        /// Of each face the area.
        pub size: Pointer<Real>,
        /// Of each cell the volume; of a mesh that moves half way of the step.
        pub volume: Pointer<Real>,
        /// Number of cells.
        pub num_cells: u32,
        /// Number of faces.
        pub num_faces: u32,
        /// Number of boundary faces, which are the last ones.
        pub num_boundary: u32,
        /// Number of entries.
        pub num_entries: u32,
    }
}

device_struct! {
    /// A mesh, and the arrays of a stage on it: of cells `[component, cell]`, of faces `[component, face]`.
    pub struct CellsArgs {
        /// The mesh.
        pub tables: MeshTables,
        /// Of a mesh that moves: the volumes before the step, and those after it.
        pub volumes: [Pointer<f64>; 2],
        /// Of each face of a mesh that moves the speed along its normal.
        pub moving: Pointer<Real>,
        /// Bits of how far the values of each component lie above and below the first cell's; zero before the launch.
        pub range: Pointer<u64>,
        /// Of each cell the least of its and its neighbours' values, then the largest, where the limiter asks for it.
        pub extremes: Pointer<Real>,
        /// The states before the step.
        pub before: Pointer<Real>,
        /// The states with which the stage begins; written by nobody.
        pub now: Pointer<Real>,
        /// The states with which it ends.
        pub to: Pointer<Real>,
        /// Auxiliary values.
        pub aux: Pointer<Real>,
        /// The states beyond boundary faces.
        pub ghosts: Pointer<Real>,
        /// The states at faces: those on the left of all faces, those on the right, `[component, side, face]`.
        pub at_faces: Pointer<Real>,
        /// What enters the cells on the left of faces, per area.
        pub to_left: Pointer<Real>,
        /// What enters those on the right.
        pub to_right: Pointer<Real>,
        /// Of each face the largest speed of a wave.
        pub speed: Pointer<Real>,
        /// What the step has found.
        pub report: Pointer<PatchReport>,
        /// ε² of Venkatakrishnan's limiter, per square of the range.
        pub smooth: f64,
        /// The time step.
        pub dt: f64,
        /// Its begin in the step.
        pub start: f64,
        /// Share of the stage in the mixture with the states before the step.
        pub share: f64,
        /// Read the states at faces.
        pub is_second: u32,
        /// The stage is the last one: its states are checked.
        pub is_last: u32,
    }
}

device_struct! {
    /// What `cells_beyond` takes.
    pub struct CellsBeyondArgs {
        /// Of each boundary face the number of its side's rule.
        pub rules: Pointer<u32>,
        /// Where the states are wanted: `[axis, face]`.
        pub positions: Pointer<f64>,
        /// The frame of the first boundary face: `[axis, face]`.
        pub turn: Pointer<Real>,
        /// Of each boundary face of a mesh that moves the normal: `[axis, face]`.
        pub normals: Pointer<f64>,
        /// The speed of the first boundary face along it.
        pub moving: Pointer<Real>,
        /// The states within.
        pub inside: Pointer<Real>,
        /// Of each boundary face which of them is its own; null if they are in the order of faces.
        pub inside_at: Pointer<u32>,
        /// The states beyond, written.
        pub to: Pointer<Real>,
        /// Numbers between components of the states within.
        pub inside_component: u64,
        /// The same of those beyond.
        pub to_component: u64,
        /// What Strang's first half makes of states beyond sides that do not depend on those within, `[component, face]`; null if nothing. Behind it
        /// are the same states before.
        pub gained: Pointer<Real>,
        /// The share of this that states have at the time.
        pub share: f64,
        /// The time.
        pub t: f64,
        /// Number of boundary faces.
        pub num_boundary: u32,
        /// Number of faces.
        pub num_faces: u32,
        /// What has been gained is found: there are states after it, which become 0 where they have been overtaken from within.
        pub finds_gained: u32,
    }
}

device_enum! {
    /// How gradients are limited.
    pub enum CellLimiter {
        /// Not at all.
        None,
        /// As Barth & Jespersen do.
        BarthJespersen,
        /// As Venkatakrishnan does.
        Venkatakrishnan,
    }
}

/// What the kernels of a mesh are specialised by.
#[derive(Clone, Debug)]
pub struct CellShape {
    /// 1, or 2: with limited gradients.
    pub order: u8,
    /// How these are limited.
    pub limiter: CellLimiter,
    /// Each cell has its own time step.
    pub is_local: bool,
    /// Stages start from the state before the step.
    pub from_before: bool,
    /// States at faces are half a step later.
    pub predicts: bool,
    /// What is interpolated to faces in place of states: the definitions of `case_variables` and `case_state`, see `kernels/cells.cuh`.
    pub variables: Option<String>,
    /// Faces move.
    pub moves: bool,
    /// Kernels divide and join cells.
    pub refines: bool,
    /// The vectors and tensors of a state.
    pub groups: Vec<Group>,
}

impl CellShape {
    /// The limiters, the struct of a face's frame, and that of the arithmetic that the processor's threads share.
    pub(crate) fn definitions(&self, dim: usize) -> [String; 3] {
        let product = "static __device__ __forceinline__ Real separate_product(Real a, Real b) { return a * b; }";
        let sums = format!("struct CellSums {{\n    {product}\n{}}};\n", CellSums::CUDA);
        [CellLimiter::cuda_text(), text_of_face(&self.groups, dim), sums]
    }
}
