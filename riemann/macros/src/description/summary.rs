//! What the macro `solver` passes to the macro `kernels`: the description as a sequence of literals.

use super::parameter::Parameter;
use super::{Description, Form};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::parse::ParseStream;
use syn::{LitBool, LitInt, LitStr, Result, bracketed};

impl Description {
    /// `solver generic fwaves again differ one_way directions [positive …] [nonnegative …] [kept …] [quantity …] [parameter …]`, then for each form
    /// `[dim waves [equation …] [aux …] [face …] [kind …] [first …] [primitive …] [kind …] [first …]]`, groups of equations and of auxiliary values; faces, kinds and first components of groups are numbered from one,
    /// and zero stands for none.
    pub(super) fn summary(&self) -> TokenStream {
        let Description {
            solver,
            generic,
            fwaves,
            solve_again,
            axes_differ,
            one_way,
            directions,
            positive,
            nonnegative,
            kept_nonnegative,
            quantities,
            ..
        } = self;
        let parameters = self.parameters.iter().map(|parameter| &parameter.name);
        let forms = self.forms.iter().map(|form| {
            let Form { dim, equations, waves, aux, aux_face, groups, aux_groups, primitive } = form;
            let faces = aux_face.iter().map(|face| face.map_or(0, |axis| axis + 1));
            let [groups, aux_groups] = [groups, aux_groups].map(|groups| {
                let (kinds, first) =
                    (groups.iter().map(|(kind, _)| kind + 1), groups.iter().map(|(_, first)| first + 1));
                quote!([#(#kinds)*] [#(#first)*])
            });
            quote!([#dim #waves [#(#equations)*] [#(#aux)*] [#(#faces)*] #groups [#(#primitive)*] #aux_groups])
        });
        let quantities = quote!([#(#positive)*] [#(#nonnegative)*] [#(#kept_nonnegative)*] [#(#quantities)*]);
        let flags = quote!(#generic #fwaves #solve_again #axes_differ #one_way #directions);
        quote!(#solver #flags #quantities [#(#parameters)*] #(#forms)*)
    }

    /// Parses what [`Description::summary`] writes. Name, title and the parameters' checks are not in it: the formulas do not
    /// need them.
    pub fn parse_summary(input: ParseStream) -> Result<Self> {
        let solver = input.parse()?;
        let flag = || input.parse::<LitBool>().map(|flag| flag.value);
        let (generic, fwaves, solve_again) = (flag()?, flag()?, flag()?);
        let (axes_differ, one_way, directions) = (flag()?, flag()?, flag()?);
        let names = |texts: Vec<LitStr>| texts.iter().map(LitStr::value).collect::<Vec<_>>();
        let (positive, nonnegative) = (names(list(input)?), names(list(input)?));
        let (kept_nonnegative, quantities) = (names(list(input)?), names(list(input)?));
        let parameters = list::<Ident>(input)?.into_iter().map(Parameter::named).collect();
        let mut forms = Vec::new();
        while !input.is_empty() {
            let inside;
            bracketed!(inside in input);
            let (dim, waves) = (number(&inside)?, number(&inside)?);
            let (equations, aux) = (names(list(&inside)?), names(list(&inside)?));
            let aux_face = numbers(&inside)?;
            let groups = || -> Result<Vec<(usize, usize)>> {
                let (kinds, first) = (numbers(&inside)?, numbers(&inside)?);
                Ok(kinds.into_iter().flatten().zip(first.into_iter().flatten()).collect())
            };
            let (groups, primitive, aux_groups) = (groups()?, names(list(&inside)?), groups()?);
            forms.push(Form { dim, equations, waves, aux, aux_face, groups, aux_groups, primitive });
        }
        Ok(Description {
            generic,
            fwaves,
            solve_again,
            axes_differ,
            one_way,
            directions,
            positive,
            nonnegative,
            kept_nonnegative,
            quantities,
            parameters,
            forms,
            ..Description::named(solver)
        })
    }
}

fn list<T: syn::parse::Parse>(input: ParseStream) -> Result<Vec<T>> {
    let inside;
    bracketed!(inside in input);
    let mut items = Vec::new();
    while !inside.is_empty() {
        items.push(inside.parse()?);
    }
    Ok(items)
}

fn number(input: ParseStream) -> Result<usize> {
    input.parse::<LitInt>()?.base10_parse()
}

/// Indices from zero, of a list that numbers from one; zero there is none.
fn numbers(input: ParseStream) -> Result<Vec<Option<usize>>> {
    list::<LitInt>(input)?.iter().map(|literal| Ok(literal.base10_parse::<usize>()?.checked_sub(1))).collect()
}
