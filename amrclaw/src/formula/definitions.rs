//! Formulas by name, and functions of the user, which other formulas may use.

use super::ExpressionError;
use super::derivative::rewrite;
use super::syntax::{Node, NodeKind, Syntax};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// Most parts of a formula after all names have been replaced: names that stand for names grow fast.
const MOST_PARTS: usize = 20_000;
/// Most names that are defined through each other, so that formulas do not exhaust the stack.
const DEEPEST: usize = 32;

/// What a definition defines: `NAME`, or `NAME(a, b)`, a function of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The name.
    pub name: String,
    /// Names of a function's arguments.
    pub arguments: Vec<String>,
}

impl Head {
    /// `None` if the text has parentheses, but not around different names.
    pub fn parse(text: &str) -> Option<Head> {
        if !text.contains('(') {
            return Some(Head { name: text.to_owned(), arguments: Vec::new() });
        }
        let NodeKind::Call(name, arguments) = Syntax::parse(text).ok()?.root.kind else { return None };
        let name_of = |node: Node| if let NodeKind::Name(name) = node.kind { Some(name) } else { None };
        let arguments = arguments.into_iter().map(name_of).collect::<Option<Vec<_>>>()?;
        let differ = (1..arguments.len()).all(|number| !arguments[..number].contains(&arguments[number]));
        (differ && !arguments.is_empty()).then_some(Head { name, arguments })
    }
}

/// As it is written, and a function called.
impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "{}({})", self.name, self.arguments.join(", ")),
        }
    }
}

/// A complete formula.
#[derive(Clone, Debug)]
struct Known {
    head: Head,
    /// Its arguments have names that no formula can contain ([`argument_name`]).
    syntax: Syntax,
    size: Size,
    /// How many of its parts are each argument.
    uses: Vec<usize>,
}

/// How large a formula is.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// Number of its parts.
    parts: usize,
    /// Number of definitions in each other.
    definitions: usize,
}

/// Name of argument `number` within a function's formula.
fn argument_name(number: usize) -> String {
    format!("argument {number}")
}

/// Formulas by name, in any order: each may use the others, but not itself.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    known: HashMap<String, Known>,
}

impl Definitions {
    /// The formulas under their [heads](Head), and what is wrong with some of them, by number; a wrong one is taken for 1.
    pub fn new(given: &[(&str, &Syntax)]) -> (Self, Vec<(usize, ExpressionError)>) {
        let heads = given.iter().map(|(head, _)| {
            Head::parse(head).unwrap_or_else(|| Head { name: (*head).to_owned(), arguments: Vec::new() })
        });
        let heads: Vec<Head> = heads.collect();
        let numbers = heads.iter().enumerate().map(|(number, head)| (head.name.as_str(), number)).collect();
        let formulas: Vec<Syntax> =
            heads.iter().zip(given).map(|(head, (_, syntax))| syntax.of_arguments(&head.arguments)).collect();
        let (made, path, wrong) = (Definitions::default(), Vec::new(), Vec::new());
        let mut order = Order { heads: &heads, formulas: &formulas, numbers, path, made, wrong };
        (0..given.len()).for_each(|number| order.define(number));
        (order.made, order.wrong)
    }

    /// The definitions but those of these names.
    pub fn without(&self, names: &[String]) -> Self {
        let mut others = self.clone();
        others.known.retain(|name, _| !names.contains(name));
        others
    }

    /// The formula with all defined names replaced.
    ///
    /// # Errors
    /// It becomes too long, or a function has no or other arguments.
    pub fn put_in(&self, syntax: &Syntax) -> Result<Syntax, ExpressionError> {
        let Size { parts, definitions } = self.size(&syntax.root);
        let message = match () {
            () if parts > MOST_PARTS => {
                format!("has {parts} parts when all names are replaced, more than {MOST_PARTS}")
            }
            () if definitions > DEEPEST => format!("is defined through more than {DEEPEST} other names"),
            () => String::new(),
        };
        if !message.is_empty() {
            return Err(ExpressionError::new(syntax.root.span.clone(), message, "write a shorter formula"));
        }
        let mut wrong = None;
        let root = self.put(&syntax.root, &mut wrong);
        wrong.map_or(Ok(Syntax { root }), Err)
    }

    /// A part with all defined names replaced. `wrong`: the first wrong call.
    fn put(&self, node: &Node, wrong: &mut Option<ExpressionError>) -> Node {
        rewrite(node, &mut |node| {
            let (name, arguments) = match &node.kind {
                NodeKind::Name(name) => (name, &[][..]),
                NodeKind::Call(name, arguments) => (name, &arguments[..]),
                _ => return None,
            };
            let known = self.known.get(name)?;
            if arguments.len() != known.uses.len() {
                let (message, help) = match known.uses.len() {
                    0 => (format!("`{name}` is a value, not a function"), format!("write `{name} * (…)` to multiply")),
                    1 => (format!("`{name}` takes one argument"), format!("write `{}`", known.head)),
                    takes => (format!("`{name}` takes {takes} arguments"), format!("write `{}`", known.head)),
                };
                wrong.get_or_insert(ExpressionError::new(node.span.clone(), message, help));
                return Some(NodeKind::Number(1.0));
            }
            let arguments: Vec<Node> = arguments.iter().map(|argument| self.put(argument, wrong)).collect();
            let mut formula = known.syntax.root.clone();
            move_to(&mut formula, &node.span);
            let formula = rewrite(&formula, &mut |node| {
                let NodeKind::Name(name) = &node.kind else { return None };
                let number = (0..arguments.len()).find(|number| argument_name(*number) == *name)?;
                Some(NodeKind::Group(Box::new(arguments[number].clone())))
            });
            Some(NodeKind::Defined(name.clone(), Box::new(formula)))
        })
    }

    /// The size of a formula with all names replaced.
    fn size(&self, node: &Node) -> Size {
        let mut size = Size::default();
        rewrite(node, &mut |node| {
            size.parts = size.parts.saturating_add(1);
            let (NodeKind::Name(name) | NodeKind::Call(name, _)) = &node.kind else { return None };
            let known = self.known.get(name)?;
            let mut inner = known.size;
            if let NodeKind::Call(_, arguments) = &node.kind {
                for (argument, uses) in arguments.iter().zip(&known.uses) {
                    let argument = self.size(argument);
                    inner.parts = inner.parts.saturating_add(argument.parts.saturating_mul(*uses));
                    inner.definitions = inner.definitions.max(known.size.definitions + argument.definitions);
                }
            }
            size.parts = size.parts.saturating_add(inner.parts);
            size.definitions = size.definitions.max(1 + inner.definitions);
            Some(NodeKind::Number(1.0))
        });
        size
    }
}

impl Syntax {
    /// A number.
    pub fn number(value: f64) -> Syntax {
        Syntax { root: Node { kind: NodeKind::Number(value), span: 0..0 } }
    }

    /// The names in the formula, those of functions too, each with its places.
    pub fn names(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        rewrite(&self.root, &mut |node| {
            if let NodeKind::Name(name) | NodeKind::Call(name, _) = &node.kind {
                names.push((name.clone(), node.span.clone()));
            }
            None
        });
        names
    }

    /// The formula of a function of these arguments.
    fn of_arguments(&self, arguments: &[String]) -> Syntax {
        let root = rewrite(&self.root, &mut |node| {
            let NodeKind::Name(name) = &node.kind else { return None };
            let number = arguments.iter().position(|argument| argument == name)?;
            Some(NodeKind::Name(argument_name(number)))
        });
        Syntax { root }
    }
}

/// Puts definitions in the order in which they need each other.
struct Order<'a> {
    heads: &'a [Head],
    formulas: &'a [Syntax],
    numbers: HashMap<&'a str, usize>,
    /// Those that are being defined.
    path: Vec<usize>,
    made: Definitions,
    wrong: Vec<(usize, ExpressionError)>,
}

impl Order<'_> {
    fn define(&mut self, number: usize) {
        let (head, syntax) = (&self.heads[number], &self.formulas[number]);
        if self.made.known.contains_key(&head.name) {
            return;
        }
        self.path.push(number);
        let mut outcome = Ok(());
        for (needed, span) in syntax.names() {
            let Some(&other) = self.numbers.get(needed.as_str()) else { continue };
            if let Some(first) = self.path.iter().position(|on_path| *on_path == other) {
                let circle: Vec<&str> = self.path[first..].iter().map(|&k| self.heads[k].name.as_str()).collect();
                let message = format!("is defined by itself: {} → {needed}", circle.join(" → "));
                let error = ExpressionError::new(span, message, format!("write a formula without `{needed}`"));
                outcome = outcome.and(Err(error));
            } else if self.path.len() >= DEEPEST {
                let message = format!("is defined through more than {DEEPEST} other names");
                outcome = outcome.and(Err(ExpressionError::new(span, message, "write longer formulas")));
            } else {
                self.define(other);
            }
        }
        self.path.pop();
        let whole = outcome.and_then(|()| Ok((self.made.put_in(syntax)?, self.made.size(&syntax.root))));
        let (whole, size) = whole.unwrap_or_else(|error| {
            self.wrong.push((number, error));
            (Syntax::number(1.0), Size::default())
        });
        let names = whole.names();
        let uses = |number| names.iter().filter(|(name, _)| *name == argument_name(number)).count();
        let uses = (0..head.arguments.len()).map(uses).collect();
        self.made.known.insert(head.name.clone(), Known { head: head.clone(), syntax: whole, size, uses });
    }
}

/// Gives all parts of a tree one place.
fn move_to(node: &mut Node, place: &Range<usize>) {
    node.span = place.clone();
    match &mut node.kind {
        NodeKind::Number(_) | NodeKind::Name(_) => {}
        NodeKind::Negate(a) | NodeKind::Not(a) | NodeKind::Group(a) | NodeKind::Defined(_, a) => move_to(a, place),
        NodeKind::Binary(_, a, b) => [a, b].into_iter().for_each(|part| move_to(part, place)),
        NodeKind::Call(_, parts) => parts.iter_mut().for_each(|part| move_to(part, place)),
    }
}
