//! The arguments of the kernels of the conservation fix.

use super::{LevelView, Patch, RunTable};
use crate::abi::{Pointer, Real};
use crate::device_struct;

device_struct! {
    /// What `face_map` takes.
    pub struct FaceMapArgs {
        /// Faces between two levels.
        pub table: RunTable,
        /// Patches of the level that the map is of.
        pub patches: Pointer<Patch>,
        /// Bits, written if the faces are not numbered.
        pub words: Pointer<u32>,
        /// Of each word the place of its first face.
        pub bases: Pointer<u32>,
        /// Slots by place, written if the faces are numbered.
        pub slots: Pointer<u32>,
        /// The level is the finer of the two.
        pub fine: u32,
        /// Place of slot 0 among what the update of the coarser level keeps.
        pub first_slot: u32,
        /// The faces marked have been numbered.
        pub numbered: u32,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
    }
}

device_struct! {
    /// What `number_faces` takes.
    pub struct NumberFacesArgs {
        /// Patches of the level that the map is of.
        pub patches: Pointer<Patch>,
        /// Bits.
        pub words: Pointer<u32>,
        /// Of each word the place of its first face, or of the next one of its row; written.
        pub bases: Pointer<u32>,
        /// Faces numbered, zero at the beginning.
        pub count: Pointer<u32>,
    }
}

device_struct! {
    /// What `register_coarse` and `register_fine` take.
    pub struct RegisterArgs {
        /// Faces between two levels.
        pub table: RunTable,
        /// The level that was swept, with the state that the sweep began with.
        pub view: LevelView,
        /// Second-order corrections that the sweep kept.
        pub kept: Pointer<Real>,
        /// Sums, changed.
        pub sums: Pointer<Real>,
        /// States and aux of coarse cells, per sweep.
        pub coarse_cells: Pointer<Real>,
        /// Where there are source terms, coarse cells as sources have advanced them, as the coarse step began, and what sources read of them.
        pub source_cells: Pointer<Real>,
        /// On the coarse side: states before any part of the step, or null.
        pub start: Pointer<Real>,
        /// Physical positions of cells, or null.
        pub centres: Pointer<Real>,
        /// Time step of the sweep.
        pub dt: f64,
        /// Numbers between components of the sums.
        pub num_slots: u32,
        /// Numbers between components of the corrections.
        pub kept_stride: u32,
        /// Place of slot 0 among the corrections of the coarser level.
        pub first_kept: u32,
        /// Number of the sweep.
        pub sweep: u32,
        /// One bit per axis: swept now.
        pub swept: u32,
        /// One bit per axis: not swept before in this step.
        pub first_sweep: u32,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
    }
}

device_struct! {
    /// What `reflux` takes.
    pub struct RefluxArgs {
        /// Faces between two levels.
        pub table: RunTable,
        /// The coarse level; `q` is changed.
        pub view: LevelView,
        /// Sums.
        pub sums: Pointer<Real>,
        /// The coarse level's face map.
        pub words: Pointer<u32>,
        /// Of each word the place of its first face.
        pub bases: Pointer<u32>,
        /// Slots by place.
        pub slots: Pointer<u32>,
        /// Raised where a cell is no longer finite, or what must be positive no longer is: see `refuse` in `kernels/patch.cuh`.
        pub refused: Pointer<u64>,
        /// Coarse cell size along each axis.
        pub dx: [f64; 3],
        /// The speed up to which no cell is slowed down; 0: none is.
        pub free: f64,
        /// Numbers between components of the sums.
        pub num_slots: u32,
        /// Place of slot 0 among what the update of the coarser level keeps.
        pub first_kept: u32,
        /// The coarse level.
        pub level: u32,
        /// Whether the solver has states that take the place of new ones.
        pub settles: u32,
    }
}

device_struct! {
    /// What `allowances`, `return_excess` and `settle_debts` take.
    pub struct AllowanceArgs {
        /// Faces between two levels.
        pub table: RunTable,
        /// The coarse level; of `return_excess` the fine one, whose `q` is changed.
        pub view: LevelView,
        /// Sums; changed by `return_excess`, and memory for `settle_debts`.
        pub sums: Pointer<Real>,
        /// What finer steps may take beyond the coarse flux, made by `allowances`; memory for `settle_debts`.
        pub allowances: Pointer<Real>,
        /// That level's face map.
        pub words: Pointer<u32>,
        /// Of each word the place of its first face.
        pub bases: Pointer<u32>,
        /// Slots by place.
        pub slots: Pointer<u32>,
        /// Cell size of that level along each axis.
        pub dx: [f64; 3],
        /// Numbers between components of the sums.
        pub num_slots: u32,
        /// Place of slot 0 among what the update of the coarser level keeps.
        pub first_kept: u32,
        /// Number of the launch of `settle_debts`.
        pub pass: u32,
        /// Fine cells in a coarse one along each axis.
        pub ratio: [i32; 3],
    }
}
