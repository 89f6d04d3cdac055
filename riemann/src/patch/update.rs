//! The wave-propagation update of one tile, in two dimensions, in one, or one sweep of a split scheme.
//!
//! Equation: paper eq. 3 (Qin, LeVeque & Motley 2018), LeVeque 2002 §§21–23, doi:10.1017/CBO9780511791253,
//! ```text
//! Q⁺(i,j) = Q − Δt/κΔx (𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) + F̃(i+½) − F̃(i−½)) − Δt/κΔy (ℬ⁺ΔQ(j−½) + ℬ⁻ΔQ(j+½) + G̃(j+½) − G̃(j−½))
//! ```
//! with F̃, G̃ the limited second-order corrections and the transverse parts of the other axis' fluctuations.
//!
//! Map     columns of a tile in aligned packs of lanes, marched up its rows
//! x       neighbours are lanes of the packs before and after, in registers: `x_faces.rs`
//! y       neighbours are rows before, in row buffers: `y_faces.rs`
//! Bytes   q read once from memory and written once; about 40 loads and 40 stores a pack from and to row buffers
//! Bits    each face's arithmetic is the same in every lane width and every tiling, so neither changes the result

use super::rows::{Carver, Rows, scratch_len as rows_scratch_len};
use super::{PACK_OVERRUN, TILE_COLUMNS, TILE_GROWTH, TileArgs, TileReport};
use crate::axis::{Axis, Side};
use crate::real::{Mask, Real, Scalar};
use crate::solver::{Solver, TransverseAux};

/// What x-faces leave of a row of cells.
#[derive(Clone, Copy)]
pub(super) struct XRow<R> {
    /// 𝒜⁺ΔQ(i−½) + 𝒜⁻ΔQ(i+½) of cell i.
    pub fluctuations: Rows<R>,
    /// Second-order correction of face i.
    pub correction: Rows<R>,
    /// What leaves cell i downward, and upward.
    pub down: Rows<R>,
    pub up: Rows<R>,
}

/// What is kept of the y-faces between two rows.
#[derive(Clone, Copy)]
pub(super) struct YRow<R> {
    pub waves: Rows<R>,
    pub speeds: Rows<R>,
    pub bmdq: Rows<R>,
    pub bpdq: Rows<R>,
}

/// All row buffers of a tile while row k is worked on.
pub(super) struct Buffers<R> {
    /// Rows k − 1 and k.
    pub x: [XRow<R>; 2],
    /// Faces k − 1, k, k + 1; face k lies between rows k − 1 and k.
    pub y: [YRow<R>; 3],
    /// What the upper-going fluctuation of face k − 1 sends to the left and to the right.
    pub left: Rows<R>,
    pub right: Rows<R>,
    /// F̃ of row k − 1.
    pub f: Rows<R>,
    /// G̃ of faces k − 1 and k.
    pub g: [Rows<R>; 2],
    /// 1/κ of rows k − 1 and k.
    pub inverse_capacity: [Rows<R>; 2],
}

/// Numbers of scratch memory that a tile needs.
pub(super) const fn scratch_len(m: usize, w: usize) -> usize {
    rows_scratch_len(8 * m + 3 * (w * m + w + 2 * m) + 5 * m + 2)
}

impl<R: Scalar> Buffers<R> {
    fn new(scratch: &mut [R], m: usize, w: usize) -> Self {
        let mut carver = Carver::new(scratch);
        let mut rows = |components| carver.rows(components);
        let x = [(); 2].map(|()| XRow { fluctuations: rows(m), correction: rows(m), down: rows(m), up: rows(m) });
        let y = [(); 3].map(|()| YRow { waves: rows(w * m), speeds: rows(w), bmdq: rows(m), bpdq: rows(m) });
        let (left, right, f) = (rows(m), rows(m), rows(m));
        let g = [(); 2].map(|()| rows(m));
        let inverse_capacity = [(); 2].map(|()| rows(1));
        Buffers { x, y, left, right, f, g, inverse_capacity }
    }

    /// Row k becomes row k − 1.
    fn rotate(&mut self) {
        self.x.swap(0, 1);
        self.y.rotate_left(1);
        self.g.swap(0, 1);
        self.inverse_capacity.swap(0, 1);
    }
}

/// A tile being updated.
pub(super) struct Marcher<'a, S, V: Real, const M: usize, const W: usize, const A: usize> {
    pub solver: S,
    pub args: &'a TileArgs<'a, V::Scalar>,
    pub rows: Buffers<V::Scalar>,
    /// Number of columns.
    pub columns: isize,
    /// Δt/Δx and Δt/Δy.
    pub dt_over_dx: [V; 2],
    pub courant: V::Scalar,
    /// Zero while all new values are finite, then NaN.
    pub finite: V,
    next_tap: usize,
}

/// Updates one tile.
///
/// # Safety
/// The pointers of `args` must reach the tile's cells and two more on every side along the swept axes, and
/// [`PACK_OVERRUN`] numbers past either end, with the strides given; nobody else may write the tile's cells of
/// `q_next` or the slots of its taps meanwhile. `V`'s instructions must exist on this processor.
#[inline(always)]
pub(super) unsafe fn update_tile<S, V, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, V::Scalar>,
    scratch: &mut [V::Scalar],
) -> TileReport
where
    S: Solver<M, W, A>,
    V: Real,
{
    let columns = (args.hi[0] - args.lo[0]) as isize;
    assert!(columns as usize <= TILE_COLUMNS + TILE_GROWTH, "a tile of {columns} columns");
    if args.scheme.order < 2 || args.scheme.transverse == 0 || !(args.sweep[0] && args.sweep[1]) {
        // Corrections, transverse parts and sweeps that are left out are read as zeros.
        scratch.fill(V::Scalar::default());
    }
    let mut tile = Marcher::<S, V, M, W, A> {
        solver: solver.clone(),
        args,
        rows: Buffers::new(scratch, M, W),
        columns,
        dt_over_dx: [V::constant(args.dt / args.dx[0]), V::constant(args.dt / args.dx[1])],
        courant: V::Scalar::default(),
        finite: V::zero(),
        next_tap: 0,
    };
    // SAFETY: the caller's promise covers every row and column touched.
    unsafe { tile.march() };
    let finite = !(!tile.finite.le(V::zero())).any();
    TileReport { courant: tile.courant.to_f64(), finite }
}

impl<S, V, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    #[inline(always)]
    unsafe fn march(&mut self) {
        let [sweep_x, sweep_y, _] = self.args.sweep;
        let [first, last] = [self.args.lo[1] as isize, self.args.hi[1] as isize];
        let transverse = sweep_x && sweep_y && self.args.scheme.transverse > 0;
        let start = if sweep_y { first - 1 } else { first };
        // SAFETY: rows first − 2 ..= last + 1 are readable where y is swept, first .. last where it is not.
        unsafe {
            self.fill_inverse_capacity();
            if sweep_y {
                self.solve_y(start);
            }
            for k in start..=last {
                self.load_capacity(k, if sweep_y { last } else { last - 1 });
                let inside = first <= k && k < last;
                if sweep_x && (inside || transverse) {
                    self.x_row(k, transverse, inside);
                }
                if sweep_y {
                    self.y_row(k, transverse);
                } else if k > first {
                    self.finish_without_y(k - 1);
                }
                if k >= first {
                    self.keep_taps(k as i32);
                }
                self.rows.rotate();
            }
        }
    }

    /// State of the pack at column `i`, row `k`.
    #[inline(always)]
    pub(super) unsafe fn state(&self, i: isize, k: isize) -> [V; M] {
        let mut q = [V::zero(); M];
        // SAFETY: the cells are among those that the caller of `update_tile` promised.
        unsafe {
            let cell = self.args.q.offset(self.offset(i, k));
            for (m, value) in q.iter_mut().enumerate() {
                *value = V::load(cell.add(m * self.args.strides.component));
            }
        }
        q
    }

    /// Auxiliary values of the pack at column `i`, row `k`.
    #[inline(always)]
    pub(super) unsafe fn aux(&self, i: isize, k: isize) -> [V; A] {
        let mut aux = [V::zero(); A];
        // SAFETY: as for `state`; nothing is read where `A` is 0.
        unsafe {
            for (m, value) in aux.iter_mut().enumerate() {
                *value = V::load(self.args.aux.offset(self.offset(i, k)).add(m * self.args.strides.component));
            }
        }
        aux
    }

    /// Splits a face's fluctuations, corrections included where the scheme says so, along the other axis. Answers the
    /// parts of the lower-going one, then of the upper-going one. `cells`: the face's lower and upper cell.
    #[inline(always)]
    pub(super) unsafe fn split_transversely(
        &self,
        axis: Axis,
        [(il, kl), (ir, kr)]: [(isize, isize); 2],
        [ql, qr]: [[V; M]; 2],
        [mut lower, mut upper]: [[V; M]; 2],
        correction: &[V; M],
    ) -> [[V; M]; 4] {
        if self.args.scheme.transverse == 2 {
            // Twice, as in Clawpack: the ½ of the correction is also that of the ½ Δt/Δx that scales all parts.
            for m in 0..M {
                let whole = correction[m] + correction[m];
                lower[m] += whole;
                upper[m] -= whole;
            }
        }
        // SAFETY: the cells beside a face that is split are readable, and so are their neighbours.
        let (aux_lower, aux_upper) = unsafe { (self.transverse_aux(axis, il, kl), self.transverse_aux(axis, ir, kr)) };
        let of_lower = self.solver.transverse(axis, Side::Lower, ql, qr, &aux_lower, lower);
        let of_upper = self.solver.transverse(axis, Side::Upper, ql, qr, &aux_upper, upper);
        [of_lower.bmasdq, of_lower.bpasdq, of_upper.bmasdq, of_upper.bpasdq]
    }

    /// Auxiliary values of a cell and its neighbours along y (`axis` x) or along x (`axis` y).
    #[inline(always)]
    unsafe fn transverse_aux(&self, axis: Axis, i: isize, k: isize) -> TransverseAux<V, A> {
        let (di, dk) = if axis == Axis::X { (0, 1) } else { (1, 0) };
        // SAFETY: one ghost cell beyond the faces' cells is there.
        unsafe {
            TransverseAux { below: self.aux(i - di, k - dk), here: self.aux(i, k), above: self.aux(i + di, k + dk) }
        }
    }

    #[inline(always)]
    pub(super) fn offset(&self, i: isize, k: isize) -> isize {
        i + self.args.lo[0] as isize + k * self.args.strides.row as isize
    }

    /// First column of the first pack that is worked on: the one before the tile.
    #[inline(always)]
    pub(super) const fn first_pack() -> isize {
        -(V::LANES as isize)
    }

    /// Without a capacity function 1/κ is one.
    #[inline(always)]
    unsafe fn fill_inverse_capacity(&mut self) {
        for row in self.rows.inverse_capacity {
            for i in -(PACK_OVERRUN as isize)..self.columns + 2 * PACK_OVERRUN as isize {
                // SAFETY: the columns of a row buffer.
                unsafe { *row.at(0, i) = V::Scalar::constant(1.0) };
            }
        }
    }

    /// 1/κ of row `k`, if there is a capacity function and the row is readable.
    #[inline(always)]
    unsafe fn load_capacity(&mut self, k: isize, last: isize) {
        let Ok(component) = usize::try_from(self.args.scheme.capacity) else { return };
        if k > last {
            return;
        }
        let mut i = Self::first_pack();
        while i < self.columns + 2 {
            // SAFETY: two ghost columns are readable, and a pack beyond.
            unsafe {
                let cell = self.args.aux.offset(self.offset(i, k)).add(component * self.args.strides.component);
                (V::constant(1.0) / V::load(cell)).store(self.rows.inverse_capacity[1].at(0, i));
            }
            i += V::LANES as isize;
        }
    }

    /// Writes the pack at column `i` of row `k`, as far as it lies in the tile, and notes if it is finite.
    #[inline(always)]
    pub(super) unsafe fn write(&mut self, i: isize, k: isize, values: [V; M]) {
        if i < 0 || i >= self.columns {
            return;
        }
        let component = self.args.strides.component;
        // SAFETY: the tile's cells of `q_next` are ours to write.
        unsafe {
            let out = self.args.q_next.offset(self.offset(i, k));
            if i + V::LANES as isize <= self.columns {
                for (m, value) in values.into_iter().enumerate() {
                    self.finite += value * V::zero();
                    value.store(out.add(m * component));
                }
                return;
            }
            let mut pack = [V::Scalar::default(); PACK_OVERRUN];
            for (m, value) in values.into_iter().enumerate() {
                value.store(pack.as_mut_ptr());
                for (lane, value) in pack.into_iter().take((self.columns - i) as usize).enumerate() {
                    self.finite += V::splat(value) * V::zero();
                    *out.add(m * component + lane) = value;
                }
            }
        }
    }

    /// Takes the speeds of a pack of faces at column `i` into the Courant number; faces outside `0 .. count` are passed
    /// over. `kappa`: 1/κ of the faces' lower and upper cells; a wave counts with that of the cell it runs into.
    #[inline(always)]
    pub(super) fn note_speeds(&mut self, speeds: &[V; W], kappa: [V; 2], axis: usize, i: isize, count: isize) {
        let lanes = V::LANES as isize;
        if i + lanes <= 0 || i >= count {
            return;
        }
        let mut largest = V::zero();
        for &s in speeds {
            largest = (s * kappa[1]).max(-s * kappa[0]).max(largest);
        }
        let courant = largest * self.dt_over_dx[axis];
        if i >= 0 && i + lanes <= count {
            self.courant = self.courant.max(courant.max_lane());
            return;
        }
        let mut pack = [V::Scalar::default(); PACK_OVERRUN];
        // SAFETY: the array has room for every lane.
        unsafe { courant.store(pack.as_mut_ptr()) };
        for (lane, value) in pack.into_iter().take(V::LANES).enumerate() {
            if (0..count).contains(&(i + lane as isize)) {
                self.courant = self.courant.max(value);
            }
        }
    }

    /// Keeps the fluxes of the taps that are complete once row k − 1 and face k are.
    #[inline(always)]
    unsafe fn keep_taps(&mut self, k: i32) {
        while let Some(tap) = self.args.taps.get(self.next_tap).filter(|tap| tap.complete_at() == k) {
            let i = (tap.cell[0] - self.args.lo[0]) as isize;
            // SAFETY: the face lies in the tile; the slot is this tap's alone.
            unsafe {
                let (lower, upper, correction) = match tap.axis {
                    Axis::X => {
                        let (lower, upper) = self.x_fluctuations(i, tap.cell[1] as isize);
                        (lower, upper, self.rows.f)
                    }
                    _ => {
                        let [_, here, _] = self.rows.y;
                        (here.bmdq.load::<V::Scalar, M>(i), here.bpdq.load::<V::Scalar, M>(i), self.rows.g[1])
                    }
                };
                for m in 0..M {
                    let correction = *correction.at(m, i);
                    let seen = match tap.seen_from {
                        Side::Lower => lower[m] + correction,
                        Side::Upper => correction - upper[m],
                    };
                    *self.args.tap_values.add(m * self.args.tap_stride + tap.slot as usize) = seen;
                }
            }
            self.next_tap += 1;
        }
    }

    /// Fluctuations of a single x-face, solved once more: few faces are kept, and storing all costs more.
    #[inline(always)]
    unsafe fn x_fluctuations(&self, i: isize, k: isize) -> ([V::Scalar; M], [V::Scalar; M]) {
        let component = self.args.strides.component;
        let mut q = [[V::Scalar::default(); M]; 2];
        let mut aux = [[V::Scalar::default(); A]; 2];
        for side in 0..2 {
            let offset = self.offset(i - 1 + side as isize, k);
            // SAFETY: the cells beside a face of the tile are readable.
            unsafe {
                for m in 0..M {
                    q[side][m] = *self.args.q.offset(offset).add(m * component);
                }
                for a in 0..A {
                    aux[side][a] = *self.args.aux.offset(offset).add(a * component);
                }
            }
        }
        let face = self.solver.normal(Axis::X, q[0], q[1], aux[0], aux[1]);
        (face.amdq, face.apdq)
    }
}
