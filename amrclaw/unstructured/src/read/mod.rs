//! Reads mesh files: Gmsh's `.msh` of versions 2.2 and 4.1, ascii and binary, and SU2's `.su2`.
//!
//! Nothing that a file claims is believed: memory is taken as numbers are read, never for a count.

mod gmsh;
mod source;
mod su2;
mod tags;

use crate::mesh::{Elements, MeshError, Place};
use std::path::Path;

/// Formats of files.
const KNOWN: &str = "Gmsh's .msh (2.2 and 4.1, ascii and binary) and SU2's .su2";

/// Reads a file.
///
/// # Errors
///
/// With the line or the byte, what is wrong.
pub fn read(file: &Path) -> Result<Elements, MeshError> {
    let cannot = |e: std::io::Error| MeshError::new(Place::None, format!("cannot be read: {e}"));
    let bytes = std::fs::read(file).map_err(cannot).map_err(|e| e.in_file(file))?;
    let extension = file.extension().unwrap_or_default();
    let elements = if extension == "msh" {
        gmsh::read(&bytes)
    } else if extension == "su2" {
        su2::read(&bytes)
    } else {
        Err(MeshError::new(Place::None, format!("is of no known format; known are {KNOWN}")))
    };
    elements.map_err(|e| e.in_file(file))
}

#[cfg(test)]
mod tests;
