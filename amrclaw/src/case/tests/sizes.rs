//! Cases with very many mistakes, very long lines and control characters: messages stay short, and time and memory grow in
//! proportion to the file's length.

use super::*;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A generous bound on the characters of fifty mistakes, each with its line cut to 160 and its help.
const SHORT: usize = 50 * 1200;

/// What is wrong with a text, and how it is shown. Ten seconds are a hundred times what a build without optimisation takes where the
/// time follows the length, and a tenth of what it took before it did.
#[track_caller]
fn shown_soon(text: &str) -> (CaseErrors, String) {
    let clock = Instant::now();
    let errors = load(text, &[]).unwrap_err();
    let shown = errors.to_string();
    assert!(clock.elapsed() < Duration::from_secs(10), "{:?}", clock.elapsed());
    assert!(shown.len() < SHORT, "{} bytes", shown.len());
    (errors, shown)
}

/// Fifty mistakes are reported in full, the others counted: unknown keys, equations that the solver does not have, parameters,
/// gauges of the same name.
#[test]
fn many_mistakes_are_counted() {
    for section in ["", "[regrid]\n", "[aux]\n", "[source]\n"] {
        let mut text = String::from(section);
        (0..40_000).for_each(|n| writeln!(text, "k{n} = 1").unwrap());
        let whole = if section.is_empty() { text + SMALL } else { SMALL.to_owned() + &text };
        let (errors, shown) = shown_soon(&whole);
        assert_eq!((errors.errors.len(), errors.more), (50, 39_950), "{section}");
        assert!(shown.ends_with("and 39950 more\n\n40000 problems in case.toml"), "{section}{shown}");
    }
    let gauges = "[[gauge]]\nname=\"g\"\nposition=[0.5,0.5]\n".repeat(20_000);
    let (errors, _) = shown_soon(&(SMALL.to_owned() + &gauges));
    assert_eq!(errors.errors.len() + errors.more, 19_999);
}

/// Of a long line only the surroundings of the mistake are shown, with the mark under it; a thousand bad times on one line make
/// a short message.
#[test]
fn long_lines_are_cut_around_the_mistake() {
    let times: Vec<_> = (0..10_000).map(|_| "1e9").collect();
    let (errors, _) = shown_soon(&format!("{SMALL}[output]\ntimes = [{}]", times.join(",")));
    assert!(errors.more > 9_000);
    let before = "1,".repeat(500);
    let text = format!("{SMALL}[output]\ntimes = [{before}\"here\",{}]", "2,".repeat(500));
    let errors = load(&text, &[]).unwrap_err();
    let wrong = errors.errors.iter().find(|error| error.message.contains("here")).expect("a word is no time");
    assert_eq!(wrong.column, "times = [".len() + before.len() + 1);
    let shown = wrong.to_string();
    let lines: Vec<_> = shown.lines().collect();
    let at = lines[1].find("\"here\"").expect("the place is shown");
    let chars = lines[1][..at].chars().count();
    assert_eq!(lines[2].find('^'), Some(chars), "{shown}");
    assert!(lines[2].ends_with(" ^^^^^^") && lines[1].contains(" | …") && lines[1].ends_with('…'), "{shown}");
    assert!(lines[1].chars().count() < 180, "{shown}");
}

/// Long names and words are quoted only in part.
#[test]
fn long_words_are_cut() {
    let word = "w".repeat(200_000);
    for text in [
        format!("{word} = 1\n{SMALL}"),
        SMALL.replace("acoustics", &word),
        SMALL.replace("exp(-r^2)", &word),
        SMALL.replace("1.0", &format!("\"{word}\"")),
        format!("{SMALL}[scheme]\nsplit = \"{word}\""),
        format!("{SMALL}[[gauge]]\nname = \"{word}/\"\nposition=[0.5,0.5]"),
    ] {
        let (_, shown) = shown_soon(&text);
        assert!(shown.len() < 5_000, "{} bytes", shown.len());
    }
}

/// Control characters in a case, and characters that change the direction of text, are escaped in messages.
#[test]
fn characters_that_terminals_obey_are_written_out() {
    let text = SMALL.replace("name = \"acoustics\"", "name = \"acou\\u001bstics\" # \u{202e}\u{2066}");
    let shown = load(&text, &["scheme.split=\"a\u{7}\""]).unwrap_err().to_string();
    for written in ["acou\\u{1b}stics", "# \\u{202e}\\u{2066}", "\\u{7}"] {
        assert!(shown.contains(written), "no {written} in\n{shown}");
    }
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}' || c == '\u{2066}'), "{shown}");
}

/// A file of more than a mebibyte is refused before it is read as TOML, from a file and as text.
#[test]
fn files_beyond_a_mebibyte_are_refused() {
    let long = format!("{SMALL}#{}", "x".repeat(1 << 20));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &long).unwrap();
    for errors in [CaseSettings::load(file.path(), &[]).unwrap_err(), load(&long, &[]).unwrap_err()] {
        assert!(errors.to_string().contains("is longer than 1 MiB"), "{errors}");
    }
    load(&format!("{SMALL}#{}", "x".repeat(1_000_000)), &[]).unwrap();
    std::fs::write(file.path(), [b"a = 1\n", &[0xff][..]].concat()).unwrap();
    let errors = CaseSettings::load(file.path(), &[]).unwrap_err();
    assert!(errors.to_string().contains("line 2 is not UTF-8"), "{errors}");
}

/// The number of frames is bounded, since each is a file.
#[test]
fn frames_are_bounded() {
    let errors = load(SMALL, &["output.count=2000000000"]).unwrap_err();
    assert!(errors.to_string().contains("output.count: must be at most 1000000, but is 2000000000"), "{errors}");
    load(SMALL, &["output.count=1000000"]).unwrap();
}

/// A list in lists, tables in tables and parentheses in parentheses as deep as a file can have them.
#[test]
fn depth_is_bounded() {
    let deep = 300_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}", "{a=".repeat(deep)),
        format!("{}a = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        SMALL.replace("exp(-r^2)", &"(".repeat(deep)),
        SMALL.replace("exp(-r^2)", &"-".repeat(deep)),
    ] {
        shown_soon(&text);
    }
}
