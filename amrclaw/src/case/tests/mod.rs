//! Tests of the case file as a whole.

mod defaults;
mod define;
mod documentation;
mod errors;
mod fields;
mod netcdf;
mod output;
mod robust;
mod settled;
mod sizes;
mod topography;

use super::*;
use std::path::Path;

/// The smallest complete case.
pub(super) const SMALL: &str = "\
[solver]
name = \"acoustics\"
density = 1.0
bulk = 4
[mesh]
cells = [20, 30]
[time]
end = 2
[initial]
pressure = \"exp(-r^2)\"
u = 0
v = 0.0
";

/// Loads `text` with its built-in solver.
pub(super) fn load(text: &str, overrides: &[&str]) -> Result<Case, CaseErrors> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(text, "case.toml", &overrides, find_built_in)
}
