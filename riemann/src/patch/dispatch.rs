//! The object-safe interface of a solver, and the choice of vector instructions at run time.

// tidy: long because each entry point of a solver is here

use super::face::fluctuation_sums;
use super::rows::scratch_len;
use super::slopes::limit_slopes;
use super::source::apply_source;
use super::space::{self, update_in_space};
use super::states::first_inadmissible;
use super::transfer::transfer;
use super::update::update_tile;
use super::{FaceList, MAX_WAVES, SlopeRow, SourceRow, TileArgs, TileReport, Transfer, TransferRow};
use crate::axis::Axis;
use crate::cells::{self, CellFaces, solve_faces};
use crate::device_source::DeviceSource;
use crate::group::Group;
use crate::real::Scalar;
use crate::solver::Solver;
use std::cell::UnsafeCell;
use std::sync::Arc;

/// Vector instructions that the update is compiled for. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of the target supports.
    Portable,
    /// Four `f64` or eight `f32` at a time.
    Avx2,
    /// Eight `f64` or sixteen `f32` at a time.
    Avx512,
}

impl Isa {
    /// The widest that this processor supports.
    pub fn detect() -> Isa {
        Isa::available().last().copied().unwrap_or(Isa::Portable)
    }

    /// All that this processor supports, narrowest first.
    pub fn available() -> &'static [Isa] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return &[Isa::Portable, Isa::Avx2, Isa::Avx512];
            }
            if avx2 {
                return &[Isa::Portable, Isa::Avx2];
            }
        }
        &[Isa::Portable]
    }

    /// The widest that this processor supports and this build has kernels for; `None` if it was built for other processors (`build.rs`).
    pub fn of_kernels() -> Option<Isa> {
        Isa::available().iter().rev().copied().find(|isa| isa.has_kernels())
    }

    /// True if this build has kernels for these instructions.
    pub const fn has_kernels(self) -> bool {
        match self {
            Isa::Portable => cfg!(kernels_portable),
            Isa::Avx2 => cfg!(kernels_avx2),
            Isa::Avx512 => cfg!(kernels_avx512),
        }
    }

    /// The name shown to users.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }
}

/// A solver as the executors see it: entry points that take a tile, a list of faces or a row of cells.
///
/// The methods are unsafe because their arguments hold pointers: see the functions' own conditions in
/// [`TileArgs`], [`FaceList`] and [`SourceRow`].
pub trait PatchSolver<R: Scalar>: Send + Sync {
    /// Number of space dimensions.
    fn dim(&self) -> usize;
    /// Names of the equations' quantities.
    fn equations(&self) -> &[&'static str];
    /// Names of the auxiliary values.
    fn aux(&self) -> &[&'static str];
    /// For each auxiliary value that lives on faces, their normal.
    fn aux_face(&self) -> &[Option<Axis>];
    /// The auxiliary values of cells that are not scalars.
    fn aux_groups(&self) -> &'static [Group];
    /// Number of waves.
    fn num_waves(&self) -> usize;
    /// True if the solver has a source term that does something.
    fn has_source(&self) -> bool;
    /// Names of the quantities that must be positive in every state.
    fn positive(&self) -> &[&'static str];
    /// Names of the quantities that must not be negative in data.
    fn nonnegative(&self) -> &[&'static str];
    /// The values of these quantities, positive ones first, in one cell.
    ///
    /// # Panics
    /// If there is not one number for each component and each quantity.
    fn quantities(&self, q: &[R], aux: &[R], values: &mut [R]);
    /// The components that are not scalars: what walls and rotations do to them.
    fn groups(&self) -> &'static [Group];
    /// The solver's CUDA C++, if there is one.
    fn device_source(&self) -> Option<DeviceSource>;
    /// Why the solver itself has failed, if it has: its results since then are invalid.
    fn failure(&self) -> Option<String> {
        None
    }
    /// Numbers of scratch memory that [`PatchSolver::update_tile`] needs.
    fn scratch_len(&self) -> usize;

    /// Updates one tile.
    ///
    /// # Safety
    /// The tile's cells and two more on every side along the swept axes must be readable, and
    /// [`super::PACK_OVERRUN`] numbers past either end of the arrays; nobody else may write the tile's cells of
    /// `q_next` or the slots of its kept faces meanwhile.
    unsafe fn update_tile(&self, args: &TileArgs<'_, R>, scratch: &mut [R]) -> TileReport;

    /// 𝒜⁻ΔQ + 𝒜⁺ΔQ at each face of a list.
    ///
    /// # Safety
    /// Each array must hold [`FaceList::stride`] numbers per component.
    unsafe fn fluctuation_sums(&self, axis: Axis, list: &FaceList<R>);

    /// True if [`PatchSolver::solve_faces`] is offered: see [`cells::is_offered`].
    fn solves_faces(&self) -> bool;

    /// Solves the Riemann problems at faces of any mesh.
    ///
    /// # Safety
    /// The solver offers it; the arrays are as [`CellFaces`] says, and nobody else writes what is kept of these faces meanwhile.
    unsafe fn solve_faces(&self, faces: &CellFaces<R>);

    /// Applies the source term to a row of cells.
    ///
    /// # Safety
    /// The row and [`super::PACK_OVERRUN`] numbers beyond must be readable, the row writable by the caller alone.
    unsafe fn apply_source(&self, row: &SourceRow<R>);

    /// True if steps can change quantities that must be positive or must not be negative: then slopes are limited.
    fn limits(&self) -> bool;

    /// True if what happens at a face depends on the jumps beside it: then updates read one more cell along the axes that they do not sweep,
    /// and new states cannot take the place of old ones.
    fn looks_beside(&self) -> bool;

    /// Where the solver has transfer variables, its equations whose quantities are kept from being negative: then `q` of [`SlopeRow`] are
    /// transfer variables.
    fn transfers(&self) -> Option<&'static [usize]>;

    /// Replaces the values of a row: see [`Transfer`].
    ///
    /// # Safety
    /// The solver has transfer variables; the row must be readable, `values` writable by the caller alone.
    unsafe fn transfer(&self, what: Transfer, row: &TransferRow<R>);

    /// Makes the slopes of a row of cells zero where a state interpolated with them would not be admissible.
    ///
    /// # Safety
    /// The arrays of `q` and `slopes` must hold [`SlopeRow::LEN`] numbers for each component, and as many of each auxiliary value must be
    /// readable.
    unsafe fn limit_slopes(&self, row: &SlopeRow<R>);

    /// The first inadmissible cell of a row: one where a quantity that must be positive and that steps can change is not, or, in
    /// `data`, where any quantity that must be positive is not, or one that must not be negative is. Only states, auxiliary values and
    /// counts of the row are read; it is not written.
    ///
    /// # Safety
    /// The row must be readable.
    unsafe fn first_inadmissible(&self, row: &SourceRow<R>, data: bool) -> Option<usize>;

    /// Gives the solver's parameters other values, one each, checked; false if it cannot have others.
    ///
    /// # Safety
    /// No other function of the solver is called meanwhile.
    unsafe fn set_parameters(&self, values: &[f64]) -> bool;
}

/// The vectors that [`Kernels`] are compiled for: those of this build.
pub const OF_BUILD: u8 = 0;
/// All of them.
pub const EVERY: u8 = 1;
/// Those of this build; of a build for all machines only what runs on each of them, since for what few cases use the others would take
/// longer to compile than all the rest.
pub const ONE: u8 = 2;

/// Whether kernels over numbers of so many bytes are compiled for an instruction set. In builds for all machines those over `f32` are not
/// compiled for AVX-512: they would be a sixth of all.
const fn is_compiled(isa: Isa, vectors: u8, bytes: usize) -> bool {
    let is_for_all = cfg!(kernels_rare);
    match isa {
        _ if vectors == EVERY => true,
        Isa::Avx2 | Isa::Avx512 if is_for_all && vectors == ONE => false,
        Isa::Avx512 if is_for_all && bytes < 8 => false,
        _ => isa.has_kernels(),
    }
}

/// A [`Solver`] compiled into whole-patch kernels, for these `VECTORS`.
#[derive(Debug)]
pub struct Kernels<S, const M: usize, const W: usize, const A: usize, const VECTORS: u8 = OF_BUILD> {
    /// Written by [`PatchSolver::set_parameters`] alone.
    solver: UnsafeCell<S>,
    isa: Isa,
    equations: [&'static str; M],
    aux: [&'static str; A],
    aux_face: [Option<Axis>; A],
}

// SAFETY: the solver is written only while nobody else uses it.
unsafe impl<S: Sync, const M: usize, const W: usize, const A: usize, const VECTORS: u8> Sync
    for Kernels<S, M, W, A, VECTORS>
{
}

impl<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize> Kernels<S, M, W, A> {
    /// Kernels for the widest vectors of this processor.
    ///
    /// # Panics
    /// If this build has kernels for other processors only.
    pub fn new(solver: S) -> Self {
        Self::widest(solver)
    }
}

impl<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize> Kernels<S, M, W, A, EVERY> {
    /// Kernels for the vectors named.
    ///
    /// # Panics
    /// If this processor does not have them.
    pub fn with_isa(solver: S, isa: Isa) -> Self {
        assert!(Isa::available().contains(&isa), "this processor has no {}", isa.name());
        Self::of(solver, isa)
    }
}

impl<S, const M: usize, const W: usize, const A: usize, const VECTORS: u8> Kernels<S, M, W, A, VECTORS>
where
    S: Solver<M, W, A>,
{
    /// Kernels for the widest vectors of this processor that this build has: see [`Kernels::new`].
    pub(crate) fn widest(solver: S) -> Self {
        let isa = Isa::of_kernels().expect("build the program on this processor, or with the feature `all-kernels`");
        Self::of(solver, isa)
    }

    fn of(solver: S, isa: Isa) -> Self {
        const { assert!(W <= MAX_WAVES) };
        let solver = UnsafeCell::new(solver);
        Kernels { solver, isa, equations: S::EQUATIONS, aux: S::AUX, aux_face: S::AUX_FACE }
    }

    /// The solver.
    #[inline(always)]
    pub fn solver(&self) -> &S {
        // SAFETY: it is not written while a function of the solver runs.
        unsafe { &*self.solver.get() }
    }
}

/// A solver's kernels.
#[derive(Clone)]
pub struct SolverKernels {
    /// In `f64`.
    pub double: Arc<dyn PatchSolver<f64>>,
    /// In `f32`, if this build has them.
    pub single: Option<Arc<dyn PatchSolver<f32>>>,
}

impl SolverKernels {
    /// Compiles a solver into kernels in both precisions.
    ///
    /// # Panics
    /// As for [`Kernels::new`].
    pub fn new<S: Solver<M, W, A>, const M: usize, const W: usize, const A: usize>(solver: S) -> Self {
        let kernels = Arc::new(Kernels::new(solver));
        SolverKernels { double: kernels.clone(), single: Some(kernels) }
    }
}

/// Enters `$kernel` with the vectors of `self.isa`; where not `$widest`, with those of AVX2 at most.
macro_rules! dispatch {
    ($self:ident, $kernel:ident($($arg:ident),*), $widest:literal) => {{
        let solver = $self.solver();
        // `new` and `with_isa` saw that the processor has the instructions with which packs of these types are entered, or wider ones.
        // The conditions are known when a kernel is compiled: what they exclude is not.
        match $self.isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if const { $widest && is_compiled(Isa::Avx512, VECTORS, R::BYTES) } => {
                enter!(S, R::Avx512, $kernel(solver, $($arg),*))
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Avx2
                if const {
                    is_compiled(Isa::Avx2, VECTORS, R::BYTES) || !$widest && is_compiled(Isa::Avx512, VECTORS, R::BYTES)
                } =>
            {
                enter!(S, R::Avx2, $kernel(solver, $($arg),*))
            }
            _ if const { is_compiled(Isa::Portable, VECTORS, R::BYTES) } => {
                enter!(S, R::Portable, $kernel(solver, $($arg),*))
            }
            _ => unreachable!("this build has no kernels for {}", $self.isa.name()),
        }
    }};
}

/// Calls a kernel over packs of a type as a separate function.
macro_rules! enter {
    ($solver:ty, $pack:ty, $kernel:ident($($arg:ident),*)) => {
        <$solver>::outlined::<$pack, _>(
            #[inline(always)]
            // SAFETY: the caller's promise is handed on.
            || unsafe { $kernel::<$solver, $pack, M, W, A>($($arg),*) },
        )
    };
}

impl<S, R, const M: usize, const W: usize, const A: usize, const VECTORS: u8> PatchSolver<R>
    for Kernels<S, M, W, A, VECTORS>
where
    S: Solver<M, W, A>,
    R: Scalar,
{
    fn dim(&self) -> usize {
        S::DIM
    }
    fn equations(&self) -> &[&'static str] {
        &self.equations
    }
    fn aux(&self) -> &[&'static str] {
        &self.aux
    }
    fn aux_face(&self) -> &[Option<Axis>] {
        &self.aux_face
    }
    fn aux_groups(&self) -> &'static [Group] {
        S::AUX_GROUPS
    }
    fn num_waves(&self) -> usize {
        W
    }
    fn has_source(&self) -> bool {
        S::HAS_SOURCE && self.solver().source_acts()
    }
    fn positive(&self) -> &[&'static str] {
        S::POSITIVE
    }
    fn nonnegative(&self) -> &[&'static str] {
        S::NONNEGATIVE
    }
    fn quantities(&self, q: &[R], aux: &[R], values: &mut [R]) {
        let (q, aux) = (q.try_into().expect("one per equation"), aux.try_into().expect("one per auxiliary value"));
        assert_eq!(values.len(), S::POSITIVE.len() + S::NONNEGATIVE.len());
        self.solver().quantities::<R>(q, aux, values);
    }
    fn groups(&self) -> &'static [Group] {
        S::GROUPS
    }
    fn device_source(&self) -> Option<DeviceSource> {
        self.solver().device_source()
    }
    fn scratch_len(&self) -> usize {
        let in_planes = scratch_len(M, W, S::KEPT_NONNEGATIVE.len());
        if S::DIM > 2 { in_planes.max(space::scratch_len(M, W)) } else { in_planes }
    }

    unsafe fn update_tile(&self, args: &TileArgs<'_, R>, scratch: &mut [R]) -> TileReport {
        // Decided at compile time: solvers in fewer dimensions come without the code for three axes at once.
        if const { S::DIM > 2 } && args.sweep == [true; 3] {
            // This kernel is large, and limited by its buffers rather than by arithmetic: it is not compiled again for vectors
            // of twice the width.
            return dispatch!(self, update_in_space(args, scratch), false);
        }
        dispatch!(self, update_tile(args, scratch), true)
    }

    unsafe fn fluctuation_sums(&self, axis: Axis, list: &FaceList<R>) {
        dispatch!(self, fluctuation_sums(axis, list), true)
    }

    fn solves_faces(&self) -> bool {
        const { cells::is_offered::<S, M, W, A>() && cells::is_compiled::<R>() }
    }

    unsafe fn solve_faces(&self, faces: &CellFaces<R>) {
        if const { cells::is_offered::<S, M, W, A>() && cells::is_compiled::<R>() } {
            return dispatch!(self, solve_faces(faces), true);
        }
        unreachable!("the solver is not offered on any mesh")
    }

    unsafe fn apply_source(&self, row: &SourceRow<R>) {
        if const { S::HAS_SOURCE } {
            dispatch!(self, apply_source(row), true)
        }
    }

    fn limits(&self) -> bool {
        S::LIMITS
    }

    fn looks_beside(&self) -> bool {
        S::LOOKS_BESIDE
    }

    fn transfers(&self) -> Option<&'static [usize]> {
        S::TRANSFERS.then_some(S::KEPT_NONNEGATIVE)
    }

    unsafe fn transfer(&self, what: Transfer, row: &TransferRow<R>) {
        if const { S::TRANSFERS } {
            // SAFETY: the caller's promise.
            unsafe { transfer(self.solver(), what, row) }
        }
    }

    unsafe fn limit_slopes(&self, row: &SlopeRow<R>) {
        if const { S::LIMITS } {
            dispatch!(self, limit_slopes(row), true)
        }
    }

    unsafe fn first_inadmissible(&self, row: &SourceRow<R>, data: bool) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe { first_inadmissible(self.solver(), row, data) }
    }

    unsafe fn set_parameters(&self, values: &[f64]) -> bool {
        let Some(solver) = self.solver().with_parameters(values) else { return false };
        // SAFETY: the caller's promise: nobody else looks at it.
        unsafe { *self.solver.get() = solver };
        true
    }
}
