//! The kernels for adaptive patches, and their arguments. A launch covers all regions, tiles or patches of a table; regions are cut into
//! chunks of nearly equal work, one for each warp.
//!
//! Arrays over axes have three entries, x first, whatever the problem's dimension.

mod cells;
mod divide;
mod fix;
mod gather;
pub mod kernels;
mod leaves;
mod motion;
mod moves;
mod patch;
mod plan;
mod regrid;
mod springs;
mod texts;
mod tiles;
pub mod tuning;
mod update;

pub use cells::{CellLimiter, CellShape, CellsArgs, CellsBeyondArgs, MeshTables, NO_ITEM};
pub use divide::{DivideArgs, Form, MAX_PARTS, MAX_RANKS, PartReport, PlanPart, Whose};
pub use fix::{AllowanceArgs, FaceMapArgs, NumberFacesArgs, RefluxArgs, RegisterArgs};
pub use gather::{
    CellInPatch, ExtremesArgs, FlagArgs, FlagFunctionArgs, FlagTile, GatherArgs, JoinFlagsArgs, LargestArgs,
    SampleArgs, SourceArgs, SourceCells, TotalsArgs,
};
pub use kernels::{Group, Launcher};
pub use leaves::{LeafMesh, LeafTotal, LeavesArgs};
pub use motion::{MotionArgs, MotionInstant, SHAPE_WORDS, Wrong};
pub use moves::{
    AverageArgs, BoundaryArgs, ConserveArgs, ContinueArgs, CopyArgs, EvaluateArgs, FillArgs, FillForm, FillOutsideArgs,
    Origin,
};
pub use patch::{Chunk, Chunked, FaceRun, Lattice, LevelView, ListArgs, Patch, Region, RegionTable, RunTable};
pub use plan::{PLAN_COLUMNS, PlanArgs, PlanColumn, PlanLevel, PlanTable};
pub use regrid::{
    Candidate, CellBox, ClusterArgs, ClusterState, FlagRegion, FlagRegionsArgs, JoinTilesArgs, MAX_LEVELS,
    MarkTilesArgs, NestArgs, ProjectArgs, SortArgs, TileMap, TurnArgs, TurnedTile, WidenArgs,
};
pub use springs::{SPRINGS_THREADS, SpringsArgs, SpringsState};
pub use texts::{CaseFunction, Shape, mapped_cells};
pub use tiles::{CutCells, ListTilesArgs, TileShape, TileTable};
pub use update::{PatchReport, Tile, UpdateArgs, UpdateOptions};
