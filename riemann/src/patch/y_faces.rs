//! The y-faces of one row, and the cells that they complete.

use super::correction::{Waves, limited_correction};
use super::update::Marcher;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;

/// A pack of cells that waits for the flux through its last right face.
#[derive(Clone, Copy)]
struct Waiting<V, const M: usize> {
    /// New state but for the x-part.
    state: [V; M],
    /// 𝒜⁺ΔQ + 𝒜⁻ΔQ.
    fluctuations: [V; M],
    /// F̃ of the left faces.
    f: [V; M],
    /// What goes to the right out of each column, times 1/κ.
    right: [V; M],
    /// Δt/κΔx.
    dtdx: V,
}

impl<S, V, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Solves the y-faces `k` into the middle of the ring.
    #[inline(always)]
    pub(super) unsafe fn solve_y(&mut self, k: isize) {
        let mut i = Self::first_pack();
        while i <= self.columns {
            // SAFETY: two ghost rows are readable.
            unsafe { self.solve_y_pack(i, [k - 1, k], 1) };
            i += V::LANES as isize;
        }
    }

    /// Solves the faces of a pack between two rows into a slot of the ring; answers their waves.
    #[inline(always)]
    unsafe fn solve_y_pack(&self, i: isize, [below, above]: [isize; 2], slot: usize) -> Waves<V, M, W> {
        // SAFETY: the rows are readable, and a pack to either side of the tile.
        unsafe {
            let (ql, qr) = (self.state(i, below), self.state(i, above));
            let face = self.solver.normal(Axis::Y, ql, qr, self.aux(i, below), self.aux(i, above));
            let row = self.rows.y[slot];
            row.waves.store_flat(i, &face.waves);
            row.speeds.store(i, face.speeds);
            row.bmdq.store(i, face.amdq);
            row.bpdq.store(i, face.apdq);
            Waves { waves: face.waves, speeds: face.speeds }
        }
    }

    /// Solves faces k + 1, limits and splits faces k, and finishes row k − 1.
    #[inline(always)]
    pub(super) unsafe fn y_row(&mut self, k: isize, transverse: bool) {
        let lanes = V::LANES as isize;
        let [first, last] = [self.args.lo[1] as isize, self.args.hi[1] as isize];
        let zero = [V::zero(); M];
        let mut waiting = Waiting { state: zero, fluctuations: zero, f: zero, right: zero, dtdx: V::zero() };
        let mut i = Self::first_pack();
        while i <= self.columns {
            // SAFETY: rows k − 2 ..= k + 1 are readable, and a pack to either side of the tile.
            unsafe {
                // The last face that a limiter looks at is `last + 1`.
                let above = if k <= last { self.solve_y_pack(i, [k, k + 1], 2) } else { Waves::none(V::zero()) };
                if k >= first {
                    waiting = self.finish_pack(i, k, transverse, &above, &waiting);
                }
            }
            i += lanes;
        }
        if k > first {
            // A whole number of packs: the last one's right face lies in the pack after it.
            // SAFETY: as above.
            unsafe { self.finish_last(i, k, &waiting) };
        }
    }

    /// One pack of faces k and of cells in row k − 1; writes the pack before it.
    #[inline(always)]
    unsafe fn finish_pack(
        &mut self,
        i: isize,
        k: isize,
        transverse: bool,
        above: &Waves<V, M, W>,
        before: &Waiting<V, M>,
    ) -> Waiting<V, M> {
        let [below_row, here_row, _] = self.rows.y;
        let [x_below, x_here] = self.rows.x;
        let [dtdx, dtdy] = self.dt_over_dx;
        let half = V::constant(0.5);
        // SAFETY: all rows hold the pack's columns; states k − 1 and k are readable.
        unsafe {
            let kappa_below = V::load(self.rows.inverse_capacity[0].at(0, i));
            let kappa_here = V::load(self.rows.inverse_capacity[1].at(0, i));
            let here = Waves { waves: here_row.waves.load_flat(i), speeds: here_row.speeds.load(i) };
            self.note_speeds(&here.speeds, [kappa_below, kappa_here], 1, i, self.columns);
            let mut g = [V::zero(); M];
            if self.args.scheme.order == 2 {
                let below = below_row.waves.load_flat(i);
                let mean = dtdy * (half * (kappa_below + kappa_here));
                g = limited_correction::<S, V, M, W, A>(self.args.scheme, &below, &here, &above.waves, mean);
            }
            let bmdq = here_row.bmdq.load::<V, M>(i);
            let q_below = self.state(i, k - 1);
            let (mut left, mut right) = (self.rows.left.load::<V, M>(i), self.rows.right.load::<V, M>(i));
            if transverse {
                let cells = [(i, k - 1), (i, k)];
                let (states, both) = ([q_below, self.state(i, k)], [bmdq, here_row.bpdq.load(i)]);
                let parts = self.split_transversely(Axis::Y, cells, states, both, &g);
                self.rows.left.store(i, parts[2]);
                self.rows.right.store(i, parts[3]);
                let (down, up) = (x_here.down.load::<V, M>(i), x_below.up.load::<V, M>(i));
                let (from_above, from_below) = (half * dtdx * kappa_here, half * dtdx * kappa_below);
                for m in 0..M {
                    left[m] += parts[0][m];
                    right[m] += parts[1][m];
                    g[m] -= from_above * down[m] + from_below * up[m];
                }
            }
            self.rows.g[1].store(i, g);
            let g_below = self.rows.g[0].load::<V, M>(i);
            let bpdq_below = below_row.bpdq.load::<V, M>(i);
            let mut now = Waiting {
                state: q_below,
                fluctuations: x_below.fluctuations.load(i),
                f: x_below.correction.load(i),
                right,
                dtdx: dtdx * kappa_below,
            };
            for m in 0..M {
                now.right[m] = kappa_below * right[m];
                let from_left = V::shift_up(before.right[m], now.right[m]);
                now.f[m] -= half * dtdy * (kappa_below * left[m] + from_left);
                let y_part = (bpdq_below[m] + bmdq[m]) + (g[m] - g_below[m]);
                now.state[m] -= dtdy * kappa_below * y_part;
            }
            self.rows.f.store(i, now.f);
            if k > self.args.lo[1] as isize {
                self.write_waiting(i - V::LANES as isize, k - 1, before, &now.f);
            }
            now
        }
    }

    /// The last pack of a row, whose right faces are in the pack at `i` if the row's columns fill whole packs.
    #[inline(always)]
    unsafe fn finish_last(&mut self, i: isize, k: isize, waiting: &Waiting<V, M>) {
        // The loop ran up to and including the pack that holds face `columns`, so these lanes lie outside the tile or
        // their right faces in the same pack.
        let none = [V::zero(); M];
        // SAFETY: the tile's cells are ours to write.
        unsafe { self.write_waiting(i - V::LANES as isize, k - 1, waiting, &none) };
    }

    /// Adds the x-part of a waiting pack and writes it. `f_after`: F̃ of the pack to its right.
    #[inline(always)]
    unsafe fn write_waiting(&mut self, i: isize, row: isize, waiting: &Waiting<V, M>, f_after: &[V; M]) {
        let mut q = waiting.state;
        for m in 0..M {
            let f_right = V::shift_down(waiting.f[m], f_after[m]);
            q[m] -= waiting.dtdx * (waiting.fluctuations[m] + (f_right - waiting.f[m]));
        }
        // SAFETY: the caller's promise.
        unsafe { self.write(i, row, q) };
    }

    /// Finishes a row where y is not swept: there is only the x-part.
    #[inline(always)]
    pub(super) unsafe fn finish_without_y(&mut self, row: isize) {
        let x = self.rows.x[0];
        let kappa = self.rows.inverse_capacity[0];
        let lanes = V::LANES as isize;
        let mut i = 0;
        while i <= self.columns {
            // SAFETY: the row's faces are complete; its cells are ours to write.
            unsafe {
                let f = x.correction.load::<V, M>(i);
                self.rows.f.store(i, f);
                let (state, fluctuations) = (self.state(i, row), x.fluctuations.load(i));
                let dtdx = self.dt_over_dx[0] * V::load(kappa.at(0, i));
                let waiting = Waiting { state, fluctuations, f, right: f, dtdx };
                self.write_waiting(i, row, &waiting, &x.correction.load(i + lanes));
            }
            i += lanes;
        }
    }
}
