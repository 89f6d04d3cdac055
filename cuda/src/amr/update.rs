//! The wave-propagation update of a table of patches: `kernels/update_2d.cu`.

use super::Patch;
use super::tuning::{LANES, warps_per_multiprocessor};
use crate::abi::{DeviceStruct, Pointer, Real};
use crate::compile::{Precision, Source, Target};
use crate::{CudaError, Device, Grid, Kernel, Stream};
use riemann::device_source::DeviceSource;
use riemann::limiter::Limiter;
use riemann::patch::{PACK_OVERRUN, Scheme};

crate::device_struct! {
    /// The cells that one warp updates, counted from the patch's first interior cell.
    pub struct Tile {
        /// The patch.
        pub patch: u32,
        /// First cell.
        pub lo: [i32; 3],
        /// Number of cells along each axis.
        pub size: [i32; 3],
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
        /// One per patch.
        pub reports: Pointer<PatchReport>,
        /// States at the start, ghost cells filled: two beyond every tile along the swept axes.
        pub q: Pointer<Real>,
        /// States at the end; another array.
        pub q_next: Pointer<Real>,
        /// Auxiliary values, ghost cells filled.
        pub aux: Pointer<Real>,
        /// Second-order corrections of the faces kept, written: component m of slot s in place m · `kept_stride` + s.
        pub kept: Pointer<Real>,
        /// Numbers between components of these.
        pub kept_stride: u64,
        /// A map of the faces kept: per patch a bit for each face below a cell, `[axis, z, y, x]`, ghost cells included, rows along x
        /// in whole words.
        pub face_words: Pointer<u32>,
        /// The slots of these faces: `[axis, cell]`, the highest bit set where the face is seen from above.
        pub face_slots: Pointer<u32>,
        /// Cells of the level, ghost cells included.
        pub num_cells: u64,
        /// Δt/Δx along each axis.
        pub dt_over_dx: [f64; 3],
        /// Number of tiles.
        pub num_tiles: i32,
        /// Ghost cells on every side of a patch.
        pub num_ghost: i32,
    }
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
    /// Second-order corrections are kept at the faces that a map names.
    pub keeps_faces: bool,
}

impl UpdateOptions {
    /// The options of a scheme for a solver of `num_waves` waves.
    pub fn of_scheme(scheme: &Scheme, num_waves: usize, sweep: [bool; 2], keeps_faces: bool) -> Self {
        UpdateOptions {
            order: scheme.order,
            transverse: scheme.transverse,
            limiters: scheme.limiters[..num_waves].to_vec(),
            capacity: usize::try_from(scheme.capacity).ok(),
            sweep,
            keeps_faces,
        }
    }

    /// The kernel's text.
    pub fn source(&self, solver: &DeviceSource, precision: Precision) -> Source {
        let limiters: Vec<String> = self.limiters.iter().map(|&limiter| (limiter as u8).to_string()).collect();
        let flag = |is: bool| u8::from(is).to_string();
        Source {
            file: "update_2d.cu",
            texts: vec![
                include_str!("../../kernels/limiter.cuh"),
                include_str!("../../kernels/lane.cuh"),
                include_str!("../../kernels/rows.cuh"),
                include_str!("../../kernels/kept.cuh"),
                include_str!("../../kernels/update_2d.cu"),
            ],
            structs: vec![Patch::cuda_text(), Tile::cuda_text(), PatchReport::cuda_text(), UpdateArgs::cuda_text()],
            defines: vec![
                ("ORDER", self.order.to_string()),
                ("TRANSVERSE", self.transverse.to_string()),
                ("LIMITERS", limiters.join(", ")),
                ("CAPACITY", self.capacity.map_or(-1, |c| c as i32).to_string()),
                ("SWEEP_X", flag(self.sweep[0])),
                ("SWEEP_Y", flag(self.sweep[1])),
                ("KEEPS_FACES", flag(self.keeps_faces)),
                ("PACK_OVERRUN", PACK_OVERRUN.to_string()),
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
pub fn update_grid(num_tiles: u32) -> Grid {
    Grid { blocks: [num_tiles, 1, 1], threads: LANES as u32, shared_bytes: 0 }
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
        let warps = kernel.blocks_per_multiprocessor(device, LANES as u32)?;
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
        unsafe { self.kernel.launch(stream, update_grid(args.num_tiles as u32), args) }
    }
}
