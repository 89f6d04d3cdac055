//! `docs/case-file.md` and the parser say the same.

use super::robust::concrete;
use super::*;
use crate::frames::FrameFormat;
use crate::physics::{SourceSplit, Split};
use riemann::limiter::Limiter;

const DOCUMENT: &str = include_str!("../../../../docs/case-file.md");

/// The rows of the document's tables of keys are the table in the code: keys, types and defaults, in the same order.
#[test]
fn the_document_lists_the_keys() {
    let rows = DOCUMENT.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let key = cells[0].strip_suffix('`')?;
        key.contains('.').then(|| (key.to_string(), cells[1].to_string(), cells[2].to_string()))
    });
    let whole_tables = ["initial", "aux", "source"];
    let listed = KEYS.iter().filter(|key| !whole_tables.contains(&key.path));
    let listed: Vec<_> = listed.map(|k| (k.path.to_string(), k.kind.to_string(), k.default.to_string())).collect();
    assert_eq!(rows.collect::<Vec<_>>(), listed);
    for table in whole_tables {
        assert!(DOCUMENT.contains(&format!("`{table} = \"user\"`")), "{table}");
    }
}

/// The parser reads every key of the table: a date, which no key takes, is refused by name.
#[test]
fn every_key_is_read() {
    let full = concat!(include_str!("full.toml"), "[[topography]]\n[[bottom_motion]]\n[[monitor]]\n[[plot]]\n");
    for key in KEYS {
        let path = concrete(key.path);
        let errors = load(full, &[&format!("{path}=1979-05-27")]).expect_err(&path);
        let refused = |e: &CaseError| e.key == path && e.message.ends_with("but is a date or time");
        assert!(errors.errors.iter().any(refused), "{path}:\n{errors}");
    }
}

/// Every complete case in the document loads, and so does every section of it.
#[test]
fn the_documents_examples_are_right() {
    let blocks: Vec<&str> = DOCUMENT.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 5);
    for block in blocks {
        let is_complete = block.contains("[solver]") && block.contains("[initial]");
        let (text, overrides) = if is_complete { (block.to_string(), vec![]) } else { with_section(block) };
        load(&text, &overrides).unwrap_or_else(|e| panic!("{block}\n{e}"));
    }
}

/// A small case whose own sections give way to those of `block`.
fn with_section(block: &str) -> (String, Vec<&'static str>) {
    let mut text = String::new();
    let mut keep = true;
    for line in SMALL.lines() {
        if let Some(header) = line.strip_prefix('[') {
            keep = !block.lines().any(|l| l.starts_with(&format!("[{header}")));
        }
        if keep {
            text.push_str(line);
            text.push('\n');
        }
    }
    let mut overrides = Vec::new();
    if block.contains("[[regrid.region]]") {
        overrides.extend(["levels.max=3", "regrid.flag.tolerance=0.1"]);
    }
    if block.contains("[aux]") {
        overrides.push("solver={name=\"acoustics_variable\"}");
    }
    (text + block, overrides)
}

/// The document names every function, constant and word that there is.
#[test]
fn the_document_names_the_words() {
    let words = crate::formula::reserved_names();
    for word in words.into_iter().chain(choice_words().into_iter().map(str::to_string)) {
        assert!(DOCUMENT.contains(&format!("`{word}")) || DOCUMENT.contains(&format!("\"{word}\"")), "{word}");
    }
}

fn choice_words() -> Vec<&'static str> {
    let mut words: Vec<&str> = Vec::new();
    words.extend(BoundaryKind::ALL.map(BoundaryKind::name));
    words.extend(Criterion::ALL.map(Criterion::name));
    words.extend(Split::ALL.iter().map(|split| split.name()));
    words.extend(Limiter::ALL.iter().map(|limiter| limiter.name()));
    words.extend(SourceSplit::ALL.iter().map(|split| split.name()));
    words.extend(FrameFormat::ALL.map(FrameFormat::name));
    words
}
