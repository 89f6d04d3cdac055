//! The x-faces of one row: solve, limit, split, from left to right, one pack behind the other.
//!
//! A face's limiter looks at both its neighbours, and a cell gathers from both its faces: those are lanes of the packs
//! before and after. So the pack being solved is two ahead of the one being finished, and nothing but results is stored.

use super::beside::solve_face;
use super::correction::{Waves, limited_correction, wave_products};
use super::rows::FIRST;
use super::update::Marcher;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;

/// A pack of x-faces in progress.
#[derive(Clone, Copy)]
struct Faces<V, const M: usize, const W: usize> {
    /// States left and right of the faces.
    ql: [V; M],
    qr: [V; M],
    /// Their means, for solvers that have a mean state.
    mean: [V; M],
    face: Waves<V, M, W>,
    /// Products of the waves with those of the faces to the left.
    products: [V; W],
    amdq: [V; M],
    apdq: [V; M],
    /// 1/κ of the cells right of the faces, and of those on both sides together.
    kappa: V,
    kappas: [V; 2],
}

/// The columns left of a pack's.
#[inline(always)]
pub(super) fn shift_up<V: Real, const N: usize>(before: &[V; N], here: &[V; N]) -> [V; N] {
    let mut shifted = *here;
    for m in 0..N {
        shifted[m] = V::shift_up(before[m], here[m]);
    }
    shifted
}

#[inline(always)]
fn shift_down<V: Real, const N: usize>(here: &[V; N], after: &[V; N]) -> [V; N] {
    let mut shifted = *here;
    for m in 0..N {
        shifted[m] = V::shift_down(here[m], after[m]);
    }
    shifted
}

impl<S, V, const N: usize, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, N, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Processes row `k`. `transverse`: split the fluctuations; `courant`: record the speeds.
    #[inline(always)]
    pub(super) unsafe fn x_row(&mut self, k: isize, transverse: bool, courant: bool) {
        let lanes = V::LANES as isize;
        let none = [V::zero(); M];
        let mut here = Faces {
            ql: none,
            // SAFETY: the cells before the first pack are readable; the last of them is a ghost cell.
            qr: unsafe { self.state(FIRST - lanes, k) },
            mean: none,
            face: Waves { waves: [none; W], speeds: [V::zero(); W] },
            products: [V::zero(); W],
            amdq: none,
            apdq: none,
            kappa: V::zero(),
            kappas: [V::zero(); 2],
        };
        // Parts of the lower- and the upper-going fluctuation that move down and up.
        let mut parts_before = [none; 4];
        let mut i = FIRST;
        // Face `columns + 1` is the last that a limiter uses.
        while i <= self.tile.columns + 1 {
            // SAFETY: two ghost columns are readable, and a pack to either side.
            let after = unsafe { self.solve_x(i, k, transverse, &here) };
            if courant {
                let (speeds, end) = (&after.face.speeds, self.tile.columns + 1);
                self.tile.note_speeds(speeds, after.kappas, self.dt_over_dx[0], i, end);
            }
            // SAFETY: the packs behind the one just solved lie in the row too.
            parts_before = unsafe { self.finish_x(i, k, transverse, [&here, &after], &parts_before) };
            here = after;
            i += lanes;
        }
        // Two more packs complete those in progress.
        while i - 2 * lanes < self.tile.columns {
            // SAFETY: likewise.
            parts_before = unsafe { self.finish_x(i, k, transverse, [&here, &here], &parts_before) };
            i += lanes;
        }
    }

    /// Corrects the faces one pack behind column `i`, and gathers in the cells two packs behind. Returns the parts that the former are
    /// split into. `faces`: one pack behind, and at `i`.
    #[inline(always)]
    unsafe fn finish_x(
        &self,
        i: isize,
        k: isize,
        transverse: bool,
        [here, after]: [&Faces<V, M, W>; 2],
        parts_before: &[[V; M]; 4],
    ) -> [[V; M]; 4] {
        let lanes = V::LANES as isize;
        let mut parts = *parts_before;
        if i <= FIRST {
            return parts;
        }
        // SAFETY: the caller's promise.
        unsafe {
            if i - lanes <= self.tile.columns {
                parts = self.correct_x(i - lanes, k, transverse, here, after);
            }
            if const { S::DIM == 2 } && transverse && i - lanes > FIRST {
                self.gather_x(i - 2 * lanes, parts_before, &parts);
            }
        }
        parts
    }

    /// Solves the pack of faces at column `i`; `before`: the pack to its left.
    #[inline(always)]
    unsafe fn solve_x(&self, i: isize, k: isize, transverse: bool, before: &Faces<V, M, W>) -> Faces<V, M, W> {
        // SAFETY: the caller's promise.
        let (qr, aux_l, aux_r) = unsafe { (self.state(i, k), self.aux(i - 1, k), self.aux(i, k)) };
        // SAFETY: the row buffers hold the pack.
        let kappa = unsafe { self.inverse_capacity(1, i) };
        let ql = shift_up(&before.qr, &qr);
        let place = (Axis::X, self.offset(i, k));
        // SAFETY: two ghost rows are readable.
        let face = unsafe { solve_face(&self.tile.solver, self.tile.args, place, [ql, qr], [aux_l, aux_r]) };
        if const { Self::LIMITS_FLUXES } {
            // SAFETY: the row buffers hold the pack.
            unsafe {
                self.store_first_order(
                    self.rows.x[1].first_order,
                    i,
                    &self.first_order(place.0, place.1, ql, &face.amdq),
                )
            };
        }
        let waves_before = {
            let mut shifted = face.waves;
            for w in 0..W {
                shifted[w] = shift_up(&before.face.waves[w], &face.waves[w]);
            }
            shifted
        };
        Faces {
            ql,
            qr,
            // Taken here, beside what the solver itself asks of it.
            mean: if transverse { self.tile.solver.mean_state(ql, qr) } else { ql },
            face: Waves { waves: face.waves, speeds: face.speeds },
            products: wave_products(&waves_before, &face.waves),
            amdq: face.amdq,
            apdq: face.apdq,
            kappa,
            kappas: [if self.tile.has_capacity() { V::shift_up(before.kappa, kappa) } else { kappa }, kappa],
        }
    }

    /// Limits the pack at column `i` and splits it; returns the parts.
    #[inline(always)]
    unsafe fn correct_x(
        &self,
        i: isize,
        k: isize,
        transverse: bool,
        here: &Faces<V, M, W>,
        after: &Faces<V, M, W>,
    ) -> [[V; M]; 4] {
        let rows = self.rows.x[1];
        let mut correction = [V::zero(); M];
        // SAFETY: the pack's columns lie in the row buffers.
        unsafe {
            if self.tile.args.scheme.order == 2 {
                let above = shift_down(&here.products, &after.products);
                let mean = V::constant(0.5) * (here.kappas[0] + here.kappas[1]);
                let dtdx = self.dt_over_dx[0] * mean;
                let products = [&here.products, &above];
                correction = limited_correction::<S, V, M, W, A>(self.tile.args.scheme, &here.face, products, dtdx);
                if const { S::DIM != 2 } || !transverse {
                    self.tile.keep_admissible(Axis::X, self.offset(i, k), &mut correction);
                }
                rows.correction.store(i, correction);
            }
            let mut fluctuations = shift_down(&here.amdq, &after.amdq);
            for m in 0..M {
                fluctuations[m] = here.apdq[m] + fluctuations[m];
            }
            rows.fluctuations.store(i, fluctuations);
            if const { S::DIM != 2 } || !transverse {
                return [[V::zero(); M]; 4];
            }
            let (states, both) = ([here.ql, here.qr, here.mean], [here.amdq, here.apdq]);
            self.split_transversely(Axis::X, [(i - 1, k), (i, k)], states, both, &correction)
        }
    }

    /// What leaves the cells of the pack at column `i` downward and upward: the upper-going part of each cell's left
    /// face and the lower-going part of its right face.
    #[inline(always)]
    unsafe fn gather_x(&self, i: isize, here: &[[V; M]; 4], after: &[[V; M]; 4]) {
        let (mut down, mut up) = (here[2], here[3]);
        let from_right = [shift_down(&here[0], &after[0]), shift_down(&here[1], &after[1])];
        for m in 0..M {
            down[m] += from_right[0][m];
            up[m] += from_right[1][m];
        }
        // SAFETY: the pack's columns lie in the row buffers.
        unsafe {
            self.rows.down.store(i, down);
            self.rows.x[1].up.store(i, up);
        }
    }
}
