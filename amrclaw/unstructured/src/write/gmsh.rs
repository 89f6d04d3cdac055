//! Gmsh's format. Each name is a physical group, of one curve or surface; all cells are in one more.

use crate::mesh::{Elements, Shape};
use std::io::{self, Write};

/// Where numbers go.
pub(super) struct Numbers<'a> {
    pub out: &'a mut dyn Write,
    pub binary: bool,
}

impl Numbers<'_> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    fn int(&mut self, n: usize) -> io::Result<()> {
        let int = i32::try_from(n).map_err(|_| io::Error::other(format!("{n} is more than the format can hold")))?;
        if self.binary { self.out.write_all(&int.to_le_bytes()) } else { write!(self.out, "{int} ") }
    }

    fn ints(&mut self, all: &[usize]) -> io::Result<()> {
        all.iter().try_for_each(|&n| self.int(n))
    }

    fn sizes(&mut self, all: &[usize]) -> io::Result<()> {
        all.iter().try_for_each(|&n| self.size(n))
    }

    fn size(&mut self, n: usize) -> io::Result<()> {
        if self.binary { self.out.write_all(&(n as u64).to_le_bytes()) } else { write!(self.out, "{n} ") }
    }

    fn reals(&mut self, reals: &[f64]) -> io::Result<()> {
        let binary = self.binary;
        reals
            .iter()
            .try_for_each(|x| if binary { self.out.write_all(&x.to_le_bytes()) } else { write!(self.out, "{x:?} ") })
    }

    /// Ends a line of text.
    fn end(&mut self) -> io::Result<()> {
        if self.binary { Ok(()) } else { self.text("\n") }
    }
}

/// Gmsh's number of a cell's type.
fn kind(shape: Shape) -> usize {
    match shape {
        Shape::Triangle => 2,
        Shape::Quadrilateral => 3,
        Shape::Tetrahedron => 4,
        Shape::Hexahedron => 5,
        Shape::Prism => 6,
        Shape::Pyramid => 7,
    }
}

/// One element: type, number of its geometric entity, which is that of its physical group, nodes.
type Element<'a> = (usize, usize, &'a [u32]);

/// Sides, which are by name then, and cells.
fn all(elements: &Elements) -> Vec<Element<'_>> {
    let sides = &elements.sides;
    let mut all: Vec<Element> = (0..sides.nodes.len())
        .map(|side| {
            let nodes = sides.nodes.row(side);
            ([1, 2, 3][nodes.len() - 2], sides.name[side] as usize + 1, nodes)
        })
        .collect();
    all.sort_by_key(|&(kind, name, _)| (name, kind));
    all.extend(elements.shape.iter().enumerate().map(|(cell, &shape)| (kind(shape), 1, elements.nodes.row(cell))));
    all
}

fn head(numbers: &mut Numbers, elements: &Elements, version: &str) -> io::Result<()> {
    numbers.text(&format!("$MeshFormat\n{version} {} 8\n", u8::from(numbers.binary)))?;
    if numbers.binary {
        numbers.int(1)?;
        numbers.text("\n")?;
    }
    numbers.text(&format!("$EndMeshFormat\n$PhysicalNames\n{}\n", elements.sides.names.len() + 1))?;
    for (n, name) in elements.sides.names.iter().enumerate() {
        numbers.text(&format!("{} {} \"{}\"\n", elements.dim - 1, n + 1, name.replace('"', "'")))?;
    }
    numbers.text(&format!("{} 1 \"cells\"\n$EndPhysicalNames\n", elements.dim))
}

pub(super) fn version2(numbers: &mut Numbers, elements: &Elements) -> io::Result<()> {
    head(numbers, elements, "2.2")?;
    numbers.text(&format!("$Nodes\n{}\n", elements.points.len()))?;
    for (n, point) in elements.points.iter().enumerate() {
        numbers.int(n + 1)?;
        numbers.reals(point)?;
        numbers.end()?;
    }
    let all = all(elements);
    numbers.text(&format!("{}$EndNodes\n$Elements\n{}\n", if numbers.binary { "\n" } else { "" }, all.len()))?;
    let (mut number, binary) = (0, numbers.binary);
    for same in all.chunk_by(|a, b| a.0 == b.0 && binary) {
        if numbers.binary {
            [same[0].0, same.len(), 2].into_iter().try_for_each(|n| numbers.int(n))?;
        }
        for &(kind, entity, nodes) in same {
            number += 1;
            numbers.int(number)?;
            if !numbers.binary {
                numbers.ints(&[kind, 2])?;
            }
            numbers.ints(&[entity; 2])?;
            nodes.iter().try_for_each(|&node| numbers.int(node as usize + 1))?;
            numbers.end()?;
        }
    }
    numbers.text(if numbers.binary { "\n$EndElements\n" } else { "$EndElements\n" })
}

pub(super) fn version4(numbers: &mut Numbers, elements: &Elements) -> io::Result<()> {
    head(numbers, elements, "4.1")?;
    let (dim, names) = (elements.dim, elements.sides.names.len());
    let end = if numbers.binary { "\n" } else { "" };
    numbers.text("$Entities\n")?;
    let mut counts = [0; 4];
    counts[dim - 1] = names;
    counts[dim] = 1;
    numbers.sizes(&counts)?;
    numbers.end()?;
    let corner = |pick: fn(f64, f64) -> f64, none: f64| {
        [0, 1, 2].map(|d| elements.points.iter().map(|point| point[d]).fold(none, pick))
    };
    let extent = [corner(f64::min, f64::INFINITY), corner(f64::max, f64::NEG_INFINITY)].concat();
    for (of, tag) in (1..=names).map(|tag| (dim - 1, tag)).chain([(dim, 1)]) {
        numbers.int(tag)?;
        numbers.reals(&extent)?;
        numbers.size(1)?;
        numbers.int(tag)?;
        // The curves or surfaces around all.
        let around = if of == dim { names } else { 0 };
        numbers.size(around)?;
        (1..=around).try_for_each(|tag| numbers.int(tag))?;
        numbers.end()?;
    }
    numbers.text(&format!("{end}$EndEntities\n$Nodes\n"))?;
    let count = elements.points.len();
    numbers.sizes(&[1, count, 1, count])?;
    numbers.end()?;
    numbers.ints(&[dim, 1, 0])?;
    numbers.size(count)?;
    numbers.end()?;
    for node in 1..=count {
        numbers.size(node)?;
        numbers.end()?;
    }
    for point in &elements.points {
        numbers.reals(point)?;
        numbers.end()?;
    }
    numbers.text(&format!("{end}$EndNodes\n$Elements\n"))?;
    blocks(numbers, elements)?;
    numbers.text(&format!("{end}$EndElements\n"))
}

/// Elements of version 4: those of one type and entity that follow each other are a block.
fn blocks(numbers: &mut Numbers, elements: &Elements) -> io::Result<()> {
    let (all, sides) = (all(elements), elements.sides.nodes.len());
    let (named, cells) = all.split_at(sides);
    let together = |a: &Element, b: &Element| (a.0, a.1) == (b.0, b.1);
    let blocks: Vec<(usize, &[Element])> = named
        .chunk_by(together)
        .map(|block| (elements.dim - 1, block))
        .chain(cells.chunk_by(together).map(|block| (elements.dim, block)))
        .collect();
    numbers.sizes(&[blocks.len(), all.len(), 1, all.len()])?;
    numbers.end()?;
    let mut number = 0;
    for (dim, block) in blocks {
        [dim, block[0].1, block[0].0].into_iter().try_for_each(|n| numbers.int(n))?;
        numbers.size(block.len())?;
        numbers.end()?;
        for (_, _, nodes) in block {
            number += 1;
            numbers.size(number)?;
            nodes.iter().try_for_each(|&node| numbers.size(node as usize + 1))?;
            numbers.end()?;
        }
    }
    Ok(())
}
