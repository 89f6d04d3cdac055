//! The folder of a run's files: one run at a time writes to it, and files of other programs are kept.
//!
//! The hidden file `.amrclaw` is locked during a run; the system releases the lock however the run ends. It lists the files that runs
//! wrote here: each name before the file is begun, and its length once it is complete. A file with the name of a run's file is neither
//! replaced nor removed unless this list or its content shows that this program wrote it.

mod names;

use super::atomic::{PROBE, check_output_dir, in_folder, name_of_partial};
use super::error::OutputError;
use super::{checkpoint, format, gauge, plotfile};
use names::{is_run_file, list, numbered, shows_its_origin};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The lock, and the list of files.
const JOURNAL: &str = ".amrclaw";
/// First line of the list.
const HEAD: &str = "# files of amrclaw runs\n";
/// How many numbers are tried to find a free folder.
const MAX_NUMBERS: usize = 10_000;

/// What a run does in a folder with files of another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingFiles {
    /// It takes the first free one of `DIR_2`, `DIR_3`, … instead.
    UseNextFolder,
    /// It replaces them.
    Replace,
    /// It continues them from this frame on.
    Continue {
        /// Number of the next frame.
        next_frame: usize,
    },
}

/// A folder that this run alone writes to.
#[derive(Debug)]
pub struct RunFolder {
    dir: PathBuf,
    in_use: ExistingFiles,
    journal: Mutex<File>,
    /// Files of earlier runs, with their length where they were completed.
    listed: BTreeMap<String, Option<u64>>,
    /// Files and folders to remove, in this order, if the run does not begin.
    made: Vec<PathBuf>,
    begun: AtomicBool,
}

impl RunFolder {
    /// Claims a folder for a run, and creates it if necessary. Nothing in it changes before [`RunFolder::begin`].
    ///
    /// # Errors
    /// The folder cannot be written to; another run writes to it; a file to replace was not written by this program.
    pub fn claim(dir: &Path, in_use: ExistingFiles) -> Result<Self, OutputError> {
        if in_use == ExistingFiles::UseNextFolder {
            return RunFolder::claim_next(dir);
        }
        let folder = RunFolder::lock(dir, in_use)?.ok_or_else(|| OutputError::Busy(dir.to_owned()))?;
        let stays = |name: &str| match in_use {
            ExistingFiles::Continue { next_frame } => {
                format::frame_number(name).is_some_and(|number| number < next_frame)
            }
            _ => false,
        };
        let mut names = folder.run_files()?.into_iter().filter(|name| !stays(name));
        match names.find(|name| !folder.is_own(name)) {
            Some(name) => Err(OutputError::Foreign(dir.join(name))),
            None => Ok(folder),
        }
    }

    fn claim_next(dir: &Path) -> Result<Self, OutputError> {
        for n in 1..=MAX_NUMBERS {
            let Some(dir) = numbered(dir, n) else { break };
            if n > 1 && dir.exists() && !dir.is_dir() {
                continue;
            }
            if let Some(folder) = RunFolder::lock(&dir, ExistingFiles::UseNextFolder)?
                && folder.run_files()?.is_empty()
            {
                return Ok(folder);
            }
        }
        Err(OutputError::ExistingFiles(dir.to_owned()))
    }

    /// Creates the folder if necessary and locks it; `None` if another run holds the lock.
    fn lock(dir: &Path, in_use: ExistingFiles) -> Result<Option<Self>, OutputError> {
        check_output_dir(dir)?;
        let missing = dir.ancestors().filter(|p| !p.as_os_str().is_empty()).take_while(|p| !p.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let path = dir.join(JOURNAL);
        let before = path.symlink_metadata().ok();
        // The target of a link is not this program's list, and opening a pipe would block.
        if before.as_ref().is_some_and(|found| !found.is_file()) {
            return Err(OutputError::Foreign(path));
        }
        if before.is_none() {
            made.insert(0, path.clone());
        }
        let mut journal = in_folder(dir, || OpenOptions::new().read(true).append(true).create(true).open(&path))?;
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some cluster file systems have no locks: the run continues without one.
            Err(TryLockError::Error(error)) => tracing::warn!(%error, file = %path.display(), "no lock"),
        }
        let mut text = Vec::new();
        journal.read_to_end(&mut text).map_err(OutputError::io("read", &path))?;
        let text = String::from_utf8_lossy(&text);
        if !text.is_empty() && !text.starts_with(HEAD) {
            return Err(OutputError::Foreign(path));
        }
        let (listed, journal) = (list(&text), Mutex::new(journal));
        Ok(Some(RunFolder { dir: dir.to_owned(), in_use, journal, listed, made, begun: AtomicBool::new(false) }))
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Removes the files of an earlier run, or, if the run continues it, the frames that will be written again; and partial files that a
    /// killed run left.
    ///
    /// # Errors
    /// Names the file that cannot be removed and the operating system's reason.
    pub fn begin(&self) -> Result<(), OutputError> {
        for name in self.names()? {
            let path = self.dir.join(&name);
            // Partial files of this process are already open.
            let is_partial = name_of_partial(&name)
                .is_some_and(|(name, process)| process != std::process::id() && (is_run_file(name) || name == PROBE));
            let is_replaced = match self.in_use {
                ExistingFiles::Continue { next_frame } => {
                    format::frame_number(&name).is_some_and(|number| number >= next_frame)
                }
                _ => is_run_file(&name),
            };
            if is_partial || (is_replaced && self.is_own(&name)) {
                remove(&path).map_err(OutputError::io("remove", &path))?;
            }
        }
        let mut journal = self.journal.lock();
        let new = !matches!(self.in_use, ExistingFiles::Continue { .. }) || self.listed.is_empty();
        if new {
            let written = journal.set_len(0).and_then(|()| journal.write_all(HEAD.as_bytes()));
            written.map_err(OutputError::io("write", &self.dir.join(JOURNAL)))?;
        }
        self.begun.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Lists files that are about to be begun.
    ///
    /// # Errors
    /// Names the list and the operating system's reason.
    pub fn announce(&self, names: &[String]) -> Result<(), OutputError> {
        let lines: String = names.iter().map(|name| format!("{name};\n")).collect();
        self.append(&lines)
    }

    /// Lists files that are complete.
    pub fn complete(&self, paths: &[PathBuf]) {
        let line = |path: &PathBuf| {
            let (name, length) = (path.file_name()?.to_str()?, path.metadata().ok()?.len());
            Some(format!("{name}\t{length};\n"))
        };
        let lines: String = paths.iter().filter(|path| path.is_file()).filter_map(line).collect();
        // If this fails, they are still listed, without their length.
        let _ = self.append(&lines);
    }

    fn append(&self, lines: &str) -> Result<(), OutputError> {
        // The line break ends a line that a full disk may have cut off, so that this one is not lost with it.
        let text = format!("\n{lines}");
        self.journal.lock().write_all(text.as_bytes()).map_err(OutputError::io("write", &self.dir.join(JOURNAL)))
    }

    /// Checkpoints of earlier runs that lie here, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<String>, OutputError> {
        let names = self.run_files()?.into_iter();
        Ok(names.filter(|name| checkpoint::steps_of(name).is_some() && self.is_own(name)).collect())
    }

    /// Names in the folder that runs use.
    fn run_files(&self) -> Result<Vec<String>, OutputError> {
        Ok(self.names()?.into_iter().filter(|name| is_run_file(name)).collect())
    }

    /// Names in the folder, sorted. Names that are not UTF-8 are left out: no run writes such files.
    fn names(&self) -> Result<Vec<String>, OutputError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(OutputError::io("read", &self.dir))? {
            names.extend(entry.map_err(OutputError::io("read", &self.dir))?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    /// True if the list or the content shows that this program wrote the file of that name.
    fn is_own(&self, name: &str) -> bool {
        let path = self.dir.join(name);
        // A file that has been removed meanwhile does not matter.
        let Ok(found) = path.symlink_metadata() else { return true };
        let listed = self.listed.get(name);
        if found.is_dir() {
            return name.starts_with("plt") && listed.is_some() && plotfile::is_plain(&path);
        }
        let is_listed = match listed {
            Some(Some(length)) => *length == found.len(),
            // Gauge files grow, so their lengths are never listed: their content decides.
            Some(None) => !gauge::is_file_name(name),
            None => false,
        };
        found.is_file() && (is_listed || shows_its_origin(&path, name))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !*self.begun.get_mut() {
            for path in &self.made {
                // If it cannot be removed, only an empty list or folder is left.
                let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
            }
        }
    }
}

/// Removes a file, a link, or a plotfile's folder with the files that plotfiles have.
fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { plotfile::remove(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(dir: &Path, in_use: ExistingFiles) -> RunFolder {
        let folder = RunFolder::claim(dir, in_use).unwrap();
        folder.begin().unwrap();
        folder
    }

    /// Leaves a picture as a run does.
    fn leave(folder: &RunFolder, name: &str) {
        folder.announce(&[name.to_owned()]).unwrap();
        fs::write(folder.dir().join(name), name).unwrap();
        folder.complete(&[folder.dir().join(name)]);
    }

    /// Folders with files of a run, and folders that another run has locked, are skipped; other files do not matter.
    #[test]
    fn folders_in_use_are_passed_by() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("out");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("notes.txt"), "mine").unwrap();
        let first = begun(&dir, ExistingFiles::UseNextFolder);
        assert_eq!(first.dir(), dir);
        let second = begun(&dir, ExistingFiles::UseNextFolder);
        assert_eq!(second.dir(), parent.path().join("out_2"), "while the first has not ended");
        leave(&first, "frame_0000.png");
        drop((first, second));
        // The second left nothing.
        assert_eq!(begun(&dir, ExistingFiles::UseNextFolder).dir(), parent.path().join("out_2"));
        assert!(dir.join("frame_0000.png").exists());
    }

    /// Only one run at a time replaces or continues.
    #[test]
    fn a_folder_has_one_run_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let first = begun(dir.path(), ExistingFiles::Replace);
        for in_use in [ExistingFiles::Replace, ExistingFiles::Continue { next_frame: 0 }] {
            let message = RunFolder::claim(dir.path(), in_use).unwrap_err().to_string();
            assert!(message.contains("another run"), "{message}");
        }
        drop(first);
        begun(dir.path(), ExistingFiles::Replace);
    }

    /// Only files of runs are replaced, partial files included, and none before `begin`.
    #[test]
    fn files_of_runs_are_replaced_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        leave(&begun(dir.path(), ExistingFiles::UseNextFolder), "frame_0000.png");
        fs::write(dir.path().join(".frame_0001.png.123-0.partial"), "half").unwrap();
        for name in ["notes.txt", "plot_0000.png", ".hidden.partial"] {
            fs::write(dir.path().join(name), "mine").unwrap();
        }
        drop(RunFolder::claim(dir.path(), ExistingFiles::Replace).unwrap());
        assert!(dir.path().join("frame_0000.png").exists(), "claimed, not begun");
        begun(dir.path(), ExistingFiles::Replace);
        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [JOURNAL, ".hidden.partial", "notes.txt", "plot_0000.png"]);
    }

    /// A run fails if it would replace a file that this program did not write: one that is not listed or has another length, a
    /// folder, a link. For a run that continues, earlier frames do not matter.
    #[test]
    fn foreign_files_are_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        leave(&begun(dir.path(), ExistingFiles::UseNextFolder), "frame_0003.png");
        let refused = |in_use| RunFolder::claim(dir.path(), in_use).map(drop).unwrap_err().to_string();
        let path = dir.path().join("frame_0003.png");
        fs::write(&path, "longer than it was").unwrap();
        assert!(refused(ExistingFiles::Replace).contains("frame_0003.png"));
        assert!(refused(ExistingFiles::Continue { next_frame: 3 }).contains("frame_0003.png"));
        drop(RunFolder::claim(dir.path(), ExistingFiles::Continue { next_frame: 4 }).unwrap());
        fs::remove_file(&path).unwrap();
        for name in ["fort.q0001", "gauge_a.csv", "checkpoint_000001.h5", "frame_0001.vtkhdf", "run.json"] {
            let path = dir.path().join(name);
            fs::write(&path, "of another program").unwrap();
            assert!(refused(ExistingFiles::Replace).contains(name));
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(refused(ExistingFiles::Replace).contains(name));
            fs::remove_dir(&path).unwrap();
        }
        drop(RunFolder::claim(dir.path(), ExistingFiles::Replace).unwrap());
    }

    /// A run that does not begin leaves nothing behind, not even the folders created for it.
    #[test]
    fn a_claim_that_is_given_up_leaves_no_trace() {
        let parent = tempfile::tempdir().unwrap();
        drop(RunFolder::claim(&parent.path().join("a/b"), ExistingFiles::UseNextFolder).unwrap());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
