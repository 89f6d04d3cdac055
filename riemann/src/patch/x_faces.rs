//! The x-faces of one row: solve, limit, split, from left to right, one pack behind the other.
//!
//! A face's limiter looks at both its neighbours, and a cell gathers from both its faces: those are lanes of the packs
//! before and after. So the pack being solved is two ahead of the one being finished, and nothing but results is stored.

use super::correction::{Waves, limited_correction};
use super::update::Marcher;
use crate::axis::Axis;
use crate::real::Real;
use crate::solver::Solver;

/// A pack of x-faces on its way.
#[derive(Clone, Copy)]
struct Faces<V, const M: usize, const W: usize> {
    /// States left and right of the faces.
    ql: [V; M],
    qr: [V; M],
    waves: Waves<V, M, W>,
    amdq: [V; M],
    apdq: [V; M],
    /// Parts of the lower- and the upper-going fluctuation that move down and up.
    parts: [[V; M]; 4],
}

#[inline(always)]
fn shift_up<V: Real, const M: usize>(before: &[V; M], here: &[V; M]) -> [V; M] {
    let mut shifted = *here;
    for m in 0..M {
        shifted[m] = V::shift_up(before[m], here[m]);
    }
    shifted
}

#[inline(always)]
fn shift_down<V: Real, const M: usize>(here: &[V; M], after: &[V; M]) -> [V; M] {
    let mut shifted = *here;
    for m in 0..M {
        shifted[m] = V::shift_down(here[m], after[m]);
    }
    shifted
}

impl<S, V, const M: usize, const W: usize, const A: usize> Marcher<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Works on row `k`. `transverse`: split the fluctuations; `courant`: note the speeds.
    #[inline(always)]
    pub(super) unsafe fn x_row(&mut self, k: isize, transverse: bool, courant: bool) {
        let lanes = V::LANES as isize;
        let zero = [V::zero(); M];
        let none = Waves::none(V::zero());
        let empty = Faces { ql: zero, qr: zero, waves: none, amdq: zero, apdq: zero, parts: [zero; 4] };
        let (mut before, mut here) = (empty, empty);
        let mut i = Self::first_pack();
        // Face `columns + 1` is the last that a limiter looks at; two packs more flush what is on its way.
        while i - 2 * lanes < self.columns {
            let mut after = empty;
            if i <= self.columns + 1 {
                // SAFETY: two ghost columns are readable, and a pack to either side.
                after = unsafe { self.solve_x(i, k, &here) };
                if courant {
                    let kappa = self.rows.inverse_capacity[1];
                    // SAFETY: the row buffers reach a pack to either side.
                    let kappa = unsafe { [V::load(kappa.at(0, i - 1)), V::load(kappa.at(0, i))] };
                    self.note_speeds(&after.waves.speeds, kappa, 0, i, self.columns + 1);
                }
            }
            // SAFETY: the packs behind the one just solved lie in the row too.
            unsafe {
                if (Self::first_pack()..=self.columns).contains(&(i - lanes)) {
                    self.correct_x(i - lanes, k, transverse, &before.waves.waves, &mut here, &after);
                }
                if transverse && i - 2 * lanes >= Self::first_pack() {
                    self.gather_x(i - 2 * lanes, &before, &here);
                }
            }
            (before, here) = (here, after);
            i += lanes;
        }
    }

    /// Solves the pack of faces at column `i`; `before`: the pack to its left.
    #[inline(always)]
    unsafe fn solve_x(&self, i: isize, k: isize, before: &Faces<V, M, W>) -> Faces<V, M, W> {
        // SAFETY: the caller's promise.
        let (qr, aux_l, aux_r) = unsafe { (self.state(i, k), self.aux(i - 1, k), self.aux(i, k)) };
        let ql = shift_up(&before.qr, &qr);
        let face = self.solver.normal(Axis::X, ql, qr, aux_l, aux_r);
        let waves = Waves { waves: face.waves, speeds: face.speeds };
        Faces { ql, qr, waves, amdq: face.amdq, apdq: face.apdq, parts: [[V::zero(); M]; 4] }
    }

    /// Limits the pack at column `i`, between the waves of the pack before and the pack after, and splits it.
    #[inline(always)]
    unsafe fn correct_x(
        &self,
        i: isize,
        k: isize,
        transverse: bool,
        before: &[[V; M]; W],
        here: &mut Faces<V, M, W>,
        after: &Faces<V, M, W>,
    ) {
        let rows = self.rows.x[1];
        let mut correction = [V::zero(); M];
        // SAFETY: the pack's columns lie in the row buffers.
        unsafe {
            if self.args.scheme.order == 2 {
                let (mut below, mut above) = (here.waves.waves, here.waves.waves);
                for w in 0..W {
                    below[w] = shift_up(&before[w], &here.waves.waves[w]);
                    above[w] = shift_down(&here.waves.waves[w], &after.waves.waves[w]);
                }
                let kappa = self.rows.inverse_capacity[1];
                let mean = V::constant(0.5) * (V::load(kappa.at(0, i - 1)) + V::load(kappa.at(0, i)));
                let dtdx = self.dt_over_dx[0] * mean;
                correction = limited_correction::<S, V, M, W, A>(self.args.scheme, &below, &here.waves, &above, dtdx);
                rows.correction.store(i, correction);
            }
            let mut fluctuations = shift_down(&here.amdq, &after.amdq);
            for m in 0..M {
                fluctuations[m] = here.apdq[m] + fluctuations[m];
            }
            rows.fluctuations.store(i, fluctuations);
            if transverse {
                let cells = [(i - 1, k), (i, k)];
                let (states, fluctuations) = ([here.ql, here.qr], [here.amdq, here.apdq]);
                here.parts = self.split_transversely(Axis::X, cells, states, fluctuations, &correction);
            }
        }
    }

    /// What leaves the cells of the pack at column `i` downward and upward: the upper-going part of each cell's left
    /// face and the lower-going part of its right face.
    #[inline(always)]
    unsafe fn gather_x(&self, i: isize, here: &Faces<V, M, W>, after: &Faces<V, M, W>) {
        let rows = self.rows.x[1];
        let (mut down, mut up) = (here.parts[2], here.parts[3]);
        let from_right = [shift_down(&here.parts[0], &after.parts[0]), shift_down(&here.parts[1], &after.parts[1])];
        for m in 0..M {
            down[m] += from_right[0][m];
            up[m] += from_right[1][m];
        }
        // SAFETY: the pack's columns lie in the row buffers.
        unsafe {
            rows.down.store(i, down);
            rows.up.store(i, up);
        }
    }
}
