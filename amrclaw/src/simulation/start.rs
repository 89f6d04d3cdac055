//! Checks of a case's data at the start, before there are levels: errors name the case's line.

use super::build::axes;
use super::{RunError, Simulation};
use crate::case::{Case, CaseErrors, SolverFrom};
use crate::exec::{CellPlace, ExecError};
use crate::index::{Level, in_dimensions};
use crate::mesh::in_space;
use crate::physics::{CellFunction, CellRow, SourceSplit};
use riemann::patch::{PACK_OVERRUN, PatchSolver, SourceRow};
use riemann::real::Scalar;

/// Cells of a row that are checked together.
const ROW: i32 = 1 << 14;
/// Most pieces of rows that are checked; in a larger mesh, a sample at equal distances.
const MAX_ROWS: u64 = 1 << 12;

/// Finds the errors that a run would report before its first step: errors of the case and its solver, missing functions, data that
/// and inflow that are not finite on the coarsest mesh, a mesh that does not fit in memory.
///
/// Nothing is written, and no level is made. In a large mesh only some rows are checked.
///
/// # Errors
/// The errors, with file, line and key.
pub fn check(case: &Case) -> Result<(), RunError> {
    in_dimensions!(case.dimension(), D => check_in::<D>(case))
}

fn check_in<const D: usize>(case: &Case) -> Result<(), RunError> {
    let case = case.examined();
    let mut simulation = Simulation::<D>::builder(&case).only_checked().assemble()?;
    simulation.attempt(|simulation| simulation.check_start(&case))
}

/// Values of a row of cells and what to call them.
struct Row<'a, const D: usize> {
    cells: CellRow<D>,
    case: &'a Case,
}

impl<const D: usize> Row<'_, D> {
    /// Reports the first of the values, `[value, cell]` with `stride` cells per value, for which `fine` is false, as an error of the case.
    fn refuse(
        &self,
        (names, values, stride): (&[String], &[f64], usize),
        fine: impl Fn(f64) -> bool,
        key: impl Fn(&str) -> (String, &'static str),
    ) -> Result<(), CaseErrors> {
        for (name, values) in names.iter().zip(values.chunks(stride.max(1))) {
            let Some(i) = values[..self.cells.len].iter().position(|value| !fine(*value)) else { continue };
            let (cell, centre, (key, help)) = (self.cells.cell(i), self.cells.centre(i), key(name));
            let (value, t) = (values[i], self.cells.time);
            let message =
                format!("{name} is {value} on level {}, cell {cell:?} at {centre:?}, t = {t}", Level::COARSEST);
            return Err(self.case.error(&key, message, help));
        }
        Ok(())
    }
}

impl<const D: usize> Simulation<D> {
    /// Refuses initial data, auxiliary values, a capacity, sources and inflow that are invalid on the coarsest mesh.
    pub(super) fn check_start(&mut self, case: &Case) -> Result<(), RunError> {
        let cells: [i32; D] = axes(&case.mesh.cells);
        // Pieces of rows first, then the other axes.
        let mut counts = cells.map(|n| n as u64);
        counts[0] = counts[0].div_ceil(ROW as u64);
        let total = counts.iter().fold(1_u64, |product, &n| product.saturating_mul(n));
        for number in (0..total).step_by(total.div_ceil(MAX_ROWS) as usize) {
            let mut rest = number;
            let mut first = counts.map(|n| {
                let here = rest % n;
                rest /= n;
                here as i32
            });
            first[0] *= ROW;
            self.check_row(case, first, (cells[0] - first[0]).min(ROW) as usize)?;
        }
        self.check_inflow(case)
    }

    /// Refuses sources that are not finite at the start. Skipped if initial data or auxiliary values prefer calls for whole boxes.
    pub(super) fn check_sources(&mut self, case: &Case) -> Result<(), RunError> {
        let by_block = |function: &dyn CellFunction<D>| function.by_block().is_some();
        let asked = by_block(self.problem.initial.as_ref()) || self.problem.aux.as_deref().is_some_and(by_block);
        let acts = self.problem.source.is_some() || self.kernels.double.has_source();
        if asked || !acts || self.problem.source_split == SourceSplit::None {
            return Ok(());
        }
        self.check_start(case)
    }

    fn check_row(&self, case: &Case, first: [i32; D], len: usize) -> Result<(), RunError> {
        let geometry = self.hierarchy.geometry(Level::COARSEST);
        let row = Row { cells: CellRow { geometry, first, len, time: self.settings.start }, case };
        let finite = |value: f64| value.is_finite();
        let formula = |section: &'static str| {
            move |name: &str| (format!("{section}.{name}"), "write a formula that is a number everywhere in the domain")
        };
        let mut aux = vec![0.0; self.names.aux.len() * len];
        if let Some(function) = &self.problem.aux {
            function.fill_row(&row.cells, &mut aux);
            row.refuse((&self.names.aux, &aux, len), finite, formula("aux"))?;
        }
        if let Ok(capacity) = usize::try_from(self.problem.scheme.capacity) {
            let kappa = (&self.names.aux[capacity..=capacity], &aux[capacity * len..][..len], len);
            let key =
                |name: &str| (format!("aux.{name}"), "write a formula that is above zero everywhere in the domain");
            row.refuse(kappa, |value| value > 0.0, key)?;
        }
        let mut state = vec![0.0; self.names.equations.len() * len];
        self.problem.initial.fill_row(&row.cells, &mut state);
        row.refuse((&self.names.equations, &state, len), finite, formula("initial"))?;
        self.check_admissible(&row, &state, &aux)?;
        if self.problem.source_split == SourceSplit::None {
            return Ok(());
        }
        if let Some(function) = &self.problem.source {
            let mut rates = vec![0.0; state.len()];
            function.fill_row(&row.cells, &state, &aux, &mut rates);
            row.refuse((&self.names.equations, &rates, len), finite, formula("source"))?;
        }
        if self.kernels.double.has_source() { Ok(self.check_own_source(&row, &state, &aux)?) } else { Ok(()) }
    }

    /// Refuses states that are inadmissible for the solver.
    fn check_admissible(&self, row: &Row<'_, D>, state: &[f64], aux: &[f64]) -> Result<(), RunError> {
        let (len, positive) = (row.cells.len, self.kernels.double.positive());
        let names: Vec<_> = positive.iter().chain(self.kernels.double.nonnegative()).collect();
        let mut values = vec![0.0; names.len()];
        for i in (0..len).filter(|_| !names.is_empty()) {
            let of_cell = |values: &[f64]| values.iter().skip(i).step_by(len).copied().collect::<Vec<f64>>();
            self.kernels.double.quantities(&of_cell(state), &of_cell(aux), &mut values);
            let wrong = |k: &usize| if *k < positive.len() { values[*k] <= 0.0 } else { values[*k] < 0.0 };
            let Some(k) = (0..names.len()).find(wrong) else { continue };
            let place = CellPlace {
                level: Level::COARSEST,
                patch: 0,
                cell: row.cells.cell(i).to_vec(),
                centre: row.cells.centre(i).to_vec(),
                time: row.cells.time,
                ghost: false,
            };
            let (quantity, positive) = (names[k].to_string(), k < positive.len());
            let error = RunError::from(ExecError::Inadmissible { quantity, value: values[k], positive, place });
            return Err(error.in_case(row.case, &self.names.equations, &self.names.aux));
        }
        Ok(())
    }

    /// Applies the solver's own source to a row for the first step, and refuses results that are not finite.
    fn check_own_source(&self, row: &Row<'_, D>, state: &[f64], aux: &[f64]) -> Result<(), CaseErrors> {
        match &self.kernels.single {
            Some(solver) => self.check_source_of(&**solver, row, state, aux),
            None => self.check_source_of(&*self.kernels.double, row, state, aux),
        }
    }

    fn check_source_of<R: Scalar>(
        &self,
        solver: &dyn PatchSolver<R>,
        row: &Row<'_, D>,
        state: &[f64],
        aux: &[f64],
    ) -> Result<(), CaseErrors> {
        let len = row.cells.len;
        let stride = len.next_multiple_of(PACK_OVERRUN) + PACK_OVERRUN;
        let spread = |values: &[f64]| {
            let mut spread = vec![R::default(); values.len() / len * stride + PACK_OVERRUN];
            let parts = spread.chunks_mut(stride).zip(values.chunks(len));
            parts.for_each(|(to, from)| to.iter_mut().zip(from).for_each(|(to, &from)| *to = R::from_f64(from)));
            spread
        };
        let (mut q, aux) = (spread(state), spread(aux));
        let (t, dt) = (row.cells.time, self.settings.dt_initial);
        let cells = SourceRow {
            q: q.as_mut_ptr(),
            aux: aux.as_ptr(),
            len,
            component: stride,
            lattice: row.cells.geometry.in_space(),
            first: in_space(row.cells.first),
            t,
            dt,
        };
        // SAFETY: both arrays hold `stride` numbers per component and the overrun after the last; nothing else accesses them.
        let act = |cells: &SourceRow<R>| unsafe { solver.apply_source(cells) };
        match &self.problem.own_source_at {
            Some(centres) => centres.rows(&row.cells, &cells).for_each(|cell| act(&cell)),
            None => act(&cells),
        }
        let q: Vec<f64> = q.into_iter().map(R::to_f64).collect();
        let key = match row.case.solver.from {
            SolverFrom::Name(_) => "solver.name",
            SolverFrom::Path(_) => "solver.path",
        };
        let help = "the solver's `source` computes this value from the initial data: correct it, or change the data";
        row.refuse((&self.names.equations, &q, stride), f64::is_finite, |_| (key.to_owned(), help))
    }
}
