//! Faces: solved, limited, and what they send into the cells beside them.

use super::Block;
use super::buffers::{FIRST, FaceRow};
use crate::axis::Axis;
use crate::patch::beside::solve_face;
use crate::patch::correction::{Waves, limited_correction, wave_products};
use crate::patch::x_faces::shift_up;
use crate::real::Real;
use crate::solver::{Normal, Solver};

impl<S, V, const M: usize, const W: usize, const A: usize> Block<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Solves the pack of faces below the pack of cells at `cell`.
    #[inline(always)]
    unsafe fn solve(&self, axis: Axis, cell: isize) -> Normal<V, M, W> {
        let (tile, below) = (&self.tile, cell - self.step(axis));
        // SAFETY: two ghost cells around the tile are readable.
        unsafe {
            let (q, aux) = ([tile.state(below), tile.state(cell)], [tile.aux(below), tile.aux(cell)]);
            solve_face(&tile.solver, tile.args, (axis, cell), q, aux)
        }
    }

    #[inline(always)]
    unsafe fn store_face(row: FaceRow<V::Scalar>, place: isize, face: &Normal<V, M, W>, products: &[V; W]) {
        // SAFETY: the place is one of the row.
        unsafe {
            row.waves.store_all(place, &face.waves);
            row.speeds.store(place, face.speeds);
            row.amdq.store(place, face.amdq);
            row.apdq.store(place, face.apdq);
            row.products.store(place, *products);
        }
    }

    /// Waves and speeds of a face that is kept.
    #[inline(always)]
    unsafe fn waves(row: FaceRow<V::Scalar>, place: isize) -> Waves<V, M, W> {
        // SAFETY: the place is one of the row.
        unsafe { Waves { waves: row.waves.load_all(place), speeds: row.speeds.load(place) } }
    }

    /// The limited correction of the pack of faces below `cell`. `products`: with the waves of the faces below and above.
    #[inline(always)]
    unsafe fn correct(&self, axis: Axis, cell: isize, face: &Waves<V, M, W>, products: [&[V; W]; 2]) -> [V; M] {
        if self.tile.args.scheme.order < 2 {
            return [V::zero(); M];
        }
        // SAFETY: the cells beside the face are readable.
        let kappa = unsafe { self.inverse_capacities(axis, cell) };
        let dtdx = self.dt_over_dx[axis.index()] * (V::constant(0.5) * (kappa[0] + kappa[1]));
        limited_correction::<S, V, M, W, A>(self.tile.args.scheme, face, products, dtdx)
    }

    /// 1/κ of the cells beside the faces below `cell`.
    #[inline(always)]
    pub(super) unsafe fn inverse_capacities(&self, axis: Axis, cell: isize) -> [V; 2] {
        // SAFETY: the cells beside the face are readable.
        unsafe { [self.tile.inverse_capacity(cell - self.step(axis)), self.tile.inverse_capacity(cell)] }
    }

    /// Stores what enters a pack of cells, to be split later; where their sum is enough, it is stored in the place of the first. `asdq`
    /// is 𝒜⁺ΔQ of the lower faces and 𝒜⁻ΔQ of the upper ones, `corrections` are those of both.
    #[inline(always)]
    unsafe fn keep_entering(&self, place: isize, asdq: [[V; M]; 2], corrections: [[V; M]; 2]) {
        let (mut once, mut twice) = (asdq, asdq);
        if self.tile.args.scheme.transverse == 2 {
            // The factors of the correction are those of ½ Δt/Δx and of ⅙ Δt², by which the parts are scaled.
            for m in 0..M {
                let [lower, upper] = [corrections[0][m], corrections[1][m]];
                once[0][m] -= lower + lower;
                twice[0][m] -= lower + lower + lower;
                once[1][m] += upper + upper;
                twice[1][m] += upper + upper + upper;
            }
        }
        if S::SPLITS_SUMS {
            for m in 0..M {
                once[0][m] += once[1][m];
                twice[0][m] += twice[1][m];
            }
        }
        // SAFETY: the place is one of the row.
        unsafe {
            self.keep.once.store_all(place, &once);
            self.keep.twice.store_all(place, &twice);
        }
    }

    /// Solves the faces along x of row `j`, plane `k`. `inside`: these are the tile's own.
    #[inline(always)]
    pub(super) unsafe fn solve_x(&mut self, j: isize, k: isize, inside: bool) {
        let (columns, row) = (self.size[0], self.keep.faces[0]);
        let mut waves_before = [[V::zero(); M]; W];
        let mut i = FIRST;
        while i <= columns + 1 {
            let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
            // SAFETY: packs run over the row's end by no more than a pack.
            unsafe {
                let face = self.solve(Axis::X, cell);
                let mut left = face.waves;
                for w in 0..W {
                    left[w] = shift_up(&waves_before[w], &face.waves[w]);
                }
                waves_before = face.waves;
                Self::store_face(row, place, &face, &wave_products(&left, &face.waves));
                if inside {
                    let kappa = self.inverse_capacities(Axis::X, cell);
                    self.tile.note_speeds(&face.speeds, kappa, self.dt_over_dx[0], i, columns + 1);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Limits the faces along x of row `j`, plane `k`.
    #[inline(always)]
    pub(super) unsafe fn correct_x(&mut self, j: isize, k: isize) {
        let row = self.keep.faces[0];
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
            // SAFETY: the faces to both sides are in the row.
            unsafe {
                let products = [&row.products.load(place), &row.products.load(place + 1)];
                row.correction.store(place, self.correct(Axis::X, cell, &Self::waves(row, place), products));
            }
            i += V::LANES as isize;
        }
    }

    /// What the faces along x of row `j`, plane `k` send into its cells.
    #[inline(always)]
    pub(super) unsafe fn enter_x(&mut self, j: isize, k: isize) {
        let (row, start) = (self.keep.faces[0], self.keep.in_ring(0, j, k));
        let mut i = FIRST;
        while i <= self.size[0] {
            let place = self.keep.in_row(i);
            // SAFETY: packs run over the row's end by no more than a pack.
            unsafe {
                let (lower, upper): ([V; M], [V; M]) = (row.apdq.load(place), row.amdq.load(place + 1));
                let corrections: [[V; M]; 2] = [row.correction.load(place), row.correction.load(place + 1)];
                let mut fluctuations = lower;
                for m in 0..M {
                    fluctuations[m] = lower[m] + upper[m];
                }
                self.keep.fluctuations[0].store(start + i, fluctuations);
                self.keep.corrections[0].store(start + i, corrections[0]);
                if self.transverse {
                    self.keep_entering(place, [lower, upper], corrections);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Along y solves the faces j + 1 of plane `k` and limits the faces j, along z solves the faces k + 1 of row `j` and limits
    /// the faces k; and what these and those below send into the cells between them. `inside`: these are the tile's own.
    #[inline(always)]
    pub(super) unsafe fn march_faces(&mut self, axis: Axis, [j, k]: [isize; 2], inside: bool) {
        let (columns, row, along) = (self.size[0], self.keep.faces[axis.index()], axis == Axis::Y);
        let number = if along { j } else { k };
        let start = if along { self.keep.in_row(0) } else { self.keep.in_plane(0, j) };
        let (corrections, corrections_start) = (self.keep.corrections[1], self.keep.in_ring(0, j, k));
        let (fluctuations, fluctuations_start) = match along {
            true => (self.keep.fluctuations[1], self.keep.in_ring(0, (j - 1).max(-1), k)),
            false => (self.keep.z_fluctuations[1], self.keep.in_row(0)),
        };
        let mut i = FIRST;
        while i <= columns {
            let (place, cell) = (start + i, self.cell(i, j, k));
            // SAFETY: two ghost cells to each side are readable, and places are those of row, plane and ring.
            unsafe {
                let here = Self::waves(row, place);
                let above = self.solve(axis, cell + self.step(axis));
                let products = wave_products(&here.waves, &above.waves);
                let apdq: [V; M] = row.apdq.load(place);
                if number >= 0 {
                    if inside {
                        let kappa = self.inverse_capacities(axis, cell);
                        self.tile.note_speeds(&here.speeds, kappa, self.dt_over_dx[axis.index()], i, columns);
                    }
                    let correction = self.correct(axis, cell, &here, [&row.products.load(place), &products]);
                    let lower: [V; M] = row.apdq_below.load(place);
                    let upper: [V; M] = row.amdq.load(place);
                    if number > 0 {
                        let mut sum = lower;
                        for m in 0..M {
                            sum[m] = lower[m] + upper[m];
                        }
                        fluctuations.store(fluctuations_start + i, sum);
                        if self.transverse {
                            let corrections = [row.correction.load(place), correction];
                            self.keep_entering(self.keep.in_row(i), [lower, upper], corrections);
                        }
                    }
                    row.correction.store(place, correction);
                    if along {
                        corrections.store(corrections_start + i, correction);
                    }
                }
                row.apdq_below.store(place, apdq);
                Self::store_face(row, place, &above, &products);
            }
            i += V::LANES as isize;
        }
    }
}
