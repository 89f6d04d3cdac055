//! The host's C++ compiler, which makes libraries of kernels.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Hidden, or what is static in a template would be one and the same in all libraries, which run at the same time.
pub const FLAGS: [&str; 8] =
    ["-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared", "-w", "-o"];

pub fn compiler() -> OsString {
    std::env::var_os("CXX").unwrap_or_else(|| "g++".into())
}

/// Compiles a text in a folder, to the library that it answers.
pub fn compile(text: &str, folder: &Path) -> PathBuf {
    let (file, library) = (folder.join("kernel.cpp"), folder.join("kernel.so"));
    std::fs::write(&file, text).expect("the folder can be written to");
    let output = Command::new(compiler()).args(FLAGS).arg(&library).arg(&file).output().expect("a C++ compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}
