//! Fields and formulas of a frame, computed for one patch at a time from the fields that they need.

use super::evaluate::field_values;
use super::{Formula, FormulaError, Vocabulary};
use crate::frames::frame::{Frame, FramePatch, PatchSource};
use crate::frames::read::FrameReader;
use std::borrow::Cow;
use std::io;

/// A frame of whose patches some fields can be had: one in a file, or one whose patches come from anywhere.
pub trait FieldSource<const D: usize>: Sync {
    /// Everything but the values.
    fn outline(&self) -> &Frame<D>;

    /// A patch with some of the fields, in this order.
    ///
    /// # Errors
    /// The values cannot be read.
    fn patch_with(&self, level: usize, number: usize, fields: &[usize]) -> io::Result<FramePatch<D>>;
}

impl<const D: usize> FieldSource<D> for FrameReader<D> {
    fn outline(&self) -> &Frame<D> {
        &self.outline
    }

    fn patch_with(&self, level: usize, number: usize, fields: &[usize]) -> io::Result<FramePatch<D>> {
        self.patch_with(level, number, fields).map_err(io::Error::other)
    }
}

impl<const D: usize> FieldSource<D> for (&Frame<D>, &dyn PatchSource<D>) {
    fn outline(&self) -> &Frame<D> {
        self.0
    }

    fn patch_with(&self, level: usize, number: usize, fields: &[usize]) -> io::Result<FramePatch<D>> {
        let patch = self.1.patch(level, number)?;
        let q = fields.iter().flat_map(|&field| field_values(&patch, field)).copied().collect();
        Ok(FramePatch { cells: patch.cells, q, aux: Vec::new() })
    }
}

/// The name of a further field of frames with land: the height of the ground there, elsewhere not a number.
pub const LAND_HEIGHTS: &str = "heights of land";

/// A frame of the same patches whose only fields are formulas over those of another.
pub struct LazyFields<'a, const D: usize> {
    /// Everything but the values.
    pub outline: Frame<D>,
    from: &'a dyn FieldSource<D>,
    sources: Vec<Source<D>>,
}

/// Fields of that frame, and the formula over them; without one, the field itself.
struct Source<const D: usize> {
    fields: Vec<usize>,
    formula: Option<Formula<D>>,
}

impl<'a, const D: usize> LazyFields<'a, D> {
    /// As [`derive()`](super::derive()), of the texts themselves. Where the condition `land` holds, values are infinite; the
    /// last field is then [`LAND_HEIGHTS`], if the frame knows the `bottom`.
    ///
    /// # Errors
    /// As there.
    pub fn new(
        from: &'a dyn FieldSource<D>,
        texts: &[String],
        land: Option<&str>,
        vocabulary: &Vocabulary,
    ) -> Result<Self, FormulaError> {
        let mut outline = from.outline().outline();
        let names: Vec<String> = outline.fields().map(|(name, _)| name.to_owned()).collect();
        let sources = texts.iter().map(|text| match land {
            Some(land) => Source::new(&format!("if({land}, 1 / 0, {text})"), &names, &outline, vocabulary),
            None => Source::new(text, &names, &outline, vocabulary),
        });
        let mut sources = sources.collect::<Result<Vec<_>, _>>()?;
        let mut texts = texts.to_vec();
        if let Some(land) = land.filter(|_| names.iter().any(|name| name == "bottom")) {
            sources.push(Source::new(&format!("if({land}, bottom, 0 / 0)"), &names, &outline, vocabulary)?);
            texts.push(LAND_HEIGHTS.to_owned());
        }
        (outline.equations, outline.aux) = (texts, Vec::new());
        Ok(LazyFields { outline, from, sources })
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
        let outline = self.from.outline();
        let cells = outline.levels[level].patches[number].cells;
        let mut q = Vec::new();
        for Source { fields, formula } in &self.sources {
            let patch = self.from.patch_with(level, number, fields)?;
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
