//! The quantities that must be positive or must not be negative: how both texts get at their values.

use crate::check::ADMISSIBLE_STATE;
use crate::description::{Component, Description, Form};
use crate::tree::{Function, Program};

/// Where a quantity's value is found.
pub enum Value {
    Component(Component),
    /// In the result of `admissible_state`, at a position.
    Computed(usize),
}

/// The quantities of a solver's form.
pub struct Quantities<'a> {
    /// `admissible_state`, if the block has it.
    pub function: Option<&'a Function>,
    /// Every quantity, positive ones first.
    pub values: Vec<Value>,
    /// Positions of those that a step can change and that must stay positive.
    pub changed: Vec<usize>,
}

impl<'a> Quantities<'a> {
    pub fn of(description: &Description, form: &Form, program: &'a Program) -> Self {
        let function = program.functions.iter().find(|function| function.name == ADMISSIBLE_STATE);
        let names = || description.positive.iter().chain(&description.nonnegative);
        let values = names().enumerate().filter_map(|(k, name)| match function {
            Some(_) => Some(Value::Computed(k)),
            None => form.component(name).map(Value::Component),
        });
        // Auxiliary values are not changed by a step.
        let changes = |name: &String| !matches!(form.component(name), Some(Component::Aux(_)));
        let changed = description.positive.iter().enumerate().filter(|(_, name)| changes(name)).map(|(k, _)| k);
        Quantities { function, values: values.collect(), changed: changed.collect() }
    }

    /// Arguments of the function, of those that it may be given.
    pub fn arguments(&self) -> Vec<String> {
        self.function.iter().flat_map(|function| &function.parameters).map(|local| local.source_name.clone()).collect()
    }
}
