//! Integer geometry: cells, boxes of cells, ratios between levels. Knows no coordinates and no data.

mod cell_box;
mod level;
mod ratio;
mod shift;
mod wrap;

pub use cell_box::{CellBox, CellIndex};
pub use level::Level;
pub use ratio::Ratio;
pub use shift::{Repeats, Shift};
pub use wrap::wrap_into_domain;

/// Evaluates an expression in which `$D` is a constant: `$dimension`, which is 1, 2 or 3.
macro_rules! in_dimensions {
    ($dimension:expr, $D:ident => $body:expr) => {
        match $dimension {
            1 => {
                const $D: usize = 1;
                $body
            }
            2 => {
                const $D: usize = 2;
                $body
            }
            _ => {
                const $D: usize = 3;
                $body
            }
        }
    };
}
pub(crate) use in_dimensions;
