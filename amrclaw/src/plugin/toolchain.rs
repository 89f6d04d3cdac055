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
/// stay the same. Without one it is the last one's: what was compiled on another machine with this cache folder needs none here.
pub fn version(cache: &Path) -> Result<String, PluginError> {
    let missing = |source| PluginError::NoToolchain { program: "rustc", source };
    let folder = cache.join("toolchains");
    let last = folder.join("last");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let Some(rustc) = executable("rustc") else {
        return cache::read(&last).map(text).ok_or_else(|| missing(std::io::ErrorKind::NotFound.into()));
    };
    let kept = folder.join(fingerprint(&rustc).name());
    let version = match cache::read(&kept) {
        Some(version) => version,
        None => {
            // Run in the folder where solvers are compiled, since rustup's choice may depend on the folder.
            let output = Command::new(&rustc).arg("-vV").current_dir(cache).stdin(Stdio::null()).output();
            let output = output.map_err(missing)?;
            if !output.status.success() {
                return Err(missing(std::io::Error::other(text(output.stderr).trim().to_owned())));
            }
            cache::keep(&kept, &output.stdout)?;
            output.stdout
        }
    };
    if cache::read(&last).as_ref() != Some(&version) {
        cache::keep(&last, &version)?;
    }
    Ok(text(version))
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
