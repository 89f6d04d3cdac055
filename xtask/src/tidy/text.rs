//! Text that no file may contain, and broken links.

use super::lexer::{is_identifier, words};
use super::{Report, SourceFile, line_of};
use std::collections::{BTreeMap, BTreeSet};

/// Marks of unfinished work, each split in two, so that this file passes.
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
];

/// Folders of a particular machine, and hosts of package registries, which do not exist elsewhere.
const PLACES: &[&str] = &[
    concat!("/wor", "k/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("crates.", "io/api"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("pypi.", "org/simple"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("deb.", "debian.org"),
];

/// Files that other tools write.
const GENERATED: &[&str] = &["Cargo.lock"];

/// Folders of the kernels that may be written once per dimension.
const PER_DIMENSION: &[&str] = &["riemann/src/patch/", "cuda/kernels/"];

/// The anchors of all pages.
pub type Anchors<'a> = BTreeMap<&'a str, Vec<String>>;

pub fn check(file: &SourceFile, paths: &BTreeSet<String>, anchors: &Anchors, report: &mut Report) {
    if GENERATED.contains(&file.name()) {
        return;
    }
    for mark in UNFINISHED {
        for at in words(&file.text, mark) {
            report.error(&file.path, line_of(&file.text, at), format!("`{mark}`: finish it, or take it out"));
        }
    }
    for place in PLACES {
        for (at, _) in file.text.match_indices(place) {
            // Part of a longer path, such as `docs/…`, is not a machine's folder.
            let inside_path = place.starts_with('/') && at > 0 && continues_path(file.text.as_bytes()[at - 1]);
            if !inside_path {
                report.error(&file.path, line_of(&file.text, at), format!("`{place}` is a place on one machine"));
            }
        }
    }
    if file.path.ends_with(".md") {
        check_links(file, paths, anchors, report);
    }
    if file.is_rust() && is_per_dimension(file.name()) && !PER_DIMENSION.iter().any(|dir| file.path.starts_with(dir)) {
        report.error(&file.path, 1, "only the innermost update may be written per dimension; be generic over `D`");
    }
}

fn continues_path(byte: u8) -> bool {
    is_identifier(byte) || matches!(byte, b'.' | b'}' | b')')
}

/// True for names with a part like `2d`.
fn is_per_dimension(name: &str) -> bool {
    name.split(['_', '.', '-']).any(|part| matches!(part, "1d" | "2d" | "3d"))
}

/// Relative links of Markdown must lead to a file or folder of the repository, and their anchors to a heading.
fn check_links(file: &SourceFile, paths: &BTreeSet<String>, anchors: &Anchors, report: &mut Report) {
    for (at, _) in file.text.match_indices("](") {
        let link = file.text[at + 2..].split([')', ' ', '\n']).next().unwrap_or("");
        if link.is_empty() || link.contains(':') {
            continue;
        }
        let (target, anchor) = link.split_once('#').map_or((link, None), |(target, anchor)| (target, Some(anchor)));
        let path = if target.is_empty() { file.path.clone() } else { resolve(&file.path, target) };
        let folder = format!("{path}/");
        if !paths.contains(&path) && !paths.iter().any(|p| p.starts_with(&folder)) {
            report.error(&file.path, line_of(&file.text, at), format!("`{target}` leads nowhere"));
        } else if anchor
            .is_some_and(|name| !anchors.get(path.as_str()).is_some_and(|all| all.iter().any(|a| a == name)))
        {
            report.error(&file.path, line_of(&file.text, at), format!("`{link}` leads to no heading"));
        }
    }
}

/// The anchors that GitHub gives the headings of a page.
pub fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        let Some(name) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| !fenced && line.starts_with('#'))
        else {
            continue;
        };
        let kept = name.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let repeats = (1..).map(|n| format!("{anchor}-{n}"));
        let free = std::iter::once(anchor.clone()).chain(repeats).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// The path, from the repository's root, of a link in the file at `from`.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(path: &str, text: &str) -> usize {
        let mut report = Report::default();
        let paths = ["docs/method.md", "README.md", "docs/a.md"].map(String::from).into();
        let anchors = [("docs/method.md", anchors("# A & b\n```\n# no\n```\n## `A` & b\n"))].into();
        check(&SourceFile { path: path.into(), text: text.into() }, &paths, &anchors, &mut report);
        report.errors.len()
    }

    /// Every mark and place is found; words and paths that merely hold one are not.
    #[test]
    fn marks_and_places_are_found() {
        for mark in UNFINISHED.iter().chain(PLACES) {
            assert_eq!(errors("a.txt", &format!("say {mark} here")), 1, "{mark}");
        }
        assert_eq!(errors("a.txt", concat!("a/wor", "k/b MAX", "XX")), 0);
    }

    /// Links are resolved from the file's own folder, anchors among the headings of its page; addresses pass.
    #[test]
    fn broken_links_are_found() {
        let right = "[a](method.md#a--b-1) [b](../README.md) [c](../docs) [d](https://a.b#c) [e](method.md#a--b)";
        assert_eq!(errors("docs/a.md", right), 0);
        assert_eq!(errors("docs/a.md", "[a](README.md) ![b](none.png) [c](method.md#no) [d](#e)"), 4);
    }

    /// The update kernel alone may be written per dimension.
    #[test]
    fn twins_per_dimension_are_found() {
        assert_eq!(errors("amrclaw/src/mesh/box_2d.rs", ""), 1);
        assert_eq!(errors("amrclaw/src/mesh/cell2d.rs", ""), 0);
        assert_eq!(errors("riemann/src/patch/update_2d.rs", ""), 0);
    }
}
