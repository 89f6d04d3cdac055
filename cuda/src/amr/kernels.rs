//! All kernels but the update: one row each, with its file, its argument, how a launch is divided and what it is compiled with.
//!
//! To add a kernel: its file in `kernels/`, a struct for its argument, a row here.

// tidy: long because each kernel has its row here

use super::tuning::{
    CLUSTER_THREADS, DIVIDE_THREADS, FLAG_THREADS, LEAVES_THREADS, NUMBER_THREADS, PLAN_THREADS, SUM_THREADS, THREADS,
    WIDEN_THREADS,
};
use super::{
    AllowanceArgs, AverageArgs, BoundaryArgs, Candidate, CellBox, CellInPatch, CellsArgs, CellsBeyondArgs, Chunked,
    ClusterArgs, ClusterState, ConserveArgs, ContinueArgs, CopyArgs, CutCells, DivideArgs, EvaluateArgs, ExtremesArgs,
    FaceMapArgs, FillArgs, FillForm, FillOutsideArgs, FlagArgs, FlagFunctionArgs, FlagRegion, FlagRegionsArgs,
    FlagTile, Form, GatherArgs, JoinFlagsArgs, JoinTilesArgs, LargestArgs, Lattice, LeafMesh, LeafTotal, LeavesArgs,
    ListArgs, ListTilesArgs, MarkTilesArgs, MeshTables, MotionArgs, MotionInstant, NestArgs, NumberFacesArgs, Origin,
    PartReport, PatchReport, PlanArgs, PlanColumn, PlanLevel, PlanPart, PlanTable, ProjectArgs, RefluxArgs,
    RegisterArgs, SPRINGS_THREADS, SampleArgs, SortArgs, SourceArgs, SourceCells, SpringsArgs, SpringsState, Tile,
    TileMap, TotalsArgs, TurnArgs, TurnedTile, Whose, WidenArgs, Wrong,
};
use crate::abi::DeviceStruct;
use crate::kernel::Grid;
use std::marker::PhantomData;

/// Kernels that are compiled together as one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Kernels that move values between patches or gather them; without a solver.
    Regions,
    /// The kernels that fill cells and apply the conservation fix, which ask the solver whether states are admissible and what passes between
    /// levels.
    Fill,
    /// Kernels that make new boxes from tags; without a solver.
    Regrid,
    /// Kernels that make tables of plans; without a solver.
    Plan,
    /// The kernel that a capacity function or transfer variables need besides.
    Means,
    /// The Riemann problems of the conservation fix.
    Registers,
    /// The solver's own source.
    Source,
    /// Flags by a function of the case.
    FlagFunction,
    /// The largest values of a function of the case.
    Extremes,
    /// A source that is a function of the case.
    SourceFunction,
    /// Values by a function of the case: a text for each.
    Evaluate,
    /// Ghost cells beyond sides of the domain by functions of the case.
    BoundaryFunction,
    /// A stage on a mesh, whose cells solve all their faces.
    CellLoop,
    /// A stage on a mesh, each face of which is solved once.
    FaceLoop,
    /// States at the faces of a mesh.
    FaceStates,
    /// States beyond the sides of a mesh.
    CellsBeyond,
    /// Springs that draw the nodes of a mesh; without a solver.
    Springs,
    /// The geometry of a mesh that moves, without fused operations: the host has the same; without a solver.
    Motion,
    /// Where its nodes are by formulas of the case, likewise.
    MotionNodes,
    /// Kernels that divide and join leaves of a mesh, without fused operations: the host makes the same mesh.
    Leaves,
    /// Values of formulas of the case that flag leaves, likewise.
    LeafValues,
}

impl Group {
    /// All groups but those whose kernels call a function of the case.
    pub const ALL: [Group; 7] =
        [Group::Regions, Group::Fill, Group::Regrid, Group::Plan, Group::Means, Group::Registers, Group::Source];

    /// Whether the text calls the solver.
    pub fn solves(self) -> bool {
        use Group::{CellLoop, FaceLoop, FaceStates, Fill, Leaves, Means, Registers, Source};
        matches!(self, Fill | Means | Registers | Source | CellLoop | FaceLoop | FaceStates | Leaves)
    }

    /// Whether the kernels read and write boxes or nodes alone, no values: the text is then the same for all solvers, and compiled once for all.
    pub(super) fn knows_no_values(self) -> bool {
        matches!(self, Group::Regrid | Group::Plan | Group::Springs | Group::Motion)
    }

    /// Whether the kernels work on a mesh from a file.
    pub fn is_of_cells(self) -> bool {
        use Group::{CellLoop, CellsBeyond, FaceLoop, FaceStates, LeafValues, Leaves};
        matches!(self, CellLoop | FaceLoop | FaceStates | CellsBeyond | Leaves | LeafValues)
    }

    /// Its rows.
    pub fn rows(self) -> impl Iterator<Item = &'static Row> {
        ALL.iter().copied().filter(move |row| row.group == self)
    }
}

/// How the work of a launch is divided among threads.
#[derive(Clone, Copy, Debug)]
pub enum Work {
    /// A warp takes a chunk of a table.
    WarpPerChunk,
    /// A warp takes an item.
    WarpPerItem,
    /// A thread takes an item.
    ThreadPerItem,
    /// A thread takes an item; so many are a block.
    ThreadOfBlock(u32),
    /// A block takes an item: threads by dimensions.
    BlockPerItem([u32; 3]),
    /// One block, a thread an item.
    OneBlock,
}

/// A kernel.
#[derive(Debug)]
pub struct Row {
    /// Its entry point, by which it is launched too.
    pub name: &'static str,
    /// What it is compiled with.
    pub group: Group,
    /// How a launch is divided.
    pub work: Work,
    pub(super) text: &'static str,
    /// Definitions of its argument, and of what this points at.
    pub(super) structs: fn() -> Vec<String>,
}

/// A kernel with its argument's type.
#[derive(Debug)]
pub struct Launcher<A> {
    /// The kernel.
    pub row: &'static Row,
    argument: PhantomData<fn(A)>,
}

impl<A> Launcher<A> {
    /// The grid for so many chunks or items in `dim` dimensions.
    pub fn grid(&self, count: usize, dim: usize) -> Grid {
        let blocks = |blocks: usize, threads: u32| Grid { blocks: [blocks as u32, 1, 1], threads, shared_bytes: 0 };
        match self.row.work {
            Work::WarpPerChunk | Work::WarpPerItem => blocks((count * 32).div_ceil(THREADS as usize), THREADS),
            Work::ThreadPerItem => Grid::over(count, THREADS),
            Work::ThreadOfBlock(threads) => Grid::over(count, threads),
            Work::BlockPerItem(threads) => blocks(count, threads[dim - 1]),
            Work::OneBlock => blocks(1, (count as u32).next_multiple_of(32)),
        }
    }
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $constant:ident = $name:literal in $group:ident, $work:expr, $argument:ident: $($other:ident)*;)*) => {
        $($(#[$doc])*
        pub const $constant: Launcher<$argument> = Launcher {
            row: &Row {
                name: $name,
                group: Group::$group,
                work: $work,
                text: include_str!(concat!("../../kernels/", $name, ".cu")),
                structs: || vec![$($other::cuda_text(),)* $argument::cuda_text()],
            },
            argument: PhantomData,
        };)*

        /// The rows of all kernels, in the order of their texts.
        pub const ALL: &[&Row] = &[$($constant.row),*];
    };
}

kernels! {
    /// Lists the chunks of tables that other kernels read.
    LIST_CHUNKS = "list_chunks" in Regions, Work::ThreadPerItem, ListArgs: Chunked;
    /// Lists the tiles that the update works on.
    LIST_TILES = "list_tiles" in Regions, Work::ThreadPerItem, ListTilesArgs: CutCells Tile;
    /// Copies and interpolates cells.
    FILL = "fill" in Fill, Work::WarpPerChunk, FillArgs: FillForm Origin;
    /// Fills ghost cells outside the domain from the patch's own cells.
    FILL_OUTSIDE = "fill_outside" in Regions, Work::BlockPerItem([THREADS; 3]), FillOutsideArgs: ;
    /// Copies cells into messages and out of them.
    COPY_CELLS = "copy_cells" in Regions, Work::WarpPerChunk, CopyArgs: ;
    /// Averages a level onto the coarser one.
    AVERAGE_DOWN = "average_down" in Regions, Work::WarpPerChunk, AverageArgs: ;
    /// Copies auxiliary values from cells inside the domain to cells outside.
    CONTINUE_AUX = "continue_aux" in Regions, Work::WarpPerChunk, ContinueArgs: Origin;
    /// Makes the map of the kept faces.
    FACE_MAP = "face_map" in Regions, Work::WarpPerChunk, FaceMapArgs: ;
    /// Numbers the faces of such a map.
    NUMBER_FACES = "number_faces" in Regions, Work::BlockPerItem(NUMBER_THREADS), NumberFacesArgs: ;
    /// Applies the conservation fix.
    REFLUX = "reflux" in Fill, Work::WarpPerChunk, RefluxArgs: ;
    /// What finer steps may take from coarse cells.
    ALLOWANCES = "allowances" in Fill, Work::WarpPerChunk, AllowanceArgs: ;
    /// Returns what they have taken beyond that.
    RETURN_EXCESS = "return_excess" in Fill, Work::WarpPerChunk, AllowanceArgs: ;
    /// Lets cells beside coarse ones pay what the fix has left these to owe.
    SETTLE_DEBTS = "settle_debts" in Fill, Work::WarpPerChunk, AllowanceArgs: ;
    /// Flags by differences.
    FLAG_DIFFERENCE = "flag_difference" in Regions, Work::BlockPerItem([FLAG_THREADS; 3]), FlagArgs: FlagTile;
    /// Widens flags.
    FLAG_WIDEN = "flag_widen" in Regrid, Work::BlockPerItem(WIDEN_THREADS), WidenArgs: FlagTile CellBox TileMap;
    /// Forces and forbids flags.
    FLAG_REGIONS = "flag_regions" in Regrid, Work::ThreadPerItem, FlagRegionsArgs: FlagTile CellBox TileMap FlagRegion;
    /// Combines the flags of ranks.
    JOIN_FLAGS = "join_flags" in Regions, Work::ThreadPerItem, JoinFlagsArgs: ;
    /// Transposes tiles of tags, so that planes across x are words too.
    TURN_TAGS = "turn_tags" in Regrid, Work::WarpPerItem, TurnArgs: FlagTile CellBox TileMap TurnedTile Candidate ClusterState;
    /// Covers tags with boxes.
    CLUSTER = "cluster" in Regrid, Work::BlockPerItem([CLUSTER_THREADS; 3]), ClusterArgs: FlagTile CellBox TileMap TurnedTile Candidate ClusterState;
    /// The same for candidates whose signatures need more than a block's shared memory.
    CLUSTER_LONG = "cluster_long" in Regrid, Work::BlockPerItem([CLUSTER_THREADS; 3]), ClusterArgs: FlagTile CellBox TileMap TurnedTile Candidate ClusterState;
    /// Marks aligned tiles that hold tags.
    MARK_TILES = "mark_tiles" in Regrid, Work::WarpPerItem, MarkTilesArgs: FlagTile CellBox TileMap;
    /// Joins marked tiles into boxes.
    JOIN_TILES = "join_tiles" in Regrid, Work::ThreadPerItem, JoinTilesArgs: CellBox ClusterState;
    /// Makes boxes nest, and splits them.
    NEST = "nest" in Regrid, Work::BlockPerItem([THREADS; 3]), NestArgs: FlagTile CellBox TileMap ClusterState;
    /// Puts boxes in order.
    SORT_BOXES = "sort_boxes" in Regrid, Work::WarpPerItem, SortArgs: CellBox ClusterState;
    /// Tags what lies beneath finer boxes.
    PROJECT_BOXES = "project_boxes" in Regrid, Work::WarpPerItem, ProjectArgs: FlagTile CellBox TileMap ClusterState;
    /// Takes away tags that cannot nest.
    CLIP_TAGS = "clip_tags" in Regrid, Work::WarpPerItem, NestArgs: FlagTile CellBox TileMap ClusterState;
    /// Counts the items of a level's plans.
    COUNT_PLAN = "count_plan" in Plan, Work::BlockPerItem([PLAN_THREADS; 3]), PlanArgs: PlanColumn CellBox ClusterState Origin PlanLevel PlanTable;
    /// Sums up these counts.
    SUM_PLAN = "sum_plan" in Plan, Work::BlockPerItem([SUM_THREADS; 3]), PlanArgs: PlanColumn CellBox ClusterState Origin PlanLevel PlanTable;
    /// Writes these items, with their chunks.
    WRITE_PLAN = "write_plan" in Plan, Work::BlockPerItem([PLAN_THREADS; 3]), PlanArgs: PlanColumn CellBox ClusterState Origin PlanLevel PlanTable;
    /// Takes from these tables the part of one of several ranks.
    DIVIDE_PLAN = "divide_plan" in Plan, Work::BlockPerItem([DIVIDE_THREADS; 3]), DivideArgs: Whose Form Origin PartReport PlanPart;
    /// Interpolates values at a point.
    SAMPLE = "sample" in Regions, Work::OneBlock, SampleArgs: ;
    /// Gathers the values of listed cells.
    GATHER_CELLS = "gather_cells" in Regions, Work::ThreadPerItem, GatherArgs: CellInPatch;
    /// Sums up rows of cells.
    TOTALS = "totals" in Regions, Work::ThreadPerItem, TotalsArgs: ;
    /// The largest absolute value of each equation.
    LARGEST = "largest" in Regions, Work::BlockPerItem([THREADS; 3]), LargestArgs: ;
    /// Keeps what coarse cells held, with a capacity function or transfer variables.
    CONSERVE = "conserve" in Means, Work::WarpPerChunk, ConserveArgs: ;
    /// The coarse side of the conservation fix.
    REGISTER_COARSE = "register_coarse" in Registers, Work::WarpPerChunk, RegisterArgs: ;
    /// Its fine side.
    REGISTER_FINE = "register_fine" in Registers, Work::WarpPerChunk, RegisterArgs: ;
    /// Applies the solver's source.
    SOURCE = "source" in Source, Work::BlockPerItem([THREADS; 3]), SourceArgs: Lattice SourceCells PatchReport;
    /// Flags by a function.
    FLAG_FUNCTION = "flag_function" in FlagFunction, Work::BlockPerItem([FLAG_THREADS; 3]), FlagFunctionArgs: Lattice FlagTile;
    /// The largest values of a function.
    EXTREMES = "extremes" in Extremes, Work::BlockPerItem([THREADS; 3]), ExtremesArgs: Lattice;
    /// Applies a source that is a function of the case.
    SOURCE_FUNCTION = "source_function" in SourceFunction, Work::BlockPerItem([THREADS; 3]), SourceArgs: Lattice SourceCells PatchReport;
    /// Fills cells by a function.
    EVALUATE = "evaluate" in Evaluate, Work::WarpPerChunk, EvaluateArgs: Lattice;
    /// Fills ghost cells beyond sides of the domain, by functions where there are some.
    BOUNDARY_FUNCTION = "boundary_function" in BoundaryFunction, Work::WarpPerChunk, BoundaryArgs: Lattice Origin;
    /// A stage on a mesh, by cells.
    CELLS_UPDATE = "cells_update" in CellLoop, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The fluctuations at faces.
    CELLS_FACES = "cells_faces" in FaceLoop, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The end of a stage with these.
    CELLS_GATHER = "cells_gather" in FaceLoop, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The range of values.
    CELLS_RANGE = "cells_range" in FaceStates, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The extremes of cells and their neighbours.
    CELLS_EXTREMES = "cells_extremes" in FaceStates, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The states at faces.
    CELLS_STATES = "cells_states" in FaceStates, Work::ThreadPerItem, CellsArgs: MeshTables PatchReport;
    /// The states beyond boundary faces.
    CELLS_BEYOND = "cells_beyond" in CellsBeyond, Work::ThreadPerItem, CellsBeyondArgs: Lattice;
    /// The forces of springs.
    SPRINGS_FORCES = "springs_forces" in Springs, Work::ThreadPerItem, SpringsArgs: SpringsState;
    /// A step of nodes on springs.
    SPRINGS_ADVANCE = "springs_advance" in Springs, Work::ThreadPerItem, SpringsArgs: SpringsState;
    /// The direction of the next step.
    SPRINGS_TURN = "springs_turn" in Springs, Work::ThreadPerItem, SpringsArgs: SpringsState;
    /// The numbers by which these go on.
    SPRINGS_SUM = "springs_sum" in Springs, Work::BlockPerItem([SPRINGS_THREADS; 3]), SpringsArgs: SpringsState;
    /// Where nodes are.
    MOTION_NODES = "motion_nodes" in MotionNodes, Work::ThreadPerItem, MotionArgs: Wrong MeshTables Lattice MotionInstant;
    /// The nodes of leaves.
    MOTION_LEAVES = "motion_leaves" in Motion, Work::ThreadPerItem, MotionArgs: Wrong MeshTables MotionInstant;
    /// Cells of a mesh that moves.
    MOTION_CELLS = "motion_cells" in Motion, Work::ThreadPerItem, MotionArgs: Wrong MeshTables MotionInstant;
    /// Its faces.
    MOTION_FACES = "motion_faces" in Motion, Work::ThreadPerItem, MotionArgs: Wrong MeshTables MotionInstant;
    /// What its cells see across these.
    MOTION_ENTRIES = "motion_entries" in Motion, Work::ThreadPerItem, MotionArgs: Wrong MeshTables MotionInstant;
    /// Gradients of the criterion's field.
    LEAVES_SLOPES = "leaves_slopes" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Flags of leaves.
    LEAVES_FLAG = "leaves_flag" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Flags of leaves by values.
    LEAVES_ABOVE = "leaves_above" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Values of formulas in leaves and beyond sides.
    LEAVES_VALUES = "leaves_values" in LeafValues, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh Lattice;
    /// States with those of fathers.
    LEAVES_MEANS = "leaves_means" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Flags of leaves by differences.
    LEAVES_DIFFER = "leaves_differ" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// The levels that leaves should have.
    LEAVES_WISH = "leaves_wish" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// The levels that they get.
    LEAVES_SETTLE = "leaves_settle" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// New leaves.
    LEAVES_RENEW = "leaves_renew" in Leaves, Work::ThreadOfBlock(LEAVES_THREADS), LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Their nodes, volumes and links.
    LEAVES_LINKS = "leaves_links" in Leaves, Work::ThreadOfBlock(LEAVES_THREADS), LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Their faces.
    LEAVES_FACES = "leaves_faces" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// What they see across these.
    LEAVES_ENTRIES = "leaves_entries" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
    /// Their values.
    LEAVES_TRANSFER = "leaves_transfer" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafTotal MeshTables LeafMesh;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of a kernel has a row, but for the update's.
    #[test]
    fn every_file_has_a_row() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
        let all = std::fs::read_dir(folder).expect("the folder is there").map(|file| file.expect("it is").file_name());
        let kernels = all.filter_map(|name| name.to_str().and_then(|name| name.strip_suffix(".cu").map(String::from)));
        for name in kernels.filter(|name| !name.starts_with("update_")) {
            assert!(ALL.iter().any(|row| row.name == name), "{name} has no row");
        }
    }
}
