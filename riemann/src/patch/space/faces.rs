//! Faces: solved, limited, and what they send into the cells beside them.

use super::Block;
use super::buffers::{FIRST, FaceRow};
use super::transverse::Incoming;
use crate::axis::Axis;
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
        unsafe { tile.solver.normal(axis, tile.state(below), tile.state(cell), tile.aux(below), tile.aux(cell)) }
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

    /// The solution of a face that is kept.
    #[inline(always)]
    unsafe fn load_face(row: FaceRow<V::Scalar>, place: isize) -> Normal<V, M, W> {
        // SAFETY: the place is one of the row.
        unsafe {
            Normal {
                waves: row.waves.load_all(place),
                speeds: row.speeds.load(place),
                amdq: row.amdq.load(place),
                apdq: row.apdq.load(place),
            }
        }
    }

    /// The limited correction of the pack of faces below `cell`. `products`: with the waves of the faces below and above.
    #[inline(always)]
    unsafe fn correct(&self, axis: Axis, cell: isize, face: &Normal<V, M, W>, products: [&[V; W]; 2]) -> [V; M] {
        if self.tile.args.scheme.order < 2 {
            return [V::zero(); M];
        }
        // SAFETY: the cells beside the face are readable.
        let kappa = unsafe { self.inverse_capacities(axis, cell) };
        let dtdx = self.dt_over_dx[axis.index()] * (V::constant(0.5) * (kappa[0] + kappa[1]));
        let waves = Waves { waves: face.waves, speeds: face.speeds };
        limited_correction::<S, V, M, W, A>(self.tile.args.scheme, &waves, products, dtdx)
    }

    /// 1/κ of the cells beside the faces below `cell`.
    #[inline(always)]
    pub(super) unsafe fn inverse_capacities(&self, axis: Axis, cell: isize) -> [V; 2] {
        // SAFETY: the cells beside the face are readable.
        unsafe { [self.tile.inverse_capacity(cell - self.step(axis)), self.tile.inverse_capacity(cell)] }
    }

    /// What the faces along `axis` on both sides of the pack at `cell` send into it: of the lower face 𝒜⁺ΔQ and the
    /// correction, of the upper one 𝒜⁻ΔQ and the correction.
    #[inline(always)]
    unsafe fn incoming(&self, axis: Axis, cell: isize, asdq: [[V; M]; 2], corrections: [[V; M]; 2]) -> Incoming<V, M> {
        let step = self.step(axis);
        // SAFETY: the cells beside both faces are readable.
        let states = unsafe { [cell - step, cell, cell + step].map(|cell| self.tile.state(cell)) };
        Incoming { states, asdq, corrections }
    }

    /// Faces along x of row `j`, plane `k`. `inside`: these are the tile's own.
    #[inline(always)]
    pub(super) unsafe fn x_row(&mut self, j: isize, k: isize, inside: bool) {
        let (lanes, [columns, ..]) = (V::LANES as isize, self.size);
        let row = self.keep.faces[0];
        let mut waves_before = [[V::zero(); M]; W];
        let mut i = FIRST;
        // SAFETY: packs run over the row's end by no more than a pack.
        unsafe {
            while i <= columns + 1 {
                let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
                let face = self.solve(Axis::X, cell);
                let mut left = face.waves;
                for w in 0..W {
                    left[w] = shift_up(&waves_before[w], &face.waves[w]);
                }
                waves_before = face.waves;
                let products = wave_products(&left, &face.waves);
                Self::store_face(row, place, &face, &products);
                if inside {
                    let kappa = self.inverse_capacities(Axis::X, cell);
                    self.tile.note_speeds(&face.speeds, kappa, self.dt_over_dx[0], i, columns + 1);
                }
                i += lanes;
            }
            i = FIRST;
            while i <= columns {
                let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
                let face = Self::load_face(row, place);
                let products = [&row.products.load(place), &row.products.load(place + 1)];
                row.correction.store(place, self.correct(Axis::X, cell, &face, products));
                i += lanes;
            }
            self.set_x_row_aside(j);
            i = FIRST;
            while i <= columns {
                let (place, in_plane) = (self.keep.in_row(i), self.keep.in_plane(i, j));
                let (lower, upper): ([V; M], [V; M]) = (row.apdq.load(place), row.amdq.load(place + 1));
                let corrections: [[V; M]; 2] = [row.correction.load(place), row.correction.load(place + 1)];
                let mut fluctuations = lower;
                for m in 0..M {
                    fluctuations[m] = lower[m] + upper[m];
                }
                self.keep.plane_fluctuations[0].store(in_plane, fluctuations);
                self.keep.plane_corrections[0].store(in_plane, corrections[0]);
                if self.transverse && i < columns {
                    let incoming = self.incoming(Axis::X, self.cell(i, j, k), [lower, upper], corrections);
                    self.send_from_x(i, j, k, &incoming);
                }
                i += lanes;
            }
        }
    }

    /// Sets aside what faces along x have left of row `j` of plane k − 1.
    #[inline(always)]
    pub(super) unsafe fn set_x_row_aside(&mut self, j: isize) {
        let mut i = FIRST;
        while i <= self.size[0] {
            let (place, in_plane) = (self.keep.in_row(i), self.keep.in_plane(i, j));
            // SAFETY: the places are those of row and plane.
            unsafe {
                let fluctuations: [V; M] = self.keep.plane_fluctuations[0].load(in_plane);
                let correction: [V; M] = self.keep.plane_corrections[0].load(in_plane);
                self.keep.x_fluctuations[1].store(place, fluctuations);
                self.keep.x_corrections[1].store(place, correction);
            }
            i += V::LANES as isize;
        }
    }

    /// Solves faces j + 1 along y of plane `k`, limits faces `j`, and splits what they send into row j − 1.
    #[inline(always)]
    pub(super) unsafe fn y_row(&mut self, j: isize, k: isize, inside: bool) {
        let columns = self.size[0];
        let row = self.keep.faces[1];
        // SAFETY: two ghost rows are readable, and places are those of row and plane.
        unsafe {
            if j >= 0 {
                self.set_y_row_aside(j);
            }
            let mut i = FIRST;
            while i <= columns {
                let (place, cell) = (self.keep.in_row(i), self.cell(i, j, k));
                let here = Self::load_face(row, place);
                let above = self.solve(Axis::Y, cell + self.step(Axis::Y));
                let products = wave_products(&here.waves, &above.waves);
                if j >= 0 {
                    if inside {
                        let kappa = self.inverse_capacities(Axis::Y, cell);
                        self.tile.note_speeds(&here.speeds, kappa, self.dt_over_dx[1], i, columns);
                    }
                    let correction = self.correct(Axis::Y, cell, &here, [&row.products.load(place), &products]);
                    let (lower, correction_below): ([V; M], [V; M]) =
                        (row.apdq_below.load(place), row.correction.load(place));
                    row.correction.store(place, correction);
                    self.keep.plane_corrections[1].store(self.keep.in_plane(i, j), correction);
                    if j > 0 {
                        let mut fluctuations = lower;
                        for m in 0..M {
                            fluctuations[m] = lower[m] + here.amdq[m];
                        }
                        self.keep.plane_fluctuations[1].store(self.keep.in_plane(i, j - 1), fluctuations);
                        if self.transverse {
                            let (asdq, corrections) = ([lower, here.amdq], [correction_below, correction]);
                            let incoming = self.incoming(Axis::Y, cell - self.step(Axis::Y), asdq, corrections);
                            self.send_from_y(i, j - 1, k, &incoming);
                        }
                    }
                }
                row.apdq_below.store(place, here.apdq);
                Self::store_face(row, place, &above, &products);
                i += V::LANES as isize;
            }
            if self.transverse && j > 0 {
                self.finish_moving_along_x(self.keep.sent_yz);
            }
        }
    }

    /// Sets aside what faces along y have left of row j − 1 of plane k − 1, and of its faces `j`.
    #[inline(always)]
    pub(super) unsafe fn set_y_row_aside(&mut self, j: isize) {
        let mut i = FIRST;
        while i <= self.size[0] && j >= 0 {
            let place = self.keep.in_row(i);
            // SAFETY: the places are those of row and plane.
            unsafe {
                let fluctuations: [V; M] = self.keep.plane_fluctuations[1].load(self.keep.in_plane(i, j - 1));
                let correction: [V; M] = self.keep.plane_corrections[1].load(self.keep.in_plane(i, j));
                self.keep.y_fluctuations.store(place, fluctuations);
                self.keep.y_correction.store(place, correction);
            }
            i += V::LANES as isize;
        }
    }

    /// Solves faces k + 1 along z of row `j`, limits faces `k`, and splits what they send into plane k − 1.
    #[inline(always)]
    pub(super) unsafe fn z_row(&mut self, j: isize, k: isize, inside: bool) {
        let columns = self.size[0];
        let row = self.keep.faces[2];
        // SAFETY: two ghost planes are readable, and places are those of row and plane.
        unsafe {
            let mut i = FIRST;
            while i <= columns {
                let (place, cell) = (self.keep.in_plane(i, j), self.cell(i, j, k));
                let here = Self::load_face(row, place);
                let above = self.solve(Axis::Z, cell + self.step(Axis::Z));
                let products = wave_products(&here.waves, &above.waves);
                if k >= 0 {
                    if inside {
                        let kappa = self.inverse_capacities(Axis::Z, cell);
                        self.tile.note_speeds(&here.speeds, kappa, self.dt_over_dx[2], i, columns);
                    }
                    let correction = self.correct(Axis::Z, cell, &here, [&row.products.load(place), &products]);
                    let (lower, correction_below): ([V; M], [V; M]) =
                        (row.apdq_below.load(place), row.correction.load(place));
                    row.correction.store(place, correction);
                    if k > 0 {
                        let mut fluctuations = lower;
                        for m in 0..M {
                            fluctuations[m] = lower[m] + here.amdq[m];
                        }
                        self.keep.z_fluctuations[1].store(self.keep.in_row(i), fluctuations);
                        if self.transverse {
                            let (asdq, corrections) = ([lower, here.amdq], [correction_below, correction]);
                            let incoming = self.incoming(Axis::Z, cell - self.step(Axis::Z), asdq, corrections);
                            self.send_from_z(i, j, k - 1, &incoming);
                        }
                    }
                }
                row.apdq_below.store(place, here.apdq);
                Self::store_face(row, place, &above, &products);
                i += V::LANES as isize;
            }
            if self.transverse && k > 0 {
                self.finish_moving_along_x(self.keep.sent_zy);
            }
        }
    }
}
