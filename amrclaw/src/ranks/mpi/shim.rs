//! MPI libraries without the standard ABI: the types of their handles are defined in their own mpi.h, which only a compiler can read. A
//! small C file is compiled once by the library's `mpicc`, and kept in the user's cache of compiled code.

use cuda::cache::{self, Hash};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The C file.
const TEXT: &str = include_str!("shim.c");

/// Prefix of the names of its functions.
pub const PREFIX: &str = "amrclaw_";

/// The shim as a library, compiled by `compiler`: the one kept from an earlier run if it is intact, else a new one.
pub fn compiled(compiler: &Path) -> Result<PathBuf, String> {
    let folder = cache::folder().map_err(|error| error.to_string())?;
    // A compiler may act by the name that it is called by, so that its path counts; a new version has another time or length.
    let file = std::fs::metadata(compiler).map_err(|error| error.to_string())?;
    let state = format!("{:?} {}", file.modified().ok(), file.len());
    let key = Hash::new().with(TEXT).with(compiler.as_os_str().as_encoded_bytes()).with(state).name();
    let library = folder.join("mpi").join(key).join(format!(
        "{}amrclaw_mpi{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    if cache::read(&library).is_some() {
        return Ok(library);
    }
    let bytes = compile(compiler)?;
    match cache::keep(&library, &bytes) {
        // A rank on another machine may have written the file at the same time.
        Err(error) if cache::read(&library).is_none() => Err(error.to_string()),
        _ => Ok(library),
    }
}

/// Runs the compiler in a local temporary folder: on a cluster, the cache is often on a shared disk.
fn compile(compiler: &Path) -> Result<Vec<u8>, String> {
    let folder = TemporaryFolder::new().map_err(|error| format!("a folder for compiling: {error}"))?;
    let [source, made] = ["shim.c", "shim.so"].map(|name| folder.0.join(name));
    std::fs::write(&source, TEXT).map_err(|error| format!("{}: {error}", source.display()))?;
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-O2", "-fPIC", "-shared", "-o"]).args([&made, &source]);
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
        return Err(format!("it cannot compile: {}", line.unwrap_or("it does not say why").trim()));
    }
    std::fs::read(&made).map_err(|error| format!("{}: {error}", made.display()))
}

/// A temporary folder, removed on drop.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("amrclaw-mpi-{}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(TemporaryFolder(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
