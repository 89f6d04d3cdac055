//! Detects source terms that are too stiff for the steps of the midpoint rule: unstable steps need not reach infinity before the end of the
//! run.
//!
//! A look takes the Jacobian of the source in every cell where the source acts, exactly if the source is given by formulas, and asks
//! [`unstable_mode`] whether a step like the last amplifies what does not grow. Looks are rare: at all levels after a step in which the
//! midpoint rule itself found its two rates of opposite sign in some cell (`StepReport::reverses`): for one equation that is just where the
//! step is unstable, for several it is a sign of it; and at the coarsest level, whose steps are the longest, after 2, 8, 32, … steps and at
//! times to reach, the end among them. Growth that the source really causes is none of these.

use super::{RunError, Simulation};
use crate::exec::{CellPlace, ExecError, LevelState};
use crate::index::{CellBox, Level};
use crate::physics::{CellRow, DeviceForm, SourceSplit, StateFunction, UnstableMode, harmless_norm, unstable_mode};
use crate::threads::parallel_map;
use tracing::warn;

/// Coarse steps to the next look after one that has found nothing.
const PAUSE: u64 = 16;

/// What the check remembers from step to step.
#[derive(Debug, Default)]
pub(super) struct SourceCheck {
    /// In the present coarse step the rates of the source have changed their sign somewhere.
    pub reverses: bool,
    /// The coarse step after which such a change of sign is looked into again.
    next: u64,
    /// The coarse step of the last look at the coarsest level.
    looked: u64,
    /// The size of the coarse step before the last.
    dt_before: f64,
    has_warned: bool,
}

impl SourceCheck {
    fn warn_once(&mut self, warn: impl FnOnce()) {
        if !std::mem::replace(&mut self.has_warned, true) {
            warn();
        }
    }
}

/// What a look asks.
#[derive(Clone, Copy)]
struct Look {
    /// How many times as long as the last steps those in question may have been.
    longer: f64,
    /// How many coarse steps may have amplified a mode or will.
    steps: f64,
}

/// A mode that steps of `dt` amplify, and where.
type Found = (UnstableMode, f64, CellPlace);

impl<const D: usize> Simulation<D> {
    /// Looks for cells in which the steps of the source are unstable, if that is due. `now`: the run may end here.
    pub(super) fn watch_source(&mut self, now: bool) -> Result<(), RunError> {
        let Some(source) = self.problem.source.clone() else { return Ok(()) };
        let steps = self.work.counts.levels[0].steps;
        // A step to a time to reach is often a short rest. Elsewhere a shorter step is what the state asked for.
        let dt = self.subcycle.dt(Level::COARSEST);
        let before = std::mem::replace(&mut self.checks.sources.dt_before, dt);
        let longest = if now { dt.max(before) } else { dt };
        let acts = source.implicit().is_none() && self.problem.source_split != SourceSplit::None;
        let reverses = self.checks.sources.reverses && (now || steps >= self.checks.sources.next);
        let is_due = now || steps.is_power_of_two() && steps.trailing_zeros() % 2 == 1;
        let is_due = is_due && depends_on_state(source.as_ref());
        if !acts || !(reverses || is_due) {
            return Ok(());
        }
        let levels = if reverses { self.hierarchy.num_levels() } else { 1 };
        let look =
            Look { longer: longest / dt, steps: self.steps_left().max((steps - self.checks.sources.looked) as f64) };
        self.checks.sources.looked = steps;
        let Some((mode, dt, place)) = self.unstable_source(source.as_ref(), levels, look)? else {
            if reverses {
                self.checks.sources.next = steps + PAUSE;
                let (time, help) = (self.time, self.source_help(None));
                let message = "the source changes its sign within a step, where the result depends on the step";
                self.checks.sources.warn_once(|| warn!(time, "{message}: {help}"));
            }
            return Ok(());
        };
        let help = self.source_help(Some(mode.stable_part(dt, self.steps_left())));
        let error = RunError::StiffSource { mode, dt, place: Box::new(place), help };
        if !self.settings.allow_unstable {
            return Err(error);
        }
        self.checks.sources.warn_once(|| warn!(%error, "scheme.allow_unstable"));
        Ok(())
    }

    /// The mode of the source that its steps on the coarsest `levels` levels amplify most, if they amplify any; the same on all ranks.
    fn unstable_source(
        &self,
        source: &dyn StateFunction<D>,
        levels: usize,
        look: Look,
    ) -> Result<Option<Found>, ExecError> {
        let in_level = |l: usize| {
            let level = Level(l as u8);
            let (dt, time) = (look.longer * self.source_step(level), self.time);
            let (mode, patch, cell) = self.unstable_cell(level, source, dt, look.steps)?;
            let centre = self.problem.centre(&self.hierarchy.geometry(level), cell).to_vec();
            Some((mode, dt, CellPlace { level, patch, cell: cell.to_vec(), ghost: false, centre, time }))
        };
        let found = (0..levels).filter_map(in_level).reduce(|a, b| if b.0.factor > a.0.factor { b } else { a });
        if self.crew.ranks.is_solo() {
            return Ok(found);
        }
        // The bits of nonnegative numbers, read as integers, have the order of the numbers.
        let of_all = self.crew.ranks.first(found.as_ref(), |(mode, ..)| !(mode.factor.to_bits() as usize))?;
        Ok(of_all.map(|(_, found)| found))
    }

    /// What to write. `part`: the part of the present step that would be stable.
    fn source_help(&self, part: Option<f64>) -> String {
        let fixed = self.settings.dt_fixed.is_some();
        let key = if fixed { "time.dt" } else { "time.dt_max" };
        let shorter = part.map_or(String::new(), |part| format!(" = {:.2e}", part * self.subcycle.dt(Level::COARSEST)));
        match self.problem.source.as_ref().and_then(|source| source.jacobian()) {
            Some(_) => format!("write `scheme.source_method = \"implicit\"`, or a shorter step, `{key}{shorter}`"),
            None => format!(
                "write a shorter step, `{key}{shorter}`, or give the source as formulas under `[source]` with \
                 `scheme.source_method = \"implicit\"`"
            ),
        }
    }

    /// How long the source of a level acts at a time.
    fn source_step(&self, level: Level) -> f64 {
        let dt = self.subcycle.dt(level);
        if self.problem.source_split == SourceSplit::Strang { 0.5 * dt } else { dt }
    }

    /// Coarse steps to the end of the run, if they stay as they are.
    fn steps_left(&self) -> f64 {
        (self.settings.end - self.time) / self.subcycle.dt(Level::COARSEST)
    }

    /// The cell of a level where steps `dt` of the source amplify a mode most.
    fn unstable_cell(
        &self,
        level: Level,
        source: &dyn StateFunction<D>,
        dt: f64,
        coarse_steps: f64,
    ) -> Option<(UnstableMode, usize, [i32; D])> {
        let state = self.exec.snapshot(level);
        let (geometry, patches) = (self.hierarchy.geometry(level), self.hierarchy.level(level).patches());
        let steps = coarse_steps * (self.subcycle.dt(Level::COARSEST) / self.subcycle.dt(level));
        let least = harmless_norm(steps) / dt;
        let in_patch = |k: usize| {
            let mut found: Option<(UnstableMode, usize, [i32; D])> = None;
            for (number, first) in patches[k].rows().enumerate().filter(|_| !state.q[k].is_empty()) {
                let len = patches[k].size()[0] as usize;
                let row = CellRow { geometry, first, len, time: self.time };
                let values = values_of_row((&state, k), &patches[k], number);
                for (i, jacobian) in jacobians(source, &row, &values, least) {
                    let more =
                        |mode: &UnstableMode| found.as_ref().is_none_or(|(known, ..)| mode.factor > known.factor);
                    if let Some(mode) = unstable_mode(&jacobian, dt, steps).filter(more) {
                        found = Some((mode, k, row.cell(i)));
                    }
                }
            }
            found
        };
        let found = parallel_map(patches.len(), in_patch).into_iter().flatten();
        found.reduce(|a, b| if b.0.factor > a.0.factor { b } else { a })
    }
}

/// True unless the source's rates are known not to depend on the state.
fn depends_on_state<const D: usize>(source: &dyn StateFunction<D>) -> bool {
    match source.jacobian().and_then(|jacobian| jacobian.device_form()) {
        Some(DeviceForm::Formulas(formulas)) => !formulas.results().iter().all(|&entry| formulas.is_zero(entry)),
        _ => true,
    }
}

/// The state and the auxiliary values of a patch's row, value by value.
fn values_of_row<const D: usize>(
    (state, patch): (&LevelState<D>, usize),
    cells: &CellBox<D>,
    number: usize,
) -> [Vec<f64>; 2] {
    let (len, volume) = (cells.size()[0] as usize, cells.volume());
    let rows = |values: &Vec<f64>| {
        values.chunks_exact(volume).flat_map(|value| value[number * len..][..len].to_vec()).collect()
    };
    [rows(&state.q[patch]), rows(&state.aux[patch])]
}

/// The source's Jacobian, `[equation][by]`, in each cell of a row in which the source acts and the Jacobian's norm is above `least`.
fn jacobians<const D: usize>(
    source: &dyn StateFunction<D>,
    row: &CellRow<D>,
    [state, aux]: &[Vec<f64>; 2],
    least: f64,
) -> Vec<(usize, Vec<Vec<f64>>)> {
    let (len, count) = (row.len, source.num_values());
    let mut rates = vec![0.0; count * len];
    source.fill_row(row, state, aux, &mut rates);
    let acts = |i: &usize| (0..count).any(|m| rates[m * len + i] != 0.0);
    let cells: Vec<usize> = (0..len).filter(acts).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let mut entries = vec![0.0; count * count * len];
    match source.jacobian() {
        Some(jacobian) => jacobian.fill_row(row, state, aux, &mut entries),
        None => differences(source, row, [state, aux], &rates, &mut entries),
    }
    let entry = |m: usize, n: usize, i: usize| entries[(m * count + n) * len + i];
    let is_large = |i: &usize| (0..count).any(|m| (0..count).map(|n| entry(m, n, *i).abs()).sum::<f64>() > least);
    let of_cell = |i: usize| (0..count).map(|m| (0..count).map(|n| entry(m, n, i)).collect()).collect();
    cells.into_iter().filter(is_large).map(|i| (i, of_cell(i))).collect()
}

/// Derivatives of rates by differences.
fn differences<const D: usize>(
    source: &dyn StateFunction<D>,
    row: &CellRow<D>,
    [state, aux]: [&[f64]; 2],
    rates: &[f64],
    entries: &mut [f64],
) {
    let (len, count) = (row.len, source.num_values());
    let mut changed = vec![0.0; rates.len()];
    for n in 0..count {
        let mut moved = state.to_vec();
        let values = &mut moved[n * len..][..len];
        let scale = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let step = f64::EPSILON.sqrt() * if scale > 0.0 { scale } else { 1.0 };
        values.iter_mut().for_each(|value| *value += step);
        source.fill_row(row, &moved, aux, &mut changed);
        for (m, i) in (0..count).flat_map(|m| (0..len).map(move |i| (m, i))) {
            // The step as it is after rounding.
            let step = moved[n * len + i] - state[n * len + i];
            entries[(m * count + n) * len + i] = (changed[m * len + i] - rates[m * len + i]) / step;
        }
    }
}
