//! A simulation from a case file.

use super::{RunError, Simulation};
use crate::case::Case;
use crate::plugin::find_solver;
use std::path::Path;

impl<const D: usize> Simulation<D> {
    /// The simulation of a case file at its start, with the solver that the file names, built in or in a file of its own, as the command
    /// line begins it. [`Simulation::builder`] takes options, functions and a solver of the program, too.
    ///
    /// ```
    /// use amrclaw::simulation::Simulation;
    ///
    /// let mut simulation = Simulation::<1>::open("../examples/traffic_light/case.toml")?;
    /// simulation.step_to(f64::INFINITY)?;
    /// assert_eq!(simulation.counts().levels[0].steps, 1);
    ///
    /// let refused = Simulation::<2>::open("../examples/traffic_light/case.toml").err().expect("a road has one dimension");
    /// assert!(refused.to_string().contains("mesh.cells: the mesh has 1 dimension, but the program expects 2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, or the case is wrong, needs functions of a program, or has another number of dimensions.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RunError> {
        let case = Case::load_with(path.as_ref(), &[], find_solver)?;
        let dimension = case.dimension();
        if dimension != D {
            let plural = if dimension == 1 { "" } else { "s" };
            let message = format!("the mesh has {dimension} dimension{plural}, but the program expects {D}");
            let help = format!("write `Simulation::<{dimension}>` in the program, or {D} numbers of cells");
            return Err(case.error("mesh.cells", message, help).into());
        }
        Simulation::builder(&case).build()
    }
}
