//! Compares domains that have fewer cells along an axis than ghost cells with wide domains, in which these ghost cells are cells.

use super::take_steps;
use amrclaw::frames::frame::Frame;
use amrclaw::mesh::{AxisEnds, Beyond};
use amrclaw::physics::{CellFunction, CellRow};
use amrclaw::simulation::{Simulation, UserFunctions};
use std::collections::HashMap;
use std::sync::Arc;

/// A case on a domain that is narrow along x, with cells of width one.
pub struct Narrow {
    /// Solver and its parameters, then the numbers of its equations and auxiliary values.
    pub solver: &'static str,
    pub equations: usize,
    pub aux: usize,
    /// The component whose sign is reversed by walls across x.
    pub normal: usize,
    /// Boundary conditions at the two sides along x.
    pub sides: [Beyond; 2],
    /// Cells along x.
    pub count: i32,
    /// The first auxiliary value lives on the lower faces along x.
    pub faces: bool,
    /// The domain has two dimensions, with nine cells along y.
    pub plane: bool,
    /// Further text of the case.
    pub more: &'static str,
}

/// Values that differ from cell to cell, but are equal in all cells of the wide domain that are images of one cell of the narrow domain.
struct Data {
    ends: AxisEnds,
    values: usize,
    /// The value whose sign is reversed by walls.
    normal: Option<usize>,
    /// The first value lives on the lower faces along x.
    faces: bool,
}

/// A pseudo-random number between −0.1 and 0.1, a function of `numbers`.
fn scatter(numbers: [i32; 4]) -> f64 {
    let mix = |sum: u64, n: i32| (sum ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    (numbers.into_iter().fold(1, mix) >> 40) as f64 / 2f64.powi(24) * 0.2 - 0.1
}

impl<const D: usize> CellFunction<D> for Data {
    fn num_values(&self) -> usize {
        self.values
    }

    fn fill_row(&self, row: &CellRow<D>, out: &mut [f64]) {
        for i in 0..row.len {
            let (centre, dx) = (row.centre(i), row.geometry.dx);
            let cell: [i32; D] = std::array::from_fn(|d| (centre[d] / dx[d]).floor() as i32);
            let cells = (1.0 / dx[0]).round() as i32;
            let ends = AxisEnds { count: self.ends.count * cells, ..self.ends };
            let periodic = self.ends.sides[0] == Beyond::Periodic;
            let negated = !periodic && ends.origin(cell[0]).walls.count_ones() == 1;
            for m in 0..self.values {
                let x = match (periodic, self.faces && m == 0) {
                    (true, _) => cell[0].rem_euclid(ends.count),
                    (false, true) => ends.origin_of_face(cell[0]),
                    (false, false) => ends.origin(cell[0]).cell,
                };
                let y = if D > 1 { cell[D - 1] } else { 0 };
                let value = scatter([x, y, m as i32, cells]);
                let base = if m == 0 || self.normal.is_none() { 1.0 } else { 0.0 };
                let sign = if negated && self.normal == Some(m) { -1.0 } else { 1.0 };
                out[m * row.len + i] = sign * (base + value);
            }
        }
    }
}

impl Narrow {
    /// The case on cells `from..to` along x, with `sides` as boundary conditions there.
    fn text(&self, from: i32, to: i32, sides: [Beyond; 2]) -> String {
        let name = |side| match side {
            Beyond::Periodic => "periodic",
            Beyond::Wall => "wall",
            _ => "extrapolate",
        };
        let [lower, upper] = sides.map(name);
        let cells = to - from;
        let (lo, hi, size, y) = match self.plane {
            true => {
                (format!("[{from}.0, 0.0]"), format!("[{to}.0, 9.0]"), format!("[{cells}, 9]"), "y = \"extrapolate\"\n")
            }
            false => (format!("[{from}.0]"), format!("[{to}.0]"), format!("[{cells}]"), ""),
        };
        let aux = if self.aux > 0 { "aux = \"user\"\n" } else { "" };
        format!(
            "initial = \"user\"\n{aux}[solver]\n{}\n[mesh]\nlower = {lo}\nupper = {hi}\ncells = {size}\n\
             [mesh.boundary]\nx = [\"{lower}\", \"{upper}\"]\n{y}\
             [time]\nend = 100.0\ndt = 0.04\n[output]\npng = false\n{}",
            self.solver, self.more
        )
    }

    fn functions<const D: usize>(&self) -> UserFunctions<D> {
        let ends = AxisEnds { sides: self.sides, count: self.count };
        let data = |values, normal, faces| Arc::new(Data { ends, values, normal, faces }) as Arc<dyn CellFunction<D>>;
        UserFunctions {
            initial: Some(data(self.equations, Some(self.normal), false)),
            aux: (self.aux > 0).then(|| data(self.aux, None, self.faces)),
            ..UserFunctions::default()
        }
    }

    /// Asserts that the narrow domain and a wide one are bitwise equal after each step. The wide domain holds periodic copies, for all
    /// steps; with other boundaries it holds the values of ghost cells as they are at the start, which are right for one step.
    pub fn compare<const D: usize>(&self, start: impl Fn(&str, UserFunctions<D>) -> Simulation<D>, steps: usize) {
        let periodic = self.sides[0] == Beyond::Periodic;
        let copies = 1 + 11 / self.count;
        let (from, to) = if periodic { (0, copies * self.count) } else { (-12, self.count + 12) };
        let far = if periodic { self.sides } else { [Beyond::Nearest; 2] };
        let mut narrow = start(&self.text(0, self.count, self.sides), self.functions());
        let mut wide = start(&self.text(from, to, far), self.functions());
        for step in 1..=if periodic { steps } else { 1 } {
            take_steps(&mut narrow, 1);
            take_steps(&mut wide, 1);
            let (narrow, wide) = (cells(&narrow.frame(), 0), cells(&wide.frame(), from));
            let what = format!("{} cells, {:?}, {}{}", self.count, self.sides, self.solver, self.more);
            for (place, values) in &narrow {
                let expected = wide.get(place).unwrap_or_else(|| panic!("{what}: {place:?} of step {step} is missing"));
                assert_eq!(values, expected, "{what}: {place:?} of step {step}");
            }
            let levels = |cells: &HashMap<Place<D>, Vec<u64>>| cells.keys().map(|(level, _)| *level).max();
            assert_eq!(levels(&narrow), levels(&wide), "{what}");
            if self.more.contains("max = 2") {
                assert_eq!(levels(&narrow), Some(1), "{what}");
            }
        }
    }
}

/// A level and a cell on it.
type Place<const D: usize> = (usize, [i32; D]);

/// The values of all cells as bits. The coarsest level's first cell along x has the index `from`.
fn cells<const D: usize>(frame: &Frame<D>, from: i32) -> HashMap<Place<D>, Vec<u64>> {
    let mut found = HashMap::new();
    for (l, level) in frame.levels.iter().enumerate() {
        let per_unit = (1.0 / level.dx[0]).round() as i32;
        for patch in &level.patches {
            let volume = patch.cells.volume();
            for (k, mut cell) in patch.cells.cells().enumerate() {
                cell[0] += from * per_unit;
                let values = (0..frame.equations.len()).map(|m| patch.q[m * volume + k].to_bits());
                found.insert((l, cell), values.collect());
            }
        }
    }
    found
}
