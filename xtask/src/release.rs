//! `cargo xtask release X.Y.Z`: from a clean tree to a tag. Nothing leaves the machine.

use crate::process::{Outcome, cargo, command, output, root};
use crate::{checks, package};
use std::path::Path;

/// Checks the tree, runs all tests, writes the version where it stands, packs, installs from the packed files, commits and tags.
pub fn run_all(arguments: &[String]) -> Outcome {
    let [version] = arguments else { return Err(format!("expected a version, but was given {arguments:?}")) };
    let old = package::version()?;
    if numbers(version)? <= numbers(&old)? && *version != old {
        return Err(format!("{version} is not after {old}"));
    }
    let tag = format!("v{version}");
    if !git(&["status", "--porcelain"])?.is_empty() {
        return Err("the tree has changes: commit them, or take them back".to_owned());
    }
    if !git(&["tag", "--list", &tag])?.is_empty() {
        return Err(format!("{tag} exists"));
    }
    let date = output(command("date").arg("+%Y-%m-%d"))?;
    let date = date.trim();
    edit("CHANGELOG.md", |text| changelog(text, version, date))?;
    edit("Cargo.toml", |text| Ok(text.replace(&format!("version = \"{old}\""), &format!("version = \"{version}\""))))?;
    edit("CITATION.cff", |text| Ok(citation(text, version, date)))?;
    edit("xtask/packaging/recipe.yaml", |text| {
        Ok(text.replace(&format!("version: {old}"), &format!("version: {version}")))
    })?;
    // The lock file takes the new version.
    output(&mut cargo(&["update", "--workspace", "--offline"]))?;
    checks::run_all()?;
    package::install(&["--install".to_owned()])?;
    git(&["commit", "--all", "--message", &format!("Release {version}")])?;
    let signs = !git(&["config", "--default", "", "user.signingkey"])?.is_empty();
    let kind = if signs { "--sign" } else { "--annotate" };
    git(&["tag", kind, &tag, "--message", &format!("Version {version}")])?;
    println!("\nTagged {tag}. To publish: git push origin HEAD {tag}; the rest is CONTRIBUTING.md, \"Releases\".");
    Ok(())
}

/// `X.Y.Z` as numbers.
fn numbers(version: &str) -> Outcome<[u64; 3]> {
    let parts: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
    parts.and_then(|parts| parts.try_into().ok()).ok_or_else(|| format!("{version} is not of the form X.Y.Z"))
}

fn git(arguments: &[&str]) -> Outcome<String> {
    output(command("git").args(arguments)).map(|text| text.trim().to_owned())
}

/// Changes a file of the repository.
fn edit(name: &str, change: impl FnOnce(&str) -> Outcome<String>) -> Outcome {
    let path = root().join(name);
    let told = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(&path).map_err(|e| told(&path, e))?;
    std::fs::write(&path, change(&text)?).map_err(|e| told(&path, e))
}

/// What was unreleased is the version's.
fn changelog(text: &str, version: &str, date: &str) -> Outcome<String> {
    let (before, after) = text.split_once("## Unreleased\n").ok_or("CHANGELOG.md has no `## Unreleased`")?;
    let changes = after.split("\n## ").next().unwrap_or_default();
    if changes.trim().is_empty() {
        return Err("CHANGELOG.md says nothing below `## Unreleased`".to_owned());
    }
    Ok(format!("{before}## Unreleased\n\n## {version} ({date})\n{after}"))
}

/// The citation of the version.
fn citation(text: &str, version: &str, date: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some(("version", _)) => format!("version: {version}\n"),
        Some(("date-released", _)) => format!("date-released: {date}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Versions have three numbers, compared as numbers.
    #[test]
    fn versions_are_numbers() {
        assert!(numbers("0.10.0").unwrap() > numbers("0.9.12").unwrap());
        assert!(["1.0", "1.0.0-beta", "v1.0.0", ""].iter().all(|text| numbers(text).is_err()));
    }

    /// Changes move below the version's heading; a changelog without changes is refused.
    #[test]
    fn changes_get_a_heading() {
        let text = "# Changelog\n\n## Unreleased\n\n* More.\n\n## 0.1.0 (2026-01-02)\n\n* First.\n";
        let new = changelog(text, "0.2.0", "2026-11-28").unwrap();
        assert_eq!(new, text.replace("## Unreleased\n", "## Unreleased\n\n## 0.2.0 (2026-11-28)\n"));
        assert!(changelog(&new, "0.3.0", "2026-11-29").is_err());
        assert!(changelog("# Changelog\n", "0.3.0", "2026-11-29").is_err());
    }

    /// Only the version and its date change.
    #[test]
    fn the_citation_follows() {
        let text = "title: amrclaw\nversion: 0.1.0\ndate-released: 2026-01-02\n";
        assert_eq!(
            citation(text, "0.2.0", "2026-11-28"),
            "title: amrclaw\nversion: 0.2.0\ndate-released: 2026-11-28\n"
        );
    }
}
