//! Fields and formulas of a frame in a file, computed for one patch at a time from the fields that they need.

use super::{Formula, FormulaError, Vocabulary};
use crate::frames::frame::{Frame, FramePatch, PatchSource};
use crate::frames::read::FrameReader;
use std::borrow::Cow;
use std::io;

/// A frame of the same patches whose only fields are formulas over those of a file.
pub struct LazyFields<'a, const D: usize> {
    /// Everything but the values.
    pub outline: Frame<D>,
    reader: &'a FrameReader<D>,
    sources: Vec<Source<D>>,
}

/// Fields of the file, and the formula over them; without one, the field itself.
struct Source<const D: usize> {
    fields: Vec<usize>,
    formula: Option<Formula<D>>,
}

impl<'a, const D: usize> LazyFields<'a, D> {
    /// As [`derive()`](super::derive()), of the texts themselves.
    ///
    /// # Errors
    /// As there.
    pub fn new(reader: &'a FrameReader<D>, texts: &[String], vocabulary: &Vocabulary) -> Result<Self, FormulaError> {
        let mut outline = reader.outline.clone();
        let names: Vec<String> = outline.fields().map(|(name, _)| name.to_owned()).collect();
        let sources = texts.iter().map(|text| Source::new(text, &names, &outline, vocabulary));
        let sources = sources.collect::<Result<_, _>>()?;
        (outline.equations, outline.aux) = (texts.to_vec(), Vec::new());
        Ok(LazyFields { outline, reader, sources })
    }
}

impl<const D: usize> Source<D> {
    fn new(text: &str, names: &[String], frame: &Frame<D>, vocabulary: &Vocabulary) -> Result<Self, FormulaError> {
        if let Some(field) = names.iter().position(|name| name == text) {
            return Ok(Source { fields: vec![field], formula: None });
        }
        let over_all = Formula::<D>::on_mesh(text, frame, names, vocabulary)?;
        let mut fields: Vec<usize> = (0..names.len()).filter(|&field| over_all.uses(&names[field])).collect();
        if fields.is_empty() {
            // A patch without any values counts as one that has none.
            fields.extend((!names.is_empty()).then_some(0));
        }
        let used: Vec<String> = fields.iter().map(|&field| names[field].clone()).collect();
        Ok(Source { fields, formula: Some(Formula::on_mesh(text, frame, &used, vocabulary)?) })
    }
}

impl<const D: usize> PatchSource<D> for LazyFields<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        let outline = &self.reader.outline;
        let cells = outline.levels[level].patches[number].cells;
        let mut q = Vec::new();
        for Source { fields, formula } in &self.sources {
            let patch = self.reader.patch_with(level, number, fields).map_err(io::Error::other)?;
            let values = match formula {
                Some(formula) => formula.on_patch(outline, level, &patch),
                None if patch.q.is_empty() => patch.aux,
                None => patch.q,
            };
            if q.is_empty() { q = values } else { q.extend(values) }
        }
        Ok(Cow::Owned(FramePatch { cells, q, aux: Vec::new() }))
    }
}
