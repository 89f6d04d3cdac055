//! `docs/command-line.md` lists the commands and options that the program has.

use super::program;
use std::collections::BTreeSet;
use std::path::Path;

const DOCUMENT: &str = include_str!("../../../docs/command-line.md");

/// The output of a command's `--help`.
fn help(arguments: &[&str]) -> String {
    let output = program(Path::new(".")).args(arguments).arg("--help").output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// All `--option` words in a text.
fn options(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---")).collect()
}

/// The option columns of a command's help, without the descriptions, which may name other options.
fn listed(help: &str) -> String {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    lines.map(|line| line.split("  ").next().unwrap_or_default()).collect::<Vec<_>>().join(" ")
}

/// The subcommands that a help text lists, if there are any.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names = lines.map_while(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// The synopsis names exactly the existing commands, and exactly the options of each.
#[test]
fn the_document_lists_commands_and_options() {
    let start = DOCUMENT.find("amrclaw run ").unwrap();
    let synopsis = &DOCUMENT[start..start + DOCUMENT[start..].find("\n\n").unwrap()];
    let entries: Vec<&str> = synopsis.split("amrclaw ").skip(1).collect();
    let whole = help(&[]);
    let mut waiting: Vec<String> = commands(&whole).into_iter().map(str::to_owned).collect();
    let mut checked = 0;
    while let Some(command) = waiting.pop() {
        let help = help(&command.split(' ').collect::<Vec<_>>());
        let inner = commands(&help);
        if !inner.is_empty() {
            waiting.extend(inner.into_iter().map(|name| format!("{command} {name}")));
            continue;
        }
        let entry = entries.iter().find(|entry| entry.starts_with(&command));
        let entry = entry.unwrap_or_else(|| panic!("`amrclaw {command}` is not in docs/command-line.md"));
        let listed = listed(&help);
        let mut known = options(&listed);
        known.remove("--help");
        assert_eq!(options(entry), known, "amrclaw {command}");
        checked += 1;
    }
    assert_eq!(entries.len(), checked, "the document's commands");
}
