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
        self.start.wrapping_add(m.wrapping_mul(self.component)).wrapping_offset(place)
    }

    /// The group without its first `m` numbers.
    #[inline(always)]
    pub fn after(self, m: usize) -> Self {
        Group { start: self.start.wrapping_add(m.wrapping_mul(self.component)), ..self }
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

/// All that is kept while row `j` of plane `k` is worked on. Groups by two axes: what fluctuations along the first send through
/// faces along the second.
#[derive(Clone, Copy)]
pub(super) struct Buffers<R> {
    row: usize,
    rows: usize,
    /// Faces along x of row j; along y the faces j, then j + 1, of plane k; along z the faces k, then k + 1, by plane.
    pub faces: [FaceRow<R>; 3],
    /// What enters the cells of a row along one axis, to be split once or twice: through lower faces, then through upper ones.
    pub once: Group<R>,
    pub twice: Group<R>,
    /// Fluctuations into the cells, 𝒜⁺ΔQ + 𝒜⁻ΔQ, and corrections of their lower faces: along x and y, by ring.
    pub fluctuations: [Group<R>; 2],
    pub corrections: [Group<R>; 2],
    /// Fluctuations along z into the cells of plane k − 1: rows j − 1 and j.
    pub z_fluctuations: [Group<R>; 2],
    /// What moves along the third axis on its way, 6 vectors: see [`super::transverse`]. By plane where that is z, by row where it is
    /// y; where it is x, all of a row before its neighbours are looked at.
    pub moved: [[Group<R>; 3]; 3],
    /// What goes through lower and upper faces: to x and y of plane k − 1, to z of plane k.
    pub sent: [[Group<R>; 3]; 3],
    /// What went up: to y through faces of row j − 1, to z through those of plane k − 1.
    pub up: [[Group<R>; 3]; 3],
    /// Corrections with all that is sent through faces: F̃ of row j − 1, G̃ of faces j, H̃ of faces k by plane.
    pub f: Group<R>,
    pub g: Group<R>,
    pub h: Group<R>,
    /// New states of row j − 1 but for the part along x.
    pub partial: Group<R>,
    /// New states of plane k − 1, while the old ones in their place are read.
    pub waiting: Group<R>,
}

/// Rows of a plane beside the tile's, and of a ring beside a plane's: between a row's writing and its last reading a plane of rows is
/// written, and one more.
const BESIDE: usize = 2;

/// Numbers of scratch memory that a tile needs, wherever the memory starts.
pub(in crate::patch) const fn scratch_len(m: usize, w: usize) -> usize {
    let faces = w * m + 2 * w + 4 * m;
    let planes = faces + (12 + 2 + 1 + 1) * m;
    let rows = 2 * faces + (4 + 2 + 18 + 12 + 2 + 3) * m;
    let plane = SPACE_TILE[1] + BESIDE;
    (planes * plane + 4 * m * (plane + BESIDE) + rows) * row_len(SPACE_TILE[0]) + ALIGNMENT
}

impl<R: Scalar> Buffers<R> {
    /// Divides one block of memory into the buffers for a tile of so many columns and rows.
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
        let rows = rows + BESIDE;
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
        let ring = rows + BESIDE;
        let (fluctuations, corrections) = ([carve(m, ring), carve(m, ring)], [carve(m, ring), carve(m, ring)]);
        let mut group = |vectors: usize, rows: usize| carve(vectors * m, rows);
        let (once, twice) = (group(2, 1), group(2, 1));
        let z_fluctuations = [group(1, 1), group(1, 1)];
        let none = group(0, 1);
        let moved_along_x = group(6, 1);
        let moved = [
            [none, group(6, rows), group(6, 1)],
            [group(6, rows), none, moved_along_x],
            [group(6, 1), moved_along_x, none],
        ];
        let sent = [0, 1, 2].map(|from| [0, 1, 2].map(|to| if from == to { none } else { group(2, 1) }));
        let up = [[none, group(1, 1), group(1, rows)], [none, none, group(1, rows)], [none, group(1, 1), none]];
        let (f, g, h, partial) = (group(1, 1), group(1, 1), group(1, rows), group(1, 1));
        let waiting = group(1, rows);
        Buffers {
            row,
            rows,
            faces,
            once,
            twice,
            fluctuations,
            corrections,
            z_fluctuations,
            moved,
            sent,
            up,
            f,
            g,
            h,
            partial,
            waiting,
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

    /// Place of column `i` of row `j`, plane `k` in a ring of rows, which holds a plane and what is read of the one before it.
    #[inline(always)]
    pub fn in_ring(&self, i: isize, j: isize, k: isize) -> isize {
        // Rows and planes are counted from −2.
        let number = (k + 2) as usize * self.rows + (j + 2) as usize;
        (number % (self.rows + BESIDE) * self.row) as isize + self.in_row(i)
    }

    /// Row j becomes row j − 1.
    #[inline(always)]
    pub fn next_row(&mut self) {
        self.z_fluctuations.swap(0, 1);
    }
}
