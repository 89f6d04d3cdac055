//! The typed tree as CUDA C++: the body of `struct Solver`.
//!
//! The same operations in the same order as the Rust; every expression is in parentheses, so that no rule of precedence
//! is needed. Where the Rust selects lane by lane, statements branch: one thread has one lane.

mod expression;
mod statement;

use crate::check::{SETTLE, STEEPNESS};
use crate::description::{Component, Description, Form};
use crate::quantities::{Quantities, Value};
use crate::tree::{BESIDE, Function, Program};
use crate::types::Type;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

/// State shared by all functions of the text.
struct Text {
    /// Lengths of the tuples that occur.
    tuples: RefCell<BTreeSet<usize>>,
    /// Whether products must never be contracted with sums, however the text is compiled.
    separate_products: bool,
}

/// The body of `struct Solver`.
pub fn emit(description: &Description, form: &Form, program: &Program) -> String {
    let text = Text { tuples: RefCell::default(), separate_products: false };
    let mut functions = String::new();
    let quantities = Quantities::of(description, form, program);
    for function in &program.functions {
        functions.push_str(&text.function(function));
    }
    let has_flux = program.functions.iter().any(|function| function.name == "flux");
    if !has_flux {
        functions.push_str(NO_FLUX);
    }
    if program.functions.iter().all(|function| function.name != "transverse") {
        functions.push_str(&text.no_transverse(form));
    }
    if program.functions.iter().all(|function| function.name != "mean_state") {
        functions.push_str(NO_MEAN_STATE);
    }
    if !quantities.kept.is_empty() {
        functions.push_str(&flux_below(form));
    }
    functions.push_str(&judgements(&quantities));
    let mut body = format!("    // {}\n", description.solver);
    for parameter in &description.parameters {
        let _ = writeln!(body, "    Real {};", parameter.name);
    }
    if program.functions.iter().any(|function| function.name == STEEPNESS) {
        let _ = writeln!(body, "    static constexpr int dim__ = {};", form.dim);
        body.push_str(TOLD_OF_BESIDE);
    }
    let _ = writeln!(body, "    static constexpr bool SPLITS_SUMS = {};", program.splits_sums());
    let kept: u64 = quantities.kept.iter().map(|m| 1 << m).sum();
    let settles = program.functions.iter().any(|function| function.name == SETTLE);
    let _ = writeln!(body, "    static constexpr unsigned long long KEPT = {kept};");
    let _ = writeln!(body, "    static constexpr bool SETTLES = {settles}, FALLS_BACK = {};", quantities.falls_back);
    let _ = writeln!(body, "    static constexpr bool HAS_FLUX = {has_flux}, IN_FRAMES = false;");
    body + &text.tuples() + &functions
}

/// The members of a struct of functions that belong to no solver.
pub fn emit_functions(program: &Program) -> String {
    let text = Text { tuples: RefCell::default(), separate_products: true };
    let functions: String = program.functions.iter().map(|function| text.function(function)).collect();
    text.tuples() + &functions
}

/// For solvers without a `mean_state`. Its result is never used.
const NO_MEAN_STATE: &str =
    "\n    __device__ __forceinline__ State mean_state(State ql, State) const {\n        return ql;\n    }\n";

/// For solvers without a `flux`. Its result is never used.
const NO_FLUX: &str =
    "\n    __device__ __forceinline__ State flux(Axis, State q, Aux) const {\n        return q;\n    }\n";

/// The member that holds the steepest jump beside the face that `normal` solves: so its callers need not know which solvers look at it.
const TOLD_OF_BESIDE: &str = "    Real beside__ = Real(0.0);\n    __device__ __forceinline__ void set_beside(Real steepest) { beside__ = steepest; }\n";

/// Qualifiers of each function.
const QUALIFIERS: &str = "__device__ __forceinline__";

/// The flux in the cell below a face: with the face's own auxiliary values, which the cell above has.
fn flux_below(form: &Form) -> String {
    let faces = form.aux_face.iter().enumerate().filter(|(_, face)| face.is_some());
    let faces: String = faces.map(|(a, _)| format!("        aux_l[{a}] = aux_r[{a}];\n")).collect();
    format!(
        "\n    {QUALIFIERS} State flux_below(Axis axis, State ql, Aux aux_l, Aux aux_r) const {{\n{faces}        \
         return flux(axis, ql, aux_l);\n    }}\n"
    )
}

/// The functions that judge states: the least of the quantities that must stay positive; whether all quantities are as they must be.
fn judgements(quantities: &Quantities<'_>) -> String {
    let value = |&k: &usize| match quantities.values[k] {
        Value::Component(Component::Equation(m)) => format!("q[{m}]"),
        Value::Component(Component::Aux(a)) => format!("aux[{a}]"),
        Value::Computed(k) => format!("computed[{k}]"),
    };
    let computed = quantities.function.map_or(String::new(), |function| {
        let (count, arguments) = (quantities.values.len(), quantities.arguments().join(", "));
        format!("        const Array<Real, {count}> computed = {}({arguments});\n", function.name)
    });
    let function = |head: &str, result: &str| {
        format!("\n    {QUALIFIERS} {head} const {{\n{computed}        return {result};\n    }}\n")
    };
    let positive = quantities.changed.iter().map(value);
    let least = positive.clone().reduce(|least, value| format!("real_min({least}, {value})"));
    let conditions = positive.map(|value| format!("{value} > Real(0.0)"));
    let not_negative = quantities.changed_nonnegative.iter().map(|k| format!("{} >= least", value(k)));
    let all = conditions.chain(not_negative).collect::<Vec<_>>().join(" && ");
    let least = least.map_or(String::new(), |least| function("Real least_positive(State q, Aux aux)", &least));
    let admissible = || function("bool is_admissible(State q, Aux aux, Real least)", &all);
    if quantities.change() { least + &admissible() } else { least }
}

impl Text {
    /// The types of the tuples that occur.
    fn tuples(&self) -> String {
        let mut types = String::new();
        for &length in self.tuples.borrow().iter() {
            let names: Vec<_> = (0..length).map(|k| format!("class T{k}")).collect();
            let members: Vec<_> = (0..length).map(|k| format!("T{k} v{k};")).collect();
            let (names, members) = (names.join(", "), members.join(" "));
            let _ = writeln!(types, "    template <{names}> struct Tuple{length} {{ {members} }};");
        }
        types
    }

    fn function(&self, function: &Function) -> String {
        let parameters: Vec<_> = if function.is_entry {
            self.entry_parameters(function)
        } else {
            function.parameters.iter().map(|local| format!("{} {}", self.ty(&local.ty), local.name)).collect()
        };
        let mut lines = statement::Lines::new(self);
        if let Some(local) = function.told_beside() {
            lines.line(&format!("Real {} = beside__;", local.name));
        }
        lines.function_body(&function.body);
        format!(
            "\n    {QUALIFIERS} {} {}({}) const {{\n{}    }}\n",
            self.ty(&function.result),
            function.name,
            parameters.join(", "),
            lines.text
        )
    }

    /// All parameters that the trait gives the function; those that the user left out have no name.
    fn entry_parameters(&self, function: &Function) -> Vec<String> {
        let entry = crate::check::Entry::find(&function.name).expect("an entry");
        let mut parameters = Vec::new();
        for (known, shape) in entry.parameters.iter().filter(|(known, _)| *known != BESIDE) {
            let written = function.parameters.iter().find(|local| local.source_name == *known);
            let ty = match written {
                Some(local) => self.ty(&local.ty),
                None => shape.cuda_name().to_owned(),
            };
            match written {
                Some(local) => parameters.push(format!("{ty} {}", local.name)),
                None => parameters.push(ty),
            }
        }
        parameters
    }

    fn no_transverse(&self, form: &Form) -> String {
        let zeros = vec!["Real(0.0)"; form.equations.len()].join(", ");
        format!(
            "\n    {QUALIFIERS} Transverse transverse(Axis, Axis, Side, State, State, State, TransverseAux, State) const {{\n        \
             State zero = State{{{{{zeros}}}}};\n        return Transverse{{zero, zero}};\n    }}\n"
        )
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Int => "int".to_owned(),
            Type::Unit => "void".to_owned(),
            Type::Array(element, count) => format!("Array<{}, {count}>", self.ty(element)),
            Type::Tuple(elements) => {
                self.tuples.borrow_mut().insert(elements.len());
                let elements: Vec<_> = elements.iter().map(|element| self.ty(element)).collect();
                format!("Tuple{}<{}>", elements.len(), elements.join(", "))
            }
            other => other.to_string(),
        }
    }
}
