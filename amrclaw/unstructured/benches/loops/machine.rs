//! Where loops run: on the host's threads or on a GPU.

use cuda::abi::{DeviceStruct, Pointer};
use cuda::compile::{Source, Target};
use cuda::device_struct;
use cuda::{CudaError, Device, DeviceBuffer, Grid, Kernel, Module, Stream};
use libloading::Library;
use rayon::prelude::*;
use riemann::real::Precision;
use std::collections::HashMap;
use std::error::Error;
use std::process::Command;

device_struct! {
    /// What kernels take: `[component, item]`, see `loops.cu`.
    pub struct LoopArgs {
        pub left: Pointer<u32>,
        pub right: Pointer<u32>,
        pub face_nodes: Pointer<u32>,
        pub cell_nodes: Pointer<u32>,
        pub cell_faces: Pointer<u32>,
        pub node_faces: Pointer<u32>,
        pub node_face_starts: Pointer<u32>,
        pub node_cells: Pointer<u32>,
        pub node_cell_starts: Pointer<u32>,
        pub list: Pointer<u32>,
        pub vector: Pointer<f64>,
        pub q: Pointer<f64>,
        pub node_values: Pointer<f64>,
        pub flux: Pointer<f64>,
        pub stored: Pointer<f64>,
        pub at_nodes: Pointer<f64>,
        pub gradient: Pointer<f64>,
        pub residual: Pointer<f64>,
        pub extremes: Pointer<f64>,
        pub cells: u32,
        pub faces: u32,
        pub nodes: u32,
        pub first: u32,
        pub end: u32,
    }
}

/// Memory and kernels. An address stays valid as long as the machine.
pub trait Machine {
    fn name(&self) -> String;
    fn words(&mut self, items: &[u32]) -> u64;
    fn floats(&mut self, items: &[f64]) -> u64;
    fn zero(&mut self, array: (u64, usize));
    fn run(&mut self, kernel: &'static str, args: &LoopArgs);
    fn wait(&mut self);
    fn read(&mut self, array: (u64, usize)) -> Vec<f64>;
}

/// Items that a thread of the host takes at a time.
const ITEMS: u32 = 1 << 14;

/// The host.
pub struct Host {
    library: Library,
    words: Vec<Vec<u32>>,
    floats: Vec<Vec<f64>>,
}

impl Host {
    /// Compiles the kernels.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (text, library) = (folder.path().join("loops.cpp"), folder.path().join("libloops.so"));
        std::fs::write(&text, [include_str!("host.h"), &LoopArgs::cuda_text(), include_str!("loops.cu")].concat())?;
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let options = ["-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", "-o"];
        let status = Command::new(&compiler).args(options).arg(&library).arg(&text).status()?;
        if !status.success() {
            return Err(format!("{compiler} failed").into());
        }
        // SAFETY: the library has no code that runs when it is loaded.
        Ok(Host { library: unsafe { Library::new(&library)? }, words: Vec::new(), floats: Vec::new() })
    }
}

impl Machine for Host {
    fn name(&self) -> String {
        format!("{} threads of the host", rayon::current_num_threads())
    }

    fn words(&mut self, items: &[u32]) -> u64 {
        self.words.push(items.to_vec());
        self.words[self.words.len() - 1].as_ptr() as u64
    }

    fn floats(&mut self, items: &[f64]) -> u64 {
        self.floats.push(items.to_vec());
        self.floats[self.floats.len() - 1].as_ptr() as u64
    }

    fn zero(&mut self, (address, count): (u64, usize)) {
        // SAFETY: an array of this machine, which nobody else uses meanwhile.
        let values = unsafe { std::slice::from_raw_parts_mut(address as *mut f64, count) };
        values.par_chunks_mut(ITEMS as usize).for_each(|values| values.fill(0.0));
    }

    fn run(&mut self, kernel: &'static str, args: &LoopArgs) {
        // SAFETY: the functions of the library take this struct.
        let function = unsafe { self.library.get::<unsafe extern "C" fn(&LoopArgs)>(kernel.as_bytes()) };
        let function = function.expect("it was compiled");
        (0..(args.end - args.first).div_ceil(ITEMS)).into_par_iter().for_each(|part| {
            let first = args.first + part * ITEMS;
            // SAFETY: the arrays are as long as the struct says; the kernels' loops touch no place twice, or atomically.
            unsafe { function(&LoopArgs { first, end: args.end.min(first + ITEMS), ..*args }) };
        });
    }

    fn wait(&mut self) {}

    fn read(&mut self, (address, count): (u64, usize)) -> Vec<f64> {
        // SAFETY: likewise.
        unsafe { std::slice::from_raw_parts(address as *const f64, count) }.to_vec()
    }
}

/// A GPU.
pub struct Gpu {
    device: Device,
    stream: Stream,
    module: Module,
    kernels: HashMap<&'static str, Kernel>,
    words: Vec<DeviceBuffer<u32>>,
    floats: Vec<DeviceBuffer<f64>>,
}

/// The first GPU, if there is one.
pub fn device() -> Result<Gpu, CudaError> {
    let device = Device::open(0, None)?;
    let source = Source {
        file: "loops.cu",
        texts: vec![include_str!("device.cuh"), include_str!("loops.cu")],
        definitions: vec![LoopArgs::cuda_text()],
        defines: Vec::new(),
    };
    let target = Target { precision: Precision::F64, fused: true, solver: None };
    let module = device.compile(&source, &target)?;
    let stream = device.stream()?;
    Ok(Gpu { device, stream, module, kernels: HashMap::new(), words: Vec::new(), floats: Vec::new() })
}

impl Gpu {
    fn buffer(&self, address: u64) -> &DeviceBuffer<f64> {
        self.floats.iter().find(|buffer| buffer.at(0).address() == address).expect("an array of this machine")
    }
}

/// A failure of the device ends the benchmark.
fn well<T>(result: Result<T, CudaError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

impl Machine for Gpu {
    fn name(&self) -> String {
        self.device.info().name.clone()
    }

    fn words(&mut self, items: &[u32]) -> u64 {
        let buffer = well(self.device.buffer(items.len()));
        well(self.stream.upload(items, &buffer, 0));
        self.words.push(buffer);
        self.words[self.words.len() - 1].at(0).address()
    }

    fn floats(&mut self, items: &[f64]) -> u64 {
        let buffer = well(self.device.buffer(items.len()));
        well(self.stream.upload(items, &buffer, 0));
        self.floats.push(buffer);
        self.floats[self.floats.len() - 1].at(0).address()
    }

    fn zero(&mut self, (address, count): (u64, usize)) {
        well(self.stream.fill(self.buffer(address), 0, count, 0));
    }

    fn run(&mut self, kernel: &'static str, args: &LoopArgs) {
        let found = self.kernels.entry(kernel).or_insert_with(|| well(self.module.kernel(kernel)));
        let grid = Grid::over((args.end - args.first) as usize, 256);
        // SAFETY: the kernels take this struct, and its arrays are as long as it says.
        well(unsafe { found.launch(&self.stream, grid, args) });
    }

    fn wait(&mut self) {
        well(self.stream.synchronize());
    }

    fn read(&mut self, (address, count): (u64, usize)) -> Vec<f64> {
        let mut values = vec![0.0; count];
        well(self.stream.download(self.buffer(address), 0, &mut values));
        values
    }
}
