//! The user's folder for what is compiled once: machine code of kernels, and solvers from files.
//!
//! It is `AMRCLAW_CACHE`, or `amrclaw` in the user's folder for caches. All of it can be deleted at any time. Its files are loaded and run,
//! so the folder must belong to the user, and nobody else may write to it; each file has a digest beside it, and one that is damaged is
//! made anew.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder, or a file of it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Neither `AMRCLAW_CACHE` nor the variables that name the user's folders are set.
    #[error("there is no cache folder for compiled code: neither AMRCLAW_CACHE nor HOME is set")]
    NoFolder,
    /// The operating system refused an action.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action.
        action: &'static str,
        /// Its file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It is not safe to load code from there.
    #[error("{}, the cache folder for compiled code, {message}", path.display())]
    Unsafe {
        /// The folder.
        path: PathBuf,
        /// Why not.
        message: &'static str,
    },
}

impl CacheError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError + use<> {
        let path = path.to_owned();
        move |source| CacheError::Io { action, path, source }
    }
}

/// The folder for everything that is kept; it is made if necessary.
///
/// # Errors
/// It cannot be made, is another user's, or others may write to it.
pub fn folder() -> Result<PathBuf, CacheError> {
    let folder = place()?;
    make_private(&folder)?;
    Ok(folder)
}

/// The folder for machine code of kernels; if it cannot be used, a warning says why.
pub fn kernels() -> Option<PathBuf> {
    let folder = folder().map(|folder| folder.join("kernels"));
    folder.inspect_err(|error| tracing::warn!("kernels are compiled in each run, not cached: {error}")).ok()
}

#[cfg(unix)]
fn make_private(folder: &Path) -> Result<(), CacheError> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(CacheError::io("create", above))?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(CacheError::io("create", folder)(e)),
        _ => {}
    }
    let data = std::fs::metadata(folder).map_err(CacheError::io("read", folder))?;
    let wrong = |message| Err(CacheError::Unsafe { path: folder.to_owned(), message });
    // SAFETY: it only asks, and cannot fail.
    let user = unsafe { libc::geteuid() };
    match data.mode() & 0o022 {
        _ if !data.is_dir() => wrong("is not a folder"),
        _ if data.uid() != user => wrong("belongs to another user"),
        0 => Ok(()),
        _ => wrong("may be written to by other users"),
    }
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> Result<(), CacheError> {
    std::fs::create_dir_all(folder).map_err(CacheError::io("create", folder))
}

fn place() -> Result<PathBuf, CacheError> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("AMRCLAW_CACHE") {
        return std::path::absolute(&folder).map_err(CacheError::io("find", &folder));
    }
    let caches = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("amrclaw")).ok_or(CacheError::NoFolder)
}

/// The hash FNV-1a of Fowler, Noll and Vo, of 128 bits, over parts that do not run together.
#[derive(Clone, Copy, Debug)]
pub struct Hash(u128);

impl Default for Hash {
    fn default() -> Self {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Hash {
    /// The hash of no parts.
    pub fn new() -> Self {
        Hash::default()
    }

    /// The hash with one more part.
    pub fn with(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        for &byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// All of the hash in hexadecimal digits.
    pub fn digits(&self) -> String {
        format!("{:032x}", self.0)
    }

    /// Half of the hash in hexadecimal digits: enough to tell a user's files apart.
    pub fn name(&self) -> String {
        format!("{:016x}", (self.0 >> 64) as u64 ^ self.0 as u64)
    }
}

/// Writes a file, and the folders above it.
///
/// # Errors
/// Names the file or folder, and the cause.
pub fn write(path: &Path, text: &[u8]) -> Result<(), CacheError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(CacheError::io("create", folder))?;
    // Under a name of its own first: two programs may write the same file, and two threads.
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let own = format!("{}-{}", std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let passing = path.with_added_extension(own);
    std::fs::write(&passing, text).map_err(CacheError::io("write", &passing))?;
    std::fs::rename(&passing, path).map_err(CacheError::io("write", path))
}

/// The path of the digest of a kept file.
fn digest_of(path: &Path) -> PathBuf {
    path.with_added_extension("digest")
}

/// Writes a file, then its digest: without one the file is ignored.
///
/// # Errors
/// Names the file or folder, and the cause.
pub fn keep(path: &Path, bytes: &[u8]) -> Result<(), CacheError> {
    write(path, bytes)?;
    write(&digest_of(path), Hash::new().with(bytes).digits().as_bytes())
}

/// The bytes of a kept file, if it exists and agrees with its digest.
pub fn read(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let digest = std::fs::read(digest_of(path)).ok()?;
    (Hash::new().with(&bytes).digits().into_bytes() == digest).then_some(bytes)
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

    /// A kept file counts while its bytes and its digest are those that were written.
    #[test]
    fn damage_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/file");
        assert!(read(&path).is_none());
        keep(&path, b"content").unwrap();
        assert!(read(&path).is_some());
        for (file, text) in [(path.clone(), "contenT"), (path.clone(), "conten"), (digest_of(&path), "")] {
            let before = std::fs::read(&file).unwrap();
            std::fs::write(&file, text).unwrap();
            assert!(read(&path).is_none(), "{}", file.display());
            std::fs::write(&file, before).unwrap();
        }
        assert!(read(&path).is_some());
        std::fs::remove_file(digest_of(&path)).unwrap();
        assert!(read(&path).is_none());
    }

    /// Threads that write the same file at the same time, as when two solvers are compiled, do not take one another's for their own.
    #[test]
    fn threads_write_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            let write_often = || (0..200).for_each(|_| write(&path, b"content").unwrap());
            (0..4).for_each(|_| _ = scope.spawn(write_often));
        });
        assert_eq!(std::fs::read(&path).unwrap(), b"content");
    }

    /// A new folder is the user's alone; one that others may write to is refused, and so is a file.
    #[test]
    #[cfg(unix)]
    fn the_folder_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a/b");
        make_private(&folder).unwrap();
        let mode = || std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o700);
        for (mode, fine) in [(0o755, true), (0o775, false), (0o702, false), (0o700, true)] {
            std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(make_private(&folder).is_ok(), fine, "{mode:o}");
        }
        let file = above.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(make_private(&file).unwrap_err().to_string().contains("is not a folder"));
    }

    /// Parts do not run together.
    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(Hash::new().with("ab").with("c").name(), Hash::new().with("a").with("bc").name());
    }
}
