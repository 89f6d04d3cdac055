//! What is wrong with a case, and where.

use crate::text::{cut, shown, shown_char};
use std::fmt;
use std::ops::Range;

/// Most mistakes that are reported in full.
pub(super) const MAX_REPORTED: usize = 50;

/// Most characters of a line that are shown, and most of them before the marked place.
const SHOWN: usize = 160;
const SHOWN_BEFORE: usize = 60;

/// Most characters of a message's line, and most lines: compiler output is the longest message.
const MESSAGE_LINE: usize = 500;
const MESSAGE_LINES: usize = 200;

/// The place of a mistake in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The line, or the part of it around the place, with control characters escaped.
    text: String,
    /// Characters of `text` before the place.
    before: usize,
    /// Characters of the place; 0 where something is missing.
    pub width: usize,
    /// A `=` stands before the place, or begins it.
    after_equals: bool,
}

impl Excerpt {
    /// `marked`: byte range in `line`, on character boundaries.
    pub fn new(line: &str, marked: Range<usize>) -> Self {
        let end = line.trim_end().len().max(marked.start);
        let (before, rest) = (&line[..marked.start], &line[marked.start..end]);
        let is_long = line.chars().nth(SHOWN).is_some();
        let from = match before.char_indices().rev().nth(SHOWN_BEFORE) {
            Some((at, c)) if is_long => at + c.len_utf8(),
            _ => 0,
        };
        let mut text = String::new();
        let push = |text: &mut String, part: &str| {
            for c in part.chars() {
                match c {
                    '\t' => text.push(c),
                    _ => text.extend(shown_char(c)),
                }
            }
        };
        if from > 0 {
            text.push('…');
        }
        push(&mut text, &before[from..]);
        let width_before = text.chars().count();
        let room = if is_long { SHOWN - before[from..].chars().count() } else { usize::MAX };
        let place = line[marked.start..marked.end.min(end)].trim_end();
        let place = place.char_indices().nth(room).map_or(place, |(at, _)| &place[..at]);
        push(&mut text, place);
        let width = text.chars().count() - width_before;
        let after = &rest[place.len()..];
        let room = room.saturating_sub(place.chars().count());
        match after.char_indices().nth(room) {
            Some((at, _)) => {
                push(&mut text, &after[..at]);
                text.push('…');
            }
            None => push(&mut text, after),
        }
        Excerpt { text, before: width_before, width, after_equals: before.contains('=') || rest.starts_with('=') }
    }
}

/// The kind of a mistake, where it matters for other mistakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value is wrong.
    #[default]
    Value,
    /// A key is missing.
    Missing,
    /// A bracket is never closed, so that what follows may be misread.
    Unclosed,
}

/// One mistake in a case file or an override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The case file, or `--set key=value`.
    pub place: String,
    /// Line in the file, from 1; 0 where no line can be named.
    pub line: usize,
    /// Column in characters, from 1; 0 where no line can be named.
    pub column: usize,
    /// Path of the key, such as `regrid.cutoff`; empty if the mistake concerns none.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// The line itself; `None` where there is nothing to show.
    pub(super) excerpt: Option<Excerpt>,
    /// The mistake is in an override.
    pub(super) in_override: bool,
    pub(super) kind: Kind,
}

impl CaseError {
    /// A mistake that has no line of its own.
    pub(super) fn without_line(place: &str, message: &str, help: &str) -> Self {
        CaseError {
            place: place.to_string(),
            line: 0,
            column: 0,
            key: String::new(),
            message: bounded(message),
            help: bounded(help),
            excerpt: None,
            in_override: false,
            kind: Kind::Value,
        }
    }

    /// The same mistake, in the value of `key`.
    pub(super) fn with_key(self, key: &str) -> Self {
        CaseError { key: bounded(key), ..self }
    }
}

/// A text that may quote the user, with its number of lines and their lengths limited, and control characters escaped.
fn bounded(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut kept: Vec<_> = lines.by_ref().take(MESSAGE_LINES).map(|line| cut(line, MESSAGE_LINE)).collect();
    if lines.next().is_some() {
        kept.push("…".into());
    }
    shown(&kept.join("\n")).into_owned()
}

impl CaseError {
    /// The same mistake, of another kind.
    pub(super) fn of_kind(self, kind: Kind) -> Self {
        CaseError { kind, ..self }
    }

    /// True if this mistake in the TOML can affect the reading of one value only.
    pub(super) fn is_within_value(&self) -> bool {
        self.excerpt.as_ref().is_some_and(|excerpt| excerpt.after_equals) && self.kind != Kind::Unclosed
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", shown(&cut(&self.place, MESSAGE_LINE)))?;
        if self.line > 0 && !self.in_override {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        writeln!(f, "{}", self.message)?;
        if let Some(Excerpt { text, before, width, .. }) = &self.excerpt {
            let number = if self.in_override { String::new() } else { self.line.to_string() };
            writeln!(f, "{number:>5} | {text}")?;
            // Tabs are kept, so that the caret is under its character for any tab width.
            let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
            let before: String = text.chars().take(*before).map(blank).collect();
            writeln!(f, "      | {before}{}", "^".repeat((*width).max(1)))?;
        }
        write!(f, "      = {}", self.help)
    }
}

/// Everything that is wrong with a case, in the order of the file; overrides last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseErrors {
    /// Path of the case file.
    pub file: String,
    /// The first mistakes; at least one, and only as many as can be read.
    pub errors: Vec<CaseError>,
    /// Number of further mistakes.
    pub more: usize,
}

impl std::error::Error for CaseErrors {}

impl CaseErrors {
    /// One mistake.
    pub(super) fn one(file: &str, error: CaseError) -> Self {
        CaseErrors { file: file.to_string(), errors: vec![error], more: 0 }
    }

    /// Both lists as one, without duplicates.
    #[must_use]
    pub fn and(mut self, other: CaseErrors) -> CaseErrors {
        for error in other.errors {
            if self.errors.contains(&error) {
                continue;
            }
            if self.errors.len() < MAX_REPORTED {
                self.errors.push(error);
            } else {
                self.more += 1;
            }
        }
        self.more = self.more.max(other.more);
        self
    }
}

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            writeln!(f, "{error}\n")?;
        }
        if self.more > 0 {
            writeln!(f, "and {} more\n", self.more)?;
        }
        let count = self.errors.len() + self.more;
        write!(f, "{count} problem{} in {}", if count == 1 { "" } else { "s" }, shown(&self.file))
    }
}
