//! The interface of executors to a device: memory, copies and launches, executed in the order in which they are enqueued.

use crate::exec::step::bytes_of;
use crate::exec::{DevicePhase, DeviceUse};
use cuda::abi::{DeviceStruct, Plain, Pointee, Pointer};
use cuda::amr::Launcher;
use cuda::{CudaError, Grid};

/// A device's memory, and a queue of work on it that is executed in order.
pub trait Queue: Send + Sync + 'static {
    /// Memory of the device, freed on drop. Work that was enqueued before may still use it.
    type Memory: Send + Sync;

    /// Allocates `bytes` bytes with undefined contents.
    ///
    /// # Errors
    /// If there is not enough.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError>;

    /// The address of memory.
    fn address(memory: &Self::Memory) -> u64;

    /// Enqueues a copy to byte `at` of the device's memory. `source` may be changed at once.
    ///
    /// # Errors
    /// If the device fails.
    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError>;

    /// Copies from byte `at` of the device's memory, and waits for it.
    ///
    /// # Errors
    /// If the device fails, now or in work enqueued before.
    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError>;

    /// Enqueues a fill of `bytes` bytes from byte `at` with zeros.
    ///
    /// # Errors
    /// If the device fails.
    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError>;

    /// Enqueues the launch of a kernel.
    ///
    /// # Safety
    /// The addresses in `argument` point at memory of this device that holds what the kernel expects.
    ///
    /// # Errors
    /// If the device fails.
    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError>;

    /// Gives the solver's parameters that change from step to step values for kernels enqueued from now on; waits for all work enqueued before.
    ///
    /// # Errors
    /// If the device fails.
    fn set_parameters(&self, values: &[f64]) -> Result<(), CudaError>;

    /// Enqueues the launch of a kernel of the registry on `count` chunks or items, in `dim` dimensions.
    ///
    /// # Safety
    /// As for [`Queue::launch`].
    ///
    /// # Errors
    /// If the device fails.
    unsafe fn run<A: DeviceStruct>(
        &self,
        kernel: &Launcher<A>,
        dim: usize,
        count: usize,
        argument: &A,
    ) -> Result<(), CudaError> {
        // SAFETY: the caller's promise.
        unsafe { self.launch(kernel.row.name, kernel.grid(count, dim), argument) }
    }
}

/// The work with which a branch of a device's work runs concurrently. There is one branch for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Transfers of values to new patches.
    Transfers,
    /// The exchange of messages with other ranks.
    Messages,
}

/// A device that holds all values of a run, or its substitute in tests. To drop it waits for all its work.
pub trait Machine: Queue {
    /// A copy to the host that is under way.
    type Download: Send + Sync;
    /// Memory that other machines read; on drop it is freed only when those of this process have completed their reads.
    type Shared: Send + Sync + 'static;

    /// Enqueues a copy of the first `bytes` bytes of the device's memory, which may be dropped before the copy is done.
    ///
    /// # Errors
    /// If the device fails.
    fn begin_download(&self, source: &Self::Memory, bytes: usize) -> Result<Self::Download, CudaError>;

    /// Waits for a copy, not for work enqueued after it, and passes its bytes to `look`.
    ///
    /// # Errors
    /// If the device fails, now or in work enqueued before.
    fn finish_download<T>(&self, download: Self::Download, look: impl FnOnce(&[u8]) -> T) -> Result<T, CudaError>;

    /// Records a mark behind the work enqueued so far.
    ///
    /// # Errors
    /// If the device fails.
    fn mark(&self) -> Result<(), CudaError>;

    /// As [`Queue::download`], but waits only for work enqueued before the last [`Machine::mark`], while the device continues with
    /// later work.
    ///
    /// # Errors
    /// If the device fails.
    fn download_marked(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError>;

    /// Sets where a branch starts: its work runs after all work enqueued so far, and concurrently with work enqueued from now on.
    ///
    /// # Errors
    /// If the device fails.
    fn fork(&self, _: Overlap) -> Result<(), CudaError> {
        Ok(())
    }

    /// Enqueues what `work` does in a branch: kernels and fills with zeros, on memory that was allocated before [`Machine::fork`].
    ///
    /// # Errors
    /// If the device fails, or those of `work`.
    fn in_branch(&self, _: Overlap, work: impl FnOnce() -> Result<(), CudaError>) -> Result<(), CudaError> {
        work()
    }

    /// Joins a branch: work enqueued from now on runs after it too.
    ///
    /// # Errors
    /// If the device fails.
    fn join(&self, _: Overlap) -> Result<(), CudaError> {
        Ok(())
    }

    /// Allocates `bytes` bytes that others will read: machines of this process or of others, or MPI.
    ///
    /// # Errors
    /// If there is not enough.
    fn share(&self, bytes: usize) -> Result<Self::Shared, CudaError>;

    /// The memory itself, for this machine to write.
    fn shared_memory(shared: &Self::Shared) -> &Self::Memory;

    /// From now on others may read the memory, after the work enqueued so far.
    ///
    /// # Errors
    /// If the device fails.
    fn publish(&self, shared: &Self::Shared) -> Result<(), CudaError>;

    /// Work enqueued from now on may read what another machine has published. True if kernels can read it in place, else [`Machine::read`] must
    /// copy it.
    ///
    /// # Errors
    /// If the device fails.
    fn begin_reading(&self, source: &Self::Shared) -> Result<bool, CudaError>;

    /// Enqueues a copy of `bytes` bytes from shared memory to this machine's; each end is memory and an offset in bytes.
    ///
    /// # Errors
    /// If the device fails.
    fn read(
        &self,
        source: (&Self::Shared, usize),
        target: (&Self::Memory, usize),
        bytes: usize,
    ) -> Result<(), CudaError>;

    /// Waits until the work published last is complete.
    ///
    /// # Errors
    /// If the device fails.
    fn finish(&self, shared: &Self::Shared) -> Result<(), CudaError>;

    /// The handle by which a machine of another process can read shared memory that has not been published yet; empty if none can.
    ///
    /// # Errors
    /// If the device fails.
    fn export(&self, shared: &mut Self::Shared) -> Result<Vec<u64>, CudaError>;

    /// Opens memory by the handle that another process has exported. The owner must free the memory later than this machine.
    ///
    /// # Errors
    /// If this machine cannot read it.
    fn import(&self, handle: &[u64]) -> Result<Self::Shared, CudaError>;

    /// Tiles of the update that the device works on at once.
    fn resident_tiles(&self) -> u32;

    /// Work enqueued from now on belongs to a phase.
    fn enter(&self, _: DevicePhase) {}

    /// Seconds that the device has worked on each [`DevicePhase`], if they are measured; waits for all work enqueued.
    fn phase_seconds(&self) -> Option<[f64; DevicePhase::COUNT]> {
        None
    }

    /// The device's memory in use.
    fn usage(&self) -> DeviceUse;
}

/// Numbers or structs in new memory of a device.
pub(in crate::exec) fn sent<T: Copy, Q: Queue>(queue: &Q, items: &[T]) -> Result<Q::Memory, CudaError> {
    let memory = queue.allocate(size_of_val(items).max(1))?;
    queue.upload(bytes_of(items), &memory, 0)?;
    Ok(memory)
}

/// Bytes as words.
pub(in crate::exec) fn words_of(bytes: &[u8]) -> &[u64] {
    // SAFETY: every bit pattern is a number.
    let (before, words, after) = unsafe { bytes.align_to() };
    assert!(before.is_empty() && after.is_empty(), "{} bytes that are no words", bytes.len());
    words
}

/// Structs that the device has written, from their bytes.
pub(in crate::exec) fn structs_of<T: Plain>(bytes: &[u8]) -> impl Iterator<Item = T> {
    // SAFETY: any bytes are a value of a plain type.
    bytes.chunks_exact(size_of::<T>()).map(|bytes| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// An address in memory, `bytes` behind its beginning.
pub(in crate::exec) fn pointer<T: Pointee + ?Sized, N: Queue>(memory: &N::Memory, bytes: usize) -> Pointer<T> {
    Pointer::new(N::address(memory) + bytes as u64)
}
