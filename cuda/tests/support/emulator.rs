//! Kernels compiled for the host, for tests of what they compute where there is no GPU.
//!
//! Only without fused multiply-adds: the host's compiler then does the same IEEE operations in the same order.

use super::library;
use cuda::abi::DeviceStruct;
use cuda::compile::{Source, Target};
use libloading::Library;
use tempfile::TempDir;

/// A kernel as a function of the host.
pub struct Emulated {
    library: Library,
    /// The folder of its file, which stays as long: the system takes a new file in the place of one that is gone for the same library.
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
        // SAFETY: the library is the one just made; it has no initialisation of its own.
        let library = unsafe { Library::new(&library) }.expect("the library was just made");
        Emulated { library, _folder: folder, symbol: format!("emulate_{name}") }
    }

    /// Runs the kernel.
    ///
    /// # Safety
    /// `args` points at host memory as its kernel expects device memory. One call at a time.
    pub unsafe fn run<A: DeviceStruct>(&self, blocks: [u32; 3], threads: u32, args: &A) {
        // SAFETY: the header defines the function with this type.
        unsafe {
            let run = self.library.get::<unsafe extern "C" fn(*const u32, u32, *const A)>(self.symbol.as_bytes());
            run.expect("the header defines it")(blocks.as_ptr(), threads, args);
        }
    }
}
