//! The typed tree as Rust over `riemann::real::Real`: the solver's helpers and its `impl Solver`.
//!
//! Where a comparison of real numbers decides, both sides are computed and the values selected lane by lane. Everything else is
//! as the user wrote it, operation by operation.

// tidy: long because each item of a solver's block is emitted here

mod expression;
mod plain;
mod statement;

use crate::check::{ENTRIES, Entry, SETTLE, SOURCE_ACTS, STEEPNESS, TRANSFER};
use crate::description::{Component, Description, Form, GROUP_KINDS};
use crate::emit_formulas::Formulas;
use crate::quantities::{Quantities, Value};
use crate::tree::{Function, Local, Program};
use crate::types::Type;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use statement::block_contents;

/// Emits the tokens of one form of a solver.
struct Writer<'a> {
    form: &'a Form,
    /// The trait of the number type `V` in helpers.
    numbers: TokenStream,
}

impl<'a> Writer<'a> {
    fn new(form: &'a Form) -> Self {
        Writer { form, numbers: quote!(::riemann::real::Real) }
    }
}

/// Emits functions that belong to no solver.
pub fn emit_functions(form: &Form, program: &Program) -> TokenStream {
    let writer = Writer { form, numbers: quote!(::riemann::elementary::Double) };
    let allowed = allowed();
    program
        .functions
        .iter()
        .map(|function| writer.helper(function))
        .map(|function| quote!(#allowed #function))
        .collect()
}

/// Disables lints that the emitted code would raise and the user could not avoid.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            clippy::all, clippy::pedantic, unused_parens, unused_braces, unused_mut, unused_assignments, non_snake_case
        )]
    }
}

/// Emits a solver in one number of dimensions.
///
/// # Errors
/// The mapping cannot be written as formulas.
pub fn emit(description: &Description, form: &Form, program: &Program) -> syn::Result<TokenStream> {
    let formulas = Formulas::of(form, program)?;
    let writer = Writer::new(form);
    let solver = description.solver_type(form);
    let helpers = program.functions.iter().filter(|function| !function.is_entry).map(|f| writer.helper(f));
    let constants = program.constants.iter().map(|(name, value)| plain::constant(name, value));
    let entries = ENTRIES.iter().filter_map(|entry| {
        let function = program.functions.iter().find(|function| function.name == entry.name)?;
        Some(writer.entry(entry, function))
    });
    let transverse = program.functions.iter().all(|f| f.name != "transverse").then(|| writer.no_transverse());
    let differ = description.axes_differ.then(|| {
        quote! {
            fn exchanged(&self, _: [::riemann::axis::Axis; 2]) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
        }
    });
    let one_way = description.one_way.then(|| {
        quote! {
            fn mirrored(&self, _: ::riemann::axis::Axis) -> ::core::option::Option<Self> {
                ::core::option::Option::None
            }
        }
    });
    let plain_functions = program.plain.iter().map(|function| plain::function(form, function));
    let header = impl_header(description, form);
    let constants_of_trait = trait_constants(description, form, program, &formulas);
    let quantities = writer.quantities(&Quantities::of(description, form, program));
    let device_source = device_source(description, form, program);
    let allowed = allowed();
    // A helper or a variable may be used in other numbers of dimensions only.
    let unused = (description.forms.len() > 1).then(|| quote!(#[allow(dead_code, unused_variables)]));
    Ok(quote! {
        #allowed
        #unused
        impl #solver {
            #(#constants)*
            #(#helpers)*
        }
        #allowed
        #unused
        #header {
            #constants_of_trait
            #(#entries)*
            #transverse
            #(#plain_functions)*
            #quantities
            #differ
            #one_way
            #device_source
        }
    })
}

/// A stub implementation in place of one that has errors, so that the missing trait is no further error.
pub fn emit_stub(description: &Description, form: &Form, block: &syn::ItemImpl) -> TokenStream {
    let header = impl_header(description, form);
    let (functions, of_position) = (Vec::new(), Vec::new());
    let program = Program { functions, plain: Vec::new(), of_position, constants: Vec::new() };
    let constants = trait_constants(description, form, &program, &Formulas::default());
    let writer = Writer::new(form);
    let written = block.items.iter().find_map(|item| match item {
        syn::ImplItem::Fn(function) if function.sig.ident == "normal" => Some(&function.sig.output),
        _ => None,
    });
    let normal =
        written.and_then(|output| writer.normal_as_written(output)).unwrap_or_else(|| writer.ty(&Type::Normal));
    let transverse = writer.no_transverse();
    let (state, aux) = (writer.ty(&Type::reals(form.equations.len())), writer.ty(&Type::reals(form.aux.len())));
    let message = format!("the solver {} has errors", description.solver);
    quote! {
        #header {
            #constants
            fn normal<V: ::riemann::real::Real>(
                &self, _: ::riemann::axis::Axis, _: #state, _: #state, _: #aux, _: #aux,
            ) -> #normal {
                unreachable!(#message)
            }
            #transverse
        }
    }
}

/// `impl Solver<M, W, A> for …`.
fn impl_header(description: &Description, form: &Form) -> TokenStream {
    let solver = description.solver_type(form);
    let (m, w, a) = (form.equations.len(), form.waves, form.aux.len());
    quote!(impl ::riemann::solver::Solver<#m, #w, #a> for #solver)
}

fn trait_constants(description: &Description, form: &Form, program: &Program, formulas: &Formulas) -> TokenStream {
    let Form { dim, equations, aux, .. } = form;
    let (m, a, fwaves) = (equations.len(), aux.len(), description.fwaves);
    let Description { solve_again, directions, positive, nonnegative, .. } = description;
    let [groups, aux_groups] = [&form.groups, &form.aux_groups].map(|groups| {
        let groups = groups.iter().map(|&(kind, first)| {
            let (kind, first) = (format_ident!("{}", GROUP_KINDS[kind]), first as u32);
            quote!(::riemann::group::Group { kind: ::riemann::group::GroupKind::#kind, first: #first })
        });
        quote!(&[#(#groups),*])
    });
    let faces = form.aux_face.iter().map(|face| match face {
        Some(axis) => {
            let axis = format_ident!("{}", ["X", "Y", "Z"][*axis]);
            quote!(::core::option::Option::Some(::riemann::axis::Axis::#axis))
        }
        None => quote!(::core::option::Option::None),
    });
    let has = |name: &str| {
        program.functions.iter().any(|f| f.name == name) || program.plain.iter().any(|f| f.sig.ident == name)
    };
    let flags = [
        ("HAS_TRANSVERSE", "transverse"),
        ("HAS_MEAN_STATE", "mean_state"),
        ("HAS_SOURCE", "source"),
        ("SETTLES", SETTLE),
        ("TRANSFERS", TRANSFER[0]),
        ("HAS_INITIAL", "initial"),
        ("HAS_AUX", "aux_values"),
        ("HAS_BOUNDARY", "boundary"),
        ("HAS_FLAG", "flag"),
        ("LOOKS_BESIDE", STEEPNESS),
    ];
    let flags = flags.map(|(flag, function)| {
        // In one dimension there is nothing beside a face.
        let value = has(function) && (function != STEEPNESS || *dim > 1);
        let flag = format_ident!("{flag}");
        quote!(const #flag: bool = #value;)
    });
    let splits_sums = program.splits_sums();
    let takes_time = |function: &Function| {
        matches!(function.name.to_string().as_str(), "source" | "boundary")
            && function.parameters.iter().any(|parameter| parameter.source_name == "t")
    };
    let of_time = program.functions.iter().any(takes_time);
    let looks_around = program.looks_around();
    let Formulas { initial, aux_values, mapping, quantities, primitive, conserved } = formulas;
    let (names, variables) = (&description.quantities, &form.primitive);
    let Quantities { kept, falls_back, .. } = Quantities::of(description, form, program);
    quote! {
        const DIM: usize = #dim;
        const EQUATIONS: [&'static str; #m] = [#(#equations),*];
        const AUX: [&'static str; #a] = [#(#aux),*];
        const AUX_FACE: [::core::option::Option<::riemann::axis::Axis>; #a] = [#(#faces),*];
        const FWAVES: bool = #fwaves;
        const SOLVE_AGAIN: bool = #solve_again;
        const POSITIVE: &'static [&'static str] = &[#(#positive),*];
        const NONNEGATIVE: &'static [&'static str] = &[#(#nonnegative),*];
        const KEPT_NONNEGATIVE: &'static [usize] = &[#(#kept),*];
        const FALLS_BACK: bool = #falls_back;
        #(#flags)*
        const OF_TIME: bool = #of_time;
        const FLAG_LOOKS_AROUND: bool = #looks_around;
        const SPLITS_SUMS: bool = #splits_sums;
        const GROUPS: &'static [::riemann::group::Group] = #groups;
        const AUX_GROUPS: &'static [::riemann::group::Group] = #aux_groups;
        const DIRECTIONS: bool = #directions;
        const FORMULAS: ::riemann::solver::PositionFormulas = ::riemann::solver::PositionFormulas {
            initial: &[#(#initial),*],
            aux_values: &[#(#aux_values),*],
            mapping: &[#(#mapping),*],
            quantities: &[#((#names, #quantities)),*],
            primitive: &[#((#variables, #primitive)),*],
            conserved: &[#(#conserved),*],
        };
    }
}

/// The method that returns the CUDA text.
fn device_source(description: &Description, form: &Form, program: &Program) -> TokenStream {
    let body = crate::emit_cuda::emit(description, form, program);
    let names = description.parameters.iter().map(|parameter| parameter.name.to_string());
    let fields = description.parameters.iter().map(|parameter| &parameter.name);
    let (m, w, a, fwaves) = (form.equations.len(), form.waves, form.aux.len(), description.fwaves);
    let has = |name: &str| program.functions.iter().any(|f| f.name == name);
    let (source, boundary, flag) = (has("source"), has("boundary"), has("flag"));
    let transfer = has(TRANSFER[0]);
    let acts = program.plain.iter().any(|f| f.sig.ident == SOURCE_ACTS).then(|| quote!(&&self.source_acts()));
    let beside = has(STEEPNESS) && form.dim > 1;
    let quantities = Quantities::of(description, form, program);
    let (positive, limits) = (!quantities.changed.is_empty(), quantities.change());
    quote! {
        fn with_parameters(&self, values: &[f64]) -> ::core::option::Option<Self> {
            ::core::option::Option::Some(<Self as ::riemann::solver::Described>::from_parameters(values))
        }
        fn device_source(&self) -> ::core::option::Option<::riemann::device_source::DeviceSource> {
            ::core::option::Option::Some(::riemann::device_source::DeviceSource {
                body: ::std::string::String::from(#body),
                parameters: ::std::vec![#((#names, self.#fields)),*],
                reduced: ::std::vec::Vec::new(),
                equations: #m,
                waves: #w,
                aux: #a,
                fwaves: #fwaves,
                has_source: #source #acts,
                has_boundary: #boundary,
                has_flag: #flag,
                has_positive: #positive,
                has_admissible: #limits,
                has_transfer: #transfer,
                looks_beside: #beside,
            })
        }
    }
}

impl Writer<'_> {
    fn helper(&self, function: &Function) -> TokenStream {
        let (visibility, name, numbers) = (&function.source.vis, &function.name, &self.numbers);
        let (rare, attributes): (Vec<_>, Vec<_>) =
            function.source.attrs.iter().partition(|attribute| attribute.path().is_ident("rare"));
        let receiver = function.takes_self.then(|| quote!(&self,));
        let parameters = function.parameters.iter().map(|local| {
            let (pattern, ty) = (pattern(local), self.ty(&local.ty));
            quote!(#pattern: #ty)
        });
        let (result, mut body) = (self.ty(&function.result), block_contents(self, &function.body));
        if !rare.is_empty() {
            body = quote!(<V as ::riemann::real::Real>::outlined::<Self, _>(#[inline(always)] move || { #body }));
        }
        quote! {
            #(#attributes)*
            #[inline(always)]
            #visibility fn #name<V: #numbers>(#receiver #(#parameters),*) -> #result { #body }
        }
    }

    /// A function of the trait, with all parameters that the trait gives it.
    fn entry(&self, entry: &Entry, function: &Function) -> TokenStream {
        let name = &function.name;
        let mut copies = TokenStream::new();
        let inputs: Vec<_> = function.source.sig.inputs.iter().skip(1).collect();
        let parameters = entry.parameters.iter().map(|(known, shape)| {
            let written = inputs.iter().position(|input| {
                matches!(input, syn::FnArg::Typed(typed)
                if matches!(&*typed.pat, syn::Pat::Ident(pattern) if pattern.ident == known))
            });
            let ty = self.ty(&shape.resolve_in(self.form));
            let by_reference = *known == "aux" && entry.name == "transverse";
            let ty = if by_reference { quote!(&#ty) } else { ty };
            let Some(at) = written else { return quote!(_: #ty) };
            let local = &function.parameters[at];
            let pattern = pattern(local);
            if by_reference {
                let name = &local.name;
                copies.extend(quote!(let #pattern = *#name;));
                return quote!(#name: #ty);
            }
            quote!(#pattern: #ty)
        });
        let parameters: Vec<_> = parameters.collect();
        let (mut result, mut body) = (self.ty(&function.result), block_contents(self, &function.body));
        if entry.name == "flux" {
            result = quote!(::core::option::Option<#result>);
            body = quote!(::core::option::Option::Some({ #body }));
        }
        if function.result == Type::Normal {
            result = self.normal_as_written(&function.source.sig.output).unwrap_or(result);
        }
        if entry.name == "normal" {
            return self.normal(function, &parameters, &result, &body);
        }
        quote! {
            #[inline(always)]
            fn #name<V: ::riemann::real::Real>(&self, #(#parameters),*) -> #result { #copies #body }
        }
    }

    /// The function `normal`; where it looks beside the face, as the one that is told of it, and one that is not. `parameters`: that last.
    fn normal(
        &self,
        function: &Function,
        parameters: &[TokenStream],
        result: &TokenStream,
        body: &TokenStream,
    ) -> TokenStream {
        let looks_beside = function.told_beside().is_some();
        let (state, aux) =
            (self.ty(&Type::reals(self.form.equations.len())), self.ty(&Type::reals(self.form.aux.len())));
        let of_faces = &parameters[..parameters.len() - 1];
        if !looks_beside {
            return quote! {
                #[inline(always)]
                fn normal<V: ::riemann::real::Real>(&self, #(#of_faces),*) -> #result { #body }
            };
        }
        quote! {
            #[inline(always)]
            fn normal<V: ::riemann::real::Real>(
                &self, axis: ::riemann::axis::Axis, ql: #state, qr: #state, aux_l: #aux, aux_r: #aux,
            ) -> #result {
                self.normal_beside(axis, ql, qr, aux_l, aux_r, <V as ::riemann::real::Real>::zero())
            }
            #[inline(always)]
            fn normal_beside<V: ::riemann::real::Real>(&self, #(#parameters),*) -> #result { #body }
        }
    }

    /// The type `Normal` by the user's own path, so that the import of it counts as used.
    fn normal_as_written(&self, output: &syn::ReturnType) -> Option<TokenStream> {
        let syn::ReturnType::Type(_, written) = output else { return None };
        let syn::Type::Path(path) = &**written else { return None };
        let name = &path.path.segments.first().filter(|segment| segment.ident == "Normal")?.ident;
        let (m, w) = (self.form.equations.len(), self.form.waves);
        Some(quote!(#name<V, #m, #w>))
    }

    /// The functions that return the quantities that must be positive or must not be negative, and the least of those checked after a step.
    fn quantities(&self, quantities: &Quantities<'_>) -> TokenStream {
        if quantities.values.is_empty() {
            return TokenStream::new();
        }
        let (state, aux) =
            (self.ty(&Type::reals(self.form.equations.len())), self.ty(&Type::reals(self.form.aux.len())));
        let computed = quantities.function.map(|function| {
            let (name, arguments) = (&function.name, quantities.arguments());
            let arguments = arguments.iter().map(|name| format_ident!("{name}"));
            quote!(let computed = self.#name::<V>(#(#arguments),*);)
        });
        let value = |value: &Value| match value {
            Value::Component(Component::Equation(m)) => quote!(q[#m]),
            Value::Component(Component::Aux(a)) => quote!(aux[#a]),
            Value::Computed(k) => quote!(computed[#k]),
        };
        let all = quantities.values.iter().map(value);
        let changed: Vec<_> = quantities.changed.iter().map(|&k| value(&quantities.values[k])).collect();
        let least = changed.split_first().map(|(first, others)| {
            quote! {
                const CHECKS_STEPS: bool = true;
                #[inline(always)]
                fn least_positive<V: ::riemann::real::Real>(&self, q: #state, aux: #aux) -> V {
                    let _ = aux;
                    #computed
                    #first #(.min(#others))*
                }
            }
        });
        let nonnegative: Vec<_> =
            quantities.changed_nonnegative.iter().map(|&k| value(&quantities.values[k])).collect();
        let admissible = quantities.change().then(|| {
            quote! {
                const LIMITS: bool = true;
                #[inline(always)]
                fn is_admissible<V: ::riemann::real::Real>(&self, q: #state, aux: #aux, least: V) -> V::Mask {
                    let _ = (aux, least);
                    #computed
                    let yes = V::mask(true);
                    yes #(& #changed.gt(V::zero()))* #(& #nonnegative.ge(least))*
                }
            }
        });
        quote! {
            #least
            #admissible
            #[inline(always)]
            fn quantities<V: ::riemann::real::Real>(&self, q: #state, aux: #aux, values: &mut [V]) {
                let _ = (q, aux);
                #computed
                values.copy_from_slice(&[#(#all),*]);
            }
        }
    }

    /// The `transverse` of a solver without one: both parts are zero.
    fn no_transverse(&self) -> TokenStream {
        let (state, aux) = (self.ty(&Type::reals(self.form.equations.len())), self.ty(&Type::TransverseAux));
        let result = self.ty(&Type::Transverse);
        quote! {
            #[inline(always)]
            fn transverse<V: ::riemann::real::Real>(
                &self, _: ::riemann::axis::Axis, _: ::riemann::axis::Axis, _: ::riemann::axis::Side, _: #state, _: #state,
                _: #state, _: &#aux, asdq: #state,
            ) -> #result {
                let zero = [<V as ::riemann::real::Real>::zero(); _];
                let _ = asdq;
                ::riemann::solver::Transverse { bmasdq: zero, bpasdq: zero }
            }
        }
    }

    fn ty(&self, ty: &Type) -> TokenStream {
        let (m, w, a) = (self.form.equations.len(), self.form.waves, self.form.aux.len());
        match ty {
            Type::Real => quote!(V),
            Type::Int => quote!(usize),
            Type::Bool => quote!(bool),
            Type::Mask => quote!(<V as ::riemann::real::Real>::Mask),
            Type::Axis => quote!(::riemann::axis::Axis),
            Type::Side => quote!(::riemann::axis::Side),
            Type::Array(element, count) => {
                let (element, count) = (self.ty(element), Literal::usize_unsuffixed(*count));
                quote!([#element; #count])
            }
            Type::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.ty(element));
                quote!((#(#elements,)*))
            }
            Type::Normal => quote!(::riemann::solver::Normal<V, #m, #w>),
            Type::Transverse => quote!(::riemann::solver::Transverse<V, #m>),
            Type::TransverseAux => quote!(::riemann::solver::TransverseAux<V, #a>),
            Type::Cell => quote!(::riemann::solver::Cell),
            Type::Unit => quote!(()),
        }
    }
}

/// The pattern that declares a variable.
fn pattern(local: &Local) -> TokenStream {
    let name = &local.name;
    if local.mutable { quote!(mut #name) } else { quote!(#name) }
}
