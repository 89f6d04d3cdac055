//! The kernels' text, specialised by what a run computes.

use super::{
    AverageArgs, BLOCKS_PER_PATCH, BOUNDARY_PERIODIC, BOUNDARY_WALL, Chunk, Chunked, ConserveArgs, FaceMapArgs,
    FaceRun, FillArgs, FlagArgs, FlagTile, LargestArgs, ListArgs, Patch, RefluxArgs, Region, RegisterArgs, SampleArgs,
    SourceArgs, TotalsArgs, WidenArgs,
};
use crate::abi::DeviceStruct;
use crate::compile::Source;
use crate::update::PatchReport;
use riemann::patch::PACK_OVERRUN;

/// What the kernels are specialised by.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Dimensions: 1 or 2.
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
}

/// Kernels that need no solver, in the order of [`Shape::plain`]'s text.
pub const PLAIN: [&str; 10] = [
    LIST_CHUNKS,
    "fill",
    "average_down",
    "face_map",
    "reflux",
    "flag_difference",
    "flag_widen",
    "sample",
    "totals",
    "largest",
];

/// The kernel that writes what other kernels take for tables.
pub const LIST_CHUNKS: &str = "list_chunks";

/// The kernel for capacity functions.
pub const CONSERVE: &str = "conserve";

/// The kernels of the conservation fix's Riemann problems.
pub const REGISTERS: [&str; 2] = ["register_coarse", "register_fine"];

/// The kernel for the solver's source.
pub const SOURCE: &str = "source";

impl Shape {
    fn source(&self, file: &'static str, text: &'static str, mut structs: Vec<String>) -> Source {
        let aux_face: Vec<String> = self.aux_face.iter().map(i32::to_string).collect();
        let defines = vec![
            ("DIM", self.dim.to_string()),
            ("NUM_GHOST", self.num_ghost.to_string()),
            ("PACK_OVERRUN", PACK_OVERRUN.to_string()),
            ("CAPACITY", self.capacity.to_string()),
            ("BOUNDARY_WALL", BOUNDARY_WALL.to_string()),
            ("BOUNDARY_PERIODIC", BOUNDARY_PERIODIC.to_string()),
            ("BLOCKS_PER_PATCH", BLOCKS_PER_PATCH.to_string()),
            ("TILE_ROWS", if self.dim > 1 { "64" } else { "1" }.to_string()),
            ("AUX_FACE_LIST", if aux_face.is_empty() { "-1".into() } else { aux_face.join(", ") }),
        ];
        structs.splice(0..0, [Patch::cuda_text(), Region::cuda_text(), FaceRun::cuda_text(), Chunk::cuda_text()]);
        Source { file, text, structs, defines }
    }

    /// The text with all of [`PLAIN`]. To be compiled without the solver's text, which it does not need.
    pub fn plain(&self) -> Source {
        let text = concat!(
            include_str!("../../kernels/patch.cuh"),
            include_str!("../../kernels/list_chunks.cu"),
            include_str!("../../kernels/fill.cu"),
            include_str!("../../kernels/average_down.cu"),
            include_str!("../../kernels/face_map.cu"),
            include_str!("../../kernels/reflux.cu"),
            include_str!("../../kernels/flag_difference.cu"),
            include_str!("../../kernels/flag_widen.cu"),
            include_str!("../../kernels/sample.cu"),
            include_str!("../../kernels/totals.cu"),
            include_str!("../../kernels/largest.cu"),
        );
        let structs = vec![
            Chunked::cuda_text(),
            ListArgs::cuda_text(),
            FillArgs::cuda_text(),
            AverageArgs::cuda_text(),
            FaceMapArgs::cuda_text(),
            RefluxArgs::cuda_text(),
            FlagTile::cuda_text(),
            FlagArgs::cuda_text(),
            WidenArgs::cuda_text(),
            SampleArgs::cuda_text(),
            TotalsArgs::cuda_text(),
            LargestArgs::cuda_text(),
        ];
        self.with_counts(self.source("regions.cu", text, structs))
    }

    /// The text of [`CONSERVE`]. Likewise.
    pub fn conserve(&self) -> Source {
        let text = concat!(include_str!("../../kernels/patch.cuh"), include_str!("../../kernels/conserve.cu"));
        self.with_counts(self.source("conserve.cu", text, vec![ConserveArgs::cuda_text()]))
    }

    /// The text of [`REGISTERS`], to be compiled with the solver's. `whole_fluxes`: the update keeps the fluxes of its faces, as it
    /// does with [`crate::update::Taps::List`], and not their corrections alone.
    pub fn registers(&self, whole_fluxes: bool) -> Source {
        let text = concat!(
            include_str!("../../kernels/patch.cuh"),
            include_str!("../../kernels/register.cuh"),
            include_str!("../../kernels/register_coarse.cu"),
            include_str!("../../kernels/register_fine.cu"),
        );
        let mut source = self.source("registers.cu", text, vec![RegisterArgs::cuda_text()]);
        source.defines.push(("WHOLE_FLUXES", u8::from(whole_fluxes).to_string()));
        source
    }

    /// The text of [`SOURCE`], to be compiled with the solver's.
    pub fn source_terms(&self) -> Source {
        let text = concat!(include_str!("../../kernels/patch.cuh"), include_str!("../../kernels/source.cu"));
        self.source("source.cu", text, vec![PatchReport::cuda_text(), SourceArgs::cuda_text()])
    }

    /// Where there is no solver the numbers of components come as constants.
    fn with_counts(&self, mut source: Source) -> Source {
        source.defines.push(("M", self.equations.to_string()));
        source.defines.push(("A", self.aux.to_string()));
        source
    }
}
