//! Recognises the files of runs: by name, by the list in the folder, and by content.

use crate::frames::{checkpoint, clawpack, force, format, gauge, monitor, read, run_json, steps, vtkhdf};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// `DIR`, `DIR_2`, `DIR_3`, …; `None` where the folder has no name, as `..`.
pub(super) fn numbered(dir: &Path, n: usize) -> Option<PathBuf> {
    if n == 1 {
        return Some(dir.to_owned());
    }
    // The folder `.` has a name too: that of its absolute path.
    let dir = if dir.file_name().is_some() { dir.to_owned() } else { std::path::absolute(dir).ok()? };
    let mut name = dir.file_name()?.to_owned();
    name.push(format!("_{n}"));
    Some(dir.with_file_name(name))
}

/// The names in a list, with the lengths of complete files; lines that were cut off are left out.
pub(super) fn list(text: &str) -> BTreeMap<String, Option<u64>> {
    let mut listed = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_suffix(';')) {
        match line.split_once('\t') {
            Some((name, length)) => listed.insert(name.to_owned(), length.parse().ok()),
            None => listed.insert(line.to_owned(), None),
        };
    }
    listed
}

/// True for the names that runs give to their files.
pub(super) fn is_run_file(name: &str) -> bool {
    format::frame_number(name).is_some()
        || checkpoint::steps_of(name).is_some()
        || gauge::is_file_name(name)
        || force::is_file_name(name)
        || monitor::is_file_name(name)
        || [run_json::FILE_NAME, steps::FILE_NAME, vtkhdf::SERIES, vtkhdf::LIVE, clawpack::VISIT_FILE_NAME]
            .contains(&name)
}

/// True if the content of a file says that this program wrote it.
pub(super) fn shows_its_origin(path: &Path, name: &str) -> bool {
    let begins = |with: &str| {
        let mut start = vec![0; with.len()];
        File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == with.as_bytes()
    };
    match name {
        run_json::FILE_NAME => run_json::RunRecord::read(path).is_ok(),
        steps::FILE_NAME => begins(steps::BEGINNING),
        vtkhdf::SERIES => begins("{\n  \"file-series-version\""),
        clawpack::VISIT_FILE_NAME => begins(clawpack::VISIT_FILE),
        _ if gauge::is_file_name(name) => begins("# gauge "),
        _ if force::is_file_name(name) => begins(force::BEGINNING),
        _ if checkpoint::steps_of(name).is_some() => checkpoint::peek_dimension(path).is_ok(),
        _ if name.ends_with(".vtkhdf") => read::peek_dimension(path).is_ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that were cut off, by a kill or a full disk, are left out, and take no other with them.
    #[test]
    fn torn_lines_are_passed_over() {
        let listed = list("# files of amrclaw runs\n\na.png;\na.png\t12;\n\nb.png\t1\nc.png;\nd.pn");
        assert_eq!(listed, BTreeMap::from([("a.png".into(), Some(12)), ("c.png".into(), None)]));
    }
}
