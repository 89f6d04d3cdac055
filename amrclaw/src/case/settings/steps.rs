//! The scheme and its steps.

use super::NamedExpression;
use crate::physics::{SourceMethod, SourceSplit, Split};
use riemann::limiter::Limiter;

/// The case file's `[scheme]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeSettings {
    /// 1 or 2.
    pub order: u8,
    /// 0: none; 1: of fluctuations; 2: of second-order corrections too.
    pub transverse: u8,
    /// In three dimensions: transverse waves are split once more, along the third axis.
    pub double_transverse: bool,
    /// Sweeps along the axes one by one, or all at once; `None`: what suits the solver, see
    /// [`ResolvedSettings`](crate::case::ResolvedSettings).
    pub split: Option<Split>,
    /// One limiter for every wave, or one per wave.
    pub limiter: Vec<Limiter>,
    /// How source terms are split from the waves; `None`: by whether the case or its solver has any, see
    /// [`ResolvedSettings`](crate::case::ResolvedSettings).
    pub source: Option<SourceSplit>,
    /// How the terms of `[source]` are integrated.
    pub source_method: SourceMethod,
    /// Auxiliary value that is the capacity function.
    pub capacity: Option<String>,
    /// Courant numbers at which the scheme is not stable are not refused.
    pub allow_unstable: bool,
}

/// The case file's `[time]`.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSettings {
    /// Start.
    pub start: f64,
    /// End.
    pub end: f64,
    /// First step of the coarsest level.
    pub dt_initial: f64,
    /// Longest step of the coarsest level, if the case limits it.
    pub dt_max: Option<f64>,
    /// Courant number that steps aim for; `None`: one at which the scheme is stable, see
    /// [`ResolvedSettings`](crate::case::ResolvedSettings).
    pub cfl_desired: Option<f64>,
    /// Courant number above which a step is taken again; `None`: one at which the scheme is stable, see
    /// [`ResolvedSettings`](crate::case::ResolvedSettings).
    pub cfl_max: Option<f64>,
    /// Fixed step of the coarsest level.
    pub dt: Option<f64>,
    /// Most steps of the coarsest level.
    pub max_steps: Option<u64>,
    /// How often a step may be taken again.
    pub max_retries: u32,
    /// Growth of the solution at which the run fails; 0 for no limit.
    pub growth_limit: f64,
    /// The run ends where this is not zero.
    pub stop_when: Option<NamedExpression>,
    /// Steps of the coarsest level between looks at it.
    pub stop_every: u64,
}
