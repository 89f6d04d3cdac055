//! Files that appear whole or not at all: written under a temporary name beside their own, then renamed.

use super::error::OutputError;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// What must have reached the disk before the new name shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Whole after a crash of the program.
    Program,
    /// Whole after a crash of the machine too: waits for the disk.
    Machine,
}

/// Writes a file by way of a temporary name; the name `path` only ever shows a complete file.
///
/// # Errors
/// Whatever `content` or the operating system reports; nothing is left behind then.
pub fn write_file(
    path: &Path,
    durability: Durability,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let temporary = temporary_name(path);
    let write = || -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&temporary)?);
        content(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if durability == Durability::Machine {
            file.sync_all()?;
        }
        Ok(())
    };
    let renamed = write().map_err(OutputError::io("write", path)).and_then(|()| rename(&temporary, path));
    if renamed.is_err() {
        // The first error is the one to report; a temporary file that was never created cannot be removed either.
        let _ = fs::remove_file(&temporary);
    } else if durability == Durability::Machine {
        sync_parent(path)?;
    }
    renamed
}

/// Writes a whole folder by way of a temporary name. A folder of that name from an earlier run is replaced.
///
/// # Errors
/// Whatever `content` or the operating system reports; the temporary folder is removed then.
pub fn write_folder(path: &Path, content: impl FnOnce(&Path) -> Result<(), OutputError>) -> Result<(), OutputError> {
    let temporary = temporary_name(path);
    let write = || {
        remove_folder(&temporary)?;
        fs::create_dir(&temporary).map_err(OutputError::io("create", path))?;
        content(&temporary)?;
        // A folder cannot be renamed onto one that holds files.
        remove_folder(path)?;
        rename(&temporary, path)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_dir_all(&temporary);
    }
    written
}

/// `.NAME.partial` beside `path`: same file system, so that the rename is atomic; hidden, so that viewers which look
/// for a series of files pass it by.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".partial");
    path.with_file_name(name)
}

fn rename(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(OutputError::io("write", to))
}

fn remove_folder(path: &Path) -> Result<(), OutputError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(OutputError::io("replace", path)(e)),
        _ => Ok(()),
    }
}

/// Makes the rename itself durable. Only Unix lets a folder be opened for that; elsewhere the file system decides.
fn sync_parent(path: &Path) -> Result<(), OutputError> {
    if cfg!(unix) {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent).and_then(|folder| folder.sync_all()).map_err(OutputError::io("write", path))?;
    }
    Ok(())
}

/// Checks that `dir` can be created and written to, and leaves everything as it was.
///
/// # Errors
/// Names the folder or the first part of its path that stands in the way, and the operating system's reason.
pub fn check_output_dir(dir: &Path) -> Result<(), OutputError> {
    let missing: Vec<&Path> =
        dir.ancestors().filter(|p| !p.as_os_str().is_empty()).take_while(|p| !p.exists()).collect();
    let probe = dir.join(".amrclaw-write-test");
    let tried = fs::create_dir_all(dir).map_err(OutputError::io("create", dir)).and_then(|()| {
        fs::write(&probe, b"x").and_then(|()| fs::remove_file(&probe)).map_err(OutputError::io("write in", dir))
    });
    for created in missing.into_iter().filter(|p| p.exists()) {
        fs::remove_dir(created).map_err(OutputError::io("remove", created))?;
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A writer that fails half-way leaves the old file untouched and no temporary one.
    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write_file(&path, Durability::Machine, |out| out.write_all(b"old")).unwrap();
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let failed = write_file(&path, Durability::Program, |out| {
            out.write_all(b"new")?;
            Err(full())
        });
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("a.txt") && message.contains(&full().to_string()), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["a.txt"]);
    }

    /// The device that is always full: the error says so and names the file.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_reported_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frame");
        std::os::unix::fs::symlink("/dev/full", temporary_name(&path)).unwrap();
        let failed = write_file(&path, Durability::Program, |out| out.write_all(&[0; 1 << 20]));
        let message = failed.unwrap_err().to_string();
        assert!(message.contains("frame") && message.contains("No space left"), "{message}");
        assert!(names(dir.path()).is_empty());
    }

    /// A folder replaces the one of an earlier run as a whole: no file of the old one survives.
    #[test]
    fn folders_are_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plt00000");
        for name in ["old", "new"] {
            write_folder(&path, |folder| fs::write(folder.join(name), name).map_err(OutputError::io("write", folder)))
                .unwrap();
        }
        assert_eq!(names(&path), ["new"]);
        assert_eq!(names(dir.path()), ["plt00000"]);
    }

    /// The check leaves no folder behind, refuses a path through a file, and accepts what exists.
    #[test]
    fn output_folders_are_checked_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        check_output_dir(&dir.path().join("a/b/c")).unwrap();
        assert!(names(dir.path()).is_empty());
        check_output_dir(dir.path()).unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        let message = check_output_dir(&dir.path().join("file/x")).unwrap_err().to_string();
        assert!(message.contains("file/x"), "{message}");
        assert_eq!(names(dir.path()), ["file"]);
    }
}
