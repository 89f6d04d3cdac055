//! Rules beyond rustfmt and clippy. Each file in this folder holds one kind, with its table at the top.

mod circles;
mod dependencies;
mod examples;
mod lexer;
mod names;
mod sizes;
mod tables;
mod text;
mod uses;

use crate::process::{Outcome, command, output, root};
use std::collections::{BTreeSet, HashSet};

/// One file of the repository, as text.
struct SourceFile {
    /// Path from the root, with `/`.
    path: String,
    text: String,
}

impl SourceFile {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The module that a source in `folder` holds, as the names from there on.
    fn module_path(&self, folder: &str) -> Option<Vec<&str>> {
        let inside = self.path.strip_prefix(folder)?.strip_suffix(".rs")?;
        let mut path: Vec<&str> = inside.split('/').collect();
        path.pop_if(|last| matches!(*last, "mod" | "lib" | "main"));
        Some(path)
    }

    /// File name without folders.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// What the rules found. Warnings are printed; errors fail the check.
#[derive(Default)]
struct Report {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Report {
    fn error(&mut self, path: &str, line: usize, message: impl AsRef<str>) {
        self.errors.push(format!("{path}:{line}: {}", message.as_ref()));
    }

    fn warning(&mut self, path: &str, line: usize, message: impl AsRef<str>) {
        self.warnings.push(format!("{path}:{line}: {}", message.as_ref()));
    }
}

/// The 1-based line of a byte offset.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset].iter().filter(|&&b| b == b'\n').count()
}

/// Applies every rule to the files that git tracks or would track.
pub fn run() -> Outcome {
    let paths = list_files()?;
    let mut report = Report::default();
    // A file that is not UTF-8 is a picture or data; one that is deleted but still tracked is skipped.
    let read = |path: &String| {
        let text = std::fs::read_to_string(root().join(path)).ok()?;
        Some(SourceFile { path: path.clone(), text })
    };
    let files: Vec<SourceFile> = paths.iter().filter_map(read).collect();
    let mut names = HashSet::new();
    files.iter().for_each(|file| names::collect(file, &mut names));
    let tables = tables::Tables::read(&files, &mut report);
    circles::check(&files, &mut report);
    let pages = files.iter().filter(|file| file.path.ends_with(".md"));
    let anchors = pages.map(|page| (page.path.as_str(), text::anchors(&page.text))).collect();
    for file in &files {
        text::check(file, &paths, &anchors, &mut report);
        sizes::check(file, &mut report);
        dependencies::check(file, &tables, &mut report);
        names::check(file, &names, &paths, &mut report);
    }
    examples::check(&paths, &mut report);
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    for error in &report.errors {
        println!("error: {error}");
    }
    println!("tidy: {} files, {} errors, {} warnings", files.len(), report.errors.len(), report.warnings.len());
    if report.errors.is_empty() { Ok(()) } else { Err(format!("{} errors", report.errors.len())) }
}

fn list_files() -> Outcome<BTreeSet<String>> {
    let listing = output(command("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    Ok(listing.lines().map(String::from).collect())
}
