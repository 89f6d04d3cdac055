//! Riemann solvers from one source.
//!
//! `#[riemann::solver(…)]` is written on the struct of parameters and gives the numbers of equations, waves and auxiliary values;
//! `#[riemann::kernels]` is written on the `impl` block with the formulas. The block is a program in a small language,
//! a subset of Rust (`docs/solver-language.md`). It is parsed once, checked, and emitted twice: as Rust over
//! `riemann::real::Real` and as CUDA C++. Both texts do the same operations in the same order.
//!
//! ```text
//! description   the attribute and the parameters       ┐
//! check         syn's tree → typed tree, or errors     ├ one reading
//! tree, types   the typed tree                         ┘
//! emit_rust     typed tree → impl Solver               ┐ two texts
//! emit_cuda     typed tree → the body of struct Solver ┘
//! emit_formulas functions of position → formulas of a case
//! functions     both for blocks that belong to no solver
//! ```

mod check;
mod description;
mod emit_cuda;
mod emit_formulas;
mod emit_rust;
mod formula_words;
mod functions;
mod names;
mod quantities;
mod tree;
mod types;

use description::Description;
use proc_macro::TokenStream;
use proc_macro2::TokenTree;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

/// Describes a Riemann solver. Goes on the struct of its parameters.
///
/// ```text
/// #[riemann::solver(dim = 2, equations = ["pressure", vector("u", "v")], waves = 2)]
/// pub struct Acoustics {
///     /// density of the medium
///     #[parameter(positive)]
///     pub density: Real,
/// }
/// ```
///
/// Keys: `dim` (2 where left out; `dim = [1, 2]` for a struct with a parameter `const D: usize`); `equations`, names of the
/// state's components, those of a vector along the axes as `vector("u", "v")`, and `vector3`, `pseudo_vector`, `pseudo_vector3`, `pseudo_scalar`, `tensor`; `waves`; `aux`, names of auxiliary values,
/// those stored on faces as `faces("u_edge", "v_edge")`; `fwaves`; `solve_again`, where
/// `normal` costs some dozens of operations, and no root or quotient but of parameters; `axes_differ`, where the equations differ from axis to axis; `one_way`, where they have no mirror image;
/// `positive`, the quantities that must be positive in every state (the block's `admissible_state` computes them where they are not
/// equations); `nonnegative`, those that must not be negative in data; `name`, the solver's name in case files (by default the
/// struct's name in snake case); `title`, what it solves.
#[proc_macro_attribute]
pub fn solver(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::ItemStruct);
    match Description::new(attribute.into(), &item) {
        Ok(description) => description.emit(&item).into(),
        Err(error) => {
            // One error is enough: the block finds a macro that expands to nothing.
            let (error, describe) = (error.into_compile_error(), description::macro_name(&item.ident));
            let describe = format_ident!("{describe}", span = item.ident.span());
            quote!(#error #[allow(unused_macros)] macro_rules! #describe { ($($any:tt)*) => {}; }).into()
        }
    }
}

/// Compiles a Riemann solver's formulas. Goes on the `impl` block below its `#[riemann::solver]` struct.
///
/// `#[riemann::kernels(with(Linearised))]` includes the functions of a [`macro@shared`] block.
#[proc_macro_attribute]
pub fn kernels(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let block = match syn::parse::<syn::ItemImpl>(item.clone()) {
        Ok(block) => block,
        Err(error) => return unreadable(item.into(), &error).into(),
    };
    let shared = syn::parse_macro_input!(attribute as SharedBlocks).0;
    match description::name_of_type(&block.self_ty) {
        // The last macro was emitted by `solver` and adds the description; those before it were emitted by `shared` and add their blocks.
        Ok(name) => {
            let describe = format_ident!("{}", description::macro_name(name), span = name.span());
            call_in_turn(&shared, &describe, &block).into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}

/// The call of the macros of shared blocks, each of which adds its block and calls the next one, and of `last`.
fn call_in_turn(shared: &[syn::Ident], last: &syn::Ident, block: &syn::ItemImpl) -> proc_macro2::TokenStream {
    let mut others = shared.iter().chain([last]);
    let first = others.next();
    quote!(#first! { [#(#others)*] {} #block })
}

/// The error in a block that is not valid Rust, and a stub of the solver, so that no further errors follow.
fn unreadable(item: proc_macro2::TokenStream, error: &syn::Error) -> proc_macro2::TokenStream {
    let error = error.to_compile_error();
    let mut tokens = item.into_iter().skip_while(|token| !matches!(token, TokenTree::Ident(word) if *word == "impl"));
    match tokens.nth(1) {
        Some(TokenTree::Ident(name)) => {
            let describe = format_ident!("{}", description::macro_name(&name), span = name.span());
            quote!(#error #describe! { [] {} #[unreadable] impl #name {} })
        }
        _ => error,
    }
}

/// Functions in the solver language that several solvers include. Goes on an `impl` block with a name of its own.
///
/// They are checked with each block that includes them.
#[proc_macro_attribute]
pub fn shared(_attribute: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    let name = match description::name_of_type(&block.self_ty) {
        Ok(name) => name,
        Err(error) => return error.into_compile_error().into(),
    };
    let hidden = format_ident!("__riemann_shared_{name}");
    quote! {
        macro_rules! #hidden {
            ([$next:ident $($others:ident)*] {$($taken_in:tt)*} $($block:tt)*) => {
                $next! { [$($others)*] {$($taken_in)* { #block }} $($block)* }
            };
        }
        pub(crate) use #hidden as #name;
    }
    .into()
}

/// Compiles functions that belong to no solver, over numbers in double precision. Goes on an `impl` block and includes
/// [`macro@shared`] blocks, as `#[riemann::functions(with(Exponential))]`. The built-in elementary functions are made by it.
#[proc_macro_attribute]
pub fn functions(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let block = syn::parse_macro_input!(item as syn::ItemImpl);
    let shared = syn::parse_macro_input!(attribute as SharedBlocks).0;
    match description::name_of_type(&block.self_ty) {
        Ok(name) => {
            let last = format_ident!("__riemann_functions_{name}");
            let call = call_in_turn(&shared, &last, &block);
            quote! {
                macro_rules! #last {
                    ([] {$($taken_in:tt)*} $($block:tt)*) => { ::riemann::described_functions! { $($taken_in)* $($block)* } };
                }
                #call
            }
            .into()
        }
        Err(error) => error.into_compile_error().into(),
    }
}

/// The second half of [`macro@functions`], called by its expansion only.
#[doc(hidden)]
#[proc_macro]
pub fn described_functions(input: TokenStream) -> TokenStream {
    let WholeBlock(block) = syn::parse_macro_input!(input as WholeBlock);
    functions::emit(&block).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The names in `with(…)`.
struct SharedBlocks(Vec<syn::Ident>);

impl Parse for SharedBlocks {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(SharedBlocks(Vec::new()));
        }
        let word: syn::Ident = input.parse()?;
        if word != "with" {
            return Err(syn::Error::new(word.span(), "write `with(Name)` to take in the functions of a shared block"));
        }
        let inside;
        syn::parenthesized!(inside in input);
        let names = Punctuated::<syn::Ident, syn::Token![,]>::parse_terminated(&inside)?;
        Ok(SharedBlocks(names.into_iter().collect()))
    }
}

/// An `impl` block together with the items of the shared blocks that it includes.
struct WholeBlock(syn::ItemImpl);

impl Parse for WholeBlock {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut taken_in = Vec::new();
        while input.peek(syn::token::Brace) {
            let shared;
            syn::braced!(shared in input);
            taken_in.extend(shared.parse::<syn::ItemImpl>()?.items);
        }
        let mut block: syn::ItemImpl = input.parse()?;
        for item in &mut taken_in {
            if let syn::ImplItem::Fn(function) = item {
                // A block need not use all shared functions, nor these all of their parameters.
                function.attrs.push(syn::parse_quote!(#[allow(dead_code, unused_variables)]));
            }
        }
        block.items.extend(taken_in);
        Ok(WholeBlock(block))
    }
}

/// A description and its block.
struct DescribedBlock {
    description: Description,
    block: syn::ItemImpl,
}

impl Parse for DescribedBlock {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let inside;
        syn::braced!(inside in input);
        Ok(DescribedBlock { description: Description::parse_summary(&inside)?, block: input.parse::<WholeBlock>()?.0 })
    }
}

/// The second half of [`macro@kernels`], called by its expansion only.
#[doc(hidden)]
#[proc_macro]
pub fn described_kernels(input: TokenStream) -> TokenStream {
    let DescribedBlock { description, block } = syn::parse_macro_input!(input as DescribedBlock);
    let mut out = proc_macro2::TokenStream::new();
    let unreadable = block.attrs.iter().any(|attribute| attribute.path().is_ident("unreadable"));
    for form in &description.forms {
        if unreadable {
            out.extend(emit_rust::emit_stub(&description, form, &block));
            continue;
        }
        let checked = check::check_block(&description, form, &block);
        match checked.and_then(|program| emit_rust::emit(&description, form, &program)) {
            Ok(tokens) => out.extend(tokens),
            Err(error) => {
                out.extend(error.into_compile_error());
                out.extend(emit_rust::emit_stub(&description, form, &block));
                break;
            }
        }
    }
    out.into()
}
