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
use super::buffers::{FIRST, Group};
use super::live::Live;
use crate::axis::{Axis, Side};
use crate::real::Real;
use crate::solver::Solver;

/// What goes through the faces along one axis: `t∓`, and `up∓` and `down∓` along the third.
struct Parts<V, const M: usize> {
    t: [[V; M]; 2],
    up: [[V; M]; 2],
    down: [[V; M]; 2],
}

/// Fluctuations that go through an axis' faces into cells, and where they are split.
#[derive(Clone, Copy)]
struct Entering<V, const M: usize> {
    axis: Axis,
    /// They move to this side, through faces between these states.
    side: Side,
    between: [[V; M]; 2],
    mean: [V; M],
}

/// Adds what one face sends.
#[inline(always)]
fn add<V: Real, const M: usize>(sum: &mut [[V; M]; 2], sent: [[V; M]; 2]) {
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
    /// Splits what enters the cells of row `j`, plane `k` along axis `N` along the two others.
    #[inline(always)]
    pub(super) unsafe fn send_from<const N: usize>(&mut self, [j, k]: [isize; 2]) {
        let [axis, first, second] = [Axis::ALL[N], Axis::ALL[(N + 1) % 3], Axis::ALL[(N + 2) % 3]];
        // SAFETY: the caller's promise.
        unsafe {
            // Without vectors one function serves all axes: to compile all six would take longer than they save.
            if const { V::LANES == 1 } {
                self.send_any([axis, first, second], [j, k]);
                self.send_any([axis, second, first], [j, k]);
            } else {
                // The closures name the axes, so that these are constants at compile time.
                self.pass(
                    #[inline(always)]
                    |block| block.send([Axis::ALL[N], Axis::ALL[(N + 1) % 3], Axis::ALL[(N + 2) % 3]], [j, k]),
                );
                self.pass(
                    #[inline(always)]
                    |block| block.send([Axis::ALL[N], Axis::ALL[(N + 2) % 3], Axis::ALL[(N + 1) % 3]], [j, k]),
                );
            }
        }
        if axis != Axis::X {
            let through = if axis == Axis::Y { Axis::Z } else { Axis::Y };
            self.finish_moving_along_x([N, through.index()]);
        }
    }

    #[inline(never)]
    unsafe fn send_any(&mut self, axes: [Axis; 3], place: [isize; 2]) {
        // SAFETY: the caller's promise.
        unsafe { self.send(axes, place) };
    }

    /// What enters the cells of row `j`, plane `k` along `axis` and leaves through faces along `through`, some of it after it has
    /// moved along `third`. Keeps what is sent through the faces of the cells before them along `third`.
    #[inline(always)]
    unsafe fn send(&mut self, [axis, through, third]: [Axis; 3], [j, k]: [isize; 2]) {
        let moved = self.keep.moved[axis.index()][through.index()];
        let sent = self.keep.sent[axis.index()][through.index()];
        let live = self.live[axis.index()][through.index()];
        let start = if third == Axis::Z { self.keep.in_plane(0, j) } else { self.keep.in_row(0) };
        // Through x-faces go the cells beside the row's ends too.
        let end = if axis == Axis::X { self.size[0] } else { self.size[0] + 1 };
        let mut i = FIRST;
        while i < end {
            // SAFETY: neighbours are readable; places are those of row and plane.
            unsafe {
                let parts = self.split([axis, through, third], self.cell(i, j, k), self.keep.in_row(i));
                if third == Axis::X {
                    self.keep_for_x(live, moved, start + i, &parts);
                } else {
                    self.move_on(third, live, [moved, sent], [start + i, self.keep.in_row(i)], &parts);
                }
            }
            i += V::LANES as isize;
        }
    }

    /// Splits what enters the pack at `cell`, `place` of its row.
    #[inline(always)]
    unsafe fn split(&self, [axis, through, third]: [Axis; 3], cell: isize, place: isize) -> Parts<V, M> {
        let zero = [[V::zero(); M]; 2];
        let mut parts = Parts { t: zero, up: zero, down: zero };
        let step = self.step(axis);
        // SAFETY: neighbours are readable; the place is one of the row.
        unsafe {
            let [below, here, above] =
                [self.tile.state(cell - step), self.tile.state(cell), self.tile.state(cell + step)];
            let mean = self.tile.solver.mean_state(below, here);
            let upward = Entering { axis, side: Side::Upper, between: [below, here], mean };
            self.split_one(upward, [through, third], cell, place, 0, &mut parts);
            if !S::SPLITS_SUMS {
                let mean = self.tile.solver.mean_state(here, above);
                let downward = Entering { axis, side: Side::Lower, between: [here, above], mean };
                self.split_one(downward, [through, third], cell, place, M, &mut parts);
            }
            self.per_capacity(cell, &mut parts);
        }
        parts
    }

    /// The same of what enters through one face, `number` of `once` and `twice`.
    #[inline(always)]
    unsafe fn split_one(
        &self,
        entering: Entering<V, M>,
        [through, third]: [Axis; 2],
        cell: isize,
        place: isize,
        number: usize,
        parts: &mut Parts<V, M>,
    ) {
        // SAFETY: neighbours are readable; the place is one of the row.
        unsafe {
            let once: [V; M] = self.keep.once.after(number).load(place);
            add(&mut parts.t, self.split_along(through, entering, cell, once));
            if self.double {
                let twice: [V; M] = self.keep.twice.after(number).load(place);
                let (step, [ql, qr]) = (self.step(third), entering.between);
                let aux = [
                    self.tile.transverse_aux(third, cell),
                    self.tile.transverse_aux(through, cell - step),
                    self.tile.transverse_aux(through, cell),
                    self.tile.transverse_aux(through, cell + step),
                ];
                let axes = [entering.axis, through, third];
                let [down, up] =
                    self.tile.solver.transverse_twice(axes, entering.side, [ql, qr, entering.mean], &aux, twice);
                add(&mut parts.up, [up.bmasdq, up.bpasdq]);
                add(&mut parts.down, [down.bmasdq, down.bpasdq]);
            }
        }
    }

    /// The parts of `asdq` in the pack at `cell` that move down and up.
    #[inline(always)]
    unsafe fn split_along(&self, along: Axis, from: Entering<V, M>, cell: isize, asdq: [V; M]) -> [[V; M]; 2] {
        let [ql, qr] = from.between;
        // SAFETY: the neighbours of the tile's cells, and theirs, are readable.
        let aux = unsafe { self.tile.transverse_aux(along, cell) };
        let split = self.tile.solver.transverse(from.axis, along, from.side, ql, qr, from.mean, &aux, asdq);
        [split.bmasdq, split.bpasdq]
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

    /// Takes the parts of the cells that come next along `third`, and keeps what the cells before them send.
    #[inline(always)]
    unsafe fn move_on(
        &self,
        third: Axis,
        live: Live<M>,
        [moved, sent]: [Group<V::Scalar>; 2],
        [moved_at, sent_at]: [isize; 2],
        parts: &Parts<V, M>,
    ) {
        let weight = V::constant(1.0 / 3.0) * self.dt_over_dx[third.index()];
        for side in 0..2 {
            for m in 0..M {
                if !live[m] {
                    continue;
                }
                let number = side * M + m;
                let [t_at, up_at, down_at] = [
                    moved.at(number, moved_at),
                    moved.at(2 * M + number, moved_at),
                    moved.at(4 * M + number, moved_at),
                ];
                let mut t = parts.t[side][m];
                // SAFETY: the places are those of the groups.
                unsafe {
                    let mut before = V::load(t_at);
                    if self.double {
                        before -= weight * (parts.down[side][m] - V::load(down_at));
                        t -= weight * (parts.up[side][m] - V::load(up_at));
                        parts.up[side][m].store(up_at);
                        parts.down[side][m].store(down_at);
                    }
                    t.store(t_at);
                    before.store(sent.at(number, sent_at));
                }
            }
        }
    }

    /// Keeps the parts of a pack of cells whose third axis is x.
    #[inline(always)]
    unsafe fn keep_for_x(&self, live: Live<M>, moved: Group<V::Scalar>, place: isize, parts: &Parts<V, M>) {
        for (k, part) in [&parts.t, &parts.up, &parts.down].into_iter().enumerate() {
            for side in 0..2 {
                for m in 0..M {
                    if live[m] && (k == 0 || self.double) {
                        // SAFETY: the place is one of the row.
                        unsafe { part[side][m].store(moved.at((2 * k + side) * M + m, place)) };
                    }
                }
            }
        }
    }

    /// What a row of cells sends from `axis`, whose third axis is x: both neighbours are in the row.
    #[inline(always)]
    fn finish_moving_along_x(&mut self, [axis, through]: [usize; 2]) {
        self.pass(
            #[inline(always)]
            |block| {
                let (moved, sent) = (block.keep.moved[axis][through], block.keep.sent[axis][through]);
                let weight = V::constant(1.0 / 3.0) * block.dt_over_dx[0];
                for number in (0..2 * M).filter(|number| block.live[axis][through][number % M]) {
                    let [t, up, down] = [moved.after(number), moved.after(2 * M + number), moved.after(4 * M + number)];
                    let mut i = FIRST;
                    while i <= block.size[0] {
                        let place = block.keep.in_row(i);
                        // SAFETY: places are those of the row, and the columns beside it are there.
                        unsafe {
                            let [mut sum]: [V; 1] = t.load(place);
                            if block.double {
                                let ([before], [here]): ([V; 1], [V; 1]) = (up.load(place - 1), up.load(place));
                                sum -= weight * (here - before);
                                let ([here], [after]): ([V; 1], [V; 1]) = (down.load(place), down.load(place + 1));
                                sum -= weight * (after - here);
                            }
                            sum.store(sent.at(number, place));
                        }
                        i += V::LANES as isize;
                    }
                }
            },
        );
    }
}
