//! What is wrong with a case, and where.

use super::origin::Origin;
use std::fmt;

/// One mistake in a case file or an override.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The case file, or `--set key=value`.
    pub place: String,
    /// Line in the file, from 1; 0 where no line can be named.
    pub line: usize,
    /// Column in characters, from 1; 0 where no line can be named.
    pub column: usize,
    /// Path of the key, such as `regrid.cutoff`; empty where none is meant.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// The line itself, and how many characters of it are wrong; `None` where there is nothing to show.
    pub(super) excerpt: Option<(String, usize)>,
    /// The mistake is in an override.
    pub(super) in_override: bool,
}

impl CaseError {
    /// A mistake that has no line of its own.
    pub(super) fn without_line(place: &str, message: String, help: &str) -> Self {
        CaseError {
            place: place.to_string(),
            line: 0,
            column: 0,
            key: String::new(),
            message,
            help: help.to_string(),
            excerpt: None,
            in_override: false,
        }
    }
}

impl CaseError {
    /// What is said of a key that has to be there.
    pub(super) const MISSING: &str = "is missing";

    /// True if a key is missing.
    pub(super) fn is_missing(&self) -> bool {
        self.message == Self::MISSING
    }

    /// True if no more than one value can be misread because of this mistake in the TOML.
    pub(super) fn is_within_value(&self) -> bool {
        let (line, _) = self.excerpt.as_ref().map_or(("", 0), |(line, width)| (line.as_str(), *width));
        line.split_once('=').is_some_and(|(key, _)| key.chars().count() < self.column)
            && !self.message.contains("closed")
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if self.line > 0 && !self.in_override {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        writeln!(f, "{}", self.message)?;
        if let Some((text, width)) = &self.excerpt {
            let number = if self.in_override { String::new() } else { self.line.to_string() };
            writeln!(f, "{number:>5} | {text}")?;
            // Tabs are kept, so that the caret stands under its character whatever the terminal makes of them.
            let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
            let before: String = text.chars().take(self.column.saturating_sub(1)).map(blank).collect();
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
    /// The mistakes; at least one.
    pub errors: Vec<CaseError>,
}

impl std::error::Error for CaseErrors {}

impl CaseErrors {
    /// Both lists as one.
    #[must_use]
    pub fn and(mut self, other: CaseErrors) -> CaseErrors {
        self.errors.extend(other.errors);
        self
    }

    /// An error if there are any mistakes, sorted by place.
    pub(super) fn unless_empty(mut errors: Vec<CaseError>, origin: &Origin) -> Result<(), CaseErrors> {
        if errors.is_empty() {
            return Ok(());
        }
        let rank = |error: &CaseError| origin.sources.iter().position(|source| source.name == error.place);
        errors.sort_by_key(|error| (rank(error), error.line, error.column));
        errors.dedup();
        Err(CaseErrors { file: origin.sources[0].name.clone(), errors })
    }
}

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            writeln!(f, "{error}\n")?;
        }
        let plural = if self.errors.len() == 1 { "" } else { "s" };
        write!(f, "{} problem{plural} in {}", self.errors.len(), self.file)
    }
}
