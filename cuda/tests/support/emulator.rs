//! Kernels compiled for the host, to test their results on machines without a GPU.
//!
//! Only without fused multiply-adds: the host's compiler then does the same IEEE operations in the same order.

use super::library;
use cuda::abi::DeviceStruct;
use cuda::compile::{Source, Target};
use libloading::Library;
use tempfile::TempDir;

/// A kernel compiled to a host function.
pub struct Emulated {
    library: Library,
    /// Keeps the library's folder while the library is loaded: the loader would take a new file at the same path for the same library.
    _folder: TempDir,
    /// The function's name.
    symbol: String,
}

impl Emulated {
    /// Compiles the kernel `name`, whose argument is an `A`, with the host's C++ compiler.
    pub fn new<A: DeviceStruct>(source: &Source, target: &Target, name: &str) -> Emulated {
        assert!(!target.fused, "the host has no fused operations");
        let folder = tempfile::tempdir().expect("a folder for the compiler");
        let header = library::header();
        let text =
            format!("#include \"{}\"\n{}\nEMULATE({name}, {})\n", header.display(), source.assemble(target), A::CUDA);
        let library = library::compile(&text, folder.path());
        // SAFETY: the library has just been compiled, and runs no code when it is loaded.
        let library = unsafe { Library::new(&library) }.expect("the library was just made");
        Emulated { library, _folder: folder, symbol: format!("emulate_{name}") }
    }

    /// Runs the kernel.
    ///
    /// # Safety
    /// `args` points to host memory that is laid out as the kernel expects its device memory. Calls must not overlap in time.
    pub unsafe fn run<A: DeviceStruct>(&self, blocks: [u32; 3], threads: u32, args: &A) {
        // SAFETY: the header defines the function with this type.
        unsafe {
            let run = self.library.get::<unsafe extern "C" fn(*const u32, u32, *const A)>(self.symbol.as_bytes());
            run.expect("the header defines it")(blocks.as_ptr(), threads, args);
        }
    }
}
