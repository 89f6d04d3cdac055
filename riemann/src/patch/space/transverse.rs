//! What the fluctuations that enter a cell send through its faces along the other axes, and through those of its
//! neighbours: transverse waves, and double transverse waves.
//!
//! Of a cell C, of what enters through its faces along one axis, let along another axis a, `t∓` be the parts that leave C
//! through its lower and upper a-faces. What has moved to C's upper neighbour along the third axis b leaves that one, and
//! no longer C: `up∓`; what has moved to the lower neighbour: `down∓`. With Δt/Δb of the third axis C sends through its
//! a-faces
//! ```text
//! t∓(C) − ⅓ Δt/Δb [up∓(C)/κ − up∓(C − b)/κ' + down∓(C + b)/κ'' − down∓(C)/κ]
//! ```
//! with the capacities of the cells that the parts have left. That is summed in the order in which cells come along b.

use super::Block;
use super::buffers::{FIRST, Group, Moved};
use crate::axis::{Axis, Side};
use crate::real::Real;
use crate::solver::Solver;

/// What two faces along an axis send into the cell between them.
pub(super) struct Incoming<V, const M: usize> {
    /// States of the lower neighbour, the cell, and the upper neighbour.
    pub states: [[V; M]; 3],
    /// 𝒜⁺ΔQ of the lower face, 𝒜⁻ΔQ of the upper one.
    pub asdq: [[V; M]; 2],
    /// Corrections of both.
    pub corrections: [[V; M]; 2],
}

/// What goes through the faces along one axis: `t∓`, and `up∓` and `down∓` along the third.
#[derive(Clone, Copy)]
struct Parts<V, const M: usize> {
    t: [[V; M]; 2],
    up: [[V; M]; 2],
    down: [[V; M]; 2],
}

/// Adds what one face sends.
#[inline(always)]
fn add<V: Real, const M: usize>(sum: &mut [[V; M]; 2], sent: &[[V; M]; 2]) {
    for side in 0..2 {
        for m in 0..M {
            sum[side][m] += sent[side][m];
        }
    }
}

impl<S, V, const M: usize, const W: usize, const A: usize> Block<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Splits what enters the pack at `cell` through its faces along `axis` along the two others: first, second.
    #[inline(always)]
    unsafe fn split(&self, axis: Axis, others: [Axis; 2], cell: isize, incoming: &Incoming<V, M>) -> [Parts<V, M>; 2] {
        let zero = [[V::zero(); M]; 2];
        let mut parts = [Parts { t: zero, up: zero, down: zero }; 2];
        // A loop that the compiler had better not unroll: it would double a program that takes long to compile.
        for side in [Side::Upper, Side::Lower] {
            // SAFETY: the caller's promise.
            let sent = unsafe { self.split_one(axis, others, cell, side, incoming) };
            for n in 0..2 {
                add(&mut parts[n].t, &sent[n].t);
                add(&mut parts[n].up, &sent[n].up);
                add(&mut parts[n].down, &sent[n].down);
            }
        }
        parts
    }

    /// The same of one face's fluctuation, which moves to `side`: of the upper-going one of the lower face, or of the
    /// lower-going one of the upper face.
    #[inline(always)]
    unsafe fn split_one(
        &self,
        axis: Axis,
        [first, second]: [Axis; 2],
        cell: isize,
        side: Side,
        incoming: &Incoming<V, M>,
    ) -> [Parts<V, M>; 2] {
        let face = side.opposite().index();
        let (ql, qr) = (incoming.states[face], incoming.states[face + 1]);
        let asdq = incoming.asdq[face];
        let (mut once, mut twice) = (asdq, asdq);
        if self.tile.args.scheme.transverse == 2 {
            // The factors of the correction are those of ½ Δt/Δx and of ⅙ Δt², by which the parts are scaled.
            for m in 0..M {
                let correction = incoming.corrections[face][m];
                let double = correction + correction;
                if side == Side::Lower {
                    once[m] += double;
                    twice[m] += double + correction;
                } else {
                    once[m] -= double;
                    twice[m] -= double + correction;
                }
            }
        }
        let split = |along: Axis, cell: isize, asdq: [V; M]| {
            // SAFETY: the neighbours of the tile's cells, and theirs, are readable.
            let aux = unsafe { self.tile.transverse_aux(along, cell) };
            let split = self.tile.solver.transverse(axis, along, side, ql, qr, &aux, asdq);
            [split.bmasdq, split.bpasdq]
        };
        let zero = [[V::zero(); M]; 2];
        let parts_through = |across: Axis| Parts { t: split(across, cell, once), up: zero, down: zero };
        let mut parts = [parts_through(first), parts_through(second)];
        if self.double {
            let [down, up] = split(second, cell, twice);
            parts[0].up = split(first, cell + self.step(second), up);
            parts[0].down = split(first, cell - self.step(second), down);
            let [down, up] = split(first, cell, twice);
            parts[1].up = split(second, cell + self.step(first), up);
            parts[1].down = split(second, cell - self.step(first), down);
        }
        parts
    }

    /// Divides what has left the cell by its capacity.
    #[inline(always)]
    unsafe fn per_capacity(&self, cell: isize, parts: &mut Parts<V, M>) {
        if self.tile.has_capacity() {
            // SAFETY: the cell is readable.
            let kappa = unsafe { self.tile.inverse_capacity(cell) };
            for side in 0..2 {
                for m in 0..M {
                    parts.up[side][m] = kappa * parts.up[side][m];
                    parts.down[side][m] = kappa * parts.down[side][m];
                }
            }
        }
    }

    /// Takes the parts of the cells that come next along `third`, and answers what the cells before them send.
    #[inline(always)]
    unsafe fn move_on(&self, third: Axis, moved: Moved<V::Scalar>, place: isize, parts: &Parts<V, M>) -> [[V; M]; 2] {
        // SAFETY: the place is one of the group's.
        unsafe {
            if !self.double {
                let before = moved.load_all::<V, M, 2>(place);
                moved.store_all(place, &parts.t);
                return before;
            }
            let [t0, t1, up0, up1, down0, down1] = moved.load_all::<V, M, 6>(place);
            let (mut sent, mut t) = ([t0, t1], parts.t);
            let (up, down) = ([up0, up1], [down0, down1]);
            let weight = V::constant(1.0 / 3.0) * self.dt_over_dx[third.index()];
            for side in 0..2 {
                for m in 0..M {
                    sent[side][m] -= weight * (parts.down[side][m] - down[side][m]);
                    t[side][m] -= weight * (parts.up[side][m] - up[side][m]);
                }
            }
            moved.store_all(place, &[t[0], t[1], parts.up[0], parts.up[1], parts.down[0], parts.down[1]]);
            sent
        }
    }

    /// Splits what enters cells of row `j`, plane `k` along x: through y-faces of plane k − 1, z-faces of row j − 1.
    #[inline(always)]
    pub(super) unsafe fn send_from_x(&mut self, i: isize, j: isize, k: isize, incoming: &Incoming<V, M>) {
        let (cell, place) = (self.cell(i, j, k), self.keep.in_row(i));
        // SAFETY: neighbours are readable; places are those of row and plane.
        unsafe {
            let [mut to_y, mut to_z] = self.split(Axis::X, [Axis::Y, Axis::Z], cell, incoming);
            self.per_capacity(cell, &mut to_y);
            self.per_capacity(cell, &mut to_z);
            let sent = self.move_on(Axis::Z, self.keep.moved_xy, self.keep.in_plane(i, j), &to_y);
            self.keep.sent_xy.store_all(place, &sent);
            let sent = self.move_on(Axis::Y, self.keep.moved_xz, place, &to_z);
            self.keep.sent_xz.store_all(place, &sent);
        }
    }

    /// Splits what enters cells of row `j`, plane `k` along y: through x-faces of plane k − 1; the rest is finished along x.
    #[inline(always)]
    pub(super) unsafe fn send_from_y(&mut self, i: isize, j: isize, k: isize, incoming: &Incoming<V, M>) {
        let (cell, place) = (self.cell(i, j, k), self.keep.in_row(i));
        // SAFETY: likewise.
        unsafe {
            let [mut to_x, mut to_z] = self.split(Axis::Y, [Axis::X, Axis::Z], cell, incoming);
            self.per_capacity(cell, &mut to_x);
            self.per_capacity(cell, &mut to_z);
            let sent = self.move_on(Axis::Z, self.keep.moved_yx, self.keep.in_plane(i, j), &to_x);
            self.keep.sent_yx.store_all(place, &sent);
            self.keep_for_x(place, &to_z);
        }
    }

    /// Splits what enters cells of row `j`, plane `k` along z: through x-faces of row j − 1; the rest is finished along x.
    #[inline(always)]
    pub(super) unsafe fn send_from_z(&mut self, i: isize, j: isize, k: isize, incoming: &Incoming<V, M>) {
        let (cell, place) = (self.cell(i, j, k), self.keep.in_row(i));
        // SAFETY: likewise.
        unsafe {
            let [mut to_x, mut to_y] = self.split(Axis::Z, [Axis::X, Axis::Y], cell, incoming);
            self.per_capacity(cell, &mut to_x);
            self.per_capacity(cell, &mut to_y);
            let sent = self.move_on(Axis::Y, self.keep.moved_zx, place, &to_x);
            self.keep.sent_zx.store_all(place, &sent);
            self.keep_for_x(place, &to_y);
        }
    }

    #[inline(always)]
    unsafe fn keep_for_x(&self, place: isize, parts: &Parts<V, M>) {
        let [t, up, down] = [parts.t, parts.up, parts.down];
        // SAFETY: the place is one of the row.
        unsafe { self.keep.moved_along_x.store_all(place, &[t[0], t[1], up[0], up[1], down[0], down[1]]) };
    }

    /// What a row of cells sends whose third axis is x: both neighbours are in the row.
    #[inline(always)]
    pub(super) unsafe fn finish_moving_along_x(&mut self, sent: Group<V::Scalar>) {
        let moved = self.keep.moved_along_x;
        let weight = V::constant(1.0 / 3.0) * self.dt_over_dx[0];
        let mut i = FIRST;
        while i <= self.size[0] {
            let place = self.keep.in_row(i);
            // SAFETY: places are those of the row, and the columns beside it are there.
            unsafe {
                let [mut t0, mut t1, up0, up1, down0, down1] = moved.load_all::<V, M, 6>(place);
                if self.double {
                    let [_, _, before0, before1, ..] = moved.load_all::<V, M, 6>(place - 1);
                    let [.., after0, after1] = moved.load_all::<V, M, 6>(place + 1);
                    for m in 0..M {
                        t0[m] -= weight * (up0[m] - before0[m]);
                        t1[m] -= weight * (up1[m] - before1[m]);
                        t0[m] -= weight * (after0[m] - down0[m]);
                        t1[m] -= weight * (after1[m] - down1[m]);
                    }
                }
                sent.store_all(place, &[t0, t1]);
            }
            i += V::LANES as isize;
        }
    }
}
