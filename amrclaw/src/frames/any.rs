//! Frames whose number of dimensions is known when they are read.
//!
//! What calls these functions does not compile them again, as a crate that names [`Frame`] does.

use super::derived::{FormulaError, Vocabulary, derive};
use super::frame::Frame;
use super::slice::slice;
use super::{FrameFormat, InputError, OutputError, read};
use crate::index::in_dimensions;
use std::path::{Path, PathBuf};

/// A frame of any number of dimensions.
#[derive(Clone, Debug)]
pub enum AnyFrame {
    /// On a line.
    One(Frame<1>),
    /// In the plane.
    Two(Frame<2>),
    /// In space.
    Three(Frame<3>),
}

/// Evaluates an expression with a name bound to the [`Frame`] of known dimension in an [`AnyFrame`].
#[macro_export]
macro_rules! with_frame {
    ($any:expr, $frame:ident => $body:expr) => {
        match $any {
            $crate::frames::AnyFrame::One($frame) => $body,
            $crate::frames::AnyFrame::Two($frame) => $body,
            $crate::frames::AnyFrame::Three($frame) => $body,
        }
    };
}

macro_rules! any_frame_from {
    ($($dimension:literal $variant:ident)*) => {$(
        impl From<Frame<$dimension>> for AnyFrame {
            fn from(frame: Frame<$dimension>) -> Self {
                AnyFrame::$variant(frame)
            }
        }
    )*};
}
any_frame_from! { 1 One 2 Two 3 Three }

impl AnyFrame {
    /// Reads a frame, as [`read::frame`].
    ///
    /// # Errors
    /// As there.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        in_dimensions!(read::peek_dimension(path)?, D => Ok(read::frame::<D>(path)?.into()))
    }

    /// A frame of the same patches whose fields are these formulas, as [`derive()`].
    ///
    /// # Errors
    /// As there.
    pub fn derive(&self, formulas: &[(String, String)], vocabulary: &Vocabulary) -> Result<Self, FormulaError> {
        with_frame!(self, frame => Ok(derive(frame, formulas, vocabulary)?.into()))
    }

    /// The cells at `position` along an axis, as a frame of the other axes; `None` on a line.
    pub fn slice(&self, axis: usize, position: f64) -> Option<Self> {
        match self {
            AnyFrame::One(_) => None,
            AnyFrame::Two(frame) => Some(AnyFrame::One(slice(frame, axis, position))),
            AnyFrame::Three(frame) => Some(AnyFrame::Two(slice(frame, axis, position))),
        }
    }

    /// Writes the frame into the folder `dir` under number `number`; returns the files.
    ///
    /// # Errors
    /// Those of [`FrameFormat::write`].
    pub fn write(&self, format: FrameFormat, dir: &Path, number: usize) -> Result<Vec<PathBuf>, OutputError> {
        with_frame!(self, frame => format.write(&Frame { number, ..frame.clone() }, dir))
    }
}
