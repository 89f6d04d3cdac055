//! The difference between two solutions.

use crate::compare::coarsest;
use crate::frames::frame::Frame;
use crate::frames::{InputError, read};
use crate::index::in_dimensions;
use std::path::Path;

/// The coarsest level of a solution with fine cells averaged onto it, which is comparable between hierarchies.
#[derive(Clone, Debug, PartialEq)]
pub struct CoarseState {
    /// Time.
    pub time: f64,
    /// `q[equation][cell]`, x fastest.
    pub q: Vec<Vec<f64>>,
}

impl CoarseState {
    /// Assembles the coarsest level of a frame from its patches.
    pub fn of<const D: usize>(frame: &Frame<D>) -> Self {
        CoarseState { time: frame.time, q: coarsest(frame) }
    }

    /// Reads the last frame in the folder of a run.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read(dir: &Path) -> Result<Self, InputError> {
        let (_, path) = read::list_frames(dir)?.pop().ok_or_else(|| InputError::Kind {
            path: dir.to_owned(),
            expected: "the folder of a run with frames",
            reason: "it holds no frame".into(),
        })?;
        in_dimensions!(read::peek_dimension(&path)?, D => Ok(Self::of(&read::frame::<D>(&path)?)))
    }
}

/// Mean absolute difference over the cells, relative to the range of values in `reference`; the largest of all equations.
///
/// The range is used instead of the values' size because a quantity may have any origin. Equations whose range is round-off
/// compared with the widest range are left out: their differences mean nothing.
pub fn difference(state: &CoarseState, reference: &CoarseState) -> f64 {
    let range = |q: &Vec<f64>| {
        let [low, high] = q.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], &v| [l.min(v), h.max(v)]);
        high - low
    };
    let ranges: Vec<f64> = reference.q.iter().map(range).collect();
    let widest = ranges.iter().copied().fold(0.0, f64::max);
    let pairs = state.q.iter().zip(&reference.q).zip(&ranges);
    let apart = pairs.filter(|(_, range)| **range > 1e-10 * widest).map(|((a, b), range)| {
        let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum();
        sum / b.len() as f64 / range
    });
    // NaN must not count as close.
    apart.fold(0.0, |most, d| if d.is_nan() || d > most { d } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::frame::{FrameLevel, FramePatch};
    use crate::index::CellBox;

    /// The cells of two patches are assembled in their places on a level of 3 × 2 cells.
    #[test]
    fn patches_are_put_together() {
        let patch = |lo, hi, q: Vec<f64>| FramePatch { cells: CellBox::new(lo, hi), q, aux: vec![] };
        let patches = vec![patch([1, 0], [3, 2], vec![1.0, 2.0, 4.0, 5.0]), patch([0, 0], [1, 2], vec![0.0, 3.0])];
        let frame = Frame {
            equations: vec!["q".into()],
            levels: vec![FrameLevel { dx: [1.0; 2], patches }],
            ..Frame::empty([[0.0; 2], [3.0, 2.0]], [3, 2])
        };
        assert_eq!(CoarseState::of(&frame).q, [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]);
    }

    /// The difference is independent of units and origins, ignores round-off, and propagates NaN.
    #[test]
    fn differences_are_relative_to_the_range() {
        let state = |q: &[&[f64]]| CoarseState { time: 0.0, q: q.iter().map(|q| q.to_vec()).collect() };
        let reference = state(&[&[100.0, 102.0], &[1e-17, -1e-17]]);
        assert_eq!(difference(&reference, &reference), 0.0);
        assert_eq!(difference(&state(&[&[100.0, 101.0], &[9e-17, 0.0]]), &reference), 0.25);
        let scaled = state(&[&[0.0, 2e-6], &[0.0, 0.0]]);
        assert_eq!(difference(&state(&[&[0.0, 1e-6], &[0.0, 0.0]]), &scaled), 0.25);
        assert!(difference(&state(&[&[f64::NAN, 102.0], &[0.0, 0.0]]), &reference).is_nan());
    }
}
