//! Checks that every function, type and file named in backticks in documents about the code exists.

use super::lexer::is_identifier;
use super::{Report, SourceFile, line_of};
use std::collections::{BTreeSet, HashSet};

/// Documents about the code.
const ABOUT_CODE: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/method.md", "docs/glossary.md"];

/// Extensions of the files whose words count as names.
const CODE: &[&str] = &[".rs", ".cu", ".cuh", ".h", ".py", ".pyi", ".toml"];

/// Adds the words of a file of code.
pub fn collect(file: &SourceFile, names: &mut HashSet<String>) {
    if CODE.iter().any(|ending| file.path.ends_with(ending)) {
        let words = file.text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
}

/// Looks up everything in backticks in a document about the code.
pub fn check(file: &SourceFile, names: &HashSet<String>, paths: &BTreeSet<String>, report: &mut Report) {
    if !ABOUT_CODE.contains(&file.path.as_str()) {
        return;
    }
    for (at, span) in spans(&file.text) {
        let known = match kind(span) {
            Kind::Name(last) => names.contains(last),
            Kind::Path => names_a_path(span, paths),
            Kind::Other => true,
        };
        if !known {
            report.error(&file.path, line_of(&file.text, at), format!("there is no `{span}`: name what is there now"));
        }
    }
}

/// The texts between single backticks on one line, with their places. Fenced blocks are left out.
fn spans(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    let mut at = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let start = at;
        at += line.len();
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let pieces = line.split('`').enumerate().filter(move |_| !fenced && !fence);
        pieces.filter(|(n, _)| n % 2 == 1).map(move |(_, span)| (start, span)).collect::<Vec<_>>()
    })
}

enum Kind<'a> {
    /// An identifier, or a path of them: the last one.
    Name(&'a str),
    /// A file or folder.
    Path,
    Other,
}

fn kind(span: &str) -> Kind<'_> {
    let name = span.strip_suffix("()").unwrap_or(span);
    let plain = |part: &str| part.starts_with(|c: char| c.is_alphabetic()) && part.bytes().all(is_identifier);
    if name.split("::").all(plain) {
        return Kind::Name(name.rsplit("::").next().unwrap_or(name));
    }
    let in_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    // Build products are no files of the repository.
    if span.contains('/') && span.chars().all(in_path) && !span.starts_with("target/") {
        Kind::Path
    } else {
        Kind::Other
    }
}

/// True for a file or folder, given from the root or from any folder, with or without extension.
fn names_a_path(span: &str, paths: &BTreeSet<String>) -> bool {
    let inner = span.trim_matches('/');
    paths.iter().any(|path| {
        path.match_indices(inner).any(|(at, _)| {
            let starts = at == 0 || path.as_bytes()[at - 1] == b'/';
            starts && matches!(path.as_bytes().get(at + inner.len()), None | Some(b'/' | b'.'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and paths that are not there are found, in documents about the code alone and outside fences.
    #[test]
    fn names_that_are_gone_are_found() {
        let paths: BTreeSet<String> = ["amrclaw/src/plan/ghost.rs", "docs/method.md"].map(String::from).into();
        let mut names = HashSet::new();
        let code = SourceFile { path: "a.rs".into(), text: "pub fn fill_ghosts() {} struct GhostPlan;".into() };
        collect(&code, &mut names);
        let errors = |path: &str, text: &str| {
            let mut report = Report::default();
            check(&SourceFile { path: path.into(), text: text.into() }, &names, &paths, &mut report);
            report.errors.len()
        };
        let there = "`plan::GhostPlan`, `fill_ghosts()`, `plan/ghost`, `amrclaw/src/`, `a + b`, `mesh.cells`\n```\n`gone`\n```\n";
        assert_eq!(errors("docs/method.md", there), 0);
        assert_eq!(errors("docs/method.md", "`GhostPlans`, `plan::fill`, `plan/ghosts`"), 3);
        assert_eq!(errors("docs/tutorial.md", "`GhostPlans`"), 0);
    }
}
