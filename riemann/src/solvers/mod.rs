//! The built-in Riemann solvers, one PDE a file.
//!
//! Each file opens with the PDE, its variables, its source and *Holds* lines: properties that `tests/holds` checks on
//! random states. [`crate::catalogue`] finds the solvers by name.

// Shared blocks come before the solvers that include them: their names are macros.
mod contact_waves;
mod ideal_gas;
mod limited_traffic;
mod linearised;
mod shared_advection;
mod shared_shore;
mod shared_water;
mod two_materials;

mod acoustics;
mod acoustics_adjoint;
mod acoustics_variable;
mod advection;
mod advection_edge;
mod advection_mapped;
mod advection_reaction;
mod burgers;
mod colour;
mod cubic;
mod elasticity;
mod elasticity_variable;
mod euler;
mod euler_hllc;
mod euler_hlle;
mod euler_reactive;
mod euler_relativistic;
mod euler_strong_shocks;
mod euler_tracer;
mod euler_two_gases;
mod euler_walls_hlle;
mod kpp;
mod mhd;
mod p_system;
mod p_system_gas;
mod p_system_variable;
mod shallow_water;
mod shallow_water_bathymetry;
mod shallow_water_hlle;
mod shallow_water_layers;
mod shallow_water_sphere;
mod shallow_water_tracer;
mod shallow_water_whole_sphere;
mod traffic;
mod traffic_variable;
mod traffic_variable_tracer;

pub use acoustics::Acoustics;
pub use acoustics_adjoint::AcousticsAdjoint;
pub use acoustics_variable::AcousticsVariable;
pub use advection::Advection;
pub use advection_edge::AdvectionEdge;
pub use advection_mapped::AdvectionMapped;
pub use advection_reaction::AdvectionReaction;
pub use burgers::Burgers;
pub use colour::Colour;
pub use cubic::Cubic;
pub use elasticity::Elasticity;
pub use elasticity_variable::ElasticityVariable;
pub use euler::Euler;
pub use euler_hllc::EulerHllc;
pub use euler_hlle::EulerHlle;
pub use euler_reactive::EulerReactive;
pub use euler_relativistic::EulerRelativistic;
pub use euler_strong_shocks::EulerStrongShocks;
pub use euler_tracer::EulerTracer;
pub use euler_two_gases::EulerTwoGases;
pub use euler_walls_hlle::EulerWallsHlle;
pub use kpp::Kpp;
pub use mhd::Mhd;
pub use p_system::PSystem;
pub use p_system_gas::PSystemGas;
pub use p_system_variable::PSystemVariable;
pub use shallow_water::ShallowWater;
pub use shallow_water_bathymetry::ShallowWaterBathymetry;
pub use shallow_water_hlle::ShallowWaterHlle;
pub use shallow_water_layers::ShallowWaterLayers;
pub use shallow_water_sphere::ShallowWaterSphere;
pub use shallow_water_tracer::ShallowWaterTracer;
pub use shallow_water_whole_sphere::ShallowWaterWholeSphere;
pub use traffic::Traffic;
pub use traffic_variable::TrafficVariable;
pub use traffic_variable_tracer::TrafficVariableTracer;

use contact_waves::{ContactWaves, ThreeWaves};
use ideal_gas::{GasAlone, GasWithTracer, IdealGas, RoeGas};
use limited_traffic::LimitedTraffic;
use linearised::{Linearised, TwoWaves};
use shared_advection::{EdgeAdvection, UniformAdvection};
use shared_shore::Shore;
use shared_water::{Water, WaterAlone};
use two_materials::TwoMaterials;
