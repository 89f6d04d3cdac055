//! Rectangles and boxes of any shape of cells.

use crate::mesh::{Elements, Shape};
use crate::random::{random, unit_random};
use std::str::FromStr;

/// What a block is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Triangles, two a square, cut along either diagonal.
    Triangles,
    /// Quadrilaterals.
    Quadrilaterals,
    /// Tetrahedra, six a cube.
    Tetrahedra,
    /// Hexahedra.
    Hexahedra,
    /// Prisms, two a cube.
    Prisms,
    /// Pyramids, six a cube.
    Pyramids,
    /// All shapes.
    Mixed,
}

impl FromStr for Of {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "triangles" => Ok(Of::Triangles),
            "quadrilaterals" => Ok(Of::Quadrilaterals),
            "tetrahedra" => Ok(Of::Tetrahedra),
            "hexahedra" => Ok(Of::Hexahedra),
            "prisms" => Ok(Of::Prisms),
            "pyramids" => Ok(Of::Pyramids),
            "mixed" => Ok(Of::Mixed),
            _ => Err(format!(
                "cells are triangles, quadrilaterals, tetrahedra, hexahedra, prisms, pyramids or mixed, not {name}"
            )),
        }
    }
}

/// A rectangle or a box. Its sides are named `x_lower`, `x_upper`, `y_lower` and so on, as those of a patch mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The corner with the least coordinates.
    pub lower: Vec<f64>,
    /// The opposite corner.
    pub upper: Vec<f64>,
    /// Number of squares or cubes along each axis, before they are cut.
    pub cells: Vec<usize>,
    /// What they are cut into.
    pub of: Of,
    /// Nodes inside move by chance, along each axis by at most half this part of a square's side.
    pub shake: f64,
}

/// Names of the sides.
const SIDES: [[&str; 2]; 3] = [["x_lower", "x_upper"], ["y_lower", "y_upper"], ["z_lower", "z_upper"]];

/// A block being made.
struct Maker {
    mesh: Elements,
    of: Of,
    /// Number of cells along each axis, 1 where there is no axis.
    cells: [usize; 3],
}

impl Block {
    /// The unit square or cube, not shaken.
    pub fn new(cells: &[usize], of: Of) -> Self {
        let dim = cells.len();
        Block { lower: vec![0.0; dim], upper: vec![1.0; dim], cells: cells.to_vec(), of, shake: 0.0 }
    }

    /// Makes it.
    ///
    /// # Errors
    ///
    /// If there is no such block.
    pub fn make(&self) -> Result<Elements, String> {
        let dim = self.check()?;
        let along = |d: usize| self.cells.get(d).copied().unwrap_or(1);
        let mut maker = Maker { mesh: Elements::new(dim), of: self.of, cells: [along(0), along(1), along(2)] };
        maker.mesh.sides.names = SIDES[..dim].concat().into_iter().map(str::to_owned).collect();
        let count = |d: usize| if d < dim { maker.cells[d] + 1 } else { 1 };
        let counts = [count(0), count(1), count(2)];
        for n in 0..counts.iter().product::<usize>() {
            let at = [n % counts[0], n / counts[0] % counts[1], n / (counts[0] * counts[1])];
            let inside = (0..dim).all(|d| at[d] > 0 && at[d] < maker.cells[d]);
            let shaken = |d: usize| if inside { self.shake * (unit_random((3 * n + d) as u64) - 0.5) } else { 0.0 };
            // Both ends are exact.
            let part = |d: usize| (at[d] as f64 + shaken(d)) / maker.cells[d] as f64;
            let position =
                |d: usize| if d < dim { self.lower[d] * (1.0 - part(d)) + self.upper[d] * part(d) } else { 0.0 };
            maker.mesh.points.push([position(0), position(1), position(2)]);
        }
        for n in 0..maker.cells.iter().product::<usize>() {
            let [nx, ny, _] = maker.cells;
            let at = [n % nx, n / nx % ny, n / (nx * ny)];
            if dim == 2 { maker.square(at) } else { maker.cube(at) }
        }
        Ok(maker.mesh)
    }

    fn check(&self) -> Result<usize, String> {
        let dim = self.cells.len();
        let flat = matches!(self.of, Of::Triangles | Of::Quadrilaterals);
        if !(2..=3).contains(&dim) || self.lower.len() != dim || self.upper.len() != dim {
            return Err("a block has two or three numbers of cells, and as many coordinates of its corners".into());
        }
        if self.of != Of::Mixed && flat != (dim == 2) {
            return Err(format!("{:?} do not fill a block of {dim} dimensions", self.of).to_lowercase());
        }
        // Fewer nodes than 32 bits can number, and fewer cells than a mesh may have.
        if self.cells.contains(&0) || self.cells.iter().map(|&n| n as f64).product::<f64>() > 4e7 {
            return Err(format!("a block of {:?} cells cannot be made: 1 to 4e7 squares or cubes in all", self.cells));
        }
        let proper = |d: usize| self.lower[d].is_finite() && self.upper[d].is_finite() && self.lower[d] < self.upper[d];
        if let Some(d) = (0..dim).find(|&d| !proper(d)) {
            return Err(format!("along axis {d} the block is from {} to {}", self.lower[d], self.upper[d]));
        }
        if !(0.0..=0.5).contains(&self.shake) {
            return Err(format!("nodes can be shaken by 0 to 0.5 of a cell, not by {}", self.shake));
        }
        Ok(dim)
    }
}

impl Maker {
    /// A node by its index along the axes.
    fn node(&self, at: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.cells;
        ((at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0]) as u32
    }

    /// The four corners of a square, counterclockwise.
    fn corners(&self, [x, y, z]: [usize; 3]) -> [u32; 4] {
        [[x, y, z], [x + 1, y, z], [x + 1, y + 1, z], [x, y + 1, z]].map(|at| self.node(at))
    }

    /// Two triangles of a square's corners, along a diagonal that chance chooses; `None` where the square stays whole.
    fn cut(&self, [x, y, _]: [usize; 3], [a, b, c, d]: [u32; 4]) -> Option<[[u32; 3]; 2]> {
        let chance = random((y * self.cells[0] + x) as u64);
        let whole = match self.of {
            Of::Mixed => chance & 2 == 0,
            of => !matches!(of, Of::Triangles | Of::Prisms),
        };
        let cut = if chance & 1 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        (!whole).then_some(cut)
    }

    fn square(&mut self, at: [usize; 3]) {
        let corners = self.corners(at);
        match self.cut(at, corners) {
            None => self.mesh.push(Shape::Quadrilateral, corners),
            Some(two) => two.into_iter().for_each(|three| self.mesh.push(Shape::Triangle, three)),
        }
        let [a, b, c, d] = corners;
        self.name(at, 2, [vec![d, a], vec![b, c], vec![a, b], vec![c, d]].map(|side| vec![side]));
    }

    fn cube(&mut self, at: [usize; 3]) {
        let (low, high) = (self.corners(at), self.corners([at[0], at[1], at[2] + 1]));
        if self.of == Of::Tetrahedra {
            return self.kuhn(at, low, high);
        }
        let side = |k: usize| vec![vec![low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]]];
        // What the lower and the upper side are cut into.
        let mut ends = [vec![low.to_vec()], vec![high.to_vec()]];
        match (self.cut(at, low), self.cut(at, high)) {
            (Some(below), Some(above)) => {
                ends = [below, above].map(|two| two.map(Vec::from).to_vec());
                let prisms = below.iter().zip(&above).map(|(below, above)| [below.as_slice(), above].concat());
                prisms.enumerate().for_each(|(k, nodes)| self.fill(at, k, Shape::Prism, &nodes));
            }
            _ => self.fill(at, 0, Shape::Hexahedron, &[low, high].concat()),
        }
        let [below, above] = ends;
        self.name(at, 3, [side(3), side(1), side(0), side(2), below, above]);
    }

    /// A cell, or pyramids and tetrahedra around its middle.
    fn fill(&mut self, at: [usize; 3], k: usize, shape: Shape, nodes: &[u32]) {
        let chance = random(u64::from(self.node(at)) * 2 + k as u64 + (1 << 40));
        if self.of != Of::Pyramids && (self.of != Of::Mixed || chance & 1 == 0) {
            return self.mesh.push(shape, nodes.iter().copied());
        }
        let middle = self.mesh.points.len() as u32;
        let mean = |d: usize| nodes.iter().map(|&n| self.mesh.points[n as usize][d]).sum::<f64>() / nodes.len() as f64;
        self.mesh.points.push([mean(0), mean(1), mean(2)]);
        for face in shape.faces() {
            // Seen from inside.
            let mut face: Vec<u32> = face.iter().rev().map(|&k| nodes[k as usize]).collect();
            face.push(middle);
            self.mesh.push(if face.len() == 5 { Shape::Pyramid } else { Shape::Tetrahedron }, face);
        }
    }

    /// Six tetrahedra around the diagonal from the first corner to the last: all cubes are cut alike, so sides match (Kuhn 1960).
    fn kuhn(&mut self, at: [usize; 3], low: [u32; 4], high: [u32; 4]) {
        let corner = |bits: usize| [low[0], low[1], low[3], low[2], high[0], high[1], high[3], high[2]][bits];
        for (first, second, even) in
            [(1, 2, true), (2, 4, true), (4, 1, true), (2, 1, false), (4, 2, false), (1, 4, false)]
        {
            let [a, b] = [first, first | second].map(corner);
            let nodes = if even { [corner(0), a, b, corner(7)] } else { [corner(0), b, a, corner(7)] };
            self.mesh.push(Shape::Tetrahedron, nodes);
        }
        let sides = [0, 1, 2].map(|d| {
            let (one, other) = ([2, 4, 1][d], [4, 1, 2][d]);
            [0, 1 << d].map(|from| {
                let end = corner(from | one | other);
                [one, other].map(|middle| vec![corner(from), corner(from | middle), end]).to_vec()
            })
        });
        let [[a, b], [c, d], [e, f]] = sides;
        self.name(at, 3, [a, b, c, d, e, f]);
    }

    /// Names those sides of a square or cube that lie at the block's boundary.
    fn name<const N: usize>(&mut self, at: [usize; 3], dim: usize, sides: [Vec<Vec<u32>>; N]) {
        for (k, side) in sides.into_iter().enumerate().take(2 * dim) {
            let (d, upper) = (k / 2, k % 2);
            if at[d] == if upper == 1 { self.cells[d] - 1 } else { 0 } {
                side.into_iter().for_each(|nodes| self.mesh.push_side(SIDES[d][upper], nodes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    /// Blocks of all shapes are meshes without a gap: volumes add up to the block's, and each side has its faces. Tolerance: round-off of some
    /// hundred volumes.
    #[test]
    fn blocks_are_filled() {
        use Of::*;
        for of in [Triangles, Quadrilaterals, Mixed, Tetrahedra, Hexahedra, Prisms, Pyramids, Mixed] {
            for cells in [&[7, 5][..], &[5, 4, 3]] {
                let block =
                    Block { upper: vec![2.0, 3.0, 0.5][..cells.len()].to_vec(), shake: 0.3, ..Block::new(cells, of) };
                let Ok(made) = block.make() else {
                    assert_ne!(of, Mixed);
                    continue;
                };
                let mesh = Mesh::new(made).unwrap_or_else(|e| panic!("{of:?} {cells:?}: {e}"));
                let volume: f64 = mesh.volume.iter().sum();
                let expected: f64 = block.upper.iter().product();
                assert!((volume / expected - 1.0).abs() < 1e-13, "{of:?} {cells:?} {volume}");
                assert_eq!(mesh.boundary.names.len(), 2 * cells.len());
                assert!(mesh.closedness() < 1e-14, "{}", mesh.closedness());
                let shapes = Shape::ALL.into_iter().filter(|shape| mesh.cells.shape.contains(shape)).count();
                assert_eq!(
                    shapes,
                    match (of, mesh.dim) {
                        (Mixed, 2) => 2,
                        (Mixed, _) => 4,
                        _ => 1,
                    }
                );
            }
        }
        assert!(Block::new(&[3, 3], Prisms).make().unwrap_err().contains("prisms do not fill a block of 2 dimensions"));
        assert!(Block::new(&[usize::MAX, usize::MAX], Triangles).make().is_err());
    }
}
