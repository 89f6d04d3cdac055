//! The wave-propagation update of a table of patches: `kernels/update_2d.cu` in planes and of one axis at a time,
//! `kernels/update_3d.cu` of three axes at once.

use super::tiles::in_space;
use super::tuning::warps_per_multiprocessor;
use super::{Patch, TileShape};
use crate::abi::{DeviceStruct, Pointer, Real};
use crate::compile::Source;
use riemann::device_source::DeviceSource;
use riemann::limiter::Limiter;
use riemann::patch::{PACK_OVERRUN, Scheme};
use riemann::real::Precision;

crate::device_struct! {
    /// The cells that one block updates, counted from the patch's first interior cell.
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
        /// 1 if a new value is NaN or infinite, or a quantity that must be positive is not.
        pub not_finite: u32,
        /// 1 if the rates of a source term change their sign within its step.
        pub reverses: u32,
    }
}

crate::device_struct! {
    /// The argument of both update kernels.
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
        /// Of each word the place of its first face; the others of the word follow.
        pub face_bases: Pointer<u32>,
        /// The slots of these faces by place, the highest bit set where the face is seen from above.
        pub face_slots: Pointer<u32>,
        /// Δt/Δx along each axis.
        pub dt_over_dx: [f64; 3],
        /// The speed up to which no cell is slowed down; 0: none is.
        pub free: f64,
        /// Number of tiles.
        pub num_tiles: i32,
        /// Ghost cells on every side of a patch.
        pub num_ghost: i32,
        /// 0, or leave out corrections that would make states inadmissible: as in `Scheme`.
        pub sharing_faces: u32,
    }
}

/// What an update computes: each choice is compiled in, and what is left out costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateOptions {
    /// 1: Godunov. 2: with limited second-order corrections.
    pub order: u8,
    /// 0: no transverse waves. 1: of the fluctuations. 2: of the corrections too.
    pub transverse: u8,
    /// Where three axes are swept: transverse waves are split once more, along the third axis.
    pub double_transverse: bool,
    /// Limiter of each wave.
    pub limiters: Vec<Limiter>,
    /// Component of aux that holds the capacity κ.
    pub capacity: Option<usize>,
    /// Axes swept: x, x and y, or all three for the unsplit update; one for a sweep of a split scheme.
    pub sweep: [bool; 3],
    /// Second-order corrections are kept at the faces that a map names.
    pub keeps_faces: bool,
}

impl UpdateOptions {
    /// The options of a scheme for a solver of `num_waves` waves.
    pub fn of_scheme(scheme: &Scheme, num_waves: usize, sweep: [bool; 3], keeps_faces: bool) -> Self {
        UpdateOptions {
            order: scheme.order,
            transverse: scheme.transverse,
            double_transverse: scheme.double_transverse,
            limiters: scheme.limiters[..num_waves].to_vec(),
            capacity: usize::try_from(scheme.capacity).ok(),
            sweep,
            keeps_faces,
        }
    }

    /// The kernel's entry point.
    pub fn entry(&self) -> &'static str {
        if in_space(self.sweep) { "update_3d" } else { "update_2d" }
    }

    /// The shape of the kernel's tiles.
    pub fn tile_shape(&self, solver: &DeviceSource, precision: Precision) -> TileShape {
        TileShape::new(self.sweep, solver.equations, precision)
    }

    /// The kernel's text.
    pub fn source(&self, solver: &DeviceSource, precision: Precision) -> Source {
        let limiters: Vec<String> = self.limiters.iter().map(|&limiter| (limiter as u8).to_string()).collect();
        let mut defines = vec![
            ("ORDER", self.order.to_string()),
            ("TRANSVERSE", self.transverse.to_string()),
            ("LIMITERS", limiters.join(", ")),
            ("CAPACITY", self.capacity.map_or(-1, |c| c as i32).to_string()),
            ("KEEPS_FACES", flag(self.keeps_faces)),
            ("PACK_OVERRUN", PACK_OVERRUN.to_string()),
        ];
        let mut texts = vec![
            include_str!("../../kernels/limiter.cuh"),
            include_str!("../../kernels/found.cuh"),
            include_str!("../../kernels/settled.cuh"),
            include_str!("../../kernels/admissible.cuh"),
            include_str!("../../kernels/beside.cuh"),
        ];
        let shape = self.tile_shape(solver, precision);
        let file = if in_space(self.sweep) {
            texts.extend([include_str!("../../kernels/column.cuh"), include_str!("../../kernels/update_3d.cu")]);
            defines.extend([
                ("DOUBLE_TRANSVERSE", flag(self.double_transverse)),
                ("THREADS", shape.threads().to_string()),
                ("BLOCKS", shape.blocks().to_string()),
            ]);
            "update_3d.cu"
        } else {
            texts.extend([
                include_str!("../../kernels/lane.cuh"),
                include_str!("../../kernels/rows.cuh"),
                include_str!("../../kernels/kept.cuh"),
                include_str!("../../kernels/update_2d.cu"),
            ]);
            defines.extend([
                ("ALONG", shape.along().to_string()),
                ("SWEEP_X", flag(self.sweep[0])),
                ("SWEEP_ROWS", flag(self.sweep[1] || self.sweep[2])),
                ("WARPS", warps_per_multiprocessor(solver, precision).to_string()),
            ]);
            "update_2d.cu"
        };
        let definitions =
            vec![Patch::cuda_text(), Tile::cuda_text(), PatchReport::cuda_text(), UpdateArgs::cuda_text()];
        Source { file, texts, definitions, defines }
    }
}

fn flag(is: bool) -> String {
    u8::from(is).to_string()
}
