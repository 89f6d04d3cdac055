//! Checks which module may use which.

use super::lexer::{code_only, words};
use super::tables::{Inner, Tables};
use super::uses::{Use, uses};
use super::{Report, SourceFile, line_of};

/// Folder of the crate's sources.
const SOURCES: &str = "amrclaw/src/";
/// Crates that modules use only if the table says so.
const CRATES: [&str; 2] = ["riemann", "cuda"];

pub fn check(file: &SourceFile, tables: &Tables, report: &mut Report) {
    tables.inner.iter().for_each(|inner| check_parts(inner, file, report));
    let Some(path) = file.module_path(SOURCES) else { return };
    // The crate's root declares the modules.
    let Some(&module) = path.first() else { return };
    let Some(allowed) = tables.modules.closure(module) else {
        report.error(&file.path, 1, format!("module `{module}` has no line in the table of module dependencies"));
        return;
    };
    let code = code_only(&file.text);
    let crate_name = if module == "bin" { "amrclaw::" } else { "crate::" };
    for Use { at, path: used, .. } in uses(&code, crate_name, &path) {
        let used = used[0];
        if !tables.modules.has(used) {
            if module != "bin" {
                let message = format!("`{crate_name}{used}` is no module of the table; name the module it is in");
                report.error(&file.path, line_of(&code, at), message);
            }
        } else if used != module && !allowed.contains(&used) {
            report.error(&file.path, line_of(&code, at), format!("`{module}` must not use `{used}`"));
        }
    }
    for name in CRATES.iter().filter(|name| !allowed.contains(*name)) {
        if let Some(at) = words(&code, &format!("{name}::")).next() {
            report.error(&file.path, line_of(&code, at), format!("`{module}` must not use the crate `{name}`"));
        }
    }
}

/// Checks which parts of a module use each other.
fn check_parts(inner: &Inner, file: &SourceFile, report: &mut Report) {
    let Some(path) = file.module_path(&inner.folder) else { return };
    let Some((part, allowed)) = path.first().and_then(|part| Some((part, inner.parts.closure(part)?))) else {
        return; // the module's own text
    };
    let code = code_only(&file.text);
    let above: Vec<&str> = inner.prefix.split("::").skip(1).filter(|name| !name.is_empty()).collect();
    for Use { at, path: used, .. } in uses(&code, "crate::", &[&above[..], &path].concat()) {
        let Some(used) = used.strip_prefix(&above[..]).and_then(<[&str]>::first) else { continue };
        if inner.parts.has(used) && used != part && !allowed.contains(used) {
            report.error(&file.path, line_of(&code, at), format!("`{part}` must not use `{used}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(path: &str, text: &str) -> Vec<String> {
        let mut report = Report::default();
        let tables = Tables::of(include_str!("../../../ARCHITECTURE.md"));
        check(&SourceFile { path: path.into(), text: text.into() }, &tables, &mut report);
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

    /// The dependencies of a permitted module are permitted too; modules missing in the table are reported.
    #[test]
    fn the_table_is_transitive() {
        assert_eq!(errors("amrclaw/src/exec/mod.rs", "use crate::index::Level; use riemann::real::Real;"), [""; 0]);
        assert_eq!(errors("amrclaw/src/index/mod.rs", "use riemann::real::Real;").len(), 1);
        assert_eq!(errors("amrclaw/src/frames/frame.rs", "use crate::exec::Executor;").len(), 1);
        assert_eq!(errors("amrclaw/src/frames/frame.rs", "use crate::Simulation;").len(), 1);
        assert_eq!(errors("amrclaw/src/novel.rs", "").len(), 1);
    }

    /// Parts of a module use each other in one direction.
    #[test]
    fn parts_do_not_use_each_other_in_circles() {
        for text in ["use crate::exec::gpu::streamed::Streamed;", "use super::super::gpu::resident::Hardware;"] {
            assert_eq!(errors("amrclaw/src/exec/cpu/advance.rs", text).len(), 1, "{text}");
        }
        assert_eq!(errors("amrclaw/src/exec/gpu/device/kernels.rs", "use super::super::resident::Reads;").len(), 1);
        let allowed = "use crate::exec::{ExecError, step::Sweep}; use super::CpuExecutor;";
        assert_eq!(errors("amrclaw/src/exec/cpu/advance.rs", allowed), [""; 0]);
        assert_eq!(errors("amrclaw/src/exec/mod.rs", "pub use step::StepReport;"), [""; 0]);
        assert_eq!(errors("cuda/src/runtime/device.rs", "use crate::amr::Patch;").len(), 1);
        assert_eq!(errors("cuda/src/amr/update.rs", "use crate::Device;"), [""; 0]);
    }
}
