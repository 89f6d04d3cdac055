//! The folder of a run's files: one run at a time writes to it, and what other programs wrote there stays.
//!
//! The hidden file `.amrclaw` is locked while a run goes on; the system frees it however the run ends. It lists the files that runs
//! wrote here: each name before the file is begun, and its length once it is complete. A file of a run's name that is not listed so, and
//! does not show by its content that this program wrote it, is neither replaced nor removed.

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
/// Most numbers that are tried for a folder that is free.
const MOST_NUMBERS: usize = 10_000;

/// What a run does where files of another one are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InUse {
    /// It takes `DIR_2`, `DIR_3`, … instead, whichever is free.
    TakeNext,
    /// It replaces them.
    Replace,
    /// It goes on with them from this frame on.
    GoOn {
        /// Number of the next frame.
        next_frame: usize,
    },
}

/// Whether a folder is seen in which a run has claimed its place, as from another machine.
pub fn is_claimed(dir: &Path) -> bool {
    dir.join(JOURNAL).is_file()
}

/// A folder that this run alone writes to.
#[derive(Debug)]
pub struct RunFolder {
    dir: PathBuf,
    in_use: InUse,
    journal: Mutex<File>,
    /// Files of earlier runs, with their length where they were completed.
    listed: BTreeMap<String, Option<u64>>,
    /// What goes again if the run does not begin, in this order.
    made: Vec<PathBuf>,
    begun: AtomicBool,
}

impl RunFolder {
    /// Takes a folder for a run, and makes it if need be. Nothing in it is changed before [`RunFolder::begin`].
    ///
    /// # Errors
    /// The folder cannot be written to; another run writes to it; a file is in the way that this program did not write.
    pub fn claim(dir: &Path, in_use: InUse) -> Result<Self, OutputError> {
        if in_use == InUse::TakeNext {
            return RunFolder::claim_next(dir);
        }
        let folder = RunFolder::lock(dir, in_use)?.ok_or_else(|| OutputError::Busy(dir.to_owned()))?;
        let stays = |name: &str| match in_use {
            InUse::GoOn { next_frame } => format::frame_number(name).is_some_and(|number| number < next_frame),
            _ => false,
        };
        let mut names = folder.run_files()?.into_iter().filter(|name| !stays(name));
        match names.find(|name| !folder.is_own(name)) {
            Some(name) => Err(OutputError::Foreign(dir.join(name))),
            None => Ok(folder),
        }
    }

    fn claim_next(dir: &Path) -> Result<Self, OutputError> {
        for n in 1..=MOST_NUMBERS {
            let Some(dir) = numbered(dir, n) else { break };
            if n > 1 && dir.exists() && !dir.is_dir() {
                continue;
            }
            if let Some(folder) = RunFolder::lock(&dir, InUse::TakeNext)?
                && folder.run_files()?.is_empty()
            {
                return Ok(folder);
            }
        }
        Err(OutputError::InUse(dir.to_owned()))
    }

    /// The folder, made if need be and locked; `None` if another run has it.
    fn lock(dir: &Path, in_use: InUse) -> Result<Option<Self>, OutputError> {
        check_output_dir(dir)?;
        let missing = dir.ancestors().filter(|p| !p.as_os_str().is_empty()).take_while(|p| !p.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let path = dir.join(JOURNAL);
        let before = path.symlink_metadata().ok();
        // What a link leads to is no list of ours, and a pipe would be waited for.
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
            // Some file systems of clusters have no locks; a run there is no worse off than without this one.
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

    /// Makes room for the run's files: removes those of an earlier run, of one that this goes on with the frames that are to come anew, and
    /// whatever a run that was killed left half written.
    ///
    /// # Errors
    /// Names the file that cannot be removed and the operating system's reason.
    pub fn begin(&self) -> Result<(), OutputError> {
        for name in self.names()? {
            let path = self.dir.join(&name);
            // This process has opened its own already.
            let is_partial = name_of_partial(&name)
                .is_some_and(|(name, process)| process != std::process::id() && (is_run_file(name) || name == PROBE));
            let is_replaced = match self.in_use {
                InUse::GoOn { next_frame } => format::frame_number(&name).is_some_and(|number| number >= next_frame),
                _ => is_run_file(&name),
            };
            if is_partial || (is_replaced && self.is_own(&name)) {
                remove(&path).map_err(OutputError::io("remove", &path))?;
            }
        }
        let mut journal = self.journal.lock();
        let new = !matches!(self.in_use, InUse::GoOn { .. }) || self.listed.is_empty();
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
        // They are listed already, without their length.
        let _ = self.append(&lines);
    }

    fn append(&self, lines: &str) -> Result<(), OutputError> {
        // A line that a full disk has cut off must not take the next one with it.
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

    /// Names in the folder, sorted. Names that are no text are not ours.
    fn names(&self) -> Result<Vec<String>, OutputError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(OutputError::io("read", &self.dir))? {
            names.extend(entry.map_err(OutputError::io("read", &self.dir))?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    /// True if this program wrote the file of that name, as far as list and content tell.
    fn is_own(&self, name: &str) -> bool {
        let path = self.dir.join(name);
        // What has gone meanwhile is in nobody's way.
        let Ok(found) = path.symlink_metadata() else { return true };
        let listed = self.listed.get(name);
        if found.is_dir() {
            return name.starts_with("plt") && listed.is_some() && plotfile::is_plain(&path);
        }
        let is_listed = match listed {
            Some(Some(length)) => *length == found.len(),
            // Gauges grow, so that their lengths say nothing.
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
                // What cannot be removed does no harm: an empty list, or an empty folder.
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

    fn begun(dir: &Path, in_use: InUse) -> RunFolder {
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

    /// A folder with a run's file is passed by, and so is one that another run has; a file of the user's is in nobody's way.
    #[test]
    fn folders_in_use_are_passed_by() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("out");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("notes.txt"), "mine").unwrap();
        let first = begun(&dir, InUse::TakeNext);
        assert_eq!(first.dir(), dir);
        let second = begun(&dir, InUse::TakeNext);
        assert_eq!(second.dir(), parent.path().join("out_2"), "while the first has not ended");
        leave(&first, "frame_0000.png");
        drop((first, second));
        // The second left nothing.
        assert_eq!(begun(&dir, InUse::TakeNext).dir(), parent.path().join("out_2"));
        assert!(dir.join("frame_0000.png").exists());
    }

    /// Only one run at a time replaces or continues.
    #[test]
    fn a_folder_has_one_run_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let first = begun(dir.path(), InUse::Replace);
        for in_use in [InUse::Replace, InUse::GoOn { next_frame: 0 }] {
            let message = RunFolder::claim(dir.path(), in_use).unwrap_err().to_string();
            assert!(message.contains("another run"), "{message}");
        }
        drop(first);
        begun(dir.path(), InUse::Replace);
    }

    /// What is replaced is what runs wrote, half-written files included, and nothing before `begin`.
    #[test]
    fn files_of_runs_are_replaced_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        leave(&begun(dir.path(), InUse::TakeNext), "frame_0000.png");
        fs::write(dir.path().join(".frame_0001.png.123-0.partial"), "half").unwrap();
        for name in ["notes.txt", "plot_0000.png", ".hidden.partial"] {
            fs::write(dir.path().join(name), "mine").unwrap();
        }
        drop(RunFolder::claim(dir.path(), InUse::Replace).unwrap());
        assert!(dir.path().join("frame_0000.png").exists(), "claimed, not begun");
        begun(dir.path(), InUse::Replace);
        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [JOURNAL, ".hidden.partial", "notes.txt", "plot_0000.png"]);
    }

    /// Files with names of a run that this program did not write stop a run that would replace them: never listed, of another
    /// length than was listed, a folder, a link. Frames before those to come do not matter to a run that goes on.
    #[test]
    fn foreign_files_are_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        leave(&begun(dir.path(), InUse::TakeNext), "frame_0003.png");
        let refused = |in_use| RunFolder::claim(dir.path(), in_use).map(drop).unwrap_err().to_string();
        let path = dir.path().join("frame_0003.png");
        fs::write(&path, "longer than it was").unwrap();
        assert!(refused(InUse::Replace).contains("frame_0003.png"));
        assert!(refused(InUse::GoOn { next_frame: 3 }).contains("frame_0003.png"));
        drop(RunFolder::claim(dir.path(), InUse::GoOn { next_frame: 4 }).unwrap());
        fs::remove_file(&path).unwrap();
        for name in ["fort.q0001", "gauge_a.csv", "checkpoint_000001.h5", "frame_0001.vtkhdf", "run.json"] {
            let path = dir.path().join(name);
            fs::write(&path, "of another program").unwrap();
            assert!(refused(InUse::Replace).contains(name));
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(refused(InUse::Replace).contains(name));
            fs::remove_dir(&path).unwrap();
        }
        drop(RunFolder::claim(dir.path(), InUse::Replace).unwrap());
    }

    /// A run that does not begin leaves no trace, not even the folders that were made for it.
    #[test]
    fn a_claim_that_is_given_up_leaves_no_trace() {
        let parent = tempfile::tempdir().unwrap();
        drop(RunFolder::claim(&parent.path().join("a/b"), InUse::TakeNext).unwrap());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
