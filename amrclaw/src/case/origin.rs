//! The source texts of a case, the tree of their values, and the place of each value in its text.

use super::error::{CaseError, CaseErrors, Excerpt, MAX_REPORTED};
use crate::text::cut;
use std::collections::HashMap;
use std::ops::Range;

/// A text: the case file or one override.
#[derive(Clone, Debug)]
pub(super) struct SourceText {
    /// What to call it in messages.
    pub name: String,
    pub text: String,
    pub is_override: bool,
}

/// A byte range in one of the texts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub source: usize,
    pub span: Range<usize>,
}

/// A value and where it is written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub place: Place,
}

/// A value of TOML.
#[derive(Clone, Debug)]
pub(super) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// A date or time, which no key accepts, or a number out of range.
    Other(&'static str),
    Array(Vec<Node>),
    Table(Table),
}

/// A table's entries in the order of the file, found by their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
    numbers: HashMap<String, usize>,
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Table {
    /// Adds an entry whose key is not there.
    pub fn push(&mut self, entry: Entry) {
        self.numbers.insert(entry.key.clone(), self.entries.len());
        self.entries.push(entry);
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.numbers.get(key).map(|&number| &self.entries[number])
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.numbers.get(key).map(|&number| &mut self.entries[number])
    }

    pub fn first_mut(&mut self) -> Option<&mut Entry> {
        self.entries.first_mut()
    }
}

impl FromIterator<Entry> for Table {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let mut table = Table::default();
        entries.into_iter().for_each(|entry| table.push(entry));
        table
    }
}

/// Most characters of the user's text that a message quotes.
const REPEATED: usize = 60;

impl Value {
    /// What the value is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Value::String(s) => format!("the string \"{}\"", cut(s, REPEATED)),
            Value::Integer(i) => format!("the integer {i}"),
            Value::Float(x) => format!("the number {x}"),
            Value::Boolean(b) => format!("{b}"),
            Value::Other(what) => (*what).to_string(),
            Value::Array(_) => "a list".to_string(),
            Value::Table(_) => "a table".to_string(),
        }
    }
}

impl Node {
    /// The value at `path`, key by key; numbers are indices of lists, from 0.
    pub fn at(&self, path: &str) -> Option<&Node> {
        path.split('.').try_fold(self, |node, key| match &node.value {
            Value::Table(table) => table.get(key).map(|entry| &entry.node),
            Value::Array(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => None,
        })
    }
}

/// The texts of a case, and the tree of their values with all overrides applied.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The case file first, then the overrides.
    pub sources: Vec<SourceText>,
    pub root: Node,
}

impl Origin {
    /// The value at `path`, or else the innermost table or list around it that exists.
    pub fn nearest(&self, path: &str) -> Option<&Node> {
        let mut path = path;
        loop {
            if let Some(node) = self.root.at(path) {
                return Some(node);
            }
            path = &path[..path.rfind('.')?];
        }
    }

    /// The place to report for `path`: that of its value, or else of the innermost table around it that exists.
    pub fn place(&self, path: &str) -> Option<&Place> {
        self.nearest(path).map(|node| &node.place)
    }

    /// A mistake in the value of `path`.
    pub fn error(&self, path: &str, message: String, help: String) -> CaseError {
        let place = self.place(path).cloned();
        self.error_at(place.as_ref(), path, message, help)
    }

    /// A mistake at `bytes` of the string that is the value of `path`.
    pub fn error_in_string(&self, path: &str, bytes: Range<usize>, message: String, help: String) -> CaseError {
        let place = self.root.at(path).map(|node| {
            let start = match &node.value {
                Value::String(content) => self.start_of_content(&node.place, content),
                _ => None,
            };
            match start {
                Some(start) => Place { source: node.place.source, span: start + bytes.start..start + bytes.end },
                None => node.place.clone(),
            }
        });
        self.error_at(place.as_ref(), path, message, help)
    }

    /// Where a string's content begins, if it is written without escapes.
    fn start_of_content(&self, place: &Place, content: &str) -> Option<usize> {
        let raw = self.sources[place.source].text.get(place.span.clone())?;
        ["\"\"\"\r\n", "'''\r\n", "\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'", ""]
            .iter()
            .find(|quote| raw.starts_with(**quote))
            .filter(|quote| raw[quote.len()..].starts_with(content))
            .map(|quote| place.span.start + quote.len())
    }

    /// A mistake at a place; without one, the file as a whole is meant.
    pub fn error_at(&self, place: Option<&Place>, key: &str, message: String, help: String) -> CaseError {
        let Some(place) = place else {
            let mut error = CaseError::without_line(&self.sources[0].name, &message, &help);
            (error.line, error.column) = (1, 1);
            return error.with_key(key);
        };
        let source = &self.sources[place.source];
        let (line, column, excerpt) = locate(&source.text, &place.span);
        let error = CaseError::without_line(&source.name, &message, &help).with_key(key);
        CaseError { line, column, excerpt: Some(excerpt), in_override: source.is_override, ..error }
    }

    /// Returns the mistakes as an error, sorted by place, if there are any. `more`: number of mistakes that are not in the list.
    pub fn refuse(&self, mut errors: Vec<CaseError>, mut more: usize) -> Result<(), CaseErrors> {
        if errors.is_empty() {
            return Ok(());
        }
        let rank = |error: &CaseError| self.sources.iter().position(|source| source.name == error.place);
        errors.sort_by_key(|error| (rank(error), error.line, error.column));
        errors.dedup();
        more += errors.len().saturating_sub(MAX_REPORTED);
        errors.truncate(MAX_REPORTED);
        Err(CaseErrors { file: self.sources[0].name.clone(), errors, more })
    }
}

/// Line and column of the first byte, both from 1, and what to show of the line.
fn locate(text: &str, span: &Range<usize>) -> (usize, usize, Excerpt) {
    let start = floor_char(text, span.start);
    let end = floor_char(text, span.end.max(start));
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let line = text[..start].matches('\n').count() + 1;
    let marked = start - line_start..end.min(line_end).max(start) - line_start;
    let column = text[line_start..start].chars().count() + 1;
    (line, column, Excerpt::new(&text[line_start..line_end], marked))
}

/// The last character boundary at or before `at`.
fn floor_char(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}
