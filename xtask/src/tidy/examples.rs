//! Checks the contents of every folder of `examples/`, and that required documents exist.

use super::Report;
use crate::process::root;
use std::collections::BTreeSet;

/// Documents that the repository must have.
const DOCUMENTS: &[&str] =
    &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SHORTCOMINGS.md", "docs/performance.md"];

/// The page with the pictures of all examples.
const GALLERY: &str = "docs/gallery.md";

pub fn check(paths: &BTreeSet<String>, report: &mut Report) {
    for document in DOCUMENTS.iter().filter(|name| !paths.contains(**name)) {
        report.error(document, 1, "is missing");
    }
    let gallery = std::fs::read_to_string(root().join(GALLERY)).unwrap_or_default();
    let folders: BTreeSet<&str> =
        paths.iter().filter_map(|path| path.strip_prefix("examples/")?.split_once('/').map(|(name, _)| name)).collect();
    for name in folders {
        let folder = format!("examples/{name}");
        let readme = format!("{folder}/README.md");
        if !gallery.contains(&format!("../{folder}/picture.png")) {
            report.error(GALLERY, 1, format!("does not show {folder}"));
        }
        if !paths.contains(&format!("{folder}/case.toml")) {
            report.error(&folder, 1, "has no case.toml");
        }
        match std::fs::read_to_string(root().join(&readme)) {
            // The check of links finds missing pictures.
            Ok(text) if text.contains("![") => {}
            Ok(_) => report.error(&readme, 1, "shows no picture"),
            Err(_) => report.error(&folder, 1, "has no README.md"),
        }
    }
}
