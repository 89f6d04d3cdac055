//! Expressions. Statements that an expression needs are written on the lines before it.

use super::statement::Lines;
use crate::tree::{Block, Expr, Kind};
use crate::types::Type;

impl Lines<'_> {
    pub fn expression(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            Kind::Real(value) => format!("Real({value:?})"),
            Kind::Int(value) => value.to_string(),
            Kind::Bool(value) => value.to_string(),
            Kind::Parameter(name) => format!("this->{name}"),
            Kind::Local(name) => name.to_string(),
            Kind::Variant(name) => (*name).to_owned(),
            Kind::Negate(a) => format!("(-{})", self.expression(a)),
            Kind::Not(a) => format!("(!{})", self.expression(a)),
            Kind::Arithmetic('*', a, b) if self.writer.separate_products && expr.ty == Type::Real => {
                format!("separate_product({}, {})", self.expression(a), self.expression(b))
            }
            Kind::Arithmetic('/', a, b) if expr.ty == Type::Real && !self.is_exact(b) => {
                format!("real_quotient({})", self.list([&**a, &**b]))
            }
            Kind::Arithmetic(op, a, b) => self.binary(&op.to_string(), a, b),
            Kind::Compare("!=", a, b) => format!("(!{})", self.binary("==", a, b)),
            Kind::Compare(op, a, b) => self.binary(op, a, b),
            // Conditions on real numbers have no branches, as on the CPU: in a warp both sides are computed nearly always.
            Kind::And(a, b) => self.binary(if expr.ty == Type::Mask { "&" } else { "&&" }, a, b),
            Kind::Or(a, b) => self.binary(if expr.ty == Type::Mask { "|" } else { "||" }, a, b),
            Kind::MaskFromBool(a) | Kind::Rarely(a) => self.expression(a),
            Kind::RealFromInt(a) => format!("Real({})", self.expression(a)),
            Kind::Method("sqrt", a, _) if !self.is_exact(a) => format!("real_root({})", self.expression(a)),
            Kind::Method(name, a, others) => {
                let arguments = self.list(std::iter::once(&**a).chain(others));
                format!("real_{name}({arguments})")
            }
            Kind::Power(a, exponent) => {
                let base = self.expression(a);
                let base = self.keep(&Type::Real, &base);
                (1..*exponent).fold(base.clone(), |product, _| format!("({product} * {base})"))
            }
            Kind::Direction(name, a) => {
                let a = self.expression(a);
                self.direction(name, &a, expr)
            }
            Kind::Call { name, arguments, .. } => format!("this->{name}({})", self.list(arguments)),
            Kind::Array(elements) => format!("{}{{{{{}}}}}", self.writer.ty(&expr.ty), self.list(elements)),
            Kind::Repeat(element, count) => {
                let value = self.expression(element);
                let value = if is_short(element) { value } else { self.keep(&element.ty, &value) };
                format!("{}{{{{{}}}}}", self.writer.ty(&expr.ty), vec![value; *count].join(", "))
            }
            Kind::Index(base, place) => format!("{}[{}]", self.expression(base), self.expression(place)),
            Kind::Tuple(elements) => format!("{}{{{}}}", self.writer.ty(&expr.ty), self.list(elements)),
            Kind::Element(base, place) => format!("{}.v{place}", self.expression(base)),
            Kind::Field(base, name) => format!("{}.{name}", self.expression(base)),
            Kind::Table(numbers, place) => self.table(numbers, place),
            Kind::Struct(fields) => {
                format!("{}{{{}}}", self.writer.ty(&expr.ty), self.list(fields.iter().map(|(_, value)| value)))
            }
            Kind::If { condition, then, otherwise } => self.choice(condition, then, otherwise, &expr.ty),
            Kind::Block(block) => self.block_value(block),
        }
    }

    /// The steps of `riemann::real::interpolated`.
    fn table(&mut self, numbers: &[f64], place: &Expr) -> String {
        let table = self.new_name();
        let values: Vec<_> = numbers.iter().map(|number| format!("Real({number:?})")).collect();
        self.line(&format!("static const Real {table}[{}] = {{{}}};", numbers.len(), values.join(", ")));
        let (place, last) = (self.expression(place), numbers.len() - 1);
        let place = self.keep(&Type::Real, &place);
        let bounded = format!("real_min(real_max({place}, Real(0.0)), Real({last}.0))");
        let bounded = self.keep(&Type::Real, &bounded);
        let below = self.keep(&Type::Int, &format!("int({bounded})"));
        let value = self.keep(&Type::Real, &format!("{table}[{below}]"));
        let next = format!("{table}[{below} < {last} ? {below} + 1 : {last}]");
        let part = format!("(({bounded} - Real({below})) * ({next} - {value}))");
        format!("select({place} == {place}, ({value} + {part}), {place})")
    }

    /// Whether a quotient by `expr`, or its root, is correctly rounded however the text is compiled: in functions that must give the
    /// same bits everywhere, and where `expr` depends on parameters alone, since the compiler then evaluates it.
    fn is_exact(&self, expr: &Expr) -> bool {
        self.writer.separate_products || self.of_parameters(expr)
    }

    /// Whether a value depends on parameters and constants alone.
    pub fn of_parameters(&self, expr: &Expr) -> bool {
        let all = |values: &[Expr]| values.iter().all(|value| self.of_parameters(value));
        match &expr.kind {
            Kind::Real(_) | Kind::Int(_) | Kind::Bool(_) | Kind::Parameter(_) | Kind::Variant(_) => true,
            Kind::Local(name) => self.of_parameters.contains(name),
            Kind::Negate(a) | Kind::RealFromInt(a) | Kind::Power(a, _) => self.of_parameters(a),
            Kind::Arithmetic(_, a, b) | Kind::Index(a, b) => self.of_parameters(a) && self.of_parameters(b),
            Kind::Element(a, _) | Kind::Repeat(a, _) => self.of_parameters(a),
            Kind::Method(_, a, others) => self.of_parameters(a) && all(others),
            Kind::Call { arguments, .. } => all(arguments),
            Kind::Array(values) | Kind::Tuple(values) => all(values),
            _ => false,
        }
    }

    fn binary(&mut self, op: &str, a: &Expr, b: &Expr) -> String {
        format!("({} {op} {})", self.expression(a), self.expression(b))
    }

    fn list<'e>(&mut self, values: impl IntoIterator<Item = &'e Expr>) -> String {
        let values: Vec<_> = values.into_iter().map(|value| self.expression(value)).collect();
        values.join(", ")
    }

    fn direction(&mut self, name: &str, a: &str, expr: &Expr) -> String {
        match name {
            "index" => format!("int({a})"),
            "transverse_2d" => format!("({a} == X ? Y : X)"),
            "opposite" => format!("({a} == Lower ? Upper : Lower)"),
            _ => format!("{}{{int({a}) + 1, ({a} == X ? 2 : 1)}}", self.writer.ty(&expr.ty)),
        }
    }

    /// Writes the block's statements and returns its value.
    fn block_value(&mut self, block: &Block) -> String {
        self.statements(&block.statements);
        self.expression(block.value.as_ref().expect("a value block"))
    }

    /// The sides have no effect but their value, so that both may be computed if the condition compares real numbers, as on the CPU.
    /// Conditions on integers or axes become branches, since they may guard an index out of range; so does `rarely`.
    fn choice(&mut self, condition: &Expr, then: &Block, otherwise: &Block, ty: &Type) -> String {
        let both = condition.ty == Type::Mask && !matches!(condition.kind, Kind::Rarely(_));
        let condition = self.expression(condition);
        if both {
            let (a, b) = (self.block_value(then), self.block_value(otherwise));
            return format!("select({condition}, {a}, {b})");
        }
        let (then_lines, a) = self.apart(|lines| lines.block_value(then));
        let (otherwise_lines, b) = self.apart(|lines| lines.block_value(otherwise));
        if then_lines.is_empty() && otherwise_lines.is_empty() {
            return format!("({condition} ? {a} : {b})");
        }
        let (name, ty) = (self.new_name(), self.writer.ty(ty));
        self.line(&format!("{ty} {name};"));
        self.line(&format!("if ({condition}) {{"));
        self.text.push_str(&then_lines);
        self.line(&format!("    {name} = {a};"));
        self.line("} else {");
        self.text.push_str(&otherwise_lines);
        self.line(&format!("    {name} = {b};"));
        self.line("}");
        name
    }
}

/// Whether the expression may be repeated in the text without a variable for it.
fn is_short(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Real(_) | Kind::Int(_) | Kind::Bool(_) | Kind::Local(_) | Kind::Parameter(_))
}
