//! A plane of physical space, and what it shows of cells.

/// A plane of physical space normal to an axis.
#[derive(Clone, Copy)]
pub struct Plane {
    /// The axis.
    pub axis: usize,
    /// Where on it the plane is.
    pub position: f64,
}

/// One level, or one patch, in the plane: pieces of cells with their values, and lines along the sides of patches.
#[derive(Default)]
pub struct Shown {
    /// Corners in order around each piece.
    pub pieces: Vec<([[f64; 2]; 4], f64)>,
    /// Ends of lines.
    pub lines: Vec<[[f64; 2]; 2]>,
}

impl Plane {
    /// The other axes.
    pub fn others(self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.axis]
    }

    /// True if points lie on both sides.
    pub fn parts(self, points: &[[f64; 3]]) -> bool {
        let above = points.iter().filter(|point| self.above(**point) >= 0.0).count();
        above > 0 && above < points.len()
    }

    /// How far a point lies above the plane.
    fn above(self, point: [f64; 3]) -> f64 {
        point[self.axis] - self.position
    }

    /// Where the line between two points meets the plane.
    fn meet(self, a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
        let part = self.above(a) / (self.above(a) - self.above(b));
        self.others().map(|d| a[d] + part * (b[d] - a[d]))
    }

    /// The pieces of a cell in the plane: each tetrahedron gives a quadrangle, or a triangle with its last corner repeated.
    pub(super) fn cut_cell(self, corners: &[[f64; 3]], tetrahedra: &[&[u8]], mut take: impl FnMut([[f64; 2]; 4])) {
        if !self.parts(corners) {
            return;
        }
        let num_above = |points: &[[f64; 3]]| points.iter().filter(|point| self.above(**point) >= 0.0).count();
        for tetrahedron in tetrahedra {
            let mut points: [[f64; 3]; 4] = std::array::from_fn(|k| corners[tetrahedron[k] as usize]);
            // Those above come first.
            points.sort_by_key(|point| self.above(*point) < 0.0);
            let [a, b, c, d] = points;
            let meet = |a, b| self.meet(a, b);
            match num_above(&points) {
                1 => take([meet(a, b), meet(a, c), meet(a, d), meet(a, d)]),
                2 => take([meet(a, c), meet(a, d), meet(b, d), meet(b, c)]),
                3 => take([meet(a, d), meet(b, d), meet(c, d), meet(c, d)]),
                _ => {}
            }
        }
    }

    /// The line in which a triangle meets the plane.
    pub(super) fn cut_triangle(self, mut points: [[f64; 3]; 3]) -> Option<[[f64; 2]; 2]> {
        points.sort_by_key(|point| self.above(*point) < 0.0);
        let [a, b, c] = points;
        match points.iter().filter(|point| self.above(**point) >= 0.0).count() {
            1 => Some([self.meet(a, b), self.meet(a, c)]),
            2 => Some([self.meet(a, c), self.meet(b, c)]),
            _ => None,
        }
    }
}
