//! Parameters of the solver that are computed of the whole solution before each step of the coarsest level, from the state in which it begins:
//! a step that is taken again has the same.

use super::{RunError, Simulation};
use crate::case::{Case, CaseErrors, ParameterShape};
use crate::frames::derived::WholeFormula;
use crate::physics::ReducedParameters;
use crate::plugin::ChosenSolver;
use std::sync::Arc;
use tracing::warn;

/// The parameters, and all that has to know their values.
pub(super) struct Reduced<const D: usize> {
    formulas: Vec<WholeFormula<D>>,
    /// In the order of the formulas.
    shapes: Vec<ParameterShape>,
    parameters: Arc<ReducedParameters>,
    solver: ChosenSolver,
    /// Values of all parameters, in the solver's order.
    all: Vec<f64>,
    /// The places of the formulas' parameters among these.
    places: Vec<usize>,
    /// Steps of the coarsest level after which they were computed.
    computed_after: Option<u64>,
}

impl<const D: usize> Reduced<D> {
    /// The parameters of a case, with the values that they have before the first step.
    ///
    /// # Errors
    /// The solver cannot change its parameters.
    pub fn new(case: &Case, solver: &ChosenSolver, parameters: Arc<ReducedParameters>) -> Result<Self, CaseErrors> {
        let all = crate::plugin::values_of(case, &solver.shape);
        let shape = |name: &String| {
            let place = solver.shape.parameters.iter().position(|shape| shape.name == *name);
            place.expect("checked with the case")
        };
        let places: Vec<usize> = parameters.names().iter().map(shape).collect();
        let shapes = places.iter().map(|&place| solver.shape.parameters[place].clone()).collect();
        let formulas = case.reductions();
        let mut reduced =
            Reduced { formulas, shapes, parameters, solver: solver.clone(), all, places, computed_after: None };
        let first: Vec<f64> = reduced.parameters.values().collect();
        if reduced.set(&first) {
            return Ok(reduced);
        }
        let key = format!("reduce.{}", reduced.parameters.names()[0]);
        let message = format!("the solver `{}` cannot change its parameters", solver.shape.name);
        Err(case.error(&key, message, "write the solver with `#[riemann::solver]`"))
    }

    /// Gives the parameters values on the host; false if the solver cannot have others.
    fn set(&mut self, values: &[f64]) -> bool {
        self.parameters.set(values);
        self.places.iter().zip(values).for_each(|(&place, value)| self.all[place] = *value);
        // SAFETY: only the thread that takes steps does this, before a step or a run: no other work of the simulation is under way.
        unsafe { self.solver.set_parameters(&self.all) }
    }
}

impl<const D: usize> Simulation<D> {
    /// Computes the parameters of the present state, unless that has been done.
    ///
    /// # Errors
    /// A value is not possible; errors of the executor.
    pub(super) fn reduce(&mut self) -> Result<(), RunError> {
        let Some(mut reduced) = self.reduced.take() else { return Ok(()) };
        let outcome = self.reduce_to(&mut reduced);
        self.reduced = Some(reduced);
        outcome
    }

    fn reduce_to(&mut self, reduced: &mut Reduced<D>) -> Result<(), RunError> {
        let steps = self.work.counts.levels[0].steps;
        if reduced.computed_after == Some(steps) {
            return Ok(());
        }
        let values = self.values_of(&reduced.formulas, 0)?;
        for (ParameterShape { name, check, .. }, &value) in reduced.shapes.iter().zip(&values) {
            if !check.allows(value) {
                return Err(RunError::Parameter { name: name.clone(), value, check: *check, time: self.time });
            }
        }
        assert!(reduced.set(&values), "it could at the start");
        reduced.computed_after = Some(steps);
        self.exec.prepare_steps(self.next.fallback_left > 0, None)?;
        Ok(())
    }

    /// The solver's parameters that change from step to step, with the values of the last step.
    pub fn reduced(&self) -> impl Iterator<Item = (&str, f64)> {
        let values = |reduced: &'_ Reduced<D>| reduced.parameters.values().collect::<Vec<_>>();
        let names = self.reduced.iter().flat_map(|reduced| reduced.parameters.names());
        names.map(String::as_str).zip(self.reduced.iter().flat_map(values))
    }

    /// Tells the values with which a step has failed.
    pub(super) fn log_reduced(&self) {
        for (name, value) in self.reduced() {
            warn!("the parameter `{name}` of the step that failed was {value:e}");
        }
    }
}
