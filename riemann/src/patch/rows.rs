//! Row buffers of a tile: what the update keeps between one row and the next.

use super::{PACK_OVERRUN, TILE_COLUMNS, TILE_GROWTH};
use crate::real::Scalar;

/// Numbers in one row buffer: a tile's columns, two neighbours on each side, and room for the last pack to run over.
pub(super) const ROW: usize = TILE_COLUMNS + TILE_GROWTH + 4 + PACK_OVERRUN;

/// A group of row buffers inside the scratch memory: one per component.
#[derive(Clone, Copy)]
pub(super) struct Rows<R> {
    start: *mut R,
}

impl<R: Scalar> Rows<R> {
    /// Address of column `i` (0 is the tile's first cell, −2 the first column kept) of component `m`.
    #[inline(always)]
    pub(super) fn at(self, m: usize, i: isize) -> *mut R {
        // Every component has ROW numbers; columns −2 .. TILE_COLUMNS + 2 + PACK_OVERRUN lie in its row.
        self.start.wrapping_offset((m * ROW) as isize + i + 2)
    }
}

/// Hands out row buffers from one block of memory.
pub(super) struct Carver<R> {
    next: *mut R,
    left: usize,
}

impl<R: Scalar> Carver<R> {
    pub(super) fn new(scratch: &mut [R]) -> Self {
        Carver { next: scratch.as_mut_ptr(), left: scratch.len() }
    }

    /// `components` row buffers.
    pub(super) fn rows(&mut self, components: usize) -> Rows<R> {
        let len = components * ROW;
        assert!(len <= self.left, "the scratch memory holds {} numbers too few", len - self.left);
        let rows = Rows { start: self.next };
        self.next = self.next.wrapping_add(len);
        self.left -= len;
        rows
    }
}
