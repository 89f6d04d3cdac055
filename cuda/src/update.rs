//! The wave-propagation update of a table of patches: `kernels/update_2d.cu`.

mod heights;
mod tiles;

pub use heights::{TileHeights, rows_per_tile};
pub use tiles::TileTable;

use crate::abi::{DeviceStruct, Pointer, Real};
use crate::compile::{Precision, Source, Target};
use crate::device::Device;
use crate::error::CudaError;
use crate::kernel::{Grid, Kernel};
use crate::stream::Stream;
use riemann::device_source::DeviceSource;
use riemann::limiter::Limiter;
use riemann::patch::Scheme;

/// Lanes of a warp.
pub const LANES: i32 = 32;

crate::device_struct! {
    /// Where a patch lies in the arrays of its level.
    pub struct Patch {
        /// Number of its first interior cell, component 0, in arrays of states.
        pub q: u64,
        /// The same in arrays of auxiliary values.
        pub aux: u64,
        /// The same in arrays of one number a cell.
        pub cell: u64,
        /// Numbers from a row to the next.
        pub row: i32,
        /// Numbers from a component to the next.
        pub component: i32,
        /// Interior cells along x.
        pub columns: i32,
        /// Interior cells along y.
        pub rows: i32,
        /// First word of the patch's part of a map of faces.
        pub first_word: u32,
        /// Nothing.
        pub padding: u32,
    }
}

crate::device_struct! {
    /// The cells that one warp updates, counted from the patch's first interior cell.
    pub struct Tile {
        /// The patch.
        pub patch: u32,
        /// First column.
        pub column: i32,
        /// Number of columns.
        pub columns: i32,
        /// First row.
        pub row: i32,
        /// Number of rows.
        pub rows: i32,
        /// Its taps' place in the table of taps.
        pub first_tap: u32,
        /// Number of its taps.
        pub num_taps: u32,
    }
}

crate::device_struct! {
    /// A face whose flux is kept: [`riemann::patch::Tap`] as its tile sees it.
    pub struct Tap {
        /// Lane in bits 0–4; 32 for a face normal to y; 64 if seen from its upper side; from bit 8 on the row that
        /// completes it, counted from the tile's first.
        pub position: u32,
        /// Where the flux goes.
        pub slot: u32,
    }
}

crate::device_struct! {
    /// What the update found in a patch. All zero before the launch.
    pub struct PatchReport {
        /// Bits of the largest Courant number, an `f64`.
        pub courant: u64,
        /// 1 if a new value is NaN or infinite.
        pub not_finite: u32,
        /// Nothing.
        pub padding: u32,
    }
}

crate::device_struct! {
    /// The kernel's argument.
    pub struct UpdateArgs {
        /// Patches of the level.
        pub patches: Pointer<Patch>,
        /// Tiles of all patches.
        pub tiles: Pointer<Tile>,
        /// Taps, sorted by tile and row.
        pub taps: Pointer<Tap>,
        /// One per patch.
        pub reports: Pointer<PatchReport>,
        /// States at the start, ghost cells filled: two beyond every tile along the swept axes.
        pub q: Pointer<Real>,
        /// States at the end; another array.
        pub q_next: Pointer<Real>,
        /// Auxiliary values, ghost cells filled.
        pub aux: Pointer<Real>,
        /// Fluxes of the taps, of a map the second-order corrections alone: component m to `m · tap_stride + slot`.
        pub tap_values: Pointer<Real>,
        /// Numbers between components of the fluxes.
        pub tap_stride: u64,
        /// In place of a table of taps, a map of the faces kept: per patch a bit for each face below a cell,
        /// `[axis, row, column]`, ghost cells included, rows in whole words.
        pub map_words: Pointer<u32>,
        /// Where the fluxes of these faces go: `[axis, cell]`, the highest bit set where the face is seen from above.
        pub map_slots: Pointer<u32>,
        /// Cells of the level, ghost cells included.
        pub map_cells: u64,
        /// Δt/Δx.
        pub dt_over_dx: f64,
        /// Δt/Δy.
        pub dt_over_dy: f64,
        /// Number of tiles.
        pub num_tiles: i32,
        /// Ghost cells on every side of a patch.
        pub num_ghost: i32,
    }
}

/// How the faces are told whose fluxes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taps {
    /// There are none.
    None,
    /// By a table of taps, sorted by tile and row.
    List,
    /// By a map with a bit for each face; what is kept is the second-order correction alone.
    Map,
}

/// What an update computes: each choice is compiled in, and what is left out costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateOptions {
    /// 1: Godunov. 2: with limited second-order corrections.
    pub order: u8,
    /// 0: no transverse waves. 1: of the fluctuations. 2: of the corrections too.
    pub transverse: u8,
    /// Limiter of each wave.
    pub limiters: Vec<Limiter>,
    /// Component of aux that holds the capacity κ.
    pub capacity: Option<usize>,
    /// Axes swept, x and y: both for the unsplit update.
    pub sweep: [bool; 2],
    /// Whether fluxes are kept at some faces.
    pub taps: Taps,
}

impl UpdateOptions {
    /// The options of a scheme for a solver of `num_waves` waves.
    pub fn of_scheme(scheme: &Scheme, num_waves: usize, sweep: [bool; 2], taps: Taps) -> Self {
        UpdateOptions {
            order: scheme.order,
            transverse: scheme.transverse,
            limiters: scheme.limiters[..num_waves].to_vec(),
            capacity: usize::try_from(scheme.capacity).ok(),
            sweep,
            taps,
        }
    }

    /// The kernel's text.
    pub fn source(&self, solver: &DeviceSource, precision: Precision) -> Source {
        let limiters: Vec<String> = self.limiters.iter().map(|&limiter| (limiter as u8).to_string()).collect();
        let flag = |is: bool| u8::from(is).to_string();
        Source {
            file: "update_2d.cu",
            text: concat!(
                include_str!("../kernels/limiter.cuh"),
                include_str!("../kernels/lane.cuh"),
                include_str!("../kernels/rows.cuh"),
                include_str!("../kernels/taps.cuh"),
                include_str!("../kernels/update_2d.cu"),
            ),
            structs: vec![
                Patch::cuda_text(),
                Tile::cuda_text(),
                Tap::cuda_text(),
                PatchReport::cuda_text(),
                UpdateArgs::cuda_text(),
            ],
            defines: vec![
                ("ORDER", self.order.to_string()),
                ("TRANSVERSE", self.transverse.to_string()),
                ("LIMITERS", limiters.join(", ")),
                ("CAPACITY", self.capacity.map_or(-1, |c| c as i32).to_string()),
                ("SWEEP_X", flag(self.sweep[0])),
                ("SWEEP_Y", flag(self.sweep[1])),
                ("TAPS", (self.taps as u8).to_string()),
                ("WARPS", warps_per_multiprocessor(solver, precision).to_string()),
            ],
        }
    }

    /// Columns of a tile at most: a warp's lanes, less those that it computes for their neighbours alone.
    pub fn tile_columns(&self) -> i32 {
        if self.sweep[0] { LANES - 4 } else { LANES }
    }
}

/// The launch of an update: a block is one warp, which works on one tile.
pub fn grid(num_tiles: u32) -> Grid {
    Grid { blocks: [num_tiles, 1, 1], threads: LANES as u32, shared_bytes: 0 }
}

/// Warps that should fit a multiprocessor at once: more hide more latency, until registers spill.
fn warps_per_multiprocessor(solver: &DeviceSource, precision: Precision) -> u32 {
    // Numbers that a lane keeps from row to row, about.
    let kept = solver.equations * (12 + 2 * solver.waves) + 4 * solver.aux;
    match precision {
        Precision::Double if kept <= 48 => 16,
        Precision::Double => 8,
        Precision::Single if kept <= 48 => 28,
        Precision::Single if kept <= 80 => 16,
        Precision::Single => 12,
    }
}

/// The compiled update.
#[derive(Clone, Debug)]
pub struct UpdateKernel {
    kernel: Kernel,
    resident_warps: u32,
}

impl UpdateKernel {
    /// Compiles the update for a device.
    ///
    /// # Errors
    /// If it cannot be compiled or loaded.
    ///
    /// # Panics
    /// If the target has no solver.
    pub fn new(device: &Device, options: &UpdateOptions, target: &Target) -> Result<Self, CudaError> {
        let solver = target.solver.as_ref().expect("the update needs a solver");
        let module = device.compile(&options.source(solver, target.precision), target)?;
        let kernel = module.kernel("update_2d")?;
        let warps = kernel.blocks_per_multiprocessor(LANES as u32)?;
        Ok(UpdateKernel { kernel, resident_warps: warps * device.info().multiprocessors })
    }

    /// Warps that the device runs at once.
    pub fn resident_warps(&self) -> u32 {
        self.resident_warps
    }

    /// The kernel, to ask for its resources.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Queues the update of all tiles.
    ///
    /// # Safety
    /// The tables and arrays hold what [`UpdateArgs`] says, and nobody else touches what is written until it is done.
    pub unsafe fn launch(&self, stream: &Stream, args: &UpdateArgs) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel.launch(stream, grid(args.num_tiles as u32), args) }
    }
}
