//! The quantities that must be positive or must not be negative, and how both texts compute them.

use crate::check::ADMISSIBLE_STATE;
use crate::description::{Component, Description, Form};
use crate::tree::{Function, Program};

/// How a quantity's value is obtained.
pub enum Value {
    Component(Component),
    /// An element of the result of `admissible_state`.
    Computed(usize),
}

/// The quantities of a solver's form.
pub struct Quantities<'a> {
    /// `admissible_state`, if the block has it.
    pub function: Option<&'a Function>,
    /// Every quantity, positive ones first.
    pub values: Vec<Value>,
    /// Indices in `values` of the quantities that a step can change and that must stay positive.
    pub changed: Vec<usize>,
    /// Indices of those that it can change and that must not be negative.
    pub changed_nonnegative: Vec<usize>,
    /// Equations whose quantities updates keep from being negative.
    pub kept: Vec<usize>,
    /// Whether there are others that a step can change: then steps fall back.
    pub falls_back: bool,
}

impl<'a> Quantities<'a> {
    pub fn of(description: &Description, form: &Form, program: &'a Program) -> Self {
        let function = program.functions.iter().find(|function| function.name == ADMISSIBLE_STATE);
        let names = || description.positive.iter().chain(&description.nonnegative);
        let values = names().enumerate().filter_map(|(k, name)| match function {
            Some(_) => Some(Value::Computed(k)),
            None => form.component(name).map(Value::Component),
        });
        // A step does not change auxiliary values.
        let changes = |name: &String| !matches!(form.component(name), Some(Component::Aux(_)));
        let kept = description.kept_nonnegative.iter().filter_map(|name| form.equation(name)).collect();
        let falls_back = names().any(|name| changes(name) && !description.kept_nonnegative.contains(name));
        let (changed, changed_nonnegative) = names()
            .enumerate()
            .filter(|(_, name)| changes(name))
            .map(|(k, _)| k)
            .partition(|&k| k < description.positive.len());
        Quantities { function, values: values.collect(), changed, changed_nonnegative, kept, falls_back }
    }

    /// Whether a step can change any of them.
    pub fn change(&self) -> bool {
        !(self.changed.is_empty() && self.changed_nonnegative.is_empty())
    }

    /// Names of the arguments that the function declares, of those that are available.
    pub fn arguments(&self) -> Vec<String> {
        self.function.iter().flat_map(|function| &function.parameters).map(|local| local.source_name.clone()).collect()
    }
}
