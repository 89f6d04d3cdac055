//! From the user's tokens to the typed tree, or to errors at those tokens.

mod block;
mod call;
mod calls;
mod control;
mod expression;
mod loops;
mod operator;
mod refusal;
mod scope;
mod signature;
mod statement;

pub use block::check_block;
pub use signature::{
    ADMISSIBLE_STATE, CONSERVED, ENTRIES, Entry, PRIMITIVE, QUANTITIES, SETTLE, SOURCE_ACTS, STEEPNESS, TRANSFER,
};

use crate::description::{Description, Form};
use crate::types::Type;
use scope::Scopes;
use signature::Signature;
use std::collections::HashMap;

/// State shared by all functions of a block.
pub struct Context<'a> {
    pub description: &'a Description,
    pub form: &'a Form,
    /// Constants of the block: their type and expression.
    pub constants: HashMap<String, (Type, syn::Expr)>,
    /// The block's type aliases.
    pub aliases: HashMap<String, syn::Type>,
    pub signatures: HashMap<String, Signature>,
}

/// One function being checked.
pub struct Checker<'a> {
    pub context: &'a Context<'a>,
    pub scopes: Scopes,
    /// Depths of scope at which the enclosing block expressions begin: these may not assign to variables from outside.
    pub value_depth: Vec<usize>,
    /// Functions of the block called so far, each with the span of its call.
    pub calls: Vec<syn::Ident>,
    /// Constants that are being evaluated: none may depend on itself.
    pub within: Vec<String>,
    /// The loops around, innermost last.
    pub loops: Vec<loops::Round>,
    /// By unique name, the least and the largest value of each loop's variable.
    pub indices: HashMap<String, [i64; 2]>,
}

impl<'a> Checker<'a> {
    pub fn new(context: &'a Context<'a>) -> Self {
        let mut scopes = Scopes::default();
        scopes.enter();
        Checker {
            context,
            scopes,
            value_depth: Vec::new(),
            calls: Vec::new(),
            within: Vec::new(),
            loops: Vec::new(),
            indices: HashMap::new(),
        }
    }
}
