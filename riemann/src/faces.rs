//! A solver one face at a time behind a pointer: for checks and comparisons, where speed does not matter.

use crate::axis::{Axis, Side};
use crate::patch::Transfer;
use crate::real::Scalar;
use crate::solver::{Solver, TransverseAux};
use std::sync::Arc;

/// Solution of one Riemann problem: see [`crate::solver::Normal`].
#[derive(Clone, Debug, PartialEq)]
pub struct FaceSolution<R> {
    /// `waves[w][m]`.
    pub waves: Vec<Vec<R>>,
    /// Speed of each wave.
    pub speeds: Vec<R>,
    /// Left-going fluctuation.
    pub amdq: Vec<R>,
    /// Right-going fluctuation.
    pub apdq: Vec<R>,
}

/// The object-safe form of [`Solver`]. Slices are as long as the solver has equations, or auxiliary values.
pub trait FaceSolver<R: Scalar>: Send + Sync {
    /// The waves at a face with normal `axis`.
    fn normal(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2]) -> FaceSolution<R> {
        self.normal_beside(axis, q, aux, R::zero())
    }

    /// The same where `beside` is the steepest jump beside the face.
    fn normal_beside(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2], beside: R) -> FaceSolution<R>;

    /// How steep the jump between two neighbours along `axis` is.
    fn steepness(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2]) -> R;

    /// A fluctuation split along `across`, `[bmasdq, bpasdq]`. `aux`: of the cells below, here and above.
    fn transverse(&self, axis: Axis, across: Axis, side: Side, q: [&[R]; 2], aux: [&[R]; 3], asdq: &[R])
    -> [Vec<R>; 2];

    /// The flux along `axis`, if the equations are a conservation law.
    fn flux(&self, axis: Axis, q: &[R], aux: &[R]) -> Option<Vec<R>>;

    /// What [`PatchSolver::transfer`](crate::patch::PatchSolver::transfer) makes of the values of a cell, if the solver has transfer variables.
    fn transfer(&self, what: Transfer, values: &[R], aux: &[R]) -> Option<Vec<R>>;

    /// An admissible state made of numbers between 0 and 1.
    fn admissible(&self, unit: &[f64]) -> Vec<f64>;

    /// Admissible auxiliary values made of numbers between 0 and 1.
    fn admissible_aux(&self, unit: &[f64]) -> Vec<f64>;
}

/// A solver's evaluators in both precisions, and those of the problem with two axes exchanged, and in a mirror.
#[derive(Clone)]
pub struct Faces {
    /// In `f64`.
    pub double: Arc<dyn FaceSolver<f64>>,
    /// In `f32`.
    pub single: Arc<dyn FaceSolver<f32>>,
    /// For each auxiliary value that lives on faces, their normal.
    pub aux_face: Vec<Option<Axis>>,
    /// In `f64`, with the axes of each of [`Axis::pairs`] exchanged; `None` if the solver cannot say.
    pub exchanged: Option<Vec<Arc<dyn FaceSolver<f64>>>>,
    /// In `f64`, in a mirror normal to each axis; `None` if the solver has no mirror image.
    pub mirrored: Option<Vec<Arc<dyn FaceSolver<f64>>>>,
    /// The steepest jump beside faces that checks suppose.
    pub beside: f64,
}

impl Faces {
    /// The evaluators of a solver.
    pub fn new<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(solver: S) -> Self {
        let face = Arc::new(OneFace::<S, M, W, A>(solver));
        let exchanged = |&axes| face.0.exchanged(axes).map(|solver| Arc::new(OneFace::<S, M, W, A>(solver)) as _);
        let exchanged = Axis::pairs(S::DIM).iter().map(exchanged).collect();
        let mirrored = |&axis| face.0.mirrored(axis).map(|solver| Arc::new(OneFace::<S, M, W, A>(solver)) as _);
        let mirrored = Axis::ALL[..S::DIM].iter().map(mirrored).collect();
        Faces { double: face.clone(), single: face, aux_face: S::AUX_FACE.to_vec(), exchanged, mirrored, beside: 0.0 }
    }
}

/// The values of a slice, which has `N` of them.
fn array<T: Copy, const N: usize>(values: &[T]) -> [T; N] {
    values.try_into().unwrap_or_else(|_| panic!("{} values where the solver has {N}", values.len()))
}

/// A solver of any type, one face at a time.
struct OneFace<S, const M: usize, const W: usize, const A: usize>(S);

impl<S, R, const M: usize, const W: usize, const A: usize> FaceSolver<R> for OneFace<S, M, W, A>
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    fn normal_beside(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2], beside: R) -> FaceSolution<R> {
        let [ql, qr] = q.map(array);
        let [aux_l, aux_r] = aux.map(array);
        let face = self.0.normal_beside(axis, ql, qr, aux_l, aux_r, beside);
        FaceSolution {
            waves: face.waves.iter().map(|wave| wave.to_vec()).collect(),
            speeds: face.speeds.to_vec(),
            amdq: face.amdq.to_vec(),
            apdq: face.apdq.to_vec(),
        }
    }

    fn steepness(&self, axis: Axis, q: [&[R]; 2], aux: [&[R]; 2]) -> R {
        let ([ql, qr], [aux_l, aux_r]) = (q.map(array), aux.map(array));
        self.0.steepness(axis, ql, qr, aux_l, aux_r)
    }

    fn transverse(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        q: [&[R]; 2],
        aux: [&[R]; 3],
        asdq: &[R],
    ) -> [Vec<R>; 2] {
        let [ql, qr] = q.map(array);
        let [below, here, above] = aux.map(array);
        let around = TransverseAux { below, here, above };
        let mean = self.0.mean_state(ql, qr);
        let split = self.0.transverse(axis, across, side, ql, qr, mean, &around, array(asdq));
        [split.bmasdq.to_vec(), split.bpasdq.to_vec()]
    }

    fn flux(&self, axis: Axis, q: &[R], aux: &[R]) -> Option<Vec<R>> {
        self.0.flux(axis, array(q), array(aux)).map(|flux| flux.to_vec())
    }

    fn transfer(&self, what: Transfer, values: &[R], aux: &[R]) -> Option<Vec<R>> {
        let (values, aux) = (array(values), array(aux));
        let transferred = match what {
            Transfer::To => self.0.to_transfer(values, aux),
            Transfer::From => self.0.from_transfer(values, aux),
            Transfer::Weight => self.0.transfer_weight(values, aux),
            Transfer::Settle => self.0.settle(values, aux, R::mask(false)),
        };
        S::TRANSFERS.then(|| transferred.to_vec())
    }

    fn admissible(&self, unit: &[f64]) -> Vec<f64> {
        self.0.admissible(array(unit)).to_vec()
    }

    fn admissible_aux(&self, unit: &[f64]) -> Vec<f64> {
        self.0.admissible_aux(array(unit)).to_vec()
    }
}
