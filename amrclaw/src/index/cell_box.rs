//! Boxes of cells.

use super::Ratio;
use std::fmt;

/// A cell of one level, counted from the domain's lower corner. Cells outside the domain have indices too.
pub type CellIndex<const D: usize> = [i32; D];

/// Cells `lo[d] <= i[d] < hi[d]` of one level. Half-open: empty is a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellBox<const D: usize> {
    /// First cell along each axis.
    pub lo: CellIndex<D>,
    /// One past the last cell along each axis.
    pub hi: CellIndex<D>,
}

impl<const D: usize> CellBox<D> {
    /// The box from `lo` up to, not including, `hi`.
    pub const fn new(lo: CellIndex<D>, hi: CellIndex<D>) -> Self {
        CellBox { lo, hi }
    }

    /// A box without cells.
    pub const EMPTY: Self = CellBox { lo: [0; D], hi: [0; D] };

    /// The box of one cell.
    pub fn cell(i: CellIndex<D>) -> Self {
        CellBox { lo: i, hi: i.map(|x| x + 1) }
    }

    /// True if the box holds no cell.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|d| self.lo[d] >= self.hi[d])
    }

    /// Cells along each axis; zero where the box is empty along it.
    pub fn size(&self) -> [i32; D] {
        std::array::from_fn(|d| (self.hi[d] - self.lo[d]).max(0))
    }

    /// Cells in the box.
    pub fn volume(&self) -> usize {
        self.size().iter().map(|&n| n as usize).product()
    }

    /// The axis along which the box is longest; the first of equals.
    pub fn longest_axis(&self) -> usize {
        let size = self.size();
        (0..D).rev().max_by_key(|&d| size[d]).unwrap_or(0)
    }

    /// True if the cell lies in the box.
    pub fn contains(&self, i: CellIndex<D>) -> bool {
        (0..D).all(|d| self.lo[d] <= i[d] && i[d] < self.hi[d])
    }

    /// True if every cell of `other` lies in this box. An empty box lies in every box.
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (0..D).all(|d| self.lo[d] <= other.lo[d] && other.hi[d] <= self.hi[d])
    }

    /// Cells in both boxes.
    pub fn intersect(&self, other: &Self) -> Self {
        CellBox {
            lo: std::array::from_fn(|d| self.lo[d].max(other.lo[d])),
            hi: std::array::from_fn(|d| self.hi[d].min(other.hi[d])),
        }
    }

    /// True if the boxes share a cell.
    pub fn intersects(&self, other: &Self) -> bool {
        !self.intersect(other).is_empty()
    }

    /// The smallest box that holds both; an empty box adds nothing.
    pub fn hull(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => CellBox {
                lo: std::array::from_fn(|d| self.lo[d].min(other.lo[d])),
                hi: std::array::from_fn(|d| self.hi[d].max(other.hi[d])),
            },
        }
    }

    /// `n` more cells on every side; fewer if `n` is negative.
    pub fn grow(&self, n: i32) -> Self {
        self.grow_by([n; D])
    }

    /// `n[d]` more cells on both sides along axis `d`.
    pub fn grow_by(&self, n: [i32; D]) -> Self {
        CellBox { lo: std::array::from_fn(|d| self.lo[d] - n[d]), hi: std::array::from_fn(|d| self.hi[d] + n[d]) }
    }

    /// The box moved by `by` cells.
    pub fn shift(&self, by: CellIndex<D>) -> Self {
        CellBox { lo: std::array::from_fn(|d| self.lo[d] + by[d]), hi: std::array::from_fn(|d| self.hi[d] + by[d]) }
    }

    /// The cells of the finer level that make up this box.
    pub fn fine_from_coarse(&self, r: Ratio<D>) -> Self {
        CellBox { lo: std::array::from_fn(|d| self.lo[d] * r.0[d]), hi: std::array::from_fn(|d| self.hi[d] * r.0[d]) }
    }

    /// The cells of the coarser level that this box touches: rounded outward.
    pub fn coarse_from_fine(&self, r: Ratio<D>) -> Self {
        CellBox {
            lo: std::array::from_fn(|d| self.lo[d].div_euclid(r.0[d])),
            hi: std::array::from_fn(|d| (self.hi[d] + r.0[d] - 1).div_euclid(r.0[d])),
        }
    }

    /// Cuts the box before cell `at` of `axis`.
    pub fn split(&self, axis: usize, at: i32) -> (Self, Self) {
        let (mut lower, mut upper) = (*self, *self);
        lower.hi[axis] = at;
        upper.lo[axis] = at;
        (lower, upper)
    }

    /// The parts of this box outside `other`: at most `2 D` disjoint boxes, appended to `parts`.
    pub fn subtract_into(&self, other: &Self, parts: &mut Vec<Self>) {
        let common = self.intersect(other);
        if common.is_empty() {
            if !self.is_empty() {
                parts.push(*self);
            }
            return;
        }
        let mut rest = *self;
        for d in (0..D).rev() {
            let (below, from_common) = rest.split(d, common.lo[d]);
            let (middle, above) = from_common.split(d, common.hi[d]);
            parts.extend([below, above].into_iter().filter(|b| !b.is_empty()));
            rest = middle;
        }
    }

    /// Number of a cell of the box, counted with the first axis fastest.
    pub fn number_of(&self, cell: CellIndex<D>) -> usize {
        let size = self.size();
        (0..D).rev().fold(0, |number, d| number * size[d] as usize + (cell[d] - self.lo[d]) as usize)
    }

    /// The first cell of each row along the first axis.
    pub fn rows(&self) -> impl Iterator<Item = CellIndex<D>> + use<D> {
        let mut starts = *self;
        if !self.is_empty() {
            starts.hi[0] = starts.lo[0] + 1;
        }
        starts.cells()
    }

    /// The parts of this box that no other box covers.
    pub fn outside_all<'a>(&self, others: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut open = vec![*self];
        for part in others {
            let mut rest = Vec::new();
            open.iter().for_each(|cells| cells.subtract_into(part, &mut rest));
            open = rest;
        }
        open
    }

    /// All cells of the box, first axis fastest.
    pub fn cells(&self) -> impl Iterator<Item = CellIndex<D>> + use<D> {
        let (lo, hi) = (self.lo, self.hi);
        let mut next = if self.is_empty() { None } else { Some(lo) };
        std::iter::from_fn(move || {
            let cell = next?;
            next = (0..D).find(|&d| cell[d] + 1 < hi[d]).map(|d| {
                let mut after = cell;
                after[d] += 1;
                after[..d].copy_from_slice(&lo[..d]);
                after
            });
            Some(cell)
        })
    }
}

impl<const D: usize> fmt::Debug for CellBox<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}..{:?}", self.lo, self.hi)
    }
}
