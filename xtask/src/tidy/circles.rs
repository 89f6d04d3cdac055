//! Circles of imports: sibling modules that use each other, directly or indirectly.

use super::lexer::code_only;
use super::uses::{Use, uses};
use super::{Report, SourceFile};
use std::collections::{BTreeMap, BTreeSet};

/// Folders of sources of the crates.
const CRATES: [&str; 4] = ["riemann/src/", "cuda/src/", "amrclaw/src/", "xtask/src/"];
/// Folders in which there must be no circle.
const WITHOUT: [&str; 1] = ["amrclaw/src/exec"];
/// Most circles that all crates together may have: the present number.
const MOST: usize = 1;

/// For each module of a folder, the sibling modules that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

pub fn check(files: &[SourceFile], report: &mut Report) {
    let circles = find(files);
    for (folder, modules) in &circles {
        let message = format!("{} use each other in a circle", modules.join(", "));
        if circles.len() > MOST || WITHOUT.iter().any(|without| folder.starts_with(without)) {
            report.error(folder, 1, message);
        } else {
            report.warning(folder, 1, message);
        }
    }
}

/// The circles, each with its folder. A module and its parent are not counted as a circle.
fn find(files: &[SourceFile]) -> Vec<(String, Vec<String>)> {
    let sources: Vec<(&str, Vec<&str>, &SourceFile)> = files
        .iter()
        .filter_map(|file| {
            let folder = CRATES.iter().find(|folder| file.path.starts_with(**folder))?;
            Some((*folder, file.module_path(folder)?, file))
        })
        .collect();
    let modules: BTreeSet<String> = (sources.iter())
        .flat_map(|(folder, path, _)| (1..=path.len()).map(move |n| format!("{folder}{}", path[..n].join("/"))))
        .collect();
    let mut of_folders: BTreeMap<String, Uses> = BTreeMap::new();
    for (folder, path, file) in &sources {
        for Use { path: used, .. } in uses(&code_only(&file.text), "crate::", path).into_iter().filter(|u| !u.is_inner)
        {
            let same = used.iter().zip(path).take_while(|(a, b)| a == b).count();
            let (Some(to), Some(from)) = (used.get(same), path.get(same)) else { continue };
            let within = format!("{folder}{}", path[..same].join("/"));
            let within = within.trim_end_matches('/').to_owned();
            if modules.contains(&format!("{within}/{to}")) {
                of_folders.entry(within).or_default().entry((*from).to_owned()).or_default().insert((*to).to_owned());
            }
        }
    }
    let circles = of_folders.into_iter().flat_map(|(folder, uses)| {
        circles_of(&uses).into_iter().map(move |modules| (folder.clone(), modules)).collect::<Vec<_>>()
    });
    circles.collect()
}

/// Groups of modules that all use each other, directly or indirectly.
fn circles_of(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = (uses.keys())
        .map(|from| {
            let mut all = BTreeSet::new();
            let mut next: Vec<&String> = uses[from].iter().collect();
            while let Some(module) = next.pop() {
                if all.insert(module) {
                    next.extend(uses.get(module).into_iter().flatten());
                }
            }
            (from, all)
        })
        .collect();
    let mut groups: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, all) in reached.iter().filter(|(from, all)| all.contains(*from)) {
        let back = |to: &&&String| reached.get(**to).is_some_and(|there| there.contains(*from));
        groups.insert(all.iter().filter(back).map(|name| (*name).clone()).collect());
    }
    groups.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let file = |&(path, text): &(&str, &str)| SourceFile { path: path.into(), text: text.into() };
        find(&files.iter().map(file).collect::<Vec<_>>())
    }

    /// Circles of two and of three modules are found, through whatever paths; tests and a module's own parts do not make any.
    #[test]
    fn circles_are_found() {
        let two = [
            ("amrclaw/src/plan/a.rs", "use super::b::{self, B};"),
            ("amrclaw/src/plan/b.rs", "use crate::{plan::{a::A, c}, mesh};"),
            ("amrclaw/src/plan/c.rs", "mod tests { use super::super::a::A; }"),
        ];
        assert_eq!(circles(&two), [("amrclaw/src/plan".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
        let three = [
            ("cuda/src/a/mod.rs", "use crate::b;"),
            ("cuda/src/b.rs", "fn f() -> crate::c::deep::C {}"),
            ("cuda/src/c/deep.rs", "use super::super::a::A;"),
        ];
        assert_eq!(circles(&three)[0].1, ["a", "b", "c"]);
        let none = [
            ("cuda/src/a/mod.rs", "mod deep; use deep::D; pub struct A;"),
            ("cuda/src/a/deep.rs", "use super::A; use crate::b::B;"),
            ("cuda/src/b.rs", "// use crate::a::A;"),
        ];
        assert_eq!(circles(&none), []);
    }
}
