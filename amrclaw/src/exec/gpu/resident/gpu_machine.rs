//! A CUDA device as the executor's machine.

use super::branch::Branch;
use super::device_times::DeviceTimes;
use super::shared_buffer::SharedBuffer;
use crate::exec::gpu::device::{CompiledKernels, EVALUATE_AUX, KernelOptions, Machine, Overlap, Queue, compile};
use crate::exec::{DevicePhase, DeviceUse};
use cuda::abi::DeviceStruct;
use cuda::amr::Group;
use cuda::amr::kernels::{CONTINUE_AUX, DIVIDE_PLAN, LIST_CHUNKS, LIST_TILES, WRITE_PLAN};
use cuda::{ConstantArray, CudaError, Device, DeviceBuffer, Event, Grid, Kernel, PinnedBuffer, Priority, Stream};
use parking_lot::Mutex;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of the pinned staging memory for copies, whose parts are used in turn. It leaves more than as much for flags in the same slab of
/// the pool: to pin another slab takes longer than a regrid.
const STAGING: usize = 24 << 20;
const STAGING_PARTS: usize = 4;
const STAGING_PART: usize = STAGING / STAGING_PARTS;
/// Bytes of pinned memory for downloads while the device continues: the reports of 65,536 patches.
const SIDE: usize = 1 << 20;
/// Bytes that one thread copies at a time: few enough that threads share the tables of a regrid too.
const PIECE: usize = 64 << 10;

/// A GPU with the compiled kernels of one run.
pub struct GpuMachine {
    device: Device,
    stream: Stream,
    branches: [Branch; 2],
    /// By name; whether it writes tables or auxiliary values, which the next kernel may read before it waits; and whether it reads none before.
    kernels: HashMap<&'static str, (Kernel, [bool; 2])>,
    /// Where kernels read the solver's parameters that change from step to step.
    parameters: Vec<ConstantArray>,
    resident_tiles: u32,
    /// The device can start a kernel before the one ahead of it has ended.
    ahead: bool,
    /// The kernel launched last writes tables or auxiliary values, which the next one may read before it waits.
    tables_written: AtomicBool,
    staging: Mutex<Staging>,
    /// Pinned memory without a pending copy, for reuse.
    pinned_copies: Mutex<Vec<PinnedCopy>>,
    side: SideDownloads,
    times: Option<DeviceTimes>,
}

/// Downloads that wait only for a mark, while the device continues.
struct SideDownloads {
    mark: Event,
    stream: Stream,
    pinned: Mutex<PinnedBuffer<u8>>,
}

/// Pinned memory, and an event behind the copy to it.
struct PinnedCopy {
    buffer: PinnedBuffer<u8>,
    event: Event,
}

/// A pending copy to the host.
pub struct PendingDownload {
    /// Taken when it has been read.
    copy: Option<PinnedCopy>,
    bytes: usize,
}

impl Drop for PendingDownload {
    fn drop(&mut self) {
        if let Some(PinnedCopy { event, .. }) = &self.copy {
            // The memory must stay until the copy is done. A failed device copies nothing any more.
            let _ = event.synchronize();
        }
    }
}

/// Pinned memory whose parts are filled in turn.
struct Staging {
    pinned: PinnedBuffer<u8>,
    /// Where the next bytes go.
    next: usize,
    /// Events behind the last copy from each part.
    copied: [Event; STAGING_PARTS],
}

impl GpuMachine {
    /// Opens a device for a run, and compiles its kernels or takes them from disk.
    ///
    /// # Errors
    /// If driver, GPU or NVRTC are missing, or a kernel does not compile.
    pub fn open(ordinal: usize, memory_limit: Option<u64>, options: &KernelOptions) -> Result<Self, CudaError> {
        let device = Device::open(ordinal, memory_limit)?;
        let CompiledKernels { kernels, parameters } = compile(&device, &options.texts())?;
        // On a mesh from a file there are no tiles.
        let resident_tiles = match kernels.iter().find(|(name, _)| name.starts_with("update")) {
            Some((_, update)) => update.blocks_per_multiprocessor(&device, options.update_threads())?,
            None => 1,
        } * device.info().multiprocessors;
        let mut copied = Vec::with_capacity(STAGING_PARTS);
        for _ in 0..STAGING_PARTS {
            copied.push(device.event(false)?);
        }
        let copied = copied.try_into().expect("an event for each part");
        let staging = Mutex::new(Staging { pinned: device.pinned_buffer(STAGING)?, next: 0, copied });
        let ahead = device.info().capability[0] >= 9;
        let side = SideDownloads {
            mark: device.event(false)?,
            stream: device.stream()?,
            pinned: Mutex::new(device.pinned_buffer(SIDE)?),
        };
        let rows = [LIST_CHUNKS.row, LIST_TILES.row, WRITE_PLAN.row, DIVIDE_PLAN.row, CONTINUE_AUX.row];
        let of_meshes = || [Group::Leaves, Group::Motion, Group::MotionNodes].into_iter().flat_map(Group::rows);
        let rows: Vec<_> = rows.into_iter().chain(of_meshes()).collect();
        let writes_tables = |name| name == EVALUATE_AUX || rows.iter().any(|row| row.name == name);
        let waits_first = |name| of_meshes().any(|row| row.name == name);
        let of_kernel = |(name, kernel)| (name, (kernel, [writes_tables(name), waits_first(name)]));
        let stream = device.stream_of_priority(Priority::Middle)?;
        // Small kernels that do not wait for the blocks of transfers; and the largest kernel of a step, which messages overtake.
        let branches = [Branch::new(&device, Priority::High)?, Branch::new(&device, Priority::Low)?];
        Ok(GpuMachine {
            stream,
            branches,
            device,
            kernels: kernels.into_iter().map(of_kernel).collect(),
            parameters,
            resident_tiles,
            ahead,
            tables_written: AtomicBool::new(false),
            staging,
            pinned_copies: Mutex::default(),
            side,
            times: None,
        })
    }

    /// The same device, which measures the time of its work by phase.
    pub fn timed(mut self) -> Self {
        (self.times, self.ahead) = (Some(DeviceTimes::default()), false);
        self
    }

    /// The stream that kernels and fills go to: that of the open branch, if there is one.
    fn stream(&self) -> &Stream {
        self.branches.iter().find_map(Branch::open).unwrap_or(&self.stream)
    }

    fn branch(&self, overlap: Overlap) -> &Branch {
        match overlap {
            Overlap::Transfers => &self.branches[0],
            Overlap::Messages => &self.branches[1],
        }
    }

    /// Enqueues work, and measures its time if that is wanted.
    fn take_time<T>(&self, work: impl FnOnce() -> Result<T, CudaError>) -> Result<T, CudaError> {
        match &self.times {
            Some(times) => times.time((&self.device, &self.stream), work),
            None => work(),
        }
    }
}

impl Drop for GpuMachine {
    fn drop(&mut self) {
        // Memory that this machine reads may be freed by its owner from then on. A device that fails reads no more.
        let _ = self.stream.synchronize();
    }
}

/// Copies bytes on all threads.
fn copy_parallel(source: &[u8], target: &mut [u8]) {
    target.par_chunks_mut(PIECE).zip(source.par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
}

impl Queue for GpuMachine {
    type Memory = DeviceBuffer<u8>;

    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError> {
        self.device.buffer(bytes.max(1))
    }

    fn address(memory: &Self::Memory) -> u64 {
        memory.at(0).address()
    }

    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError> {
        let Staging { pinned, next, copied } = &mut *self.staging.lock();
        let mut done = 0;
        while done < source.len() {
            let part = *next / STAGING_PART;
            if *next % STAGING_PART == 0 {
                // The last copy from this part may still be pending.
                copied[part].synchronize()?;
            }
            let end = (*next + source.len() - done).min((part + 1) * STAGING_PART);
            let piece = *next..end;
            copy_parallel(&source[done..][..piece.len()], &mut pinned[piece.clone()]);
            // SAFETY: nobody writes there again before the event behind the copy.
            self.take_time(|| unsafe { self.stream.upload_async(&pinned[piece.clone()], target, at + done) })?;
            done += piece.len();
            *next = end % STAGING;
            if end == (part + 1) * STAGING_PART {
                self.stream.record(&copied[part])?;
            }
        }
        Ok(())
    }

    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        let mut staging = self.staging.lock();
        for (k, part) in target.chunks_mut(STAGING).enumerate() {
            // Pending uploads from the staging memory complete before: they are in the same stream.
            let pinned = &mut staging.pinned[..part.len()];
            // SAFETY: waited for before anybody else touches the staging memory.
            self.take_time(|| unsafe { self.stream.download_async(source, at + k * STAGING, pinned) })?;
            self.stream.synchronize()?;
            copy_parallel(pinned, part);
        }
        staging.next = 0;
        Ok(())
    }

    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError> {
        self.take_time(|| self.stream().fill(target, at, bytes, 0))
    }

    fn set_parameters(&self, values: &[f64]) -> Result<(), CudaError> {
        // Between steps no branch is open, and the stream has joined all.
        self.parameters.iter().try_for_each(|array| array.write(&self.stream, values))
    }

    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError> {
        if grid.blocks.contains(&0) {
            return Ok(());
        }
        let (kernel, [writes_tables, waits_first]) = self.kernels.get(kernel).expect("a kernel of the run");
        let are_written = self.tables_written.swap(*writes_tables, Ordering::Relaxed);
        let ahead = (*waits_first || !are_written) && self.ahead;
        // SAFETY: the caller's promise; all kernels of runs read tables alone before `await_previous`.
        self.take_time(|| unsafe {
            if ahead {
                kernel.launch_ahead(self.stream(), grid, argument)
            } else {
                kernel.launch(self.stream(), grid, argument)
            }
        })
    }
}

impl Machine for GpuMachine {
    type Download = PendingDownload;
    type Shared = SharedBuffer;

    fn begin_download(&self, source: &Self::Memory, bytes: usize) -> Result<PendingDownload, CudaError> {
        let spare = self.pinned_copies.lock().pop().filter(|copy| copy.buffer.len() >= bytes);
        let mut copy = match spare {
            Some(copy) => copy,
            None => {
                let buffer = self.device.pinned_buffer(bytes.next_power_of_two())?;
                PinnedCopy { buffer, event: self.device.event(false)? }
            }
        };
        // SAFETY: nothing touches the memory before the event behind the copy, which [`PendingDownload`] waits for.
        self.take_time(|| unsafe { self.stream.download_async(source, 0, &mut copy.buffer[..bytes]) })?;
        // Without the event it is not known when the copy ends: the memory must never be freed.
        if let Err(error) = self.stream.record(&copy.event) {
            std::mem::forget(copy);
            return Err(error);
        }
        Ok(PendingDownload { copy: Some(copy), bytes })
    }

    fn finish_download<T>(&self, mut download: PendingDownload, look: impl FnOnce(&[u8]) -> T) -> Result<T, CudaError> {
        let copy = download.copy.as_ref().expect("taken below");
        copy.event.synchronize()?;
        let seen = look(&copy.buffer[..download.bytes]);
        self.pinned_copies.lock().extend(download.copy.take());
        Ok(seen)
    }

    fn mark(&self) -> Result<(), CudaError> {
        self.stream.record(&self.side.mark)
    }

    fn download_marked(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError> {
        let SideDownloads { mark, stream, pinned } = &self.side;
        let mut pinned = pinned.lock();
        stream.wait(mark)?;
        for (k, part) in target.chunks_mut(SIDE).enumerate() {
            // SAFETY: waited for before anybody else touches the pinned memory.
            unsafe { stream.download_async(source, at + k * SIDE, &mut pinned[..part.len()])? };
            stream.synchronize()?;
            part.copy_from_slice(&pinned[..part.len()]);
        }
        Ok(())
    }

    // Timed kernels run one after another, without branches. The first kernel behind a point where streams meet waits for all work before
    // it.

    fn fork(&self, overlap: Overlap) -> Result<(), CudaError> {
        if self.times.is_none() { self.branch(overlap).fork(&self.stream) } else { Ok(()) }
    }

    fn in_branch(&self, overlap: Overlap, work: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
        if self.times.is_some() {
            return work();
        }
        let branch = self.branch(overlap);
        self.tables_written.store(true, Ordering::Relaxed);
        branch.enter()?;
        let outcome = work();
        self.tables_written.store(true, Ordering::Relaxed);
        branch.leave()?;
        outcome
    }

    fn join(&self, overlap: Overlap) -> Result<(), CudaError> {
        if self.times.is_some() {
            return Ok(());
        }
        self.tables_written.store(true, Ordering::Relaxed);
        self.branch(overlap).join(&self.stream)
    }

    fn share(&self, bytes: usize) -> Result<SharedBuffer, CudaError> {
        SharedBuffer::new(&self.device, bytes)
    }

    fn shared_memory(shared: &SharedBuffer) -> &Self::Memory {
        shared.memory()
    }

    fn publish(&self, shared: &SharedBuffer) -> Result<(), CudaError> {
        shared.publish(&self.stream)
    }

    fn begin_reading(&self, source: &SharedBuffer) -> Result<bool, CudaError> {
        source.begin_reading((&self.device, &self.stream))
    }

    fn read(
        &self,
        (source, at): (&SharedBuffer, usize),
        (target, to): (&Self::Memory, usize),
        bytes: usize,
    ) -> Result<(), CudaError> {
        self.stream.copy_from_peer((source.memory(), at), (target, to), bytes)
    }

    fn finish(&self, shared: &SharedBuffer) -> Result<(), CudaError> {
        shared.finish()
    }

    fn export(&self, shared: &mut SharedBuffer) -> Result<Vec<u64>, CudaError> {
        shared.export(&self.device)
    }

    fn import(&self, handle: &[u64]) -> Result<SharedBuffer, CudaError> {
        SharedBuffer::import(&self.device, handle)
    }

    fn resident_tiles(&self) -> u32 {
        self.resident_tiles
    }

    fn enter(&self, phase: DevicePhase) {
        if let Some(times) = &self.times {
            times.enter(phase);
        }
    }

    fn phase_seconds(&self) -> Option<[f64; DevicePhase::COUNT]> {
        self.times.as_ref().map(DeviceTimes::seconds)
    }

    fn usage(&self) -> DeviceUse {
        let (memory, pinned) = (self.device.memory_use(), self.device.pinned().statistics());
        DeviceUse { memory, pinned, ..DeviceUse::default() }
    }
}
