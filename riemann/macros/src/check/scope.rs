//! Variables in scope, each with a name that is unique in its function.

use crate::names::is_reserved;
use crate::tree::Local;
use crate::types::Type;
use proc_macro2::Ident;
use std::collections::HashSet;

#[derive(Default)]
pub struct Scopes {
    used: HashSet<String>,
    /// Innermost last: the user's names and their variables.
    scopes: Vec<Vec<(String, Local)>>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Declares a variable, which shadows others of its name.
    pub fn declare(&mut self, name: &Ident, ty: Type, mutable: bool) -> Local {
        self.declare_as(name.to_string(), name, ty, mutable)
    }

    /// Declares a variable that no name of the user's stands for.
    pub fn declare_hidden(&mut self, name: &Ident, ty: Type) -> Local {
        self.declare_as(String::new(), name, ty, true)
    }

    fn declare_as(&mut self, known_as: String, name: &Ident, ty: Type, mutable: bool) -> Local {
        let wanted = name.to_string();
        let mut unique = wanted.clone();
        let mut count = 1;
        while is_reserved(&unique) || !self.used.insert(unique.clone()) {
            count += 1;
            unique = format!("{wanted}_{count}");
        }
        let local = Local { name: Ident::new(&unique, name.span()), source_name: wanted, ty, mutable };
        self.scopes.last_mut().expect("inside a function").push((known_as, local.clone()));
        local
    }

    /// The variable that a name stands for.
    pub fn find(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|(n, _)| n == name).map(|(_, local)| local)
    }

    /// Whether the variable was declared at a depth of at least `depth`.
    pub fn is_declared_within(&self, unique: &Ident, depth: usize) -> bool {
        self.scopes.iter().skip(depth).flatten().any(|(_, local)| local.name == *unique)
    }

    /// A variable in scope by its unique name.
    pub fn by_unique_name(&self, unique: &Ident) -> &Local {
        let all = self.scopes.iter().flatten().map(|(_, local)| local);
        all.into_iter().find(|local| local.name == *unique).expect("the variable is in scope")
    }
}
