//! The documentation as a site, and its code blocks as tests.
//!
//! `docs/README.md` is the table of contents: its headings group the pages, its links are the pages in their order. Every
//! page that a page links to becomes one too; other files are copied beside them. A link or anchor that leads nowhere fails.

mod blocks;
mod contents;
mod execute;
mod page;
mod site;

use crate::process::{Outcome, root, target_dir};
use crate::tidy::resolve;
use contents::Contents;
use page::Page;
use site::output_of;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The site's first page.
const FIRST: &str = "README.md";

/// Builds the site in the folder `out`, or in `site` of the target folder.
pub fn build(arguments: &[String]) -> Outcome {
    let out = match arguments {
        [] => target_dir().join("site"),
        [option, out] if option == "--output" => PathBuf::from(out),
        _ => return Err(format!("expected `--output DIR` or nothing, but was given {arguments:?}")),
    };
    let pages = write_site(&out)?;
    println!("{} pages: {}", pages.len(), out.join("index.html").display());
    Ok(())
}

/// The check: builds the site, and tests its code blocks.
pub fn check() -> Outcome {
    let pages = write_site(&target_dir().join("site"))?;
    execute::run(pages.iter().map(String::as_str).filter(|path| is_tested(path)))
}

/// Pages whose code blocks are run or parsed. Others' are formulas and listings.
fn is_tested(path: &str) -> bool {
    path.starts_with("docs/") || path.starts_with("examples/") || path == FIRST
}

/// Writes the site and returns the sources of its pages.
fn write_site(out: &Path) -> Outcome<Vec<String>> {
    let contents = Contents::read()?;
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let mut assets = BTreeSet::new();
    let mut waiting: Vec<String> = std::iter::once(FIRST.to_owned()).chain(contents.paths()).collect();
    while let Some(path) = waiting.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let page = Page::read(&path)?;
        waiting.extend(page.pages.iter().cloned());
        assets.extend(page.assets.iter().cloned());
        pages.insert(path, page);
    }
    check_anchors(&pages)?;
    if out.exists() {
        std::fs::remove_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    for (path, page) in &pages {
        write(&out.join(output_of(path)), page.html(&contents).as_bytes())?;
    }
    for path in &assets {
        let content = std::fs::read(root().join(path)).map_err(|e| format!("{path}: {e}"))?;
        write(&out.join(output_of(path)), &content)?;
    }
    write(&out.join("style.css"), include_bytes!("style.css"))?;
    write(&out.join("search.js"), include_bytes!("search.js"))?;
    write(&out.join("sections.js"), sections(&pages).as_bytes())?;
    Ok(pages.into_keys().collect())
}

/// The search index as a script, since pages opened from disk may not fetch files.
fn sections(pages: &BTreeMap<String, Page>) -> String {
    let mut rows = Vec::new();
    for (path, page) in pages {
        for section in &page.sections {
            let texts = [&output_of(path), &section.id, page.title(), &section.name, &section.text].map(quoted);
            rows.push(format!("[{}]", texts.join(",")));
        }
    }
    format!("const SECTIONS = [\n{}\n];\n", rows.join(",\n"))
}

/// Text as a string of JavaScript, on one line.
fn quoted(text: impl AsRef<str>) -> String {
    let mut out = String::from("\"");
    for c in text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '<' => out.push_str("\\u003c"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn check_anchors(pages: &BTreeMap<String, Page>) -> Outcome {
    let mut wrong = Vec::new();
    for (path, page) in pages {
        for (target, anchor) in &page.anchors {
            if pages.get(target).is_none_or(|to| !to.ids.contains(anchor)) {
                wrong.push(format!("{path}: `{target}` has no heading `#{anchor}`"));
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn write(path: &Path, content: &[u8]) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, content));
    written.map_err(|e| format!("{}: {e}", path.display()))
}
