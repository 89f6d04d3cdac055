//! Fields of patches as they are sent and kept.

use super::super::ViewError;
use super::super::wish::Wish;
use super::code::code;
use crate::frames::frame::{Frame, PatchSource};
use crate::index::CellBox;
use crate::threads::parallel_map;
use serde_json::{Value, json};
use std::io;

/// Bytes of values in one answer: the page then asks for fewer levels, or a part.
pub const MOST_BYTES: usize = 1 << 28;
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

/// Smallest and largest value, and smallest positive one, of cells that are not covered; infinities without any.
pub fn extremes(values: &[f64], covered: &[bool]) -> [f64; 3] {
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
pub fn encode<const D: usize>(
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
pub type Patch = (Value, Vec<u8>, f64);

/// An answer of patches, in the plane or space of these axes.
pub fn answer<const D: usize>(frame: &Frame<D>, levels: usize, axes: &[usize], patches: Vec<Patch>) -> Tiles {
    let error = patches.iter().fold(0.0, |largest: f64, (.., error)| largest.max(*error));
    let about: Vec<&Value> = patches.iter().map(|(about, ..)| about).collect();
    let along = |of: &[f64; D]| axes.iter().map(|&d| of[d]).collect::<Vec<_>>();
    let dx: Vec<Vec<f64>> = frame.levels[..levels].iter().map(|level| along(&level.dx)).collect();
    let mut head = json!({
        "lower": along(&frame.lower), "upper": along(&frame.upper), "dx": dx, "patches": about, "time": frame.time,
        "shown": levels, "all": frame.levels.len(),
    });
    if let Some(mesh) = &frame.mesh {
        head["cells"] = json!(mesh.num_cells());
    }
    let mut head = head.to_string();
    head.extend(std::iter::repeat_n(' ', head.len().next_multiple_of(4) - head.len()));
    let mut answer = Vec::with_capacity(4 + head.len() + patches.iter().map(|(_, data, _)| data.len()).sum::<usize>());
    answer.extend((head.len() as u32).to_le_bytes());
    answer.extend(head.as_bytes());
    patches.into_iter().for_each(|(_, mut values, _)| answer.append(&mut values));
    Tiles { bytes: answer, error }
}

/// Values in rows of `columns`, and their largest error; adds to what is told of them.
pub fn written((values, columns): (&[f64], usize), form: Form, about: &mut Vec<Value>) -> (Vec<u8>, f64) {
    if form == Form::Floats {
        about.push(Value::Null);
        return (values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(), 0.0);
    }
    let coded = code(values, columns, true);
    about.push(json!([coded.ends[0], coded.ends[1], coded.log, coded.error]));
    (coded.bytes, coded.error)
}

/// Appends codes of positions of nodes in rows of `columns`, first all along x; returns the ends along each axis.
pub fn append_nodes<const D: usize>(data: &mut Vec<u8>, nodes: &[[f64; D]], columns: usize) -> Value {
    let along = |d: usize| {
        let positions: Vec<f64> = nodes.iter().map(|node| node[d]).collect();
        let coded = code(&positions, columns, false);
        data.extend(coded.bytes);
        json!(coded.ends)
    };
    Value::Array((0..D).map(along).collect())
}
