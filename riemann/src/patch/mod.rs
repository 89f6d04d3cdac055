//! The update of one patch: everything that runs over many faces with one solver.
//!
//! A patch is a block of rows, `[component, z, y, x]` with x fastest; where it lies, and that there are others, is not known here.
//! [`PatchSolver`] is the object-safe interface of a solver: its entry points take whole tiles or lists of faces, so that calling them
//! through a pointer costs nothing.

mod admissible;
mod beside;
mod correction;
mod dispatch;
mod face;
mod kept_faces;
mod nonnegative;
mod rows;
mod settled;
mod slopes;
mod source;
mod space;
mod states;
mod tile;
mod transfer;
mod update;
mod x_faces;
mod y_faces;

pub use admissible::{LEAST as LEAST_NONNEGATIVE, MOST_SPEED_UP};
pub use dispatch::{EVERY, Isa, Kernels, OF_BUILD, ONE, PatchSolver, SolverKernels};

use crate::axis::{Axis, Side};
use crate::lattice::Lattice;
use crate::limiter::Limiter;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Columns of a tile at most: the row buffers of one tile then stay in the second-level cache.
pub const TILE_COLUMNS: usize = 256;
/// Columns that a tile may reach beyond that, into ghost cells which later sweeps read.
pub const TILE_GROWTH: usize = 10;
/// Rows of a tile where threads share large patches.
pub const TILE_ROWS: usize = 64;
/// Planes of a tile, in three dimensions, where threads share large patches.
pub const TILE_PLANES: usize = 16;
/// Columns and rows of a tile that is swept along three axes at once: what is kept of its planes then stays in the
/// second-level cache.
pub const SPACE_TILE: [usize; 2] = [64, 16];
/// Numbers that must be readable past the last cell of an arena: packs may run over a row's end.
pub const PACK_OVERRUN: usize = 16;
/// Waves of a solver at most.
pub const MAX_WAVES: usize = 64;

/// Strides of a patch's arrays in numbers, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Strides {
    /// From a cell to its upper neighbour in y.
    pub row: usize,
    /// From a cell to its upper neighbour in z.
    pub slab: usize,
    /// From a component to the next.
    pub component: usize,
}

impl Strides {
    /// From a cell to its upper neighbour along `axis`.
    #[inline(always)]
    pub const fn along(&self, axis: Axis) -> usize {
        match axis {
            Axis::X => 1,
            Axis::Y => self.row,
            Axis::Z => self.slab,
        }
    }

    /// From the patch's first interior cell to the cell `cell`.
    #[inline(always)]
    pub const fn offset(&self, cell: [i32; 3]) -> isize {
        cell[0] as isize + cell[1] as isize * self.row as isize + cell[2] as isize * self.slab as isize
    }
}

/// What is computed, the same for all patches of a level.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scheme {
    /// 1: Godunov. 2: with limited second-order corrections.
    pub order: u8,
    /// 0: no transverse waves. 1: of the fluctuations. 2: of the corrections too.
    pub transverse: u8,
    /// In three dimensions: transverse waves are split once more, along the third axis.
    pub double_transverse: bool,
    /// Limiter of each wave.
    pub limiters: [Limiter; MAX_WAVES],
    /// Component of aux that holds the capacity κ, or −1.
    pub capacity: i32,
    /// 0, or corrections that would make states inadmissible are left out: then the number of faces among which a cell shares what it has.
    pub sharing_faces: u8,
}

impl Scheme {
    /// Whether corrections that would make states inadmissible are left out.
    pub fn keeps_admissible(&self) -> bool {
        self.sharing_faces > 0
    }
}

/// A face whose flux is kept for the conservation fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct KeptFace {
    /// The face lies below cell `cell` along `axis`; indices count from the patch's first interior cell.
    pub cell: [i32; 3],
    /// Normal of the face.
    pub axis: Axis,
    /// The cell whose view of the flux is kept: on the face's lower or upper side.
    pub seen_from: Side,
    /// Where the flux goes: component `m` to `values[m · stride + slot]`.
    pub slot: u32,
}

/// A slice of faces, in `repr(C)`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KeptFaces<'a> {
    first: *const KeptFace,
    len: usize,
    faces: PhantomData<&'a [KeptFace]>,
}

impl<'a> KeptFaces<'a> {
    /// No faces.
    pub const NONE: KeptFaces<'static> = KeptFaces { first: NonNull::dangling().as_ptr(), len: 0, faces: PhantomData };

    /// As a slice.
    #[inline(always)]
    pub fn as_slice(self) -> &'a [KeptFace] {
        // SAFETY: it was made of such a slice.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

impl<'a> From<&'a [KeptFace]> for KeptFaces<'a> {
    fn from(faces: &'a [KeptFace]) -> Self {
        KeptFaces { first: faces.as_ptr(), len: faces.len(), faces: PhantomData }
    }
}

/// One tile of a patch and what to do with it. Pointers point at the patch's first interior cell, component 0.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TileArgs<'a, R> {
    /// State at the start of the step, ghost cells filled.
    pub q: *const R,
    /// State at its end; interior cells of the tile are written. May be the same array as `q`, if the caller makes sure that
    /// neighbouring tiles, which read two cells beyond their own, find old states there, except with a solver that looks beside faces.
    pub q_next: *mut R,
    /// Auxiliary values, ghost cells filled; may dangle if the solver has none.
    pub aux: *const R,
    /// Strides of `q` and `q_next`, and of `aux` too.
    pub strides: Strides,
    /// First cell of the tile.
    pub lo: [i32; 3],
    /// One past its last cell.
    pub hi: [i32; 3],
    /// Axes swept: all for the unsplit update, one for a split sweep.
    pub sweep: [bool; 3],
    /// Time step.
    pub dt: f64,
    /// Cell size.
    pub dx: [f64; 3],
    /// The speed up to which cells with quantities that are kept nonnegative are not slowed down; 0: none is.
    pub free: f64,
    /// The scheme.
    pub scheme: &'a Scheme,
    /// Faces to keep, sorted by [`KeptFace::complete_at`].
    pub kept_faces: KeptFaces<'a>,
    /// Fluxes of the kept faces.
    pub kept_values: *mut R,
    /// Distance between components in `kept_values`.
    pub kept_stride: usize,
}

impl KeptFace {
    /// Plane of rows, and row of it, at which the update has the face's flux: it finishes row k − 1 and face k together.
    /// Planes lie along z, rows along y; in a sweep along z the other way round. `in_space`: the three axes are swept at
    /// once; then planes too are finished one behind.
    pub fn complete_at(&self, in_space: bool) -> [i32; 2] {
        let [_, y, z] = self.cell;
        match (self.axis, in_space) {
            (Axis::X, false) => [z, y + 1],
            (Axis::Y, false) => [z, y],
            (Axis::Z, false) => [y, z],
            (Axis::X, true) => [z + 1, y + 1],
            (Axis::Y, true) => [z + 1, y],
            (Axis::Z, true) => [z, y + 1],
        }
    }
}

/// The report of a tile's update.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TileReport {
    /// Largest Courant number over the tile's faces.
    pub courant: f64,
    /// False if the new state holds a NaN or an infinity, or a quantity that must be positive is not.
    pub admissible: bool,
}

/// A list of faces between states that lie apart: coarse cells and fine ghost cells at the edge of a fine patch.
#[derive(Debug)]
#[repr(C)]
pub struct FaceList<R> {
    /// Number of faces.
    pub len: usize,
    /// Left states, `[component, face]`; component stride `stride`.
    pub ql: *const R,
    /// Right states, `[component, face]`.
    pub qr: *const R,
    /// Left auxiliary values, `[component, face]`.
    pub aux_l: *const R,
    /// Right auxiliary values, `[component, face]`.
    pub aux_r: *const R,
    /// The sum 𝒜⁻ΔQ + 𝒜⁺ΔQ, `[component, face]`.
    pub sum: *mut R,
    /// Numbers between components: at least `len` rounded up to [`PACK_OVERRUN`].
    pub stride: usize,
}

/// A row of cells inside which values are interpolated. Its arrays `q` and `slopes` have [`SlopeRow::LEN`] numbers a component.
#[derive(Debug)]
#[repr(C)]
pub struct SlopeRow<R> {
    /// States of the cells' centres, `[component, cell]`.
    pub q: *const R,
    /// Differences across a cell, `[axis, component, cell]`.
    pub slopes: *mut R,
    /// Auxiliary values of the cells.
    pub aux: *const R,
    /// Numbers between components of `aux`.
    pub aux_component: usize,
    /// Number of cells, [`SlopeRow::LEN`] at most.
    pub len: usize,
    /// Along each axis the outermost points inside a cell, as offsets from its centre in cells.
    pub ends: [[R; 2]; 3],
}

impl<R> SlopeRow<R> {
    /// Cells of a row at most.
    pub const LEN: usize = PACK_OVERRUN;

    /// The slopes along an axis.
    fn slopes_along(&self, axis: usize, components: usize) -> *mut R {
        self.slopes.wrapping_add(axis * components * Self::LEN)
    }
}

/// What is computed of a row of cells for what passes between levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Transfer {
    /// Transfer variables of states.
    To,
    /// States of transfer variables. Of the quantities that are kept from being negative none exceeds `most`, unless that is null.
    From,
    /// The derivative of each component of a state by the transfer variable of the same number.
    Weight,
    /// States that take the place of new ones ([`Solver::settle`](crate::solver::Solver::settle)) in cells whose state before is `most`.
    Settle,
}

/// A row of cells whose states become transfer variables, or the other way.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TransferRow<R> {
    /// First cell, component 0: read and written.
    pub values: *mut R,
    /// Numbers between components of `values`.
    pub component: usize,
    /// Auxiliary values of the cells.
    pub aux: *const R,
    /// Numbers between components of `aux`.
    pub aux_component: usize,
    /// For [`Transfer::From`] bounds of the quantities that are kept from being negative, for [`Transfer::Settle`] the states before.
    pub most: *const R,
    /// Numbers between components of `most`, and from a cell to the next: 0 where all cells have the same.
    pub most_strides: [usize; 2],
    /// For [`Transfer::Settle`] the speed up to which no cell is slowed down; 0: none is.
    pub free: R,
    /// Number of cells.
    pub len: usize,
}

/// A row of cells to apply the source term to.
#[derive(Debug)]
#[repr(C)]
pub struct SourceRow<R> {
    /// First cell, component 0.
    pub q: *mut R,
    /// Auxiliary values of the same cells.
    pub aux: *const R,
    /// Number of cells.
    pub len: usize,
    /// Numbers between components of `q` and `aux`.
    pub component: usize,
    /// Where the level's cells lie.
    pub lattice: Lattice,
    /// The first cell.
    pub first: [i32; 3],
    /// Time at which the source starts to act.
    pub t: f64,
    /// How long it acts.
    pub dt: f64,
}
