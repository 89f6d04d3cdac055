//! A tile as all updates use it: its solver, access to states, the speeds recorded, the faces kept.

use super::settled::{Pace, settled};
use super::{TileArgs, TileReport};
use crate::axis::Axis;
use crate::real::{Mask, Real, Scalar};
use crate::solver::{Solver, TransverseAux};

/// A tile being updated. Places of cells are offsets from the patch's first interior cell.
pub(super) struct Tile<'a, S, V: Real, const M: usize, const W: usize, const A: usize> {
    pub solver: S,
    pub args: &'a TileArgs<'a, V::Scalar>,
    /// Number of columns.
    pub columns: isize,
    /// Largest Courant number of each lane.
    pub courant: V,
    /// Zero while all new values are finite, and positive where they must be, then NaN.
    pub fault: V,
    pub next_kept: usize,
}

impl<'a, S, V, const M: usize, const W: usize, const A: usize> Tile<'a, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// A tile not yet updated.
    #[inline(always)]
    pub fn new(solver: &S, args: &'a TileArgs<'a, V::Scalar>) -> Self {
        let columns = (args.hi[0] - args.lo[0]) as isize;
        let (solver, courant, fault) = (solver.clone(), V::zero(), V::zero());
        Tile { solver, args, columns, courant, fault, next_kept: 0 }
    }

    /// Runs a loop over a row as a separate function, on a copy: no pointer aliases the copy's fields, so that they are read once and
    /// not again after every store. One function for all loops would take long to compile and run out of registers. Returns the loop's
    /// results: the Courant number and the fault.
    #[inline(always)]
    pub fn apart(&self, run: impl FnOnce(Tile<'_, S, V, M, W, A>) -> Tile<'_, S, V, M, W, A>) -> [V; 2] {
        S::outlined::<V, _>(
            #[inline(always)]
            || {
                let scheme = *self.args.scheme;
                let args = TileArgs { scheme: &scheme, ..*self.args };
                let copy = run(Tile { solver: self.solver.clone(), args: &args, ..*self });
                [copy.courant, copy.fault]
            },
        )
    }

    /// The report of the update.
    #[inline(always)]
    pub fn report(&self) -> TileReport {
        let admissible = !(!self.fault.le(V::zero())).any();
        TileReport { courant: self.courant.max_lane().to_f64(), admissible }
    }

    /// Δt/Δx along an axis.
    #[inline(always)]
    pub fn dt_over_dx(&self, axis: Axis) -> V {
        V::runtime(self.args.dt / self.args.dx[axis.index()])
    }

    /// State of the pack at `cell`.
    #[inline(always)]
    pub unsafe fn state(&self, cell: isize) -> [V; M] {
        let mut q = [V::zero(); M];
        // SAFETY: the cells are among those that the caller of `update_tile` promised.
        unsafe {
            let cell = self.args.q.offset(cell);
            for (m, value) in q.iter_mut().enumerate() {
                *value = V::load(cell.add(m * self.args.strides.component));
            }
        }
        q
    }

    /// Auxiliary values of the pack at `cell`.
    #[inline(always)]
    pub unsafe fn aux(&self, cell: isize) -> [V; A] {
        let mut aux = [V::zero(); A];
        // SAFETY: as for `state`; nothing is read where `A` is 0.
        unsafe {
            for (m, value) in aux.iter_mut().enumerate() {
                *value = V::load(self.args.aux.offset(cell).add(m * self.args.strides.component));
            }
        }
        aux
    }

    /// Auxiliary values of a cell and its neighbours along `across`.
    #[inline(always)]
    pub unsafe fn transverse_aux(&self, across: Axis, cell: isize) -> TransverseAux<V, A> {
        let step = self.args.strides.along(across) as isize;
        // SAFETY: one ghost cell beyond the faces' cells is there.
        unsafe { TransverseAux { below: self.aux(cell - step), here: self.aux(cell), above: self.aux(cell + step) } }
    }

    /// Whether there is a capacity function; decided at compile time for solvers without auxiliary values.
    #[inline(always)]
    pub fn has_capacity(&self) -> bool {
        A > 0 && self.args.scheme.capacity >= 0
    }

    /// 1/κ of the pack at `cell`. One without a capacity function.
    #[inline(always)]
    pub unsafe fn inverse_capacity(&self, cell: isize) -> V {
        let one = V::constant(1.0);
        if !self.has_capacity() {
            return one;
        }
        let component = self.args.scheme.capacity as usize * self.args.strides.component;
        // SAFETY: as for `state`.
        unsafe { one / V::load(self.args.aux.offset(cell).add(component)) }
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

    /// Writes the pack at `cell`, column `i`, as far as it lies in the tile, and records whether it is admissible. `part`: of the
    /// motion that stays; `pace`: how fast it may be.
    #[inline(always)]
    pub unsafe fn write(&mut self, i: isize, cell: isize, values: [V; M], part: V, pace: Option<Pace<V, M>>) {
        let mut in_order = values;
        if const { S::SETTLES } {
            // SAFETY: the cells are the tile's, and a pack beyond is readable.
            in_order = settled(&self.solver, values, unsafe { self.aux(cell) }, part, pace);
        }
        let inside = Self::lanes_inside(i, self.columns);
        // SAFETY: the caller's promise.
        if let Some(wrong) = unsafe { self.faults(cell, values) } {
            let fault = V::select(wrong, V::constant(f64::NAN), V::zero());
            self.fault += match inside {
                None => fault,
                Some(inside) => V::select(inside, fault, V::zero()),
            };
        }
        // SAFETY: the tile's cells of `q_next` are ours to write.
        unsafe {
            let out = self.args.q_next.offset(cell);
            for (m, value) in in_order.into_iter().enumerate() {
                let out = out.wrapping_add(m * self.args.strides.component);
                let zero_if_finite = values[m] * V::zero();
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

    /// Includes the speeds of a pack of faces at column `i` in the Courant number, except those of faces outside `0 .. count`. `kappa`:
    /// 1/κ of the faces' lower and upper cells; a wave is scaled by that of the cell that it enters.
    #[inline(always)]
    pub fn note_speeds(&mut self, speeds: &[V; W], kappa: [V; 2], dt_over_dx: V, i: isize, count: isize) {
        let mut largest = V::zero();
        for &s in speeds {
            largest = (s * kappa[1]).max(-s * kappa[0]).max(largest);
        }
        let mut courant = largest * dt_over_dx;
        if let Some(inside) = Self::lanes_inside(i, count) {
            courant = V::select(inside, courant, V::zero());
        }
        // In this order a NaN is ignored.
        self.courant = courant.max(self.courant);
    }
}
