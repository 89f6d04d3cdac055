//! The MPI functions that ranks use, loaded at run time: from a library with the standard ABI (MPI-5.0, chapter 20), or from any other
//! through a shim ([`super::shim`]).

use super::launcher::Family;
use super::shim;
use libloading::Library;
use std::collections::BTreeSet;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// Names of a library with the standard ABI; the second may be a linker script.
const NAMES: [&str; 2] = ["libmpi_abi.so.1", "libmpi_abi.so"];

/// Compilers by which other libraries are found. Debian installs several side by side.
const COMPILERS: [&str; 3] = ["mpicc", "mpicc.openmpi", "mpicc.mpich"];

/// The variable that names a library, or a compiler.
pub const VARIABLE: &str = "AMRCLAW_MPI";

/// No usable library was found: each file that was tried, with its error.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "a launcher has started this program as one of several processes, but no MPI library was found that could make \
     them ranks of one run:\n{}\n  \
     help: for MPICH, version 5 or later, the library {} is enough (`pip install mpich` installs it, with mpiexec); \
     for Open MPI and other libraries the command mpicc is needed once (Debian: libopenmpi-dev or libmpich-dev; on a \
     cluster: the module of its MPI); the environment variable {VARIABLE} gives the path of either file. For ranks in \
     one process, leave mpiexec out and write --ranks",
    tried_text(tried),
    NAMES[0]
)]
pub struct NoLibrary {
    /// Files and errors.
    pub tried: Vec<(PathBuf, String)>,
}

fn tried_text(tried: &[(PathBuf, String)]) -> String {
    let lines = tried.iter().map(|(path, why)| format!("  {}: {why}", path.display()));
    if tried.is_empty() { "  there is no mpicc".to_owned() } else { lines.collect::<Vec<_>>().join("\n") }
}

/// Why a library is not taken.
const NOT_STANDARD: &str = "it has not the standard ABI of MPI 5: name the mpicc of this library instead";

/// `MPI_COMM_WORLD`.
pub const WORLD: usize = 0x101;
/// `MPI_UINT64_T`.
pub const WORDS: usize = 0x259;
/// `MPI_REQUEST_NULL`.
pub const NO_REQUEST: usize = 0x180;
/// `MPI_THREAD_SERIALIZED`.
pub const SERIALIZED: c_int = 2048;
/// `MPI_ERRORS_RETURN`.
pub const ERRORS_RETURN: usize = 0x143;
/// `MPI_ANY_SOURCE`.
pub const ANY: c_int = -1;

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
        /// The functions, by what they do. Handles are pointers in the standard ABI; each function returns 0 on success.
        pub struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
            /// The library's file, or the compiler by which it was found.
            pub path: PathBuf,
            /// Tells whether the library is GPU-aware: messages may lie in a GPU's memory.
            gpu_aware: Option<unsafe extern "C" fn() -> c_int>,
            library: Library,
        }

        impl Functions {
            /// Loads the functions, whose names in `library` begin with `prefix`.
            ///
            /// # Safety
            /// The library is what its name says.
            unsafe fn load(library: &Path, prefix: &str, path: &Path) -> Result<Self, libloading::Error> {
                // SAFETY: the caller's promise; the table keeps the library for as long as its functions may be called.
                unsafe {
                    let library = Library::new(library)?;
                    Ok(Functions {
                        $($field: *library.get(format!("{prefix}{}", $name).as_bytes())?,)*
                        path: path.to_owned(),
                        gpu_aware: library.get(format!("{prefix}MPIX_Query_cuda_support").as_bytes()).ok().map(|f| *f),
                        library,
                    })
                }
            }
        }
    };
}

functions! {
    is_initialized "MPI_Initialized": fn(*mut c_int);
    init "MPI_Init_thread": fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    finalize "MPI_Finalize": fn();
    abort "MPI_Abort": fn(usize, c_int);
    rank "MPI_Comm_rank": fn(usize, *mut c_int);
    size "MPI_Comm_size": fn(usize, *mut c_int);
    version "MPI_Get_library_version": fn(*mut c_char, *mut c_int);
    set_error_handler "MPI_Comm_set_errhandler": fn(usize, usize);
    error_text "MPI_Error_string": fn(c_int, *mut c_char, *mut c_int);
    send "MPI_Isend": fn(*const c_void, c_int, usize, c_int, c_int, usize, *mut usize);
    test "MPI_Test": fn(*mut usize, *mut c_int, *mut Status);
    probe "MPI_Iprobe": fn(c_int, c_int, usize, *mut c_int, *mut Status);
    count "MPI_Get_count": fn(*const Status, usize, *mut c_int);
    begin_receiving "MPI_Irecv": fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut usize);
    receive "MPI_Recv": fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut Status);
}

impl Functions {
    /// Finds a library for processes that a launcher of this family has started: the one that the variable names; one with the standard ABI,
    /// where the system looks, or beside the launcher; one whose compiler is beside the launcher or in `PATH`.
    ///
    /// # Errors
    /// There is none.
    pub fn find(family: Family) -> Result<Self, NoLibrary> {
        let mut tried = Vec::new();
        for place in places() {
            match place.open() {
                Ok(functions) if family.takes(&functions.version()) => return Ok(functions),
                Ok(functions) => {
                    tried.push((functions.path.clone(), format!("{}, not the launcher's", functions.version())))
                }
                Err(why) => tried.push((place.path().to_owned(), why)),
            }
        }
        Err(NoLibrary { tried })
    }

    /// All libraries that are found.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for functions in places().iter().filter_map(|place| place.open().ok()) {
            if all.iter().all(|known| known.version() != functions.version()) {
                all.push(functions);
            }
        }
        all
    }

    /// True if the library has the standard ABI: it alone has this function.
    fn has_standard_abi(&self) -> bool {
        // SAFETY: it is only looked for, not called.
        unsafe { self.library.get::<unsafe extern "C" fn()>(b"MPI_Abi_get_version") }.is_ok()
    }

    /// The status of a message, once it has been sent or received.
    ///
    /// # Errors
    /// The code of MPI's error.
    pub fn status(&self, request: &mut usize) -> Result<Option<Status>, c_int> {
        let (mut is_done, mut status) = (0, Status::default());
        // SAFETY: a request that is under way, or none; the rest are places for the answers.
        match unsafe { (self.test)(&raw mut *request, &raw mut is_done, &raw mut status) } {
            0 => Ok((is_done != 0).then_some(status)),
            code => Err(code),
        }
    }

    /// The library's version text, in one line.
    pub fn version(&self) -> String {
        // SAFETY: there is room for the longest text.
        line_of(|text, len| unsafe { (self.version)(text, len) })
    }

    /// What an error code means, in one line.
    pub fn error(&self, code: c_int) -> String {
        // SAFETY: likewise.
        line_of(|text, len| unsafe { (self.error_text)(code, text, len) })
    }

    /// Whether the library is GPU-aware, if it tells. Libraries other than Open MPI tell only after they have been initialized.
    pub fn is_gpu_aware(&self) -> Option<bool> {
        let mut is_started = 0;
        // SAFETY: it is a place for the answer, and may be asked at any time.
        unsafe { (self.is_initialized)(&raw mut is_started) };
        let may_ask = is_started != 0 || Family::OpenMpi.takes(&self.version());
        // SAFETY: it only asks, and does so at a time when it may.
        self.gpu_aware.filter(|_| may_ask).map(|ask| unsafe { ask() } == 1)
    }
}

/// The first line of a text that MPI writes.
fn line_of(write: impl FnOnce(*mut c_char, *mut c_int) -> c_int) -> String {
    // Longer than the longest text, MPI_MAX_LIBRARY_VERSION_STRING.
    let (mut text, mut len) = (vec![0_u8; 8192], 0);
    write(text.as_mut_ptr().cast(), &raw mut len);
    text.truncate(usize::try_from(len).unwrap_or(0));
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().next().unwrap_or_default().trim_end_matches('\0');
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where a library may be.
enum Place {
    /// One with the standard ABI.
    Standard(PathBuf),
    /// The compiler of another one.
    Compiler(PathBuf),
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Place::Standard(path) | Place::Compiler(path) => path,
        }
    }

    fn open(&self) -> Result<Functions, String> {
        let why = |error: libloading::Error| {
            std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
        };
        match self {
            Place::Standard(path) => {
                // SAFETY: a file of this name is an MPI library with the standard ABI, or one that the user has named as such.
                let functions = unsafe { Functions::load(path, "", path) }.map_err(why)?;
                if functions.has_standard_abi() { Ok(functions) } else { Err(NOT_STANDARD.to_owned()) }
            }
            Place::Compiler(path) => {
                let library = shim::compiled(path)?;
                // SAFETY: it has been made from the shim, for the library whose compiler made it.
                unsafe { Functions::load(&library, shim::PREFIX, path) }.map_err(why)
            }
        }
    }
}

fn places() -> Vec<Place> {
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        let is_compiler = named.file_name().is_some_and(|name| name.to_string_lossy().contains("mpicc"));
        return vec![if is_compiler { Place::Compiler(named) } else { Place::Standard(named) }];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A launcher that is called by its path need not be in `PATH`; its helper is what starts the ranks.
    #[cfg(target_os = "linux")]
    let parent = std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).ok();
    #[cfg(not(target_os = "linux"))]
    let parent: Option<PathBuf> = None;
    let beside = parent.as_ref().and_then(|program| program.parent()).map(Path::to_owned);
    let folders = beside.into_iter().chain(std::env::split_paths(&path));
    // A folder may be there under several names.
    let mut known = BTreeSet::new();
    let folders = folders.filter_map(|folder| folder.canonicalize().ok()).filter(|folder| known.insert(folder.clone()));
    let folders: Vec<PathBuf> = folders.collect();
    let launchers = folders.iter().filter(|folder| folder.join("mpiexec").is_file());
    let libraries = launchers.filter_map(|folder| Some(folder.parent()?.join("lib")));
    let libraries = libraries.flat_map(|folder| NAMES.map(|name| folder.join(name))).filter(|file| file.is_file());
    let standard = NAMES.map(PathBuf::from).into_iter().chain(libraries).map(Place::Standard);
    let compilers = folders.iter().flat_map(|folder| COMPILERS.map(|name| folder.join(name)));
    standard.chain(compilers.filter(|file| file.is_file()).map(Place::Compiler)).collect()
}
