//! The table of contents: `docs/README.md`.

use super::resolve;
use super::site::{escape, output_of};
use crate::process::{Outcome, root};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::fmt::Write;

/// Where the table is.
const PATH: &str = "docs/README.md";

/// Groups of pages.
pub struct Contents {
    /// Heading of the group; path and title of its pages.
    groups: Vec<(String, Vec<(String, String)>)>,
}

impl Contents {
    pub fn read() -> Outcome<Self> {
        let text = std::fs::read_to_string(root().join(PATH)).map_err(|e| format!("{PATH}: {e}"))?;
        Ok(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
        let mut heading = false;
        let mut link = None;
        for event in Parser::new(text) {
            match event {
                Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                    heading = true;
                    groups.push(Default::default());
                }
                Event::End(TagEnd::Heading(_)) => heading = false,
                Event::Start(Tag::Link { dest_url, .. }) if dest_url.ends_with(".md") => {
                    link = Some((resolve(PATH, &dest_url), String::new()));
                }
                Event::End(TagEnd::Link) => {
                    if let (Some(page), Some((_, pages))) = (link.take(), groups.last_mut()) {
                        pages.push(page);
                    }
                }
                Event::Text(text) | Event::Code(text) => match (&mut link, groups.last_mut()) {
                    (Some((_, title)), _) => title.push_str(&text),
                    (None, Some((name, _))) if heading => name.push_str(&text),
                    _ => {}
                },
                _ => {}
            }
        }
        Contents { groups }
    }

    /// Paths of all pages, and of the table itself.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let pages = self.groups.iter().flat_map(|(_, pages)| pages).map(|(path, _)| path.clone());
        pages.chain(std::iter::once(PATH.to_owned()))
    }

    /// The navigation for the page at `here`; `up` is the relative path from there to the site's root.
    pub fn navigation(&self, here: &str, up: &str) -> String {
        let entry = |path: &str, title: &str| {
            let current = if path == here { " aria-current=\"page\"" } else { "" };
            format!("<li><a href=\"{up}{}\"{current}>{}</a></li>\n", output_of(path), escape(title))
        };
        let mut out = format!("<ul>\n{}{}</ul>\n", entry(super::FIRST, "amrclaw"), entry(PATH, "Contents"));
        for (name, pages) in &self.groups {
            let entries: String = pages.iter().map(|(path, title)| entry(path, title)).collect();
            // Writing to a string cannot fail.
            let _ = write!(out, "<h2>{}</h2>\n<ul>\n{entries}</ul>\n", escape(name));
        }
        out
    }

    /// Path and title of the pages before and after the one at `here`.
    pub fn neighbours(&self, here: &str) -> [Option<(&str, &str)>; 2] {
        let pages: Vec<_> = self.groups.iter().flat_map(|(_, pages)| pages).collect();
        let Some(at) = pages.iter().position(|(path, _)| path == here) else { return [None, None] };
        let page = |i: Option<usize>| i.and_then(|i| pages.get(i)).map(|(path, title)| (path.as_str(), title.as_str()));
        [page(at.checked_sub(1)), page(Some(at + 1))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headings group the links that follow, in order; other links are text.
    #[test]
    fn links_are_grouped_by_headings() {
        let text = "# T\n[before](x.md)\n\n## A\n* [One `1`](one.md): first\n* [Out](https://a.b)\n\n## B\n* [Two](../ex/README.md)\n";
        let contents = Contents::parse(text);
        let paths: Vec<_> = contents.paths().collect();
        assert_eq!(paths, ["docs/one.md", "ex/README.md", "docs/README.md"]);
        assert_eq!(contents.groups[0].1[0].1, "One 1");
        assert_eq!(contents.neighbours("docs/one.md"), [None, Some(("ex/README.md", "Two"))]);
        assert!(contents.navigation("docs/one.md", "../").contains("<a href=\"../docs/one.html\" aria-current"));
    }
}
