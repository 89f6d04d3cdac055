//! What is published: `cargo package` packs it, and a program can be built, and works, from the packed files alone.

use crate::process::{Outcome, cargo, command, output, root, run, target_dir};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The packages that are published, each after those that it uses.
const PACKAGES: [&str; 5] = ["riemann-macros", "riemann", "amrclaw-cuda", "amrclaw-unstructured", "amrclaw"];

/// Bytes that a package may have: the registry refuses larger ones.
const LIMIT: u64 = 10_000_000;

/// What `cargo deny` accepts, among it the terms under which this package may use others.
const POLICY: &str = include_str!("../../.ci/deny.toml");

/// The check `package`: the packages can be packed, are small, have the files that the program carries, and use nothing under other terms.
pub fn check() -> Outcome {
    licences()?;
    pack()?;
    let folder = target_dir().join("package-check");
    unpack(&folder)?;
    embedded_files_are_packed(&folder.join(unpacked_name("amrclaw")?))
}

/// `cargo xtask package --install`: builds the program from the packed files alone, without a network, and uses it.
pub fn install(arguments: &[String]) -> Outcome {
    if arguments != ["--install"] {
        return Err(format!("expected `--install` or nothing, but was given {arguments:?}"));
    }
    check()?;
    // Outside of the repository, whose workspace the packages would look for.
    let folder = std::env::temp_dir().join(format!("amrclaw-package-{}", std::process::id()));
    let used = unpack(&folder).and_then(|()| build(&folder)).and_then(|()| use_program(&folder));
    std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    used
}

/// Compiles the program from the unpacked packages, with only those that cargo has fetched already.
fn build(folder: &Path) -> Outcome {
    let mut install = cargo(&["install", "--offline", "--locked", "--no-track", "--force", "--path"]);
    install.arg(folder.join(unpacked_name("amrclaw")?)).arg("--root").arg(folder.join("installed"));
    for package in PACKAGES.into_iter().filter(|package| *package != "amrclaw") {
        let path = folder.join(unpacked_name(package)?);
        install.arg("--config").arg(format!("patch.crates-io.{package}.path = {:?}", path.display().to_string()));
    }
    run(install.env("CARGO_TARGET_DIR", folder.join("target")).current_dir(folder))
}

/// What a new user does first: an example, a run of it, an own solver, and a run with that.
fn use_program(folder: &Path) -> Outcome {
    let program = folder.join("installed/bin/amrclaw");
    let amrclaw = |arguments: &str| {
        let mut amrclaw = command(&program);
        amrclaw.args(arguments.split(' ')).current_dir(folder).env("CARGO_NET_OFFLINE", "true");
        run(amrclaw.env("AMRCLAW_CACHE", folder.join("cache")))
    };
    let small = "--set mesh.cells=[50,50] --set time.end=0.05 --quiet";
    amrclaw("example acoustics_radial")?;
    amrclaw(&format!("run acoustics_radial/case.toml --output out {small}"))?;
    amrclaw("solver prepare")?;
    amrclaw("solver new mine")?;
    amrclaw("solver check mine.rs")?;
    amrclaw(&format!("run mine.toml --output out_own {small}"))
}

/// Packs all packages.
fn pack() -> Outcome {
    let mut pack = cargo(&["package", "--quiet", "--no-verify", "--allow-dirty"]);
    for package in PACKAGES {
        pack.args(["--package", package]);
    }
    output(&mut pack).map(drop)
}

/// Unpacks all packages side by side; one that is too large is an error.
fn unpack(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for package in PACKAGES {
        let name = unpacked_name(package)?;
        let file = target_dir().join(format!("package/{name}.crate"));
        let bytes = file.metadata().map_err(|e| format!("{}: {e}", file.display()))?.len();
        if bytes > LIMIT {
            return Err(format!("{name} has {bytes} bytes packed: at most {LIMIT}"));
        }
        output(command("tar").arg("xzf").arg(&file).arg("-C").arg(folder))?;
        println!("{name}: {bytes} bytes");
    }
    Ok(())
}

/// A package's folder after unpacking.
fn unpacked_name(package: &str) -> Outcome<String> {
    Ok(format!("{package}-{}", version()?))
}

/// The version in the workspace's manifest.
pub fn version() -> Outcome<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no version".to_owned())
}

/// The files that the program carries are those of the repository, also in the package.
fn embedded_files_are_packed(package: &Path) -> Outcome {
    let here = names_below(&root().join("amrclaw/embedded"))?;
    let there = names_below(&package.join("embedded"))?;
    match here.difference(&there).next() {
        None => Ok(()),
        Some(name) => Err(format!("the packed amrclaw lacks embedded/{name}")),
    }
}

/// The files below a folder, but for pictures and meshes, which are not packed; links are followed.
fn names_below(folder: &Path) -> Outcome<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = std::fs::read_dir(&next).map_err(|e| format!("{}: {e}", next.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_none_or(|kind| !["png", "gif", "msh"].iter().any(|not_packed| kind == *not_packed))
            {
                names.insert(path.strip_prefix(folder).expect("below it").display().to_string());
            }
        }
    }
    Ok(names)
}

/// Every package that the published ones use gives it under one of the terms above. Advisories are looked up by `cargo deny` before a release.
fn licences() -> Outcome {
    let text = output(&mut cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let refused: Vec<String> = packages
        .filter(|package| !allowed(package["license"].as_str().unwrap_or_default()))
        .map(|package| format!("{} {} ({})", package["name"], package["version"], package["license"]))
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(format!("terms that are not accepted: {}", refused.join(", "))) }
}

/// The terms that the policy lists.
fn accepted() -> impl Iterator<Item = &'static str> {
    let list = POLICY.split_once("allow = [").map_or("", |(_, rest)| rest);
    list.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2)
}

/// True if an SPDX expression can be satisfied by the accepted terms: one of its alternatives, of which each part is accepted.
fn allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" OR ").any(|parts| parts.split(" AND ").all(|term| accepted().any(|known| known == term.trim())))
}

#[cfg(test)]
mod tests {
    use super::allowed;

    /// One alternative is enough; of parts that hold together each counts.
    #[test]
    fn terms_are_read() {
        for good in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert!(allowed(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0"] {
            assert!(!allowed(bad), "{bad}");
        }
    }
}
