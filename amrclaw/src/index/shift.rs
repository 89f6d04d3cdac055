//! Where a cell beyond a side of the domain has its values: how the domain repeats.

use super::{CellBox, CellIndex, Ratio};

/// Which cell stands for another one: `cell − by` or, across a folded side, `by − cell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift<const D: usize> {
    /// Zero for a cell that stands for itself.
    pub by: CellIndex<D>,
    /// Cells are read backwards along both axes.
    pub turned: bool,
}

impl<const D: usize> Shift<D> {
    /// Every cell stands for itself.
    pub const NONE: Self = Shift { by: [0; D], turned: false };

    /// The cell that stands for this one.
    pub fn source(&self, cell: CellIndex<D>) -> CellIndex<D> {
        std::array::from_fn(|d| if self.turned { self.by[d] - cell[d] } else { cell[d] - self.by[d] })
    }

    /// The cells that stand for those of a box.
    pub fn source_box(&self, cells: &CellBox<D>) -> CellBox<D> {
        match self.turned {
            true => CellBox::new(self.source(cells.hi).map(|i| i + 1), self.source(cells.lo).map(|i| i + 1)),
            false => cells.shift(self.by.map(|by| -by)),
        }
    }

    /// The cells for which those of a box stand.
    pub fn target_box(&self, cells: &CellBox<D>) -> CellBox<D> {
        if self.turned { self.source_box(cells) } else { cells.shift(self.by) }
    }

    /// The same for the cells of a level that is `ratio` times finer.
    pub fn refined(&self, ratio: Ratio<D>) -> Self {
        // Cells read backwards: the last fine cell of a coarse one is read for its first.
        let last = i32::from(self.turned);
        Shift { by: std::array::from_fn(|d| (self.by[d] + last) * ratio.0[d] - last), ..*self }
    }
}

/// How the domain repeats beyond its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats<const D: usize> {
    /// Axes along which the domain continues at both sides.
    pub axes: [bool; D],
    /// The one of two axes whose sides are folded: each meets itself, turned by 180° about its middle, and so does all that lies beyond.
    pub folded: Option<usize>,
}

impl<const D: usize> From<[bool; D]> for Repeats<D> {
    fn from(axes: [bool; D]) -> Self {
        Repeats { axes, folded: None }
    }
}

impl<const D: usize> Repeats<D> {
    /// Where the cells of an image of the domain are: the one `turn[d]` times its `size[d]` cells away along each axis `d`.
    pub fn shift(&self, turn: [i32; D], size: [i32; D]) -> Shift<D> {
        let turned = self.folded.is_some_and(|axis| turn[axis] % 2 != 0);
        let last = i32::from(turned);
        Shift { by: std::array::from_fn(|d| (turn[d] + last) * size[d] - last), turned }
    }

    /// The image of the domain, whose cells begin at zero, that holds a cell.
    pub fn turn(&self, cell: CellIndex<D>, size: [i32; D]) -> [i32; D] {
        std::array::from_fn(|d| if self.axes[d] { cell[d].div_euclid(size[d]) } else { 0 })
    }

    /// The same without the folded sides: nothing repeats beyond these.
    pub fn unfolded(&self) -> Self {
        let axes = std::array::from_fn(|d| self.axes[d] && self.folded != Some(d));
        Repeats { axes, folded: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, on 4 × 3 cells whose sides along y are folded: below the side cells are read backwards, two sizes away they are the same again,
    /// and a box stands for the cells that its cells stand for, on a finer level too.
    #[test]
    fn folded_sides_are_read_backwards() {
        let (repeats, size) = (Repeats { axes: [true; 2], folded: Some(1) }, [4, 3]);
        for (cell, source) in [
            ([0, -1], [3, 0]),
            ([2, -3], [1, 2]),
            ([1, 3], [2, 2]),
            ([-1, -1], [0, 0]),
            ([5, 4], [2, 1]),
            ([1, 7], [1, 1]),
            ([5, 1], [1, 1]),
        ] {
            let shift = repeats.shift(repeats.turn(cell, size), size);
            assert_eq!(shift.source(cell), source, "{cell:?}");
            let (one, ratio) = (CellBox::cell(cell), Ratio([2, 4]));
            assert_eq!(shift.source_box(&one), CellBox::cell(source));
            assert_eq!(shift.target_box(&CellBox::cell(source)), one);
            let fine = one.fine_from_coarse(ratio);
            assert_eq!(shift.refined(ratio).source_box(&fine), CellBox::cell(source).fine_from_coarse(ratio));
        }
        let below = repeats.shift([0, -1], size);
        assert_eq!(below.source_box(&CellBox::new([0, -2], [3, 0])), CellBox::new([1, 0], [4, 2]));
    }
}
