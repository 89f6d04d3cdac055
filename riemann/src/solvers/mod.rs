//! The built-in Riemann solvers, one PDE a file.
//!
//! Each file opens with the PDE, its variables, its source and *Holds* lines: properties that `tests/holds` checks on
//! random states. [`crate::catalogue`] finds the solvers by name.

// Shared blocks come before the solvers that include them: their names are macros.
mod ideal_gas;
mod linearised;
mod shared_advection;

mod acoustics;
mod acoustics_variable;
mod advection;
mod advection_edge;
mod advection_mapped;
mod advection_reaction;
mod burgers;
mod elasticity;
mod euler;
mod euler_hllc;
mod euler_strong_shocks;
mod euler_tracer;
mod p_system;
mod shallow_water;
mod shallow_water_bathymetry;
mod traffic;

pub use acoustics::Acoustics;
pub use acoustics_variable::AcousticsVariable;
pub use advection::Advection;
pub use advection_edge::AdvectionEdge;
pub use advection_mapped::AdvectionMapped;
pub use advection_reaction::AdvectionReaction;
pub use burgers::Burgers;
pub use elasticity::Elasticity;
pub use euler::Euler;
pub use euler_hllc::EulerHllc;
pub use euler_strong_shocks::EulerStrongShocks;
pub use euler_tracer::EulerTracer;
pub use p_system::PSystem;
pub use shallow_water::ShallowWater;
pub use shallow_water_bathymetry::ShallowWaterBathymetry;
pub use traffic::Traffic;

use ideal_gas::{GasAlone, IdealGas, RoeGas};
use linearised::Linearised;
use shared_advection::{EdgeAdvection, UniformAdvection};
