//! What a run leaves in its folder: frames, checkpoints, gauges, forces, `run.json`, `steps.jsonl`. Never sees an executor.
//!
//! Writers get values patch by patch from a `PatchSource`, and write them into space reserved in the file (`sparse`), so that no level is ever in
//! memory as a whole. `derived` computes fields by formulas, `compare` takes errors of frames.

mod any;
mod at_points;
pub mod atomic;
pub mod checkpoint;
pub mod checkpoint_patches;
pub mod clawpack;
pub mod covering;
pub mod derived;
mod digests;
pub mod error;
pub mod force;
pub mod format;
pub mod frame;
pub(crate) mod frame_header;
pub mod gauge;
pub mod monitor;
mod monitor_geotiff;
pub mod plot;
pub mod plotfile;
pub mod read;
pub mod run_folder;
pub mod run_json;
mod series;
pub mod slice;
mod sparse;
pub mod steps;
pub mod vtkhdf;

pub use any::AnyFrame;
pub use atomic::check_output_dir;
pub use checkpoint::Checkpoint;
pub use error::{InputError, OutputError};
pub use format::FrameFormat;
pub use plot::Plot;
pub use run_folder::{ExistingFiles, RunFolder};
pub use run_json::RunRecord;
pub use series::SeriesWriter;
