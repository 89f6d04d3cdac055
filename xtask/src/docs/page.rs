//! One page: Markdown in, HTML out.

use super::contents::Contents;
use super::resolve;
use super::site::{escape, output_of};
use crate::process::{Outcome, root};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser as Formula, RenderConfig, Storage, push_mathml};
use std::collections::BTreeSet;

/// A page of the site.
pub struct Page {
    path: String,
    title: String,
    body: String,
    /// Ids of its headings.
    pub ids: BTreeSet<String>,
    /// Pages that it links to.
    pub pages: BTreeSet<String>,
    /// Other files that it links to or shows.
    pub assets: BTreeSet<String>,
    /// Page and anchor of its links to headings.
    pub anchors: Vec<(String, String)>,
    /// Text for the search, by heading.
    pub sections: Vec<Section>,
}

/// A heading and the text below it.
pub struct Section {
    /// The heading's id.
    pub id: String,
    /// The heading.
    pub name: String,
    /// Words of the text.
    pub text: String,
}

impl Page {
    /// Reads the Markdown file at `path`; for a folder's missing README, makes a page that lists the pages in the folder.
    pub fn read(path: &str) -> Outcome<Self> {
        let text = match root().join(path).exists() {
            true => std::fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))?,
            false => listing(path)?,
        };
        Self::parse(path, &text)
    }

    fn parse(path: &str, text: &str) -> Outcome<Self> {
        let mut page = Page {
            path: path.to_owned(),
            title: String::new(),
            body: String::new(),
            ids: BTreeSet::new(),
            pages: BTreeSet::new(),
            assets: BTreeSet::new(),
            anchors: Vec::new(),
            sections: Vec::new(),
        };
        let extensions = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
        let mut events: Vec<Event> = Parser::new_ext(text, extensions).collect();
        for at in 0..events.len() {
            match &mut events[at] {
                Event::Start(Tag::Heading { .. }) => {
                    let name = text_until_end(&events[at + 1..]);
                    if page.title.is_empty() {
                        page.title.clone_from(&name);
                    }
                    let new = page.new_id(&name);
                    page.sections.push(Section { id: new.clone(), name, text: String::new() });
                    if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
                        *id = Some(CowStr::from(new));
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    *dest_url = CowStr::from(page.link(dest_url)?);
                }
                Event::InlineMath(formula) => {
                    let typeset = typeset(formula, false).map_err(|e| format!("{path}: {e}"))?;
                    events[at] = Event::InlineHtml(typeset.into());
                }
                Event::DisplayMath(formula) => {
                    let typeset = typeset(formula, true).map_err(|e| format!("{path}: {e}"))?;
                    events[at] = Event::InlineHtml(typeset.into());
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(section) = page.sections.last_mut() {
                        section.text.push_str(text);
                        section.text.push(' ');
                    }
                }
                _ => {}
            }
        }
        html::push_html(&mut page.body, events.into_iter());
        // Wide tables scroll separately from the page.
        page.body = page.body.replace("<table>", "<div class=\"scroll\" tabindex=\"0\"><table>");
        page.body = page.body.replace("</table>", "</table></div>");
        Ok(page)
    }

    /// An id for a heading as GitHub makes them, so that links with anchors work there and here.
    fn new_id(&mut self, name: &str) -> String {
        let kept = name.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let base: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let mut id = base.clone();
        let mut count = 0;
        while !self.ids.insert(id.clone()) {
            count += 1;
            id = format!("{base}-{count}");
        }
        id
    }

    /// A link's target in the site; records where it leads.
    fn link(&mut self, target: &str) -> Outcome<String> {
        let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
        if file.contains(':') {
            return Ok(target.to_owned());
        }
        let mut to = if file.is_empty() { self.path.clone() } else { resolve(&self.path, file) };
        if root().join(&to).is_dir() {
            to.push_str("/README.md");
        } else if !root().join(&to).exists() && !file.is_empty() {
            return Err(format!("{}: `{target}` leads nowhere", self.path));
        }
        if let Some(anchor) = anchor {
            self.anchors.push((to.clone(), anchor.to_owned()));
        }
        if to.ends_with(".md") {
            self.pages.insert(to.clone())
        } else {
            self.assets.insert(to.clone())
        };
        let anchor = anchor.map_or_else(String::new, |anchor| format!("#{anchor}"));
        Ok(format!("{}{}{anchor}", self.up(), output_of(&to)))
    }

    /// The relative path from the page to the site's root.
    fn up(&self) -> String {
        "../".repeat(output_of(&self.path).matches('/').count())
    }

    /// The page's title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The page with navigation.
    pub fn html(&self, contents: &Contents) -> String {
        let up = self.up();
        let [before, after] = contents.neighbours(&self.path);
        let turn = |page: Option<(&str, &str)>, rel: &str, name: &str| match page {
            Some((path, title)) => {
                let href = output_of(path);
                format!("<a rel=\"{rel}\" href=\"{up}{href}\">{name}: {}</a>", escape(title))
            }
            None => String::new(),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
             <link rel=\"stylesheet\" href=\"{up}style.css\">\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">To the text</a>\n<nav aria-label=\"Contents\">\n\
             <input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\" data-up=\"{up}\">\n\
             <ul id=\"found\"></ul>\n{}</nav>\n\
             <main id=\"main\">\n{}<footer>{} {}</footer>\n</main>\n\
             <script src=\"{up}sections.js\" defer></script>\n<script src=\"{up}search.js\" defer></script>\n\
             </body>\n</html>\n",
            escape(&self.title),
            contents.navigation(&self.path, &up),
            self.body,
            turn(before, "prev", "Before"),
            turn(after, "next", "Next"),
        )
    }
}

/// A formula in LaTeX as MathML, which browsers typeset themselves.
fn typeset(formula: &str, display: bool) -> Outcome<String> {
    let storage = Storage::new();
    if let Some(error) = Formula::new(formula, &storage).find_map(Result::err) {
        return Err(format!("`{formula}`: {error}"));
    }
    let display_mode = if display { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let (storage, mut out) = (Storage::new(), String::new());
    push_mathml(&mut out, Formula::new(formula, &storage), config).map_err(|e| format!("`{formula}`: {e}"))?;
    Ok(out)
}

/// The text up to the end of the heading.
fn text_until_end(events: &[Event]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let text = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    text.collect()
}

/// Markdown that lists the pages in a folder, in place of its missing README.
fn listing(path: &str) -> Outcome<String> {
    let folder = path.strip_suffix("/README.md").ok_or_else(|| format!("{path} is not there"))?;
    let entries = std::fs::read_dir(root().join(folder)).map_err(|e| format!("{folder}: {e}"))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| root().join(folder).join(name).join("README.md").exists());
    names.sort();
    let lines: String = names.iter().map(|name| format!("* [{name}]({name}/README.md)\n")).collect();
    Ok(format!("# {folder}\n\n{lines}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links to pages, files, folders and headings lead to where the site has them; broken ones are errors.
    #[test]
    fn links_follow_the_site() {
        let text = "# A & b\n\n[a](../README.md) [b](../Cargo.toml) [c](../examples) [d](#a--b) [e](https://x.y) \
                    [f](../docs/method.md#1-equations-and-cells)\n\n## A & b\n";
        let page = Page::parse("docs/x.md", text).unwrap();
        for href in
            ["../index.html", "../Cargo.toml.txt", "../examples/README.html", "../docs/x.html#a--b", "https://x.y"]
        {
            assert!(page.body.contains(&format!("href=\"{href}\"")), "{href} in {}", page.body);
        }
        assert!(page.ids.contains("a--b") && page.ids.contains("a--b-1"));
        assert_eq!(page.anchors[1], ("docs/method.md".into(), "1-equations-and-cells".into()));
        assert!(Page::parse("docs/x.md", "[a](gone.md)").is_err());
    }

    /// Formulas are typeset, wrong ones are errors; text is found under its heading.
    #[test]
    fn formulas_are_typeset_and_text_is_found() {
        let page = Page::parse("docs/x.md", "# A\n\n$$\\frac{1}{2} q_t$$\n\nand $x$ one\n\n## B\n\n`two`\n").unwrap();
        assert!(page.body.contains("<mfrac>") && page.body.matches("<math").count() == 2, "{}", page.body);
        let found: Vec<_> = page.sections.iter().map(|s| (s.id.as_str(), s.text.trim())).collect();
        assert!(found[0].0 == "a" && found[0].1.contains("one") && found[1] == ("b", "B two"), "{found:?}");
        assert!(Page::parse("docs/x.md", "$$\\nonsense x$$").is_err());
    }
}
