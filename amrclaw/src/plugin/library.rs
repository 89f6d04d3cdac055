//! Opening a library.

use super::PluginError;
use libloading::Library;
use riemann::plugin::{ENTRY, Plugin, Table};
use std::error::Error;
use std::path::Path;

/// Opens the plugin in the library `file`. Messages name `asked_for`, the file that the user gave.
pub fn open(file: &Path, asked_for: &Path) -> Result<Plugin, PluginError> {
    let path = || asked_for.to_owned();
    std::fs::metadata(file).map_err(PluginError::io("read", asked_for))?;
    // The loader looks for names without a folder elsewhere.
    let absolute = std::path::absolute(file).map_err(PluginError::io("read", asked_for))?;
    // SAFETY: whoever names a library wants the code that it runs on loading.
    let library = unsafe { Library::new(&absolute) };
    // The error itself only names the call that failed.
    let reason = |e: libloading::Error| e.source().map_or_else(|| e.to_string(), ToString::to_string);
    let library = library.map_err(|e| PluginError::Library { path: path(), message: reason(e) })?;
    // SAFETY: a library that exports this name does so as `riemann::plugin!` defines it.
    let entry = unsafe { library.get::<extern "C" fn() -> *const Table>(ENTRY) };
    let Ok(entry) = entry.map(|entry| *entry) else { return Err(PluginError::NotAPlugin { path: path() }) };
    let table = entry();
    // The solver's names and functions are used to the end.
    std::mem::forget(library);
    // SAFETY: the table comes from the entry, and the library stays.
    unsafe { Plugin::from_entry(table) }.map_err(|source| PluginError::Unfit { path: path(), source })
}
