//! Settings whose defaults depend on the solver, and the check that the scheme is stable with it.

use super::reader::Reader;
use super::settings::CaseSettings;
use super::shape::SolverShape;
use crate::physics::Update;
use crate::physics::{SourceSplit, Split};

/// Share of the largest stable Courant number that steps aim for.
const DESIRED_SHARE: f64 = 0.9;

/// The settings whose defaults depend on the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResolvedSettings {
    /// Sweeps along the axes one by one, or all at once.
    pub split: Split,
    /// 0 to 2; 0 too where the sweeps are split or the solver has no transverse splitting.
    pub transverse: u8,
    /// How source terms are split from the waves.
    pub source: SourceSplit,
    /// The largest Courant number at which the scheme is known to be stable; `None` if there is none.
    pub stable_courant: Option<f64>,
    /// Courant number that steps aim for.
    pub cfl_desired: f64,
    /// Courant number above which a step is taken again.
    pub cfl_max: f64,
}

impl CaseSettings {
    /// The settings that the case leaves to its solver; [`Case::settled`](super::Case::settled) holds them.
    ///
    /// Sweeps are unsplit with a solver that has `transverse`, else split: Strang's at order 2, Godunov's at order 1. Source
    /// terms act, by Godunov's splitting, where the solver or the case has any. Courant numbers are those at which the scheme
    /// is stable.
    pub(super) fn resolved_for(&self, shape: &SolverShape) -> ResolvedSettings {
        let scheme = &self.scheme;
        let split = scheme.split.unwrap_or(match (shape.has_transverse || shape.dimension == 1, scheme.order) {
            (true, _) => Split::Unsplit,
            (false, 1) => Split::Godunov,
            (false, _) => Split::Strang,
        });
        let (split, on_mesh) = match self.mesh.file {
            Some(_) => (Split::Unsplit, true),
            None => (split, false),
        };
        let unsplit = split == Split::Unsplit;
        let transverse = if unsplit && shape.has_transverse && !on_mesh { scheme.transverse } else { 0 };
        let has_terms = shape.has_source || self.source.is_given();
        let (dimension, order) = (shape.dimension, scheme.order);
        let update = Update {
            dimension,
            order,
            transverse,
            double_transverse: scheme.double_transverse,
            split: !unsplit,
            limiters: &scheme.limiter,
        };
        let stable_courant = if on_mesh { Some(stable_on_mesh(order)) } else { update.stability_limit() };
        let bound = if scheme.allow_unstable { 1.0 } else { stable_courant.unwrap_or(1.0) };
        let cfl_max = self.time.cfl_max.unwrap_or(bound);
        ResolvedSettings {
            split,
            transverse,
            source: scheme.source.unwrap_or(if has_terms { SourceSplit::Godunov } else { SourceSplit::None }),
            stable_courant,
            cfl_desired: self.time.cfl_desired.unwrap_or(cfl_max.min(DESIRED_SHARE * bound)),
            cfl_max,
        }
    }
}

/// The largest Courant number, `Δt/2V Σ size · speed`, on a mesh from a file: at order 1 new states are then mixtures of old ones.
fn stable_on_mesh(order: u8) -> f64 {
    if order == 1 { 1.0 } else { 0.8 }
}

/// Notes Courant numbers at which the scheme is not stable, and schemes that are stable at none.
pub(super) fn check_stability(reader: &mut Reader<'_>, case: &CaseSettings, shape: &SolverShape) {
    if case.scheme.allow_unstable || !reader.fine(&["scheme", "time.cfl_desired", "time.cfl_max"]) {
        return;
    }
    let settled = case.resolved_for(shape);
    let what = description(case, shape, &settled);
    let ways = ways(case, shape, &settled);
    let Some(bound) = settled.stable_courant else {
        let key = if case.scheme.split.is_some() { "scheme.split" } else { "scheme.transverse" };
        let help = format!("write {ways}; `allow_unstable = true` under `[scheme]` runs it anyway");
        reader.wrong(key, format!("{what} are not reliably stable at any Courant number"), help);
        return;
    };
    for (key, given) in [("time.cfl_desired", case.time.cfl_desired), ("time.cfl_max", case.time.cfl_max)] {
        let Some(given) = given.filter(|given| *given > bound) else { continue };
        let message = format!("is {given}, but {what} are stable up to Courant number {} only", below(bound));
        let help = format!("write {} or less, or {ways}", below(bound));
        reader.wrong(key, message, help);
    }
}

/// The scheme in words.
fn description(case: &CaseSettings, shape: &SolverShape, settled: &ResolvedSettings) -> String {
    let transverse = match settled.transverse {
        0 if !shape.has_transverse => {
            format!("without transverse waves (the solver `{}` has no `transverse`)", shape.name)
        }
        0 => "without transverse waves".to_owned(),
        kind if lacks_double(case, shape, settled) => {
            format!("with `transverse = {kind}`, `double_transverse = false`")
        }
        kind => format!("with `transverse = {kind}`"),
    };
    let limited = if case.scheme.order > 1 && settled.transverse == 0 {
        let names: Vec<&str> = case.scheme.limiter.iter().map(|limiter| limiter.name()).collect();
        format!(", limiter {},", names.join(" and "))
    } else {
        String::new()
    };
    format!("unsplit sweeps of order {}{limited} {transverse} in {}D", case.scheme.order, shape.dimension)
}

/// True if transverse waves are used in three dimensions without double transverse waves.
fn lacks_double(case: &CaseSettings, shape: &SolverShape, settled: &ResolvedSettings) -> bool {
    shape.dimension > 2 && settled.transverse > 0 && !case.scheme.double_transverse
}

/// Help text: settings that make the scheme stable.
fn ways(case: &CaseSettings, shape: &SolverShape, settled: &ResolvedSettings) -> String {
    let split = format!("`split = \"{}\"`", if case.scheme.order == 1 { Split::Godunov } else { Split::Strang }.name());
    if !shape.has_transverse {
        return format!("{split} under `[scheme]`");
    }
    // At order 1 all transverse waves will do.
    let lacking = match (lacks_double(case, shape, settled), case.scheme.order > 1 && settled.transverse < 2) {
        (true, true) => "`transverse = 2` with `double_transverse = true`",
        (true, false) => "`double_transverse = true`",
        _ => "`transverse = 2`",
    };
    format!("{split} or {lacking} under `[scheme]`")
}

/// A Courant number rounded down to three decimals.
fn below(courant: f64) -> f64 {
    (courant * 1000.0).floor() / 1000.0
}
