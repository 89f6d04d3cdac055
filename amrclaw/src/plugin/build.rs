//! Compiling a solver's file.
//!
//! The file becomes a crate, with the sources of `riemann` that the program carries (`amrclaw/build.rs`), and the user's cargo compiles it.

use super::source::Mesh;
use super::{PluginError, source, toolchain};
use cuda::cache::{self, Hash};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Checks without compiling that a file can be read and has a solver.
pub fn inspect(path: &Path) -> Result<(), PluginError> {
    let text = std::fs::read_to_string(path).map_err(PluginError::read(path))?;
    source::Solver::find(path, &text).map(drop)
}

/// The library compiled from the user's file: the cached one, if it is intact, or a new one.
pub fn compiled(path: &Path, mesh: Mesh, announce: impl FnOnce()) -> Result<PathBuf, PluginError> {
    let text = std::fs::read_to_string(path).map_err(PluginError::read(path))?;
    let cache = cache::folder()?;
    let toolchain = toolchain::version(&cache)?;
    let riemann = source::riemann().fold(Hash::new(), |hash, (name, text)| hash.with(name).with(text)).name();
    let mut key = Hash::new().with(&text).with(&riemann).with(&toolchain);
    if let Mesh::Mapped(dimension) = mesh {
        key = key.with(format!("mapped {dimension}"));
    }
    let key = key.name();
    let package = format!("solver_{key}");
    let folder = cache.join("solvers").join(&key);
    let library = folder.join(format!("{}{package}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    if cache::read(&library).is_some() {
        return Ok(library);
    }
    let solver = source::Solver::find(path, &text)?;
    announce();
    let job = Job { path, package: &package, toolchain: &toolchain, common: cache.join(format!("riemann-{riemann}")) };
    job.write_sources()?;
    job.write_crate(&folder, &solver, mesh)?;
    job.compile(&folder)?;
    let made = job.target().join("release").join(library.file_name().unwrap_or_default());
    // Copied, not linked: the compiler's folder may be cleaned. Renamed last, so that a broken copy is never loaded.
    let bytes = std::fs::read(&made).map_err(PluginError::read(&made))?;
    cache::keep(&library, &bytes)?;
    Ok(library)
}

/// The compilation of one file.
struct Job<'a> {
    /// The user's file, as the user named it.
    path: &'a Path,
    package: &'a str,
    toolchain: &'a str,
    /// The sources and the compiler's folder that all solvers share.
    common: PathBuf,
}

impl Job<'_> {
    fn target(&self) -> PathBuf {
        self.common.join("target")
    }

    /// Writes the sources that solvers are compiled against. Unchanged files are not rewritten: cargo recompiles by modification
    /// time.
    fn write_sources(&self) -> Result<(), PluginError> {
        for (name, text) in source::riemann() {
            let path = self.common.join(name);
            if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
                continue;
            }
            cache::write(&path, text.as_bytes())?;
        }
        Ok(())
    }

    fn write_crate(&self, folder: &Path, solver: &source::Solver, mesh: Mesh) -> Result<(), PluginError> {
        let file = std::path::absolute(self.path).map_err(PluginError::io("find", self.path))?;
        let riemann = self.common.join("riemann");
        cache::write(&folder.join("Cargo.toml"), source::manifest(self.package, &riemann).as_bytes())?;
        cache::write(&folder.join("src/lib.rs"), source::root(&file, solver, mesh).as_bytes())?;
        cache::write(&folder.join("Cargo.lock"), source::lock().as_bytes())?;
        Ok(())
    }

    /// Runs cargo offline, or with the network if packages are missing.
    fn compile(&self, folder: &Path) -> Result<(), PluginError> {
        let mut output = self.cargo(folder, &["--offline"])?;
        if !output.status.success() && lacks_dependencies(&output) {
            output = self.cargo(folder, &[])?;
        }
        if !output.status.success() && self.target().exists() && !self.blames_user(&output) {
            // Cached compiler output may be damaged, which is not the user's fault: compile again without it.
            let target = self.target();
            std::fs::remove_dir_all(&target).map_err(PluginError::io("remove", &target))?;
            output = self.cargo(folder, &[])?;
        }
        if output.status.success() {
            return Ok(());
        }
        Err(PluginError::Compile { path: self.path.to_owned(), text: self.message(&output) })
    }

    fn cargo(&self, folder: &Path, arguments: &[&str]) -> Result<Output, PluginError> {
        let missing = |source| PluginError::NoToolchain { program: "cargo", source };
        let cargo = toolchain::executable("cargo").ok_or_else(|| missing(std::io::ErrorKind::NotFound.into()))?;
        let mut command = Command::new(cargo);
        command.args(["build", "--release", "--quiet", "--color", "never"]).args(arguments);
        command.arg("--target-dir").arg(self.target()).current_dir(folder).stdin(Stdio::null());
        // An outer cargo's own settings must not affect this one.
        for name in ["CARGO_BUILD_TARGET", "CARGO_ENCODED_RUSTFLAGS", "CARGO_MAKEFLAGS", "MAKEFLAGS"] {
            command.env_remove(name);
        }
        let first_line = self.toolchain.lines().next().unwrap_or_default();
        command.env("RIEMANN_TOOLCHAIN", first_line).output().map_err(missing)
    }

    /// True if the compiler's errors are in the user's file, and none says that its earlier output is damaged.
    fn blames_user(&self, output: &Output) -> bool {
        let text = String::from_utf8_lossy(&output.stderr);
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        let damage = ["error[E0786]", "error[E0460]", "error[E0463]", "extern location", "internal compiler error"];
        text.contains(&format!("{file}:")) && !damage.iter().any(|sign| text.contains(sign))
    }

    /// The compiler's messages, with the file named as the user named it.
    fn message(&self, output: &Output) -> String {
        let text = String::from_utf8_lossy(&output.stderr);
        let lines = text.lines().filter(|line| !line.contains(self.package));
        let text = lines.collect::<Vec<_>>().join("\n");
        match std::path::absolute(self.path) {
            Ok(absolute) => {
                let absolute = absolute.to_string_lossy();
                users_own(&text, &absolute).replace(&*absolute, &self.path.to_string_lossy())
            }
            Err(_) => text,
        }
    }
}

/// Only the errors in the user's file, if there are any: warnings, and consequential errors in the generated crate, would hide
/// them.
fn users_own(text: &str, file: &str) -> String {
    let mut reports: Vec<String> = Vec::new();
    for line in text.lines() {
        let begins = ["error", "warning"].iter().any(|kind| line.starts_with(kind));
        match reports.last_mut() {
            Some(report) if !begins => {
                report.push('\n');
                report.push_str(line);
            }
            _ => reports.push(line.to_owned()),
        }
    }
    let place = format!("--> {file}:");
    reports.retain(|report| report.starts_with("error") && report.contains(&place));
    if reports.is_empty() { text.to_owned() } else { reports.join("\n") }
}

/// True if cargo failed because it lacks packages and is offline.
fn lacks_dependencies(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    ["offline", "no matching package", "failed to download"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If there are errors in the user's file, only these are shown; otherwise all messages are.
    #[test]
    fn errors_of_the_file_stand_alone() {
        let own = "error: expected `;`\n --> /a/b.rs:3:4\n  |\n3 | x\n  | ^\n";
        let noise = "warning: unused import\n --> /a/b.rs:1:1\n\nerror[E0277]: no `Solver`\n --> src/lib.rs:6:1\n\n";
        let text = format!("{own}\n{noise}{own}\nerror: aborting due to 2 previous errors\n");
        assert_eq!(users_own(&text, "/a/b.rs"), format!("{own}\n{own}"));
        assert_eq!(users_own(noise, "/a/b.rs"), noise);
    }
}
