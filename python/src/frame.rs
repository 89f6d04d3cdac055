//! Snapshots, read from files or taken from a simulation.

use crate::arrays::{PatchView, packed_strides};
use crate::errors;
use amrclaw::io::{self, FrameFormat, frame};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A frame of any dimension.
pub enum AnyFrame {
    One(frame::Frame<1>),
    Two(frame::Frame<2>),
    Three(frame::Frame<3>),
}

/// Evaluates `$body` with `$frame` bound to the frame of known dimension.
macro_rules! with_frame {
    ($any:expr, $frame:ident => $body:expr) => {
        match $any {
            AnyFrame::One($frame) => $body,
            AnyFrame::Two($frame) => $body,
            AnyFrame::Three($frame) => $body,
        }
    };
}

/// The solution at one time. Values never change.
#[pyclass(frozen, module = "amrclaw._amrclaw")]
pub struct Frame {
    frame: AnyFrame,
}

impl Frame {
    pub fn new(frame: AnyFrame) -> Self {
        Frame { frame }
    }
}

/// A box of cells as Python gets it: first cell, cell past the last.
pub type BoxTuple = (Vec<i32>, Vec<i32>);

/// A patch as Python gets it: first cell, cell past the last, q, aux.
pub type PatchTuple<'py> = (Vec<i32>, Vec<i32>, Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pymethods]
impl Frame {
    #[getter]
    fn number(&self) -> usize {
        with_frame!(&self.frame, f => f.number)
    }

    #[getter]
    fn time(&self) -> f64 {
        with_frame!(&self.frame, f => f.time)
    }

    #[getter]
    fn steps(&self) -> Vec<u64> {
        with_frame!(&self.frame, f => f.steps.clone())
    }

    #[getter]
    fn equations(&self) -> Vec<String> {
        with_frame!(&self.frame, f => f.equations.clone())
    }

    #[getter]
    fn aux(&self) -> Vec<String> {
        with_frame!(&self.frame, f => f.aux.clone())
    }

    #[getter]
    fn lower(&self) -> Vec<f64> {
        with_frame!(&self.frame, f => f.lower.to_vec())
    }

    #[getter]
    fn upper(&self) -> Vec<f64> {
        with_frame!(&self.frame, f => f.upper.to_vec())
    }

    #[getter]
    fn cells(&self) -> Vec<i32> {
        with_frame!(&self.frame, f => f.cells.to_vec())
    }

    /// Refinement per axis from each level to the next.
    #[getter]
    fn ratios(&self) -> Vec<Vec<i32>> {
        with_frame!(&self.frame, f => f.ratios.iter().map(|r| r.0.to_vec()).collect())
    }

    #[getter]
    fn num_levels(&self) -> usize {
        with_frame!(&self.frame, f => f.levels.len())
    }

    /// Patches of a level, counted from 1.
    fn patches<'py>(slf: &Bound<'py, Self>, level: usize) -> PyResult<Vec<PatchTuple<'py>>> {
        with_frame!(&slf.get().frame, f => patches(f, level, slf.as_any()))
    }

    /// First cell and cell past the last of each patch of a level, counted from 1.
    fn boxes(&self, level: usize) -> PyResult<Vec<BoxTuple>> {
        with_frame!(&self.frame, f => {
            let index = errors::level_index(level, f.levels.len())?;
            Ok(f.levels[index].patches.iter().map(|p| (p.cells.lo.to_vec(), p.cells.hi.to_vec())).collect())
        })
    }

    /// Writes the frame into the folder `dir` under number `number`; returns the files.
    fn write(&self, py: Python<'_>, dir: PathBuf, format: &str, number: usize) -> PyResult<Vec<PathBuf>> {
        let format: FrameFormat = format.parse().map_err(|e| errors::refused(format!("format: {e}")))?;
        py.detach(|| {
            std::fs::create_dir_all(&dir).map_err(|e| errors::broken(format!("{}: {e}", dir.display())))?;
            with_frame!(&self.frame, f => {
                let numbered = frame::Frame { number, ..f.clone() };
                format.supports(&f.ratios.iter().map(|r| r.0).collect::<Vec<_>>()).map_err(errors::refused)?;
                format.write(&numbered, &dir).map_err(errors::broken)
            })
        })
    }
}

fn patches<'py, const D: usize>(
    frame: &frame::Frame<D>,
    level: usize,
    owner: &Bound<'py, PyAny>,
) -> PyResult<Vec<PatchTuple<'py>>> {
    let index = errors::level_index(level, frame.levels.len())?;
    let tuple = |patch: &frame::FramePatch<D>| {
        let size = patch.cells.size().map(|n| n as usize);
        let view = PatchView {
            lo: patch.cells.lo.to_vec(),
            hi: patch.cells.hi.to_vec(),
            offset: [0, 0],
            strides: packed_strides(&size),
        };
        let num_aux = patch.aux.len() / patch.cells.volume().max(1);
        // SAFETY: the frame, which `owner` holds, never changes.
        let (q, aux) = unsafe {
            (
                view.array(&patch.q, 0, frame.equations.len(), owner.clone())?,
                view.array(&patch.aux, 0, num_aux, owner.clone())?,
            )
        };
        Ok((view.lo, view.hi, q, aux))
    };
    frame.levels[index].patches.iter().map(tuple).collect()
}

/// Numbers and paths of the frames in a folder.
#[pyfunction]
pub fn list_frames(dir: PathBuf) -> PyResult<Vec<(usize, PathBuf)>> {
    io::read::list_frames(&dir).map_err(errors::from_file)
}

/// Reads a frame from its file.
#[pyfunction]
pub fn read_frame(py: Python<'_>, path: PathBuf) -> PyResult<Frame> {
    let read = || {
        Ok(match io::read::peek_dimension(&path)? {
            1 => AnyFrame::One(io::read::frame::<1>(&path)?),
            2 => AnyFrame::Two(io::read::frame::<2>(&path)?),
            _ => AnyFrame::Three(io::read::frame::<3>(&path)?),
        })
    };
    py.detach(read).map(Frame::new).map_err(errors::from_file)
}
