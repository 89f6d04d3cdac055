//! Quantities that are kept from being negative, such as the depth of water: no cell gives more than it has.
//!
//! At first order the flux through a face is `F = f(q_l) + 𝒜⁻ΔQ`. A cell from which more would flow out in a step than it holds gives
//! all of it, in proportion: the fluxes out of it are those of a shorter time, until it is dry. What it then has left is divided among
//! the faces of the sweep, and corrections, transverse parts included, take no more than this share. The change of the flux belongs to F̃, so that
//! the conservation fix sees it. Both depend on first-order fluxes of the two cells at the face alone: all tiles and patches see the same.
//!
//! A cell may owe, where a level's finer cells have taken more than it had: what is below zero is not taken for more, and what flows in pays.
//!
//! Draining time: Bollermann, Noelle & Lukáčová-Medviďová 2011, doi:10.4208/cicp.220210.020710a.

use super::rows::{FIRST, Rows};
use super::settled::staying;
use super::update::Marcher;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;

/// What a cell can give: φ − 1, φ being the part of the step for which its first-order fluxes flow out, and the share of a face in what it
/// has left, as a flux.
#[derive(Clone, Copy)]
struct Supply<V> {
    drained: V,
    share: V,
}

impl<V: Real> Supply<V> {
    /// `weights`: the reciprocal of the number of faces, and κΔx/Δt.
    #[inline(always)]
    fn new(q: V, outflow: V, weights: [V; 2]) -> Self {
        let (zero, one) = (V::zero(), V::constant(1.0));
        let held = q.max(zero);
        // Less by more than round-off, which would make a drained cell negative.
        let least = V::constant(if size_of::<V::Scalar>() == 8 { 1e-15 } else { 5e-7 });
        let part = (held / outflow - one - least).max(-one);
        let share = ((held - outflow) * (one - least)).max(zero);
        Supply { drained: V::select(outflow.gt(held), part, zero), share: share * weights[0] * weights[1] }
    }
}

/// F̃ of a face from the first-order flux and what both cells can give.
#[inline(always)]
fn limited<V: Real>(correction: V, first_order: V, [below, above]: [Supply<V>; 2]) -> V {
    let bounded = correction.min(below.share).max(-above.share);
    bounded + V::select(first_order.gt(V::zero()), below.drained, above.drained) * first_order
}

impl<S, V, const N: usize, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, N, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Whether the solver asks for any of this.
    pub(super) const LIMITS_FLUXES: bool = !S::KEPT_NONNEGATIVE.is_empty();

    /// First-order fluxes through the pack of faces below the cells at `cell`; of the other quantities nothing.
    #[inline(always)]
    pub(super) unsafe fn first_order(&self, axis: Axis, cell: isize, ql: [V; M], amdq: &[V; M]) -> [V; M] {
        let below = cell - self.tile.args.strides.along(axis) as isize;
        // SAFETY: the cells beside a face are readable.
        let flux = unsafe { self.tile.solver.flux_below(axis, ql, self.tile.aux(below), self.tile.aux(cell)) };
        let mut first_order = [V::zero(); M];
        for &m in S::KEPT_NONNEGATIVE {
            first_order[m] = flux[m] + amdq[m];
        }
        first_order
    }

    /// Stores them at column `i`.
    #[inline(always)]
    pub(super) unsafe fn store_first_order(&self, rows: Rows<V::Scalar>, i: isize, first_order: &[V; M]) {
        for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
            // SAFETY: the row buffers hold the pack.
            unsafe { first_order[m].store(rows.at(n, i)) };
        }
    }

    /// The first-order fluxes through the y-faces of a pack at column `i`, as stored.
    #[inline(always)]
    unsafe fn load_first_order(&self, i: isize) -> [V; M] {
        let mut first_order = [V::zero(); M];
        for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
            // SAFETY: the row buffers hold the pack.
            first_order[m] = unsafe { V::load(self.rows.first_order.at(n, i)) };
        }
        first_order
    }

    /// Completes what leaves row k by the faces above it, in a pack at column `i`, and returns the first-order fluxes through the faces
    /// below. `here`: the states of the row; `amdq`: of the faces above.
    #[inline(always)]
    pub(super) unsafe fn pass_first_order(&self, i: isize, k: isize, here: [V; M], amdq: &[V; M]) -> [V; M] {
        // SAFETY: the row buffers hold the pack.
        unsafe {
            let below = self.load_first_order(i);
            let above = self.first_order(Self::ALONG, self.offset(i, k + 1), here, amdq);
            self.note_outflow(i, &below, &above);
            self.store_first_order(self.rows.first_order, i, &above);
            below
        }
    }

    /// Computes what leaves the pack of cells at column `i` of row `k`. `below`, `above`: first-order fluxes through faces k and k + 1.
    #[inline(always)]
    unsafe fn note_outflow(&self, i: isize, below: &[V; M], above: &[V; M]) {
        let [_, x] = self.rows.x;
        // SAFETY: the row buffers hold the pack and the columns beside it.
        unsafe {
            let kappa = self.inverse_capacity(1, i);
            for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
                let along = outward(below[m], above[m]) * (self.dt_over_dx[1] * kappa);
                let across = self.outflow_across(x.first_order.at(n, i), kappa);
                (across + along).store(x.outflow.at(n, i));
            }
        }
    }

    /// What leaves cells through their x-faces, whose first-order fluxes are at `faces` and beyond.
    #[inline(always)]
    unsafe fn outflow_across(&self, faces: *const V::Scalar, kappa: V) -> V {
        // SAFETY: the caller's promise.
        let (left, right) = unsafe { (V::load(faces), V::load(faces.wrapping_add(1))) };
        outward(left, right) * (self.dt_over_dx[0] * kappa)
    }

    /// What the pack of cells can give whose outflow is at `outflow`. Never call it in a closure: those are compiled without the instructions of
    /// the pack.
    #[inline(always)]
    unsafe fn supply(&self, axis: usize, (q, outflow): (V, *const V::Scalar), kappa: V) -> Supply<V> {
        let faces = if self.tile.args.sweep.iter().filter(|swept| **swept).count() == 1 { 0.5 } else { 0.25 };
        let one = V::constant(1.0);
        let width = one / self.dt_over_dx[axis];
        let width = if self.tile.has_capacity() { width / kappa } else { width };
        // SAFETY: the caller's promise.
        Supply::new(q, unsafe { V::load(outflow) }, [V::constant(faces), width])
    }

    /// Limits the corrections of the y-faces of a pack at column `i` between rows k − 1 and k. `first_order`: their first-order fluxes.
    #[inline(always)]
    pub(super) unsafe fn limit_y(&self, i: isize, states: [&[V; M]; 2], first_order: &[V; M], g: &mut [V; M]) {
        // SAFETY: the row buffers hold the pack.
        unsafe {
            let kappas = [self.inverse_capacity(0, i), self.inverse_capacity(1, i)];
            for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
                let [lower, upper] = self.rows.x;
                let below = self.supply(1, (states[0][m], lower.outflow.at(n, i)), kappas[0]);
                let above = self.supply(1, (states[1][m], upper.outflow.at(n, i)), kappas[1]);
                g[m] = limited(g[m], first_order[m], [below, above]);
            }
        }
    }

    /// Limits the corrections of the x-faces of a pack at column `i` of row k − 1.
    #[inline(always)]
    pub(super) unsafe fn limit_x(&self, i: isize, row: isize, f: &mut [V; M]) {
        let [x, _] = self.rows.x;
        // SAFETY: the row buffers hold the pack and the column before it; of the first pack, whose first face is not the tile's, what is
        // read there does not matter.
        unsafe {
            let states = [self.state(i - 1, row), self.state(i, row)];
            let kappas = [self.inverse_capacity(0, i - 1), self.inverse_capacity(0, i)];
            for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
                let left = self.supply(0, (states[0][m], x.outflow.at(n, i - 1)), kappas[0]);
                let right = self.supply(0, (states[1][m], x.outflow.at(n, i)), kappas[1]);
                f[m] = limited(f[m], V::load(x.first_order.at(n, i)), [left, right]);
            }
        }
    }

    /// Stores the limited corrections of a row in which only x is swept.
    #[inline(always)]
    pub(super) unsafe fn limit_x_row(&mut self, row: isize) {
        let x = self.rows.x[0];
        let lanes = V::LANES as isize;
        // SAFETY: the row buffers hold all packs of the row.
        unsafe {
            let mut i = FIRST;
            while i <= self.tile.columns {
                let kappa = self.inverse_capacity(0, i);
                for n in 0..S::KEPT_NONNEGATIVE.len() {
                    self.outflow_across(x.first_order.at(n, i), kappa).store(x.outflow.at(n, i));
                }
                i += lanes;
            }
            let mut i = FIRST;
            while i <= self.tile.columns {
                let mut f = x.correction.load::<V, M>(i);
                self.limit_x(i, row, &mut f);
                self.rows.f.store(i, f);
                i += lanes;
            }
        }
    }

    /// The speed up to which cells are not slowed down, if others are.
    #[inline(always)]
    pub(super) fn free_speed(&self) -> Option<V> {
        let free = self.tile.args.free;
        (Self::LIMITS_FLUXES && free > 0.0).then(|| V::runtime(free))
    }

    /// Makes those of the new values of a pack in row k − 1 that are kept nonnegative so to the bit, where they owe no more than before.
    /// Returns the part of the motion that stays: see [`staying`]; none where a cell has given all that it had.
    #[inline(always)]
    pub(super) unsafe fn keep_nonnegative(&self, i: isize, old: &[V; M], q: &mut [V; M]) -> V {
        let mut part = V::constant(1.0);
        for (n, &m) in S::KEPT_NONNEGATIVE.iter().enumerate() {
            // SAFETY: the row buffers hold the pack.
            let outflow = unsafe { V::load(self.rows.x[0].outflow.at(n, i)) };
            let held = old[m].max(V::zero());
            part = part.min(V::select(outflow.gt(held), V::zero(), staying(held, q[m])));
            // A NaN stays one.
            let least = old[m].min(V::zero());
            q[m] = V::select(q[m].lt(least), least, q[m]);
        }
        part
    }
}

/// What leaves a cell through its faces below and above.
#[inline(always)]
fn outward<V: Real>(below: V, above: V) -> V {
    (-below).max(V::zero()) + above.max(V::zero())
}
