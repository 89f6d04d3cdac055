//! `docs/command-line.md` and the program say the same.

use super::program;
use std::collections::BTreeSet;
use std::path::Path;

const DOCUMENT: &str = include_str!("../../../docs/command-line.md");

/// What the program says when it is asked for help.
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

/// The lines that list options in a command's help: what they say about them may name others.
fn listed(help: &str) -> String {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    lines.map(|line| line.split("  ").next().unwrap_or_default()).collect::<Vec<_>>().join(" ")
}

/// The synopsis names every command, and all options of each, and none that there are not.
#[test]
fn the_document_lists_commands_and_options() {
    let start = DOCUMENT.find("amrclaw run ").unwrap();
    let synopsis = &DOCUMENT[start..start + DOCUMENT[start..].find("\n\n").unwrap()];
    let in_document = |command: &str| -> String {
        let entries = synopsis.split("amrclaw ").filter(|entry| entry.starts_with(command));
        entries.collect::<Vec<_>>().join(" ")
    };
    let whole = help(&[]);
    let commands = whole.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands: Vec<&str> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 5, "{whole}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let entry = in_document(command);
        assert!(!entry.is_empty(), "`amrclaw {command}` is not in docs/command-line.md");
        let help = help(&[command]);
        if help.contains("Commands:") {
            continue; // has commands of its own, with their options
        }
        let listed = listed(&help);
        let mut known = options(&listed);
        known.remove("--help");
        assert_eq!(options(&entry), known, "amrclaw {command}");
    }
}
