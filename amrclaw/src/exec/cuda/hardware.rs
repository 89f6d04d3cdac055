//! A CUDA device as the executor's machine.

use super::machine::{MARKED_BYTES, Machine};
use crate::exec::DeviceUse;
use crate::exec::cpu::update::sweeps;
use crate::physics::{Problem, Split};
use cuda::abi::DeviceStruct;
use cuda::compile::{Precision, Source, Target};
use cuda::regions::{CONSERVE, LIST_CHUNKS, PLAIN, REGISTERS, SOURCE, Shape};
use cuda::update::{LANES, Taps, UpdateOptions};
use cuda::{CudaError, Device, DeviceBuffer, Event, Grid, Kernel, PinnedBuffer, Stream};
use parking_lot::Mutex;
use rayon::prelude::*;
use riemann::device_source::DeviceSource;
use riemann::patch::{PatchSolver, Scheme};
use riemann::real::Scalar;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of pinned memory through which copies go: with room for landings in the same slab of the pool.
const STAGING: usize = 56 << 20;
/// Bytes that one thread copies at a time: tables of a regrid are shared by threads too.
const PIECE: usize = 64 << 10;

/// A GPU with the compiled kernels of one run.
pub struct Hardware {
    device: Device,
    stream: Stream,
    kernels: Vec<(&'static str, Kernel)>,
    resident_warps: u32,
    /// The device starts kernels ahead.
    ahead: bool,
    /// The kernel launched last writes tables, which the next one may read before it waits.
    tables_written: AtomicBool,
    staging: Mutex<Staging>,
    /// Landings that nothing is on its way to.
    landings: Mutex<Vec<Landing>>,
    marked: Marked,
}

/// What it takes to copy what was there at a mark while the device goes on.
struct Marked {
    mark: Event,
    stream: Stream,
    pinned: Mutex<PinnedBuffer<u8>>,
}

/// Pinned memory, and a mark behind the copy to it.
struct Landing {
    pinned: PinnedBuffer<u8>,
    event: Event,
}

/// A copy on its way to the host.
pub struct Arrival {
    /// Taken when it has arrived.
    landing: Option<Landing>,
    bytes: usize,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        if let Some(Landing { event, .. }) = &self.landing {
            // The memory must stay until the copy is done. A device that fails copies nothing any more.
            let _ = event.synchronize();
        }
    }
}

/// Pinned memory, filled from its beginning; what lies before `used` may still be copied from.
struct Staging {
    pinned: PinnedBuffer<u8>,
    used: usize,
}

/// What a run's kernels are made for.
#[derive(Clone, Debug)]
pub struct KernelOptions {
    /// Sizes that the kernels over regions are specialised by.
    pub shape: Shape,
    /// The scheme.
    pub scheme: Scheme,
    /// Axes of each kind of sweep.
    pub sweeps: Vec<[bool; 2]>,
    /// The solver.
    pub solver: DeviceSource,
    /// Precision of the numbers.
    pub precision: Precision,
    /// Allow fused multiply-adds.
    pub fused: bool,
    /// Keep fluxes for the conservation fix.
    pub conservation_fix: bool,
}

/// The name of an update that keeps no fluxes.
pub(super) fn without_taps(name: &'static str) -> &'static str {
    match name {
        "update_xy" => "update_xy_alone",
        "update_x" => "update_x_alone",
        _ => "update_y_alone",
    }
}

/// One kernel to compile, or several in one text.
#[derive(Clone, Debug)]
pub struct KernelText {
    /// The text.
    pub source: Source,
    /// What to compile it for.
    pub target: Target,
    /// Entry points, and the names that they are launched by.
    pub entries: Vec<[&'static str; 2]>,
}

impl Hardware {
    /// Opens a device for a run, and compiles its kernels or takes them from disk.
    ///
    /// # Errors
    /// If driver, GPU or NVRTC are missing, or a kernel does not compile.
    pub fn open(ordinal: usize, memory_limit: Option<u64>, options: &KernelOptions) -> Result<Self, CudaError> {
        let device = Device::open(ordinal, memory_limit)?;
        let texts = options.texts();
        let compile = |job: &KernelText| {
            let module = device.compile(&job.source, &job.target)?;
            job.entries
                .iter()
                .map(|[entry, name]| Ok((*name, module.kernel(entry)?)))
                .collect::<Result<Vec<_>, CudaError>>()
        };
        let kernels: Vec<_> = texts.par_iter().with_max_len(1).map(compile).collect::<Result<Vec<_>, _>>()?.concat();
        let update = kernels.iter().find(|(name, _)| name.starts_with("update")).expect("there is an update");
        let warps = update.1.blocks_per_multiprocessor(LANES as u32)?;
        let resident_warps = warps * device.info().multiprocessors;
        let staging = Mutex::new(Staging { pinned: device.pinned_buffer(STAGING)?, used: 0 });
        let ahead = device.info().capability[0] >= 9;
        let marked = Marked {
            mark: device.event(false)?,
            stream: device.stream()?,
            pinned: Mutex::new(device.pinned_buffer(MARKED_BYTES)?),
        };
        let stream = device.stream()?;
        Ok(Hardware {
            stream,
            device,
            kernels,
            resident_warps,
            ahead,
            tables_written: AtomicBool::new(false),
            staging,
            landings: Mutex::default(),
            marked,
        })
    }
}

impl KernelOptions {
    /// The kernels of a problem in `D` dimensions. `fused`: allow fused multiply-adds.
    pub fn of<const D: usize, R: Scalar>(
        problem: &Problem<D>,
        solver: &dyn PatchSolver<R>,
        text: DeviceSource,
        fused: bool,
    ) -> Self {
        let mut sweeps: Vec<[bool; 2]> = sweeps::<D>(problem.split).iter().map(|s| [s.axes[0], s.axes[1]]).collect();
        sweeps.sort_unstable();
        sweeps.dedup();
        let mut scheme = problem.scheme;
        if problem.split != Split::Unsplit {
            scheme.transverse = 0;
        }
        let aux_face = solver.aux_face().iter().map(|axis| axis.map_or(-1, |axis| axis as i32)).collect();
        let shape = Shape {
            dim: D,
            num_ghost: problem.num_ghost(),
            equations: solver.equations().len(),
            aux: solver.aux().len(),
            capacity: scheme.capacity,
            aux_face,
        };
        let (precision, conservation_fix) = (Precision::of::<R>(), problem.conservation_fix);
        KernelOptions { shape, scheme, sweeps, solver: text, precision, fused, conservation_fix }
    }

    /// All texts to compile.
    pub fn texts(&self) -> Vec<KernelText> {
        texts(self)
    }
}

fn texts(options: &KernelOptions) -> Vec<KernelText> {
    let shape = &options.shape;
    let plain = Target { precision: options.precision, fused: options.fused, solver: None };
    let solving = Target { solver: Some(options.solver.clone()), ..plain.clone() };
    let mut all = vec![
        KernelText { source: shape.plain(), target: plain.clone(), entries: PLAIN.map(|name| [name; 2]).to_vec() },
        KernelText {
            source: shape.registers(false),
            target: solving.clone(),
            entries: REGISTERS.map(|name| [name; 2]).to_vec(),
        },
    ];
    if shape.capacity >= 0 {
        all.push(KernelText { source: shape.conserve(), target: plain, entries: vec![[CONSERVE; 2]] });
    }
    if options.solver.has_source {
        all.push(KernelText { source: shape.source_terms(), target: solving.clone(), entries: vec![[SOURCE; 2]] });
    }
    for &sweep in &options.sweeps {
        let name = super::advance::update_name([sweep[0], sweep[1], false]);
        let kinds = [(Taps::None, without_taps(name)), (Taps::Map, name)];
        for (taps, name) in kinds.into_iter().filter(|(taps, _)| *taps == Taps::None || options.conservation_fix) {
            let update = UpdateOptions::of_scheme(&options.scheme, options.solver.waves, sweep, taps);
            let source = update.source(&options.solver, options.precision);
            all.push(KernelText { source, target: solving.clone(), entries: vec![["update_2d", name]] });
        }
    }
    all
}

/// Copies bytes on all threads.
fn copy_parallel(source: &[u8], target: &mut [u8]) {
    target.par_chunks_mut(PIECE).zip(source.par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
}

impl Machine for Hardware {
    type Memory = DeviceBuffer<u8>;
    type Arrival = Arrival;

    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError> {
        self.device.buffer(bytes.max(1))
    }

    fn address(memory: &Self::Memory) -> u64 {
        memory.at(0).address()
    }

    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError> {
        let mut staging = self.staging.lock();
        let mut done = 0;
        while done < source.len() {
            if staging.used == STAGING {
                self.stream.synchronize()?;
                staging.used = 0;
            }
            let count = (source.len() - done).min(STAGING - staging.used).min(STAGING / 4);
            let range = staging.used..staging.used + count;
            copy_parallel(&source[done..done + count], &mut staging.pinned[range.clone()]);
            // SAFETY: this part of the staging memory is not used again before the stream has been waited for.
            unsafe { self.stream.upload_async(&staging.pinned[range.clone()], target, at + done)? };
            staging.used = range.end;
            done += count;
        }
        Ok(())
    }

    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        let mut staging = self.staging.lock();
        for (k, part) in target.chunks_mut(STAGING).enumerate() {
            // What is still to be copied from the staging memory is copied before: one stream.
            let pinned = &mut staging.pinned[..part.len()];
            // SAFETY: waited for before anybody else touches the staging memory.
            unsafe { self.stream.download_async(source, at + k * STAGING, pinned)? };
            self.stream.synchronize()?;
            copy_parallel(pinned, part);
        }
        staging.used = 0;
        Ok(())
    }

    fn begin_download(&self, source: &Self::Memory, bytes: usize) -> Result<Arrival, CudaError> {
        let spare = self.landings.lock().pop().filter(|landing| landing.pinned.len() >= bytes);
        let mut landing = match spare {
            Some(landing) => landing,
            None => {
                let pinned = self.device.pinned_buffer(bytes.next_power_of_two())?;
                Landing { pinned, event: self.device.event(false)? }
            }
        };
        // SAFETY: nothing touches the memory before the event behind the copy, which [`Arrival`] waits for.
        unsafe { self.stream.download_async(source, 0, &mut landing.pinned[..bytes])? };
        // Were the copy without a mark, the memory could not be given back.
        if let Err(error) = self.stream.record(&landing.event) {
            std::mem::forget(landing);
            return Err(error);
        }
        Ok(Arrival { landing: Some(landing), bytes })
    }

    fn finish_download<T>(&self, mut arrival: Arrival, look: impl FnOnce(&[u8]) -> T) -> Result<T, CudaError> {
        let landing = arrival.landing.as_ref().expect("taken below");
        landing.event.synchronize()?;
        let seen = look(&landing.pinned[..arrival.bytes]);
        self.landings.lock().extend(arrival.landing.take());
        Ok(seen)
    }

    fn mark(&self) -> Result<(), CudaError> {
        self.stream.record(&self.marked.mark)
    }

    fn download_marked(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        let Marked { mark, stream, pinned } = &self.marked;
        let mut pinned = pinned.lock();
        stream.wait(mark)?;
        // SAFETY: waited for before anybody else touches the pinned memory.
        unsafe { stream.download_async(source, at, &mut pinned[..target.len()])? };
        stream.synchronize()?;
        target.copy_from_slice(&pinned[..target.len()]);
        Ok(())
    }

    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError> {
        self.stream.fill(target, at, bytes, 0)
    }

    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError> {
        if grid.blocks.contains(&0) {
            return Ok(());
        }
        let ahead = !self.tables_written.swap(kernel == LIST_CHUNKS, Ordering::Relaxed) && self.ahead;
        let (_, kernel) = self.kernels.iter().find(|(name, _)| *name == kernel).expect("a kernel of the run");
        // SAFETY: the caller's promise; all kernels of runs read tables alone before `await_previous`.
        unsafe {
            if ahead {
                kernel.launch_ahead(&self.stream, grid, argument)
            } else {
                kernel.launch(&self.stream, grid, argument)
            }
        }
    }

    fn resident_warps(&self) -> u32 {
        self.resident_warps
    }

    fn usage(&self) -> DeviceUse {
        let (memory, pinned) = (self.device.memory().statistics(), self.device.pinned().statistics());
        DeviceUse { memory, pinned, streamed: None }
    }
}
