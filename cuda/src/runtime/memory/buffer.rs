//! Arrays in pooled memory.

use super::{DeviceMemory, ImportedMemory, PinnedMemory, Pool};
use crate::runtime::abi::{Plain, Pointer};
use crate::runtime::error::CudaError;
use cudarc::driver::CudaContext;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// An array on the device. It is not initialised: its numbers are what an earlier owner left.
///
/// It is given back to the pool when dropped, although work that uses it may still be queued: the memory may be handed out again at once.
/// That is correct as long as its next use is queued in the same stream, or in one that waits for it.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    owner: Owner,
    address: u64,
    len: usize,
    numbers: PhantomData<T>,
}

/// Owner of an array's memory.
#[derive(Debug)]
enum Owner {
    /// This process, which returns it to the pool when the array is dropped.
    Pool(Arc<Pool<DeviceMemory>>),
    /// Another process of the machine.
    Other(ImportedMemory),
}

/// An array in pinned memory of the host, which the device reaches at full speed, also while the host does something else.
///
/// Wait for copies from or to it before it is dropped.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    pool: Arc<Pool<PinnedMemory>>,
    address: u64,
    len: usize,
    numbers: PhantomData<T>,
}

impl<T: Plain> DeviceBuffer<T> {
    /// An array of `len` numbers.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(in crate::runtime) fn new(pool: &Arc<Pool<DeviceMemory>>, len: usize) -> Result<Self, CudaError> {
        let address = pool.allocate((len * size_of::<T>()) as u64)?;
        Ok(DeviceBuffer { owner: Owner::Pool(pool.clone()), address, len, numbers: PhantomData })
    }

    /// An array of `len` numbers in memory of another process, `start` bytes behind the beginning of what has been opened.
    pub(in crate::runtime) fn of_other(opened: ImportedMemory, start: u64, len: usize) -> Self {
        DeviceBuffer { address: opened.address() + start, owner: Owner::Other(opened), len, numbers: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The context of the device that it lies on, or through which another process's memory is reached.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        match &self.owner {
            Owner::Pool(pool) => pool.backend.context(),
            Owner::Other(opened) => opened.context(),
        }
    }

    /// Address of number `index`; `len` is allowed.
    pub fn at(&self, index: usize) -> Pointer<T> {
        assert!(index <= self.len, "number {index} of {}", self.len);
        Pointer::new(self.address + (index * size_of::<T>()) as u64)
    }
}

impl<T: Plain> PinnedBuffer<T> {
    /// An array of `len` zeros.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(in crate::runtime) fn zeros(pool: &Arc<Pool<PinnedMemory>>, len: usize) -> Result<Self, CudaError> {
        let address = pool.allocate((len * size_of::<T>()) as u64)?;
        // SAFETY: the piece is ours, and large enough.
        unsafe { std::ptr::write_bytes(address as *mut T, 0, len) };
        Ok(PinnedBuffer { pool: pool.clone(), address, len, numbers: PhantomData })
    }
}

impl<T> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if let Owner::Pool(pool) = &self.owner {
            pool.release(self.address);
        }
    }
}

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        self.pool.release(self.address);
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the piece is ours, zeroed when handed out, and every bit pattern is a value.
        unsafe { std::slice::from_raw_parts(self.address as *const T, self.len) }
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: likewise, and we are borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut T, self.len) }
    }
}
