//! The built-in Riemann solvers, one PDE a file.
//!
//! Each file opens with the PDE, its variables, its source and *Holds* lines: properties that `tests/holds` checks on
//! random states. [`crate::catalogue`] finds the solvers by name.

mod linearised;

mod acoustics;
mod acoustics_variable;
mod advection;
mod advection_edge;
mod burgers;
mod euler;
mod shallow_water;

pub use acoustics::Acoustics;
pub use acoustics_variable::AcousticsVariable;
pub use advection::Advection;
pub use advection_edge::AdvectionEdge;
pub use burgers::Burgers;
pub use euler::Euler;
pub use shallow_water::ShallowWater;

use linearised::Linearised;
