//! What executors need of a device: memory, copies, launches, all in the order in which they are asked for.

use crate::exec::{DevicePhase, DeviceUse};
use cuda::abi::{DeviceStruct, Plain, Pointee, Pointer};
use cuda::amr::Launcher;
use cuda::{CudaError, Grid};

/// A device's memory, and work on it that is done in the order in which it is asked for.
pub trait Queue: Send + Sync + 'static {
    /// Memory of the device; given back when dropped. Work that was asked for before may still use it.
    type Memory: Send + Sync;

    /// Memory for `bytes` bytes, whatever they are.
    ///
    /// # Errors
    /// If there is not enough.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory, CudaError>;

    /// Where memory begins.
    fn address(memory: &Self::Memory) -> u64;

    /// Asks for a copy to byte `at` of the device's memory. `source` is free at once.
    ///
    /// # Errors
    /// If the device fails.
    fn upload(&self, source: &[u8], target: &Self::Memory, at: usize) -> Result<(), CudaError>;

    /// Copies from byte `at` of the device's memory, and waits for it.
    ///
    /// # Errors
    /// If the device fails, now or in work asked for before.
    fn download(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError>;

    /// Asks for zeros.
    ///
    /// # Errors
    /// If the device fails.
    fn zero(&self, target: &Self::Memory, at: usize, bytes: usize) -> Result<(), CudaError>;

    /// Asks for a kernel to be run.
    ///
    /// # Safety
    /// The addresses in `argument` point at memory of this device that holds what the kernel expects.
    ///
    /// # Errors
    /// If the device fails.
    unsafe fn launch<A: DeviceStruct>(&self, kernel: &'static str, grid: Grid, argument: &A) -> Result<(), CudaError>;

    /// Asks for a kernel of the registry to be run on so many chunks or items, in `dim` dimensions.
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

/// A device that holds all of a run, or what stands in for one in tests.
pub trait Machine: Queue {
    /// A copy on its way to the host.
    type Download: Send + Sync;
    /// Memory that other machines read; when it is dropped, it is not given back before those of this process have.
    type Shared: Send + Sync + 'static;

    /// Asks for a copy of the first `bytes` bytes of the device's memory, which may be given back.
    ///
    /// # Errors
    /// If the device fails.
    fn begin_download(&self, source: &Self::Memory, bytes: usize) -> Result<Self::Download, CudaError>;

    /// Waits for a copy, not for what was asked for after it, and shows it.
    ///
    /// # Errors
    /// If the device fails, now or in work asked for before.
    fn finish_download<T>(&self, download: Self::Download, look: impl FnOnce(&[u8]) -> T) -> Result<T, CudaError>;

    /// Marks what has been asked for so far.
    ///
    /// # Errors
    /// If the device fails.
    fn mark(&self) -> Result<(), CudaError>;

    /// As [`Queue::download`], but waits only for what had been asked for before the last [`Machine::mark`], while the device goes
    /// on with the rest.
    ///
    /// # Errors
    /// If the device fails.
    fn download_marked(&self, source: &Self::Memory, at: usize, target: &mut [u8]) -> Result<(), CudaError>;

    /// What [`Machine::enter_branch`] begins is done behind all that has been asked for so far, and beside what is asked for from here on.
    ///
    /// # Errors
    /// If the device fails.
    fn fork(&self) -> Result<(), CudaError> {
        Ok(())
    }

    /// From here on what is asked for goes into a branch: kernels and zeros, in memory that was taken before [`Machine::fork`].
    ///
    /// # Errors
    /// If the device fails.
    fn enter_branch(&self) -> Result<(), CudaError> {
        Ok(())
    }

    /// What is asked for from here on is done behind the branch again.
    ///
    /// # Errors
    /// If the device fails.
    fn leave_branch(&self) -> Result<(), CudaError> {
        Ok(())
    }

    /// Memory for `bytes` bytes that others will read: machines of this process or of others, or MPI.
    ///
    /// # Errors
    /// If there is not enough.
    fn share(&self, bytes: usize) -> Result<Self::Shared, CudaError>;

    /// The memory itself, for this machine to write.
    fn shared_memory(shared: &Self::Shared) -> &Self::Memory;

    /// From here on others may read what has been asked for so far.
    ///
    /// # Errors
    /// If the device fails.
    fn publish(&self, shared: &Self::Shared) -> Result<(), CudaError>;

    /// From here on what is asked for may read what another machine has published: kernels too, where it lies, if the answer is true.
    ///
    /// # Errors
    /// If the device fails.
    fn begin_reading(&self, source: &Self::Shared) -> Result<bool, CudaError>;

    /// Asks for a copy of `bytes` bytes from byte `at` of what is being read, to byte `to` of the target.
    ///
    /// # Errors
    /// If the device fails.
    fn read(
        &self,
        source: (&Self::Shared, usize),
        target: (&Self::Memory, usize),
        bytes: usize,
    ) -> Result<(), CudaError>;

    /// All has been asked for that reads it.
    ///
    /// # Errors
    /// If the device fails.
    fn end_reading(&self, source: &Self::Shared) -> Result<(), CudaError>;

    /// From here on the memory may be written again: what is asked for waits until all have read it who have begun to.
    ///
    /// # Errors
    /// If the device fails.
    fn reclaim(&self, shared: &Self::Shared) -> Result<(), CudaError>;

    /// Waits until what has been published is written and all have read it who have begun to.
    ///
    /// # Errors
    /// If the device fails.
    fn finish(&self, shared: &Self::Shared) -> Result<(), CudaError>;

    /// Words by which a machine of another process can read shared memory that has not been published yet; none if none can.
    ///
    /// # Errors
    /// If the device fails.
    fn export(&self, shared: &mut Self::Shared) -> Result<Vec<u64>, CudaError>;

    /// What another process has exported by these words, and the words of a receipt, by which its owner knows when this machine has read it.
    /// The owner keeps it longer.
    ///
    /// # Errors
    /// If this machine cannot read it.
    fn import(&self, exported: &[u64]) -> Result<(Self::Shared, Vec<u64>), CudaError>;

    /// A machine of another process has begun to read it, and all has been asked for that does: its receipt.
    ///
    /// # Errors
    /// If the device fails.
    fn end_reading_elsewhere(&self, shared: &Self::Shared, receipt: &[u64]) -> Result<(), CudaError>;

    /// Tiles of the update that the device works on at once.
    fn resident_tiles(&self) -> u32;

    /// What is asked for from here on belongs to a phase.
    fn enter(&self, _: DevicePhase) {}

    /// Seconds that it worked on each [`DevicePhase`], if it takes them; waits until all is done that was asked for.
    fn phase_seconds(&self) -> Option<[f64; DevicePhase::COUNT]> {
        None
    }

    /// What has been taken of its memory.
    fn usage(&self) -> DeviceUse;
}

/// A slice of plain numbers as bytes.
pub(in crate::exec) fn bytes_of<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the callers' types are plain numbers and structs without padding that matters; any byte may be read.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
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

/// A slice of plain numbers as bytes that can be written.
pub(in crate::exec) fn bytes_of_mut<T: Copy>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: the callers' types are plain numbers and structs without padding that matters; every bit pattern is a value of the callers' types.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// An address in memory, `bytes` behind its beginning.
pub(in crate::exec) fn pointer<T: Pointee + ?Sized, N: Queue>(memory: &N::Memory, bytes: usize) -> Pointer<T> {
    Pointer::new(N::address(memory) + bytes as u64)
}
