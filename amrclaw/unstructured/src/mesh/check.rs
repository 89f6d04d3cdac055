//! What is checked of a mesh before faces are looked for.

use super::elements::{Elements, MeshError, Place};
use super::{Shape, geometry};
use crate::threads;

/// Most cells: their halves have numbers of 32 bits.
const MOST_CELLS: usize = 1 << 28;

/// Checks numbers and positions, and turns parts whose cells are all listed the other way around.
pub(super) fn checked(mut elements: Elements) -> Result<Elements, MeshError> {
    check_numbers(&elements)?;
    check_points(&mut elements)?;
    turn(&mut elements)?;
    Ok(elements)
}

fn error(what: String) -> MeshError {
    MeshError::new(Place::None, what)
}

fn check_numbers(elements: &Elements) -> Result<(), MeshError> {
    let Elements { dim, points, shape, nodes, sides, .. } = elements;
    if shape.is_empty() {
        return Err(error(format!("the mesh has no cell in {dim} dimensions")));
    }
    if shape.len() > MOST_CELLS {
        return Err(error(format!("the mesh has {} cells; {MOST_CELLS} are possible", shape.len())));
    }
    let unknown = |row: &[u32]| row.iter().copied().find(|&node| node as usize >= points.len());
    for (cell, &shape) in shape.iter().enumerate() {
        let row = nodes.row(cell);
        let wrong = |what: String| Err(elements.cell_error(cell, what));
        if shape.dim() != *dim {
            return wrong(format!("is a {} in a mesh of {dim} dimensions", shape.name()));
        }
        if row.len() != shape.num_nodes() {
            return wrong(format!("has {} nodes; a {} has {}", row.len(), shape.name(), shape.num_nodes()));
        }
        if let Some(node) = unknown(row) {
            return wrong(format!("names node {node}, but there are {}, counted from 0", points.len()));
        }
        if let Some(i) = (1..row.len()).find(|&i| row[..i].contains(&row[i])) {
            return wrong(format!("names node {} twice; a {} has {} different nodes", row[i], shape.name(), row.len()));
        }
    }
    for side in 0..sides.nodes.len() {
        if let Some(node) = unknown(sides.nodes.row(side)) {
            let what = format!("names node {node}, but there are {}, counted from 0", points.len());
            return Err(elements.side_error(side, what));
        }
        let counts = if *dim == 2 { 2..=2 } else { 3..=4 };
        let count = sides.nodes.row(side).len();
        if !counts.contains(&count) {
            return Err(
                elements.side_error(side, format!("has {count} nodes; a side in {dim} dimensions has {counts:?}"))
            );
        }
    }
    Ok(())
}

/// Positions are finite; those of a mesh in the plane have one z, which becomes 0.
fn check_points(elements: &mut Elements) -> Result<(), MeshError> {
    if let Some(node) = elements.points.iter().position(|point| point.iter().any(|x| !x.is_finite())) {
        return Err(error(format!(
            "node {node}, counted from 0, lies at {:?}, which is not finite",
            elements.points[node]
        )));
    }
    if elements.dim == 2 {
        let z = elements.nodes.items.iter().map(|&node| elements.points[node as usize][2]);
        let (low, high) = z.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
        if low != high {
            let what = "a mesh of triangles and quadrilaterals lies in a plane z = constant";
            return Err(error(format!("z of the cells' nodes is from {low} to {high}; {what}")));
        }
        elements.points.iter_mut().for_each(|point| point[2] = 0.0);
    }
    Ok(())
}

/// Turns parts whose cells are all listed the other way around. In a part where some are, these are inside out.
fn turn(elements: &mut Elements) -> Result<(), MeshError> {
    let Elements { points, shape, nodes, .. } = &*elements;
    let signs = threads::table(shape.len(), &|cell| {
        let row = nodes.row(cell);
        let mut other = [0; 8];
        let other = turned(shape[cell], row, &mut other);
        i8::from(geometry::is_proper(points, shape[cell], row))
            - i8::from(geometry::is_proper(points, shape[cell], other))
    });
    if signs.iter().all(|&sign| sign > 0) {
        return Ok(());
    }
    let inside_out =
        "is turned inside out or folded: its centroid is not inside all its faces, in the order of its nodes";
    let group = |cell: usize| (elements.part.get(cell).copied().unwrap_or(0), elements.shape[cell]);
    // By part and shape: how many cells are as they should be, and how many the other way around.
    let mut counts = std::collections::BTreeMap::<(u32, Shape), [usize; 2]>::new();
    for (cell, &sign) in signs.iter().enumerate() {
        match sign {
            0 => return Err(elements.cell_error(cell, inside_out)),
            _ => counts.entry(group(cell)).or_default()[usize::from(sign < 0)] += 1,
        }
    }
    let wrong = |cell: &usize| {
        let [right, turned] = counts[&group(*cell)];
        right > 0 && turned > 0 && (signs[*cell] < 0) == (right >= turned)
    };
    if let Some(cell) = (0..signs.len()).find(wrong) {
        return Err(elements.cell_error(cell, inside_out));
    }
    for cell in (0..signs.len()).filter(|&cell| signs[cell] < 0) {
        let mut other = [0; 8];
        let shape = elements.shape[cell];
        let other = turned(shape, elements.nodes.row(cell), &mut other);
        elements.nodes.row_mut(cell).copy_from_slice(other);
    }
    Ok(())
}

/// A cell's nodes in the order of its mirror image.
fn turned<'a>(shape: Shape, nodes: &[u32], into: &'a mut [u32; 8]) -> &'a [u32] {
    shape.turned().iter().zip(&mut *into).for_each(|(&k, node)| *node = nodes[k as usize]);
    &into[..nodes.len()]
}
