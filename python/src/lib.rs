//! The native part of the Python package `amrclaw`: cases, runs, simulations and frames, whose values are numpy arrays without
//! copies. The interface for users is written in Python, in `package/amrclaw`.

mod arrays;
mod case;
mod catalogue;
mod errors;
mod frame;
mod functions;
mod patch_index;
mod ranks;
mod run;
mod simulation;

use pyo3::prelude::*;

/// Native part of the package `amrclaw`.
#[pymodule]
mod _amrclaw {
    #[pymodule_export]
    use crate::case::{Case, run_option_names};
    #[pymodule_export]
    use crate::catalogue::{BuiltInSolver, built_in_solvers};
    #[pymodule_export]
    use crate::frame::{Frame, list_frames, read_frame, saved_page};
    #[pymodule_export]
    use crate::patch_index::PatchIndex;
    #[pymodule_export]
    use crate::ranks::is_one_of_several;
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::simulation::Simulation;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
