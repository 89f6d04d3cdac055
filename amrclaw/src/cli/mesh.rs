//! `amrclaw mesh`: files of unstructured meshes.

use crate::cli::Failure;
use crate::cli::terminal;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use unstructured::make::{Block, Corner, Naca0012, Of, Ogive};
use unstructured::write::{Format, write};
use unstructured::{Elements, Mesh, read};

#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Check a mesh file, and print its cells by shape, its boundary's names, its extent, its quality and its memory.
    Info {
        /// A .msh or .su2 file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Check a mesh file and write it in another format.
    Convert {
        /// A .msh or .su2 file.
        #[arg(value_name = "FROM")]
        from: PathBuf,
        #[command(flatten)]
        to: Target,
    },
    /// Make a mesh of a simple shape.
    #[command(subcommand)]
    Make(MakeCommand),
}

#[derive(Debug, Args)]
pub struct Target {
    /// The file to write.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// msh4, msh4-ascii, msh2, msh2-ascii or su2 [default: by the file's name]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Replace the file if it is there.
    #[arg(long)]
    overwrite: bool,
}

#[derive(Debug, Subcommand)]
pub enum MakeCommand {
    /// A rectangle, with sides x_lower, x_upper, y_lower, y_upper.
    Square(BlockArguments),
    /// A box, with sides x_lower, x_upper, … z_upper.
    Box(BlockArguments),
    /// The profile NACA0012 of chord 1 in a circle, or a wing of it, with boundaries wing, far and symmetry.
    Naca0012 {
        #[command(flatten)]
        to: Target,
        /// Cells around the profile, an even number.
        #[arg(long, value_name = "N", default_value_t = 160)]
        around: usize,
        /// Cells outwards [default: as make the cells square]
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        outwards: usize,
        /// Radius of the circle.
        #[arg(long, value_name = "R", default_value_t = 20.0)]
        radius: f64,
        /// Layers along the span; 0: in the plane.
        #[arg(long, value_name = "N", default_value_t = 0)]
        layers: usize,
        /// The span.
        #[arg(long, value_name = "L", default_value_t = 1.0)]
        span: f64,
        /// Shape of cells, as for square and box.
        #[arg(long, value_name = "SHAPE")]
        of: Option<Of>,
    },
    /// A channel whose lower wall turns: a ramp, a step or a wall that runs back, with boundaries wall, inflow, outflow, top and bottom.
    Corner {
        #[command(flatten)]
        to: Target,
        /// Degrees by which the wall rises: -60 to 24, -90 or -135.
        #[arg(long, value_name = "DEGREES", default_value_t = 15.0, allow_negative_numbers = true)]
        angle: f64,
        /// Cells per unit of length, an even number.
        #[arg(long, value_name = "N", default_value_t = 40)]
        cells: usize,
        /// triangles, quadrilaterals or mixed.
        #[arg(long, value_name = "SHAPE", default_value = "quadrilaterals")]
        of: Of,
        /// A square of this side in place of the channel: a wall in it turns back by 135 degrees, 3,640 cells.
        #[arg(long, value_name = "L", conflicts_with_all = ["angle", "cells"])]
        square: Option<f64>,
    },
    /// An ogive of diameter 1 on a cylinder, with boundaries body, fins, far and outflow.
    Ogive {
        #[command(flatten)]
        to: Target,
        /// Cells per diameter.
        #[arg(long, value_name = "N", default_value_t = 8)]
        cells: usize,
        /// Four fins.
        #[arg(long)]
        fins: bool,
        /// Radius of the outer boundary.
        #[arg(long, value_name = "R", default_value_t = 10.0)]
        radius: f64,
    },
}

#[derive(Debug, Args)]
pub struct BlockArguments {
    #[command(flatten)]
    to: Target,
    /// Squares or cubes along each axis, before they are cut.
    #[arg(long, value_name = "NX,NY[,NZ]", value_delimiter = ',', required = true)]
    cells: Vec<usize>,
    /// triangles, quadrilaterals, tetrahedra, hexahedra, prisms, pyramids or mixed [default: triangles, tetrahedra]
    #[arg(long, value_name = "SHAPE")]
    of: Option<Of>,
    /// Least coordinates [default: 0]
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', allow_hyphen_values = true)]
    lower: Option<Vec<f64>>,
    /// Greatest coordinates [default: 1]
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', allow_hyphen_values = true)]
    upper: Option<Vec<f64>>,
    /// Move nodes inside by chance, by at most half this part of a cell.
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    shake: f64,
}

pub fn mesh(command: MeshCommand) -> Result<(), Failure> {
    match command {
        MeshCommand::Info { file } => {
            let mesh = checked(&file, load(&file)?)?;
            terminal::show(&format!("{}\n{}", file.display(), mesh.description()));
            Ok(())
        }
        MeshCommand::Convert { from, to } => {
            let elements = load(&from)?;
            checked(&from, elements.clone())?;
            to.write(&elements)
        }
        MeshCommand::Make(command) => make(command),
    }
}

fn load(file: &Path) -> Result<Elements, Failure> {
    read::read(file).map_err(|e| Failure::Input(e.to_string()))
}

fn checked(file: &Path, elements: Elements) -> Result<Mesh, Failure> {
    Mesh::new(elements).map_err(|e| Failure::Input(e.in_file(file).to_string()))
}

fn make(command: MakeCommand) -> Result<(), Failure> {
    let (to, made) = match command {
        MakeCommand::Square(block) => block.make(2),
        MakeCommand::Box(block) => block.make(3),
        MakeCommand::Naca0012 { to, around, outwards, radius, layers, span, of } => {
            let of = of.unwrap_or(if layers == 0 { Of::Quadrilaterals } else { Of::Tetrahedra });
            (to, Naca0012 { around, outwards, radius, layers, span, of }.make())
        }
        MakeCommand::Corner { to, angle, cells, of, square } => (to, Corner { angle, cells, of, square }.make()),
        MakeCommand::Ogive { to, cells, fins, radius } => (to, Ogive { cells, fins, radius }.make()),
    };
    to.write(&made.map_err(Failure::Input)?)
}

impl BlockArguments {
    fn make(self, dim: usize) -> (Target, Result<Elements, String>) {
        let BlockArguments { to, cells, of, lower, upper, shake } = self;
        let of = of.unwrap_or(if dim == 2 { Of::Triangles } else { Of::Tetrahedra });
        let all = |x| vec![x; dim];
        let (lower, upper) = (lower.unwrap_or_else(|| all(0.0)), upper.unwrap_or_else(|| all(1.0)));
        let made = if cells.len() == dim {
            Block { lower, upper, cells, of, shake }.make()
        } else {
            Err(format!("--cells has {dim} numbers here, not {}", cells.len()))
        };
        (to, made)
    }
}

impl Target {
    fn write(&self, elements: &Elements) -> Result<(), Failure> {
        let Target { file, overwrite, .. } = self;
        let named = || file.extension().unwrap_or_default().to_string_lossy().parse();
        let format = self
            .format
            .map_or_else(named, Ok)
            .map_err(|e: String| Failure::Input(format!("{}: {e}", file.display())))?;
        if file.exists() && !overwrite {
            let message = format!("{} is there already; --overwrite replaces it", file.display());
            return Err(Failure::Input(message));
        }
        let failed = |e| Failure::Work(format!("cannot write {}: {e}", file.display()));
        write(file, elements, format).map_err(failed)?;
        say!("{}: {} cells, {} nodes", file.display(), elements.shape.len(), elements.points.len());
        Ok(())
    }
}
