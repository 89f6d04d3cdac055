//! Blocks and statements.

use super::{Writer, pattern};
use crate::tree::{Block, Expr, Kind, Local, Statement};
use crate::types::Type;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// A block without its braces.
pub fn block_contents(writer: &Writer, block: &Block) -> TokenStream {
    let statements = block.statements.iter().map(|statement| statement_tokens(writer, statement));
    let value = block.value.as_ref().map(|value| writer.expression(value));
    quote!(#(#statements)* #value)
}

fn statement_tokens(writer: &Writer, statement: &Statement) -> TokenStream {
    match statement {
        Statement::Let { local, value } => {
            let (pattern, ty, value) = (pattern(local), writer.ty(&local.ty), writer.expression(value));
            quote!(let #pattern: #ty = #value;)
        }
        Statement::Assign { place, value } => {
            let (place, value) = (writer.expression(place), writer.expression(value));
            quote!(#place = #value;)
        }
        Statement::If { condition, then, otherwise } if condition.ty == Type::Mask => {
            masked_if(writer, condition, then, otherwise.as_ref())
        }
        Statement::If { condition, then, otherwise } => {
            let (condition, then) = (writer.expression(condition), block_contents(writer, then));
            let otherwise = otherwise.as_ref().map(|block| {
                let block = block_contents(writer, block);
                quote!(else { #block })
            });
            quote!(if #condition { #then } #otherwise)
        }
        Statement::For { variable, first, end, body, running } => {
            let (name, body) = (&variable.name, block_contents(writer, body));
            let [first, end] = [first, end].map(|bound| match bound.constant() {
                Some(value) => Literal::i64_unsuffixed(value).into_token_stream(),
                None => writer.expression(bound),
            });
            let end_early =
                running.as_ref().map(|Local { name, .. }| quote!(if !::riemann::real::Mask::any(#name) { break; }));
            quote!(for #name in #first..#end { #body #end_early })
        }
        Statement::Block(block) => {
            let block = block_contents(writer, block);
            quote!({ #block })
        }
    }
}

/// An `if` on a mask: both sides change copies of the variables that they assign to, and each lane selects from these.
fn masked_if(writer: &Writer, condition: &Expr, then: &Block, otherwise: Option<&Block>) -> TokenStream {
    let (mask, rarely) = (format_ident!("__mask"), matches!(condition.kind, Kind::Rarely(_)));
    let condition = writer.expression(condition);
    let mut names: Vec<Ident> = Vec::new();
    for name in [Some(then), otherwise].into_iter().flatten().flat_map(Block::assigned) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let yes: Vec<_> = names.iter().map(|name| format_ident!("__yes_{name}", span = name.span())).collect();
    let no: Vec<_> = names.iter().map(|name| format_ident!("__no_{name}", span = name.span())).collect();
    let side = |block: Option<&Block>| {
        let contents = block.map(|block| block_contents(writer, block));
        quote!({ #(let mut #names = #names;)* #contents (#(#names,)*) })
    };
    let (then, otherwise) = (side(Some(then)), side(otherwise));
    let chosen = names
        .iter()
        .zip(&yes)
        .zip(&no)
        .map(|((name, yes), no)| quote!(#name = ::riemann::real::Choose::choose(#mask, #yes, #no);));
    let then = if rarely { quote!(if ::riemann::real::Mask::any(#mask) #then else { (#(#names,)*) }) } else { then };
    quote! {
        {
            let #mask = #condition;
            let (#(#yes,)*) = #then;
            let (#(#no,)*) = #otherwise;
            #(#chosen)*
        }
    }
}
