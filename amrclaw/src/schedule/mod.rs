//! When levels step, synchronise and regrid. Knows times and step sizes, not values.

mod subcycle;

pub use subcycle::{Step, StepControl, Subcycle};
