//! Parses TOML to the tree of values, and applies the overrides.

use super::error::{CaseError, Kind, MAX_REPORTED};
use super::origin::{Entry, Node, Origin, Place, SourceText, Table, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses the case file and applies the overrides in order.
///
/// If the TOML itself is wrong, the tree holds what could be read. Also returns mistakes to report, and the number of further ones.
pub(super) fn parse(text: &str, name: &str, overrides: &[String]) -> (Origin, Vec<CaseError>, usize) {
    let mut sources = vec![SourceText { name: name.to_string(), text: text.to_string(), is_override: false }];
    sources.extend(overrides.iter().map(|o| SourceText {
        name: format!("--set {o}"),
        text: o.clone(),
        is_override: true,
    }));
    let (mut root, mut wrong) = parse_source(0, text);
    let mut origin = Origin {
        sources,
        root: Node { value: Value::Table(Table::default()), place: Place { source: 0, span: 0..0 } },
    };
    for (number, text) in overrides.iter().enumerate() {
        let mut problems = Vec::new();
        match parse_override(number + 1, text, &mut problems) {
            Some(layer) if problems.is_empty() => {
                merge_override(&mut root, layer, &origin.sources[number + 1].text, "", &mut wrong)
            }
            _ => wrong.append(&mut problems),
        }
    }
    origin.root = root;
    let more = wrong.len().saturating_sub(MAX_REPORTED);
    let told = wrong.into_iter().take(MAX_REPORTED);
    let error = |w: Wrong| origin.error_at(Some(&w.place), &w.key, w.message, w.help).of_kind(w.kind);
    let errors = told.map(error).collect();
    (origin, errors, more)
}

/// A mistake in the TOML.
struct Wrong {
    place: Place,
    key: String,
    message: String,
    help: String,
    kind: Kind,
}

/// Kind of a parser error, recognised by its message: the parser offers nothing else. Only this type reads the messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    DuplicateKey,
    NoQuotes,
    /// A section's name lacks its bracket.
    UnclosedSection,
    /// A list or an inline table lacks its bracket.
    Unclosed,
    Other,
}

impl Fault {
    fn of(error: &toml::de::Error) -> Fault {
        let message = error.message();
        let begins = |words| message.starts_with(words);
        match () {
            () if begins("duplicate key") => Fault::DuplicateKey,
            () if begins("string values must be quoted") => Fault::NoQuotes,
            () if begins("unclosed table") => Fault::UnclosedSection,
            () if begins("unclosed") => Fault::Unclosed,
            () => Fault::Other,
        }
    }

    /// A message for users, and what to write instead. `message`: the parser's own.
    fn explain(self, message: &str) -> (String, &'static str) {
        match self {
            Fault::DuplicateKey => ("this key is given twice".to_owned(), "remove one of the two"),
            Fault::NoQuotes => {
                let help = "put quotes around a word or formula, and square brackets around a list";
                ("this is not a number, and words need quotes".to_owned(), help)
            }
            Fault::UnclosedSection => ("this section's name lacks its bracket".to_owned(), "write `[section]`"),
            Fault::Unclosed | Fault::Other => {
                let help = "write `key = value` under a `[section]`; words need quotes, lists square brackets";
                (message.replace('\n', " "), help)
            }
        }
    }
}

fn parse_source(source: usize, text: &str) -> (Node, Vec<Wrong>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let span = table.span();
    let root = Node { value: convert_table(table.into_inner(), source), place: Place { source, span } };
    let wrong = |span: Range<usize>, message: &str, help: &str, kind: Kind| Wrong {
        place: Place { source, span },
        key: String::new(),
        message: message.to_string(),
        help: help.to_string(),
        kind,
    };
    let place = |error: &toml::de::Error| error.span().unwrap_or(0..0);
    let is_unclosed = |fault| matches!(fault, Fault::UnclosedSection | Fault::Unclosed);
    let unclosed: Vec<_> = errors.iter().filter(|error| is_unclosed(Fault::of(error))).collect();
    // The number is limited since each search visits the whole tree.
    let starts = unclosed.iter().take(MAX_REPORTED).map(|e| place(e).start);
    let lists: Vec<Range<usize>> = starts.filter_map(|start| unclosed_list(&root, text, start)).collect();
    let mut found: Vec<Wrong> = Vec::new();
    for list in &lists {
        found.push(wrong(
            list.start..list.start + 1,
            "not valid TOML: this `[` is never closed",
            "add the missing `]`",
            Kind::Unclosed,
        ));
    }
    for error in &errors {
        // The parser continues in search of the bracket: errors that it finds there are consequences.
        let at = place(error);
        if lists.iter().all(|list| at.start < list.start || list.end < at.start) {
            let fault = Fault::of(error);
            let (message, help) = fault.explain(error.message());
            let kind = if fault == Fault::Unclosed { Kind::Unclosed } else { Kind::Value };
            found.push(wrong(at, &format!("not valid TOML: {message}"), help, kind));
        }
    }
    if unclosed.len() > lists.len() {
        found.truncate(1); // the open bracket was not found: only the first mistake is close to it
    }
    (root, found)
}

/// The outermost list that is still open at byte `at`.
fn unclosed_list(node: &Node, text: &str, at: usize) -> Option<Range<usize>> {
    let inner: Vec<&Node> = match &node.value {
        Value::Array(items) => items.iter().collect(),
        Value::Table(table) => table.entries().iter().map(|entry| &entry.node).collect(),
        _ => return None,
    };
    let span = &node.place.span;
    let is_list = matches!(node.value, Value::Array(_)) && text.get(span.clone())?.starts_with('[');
    if is_list && span.start < at && at <= span.end {
        return Some(span.clone());
    }
    inner.into_iter().find_map(|inner| unclosed_list(inner, text, at))
}

fn convert_table(table: DeTable<'_>, source: usize) -> Value {
    let entries = table.into_iter().map(|(key, value)| {
        let key_place = Place { source, span: key.span() };
        Entry { key: key.into_inner().into_owned(), key_place, node: convert(value, source) }
    });
    Value::Table(entries.collect())
}

fn convert(value: Spanned<DeValue<'_>>, source: usize) -> Node {
    let place = Place { source, span: value.span() };
    let value = match value.into_inner() {
        DeValue::String(s) => Value::String(s.into_owned()),
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix())
            .map_or(Value::Other("an integer that is too large"), Value::Integer),
        DeValue::Float(x) => x.as_str().parse().map_or(Value::Other("a number that cannot be read"), Value::Float),
        DeValue::Boolean(b) => Value::Boolean(b),
        DeValue::Datetime(_) => Value::Other("a date or time"),
        DeValue::Array(items) => Value::Array(items.into_iter().map(|item| convert(item, source)).collect()),
        DeValue::Table(table) => convert_table(table, source),
    };
    Node { value, place }
}

/// `key.path=value`. The value is TOML; a bare word or formula that is not TOML counts as a string.
fn parse_override(source: usize, text: &str, problems: &mut Vec<Wrong>) -> Option<Node> {
    let mut refuse = |message: &str, help: &str| {
        let place = Place { source, span: 0..text.len() };
        let (message, help) = (message.to_string(), help.to_string());
        problems.push(Wrong { place, key: String::new(), message, help, kind: Kind::Value });
    };
    let Some(equals) = text.find('=') else {
        refuse("an override needs a key and a value", "write `key.path=value`, such as `regrid.cutoff=0.8`");
        return None;
    };
    let (layer, wrong) = parse_source(source, text);
    if text.trim_start().starts_with('[') || text[..equals].contains('\n') || wrong.is_empty() && !is_one(&layer, text)
    {
        refuse("an override changes one key", "write `key.path=value`, and each further key as an override of its own");
        return None;
    }
    if wrong.is_empty() {
        return Some(layer);
    }
    let value = text[equals + 1..].trim();
    let (mut layer, wrong_key) = parse_source(source, &format!("{}=0", &text[..equals]));
    if !wrong_key.is_empty() || value.is_empty() || value.starts_with(['[', '{', '"', '\'']) {
        problems.extend(wrong);
        return None;
    }
    let start = equals + 1 + text[equals + 1..].find(value).unwrap_or(0);
    let string =
        Node { value: Value::String(value.to_string()), place: Place { source, span: start..start + value.len() } };
    replace_leaf(&mut layer, string);
    Some(layer)
}

/// Whether a tree is a chain of tables, each with one entry, down to a single value: a table in braces is one.
fn is_one(node: &Node, text: &str) -> bool {
    match &node.value {
        Value::Table(table) if !is_inline(node, text) => {
            table.entries().len() == 1 && table.entries().iter().all(|entry| is_one(&entry.node, text))
        }
        _ => true,
    }
}

/// Whether a table is written in braces.
fn is_inline(node: &Node, text: &str) -> bool {
    text[node.place.span.start.min(text.len())..].starts_with('{')
}

/// Replaces the innermost value of a chain of tables, each with one entry, by `leaf`.
fn replace_leaf(node: &mut Node, leaf: Node) {
    match &mut node.value {
        Value::Table(table) if !table.entries().is_empty() => {
            if let Some(first) = table.first_mut() {
                replace_leaf(&mut first.node, leaf);
            }
        }
        _ => *node = leaf,
    }
}

/// Merges an override's tree into `base`: the value at its dotted key replaces the one there.
fn merge_override(base: &mut Node, layer: Node, text: &str, path: &str, wrong: &mut Vec<Wrong>) {
    let is_inline = is_inline(&layer, text);
    let place = layer.place.clone();
    let Value::Table(table) = layer.value else {
        *base = layer;
        return;
    };
    if is_inline {
        *base = Node { value: Value::Table(table), place };
        return;
    }
    for entry in table.into_entries() {
        let key = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
        match &mut base.value {
            Value::Array(items) => {
                let count = items.len();
                match entry.key.parse::<usize>().ok().filter(|i| *i < count) {
                    Some(i) => merge_override(&mut items[i], entry.node, text, &key, wrong),
                    None => wrong.push(Wrong {
                        place: entry.key_place,
                        key,
                        message: format!("the list has no entry `{}`", entry.key),
                        help: format!("entries are numbered from 0; there are {count}"),
                        kind: Kind::Value,
                    }),
                }
            }
            Value::Table(existing) => match existing.get_mut(&entry.key) {
                Some(found) => merge_override(&mut found.node, entry.node, text, &key, wrong),
                None => existing.push(entry),
            },
            _ => {
                base.value = Value::Table(Table::from_iter([entry]));
                base.place = place.clone();
            }
        }
    }
}
