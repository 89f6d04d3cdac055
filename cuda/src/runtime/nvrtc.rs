//! NVRTC, the run-time compiler, opened by name when it is first needed.

use crate::runtime::error::CudaError;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

type Program = *mut c_void;

/// The functions used. All return 0 for success.
struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    /// Keeps the library loaded.
    _library: Library,
}

/// NVRTC as found on this machine.
pub struct Nvrtc {
    api: Api,
    path: PathBuf,
}

/// Machine code, and what the compiler says about it.
pub struct Compiled {
    /// A cubin.
    pub cubin: Vec<u8>,
    /// Warnings and, if asked for, the use of registers.
    pub log: String,
}

impl Api {
    unsafe fn open(path: &std::path::Path) -> Result<Api, libloading::Error> {
        // SAFETY: the caller names NVRTC, whose functions have these types.
        unsafe {
            let library = Library::new(path)?;
            Ok(Api {
                version: *library.get(b"nvrtcVersion\0")?,
                create: *library.get(b"nvrtcCreateProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
                log: *library.get(b"nvrtcGetProgramLog\0")?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0")?,
                cubin: *library.get(b"nvrtcGetCUBIN\0")?,
                _library: library,
            })
        }
    }
}

/// Where NVRTC may be found, in order of preference: the path that the user names, the system's loader, the toolkit, and the package
/// `nvidia-cuda-nvrtc` of the Python environment in use.
fn candidates() -> Vec<PathBuf> {
    if let Some(path) = std::env::var_os("AMRCLAW_NVRTC") {
        return vec![path.into()];
    }
    let names = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
    let mut found: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    let toolkit = std::env::var_os("CUDA_HOME").or_else(|| std::env::var_os("CUDA_PATH"));
    let toolkit = toolkit.map_or_else(|| PathBuf::from("/usr/local/cuda"), PathBuf::from);
    found.extend(names.iter().map(|name| toolkit.join("lib64").join(name)));
    found.extend(python_environments().into_iter().flat_map(|environment| in_python(&environment, &names)));
    found
}

/// Folders of Python environments: the active one, and the one of the `python3` that the shell would start.
fn python_environments() -> Vec<PathBuf> {
    let mut environments: Vec<PathBuf> = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from).into_iter().collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let interpreter = std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|file| file.is_file());
    // The interpreter lies in `bin` of its environment.
    environments.extend(interpreter.and_then(|file| file.parent()?.parent().map(PathBuf::from)));
    environments
}

/// The package's library in an environment: `lib/pythonX.Y/site-packages/nvidia/*/lib/`.
fn in_python(environment: &std::path::Path, names: &[&str]) -> Vec<PathBuf> {
    let folders = |path: PathBuf| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    let mut found = Vec::new();
    for python in folders(environment.join("lib")) {
        for packages in ["site-packages", "dist-packages"] {
            for part in folders(python.join(packages).join("nvidia")) {
                found.extend(names.iter().map(|name| part.join("lib").join(name)).filter(|path| path.is_file()));
            }
        }
    }
    found
}

impl Nvrtc {
    /// NVRTC, opened at the first call.
    ///
    /// # Errors
    /// If it is nowhere; the error names the package to install.
    pub fn get() -> Result<&'static Nvrtc, CudaError> {
        static FOUND: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
        let open = || {
            let paths = candidates();
            for path in &paths {
                // SAFETY: the names are NVRTC's.
                if let Ok(api) = unsafe { Api::open(path) } {
                    return Ok(Nvrtc { api, path: path.clone() });
                }
            }
            Err(paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "))
        };
        FOUND.get_or_init(open).as_ref().map_err(|tried| CudaError::NoNvrtc { tried: tried.clone() })
    }

    /// Major and minor version.
    pub fn version(&self) -> [u32; 2] {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the function writes two numbers.
        unsafe { (self.api.version)(&mut major, &mut minor) };
        [major as u32, minor as u32]
    }

    /// The library's file, or its name if the system's loader found it.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Compiles `text` to machine code. `name`: the file's name in messages.
    ///
    /// # Errors
    /// The compiler's log, if the text does not compile.
    pub fn compile(&self, name: &str, text: &str, options: &[String]) -> Result<Compiled, String> {
        let c_string = |text: &str| CString::new(text).map_err(|_| format!("{name} holds a zero byte"));
        let (source, name) = (c_string(text)?, c_string(name)?);
        let options: Vec<CString> = options.iter().map(|option| c_string(option)).collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program: Program = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: all strings live until the program is destroyed, and buffers are as large as NVRTC says.
        unsafe {
            if (self.api.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, none, none) != 0 {
                return Err("NVRTC refuses the program".into());
            }
            let status = (self.api.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let log = self.fetch(program, self.api.log_size, self.api.log);
            let log = CStr::from_bytes_until_nul(&log).map_or_else(|_| String::new(), |s| s.to_string_lossy().into());
            let cubin = self.fetch(program, self.api.cubin_size, self.api.cubin);
            (self.api.destroy)(&mut program);
            if status == 0 { Ok(Compiled { cubin, log }) } else { Err(log) }
        }
    }

    /// Fetches an output of a program: `size` gives its length, `get` its bytes.
    unsafe fn fetch(
        &self,
        program: Program,
        size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ) -> Vec<u8> {
        let mut len = 0;
        // SAFETY: the program exists; the buffer has the size asked for.
        unsafe {
            if size(program, &mut len) != 0 || len == 0 {
                return Vec::new();
            }
            let mut bytes = vec![0u8; len];
            get(program, bytes.as_mut_ptr().cast());
            bytes
        }
    }
}
