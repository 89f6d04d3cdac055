//! The arguments of the kernels that move values between patches and levels.

use super::{Lattice, LevelView, Patch, RegionTable};
use crate::abi::{Pointer, Real};
use crate::{device_enum, device_struct};

device_enum! {
    /// What is filled of a level whose solver has transfer variables, bits.
    pub enum FillForm {
        /// These are written, not states.
        Variables = 1,
        /// The target is messages.
        IntoMessages = 2,
        /// The source is messages.
        FromMessages = 4,
    }
}

device_struct! {
    /// Where a region of cells outside the domain takes its values from: along each axis, cell `i` from cell `scale i + offset`.
    pub struct Origin {
        /// 1; −1 where the cells are mirrored; 0 where all take the value of one cell.
        pub scale: [i32; 3],
        /// The cell from which cell 0 would take its value.
        pub offset: [i32; 3],
        /// A bit for each side of the domain at which the values are mirrored an odd number of times: bit 2 axis + side.
        pub walls: u32,
    }
}

device_struct! {
    /// What `fill_outside` takes.
    pub struct FillOutsideArgs {
        /// The level.
        pub view: LevelView,
        /// For each component the bits of the sides beyond which it changes its sign.
        pub signs: Pointer<u8>,
        /// Cells of the level along each axis.
        pub domain: [i32; 3],
        /// One bit per axis: the domain repeats along it.
        pub periodic: u32,
        /// The rules beyond both sides of each axis: see `kernels/outside.cuh`.
        pub beyond: [[i32; 2]; 3],
    }
}

device_struct! {
    /// What `fill` takes.
    pub struct FillArgs {
        /// Copies first, then interpolations; then copies and interpolations of cells outside the domain, read from where the cells
        /// that they mirror are read from.
        pub table: RegionTable,
        /// Where the regions outside take their values from, one for each of them.
        pub origins: Pointer<Origin>,
        /// Level or messages written; with auxiliary values for solvers with transfer variables.
        pub target: LevelView,
        /// Level copied from, or messages.
        pub source: LevelView,
        /// Level interpolated from, at its later time.
        pub coarse: LevelView,
        /// For each component the bits of the sides beyond which it changes its sign.
        pub signs: Pointer<u8>,
        /// Coarse array at its earlier time.
        pub coarse_old: Pointer<Real>,
        /// Weight of the later time.
        pub alpha: f64,
        /// Regions that are copies.
        pub num_copies: u32,
        /// Slopes may reach over two cells: ghost cells, not new patches.
        pub wide: u32,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
        /// Regions of cells inside the domain.
        pub num_inside: u32,
        /// Regions outside that are copies.
        pub num_outside_copies: u32,
        /// Of a solver with transfer variables, bits: [`FillForm`].
        pub form: u32,
    }
}

device_struct! {
    /// What `copy_cells` takes.
    pub struct CopyArgs {
        /// Cells written. Those less `shift` are read.
        pub table: RegionTable,
        /// Level or messages written; where it has auxiliary values, what is written is divided by their capacity.
        pub target: LevelView,
        /// Level or messages read.
        pub source: LevelView,
        /// Components of either array.
        pub count: u32,
    }
}

device_struct! {
    /// What `evaluate` takes.
    pub struct EvaluateArgs {
        /// Cells written. The function is evaluated at the cells less `shift`; rows begin where regions do.
        pub table: RegionTable,
        /// Patches.
        pub patches: Pointer<Patch>,
        /// Array written.
        pub out: Pointer<Real>,
        /// Auxiliary values, for checks of states.
        pub aux: Pointer<Real>,
        /// Raised where a value is not finite, or not above zero and must be.
        pub refused: Pointer<u32>,
        /// Where the level's cells lie.
        pub level: Lattice,
        /// Time.
        pub t: f64,
    }
}

device_struct! {
    /// What `continue_aux` takes.
    pub struct ContinueArgs {
        /// Cells outside the domain.
        pub table: RegionTable,
        /// Where each region takes its values from.
        pub origins: Pointer<Origin>,
        /// Patches.
        pub patches: Pointer<Patch>,
        /// Auxiliary values.
        pub aux: Pointer<Real>,
        /// Normal of the faces on which the continued values live, or −1 for those that live in cells.
        pub face: i32,
    }
}

device_struct! {
    /// What `boundary_function` takes.
    pub struct BoundaryArgs {
        /// Cells outside the domain across the axis. `source`: the side, 0 the lower one; `shift`: the first cell of the plan's region.
        pub table: RegionTable,
        /// Where each region takes its values from.
        pub origins: Pointer<Origin>,
        /// Null, or the states before sources have acted. What a user's function gives as these have it, is the side's own, and keeps what
        /// sources have made of it.
        pub before: Pointer<Real>,
        /// The level; auxiliary values for walls of mapped grids and checks of states.
        pub view: LevelView,
        /// As for `fill`.
        pub signs: Pointer<u8>,
        /// Raised where a function gives a value that is not finite or not allowed: see `refuse` in `kernels/patch.cuh`.
        pub refused: Pointer<u64>,
        /// Where the level's cells lie.
        pub domain: Lattice,
        /// Time.
        pub t: f64,
        /// The axis.
        pub axis: i32,
        /// A bit for each of its two sides that has a function.
        pub functions: u32,
        /// The level.
        pub level: u32,
        /// Likewise, where the function is the user's.
        pub checked: u32,
    }
}

device_struct! {
    /// What `average_down` takes.
    pub struct AverageArgs {
        /// Coarse cells.
        pub table: RegionTable,
        /// Coarse level or messages, written. Sums are divided by the capacity, if it has auxiliary values.
        pub coarse: LevelView,
        /// Fine level.
        pub fine: LevelView,
        /// One over the fine cells in a coarse one.
        pub weight: f64,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
    }
}

device_struct! {
    /// What `conserve` takes.
    pub struct ConserveArgs {
        /// Coarse cells whose fine cells were interpolated: target is the fine patch, source the coarse one.
        pub table: RegionTable,
        /// Coarse level or messages.
        pub coarse: LevelView,
        /// Fine level, changed.
        pub fine: LevelView,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
    }
}
