//! Heights of ground as values of cells, such that water at rest has the same volume on all levels.
//!
//! Ground is a continuous surface, bilinear between points. Where any of a cell is below the rest level, its value is the mean of the
//! surface through these points' heights, none taken higher than the rest level; else the mean of the surface itself. The depth of water
//! at rest in a cell is then the mean of that of its fine cells. Land keeps its height but where the shore cuts a cell.

use crate::index::CellBox;
use crate::mesh::Geometry;
use crate::physics::{CellFunction, CellRow};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Weighted sums over a part of a surface.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroundSums {
    /// Of heights.
    pub height: f64,
    /// Of depths below the rest level.
    pub depth: f64,
    /// Of weights.
    pub weight: f64,
}

/// The depth below the rest level. Written so that NaN stays.
#[inline(always)]
pub fn depth_below(rest: f64, height: f64) -> f64 {
    if height >= rest { 0.0 } else { rest - height }
}

impl GroundSums {
    /// Adds a height with a weight.
    #[inline(always)]
    fn add(&mut self, height: f64, rest: f64, weight: f64) {
        self.height += weight * height;
        self.depth += weight * depth_below(rest, height);
        self.weight += weight;
    }

    /// Adds other sums.
    pub fn plus(&mut self, other: GroundSums) {
        self.height += other.height;
        self.depth += other.depth;
        self.weight += other.weight;
    }

    /// The cell's value. `rest`: infinitely low where there is no water.
    pub fn value(&self, rest: f64) -> f64 {
        let clipped = rest - self.depth / self.weight;
        if clipped < rest { clipped } else { self.height / self.weight }
    }
}

/// Values of cells that have been computed, by ratio to the finest level and place; the same in all functions of a case.
pub type KnownGround = Arc<Mutex<HashMap<[[i32; 3]; 2], Arc<[f64]>>>>;

/// Cells along each axis that are computed together.
const TILE: i32 = 16;
/// Most of such tiles that are kept: 128 MiB in two dimensions.
const MAX_TILES: usize = 1 << 16;

/// Ground given by a function, whose value at the corners of the finest level's cells are the points of the surface.
pub struct GroundFormula<const D: usize> {
    height: Arc<dyn CellFunction<D>>,
    rest: f64,
    /// The finest level.
    finest: Geometry<D>,
    known: KnownGround,
}

impl<const D: usize> GroundFormula<D> {
    /// `height`: one value; `rest`: infinitely low where there is no water.
    pub fn new(height: Arc<dyn CellFunction<D>>, rest: f64, finest: Geometry<D>, known: KnownGround) -> Self {
        GroundFormula { height, rest, finest, known }
    }

    /// How many of the finest level's cells a cell has along each axis. Cells of no level are taken for those of a finest one.
    fn ratio(&self, geometry: &Geometry<D>) -> (Geometry<D>, [i32; D]) {
        let ratio: [f64; D] = std::array::from_fn(|d| self.finest.cells[d] / geometry.cells[d]);
        let of_level = (geometry.lower, geometry.upper) == (self.finest.lower, self.finest.upper);
        match of_level && ratio.iter().all(|ratio| *ratio >= 1.0 && ratio.fract() == 0.0) {
            true => (self.finest, ratio.map(|ratio| ratio as i32)),
            false => (*geometry, [1; D]),
        }
    }

    /// Fills the values of a row of cells, each of which has `ratio` of the cells of `finest`.
    fn fill_cells(&self, row: &CellRow<D>, (finest, ratio): (&Geometry<D>, [i32; D]), out: &mut [f64]) {
        let first: [i32; D] = std::array::from_fn(|d| row.first[d] * ratio[d]);
        let mut last: [i32; D] = std::array::from_fn(|d| first[d] + ratio[d]);
        last[0] = first[0];
        let (geometry, r) = (finest.corners(), ratio[0] as usize);
        let mut sums = vec![GroundSums::default(); row.len];
        let mut heights = vec![0.0; row.len * r + 1];
        for first_node in CellBox::new(first, last.map(|n| n + 1)).cells() {
            let is_end = |d: usize| first_node[d] == first[d] || first_node[d] == last[d];
            let weight: f64 = (1..D).map(|d| if is_end(d) { 0.5 } else { 1.0 }).product();
            let nodes = CellRow { geometry, first: first_node, len: heights.len(), time: row.time };
            self.height.fill_row(&nodes, &mut heights);
            for (k, sums) in sums.iter_mut().enumerate() {
                let of_cell = &heights[k * r..=(k + 1) * r];
                sums.add(of_cell[0], self.rest, 0.5 * weight);
                of_cell[1..r].iter().for_each(|height| sums.add(*height, self.rest, weight));
                sums.add(of_cell[r], self.rest, 0.5 * weight);
            }
        }
        out.iter_mut().zip(sums).for_each(|(out, sums)| *out = sums.value(self.rest));
    }

    /// The tile of cells of a coarser level that has a cell.
    fn tile(&self, row: &CellRow<D>, number: [i32; D], ratio: [i32; D]) -> Arc<[f64]> {
        let key = [ratio, number].map(crate::mesh::in_space);
        if let Some(known) = self.known.lock().get(&key) {
            return known.clone();
        }
        let cells = CellBox::new(number.map(|n| n * TILE), number.map(|n| (n + 1) * TILE));
        let mut values = vec![0.0; cells.volume()];
        for (first, out) in cells.rows().zip(values.chunks_mut(TILE as usize)) {
            self.fill_cells(&CellRow { first, len: TILE as usize, ..*row }, (&self.finest, ratio), out);
        }
        let (values, mut known) = (Arc::<[f64]>::from(values), self.known.lock());
        if known.len() >= MAX_TILES {
            known.clear();
        }
        known.insert(key, values.clone());
        values
    }
}

impl<const D: usize> CellFunction<D> for GroundFormula<D> {
    fn num_values(&self) -> usize {
        1
    }

    fn depends_on_time(&self) -> bool {
        self.height.depends_on_time()
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let (finest, ratio) = self.ratio(&row.geometry);
        if ratio == [1; D] || self.depends_on_time() {
            return self.fill_cells(row, (&finest, ratio), out);
        }
        let mut done = 0;
        while done < row.len {
            let cell = row.cell(done);
            let (number, within) = (cell.map(|i| i.div_euclid(TILE)), cell.map(|i| i.rem_euclid(TILE) as usize));
            let place = (0..D).rev().fold(0, |place, d| place * TILE as usize + within[d]);
            let count = (TILE as usize - within[0]).min(row.len - done);
            let tile = self.tile(row, number, ratio);
            out[done..done + count].copy_from_slice(&tile[place..place + count]);
            done += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::ExpressionCells;

    /// A coast with islands, and the ground of a domain whose finest level has `cells`.
    fn ground<const D: usize>(rest: f64, cells: [i32; D]) -> GroundFormula<D> {
        let text = ["sin(12 * x) + 0.2", "sin(7 * x + 1) * cos(9 * y + 3 * x) + 0.2"][D - 1];
        let height = Arc::new(ExpressionCells::compile(&[text]).unwrap());
        GroundFormula::new(height, rest, Geometry::new([-0.3; D], [1.0; D], cells), KnownGround::default())
    }

    /// The values of all cells of a level, of which each has `ratio` of the finest ones.
    fn level<const D: usize>(ground: &GroundFormula<D>, ratio: [i32; D]) -> (CellBox<D>, Vec<f64>) {
        let cells: [i32; D] = std::array::from_fn(|d| ground.finest.cells[d] as i32 / ratio[d]);
        let geometry = Geometry::new(ground.finest.lower, ground.finest.upper, cells);
        let all = CellBox::new([0; D], cells);
        let mut values = vec![0.0; all.volume()];
        for (first, out) in all.rows().zip(values.chunks_mut(cells[0] as usize)) {
            ground.fill_row(&CellRow { geometry, first, len: out.len(), time: 0.0 }, out);
            // The same bits from any cell on: rows of patches begin anywhere.
            let mut part = vec![0.0; out.len() - 3];
            let mut later = first;
            later[0] += 3;
            ground.fill_row(&CellRow { geometry, first: later, len: part.len(), time: 0.0 }, &mut part);
            assert_eq!(part, out[3..]);
        }
        (all, values)
    }

    /// On every level each cell's water at rest is the mean of that of its finest cells, with shores through cells of all levels; land
    /// beside the shore too gets values above the rest level. With plain means it is not. Tolerance: round-off of up to 64 terms.
    fn volumes_are_equal<const D: usize>(cells: [i32; D], ratios: &[[i32; D]]) {
        let depth = |height: f64, rest: f64| (rest - height).max(0.0);
        for &ratio in ratios {
            let worst = |ground: &GroundFormula<D>, rest: f64| {
                let ((all, coarse), (finest, fine)) = (level(ground, ratio), level(ground, [1; D]));
                assert!(coarse.iter().any(|height| *height < rest) && coarse.iter().any(|height| *height > rest));
                let mean = |cell: [i32; D]| {
                    let of_cell = CellBox::cell(cell).fine_from_coarse(crate::index::Ratio(ratio));
                    let sum: f64 = of_cell.cells().map(|cell| depth(fine[finest.number_of(cell)], rest)).sum();
                    sum / of_cell.volume() as f64
                };
                let of_cell = |cell| (mean(cell) - depth(coarse[all.number_of(cell)], rest)).abs();
                all.cells().map(of_cell).fold(0.0, f64::max)
            };
            for rest in [0.0, 0.37] {
                assert!(worst(&ground(rest, cells), rest) < 1e-15, "{ratio:?}, {rest}");
            }
            assert!(worst(&ground(f64::NEG_INFINITY, cells), 0.0) > 1e-3, "{ratio:?}");
        }
    }

    #[test]
    fn volumes_of_water_at_rest_are_equal_on_all_levels() {
        volumes_are_equal([96], &[[2], [4], [8]]);
        volumes_are_equal([96, 48], &[[2, 2], [4, 4], [8, 8], [4, 1], [2, 4]]);
    }
}
