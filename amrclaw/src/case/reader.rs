//! Reads typed values from the tree and collects the mistakes in them.

use super::error::Kind;
use super::keys::{Known, known};
use super::mistakes::Mistakes;
use super::origin::{Node, Origin, Place, Value};
use super::settings::NamedExpression;
use crate::formula::{ExpressionError, Syntax, nearest};
use crate::text::{Choice, cut};

/// The tree, and the mistakes and remarks so far.
///
/// If a value is wrong, reading methods note why and return a placeholder, so that the rest is checked too. A check that
/// combines values first asks [`Reader::fine`] whether all of them are right.
pub(super) struct Reader<'a> {
    pub origin: &'a Origin,
    pub mistakes: Mistakes,
    pub remarks: Vec<String>,
}

impl<'a> Reader<'a> {
    pub fn new(origin: &'a Origin) -> Self {
        Reader { origin, mistakes: Mistakes::default(), remarks: Vec::new() }
    }

    /// Notes a mistake in the value at `path`.
    pub fn wrong(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        let origin = self.origin;
        self.mistakes.note(path, || origin.error(path, message.into(), help.into()));
    }

    /// Notes a mistake at a place; without one, the file as a whole is meant.
    pub fn wrong_at(&mut self, place: Option<&Place>, path: &str, message: String, help: String) {
        let origin = self.origin;
        self.mistakes.note(path, || origin.error_at(place, path, message, help));
    }

    /// Notes a mistake in the formula at `path`.
    pub fn wrong_formula(&mut self, path: &str, error: ExpressionError) {
        let origin = self.origin;
        self.mistakes.note(path, || origin.error_in_string(path, error.span, error.message, error.help));
    }

    /// Notes something that the user should know although it is no mistake.
    pub fn remark(&mut self, path: &str, text: impl std::fmt::Display) {
        self.remarks.push(format!("{path}: {text}"));
    }

    /// Notes a mistake unless `fine`.
    pub fn check(&mut self, fine: bool, path: &str, message: impl Into<String>, help: impl Into<String>) {
        if !fine {
            self.wrong(path, message, help);
        }
    }

    /// True if no mistake has been noted so far in the values at these paths, in values within them, or in tables around them.
    pub fn fine(&self, paths: &[&str]) -> bool {
        !paths.iter().any(|path| self.mistakes.concern(path))
    }

    /// The value at `path`, which must be in the table of keys.
    pub fn node(&self, path: &str) -> Option<&'a Node> {
        assert!(known(path) != Known::No, "`{path}` is missing in the table of keys");
        self.origin.root.at(path)
    }

    pub fn is_present(&self, path: &str) -> bool {
        self.node(path).is_some()
    }

    /// True if the value at `path` was given after that at `other`: by an override, or by a later one.
    pub fn is_later(&self, path: &str, other: &str) -> bool {
        let source = |path| self.node(path).map(|node| node.place.source);
        source(path) > source(other)
    }

    /// Returns whether `path` is present; notes that it is missing if not.
    pub fn require(&mut self, path: &str, help: &str) -> bool {
        // If the table's key has a value of another type, only that is reported.
        let has_table = self.origin.nearest(path).is_none_or(|node| matches!(node.value, Value::Table(_)));
        let present = self.is_present(path);
        if !present && has_table {
            let origin = self.origin;
            let missing = || origin.error(path, "is missing".to_owned(), help.to_owned()).of_kind(Kind::Missing);
            self.mistakes.note(path, missing);
        }
        present
    }

    /// Notes that `node` is not of the `expected` type.
    pub fn wrong_type(&mut self, path: &str, node: &Node, expected: &str, help: &str) {
        let message = format!("needs {expected}, but is {}", node.value.describe());
        self.wrong(path, message, help);
    }

    /// A finite number; `default` if the key is absent.
    pub fn number(&mut self, path: &str, default: f64) -> f64 {
        self.optional_number(path).unwrap_or(default)
    }

    /// A finite number, if there is one.
    pub fn optional_number(&mut self, path: &str) -> Option<f64> {
        self.node(path).and_then(|node| self.number_of(path, node, false))
    }

    /// `node` as a number.
    pub fn number_of(&mut self, path: &str, node: &Node, infinite: bool) -> Option<f64> {
        let help = "write a number such as `0.5` or `1e-3`, without quotes";
        let value = match node.value {
            Value::Integer(i) => i as f64,
            Value::Float(x) => x,
            _ => {
                self.wrong_type(path, node, "a number", help);
                return None;
            }
        };
        if value.is_nan() || (value.is_infinite() && !infinite) {
            self.wrong(path, format!("needs a finite number, but is {value}"), help);
            return None;
        }
        Some(value)
    }

    /// An integer from `lowest` up; `default` if the key is absent.
    pub fn integer(&mut self, path: &str, lowest: i64, default: i64) -> i64 {
        self.optional_integer(path, lowest).unwrap_or(default)
    }

    /// An integer from `lowest` up, if there is one.
    pub fn optional_integer(&mut self, path: &str, lowest: i64) -> Option<i64> {
        self.node(path).and_then(|node| self.integer_of(path, node, lowest))
    }

    /// `node` as an integer that an `i32` can hold.
    pub fn integer_of(&mut self, path: &str, node: &Node, lowest: i64) -> Option<i64> {
        let Value::Integer(value) = node.value else {
            self.wrong_type(
                path,
                node,
                "an integer",
                "write a whole number such as `4`, without quotes or decimal point",
            );
            return None;
        };
        let highest = i64::from(i32::MAX);
        if value < lowest {
            self.wrong(path, format!("must be at least {lowest}, but is {value}"), format!("write {lowest} or more"));
            return None;
        }
        if value > highest {
            self.wrong(path, format!("must be at most {highest}, but is {value}"), "write a smaller number");
            return None;
        }
        Some(value)
    }

    /// True or false; `default` if the key is absent.
    pub fn boolean(&mut self, path: &str, default: bool) -> bool {
        let Some(node) = self.node(path) else { return default };
        if let Value::Boolean(value) = node.value {
            return value;
        }
        self.wrong_type(path, node, "true or false", "write `true` or `false`, without quotes");
        default
    }

    /// A string, if there is one.
    pub fn string(&mut self, path: &str) -> Option<&'a str> {
        let node = self.node(path)?;
        if let Value::String(value) = &node.value {
            return Some(value);
        }
        self.wrong_type(path, node, "a string", "write it in quotes, such as \"name\"");
        None
    }

    /// One of a few words; `default` if the key is absent.
    pub fn choice<T: Choice>(&mut self, path: &str, default: T) -> T {
        self.optional_choice(path).unwrap_or(default)
    }

    /// One of a few words, if there is one.
    pub fn optional_choice<T: Choice>(&mut self, path: &str) -> Option<T> {
        self.node(path).and_then(|node| self.choice_of(path, node))
    }

    fn choice_of<T: Choice>(&mut self, path: &str, node: &Node) -> Option<T> {
        let known = T::words();
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let list = words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ");
        let Value::String(given) = &node.value else {
            self.wrong_type(path, node, "a word in quotes", &format!("write one of {list}"));
            return None;
        };
        let found = known.iter().find(|(word, _)| word == given).map(|(_, value)| *value);
        if found.is_none() {
            let help = match nearest(given, words) {
                Some(near) => format!("did you mean \"{near}\"? The words known here are {list}"),
                None => format!("write one of {list}"),
            };
            self.wrong(path, format!("\"{}\" is not known", cut(given, 60)), help);
        }
        found
    }

    /// A list of words, or one word that stands for a list of one, if there is one.
    pub fn choices<T: Choice>(&mut self, path: &str) -> Option<Vec<T>> {
        let node = self.node(path)?;
        match &node.value {
            Value::Array(items) => self.each(path, items, |reader, path, item| reader.choice_of(path, item)),
            _ => self.choice_of(path, node).map(|one| vec![one]),
        }
    }

    /// A list of numbers, if there is one.
    pub fn numbers(&mut self, path: &str, infinite: bool) -> Option<Vec<f64>> {
        self.list(path, "a list of numbers", |reader, path, item| reader.number_of(path, item, infinite))
    }

    /// A list of integers from `lowest` up, if there is one.
    pub fn integers(&mut self, path: &str, lowest: i64) -> Option<Vec<i32>> {
        let read = |reader: &mut Self, path: &str, item: &Node| reader.integer_of(path, item, lowest).map(|i| i as i32);
        self.list(path, "a list of integers", read)
    }

    /// Any list whose items `read` understands, if there is one.
    pub fn list<T>(
        &mut self,
        path: &str,
        expected: &str,
        read: impl FnMut(&mut Self, &str, &'a Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let node = self.node(path)?;
        let Value::Array(items) = &node.value else {
            self.wrong_type(path, node, expected, "write it in square brackets, such as `[1, 2]`");
            return None;
        };
        self.each(path, items, read)
    }

    /// Reads every item, so that every mistake is found; `None` if any is wrong.
    pub fn each<T>(
        &mut self,
        path: &str,
        items: &'a [Node],
        mut read: impl FnMut(&mut Self, &str, &'a Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let values: Vec<Option<T>> =
            items.iter().enumerate().map(|(i, item)| read(self, &format!("{path}.{i}"), item)).collect();
        values.into_iter().collect()
    }

    /// A list with one number per axis, if there is one. Without a `dimension` any length up to 3
    /// passes.
    pub fn per_axis(&mut self, path: &str, dimension: Option<usize>) -> Option<Vec<f64>> {
        let values = self.numbers(path, false)?;
        let dimension = dimension.unwrap_or(values.len().clamp(1, 3));
        if values.len() == dimension {
            return Some(values);
        }
        let message = format!("needs {dimension} number{}, but has {}", plural(dimension), values.len());
        self.wrong(path, message, "write one number per axis, as many as `mesh.cells` has");
        None
    }

    /// An expression or a number, if there is one: its text and syntax.
    pub fn expression(&mut self, path: &str) -> Option<(String, Syntax)> {
        self.node(path).and_then(|node| self.expression_of(path, node))
    }

    /// `node` as an expression or a number.
    pub fn expression_of(&mut self, path: &str, node: &Node) -> Option<(String, Syntax)> {
        let text = match &node.value {
            Value::String(text) => text.clone(),
            Value::Integer(i) => i.to_string(),
            Value::Float(x) if x.is_finite() => x.to_string(),
            Value::Float(x) => {
                let help = "write a number up to 1e308, or a formula";
                self.wrong(path, format!("needs a finite number, but is {x}"), help);
                return None;
            }
            _ => {
                self.wrong_type(path, node, "an expression in quotes", "write a formula such as \"exp(-r^2)\"");
                return None;
            }
        };
        let syntax = Syntax::parse(&text).map_err(|error| self.wrong_formula(path, error)).ok()?;
        Some((text, syntax))
    }

    /// As [`Reader::expression`], named by the last part of its key.
    pub fn named_expression(&mut self, path: &str) -> Option<NamedExpression> {
        let (text, syntax) = self.expression(path)?;
        let name = path.rsplit('.').next().unwrap_or(path).to_owned();
        Some(NamedExpression { name, text, syntax, key: path.to_owned() })
    }

    /// The names in the table at `path`, with their places; empty if there is no such table. Quoted names that contain dots
    /// are unknown keys and are left out.
    pub fn names(&self, path: &str) -> Vec<(&'a str, &'a Place)> {
        match self.origin.root.at(path).map(|node| &node.value) {
            Some(Value::Table(table)) => {
                let plain = table.entries().iter().filter(|e| !e.key.contains('.'));
                plain.map(|e| (e.key.as_str(), &e.key_place)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where the name of a key stands in the table at `path`.
    pub fn place_of_name(&self, path: &str, name: &str) -> Option<&'a Place> {
        match &self.origin.root.at(path)?.value {
            Value::Table(table) => table.get(name).map(|entry| &entry.key_place),
            _ => None,
        }
    }

    /// Number of tables in the list at `path`.
    pub fn count(&self, path: &str) -> usize {
        match self.origin.root.at(path).map(|node| &node.value) {
            Some(Value::Array(items)) => items.len(),
            _ => 0,
        }
    }

    /// Which of several mutually exclusive keys is given. Overrides take precedence over the file.
    pub fn exclusive<'p>(&mut self, paths: &[&'p str]) -> Option<&'p str> {
        let given: Vec<(&'p str, usize)> =
            paths.iter().filter_map(|path| self.node(path).map(|node| (*path, node.place.source))).collect();
        let last_source = given.iter().map(|(_, source)| *source).max()?;
        let mut last = given.iter().filter(|(_, source)| *source == last_source).map(|(path, _)| *path);
        let first = last.next();
        if let (Some(first), Some(second)) = (first, last.next()) {
            self.wrong(second, format!("cannot stand beside `{first}`"), format!("remove one: {}", paths.join(", ")));
        }
        first
    }
}

/// A number in its shortest form: `1e300`, not three hundred digits.
pub(super) fn brief(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// `s` unless there is just one.
pub(super) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
