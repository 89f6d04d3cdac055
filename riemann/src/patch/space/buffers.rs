//! What the update in space keeps between one row and the next, and between one plane and the next.

use crate::patch::{PACK_OVERRUN, SPACE_TILE};
use crate::real::{Real, Scalar};

/// Column of the first pack: the cell before the tile.
pub(super) const FIRST: isize = -1;
/// Numbers before the first column, so that its left neighbour is there too and packs are aligned.
const PAD: usize = PACK_OVERRUN;
/// Numbers in a row of so many columns: three more, and packs that run over the last.
const fn row_len(columns: usize) -> usize {
    PAD + (columns + 3).next_multiple_of(PACK_OVERRUN) + PACK_OVERRUN
}
/// Bytes to which rows are aligned: the widest pack.
const ALIGNMENT: usize = 64;

/// Some numbers for each cell of a row, or of a plane of rows: one array after another.
#[derive(Clone, Copy)]
pub(super) struct Group<R> {
    start: *mut R,
    component: usize,
}

impl<R: Scalar> Group<R> {
    /// Address of number `m` at a place given by [`Buffers::in_row`] or [`Buffers::in_plane`].
    #[inline(always)]
    pub fn at(self, m: usize, place: isize) -> *mut R {
        self.start.wrapping_offset((m * self.component) as isize + place)
    }

    /// Reads `N` numbers of the pack at `place`.
    ///
    /// # Safety
    /// The group has `N` numbers, and the place is one of its row or plane.
    #[inline(always)]
    pub unsafe fn load<V: Real<Scalar = R>, const N: usize>(self, place: isize) -> [V; N] {
        let mut values = [V::zero(); N];
        for (m, value) in values.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *value = unsafe { V::load(self.at(m, place)) };
        }
        values
    }

    /// Writes `N` numbers of the pack at `place`.
    ///
    /// # Safety
    /// As for [`Group::load`].
    #[inline(always)]
    pub unsafe fn store<V: Real<Scalar = R>, const N: usize>(self, place: isize, values: [V; N]) {
        for (m, value) in values.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { value.store(self.at(m, place)) };
        }
    }

    /// Reads `K` vectors of `N` numbers each.
    ///
    /// # Safety
    /// As for [`Group::load`], with `K · N` numbers.
    #[inline(always)]
    pub unsafe fn load_all<V: Real<Scalar = R>, const N: usize, const K: usize>(self, place: isize) -> [[V; N]; K] {
        let mut vectors = [[V::zero(); N]; K];
        for (k, vector) in vectors.iter_mut().enumerate() {
            for (m, value) in vector.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                *value = unsafe { V::load(self.at(k * N + m, place)) };
            }
        }
        vectors
    }

    /// Writes `K` vectors of `N` numbers each.
    ///
    /// # Safety
    /// As for [`Group::load_all`].
    #[inline(always)]
    pub unsafe fn store_all<V: Real<Scalar = R>, const N: usize, const K: usize>(
        self,
        place: isize,
        vectors: &[[V; N]; K],
    ) {
        for (k, vector) in vectors.iter().enumerate() {
            for (m, value) in vector.iter().enumerate() {
                // SAFETY: the caller's promise.
                unsafe { value.store(self.at(k * N + m, place)) };
            }
        }
    }
}

/// Solved faces, and their limited corrections.
#[derive(Clone, Copy)]
pub(super) struct FaceRow<R> {
    pub waves: Group<R>,
    pub speeds: Group<R>,
    pub amdq: Group<R>,
    pub apdq: Group<R>,
    /// Products of the waves with those of the face below.
    pub products: Group<R>,
    /// 𝒜⁺ΔQ of the face below that whose waves are kept; along x, where rows are kept whole, of none.
    pub apdq_below: Group<R>,
    pub correction: Group<R>,
}

/// What a cell's fluctuations send through its faces along another axis: 6 vectors, see [`super::transverse`].
pub(super) type Moved<R> = Group<R>;

/// All that is kept while row `j` of plane `k` is worked on. Names with two axes: what fluctuations along the first send
/// through faces along the second.
pub(super) struct Buffers<R> {
    row: usize,
    /// Faces along x of row j; along y the faces j, then j + 1, of plane k; along z the faces k, then k + 1, by plane.
    pub faces: [FaceRow<R>; 3],
    /// Fluctuations into the cells, 𝒜⁺ΔQ + 𝒜⁻ΔQ, and corrections of their lower faces: along x and y by plane, those of
    /// plane k − 1 until plane k's are known.
    pub plane_fluctuations: [Group<R>; 2],
    pub plane_corrections: [Group<R>; 2],
    /// The same of plane k − 1, by row: along x of rows j − 1 and j, along y of row j − 1 and of faces j; along z of rows
    /// j − 1 and j.
    pub x_fluctuations: [Group<R>; 2],
    pub x_corrections: [Group<R>; 2],
    pub y_fluctuations: Group<R>,
    pub y_correction: Group<R>,
    pub z_fluctuations: [Group<R>; 2],
    /// What moves along the third axis on its way, by plane where that is z, by row where it is y.
    pub moved_xy: Moved<R>,
    pub moved_yx: Moved<R>,
    pub moved_xz: Moved<R>,
    pub moved_zx: Moved<R>,
    /// Where the third axis is x: a row, all of it before its neighbours are looked at.
    pub moved_along_x: Moved<R>,
    /// What goes through lower and upper faces: of plane k − 1 to x and y, of plane k to z.
    pub sent_xy: Group<R>,
    pub sent_yx: Group<R>,
    pub sent_xz: Group<R>,
    pub sent_zx: Group<R>,
    pub sent_yz: Group<R>,
    pub sent_zy: Group<R>,
    /// What went through upper faces of row j − 1 (to y), and of plane k − 1 (to z).
    pub up_xy: Group<R>,
    pub up_zy: Group<R>,
    pub up_xz: Group<R>,
    pub up_yz: Group<R>,
    /// Corrections with all that is sent through faces: F̃ of row j − 1, G̃ of faces j, H̃ of faces k by plane.
    pub f: Group<R>,
    pub g: Group<R>,
    pub h: Group<R>,
    /// New states of row j − 1 but for the part along x.
    pub partial: Group<R>,
}

/// Numbers of scratch memory that a tile needs, wherever the memory starts.
pub(in crate::patch) const fn scratch_len(m: usize, w: usize) -> usize {
    let row = row_len(SPACE_TILE[0]);
    let faces = w * m + 2 * w + 4 * m;
    let planes = faces + 4 * m + 12 * m + 3 * m;
    let rows = 2 * faces + 8 * m + 18 * m + 12 * m + 2 * m + 3 * m;
    (planes * (SPACE_TILE[1] + 2) + rows) * row + ALIGNMENT
}

impl<R: Scalar> Buffers<R> {
    /// Carves the buffers for a tile of so many columns and rows out of one block of memory.
    ///
    /// # Panics
    /// If the block is smaller than [`scratch_len`].
    pub fn new(scratch: &mut [R], [columns, rows]: [usize; 2], m: usize, w: usize) -> Self {
        let skip = scratch.as_ptr().align_offset(ALIGNMENT).min(scratch.len());
        let mut rest = &mut scratch[skip..];
        let row = row_len(columns);
        let mut carve = |numbers: usize, rows: usize| {
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(numbers * rows * row);
            rest = others;
            Group { start: mine.as_mut_ptr(), component: rows * row }
        };
        let rows = rows + 2;
        let mut faces = |rows: usize| FaceRow {
            waves: carve(w * m, rows),
            speeds: carve(w, rows),
            amdq: carve(m, rows),
            apdq: carve(m, rows),
            products: carve(w, rows),
            apdq_below: carve(m, rows),
            correction: carve(m, rows),
        };
        let faces = [faces(1), faces(1), faces(rows)];
        let mut plane = |vectors: usize| carve(vectors * m, rows);
        let (plane_fluctuations, plane_corrections) = ([plane(1), plane(1)], [plane(1), plane(1)]);
        let (moved_xy, moved_yx) = (plane(6), plane(6));
        let (up_xz, up_yz, h) = (plane(1), plane(1), plane(1));
        let mut line = |vectors: usize| carve(vectors * m, 1);
        Buffers {
            row,
            faces,
            plane_fluctuations,
            plane_corrections,
            x_fluctuations: [line(1), line(1)],
            x_corrections: [line(1), line(1)],
            y_fluctuations: line(1),
            y_correction: line(1),
            z_fluctuations: [line(1), line(1)],
            moved_xy,
            moved_yx,
            moved_xz: line(6),
            moved_zx: line(6),
            moved_along_x: line(6),
            sent_xy: line(2),
            sent_yx: line(2),
            sent_xz: line(2),
            sent_zx: line(2),
            sent_yz: line(2),
            sent_zy: line(2),
            up_xy: line(1),
            up_zy: line(1),
            up_xz,
            up_yz,
            f: line(1),
            g: line(1),
            h,
            partial: line(1),
        }
    }

    /// Place of column `i` in a row.
    #[inline(always)]
    pub fn in_row(&self, i: isize) -> isize {
        PAD as isize + i - FIRST
    }

    /// Place of column `i` of row `j` in a plane; rows −1 to the one behind the last are there.
    #[inline(always)]
    pub fn in_plane(&self, i: isize, j: isize) -> isize {
        (j + 1) * self.row as isize + self.in_row(i)
    }

    /// Row j becomes row j − 1.
    #[inline(always)]
    pub fn next_row(&mut self) {
        self.x_fluctuations.swap(0, 1);
        self.x_corrections.swap(0, 1);
        self.z_fluctuations.swap(0, 1);
    }
}
