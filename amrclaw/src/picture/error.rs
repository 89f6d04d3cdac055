//! Why a picture could not be made.

use crate::frames::derived::FormulaError;
use crate::frames::error::{InputError, OutputError};
use crate::frames::vtkhdf;
use std::path::PathBuf;

/// A picture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The frame has no such field.
    #[error("there is no field \"{name}\": the fields are {}", known.join(", "))]
    UnknownField {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A field's formula is wrong.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The frame has no values to draw.
    #[error("frame {0} holds no values")]
    Empty(usize),
    /// No value is positive, so that there is no logarithm to draw.
    #[error("there is no positive value to draw logarithmically; leave --log out, or draw \"abs(...)\"")]
    NothingPositive,
    /// The limits of the values are not valid.
    #[error("values from {0} to {1} {2}")]
    Range(f64, f64, &'static str),
    /// The part to show is outside the domain.
    #[error("the part to show is outside the domain along {axis}, from {} to {}", domain.0, domain.1)]
    Zoom {
        /// The axis.
        axis: String,
        /// Its two ends.
        domain: (f64, f64),
    },
    /// A cut that a frame does not allow.
    #[error("{0}")]
    Cut(String),
    /// Outlines were asked for of a level that does not exist.
    #[error("there is no level {level} to outline: levels are 1 to {finest}")]
    Level {
        /// The level asked for, from 1.
        level: usize,
        /// The finest there is, from 1.
        finest: usize,
    },
    /// The frame's file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The picture cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A picture's file with another ending.
    #[error("{}: pictures end in .png or .svg", .0.display())]
    Ending(PathBuf),
    /// A picture would replace what is no picture of this program.
    #[error(
        "{} already exists, and is no picture that this program wrote: move it away, or choose another name with --output",
        .0.display()
    )]
    Foreign(PathBuf),
    /// The program that makes films is not there, or failed.
    #[error("{0}")]
    Film(String),
    /// There is no such frame.
    #[error("{} holds no {}{}", dir.display(), number.map_or("frame_*.vtkhdf".into(), vtkhdf::file_name), there(known))]
    NoFrame {
        /// The folder.
        dir: PathBuf,
        /// The frame asked for; `None` for the last.
        number: Option<usize>,
        /// The frames there are.
        known: Vec<usize>,
    },
}

/// The existing frames, for messages.
fn there(known: &[usize]) -> String {
    match known {
        [] => String::new(),
        [one] => format!("; there is frame {one}"),
        [first, .., last] if last - first + 1 == known.len() => format!("; there are frames {first} to {last}"),
        [first, .., last] => format!("; there are {} frames from {first} to {last}", known.len()),
    }
}
