//! What a mapped grid makes of a problem: geometry among the auxiliary values, functions of the user's at physical positions, walls that
//! turn back what is normal to them.

use super::{
    AuxOutside, Boundary, BoundaryBlockFunction, BoundaryCell, BoundaryFunction, CellBlock, CellBlockFunction,
    CellFunction, CellRow, StateFunction,
};
use crate::mesh::{AxisEnds, Beyond, Mapping};
use riemann::axis::{Axis, Side};
use riemann::frame::{CAPACITY, GEOMETRY};
use std::sync::Arc;

/// The solver's own auxiliary values, then those of [`GEOMETRY`]. Asked for cells outside the domain too, it gives them what the domain's
/// sides show of the first, and the geometry of [`Mapping`].
pub struct MappedAux<const D: usize> {
    mapping: Arc<Mapping<D>>,
    own: Option<Arc<dyn CellFunction<D>>>,
    sides: [[Beyond; 2]; D],
}

impl<const D: usize> MappedAux<D> {
    /// `boundary`, `open`: what lies beyond the domain's sides, as a straight grid has it.
    pub fn new(
        mapping: Arc<Mapping<D>>,
        own: Option<Arc<dyn CellFunction<D>>>,
        boundary: &[[Boundary<D>; 2]; D],
        open: AuxOutside,
    ) -> Self {
        let sides = boundary.each_ref().map(|sides| sides.each_ref().map(|side| side.beyond_of_aux(open)));
        MappedAux { mapping, own, sides }
    }

    fn num_own(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.num_values())
    }

    /// The solver's own values in a row of cells, `out[value * stride + cell]`.
    fn fill_own(&self, own: &dyn CellFunction<D>, row: &CellRow<D>, out: &mut [f64], stride: usize) {
        let (first, counts) = (self.mapping.cell_at(row.lower, row.dx), self.mapping.counts(row.dx));
        let ends: [AxisEnds; D] = std::array::from_fn(|d| AxisEnds { sides: self.sides[d], count: counts[d] });
        let mut start = first.map(|_| 0);
        for d in 1..D {
            start[d] = ends[d].origin(first[d]).cell;
        }
        let lower = |cell: [i32; D]| -> [f64; D] {
            std::array::from_fn(|d| row.lower[d] + f64::from(cell[d] - first[d]) * row.dx[d])
        };
        let mut fill = |to: i32, from: i32, len: usize| {
            start[0] = from;
            let mut values = vec![0.0; own.num_values() * len];
            own.fill_row(&CellRow { lower: lower(start), len, ..*row }, &mut values);
            for (value, values) in values.chunks_exact(len).enumerate() {
                out[value * stride + (to - first[0]) as usize..][..len].copy_from_slice(values);
            }
        };
        for run in ends[0].runs(first[0], first[0] + row.len as i32) {
            match run.scale {
                1 => fill(run.lo, run.lo + run.offset, (run.hi - run.lo) as usize),
                scale => (run.lo..run.hi).for_each(|cell| fill(cell, scale * cell + run.offset, 1)),
            }
        }
    }
}

impl<const D: usize> MappedAux<D> {
    /// The side along an axis that is a wall with the cell behind it.
    fn wall(&self, cell: [i32; D], counts: [i32; D], axis: usize) -> Option<Side> {
        let side = match cell[axis] {
            at if at < 0 => Side::Lower,
            at if at >= counts[axis] => Side::Upper,
            _ => return None,
        };
        (self.sides[axis][usize::from(side == Side::Upper)] == Beyond::Wall).then_some(side)
    }

    /// Puts what is behind walls into the geometry of a cell: the face behind the wall's is its mirror image in it, as the area is, so
    /// that nothing passes the wall in a sweep towards it; between the cells there are no faces, for the solver to know them by.
    fn put_behind_walls(&self, cell: [i32; D], dx: [f64; D], geometry: &mut [f64; 7]) {
        let counts = self.mapping.counts(dx);
        for axis in [0, 1] {
            let (along, Some(side)) = (1 - axis, self.wall(cell, counts, axis)) else { continue };
            // The number of the mirrored face, behind which the mirrored cell lies.
            let upper = side == Side::Upper;
            let face = if upper { 2 * counts[axis] - cell[axis] } else { -cell[axis] };
            let beside = self.sides[along][0] != Beyond::Periodic && !(0..counts[along]).contains(&cell[along]);
            if !beside && (1..=counts[axis]).contains(&face) {
                let inside = |at: i32| {
                    let mut inside = cell;
                    inside[axis] = at;
                    self.mapping.cells(self.mapping.corner(inside, dx), dx, [1; D])[0]
                };
                let (mirrored, of_face) = (inside(face - 1), inside(face));
                let [nx, ny] = self.mapping.side_normals(axis, upper, cell[along], 1, dx)[0];
                let (a, b) = (of_face[3 * axis], of_face[3 * axis + 1]);
                let normal = a * nx + b * ny;
                // The mirror image of what points towards larger indices points towards smaller ones.
                geometry[3 * axis] = (normal + normal) * nx - a;
                geometry[3 * axis + 1] = (normal + normal) * ny - b;
                (geometry[3 * axis + 2], geometry[CAPACITY]) = (of_face[3 * axis + 2], mirrored[CAPACITY]);
            }
        }
        for axis in (0..2).filter(|&axis| self.wall(cell, counts, axis).is_some()) {
            geometry[3 * (1 - axis)..][..3].fill(0.0);
        }
    }
}

impl<const D: usize> CellFunction<D> for MappedAux<D> {
    fn num_values(&self) -> usize {
        self.num_own() + GEOMETRY.len()
    }

    fn depends_on_time(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.depends_on_time())
    }

    /// The geometry comes from nodes, which have numbers; the solver's own values from positions that the row's first cell rounds.
    fn depends_on_cell_alone(&self) -> bool {
        self.own.is_none()
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let mut size = [1; D];
        size[0] = row.len;
        self.fill(&CellBlock { lower: row.lower, dx: row.dx, size, time: row.time }, out);
    }

    fn by_block(&self) -> Option<&dyn CellBlockFunction<D>> {
        Some(self)
    }
}

impl<const D: usize> CellBlockFunction<D> for MappedAux<D> {
    fn fill(&self, block: &CellBlock<D>, out: &mut [f64]) {
        let (cells, len) = (block.num_cells(), block.size[0]);
        if let Some(own) = &self.own {
            for row in 0..block.size[1] {
                let mut lower = block.lower;
                lower[1] += row as f64 * block.dx[1];
                let row_of = CellRow { lower, dx: block.dx, len, time: block.time };
                self.fill_own(own.as_ref(), &row_of, &mut out[row * len..], cells);
            }
        }
        let geometry = &mut out[self.num_own() * cells..];
        let first = self.mapping.cell_at(block.lower, block.dx);
        for (number, mut values) in self.mapping.cells(block.lower, block.dx, block.size).into_iter().enumerate() {
            let mut cell = first;
            (cell[0], cell[1]) = (cell[0] + (number % len) as i32, cell[1] + (number / len) as i32);
            self.put_behind_walls(cell, block.dx, &mut values);
            for (n, value) in values.into_iter().enumerate() {
                geometry[n * cells + number] = value;
            }
        }
    }
}

/// A function of position that sees physical positions: it is asked for each cell by itself, as if its centre lay there.
pub struct AtPositions<const D: usize, F: ?Sized> {
    mapping: Arc<Mapping<D>>,
    function: Arc<F>,
}

impl<const D: usize, F: ?Sized> AtPositions<D, F> {
    /// The function on a mapped grid.
    pub fn new(mapping: &Arc<Mapping<D>>, function: Arc<F>) -> Self {
        AtPositions { mapping: mapping.clone(), function }
    }

    /// One row for each cell.
    fn cells(&self, row: &CellRow<D>) -> impl Iterator<Item = CellRow<D>> {
        let centres: Vec<_> = (0..row.len).map(|i| row.centre(i)).collect();
        let (dx, time) = (row.dx, row.time);
        self.mapping.positions(&centres).into_iter().map(move |centre| CellRow {
            lower: std::array::from_fn(|d| centre[d] - 0.5 * dx[d]),
            dx,
            len: 1,
            time,
        })
    }
}

impl<const D: usize> CellFunction<D> for AtPositions<D, dyn CellFunction<D>> {
    fn num_values(&self) -> usize {
        self.function.num_values()
    }

    fn depends_on_time(&self) -> bool {
        self.function.depends_on_time()
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        let mut values = vec![0.0; self.num_values()];
        for (i, cell) in self.cells(row).enumerate() {
            self.function.fill_row(&cell, &mut values);
            values.iter().enumerate().for_each(|(n, value)| out[n * row.len + i] = *value);
        }
    }
}

impl<const D: usize> StateFunction<D> for AtPositions<D, dyn StateFunction<D>> {
    fn num_values(&self) -> usize {
        self.function.num_values()
    }

    fn fill_row(&self, row: &CellRow<D>, state: &[f64], aux: &[f64], out: &mut [f64]) {
        let of_cell = |values: &[f64], i: usize| values.iter().skip(i).step_by(row.len).copied().collect::<Vec<f64>>();
        let mut values = vec![0.0; self.num_values()];
        for (i, cell) in self.cells(row).enumerate() {
            self.function.fill_row(&cell, &of_cell(state, i), &of_cell(aux, i), &mut values);
            values.iter().enumerate().for_each(|(n, value)| out[n * row.len + i] = *value);
        }
    }
}

impl<const D: usize> BoundaryFunction<D> for AtPositions<D, dyn BoundaryFunction<D>> {
    fn fill(&self, cell: &BoundaryCell<D>, mirror: &[f64], ghost: &mut [f64]) {
        self.function.fill(&BoundaryCell { centre: self.mapping.position(cell.centre), ..*cell }, mirror, ghost);
    }
}

/// A solid wall on a mapped grid: ghost cells mirror the interior, the part of each vector normal to the wall with its sign changed.
pub struct MappedWall<const D: usize> {
    mapping: Arc<Mapping<D>>,
    /// The first component of each vector of the state.
    vectors: Vec<usize>,
}

impl<const D: usize> MappedWall<D> {
    /// `vectors`: the first component of each.
    pub fn new(mapping: &Arc<Mapping<D>>, vectors: &[usize]) -> Self {
        MappedWall { mapping: mapping.clone(), vectors: vectors.to_vec() }
    }
}

impl<const D: usize> BoundaryFunction<D> for MappedWall<D> {
    fn fill(&self, _: &BoundaryCell<D>, _: &[f64], _: &mut [f64]) {
        unreachable!("a mapped wall is asked for boxes, which say what level they are of");
    }

    fn by_block(&self) -> Option<&dyn BoundaryBlockFunction<D>> {
        Some(self)
    }
}

impl<const D: usize> BoundaryBlockFunction<D> for MappedWall<D> {
    fn fill(&self, block: &CellBlock<D>, axis: Axis, side: Side, values: &mut [f64]) {
        let (cells, along) = (block.num_cells(), 1 - axis.index());
        let first = self.mapping.cell_at(block.lower, block.dx)[along];
        let normals = self.mapping.side_normals(axis.index(), side == Side::Upper, first, block.size[along], block.dx);
        for cell in 0..cells {
            let place = [cell % block.size[0], cell / block.size[0]];
            let [nx, ny] = normals[place[along]];
            for &v in &self.vectors {
                let (a, b) = (values[v * cells + cell], values[(v + 1) * cells + cell]);
                let normal = a * nx + b * ny;
                values[v * cells + cell] = a - (normal + normal) * nx;
                values[(v + 1) * cells + cell] = b - (normal + normal) * ny;
            }
        }
    }
}
