//! Integer geometry: cells, boxes of cells, ratios between levels. Knows no coordinates and no data.

mod cell_box;
mod level;
mod ratio;
mod wrap;

pub use cell_box::{CellBox, CellIndex};
pub use level::Level;
pub use ratio::Ratio;
pub use wrap::wrap_into_domain;
