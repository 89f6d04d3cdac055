//! Row buffers of a tile: what the update keeps between one row and the next.

use super::{PACK_OVERRUN, TILE_COLUMNS, TILE_GROWTH};
use crate::real::{Real, Scalar};

/// Column of the first pack: the cell before the tile, whose right face is the tile's first.
pub(super) const FIRST: isize = -1;

/// Numbers in one row buffer: the columns, and packs that run over the last.
/// An odd number of packs, so that the same column of different buffers falls into different sets of the cache.
const ROW: usize = (((TILE_COLUMNS + TILE_GROWTH).div_ceil(PACK_OVERRUN) + 3) | 1) * PACK_OVERRUN;

/// Bytes to which row buffers are aligned: the widest pack. All packs counted from the first are aligned too.
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
        // Every component has ROW numbers; columns FIRST .. columns + 2 PACK_OVERRUN lie in its row.
        self.start.wrapping_offset((m * ROW) as isize + i - FIRST)
    }

    /// Reads `N` components of the pack at column `i`.
    ///
    /// # Safety
    /// The group has `N` components; `i` is not before [`FIRST`] and no more than a pack behind the last column.
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

/// What the x-faces of a row contribute to its cells.
#[derive(Clone, Copy)]
pub(super) struct XRow<R> {
    /// 𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) of cell i.
    pub fluctuations: Rows<R>,
    /// Second-order correction of face i.
    pub correction: Rows<R>,
    /// What leaves cell i upward.
    pub up: Rows<R>,
    /// First-order fluxes of quantities that are kept from being negative, through face i.
    pub first_order: Rows<R>,
    /// What leaves cell i at first order of these.
    pub outflow: Rows<R>,
}

/// Solved y-faces, where solving them again costs more than keeping them.
#[derive(Clone, Copy)]
pub(super) struct YRow<R> {
    pub waves: Rows<R>,
    pub speeds: Rows<R>,
    pub bmdq: Rows<R>,
    pub bpdq: Rows<R>,
    /// Means of the states on both sides, of solvers that take them.
    pub mean: Rows<R>,
}

/// All row buffers of a tile while row k is processed. Face k lies between rows k − 1 and k. Buffers of one row are overwritten pack by
/// pack, once the pack before them has been read.
#[derive(Clone, Copy)]
pub(super) struct Buffers<R> {
    /// Rows k − 1 and k.
    pub x: [XRow<R>; 2],
    /// What leaves the cells of row k downward.
    pub down: Rows<R>,
    /// Face k, then k + 1.
    pub y: YRow<R>,
    /// Products of the waves of face k, then k + 1, with those of the face below.
    pub products: Rows<R>,
    /// ℬ⁺ΔQ of face k − 1, then k.
    pub bpdq_below: Rows<R>,
    /// What the upper-going fluctuation of face k − 1, then k, sends to the left and to the right.
    pub left: Rows<R>,
    pub right: Rows<R>,
    /// G̃ of face k − 1, then k.
    pub g: Rows<R>,
    /// F̃ of row k − 1.
    pub f: Rows<R>,
    /// First-order fluxes as in a row, through face k, then k + 1.
    pub first_order: Rows<R>,
    /// 1/κ of rows k − 1 and k.
    pub inverse_capacity: [Rows<R>; 2],
}

/// Numbers of scratch memory that a tile needs, wherever the memory starts. `kept`: quantities that are kept from being negative.
pub(super) const fn scratch_len(m: usize, w: usize, kept: usize) -> usize {
    (7 * m + (w * m + w + 3 * m) + w + 5 * m + 2 + 5 * kept) * ROW + ALIGNMENT
}

impl<R: Scalar> Buffers<R> {
    /// Divides one block of memory into the buffers.
    ///
    /// # Panics
    /// If the block is smaller than [`scratch_len`].
    pub(super) fn new(scratch: &mut [R], m: usize, w: usize, kept: usize) -> Self {
        let skip = scratch.as_ptr().align_offset(ALIGNMENT).min(scratch.len());
        let mut rest = &mut scratch[skip..];
        let mut rows = |components| {
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(components * ROW);
            rest = others;
            Rows { start: mine.as_mut_ptr() }
        };
        Buffers {
            x: [(); 2].map(|()| XRow {
                fluctuations: rows(m),
                correction: rows(m),
                up: rows(m),
                first_order: rows(kept),
                outflow: rows(kept),
            }),
            down: rows(m),
            y: YRow { waves: rows(w * m), speeds: rows(w), bmdq: rows(m), bpdq: rows(m), mean: rows(m) },
            products: rows(w),
            bpdq_below: rows(m),
            left: rows(m),
            right: rows(m),
            g: rows(m),
            f: rows(m),
            first_order: rows(kept),
            inverse_capacity: [(); 2].map(|()| rows(1)),
        }
    }

    /// Row k becomes row k − 1.
    #[inline(always)]
    pub(super) fn rotate(&mut self) {
        self.x.swap(0, 1);
        self.inverse_capacity.swap(0, 1);
    }
}
