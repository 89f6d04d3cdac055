//! Paths of files in the site, and escaping of text in its pages.

use super::FIRST;

/// Files that browsers show as they are.
const SHOWN: [&str; 6] = [".png", ".svg", ".jpg", ".gif", ".html", ".css"];

/// The path in the site of a file of the repository.
pub fn output_of(path: &str) -> String {
    match path.strip_suffix(".md") {
        _ if path == FIRST => "index.html".to_owned(),
        Some(stem) => format!("{stem}.html"),
        None if SHOWN.iter().any(|ending| path.ends_with(ending)) => path.to_owned(),
        // Else browsers would offer sources for download.
        None => format!("{path}.txt"),
    }
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
