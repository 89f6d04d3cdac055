//! A solver's file, and the crate that it becomes.

use super::PluginError;
use std::path::Path;

/// The sources of the crate `riemann` and its macros: path in the workspace, text.
const RIEMANN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/riemann_sources.rs"));

/// The sources that solvers are compiled against, with a workspace of their own.
pub fn riemann() -> impl Iterator<Item = (&'static str, String)> {
    RIEMANN.iter().map(|&(name, text)| (name, if name == "Cargo.toml" { workspace(text) } else { text.to_owned() }))
}

/// The versions of all dependencies, which are those that this program was built with.
pub fn lock() -> &'static str {
    RIEMANN.iter().find(|(name, _)| *name == "Cargo.lock").map_or("", |(_, text)| text)
}

/// The workspace's manifest with none but the members that are embedded.
fn workspace(text: &str) -> String {
    let embedded = |member: &&str| RIEMANN.iter().any(|(name, _)| *name == format!("{member}/Cargo.toml"));
    let members: Vec<&str> = ["riemann", "riemann/macros"].into_iter().filter(embedded).collect();
    let line = |line: &str| match line.starts_with("members =") {
        true => format!("members = {members:?}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The crate's manifest.
pub fn manifest(package: &str, riemann: &Path) -> String {
    format!(
        "[package]\nname = {package:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\nriemann = {{ path = {riemann:?}, default-features = false }}\n\n\
         [profile.release]\nstrip = true\n\n\
         [workspace]\n"
    )
}

/// The crate's only file of its own: the user's file as a module, and the plugin's entry.
pub fn root(user_file: &Path, solver: &str) -> String {
    format!(
        "//! A solver compiled into a plugin.\n\n#[path = {user_file:?}]\nmod solver;\n\nriemann::plugin!(solver::{solver});\n"
    )
}

/// The name of the solver in a file: the struct behind `#[riemann::solver(...)]`, or else the type that `Solver` is
/// implemented for.
pub fn solver_name(path: &Path, text: &str) -> Result<String, PluginError> {
    let code = without_comments(text);
    let behind = |mark: &str, keyword: &str| {
        let at = code.find(mark)? + mark.len();
        code[at..].match_indices(keyword).find_map(|(found, _)| {
            let before = code[..at + found].chars().next_back();
            let rest = &code[at + found + keyword.len()..];
            let name: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let apart = rest.starts_with(char::is_whitespace) && !before.is_some_and(char::is_alphanumeric);
            (apart && !name.is_empty()).then_some(name)
        })
    };
    behind("#[riemann::solver", "struct")
        .or_else(|| behind("#[solver", "struct"))
        .or_else(|| behind("Solver<", "for"))
        .ok_or_else(|| PluginError::NoSolver { path: path.to_owned() })
}

/// The text without line comments, which may name anything.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        solver_name(Path::new("a.rs"), text).ok()
    }

    /// The attribute may have any arguments and further attributes, comments may name other structs.
    #[test]
    fn the_solver_is_found() {
        let text = "//! #[riemann::solver] struct No;\n#[riemann::solver(dim = 2, waves = 2)]\n#[derive(Debug)]\n/// a struct\npub struct Tides {\n rho: Real }";
        assert_eq!(name(text).as_deref(), Some("Tides"));
        assert_eq!(name("impl Solver<1, 1, 0> for Plain {").as_deref(), Some("Plain"));
        assert_eq!(name("pub struct Nothing;"), None);
    }

    /// What is embedded makes a workspace: the manifest names members that are there.
    #[test]
    fn embedded_sources_are_a_workspace() {
        let files: Vec<_> = riemann().collect();
        for wanted in
            ["Cargo.toml", "Cargo.lock", "riemann/Cargo.toml", "riemann/src/lib.rs", "riemann/src/plugin/abi.rs"]
        {
            assert!(files.iter().any(|(name, _)| *name == wanted), "{wanted}");
        }
        let (_, manifest) = files.iter().find(|(name, _)| *name == "Cargo.toml").unwrap();
        assert!(!manifest.contains("xtask"), "{manifest}");
        assert!(lock().contains("name = \"riemann\""));
    }
}
