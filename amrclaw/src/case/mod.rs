//! The case file: a problem and how to solve it, in TOML.
//!
//! [`Case::load_with`] reads the file and the overrides of the command line, checks both against the solver and compiles the
//! formulas. Everything that is wrong is reported at once, each mistake with its line and key. `docs/case-file.md` describes
//! the keys.

mod check;
mod checked;
mod choice;
mod data;
mod define;
mod error;
mod ground;
mod inflow;
mod keys;
mod load;
mod mapping;
mod mistakes;
mod motion;
mod names;
mod origin;
mod parse;
mod reader;
mod reduce;
mod sections;
mod settings;
mod settle;
mod shape;
mod shown;
mod topography;
mod unknown;

pub use checked::{Case, CriterionField};
pub use choice::{AdjointOf, BoundaryKind, ClusterKind, Criterion, Extreme, Interpolated, Shore};
pub use error::{CaseError, CaseErrors};
pub use keys::{KEYS, Key};
pub use settings::{
    AdjointSettings, CaseSettings, CellData, FlagSettings, ForceSettings, FrameSchedule, GaugeSettings, GroundSettings,
    InflowValues, LevelSettings, MappingSettings, MeshFile, MeshSettings, MonitorSettings, NamedExpression,
    OutputSettings, Region, RegionPlace, RegridSettings, SchemeSettings, SolverChoice, SolverFrom, TimeSettings,
    Topography,
};
pub use settle::ResolvedSettings;
pub use shape::{NoSolver, ParameterShape, SolverFormulas, SolverShape};

use crate::formula::nearest;

/// The built-in solver that a case asks for; a finder for [`Case::load_with`].
///
/// # Errors
/// There is no built-in solver of that name.
pub fn find_built_in(choice: &SolverChoice) -> Result<SolverShape, NoSolver> {
    let name = match &choice.from {
        SolverFrom::Name(name) => name,
        SolverFrom::Path(_) => {
            let message = "a solver's file cannot be loaded here".to_string();
            return Err(NoSolver { message, help: "write `name = \"...\"` with a built-in solver".to_string() });
        }
    };
    if let Some(info) = riemann::catalogue::find(name, choice.dimension.unwrap_or(2)) {
        return Ok(SolverShape::from(info));
    }
    let known = riemann::catalogue::names();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"? The built-in solvers are {}", known.join(", ")),
        None => format!("the built-in solvers are {}", known.join(", ")),
    };
    Err(NoSolver { message: format!("there is no built-in solver \"{name}\""), help })
}

#[cfg(test)]
mod tests;
