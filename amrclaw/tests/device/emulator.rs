//! An emulated device: kernels are compiled by the host's C++ compiler, and memory is the host's.
//!
//! New memory is filled with NaN, so that reads of uninitialised memory show.

use super::library;
use amrclaw::exec::DeviceUse;
use amrclaw::exec::gpu::device::{KernelOptions, KernelText, Queue};
use amrclaw::exec::gpu::streamed::Lane;
use amrclaw::fields::PageLock;
use cuda::abi::DeviceStruct;
use cuda::compile::REDUCED_PARAMETERS;
use cuda::{CudaError, Grid};
use libloading::Library;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// The emulated device of one run, or of several runs one after another.
#[derive(Clone)]
pub struct Emulator {
    texts: Arc<[Text]>,
    allocations: Arc<AtomicU64>,
    resident_tiles: u32,
    /// Blocks of each launch of `count_plan`.
    counting: Arc<Mutex<Vec<u32>>>,
    /// Values of the solver's parameters that change from step to step. Simulations share libraries, but not these.
    parameters: Arc<Mutex<Vec<f64>>>,
}

/// Entry points, and the names by which they are launched.
type Entries = Vec<[&'static str; 2]>;

/// A text of kernels, which is compiled when one of them is first launched: few runs launch all.
struct Text {
    source: String,
    entries: Entries,
    compiled: OnceLock<Arc<Compiled>>,
}

/// A compiled text.
struct Compiled {
    library: Library,
    /// Held while a kernel runs: kernels of one library run one at a time.
    running: Mutex<()>,
}

impl Compiled {
    fn open(library: &Path) -> Compiled {
        // SAFETY: the library is one that `compile` has made; it has no initialisation of its own.
        let library = unsafe { Library::new(library) }.expect("the library is there");
        Compiled { library, running: Mutex::new(()) }
    }
}

/// Compiled libraries by their text: simulations of one case share kernels.
static COMPILED: Mutex<BTreeMap<String, Arc<Compiled>>> = Mutex::new(BTreeMap::new());

/// Memory in words, so that it is aligned for every number.
pub struct HostMemory {
    words: Box<[u64]>,
    bytes: usize,
}

/// Text of functions that run the threads of a kernel one after another, if these do not wait for each other.
const LOOPS: &str = r"
template <class Args> static void run_threads(void (*kernel)(Args), const unsigned* blocks, unsigned threads, const void* args)
{
    gridDim = Dim3{blocks[0], 1, 1};
    blockDim = Dim3{threads, 1, 1};
    for (unsigned block = 0; block < blocks[0]; block++)
        for (unsigned thread = 0; thread < threads; thread++) {
            blockIdx = Dim3{block, 0, 0};
            threadIdx = Dim3{thread, 0, 0};
            kernel(*static_cast<const Args*>(args));
        }
}
";

impl Text {
    /// Simulations of one case share what is compiled.
    fn compile(&self) -> Arc<Compiled> {
        if let Some(known) = COMPILED.lock().expect("no thread panics").get(&self.source) {
            return known.clone();
        }
        let library = compile(&self.source);
        // If several threads need a library at the same time, one of them opens it for all.
        let mut opened = COMPILED.lock().expect("no thread panics");
        opened.entry(self.source.clone()).or_insert_with(|| Arc::new(Compiled::open(&library))).clone()
    }
}

impl Emulator {
    /// Makes the texts of the kernels of a run.
    pub fn new(options: &KernelOptions) -> Emulator {
        let header = library::header();
        let text = |text: KernelText| {
            let mut source =
                format!("#include \"{}\"\n{}\n{LOOPS}", header.display(), text.source.assemble(&text.target));
            for [entry, _] in &text.entries {
                source += &match *entry {
                    update @ ("update_2d" | "update_3d") => format!("EMULATE({update}, UpdateArgs)\n"),
                    // Its lanes vote.
                    "flag_difference" => "EMULATE(flag_difference, FlagArgs)\n".to_owned(),
                    "flag_function" => "EMULATE(flag_function, FlagFunctionArgs)\n".to_owned(),
                    // Their lanes exchange maxima.
                    "largest" => "EMULATE(largest, LargestArgs)\n".to_owned(),
                    "extremes" => "EMULATE(extremes, ExtremesArgs)\n".to_owned(),
                    // Their threads vote, exchange maxima or share memory.
                    "turn_tags" => "EMULATE(turn_tags, TurnArgs)\n".to_owned(),
                    "cluster" => "EMULATE(cluster, ClusterArgs)\n".to_owned(),
                    "cluster_long" => "EMULATE(cluster_long, ClusterArgs)\n".to_owned(),
                    "join_tiles" => "EMULATE(join_tiles, JoinTilesArgs)\n".to_owned(),
                    "nest" => "EMULATE(nest, NestArgs)\n".to_owned(),
                    "sort_boxes" => "EMULATE(sort_boxes, SortArgs)\n".to_owned(),
                    plan @ ("count_plan" | "sum_plan" | "write_plan") => format!("EMULATE({plan}, PlanArgs)\n"),
                    "divide_plan" => "EMULATE(divide_plan, DivideArgs)\n".to_owned(),
                    // Their lanes exchange maxima and vote.
                    cells @ ("cells_update" | "cells_gather" | "cells_range") => {
                        format!("EMULATE({cells}, CellsArgs)\n")
                    }
                    // Their lanes add up.
                    springs @ ("springs_forces" | "springs_advance" | "springs_sum") => {
                        format!("EMULATE({springs}, SpringsArgs)\n")
                    }
                    leaves @ ("leaves_renew" | "leaves_links") => format!("EMULATE({leaves}, LeavesArgs)\n"),
                    // Its threads share rows.
                    "flag_widen" => "EMULATE(flag_widen, WidenArgs)\n".to_owned(),
                    // Its lanes compute a prefix sum.
                    "number_faces" => "EMULATE(number_faces, NumberFacesArgs)\n".to_owned(),
                    plain => format!(
                        "EXPORTED void emulate_{plain}(const unsigned* b, unsigned t, const void* a) {{ run_threads({plain}, b, t, a); }}\n"
                    ),
                };
            }
            if source.contains(REDUCED_PARAMETERS) {
                source += &format!("EXPORTED double* emulated_parameters() {{ return {REDUCED_PARAMETERS}; }}\n");
            }
            Text { source, entries: text.entries, compiled: OnceLock::new() }
        };
        Emulator {
            texts: options.texts().into_iter().map(text).collect(),
            allocations: Arc::default(),
            resident_tiles: 64,
            counting: Arc::default(),
            parameters: Arc::default(),
        }
    }

    /// The compiled text that has a kernel, and the kernel's entry point.
    fn find(&self, kernel: &str) -> (&Compiled, &'static str) {
        let entry = |text: &Text| text.entries.iter().find(|[_, name]| *name == kernel).map(|[entry, _]| *entry);
        let found = self.texts.iter().find_map(|text| Some((text, entry(text)?)));
        let (text, entry) = found.unwrap_or_else(|| panic!("no {kernel}"));
        (text.compiled.get_or_init(|| text.compile()), entry)
    }

    /// Tiles that are resident at once.
    pub fn resident_tiles(&self) -> u32 {
        self.resident_tiles
    }

    /// The same emulator, with `resident_tiles` tiles resident at once.
    pub fn with_resident_tiles(self, resident_tiles: u32) -> Emulator {
        Emulator { resident_tiles, ..self }
    }

    /// The same emulator, which records in `counting` how many blocks each launch has that counts the plans of a new level.
    pub fn noting(self, counting: Arc<Mutex<Vec<u32>>>) -> Emulator {
        Emulator { counting, ..self }
    }
}

/// Compiles a text to a library, unless an earlier run of the tests has.
fn compile(source: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (source, library::FLAGS, library::compiler()).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    std::fs::create_dir_all(&folder).expect("a folder for libraries");
    let kept = folder.join(format!("{:016x}.so", hasher.finish()));
    if !kept.exists() {
        let making = tempfile::tempdir_in(&folder).expect("a folder for the compiler");
        let made = library::compile(source, making.path());
        std::fs::rename(made, &kept).expect("the library was just made");
    }
    kept
}

impl HostMemory {
    fn slice(&self, at: usize, bytes: usize) -> *mut u8 {
        assert!(at + bytes <= self.bytes, "{bytes} bytes at {at} of {}", self.bytes);
        // Kernels write this memory through addresses, whoever borrows it: hence a mutable pointer.
        self.words.as_ptr().cast::<u8>().cast_mut().wrapping_add(at)
    }
}

impl Queue for Emulator {
    type Memory = HostMemory;

    fn allocate(&self, bytes: usize) -> Result<HostMemory, CudaError> {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        Ok(HostMemory { words: vec![u64::MAX; bytes.div_ceil(8).max(1)].into_boxed_slice(), bytes })
    }

    fn address(memory: &HostMemory) -> u64 {
        memory.words.as_ptr() as u64
    }

    fn upload(&self, source: &[u8], target: &HostMemory, at: usize) -> Result<(), CudaError> {
        // SAFETY: the place lies in the memory; calls follow each other.
        unsafe { target.slice(at, source.len()).copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        Ok(())
    }

    fn download(&self, source: &HostMemory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        // SAFETY: likewise.
        unsafe { target.as_mut_ptr().copy_from_nonoverlapping(source.slice(at, target.len()), target.len()) };
        Ok(())
    }

    fn zero(&self, target: &HostMemory, at: usize, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: likewise.
        unsafe { target.slice(at, bytes).write_bytes(0, bytes) };
        Ok(())
    }

    fn set_parameters(&self, values: &[f64]) -> Result<(), CudaError> {
        *self.parameters.lock().expect("no kernel panics") = values.to_vec();
        Ok(())
    }

    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError> {
        let (compiled, entry) = self.find(kernel);
        if entry == "count_plan" {
            self.counting.lock().expect("no kernel panics").push(grid.blocks[0]);
        }
        let symbol = format!("emulate_{entry}");
        let _one_at_a_time = compiled.running.lock().expect("no kernel panics");
        let parameters = self.parameters.lock().expect("no kernel panics");
        // SAFETY: a text that has the function has a value for each parameter; no kernel of the library runs.
        unsafe {
            if let Ok(place) = compiled.library.get::<unsafe extern "C" fn() -> *mut f64>(b"emulated_parameters") {
                place().copy_from_nonoverlapping(parameters.as_ptr(), parameters.len());
            }
        }
        // SAFETY: the text defines the function with this type and struct; addresses are valid on the host.
        unsafe {
            let run = compiled.library.get::<unsafe extern "C" fn(*const u32, u32, *const A)>(symbol.as_bytes());
            run.unwrap_or_else(|e| panic!("{kernel}: {e}"))(grid.blocks.as_ptr(), grid.threads, argument);
        }
        Ok(())
    }
}

/// Memory that needs no locks.
struct NoLocks;

impl PageLock for NoLocks {
    unsafe fn lock(&self, _: usize, _: usize) -> bool {
        false
    }

    unsafe fn unlock(&self, _: usize) {}
}

/// Copies and kernels finish before the call returns.
impl Lane for Emulator {
    type Pinned = Vec<u8>;

    fn pinned(&self, bytes: usize) -> Result<Vec<u8>, CudaError> {
        Ok(vec![0; bytes])
    }

    unsafe fn upload_async(&self, source: &[u8], target: &HostMemory, at: usize) -> Result<(), CudaError> {
        self.upload(source, target, at)
    }

    unsafe fn download_async(&self, source: &HostMemory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        self.download(source, at, target)
    }

    fn wait(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn resident_blocks(&self, _: &'static str, _: u32) -> Result<u32, CudaError> {
        Ok(self.resident_tiles)
    }

    fn locks(&self) -> Box<dyn PageLock> {
        Box::new(NoLocks)
    }

    fn usage(&self) -> DeviceUse {
        let mut usage = DeviceUse::default();
        usage.memory.driver_allocations = self.allocations.load(Ordering::Relaxed);
        usage
    }
}
