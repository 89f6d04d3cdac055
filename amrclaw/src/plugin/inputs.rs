//! What a solver was compiled from beside its own file: files that it includes, and variables of the environment that it reads.

use cuda::cache::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files and variables that the compiler says it has read, each with the digest of its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The folder of the solver's file, where it includes others: copies of the file elsewhere include those beside them.
    folder: Option<PathBuf>,
    files: BTreeMap<PathBuf, String>,
    /// `None` for a variable that was not set.
    variables: BTreeMap<String, Option<String>>,
}

impl Inputs {
    /// What rustc's dep-info names. `file`: the solver's own, which is left out, as are the files of the crate in `generated`, where
    /// rustc ran, and variables that only cargo has set.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(dep_info: &str, file: &Path, generated: &Path) -> io::Result<Self> {
        let mut inputs = Inputs::default();
        for line in dep_info.lines() {
            if let Some(variable) = line.strip_prefix("# env-dep:") {
                let (name, value) = match variable.split_once('=') {
                    Some((name, value)) => (name, Some(unescaped(value))),
                    None => (variable, None),
                };
                let ours = env::var(name).ok();
                if value == ours {
                    inputs.variables.insert(name.to_owned(), digest_of_variable(name));
                }
            } else if let Some(path) = line.strip_suffix(':') {
                let path = generated.join(path.replace("\\ ", " "));
                if path != file && !path.starts_with(generated) {
                    let digest = Hash::new().with(std::fs::read(&path)?).digits();
                    inputs.files.insert(path, digest);
                }
            }
        }
        if !inputs.files.is_empty() {
            inputs.folder = file.parent().map(Path::to_owned);
        }
        Ok(inputs)
    }

    /// True if a compiler would read the same again for a solver's file in `folder`.
    pub fn are_current(&self, folder: &Path) -> bool {
        let is_same = |(path, digest): (&PathBuf, &String)| {
            std::fs::read(path).is_ok_and(|bytes| Hash::new().with(bytes).digits() == *digest)
        };
        self.folder.as_ref().is_none_or(|own| own == folder)
            && self.variables.iter().all(|(name, digest)| digest_of_variable(name) == *digest)
            && self.files.iter().all(is_same)
    }

    /// True if one of the files has been changed, or put in its place, after `time`.
    pub fn changed_since(&self, time: SystemTime) -> bool {
        self.files.keys().any(|path| changed_since(path, time))
    }

    /// A hash of the contents alone: the same wherever the files are.
    pub fn contents(&self) -> Hash {
        let mut files: Vec<_> = self.files.values().collect();
        files.sort();
        let hash = files.into_iter().fold(Hash::new(), |hash, digest| hash.with(digest));
        self.variables.iter().fold(hash, |hash, (name, digest)| hash.with(name).with(digest.as_deref().unwrap_or("")))
    }

    /// Tells what a file is compiled to with these inputs from what it is with others.
    pub fn name(&self) -> String {
        let hash = self.files.keys().fold(self.contents(), |hash, path| hash.with(path.as_os_str().as_encoded_bytes()));
        hash.with(self.folder.as_deref().map_or(OsStr::new(""), Path::as_os_str).as_encoded_bytes()).name()
    }
}

/// True if a file has been changed, or put in its place, after `time`; or is gone.
pub fn changed_since(path: &Path, time: SystemTime) -> bool {
    let Ok(data) = std::fs::metadata(path) else { return true };
    // A file that is moved into place keeps the time of its modification, not that of its change of status.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        if (data.ctime(), data.ctime_nsec()) > (since.as_secs() as i64, i64::from(since.subsec_nanos())) {
            return true;
        }
    }
    data.modified().is_ok_and(|modified| modified > time)
}

/// The digest of a variable's value, which may be a secret.
fn digest_of_variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| Hash::new().with(value.as_encoded_bytes()).digits())
}

/// A variable's value, in which rustc has written line breaks and backslashes with a backslash.
fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        text.push(match c {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file that rustc names counts until its content changes, also one with a space in its name, and so does a variable that is
    /// not set; the crate's own files and what cargo alone sets do not.
    #[test]
    fn what_rustc_has_read_counts() {
        let folder = tempfile::tempdir().unwrap();
        let [file, helper, table] = ["s.rs", "helper.rs", "a table.txt"].map(|name| folder.path().join(name));
        for path in [&file, &helper, &table] {
            std::fs::write(path, "1").unwrap();
        }
        let spaced = table.display().to_string().replace(' ', "\\ ");
        let (here, there) = (file.display(), helper.display());
        let text = format!(
            "/t/lib.so: src/lib.rs {here} {there} {spaced}\n\nsrc/lib.rs:\n{here}:\n{there}:\n{spaced}:\n\n\
             # env-dep:AMRCLAW_NO_SUCH_VARIABLE\n# env-dep:CARGO_PKG_NAME=solver\\\\1\n"
        );
        let generated = Path::new("/generated");
        let read = || Inputs::read(&text, &file, generated).unwrap();
        let inputs = read();
        assert_eq!(inputs.files.keys().collect::<Vec<_>>(), [&table, &helper]);
        assert_eq!(inputs.variables, BTreeMap::from([("AMRCLAW_NO_SUCH_VARIABLE".to_owned(), None)]));
        assert!(inputs.are_current(folder.path()) && !inputs.are_current(Path::new("/elsewhere")));
        let written: Inputs = serde_json::from_str(&serde_json::to_string(&inputs).unwrap()).unwrap();
        assert_eq!(written, inputs);
        for path in [&helper, &table] {
            std::fs::write(path, "2").unwrap();
            assert!(!inputs.are_current(folder.path()));
            assert_ne!(read().name(), inputs.name());
            std::fs::remove_file(path).unwrap();
            assert!(!inputs.are_current(folder.path()));
            std::fs::write(path, "1").unwrap();
            assert!(inputs.are_current(folder.path()));
        }
        assert_eq!(unescaped("a\\nb\\\\n"), "a\nb\\n");
    }
}
