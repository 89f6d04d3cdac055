//! The attribute `#[riemann::solver(…)]`: equations, waves and further properties of a solver, and the struct of its parameters.

mod attribute;
mod components;
mod number;
mod parameter;
mod summary;

use attribute::Attribute;
use parameter::Parameter;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Error, Result};

/// A solver, with a form for each number of dimensions that it supports.
pub struct Description {
    /// The struct.
    pub solver: Ident,
    /// Whether the struct has the parameter `const D: usize`.
    pub generic: bool,
    /// The solver's name in case files.
    pub name: String,
    pub title: String,
    pub fwaves: bool,
    /// Whether solving a face's Riemann problem again costs less than storing its solution.
    pub solve_again: bool,
    /// Quantities that must be positive in every state, then those that must not be negative in data.
    pub positive: Vec<String>,
    pub nonnegative: Vec<String>,
    /// Those of the latter that updates keep so by limiting fluxes.
    pub kept_nonnegative: Vec<String>,
    /// Names of further quantities.
    pub quantities: Vec<String>,
    /// Whether the equations differ from axis to axis.
    pub axes_differ: bool,
    /// Whether the equations differ between the two directions along an axis.
    pub one_way: bool,
    /// Whether this is no solver, but a block of functions over numbers in double precision.
    pub functions_alone: bool,
    /// Whether the equations are not rotationally invariant.
    pub directions: bool,
    pub parameters: Vec<Parameter>,
    pub forms: Vec<Form>,
}

/// A solver in one number of dimensions.
pub struct Form {
    pub dim: usize,
    pub equations: Vec<String>,
    pub waves: usize,
    pub aux: Vec<String>,
    /// For each auxiliary value that is stored on faces, the axis normal to these.
    pub aux_face: Vec<Option<usize>>,
    /// For each group of components that are no scalars its kind, as a position in [`GROUP_KINDS`], and its first component.
    pub groups: Vec<(usize, usize)>,
    /// Likewise among the auxiliary values.
    pub aux_groups: Vec<(usize, usize)>,
    /// Variables in place of the equations' quantities, for initial data; none, or as many as equations.
    pub primitive: Vec<String>,
}

/// The kinds of groups of components, by the names of `riemann::group::GroupKind`.
pub const GROUP_KINDS: [&str; 5] = ["PseudoScalar", "Vector", "PseudoVector", "Tensor", "OutOfPlane"];

/// A named component: the number of an equation or of an auxiliary value.
#[derive(Clone, Copy)]
pub enum Component {
    Equation(usize),
    Aux(usize),
}

impl Form {
    /// The equation or auxiliary value called `name`.
    pub fn component(&self, name: &str) -> Option<Component> {
        let among = |names: &[String]| names.iter().position(|other| other == name);
        among(&self.equations).map(Component::Equation).or_else(|| among(&self.aux).map(Component::Aux))
    }

    /// The number of the equation called `name`.
    pub fn equation(&self, name: &str) -> Option<usize> {
        self.equations.iter().position(|other| other == name)
    }
}

/// Name of the macro that passes the description to the `impl` block.
pub fn macro_name(solver: &Ident) -> String {
    format!("__riemann_solver_{solver}")
}

/// The name of the type that an `impl` block is for.
pub fn name_of_type(ty: &syn::Type) -> Result<&Ident> {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => {
            Ok(&path.path.segments.last().expect("a path has a segment").ident)
        }
        other => Err(Error::new_spanned(other, "write the name of the solver's struct here")),
    }
}

impl Description {
    /// Parses the attribute and the struct.
    pub fn new(attribute: TokenStream, item: &syn::ItemStruct) -> Result<Self> {
        let attribute = (|input: ParseStream| Attribute::parse(input, item)).parse2(attribute)?;
        let generic = is_dimension_generic(&item.generics)?;
        if attribute.dimensions.len() > 1 && !generic {
            let message = "a solver in several dimensions is a struct with the parameter `<const D: usize>`";
            return Err(Error::new_spanned(&item.ident, message));
        }
        let fields = match &item.fields {
            syn::Fields::Named(fields) => fields.named.iter().collect(),
            syn::Fields::Unit => Vec::new(),
            syn::Fields::Unnamed(fields) => {
                return Err(Error::new_spanned(
                    fields,
                    "give each parameter a name: `struct Solver { gravity: Real }`",
                ));
            }
        };
        let parameters = fields.into_iter().map(Parameter::new).collect::<Result<Vec<_>>>()?;
        let is_parameter = |name: &&syn::LitStr| parameters.iter().any(|parameter| parameter.name == name.value());
        if let Some(name) = attribute.quantities.iter().find(is_parameter) {
            return Err(Error::new(name.span(), "a parameter has this name: choose another"));
        }
        let forms = attribute.dimensions.iter().map(|&dim| attribute.form(dim)).collect::<Result<Vec<_>>>()?;
        let of_forms = forms.iter().flat_map(|form| &form.primitive);
        if let Some(name) = of_forms.into_iter().find(|name| parameters.iter().any(|p| p.name == name.as_str())) {
            let message = format!("a parameter and a primitive variable are called `{name}`: choose another name");
            return Err(Error::new(item.ident.span(), message));
        }
        let quantities = attribute.quantities.iter().map(syn::LitStr::value).collect();
        Ok(Description { generic, quantities, parameters, forms, ..attribute.description })
    }

    /// The description of a block of functions that belong to no solver.
    pub fn of_functions(block: Ident, form: Form) -> Self {
        Description { functions_alone: true, forms: vec![form], ..Description::named(block) }
    }

    /// A description of which only the name is known.
    fn named(solver: Ident) -> Self {
        Description {
            solver,
            generic: false,
            name: String::new(),
            title: String::new(),
            fwaves: false,
            solve_again: false,
            positive: Vec::new(),
            nonnegative: Vec::new(),
            kept_nonnegative: Vec::new(),
            quantities: Vec::new(),
            axes_differ: false,
            one_way: false,
            functions_alone: false,
            directions: false,
            parameters: Vec::new(),
            forms: Vec::new(),
        }
    }

    /// The type of the solver in one number of dimensions.
    pub fn solver_type(&self, form: &Form) -> TokenStream {
        let (solver, dim) = (&self.solver, form.dim);
        if self.generic { quote!(#solver<#dim>) } else { quote!(#solver) }
    }

    /// Emits the struct, its description as constants, and the macro that passes the description to the `impl` block.
    pub fn emit(&self, item: &syn::ItemStruct) -> TokenStream {
        let structure = self.structure(item);
        let described = self.forms.iter().map(|form| self.described(form));
        let (describe, summary) = (format_ident!("{}", macro_name(&self.solver)), self.summary());
        quote! {
            #structure
            #(#described)*
            #[doc(hidden)]
            #[allow(unused_macros)]
            macro_rules! #describe {
                ([] {$($taken_in:tt)*} $($block:tt)*) => {
                    ::riemann::described_kernels! { { #summary } $($taken_in)* $($block)* }
                };
            }
        }
    }

    /// The struct with its parameters as `f64`.
    fn structure(&self, item: &syn::ItemStruct) -> TokenStream {
        let mut item = item.clone();
        for field in &mut item.fields {
            field.attrs.retain(|attribute| !attribute.path().is_ident("parameter"));
            field.ty = syn::parse_quote_spanned!(field.ty.span()=> f64);
        }
        let mut derived = Vec::new();
        for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            // The compiler reports derives that cannot be parsed.
            let _ = attribute.parse_nested_meta(|meta| {
                derived.extend(meta.path.segments.last().map(|segment| segment.ident.to_string()));
                Ok(())
            });
        }
        let missing =
            ["Clone", "Copy", "Debug", "PartialEq"].into_iter().filter(|name| !derived.iter().any(|d| d == name));
        let missing = missing.map(|name| format_ident!("{name}"));
        quote! { #[derive(#(#missing),*)] #item }
    }

    fn described(&self, form: &Form) -> TokenStream {
        let (ty, name, title) = (self.solver_type(form), &self.name, &self.title);
        let given: Vec<_> = self.parameters.iter().filter(|parameter| parameter.from_dim <= form.dim).collect();
        let infos = given.iter().map(|parameter| parameter.info());
        let fields = self.parameters.iter().map(|parameter| {
            let field = &parameter.name;
            match given.iter().position(|other| other.name == *field) {
                Some(k) => quote!(#field: values[#k]),
                None => quote!(#field: 0.0),
            }
        });
        let (m, w, a) = (form.equations.len(), form.waves, form.aux.len());
        quote! {
            impl #ty {
                /// Numbers of equations, waves and auxiliary values.
                pub const SHAPE: [usize; 3] = [#m, #w, #a];
            }
            impl ::riemann::solver::Described for #ty {
                const NAME: &'static str = #name;
                const TITLE: &'static str = #title;
                const PARAMETERS: &'static [::riemann::parameters::ParameterInfo] = &[#(#infos),*];

                #[allow(unused_variables)]
                fn from_parameters(values: &[f64]) -> Self {
                    Self { #(#fields),* }
                }
            }
        }
    }
}

/// Whether the only generic parameter is `const D: usize`; false if there is none.
fn is_dimension_generic(generics: &syn::Generics) -> Result<bool> {
    let mut parameters = generics.params.iter();
    match (parameters.next(), parameters.next()) {
        (None, _) => Ok(false),
        (Some(syn::GenericParam::Const(parameter)), None) if parameter.ident == "D" => Ok(true),
        _ => Err(Error::new_spanned(generics, "a solver's struct takes no parameter but `const D: usize`")),
    }
}

/// `ShallowWater` as `shallow_water`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (k, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && k > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
