//! Answers from one frame.

use super::super::ViewError;
use super::super::wish::Wish;
use super::code::code;
use super::cut::encode_cut;
use crate::frames::derived::{LazyFields, Vocabulary};
use crate::frames::frame::{FieldIndex, Frame, FramePatch, PatchSource};
use crate::frames::read::FrameReader;
use crate::frames::slice::slice_from;
use crate::index::CellBox;
use crate::mesh::Mapping;
use crate::picture::{Plane, extent, widen};
use crate::threads::parallel_map;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of values in one answer: the page then asks for fewer levels, or a part.
pub(super) const MOST_BYTES: usize = 1 << 28;
/// Most points at once.
const MOST_POINTS: usize = 20_000;
/// The longest that an answer may take.
const DEADLINE: Duration = Duration::from_secs(30);
const NO_DEADLINE: Duration = Duration::from_secs(1 << 30);

/// A frame's file in any number of dimensions.
pub enum AnyReader {
    One(FrameReader<1>),
    Two(FrameReader<2>),
    Three(FrameReader<3>),
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// As `f32`, in an answer.
    Floats,
    /// As [`code`] does, in a page that holds its data.
    Codes,
}

/// The values of a field in all patches, as [`encode`] writes them.
pub struct Tiles {
    pub bytes: Vec<u8>,
    /// The largest error of codes.
    pub error: f64,
}

/// A frame with the names that formulas may use.
pub struct OpenFrame {
    pub reader: Arc<AnyReader>,
    pub vocabulary: Vocabulary,
}

/// Evaluates `$body` with `$reader` bound to the reader of known dimension.
macro_rules! with_reader {
    ($any:expr, $reader:ident => $body:expr) => {
        match $any {
            AnyReader::One($reader) => $body,
            AnyReader::Two($reader) => $body,
            AnyReader::Three($reader) => $body,
        }
    };
}

impl AnyReader {
    /// Number of the frame, and its time.
    pub fn number_and_time(&self) -> (usize, f64) {
        with_reader!(self, reader => (reader.outline.number, reader.outline.time))
    }

    /// Names of the equations, and the number of dimensions.
    pub fn equations(&self) -> (&[String], usize) {
        with_reader!(self, reader => (&reader.outline.equations, reader.outline.lower.len()))
    }
}

impl OpenFrame {
    /// What can be shown of the run.
    pub fn fields(&self) -> Value {
        with_reader!(&*self.reader, reader => {
            let names: Vec<&str> = reader.outline.fields().map(|(name, _)| name).collect();
            json!({
                "dimension": reader.outline.lower.len(),
                "names": names,
                "quantities": self.vocabulary.formulas,
                "mapped": !reader.outline.mapping.is_empty(),
            })
        })
    }

    /// Everything but the values.
    pub fn boxes(&self) -> Value {
        let mut about = self.straight_boxes();
        if let AnyReader::Three(reader) = &*self.reader
            && let Some(mapping) = reader.outline.mapped()
        {
            // The ends of physical space along each axis, in which cuts are.
            about["extent"] = json!(extent(&reader.outline, &mapping));
        }
        about
    }

    fn straight_boxes(&self) -> Value {
        with_reader!(&*self.reader, reader => {
            let frame = &reader.outline;
            let boxes = |l: usize| -> Vec<[Vec<i32>; 2]> {
                frame.levels[l].patches.iter().map(|p| [p.cells.lo.to_vec(), p.cells.hi.to_vec()]).collect()
            };
            let level = |l: usize| json!({ "dx": frame.levels[l].dx.to_vec(), "boxes": boxes(l) });
            json!({
                "number": frame.number,
                "time": frame.time,
                "steps": frame.steps,
                "lower": frame.lower.to_vec(),
                "upper": frame.upper.to_vec(),
                "cells": frame.cells.to_vec(),
                "ratios": frame.ratios.iter().map(|ratio| ratio.0.to_vec()).collect::<Vec<_>>(),
                "levels": (0..frame.levels.len()).map(level).collect::<Vec<_>>(),
            })
        })
    }

    /// A field in all cells: see [`encode`].
    ///
    /// # Errors
    /// The field cannot be computed, or the answer would be too large.
    pub fn tiles(&self, wish: &Wish, form: Form) -> Result<Tiles, ViewError> {
        let until = Instant::now() + if form == Form::Codes { NO_DEADLINE } else { DEADLINE };
        match (&*self.reader, wish.slice) {
            (AnyReader::Three(reader), Some((axis, position))) => {
                let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), &self.vocabulary)?;
                if let Some(mapping) = lazy.outline.mapped() {
                    let values = Timed { of: &lazy, until };
                    return encode_cut((&lazy.outline, &values, &mapping), Plane { axis, position }, wish, form);
                }
                let plane: Frame<2> = slice_from(&lazy.outline, &Timed { of: &lazy, until }, axis, position)?;
                encode((&plane, &plane), wish, form)
            }
            (AnyReader::Three(_), None) => Err(ViewError::Request("a slice is needed in three dimensions".into())),
            (any, _) => with_reader!(any, reader => {
                let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), &self.vocabulary)?;
                encode((&lazy.outline, &Timed { of: &lazy, until }), wish, form)
            }),
        }
    }

    /// Values at points of physical space: for each the value, level, patch and cell, or null outside the domain.
    ///
    /// # Errors
    /// The field cannot be computed.
    pub fn points(&self, wish: &Wish) -> Result<Value, ViewError> {
        with_reader!(&*self.reader, reader => {
            let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), &self.vocabulary)?;
            let mapping = lazy.outline.mapped();
            points((&lazy.outline, &Timed { of: &lazy, until: Instant::now() + DEADLINE }), mapping.as_ref(), &wish.numbers)
        })
    }

    /// Makes a range include the values in cells that no finer ones cover.
    ///
    /// # Errors
    /// The field cannot be computed.
    pub fn widen(&self, range: &mut Option<(f64, f64)>, wish: &Wish) -> Result<(), ViewError> {
        let until = Instant::now() + DEADLINE;
        with_reader!(&*self.reader, reader => {
            let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), &self.vocabulary)?;
            let (frame, values) = (&lazy.outline, Timed { of: &lazy, until });
            for (l, level) in frame.levels.iter().enumerate() {
                let covering = frame.covering(l);
                for k in 0..level.patches.len() {
                    let patch = values.patch(l, k)?;
                    let extremes = extremes(&patch.q, &covering.of(&patch.cells));
                    let low = if wish.log { extremes[2] } else { extremes[0] };
                    if low <= extremes[1] {
                        widen(range, (low, extremes[1]));
                    }
                }
            }
            Ok(())
        })
    }
}

/// A source that gives up in time.
struct Timed<'a, const D: usize> {
    of: &'a dyn PatchSource<D>,
    until: Instant,
}

impl<const D: usize> PatchSource<D> for Timed<'_, D> {
    fn patch(&self, level: usize, number: usize) -> io::Result<Cow<'_, FramePatch<D>>> {
        if Instant::now() > self.until {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "this takes too long: choose fewer levels or a simpler formula",
            ));
        }
        self.of.patch(level, number)
    }
}

/// Smallest and largest value, and smallest positive one, of cells that are not covered; infinities without any.
pub(super) fn extremes(values: &[f64], covered: &[bool]) -> [f64; 3] {
    let mut found = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    for (&value, covered) in values.iter().zip(covered) {
        if !covered && value.is_finite() {
            found =
                [found[0].min(value), found[1].max(value), if value > 0.0 { found[2].min(value) } else { found[2] }];
        }
    }
    found
}

/// A field of all patches: the length of a JSON text in four bytes, that text, filled with spaces to a multiple of four, then the values,
/// little-endian, x fastest, patch after patch, on a mapped mesh in the plane each with the positions of its nodes. The text lists the patches:
/// level, number, first cell, cell past the last, the [`extremes`]; of codes their ends, whether they are of logarithms, and the largest error;
/// the ends of nodes' positions, and where those are not shared by cells the lines along the patch's sides.
fn encode<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    wish: &Wish,
    form: Form,
) -> Result<Tiles, ViewError> {
    let levels = if wish.levels == 0 { frame.levels.len() } else { wish.levels.min(frame.levels.len()) };
    let part: Vec<[f64; 2]> = wish.numbers.as_chunks().0.to_vec();
    let is_seen = |l: usize, cells: &CellBox<D>| {
        let (lo, hi) = (frame.corner(l, cells.lo), frame.corner(l, cells.hi));
        part.len() < D || !frame.mapping.is_empty() || (0..D).all(|d| hi[d] >= part[d][0] && lo[d] <= part[d][1])
    };
    let mut seen = Vec::new();
    for (l, level) in frame.levels[..levels].iter().enumerate() {
        seen.extend((0..level.patches.len()).filter(|&k| is_seen(l, &level.patches[k].cells)).map(|k| (l, k)));
    }
    let bytes = size_of::<f32>() * seen.iter().map(|&(l, k)| frame.levels[l].patches[k].cells.volume()).sum::<usize>();
    if bytes > MOST_BYTES {
        return Err(ViewError::TooMuch("too many cells: choose fewer levels, or a smaller part".to_owned()));
    }
    let coverings: Vec<_> = (1..levels).map(|l| frame.covering(l - 1)).collect();
    let mapping = frame.mapped();
    let of_patch = |n: usize| -> io::Result<Patch> {
        let (l, k) = seen[n];
        let patch = values.patch(l, k)?;
        // Levels that are left out cover nothing.
        let covered = coverings.get(l).map_or_else(|| vec![false; patch.q.len()], |by| by.of(&patch.cells));
        let finite = extremes(&patch.q, &covered).map(|value| value.is_finite().then_some(value));
        let mut about = vec![json!(l), json!(k), json!(&patch.cells.lo[..]), json!(&patch.cells.hi[..]), json!(finite)];
        let columns = patch.cells.size()[0] as usize;
        let (mut data, error) = written((&patch.q, columns), form, &mut about);
        if let Some(mapping) = mapping.as_ref().filter(|_| D == 2) {
            let corners = mapping.corners(&patch.cells, frame.levels[l].dx);
            about.push(append_nodes(&mut data, &corners, columns + 1));
        }
        Ok((Value::Array(about), data, error))
    };
    let patches = parallel_map(seen.len(), of_patch).into_iter().collect::<io::Result<Vec<_>>>()?;
    Ok(answer(frame, levels, &(0..D).collect::<Vec<_>>(), patches))
}

/// What is told of a patch, its data, and their largest error.
pub(super) type Patch = (Value, Vec<u8>, f64);

/// An answer of patches, in the plane or space of these axes.
pub(super) fn answer<const D: usize>(frame: &Frame<D>, levels: usize, axes: &[usize], patches: Vec<Patch>) -> Tiles {
    let error = patches.iter().fold(0.0, |largest: f64, (.., error)| largest.max(*error));
    let about: Vec<&Value> = patches.iter().map(|(about, ..)| about).collect();
    let along = |of: &[f64; D]| axes.iter().map(|&d| of[d]).collect::<Vec<_>>();
    let dx: Vec<Vec<f64>> = frame.levels[..levels].iter().map(|level| along(&level.dx)).collect();
    let head = json!({
        "lower": along(&frame.lower), "upper": along(&frame.upper), "dx": dx, "patches": about, "time": frame.time,
        "shown": levels, "all": frame.levels.len(),
    });
    let mut head = head.to_string();
    head.extend(std::iter::repeat_n(' ', head.len().next_multiple_of(4) - head.len()));
    let mut answer = Vec::with_capacity(4 + head.len() + patches.iter().map(|(_, data, _)| data.len()).sum::<usize>());
    answer.extend((head.len() as u32).to_le_bytes());
    answer.extend(head.as_bytes());
    patches.into_iter().for_each(|(_, mut values, _)| answer.append(&mut values));
    Tiles { bytes: answer, error }
}

/// Values in rows of `columns`, and their largest error; adds to what is told of them.
pub(super) fn written((values, columns): (&[f64], usize), form: Form, about: &mut Vec<Value>) -> (Vec<u8>, f64) {
    if form == Form::Floats {
        about.push(Value::Null);
        return (values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(), 0.0);
    }
    let coded = code(values, columns, true);
    about.push(json!([coded.ends[0], coded.ends[1], coded.log, coded.error]));
    (coded.bytes, coded.error)
}

/// Appends codes of positions of nodes in rows of `columns`, first all along x; returns the ends along each axis.
pub(super) fn append_nodes<const D: usize>(data: &mut Vec<u8>, nodes: &[[f64; D]], columns: usize) -> Value {
    let along = |d: usize| {
        let positions: Vec<f64> = nodes.iter().map(|node| node[d]).collect();
        let coded = code(&positions, columns, false);
        data.extend(coded.bytes);
        json!(coded.ends)
    };
    Value::Array((0..D).map(along).collect())
}

/// The values at points, whose coordinates follow each other.
fn points<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    mapping: Option<&Mapping<D>>,
    numbers: &[f64],
) -> Result<Value, ViewError> {
    let points = numbers.as_chunks::<D>().0;
    if points.len() > MOST_POINTS {
        return Err(ViewError::Request(format!("at most {MOST_POINTS} points at once")));
    }
    let mut patches: HashMap<(usize, usize), FramePatch<D>> = HashMap::new();
    let mut found = Vec::new();
    for &point in points {
        let place = mapping.map_or(Some(point), |mapping| mapping.inverse(point));
        let cell = place.and_then(|place| frame.finest_cell(place));
        let Some((level, number, cell)) = cell else {
            found.push(Value::Null);
            continue;
        };
        let patch = match patches.entry((level, number)) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => place.insert(values.patch(level, number)?.into_owned()),
        };
        let value = patch.values(FieldIndex::Equation(0))[patch.offset(cell)];
        // What is not finite has no number in JSON.
        let text = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
        found.push(json!([text, level + 1, number, cell.to_vec()]));
    }
    Ok(Value::Array(found))
}
