//! The user's side: what is solved, with which data.

mod cell_function;

pub use cell_function::{CellFunction, CellRow};
