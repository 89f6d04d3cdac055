//! Plane cuts through 3D frames and line cuts through 2D frames; values along any line; projections of 3D frames.

use super::frame::{FieldIndex, Frame, FrameLevel, FramePatch, PatchSource};
use crate::index::{CellBox, Ratio};
use std::io;

/// The cells of a frame that the plane (in 2D the line) `axis = position` passes through, as a frame of the other axes:
/// `E` is `D − 1`.
///
/// A position on a face belongs to the cells above it, one at the domain's upper end to the last cells.
pub fn slice<const D: usize, const E: usize>(frame: &Frame<D>, axis: usize, position: f64) -> Frame<E> {
    slice_from(frame, frame, axis, position).expect("a frame has its values")
}

/// As [`slice()`], with values from `values`: only of the patches that the cut meets, one patch at a time.
///
/// # Errors
/// Values cannot be read.
pub fn slice_from<const D: usize, const E: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    axis: usize,
    position: f64,
) -> io::Result<Frame<E>> {
    let mut levels = Vec::new();
    for (l, level) in frame.levels.iter().enumerate() {
        let last = frame.domain(l).hi[axis] - 1;
        let layer = (((position - frame.lower[axis]) / level.dx[axis]).floor() as i32).clamp(0, last);
        let is_cut = |patch: &FramePatch<D>| (patch.cells.lo[axis]..patch.cells.hi[axis]).contains(&layer);
        let cut = level.patches.iter().enumerate().filter(|(_, patch)| is_cut(patch));
        let patches = cut.map(|(k, _)| Ok(slice_patch(&*values.patch(l, k)?, axis, layer)));
        let patches = patches.collect::<io::Result<Vec<_>>>()?;
        if patches.is_empty() {
            break; // levels are nested, so finer ones do not reach the plane either
        }
        levels.push(FrameLevel { dx: without(level.dx, axis), patches });
    }
    let ratios = frame.ratios.iter().map(|r| Ratio(without(r.0, axis))).collect();
    Ok(Frame { levels, ..header(frame, across(frame, axis), ratios) })
}

/// The finest values at the middles of `count` equal parts of a straight line: a frame in 1D with a single level, whose x is the distance from the
/// line's beginning.
///
/// # Errors
/// Values cannot be read.
pub fn line_from<const D: usize>(
    frame: &Frame<D>,
    values: &dyn PatchSource<D>,
    [from, to]: [[f64; D]; 2],
    count: usize,
) -> io::Result<Frame<1>> {
    let length = (0..D).map(|d| (to[d] - from[d]).powi(2)).sum::<f64>().sqrt();
    let part = |k: usize| (k as f64 + 0.5) / count as f64;
    let point = |k: usize| -> [f64; D] { std::array::from_fn(|d| from[d] + part(k) * (to[d] - from[d])) };
    let (num_eqn, num_aux) = (frame.equations.len(), frame.aux.len());
    let mut line = FramePatch {
        cells: CellBox::new([0], [count as i32]),
        q: vec![f64::NAN; num_eqn * count],
        aux: vec![f64::NAN; num_aux * count],
    };
    let mut cells: Vec<_> = match &frame.mesh {
        Some(mesh) => {
            let [from, to] = [from, to].map(|end| std::array::from_fn(|d| end.get(d).copied().unwrap_or(0.0)));
            let held = |(cell, [enters, leaves]): (usize, [f64; 2])| {
                let place = std::array::from_fn(|d| if d == 0 { cell as i32 } else { 0 });
                (0..count).filter(move |&n| (enters..=leaves).contains(&part(n))).map(move |n| ((0, 0, place), n))
            };
            mesh.along(from, to).flat_map(held).collect()
        }
        None => (0..count).filter_map(|n| Some((frame.finest_cell(point(n))?, n))).collect(),
    };
    cells.sort_by_key(|&((level, number, _), _)| (level, number));
    for of_patch in cells.chunk_by(|(a, _), (b, _)| (a.0, a.1) == (b.0, b.1)) {
        let (level, number, _) = of_patch[0].0;
        let patch = values.patch(level, number)?;
        let volume = patch.cells.volume();
        for &((.., cell), n) in of_patch {
            let offset = patch.offset(cell);
            (0..num_eqn).for_each(|m| line.q[m * count + n] = patch.q[m * volume + offset]);
            (0..num_aux).for_each(|m| line.aux[m * count + n] = patch.aux[m * volume + offset]);
        }
    }
    let levels = vec![FrameLevel { dx: [length / count as f64], patches: vec![line] }];
    Ok(Frame { levels, ..header(frame, ([[0.0], [length]], [count as i32]), Vec::new()) })
}

/// Corners and cells of a cut across `axis`.
fn across<const D: usize, const E: usize>(frame: &Frame<D>, axis: usize) -> ([[f64; E]; 2], [i32; E]) {
    ([frame.lower, frame.upper].map(|corner| without(corner, axis)), without(frame.cells, axis))
}

/// The frame of a cut, without levels.
fn header<const D: usize, const E: usize>(
    frame: &Frame<D>,
    (corners, cells): ([[f64; E]; 2], [i32; E]),
    ratios: Vec<Ratio<E>>,
) -> Frame<E> {
    Frame {
        number: frame.number,
        time: frame.time,
        steps: frame.steps.clone(),
        equations: frame.equations.clone(),
        aux: frame.aux.clone(),
        ratios,
        ..Frame::empty(corners, cells)
    }
}

/// One layer of a patch.
fn slice_patch<const D: usize, const E: usize>(patch: &FramePatch<D>, axis: usize, layer: i32) -> FramePatch<E> {
    let cells = CellBox::new(without(patch.cells.lo, axis), without(patch.cells.hi, axis));
    let offsets: Vec<usize> = cells.cells().map(|cell| patch.offset(with(cell, axis, layer))).collect();
    let cut = |values: &[f64]| -> Vec<f64> {
        values.chunks_exact(patch.cells.volume()).flat_map(|field| offsets.iter().map(|&i| field[i])).collect()
    };
    FramePatch { cells, q: cut(&patch.q), aux: cut(&patch.aux) }
}

/// How the values along a line of sight are reduced to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// Their mean.
    Mean,
    /// Their integral.
    Integral,
}

/// Most cells along an axis of a projection: as many as a picture has pixels.
const FINEST_PROJECTION: i32 = 2048;

/// Projects a field of a 3D frame along an axis, from the finest cells at each place: one patch over the whole domain, on
/// cells as fine as the finest level's, or as a picture can show.
pub fn project(frame: &Frame<3>, field: FieldIndex, axis: usize, projection: Projection) -> Frame<2> {
    project_from((frame, frame), field, axis, projection).expect("a frame has its values")
}

/// As [`project`], with values from a source, one patch at a time.
///
/// # Errors
/// Values cannot be read.
pub fn project_from(
    (frame, values): (&Frame<3>, &dyn PatchSource<3>),
    field: FieldIndex,
    axis: usize,
    projection: Projection,
) -> io::Result<Frame<2>> {
    let finest = (0..frame.levels.len())
        .rev()
        .find(|&l| without::<_, 3, 2>(frame.domain(l).hi, axis).iter().all(|&n| n <= FINEST_PROJECTION))
        .unwrap_or(0);
    let cells: CellBox<2> = CellBox::new([0; 2], without(frame.domain(finest).hi, axis));
    let dx: [f64; 2] = without(frame.levels[finest].dx, axis);
    let start = match projection {
        Projection::Max => f64::NEG_INFINITY,
        Projection::Min => f64::INFINITY,
        Projection::Mean | Projection::Integral => 0.0,
    };
    let width = cells.hi[0] as usize;
    let mut projected = vec![start; cells.volume()];
    for (l, level) in frame.levels.iter().enumerate() {
        let side: [f64; 2] = without(level.dx, axis);
        // The part of a cell of the projection that this cell covers, times its length along the line of sight.
        let weight = level.dx[axis] * (0..2).map(|d| (side[d] / dx[d]).min(1.0)).product::<f64>();
        let covering = frame.covering(l);
        for number in 0..level.patches.len() {
            let patch = values.patch(l, number)?;
            let lines = patch.cells.cells().zip(patch.values(field)).zip(covering.of(&patch.cells));
            for ((cell, &value), _) in lines.filter(|(_, covered)| !covered) {
                let cell: [i32; 2] = without(cell, axis);
                let [columns, rows]: [_; 2] = std::array::from_fn(|d| {
                    let first = (f64::from(cell[d]) * side[d] / dx[d] + 1e-6).floor() as usize;
                    let last = (f64::from(cell[d] + 1) * side[d] / dx[d] - 1e-6).ceil() as usize;
                    first..last.min(cells.hi[d] as usize)
                });
                for place in rows.flat_map(|row| columns.clone().map(move |column| row * width + column)) {
                    let seen = &mut projected[place];
                    *seen = match projection {
                        Projection::Max => seen.max(value),
                        Projection::Min => seen.min(value),
                        Projection::Mean | Projection::Integral => *seen + weight * value,
                    };
                }
            }
        }
    }
    if projection == Projection::Mean {
        let extent = frame.upper[axis] - frame.lower[axis];
        projected.iter_mut().for_each(|value| *value /= extent);
    }
    let name = frame.fields().find(|(_, index)| *index == field).map(|(name, _)| name.to_owned());
    let patch = FramePatch { cells, q: projected, aux: Vec::new() };
    Ok(Frame {
        cells: cells.hi,
        equations: name.into_iter().collect(),
        aux: Vec::new(),
        levels: vec![FrameLevel { dx, patches: vec![patch] }],
        ..header(frame, across(frame, axis), Vec::new())
    })
}

/// The entries of the other axes.
fn without<T: Copy, const D: usize, const E: usize>(values: [T; D], axis: usize) -> [T; E] {
    assert_eq!(E + 1, D, "a cut takes one axis away");
    std::array::from_fn(|d| values[if d < axis { d } else { d + 1 }])
}

/// The inverse of [`without`].
fn with<T: Copy, const E: usize, const D: usize>(values: [T; E], axis: usize, value: T) -> [T; D] {
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
            equations: vec!["q".into()],
            levels: vec![FrameLevel { dx: [1.0, 2.0, 0.5], patches: vec![FramePatch { cells, q, aux: vec![] }] }],
            ..Frame::empty([[0.0; 3], [3.0, 8.0, 2.5]], [3, 4, 5])
        };
        for (axis, position, layer) in [(0, 1.5, 1), (1, 4.0, 2), (2, 2.5, 4), (2, -1.0, 0)] {
            let cut: Frame<2> = slice(&frame, axis, position);
            let patch = &cut.levels[0].patches[0];
            let expected: Vec<f64> = patch.cells.cells().map(|cell| value(with(cell, axis, layer))).collect();
            assert_eq!(patch.q, expected, "axis {axis} at {position}");
            assert_eq!(cut.upper, without(frame.upper, axis));
        }
    }
    /// 4 × 2 × 2 cells of which the first two along x are refined by 2: every projection from the finest cells alone.
    #[test]
    fn projections_see_the_finest_cells() {
        let coarse = CellBox::new([0; 3], [4, 2, 2]);
        let fine = CellBox::new([0; 3], [4, 4, 4]);
        let patch = |cells: CellBox<3>, value: fn([i32; 3]) -> f64| FramePatch {
            cells,
            q: cells.cells().map(value).collect(),
            aux: vec![],
        };
        let frame = Frame {
            equations: vec!["q".into()],
            ratios: vec![Ratio([2, 2, 2])],
            levels: vec![
                // The values beneath the fine patch must be ignored.
                FrameLevel {
                    dx: [1.0; 3],
                    patches: vec![patch(coarse, |[i, _, k]| if i < 2 { 1e9 } else { f64::from(k + 1) })],
                },
                FrameLevel { dx: [0.5; 3], patches: vec![patch(fine, |[_, _, k]| f64::from(k))] },
            ],
            ..Frame::empty([[0.0; 3], [4.0, 2.0, 2.0]], [4, 2, 2])
        };
        let seen = |projection| project(&frame, FieldIndex::Equation(0), 2, projection).levels[0].patches[0].q.clone();
        let expected = |left: f64, right: f64| -> Vec<f64> {
            (0..4).flat_map(|_| (0..8).map(move |i| if i < 4 { left } else { right })).collect()
        };
        assert_eq!(seen(Projection::Max), expected(3.0, 2.0));
        assert_eq!(seen(Projection::Min), expected(0.0, 1.0));
        assert_eq!(seen(Projection::Integral), expected(3.0, 3.0));
        assert_eq!(seen(Projection::Mean), expected(1.5, 1.5));
    }
}
