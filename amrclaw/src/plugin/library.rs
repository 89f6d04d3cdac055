//! Opens a library: checks its file first, then loads its code.

use super::PluginError;
use libloading::Library;
use riemann::plugin::{ENTRY, Plugin, Table};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Opens the plugin in the library `file`. Messages name `asked_for`, the file that the user gave.
pub fn open(file: &Path, asked_for: &Path) -> Result<Plugin, PluginError> {
    let path = || asked_for.to_owned();
    let absolute = inspect(file, asked_for)?;
    #[cfg(unix)]
    super::ends::watch();
    // SAFETY: loading runs the library's initialisers; the user named it to run its code.
    let library = unsafe { Library::new(&absolute) };
    // The error's own text names only the failed call; the reason is in its source.
    let reason = |e: libloading::Error| e.source().map_or_else(|| e.to_string(), ToString::to_string);
    let library = library.map_err(|e| PluginError::Library { path: path(), message: reason(e) })?;
    // SAFETY: a library that exports this name does so as `riemann::plugin!` defines it.
    let entry = unsafe { library.get::<extern "C" fn() -> *const Table>(ENTRY) };
    let Ok(entry) = entry.map(|entry| *entry) else { return Err(PluginError::NotAPlugin { path: path() }) };
    let table = entry();
    // Never unloaded: the solver's names and functions are used until the program ends.
    std::mem::forget(library);
    // SAFETY: the table comes from the entry, and the library is never unloaded.
    unsafe { Plugin::from_entry(table) }.map_err(|source| PluginError::Unfit { path: path(), source })
}

/// Checks a library without running its code; returns the absolute path to load, since the loader searches other folders for a
/// bare name.
pub fn inspect(file: &Path, asked_for: &Path) -> Result<PathBuf, PluginError> {
    let data = std::fs::metadata(file).map_err(PluginError::read(asked_for))?;
    let wrong = |message: String| PluginError::Library { path: asked_for.to_owned(), message };
    if !data.is_file() {
        return Err(wrong("it is no file".to_owned()));
    }
    if data.len() > LARGEST {
        return Err(wrong(format!("it has {} bytes, more than any solver's library", data.len())));
    }
    let bytes = std::fs::read(file).map_err(PluginError::read(asked_for))?;
    inspect_bytes(&bytes, asked_for)?;
    std::path::absolute(file).map_err(PluginError::read(asked_for))
}

/// Most bytes of a library. Solvers' libraries have about one million.
const LARGEST: u64 = 1 << 30;

/// Checks that the file is complete, since the loader maps the parts that its tables name and crashes if one is missing; and that
/// the library fits this program, by a constant in the file.
#[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
fn inspect_bytes(bytes: &[u8], asked_for: &Path) -> Result<(), PluginError> {
    use super::elf::Image;
    use riemann::plugin::{STATEMENT, Statement};
    let path = || asked_for.to_owned();
    let image = Image::read(bytes).map_err(|message| PluginError::Library { path: path(), message })?;
    if image.symbol(ENTRY).is_none() {
        return Err(PluginError::NotAPlugin { path: path() });
    }
    let Some(statement) = image.symbol(STATEMENT) else { return Err(PluginError::Older { path: path() }) };
    let statement = image.bytes_at(statement, size_of::<Statement>()).unwrap_or_default();
    Statement::check(statement).map_err(|source| PluginError::Unfit { path: path(), source })
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")))]
fn inspect_bytes(bytes: &[u8], asked_for: &Path) -> Result<(), PluginError> {
    match bytes {
        [] => Err(PluginError::Library { path: asked_for.to_owned(), message: "it is empty".to_owned() }),
        _ => Ok(()),
    }
}
