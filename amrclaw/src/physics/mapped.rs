//! A problem on a mapped grid: geometry among the auxiliary values, and walls that reflect vectors and tensors about their normals.

use super::{
    AuxOutside, Boundary, CellBlock, CellBlockFunction, CellFunction, CellRow, DeviceForm, Formulas, MappedFormulas,
};
use crate::index::CellBox;
use crate::mesh::{AxisEnds, Beyond, MappedCell, Mapping, Origin};
use riemann::axis::Side;
use riemann::frame::{geometry, half_way};
use riemann::group::{Group, GroupKind, Wall};
use std::sync::Arc;

/// The solver's own auxiliary values, then those of [`geometry`]. Cells outside the domain get the solver's values from the cells that
/// `sides` gives, and the geometry of [`Mapping`].
pub struct MappedAux<const D: usize> {
    mapping: Arc<Mapping<D>>,
    /// The mapping's positions, for devices.
    positions: Option<Formulas>,
    own: Option<Arc<dyn CellFunction<D>>>,
    /// What turns the solver's values that are not scalars into their images in walls.
    mirror: MappedWall,
    sides: [[Beyond; 2]; D],
    /// What the walls among them are.
    walls: [[Wall; 2]; D],
    /// Whether cells behind walls have faces between them: see [`MappedAux::with_faces_behind_walls`].
    faces_behind_walls: bool,
}

impl<const D: usize> MappedAux<D> {
    /// `own`: the solver's values, and which are not scalars. `boundary`, `open`: what lies beyond the domain's sides, as for a Cartesian grid.
    pub fn new(
        mapping: Arc<Mapping<D>>,
        own: Option<(Arc<dyn CellFunction<D>>, Vec<Group>)>,
        boundary: &[[Boundary<D>; 2]; D],
        open: AuxOutside,
    ) -> Self {
        let sides = boundary.each_ref().map(|sides| sides.each_ref().map(|side| side.beyond_of_aux(open)));
        let wall = |side: &Boundary<D>| if let Boundary::Wall(wall) = side { *wall } else { Wall::Slip };
        let walls = boundary.each_ref().map(|sides| sides.each_ref().map(wall));
        let (own, groups) = own.map_or_else(|| (None, Vec::new()), |(own, groups)| (Some(own), groups));
        let mirror = MappedWall { wall: Wall::Slip, groups, first: 0 };
        MappedAux { mapping, positions: None, own, mirror, sides, walls, faces_behind_walls: false }
    }

    /// The same with the mapping as formulas, so that devices can compute the geometry.
    pub fn with_formulas(self, positions: Option<Formulas>) -> Self {
        MappedAux { positions, ..self }
    }

    /// The same, with or without faces between the cells behind walls. Dimensionally split sweeps pass through these cells too, and need
    /// the faces: the mirror images of the faces inside that are perpendicular to the wall.
    pub fn with_faces_behind_walls(self, faces_behind_walls: bool) -> Self {
        MappedAux { faces_behind_walls, ..self }
    }

    fn num_own(&self) -> usize {
        self.own.as_ref().map_or(0, |own| own.num_values())
    }

    /// The solver's own values in a row of cells, `out[value * stride + cell]`.
    fn fill_own(&self, own: &dyn CellFunction<D>, row: &CellRow<D>, out: &mut [f64], stride: usize) {
        let (first, counts) = (row.first, self.mapping.counts(row.geometry.dx));
        let ends: [AxisEnds; D] = std::array::from_fn(|d| AxisEnds { sides: self.sides[d], count: counts[d] });
        let mut start = first.map(|_| 0);
        for d in 1..D {
            start[d] = ends[d].origin(first[d]).cell;
        }
        let mut fill = |to: i32, from: i32, len: usize| {
            start[0] = from;
            let mut values = vec![0.0; own.num_values() * len];
            own.fill_row(&CellRow { first: start, len, ..*row }, &mut values);
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

/// The numbers that turn vectors into the frame of a cell's lower face along an axis.
fn turn_of_face<const D: usize>(cell: &MappedCell<D>, axis: usize) -> [f64; D] {
    let turn = cell.normals[axis];
    if D < 3 || !cell.has_face(axis) {
        return turn;
    }
    let half = half_way(axis, std::array::from_fn(|d| turn[d]));
    std::array::from_fn(|d| half[d])
}

/// A cell's auxiliary values, in the order of [`geometry`].
fn values_of<const D: usize>(cell: &MappedCell<D>) -> impl Iterator<Item = f64> {
    let face = |axis: usize| turn_of_face(cell, axis).into_iter().chain([cell.sizes[axis]]);
    (0..D).flat_map(face).chain([cell.capacity])
}

/// The component of a vector along a normal.
fn across<const D: usize>(vector: [f64; D], normal: [f64; D]) -> f64 {
    let products: [f64; D] = std::array::from_fn(|d| vector[d] * normal[d]);
    products[1..].iter().fold(products[0], |sum, product| sum + product)
}

/// The mirror image of a vector in a face with this normal.
fn mirrored<const D: usize>(vector: [f64; D], normal: [f64; D]) -> [f64; D] {
    let across = across(vector, normal);
    std::array::from_fn(|d| vector[d] - (across + across) * normal[d])
}

/// The part of a vector along a face with this normal.
fn along<const D: usize>(vector: [f64; D], normal: [f64; D]) -> [f64; D] {
    let across = across(vector, normal);
    std::array::from_fn(|d| vector[d] - across * normal[d])
}

/// The cells from `first` up to `last`, if there are any.
fn boxed<const D: usize>(first: [i32; D], last: [i32; D]) -> Option<CellBox<D>> {
    (0..D).all(|d| first[d] < last[d]).then(|| CellBox::new(first, last))
}

impl<const D: usize> MappedAux<D> {
    /// Takes the solver's own vectors and tensors in the cells behind walls of a block to their images in these: one wall after another, each
    /// at its face beside the cell that the values come from.
    fn reflect_own(&self, block: &CellBlock<D>, out: &mut [f64]) {
        let (dx, stride) = (block.geometry.dx, block.num_cells());
        let counts = self.mapping.counts(dx);
        let last: [i32; D] = std::array::from_fn(|d| block.first[d] + block.size[d] as i32);
        for (n, cell) in CellBox::new(block.first, last).cells().enumerate() {
            let origins: [Origin; D] =
                std::array::from_fn(|d| AxisEnds { sides: self.sides[d], count: counts[d] }.origin(cell[d]));
            for (axis, side) in (0..D).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                if origins[axis].walls >> side & 1 == 0 {
                    continue;
                }
                let mut beside = origins.map(|origin| origin.cell);
                beside[axis] = if side == 1 { counts[axis] } else { 0 };
                let face = turn_of_face(&self.mapping.cells(beside, dx, [1; D])[0], axis);
                let mut values: Vec<f64> = (0..self.num_own()).map(|a| out[a * stride + n]).collect();
                self.mirror.reflect::<D>(axis, face, &mut values);
                values.iter().enumerate().for_each(|(a, value)| out[a * stride + n] = *value);
            }
        }
    }

    /// Sets the geometry of the cells behind walls in a box: the faces along the axis, their sizes and the capacity are mirrored at the wall,
    /// so that nothing passes the wall in a sweep towards it. Unless `faces_behind_walls`, the faces between these cells are removed.
    fn put_behind_walls(&self, lo: [i32; D], size: [usize; D], dx: [f64; D], cells: &mut [MappedCell<D>]) {
        let counts = self.mapping.counts(dx);
        let hi: [i32; D] = std::array::from_fn(|d| lo[d] + size[d] as i32);
        let number = |cell: [i32; D]| CellBox::new(lo, hi).number_of(cell);
        for (axis, side) in (0..D).flat_map(|axis| [(axis, Side::Lower), (axis, Side::Upper)]) {
            let upper = side == Side::Upper;
            if self.sides[axis][usize::from(upper)] != Beyond::Wall {
                continue;
            }
            let (mut first, mut last) = (lo, hi);
            match upper {
                true => first[axis] = lo[axis].max(counts[axis]),
                false => last[axis] = hi[axis].min(0),
            }
            for cell in
                boxed(first, last).filter(|_| !self.faces_behind_walls).into_iter().flat_map(|cells| cells.cells())
            {
                let wall = self.walls[axis][usize::from(upper)];
                (0..D).filter(|&along| along != axis).for_each(|along| cells[number(cell)].remove_face(along, wall));
            }
            // Corners beside the domain are not mirrored, nor cells farther from the wall than the domain is wide.
            for d in (0..D).filter(|&d| d != axis && self.sides[d][0] != Beyond::Periodic) {
                (first[d], last[d]) = (lo[d].max(0), hi[d].min(counts[d]));
            }
            (first[axis], last[axis]) = (first[axis].max(-counts[axis]), last[axis].min(2 * counts[axis]));
            if let Some(behind) = boxed(first, last) {
                self.mirror(axis, upper, behind, dx, |cell, normal, size, capacity| {
                    let cell = &mut cells[number(cell)];
                    (cell.normals[axis], cell.sizes[axis], cell.capacity) = (normal, size, capacity);
                });
            }
        }
    }

    /// Calls `put` for each cell of a box behind one wall with the mirrored normal and size of its face along the axis, and its capacity.
    fn mirror(
        &self,
        axis: usize,
        upper: bool,
        behind: CellBox<D>,
        dx: [f64; D],
        mut put: impl FnMut([i32; D], [f64; D], f64, f64),
    ) {
        let count = self.mapping.counts(dx)[axis];
        let CellBox { lo: first, hi: last } = behind;
        // The number of the mirrored face, behind which the mirrored cell lies.
        let face_of = |cell: i32| if upper { 2 * count - cell } else { -cell };
        // The mirrored cells inside, from the wall on, and the cell just behind an upper wall, whose lower face is the wall's.
        let (mut start, mut size): ([i32; D], [usize; D]) =
            (first, std::array::from_fn(|d| (last[d] - first[d]) as usize));
        let end;
        (start[axis], end) =
            if upper { (face_of(last[axis] - 1) - 1, count + 1) } else { (0, face_of(first[axis]) + 1) };
        size[axis] = (end - start[axis]) as usize;
        let inside = self.mapping.cells(start, dx, size);
        let at = |cell: [i32; D], place: i32| {
            let place = |d: usize| (if d == axis { place } else { cell[d] } - start[d]) as usize;
            &inside[(0..D).rev().fold(0, |n, d| n * size[d] + place(d))]
        };
        for cell in behind.cells() {
            let face = face_of(cell[axis]);
            let (image, of_face) = (at(cell, face - 1), at(cell, face));
            let wall = at(cell, if upper { count } else { 0 }).normals[axis];
            // The mirror image of what points towards larger indices points towards smaller ones.
            let normal = mirrored(of_face.normals[axis], wall).map(|x| -x);
            put(cell, normal, of_face.sizes[axis], image.capacity);
        }
    }
}

impl<const D: usize> CellFunction<D> for MappedAux<D> {
    fn num_values(&self) -> usize {
        self.num_own() + geometry(D).len()
    }

    fn depends_on_time(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.depends_on_time())
    }

    fn changes_within(&self) -> [f64; 2] {
        self.own.as_ref().map_or([f64::NEG_INFINITY, f64::INFINITY], |own| own.changes_within())
    }

    fn depends_on_cell_alone(&self) -> bool {
        self.own.as_ref().is_none_or(|own| own.depends_on_cell_alone())
    }

    fn has_geometry(&self) -> bool {
        true
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        self.fill(&row.into(), out);
    }

    fn by_block(&self) -> Option<&dyn CellBlockFunction<D>> {
        Some(self)
    }

    /// Exists if the mapping is formulas, and the solver's own auxiliary values too, if it has any, and are scalars.
    fn device_form(&self) -> Option<DeviceForm> {
        let positions = self.positions.clone().filter(|_| self.mirror.groups.is_empty())?;
        let own = match self.own.as_ref().map(|own| own.device_form()) {
            None => Formulas::default(),
            Some(Some(DeviceForm::Formulas(own))) => own,
            Some(_) => return None,
        };
        let (domain, finest) = (self.mapping.domain(), self.mapping.finest());
        Some(DeviceForm::Mapped(Box::new(MappedFormulas {
            positions,
            lower: domain.lower.to_vec(),
            upper: domain.upper.to_vec(),
            finest: finest.to_vec(),
            dx: domain.dx(finest).to_vec(),
            periodic: domain.repeats.axes.to_vec(),
            beyond: self.sides.to_vec(),
            walls: self.walls.to_vec(),
            faces_behind_walls: self.faces_behind_walls,
            own,
        })))
    }
}

impl<const D: usize> CellBlockFunction<D> for MappedAux<D> {
    fn fill(&self, block: &CellBlock<D>, out: &mut [f64]) {
        let (cells, len) = (block.num_cells(), block.size[0]);
        if let Some(own) = &self.own {
            for (number, row) in block.rows().enumerate() {
                self.fill_own(own.as_ref(), &row, &mut out[number * len..], cells);
            }
            if !self.mirror.groups.is_empty() {
                self.reflect_own(block, out);
            }
        }
        let geometry = &mut out[self.num_own() * cells..];
        let (first, dx) = (block.first, block.geometry.dx);
        let mut mapped = self.mapping.cells(first, dx, block.size);
        self.put_behind_walls(first, block.size, dx, &mut mapped);
        for (cell, mapped) in mapped.iter().enumerate() {
            values_of(mapped).enumerate().for_each(|(n, value)| geometry[n * cells + cell] = value);
        }
    }
}

/// What a side of a mapped grid that reflects does to vectors and tensors.
#[derive(Clone, Debug)]
pub struct MappedWall {
    /// How it reflects.
    pub wall: Wall,
    /// The components of the state that are not scalars.
    pub groups: Vec<Group>,
    /// The first auxiliary value of the geometry, after the solver's own.
    pub first: usize,
}

impl MappedWall {
    /// Number of auxiliary values of a cell.
    pub fn num_aux<const D: usize>(&self) -> usize {
        self.first + geometry(D).len()
    }

    /// The first of the `D` auxiliary values of the wall face's normal, in the cell whose lower face along `axis` it is.
    pub fn face<const D: usize>(&self, axis: usize) -> usize {
        self.first + (D + 1) * axis
    }

    /// Takes a state to its image beyond the wall. `face`: the wall's face, as it is among the auxiliary values.
    pub fn reflect<const D: usize>(&self, axis: usize, face: [f64; D], state: &mut [f64]) {
        let twice = face[axis] + face[axis];
        let normal: [f64; D] = std::array::from_fn(|d| match (D, d == axis) {
            (2, _) => face[d],
            (_, true) => twice * face[d] - 1.0,
            (_, false) => twice * face[d],
        });
        for group in &self.groups {
            let first = group.first as usize;
            let sign = if group.kind.is_pseudo() { -1.0 } else { 1.0 };
            match (group.kind, self.wall) {
                (GroupKind::Vector | GroupKind::OutOfPlane, Wall::Clamped) => {
                    group.components(D).for_each(|m| state[m] = -state[m]);
                }
                (GroupKind::OutOfPlane, _) | (GroupKind::Vector, Wall::Free) | (GroupKind::Tensor, Wall::Clamped) => {}
                (GroupKind::PseudoScalar, _) => state[first] *= sign,
                (GroupKind::Vector | GroupKind::PseudoVector, _) => {
                    let mirror = mirrored(std::array::from_fn(|d| state[first + d]), normal);
                    state[first..first + D].copy_from_slice(&mirror.map(|x| sign * x));
                }
                (GroupKind::Tensor, wall) => {
                    let turned =
                        |vector| if wall == Wall::Free { along(vector, normal) } else { mirrored(vector, normal) };
                    let row = |i: usize| std::array::from_fn(|j| state[group.of_tensor(D, i, j)]);
                    let rows: [[f64; D]; D] = std::array::from_fn(|i| turned(row(i)));
                    for j in 0..D {
                        let column = turned(std::array::from_fn(|i| rows[i][j]));
                        for i in 0..=j {
                            let value = &mut state[group.of_tensor(D, i, j)];
                            // What lies along the side stays, the rest is reversed.
                            *value = if wall == Wall::Free { (column[i] + column[i]) - *value } else { column[i] };
                        }
                    }
                }
            }
        }
    }
}
