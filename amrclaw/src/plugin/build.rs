//! Compiling a solver's file.
//!
//! The file becomes a crate, with the sources of `riemann` that the program carries (`amrclaw/build.rs`), and the user's cargo compiles it.

use super::inputs::{Inputs, changed_since};
use super::source::{Solver, Wanted};
use super::{PluginError, source, toolchain};
use cuda::cache::{self, Hash};
use riemann::patch::Isa;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

/// Ending of the file that lists what a library was made of.
const INPUTS: &str = "inputs";

/// Checks without compiling that a file can be read and has a solver.
pub fn inspect(path: &Path) -> Result<(), PluginError> {
    let text = std::fs::read_to_string(path).map_err(PluginError::read(path))?;
    Solver::find(path, &text).map(drop)
}

/// The library compiled from a file: a cached one, if it is intact and made of what is there now, or a new one. `solver`: the one in the file,
/// if that is known.
pub fn compiled(
    path: &Path,
    solver: Option<&Solver>,
    wanted: Wanted,
    announce: impl FnOnce(),
) -> Result<PathBuf, PluginError> {
    let job = Job::new(path, solver, wanted)?;
    if let Some((_, library)) = job.find() {
        return Ok(library);
    }
    job.solver()?;
    announce();
    let mut before = None;
    for _ in 0..ATTEMPTS {
        let job = Job::new(path, solver, wanted)?;
        let _alone = job.lock();
        // Another program may have compiled it meanwhile.
        if let Some((_, library)) = job.find() {
            return Ok(library);
        }
        let begun = SystemTime::now();
        let inputs = job.build()?;
        // What was changed while the compiler read it is compiled again.
        let is_still = !inputs.changed_since(begun) && !changed_since(path, begun);
        let now = (job.text.clone(), inputs);
        if (is_still || before.as_ref() == Some(&now)) && job.is_unchanged() {
            return job.keep(&now.1);
        }
        before = Some(now);
    }
    Err(PluginError::Changing { path: path.to_owned() })
}

/// A hash of everything that the solver's file is compiled from, but the compiler: the same on all machines.
pub fn contents(path: &Path) -> Result<Hash, PluginError> {
    let job = Job::new(path, None, Wanted::DEFAULT)?;
    let inputs = job.find().map_or(Hash::new(), |(inputs, _)| inputs.contents());
    Ok(Hash::new().with(&job.text).with(inputs.digits()))
}

/// Compilations of a file whose text, or what it includes, changes while it is compiled.
const ATTEMPTS: usize = 3;

/// The compilation of one file.
struct Job<'a> {
    /// The user's file, as the user named it.
    path: &'a Path,
    /// The same from the root.
    absolute: PathBuf,
    text: String,
    /// The solver in it, if that was known before.
    solver: Option<&'a Solver>,
    wanted: Wanted,
    package: String,
    toolchain: String,
    /// The crate, and what has been compiled from it.
    folder: PathBuf,
    /// The sources and the compiler's folder that all solvers share.
    common: PathBuf,
}

impl<'a> Job<'a> {
    fn new(path: &'a Path, solver: Option<&'a Solver>, wanted: Wanted) -> Result<Self, PluginError> {
        let text = std::fs::read_to_string(path).map_err(PluginError::read(path))?;
        let absolute = std::path::absolute(path).map_err(PluginError::io("find", path))?;
        let cache = cache::folder()?;
        let toolchain = toolchain::version(&cache)?;
        let riemann = source::riemann().fold(Hash::new(), |hash, (name, text)| hash.with(name).with(text)).name();
        // Kernels are compiled for this processor; the cache may be shared with others.
        let isa = Isa::detect().name();
        let mut key =
            Hash::new().with(&text).with(&riemann).with(&toolchain).with(format!("{isa} {wanted:?} {solver:?}"));
        // The user's flags for the compiler, which may choose between parts of the file.
        for flags in ["RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"].iter().filter_map(std::env::var_os) {
            key = key.with(flags.as_encoded_bytes());
        }
        let key = key.name();
        let (folder, common) = (cache.join("solvers").join(&key), cache.join(format!("riemann-{riemann}-{isa}")));
        Ok(Job { path, absolute, text, solver, wanted, package: format!("solver_{key}"), toolchain, folder, common })
    }

    /// The library made of the file and these inputs. A name of its own for each: a process that has loaded one loads the other too.
    fn library(&self, inputs: &Inputs) -> PathBuf {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
        self.folder.join(format!("{DLL_PREFIX}{}_{}{DLL_SUFFIX}", self.package, inputs.name()))
    }

    /// The intact library made of the file and of what it includes as that is now.
    fn find(&self) -> Option<(Inputs, PathBuf)> {
        let own = self.absolute.parent()?;
        let made = |entry: std::fs::DirEntry| {
            let path = entry.path();
            if path.extension()? != INPUTS {
                return None;
            }
            let inputs: Inputs = serde_json::from_slice(&cache::read(&path)?).ok()?;
            let library = self.library(&inputs);
            (inputs.are_current(own) && cache::read(&library).is_some()).then_some((inputs, library))
        };
        std::fs::read_dir(&self.folder).ok()?.flatten().find_map(made)
    }

    /// Waits for other programs that compile the same file. Where a file system has no locks, the last of them wins.
    fn lock(&self) -> Option<File> {
        std::fs::create_dir_all(&self.folder).ok()?;
        let file = File::create(self.folder.join("lock")).ok()?;
        file.lock().ok().map(|()| file)
    }

    /// The solver in the file.
    fn solver(&self) -> Result<Solver, PluginError> {
        self.solver.map_or_else(|| Solver::find(self.path, &self.text), |solver| Ok(solver.clone()))
    }

    /// Compiles the file; returns what else it is made of.
    fn build(&self) -> Result<Inputs, PluginError> {
        self.write_sources()?;
        self.write_crate(&self.solver()?)?;
        self.compile()?;
        let info = self.target().join("release/deps").join(format!("{}.d", self.package));
        let text = std::fs::read_to_string(&info).map_err(PluginError::read(&info))?;
        Inputs::read(&text, &self.absolute, &self.folder).map_err(PluginError::read(self.path))
    }

    /// True if the file has the text that was compiled.
    fn is_unchanged(&self) -> bool {
        std::fs::read_to_string(self.path).is_ok_and(|text| text == self.text)
    }

    /// Copies the library, not linked: the compiler's folder may be cleaned. The list of inputs is written last, so that a broken copy is
    /// never loaded.
    fn keep(&self, inputs: &Inputs) -> Result<PathBuf, PluginError> {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
        let made = self.target().join("release").join(format!("{DLL_PREFIX}{}{DLL_SUFFIX}", self.package));
        let bytes = std::fs::read(&made).map_err(PluginError::read(&made))?;
        let library = self.library(inputs);
        cache::keep(&library, &bytes)?;
        let list = serde_json::to_vec_pretty(inputs).map_err(io::Error::from);
        let list = list.map_err(PluginError::io("list what is included in", self.path))?;
        cache::keep(&library.with_extension(INPUTS), &list)?;
        Ok(library)
    }

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

    /// Writes the crate, every time: cargo then compiles it, whatever the times of the files that it includes.
    fn write_crate(&self, solver: &Solver) -> Result<(), PluginError> {
        let (folder, riemann) = (&self.folder, self.common.join("riemann"));
        cache::write(&folder.join("Cargo.toml"), source::manifest(&self.package, &riemann).as_bytes())?;
        cache::write(&folder.join("src/lib.rs"), source::root(&self.absolute, solver, self.wanted).as_bytes())?;
        cache::write(&folder.join("Cargo.lock"), source::lock().as_bytes())?;
        Ok(())
    }

    /// Runs cargo offline, or with the network if packages are missing.
    fn compile(&self) -> Result<(), PluginError> {
        let mut output = self.cargo(&["--offline"])?;
        if !output.status.success() && lacks_dependencies(&output) {
            output = self.cargo(&[])?;
        }
        if !output.status.success() && self.target().exists() && !self.blames_user(&output) {
            // Cached compiler output may be damaged, which is not the user's fault: compile again without it.
            let target = self.target();
            std::fs::remove_dir_all(&target).map_err(PluginError::io("remove", &target))?;
            output = self.cargo(&[])?;
        }
        if output.status.success() {
            return Ok(());
        }
        Err(PluginError::Compile { path: self.path.to_owned(), text: self.message(&output) })
    }

    fn cargo(&self, arguments: &[&str]) -> Result<Output, PluginError> {
        let missing = |source| PluginError::NoToolchain { program: "cargo", source };
        let cargo = toolchain::executable("cargo").ok_or_else(|| missing(std::io::ErrorKind::NotFound.into()))?;
        let mut command = Command::new(cargo);
        command.args(["build", "--release", "--quiet", "--color", "never"]).args(arguments);
        command.arg("--target-dir").arg(self.target()).current_dir(&self.folder).stdin(Stdio::null());
        // An outer cargo's own settings must not affect this one.
        for name in ["CARGO_BUILD_TARGET", "CARGO_ENCODED_RUSTFLAGS", "CARGO_MAKEFLAGS", "MAKEFLAGS"] {
            command.env_remove(name);
        }
        let first_line = self.toolchain.lines().next().unwrap_or_default();
        command.env("RIEMANN_TOOLCHAIN", first_line).output().map_err(missing)
    }

    /// True if the compiler's errors are in the user's files, and none says that its earlier output is damaged.
    fn blames_user(&self, output: &Output) -> bool {
        let text = String::from_utf8_lossy(&output.stderr);
        let damage = ["error[E0786]", "error[E0460]", "error[E0463]", "extern location", "internal compiler error"];
        users_own(&text).is_some() && !damage.iter().any(|sign| text.contains(sign))
    }

    /// The compiler's messages, with files named as the user named the solver's.
    fn message(&self, output: &Output) -> String {
        let text = String::from_utf8_lossy(&output.stderr);
        let lines = text.lines().filter(|line| !line.contains(&self.package));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = users_own(&text).unwrap_or(text);
        match (self.absolute.parent(), self.path.parent()) {
            (Some(absolute), Some(given)) if absolute.parent().is_some() => {
                text.replace(&*absolute.join("").to_string_lossy(), &given.join("").to_string_lossy())
            }
            _ => text,
        }
    }
}

/// Only the errors in the user's files, if there are any: warnings, and consequential errors in the generated crate, would hide
/// them. The compiler names that crate's files from its folder, the user's from the root.
fn users_own(text: &str) -> Option<String> {
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
    let place = |report: &str| report.split_once("--> ").is_some_and(|(_, place)| Path::new(place).is_absolute());
    reports.retain(|report| report.starts_with("error") && place(report));
    (!reports.is_empty()).then(|| reports.join("\n"))
}

/// True if cargo failed because it lacks packages and is offline.
fn lacks_dependencies(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    ["offline", "no matching package", "failed to download"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If there are errors in the user's files, only these are shown; otherwise all messages are.
    #[test]
    fn errors_of_the_file_stand_alone() {
        let own = "error: expected `;`\n --> /a/b.rs:3:4\n  |\n3 | x\n  | ^\n";
        let noise = "warning: unused import\n --> /a/b.rs:1:1\n\nerror[E0277]: no `Solver`\n --> src/lib.rs:6:1\n\n";
        let text = format!("{own}\n{noise}{own}\nerror: aborting due to 2 previous errors\n");
        assert_eq!(users_own(&text), Some(format!("{own}\n{own}")));
        assert_eq!(users_own(noise), None);
    }
}
