//! Memory and events of a device that another process of the machine uses: their IPC handles can be sent between processes as words.
//!
//! CUDA Driver API, `cuIpcGetMemHandle` and its like.

use crate::runtime::abi::Plain;
use crate::runtime::device::Device;
use crate::runtime::error::CudaError;
use crate::runtime::event::Event;
use crate::runtime::memory::{DeviceBuffer, ImportedMemory};
use cudarc::driver::DriverError;
use cudarc::driver::sys::{self, CUevent_flags, CUipcMem_flags};
use std::ffi::c_char;

/// The driver's handle, as words.
type Handle = [u64; 8];

/// An array, for other processes: the handle of the allocation that holds it, its offset there in bytes, its number of elements.
pub type BufferHandle = [u64; 10];

/// An event, for other processes.
pub type EventHandle = Handle;

/// The driver's bytes as words.
fn words_of(bytes: [c_char; 64]) -> Handle {
    // SAFETY: both are 64 bytes, of which any are a value.
    unsafe { std::mem::transmute(bytes) }
}

/// Words as the driver's bytes.
fn bytes_of(words: Handle) -> [c_char; 64] {
    // SAFETY: likewise.
    unsafe { std::mem::transmute(words) }
}

impl<T: Plain> DeviceBuffer<T> {
    /// The handle with which another process opens the array, one of [`Device::shared_buffer`]. The array must live as long as others
    /// have it open.
    ///
    /// # Errors
    /// If the driver or the machine does not support it.
    pub fn export(&self) -> Result<BufferHandle, CudaError> {
        let (context, address) = (self.context(), self.at(0).address());
        let (mut handle, mut base) = (sys::CUipcMemHandle_st { reserved: [0; 64] }, 0);
        let mut ask = || -> Result<(), DriverError> {
            context.bind_to_thread()?;
            // SAFETY: the array is the driver's memory, and all others are places for answers.
            unsafe {
                sys::cuMemGetAddressRange_v2(&raw mut base, std::ptr::null_mut(), address).result()?;
                sys::cuIpcGetMemHandle(&raw mut handle, base).result()
            }
        };
        ask().map_err(CudaError::driver("exporting memory", context.ordinal()))?;
        let [a, b, c, d, e, f, g, h] = words_of(handle.reserved);
        Ok([a, b, c, d, e, f, g, h, address - base, self.len() as u64])
    }
}

impl Device {
    /// Opens an array of another process of the machine, for this device to read. The owner must not free it before it is dropped here.
    ///
    /// # Errors
    /// If this device does not reach it.
    pub fn import_buffer<T: Plain>(&self, exported: &BufferHandle) -> Result<DeviceBuffer<T>, CudaError> {
        let (context, mut address) = (self.context(), 0);
        let [handle @ .., start, len] = *exported;
        let handle = sys::CUipcMemHandle_st { reserved: bytes_of(handle) };
        let option = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        let opened = context.bind_to_thread().and_then(|()| {
            // SAFETY: the driver looks at the handle, and writes an address.
            unsafe { sys::cuIpcOpenMemHandle_v2(&raw mut address, handle, option) }.result()
        });
        opened.map_err(CudaError::driver("opening another process's memory", self.ordinal()))?;
        // SAFETY: it has just been opened.
        let opened = unsafe { ImportedMemory::new(address, context.clone()) };
        Ok(DeviceBuffer::of_other(opened, start, len as usize))
    }

    /// A new event that can be exported.
    ///
    /// # Errors
    /// The driver's.
    pub fn exportable_event(&self) -> Result<Event, CudaError> {
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 | CUevent_flags::CU_EVENT_INTERPROCESS as u32;
        // SAFETY: the driver writes one event.
        self.new_event("creating an event", |raw| unsafe { sys::cuEventCreate(raw, flags) })
    }

    /// Opens an event of another process of the machine.
    ///
    /// # Errors
    /// If the driver does not know it.
    pub fn import_event(&self, exported: &EventHandle) -> Result<Event, CudaError> {
        let handle = sys::CUipcEventHandle_st { reserved: bytes_of(*exported) };
        // SAFETY: the driver looks at the handle, and writes one event.
        self.new_event("opening another process's event", |raw| unsafe { sys::cuIpcOpenEventHandle(raw, handle) })
    }
}

impl Event {
    /// The handle with which another process opens the event, one of [`Device::exportable_event`].
    ///
    /// # Errors
    /// If the driver or the machine does not support it.
    pub fn export(&self) -> Result<EventHandle, CudaError> {
        let mut handle = sys::CUipcEventHandle_st { reserved: [0; 64] };
        // SAFETY: the event lives; the other is a place for the answer.
        let exported = unsafe { sys::cuIpcGetEventHandle(&raw mut handle, self.raw()) }.result();
        exported.map_err(self.failed("exporting an event"))?;
        Ok(words_of(handle.reserved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The driver's bytes survive their conversion to words and back.
    #[test]
    fn words_are_what_was_exported() {
        let bytes: [c_char; 64] = std::array::from_fn(|k| k as c_char - 32);
        assert_eq!(bytes_of(words_of(bytes)), bytes);
    }
}
