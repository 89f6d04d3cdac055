//! Row buffers of a tile: what the update keeps between one row and the next.

use super::{PACK_OVERRUN, TILE_COLUMNS, TILE_GROWTH};
use crate::real::{Real, Scalar};

/// Numbers in one row buffer: a pack before the tile's first column, the columns, and packs that run over the last.
/// An odd number of packs, so that the same column of different buffers falls into different sets of the cache.
pub(super) const ROW: usize = (((TILE_COLUMNS + TILE_GROWTH).div_ceil(PACK_OVERRUN) + 3) | 1) * PACK_OVERRUN;

/// Bytes to which row buffers are aligned: the widest pack. Column 0 and all packs counted from it are aligned too.
const ALIGNMENT: usize = 64;

/// A group of row buffers inside the scratch memory: one per component.
#[derive(Clone, Copy)]
pub(super) struct Rows<R> {
    start: *mut R,
}

impl<R: Scalar> Rows<R> {
    /// Address of column `i` (0 is the tile's first cell) of component `m`.
    #[inline(always)]
    pub(super) fn at(self, m: usize, i: isize) -> *mut R {
        // Every component has ROW numbers; columns −PACK_OVERRUN .. columns + 2 PACK_OVERRUN lie in its row.
        self.start.wrapping_offset((m * ROW + PACK_OVERRUN) as isize + i)
    }

    /// Reads `N` components of the pack at column `i`.
    ///
    /// # Safety
    /// The group has `N` components; `i` lies no more than a pack before column 0 or behind the last.
    #[inline(always)]
    pub(super) unsafe fn load<V: Real<Scalar = R>, const N: usize>(self, i: isize) -> [V; N] {
        let mut values = [V::zero(); N];
        for (m, value) in values.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *value = unsafe { V::load(self.at(m, i)) };
        }
        values
    }

    /// Writes `N` components of the pack at column `i`.
    ///
    /// # Safety
    /// As for [`Rows::load`].
    #[inline(always)]
    pub(super) unsafe fn store<V: Real<Scalar = R>, const N: usize>(self, i: isize, values: [V; N]) {
        for (m, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { value.store(self.at(m, i)) };
        }
    }
}

impl<R: Scalar> Rows<R> {
    /// Reads `W` waves of `M` components each.
    ///
    /// # Safety
    /// As for [`Rows::load`], with `W · M` components.
    #[inline(always)]
    pub(super) unsafe fn load_flat<V: Real<Scalar = R>, const M: usize, const W: usize>(self, i: isize) -> [[V; M]; W] {
        let mut waves = [[V::zero(); M]; W];
        for (w, wave) in waves.iter_mut().enumerate() {
            for (m, value) in wave.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                *value = unsafe { V::load(self.at(w * M + m, i)) };
            }
        }
        waves
    }

    /// Writes `W` waves of `M` components each.
    ///
    /// # Safety
    /// As for [`Rows::load_flat`].
    #[inline(always)]
    pub(super) unsafe fn store_flat<V: Real<Scalar = R>, const M: usize, const W: usize>(
        self,
        i: isize,
        waves: &[[V; M]; W],
    ) {
        for (w, wave) in waves.iter().enumerate() {
            for (m, value) in wave.iter().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { value.store(self.at(w * M + m, i)) };
            }
        }
    }
}

/// Hands out row buffers from one block of memory.
pub(super) struct Carver<'a, R> {
    rest: &'a mut [R],
}

impl<'a, R: Scalar> Carver<'a, R> {
    /// Starts at the first aligned number of the block.
    pub(super) fn new(scratch: &'a mut [R]) -> Self {
        let skip = scratch.as_ptr().align_offset(ALIGNMENT).min(scratch.len());
        Carver { rest: &mut scratch[skip..] }
    }

    /// `components` row buffers.
    ///
    /// # Panics
    /// If the block is too small.
    pub(super) fn rows(&mut self, components: usize) -> Rows<R> {
        let (mine, rest) = std::mem::take(&mut self.rest).split_at_mut(components * ROW);
        self.rest = rest;
        Rows { start: mine.as_mut_ptr() }
    }
}

/// Numbers of scratch memory for so many row buffers, wherever the memory starts.
pub(super) const fn scratch_len(rows: usize) -> usize {
    rows * ROW + ALIGNMENT
}
