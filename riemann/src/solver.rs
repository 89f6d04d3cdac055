//! What a Riemann solver provides.
//!
//! The face between a left state `ql` and a right state `qr` (below and above, for y) breaks up into waves. The solver
//! says which waves and how fast, and what part of each moves left (`amdq`, 𝒜⁻ΔQ) and right (`apdq`, 𝒜⁺ΔQ).
//! LeVeque, *Finite Volume Methods for Hyperbolic Problems* (2002), doi:10.1017/CBO9780511791253, chapters 15, 21, 23.

// tidy: long because all that a solver may offer is one trait

use crate::axis::{Axis, Side};
use crate::device_source::DeviceSource;
use crate::group::{Group, GroupKind};
use crate::lattice::Lattice;
use crate::parameters::ParameterInfo;
use crate::real::Real;

/// Solution of one Riemann problem, `M` equations and `W` waves.
#[derive(Clone, Copy, Debug)]
pub struct Normal<V, const M: usize, const W: usize> {
    /// `waves[w][m]`; their sum is `qr − ql` (for f-waves: `f(qr) − f(ql)`).
    pub waves: [[V; M]; W],
    /// Speed of each wave.
    pub speeds: [V; W],
    /// Left-going fluctuation 𝒜⁻ΔQ.
    pub amdq: [V; M],
    /// Right-going fluctuation 𝒜⁺ΔQ.
    pub apdq: [V; M],
}

/// A fluctuation split into its parts that move along an axis along the face.
#[derive(Clone, Copy, Debug)]
pub struct Transverse<V, const M: usize> {
    /// Part moving to the lower side, ℬ⁻𝒜ΔQ.
    pub bmasdq: [V; M],
    /// Part moving to the upper side, ℬ⁺𝒜ΔQ.
    pub bpasdq: [V; M],
}

/// Auxiliary values around the cell that a fluctuation moves into.
#[derive(Clone, Copy, Debug)]
pub struct TransverseAux<V, const A: usize> {
    /// The cell's lower neighbour along the transverse axis.
    pub below: [V; A],
    /// The cell itself.
    pub here: [V; A],
    /// The cell's upper neighbour along the transverse axis.
    pub above: [V; A],
}

/// A cell of the mesh, at which initial data and auxiliary values are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Centre; components past the dimension are zero.
    pub centre: [f64; 3],
    /// Its two sides along each axis.
    pub sides: [[f64; 2]; 3],
    /// Size along each axis; components past the dimension are zero.
    pub dx: [f64; 3],
    /// Time.
    pub time: f64,
}

impl Cell {
    /// The cell of a level with this index.
    pub fn new(lattice: &Lattice, cell: [i32; 3], time: f64) -> Self {
        Cell {
            centre: std::array::from_fn(|d| lattice.centre(d, cell[d])),
            sides: std::array::from_fn(|d| lattice.sides(d, cell[d])),
            dx: lattice.dx,
            time,
        }
    }

    /// Coordinate of the cell's lower face along `axis`, where face-centred auxiliary values live.
    pub fn lower(&self, axis: Axis) -> f64 {
        self.sides[axis.index()][0]
    }

    /// Coordinate of its upper face.
    pub fn upper(&self, axis: Axis) -> f64 {
        self.sides[axis.index()][1]
    }
}

/// Functions of position as formulas of a case, one for each value; empty where the solver has no such function, or one in arbitrary Rust.
///
/// Those of cells have the names of `[initial]`, the mapping's `X`, `Y` and `Z`; `{name}` stands for the value of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionFormulas {
    /// Initial data, one for each equation.
    pub initial: &'static [&'static str],
    /// Auxiliary values.
    pub aux_values: &'static [&'static str],
    /// Physical positions of computational ones, one for each axis.
    pub mapping: &'static [&'static str],
    /// Further quantities by name, over the names of the state's components and of the auxiliary values.
    pub quantities: &'static [(&'static str, &'static str)],
    /// Primitive variables by name, in the same way.
    pub primitive: &'static [(&'static str, &'static str)],
    /// The state, over the names of the primitive variables and of the auxiliary values.
    pub conserved: &'static [&'static str],
}

impl PositionFormulas {
    /// No formulas.
    pub const NONE: PositionFormulas = PositionFormulas {
        initial: &[],
        aux_values: &[],
        mapping: &[],
        quantities: &[],
        primitive: &[],
        conserved: &[],
    };
}

/// What a program needs to select and make a solver that it does not know: name, parameters, construction.
pub trait Described: Sized {
    /// Name by which users ask for the solver.
    const NAME: &'static str;
    /// What it solves, in a few words.
    const TITLE: &'static str;
    /// Parameters, in the order of the solver's fields.
    const PARAMETERS: &'static [ParameterInfo];

    /// The solver with these values of its parameters, one each, checked.
    fn from_parameters(values: &[f64]) -> Self;
}

/// A Riemann solver in `M` equations, `W` waves and `A` auxiliary values per cell.
///
/// Implementations mark every method `#[inline(always)]`: only then do the vector lanes of [`crate::lanes`] stay in
/// registers. Branches on values are written with [`Real::select`].
pub trait Solver<const M: usize, const W: usize, const A: usize>: Clone + Send + Sync + 'static {
    /// Number of space dimensions.
    const DIM: usize;
    /// Name of each equation's conserved or evolved quantity; `M` of them.
    const EQUATIONS: [&'static str; M];
    /// Name of each auxiliary value; `A` of them.
    const AUX: [&'static str; A];
    /// For each auxiliary value that lives on faces instead of in cells, their normal. The value stored with a cell is
    /// that of its lower face.
    const AUX_FACE: [Option<Axis>; A] = [None; A];
    /// Waves are f-waves: they decompose the flux difference instead of the jump in `q`.
    const FWAVES: bool = false;
    /// The solver splits fluctuations transversely. Without, unsplit sweeps in two and three dimensions are stable at small
    /// Courant numbers only.
    const HAS_TRANSVERSE: bool = true;
    /// The solver takes a mean of the states at a face: see [`Solver::mean_state`].
    const HAS_MEAN_STATE: bool = false;
    /// Fluctuations into a cell are split the same whichever of its faces along an axis they come through: by constants, so that their
    /// sum can be split in their place.
    const SPLITS_SUMS: bool = false;
    /// The solver has a source term.
    const HAS_SOURCE: bool = false;
    /// The solver has initial data of its own.
    const HAS_INITIAL: bool = false;
    /// The solver has auxiliary values of its own.
    const HAS_AUX: bool = false;
    /// The solver has boundary values of its own.
    const HAS_BOUNDARY: bool = false;
    /// Its source or its boundary values change with time, as far as is known.
    const OF_TIME: bool = true;
    /// The solver has a refinement criterion of its own.
    const HAS_FLAG: bool = false;
    /// Its criterion reads the states of neighbours.
    const FLAG_LOOKS_AROUND: bool = false;
    /// Solving a face again costs less than keeping its solution and reading it back: some dozens of operations, no root or quotient
    /// but of parameters. The results are the same.
    const SOLVE_AGAIN: bool = false;
    /// Names of the quantities that must be positive in every state: the formulas fail otherwise.
    const POSITIVE: &'static [&'static str] = &[];
    /// Names of the quantities that must not be negative in data, though steps may make them so by round-off or an overshoot.
    const NONNEGATIVE: &'static [&'static str] = &[];
    /// The equations whose quantities updates keep from being negative by limiting what leaves a cell; [`Solver::flux`] is known then.
    const KEPT_NONNEGATIVE: &'static [usize] = &[];
    /// Steps can change others that must be positive or must not be negative, and are then taken again in first order.
    const FALLS_BACK: bool = false;
    /// New states are put in order: see [`Solver::settle`].
    const SETTLES: bool = false;
    /// What passes between levels is not the state: see [`Solver::to_transfer`].
    const TRANSFERS: bool = false;
    /// Steps can change quantities that must be positive: see [`Solver::least_positive`].
    const CHECKS_STEPS: bool = false;
    /// Steps can change quantities that must be positive or must not be negative: see [`Solver::is_admissible`].
    const LIMITS: bool = false;
    /// The components of `q` that are not scalars: what mirrors and rotations do to them.
    const GROUPS: &'static [Group] = &[];
    /// The auxiliary values of cells that are not scalars, such as a wind. Beyond every wall they are mirror images.
    const AUX_GROUPS: &'static [Group] = &[];
    /// The equations differ between directions, so that they cannot be rotated into the frame of a face.
    const DIRECTIONS: bool = false;
    /// What happens at a face depends on the jumps beside it: see [`Solver::normal_beside`].
    const LOOKS_BESIDE: bool = false;
    /// Functions of position as formulas.
    const FORMULAS: PositionFormulas = PositionFormulas::NONE;

    /// Calls `f` as a separate function ([`Real::outlined`]), which is compiled with the solver's module, so that kernels of several
    /// solvers are compiled in parallel. A solver that wraps another one forwards the call.
    #[inline(always)]
    fn outlined<V: Real, T>(f: impl FnOnce() -> T) -> T {
        V::outlined::<Self, T>(f)
    }

    /// Solves the Riemann problem at a face with normal `axis`.
    ///
    /// `aux_l`, `aux_r`: auxiliary values of the two cells. Edge-centred values live in the cell on the edge's upper
    /// side, so the face's own value is in `aux_r`.
    fn normal<V: Real>(&self, axis: Axis, ql: [V; M], qr: [V; M], aux_l: [V; A], aux_r: [V; A]) -> Normal<V, M, W>;

    /// How steep the jump between two neighbours along `axis` is, where [`Solver::LOOKS_BESIDE`]; what is negative counts as zero.
    #[inline(always)]
    fn steepness<V: Real>(&self, _axis: Axis, _ql: [V; M], _qr: [V; M], _aux_l: [V; A], _aux_r: [V; A]) -> V {
        V::zero()
    }

    /// As [`Solver::normal`], where `beside` is the largest [`Solver::steepness`] along the other axes between either cell of the face and
    /// its neighbours there. `normal` takes it to be zero.
    #[inline(always)]
    fn normal_beside<V: Real>(
        &self,
        axis: Axis,
        ql: [V; M],
        qr: [V; M],
        aux_l: [V; A],
        aux_r: [V; A],
        _beside: V,
    ) -> Normal<V, M, W> {
        self.normal(axis, ql, qr, aux_l, aux_r)
    }

    /// Splits `asdq`, which crosses a face with normal `axis` towards `side`, along `across`, an axis along the face.
    ///
    /// `ql`, `qr`: the states on the two sides of the face, and `mean`, what [`Solver::mean_state`] makes of them, for solvers that
    /// linearise about them.
    #[expect(clippy::too_many_arguments, reason = "a solver names those that it needs")]
    fn transverse<V: Real>(
        &self,
        axis: Axis,
        across: Axis,
        side: Side,
        ql: [V; M],
        qr: [V; M],
        mean: [V; M],
        aux: &TransverseAux<V, A>,
        asdq: [V; M],
    ) -> Transverse<V, M>;

    /// Splits `asdq` along `third`, and along `through` what has moved there to the lower and the upper neighbour of the cell, in these.
    /// `aux`: for a split along `third` in the cell; for splits along `through` in its lower neighbour, the cell, its upper neighbour.
    #[inline(always)]
    fn transverse_twice<V: Real>(
        &self,
        [axis, through, third]: [Axis; 3],
        side: Side,
        [ql, qr, mean]: [[V; M]; 3],
        aux: &[TransverseAux<V, A>; 4],
        asdq: [V; M],
    ) -> [Transverse<V, M>; 2] {
        let moved = self.transverse(axis, third, side, ql, qr, mean, &aux[0], asdq);
        [
            self.transverse(axis, through, side, ql, qr, mean, &aux[1], moved.bmasdq),
            self.transverse(axis, through, side, ql, qr, mean, &aux[3], moved.bpasdq),
        ]
    }

    /// What `transverse` needs of a mean of the two states at a face, such as Roe's average: computed once for all that is split there.
    /// The solver chooses its components, but vectors stand where those of a state do, so that they can be rotated with it.
    #[inline(always)]
    fn mean_state<V: Real>(&self, ql: [V; M], _qr: [V; M]) -> [V; M] {
        ql
    }

    /// The flux along `axis`, where the equations are a conservation law; used to check the solver.
    #[inline(always)]
    fn flux<V: Real>(&self, _axis: Axis, _q: [V; M], _aux: [V; A]) -> Option<[V; M]> {
        None
    }

    /// The state after the source term `ψ` of `q_t + … = ψ(q, x, t)` has acted for a time `dt`.
    ///
    /// `x`: cell centre; components past the dimension are zero.
    #[inline(always)]
    fn source<V: Real>(&self, _x: [V; 3], _t: V, _dt: V, q: [V; M], _aux: [V; A]) -> [V; M] {
        q
    }

    /// Whether [`Solver::source`] changes states at all with these parameters.
    #[inline(always)]
    fn source_acts(&self) -> bool {
        true
    }

    /// The state that takes the place of a new state `q`, where [`Solver::SETTLES`]: at once after each update of a cell. `emptied`: the
    /// cell has given all that it had of a quantity that is kept nonnegative, so that it has only what flowed in. Where less than half of
    /// that is left, or the cell is thrown, the state is a mean of the two results, whose difference counts as momentum.
    #[inline(always)]
    fn settle<V: Real>(&self, q: [V; M], _aux: [V; A], _emptied: V::Mask) -> [V; M] {
        q
    }

    /// How wide a cell is across its longest face, in terms of the mesh's: what bounds the speed that leaves it a Courant number.
    #[inline(always)]
    fn width<V: Real>(_aux: &[V; A]) -> V {
        V::constant(1.0)
    }

    /// The variables that are interpolated from a coarser level in place of the state, where [`Solver::TRANSFERS`]: those that are constant
    /// where nothing is to happen, such as the surface of water over a bottom.
    #[inline(always)]
    fn to_transfer<V: Real>(&self, q: [V; M], _aux: [V; A]) -> [V; M] {
        q
    }

    /// The state of a cell with these transfer variables: the inverse of [`Solver::to_transfer`] with the same auxiliary values. Component `m`
    /// does not decrease with `t[m]`, and depends on no later one.
    #[expect(clippy::wrong_self_convention, reason = "it is the other way of `to_transfer`")]
    #[inline(always)]
    fn from_transfer<V: Real>(&self, t: [V; M], _aux: [V; A]) -> [V; M] {
        t
    }

    /// The derivative of each component of [`Solver::from_transfer`] by the transfer variable of the same number.
    #[inline(always)]
    fn transfer_weight<V: Real>(&self, _t: [V; M], _aux: [V; A]) -> [V; M] {
        [V::constant(1.0); M]
    }

    /// The flux along `axis` in the cell below a face: with the face's own auxiliary values, which the cell above has.
    #[inline(always)]
    fn flux_below<V: Real>(&self, axis: Axis, ql: [V; M], mut aux_l: [V; A], aux_r: [V; A]) -> [V; M] {
        for a in 0..A {
            if Self::AUX_FACE[a].is_some() {
                aux_l[a] = aux_r[a];
            }
        }
        self.flux(axis, ql, aux_l).unwrap_or([V::zero(); M])
    }

    /// The state at the start, where [`Solver::HAS_INITIAL`]; `aux` are the cell's auxiliary values.
    fn initial(&self, _cell: &Cell, _aux: [f64; A]) -> [f64; M] {
        [0.0; M]
    }

    /// Auxiliary values of a cell, where [`Solver::HAS_AUX`].
    fn aux_values(&self, _cell: &Cell) -> [f64; A] {
        [0.0; A]
    }

    /// The state of a ghost cell with centre `x` outside the domain's `side` along `axis`, where
    /// [`Solver::HAS_BOUNDARY`]; `mirror` is the state of its mirror image inside.
    #[inline(always)]
    fn boundary<V: Real>(&self, _axis: Axis, _side: Side, _x: [V; 3], _t: V, mirror: [V; M]) -> [V; M] {
        mirror
    }

    /// Whether a cell with centre `x` is to be refined, where [`Solver::HAS_FLAG`]. `below`, `above`: where [`Solver::FLAG_LOOKS_AROUND`]
    /// the states of its neighbours along each axis; `q` beyond the last axis.
    #[inline(always)]
    fn flag<V: Real>(
        &self,
        _x: [V; 3],
        _t: V,
        _q: [V; M],
        _aux: [V; A],
        _below: [[V; M]; 3],
        _above: [[V; M]; 3],
    ) -> V::Mask {
        V::zero().lt(V::zero())
    }

    /// The smallest of the quantities that must be positive and that steps can change, where [`Solver::CHECKS_STEPS`].
    #[inline(always)]
    fn least_positive<V: Real>(&self, _q: [V; M], _aux: [V; A]) -> V {
        V::constant(1.0)
    }

    /// Whether the quantities that steps can change are positive where they must be and not below `least` where they must not be negative;
    /// where [`Solver::LIMITS`].
    #[inline(always)]
    fn is_admissible<V: Real>(&self, _q: [V; M], _aux: [V; A], _least: V) -> V::Mask {
        V::mask(true)
    }

    /// The values of [`Solver::POSITIVE`], then of [`Solver::NONNEGATIVE`], one each.
    #[inline(always)]
    fn quantities<V: Real>(&self, _q: [V; M], _aux: [V; A], _values: &mut [V]) {}

    /// An admissible state made of numbers between 0 and 1: what checks of the solver try.
    fn admissible(&self, unit: [f64; M]) -> [f64; M] {
        unit.map(|u| 2.0 * u - 1.0)
    }

    /// Admissible auxiliary values made of numbers between 0 and 1: vectors of any direction, the rest positive.
    fn admissible_aux(&self, unit: [f64; A]) -> [f64; A] {
        let mut values = unit.map(|u| 0.5 + u);
        for group in Self::AUX_GROUPS.iter().filter(|group| group.kind != GroupKind::Tensor) {
            for a in group.components(Self::DIM) {
                values[a] = 2.0 * unit[a] - 1.0;
            }
        }
        values
    }

    /// The solver of the same problem with two axes exchanged; `None` if there is none.
    fn exchanged(&self, _axes: [Axis; 2]) -> Option<Self> {
        Some(self.clone())
    }

    /// The solver of the same problem in a mirror normal to `axis`, to be given mirrored states; `None` if there is none.
    fn mirrored(&self, _axis: Axis) -> Option<Self> {
        Some(self.clone())
    }

    /// The same solver with other values of its parameters, one each; `None` if it has no others.
    fn with_parameters(&self, _values: &[f64]) -> Option<Self> {
        None
    }

    /// The solver's CUDA C++, if there is one: a solver without runs on the CPU alone.
    fn device_source(&self) -> Option<DeviceSource> {
        None
    }
}
