//! The code blocks of a page, with the language and options in their first lines.

use crate::process::Outcome;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A code block.
#[derive(Debug, Default, PartialEq)]
pub struct Block {
    /// Line of its first mark in the page, from 1.
    pub line: usize,
    /// First word after the mark; empty for indented blocks.
    pub language: String,
    /// `key="value"` after it.
    pub options: Vec<(String, String)>,
    /// What it holds.
    pub text: String,
}

/// Words that state what is done by default with blocks of a language, for readers of the page's source.
const WORDS: &[(&str, &str)] = &[("console", "run"), ("toml", "case"), ("python", "run"), ("rust", "test")];

/// Options that a block may have, by language: `file` writes it beside the commands that follow; `small` is added to its
/// runs, so that they end soon; `parse` says why it is parsed and not run; `code` is the exit code that it must end with.
const OPTIONS: &[(&str, &[&str])] = &[
    ("console", &["small", "parse", "code"]),
    ("toml", &["file", "parse"]),
    ("rust", &["file", "parse"]),
    ("python", &["file", "parse"]),
    ("text", &[]),
    ("json", &[]),
    ("cuda", &[]),
];

impl Block {
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// True for an indented block that holds commands and not formulas.
    pub fn is_indented_command(&self) -> bool {
        let commands = ["amrclaw ", "cargo "];
        self.language.is_empty() && commands.iter().any(|command| self.text.trim_start().starts_with(command))
    }
}

/// All code blocks of the page at `path`.
pub fn blocks(path: &str, markdown: &str) -> Outcome<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let line = 1 + markdown[..range.start].matches('\n').count();
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => info.as_ref(),
                    CodeBlockKind::Indented => "",
                };
                let (language, options) = parse_info(info).map_err(|message| format!("{path}:{line}: {message}"))?;
                if language.is_empty() && matches!(kind, CodeBlockKind::Fenced(_)) {
                    return Err(format!("{path}:{line}: say what the block is: ```console, ```toml, ```text, ..."));
                }
                open = Some(Block { line, language, options, text: String::new() });
            }
            Event::Text(text) => {
                if let Some(block) = &mut open {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    Ok(blocks)
}

/// Language and options of a block's first line. Rust's own words for doc tests, such as `no_run`, are let through.
fn parse_info(info: &str) -> Outcome<(String, Vec<(String, String)>)> {
    let (language, mut rest) = info.trim().split_once([' ', ',']).unwrap_or((info.trim(), ""));
    if language.is_empty() {
        return Ok(Default::default());
    }
    let Some((_, known)) = OPTIONS.iter().find(|(name, _)| *name == language) else {
        let languages: Vec<&str> = OPTIONS.iter().map(|(name, _)| *name).collect();
        return Err(format!("`{language}` is no language known here: {}", languages.join(", ")));
    };
    if let Some((_, word)) = WORDS.iter().find(|(name, _)| *name == language) {
        let after = rest.trim_start().strip_prefix(word);
        rest = after.filter(|after| after.is_empty() || after.starts_with(' ')).unwrap_or(rest);
    }
    let mut options = Vec::new();
    while let Some((key, after)) = rest.trim_start().split_once("=\"") {
        let key = if language == "rust" { key.rsplit(' ').next().unwrap_or(key) } else { key };
        let (value, after) = after.split_once('"').ok_or_else(|| format!("`{key}` lacks its closing quote"))?;
        if !known.contains(&key) {
            return Err(format!("`{key}` is no option of {language} blocks: {}", known.join(", ")));
        }
        options.push((key.to_owned(), value.to_owned()));
        rest = after;
    }
    if !rest.trim().is_empty() && language != "rust" {
        return Err(format!("`{}`: options are written as key=\"value\"", rest.trim()));
    }
    Ok((language.to_owned(), options))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks come with line, language, options and text; formulas are no commands.
    #[test]
    fn blocks_are_read() {
        let text = "a\n\n```console run small=\"--set a=1\" code=\"2\"\namrclaw run x\n```\n\n    q_t = 0\n\n    amrclaw info\n\nb\n\n    cargo test\n";
        let blocks = super::blocks("a.md", text).unwrap();
        assert_eq!(
            (blocks[0].line, blocks[0].language.as_str(), blocks[0].text.as_str()),
            (3, "console", "amrclaw run x\n")
        );
        assert_eq!((blocks[0].option("small"), blocks[0].option("code")), (Some("--set a=1"), Some("2")));
        let commands: Vec<bool> = blocks.iter().map(Block::is_indented_command).collect();
        assert_eq!(commands, [false, false, true]);
        let rust = super::blocks("a.md", "```rust no_run parse=\"why\"\nlet a = 1;\n```").unwrap();
        assert_eq!(rust[0].option("parse"), Some("why"));
    }

    /// Blocks without a language, and options that do not exist, are reported with their line.
    #[test]
    fn wrong_blocks_are_reported() {
        for text in ["\n```\na\n```", "\n```basic\n```", "\n```toml small=\"x\"\n```", "\n```console parse\n```"] {
            let message = blocks("a.md", text).unwrap_err();
            assert!(message.starts_with("a.md:2: "), "{message}");
        }
    }
}
