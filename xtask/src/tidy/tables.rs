//! Reads the tables of ARCHITECTURE.md that say which module may use which.

use super::{Report, SourceFile};

/// The document with the tables.
pub const DOCUMENT: &str = "ARCHITECTURE.md";
/// Header rows of the tables: of modules and crates, and of parts of one module.
const MODULES: &str = "| module | uses |";
const PARTS: &str = "| part | holds | uses |";

/// Names, lowest first, each with the names on its line. A name may use these, and whatever they may use.
#[derive(Debug, Default)]
pub struct Table(Vec<(String, Vec<String>)>);

/// Parts of one module or crate.
#[derive(Debug)]
pub struct Inner {
    /// Folder of the sources.
    pub folder: String,
    /// Prefix of the parts' paths in the crate.
    pub prefix: String,
    /// The parts.
    pub parts: Table,
}

/// All tables.
#[derive(Debug, Default)]
pub struct Tables {
    /// Modules of `amrclaw`, and crates.
    pub modules: Table,
    /// Modules whose parts have a table of their own.
    pub inner: Vec<Inner>,
}

impl Table {
    /// True if there is a line for a name.
    pub fn has(&self, name: &str) -> bool {
        self.line(name).is_some()
    }

    fn line(&self, name: &str) -> Option<&[String]> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, uses)| uses.as_slice())
    }

    /// Everything that `name` may use; `None` if it has no line.
    pub fn closure(&self, name: &str) -> Option<Vec<&str>> {
        let mut all: Vec<&str> = self.line(name)?.iter().map(String::as_str).collect();
        let mut next = 0;
        while next < all.len() {
            for used in self.line(all[next]).unwrap_or(&[]) {
                if !all.contains(&used.as_str()) {
                    all.push(used);
                }
            }
            next += 1;
        }
        Some(all)
    }

    /// The names that may use themselves indirectly.
    pub fn circles(&self) -> impl Iterator<Item = &str> {
        let in_circle = |name: &&str| self.closure(name).is_some_and(|all| all.contains(name));
        self.0.iter().map(|(name, _)| name.as_str()).filter(in_circle)
    }
}

impl Tables {
    /// The tables of the document among these files.
    pub fn read(files: &[SourceFile], report: &mut Report) -> Tables {
        let text = files.iter().find(|file| file.path == DOCUMENT).map_or("", |file| file.text.as_str());
        let tables = Tables::of(text);
        if tables.modules.0.is_empty() {
            report.error(DOCUMENT, 1, format!("has no table of modules that begins with `{MODULES}`"));
        }
        let inner = tables.inner.iter().map(|inner| &inner.parts);
        for name in std::iter::once(&tables.modules).chain(inner).flat_map(Table::circles) {
            report.error(
                DOCUMENT,
                1,
                format!("by its tables `{name}` uses itself; modules use each other in one direction"),
            );
        }
        tables
    }

    /// The tables of a text.
    pub fn of(text: &str) -> Tables {
        let mut tables = Tables::default();
        let mut head = "";
        for line in text.lines().map(str::trim) {
            match line {
                MODULES | PARTS => head = line,
                _ if !line.starts_with('|') => head = "",
                _ if head.is_empty() || line.starts_with("|---") => {}
                _ => tables.add(head, line),
            }
        }
        tables
    }

    fn add(&mut self, head: &str, line: &str) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return };
        let uses = names(last);
        for name in names(first) {
            let Some((module, part)) = name.rsplit_once("::").filter(|_| head == PARTS) else {
                self.modules.0.push((name, uses.clone()));
                continue;
            };
            let (folder, prefix) = match module {
                "cuda" => ("cuda/src/".to_owned(), "crate::".to_owned()),
                _ => (format!("amrclaw/src/{}/", module.replace("::", "/")), format!("crate::{module}::")),
            };
            let at = self.inner.iter().position(|inner| inner.folder == folder).unwrap_or_else(|| {
                self.inner.push(Inner { folder, prefix, parts: Table::default() });
                self.inner.len() - 1
            });
            self.inner[at].parts.0.push((part.to_owned(), uses.clone()));
        }
    }
}

/// The names in backticks in a table cell, up to a semicolon.
fn names(cell: &str) -> Vec<String> {
    let cell = cell.split(';').next().unwrap_or("");
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are read from both kinds of tables; remarks behind them are not names, and other tables are left alone.
    #[test]
    fn tables_are_read() {
        let text = "| module | uses |\n|---|---|\n| crate `riemann` | nothing |\n| `mesh` | `index`, crate `riemann` (axes) |\n\
                    | `io` | `mesh`; never `exec` |\n\ntext\n\n| place | holds |\n|---|---|\n| `a` | `b` |\n\n\
                    | part | holds | uses |\n|---|---|---|\n| `exec::cpu` | threads | `step`, `device` |\n\
                    | `cuda::amr` | kernels | `runtime` |\n";
        let tables = Tables::of(text);
        assert_eq!(tables.modules.closure("io"), Some(vec!["mesh", "index", "riemann"]));
        assert_eq!((tables.modules.has("riemann"), tables.modules.has("a")), (true, false));
        let inner: Vec<_> = tables.inner.iter().map(|inner| (inner.folder.as_str(), inner.prefix.as_str())).collect();
        assert_eq!(inner, [("amrclaw/src/exec/", "crate::exec::"), ("cuda/src/", "crate::")]);
        assert_eq!(tables.inner[0].parts.closure("cpu"), Some(vec!["step", "device"]));
        let circle = Tables::of("| module | uses |\n| `a` | `b` |\n| `b` | `c` |\n| `c` | `a` |\n| `d` | `a` |\n");
        assert_eq!(circle.modules.circles().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
