//! Values of a solver's parameters from what a user gave.

use super::{ParameterError, ParameterErrors, SolverInfo};
use std::collections::BTreeMap;

/// A value for each parameter of a solver, every one of them possible.
pub(super) struct Resolved(pub(super) BTreeMap<&'static str, f64>);

impl Resolved {
    /// Value of the parameter `name`.
    pub(super) fn get(&self, name: &str) -> f64 {
        self.0[name]
    }
}

/// Value of each parameter of the solver `info`; every problem with the `given` ones if there is any.
pub(super) fn resolve(info: &SolverInfo, given: &BTreeMap<String, f64>) -> Result<Resolved, ParameterErrors> {
    let mut errors: Vec<_> = given
        .keys()
        .filter(|name| info.parameters.iter().all(|parameter| parameter.name != *name))
        .map(|name| ParameterError::unknown_parameter(info, name))
        .collect();
    let mut values = BTreeMap::new();
    for parameter in info.parameters {
        match given.get(parameter.name).copied().or(parameter.default) {
            None => errors.push(ParameterError::Missing { solver: info.name, parameter }),
            Some(value) if !parameter.check.allows(value) => {
                errors.push(ParameterError::OutOfRange { solver: info.name, parameter, value });
            }
            Some(value) => {
                values.insert(parameter.name, value);
            }
        }
    }
    if errors.is_empty() { Ok(Resolved(values)) } else { Err(ParameterErrors(errors)) }
}
