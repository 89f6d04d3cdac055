//! Parameters of a solver: their description, and their values from what a user gave.

use super::{ParameterError, ParameterErrors, SolverInfo};
use std::collections::BTreeMap;
use std::fmt;

/// Description of a solver's parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Name, that of the solver's field.
    pub name: &'static str,
    /// Meaning, in a few words.
    pub about: &'static str,
    /// Value where none is given; without one the parameter must be given.
    pub default: Option<f64>,
    /// Which values are possible.
    pub check: ParameterCheck,
}

/// Which values of a parameter are possible. All must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterCheck {
    /// Every finite number.
    Any,
    /// Numbers above zero.
    Positive,
    /// Numbers above one.
    GreaterThanOne,
}

impl ParameterCheck {
    /// Whether `value` is possible.
    pub fn allows(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                ParameterCheck::Any => true,
                ParameterCheck::Positive => value > 0.0,
                ParameterCheck::GreaterThanOne => value > 1.0,
            }
    }
}

impl fmt::Display for ParameterCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParameterCheck::Any => "a finite number",
            ParameterCheck::Positive => "a positive number",
            ParameterCheck::GreaterThanOne => "a number greater than one",
        })
    }
}

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
