//! SU2's format.

use crate::mesh::{Elements, Shape};
use std::io::{self, Write};

/// VTK's number of a cell's shape.
fn kind(shape: Shape) -> u8 {
    match shape {
        Shape::Triangle => 5,
        Shape::Quadrilateral => 9,
        Shape::Tetrahedron => 10,
        Shape::Hexahedron => 12,
        Shape::Prism => 13,
        Shape::Pyramid => 14,
    }
}

fn line(out: &mut dyn Write, kind: u8, nodes: &[u32]) -> io::Result<()> {
    write!(out, "{kind}")?;
    nodes.iter().try_for_each(|node| write!(out, " {node}"))?;
    writeln!(out)
}

pub(super) fn write(out: &mut dyn Write, elements: &Elements) -> io::Result<()> {
    writeln!(out, "NDIME= {}\nNELEM= {}", elements.dim, elements.shape.len())?;
    for (cell, &shape) in elements.shape.iter().enumerate() {
        line(out, kind(shape), elements.nodes.row(cell))?;
    }
    writeln!(out, "NPOIN= {}", elements.points.len())?;
    for point in &elements.points {
        let words: Vec<String> = point[..elements.dim].iter().map(|x| format!("{x:?}")).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    let sides = &elements.sides;
    writeln!(out, "NMARK= {}", sides.names.len())?;
    for (n, name) in sides.names.iter().enumerate() {
        let of_name = || (0..sides.nodes.len()).filter(|&side| sides.name[side] == n as u32);
        writeln!(out, "MARKER_TAG= {name}\nMARKER_ELEMS= {}", of_name().count())?;
        for side in of_name() {
            let nodes = sides.nodes.row(side);
            line(out, [3, 5, 9][nodes.len() - 2], nodes)?;
        }
    }
    Ok(())
}
