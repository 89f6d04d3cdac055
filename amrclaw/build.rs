//! Embeds the sources of the crate `riemann`, so that the program can compile a user's solver wherever it is installed, and
//! the cases of the examples.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Links to what is embedded, so that a published package has the files too: cargo follows them when it packs. Manifests have another name
/// here, since cargo takes a folder with a `Cargo.toml` for another package and leaves it out.
const FOLDER: &str = "embedded";

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the package's folder"));
    let root = package.join(FOLDER);
    let mut files = Vec::new();
    for entry in ["manifest.toml", "Cargo.lock", "riemann"] {
        println!("cargo::rerun-if-changed={}", root.join(entry).display());
        collect(&root.join(entry), &mut files);
    }
    embed("riemann_sources.rs", files, &root);

    let examples = root.join("examples");
    println!("cargo::rerun-if-changed={}", examples.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&examples).into_iter().flatten().flatten() {
        println!("cargo::rerun-if-changed={}", entry.path().display());
        let inside = fs::read_dir(entry.path()).into_iter().flatten().flatten().map(|file| file.path());
        // A solver's own file belongs to its case; a program around it does not.
        let wanted = |path: &PathBuf| {
            let (extension, name) = (path.extension().unwrap_or_default(), path.file_name().unwrap_or_default());
            ["toml", "md", "asc", "tt3"].iter().any(|e| extension == *e) || extension == "rs" && name != "main.rs"
        };
        files.extend(inside.filter(wanted));
    }
    embed("examples.rs", files, &examples);
    pack_program();
}

/// Has the linker keep equal functions once, and addresses that the loader adjusts in a short list: a tenth of a released program. Not in
/// programs for other machines, whose loader may be older, and only with options with which a program links and runs here.
fn pack_program() {
    let var = |name: &str| env::var(name).unwrap_or_default();
    if var("PROFILE") != "release" || var("TARGET") != var("HOST") || var("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    let (out, flags) = (PathBuf::from(var("OUT_DIR")), var("CARGO_ENCODED_RUSTFLAGS"));
    let (source, program) = (out.join("probe.rs"), out.join("probe"));
    fs::write(&source, "fn main() {}").unwrap_or_else(|e| panic!("{}: {e}", source.display()));
    let runs = |option: &str| {
        let mut rustc = Command::new(var("RUSTC"));
        rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty())).arg(&source).arg("-o").arg(&program);
        let linker = env::var("RUSTC_LINKER").map(|linker| format!("-Clinker={linker}"));
        rustc.args(linker).arg(format!("-Clink-arg={option}")).stdout(Stdio::null()).stderr(Stdio::null());
        [rustc, Command::new(&program)].iter_mut().all(|each| each.status().is_ok_and(|status| status.success()))
    };
    let for_others = env::var_os("CARGO_FEATURE_ALL_KERNELS").is_some();
    let options = [("-Wl,--icf=all", true), ("-Wl,-z,pack-relative-relocs", !for_others)];
    for (option, _) in options.iter().filter(|(option, wanted)| *wanted && runs(option)) {
        println!("cargo::rustc-link-arg-bins={option}");
    }
}

/// Writes a table of the files' paths below `root` and their texts, for `include!`.
///
/// # Panics
/// If there are none: a program without them could compile no solver.
fn embed(table: &str, mut files: Vec<PathBuf>, root: &Path) {
    assert!(!files.is_empty(), "{} lacks its files: are its links intact?", root.display());
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(root).expect("the file is below the root");
        let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        let name = name.replace("manifest.toml", "Cargo.toml");
        writeln!(text, "    ({name:?}, include_str!({:?})),", file.display().to_string()).expect("strings take all");
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the output folder")).join(table);
    fs::write(&out, text).unwrap_or_else(|e| panic!("{}: {e}", out.display()));
}

/// The manifests and sources at or below `path`; tests are left out.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for entry in entries.flatten().filter(|entry| entry.file_name() != "tests") {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|extension| ["rs", "cuh", "toml", "lock"].iter().any(|e| extension == *e)) {
        files.push(path.to_owned());
    }
}
