//! The functions of MPI that ranks use, from a library with the standard ABI (MPI-5.0, chapter 20): found when the program runs.

use libloading::Library;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// Names of a library with the standard ABI; the second one may be a text for linkers.
const NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so"];

/// The variable that names another file.
pub const VARIABLE: &str = "AMRCLAW_MPI";

/// Where the library was looked for, and why it could not be taken.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the program was started as one of several ranks, and no MPI library with the standard ABI is found:\n{}\n  help: install MPICH 5 or \
     later (`pip install mpich` brings one, with its mpiexec), or name the file {} in the variable {VARIABLE}; for ranks in one \
     process write --ranks",
    .tried.iter().map(|(path, why)| format!("  {}: {why}", path.display())).collect::<Vec<_>>().join("\n"),
    NAMES[0]
)]
pub struct NoLibrary {
    /// Files and errors.
    pub tried: Vec<(PathBuf, String)>,
}

/// `MPI_COMM_WORLD`.
pub const WORLD: usize = 0x101;
/// `MPI_UINT64_T`.
pub const WORDS: usize = 0x259;
/// `MPI_REQUEST_NULL`.
pub const NO_REQUEST: usize = 0x180;
/// `MPI_THREAD_SERIALIZED`.
pub const SERIALIZED: c_int = 2048;

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Status {
    pub source: c_int,
    pub tag: c_int,
    pub error: c_int,
    pub internal: [c_int; 5],
}

/// Declares the table of functions, and how it is read from a library.
macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*);)*) => {
        /// The functions, by what they do. Handles are pointers in the standard ABI; each function answers 0 if all is well.
        pub struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
            _library: Library,
        }

        impl Functions {
            /// # Safety
            /// The library is what its name says.
            unsafe fn load(path: &Path) -> Result<Self, libloading::Error> {
                // SAFETY: the caller's promise; the table keeps the library for as long as its functions may be called.
                unsafe {
                    let library = Library::new(path)?;
                    Ok(Functions { $($field: *library.get(concat!($name, "\0").as_bytes())?,)* _library: library })
                }
            }
        }
    };
}

functions! {
    init "MPI_Init_thread": fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize "MPI_Finalize": fn();
    abort "MPI_Abort": fn(usize, c_int);
    rank "MPI_Comm_rank": fn(usize, *mut c_int);
    size "MPI_Comm_size": fn(usize, *mut c_int);
    version "MPI_Get_library_version": fn(*mut c_char, *mut c_int);
    send "MPI_Isend": fn(*const c_void, c_int, usize, c_int, c_int, usize, *mut usize);
    test "MPI_Test": fn(*mut usize, *mut c_int, *mut Status);
    probe "MPI_Iprobe": fn(c_int, c_int, usize, *mut c_int, *mut Status);
    count "MPI_Get_count": fn(*const Status, usize, *mut c_int);
    receive "MPI_Recv": fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut Status);
}

impl Functions {
    /// Finds the library: the file that the variable names; where the system looks; beside the launcher.
    ///
    /// # Errors
    /// There is none.
    pub fn find() -> Result<(Self, PathBuf), NoLibrary> {
        let mut tried = Vec::new();
        for path in places() {
            // SAFETY: a file of this name is an MPI library with the standard ABI, or one that the user has named as such.
            match unsafe { Functions::load(&path) } {
                Ok(functions) => return Ok((functions, path)),
                Err(error) => {
                    let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                    tried.push((path, why));
                }
            }
        }
        Err(NoLibrary { tried })
    }

    /// What the library says of itself, in a line.
    pub fn version(&self) -> String {
        // Longer than any version is: MPI_MAX_LIBRARY_VERSION_STRING.
        let (mut text, mut len) = (vec![0_u8; 8192], 0);
        // SAFETY: there is room for the longest text.
        unsafe { (self.version)(text.as_mut_ptr().cast(), &raw mut len) };
        text.truncate(usize::try_from(len).unwrap_or(0));
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Where the library may be.
fn places() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return vec![named.into()];
    }
    let launchers = std::env::var_os("PATH").into_iter().flat_map(|path| {
        std::env::split_paths(&path)
            .map(|folder| folder.join("mpiexec"))
            .filter(|file| file.is_file())
            .collect::<Vec<_>>()
    });
    // A launcher that is called by its path need not be in `PATH`; its helper is what starts the ranks.
    #[cfg(target_os = "linux")]
    let parent = std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).ok();
    #[cfg(not(target_os = "linux"))]
    let parent = None;
    let folders =
        parent.into_iter().chain(launchers).filter_map(|program| Some(program.parent()?.parent()?.join("lib")));
    let beside = folders.flat_map(|folder| NAMES.map(|name| folder.join(name))).filter(|file| file.is_file());
    let mut places: Vec<PathBuf> = NAMES.map(PathBuf::from).into();
    places.extend(beside);
    places.dedup();
    places
}
