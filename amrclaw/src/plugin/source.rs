//! Finds the solver in a file, and generates the crate that is compiled from it.

use super::PluginError;
use riemann::real::Precision;
use std::path::Path;

/// The sources of the crate `riemann` and its macros: path in the workspace, text.
const RIEMANN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/riemann_sources.rs"));

/// The sources that solvers are compiled against, as a separate workspace.
pub fn riemann() -> impl Iterator<Item = (&'static str, String)> {
    RIEMANN.iter().map(|&(name, text)| (name, if name == "Cargo.toml" { workspace(text) } else { text.to_owned() }))
}

/// `Cargo.lock`: the versions of all dependencies with which this program was built.
pub fn lock() -> &'static str {
    RIEMANN.iter().find(|(name, _)| *name == "Cargo.lock").map_or("", |(_, text)| text)
}

/// The workspace's manifest, with only the embedded members.
fn workspace(text: &str) -> String {
    let embedded = |member: &&str| RIEMANN.iter().any(|(name, _)| *name == format!("{member}/Cargo.toml"));
    let members: Vec<&str> = ["riemann", "riemann/macros"].into_iter().filter(embedded).collect();
    let line = |line: &str| match line.starts_with("members =") {
        true => format!("members = {members:?}\n"),
        false => format!("{line}\n"),
    };
    text.lines().filter(|line| !line.starts_with("default-members =")).map(line).collect()
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

/// The crate's only source file: includes the user's file as a module, and defines the plugin's entry.
pub fn root(user_file: &Path, solver: &Solver, wanted: Wanted) -> String {
    let types: Vec<_> = solver.types().iter().map(|ty| format!("solver::{ty}")).collect();
    let precision = wanted.precision.name();
    let entry = match wanted.mesh {
        Mesh::Straight => format!("riemann::plugin!({precision}: {});", types.join(", ")),
        Mesh::Mapped(dimension) => {
            let form = format!("<{dimension}>");
            let ty = types.iter().find(|ty| ty.ends_with(&form)).unwrap_or(&types[0]);
            format!("riemann::mapped_plugin!({precision}: {ty});")
        }
    };
    format!("//! A solver compiled into a plugin.\n\n#[path = {user_file:?}]\nmod solver;\n\n{entry}\n")
}

/// What a solver is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The cells.
    pub mesh: Mesh,
    /// The numbers that there are kernels over.
    pub precision: Precision,
}

impl Wanted {
    /// What names, numbers and checks of a solver are read from.
    pub const DEFAULT: Wanted = Wanted { mesh: Mesh::Straight, precision: Precision::F64 };
}

/// The cells of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mesh {
    /// Along the axes.
    Straight,
    /// Of a mapping in so many dimensions.
    Mapped(usize),
}

impl Mesh {
    /// `straight` or `mapped`.
    pub fn name(self) -> &'static str {
        if self == Mesh::Straight { "straight" } else { "mapped" }
    }
}

/// The solver in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    name: String,
    /// The numbers of dimensions of a struct with the parameter `const D: usize`.
    dimensions: Option<Vec<u8>>,
}

impl Solver {
    /// A solver whose type is known.
    pub fn of_type(name: &str) -> Self {
        Solver { name: name.to_owned(), dimensions: None }
    }

    /// The solver in the file's text: the struct behind `#[riemann::solver(...)]`, or else the type that `Solver` is
    /// implemented for.
    pub fn find(path: &Path, text: &str) -> Result<Self, PluginError> {
        let code = code_of(text);
        let behind = |mark: &str, keyword: &str| {
            let at = code.find(mark)? + mark.len();
            code[at..].match_indices(keyword).find_map(|(found, _)| {
                let before = code[..at + found].chars().next_back();
                let rest = &code[at + found + keyword.len()..];
                let word = rest.trim_start();
                let name: String = word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let apart = rest.starts_with(char::is_whitespace) && !before.is_some_and(char::is_alphanumeric);
                let generic = word[name.len()..].trim_start().starts_with('<');
                let dimensions = generic.then(|| dimensions(&code[at..at + found]));
                (apart && !name.is_empty()).then_some(Solver { name, dimensions })
            })
        };
        behind("#[riemann::solver", "struct")
            .or_else(|| behind("#[solver", "struct"))
            .or_else(|| behind("Solver<", "for").map(|solver| Solver { dimensions: None, ..solver }))
            .ok_or_else(|| PluginError::NoSolver { path: path.to_owned() })
    }

    /// The type in each number of dimensions.
    fn types(&self) -> Vec<String> {
        match &self.dimensions {
            None => vec![self.name.clone()],
            Some(dimensions) => dimensions.iter().map(|dim| format!("{}<{dim}>", self.name)).collect(),
        }
    }
}

/// The numbers after `dim =` in a solver's attribute; the macro refuses anything else there.
fn dimensions(attribute: &str) -> Vec<u8> {
    let key = |(at, word): (usize, &str)| {
        let apart = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let rest = attribute[at + word.len()..].trim_start();
        if apart(attribute[..at].chars().next_back()) { rest.strip_prefix('=') } else { None }
    };
    let Some(value) = attribute.match_indices("dim").find_map(key) else { return vec![2] };
    let value = match value.trim_start().strip_prefix('[') {
        Some(list) => list.split(']').next().unwrap_or_default(),
        None => value.split([',', ')']).next().unwrap_or_default(),
    };
    value.split(',').filter_map(|number| number.trim().parse().ok()).collect()
}

/// The text without line comments and without the contents of strings, where keywords may occur.
fn code_of(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['/', '"']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with('"') && !code.ends_with('\'') {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            rest = end.map_or("", |end| &rest[end + 2..]);
        } else {
            code.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(text: &str) -> Vec<String> {
        Solver::find(Path::new("a.rs"), text).map(|solver| solver.types()).unwrap_or_default()
    }

    /// The attribute may have any arguments and further attributes, comments and titles may name other structs.
    #[test]
    fn the_solver_is_found() {
        let text = "//! #[riemann::solver] struct No;\n#[riemann::solver(dim = 2, waves = 2)]\n#[derive(Debug)]\n/// a struct\npub struct Tides {\n rho: Real }";
        assert_eq!(types(text), ["Tides"]);
        assert_eq!(types("impl Solver<1, 1, 0> for Plain {"), ["Plain"]);
        assert_eq!(types("impl Solver<1, 1, 0> for Plain<2> {"), ["Plain"]);
        assert_eq!(types("#[solver(title = \"a \\\" struct // No {\", waves = 1)] struct Quoted;"), ["Quoted"]);
        assert!(types("pub struct Nothing;").is_empty());
    }

    /// A struct over the dimension is one type for each number that the attribute names, by default for two.
    #[test]
    fn dimensions_are_read() {
        let generic = |key: &str| types(&format!("#[riemann::solver({key}waves = D)]\nstruct S<const D: usize> {{"));
        assert_eq!(generic("dim = [1, 2,\n 3], "), ["S<1>", "S<2>", "S<3>"]);
        assert_eq!(generic("title = \"dim = 1\", dim=3, "), ["S<3>"]);
        assert_eq!(generic("my_dim = 1, "), ["S<2>"]);
        assert_eq!(types("#[riemann::solver(dim = 3)] struct S;"), ["S"]);
    }

    /// The embedded files form a workspace: members of the manifest, and files named by sources, exist.
    #[test]
    fn embedded_sources_are_a_workspace() {
        let files: Vec<_> = riemann().collect();
        for wanted in ["Cargo.toml", "Cargo.lock", "riemann/Cargo.toml", "riemann/build.rs", "riemann/src/lib.rs"] {
            assert!(files.iter().any(|(name, _)| *name == wanted), "{wanted}");
        }
        for (name, text) in &files {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            for named in text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let path = format!("{folder}/{named}");
                assert!(files.iter().any(|(name, _)| *name == path), "{name} includes {path}");
            }
        }
        let (_, manifest) = files.iter().find(|(name, _)| *name == "Cargo.toml").unwrap();
        assert!(!manifest.contains("xtask"), "{manifest}");
        assert!(lock().contains("name = \"riemann\""));
    }
}
