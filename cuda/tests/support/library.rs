//! The host's C++ compiler, which compiles kernels to shared libraries.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Symbols are hidden: otherwise all libraries, which run at the same time, would share static variables of templates.
pub const FLAGS: [&str; 8] =
    ["-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared", "-w", "-o"];

pub fn compiler() -> OsString {
    std::env::var_os("CXX").unwrap_or_else(|| "g++".into())
}

fn run(output: &Path, input: &Path, more: &[&str]) {
    let output = Command::new(compiler()).args(FLAGS).arg(output).args(more).arg(input).output();
    let output = output.expect("a C++ compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The emulator's header, precompiled by GCC, since hundreds of texts include it.
pub fn header() -> &'static Path {
    const TEXT: &str = include_str!("emulator.h");
    static HEADER: OnceLock<PathBuf> = OnceLock::new();
    HEADER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        (TEXT, FLAGS, compiler()).hash(&mut hasher);
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = all.join(format!("emulator-{:016x}", hasher.finish()));
        if !folder.exists() {
            let making = tempfile::tempdir_in(all).expect("a folder for the compiler");
            let file = making.path().join("emulator.h");
            std::fs::write(&file, TEXT).expect("the folder can be written to");
            run(&file.with_extension("h.gch"), &file, &["-x", "c++-header"]);
            // Another test may have made it meanwhile.
            let renamed = std::fs::rename(making.path(), &folder);
            assert!(renamed.is_ok() || folder.exists(), "{renamed:?}");
        }
        folder.join("emulator.h")
    })
}

/// Compiles a text in a folder; returns the library's path.
pub fn compile(text: &str, folder: &Path) -> PathBuf {
    let (file, library) = (folder.join("kernel.cpp"), folder.join("kernel.so"));
    std::fs::write(&file, text).expect("the folder can be written to");
    run(&library, &file, &[]);
    library
}
