//! What a Rust file uses of its own crate.

use super::lexer::{body, identifier_at, items_of_group, words};

const SUPER: &str = "super::";

/// A path that a file uses.
pub struct Use<'a> {
    /// Where it ends in the file.
    pub at: usize,
    /// From the crate's root.
    pub path: Vec<&'a str>,
    /// It stands in a module within the file: in its tests.
    pub is_inner: bool,
}

/// All paths that the module at `module` uses by `root`, which ends in `::`, and by `super::`, also in groups in braces.
pub fn uses<'a>(code: &'a str, root: &str, module: &[&'a str]) -> Vec<Use<'a>> {
    let inline: Vec<_> = words(code, "mod").filter_map(|at| body(code, at)).collect();
    let depth = |at: usize| inline.iter().filter(|range| range.contains(&at)).count();
    let mut found = Vec::new();
    for start in [root, SUPER] {
        for at in words(code, start).filter(|&at| !code[..at].ends_with("::")) {
            let (mut end, mut above) = (at, module.len() + depth(at));
            while code[end..].starts_with(SUPER) {
                (end, above) = (end + SUPER.len(), above.saturating_sub(1));
            }
            if start == root {
                (end, above) = (at + root.len(), 0);
            }
            let (before, first) = (&module[..above.min(module.len())], found.len());
            paths_at(code, end, before, &mut found);
            found[first..].iter_mut().for_each(|used| used.is_inner = depth(at) > 0);
        }
    }
    found
}

/// The paths of the use tree at `at`, each prefixed with `before`.
fn paths_at<'a>(code: &'a str, at: usize, before: &[&'a str], found: &mut Vec<Use<'a>>) {
    let at = at + (code[at..].len() - code[at..].trim_start().len());
    if code[at..].starts_with('{') {
        for item in items_of_group(code, at) {
            paths_at(code, item, before, found);
        }
        return;
    }
    let name = identifier_at(code, at);
    let path = if name.is_empty() { before.to_vec() } else { [before, &[name]].concat() };
    match code[at + name.len()..].strip_prefix("::") {
        Some(_) if !name.is_empty() => paths_at(code, at + name.len() + 2, &path, found),
        _ if path.is_empty() => {}
        _ => found.push(Use { at, path, is_inner: false }),
    }
}
