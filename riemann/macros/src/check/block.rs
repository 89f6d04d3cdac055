//! The `impl` block: constants, names for types, functions.

use super::calls;
use super::refusal;
use super::signature::{
    ADMISSIBLE_STATE, CONSERVED, Entry, MAPPING, OF_CELL, PLAIN, PRIMITIVE, QUANTITIES, STEEPNESS, Signature, TRANSFER,
};
use super::{Checker, Context};
use crate::description::{Description, Form};
use crate::names::{check_name, check_shared_name};
use crate::tree::{BESIDE, Expr, Function, Program, Statement};
use crate::types::Type;
use std::collections::HashMap;
use syn::{Error, ImplItem, Result};

/// Checks a block for one number of dimensions.
pub fn check_block(description: &Description, form: &Form, block: &syn::ItemImpl) -> Result<Program> {
    if let Some((path, _)) = &block.trait_ {
        return Err(Error::new_spanned(
            path,
            "write `impl Solver { … }` without a trait: the trait is implemented for you",
        ));
    }
    let mut context =
        Context { description, form, constants: HashMap::new(), aliases: HashMap::new(), signatures: HashMap::new() };
    let (mut functions, mut plain, mut mapping, mut quantities) = (Vec::new(), Vec::new(), None, None);
    for item in &block.items {
        match item {
            ImplItem::Const(constant) => {
                let ty = context.read_type(&constant.ty)?;
                context.constants.insert(constant.ident.to_string(), (ty, constant.expr.clone()));
            }
            ImplItem::Type(alias) => {
                check_alias(alias, block)?;
                context.aliases.insert(alias.ident.to_string(), alias.ty.clone());
            }
            ImplItem::Fn(function) if PLAIN.iter().any(|name| function.sig.ident == name) => {
                check_images(description, form, function)?;
                plain.push(function.clone())
            }
            // In one dimension there is no other axis to split along.
            ImplItem::Fn(function) if function.sig.ident == "transverse" && form.dim == 1 => {}
            ImplItem::Fn(function) if function.sig.ident == MAPPING => mapping = Some(function),
            ImplItem::Fn(function) if function.sig.ident == QUANTITIES => quantities = Some(function),
            ImplItem::Fn(function) => functions.push(function),
            ImplItem::Macro(call) => return Err(refusal::macro_call(&call.mac)),
            other => return Err(Error::new_spanned(other, "only functions, constants and `type` names stand here")),
        }
    }
    for function in &functions {
        check_shared_name(&function.sig.ident)?;
        let signature = context.read_signature(&function.sig)?;
        context.signatures.insert(signature.name.to_string(), signature);
    }
    if !description.functions_alone && !context.signatures.contains_key("normal") {
        let message = "a solver needs `fn normal(&self, axis: Axis, ql: State, qr: State) -> Normal`";
        return Err(Error::new_spanned(&block.self_ty, message));
    }
    check_mean(&context, &functions)?;
    check_beside(&context, &functions)?;
    check_quantities(&context, block)?;
    check_kept(&context, block)?;
    check_transfer(&context)?;
    let mut errors: Option<Error> = None;
    let mut checked = Vec::new();
    for function in functions {
        match context.check_function(function, &context.signatures[&function.sig.ident.to_string()]) {
            Ok(function) => checked.push(function),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    calls::check_ends(&checked)?;
    calls::add_called_entries(&mut checked);
    // Functions that fill cells may be arbitrary Rust: those that are not in the language become no formulas.
    let of_cell = plain.iter().filter(|function| OF_CELL.iter().any(|name| function.sig.ident == name));
    let of_cell =
        of_cell.filter_map(|function| context.check_function(function, &context.signature_of_cell(function)).ok());
    let mut of_position: Vec<_> = of_cell.collect();
    if let Some(mapping) = mapping {
        of_position.push(context.check_function(mapping, &context.read_signature(&mapping.sig)?)?);
    }
    of_position.extend(context.check_further_quantities(quantities, block)?);
    of_position.extend(take_primitive(&context, &mut checked, block)?);
    Ok(Program { functions: checked, plain, of_position, constants: context.constant_values(block)? })
}

/// Refuses a type alias that refers to itself, directly or through others.
fn check_alias(alias: &syn::ImplItemType, block: &syn::ItemImpl) -> Result<()> {
    let meant = |name: &syn::Ident| {
        block.items.iter().find_map(|item| match item {
            ImplItem::Type(other) if other.ident == *name => Some(&other.ty),
            _ => None,
        })
    };
    let (mut seen, mut open) = (Vec::new(), vec![&alias.ty]);
    while let Some(ty) = open.pop() {
        match ty {
            syn::Type::Array(array) => open.push(&array.elem),
            syn::Type::Paren(inner) => open.push(&inner.elem),
            syn::Type::Tuple(tuple) => open.extend(&tuple.elems),
            syn::Type::Path(path) => {
                let Some(name) = path.path.get_ident() else { continue };
                if *name == alias.ident {
                    let message = format!("`{name}` is defined by itself: write the type that it stands for");
                    return Err(Error::new(alias.ident.span(), message));
                }
                if let Some(ty) = meant(name).filter(|_| !seen.contains(name)) {
                    seen.push(name.clone());
                    open.push(ty);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a `transverse` with a parameter `mean` where the block has no `mean_state`.
fn check_mean(context: &Context, functions: &[&syn::ImplItemFn]) -> Result<()> {
    if context.signatures.contains_key("mean_state") {
        return Ok(());
    }
    match parameter_of(functions, "transverse", "mean") {
        None => Ok(()),
        Some(mean) => {
            let message = "this function is never called: write `fn mean_state(&self, ql: State, qr: State) -> State`";
            Err(Error::new_spanned(mean, message))
        }
    }
}

/// Refuses a `normal` with a parameter `beside` where no function says how steep a jump is, and such a function where nothing uses it.
fn check_beside(context: &Context, functions: &[&syn::ImplItemFn]) -> Result<()> {
    let steepness = functions.iter().find(|function| function.sig.ident == STEEPNESS);
    match (parameter_of(functions, "normal", BESIDE), steepness) {
        (Some(beside), None) => {
            let message = format!(
                "nothing says how steep the jumps beside a face are: write `fn {STEEPNESS}(&self, axis: Axis, ql: State, qr: State) -> Real`"
            );
            Err(Error::new_spanned(beside, message))
        }
        (None, Some(function)) => {
            let message = format!("this function is never called: `normal` has no parameter `{BESIDE}: Real`");
            Err(Error::new_spanned(&function.sig.ident, message))
        }
        (Some(beside), Some(_)) if context.description.solve_again => {
            let message = "such a face costs too much to be solved again: leave out `solve_again`";
            Err(Error::new_spanned(beside, message))
        }
        _ => Ok(()),
    }
}

/// The parameter of a function by its name.
fn parameter_of<'a>(functions: &[&'a syn::ImplItemFn], function: &str, name: &str) -> Option<&'a syn::FnArg> {
    let mut inputs = functions.iter().filter(|f| f.sig.ident == function).flat_map(|f| &f.sig.inputs);
    inputs.find(|input| {
        matches!(input, syn::FnArg::Typed(typed)
            if matches!(&*typed.pat, syn::Pat::Ident(pattern) if pattern.ident == name))
    })
}

/// Checks that quantities that must be positive are names of equations or auxiliary values, or that a function computes them.
fn check_quantities(context: &Context, block: &syn::ItemImpl) -> Result<()> {
    let Description { positive, nonnegative, .. } = context.description;
    let names: Vec<_> = positive.iter().chain(nonnegative).collect();
    let count = names.len();
    if let Some(written) = context.signatures.get(ADMISSIBLE_STATE) {
        if count == 0 {
            let message =
                "say what the values are: `positive = [\"density\", \"pressure\"]` in `#[riemann::solver(…)]`";
            return Err(Error::new_spanned(&written.name, message));
        }
        if written.result != Type::reals(count) {
            let message = format!("`{ADMISSIBLE_STATE}` returns [Real; {count}], one value for each of {names:?}");
            return Err(Error::new_spanned(&written.name, message));
        }
        return Ok(());
    }
    match names.iter().find(|name| context.form.component(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let message = format!(
                "no equation or auxiliary value is called {name:?}: write `fn {ADMISSIBLE_STATE}(&self, q: State) -> [Real; \
                 {count}]`, which gives the values of {names:?}"
            );
            Err(Error::new_spanned(&block.self_ty, message))
        }
    }
}

/// Checks that quantities kept from being negative are equations' of a solver whose fluxes are known.
fn check_kept(context: &Context, block: &syn::ItemImpl) -> Result<()> {
    let Some(first) = context.description.kept_nonnegative.first() else { return Ok(()) };
    let message = if let Some(other) =
        context.description.kept_nonnegative.iter().find(|name| context.form.equation(name).is_none())
    {
        format!("`kept_nonnegative` names equations: {other:?} is none; write it in `nonnegative`")
    } else if context.form.dim == 3 {
        format!("{first:?} is kept nonnegative in one and two dimensions only: write it in `nonnegative`")
    } else if !context.signatures.contains_key("flux") {
        format!("to keep {first:?} nonnegative write `fn flux(&self, axis: Axis, q: State) -> State`")
    } else {
        return Ok(());
    };
    Err(Error::new_spanned(&block.self_ty, message))
}

/// Refuses a part of the functions between the state and transfer variables without the others.
fn check_transfer(context: &Context) -> Result<()> {
    let (there, missing): (Vec<&str>, Vec<&str>) =
        TRANSFER.iter().partition(|name| context.signatures.contains_key(**name));
    let (Some(first), Some(missing)) = (there.first(), missing.first()) else { return Ok(()) };
    let parameter = if *missing == TRANSFER[0] { "q" } else { "t" };
    let message =
        format!("`{first}` is not all: write `fn {missing}(&self, {parameter}: State, aux: Aux) -> State` too");
    Err(Error::new_spanned(&context.signatures[*first].name, message))
}

/// The functions between the state and primitive variables, which stay among the others only where these call them.
fn take_primitive(context: &Context, functions: &mut Vec<Function>, block: &syn::ItemImpl) -> Result<Vec<Function>> {
    if context.form.primitive.is_empty() {
        return Ok(Vec::new());
    }
    let mut taken = Vec::new();
    for (name, written) in
        [(PRIMITIVE, "primitive(&self, q: State)"), (CONSERVED, "conserved(&self, primitive: State)")]
    {
        let Some(place) = functions.iter().position(|function| function.name == name) else {
            let message = format!("the attribute names primitive variables: write `fn {written} -> State`");
            return Err(Error::new_spanned(&block.self_ty, message));
        };
        taken.push(functions[place].clone());
    }
    for name in [PRIMITIVE, CONSERVED] {
        if !functions.iter().any(|function| function.name != name && function.calls.iter().any(|call| call == name)) {
            functions.retain(|function| function.name != name);
        }
    }
    Ok(taken)
}

/// Checks `exchanged` and `mirrored`: in three dimensions the parameter of the former says which axes are exchanged.
fn check_images(description: &Description, form: &Form, function: &syn::ImplItemFn) -> Result<()> {
    let signature = &function.sig;
    for (name, flag, is_set) in
        [("exchanged", "axes_differ", description.axes_differ), ("mirrored", "one_way", description.one_way)]
    {
        if signature.ident == name && is_set {
            let message = format!("`{flag}` says that there is no such solver: leave out one of the two");
            return Err(Error::new_spanned(&signature.ident, message));
        }
    }
    if signature.ident == "exchanged" && form.dim == 3 && signature.inputs.len() < 2 {
        let message = "in three dimensions any two axes are exchanged: write `fn exchanged(&self, axes: [Axis; 2])`";
        return Err(Error::new_spanned(&signature.ident, message));
    }
    Ok(())
}

impl Context<'_> {
    fn check_function(&self, source: &syn::ImplItemFn, signature: &Signature) -> Result<Function> {
        let mut checker = Checker::new(self);
        let mut parameters = Vec::new();
        let mut taken_apart = Vec::new();
        let typed = source.sig.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(typed),
            syn::FnArg::Receiver(_) => None,
        });
        for (typed, ty) in typed.zip(&signature.parameters) {
            parameters.push(checker.declare_parameter(&typed.pat, ty, &mut taken_apart)?);
        }
        let mut body = checker.function_body(&source.block, &signature.result)?;
        taken_apart.append(&mut body.statements);
        body.statements = taken_apart;
        Ok(Function {
            source: source.clone(),
            name: signature.name.clone(),
            is_entry: Entry::find(&signature.name).is_some(),
            takes_self: signature.takes_self,
            parameters,
            result: signature.result.clone(),
            body,
            calls: checker.calls,
        })
    }

    /// The function that computes the quantities named in the attribute.
    fn check_further_quantities(
        &self,
        function: Option<&syn::ImplItemFn>,
        block: &syn::ItemImpl,
    ) -> Result<Option<Function>> {
        let names = &self.description.quantities;
        let count = names.len();
        let Some(function) = function else {
            let message = format!(
                "write `fn {QUANTITIES}(&self, q: State) -> [Real; {count}]`, which gives the values of {names:?}"
            );
            return if count == 0 { Ok(None) } else { Err(Error::new_spanned(&block.self_ty, message)) };
        };
        let signature = self.read_signature(&function.sig)?;
        if count == 0 {
            let message = "name the values: `quantities = [\"pressure\", \"mach\"]` in `#[riemann::solver(…)]`";
            return Err(Error::new_spanned(&signature.name, message));
        }
        if signature.result != Type::reals(count) {
            let message = format!("`{QUANTITIES}` returns [Real; {count}], one value for each of {names:?}");
            return Err(Error::new_spanned(&function.sig.output, message));
        }
        self.check_function(function, &signature).map(Some)
    }

    /// The block's constants with their values.
    fn constant_values(&self, block: &syn::ItemImpl) -> Result<Vec<(syn::Ident, Expr)>> {
        let mut values = Vec::new();
        for item in &block.items {
            let ImplItem::Const(constant) = item else { continue };
            let mut checker = Checker::new(self);
            let value = checker.expression(&constant.expr)?;
            values.push((constant.ident.clone(), checker.coerce(value, &self.read_type(&constant.ty)?)?));
        }
        Ok(values)
    }

    /// An array's length or another integer that must be known at compile time.
    pub fn read_count(&self, expr: &syn::Expr) -> Result<usize> {
        let checked = Checker::new(self).expression(expr)?;
        match checked.constant() {
            Some(count) if checked.ty == Type::Int && count >= 0 => Ok(count as usize),
            _ => Err(Error::new_spanned(expr, "write a number, or a constant: its value must be known when compiling")),
        }
    }
}

impl Checker<'_> {
    /// Declares a parameter. One that is a pattern gets a name, and `statements` that destructure it.
    fn declare_parameter(
        &mut self,
        pattern: &syn::Pat,
        ty: &Type,
        statements: &mut Vec<Statement>,
    ) -> Result<crate::tree::Local> {
        if let syn::Pat::Ident(name) = pattern {
            check_name(&name.ident)?;
            return Ok(self.scopes.declare(&name.ident, ty.clone(), name.mutability.is_some()));
        }
        let whole = syn::Ident::new("argument", proc_macro2::Span::call_site());
        let local = self.scopes.declare(&whole, ty.clone(), false);
        let value = self.local_value(&local);
        statements.extend(self.bind(pattern, value)?);
        Ok(local)
    }
}
