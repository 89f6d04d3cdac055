//! All kernels but the update: one row each, with its file, its argument, how a launch is divided and what it is compiled with.
//!
//! To add a kernel: its file in `kernels/`, a struct for its argument, a row here.

// tidy: long because each kernel has its row here

use super::tuning::{
    BLOCK_PLANES, CHUNK_WARPS, CLUSTER_THREADS, DIVIDE_THREADS, FLAG_THREADS, LEAVES_THREADS, NUMBER_THREADS,
    PLAN_THREADS, SUM_THREADS, THREADS, WIDEN_THREADS,
};
use super::{
    AllowanceArgs, AverageArgs, BoundaryArgs, Candidate, CellBox, CellInPatch, CellShape, CellsArgs, CellsBeyondArgs,
    Chunk, Chunked, ClusterArgs, ClusterState, ConserveArgs, ContinueArgs, CopyArgs, CutCells, DivideArgs,
    EvaluateArgs, ExtremesArgs, FaceMapArgs, FaceRun, FillArgs, FillOutsideArgs, FlagArgs, FlagFunctionArgs,
    FlagRegion, FlagRegionsArgs, FlagTile, GatherArgs, JoinFlagsArgs, JoinTilesArgs, LargestArgs, Lattice, LeafMesh,
    LeavesArgs, LevelView, ListArgs, ListTilesArgs, MarkTilesArgs, MotionArgs, MotionInstant, NestArgs,
    NumberFacesArgs, Origin, PLAN_COLUMNS, PartReport, Patch, PatchReport, PlanArgs, PlanLevel, PlanPart, PlanTable,
    ProjectArgs, RefluxArgs, Region, RegionTable, RegisterArgs, RunTable, SPRINGS_THREADS, SampleArgs, SortArgs,
    SourceArgs, SourceCells, SpringsArgs, SpringsState, Tile, TileMap, TotalsArgs, TurnArgs, TurnedTile, WidenArgs,
};
use crate::abi::DeviceStruct;
use crate::compile::{Source, Target, type_name};
use crate::kernel::Grid;
use riemann::frame::FaceSums;
use riemann::patch::PACK_OVERRUN;
use riemann::real::Precision;
use std::marker::PhantomData;

/// What the kernels are specialised by.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Dimensions: 1, 2 or 3.
    pub dim: usize,
    /// Ghost cells on every side of a patch.
    pub num_ghost: i32,
    /// Equations.
    pub equations: usize,
    /// Auxiliary values.
    pub aux: usize,
    /// Component of aux that holds the capacity, or −1.
    pub capacity: i32,
    /// For each auxiliary value the normal of the faces it lives on, or −1.
    pub aux_face: Vec<i32>,
    /// For each auxiliary value a bit for each side, `2 axis + side`, beyond whose walls its sign changes.
    pub aux_signs: Vec<u8>,
    /// Steps apply source terms.
    pub sourced: bool,
    /// The cells are those of a mesh from a file.
    pub cells: Option<CellShape>,
}

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

/// A function of the case that kernels call.
#[derive(Clone, Debug)]
pub struct CaseFunction {
    /// Its definition in CUDA C++: `__device__ void case_function(const Point& at, const Array<double, M>& q, const Array<double, A>&
    /// aux, double* values)`; for boundaries `__device__ void case_boundary(const Point& at, int axis, int side, const Array<double, M>& q,
    /// const Array<double, A>& beside, double* values)`, where `beside` are the auxiliary values of the cell whose lower face lies on the
    /// side. See `kernels/functions.cuh`.
    pub text: String,
    /// The function's text, or the kernel's, calls the solver.
    pub solves: bool,
    /// Number of values that it gives.
    pub num_values: usize,
    /// Which of them must be positive.
    pub positive: Vec<usize>,
}

/// The function that gives auxiliary values the geometry of a mapped mesh in `dim` dimensions, two or three. The definition of the mapping
/// must come before it: see `kernels/mapped_nodes.cuh`.
pub fn mapped_cells(dim: usize) -> String {
    let [plane, space] =
        [include_str!("../../kernels/mapped_plane.cuh"), include_str!("../../kernels/mapped_space.cuh")];
    let faces = if dim == 3 { face_sums() + space } else { plane.to_owned() };
    [OUTSIDE, include_str!("../../kernels/mapped_nodes.cuh"), &faces, include_str!("../../kernels/mapped_cells.cuh")]
        .concat()
}

/// The struct of the arithmetic of faces in space, which the host shares.
fn face_sums() -> String {
    let product = "static __device__ __forceinline__ double separate_product(double a, double b) { return a * b; }";
    format!("struct FaceSums {{\n    typedef double Real;\n    {product}\n{}}};\n", FaceSums::CUDA)
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
    fn knows_no_values(self) -> bool {
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
    text: &'static str,
    /// Definitions of its argument, and of what this points at.
    structs: fn() -> Vec<String>,
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
    FILL = "fill" in Fill, Work::WarpPerChunk, FillArgs: Origin;
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
    COUNT_PLAN = "count_plan" in Plan, Work::BlockPerItem([PLAN_THREADS; 3]), PlanArgs: CellBox ClusterState Origin PlanLevel PlanTable;
    /// Sums up these counts.
    SUM_PLAN = "sum_plan" in Plan, Work::BlockPerItem([SUM_THREADS; 3]), PlanArgs: CellBox ClusterState Origin PlanLevel PlanTable;
    /// Writes these items, with their chunks.
    WRITE_PLAN = "write_plan" in Plan, Work::BlockPerItem([PLAN_THREADS; 3]), PlanArgs: CellBox ClusterState Origin PlanLevel PlanTable;
    /// Takes from these tables the part of one of several ranks.
    DIVIDE_PLAN = "divide_plan" in Plan, Work::BlockPerItem([DIVIDE_THREADS; 3]), DivideArgs: Origin PartReport PlanPart;
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
    CELLS_UPDATE = "cells_update" in CellLoop, Work::ThreadPerItem, CellsArgs: PatchReport;
    /// The fluctuations at faces.
    CELLS_FACES = "cells_faces" in FaceLoop, Work::ThreadPerItem, CellsArgs: PatchReport;
    /// The end of a stage with these.
    CELLS_GATHER = "cells_gather" in FaceLoop, Work::ThreadPerItem, CellsArgs: PatchReport;
    /// The range of values.
    CELLS_RANGE = "cells_range" in FaceStates, Work::ThreadPerItem, CellsArgs: PatchReport;
    /// The extremes of cells and their neighbours.
    CELLS_EXTREMES = "cells_extremes" in FaceStates, Work::ThreadPerItem, CellsArgs: PatchReport;
    /// The states at faces.
    CELLS_STATES = "cells_states" in FaceStates, Work::ThreadPerItem, CellsArgs: PatchReport;
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
    MOTION_NODES = "motion_nodes" in MotionNodes, Work::ThreadPerItem, MotionArgs: Lattice MotionInstant;
    /// The nodes of leaves.
    MOTION_LEAVES = "motion_leaves" in Motion, Work::ThreadPerItem, MotionArgs: MotionInstant;
    /// Cells of a mesh that moves.
    MOTION_CELLS = "motion_cells" in Motion, Work::ThreadPerItem, MotionArgs: MotionInstant;
    /// Its faces.
    MOTION_FACES = "motion_faces" in Motion, Work::ThreadPerItem, MotionArgs: MotionInstant;
    /// What its cells see across these.
    MOTION_ENTRIES = "motion_entries" in Motion, Work::ThreadPerItem, MotionArgs: MotionInstant;
    /// Gradients of the criterion's field.
    LEAVES_SLOPES = "leaves_slopes" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// Flags of leaves.
    LEAVES_FLAG = "leaves_flag" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// Flags of leaves by values.
    LEAVES_ABOVE = "leaves_above" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// Values of formulas in leaves and beyond sides.
    LEAVES_VALUES = "leaves_values" in LeafValues, Work::ThreadPerItem, LeavesArgs: LeafMesh Lattice;
    /// States with those of fathers.
    LEAVES_MEANS = "leaves_means" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// Flags of leaves by differences.
    LEAVES_DIFFER = "leaves_differ" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// The levels that leaves should have.
    LEAVES_WISH = "leaves_wish" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// The levels that they get.
    LEAVES_SETTLE = "leaves_settle" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// New leaves.
    LEAVES_RENEW = "leaves_renew" in Leaves, Work::ThreadOfBlock(LEAVES_THREADS), LeavesArgs: LeafMesh;
    /// Their nodes, volumes and links.
    LEAVES_LINKS = "leaves_links" in Leaves, Work::ThreadOfBlock(LEAVES_THREADS), LeavesArgs: LeafMesh;
    /// Their faces.
    LEAVES_FACES = "leaves_faces" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// What they see across these.
    LEAVES_ENTRIES = "leaves_entries" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
    /// Their values.
    LEAVES_TRANSFER = "leaves_transfer" in Leaves, Work::ThreadPerItem, LeavesArgs: LeafMesh;
}

/// Texts that several groups include.
const BOXES: &str = include_str!("../../kernels/boxes.cuh");
const FORMULAS: &str = include_str!("../../kernels/formulas.cuh");
const OUTSIDE: &str = include_str!("../../kernels/outside.cuh");
const IN_CELLS: &str = include_str!("../../kernels/in_cells.cuh");
const AROUND: &str = include_str!("../../kernels/around.cuh");
const SOURCE_PLACE: &str = include_str!("../../kernels/source_place.cuh");
const GEOMETRY: &str = include_str!("../../kernels/geometry.cuh");
const DIVISION: &str = include_str!("../../kernels/division.cuh");
const LEAVES: &str = include_str!("../../kernels/leaves.cuh");
const CELLS: &str = include_str!("../../kernels/cells.cuh");
const TRANSFER: &str = include_str!("../../kernels/transfer.cuh");
const MAXIMA: &str = include_str!("../../kernels/maxima.cuh");
const FLAG_TILES: &str = include_str!("../../kernels/flag_tiles.cuh");

impl Shape {
    /// The text of a group, and the target to compile it for: with the solver of `target` if the group calls it.
    pub fn text(&self, group: Group, target: &Target) -> (Source, Target) {
        let mut definitions = vec![Patch::cuda_text(), Region::cuda_text(), FaceRun::cuda_text(), Chunk::cuda_text()];
        definitions.extend([RegionTable::cuda_text(), RunTable::cuda_text(), LevelView::cuda_text()]);
        for definition in group.rows().flat_map(|row| (row.structs)()) {
            if !definitions.contains(&definition) {
                definitions.push(definition);
            }
        }
        if definitions.contains(&Lattice::cuda_text()) {
            definitions.push(include_str!("../../kernels/lattice.cuh").to_owned());
        }
        let (file, includes): (_, &[&str]) = match group {
            Group::Regions => ("regions.cu", &[FLAG_TILES, OUTSIDE, MAXIMA]),
            Group::Fill => ("fill.cu", &[TRANSFER, include_str!("../../kernels/settled.cuh")]),
            Group::Regrid => (
                "regrid.cu",
                &[BOXES, include_str!("../../kernels/tags.cuh"), include_str!("../../kernels/signature.cuh")],
            ),
            Group::Plan => (
                "plan.cu",
                &[
                    BOXES,
                    OUTSIDE,
                    include_str!("../../kernels/surroundings.cuh"),
                    include_str!("../../kernels/plan.cuh"),
                ],
            ),
            Group::Means => ("conserve.cu", &[TRANSFER]),
            Group::Registers => (
                "registers.cu",
                &[include_str!("../../kernels/beside.cuh"), include_str!("../../kernels/register.cuh")],
            ),
            Group::Source => ("source.cu", &[OUTSIDE, SOURCE_PLACE]),
            Group::FlagFunction => ("flag_function.cu", &[IN_CELLS, AROUND, FLAG_TILES]),
            Group::Extremes => ("extremes.cu", &[IN_CELLS, AROUND, MAXIMA]),
            Group::SourceFunction => (
                "source_function.cu",
                &[IN_CELLS, OUTSIDE, SOURCE_PLACE, include_str!("../../kernels/source_step.cuh")],
            ),
            Group::Evaluate => ("evaluate.cu", &[IN_CELLS]),
            Group::BoundaryFunction => ("boundary_function.cu", &[IN_CELLS]),
            Group::CellLoop => ("cell_loop.cu", &[CELLS]),
            Group::FaceLoop => ("face_loop.cu", &[CELLS]),
            Group::FaceStates => ("face_states.cu", &[CELLS]),
            Group::CellsBeyond => ("cells_beyond.cu", &[IN_CELLS]),
            Group::Springs => ("springs.cu", &[include_str!("../../kernels/springs.cuh")]),
            Group::Motion => ("motion.cu", &[GEOMETRY, DIVISION, include_str!("../../kernels/motion.cuh")]),
            Group::MotionNodes => ("motion_nodes.cu", &[]),
            Group::Leaves => ("leaves.cu", &[GEOMETRY, DIVISION, LEAVES]),
            Group::LeafValues => ("leaves_values.cu", &[IN_CELLS, GEOMETRY, DIVISION, LEAVES]),
        };
        let has_faces = matches!(group, Group::Leaves | Group::LeafValues | Group::Motion);
        definitions.extend((has_faces && self.dim == 3).then(face_sums));
        if let Some(cells) = &self.cells
            && group.is_of_cells()
        {
            definitions.extend(cells.definitions(self.dim));
            definitions.extend(
                cells
                    .variables
                    .iter()
                    .filter(|_| group == Group::FaceStates)
                    .flat_map(|text| [FORMULAS.to_owned(), text.clone()]),
            );
        }
        let mut texts = vec![include_str!("../../kernels/patch.cuh"), include_str!("../../kernels/faces.cuh")];
        texts.extend(includes);
        texts.extend(group.rows().map(|row| row.text));
        let mut defines = self.defines();
        if let Some(CellShape { order, limiter, is_local, from_before, predicts, variables, moves, .. }) =
            self.cells.as_ref().filter(|_| group.is_of_cells())
        {
            defines.extend([("ORDER", order.to_string()), ("LIMITER", limiter.to_string())]);
            let of = |is: bool| u8::from(is).to_string();
            defines.extend([
                ("IS_LOCAL", of(*is_local)),
                ("FROM_BEFORE", of(*from_before)),
                ("PREDICTS", of(*predicts)),
                ("HAS_VARIABLES", of(variables.is_some() && group == Group::FaceStates)),
                ("MOVES", of(*moves)),
            ]);
        }
        let solver = target.solver.clone().filter(|_| group.solves());
        if group.knows_no_values() {
            defines.retain(|(name, _)| !["CAPACITY", "AUX_FACE_LIST", "AUX_SIGNS_LIST", "SOURCES"].contains(name));
            if group == Group::Motion {
                defines.push(("VALUE", type_name(target.precision).to_owned()));
            }
            let target = Target { precision: Precision::F64, fused: false, solver };
            return (Source { file, texts, definitions, defines }, target);
        }
        if group == Group::Leaves {
            return (Source { file, texts, definitions, defines }, Target { solver, fused: false, ..target.clone() });
        }
        if solver.is_none() {
            // The numbers of components, which a solver's text would say.
            defines.extend([("M", self.equations.to_string()), ("A", self.aux.to_string())]);
        }
        (Source { file, texts, definitions, defines }, Target { solver, ..target.clone() })
    }

    /// The text of a group whose kernels call a function of the case. The function is computed in double precision whatever the arrays
    /// hold. Initial and auxiliary values, which are kept, are computed without fused operations: the host computes some of them again
    /// when a run is continued. So are extremes, so that parameters and the end of a run do not depend on the device.
    pub fn text_of_case(&self, group: Group, function: &CaseFunction, target: &Target) -> (Source, Target) {
        let solver = target.solver.clone().filter(|_| function.solves);
        let has_solver = solver.is_some();
        let fused = target.fused
            && !matches!(group, Group::Evaluate | Group::Extremes | Group::LeafValues | Group::MotionNodes);
        let double = Target { precision: Precision::F64, solver: None, fused };
        let (mut source, double) = self.text(group, &double);
        if has_solver {
            source.defines.retain(|(name, _)| !["M", "A"].contains(name));
        }
        source.defines.extend([
            ("VALUE", type_name(target.precision).to_owned()),
            ("NUM_VALUES", function.num_values.to_string()),
            ("POSITIVE_VALUES", format!("{:#x}ull", function.positive.iter().fold(0_u64, |bits, n| bits | 1 << n))),
            ("ON_MESH", u32::from(self.cells.is_some()).to_string()),
        ]);
        source.definitions.extend([include_str!("../../kernels/functions.cuh"), FORMULAS].map(str::to_owned));
        source.definitions.push(function.text.clone());
        (source, Target { solver, ..double })
    }

    fn defines(&self) -> Vec<(&'static str, String)> {
        let list = |numbers: Vec<String>| if numbers.is_empty() { "-1".to_owned() } else { numbers.join(", ") };
        vec![
            ("DIM", self.dim.to_string()),
            ("NUM_GHOST", self.num_ghost.to_string()),
            ("PACK_OVERRUN", PACK_OVERRUN.to_string()),
            ("CAPACITY", self.capacity.to_string()),
            ("BLOCK_PLANES", BLOCK_PLANES.to_string()),
            ("CHUNK_WARPS", CHUNK_WARPS.to_string()),
            ("SOURCES", u32::from(self.sourced).to_string()),
            ("CLUSTER_THREADS", CLUSTER_THREADS.to_string()),
            ("DIVIDE_THREADS", DIVIDE_THREADS.to_string()),
            ("FLAG_THREADS", FLAG_THREADS.to_string()),
            ("LEAVES_THREADS", LEAVES_THREADS.to_string()),
            ("LARGEST_THREADS", THREADS.to_string()),
            ("PLAN_COLUMNS", PLAN_COLUMNS.to_string()),
            ("PLAN_THREADS", PLAN_THREADS.to_string()),
            ("SUM_THREADS", SUM_THREADS.to_string()),
            ("TILE_ROWS", if self.dim > 1 { "64" } else { "1" }.to_string()),
            ("TILE_EXTENT", if self.dim > 2 { "8" } else { "64" }.to_string()),
            ("AUX_FACE_LIST", list(self.aux_face.iter().map(i32::to_string).collect())),
            ("AUX_SIGNS_LIST", list(self.aux_signs.iter().map(u8::to_string).collect())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that know boxes alone are the same for all solvers, in either precision; those that move values are not.
    #[test]
    fn texts_of_boxes_are_compiled_once_for_all() {
        let few = Shape {
            dim: 2,
            num_ghost: 2,
            equations: 1,
            aux: 0,
            capacity: -1,
            aux_face: vec![],
            aux_signs: vec![],
            sourced: false,
            cells: None,
        };
        let many =
            Shape { equations: 4, aux: 2, capacity: 1, aux_face: vec![-1, -1], aux_signs: vec![0, 0], ..few.clone() };
        let text = |shape: &Shape, group, precision, fused| {
            let (source, target) = shape.text(group, &Target { precision, fused, solver: None });
            source.assemble(&target)
        };
        let are_equal = |group| text(&few, group, Precision::F64, true) == text(&many, group, Precision::F32, false);
        assert!(are_equal(Group::Regrid) && are_equal(Group::Plan) && !are_equal(Group::Regions));
    }

    /// Initial and auxiliary values have the host's bits in runs with fused operations too; functions that act in a step may use them.
    #[test]
    fn kept_values_are_computed_without_fused_operations() {
        let shape = Shape {
            dim: 2,
            num_ghost: 2,
            equations: 1,
            aux: 1,
            capacity: -1,
            aux_face: vec![-1],
            aux_signs: vec![0],
            sourced: false,
            cells: None,
        };
        let function = CaseFunction { text: String::new(), solves: false, num_values: 1, positive: Vec::new() };
        let target = Target { precision: Precision::F64, fused: true, solver: None };
        let fused = |group| shape.text_of_case(group, &function, &target).1.fused;
        assert!(!fused(Group::Evaluate) && fused(Group::SourceFunction));
    }

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
