//! Runs the code blocks of pages as a reader would, in order, in a folder of the page's own.
//!
//! `console` blocks are run by bash with this build of `amrclaw`; `toml` blocks are complete cases, which are validated, or
//! files for the commands that follow. What is not run, because its block says why or because it is an indented block of
//! full-size commands, is parsed: its options must exist, and its cases must be right. Tests elsewhere run the pages in
//! [`ELSEWHERE`].

mod blocks;

use crate::process::{Outcome, command, output, root, target_dir, tested_program};
use blocks::{Block, blocks};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Language and page of blocks that are run elsewhere: by the tests of the case file's parser, and of the Python package.
const ELSEWHERE: &[(&str, &str)] =
    &[("toml", "docs/case-file.md"), ("python", "docs/python.md"), ("python", "docs/file-formats.md")];

/// The page whose commands take minutes, and whose numbers are their results.
const MEASURED: &str = "docs/performance.md";

/// Definitions for bash: the program, also under the name of `cargo run`, with arguments that make its runs small.
const PRELUDE: &str = r#"
set -euf
amrclaw() {
    case "$1" in
        run|sweep|tune) command amrclaw "$@" $SMALL ;;
        *) command amrclaw "$@" ;;
    esac
}
cargo() {
    if [ "${1-} ${2-} ${3-}" = "run --release --" ]; then shift 3; amrclaw "$@"; else command cargo "$@"; fi
}
"#;

/// Runs and parses the blocks of all pages for readers; reports every failure.
pub fn run() -> Outcome {
    let pages = output(command("git").args(["ls-files", "README.md", "docs/*.md", "examples/*.md"]))?;
    let program = tested_program()?;
    let mut runner = Runner { program, help: BTreeMap::new(), run: 0, parsed: 0 };
    let mut failures = Vec::new();
    for page in pages.lines() {
        let text = std::fs::read_to_string(root().join(page)).map_err(|e| format!("{page}: {e}"))?;
        match blocks(page, &text) {
            Ok(blocks) => failures.extend(runner.page(page, &blocks)?),
            Err(message) => failures.push(message),
        }
    }
    println!("code blocks: {} run, {} parsed", runner.run, runner.parsed);
    if failures.is_empty() { Ok(()) } else { Err(format!("{}\n{} blocks failed", failures.join("\n"), failures.len())) }
}

struct Runner {
    program: PathBuf,
    /// The output of `amrclaw COMMAND --help`, by command.
    help: BTreeMap<String, String>,
    run: usize,
    parsed: usize,
}

impl Runner {
    /// Runs the blocks of a page; returns those that failed.
    fn page(&mut self, page: &str, blocks: &[Block]) -> Outcome<Vec<String>> {
        let folder = target_dir().join("doc-blocks").join(page.replace('/', "_"));
        prepare(&folder)?;
        let mut failures = Vec::new();
        for block in blocks {
            if let Err(message) = self.block(page, block, &folder) {
                failures.push(format!("{page}:{}: {message}", block.line));
            }
        }
        Ok(failures)
    }

    fn block(&mut self, page: &str, block: &Block, folder: &Path) -> Outcome {
        if let Some(file) = block.option("file") {
            self.run += 1;
            return std::fs::write(folder.join(file), &block.text).map_err(|e| format!("{file}: {e}"));
        }
        if ELSEWHERE.contains(&(block.language.as_str(), page)) {
            return Ok(());
        }
        match block.language.as_str() {
            "" if block.is_indented_command() && page.starts_with("docs/") && page != MEASURED => {
                Err("commands are written as a ```console block, so that they are run".into())
            }
            "" if block.is_indented_command() => self.parse(&block.text),
            "console" if block.option("parse").is_some() => self.parse(&block.text),
            "console" => self.commands(block, folder),
            "toml" if block.option("parse").is_none() => {
                self.run += 1;
                std::fs::write(folder.join("block.toml"), &block.text).map_err(|e| format!("block.toml: {e}"))?;
                output(command(&self.program).arg("validate").arg("block.toml").current_dir(folder)).map(drop)
            }
            "rust" if block.option("parse").is_none() => {
                Err("Rust is run by rustdoc, or written to a file by file=\"...\" for the commands that follow".into())
            }
            "python" => {
                self.parsed += 1;
                output(command("python3").args(["-c", "import ast, sys; ast.parse(sys.argv[1])", &block.text]))
                    .map(drop)
            }
            _ => Ok(()),
        }
    }

    /// Runs commands; their exit code must be the block's.
    fn commands(&mut self, block: &Block, folder: &Path) -> Outcome {
        self.run += 1;
        let programs = self.program.parent().unwrap_or(Path::new("."));
        let others = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&others));
        let paths = std::env::join_paths(paths).map_err(|e| e.to_string())?;
        let mut bash = command("bash");
        bash.args(["-c", &format!("{PRELUDE}\n{}", block.text)]).current_dir(folder);
        bash.env("PATH", paths).env("SMALL", block.option("small").unwrap_or(""));
        let result = bash.output().map_err(|e| format!("cannot start bash: {e}"))?;
        let expected = block.option("code").unwrap_or("0");
        let code = result.status.code().map_or("none".to_owned(), |code| code.to_string());
        if code == expected {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&result.stderr);
        Err(format!("exit code {code}, not {expected}\n{}\n{}", block.text.trim_end(), said.trim_end()))
    }

    /// Checks commands that are not run: the program's command and options exist, the case is right.
    fn parse(&mut self, text: &str) -> Outcome {
        self.parsed += 1;
        for line in logical_lines(text) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let start = match words.as_slice() {
                ["amrclaw", ..] => 1,
                ["mpiexec", "-n", _, "amrclaw", ..] => 4,
                ["cargo", "run", "--release", "--", ..] => 4,
                _ => continue,
            };
            // Some commands have commands of their own.
            let length = match words[start..] {
                ["mesh", "make", ..] => 3,
                ["solver" | "mesh", ..] => 2,
                _ => 1,
            };
            let Some((name, rest)) = words[start..].split_at_checked(length) else { continue };
            let name = name.join(" ");
            let help = self.help(&name)?;
            // In a synopsis, brackets say that an option may be left out.
            let plain: Vec<&str> = rest.iter().map(|word| word.trim_matches(['[', ']', '.'])).collect();
            for option in plain.iter().filter(|word| word.starts_with("--")) {
                let option = option.split(['=', ']']).next().unwrap_or(option);
                if !help.split_whitespace().any(|word| word.trim_end_matches(',') == option) {
                    return Err(format!("`amrclaw {name}` has no option {option}"));
                }
            }
            let Some(case) = rest.iter().find(|word| word.ends_with(".toml") && root().join(word).exists()) else {
                continue;
            };
            let sets = rest
                .windows(2)
                .filter(|pair| pair[0] == "--set")
                .flat_map(|pair| ["--set", pair[1].trim_matches('\'')]);
            output(command(&self.program).args(["validate", case]).args(sets))?;
        }
        Ok(())
    }

    /// The help text of one of the program's commands.
    fn help(&mut self, name: &str) -> Outcome<String> {
        if let Some(help) = self.help.get(name) {
            return Ok(help.clone());
        }
        let help = output(command(&self.program).args(name.split(' ').chain(["--help"])))
            .map_err(|_| format!("there is no `amrclaw {name}`"))?;
        self.help.insert(name.to_owned(), help.clone());
        Ok(help)
    }
}

/// An empty folder in which the repository's examples are found.
fn prepare(folder: &Path) -> Outcome {
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(wrong)?;
    }
    std::fs::create_dir_all(folder).map_err(wrong)?;
    copy(&root().join("examples"), &folder.join("examples")).map_err(wrong)
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Lines with those that continue them: after a backslash, or indented further, as in a synopsis. Comments are left out.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line);
        let (words, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(words) => (words, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| continues || line.starts_with(' ')) {
            Some(last) => last.extend([" ", words.trim()]),
            None => lines.push(words.trim().to_owned()),
        }
        continues = goes_on;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands over several lines are one, with a backslash or indented.
    #[test]
    fn lines_are_joined() {
        let text = "amrclaw run a.toml \\\n  --set x=1 # why\namrclaw info\namrclaw plot DIR [--frame N]\n             [--size N]\n";
        let expected = ["amrclaw run a.toml --set x=1", "amrclaw info", "amrclaw plot DIR [--frame N] [--size N]"];
        let lines: Vec<String> =
            logical_lines(text).iter().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines, expected);
    }
}
