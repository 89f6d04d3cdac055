//! Answers from one frame.

use super::super::ViewError;
use super::super::wish::Wish;
use super::cells::{MeshCells, encode_cells};
use super::cut::encode_cut;
use super::tiles::{Form, Tiles, encode, extremes};
use crate::frames::derived::{LazyFields, Vocabulary};
use crate::frames::frame::{FieldIndex, Frame, FramePatch, PatchSource};
use crate::frames::read::FrameReader;
use crate::frames::slice::slice_from;
use crate::mesh::Mapping;
use crate::picture::{Plane, extent, widen};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use unstructured::Mesh;

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

/// A frame with the names that formulas may use.
pub struct OpenFrame {
    pub reader: Arc<AnyReader>,
    /// Of a mesh from a file, once they are needed.
    pub cells: Arc<OnceLock<MeshCells>>,
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
                let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), None, &self.vocabulary)?;
                let values = Timed { of: &lazy, until };
                if let Some(mesh) = self.mesh(&lazy.outline) {
                    return encode_cells((&lazy.outline, &values), mesh, Some(Plane { axis, position }), form);
                }
                if let Some(mapping) = lazy.outline.mapped() {
                    return encode_cut((&lazy.outline, &values, &mapping), Plane { axis, position }, wish, form);
                }
                let plane: Frame<2> = slice_from(&lazy.outline, &values, axis, position)?;
                encode((&plane, &plane), wish, form)
            }
            (AnyReader::Three(_), None) => Err(ViewError::Request("a slice is needed in three dimensions".into())),
            (any, _) => with_reader!(any, reader => {
                let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), None, &self.vocabulary)?;
                let from = (&lazy.outline, &Timed { of: &lazy, until } as &dyn PatchSource<_>);
                self.mesh(from.0).map_or_else(|| encode(from, wish, form), |mesh| encode_cells(from, mesh, None, form))
            }),
        }
    }

    /// Values at points of physical space: for each the value, level, patch and cell, or null outside the domain.
    ///
    /// # Errors
    /// The field cannot be computed.
    pub fn points(&self, wish: &Wish) -> Result<Value, ViewError> {
        with_reader!(&*self.reader, reader => {
            let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), None, &self.vocabulary)?;
            let values = Timed { of: &lazy, until: Instant::now() + DEADLINE };
            points((&lazy.outline, &values), self.mesh(&lazy.outline), &wish.numbers)
        })
    }

    /// The mesh from a file, and its groups of cells.
    fn mesh<'a, const D: usize>(&'a self, frame: &'a Frame<D>) -> Option<(&'a Mesh, &'a MeshCells)> {
        frame.mesh.as_ref().map(|mesh| (&**mesh, self.cells.get_or_init(|| MeshCells::new(mesh))))
    }

    /// Makes a range include the values in cells that no finer ones cover.
    ///
    /// # Errors
    /// The field cannot be computed.
    pub fn widen(&self, range: &mut Option<(f64, f64)>, wish: &Wish) -> Result<(), ViewError> {
        let until = Instant::now() + DEADLINE;
        with_reader!(&*self.reader, reader => {
            let lazy = LazyFields::new(reader, std::slice::from_ref(&wish.field), None, &self.vocabulary)?;
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

/// The values at points, whose coordinates follow each other.
fn points<const D: usize>(
    (frame, values): (&Frame<D>, &dyn PatchSource<D>),
    mesh: Option<(&Mesh, &MeshCells)>,
    numbers: &[f64],
) -> Result<Value, ViewError> {
    let points = numbers.as_chunks::<D>().0;
    if points.len() > MOST_POINTS {
        return Err(ViewError::Request(format!("at most {MOST_POINTS} points at once")));
    }
    let mapping = frame.mapped().filter(|_| mesh.is_none());
    let in_mesh = |(mesh, cells): (&Mesh, &MeshCells), point: [f64; D]| {
        let place = [0, 1, 2].map(|d| point.get(d).copied().unwrap_or(0.0));
        let number = mesh.cell_in(&cells.groups, place)?;
        Some((0, 0, std::array::from_fn(|d| if d == 0 { number as i32 } else { 0 })))
    };
    let mut patches: HashMap<(usize, usize), FramePatch<D>> = HashMap::new();
    let mut found = Vec::new();
    for &point in points {
        let inverse = |mapping: &Mapping<D>| mapping.inverse(point);
        let in_boxes = || mapping.as_ref().map_or(Some(point), inverse).and_then(|place| frame.finest_cell(place));
        let cell = mesh.map_or_else(in_boxes, |mesh| in_mesh(mesh, point));
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
        found.push(json!([text, level + 1, number, cell[..mesh.map_or(D, |_| 1)]]));
    }
    Ok(Value::Array(found))
}
