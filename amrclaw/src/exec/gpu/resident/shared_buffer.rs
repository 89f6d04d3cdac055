//! Memory of a GPU that others read; an event tells them when it is written.

use cuda::{BufferHandle, CudaError, Device, DeviceBuffer, Event, EventHandle, Stream};

/// Memory that other GPUs read, of this process or of another on the same machine. It is written again, or freed, only when the host knows
/// that all reads are complete.
pub struct SharedBuffer {
    memory: DeviceBuffer<u8>,
    /// Event behind the last write.
    written: Event,
    /// It is memory of another process.
    is_imported: bool,
}

impl SharedBuffer {
    /// Allocates `bytes` bytes of a device.
    pub fn new(device: &Device, bytes: usize) -> Result<Self, CudaError> {
        let (memory, written) = (device.shared_buffer(bytes.max(1))?, device.event(false)?);
        Ok(SharedBuffer { memory, written, is_imported: false })
    }

    /// The memory itself.
    pub fn memory(&self) -> &DeviceBuffer<u8> {
        &self.memory
    }

    /// The handles of the memory and of the event behind all writes from now on.
    pub fn export(&mut self, device: &Device) -> Result<Vec<u64>, CudaError> {
        self.written = device.exportable_event()?;
        Ok([self.memory.export()?.as_slice(), &self.written.export()?].concat())
    }

    /// Opens another process's memory by such handles.
    pub fn import(device: &Device, handle: &[u64]) -> Result<Self, CudaError> {
        let (buffer, event): (&BufferHandle, _) = handle.split_first_chunk().expect("the words of a buffer's handle");
        let event: &EventHandle = event.try_into().expect("the words of an event's handle");
        let (memory, written) = (device.import_buffer(buffer)?, device.import_event(event)?);
        Ok(SharedBuffer { memory, written, is_imported: true })
    }

    /// From now on others may read what the stream's work so far writes.
    pub fn publish(&self, stream: &Stream) -> Result<(), CudaError> {
        stream.record(&self.written)
    }

    /// From now on the stream's work may read the memory; true if its kernels can, in place.
    pub fn begin_reading(&self, (device, stream): (&Device, &Stream)) -> Result<bool, CudaError> {
        // Imported memory is mapped for the device.
        let reached = self.is_imported || device.enable_peer_access(&self.memory)?;
        stream.wait(&self.written)?;
        Ok(reached)
    }

    /// Waits until the memory has been written.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.written.synchronize()
    }
}
