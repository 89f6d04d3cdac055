//! Lengths of files and functions.

use super::lexer::{body, code_only, identifier_at, words};
use super::{Report, SourceFile, line_of};

/// Extensions of source files whose length counts.
const SOURCES: &[&str] = &[".rs", ".py", ".cu", ".cuh", ".h"];
/// Lines of a file: aim, and limit without a stated reason.
const FILE_LINES: (usize, usize) = (300, 400);
/// Lines of a function: aim and limit.
const FUNCTION_LINES: (usize, usize) = (70, 110);
/// A line near the top of a file that begins like this states why the file is long.
const REASONS: [&str; 2] = ["// tidy: long because ", "# tidy: long because "];

pub fn check(file: &SourceFile, report: &mut Report) {
    if !SOURCES.iter().any(|extension| file.path.ends_with(extension)) {
        return;
    }
    check_file(file, report);
    if file.is_rust() {
        check_functions(file, report);
    }
}

fn check_file(file: &SourceFile, report: &mut Report) {
    let lines = file.text.lines().count();
    let reasoned = file.text.lines().take(20).any(|line| REASONS.iter().any(|start| line.starts_with(start)));
    let (aim, limit) = FILE_LINES;
    if lines > limit && !reasoned {
        let message = format!("{lines} lines; cut it below {limit}, or say `{}…` at the top", REASONS[0]);
        report.error(&file.path, lines, message);
    } else if lines > aim && !reasoned {
        report.warning(&file.path, lines, format!("{lines} lines; aim at {aim}"));
    }
}

fn check_functions(file: &SourceFile, report: &mut Report) {
    let code = code_only(&file.text);
    for at in words(&code, "fn") {
        let name = identifier_at(&code, at + 2);
        if name.is_empty() {
            continue; // a function pointer's type
        }
        let Some(range) = body(&code, at) else { continue };
        let first = line_of(&code, at);
        let lines = line_of(&code, range.end - 1) - first + 1;
        let (aim, limit) = FUNCTION_LINES;
        let message = format!("`{name}` has {lines} lines; ");
        if lines > limit {
            report.error(&file.path, first, message + &format!("cut it below {limit}"));
        } else if lines > aim {
            report.warning(&file.path, first, message + &format!("aim at {aim}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: String) -> (usize, usize) {
        let mut report = Report::default();
        check(&SourceFile { path: path.into(), text }, &mut report);
        (report.errors.len(), report.warnings.len())
    }

    /// A file over the limit fails unless it says why; one over the aim warns.
    #[test]
    fn file_lengths() {
        let lines = |n: usize| "a\n".repeat(n);
        assert_eq!(found("a.py", lines(300)), (0, 0));
        assert_eq!(found("a.py", lines(301)), (0, 1));
        assert_eq!(found("a.py", lines(401)), (1, 0));
        assert_eq!(found("a.rs", "// tidy: long because of a table\n".to_string() + &lines(600)), (0, 0));
        assert_eq!(found("a.md", lines(600)), (0, 0));
    }

    /// A function is measured from `fn` to its closing brace, each on its own.
    #[test]
    fn function_lengths() {
        let function = |n: usize| format!("fn f() {{\n{}}}\n", "a;\n".repeat(n - 2));
        assert_eq!(found("a.rs", function(70) + &function(70)), (0, 0));
        assert_eq!(found("a.rs", function(71) + &function(111)), (1, 1));
    }
}
