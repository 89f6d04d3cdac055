//! Functions of position as formulas in the notation of case files.
//!
//! A function is evaluated symbolically: loops are unrolled, calls expanded. The result is one formula for each
//! value, in which `{name}` stands for a parameter of the solver.

mod reading;
mod term;

use crate::check::{CONSERVED, PRIMITIVE, QUANTITIES};
use crate::description::Form;
use crate::tree::{Function, Program};
use reading::call;
use std::cell::Cell;
use syn::{Error, Result};
use term::{Term, Value, term};

/// A solver's functions of position and its quantities as formulas; a list is empty if the solver lacks the function or if it is not in the solver language.
#[derive(Default)]
pub struct Formulas {
    pub initial: Vec<String>,
    pub aux_values: Vec<String>,
    pub mapping: Vec<String>,
    pub quantities: Vec<String>,
    pub primitive: Vec<String>,
    pub conserved: Vec<String>,
}

impl Formulas {
    /// The formulas of one form of a solver.
    ///
    /// # Errors
    /// The mapping, the quantities or the primitive variables cannot be written as formulas.
    pub fn of(form: &Form, program: &Program) -> Result<Formulas> {
        let mut formulas = Formulas::default();
        for function in &program.of_position {
            match function.name.to_string().as_str() {
                "initial" => formulas.initial = of_cell(form, program, function).unwrap_or_default(),
                "aux_values" => formulas.aux_values = of_cell(form, program, function).unwrap_or_default(),
                QUANTITIES => formulas.quantities = of_state(form, program, function)?,
                PRIMITIVE => formulas.primitive = of_state(form, program, function)?,
                CONSERVED => formulas.conserved = of_state(form, program, function)?,
                _ => formulas.mapping = of_mapping(form, program, function)?,
            }
        }
        Ok(formulas)
    }
}

/// A position as symbols of formulas: `x`, `y`, `z` for a physical one, `X`, `Y`, `Z` for a computational one, by `name`. Missing axes are 0.
fn place(form: &Form, name: impl Fn(&str) -> String) -> Value {
    let axes = ["x", "y", "z"].into_iter().enumerate();
    Value::Parts(
        axes.map(|(d, axis)| Value::Term(if d < form.dim { Term::atom(name(axis)) } else { Term::number(0.0) }))
            .collect(),
    )
}

/// The cell that is the argument of `initial` and `aux_values`: the fields of [`Type::Cell`], as symbols.
fn cell(form: &Form) -> Value {
    let time = Value::Term(Term::atom("t"));
    let around = ["{}", "d{}", "{}_lower", "{}_upper"].map(|name| place(form, |axis| name.replace("{}", axis)));
    let [centre, dx, lower, upper] = around;
    Value::Parts(vec![centre, dx, time, lower, upper])
}

/// The values of `initial` or `aux_values`, whose only argument is the cell.
///
/// # Errors
/// The function uses what formulas do not have, or a formula gets too long.
fn of_cell(form: &Form, program: &Program, function: &Function) -> Result<Vec<String>> {
    if let [_, further, ..] = &*function.parameters {
        return Err(Error::new(further.name.span(), "formulas know the cell alone"));
    }
    values(form, program, function, vec![cell(form); function.parameters.len()], usize::MAX)
}

/// The physical position that `mapping` returns for a computational one, one formula for each axis.
///
/// # Errors
/// As for [`of_cell`].
fn of_mapping(form: &Form, program: &Program, function: &Function) -> Result<Vec<String>> {
    values(form, program, function, vec![place(form, |axis| axis.to_uppercase()); function.parameters.len()], form.dim)
}

/// The values that a function of the state or of primitive variables returns, over the names of the solver's values.
///
/// # Errors
/// As for [`of_cell`].
fn of_state(form: &Form, program: &Program, function: &Function) -> Result<Vec<String>> {
    let named = |names: &[String]| Value::Parts(names.iter().map(|name| Value::Term(Term::atom(name))).collect());
    let arguments = function.parameters.iter().map(|local| match local.source_name.as_str() {
        "q" => named(&form.equations),
        "primitive" => named(&form.primitive),
        _ => named(&form.aux),
    });
    values(form, program, function, arguments.collect(), usize::MAX)
}

/// The elements of a function's value as formulas, the first `most` of them.
fn values(
    form: &Form,
    program: &Program,
    function: &Function,
    arguments: Vec<Value>,
    most: usize,
) -> Result<Vec<String>> {
    let Value::Parts(parts) = call(form, program, function, arguments, &Cell::new(0))? else {
        return Err(Error::new(function.name.span(), "the value is no array"));
    };
    parts.iter().take(most).map(|part| Ok(term(part, function.name.span())?.text)).collect()
}
