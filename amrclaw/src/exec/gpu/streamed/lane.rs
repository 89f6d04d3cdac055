//! What streaming needs of a device: queues of work that run concurrently.

use crate::exec::DeviceUse;
use crate::exec::gpu::device::{CompiledKernels, KernelOptions, Queue, compile};
use crate::fields::PageLock;
use cuda::abi::DeviceStruct;
use cuda::{CudaError, Device, DeviceBuffer, Event, Grid, Kernel, PinnedBuffer, Stream};
use parking_lot::Mutex;
use std::ops::DerefMut;
use std::sync::Arc;

/// One of several queues of a device, or its substitute in tests. Work in one queue does not wait for the others, nor does the host wait
/// for it.
pub trait Lane: Queue {
    /// Pinned memory of the host, from and to which the device copies by itself.
    type Pinned: DerefMut<Target = [u8]> + Send + Sync;

    /// Allocates pinned memory.
    ///
    /// # Errors
    /// If there is not enough.
    fn pinned(&self, bytes: usize) -> Result<Self::Pinned, CudaError>;

    /// Queues a copy to byte `at` of the device's memory.
    ///
    /// # Safety
    /// Nobody writes the source before the queue has been waited for.
    ///
    /// # Errors
    /// If the device fails.
    unsafe fn upload_async(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError>;

    /// Queues a copy from byte `at` of the device's memory.
    ///
    /// # Safety
    /// Nobody touches the target before the queue has been waited for.
    ///
    /// # Errors
    /// If the device fails.
    unsafe fn download_async(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError>;

    /// Waits until all queued work is done.
    ///
    /// # Errors
    /// If the device fails.
    fn wait(&self) -> Result<(), CudaError>;

    /// Blocks of `threads` threads of a kernel that the device runs at once.
    ///
    /// # Errors
    /// If the driver fails.
    fn resident_blocks(&self, kernel: &'static str, threads: u32) -> Result<u32, CudaError>;

    /// Starts timing the work queued from here on.
    ///
    /// # Errors
    /// If the device fails.
    fn begin_timing(&self) -> Result<(), CudaError> {
        Ok(())
    }

    /// Ends the timing of the work queued so far.
    ///
    /// # Errors
    /// If the device fails.
    fn end_timing(&self) -> Result<(), CudaError> {
        Ok(())
    }

    /// Seconds of all that was timed since the last call; the queue has been waited for.
    ///
    /// # Errors
    /// If the device fails.
    fn seconds(&self) -> Result<f64, CudaError> {
        Ok(0.0)
    }

    /// Page locks for the arrays that are copied from and to.
    fn locks(&self) -> Box<dyn PageLock>;

    /// The use of the device so far.
    fn usage(&self) -> DeviceUse;
}

/// A stream of a GPU, with the compiled kernels of one run.
pub struct GpuLane {
    device: Arc<Device>,
    stream: Stream,
    kernels: Arc<CompiledKernels>,
    timers: Mutex<Timers>,
}

/// Pairs of events, made once.
#[derive(Default)]
struct Timers {
    events: Vec<[Event; 2]>,
    running: usize,
}

/// Page locks of a device for the arrays of a pool.
struct DeviceLocks(cuda::memory::PageLocks);

impl PageLock for DeviceLocks {
    unsafe fn lock(&self, address: usize, bytes: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.0.lock(address, bytes) }
    }

    unsafe fn unlock(&self, address: usize) {
        // SAFETY: the caller's promise; sweeps wait for their copies.
        unsafe { self.0.unlock(address) }
    }
}

impl GpuLane {
    /// Opens a device, compiles the kernels of a problem, and returns `count` lanes. `memory_limit`: bytes of its memory to use at
    /// most.
    ///
    /// # Errors
    /// If driver, GPU or NVRTC are missing, or a kernel does not compile.
    pub fn open(
        ordinal: usize,
        options: &KernelOptions,
        memory_limit: Option<u64>,
        count: usize,
    ) -> Result<Vec<Self>, CudaError> {
        let device = Arc::new(Device::open(ordinal, memory_limit)?);
        let kernels = Arc::new(compile(&device, &options.texts())?);
        let lane = |_| {
            let (stream, device) = (device.stream()?, device.clone());
            Ok(GpuLane { device, stream, kernels: kernels.clone(), timers: Mutex::default() })
        };
        (0..count).map(lane).collect()
    }

    /// A kernel of the run.
    fn kernel(&self, name: &str) -> &Kernel {
        &self.kernels.kernels.iter().find(|(other, _)| *other == name).expect("compiled at the start").1
    }
}

impl Queue for GpuLane {
    type Memory = DeviceBuffer<u8>;

    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError> {
        self.device.buffer(bytes)
    }

    fn address(memory: &Self::Memory) -> u64 {
        memory.at(0).address()
    }

    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError> {
        self.stream.upload(source, target, at)
    }

    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        self.stream.download(source, at, target)
    }

    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError> {
        self.stream.fill(target, at, bytes, 0)
    }

    fn set_parameters(&self, values: &[f64]) -> Result<(), CudaError> {
        // All lanes share the kernels, and none has work between steps.
        self.kernels.parameters.iter().try_for_each(|array| array.write(&self.stream, values))
    }

    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.kernel(kernel).launch(&self.stream, grid, argument) }
    }
}

impl Lane for GpuLane {
    type Pinned = PinnedBuffer<u8>;

    fn pinned(&self, bytes: usize) -> Result<Self::Pinned, CudaError> {
        self.device.pinned_buffer(bytes)
    }

    unsafe fn upload_async(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.stream.upload_async(source, target, at) }
    }

    unsafe fn download_async(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.stream.download_async(source, at, target) }
    }

    fn wait(&self) -> Result<(), CudaError> {
        self.stream.synchronize()
    }

    fn resident_blocks(&self, kernel: &'static str, threads: u32) -> Result<u32, CudaError> {
        let blocks = self.kernel(kernel).blocks_per_multiprocessor(&self.device, threads)?;
        Ok(blocks * self.device.info().multiprocessors)
    }

    fn begin_timing(&self) -> Result<(), CudaError> {
        let Timers { events, running } = &mut *self.timers.lock();
        if *running == events.len() {
            events.push([self.device.event(true)?, self.device.event(true)?]);
        }
        *running += 1;
        self.stream.record(&events[*running - 1][0])
    }

    fn end_timing(&self) -> Result<(), CudaError> {
        let Timers { events, running } = &*self.timers.lock();
        self.stream.record(&events[*running - 1][1])
    }

    fn seconds(&self) -> Result<f64, CudaError> {
        let Timers { events, running } = &mut *self.timers.lock();
        let running = std::mem::take(running);
        let seconds = |[begin, end]: &[Event; 2]| Ok(end.milliseconds_since(begin)? * 1e-3);
        events[..running].iter().map(seconds).sum()
    }

    fn locks(&self) -> Box<dyn PageLock> {
        Box::new(DeviceLocks(self.device.page_locks()))
    }

    fn usage(&self) -> DeviceUse {
        let (memory, pinned) = (self.device.memory_use(), self.device.pinned().statistics());
        DeviceUse { memory, pinned, ..DeviceUse::default() }
    }
}
