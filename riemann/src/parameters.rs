//! Descriptions of a solver's parameters.

use std::fmt;

/// Description of a solver's parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[repr(u8)]
pub enum ParameterCheck {
    /// Every finite number.
    Any = 0,
    /// Numbers above zero.
    Positive = 1,
    /// Numbers above one.
    GreaterThanOne = 2,
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
