//! Files that this program did not write are never replaced: checks before the first run of a study.

use super::SweepError;
use crate::frames::{ExistingFiles, OutputError, RunFolder};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Name of the file with a run's output.
pub(super) const LOG_NAME: &str = "log.txt";
/// First line of a run's log, by which a later call knows it as this program's.
pub(super) const LOG_HEAD: &str = "# log of a run of amrclaw\n";

/// Tells by its content whether this program wrote a file.
type IsOwn = fn(&Path) -> bool;

/// Refuses a folder in which a file of one of these names is not this program's.
///
/// # Errors
/// Names the first one.
pub(crate) fn refuse_foreign(dir: &Path, names: &[(&str, IsOwn)]) -> Result<(), SweepError> {
    for (name, is_own) in names {
        let path = dir.join(name);
        // A link counts as a file even if its target is missing.
        if path.symlink_metadata().is_ok() && !is_own(&path) {
            return Err(SweepError::Folder(OutputError::Foreign(path)));
        }
    }
    Ok(())
}

/// Refuses the folder of a run in which the run would be refused, or would replace another log. Changes nothing there.
///
/// # Errors
/// The folder cannot be written to, another run writes there, or a file there is not this program's.
pub(crate) fn check_run_folder(dir: &Path) -> Result<(), SweepError> {
    RunFolder::claim(dir, ExistingFiles::Replace).map_err(SweepError::Folder)?;
    refuse_foreign(dir, &[(LOG_NAME, is_log)])
}

/// True for a run's log, which is empty if the run was killed at once.
pub(super) fn is_log(path: &Path) -> bool {
    let begins = |mut file: File| {
        let mut start = Vec::new();
        file.by_ref().take(LOG_HEAD.len() as u64).read_to_end(&mut start).ok()?;
        Some(start.is_empty() || start == LOG_HEAD.as_bytes())
    };
    path.is_file() && File::open(path).ok().and_then(begins) == Some(true)
}
