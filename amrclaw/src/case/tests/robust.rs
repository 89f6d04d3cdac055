//! Any input gives a case or a list of mistakes.

use super::*;
use proptest::prelude::*;

const FULL: &str = include_str!("full.toml");

/// Loads, and shows what is wrong; every place must lie in its text.
fn load_and_show(text: &str, overrides: &[&str]) {
    if let Err(errors) = load(text, overrides) {
        assert!(!errors.errors.is_empty());
        assert!(errors.to_string().contains("problem"));
        for error in errors.errors.iter().filter(|error| !error.in_override) {
            assert!(error.line <= text.split('\n').count(), "line {} of {text:?}", error.line);
        }
    }
}

proptest! {
    /// Any characters at all.
    #[test]
    fn garbage_is_refused(text in any::<String>(), change in any::<String>()) {
        load_and_show(&text, &[&change]);
    }

    /// Characters of TOML in any order: they reach deeper into the parser.
    #[test]
    fn toml_like_garbage_is_refused(text in "[\\[\\]{}=\"'.,# \n\tamx0-9é_-]{0,80}") {
        load_and_show(&text, &[]);
        load_and_show(SMALL, &[&text]);
    }

    /// A right case with a stretch cut out and something put in.
    #[test]
    fn damaged_cases_are_refused(start in 0..FULL.len(), cut in 0..40usize, put in "[\\[\\]{}=\"', \n0-9a-z.-]{0,6}") {
        let end = (start + cut).min(FULL.len());
        load_and_show(&format!("{}{put}{}", &FULL[..start], &FULL[end..]), &[]);
    }

    /// A right case with one value replaced by another of any type.
    #[test]
    fn wrong_values_are_refused(key in 0..KEYS.len(), value in 0..12usize) {
        let values = ["1", "-1", "0", "1e308", "inf", "nan", "\"x\"", "\"\"", "[]", "[[1], {a=1}]", "{}", "99999999999999999999"];
        load_and_show(FULL, &[&format!("{}={}", concrete(KEYS[key].path), values[value])]);
    }
}

/// A key's path with names and numbers in place of capitals.
pub(super) fn concrete(path: &str) -> String {
    let part = |part: &str| match part {
        "N" => "0".to_string(),
        "PARAMETER" => "density".to_string(),
        "EQUATION" | "NAME" | "FIELD" | "VARIABLE" => "u".to_string(),
        other => other.to_string(),
    };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}
