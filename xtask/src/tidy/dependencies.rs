//! Which module may use which.

use super::lexer::{body, code_only, identifier_at, matching_brace, words};
use super::{Report, SourceFile, line_of};

/// Modules of the crate `amrclaw`, lowest first, and the crate `riemann`. A module may use what its line names, and
/// what the lines of those name.
const TABLE: &[(&str, &[&str])] = &[
    ("riemann", &[]),
    ("index", &[]),
    ("mesh", &["index"]),
    ("fields", &["mesh", "riemann"]),
    ("plan", &["mesh", "riemann"]),
    ("physics", &["fields"]),
    ("exec", &["physics", "plan"]),
    ("regrid", &["exec", "plan"]),
    ("schedule", &["regrid"]),
    ("diagnose", &["fields"]),
    ("io", &["fields", "index", "physics", "diagnose"]),
    ("plugin", &["io"]),
    ("simulation", &["schedule", "io", "diagnose", "plugin"]),
    ("sweep", &["simulation"]),
    ("tune", &["sweep"]),
    ("converge", &["sweep"]),
    ("bin", &["tune", "converge"]),
];

/// Modules inside another one: its folder, how its parts are named from anywhere in the crate, and the same table of its parts.
struct Inner {
    sources: &'static str,
    prefix: &'static str,
    parts: &'static [(&'static str, &'static [&'static str])],
}

/// Modules whose parts must not use each other in a circle.
const INNER: &[Inner] = &[
    Inner {
        sources: "amrclaw/src/exec/",
        prefix: "crate::exec::",
        parts: &[
            ("step", &[]),
            ("device", &["step"]),
            ("cpu", &["step"]),
            ("resident", &["cpu", "device", "step"]),
            ("streamed", &["cpu", "device", "step"]),
            ("checked", &["cpu"]),
        ],
    },
    Inner { sources: "cuda/src/", prefix: "crate::", parts: &[("runtime", &[]), ("amr", &["runtime"])] },
];

/// Folder of the crate's sources.
const SOURCES: &str = "amrclaw/src/";

pub fn check(file: &SourceFile, report: &mut Report) {
    INNER.iter().for_each(|inner| check_parts(inner, file, report));
    let Some(inside) = file.path.strip_prefix(SOURCES).and_then(|path| path.strip_suffix(".rs")) else { return };
    if inside == "lib" {
        return; // declares the modules
    }
    let mut path: Vec<&str> = inside.split('/').collect();
    if path.last() == Some(&"mod") {
        path.pop();
    }
    let module = path[0];
    let Some(allowed) = closure(module) else {
        report.error(&file.path, 1, format!("module `{module}` has no line in the table of module dependencies"));
        return;
    };
    let code = code_only(&file.text);
    let crate_name = if module == "bin" { "amrclaw::" } else { "crate::" };
    for (at, used) in uses(&code, crate_name).into_iter().chain(uses_from_root(&code, path.len())) {
        if TABLE.iter().all(|(name, _)| *name != used) {
            if module != "bin" {
                let message = format!("`{crate_name}{used}` is no module of the table; name the module it is in");
                report.error(&file.path, line_of(&code, at), message);
            }
        } else if used != module && !allowed.contains(&used) {
            report.error(&file.path, line_of(&code, at), format!("`{module}` must not use `{used}`"));
        }
    }
    if let Some(at) = words(&code, "riemann::").next().filter(|_| !allowed.contains(&"riemann")) {
        report.error(&file.path, line_of(&code, at), format!("`{module}` must not use the crate `riemann`"));
    }
}

/// What the parts of a module use of each other.
fn check_parts(inner: &Inner, file: &SourceFile, report: &mut Report) {
    let Some(inside) = file.path.strip_prefix(inner.sources).and_then(|path| path.strip_suffix(".rs")) else { return };
    let mut path: Vec<&str> = inside.split('/').collect();
    if path.last() == Some(&"mod") {
        path.pop();
    }
    let Some((part, allowed)) = path.first().and_then(|part| inner.parts.iter().find(|(name, _)| name == part)) else {
        return; // the module's own text
    };
    let code = code_only(&file.text);
    for (at, used) in uses(&code, inner.prefix).into_iter().chain(uses_from_root(&code, path.len())) {
        if inner.parts.iter().any(|(name, _)| *name == used) && used != *part && !allowed.contains(&used) {
            report.error(&file.path, line_of(&code, at), format!("`{part}` must not use `{used}`"));
        }
    }
}

/// Everything that `module` may use; `None` if it has no line.
fn closure(module: &str) -> Option<Vec<&'static str>> {
    let line = |name: &str| TABLE.iter().find(|(n, _)| *n == name).map(|(_, uses)| *uses);
    let mut all = line(module)?.to_vec();
    let mut next = 0;
    while next < all.len() {
        let more = line(all[next]).unwrap_or(&[]);
        all.extend(more.iter().filter(|name| !all.contains(name)).copied().collect::<Vec<_>>());
        next += 1;
    }
    Some(all)
}

/// The first names behind every `prefix` (which ends in `::`), groups in braces included.
fn uses<'a>(code: &'a str, prefix: &'a str) -> Vec<(usize, &'a str)> {
    words(code, prefix).flat_map(|at| names_at(code, at + prefix.len())).collect()
}

/// The first names behind chains of `super::` that reach the crate's root from a module at `depth`.
fn uses_from_root(code: &str, depth: usize) -> Vec<(usize, &str)> {
    const SUPER: &str = "super::";
    let inline: Vec<_> = words(code, "mod").filter_map(|at| body(code, at)).collect();
    let mut found = Vec::new();
    for at in words(code, SUPER).filter(|&at| !code[..at].ends_with("::")) {
        let mut end = at;
        while code[end..].starts_with(SUPER) {
            end += SUPER.len();
        }
        let depth_here = depth + inline.iter().filter(|range| range.contains(&at)).count();
        if (end - at) / SUPER.len() >= depth_here {
            found.extend(names_at(code, end));
        }
    }
    found
}

/// The name at `at`, or the first name of each item of a group in braces there.
fn names_at(code: &str, at: usize) -> Vec<(usize, &str)> {
    if !code[at..].starts_with('{') {
        return vec![(at, identifier_at(code, at))];
    }
    let end = matching_brace(code, at) - 1;
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, at + 1);
    for (i, byte) in code.bytes().enumerate().take(end).skip(at + 1) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                names.push((start, identifier_at(code, start)));
                start = i + 1;
            }
            _ => {}
        }
    }
    names.push((start, identifier_at(code, start)));
    names.retain(|(_, name)| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(path: &str, text: &str) -> Vec<String> {
        let mut report = Report::default();
        check(&SourceFile { path: path.into(), text: text.into() }, &mut report);
        report.errors
    }

    /// Each way of naming a module above is found; comments and modules below are not.
    #[test]
    fn forbidden_uses_are_found() {
        for text in [
            "use crate::exec::Executor;",
            "use crate::{index::{Level, Ratio}, exec::Executor};",
            "fn f() -> crate::exec::Report {}",
            "use super::super::exec::Executor;",
            "mod tests { use super::super::super::exec::Executor; }",
        ] {
            let found = errors("amrclaw/src/mesh/domain.rs", text);
            assert_eq!(found, ["amrclaw/src/mesh/domain.rs:1: `mesh` must not use `exec`"], "{text}");
        }
        let allowed = "// crate::exec\nuse crate::{index::Level, mesh::Patch};\nuse super::Patch;\nmod tests { use super::super::Patch; }";
        assert_eq!(errors("amrclaw/src/mesh/domain.rs", allowed), [""; 0]);
    }

    /// What a permitted module may use is permitted too, and the table's gaps are reported.
    #[test]
    fn the_table_is_transitive() {
        assert_eq!(errors("amrclaw/src/exec/mod.rs", "use crate::index::Level; use riemann::real::Real;"), [""; 0]);
        assert_eq!(errors("amrclaw/src/mesh/mod.rs", "use riemann::real::Real;").len(), 1);
        assert_eq!(errors("amrclaw/src/io/frame.rs", "use crate::exec::Executor;").len(), 1);
        assert_eq!(errors("amrclaw/src/io/frame.rs", "use crate::Simulation;").len(), 1);
        assert_eq!(errors("amrclaw/src/novel.rs", "").len(), 1);
    }

    /// Parts of a module use each other in one direction.
    #[test]
    fn parts_do_not_use_each_other_in_circles() {
        for text in ["use crate::exec::streamed::Streamed;", "use super::super::resident::Hardware;"] {
            assert_eq!(errors("amrclaw/src/exec/cpu/advance.rs", text).len(), 1, "{text}");
        }
        let allowed = "use crate::exec::{ExecError, step::Sweep}; use super::CpuExecutor;";
        assert_eq!(errors("amrclaw/src/exec/cpu/advance.rs", allowed), [""; 0]);
        assert_eq!(errors("amrclaw/src/exec/mod.rs", "pub use step::StepReport;"), [""; 0]);
        assert_eq!(errors("cuda/src/runtime/device.rs", "use crate::amr::Patch;").len(), 1);
        assert_eq!(errors("cuda/src/amr/update.rs", "use crate::Device;"), [""; 0]);
    }
}
