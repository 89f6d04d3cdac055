//! Memory of a GPU that others read; events order the accesses of its owner and of its readers.

use cuda::{BufferHandle, CudaError, Device, DeviceBuffer, Event, EventHandle, Stream};
use parking_lot::Mutex;
use std::sync::Arc;

/// Words of a buffer's handle.
const BUFFER: usize = 10;

/// Memory that other GPUs read, of this process or of another on the same machine.
pub struct SharedBuffer {
    memory: DeviceBuffer<u8>,
    /// Event behind the last write.
    written: Event,
    /// In memory of another process: event behind this process's reads.
    read: Option<Event>,
    readings: Mutex<Readings>,
}

/// Events behind reads of shared memory, and spare events for later reads.
#[derive(Default)]
struct Readings {
    ended: Vec<Event>,
    spare: Vec<Event>,
    /// Events of other processes, by their handles.
    elsewhere: Vec<(EventHandle, Arc<Event>)>,
    ended_elsewhere: Vec<Arc<Event>>,
}

impl Readings {
    /// Forgets all reads, once they have been waited for.
    fn start_anew(&mut self) {
        self.spare.append(&mut self.ended);
        self.ended_elsewhere.clear();
    }

    /// Events behind all reads.
    fn all_ended(&self) -> impl Iterator<Item = &Event> {
        self.ended.iter().chain(self.ended_elsewhere.iter().map(Arc::as_ref))
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        // The driver does not wait for reads of other devices before it frees memory. A failed device reads no more. Memory that other
        // processes read is kept until ranks leave, when they have read it.
        for event in self.readings.get_mut().ended.iter().chain(&self.read) {
            let _ = event.synchronize();
        }
    }
}

impl SharedBuffer {
    /// Allocates `bytes` bytes of a device.
    pub fn new(device: &Device, bytes: usize) -> Result<Self, CudaError> {
        let (memory, written) = (device.shared_buffer(bytes.max(1))?, device.event(false)?);
        Ok(SharedBuffer { memory, written, read: None, readings: Mutex::default() })
    }

    /// The memory itself.
    pub fn memory(&self) -> &DeviceBuffer<u8> {
        &self.memory
    }

    /// The handles of the memory and of the event behind all writes from now on.
    pub fn export(&mut self, device: &Device) -> Result<Vec<u64>, CudaError> {
        self.written = device.exportable_event()?;
        Ok([self.memory.export()?.words().as_slice(), &self.written.export()?].concat())
    }

    /// Opens another process's memory by such handles. Also returns the handle of the event behind this device's reads.
    pub fn import(device: &Device, handle: &[u64]) -> Result<(Self, Vec<u64>), CudaError> {
        let (buffer, event) = handle.split_at(BUFFER);
        let buffer = BufferHandle::from_words(buffer.try_into().expect("as many words as tell a buffer"));
        let event: &EventHandle = event.try_into().expect("as many words as tell an event");
        let (memory, written) = (device.import_buffer(&buffer)?, device.import_event(event)?);
        let read = device.exportable_event()?;
        let acknowledgement = read.export()?.to_vec();
        Ok((SharedBuffer { memory, written, read: Some(read), readings: Mutex::default() }, acknowledgement))
    }

    /// From now on others may read what the stream's work so far writes.
    pub fn publish(&self, stream: &Stream) -> Result<(), CudaError> {
        stream.record(&self.written)
    }

    /// From now on the stream's work may read the memory; true if its kernels can, in place.
    pub fn begin_reading(&self, (device, stream): (&Device, &Stream)) -> Result<bool, CudaError> {
        // Imported memory is mapped for the device.
        let reached = self.read.is_some() || device.enable_peer_access(&self.memory)?;
        stream.wait(&self.written)?;
        Ok(reached)
    }

    /// All reads by the stream have been enqueued.
    pub fn end_reading(&self, (device, stream): (&Device, &Stream)) -> Result<(), CudaError> {
        if let Some(read) = &self.read {
            return stream.record(read);
        }
        let mut readings = self.readings.lock();
        let known = readings.spare.iter().position(|event| event.device() == device.ordinal());
        let event = known.map_or_else(|| device.event(false), |known| Ok(readings.spare.swap_remove(known)))?;
        stream.record(&event)?;
        readings.ended.push(event);
        Ok(())
    }

    /// Another process has enqueued all its reads; its acknowledgement is the handle of the event behind them.
    pub fn end_reading_elsewhere(&self, device: &Device, acknowledgement: &[u64]) -> Result<(), CudaError> {
        let told: EventHandle = acknowledgement.try_into().expect("an acknowledgement of words that tell an event");
        let Readings { elsewhere, ended_elsewhere, .. } = &mut *self.readings.lock();
        let known = elsewhere.iter().find(|(words, _)| *words == told).map(|(_, event)| event.clone());
        let event = match known {
            Some(event) => event,
            None => {
                elsewhere.push((told, Arc::new(device.import_event(&told)?)));
                elsewhere[elsewhere.len() - 1].1.clone()
            }
        };
        ended_elsewhere.push(event);
        Ok(())
    }

    /// True if all reads are complete.
    pub fn has_been_read(&self) -> bool {
        self.readings.lock().all_ended().all(Event::is_complete)
    }

    /// From now on the stream's work may write the memory again: it waits for all reads.
    pub fn reclaim(&self, stream: &Stream) -> Result<(), CudaError> {
        let readings = &mut *self.readings.lock();
        // Between two kernels, a wait for a completed event takes the device as long as a small kernel.
        readings.all_ended().filter(|read| !read.is_complete()).try_for_each(|read| stream.wait(read))?;
        // A wait is for what was recorded when it was enqueued: events may be recorded again.
        readings.start_anew();
        Ok(())
    }

    /// Waits until the memory has been written and all reads that have begun are complete.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.written.synchronize()?;
        let readings = &mut *self.readings.lock();
        readings.all_ended().try_for_each(Event::synchronize)?;
        readings.start_anew();
        Ok(())
    }
}
