//! Lists of marked items, as adaption makes them: `cargo bench -p amrclaw-unstructured --bench lists -- [ITEMS ...] [--threads N]`.
//!
//! Microseconds by the ways of `lists.cu` on a GPU, if there is one, and by sums over parts on the host's threads. Every list is compared with the
//! one that a loop makes: that of sums as it is, others sorted.

use cuda::abi::{DeviceStruct, Pointer};
use cuda::compile::{Source, Target};
use cuda::{CudaError, Device, DeviceBuffer, Grid, Module, Stream, device_struct};
use rayon::prelude::*;
use riemann::real::Precision;
use std::error::Error;
use std::time::Instant;

/// Threads of a block: `BLOCK` in `lists.cu`.
const BLOCK: usize = 256;
/// Items that a thread of the host takes at a time.
const PART: usize = 1 << 14;
/// Shares of marked items, in percent.
const SHARES: [u64; 4] = [1, 10, 50, 100];
const REPETITIONS: u32 = 200;

device_struct! {
    /// What kernels take.
    pub struct ListArgs {
        /// One for each item: 0 or not.
        pub marks: Pointer<u32>,
        /// The marked items.
        pub list: Pointer<u32>,
        /// Their number.
        pub length: Pointer<u32>,
        /// Marks of each block of threads, then those before it.
        pub blocks: Pointer<u32>,
        /// Items.
        pub count: u32,
        /// Blocks.
        pub num_blocks: u32,
    }
}

/// Ways on a device: the kernels, of which `list_offsets` has one block.
const WAYS: [(&str, &[&str]); 4] = [
    ("atomics", &["list_atomics"]),
    ("ballot", &["list_ballot"]),
    ("shared", &["list_shared"]),
    ("prefix sums", &["list_counts", "list_offsets", "list_sums"]),
];

/// Marks by chance, always the same, of a share of all items: in runs of 16, as leaves are that are divided together.
fn marks(count: usize, share: u64) -> Vec<u32> {
    let is_marked = |item: usize| {
        let mixed = (item as u64 / 16 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
    };
    (0..count).map(|item| u32::from(is_marked(item) % 100 < share)).collect()
}

/// The list by sums over parts, on threads.
fn on_threads(marks: &[u32]) -> Vec<u32> {
    let parts: Vec<u32> = marks.par_chunks(PART).map(|part| part.iter().sum()).collect();
    let mut list = vec![0; parts.iter().sum::<u32>() as usize];
    let (mut rest, mut places) = (&mut list[..], Vec::with_capacity(parts.len()));
    for count in parts {
        let (place, behind) = rest.split_at_mut(count as usize);
        places.push(place);
        rest = behind;
    }
    places.into_par_iter().zip(marks.par_chunks(PART)).enumerate().for_each(|(part, (place, marks))| {
        let marked = (0..marks.len()).filter(|&k| marks[k] != 0).map(|k| (part * PART + k) as u32);
        place.iter_mut().zip(marked).for_each(|(place, item)| *place = item);
    });
    list
}

/// Microseconds of each way on a device.
struct Gpu {
    device: Device,
    stream: Stream,
    module: Module,
}

impl Gpu {
    fn new() -> Result<Self, CudaError> {
        let device = Device::open(0, None)?;
        let source = Source {
            file: "lists.cu",
            texts: vec![include_str!("lists.cu")],
            definitions: vec![ListArgs::cuda_text()],
            defines: Vec::new(),
        };
        let target = Target { precision: Precision::F64, fused: true, solver: None };
        let module = device.compile(&source, &target)?;
        let stream = device.stream()?;
        Ok(Gpu { device, stream, module })
    }

    fn times(&self, marks: &[u32], known: &[u32]) -> Result<Vec<f64>, CudaError> {
        let blocks = marks.len().div_ceil(BLOCK);
        let room = |count: usize| -> Result<DeviceBuffer<u32>, CudaError> { self.device.buffer(count) };
        let (on_device, list, length, of_blocks) = (room(marks.len())?, room(marks.len())?, room(1)?, room(blocks)?);
        self.stream.upload(marks, &on_device, 0)?;
        let args = ListArgs {
            marks: on_device.at(0),
            list: list.at(0),
            length: length.at(0),
            blocks: of_blocks.at(0),
            count: marks.len() as u32,
            num_blocks: blocks as u32,
        };
        let mut times = Vec::new();
        for (way, names) in WAYS {
            let kernels = names.iter().map(|&name| Ok((name, self.module.kernel(name)?)));
            let kernels = kernels.collect::<Result<Vec<_>, CudaError>>()?;
            let once = || {
                self.stream.fill(&length, 0, 1, 0)?;
                for (name, kernel) in &kernels {
                    let items = if *name == "list_offsets" { BLOCK } else { marks.len() };
                    // SAFETY: the kernels take this struct, and its arrays are as long as they need.
                    unsafe { kernel.launch(&self.stream, Grid::over(items, BLOCK as u32), &args)? };
                }
                Ok::<_, CudaError>(())
            };
            once()?;
            let mut count = [0];
            self.stream.download(&length, 0, &mut count)?;
            let mut found = vec![0; count[0] as usize];
            self.stream.download(&list, 0, &mut found)?;
            if names.len() == 1 {
                found.sort_unstable();
            }
            assert!(found == known, "{way}: another list");
            self.stream.synchronize()?;
            let clock = Instant::now();
            (0..REPETITIONS).try_for_each(|_| once())?;
            self.stream.synchronize()?;
            times.push(1e6 * clock.elapsed().as_secs_f64() / f64::from(REPETITIONS));
        }
        Ok(times)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut sizes, mut threads) = (Vec::new(), 0);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().ok_or("--threads needs a number")?.parse()?,
            size => sizes.push(size.parse::<f64>().map_err(|_| format!("`{size}` is no number of items"))? as usize),
        }
    }
    if sizes.is_empty() {
        sizes = vec![45_000, 1_000_000, 4_000_000];
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let gpu = Gpu::new().inspect_err(|error| println!("no GPU: {error}")).ok();
    let columns = WAYS.map(|(way, _)| format!("{way:>12}")).concat();
    let name = gpu.as_ref().map_or("", |gpu| gpu.device.info().name.as_str());
    println!("microseconds on {name}, and on {} threads of the host", rayon::current_num_threads());
    println!("{:>10} {:>7}{columns}{:>12}", "items", "marked", "host");
    for size in sizes {
        for share in SHARES {
            let marks = marks(size, share);
            let known: Vec<u32> = (0..size as u32).filter(|&item| marks[item as usize] != 0).collect();
            let mut times = gpu.as_ref().map_or(Ok(Vec::new()), |gpu| gpu.times(&marks, &known))?;
            times.resize(WAYS.len(), f64::NAN);
            assert!(on_threads(&marks) == known, "the host's list");
            let clock = Instant::now();
            (0..REPETITIONS / 10).for_each(|_| drop(on_threads(&marks)));
            times.push(1e6 * clock.elapsed().as_secs_f64() / f64::from(REPETITIONS / 10));
            let times: String = times.iter().map(|time| format!("{time:>12.1}")).collect();
            println!("{size:>10} {:>6.1}%{times}", 100.0 * known.len() as f64 / size as f64);
        }
    }
    Ok(())
}
