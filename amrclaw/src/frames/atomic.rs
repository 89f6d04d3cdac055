//! Files that appear whole or not at all: written under a temporary name beside their own, then renamed.
//!
//! A temporary name is always new: an existing file, or the target of an existing link, is never overwritten.

use super::error::OutputError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How durable a file must be before it is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Whole after a crash of the program.
    Program,
    /// Whole after a crash of the machine too: waits for the disk.
    Machine,
}

/// A file under a temporary name: removed on drop unless it has been renamed.
#[derive(Debug)]
pub struct Partial {
    temporary: PathBuf,
    path: PathBuf,
    shown: bool,
}

impl Partial {
    /// Makes an empty file that [`Partial::show`] renames to `path`.
    ///
    /// # Errors
    /// Names the file and the operating system's reason.
    pub fn create(path: &Path) -> Result<(Self, File), OutputError> {
        let create = |temporary: &Path| OpenOptions::new().write(true).create_new(true).open(temporary);
        let (temporary, file) = under_new_name(path, create).map_err(OutputError::io("write", path))?;
        Ok((Partial { temporary, path: path.to_owned(), shown: false }, file))
    }

    /// Writes a file in arbitrary order; `content` also gets the temporary name.
    ///
    /// # Errors
    /// Whatever `content` or the operating system reports; nothing is left behind then.
    pub fn write(
        path: &Path,
        durability: Durability,
        content: impl FnOnce(&File, &Path) -> io::Result<()>,
    ) -> Result<Self, OutputError> {
        let (partial, file) = Partial::create(path)?;
        let write = || -> io::Result<()> {
            content(&file, &partial.temporary)?;
            if durability == Durability::Machine {
                file.sync_all()?;
            }
            Ok(())
        };
        write().map_err(OutputError::io("write", path))?;
        Ok(partial)
    }

    /// Renames the file to its final name, and replaces an earlier one.
    ///
    /// # Errors
    /// Names the file and the operating system's reason; the temporary file is removed then.
    pub fn show(mut self) -> Result<(), OutputError> {
        rename(&self.temporary, &self.path)?;
        self.shown = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.shown {
            // Whatever went wrong before is the error to report.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a file by way of a temporary name; the name `path` only ever shows a complete file.
///
/// # Errors
/// Whatever `content` or the operating system reports; nothing is left behind then.
pub fn write_file(
    path: &Path,
    durability: Durability,
    content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    write_in_places(path, durability, |file, _| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        content(&mut out)?;
        out.into_inner().map(drop).map_err(io::IntoInnerError::into_error)
    })
}

/// As [`write_file`], for content written in arbitrary order; `content` also gets the temporary name.
///
/// # Errors
/// As for [`write_file`].
pub fn write_in_places(
    path: &Path,
    durability: Durability,
    content: impl FnOnce(&File, &Path) -> io::Result<()>,
) -> Result<(), OutputError> {
    Partial::write(path, durability, content)?.show()?;
    if durability == Durability::Machine { sync_parent(path) } else { Ok(()) }
}

/// Writes a whole folder under a temporary name, then renames it to `path`, after `remove` has removed a folder of that name.
///
/// # Errors
/// Whatever `content`, `remove` or the operating system reports; the temporary folder is removed then.
pub fn write_folder(
    path: &Path,
    content: impl FnOnce(&Path) -> Result<(), OutputError>,
    remove: impl Fn(&Path) -> io::Result<()>,
) -> Result<(), OutputError> {
    let create = |temporary: &Path| fs::create_dir(temporary);
    let (temporary, ()) = under_new_name(path, create).map_err(OutputError::io("create", path))?;
    let write = || {
        content(&temporary)?;
        // A folder cannot be renamed onto one that holds files.
        if path.is_dir() {
            remove(path).map_err(OutputError::io("replace", path))?;
        }
        rename(&temporary, path)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_dir_all(&temporary);
    }
    written
}

/// The ending of temporary names.
const ENDING: &str = ".partial";
/// Names tried before giving up: each one taken means that a run of the same process id was killed in the folder.
const MAX_NAMES: u32 = 1000;

/// Makes something under a new name, `.NAME.PROCESS-N.partial` beside `path`: on the same file system, so that the rename is
/// atomic; hidden, so that viewers that look for a series of files ignore it.
fn under_new_name<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    for n in 0..MAX_NAMES {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}-{n}{ENDING}", std::process::id()));
        let temporary = path.with_file_name(name);
        match make(&temporary) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|made| (temporary, made)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The final name of the temporary file `name`, and the id of the process that made it; `None` if it is no temporary name.
pub fn name_of_partial(name: &str) -> Option<(&str, u32)> {
    let (name, process) = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?;
    let (process, n) = process.split_once('-')?;
    n.parse::<u32>().ok()?;
    Some((name, process.parse().ok()?))
}

fn rename(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(OutputError::io("write", to))
}

/// Makes the rename itself durable. Only Unix allows a folder to be opened and synchronised; elsewhere the file system decides.
fn sync_parent(path: &Path) -> Result<(), OutputError> {
    if cfg!(unix) {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent).and_then(|folder| folder.sync_all()).map_err(OutputError::io("write", path))?;
    }
    Ok(())
}

/// Name of the file that is written as a test.
pub const PROBE: &str = "write-test";

/// How often a folder is created again after other runs have removed it.
const TRIES: usize = 100;

/// Creates a folder and does `work` in it. Concurrent runs remove folders that they created only as a test: then both are tried again.
///
/// # Errors
/// Names the folder and the operating system's reason.
pub fn in_folder<T>(dir: &Path, work: impl Fn() -> io::Result<T>) -> Result<T, OutputError> {
    let mut tries = 1;
    loop {
        let made = fs::create_dir_all(dir).map_err(|e| ("create", e));
        match made.and_then(|()| work().map_err(|e| ("write in", e))) {
            // Another run removed the folder before the work, or while `create_dir_all` looked at it.
            Err((_, error))
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) && tries < TRIES =>
            {
                tries += 1;
            }
            outcome => return outcome.map_err(|(verb, error)| OutputError::io(verb, dir)(error)),
        }
    }
}

/// Checks that `dir` can be created and written to, and leaves everything as it was.
///
/// # Errors
/// Names the folder or the first part of its path that stands in the way, and the operating system's reason.
pub fn check_output_dir(dir: &Path) -> Result<(), OutputError> {
    let missing: Vec<&Path> =
        dir.ancestors().filter(|p| !p.as_os_str().is_empty()).take_while(|p| !p.exists()).collect();
    let tried = in_folder(dir, || {
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let (path, mut file) = under_new_name(&dir.join(PROBE), create)?;
        file.write_all(b"x").and(fs::remove_file(&path))
    });
    for created in missing.into_iter().filter(|p| p.exists()) {
        match fs::remove_dir(created) {
            // Another run has begun there, or has already removed it.
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound) => {}
            removed => removed.map_err(OutputError::io("remove", created))?,
        }
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// An existing temporary name is skipped: the target of a link keeps its content, and so does a user's file.
    #[test]
    #[cfg(unix)]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join("frame"), dir.path().join("target"));
        fs::write(&target, "precious").unwrap();
        let partial = |n: u32| dir.path().join(format!(".frame.{}-{n}.partial", std::process::id()));
        std::os::unix::fs::symlink(&target, partial(0)).unwrap();
        fs::write(partial(1), "mine").unwrap();
        write_file(&path, Durability::Program, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read(partial(1)).unwrap()),
            (b"precious".to_vec(), b"mine".to_vec())
        );
        assert!(partial(0).is_symlink() && !partial(2).exists());
    }

    /// A temporary name gives the final name and the process.
    #[test]
    fn temporary_names_are_known() {
        assert_eq!(name_of_partial(".frame_0001.png.123-0.partial"), Some(("frame_0001.png", 123)));
        for name in [".frame.partial", "frame.1-0.partial", ".a.b-c.partial", ".1-0.partial", ".x.1-0.part"] {
            assert_eq!(name_of_partial(name), None, "{name}");
        }
    }

    /// A folder replaces the one of an earlier run as a whole: no file of the old one survives.
    #[test]
    fn folders_are_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plt00000");
        for name in ["old", "new"] {
            let content = |folder: &Path| fs::write(folder.join(name), name).map_err(OutputError::io("write", folder));
            write_folder(&path, content, |old| fs::remove_dir_all(old)).unwrap();
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

    /// Runs that begin at the same time, in one folder or in sibling folders that do not exist yet, do not disturb each
    /// other.
    #[test]
    fn folders_are_checked_at_the_same_time() {
        let dir = tempfile::tempdir().unwrap();
        let (beside, common) = (|n: usize| dir.path().join(format!("a/b/{n}")), dir.path().join("a/c"));
        for _ in 0..50 {
            std::thread::scope(|scope| {
                let check = |n| if n < 4 { check_output_dir(&beside(n)) } else { check_output_dir(&common) };
                let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || check(n))).collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
            });
        }
    }
}
