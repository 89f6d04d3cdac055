//! Cells of a mesh from a file in a picture: themselves in the plane, in space where a plane cuts them.

use super::plane::{Plane, Shown};
use unstructured::{Mesh, Shape};

/// The corners of a cell in the plane; a triangle's last one stands twice.
pub fn quadrangle(mesh: &Mesh, cell: usize) -> [[f64; 2]; 4] {
    let nodes = mesh.cells.nodes.row(cell);
    std::array::from_fn(|n| {
        let [x, y, _] = mesh.points[nodes[n.min(nodes.len() - 1)] as usize];
        [x, y]
    })
}

impl Plane {
    /// Adds the pieces of some cells of a mesh, with their `values`, those of all cells.
    pub fn cut_cells(self, mesh: &Mesh, cells: impl Iterator<Item = usize>, values: &[f64], shown: &mut Shown) {
        for cell in cells {
            let corners = self.corners(mesh, mesh.cells.nodes.row(cell));
            self.cut_cell(&corners, mesh.cells.shape[cell].simplices(), |piece| {
                shown.pieces.push((piece, values[cell]))
            });
        }
    }

    /// The lines in which the sides of a mesh meet the plane.
    pub fn cut_outline(self, mesh: &Mesh) -> Vec<[[f64; 2]; 2]> {
        // The cell behind a side that meets the plane meets it too.
        let met = (0..mesh.num_cells()).filter(|&cell| self.parts(&self.corners(mesh, mesh.cells.nodes.row(cell))));
        let mut lines = Vec::new();
        for face in mesh.outline(met) {
            let corners = self.corners(mesh, &face);
            let shape = if face.len() == 3 { Shape::Triangle } else { Shape::Quadrilateral };
            let triangles = shape.simplices().iter();
            lines.extend(triangles.filter_map(|of| self.cut_triangle([0, 1, 2].map(|k| corners[of[k] as usize]))));
        }
        lines
    }

    fn corners(self, mesh: &Mesh, nodes: &[u32]) -> Vec<[f64; 3]> {
        nodes.iter().map(|&node| mesh.points[node as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstructured::make::{Block, Of};

    /// A cut through a unit cube of cells of each shape has area 1, and an outline of length 4, whichever way it goes; a point of a piece lies in its
    /// cell. Tolerance: round-off of thousands of pieces.
    #[test]
    fn cuts_fill_the_cube() {
        for of in [Of::Tetrahedra, Of::Hexahedra, Of::Prisms, Of::Pyramids] {
            let mut mesh = Mesh::new(Block::new(&[9, 7, 6], of).make().unwrap()).unwrap();
            // Each cell has its own nodes, as where cells are refined.
            mesh.points = mesh.cells.nodes.items.iter().map(|&node| mesh.points[node as usize]).collect();
            mesh.cells.nodes.items = (0..mesh.points.len() as u32).collect();
            let (groups, numbers): (_, Vec<f64>) = (mesh.groups(), (0..mesh.num_cells()).map(|n| n as f64).collect());
            for (axis, position) in [(0, 0.43), (1, 0.71), (2, 0.17)] {
                let (plane, mut shown) = (Plane { axis, position }, Shown::default());
                plane.cut_cells(&mesh, 0..mesh.num_cells(), &numbers, &mut shown);
                let area = |[a, b, c, d]: [[f64; 2]; 4]| {
                    0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0])).abs()
                };
                let total: f64 = shown.pieces.iter().map(|(piece, _)| area(*piece)).sum();
                assert!((total - 1.0).abs() < 1e-12, "{of:?}, axis {axis}: {total}");
                let length: f64 = plane.cut_outline(&mesh).iter().map(|[a, b]| (b[0] - a[0]).hypot(b[1] - a[1])).sum();
                assert!((length - 4.0).abs() < 1e-12, "{of:?}, axis {axis}: {length}");
                for (piece, number) in shown.pieces.iter().filter(|(piece, _)| area(*piece) > 1e-6).step_by(7) {
                    let mut point = [position; 3];
                    let inner = [0, 1].map(|k| piece.iter().map(|corner| 0.25 * corner[k]).sum());
                    plane.others().into_iter().zip(inner).for_each(|(d, x)| point[d] = x);
                    assert_eq!(mesh.cell_in(&groups, point), Some(*number as usize), "{of:?}: {point:?}");
                }
            }
        }
    }
}
