//! What the solver asks of interpolation between levels: admissible states, and transfer variables in place of states.
//!
//! Transfer variables are interpolated in space and time as states are. How much a fine cell then has of a quantity that is kept from being
//! negative is bounded ([`CellRules::most`]), so that nearly empty cells hold nearly nothing whatever lies in their fine cells.

use super::coarse_source::CoarseSource;
use super::scratch::Scratch;
use crate::fields::{PatchLayout, Shared};
use crate::index::{CellBox, Ratio};
use riemann::patch::{PatchSolver, SlopeRow, Transfer, TransferRow};
use riemann::real::Scalar;
use std::ptr::{NonNull, null};

/// What is written of interpolated cells, where the solver has transfer variables.
#[derive(Clone, Copy)]
pub(super) enum Written<'a, R> {
    /// States; with the auxiliary values of the fine level.
    States(&'a [R]),
    /// Transfer variables.
    Variables,
    /// Transfer variables, then the most that a cell has of each quantity that is kept from being negative: messages.
    Message,
}

/// What keeps interpolated states admissible: the slopes of a coarse cell become zero, all of them, where any state in it would not be. So
/// the average stays, and what a fine cell gets does not depend on which others are asked for. And what is interpolated.
#[derive(Clone, Copy)]
pub(super) struct CellRules<'a, R> {
    pub solver: &'a dyn PatchSolver<R>,
    pub scratch: &'a Scratch<R>,
    /// Auxiliary values of the coarse level.
    pub aux: &'a [R],
    /// Where the solver has transfer variables, the equations whose quantities are kept from being negative.
    pub kept: Option<&'static [usize]>,
}

/// Numbers from one component to the next in a line of coarse cells: those of a [`SlopeRow`], one more on either side.
const LINE: usize = SlopeRow::<f64>::LEN + 2;

impl<'a, R: Scalar> CellRules<'a, R> {
    /// The rules of a solver that has some. `scratch`: as large as the solver's own.
    pub fn of(solver: &'a dyn PatchSolver<R>, scratch: &'a Scratch<R>, aux: &'a [R]) -> Option<Self> {
        let kept = solver.transfers();
        (solver.limits() || kept.is_some()).then_some(CellRules { solver, scratch, aux, kept })
    }

    /// Components of a message.
    pub fn num_sent(&self, num_eqn: usize) -> usize {
        num_eqn + self.kept.map_or(0, <[usize]>::len)
    }

    /// Transfer variables in `count` coarse cells from `first` on and in their neighbours, and what the cells have of the quantities that are
    /// kept: a line of cells along x, then those below and above it along each other axis.
    pub fn variables_around<const D: usize>(
        &self,
        coarse: &CoarseSource<'_, D, R>,
        (first, count): ([i32; D], usize),
        lines: &mut [R],
    ) {
        let (layout, num_eqn) = (coarse.layout, self.solver.equations().len());
        let num_sent = self.num_sent(num_eqn);
        let (lines, earlier) = lines.split_at_mut((2 * D - 1) * num_sent * LINE);
        for (number, line) in lines.chunks_exact_mut(num_sent * LINE).enumerate() {
            let mut cell = first;
            match number {
                0 => cell[0] -= 1,
                _ => cell[number.div_ceil(2)] += if number % 2 == 1 { -1 } else { 1 },
            }
            let (start, len) = if number == 0 { (0, count + 2) } else { (1, count) };
            let from = layout.offset(num_eqn, cell);
            let variables_of = |states: &[R], values: &mut [R]| {
                for m in 0..num_eqn {
                    let row = &states[from + m * layout.component()..][..len];
                    values[m * LINE + start..][..len].copy_from_slice(row);
                }
                for (k, &m) in self.kept.into_iter().flatten().enumerate() {
                    for n in start..start + len {
                        values[(num_eqn + k) * LINE + n] = values[m * LINE + n].max(R::zero());
                    }
                }
                let row = TransferRow {
                    values: &raw mut values[start],
                    component: LINE,
                    aux: self.row_of_aux(self.aux, layout, cell),
                    aux_component: layout.component(),
                    most: null(),
                    most_strides: [0; 2],
                    free: R::default(),
                    len,
                };
                // SAFETY: the line has room for each component, and the cells lie in the patch.
                unsafe { self.solver.transfer(Transfer::To, &row) };
            };
            variables_of(coarse.new, line);
            if coarse.alpha != R::constant(1.0) {
                let earlier = &mut earlier[..num_sent * LINE];
                variables_of(coarse.old, earlier);
                line.iter_mut().zip(earlier).for_each(|(new, old)| *new = *old + coarse.alpha * (*new - *old));
            }
        }
    }

    /// Component `m` in cell `n` of the lines, or in its neighbour along axis `d`.
    #[inline(always)]
    pub fn around(&self, lines: &[R], num_eqn: usize, (m, n): (usize, usize), (d, step): (usize, isize)) -> R {
        let line = if d == 0 || step == 0 { 0 } else { 2 * d - usize::from(step < 0) };
        let cell = if d == 0 { (n + 1).wrapping_add_signed(step) } else { n + 1 };
        lines[(line * self.num_sent(num_eqn) + m) * LINE + cell]
    }

    /// The most that a fine cell in coarse cell `n` of the lines may have of the `k`-th quantity that is kept. With N fine cells in a coarse one
    /// it has at most N times what that has, in theory; twice this is allowed, since capacities of fine cells differ. But the less the more
    /// the coarse cell's variable differs from those of its neighbours that are not empty either, down to what the coarse cell has: a
    /// film on a slope is no part of a lake, which would fill the fine cells below its surface. One without such neighbours is a puddle, at rest for
    /// all that is known.
    fn most<const D: usize>(&self, lines: &[R], num_eqn: usize, (k, n): (usize, usize), ratio: Ratio<D>) -> R {
        let m = self.kept.expect("there are transfer variables")[k];
        let at = |m: usize, d: usize, step: isize| self.around(lines, num_eqn, (m, n), (d, step));
        let (held, here) = (at(num_eqn + k, 0, 0), at(m, 0, 0));
        let (mut apart, mut alone) = (held, true);
        for (d, step) in (0..D).flat_map(|d| [(d, -1), (d, 1)]) {
            if at(num_eqn + k, d, step) > R::zero() {
                let difference = (at(m, d, step) - here).abs();
                apart = if difference < apart { difference } else { apart };
                alone = false;
            }
        }
        if alone {
            apart = R::zero();
        }
        (R::from_f64(2.0 * f64::from(ratio.cells())) * (held - apart)).max(held)
    }

    /// Completes rows of fine cells in coarse cell `n` of the lines, whose transfer variables are written. `most`: memory.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile.
    pub unsafe fn finish<const D: usize>(
        &self,
        (fine, layout, cells): (Shared<'_, R>, &PatchLayout<D>, CellBox<D>),
        (lines, n, ratio): (&[R], usize, Ratio<D>),
        (written, most): (Written<'_, R>, &mut [R]),
    ) {
        let (num_eqn, len) = (self.solver.equations().len(), cells.size()[0] as usize);
        most.iter_mut().enumerate().for_each(|(k, most)| *most = self.most(lines, num_eqn, (k, n), ratio));
        for row in cells.rows() {
            match written {
                Written::Variables => {}
                Written::Message => {
                    for (k, most) in most.iter().enumerate() {
                        let start = layout.offset(self.num_sent(num_eqn), row) + (num_eqn + k) * layout.component();
                        // SAFETY: the caller's promise.
                        unsafe { fine.row_mut(start, len) }.fill(*most);
                    }
                }
                // SAFETY: likewise.
                Written::States(aux) => unsafe {
                    self.states_of_row((fine, layout), (row, len), aux, (most.as_ptr(), [1, 0]));
                },
            }
        }
    }

    /// Replaces the transfer variables of a row of fine cells by states.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile; there is a `most` for each of them.
    pub unsafe fn states_of_row<const D: usize>(
        &self,
        (fine, layout): (Shared<'_, R>, &PatchLayout<D>),
        (row, len): ([i32; D], usize),
        aux: &[R],
        (most, most_strides): (*const R, [usize; 2]),
    ) {
        let row = TransferRow {
            values: fine.at(layout.offset(self.solver.equations().len(), row)),
            component: layout.component(),
            aux: self.row_of_aux(aux, layout, row),
            aux_component: layout.component(),
            most,
            most_strides,
            free: R::default(),
            len,
        };
        // SAFETY: the cells lie in the patch, and are the caller's.
        unsafe { self.solver.transfer(Transfer::From, &row) };
    }

    /// The auxiliary values of a patch from a cell on.
    pub fn row_of_aux<const D: usize>(&self, aux: &[R], layout: &PatchLayout<D>, cell: [i32; D]) -> *const R {
        match self.solver.aux().len() {
            0 => NonNull::dangling().as_ptr(),
            count => aux[layout.offset(count, cell)..].as_ptr(),
        }
    }
}

/// Values of the fine cells in a coarse one, `[component, cell]`, whose transfer variables are shifted until the coarse cell's state is kept.
pub(super) struct Shifted<'a, R> {
    pub solver: &'a dyn PatchSolver<R>,
    /// Auxiliary values.
    pub aux: &'a [R],
    /// Capacities; ones where there is no capacity function.
    pub kappa: &'a [f64],
}

impl<R: Scalar> Shifted<'_, R> {
    /// Replaces transfer variables `t` by states `q` with `Σ κ q_m = wanted(m)`, component by component by Newton's method: each depends on
    /// the variables up to its own number, and does not decrease with that. False if a shift cannot do it. `weights`: memory.
    pub fn restore(&self, wanted: impl Fn(usize) -> f64, t: &mut [R], [q, weights]: [&mut [R]; 2]) -> bool {
        let num_cells = self.kappa.len();
        let row = |values: &mut [R]| TransferRow {
            values: values.as_mut_ptr(),
            component: num_cells,
            aux: self.aux.as_ptr(),
            aux_component: num_cells,
            most: null(),
            most_strides: [1, 0],
            free: R::default(),
            len: num_cells,
        };
        let evaluate = |what: Transfer, values: &mut [R], t: &[R]| {
            values.copy_from_slice(t);
            // SAFETY: there is a number for each component and cell.
            unsafe { self.solver.transfer(what, &row(values)) };
        };
        let sum = |values: &[R], of: fn(f64) -> f64| -> f64 {
            self.kappa.iter().zip(values).map(|(kappa, value)| of(kappa * value.to_f64())).sum()
        };
        // Of a sum over the cells.
        let [epsilon, least] = match R::BYTES {
            8 => [f64::EPSILON, f64::MIN_POSITIVE],
            _ => [f32::EPSILON, f32::MIN_POSITIVE].map(f64::from),
        };
        let round_off = num_cells as f64 * epsilon;
        for m in 0..t.len() / num_cells {
            let of_component = m * num_cells..(m + 1) * num_cells;
            let mut is_kept = false;
            // Where a component is convex and consists of lines, as the depth over a bottom, each step but the first crosses a cell's kink.
            for step in 0..num_cells + 8 {
                evaluate(Transfer::From, q, t);
                let rest = wanted(m) - sum(&q[of_component.clone()], |part| part);
                let size = wanted(m).abs() + sum(&q[of_component.clone()], f64::abs);
                evaluate(Transfer::Weight, weights, t);
                let weight = sum(&weights[of_component.clone()], |part| part);
                // Subnormal numbers, such as momenta that fade away, are rounded by more.
                is_kept = rest.abs() <= if step > 0 { least.max(round_off * size) } else { 0.0 };
                if is_kept || weight <= 0.0 || weight.is_nan() {
                    break;
                }
                let shift = R::from_f64(rest / weight);
                let mut largest = 0.0_f64;
                for t in &mut t[of_component.clone()] {
                    *t += shift;
                    largest = largest.max(t.to_f64().abs());
                }
                is_kept = shift.to_f64().abs() <= round_off * largest;
                if is_kept {
                    break;
                }
            }
            if !is_kept {
                return false;
            }
        }
        // Round-off must not leave anything of what the coarse cell has nothing of.
        let bound = 2.0 / self.kappa.iter().sum::<f64>() * num_cells as f64;
        let kept = self.solver.transfers().unwrap_or_default();
        let most: Vec<R> = kept.iter().map(|&m| R::from_f64(wanted(m) * bound).max(R::zero())).collect();
        q.copy_from_slice(t);
        // SAFETY: likewise.
        unsafe { self.solver.transfer(Transfer::From, &TransferRow { most: most.as_ptr(), ..row(q) }) };
        true
    }
}
