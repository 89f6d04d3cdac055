//! Files that appear whole or not at all: written under a temporary name beside their own, then renamed.
//!
//! Temporary names are new: a file that is there, or what a link of such a name points to, is never written.

use super::error::OutputError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What must have reached the disk before the new name shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Whole after a crash of the program.
    Program,
    /// Whole after a crash of the machine too: waits for the disk.
    Machine,
}

/// A file under a temporary name: removed again unless it is given its own.
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

    /// Writes a file here and there, of which `content` is told the temporary name too.
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

    /// Gives the file its name, in place of one that has it.
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

/// As [`write_file`], for content that is written here and there; it is told the temporary name, too.
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

/// Writes a whole folder by way of a temporary name. `remove` makes room for it at `path`, where a folder of that name is.
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
/// Names that are tried before giving up: so many runs that share a process id have not been killed in one folder.
const MOST_NAMES: u32 = 1000;

/// Makes something under a name that is new: `.NAME.PROCESS-N.partial` beside `path`. The same file system, so that the rename
/// is atomic; hidden, so that viewers which look for a series of files pass it by.
fn under_new_name<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    for n in 0..MOST_NAMES {
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

/// The name that the temporary file `name` was to get, and the process that made it; `None` if it is no temporary name.
pub fn name_of_partial(name: &str) -> Option<(&str, u32)> {
    let (name, process) = name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?;
    let (process, n) = process.split_once('-')?;
    n.parse::<u32>().ok()?;
    Some((name, process.parse().ok()?))
}

fn rename(from: &Path, to: &Path) -> Result<(), OutputError> {
    fs::rename(from, to).map_err(OutputError::io("write", to))
}

/// Makes the rename itself durable. Only Unix lets a folder be opened for that; elsewhere the file system decides.
fn sync_parent(path: &Path) -> Result<(), OutputError> {
    if cfg!(unix) {
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent).and_then(|folder| folder.sync_all()).map_err(OutputError::io("write", path))?;
    }
    Ok(())
}

/// Name of the file that is tried.
pub const PROBE: &str = "write-test";

/// How often a folder is made again that others take away.
const TRIES: usize = 100;

/// Makes a folder and does something in it. Runs that begin at the same time take folders away that they have only tried: then once more.
///
/// # Errors
/// Names the folder and the operating system's reason.
pub fn in_folder<T>(dir: &Path, work: impl Fn() -> io::Result<T>) -> Result<T, OutputError> {
    let mut tries = 1;
    loop {
        let made = fs::create_dir_all(dir).map_err(|e| ("create", e));
        match made.and_then(|()| work().map_err(|e| ("write in", e))) {
            // Gone before the work, or found to be there and gone before it was looked at.
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
            // Another run has begun there, or has taken it away itself.
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

    /// What stands under a temporary name is passed by: a link's target keeps its content, and so does a file of the user's.
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

    /// Temporary names tell whose they are.
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

    /// Runs that begin at the same time, in the same folder or in folders beside one another that are not there yet, do not get in
    /// each other's way.
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
