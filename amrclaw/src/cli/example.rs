//! `amrclaw example`: the cases of the repository's examples, embedded in the program.

use crate::cli::arguments::ExampleArguments;
use crate::cli::{Failure, terminal};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Every file of every example: path below the folder of examples, and text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

pub fn example(arguments: &ExampleArguments) -> Result<(), Failure> {
    let Some(name) = &arguments.name else {
        terminal::show(&list());
        return Ok(());
    };
    let files: Vec<(&str, &str)> = of(name).collect();
    if files.is_empty() {
        return Err(Failure::Input(unknown(name)));
    }
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from(name));
    let written = |file: &str| folder.join(file);
    if let Some((file, _)) = files.iter().find(|(file, _)| written(file).exists()) {
        let message = format!("{} already exists; choose another folder with --folder", written(file).display());
        return Err(Failure::Input(message));
    }
    let failed = |path: &Path, e: std::io::Error| Failure::Work(format!("cannot write {}: {e}", path.display()));
    std::fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
    for (file, text) in &files {
        std::fs::write(written(file), text).map_err(|e| failed(&written(file), e))?;
        say!("{}", written(file).display());
    }
    Ok(())
}

/// Names and texts of an example's files.
fn of(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().filter_map(move |(path, text)| {
        let (folder, file) = path.split_once('/')?;
        (folder == name).then_some((file, *text))
    })
}

/// The examples with the first line of their README or case, which says what they are.
fn titles() -> BTreeMap<&'static str, &'static str> {
    let case = |path: &'static str| path.strip_suffix("/case.toml");
    let title = |text: &'static str| {
        let first = text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
        first.trim_end_matches(" See README.md.").trim_end_matches('.')
    };
    FILES.iter().filter_map(|(path, text)| Some((case(path)?, title(text)))).collect()
}

fn list() -> String {
    let titles = titles();
    let width = titles.keys().map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, title) in &titles {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<width$}  {title}");
    }
    text + "\nwrite one with: amrclaw example NAME\n"
}

fn unknown(name: &str) -> String {
    let titles = titles();
    let near = titles.keys().min_by_key(|known| strsim::damerau_levenshtein(known, name));
    let near = near.filter(|known| strsim::damerau_levenshtein(known, name) <= known.len().div_ceil(3));
    let help = near.map_or_else(String::new, |known| format!(" (did you mean {known}?)"));
    let known: Vec<&str> = titles.keys().copied().collect();
    format!("there is no example {name}{help}; there are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every example is embedded, with the files that its case names, and no title is empty.
    #[test]
    fn all_examples_are_carried() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let folders =
            std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().join("case.toml").exists());
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(titles().keys().copied().collect::<Vec<_>>(), names);
        assert!(titles().values().all(|title| title.len() > 10), "{:?}", titles());
        for name in names {
            let case = of(&name).find(|(file, _)| *file == "case.toml").unwrap().1;
            let solver = case.lines().find_map(|line| line.strip_prefix("path = \"")?.split('"').next());
            assert!(solver.is_none_or(|solver| of(&name).any(|(file, _)| file == solver)), "{name}");
        }
        assert!(unknown("acoustic_radial").contains("did you mean acoustics_radial?"));
    }
}
