//! The user's compiler.

use super::PluginError;
use cuda::cache::{self, Hash};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The output of `rustc -vV`: version, commit, host.
///
/// Running it takes longer than loading a solver, so the output is cached as long as the compiler's file and rustup's choice
/// stay the same.
pub fn version(cache: &Path) -> Result<String, PluginError> {
    let missing = |source| PluginError::NoToolchain { program: "rustc", source };
    let rustc = executable("rustc").ok_or_else(|| missing(std::io::ErrorKind::NotFound.into()))?;
    let kept = cache.join("toolchains").join(fingerprint(&rustc).name());
    if let Some(text) = cache::read(&kept) {
        return Ok(String::from_utf8_lossy(&text).into_owned());
    }
    // Run in the folder where solvers are compiled, since rustup's choice may depend on the folder.
    let output = Command::new(&rustc).arg("-vV").current_dir(cache).stdin(Stdio::null()).output().map_err(missing)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(missing(std::io::Error::other(message)));
    }
    cache::keep(&kept, &output.stdout)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The file that runs as `program`: the one named in the environment, or the first in PATH.
pub fn executable(program: &str) -> Option<PathBuf> {
    if let Some(set) = env::var_os(program.to_uppercase()).map(PathBuf::from).filter(|path| path.is_file()) {
        return Some(set);
    }
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).map(|folder| folder.join(&name)).find(|p| p.is_file())
}

/// Hash of everything that decides which compiler runs: the file and, if it is rustup's, the default toolchain and updates.
fn fingerprint(rustc: &Path) -> Hash {
    let modified = |path: &Path| {
        let time = std::fs::metadata(path).and_then(|data| data.modified());
        format!("{:?}", time.ok())
    };
    let rustup = env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".rustup"))).unwrap_or_default();
    let settings = std::fs::read(rustup.join("settings.toml")).unwrap_or_default();
    let chosen: OsString = env::var_os("RUSTUP_TOOLCHAIN").unwrap_or_default();
    Hash::new()
        .with(rustc.as_os_str().as_encoded_bytes())
        .with(modified(rustc))
        .with(settings)
        .with(chosen.as_encoded_bytes())
        .with(modified(&rustup.join("update-hashes")))
}
