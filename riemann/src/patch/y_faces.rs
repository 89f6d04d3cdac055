//! The y-faces of one row, and the cells that they complete; in sweeps along z, the z-faces.

use super::beside::solve_face;
use super::correction::{Waves, limited_correction, wave_products};
use super::rows::FIRST;
use super::settled::Pace;
use super::update::Marcher;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::{Normal, Solver};

/// A pack of cells that waits for the flux through its last right face.
#[derive(Clone, Copy)]
struct Waiting<V, const M: usize> {
    /// What the y-faces take from the state.
    y_part: [V; M],
    /// 𝒜⁺ΔQ + 𝒜⁻ΔQ.
    fluctuations: [V; M],
    /// F̃ of the left faces.
    f: [V; M],
    /// What goes to the right out of each column, times Δt/2κΔy.
    right: [V; M],
    /// Δt/κΔx.
    dtdx: V,
}

/// A pack of y-faces with the states on both sides.
struct Faces<V, const M: usize, const W: usize> {
    q_below: [V; M],
    q_above: [V; M],
    /// Their means, for solvers that have a mean state.
    mean: [V; M],
    face: Normal<V, M, W>,
    /// First-order fluxes of quantities that are kept from being negative.
    first_order: [V; M],
}

impl<S, V, const N: usize, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, N, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Solves the y-faces `k` and stores them.
    #[inline(always)]
    pub(super) unsafe fn solve_y(&mut self, k: isize) {
        if S::SOLVE_AGAIN && !Self::LIMITS_FLUXES {
            return;
        }
        let mut i = FIRST;
        while i <= self.tile.columns {
            // SAFETY: two ghost rows are readable, and a pack to either side of the tile.
            unsafe {
                let states = [self.state(i, k - 1), self.state(i, k)];
                let face = self.solve_y_pack(i, k, states);
                if const { Self::LIMITS_FLUXES } {
                    let first_order = self.first_order(Self::ALONG, self.offset(i, k), states[0], &face.amdq);
                    self.store_first_order(self.rows.first_order, i, &first_order);
                }
                self.store_y(i, &face, &states);
            }
            i += V::LANES as isize;
        }
    }

    /// Solves a pack of faces `k` between the states of rows k − 1 and k.
    #[inline(always)]
    unsafe fn solve_y_pack(&self, i: isize, k: isize, [below, above]: [[V; M]; 2]) -> Normal<V, M, W> {
        let place = (Self::ALONG, self.offset(i, k));
        // SAFETY: the rows are readable, and a pack to either side of the tile.
        unsafe {
            let aux = [self.aux(i, k - 1), self.aux(i, k)];
            solve_face(&self.tile.solver, self.tile.args, place, [below, above], aux)
        }
    }

    #[inline(always)]
    unsafe fn store_y(&self, i: isize, face: &Normal<V, M, W>, [below, above]: &[[V; M]; 2]) {
        let row = self.rows.y;
        // SAFETY: the row buffers hold the pack.
        unsafe {
            row.waves.store_flat(i, &face.waves);
            row.speeds.store(i, face.speeds);
            row.bmdq.store(i, face.amdq);
            row.bpdq.store(i, face.apdq);
            if S::HAS_MEAN_STATE {
                row.mean.store(i, self.tile.solver.mean_state(*below, *above));
            }
        }
    }

    /// The means of states beside a pack of faces, as stored or, where that costs nothing, computed again.
    #[inline(always)]
    unsafe fn y_means(&self, i: isize, [below, above]: [[V; M]; 2]) -> [V; M] {
        if S::HAS_MEAN_STATE && !S::SOLVE_AGAIN {
            // SAFETY: the row buffers hold the pack.
            return unsafe { self.rows.y.mean.load(i) };
        }
        self.tile.solver.mean_state(below, above)
    }

    /// The pack of faces `k`, as stored or solved again.
    #[inline(always)]
    unsafe fn y_faces(&self, i: isize, k: isize, states: [[V; M]; 2]) -> Normal<V, M, W> {
        let row = self.rows.y;
        // SAFETY: the row buffers hold the pack; the rows are readable.
        unsafe {
            if S::SOLVE_AGAIN {
                return self.solve_y_pack(i, k, states);
            }
            Normal {
                waves: row.waves.load_flat(i),
                speeds: row.speeds.load(i),
                amdq: row.bmdq.load(i),
                apdq: row.bpdq.load(i),
            }
        }
    }

    /// Solves faces k + 1, limits and splits faces k, and finishes row k − 1.
    #[inline(always)]
    pub(super) unsafe fn y_row(&mut self, k: isize, transverse: bool, keep_f: bool) {
        let lanes = V::LANES as isize;
        let first = self.tile.args.lo[N] as isize;
        let zero = [V::zero(); M];
        let mut waiting = Waiting { y_part: zero, fluctuations: zero, f: zero, right: zero, dtdx: V::zero() };
        let mut i = FIRST;
        while i <= self.tile.columns {
            // SAFETY: rows k − 2 ..= k + 1 are readable, and a pack to either side of the tile.
            unsafe {
                self.prefetch(i, k);
                let [q_below, q_here, q_above] = [self.state(i, k - 1), self.state(i, k), self.state(i, k + 1)];
                let (face, mean) = (self.y_faces(i, k, [q_below, q_here]), self.y_means(i, [q_below, q_here]));
                let mut here = Faces { q_below, q_above: q_here, mean, face, first_order: zero };
                // The last face that a limiter uses is `last + 1`.
                let above = self.solve_y_pack(i, k + 1, [q_here, q_above]);
                let products = wave_products(&here.face.waves, &above.waves);
                if const { Self::LIMITS_FLUXES } {
                    here.first_order = self.pass_first_order(i, k, q_here, &above.amdq);
                }
                if k >= first {
                    let now = self.finish_pack(i, k, transverse, &here, &products, &waiting.right);
                    if keep_f {
                        self.rows.f.store(i, now.f);
                    }
                    if k > first {
                        self.write_waiting(i - lanes, k - 1, &waiting, &now.f);
                    }
                    waiting = now;
                }
                self.rows.products.store(i, products);
                if !S::SOLVE_AGAIN {
                    self.store_y(i, &above, &[q_here, q_above]);
                }
            }
            i += lanes;
        }
        if k > first {
            // The loop ran up to and including the pack that holds face `columns`: these lanes lie outside the tile, or
            // their right faces in the same pack.
            // SAFETY: the tile's cells are ours to write.
            unsafe { self.write_waiting(i - lanes, k - 1, &waiting, &zero) };
        }
    }

    /// One pack of faces k and of cells in row k − 1. `above`: products of the waves of faces k and k + 1; `right_before`: what
    /// goes to the right out of the columns of the pack before.
    #[inline(always)]
    unsafe fn finish_pack(
        &mut self,
        i: isize,
        k: isize,
        transverse: bool,
        here: &Faces<V, M, W>,
        above: &[V; W],
        right_before: &[V; M],
    ) -> Waiting<V, M> {
        let [x_below, _] = self.rows.x;
        let [dtdx, dtdy] = self.dt_over_dx;
        let half = V::constant(0.5);
        let face = &here.face;
        // SAFETY: all rows hold the pack's columns; states k − 1 and k are readable.
        unsafe {
            let kappas = [self.inverse_capacity(0, i), self.inverse_capacity(1, i)];
            let [kappa_below, kappa_here] = kappas;
            self.tile.note_speeds(&face.speeds, kappas, dtdy, i, self.tile.columns);
            let mut g = [V::zero(); M];
            if self.tile.args.scheme.order == 2 {
                let waves = Waves { waves: face.waves, speeds: face.speeds };
                let below = self.rows.products.load(i);
                let mean = dtdy * (half * (kappa_below + kappa_here));
                g = limited_correction::<S, V, M, W, A>(self.tile.args.scheme, &waves, [&below, above], mean);
            }
            let (mut left, mut right) = (self.rows.left.load::<V, M>(i), self.rows.right.load::<V, M>(i));
            if const { S::DIM == 2 } && transverse {
                let (cells, states) = ([(i, k - 1), (i, k)], [here.q_below, here.q_above, here.mean]);
                let parts = self.split_transversely(Axis::Y, cells, states, [face.amdq, face.apdq], &g);
                self.rows.left.store(i, parts[2]);
                self.rows.right.store(i, parts[3]);
                let (down, up) = (self.rows.down.load::<V, M>(i), x_below.up.load::<V, M>(i));
                let (from_above, from_below) = (half * dtdx * kappa_here, half * dtdx * kappa_below);
                for m in 0..M {
                    left[m] += parts[0][m];
                    right[m] += parts[1][m];
                    g[m] -= from_above * down[m] + from_below * up[m];
                }
            }
            self.tile.keep_admissible(Self::ALONG, self.offset(i, k), &mut g);
            if const { Self::LIMITS_FLUXES } {
                self.limit_y(i, [&here.q_below, &here.q_above], &here.first_order, &mut g);
            }
            let g_below = self.rows.g.load::<V, M>(i);
            self.rows.g.store(i, g);
            let bpdq_below = self.rows.bpdq_below.load::<V, M>(i);
            self.rows.bpdq_below.store(i, face.apdq);
            let mut now = Waiting {
                y_part: [V::zero(); M],
                fluctuations: x_below.fluctuations.load(i),
                f: x_below.correction.load(i),
                right,
                dtdx: dtdx * kappa_below,
            };
            let sent = half * dtdy * kappa_below;
            for m in 0..M {
                now.right[m] = sent * right[m];
                let from_left = V::shift_up(right_before[m], now.right[m]);
                now.f[m] -= sent * left[m] + from_left;
                now.y_part[m] = dtdy * kappa_below * ((bpdq_below[m] + face.amdq[m]) + (g[m] - g_below[m]));
            }
            if const { S::DIM == 2 } && transverse {
                self.tile.keep_admissible(Axis::X, self.offset(i, k - 1), &mut now.f);
            }
            if const { Self::LIMITS_FLUXES } && self.tile.args.sweep[0] {
                self.limit_x(i, k - 1, &mut now.f);
            }
            now
        }
    }

    /// Adds the x-part of a waiting pack and writes it. `f_after`: F̃ of the pack to its right. The parts are added first, so that the order
    /// of the axes does not matter.
    #[inline(always)]
    unsafe fn write_waiting(&mut self, i: isize, row: isize, waiting: &Waiting<V, M>, f_after: &[V; M]) {
        // SAFETY: the row is readable, and a pack to either side of the tile; its cells are written here alone.
        let old = unsafe { self.state(i, row) };
        let mut q = old;
        for m in 0..M {
            let f_right = V::shift_down(waiting.f[m], f_after[m]);
            q[m] -= waiting.y_part[m] + waiting.dtdx * (waiting.fluctuations[m] + (f_right - waiting.f[m]));
        }
        // SAFETY: the row buffers hold the pack; its cells are ours to write.
        unsafe {
            let part = self.keep_nonnegative(i, &old, &mut q);
            let pace = self.free_speed().map(|free| Pace { free, before: old });
            self.tile.write(i, self.offset(i, row), q, part, pace);
        }
    }

    /// Finishes a row where y is not swept: there is only the x-part.
    #[inline(always)]
    pub(super) unsafe fn finish_without_y(&mut self, row: isize) {
        let x = self.rows.x[0];
        let lanes = V::LANES as isize;
        let mut correction = x.correction;
        if const { Self::LIMITS_FLUXES } {
            // SAFETY: the row's faces are complete.
            unsafe { self.limit_x_row(row) };
            correction = self.rows.f;
        }
        let mut i = FIRST;
        while i <= self.tile.columns {
            // SAFETY: the row's faces are complete; its cells are ours to write.
            unsafe {
                let f = correction.load::<V, M>(i);
                self.rows.f.store(i, f);
                let (y_part, fluctuations) = ([V::zero(); M], x.fluctuations.load(i));
                let dtdx = self.dt_over_dx[0] * self.inverse_capacity(0, i);
                let waiting = Waiting { y_part, fluctuations, f, right: f, dtdx };
                self.write_waiting(i, row, &waiting, &correction.load(i + lanes));
            }
            i += lanes;
        }
    }
}
