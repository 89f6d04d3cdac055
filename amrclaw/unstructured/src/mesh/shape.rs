//! Shapes of cells and their faces.

/// Shape of a cell. Nodes are in Gmsh's order, which is VTK's: a base counterclockwise seen from inside, then what is above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Three nodes in the plane.
    #[default]
    Triangle,
    /// Four nodes in the plane.
    Quadrilateral,
    /// Four nodes.
    Tetrahedron,
    /// Eight nodes.
    Hexahedron,
    /// Six nodes: two triangles.
    Prism,
    /// Five nodes: a quadrilateral, and the apex.
    Pyramid,
}

impl Shape {
    /// All shapes, in the order of their numbers.
    pub const ALL: [Shape; 6] =
        [Shape::Triangle, Shape::Quadrilateral, Shape::Tetrahedron, Shape::Hexahedron, Shape::Prism, Shape::Pyramid];

    /// Number of dimensions.
    pub fn dim(self) -> usize {
        if matches!(self, Shape::Triangle | Shape::Quadrilateral) { 2 } else { 3 }
    }

    /// Number of nodes.
    pub fn num_nodes(self) -> usize {
        self.turned().len()
    }

    /// The faces, each as positions in the cell's list of nodes. In space a face is counterclockwise seen from outside; in the plane the cell
    /// is on its left.
    pub fn faces(self) -> &'static [&'static [u8]] {
        match self {
            Shape::Triangle => &[&[0, 1], &[1, 2], &[2, 0]],
            Shape::Quadrilateral => &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
            Shape::Tetrahedron => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            Shape::Hexahedron => {
                &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
            }
            Shape::Prism => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
            Shape::Pyramid => &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
        }
    }

    /// The triangles, in space tetrahedra, into which the cell is divided, as positions in its list of nodes.
    pub fn simplices(self) -> &'static [&'static [u8]] {
        match self {
            Shape::Triangle => &[&[0, 1, 2]],
            Shape::Quadrilateral => &[&[0, 1, 2], &[0, 2, 3]],
            Shape::Tetrahedron => &[&[0, 1, 2, 3]],
            // Each is a path along edges from the first node to the opposite one.
            Shape::Hexahedron => {
                &[&[0, 1, 2, 6], &[0, 1, 5, 6], &[0, 3, 2, 6], &[0, 3, 7, 6], &[0, 4, 5, 6], &[0, 4, 7, 6]]
            }
            Shape::Prism => &[&[0, 1, 2, 5], &[0, 1, 5, 4], &[0, 4, 5, 3]],
            Shape::Pyramid => &[&[0, 1, 2, 4], &[0, 2, 3, 4]],
        }
    }

    /// The order of nodes in which the cell is its mirror image.
    pub(crate) fn turned(self) -> &'static [u8] {
        match self {
            Shape::Triangle => &[0, 2, 1],
            Shape::Quadrilateral => &[0, 3, 2, 1],
            Shape::Tetrahedron => &[0, 2, 1, 3],
            Shape::Hexahedron => &[0, 3, 2, 1, 4, 7, 6, 5],
            Shape::Prism => &[0, 2, 1, 3, 5, 4],
            Shape::Pyramid => &[0, 3, 2, 1, 4],
        }
    }

    /// The shape's name.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Triangle => "triangle",
            Shape::Quadrilateral => "quadrilateral",
            Shape::Tetrahedron => "tetrahedron",
            Shape::Hexahedron => "hexahedron",
            Shape::Prism => "prism",
            Shape::Pyramid => "pyramid",
        }
    }

    /// The name of several.
    pub fn plural(self) -> &'static str {
        match self {
            Shape::Triangle => "triangles",
            Shape::Quadrilateral => "quadrilaterals",
            Shape::Tetrahedron => "tetrahedra",
            Shape::Hexahedron => "hexahedra",
            Shape::Prism => "prisms",
            Shape::Pyramid => "pyramids",
        }
    }
}
