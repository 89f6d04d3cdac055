//! The user's side: what is solved, with which data.

mod block;
mod cell_function;
mod formula;
mod mapped;
mod positions;
mod problem;
mod stability;

pub use block::{BoundaryBlockFunction, CellBlock, CellBlockFunction, StateBlockFunction};
pub use cell_function::{CachedCellFunction, CellFunction, CellRow};
pub use formula::{DeviceForm, Formulas, MappedFormulas, Node, NodeKind, Primitive, Quantity};
pub use mapped::{MappedAux, MappedWall};
pub use positions::{AtPositions, SourceCentres};
pub use problem::{
    AuxOutside, Boundary, BoundaryCell, BoundaryFunction, Criterion, Problem, SourceSplit, Split, StateFunction,
    UserFunctions,
};
pub use stability::Update;
