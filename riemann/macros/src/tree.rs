//! The typed tree of a solver's functions, from which both texts are emitted.

use crate::types::Type;
use proc_macro2::{Ident, Span};
use std::cmp::Ordering;

/// The parameter of `normal` that is the steepest jump beside the face.
pub const BESIDE: &str = "beside";

/// The formulas of one solver, for one number of dimensions.
pub struct Program {
    pub functions: Vec<Function>,
    /// Functions that run on the CPU only, in arbitrary Rust.
    pub plain: Vec<syn::ImplItemFn>,
    /// Those of `plain` that fill cells and are in the solver language, `mapping` and `quantities`.
    pub of_position: Vec<Function>,
    /// Constants of the block, for `plain`.
    pub constants: Vec<(Ident, Expr)>,
}

impl Program {
    /// Whether `transverse` depends on nothing of the face: it takes no states, auxiliary values or side. As any splitting it is linear in
    /// the fluctuation, so that a sum of fluctuations may be split at once.
    pub fn splits_sums(&self) -> bool {
        let of_face = |local: &Local| ["ql", "qr", "mean", "aux", "side"].contains(&local.source_name.as_str());
        let mut splits = self.functions.iter().filter(|function| function.name == "transverse");
        splits.all(|function| !function.parameters.iter().any(of_face))
    }

    /// Whether `flag` reads the states of neighbours.
    pub fn looks_around(&self) -> bool {
        let of_neighbour = |local: &Local| ["below", "above"].contains(&local.source_name.as_str());
        let mut flags = self.functions.iter().filter(|function| function.name == "flag");
        flags.any(|function| function.parameters.iter().any(of_neighbour))
    }
}

/// A function of the block.
#[derive(Clone)]
pub struct Function {
    /// Name, position, documentation and visibility.
    pub source: syn::ImplItemFn,
    pub name: Ident,
    /// Whether it is a function of the trait.
    pub is_entry: bool,
    pub takes_self: bool,
    pub parameters: Vec<Local>,
    pub result: Type,
    pub body: Block,
    /// The functions of the block that it calls, each with the span of the call.
    pub calls: Vec<Ident>,
}

impl Function {
    /// The parameter of `normal` that is the steepest jump beside the face.
    pub fn told_beside(&self) -> Option<&Local> {
        let is_normal = self.is_entry && self.name == "normal";
        self.parameters.iter().find(|local| is_normal && local.source_name == BESIDE)
    }
}

/// A variable. Its name is unique in its function.
#[derive(Clone)]
pub struct Local {
    /// Unique name, with the span of the user's.
    pub name: Ident,
    /// The name that the user gave it.
    pub source_name: String,
    pub ty: Type,
    pub mutable: bool,
}

#[derive(Clone)]
pub struct Block {
    pub statements: Vec<Statement>,
    /// The block's value, if it has one.
    pub value: Option<Box<Expr>>,
}

#[derive(Clone)]
pub enum Statement {
    Let {
        local: Local,
        value: Expr,
    },
    /// `place = value`; compound assignments have been written out.
    Assign {
        place: Expr,
        value: Expr,
    },
    If {
        condition: Expr,
        then: Block,
        otherwise: Option<Block>,
    },
    /// A loop over integers that are known once outer loops are unrolled.
    For {
        variable: Local,
        first: Expr,
        end: Expr,
        body: Block,
        /// The truth value of each lane that ends the loop, once it is false in all lanes.
        running: Option<Local>,
    },
    Block(Block),
}

/// An expression with its type and its place in the user's source.
#[derive(Clone)]
pub struct Expr {
    pub kind: Kind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone)]
pub enum Kind {
    Real(f64),
    Int(i64),
    Bool(bool),
    /// A parameter of the solver.
    Parameter(Ident),
    Local(Ident),
    /// `Axis::X`, `Side::Lower`: the variant.
    Variant(&'static str),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    /// + − · / on real numbers or integers, % on integers.
    Arithmetic(char, Box<Expr>, Box<Expr>),
    /// `<` `<=` `>` `>=` `==` `!=`; lane by lane where the operands are real.
    Compare(&'static str, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// A truth value copied to all lanes.
    MaskFromBool(Box<Expr>),
    /// The condition of an `if` that holds in few lanes: the branch is computed only if it holds in any.
    Rarely(Box<Expr>),
    RealFromInt(Box<Expr>),
    /// abs, sqrt, min, max, elementary functions, the primitives that these are made of, and remainder.
    Method(&'static str, Box<Expr>, Vec<Expr>),
    /// A power with an integer exponent, at least 1: a product from left to right.
    Power(Box<Expr>, u32),
    /// A method without arguments of an axis or a side.
    Direction(&'static str, Box<Expr>),
    Call {
        name: Ident,
        takes_self: bool,
        arguments: Vec<Expr>,
    },
    Array(Vec<Expr>),
    Repeat(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Element(Box<Expr>, usize),
    Field(Box<Expr>, &'static str),
    /// Between the numbers of a table, linear in a real index, beyond which the first and the last number hold; NaN for NaN.
    Table(Vec<f64>, Box<Expr>),
    /// Values of all fields, in the struct's order.
    Struct(Vec<(&'static str, Expr)>),
    If {
        condition: Box<Expr>,
        then: Block,
        otherwise: Block,
    },
    Block(Block),
}

/// The value of `a op b`, if there is such an integer.
pub fn whole(op: char, a: i64, b: i64) -> Option<i64> {
    match op {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        '/' => a.checked_div(b),
        _ => a.checked_rem(b),
    }
}

/// Whether a comparison holds for operands in this order.
pub fn holds(op: &str, order: Ordering) -> bool {
    match op {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        "==" => order.is_eq(),
        _ => order.is_ne(),
    }
}

impl Expr {
    /// The value of a constant integer.
    pub fn constant(&self) -> Option<i64> {
        match &self.kind {
            Kind::Int(value) => Some(*value),
            Kind::Arithmetic(op, a, b) if self.ty == Type::Int => whole(*op, a.constant()?, b.constant()?),
            _ => None,
        }
    }

    /// The value of a constant number.
    pub fn constant_real(&self) -> Option<f64> {
        Some(match &self.kind {
            Kind::Real(value) => *value,
            Kind::Negate(a) => -a.constant_real()?,
            Kind::RealFromInt(a) => a.constant()? as f64,
            Kind::Arithmetic('+', a, b) => a.constant_real()? + b.constant_real()?,
            Kind::Arithmetic('-', a, b) => a.constant_real()? - b.constant_real()?,
            Kind::Arithmetic('*', a, b) => a.constant_real()? * b.constant_real()?,
            Kind::Arithmetic('/', a, b) => a.constant_real()? / b.constant_real()?,
            _ => return None,
        })
    }

    /// The value of a constant condition, which compares constant integers.
    pub fn known_truth(&self) -> Option<bool> {
        match &self.kind {
            Kind::Bool(value) => Some(*value),
            Kind::Compare(op, a, b) => Some(holds(op, a.constant()?.cmp(&b.constant()?))),
            Kind::And(a, b) => Some(a.known_truth()? && b.known_truth()?),
            Kind::Or(a, b) => Some(a.known_truth()? || b.known_truth()?),
            Kind::Not(a) => Some(!a.known_truth()?),
            _ => None,
        }
    }

    /// The variable whose element or field a place is.
    pub fn root(&self) -> Option<&Ident> {
        match &self.kind {
            Kind::Local(name) => Some(name),
            Kind::Index(base, _) | Kind::Element(base, _) | Kind::Field(base, _) => base.root(),
            _ => None,
        }
    }
}

impl Block {
    /// Variables from outside the block that it assigns to, each once, in order.
    pub fn assigned(&self) -> Vec<Ident> {
        let (mut found, mut inside) = (Vec::new(), Vec::new());
        self.collect_assigned(&mut found, &mut inside);
        found.retain(|name| !inside.contains(name));
        found
    }

    fn collect_assigned(&self, found: &mut Vec<Ident>, inside: &mut Vec<Ident>) {
        for statement in &self.statements {
            match statement {
                Statement::Let { local, .. } => inside.push(local.name.clone()),
                Statement::Assign { place, .. } => {
                    if let Some(name) = place.root().filter(|name| !found.contains(name)) {
                        found.push(name.clone());
                    }
                }
                Statement::If { then, otherwise, .. } => {
                    then.collect_assigned(found, inside);
                    if let Some(otherwise) = otherwise {
                        otherwise.collect_assigned(found, inside);
                    }
                }
                Statement::For { variable, body, .. } => {
                    inside.push(variable.name.clone());
                    body.collect_assigned(found, inside);
                }
                Statement::Block(block) => block.collect_assigned(found, inside),
            }
        }
    }
}
