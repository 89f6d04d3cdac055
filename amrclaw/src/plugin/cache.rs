//! Where compiled solvers are kept.
//!
//! `AMRCLAW_CACHE`, or `amrclaw` in the user's folder for caches. In it: `toolchains/`, what compilers say of themselves;
//! `riemann-HASH/`, the sources that solvers are compiled against, and what the compiler makes of them; `solvers/KEY/`,
//! the compiled solvers. All of it can be deleted at any time.

use super::PluginError;
use std::env;
use std::path::{Path, PathBuf};

/// The folder for everything that is kept.
pub fn folder() -> Result<PathBuf, PluginError> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("AMRCLAW_CACHE") {
        return std::path::absolute(&folder).map_err(PluginError::io("find", &folder));
    }
    let caches = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("amrclaw")).ok_or(PluginError::NoCache)
}

/// Fowler, Noll and Vo's hash FNV-1a of 128 bits, over parts that are kept apart.
pub struct Hash(u128);

impl Hash {
    pub fn new() -> Self {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Adds a part.
    pub fn add(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        for &byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// Half of the hash in hexadecimal digits: enough to tell a user's files apart.
    pub fn name(&self) -> String {
        format!("{:016x}", (self.0 >> 64) as u64 ^ self.0 as u64)
    }
}

/// Writes a file, and the folders above it.
pub fn write(path: &Path, text: &[u8]) -> Result<(), PluginError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(PluginError::io("create", folder))?;
    // Under a name of its own first: two programs may write the same file.
    let passing = path.with_added_extension(std::process::id().to_string());
    std::fs::write(&passing, text).map_err(PluginError::io("write", &passing))?;
    std::fs::rename(&passing, path).map_err(PluginError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of no bytes is the offset basis, that of one byte is known (draft-eastlake-fnv, test vector for "a").
    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(Hash::new().0, 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        let byte = (Hash::new().0 ^ u128::from(b'a')).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        assert_eq!(byte, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    /// Parts do not run together.
    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(Hash::new().add("ab").add("c").name(), Hash::new().add("a").add("bc").name());
    }
}
