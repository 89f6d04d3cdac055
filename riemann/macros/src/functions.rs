//! `#[riemann::functions]`: blocks of functions that belong to no solver, over numbers in double precision.
//!
//! In place of the elementary functions of the solver language they have the operations on the bits of numbers from which these are made
//! ([`PRIMITIVES`](crate::names::PRIMITIVES)).

use crate::check::check_block;
use crate::description::{Description, Form};
use crate::emit_cuda;
use crate::emit_rust;
use proc_macro2::TokenStream;
use quote::quote;

/// Emits the functions as Rust over `riemann::elementary::Double`, and as CUDA C++ in the constant `CUDA`.
pub fn emit(block: &syn::ItemImpl) -> syn::Result<TokenStream> {
    let name = crate::description::name_of_type(&block.self_ty)?.clone();
    let (aux_face, groups, aux_groups) = (Vec::new(), Vec::new(), Vec::new());
    let form = Form {
        dim: 1,
        equations: Vec::new(),
        waves: 0,
        aux: Vec::new(),
        aux_face,
        groups,
        aux_groups,
        primitive: Vec::new(),
    };
    let description = Description::of_functions(name, form);
    let form = &description.forms[0];
    let program = check_block(&description, form, block)?;
    let functions = emit_rust::emit_functions(form, &program);
    let (ty, cuda) = (&block.self_ty, emit_cuda::emit_functions(&program));
    Ok(quote! {
        impl #ty {
            #functions
            /// The functions as members of a struct in CUDA C++.
            pub const CUDA: &'static str = #cuda;
        }
    })
}
