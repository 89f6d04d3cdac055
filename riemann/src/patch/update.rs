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
//! Bytes   q read once from memory and written once; for acoustics 26 loads and 26 stores a pack from and to row buffers
//! Bits    each face's arithmetic is the same in every lane width and every tiling, so neither changes the result
//! Place   row k − 1 is written when all that reads it is done, so the new state may take the old one's place

use super::rows::{Buffers, FIRST};
use super::{TILE_COLUMNS, TILE_GROWTH, TileArgs, TileReport};
use crate::axis::{Axis, Side};
use crate::lanes::prefetch;
use crate::real::{Mask, Real, Scalar};
use crate::solver::{Solver, TransverseAux};

/// Rows between the one worked on and the one asked for in advance.
const PREFETCH_ROWS: isize = 4;

/// A tile being updated.
pub(super) struct Marcher<'a, S, V: Real, const M: usize, const W: usize, const A: usize> {
    pub solver: S,
    pub args: &'a TileArgs<'a, V::Scalar>,
    pub rows: Buffers<V::Scalar>,
    /// Number of columns.
    pub columns: isize,
    /// Δt/Δx and Δt/Δy.
    pub dt_over_dx: [V; 2],
    /// Largest Courant number of each lane.
    pub courant: V,
    /// Zero while all new values are finite, and positive where they must be, then NaN.
    pub fault: V,
    pub next_tap: usize,
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
        courant: V::zero(),
        fault: V::zero(),
        next_tap: 0,
    };
    // SAFETY: the caller's promise covers every row and column touched.
    unsafe { tile.march() };
    let admissible = !(!tile.fault.le(V::zero())).any();
    TileReport { courant: tile.courant.max_lane().to_f64(), admissible }
}

impl<S, V, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    #[inline(always)]
    unsafe fn march(&mut self) {
        let [sweep_x, sweep_y, _] = self.args.sweep;
        // Known when the program is compiled: solvers on a line come without the code for y.
        let sweep_y = sweep_y && S::DIM > 1;
        let [first, last] = [self.args.lo[1] as isize, self.args.hi[1] as isize];
        let transverse = sweep_x && sweep_y && self.args.scheme.transverse > 0;
        let start = if sweep_y { first - 1 } else { first };
        // SAFETY: rows first − 2 ..= last + 1 are readable where y is swept, first .. last where it is not.
        unsafe {
            if sweep_y {
                self.solve_y(start);
            }
            for k in start..=last {
                self.load_capacity(k, if sweep_y { last } else { last - 1 });
                let inside = first <= k && k < last;
                if sweep_x && (inside || transverse) {
                    self.x_row(k, transverse, inside);
                }
                let taps = self.taps_complete_at(k as i32);
                self.solve_taps(taps);
                if sweep_y {
                    self.y_row(k, transverse, !taps.is_empty());
                } else if k > first {
                    self.finish_without_y(k - 1);
                }
                self.correct_taps(taps);
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

    /// Asks for the states that are read some rows later, and for the place that the finished row is written to: rows
    /// of large levels come from memory, and the processor does not see far enough ahead by itself.
    #[inline(always)]
    pub(super) fn prefetch(&self, i: isize, k: isize) {
        let (ahead, component) = (self.offset(i, k + PREFETCH_ROWS), self.args.strides.component);
        for m in 0..M {
            prefetch(self.args.q.wrapping_offset(ahead).wrapping_add(m * component));
        }
        if !std::ptr::eq(self.args.q, self.args.q_next) {
            let out = self.offset(i, k - 1 + PREFETCH_ROWS / 2);
            for m in 0..M {
                prefetch(self.args.q_next.wrapping_offset(out).wrapping_add(m * component));
            }
        }
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
        let across = axis.transverse_2d();
        let of_lower = self.solver.transverse(axis, across, Side::Lower, ql, qr, &aux_lower, lower);
        let of_upper = self.solver.transverse(axis, across, Side::Upper, ql, qr, &aux_upper, upper);
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

    /// Whether there is a capacity function; known when the program is compiled for solvers without auxiliary values.
    #[inline(always)]
    pub(super) fn has_capacity(&self) -> bool {
        A > 0 && self.args.scheme.capacity >= 0
    }

    /// 1/κ of the pack at column `i`, of row k − 1 (`row` 0) or k (`row` 1). One without a capacity function.
    #[inline(always)]
    pub(super) unsafe fn inverse_capacity(&self, row: usize, i: isize) -> V {
        if !self.has_capacity() {
            return V::constant(1.0);
        }
        // SAFETY: the row buffers hold the pack.
        unsafe { V::load(self.rows.inverse_capacity[row].at(0, i)) }
    }

    /// Computes 1/κ of row `k`, if there is a capacity function and the row is readable.
    #[inline(always)]
    unsafe fn load_capacity(&mut self, k: isize, last: isize) {
        if !self.has_capacity() || k > last {
            return;
        }
        let component = self.args.scheme.capacity as usize;
        let mut i = FIRST;
        while i < self.columns + 2 {
            // SAFETY: two ghost columns are readable, and a pack beyond.
            unsafe {
                let cell = self.args.aux.offset(self.offset(i, k)).add(component * self.args.strides.component);
                (V::constant(1.0) / V::load(cell)).store(self.rows.inverse_capacity[1].at(0, i));
            }
            i += V::LANES as isize;
        }
    }

    /// The lanes of a pack at column `i` that lie in columns `0 .. count`; `None` if all do.
    #[inline(always)]
    fn lanes_inside(i: isize, count: isize) -> Option<V::Mask> {
        let lanes = V::LANES as isize;
        if i >= 0 && i + lanes <= count {
            return None;
        }
        Some(V::lanes_between((-i).clamp(0, lanes) as usize, (count - i).clamp(0, lanes) as usize))
    }

    /// Writes the pack at column `i` of row `k`, as far as it lies in the tile, and notes if it is finite and
    /// positive where it must be.
    #[inline(always)]
    pub(super) unsafe fn write(&mut self, i: isize, k: isize, values: [V; M]) {
        let inside = Self::lanes_inside(i, self.columns);
        if const { S::CHECKS_STEPS } {
            // SAFETY: the cells are the tile's, and a pack beyond is readable.
            let least = self.solver.least_positive(values, unsafe { self.aux(i, k) });
            let fault = V::select(least.gt(V::zero()), V::zero(), V::constant(f64::NAN));
            self.fault += match inside {
                None => fault,
                Some(inside) => V::select(inside, fault, V::zero()),
            };
        }
        // SAFETY: the tile's cells of `q_next` are ours to write.
        unsafe {
            let out = self.args.q_next.offset(self.offset(i, k));
            for (m, value) in values.into_iter().enumerate() {
                let out = out.wrapping_add(m * self.args.strides.component);
                let zero_if_finite = value * V::zero();
                match inside {
                    None => {
                        self.fault += zero_if_finite;
                        value.store(out);
                    }
                    Some(inside) => {
                        self.fault += V::select(inside, zero_if_finite, V::zero());
                        value.store_where(inside, out);
                    }
                }
            }
        }
    }

    /// Takes the speeds of a pack of faces at column `i` into the Courant number; faces outside `0 .. count` are passed
    /// over. `kappa`: 1/κ of the faces' lower and upper cells; a wave counts with that of the cell it runs into.
    #[inline(always)]
    pub(super) fn note_speeds(&mut self, speeds: &[V; W], kappa: [V; 2], axis: usize, i: isize, count: isize) {
        let mut largest = V::zero();
        for &s in speeds {
            largest = (s * kappa[1]).max(-s * kappa[0]).max(largest);
        }
        let mut courant = largest * self.dt_over_dx[axis];
        if let Some(inside) = Self::lanes_inside(i, count) {
            courant = V::select(inside, courant, V::zero());
        }
        // In this order a NaN is passed over.
        self.courant = courant.max(self.courant);
    }
}
