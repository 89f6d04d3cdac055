//! The user's side: what is solved, with which data.
//!
//! Functions may have a form that a device can compute (`DeviceForm`): formulas as a graph of primitive operations (`formula`); the formulas of a
//! mapping, from which kernels compute the geometry of cells; or a function in the solver's text, which gets the positions that the mapping's
//! formulas give. A function of position and time may have two steps (`CachedCellFunction`): executors on the CPU keep the result of the first
//! from regrid to regrid. On mapped meshes (`mapped`) the geometry is stored among the auxiliary values, from which walls take normals.

mod adjoint;
mod block;
mod cell_function;
mod cell_row;
mod eigenvalues;
mod formula;
mod mapped;
mod mesh;
mod positions;
mod problem;
mod reduced;
mod reversal;
mod side_signs;
mod stability;
mod stiffness;

pub use adjoint::{AdjointFlag, AdjointForm, AdjointSnapshots};
pub use block::{BoundaryBlockFunction, CellBlock, CellBlockFunction, StateBlockFunction};
pub use cell_function::{CachedCellFunction, CellFunction};
pub use cell_row::CellRow;
pub use formula::{
    AroundFormulas, DerivativeKind, DeviceForm, Formulas, MappedFormulas, Node, NodeKind, Primitive, Quantity,
};
pub use mapped::{MappedAux, MappedWall};
pub use mesh::{FaceVariables, MeshSides, OnMesh, centroids, row_of};
pub use positions::{AtPositions, SourceCentres};
pub use problem::{
    AnyUserFunctions, AuxOutside, Boundary, BoundaryCell, BoundaryFunction, Criterion, Problem, SourceMethod,
    SourceSplit, SourceStep, Split, StateFunction, UserFunctions,
};
pub use reduced::ReducedParameters;
pub use reversal::{Reversal, solve};
pub use side_signs::SideSigns;
pub use stability::Update;
pub use stiffness::{UnstableMode, harmless_norm, unstable_mode};
