//! Plane cuts through 3D frames.

use super::frame::{Frame, FrameLevel, FramePatch};
use crate::index::{CellBox, Ratio};

/// The cells of a 3D frame that the plane `axis = position` passes through, as a 2D frame of the other two axes.
///
/// A position on a face belongs to the cells above it, one at the domain's upper end to the last cells.
pub fn slice(frame: &Frame<3>, axis: usize, position: f64) -> Frame<2> {
    let mut levels = Vec::new();
    for (l, level) in frame.levels.iter().enumerate() {
        let last = frame.domain(l).hi[axis] - 1;
        let layer = (((position - frame.lower[axis]) / level.dx[axis]).floor() as i32).clamp(0, last);
        let cut = |patch: &&FramePatch<3>| (patch.cells.lo[axis]..patch.cells.hi[axis]).contains(&layer);
        let patches: Vec<_> = level.patches.iter().filter(cut).map(|p| slice_patch(p, axis, layer)).collect();
        if patches.is_empty() {
            break; // levels are nested, so finer ones do not reach the plane either
        }
        levels.push(FrameLevel { dx: without(level.dx, axis), patches });
    }
    Frame {
        number: frame.number,
        time: frame.time,
        steps: frame.steps.clone(),
        equations: frame.equations.clone(),
        aux: frame.aux.clone(),
        lower: without(frame.lower, axis),
        upper: without(frame.upper, axis),
        cells: without(frame.cells, axis),
        ratios: frame.ratios.iter().map(|r| Ratio(without(r.0, axis))).collect(),
        levels,
    }
}

/// One layer of a patch.
fn slice_patch(patch: &FramePatch<3>, axis: usize, layer: i32) -> FramePatch<2> {
    let cells = CellBox::new(without(patch.cells.lo, axis), without(patch.cells.hi, axis));
    let offsets: Vec<usize> = cells.cells().map(|cell| patch.offset(with(cell, axis, layer))).collect();
    let cut = |values: &[f64]| -> Vec<f64> {
        values.chunks_exact(patch.cells.volume()).flat_map(|field| offsets.iter().map(|&i| field[i])).collect()
    };
    FramePatch { cells, q: cut(&patch.q), aux: cut(&patch.aux) }
}

/// The entries of the other two axes.
fn without<T: Copy>(values: [T; 3], axis: usize) -> [T; 2] {
    std::array::from_fn(|d| values[if d < axis { d } else { d + 1 }])
}

/// The inverse of [`without`].
fn with<T: Copy>(values: [T; 2], axis: usize, value: T) -> [T; 3] {
    std::array::from_fn(|d| match d.cmp(&axis) {
        std::cmp::Ordering::Less => values[d],
        std::cmp::Ordering::Equal => value,
        std::cmp::Ordering::Greater => values[d - 1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One patch of 3 × 4 × 5 cells with the value i + 10 j + 100 k: every cut picks the right cells in the right order.
    #[test]
    fn cuts_pick_one_layer() {
        let cells = CellBox::new([0; 3], [3, 4, 5]);
        let value = |[i, j, k]: [i32; 3]| f64::from(i + 10 * j + 100 * k);
        let q: Vec<f64> = cells.cells().map(value).collect();
        let frame = Frame {
            number: 0,
            time: 0.0,
            steps: vec![],
            equations: vec!["q".into()],
            aux: vec![],
            lower: [0.0; 3],
            upper: [3.0, 8.0, 2.5],
            cells: [3, 4, 5],
            ratios: vec![],
            levels: vec![FrameLevel { dx: [1.0, 2.0, 0.5], patches: vec![FramePatch { cells, q, aux: vec![] }] }],
        };
        for (axis, position, layer) in [(0, 1.5, 1), (1, 4.0, 2), (2, 2.5, 4), (2, -1.0, 0)] {
            let cut = slice(&frame, axis, position);
            let patch = &cut.levels[0].patches[0];
            let expected: Vec<f64> = patch.cells.cells().map(|cell| value(with(cell, axis, layer))).collect();
            assert_eq!(patch.q, expected, "axis {axis} at {position}");
            assert_eq!(cut.upper, without(frame.upper, axis));
        }
    }
}
