//! What frames hold.

use crate::io::config::Case;
use crate::io::derived::{Vocabulary, derive};
use crate::io::frame::Frame;

/// What is in the frames of a case besides the equations' quantities.
pub(super) struct FrameContent {
    /// Auxiliary values.
    pub aux: bool,
    /// Further fields, by name, and what their formulas may use.
    fields: Vec<(String, String)>,
    vocabulary: Vocabulary,
}

impl FrameContent {
    pub fn of(case: &Case) -> Self {
        FrameContent { aux: case.output.aux, fields: case.output_fields(), vocabulary: case.vocabulary() }
    }

    /// The further fields of a frame, where it has values.
    pub fn further<const D: usize>(&self, frame: &Frame<D>) -> Frame<D> {
        let further = derive(frame, &self.fields, &self.vocabulary);
        further.unwrap_or_else(|error| unreachable!("checked with the case: {error}"))
    }

    /// How many fields there are behind the equations' quantities, in a frame with all auxiliary values.
    pub fn num_fields<const D: usize>(&self, frame: &Frame<D>) -> usize {
        self.fields.len() + if self.aux { frame.aux.len() } else { 0 }
    }
}
