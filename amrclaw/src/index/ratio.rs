//! Refinement ratios.

/// Cells of the finer level along each axis of a cell of the coarser one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio<const D: usize>(pub [i32; D]);

impl<const D: usize> Ratio<D> {
    /// The same ratio along every axis.
    pub const fn uniform(r: i32) -> Self {
        Ratio([r; D])
    }

    /// Fine cells in one coarse cell.
    pub fn cells(self) -> i32 {
        self.0.iter().product()
    }

    /// Fine faces in one coarse face with normal `axis`.
    pub fn faces(self, axis: usize) -> i32 {
        self.cells() / self.0[axis]
    }

    /// The largest ratio over the axes.
    pub fn largest(self) -> i32 {
        self.0.into_iter().fold(1, i32::max)
    }
}

impl<const D: usize> AsRef<[i32]> for Ratio<D> {
    fn as_ref(&self) -> &[i32] {
        &self.0
    }
}
