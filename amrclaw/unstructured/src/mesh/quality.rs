//! What `amrclaw mesh info` says.

use super::geometry::{dot, length, minus, plus};
use super::{Mesh, Shape};
use std::fmt::Write as _;
use std::mem::size_of;

impl Shape {
    /// `volume^(dim − 1) / surface^dim` of the regular cell, all of whose edges are equal.
    fn regular(self) -> f64 {
        let root = f64::sqrt;
        match self {
            Shape::Triangle => root(3.0) / 36.0,
            Shape::Quadrilateral => 1.0 / 16.0,
            Shape::Tetrahedron => 1.0 / (216.0 * root(3.0)),
            Shape::Hexahedron => 1.0 / 216.0,
            Shape::Prism => 0.1875 / (root(0.75) + 3.0).powi(3),
            Shape::Pyramid => 1.0 / (18.0 * (1.0 + root(3.0)).powi(3)),
        }
    }
}

impl Mesh {
    /// How regular a cell is: 1 if all its edges are equal, towards 0 for cells that are flat or long; others than triangles and tetrahedra can
    /// be a little above 1.
    pub fn quality(&self, cell: usize) -> f64 {
        let surface: f64 = self.cell_faces.row(cell).iter().map(|entry| self.faces.size[(entry / 2) as usize]).sum();
        let dim = self.dim as i32;
        self.volume[cell].powi(dim - 1) / surface.powi(dim) / self.cells.shape[cell].regular()
    }

    /// Largest angle between a face's normal and the line through its cells' centroids, in degrees.
    pub fn skewness(&self) -> f64 {
        let mut least = 1.0_f64;
        for face in 0..self.first_boundary() {
            let shift = self.shift(face);
            let [left, right] =
                [self.faces.left[face], self.faces.right[face]].map(|cell| self.centroid[cell as usize]);
            let line = minus(right, plus(left, shift));
            least = least.min(dot(line, self.faces.normal[face]) / length(line));
        }
        least.clamp(-1.0, 1.0).acos().to_degrees()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let rows = [&self.cells.nodes, &self.faces.nodes, &self.cell_faces];
        let numbers =
            rows.iter().map(|rows| rows.starts.len() + rows.items.len()).sum::<usize>() + self.cells.numbers.len();
        let (cells, faces) = (self.num_cells(), self.num_faces());
        4 * numbers + 24 * self.points.len() + cells * (size_of::<Shape>() + 32) + faces * (8 + 24 + 8 + 24)
    }

    /// Cells by shape, names, extent, quality, closedness and memory, as lines of text.
    pub fn description(&self) -> String {
        let mut text = String::new();
        let cells = self.num_cells();
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{cells} cells in {}D, {} faces, {} nodes", self.dim, self.num_faces(), self.points.len());
        for shape in Shape::ALL {
            let count = self.cells.shape.iter().filter(|&&other| other == shape).count();
            if count > 0 {
                let _ = writeln!(text, "  {:<14} {count}", shape.plural());
            }
        }
        let _ = writeln!(text, "boundary, {} faces", self.boundary.len());
        let width = self.boundary.names.iter().map(String::len).max().unwrap_or(0).max(14);
        for (n, name) in self.boundary.names.iter().enumerate() {
            let _ = writeln!(text, "  {name:<width$} {}", self.boundary.of_name(n).len());
        }
        for (d, axis) in ["x", "y", "z"].into_iter().enumerate().take(self.dim) {
            let range = |(low, high): (f64, f64), point: &[f64; 3]| (low.min(point[d]), high.max(point[d]));
            let (low, high) = self.points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), range);
            let _ = writeln!(text, "{axis} from {low} to {high}");
        }
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values
                .fold((f64::INFINITY, f64::NEG_INFINITY, 0.0), |(low, high, sum), v| (low.min(v), high.max(v), sum + v))
        };
        let (low, high, sum) = range(&mut self.volume.iter().copied());
        let what = if self.dim == 2 { "areas" } else { "volumes" };
        let _ = writeln!(text, "{what} of cells from {low:.3e} to {high:.3e}, together {sum}");
        let (low, _, sum) = range(&mut (0..cells).map(|cell| self.quality(cell)));
        let _ = writeln!(text, "quality, 1 for regular cells: at least {low:.3}, mean {:.3}", sum / cells as f64);
        let _ =
            writeln!(text, "normals and lines through centroids: at most {:.1} degrees between them", self.skewness());
        let _ = writeln!(text, "sum of a cell's face vectors: at most {:.1e} of its surface", self.closedness());
        let _ = writeln!(text, "{} bytes a cell", self.bytes().div_ceil(cells));
        text
    }
}
