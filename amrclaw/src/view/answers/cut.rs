//! Cuts of mapped meshes in space: the pieces in which a plane of physical space meets the cells.

use super::super::ViewError;
use super::super::wish::Wish;
use super::tiles::{Form, MOST_BYTES, Patch, Tiles, answer, append_nodes, extremes, written};
use crate::frames::frame::{Frame, PatchSource};
use crate::mesh::Mapping;
use crate::picture::{Plane, Shown};
use crate::threads::parallel_map;
use serde_json::{Value, json};
use std::io;

/// A field of the patches that a plane meets, as `encode` writes it, of each patch a row of pieces with four nodes each.
pub fn encode_cut(
    (frame, values, mapping): (&Frame<3>, &dyn PatchSource<3>, &Mapping<3>),
    plane: Plane,
    wish: &Wish,
    form: Form,
) -> Result<Tiles, ViewError> {
    let levels = if wish.levels == 0 { frame.levels.len() } else { wish.levels.min(frame.levels.len()) };
    let mut places = Vec::new();
    for (l, level) in frame.levels[..levels].iter().enumerate() {
        places.extend((0..level.patches.len()).map(|k| (l, k)));
    }
    // Levels that are left out cover nothing.
    let coverings: Vec<_> = (1..levels).map(|l| frame.covering(l - 1)).collect();
    let of_patch = |n: usize| -> io::Result<Option<Patch>> {
        let (l, k) = places[n];
        let cells = &frame.levels[l].patches[k].cells;
        let corners = mapping.corners(cells, frame.levels[l].dx);
        if !plane.parts(&corners) {
            return Ok(None);
        }
        let patch = values.patch(l, k)?;
        let covered = coverings.get(l).map_or_else(|| vec![false; patch.q.len()], |by| by.of(cells));
        let mut shown = Shown::default();
        plane.cut_patch((cells, &corners), (&patch.q, &covered), &mut shown);
        Ok((!shown.pieces.is_empty()).then(|| told((l, k), &shown, form)))
    };
    let found = parallel_map(places.len(), of_patch).into_iter().collect::<io::Result<Vec<_>>>()?;
    let patches: Vec<Patch> = found.into_iter().flatten().collect();
    if patches.iter().map(|(_, data, _)| data.len()).sum::<usize>() > MOST_BYTES {
        return Err(ViewError::TooMuch("too many cells: choose fewer levels".to_owned()));
    }
    Ok(answer(frame, levels, &plane.others(), patches))
}

/// What is told of a patch, and its data.
pub fn told((level, number): (usize, usize), shown: &Shown, form: Form) -> Patch {
    let (nodes, values): (Vec<_>, Vec<f64>) = shown.pieces.iter().copied().unzip();
    let finite = extremes(&values, &vec![false; values.len()]).map(|value| value.is_finite().then_some(value));
    let count = values.len();
    let mut about = vec![json!(level), json!(number), json!([0, 0]), json!([count, 1]), json!(finite)];
    let (mut data, error) = written((&values, count), form, &mut about);
    // Row by row, as those of cells.
    let nodes: Vec<[f64; 2]> = nodes.into_iter().flat_map(|[a, b, c, d]: [[f64; 2]; 4]| [a, b, d, c]).collect();
    about.push(append_nodes(&mut data, &nodes, 4));
    let line = |[from, to]: &[[f64; 2]; 2]| [from[0], from[1], to[0], to[1]].map(|x| x as f32);
    about.push(json!(shown.lines.iter().map(line).collect::<Vec<_>>()));
    (Value::Array(about), data, error)
}
