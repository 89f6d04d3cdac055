//! Checks of the formulas for inflow at the start, on the coarsest mesh.

use super::{RunError, Simulation};
use crate::case::{BoundaryKind, Case};
use crate::exec::{CellPlace, ExecError};
use crate::index::Level;
use crate::mesh::AxisEnds;
use crate::physics::{Boundary, BoundaryCell, CellRow, SideSigns};
use riemann::axis::{Axis, Side};

/// Most places along a side that are checked; along a longer side, a sample at equal distances.
const MAX_PLACES: u64 = 1 << 12;

/// The case's inflow side that a point outside the domain lies beyond: along the last such axis, whose side is filled last.
pub(super) fn side_of(case: &Case, centre: &[f64]) -> Option<(usize, usize)> {
    let beyond = |(d, x): (usize, &f64)| {
        let side = match *x {
            x if x < case.mesh.lower[d] => 0,
            x if x > case.mesh.upper[d] => 1,
            _ => return None,
        };
        (case.mesh.boundary[d][side] == BoundaryKind::Inflow).then_some((d, side))
    };
    centre.iter().enumerate().rev().find_map(beyond)
}

impl<const D: usize> Simulation<D> {
    /// Refuses inflow that is not finite at the start, in ghost cells of the coarsest mesh.
    pub(super) fn check_inflow(&self, case: &Case) -> Result<(), RunError> {
        let counts: [i32; D] = super::build::axes(&case.mesh.cells);
        let sides = self.problem.boundary.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond));
        let ends: [AxisEnds; D] = std::array::from_fn(|d| AxisEnds { sides: sides[d], count: counts[d] });
        let signs = SideSigns::new(&self.problem.boundary, self.kernels.double.groups(), self.names.equations.len());
        let width = self.problem.num_ghost();
        for (d, kinds) in case.mesh.boundary.iter().enumerate() {
            // Along earlier axes the side's ghost cells go on outside the domain.
            let across: [_; D] = std::array::from_fn(|a| match a {
                _ if a < d => (-width, counts[a] + width),
                _ => (0, counts[a]),
            });
            let layers = [-width..0, counts[d]..counts[d] + width];
            for (layers, _) in layers.into_iter().zip(kinds).filter(|(_, kind)| **kind == BoundaryKind::Inflow) {
                for mut cell in places(across, d) {
                    for layer in layers.clone() {
                        cell[d] = layer;
                        self.check_ghost(case, cell, (&ends, &signs))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_ghost(&self, case: &Case, cell: [i32; D], sides: (&[AxisEnds; D], &SideSigns)) -> Result<(), RunError> {
        let state = self.state_at(cell, sides);
        let Some(m) = state.iter().position(|value| !value.is_finite()) else { return Ok(()) };
        let centre = self.hierarchy.geometry(Level::COARSEST).centre(cell).to_vec();
        let (level, time) = (Level::COARSEST, self.settings.start);
        let place = CellPlace { level, patch: 0, cell: cell.to_vec(), centre, time, ghost: true };
        let (equation, value) = (self.names.equations[m].clone(), state[m]);
        let error = RunError::from(ExecError::NotFinite { equation, value, place });
        Err(error.in_case(case, &self.names.equations, &self.names.aux))
    }

    /// The state at the start in a cell of the coarsest mesh or outside it, as ghost cells are filled: axis by axis.
    fn state_at(&self, mut cell: [i32; D], (ends, signs): (&[AxisEnds; D], &SideSigns)) -> Vec<f64> {
        let (geometry, time) = (self.hierarchy.geometry(Level::COARSEST), self.settings.start);
        let Some(d) = (0..D).rev().find(|d| !(0..ends[*d].count).contains(&cell[*d])) else {
            let mut state = vec![0.0; self.names.equations.len()];
            let row = CellRow { geometry, first: cell, len: 1, time };
            self.problem.initial.fill_row(&row, &mut state);
            return state;
        };
        let (centre, axis) = (geometry.centre(cell), Axis::ALL[d]);
        let side = if cell[d] < 0 { Side::Lower } else { Side::Upper };
        let origin = ends[d].origin(cell[d]);
        cell[d] = origin.cell.rem_euclid(ends[d].count);
        let mut state = self.state_at(cell, (ends, signs));
        for (m, value) in state.iter_mut().enumerate() {
            *value = if signs.is_negated(m, axis, origin.walls) { -*value } else { *value };
        }
        if let Boundary::User(function) = &self.problem.boundary[d][side.index()] {
            let mirror = state.clone();
            function.fill(&BoundaryCell { centre, time, axis, side }, &mirror, &mut state);
        }
        state
    }
}

/// Cells of these ranges, or a sample of them; along axis `d` all are cell 0.
fn places<const D: usize>(ranges: [(i32, i32); D], d: usize) -> impl Iterator<Item = [i32; D]> {
    let counts: [u64; D] = std::array::from_fn(|a| if a == d { 1 } else { (ranges[a].1 - ranges[a].0) as u64 });
    let total = counts.iter().fold(1_u64, |product, &n| product.saturating_mul(n));
    (0..total).step_by(total.div_ceil(MAX_PLACES) as usize).map(move |number| {
        let mut rest = number;
        std::array::from_fn(|a| {
            let here = (rest % counts[a]) as i32;
            rest /= counts[a];
            if a == d { 0 } else { ranges[a].0 + here }
        })
    })
}
