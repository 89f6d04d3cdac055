//! The fields of frames.

use crate::case::Case;
use crate::frames::Plot;
use crate::frames::derived::{Vocabulary, append, derive};
use crate::frames::frame::Frame;

/// The fields in the frames of a case besides the equations' quantities.
pub(super) struct FrameContent {
    /// Auxiliary values.
    pub aux: bool,
    /// Further fields, by name, and what their formulas may use.
    fields: Vec<(String, String)>,
    pub vocabulary: Vocabulary,
    /// Pictures in place of the usual one.
    pub plots: Vec<Plot>,
}

impl FrameContent {
    pub fn of(case: &Case) -> Self {
        FrameContent {
            aux: case.output.aux,
            fields: case.output_fields(),
            vocabulary: case.vocabulary(),
            plots: case.plots(),
        }
    }

    /// The further fields of a frame, for the patches that have values.
    pub fn further<const D: usize>(&self, frame: &Frame<D>) -> Frame<D> {
        let further = derive(frame, &self.fields, &self.vocabulary);
        further.unwrap_or_else(|error| unreachable!("checked with the case: {error}"))
    }

    /// Number of fields after the equations' quantities, given a frame with all auxiliary values.
    pub fn num_fields<const D: usize>(&self, frame: &Frame<D>) -> usize {
        self.fields.len() + if self.aux { frame.aux.len() } else { 0 }
    }

    /// Calls `look` with the fields that the case asks for in the frame, then restores the frame's own fields, which a checkpoint needs.
    pub fn show<T, const D: usize>(&self, frame: &mut Frame<D>, look: impl FnOnce(&mut Frame<D>) -> T) -> T {
        let further = self.further(frame);
        let show = |frame: &mut Frame<D>| {
            append(frame, further);
            look(frame)
        };
        if !self.aux {
            return without_aux(frame, show);
        }
        let own = frame.aux.len();
        let seen = show(frame);
        frame.aux.truncate(own);
        let patches = frame.levels.iter_mut().flat_map(|level| &mut level.patches);
        patches.for_each(|patch| patch.aux.truncate(own * patch.cells.volume()));
        seen
    }
}

/// Calls `look` with a frame without its auxiliary values, and then restores them.
fn without_aux<T, const D: usize>(frame: &mut Frame<D>, look: impl FnOnce(&mut Frame<D>) -> T) -> T {
    let names = std::mem::take(&mut frame.aux);
    let patches = |frame: &mut Frame<D>, visit: &mut dyn FnMut(&mut Vec<f64>)| {
        frame.levels.iter_mut().flat_map(|level| &mut level.patches).for_each(|patch| visit(&mut patch.aux));
    };
    let mut values = Vec::new();
    patches(frame, &mut |aux| values.push(std::mem::take(aux)));
    let seen = look(frame);
    let mut values = values.into_iter();
    patches(frame, &mut |aux| *aux = values.next().unwrap_or_default());
    frame.aux = names;
    seen
}
