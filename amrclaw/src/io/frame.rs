//! A snapshot of the solution on the host, as writers and plots see it.

use crate::index::{CellBox, Ratio};

/// The solution at one time, interior cells only.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<const D: usize> {
    /// Number of the frame, from 0.
    pub number: usize,
    /// Time.
    pub time: f64,
    /// Steps taken so far on each level.
    pub steps: Vec<u64>,
    /// Name of each equation's quantity.
    pub equations: Vec<String>,
    /// Name of each auxiliary value; empty if there are none.
    pub aux: Vec<String>,
    /// Lower corner of the domain.
    pub lower: [f64; D],
    /// Upper corner of the domain.
    pub upper: [f64; D],
    /// Cells of the coarsest level along each axis.
    pub cells: [i32; D],
    /// Ratio between each level and the next finer one that the case allows; `max levels − 1` entries.
    pub ratios: Vec<Ratio<D>>,
    /// Levels that have patches, coarsest first.
    pub levels: Vec<FrameLevel<D>>,
}

/// One level of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FrameLevel<const D: usize> {
    /// Cell size.
    pub dx: [f64; D],
    /// The level's patches: disjoint.
    pub patches: Vec<FramePatch<D>>,
}

/// One patch of a [`Frame`].
#[derive(Clone, Debug, PartialEq)]
pub struct FramePatch<const D: usize> {
    /// The patch's cells in its level's index space.
    pub cells: CellBox<D>,
    /// Shape `[equation, z, y, x]`, x fastest, no ghost cells.
    pub q: Vec<f64>,
    /// Shape `[aux, z, y, x]`, x fastest, no ghost cells.
    pub aux: Vec<f64>,
}

impl<const D: usize> Frame<D> {
    /// The finest level's patches that cover cell coordinates are found level by level: true if a finer patch lies
    /// over `cell` of `level`.
    pub fn is_covered(&self, level: usize, cell: [i32; D]) -> bool {
        let Some(finer) = self.levels.get(level + 1) else { return false };
        let fine = CellBox::cell(cell).fine_from_coarse(self.ratios[level]);
        finer.patches.iter().any(|p| p.cells.contains_box(&fine))
    }
}
