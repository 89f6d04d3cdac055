//! Fields of which leaves are flagged: numbers in cells, and beyond the boundary's faces.

use crate::case::CriterionField;
use crate::physics::{CellBlock, CellRow, MeshSides, StateFunction};
use crate::threads::parallel_table;
use std::sync::{Arc, OnceLock};
use unstructured::Mesh;
use unstructured::step::{Across, Gradient, Place, Surroundings, gradients, stencil};

/// Values of cells, `[component, cell]`, and what lies beyond the boundary's faces.
pub(super) struct Values<'a> {
    mesh: &'a Mesh,
    time: f64,
    q: &'a [f64],
    aux: &'a [f64],
    beyond: Vec<f64>,
    /// By which gradients are taken, once one has been.
    across: OnceLock<Arc<Vec<Across>>>,
}

impl<'a> Values<'a> {
    pub fn new<const D: usize>(
        (sides, mesh): (&MeshSides<D>, &'a Mesh),
        time: f64,
        (q, aux): (&'a [f64], &'a [f64]),
    ) -> Self {
        let at = Surroundings { mesh, outside: sides, time, speeds: &sides.in_time.speeds_of_sides() };
        let (cells, boundary) = (mesh.num_cells(), mesh.boundary.len());
        let mut beyond = vec![0.0; q.len() / cells * boundary];
        for number in 0..boundary {
            let cell = mesh.faces.left[mesh.first_boundary() + number] as usize;
            let inside = of_cell(q, cells, cell);
            let mut outside = vec![0.0; inside.len()];
            at.fill(number, Place::Ghost, &inside, &mut outside);
            outside.iter().enumerate().for_each(|(m, value)| beyond[m * boundary + number] = *value);
        }
        Values { mesh, time, q, aux, beyond, across: OnceLock::new() }
    }

    /// A field in all cells, then beyond the boundary.
    pub fn field<const D: usize>(&self, field: &CriterionField<D>) -> Vec<f64> {
        let (mesh, cells) = (self.mesh, self.mesh.num_cells());
        match field {
            CriterionField::Equation(m) => self.row(*m),
            CriterionField::Formula(formula) => {
                let rows: Vec<Vec<f64>> = (0..(self.q.len() + self.aux.len()) / cells).map(|m| self.row(m)).collect();
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                formula.in_cells((mesh, self.time), &rows, &|k| self.place(k), &|field| self.gradients(field))
            }
            CriterionField::Function(function) => parallel_table(cells + mesh.boundary.len(), |k| {
                let (state, aux) = match k.checked_sub(cells) {
                    None => (of_cell(self.q, cells, k), of_cell(self.aux, cells, k)),
                    Some(number) => (
                        of_cell(&self.beyond, mesh.boundary.len(), number),
                        of_cell(self.aux, cells, self.within(number)),
                    ),
                };
                value(function.as_ref(), (self.place(k), self.time), &state, &aux)
            }),
        }
    }

    /// The gradient in each cell of a field.
    pub fn gradients(&self, field: &[f64]) -> Vec<[f64; 3]> {
        gradients(self.mesh, self.across.get_or_init(|| stencil(self.mesh, Gradient::LeastSquares)), field)
    }

    /// The cell within a boundary face.
    fn within(&self, number: usize) -> usize {
        self.mesh.faces.left[self.mesh.first_boundary() + number] as usize
    }

    /// Where a value is.
    fn place<const D: usize>(&self, k: usize) -> [f64; D] {
        match k.checked_sub(self.mesh.num_cells()) {
            None => std::array::from_fn(|d| self.mesh.centroid[k][d]),
            Some(number) => MeshSides::<D>::position(self.mesh, number, Place::Ghost),
        }
    }

    /// A component of the states, or behind these an auxiliary value: beyond the boundary that of the cell within.
    fn row(&self, m: usize) -> Vec<f64> {
        let (cells, boundary) = (self.mesh.num_cells(), self.mesh.boundary.len());
        match m.checked_sub(self.q.len() / cells) {
            None => [&self.q[m * cells..][..cells], &self.beyond[m * boundary..][..boundary]].concat(),
            Some(a) => {
                let own = &self.aux[a * cells..][..cells];
                own.iter().copied().chain((0..boundary).map(|number| own[self.within(number)])).collect()
            }
        }
    }
}

pub(super) fn of_cell(values: &[f64], cells: usize, cell: usize) -> Vec<f64> {
    values.iter().skip(cell).step_by(cells.max(1)).copied().collect()
}

/// The value of a function at a point, around which all has the same state.
fn value<const D: usize>(
    function: &dyn StateFunction<D>,
    (at, time): ([f64; D], f64),
    state: &[f64],
    aux: &[f64],
) -> f64 {
    let (row, mut out) = (CellRow::point(at, [1.0; D], time), vec![0.0; function.num_values()]);
    match function.by_block() {
        None => function.fill_row(&row, state, aux, &mut out),
        Some(function) => {
            let around = |values: &[f64], reach: i32| -> Vec<f64> {
                let count = (2 * reach as usize + 1).pow(D as u32);
                values.iter().flat_map(|value| std::iter::repeat_n(*value, count)).collect()
            };
            let [of_state, of_aux] = function.reach();
            function.fill(&CellBlock::from(&row), &around(state, of_state), &around(aux, of_aux), &mut out);
        }
    }
    out[0]
}
