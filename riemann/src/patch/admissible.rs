//! Corrections that would make a state inadmissible are left out: the update then falls back, at that face, to first order.
//!
//! A cell's new state is the mean of one partial state for each of its `n = 2 D` faces, `q − n Δt/κΔx (𝒜⁻ΔQ + F̃)` on the lower side of a face
//! and `q − n Δt/κΔx (𝒜⁺ΔQ − F̃)` on its upper side. In `s` sweeps along one axis after the other `n = 4 s`: they leave a state the part
//! `(1 − 2/n)^s`, at least half, for the conservation fix, which afterwards replaces what has gone through up to `2 s` faces. Admissible
//! states are convex, so that a cell with admissible partial states is admissible. F̃, all that goes through a face beyond first order,
//! becomes zero if either partial state is not. That depends on what is at the face alone: both cells, all tiles and the conservation fix
//! see the same. Hu, Adams & Shu 2013, doi:10.1016/j.jcp.2013.01.024.
//!
//! A partial state whose waves are much faster than those at the face and in both cells is not accepted either: in a cell that is nearly empty
//! the corrections of momentum may exceed by far what the little mass can have, though density or depth stay positive.

use super::kept_faces::solve_at;
use super::tile::Tile;
use super::{PACK_OVERRUN, TileArgs};
use crate::axis::Axis;
use crate::real::{Real, Scalar};
use crate::solver::{Normal, Solver};

/// A step that makes a quantity that must not be negative smaller than this is taken again with such corrections left out: round-off alone
/// does not.
pub const LEAST: f64 = -1e-12;

/// How many times as fast as at the face and in both cells waves in a partial state may be.
pub const MOST_SPEED_UP: f64 = 2.0;

impl<S, V, const M: usize, const W: usize, const A: usize> Tile<'_, S, V, M, W, A>
where
    S: Solver<M, W, A>,
    V: Real,
{
    /// Where new states of the pack at `cell`, which holds the old ones, are not what the solver asks of a step: what must be positive is not;
    /// or what must not be negative is. Where corrections are left out already, a cell may stay so that another level has left negative.
    #[inline(always)]
    pub unsafe fn faults(&self, cell: isize, values: [V; M]) -> Option<V::Mask> {
        if const { S::FALLS_BACK && !S::NONNEGATIVE.is_empty() } {
            // SAFETY: the cells are the tile's, and a pack beyond is readable.
            let aux = unsafe { self.aux(cell) };
            let after = self.is_wrong(values, aux);
            if !self.args.scheme.keeps_admissible() {
                return Some(after);
            }
            // SAFETY: likewise.
            let before = self.is_wrong(unsafe { self.state(cell) }, aux);
            return Some(!self.solver.least_positive(values, aux).gt(V::zero()) | (after & !before));
        }
        if const { S::CHECKS_STEPS } {
            // SAFETY: likewise.
            let least = self.solver.least_positive(values, unsafe { self.aux(cell) });
            return Some(!least.gt(V::zero()));
        }
        None
    }

    /// Not a closure: those are compiled without the instructions of the pack.
    #[inline(always)]
    fn is_wrong(&self, q: [V; M], aux: [V; A]) -> V::Mask {
        !self.solver.is_admissible(without_debts::<S, V, M, W, A>(q), aux, V::constant(LEAST))
    }

    /// Leaves out the corrections of those faces of a pack where they would make a state inadmissible, if the step says so. The faces lie
    /// below the cells at `cell` along `axis`; these and the cells below them still hold their old states.
    #[inline(always)]
    pub unsafe fn keep_admissible(&self, axis: Axis, cell: isize, correction: &mut [V; M]) {
        if const { !S::FALLS_BACK } || !self.args.scheme.keeps_admissible() {
            return;
        }
        let mut numbers = [[V::Scalar::default(); PACK_OVERRUN]; M];
        // SAFETY: a pack has no more lanes; the cells are those of the caller's faces.
        unsafe {
            for m in 0..M {
                correction[m].store(numbers[m].as_mut_ptr());
            }
            leave_out(&self.solver, self.args, (axis, cell), V::LANES, &mut numbers);
            for m in 0..M {
                correction[m] = V::load(numbers[m].as_ptr());
            }
        }
    }
}

/// The same face by face: one function for vectors of all widths, since few steps need it; cold, so that the others keep their registers.
#[cold]
#[inline(never)]
unsafe fn leave_out<S, R, const M: usize, const W: usize, const A: usize>(
    solver: &S,
    args: &TileArgs<'_, R>,
    (axis, first): (Axis, isize),
    lanes: usize,
    corrections: &mut [[R; PACK_OVERRUN]; M],
) where
    S: Solver<M, W, A>,
    R: Scalar,
{
    let weight = R::from_f64(f64::from(args.scheme.sharing_faces)) * R::from_f64(args.dt / args.dx[axis.index()]);
    for lane in 0..lanes {
        // SAFETY: the cells beside the faces are readable, with a pack beyond.
        let (q, aux, face) = unsafe { solve_at(solver, args, axis, first + lane as isize) };
        let inverse_capacity = |aux: &[R; A]| match usize::try_from(args.scheme.capacity) {
            Ok(capacity) if A > 0 => R::constant(1.0) / aux[capacity],
            _ => R::constant(1.0),
        };
        let [weight_below, weight_above] = [0, 1].map(|side| weight * inverse_capacity(&aux[side]));
        let (mut below, mut above) = (q[0], q[1]);
        for m in 0..M {
            below[m] -= weight_below * (face.amdq[m] + corrections[m][lane]);
            above[m] -= weight_above * (face.apdq[m] - corrections[m][lane]);
        }
        let [below, above] = [below, above].map(without_debts::<S, R, M, W, A>);
        let fastest_in = |q: [R; M]| fastest(&solver.normal(axis, q, q, aux[0], aux[1]));
        let kept =
            solver.is_admissible(below, aux[0], R::zero()) && solver.is_admissible(above, aux[1], R::zero()) && {
                let before = fastest(&face).max(fastest_in(q[0])).max(fastest_in(q[1]));
                fastest_in(below).max(fastest_in(above)) <= R::constant(MOST_SPEED_UP) * before
            };
        if !kept {
            for correction in corrections.iter_mut() {
                correction[lane] = R::zero();
            }
        }
    }
}

/// The state as far as this file judges it: what is kept nonnegative otherwise counts as if it were so.
#[inline(always)]
fn without_debts<S, V, const M: usize, const W: usize, const A: usize>(mut q: [V; M]) -> [V; M]
where
    S: Solver<M, W, A>,
    V: Real,
{
    for &m in S::KEPT_NONNEGATIVE {
        q[m] = q[m].max(V::zero());
    }
    q
}

/// The largest speed of the waves at a face, either way. Between two equal cells: the fastest waves in these.
fn fastest<R: Scalar, const M: usize, const W: usize>(face: &Normal<R, M, W>) -> R {
    face.speeds.iter().fold(R::zero(), |fastest, speed| fastest.max(speed.abs()))
}
