//! What executors on a device share: tables of plans and patches, the kernels of a run, and the interface to a
//! device.
//!
//! A kernel may start before the one ahead of it has ended: it reads its tables, and waits (`await_previous`) before it reads a value. Where the
//! host makes a table, it sends the regions, and a kernel lists the warps' chunks of them (`list_chunks`).

mod adjoint_text;
mod around_text;
mod axes;
mod case_functions;
mod divided_tables;
mod evaluate;
mod formula_text;
mod kernels;
mod machine;
mod messages;
mod outside;
mod patch_table;
mod plan_tables;
mod regions;
mod sweep_args;
mod tables;

pub(super) use crate::exec::step::{bytes_of, bytes_of_mut};
pub(super) use axes::{axes, box_by_axes, periodic_bits};
pub use case_functions::CaseFunctions;
pub(super) use divided_tables::{DividedTables, TableOwners};
pub(super) use evaluate::{EvaluatePlace, FunctionTables};
pub(super) use kernels::{CompiledKernels, EVALUATE_AUX, EVALUATE_CENTRES, EVALUATE_INITIAL, compile};
pub use kernels::{KernelOptions, KernelText, update_name};
pub use machine::{Machine, Overlap, Queue};
pub(super) use machine::{pointer, sent, structs_of, words_of};
pub(super) use messages::{ExchangeTables, MessageTables, RankMessage};
pub(super) use outside::{Sides, origin};
pub(super) use patch_table::{cut_into_tiles, patch_table, strip_table};
pub(super) use plan_tables::{CountedTables, DeviceBoxes, PlanRequest, WrittenTables};
pub(super) use regions::{HostTables, Table, TableBuilder, region};
pub(super) use sweep_args::{DeviceSweep, FaceMapPlace, RegisterPlace, UpdatePlace, tile_shape};
pub(super) use tables::{
    FaceCounts, FaceMap, FillTable, HostLevelTables, LevelContext, LevelTables, TransferTables, face_run,
};
