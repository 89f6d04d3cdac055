//! Frames whose number of dimensions is known when they are read.
//!
//! What calls these functions does not compile them again, as a crate that names [`Frame`] does.

use super::derived::{FormulaError, Vocabulary, derive};
use super::frame::Frame;
use super::slice::slice;
use super::{FrameFormat, InputError, OutputError, read};
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

impl From<Frame<1>> for AnyFrame {
    fn from(frame: Frame<1>) -> Self {
        AnyFrame::One(frame)
    }
}

impl From<Frame<2>> for AnyFrame {
    fn from(frame: Frame<2>) -> Self {
        AnyFrame::Two(frame)
    }
}

impl From<Frame<3>> for AnyFrame {
    fn from(frame: Frame<3>) -> Self {
        AnyFrame::Three(frame)
    }
}

impl AnyFrame {
    /// Reads a frame, as [`read::frame`].
    ///
    /// # Errors
    /// As there.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        Ok(match read::peek_dimension(path)? {
            1 => AnyFrame::One(read::frame(path)?),
            2 => AnyFrame::Two(read::frame(path)?),
            _ => AnyFrame::Three(read::frame(path)?),
        })
    }

    /// A frame of the same patches whose fields are these formulas, as [`derive()`].
    ///
    /// # Errors
    /// As there.
    pub fn derive(&self, formulas: &[(String, String)], vocabulary: &Vocabulary) -> Result<Self, FormulaError> {
        Ok(match self {
            AnyFrame::One(frame) => AnyFrame::One(derive(frame, formulas, vocabulary)?),
            AnyFrame::Two(frame) => AnyFrame::Two(derive(frame, formulas, vocabulary)?),
            AnyFrame::Three(frame) => AnyFrame::Three(derive(frame, formulas, vocabulary)?),
        })
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
        match self {
            AnyFrame::One(frame) => format.write(&Frame { number, ..frame.clone() }, dir),
            AnyFrame::Two(frame) => format.write(&Frame { number, ..frame.clone() }, dir),
            AnyFrame::Three(frame) => format.write(&Frame { number, ..frame.clone() }, dir),
        }
    }
}
