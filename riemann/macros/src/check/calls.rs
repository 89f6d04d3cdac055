//! Calls among the functions of a block.

use super::signature::Entry;
use crate::tree::Function;
use proc_macro2::Ident;
use quote::format_ident;
use syn::{Error, Result};

/// Refuses recursion, direct or through other functions.
pub fn check_ends(functions: &[Function]) -> Result<()> {
    for function in functions {
        let mut way = vec![function.name.to_string()];
        let mut seen = Vec::new();
        if let Some(place) = way_back(function, functions, &mut way, &mut seen) {
            let name = &function.name;
            let by = match way.get(1..).unwrap_or_default() {
                [] => String::new(),
                between => format!(" by way of `{}`", between.join("`, `")),
            };
            let message = format!(
                "`{name}` calls itself{by}, and a GPU has no stack for that: write a loop with a known number of rounds, \
                 `for k in 0..8 {{ … }}`, in place of the call"
            );
            return Err(Error::new(place.span(), message));
        }
    }
    Ok(())
}

/// The call in `function` that begins a chain of calls back to the first function of `way`; `way` then lists the chain.
fn way_back<'f>(
    function: &'f Function,
    functions: &'f [Function],
    way: &mut Vec<String>,
    seen: &mut Vec<String>,
) -> Option<&'f Ident> {
    for call in &function.calls {
        if *call == way[0] {
            return Some(call);
        }
        if seen.iter().any(|name| *call == name) {
            continue;
        }
        seen.push(call.to_string());
        let Some(called) = functions.iter().find(|function| function.name == *call) else { continue };
        way.push(call.to_string());
        if way_back(called, functions, way, seen).is_some() {
            return Some(call);
        }
        way.pop();
    }
    None
}

/// The name by which functions of the block call `name`: functions of the trait have a second copy for this.
pub fn called_name(name: &Ident) -> Ident {
    match Entry::find(name) {
        // Names with two underscores are reserved for the emitted texts.
        Some(_) => format_ident!("{name}__called", span = name.span()),
        None => name.clone(),
    }
}

/// Functions of the trait have all its parameters, and its results. For calls from the block this adds a second copy of each
/// with the parameters that the user wrote.
pub fn add_called_entries(functions: &mut Vec<Function>) {
    let is_called = |name: &Ident| functions.iter().any(|caller| caller.calls.contains(name));
    let called: Vec<_> = functions.iter().filter(|function| function.is_entry && is_called(&function.name)).collect();
    let copy = |function: &&Function| {
        let mut copy = Function { name: called_name(&function.name), is_entry: false, ..(**function).clone() };
        copy.source.attrs.clear();
        copy
    };
    let copies: Vec<_> = called.iter().map(copy).collect();
    functions.extend(copies);
}
