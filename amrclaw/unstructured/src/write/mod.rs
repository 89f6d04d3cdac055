//! Writes mesh files, for programs that read them and for tests of the readers.

mod gmsh;
mod su2;

use crate::mesh::Elements;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::str::FromStr;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Gmsh's, version 2.2.
    Gmsh2 {
        /// Numbers as in memory, not as text.
        binary: bool,
    },
    /// Gmsh's, version 4.1.
    Gmsh4 {
        /// Numbers as in memory, not as text.
        binary: bool,
    },
    /// SU2's.
    Su2,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "msh" | "msh4" => Ok(Format::Gmsh4 { binary: true }),
            "msh4-ascii" => Ok(Format::Gmsh4 { binary: false }),
            "msh2" => Ok(Format::Gmsh2 { binary: true }),
            "msh2-ascii" => Ok(Format::Gmsh2 { binary: false }),
            "su2" => Ok(Format::Su2),
            _ => Err(format!("formats are msh4, msh4-ascii, msh2, msh2-ascii and su2, not {name}")),
        }
    }
}

/// Writes a file.
///
/// # Errors
///
/// Of the system.
pub fn write(file: &Path, elements: &Elements, format: Format) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    write_to(&mut out, elements, format)?;
    out.flush()
}

/// Writes to anything.
pub(crate) fn write_to(out: &mut dyn Write, elements: &Elements, format: Format) -> io::Result<()> {
    match format {
        Format::Gmsh2 { binary } => gmsh::version2(&mut gmsh::Numbers { out, binary }, elements),
        Format::Gmsh4 { binary } => gmsh::version4(&mut gmsh::Numbers { out, binary }, elements),
        Format::Su2 => su2::write(out, elements),
    }
}
