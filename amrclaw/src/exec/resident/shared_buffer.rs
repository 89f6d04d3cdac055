//! Memory of a GPU that others read: in what order they and its owner use it, by events.

use cuda::{CudaError, Device, DeviceBuffer, Event, ExportedBuffer, ExportedEvent, Stream};
use parking_lot::Mutex;
use std::sync::Arc;

/// Words that tell a buffer.
const BUFFER: usize = 10;

/// Memory that other GPUs read, of this process or of another on the same machine.
pub struct SharedBuffer {
    memory: DeviceBuffer<u8>,
    /// Behind what was written last.
    written: Event,
    /// In memory of another process: behind what this one reads.
    read: Option<Event>,
    readings: Mutex<Readings>,
}

/// Events behind those who have read shared memory, and events for those who will.
#[derive(Default)]
struct Readings {
    ended: Vec<Event>,
    spare: Vec<Event>,
    /// Those of other processes, by the words that tell them.
    elsewhere: Vec<(ExportedEvent, Arc<Event>)>,
    ended_elsewhere: Vec<Arc<Event>>,
}

impl Readings {
    /// Forgets who has read the memory, once that has been waited for.
    fn start_anew(&mut self) {
        self.spare.append(&mut self.ended);
        self.ended_elsewhere.clear();
    }

    /// Events behind all who have read it.
    fn all_ended(&self) -> impl Iterator<Item = &Event> {
        self.ended.iter().chain(self.ended_elsewhere.iter().map(Arc::as_ref))
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        // The driver knows nothing of what other devices do with memory that is given back to it. One that fails reads no more. Of what
        // other processes read nothing is given back before ranks leave, when they have.
        for event in self.readings.get_mut().ended.iter().chain(&self.read) {
            let _ = event.synchronize();
        }
    }
}

impl SharedBuffer {
    /// So many bytes of a device.
    pub fn new(device: &Device, bytes: usize) -> Result<Self, CudaError> {
        let (memory, written) = (device.shared_buffer(bytes.max(1))?, device.event(false)?);
        Ok(SharedBuffer { memory, written, read: None, readings: Mutex::default() })
    }

    /// The memory itself.
    pub fn memory(&self) -> &DeviceBuffer<u8> {
        &self.memory
    }

    /// Words that tell the memory, and the event behind what is written there from now on.
    pub fn export(&mut self, device: &Device) -> Result<Vec<u64>, CudaError> {
        self.written = device.exportable_event()?;
        Ok([self.memory.export()?.words().as_slice(), &self.written.export()?].concat())
    }

    /// Another process's, by such words; and words that tell the event behind what this device reads there.
    pub fn import(device: &Device, exported: &[u64]) -> Result<(Self, Vec<u64>), CudaError> {
        let (buffer, event) = exported.split_at(BUFFER);
        let buffer = ExportedBuffer::from_words(buffer.try_into().expect("as many words as tell a buffer"));
        let event: &ExportedEvent = event.try_into().expect("as many words as tell an event");
        let (memory, written) = (device.import_buffer(&buffer)?, device.import_event(event)?);
        let read = device.exportable_event()?;
        let receipt = read.export()?.to_vec();
        Ok((SharedBuffer { memory, written, read: Some(read), readings: Mutex::default() }, receipt))
    }

    /// From here on others may read what the stream has been asked to write.
    pub fn publish(&self, stream: &Stream) -> Result<(), CudaError> {
        stream.record(&self.written)
    }

    /// From here on the stream may read it; true if its kernels reach it.
    pub fn begin_reading(&self, (device, stream): (&Device, &Stream)) -> Result<bool, CudaError> {
        // What is imported is mapped for the device.
        let reached = self.read.is_some() || device.reach(&self.memory)?;
        stream.wait(&self.written)?;
        Ok(reached)
    }

    /// The stream has been asked for all that reads it.
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

    /// Another process has asked for all that reads it, which its words tell.
    pub fn end_reading_elsewhere(&self, device: &Device, receipt: &[u64]) -> Result<(), CudaError> {
        let told: ExportedEvent = receipt.try_into().expect("a receipt of words that tell an event");
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

    /// From here on the stream may write it again.
    pub fn reclaim(&self, stream: &Stream) -> Result<(), CudaError> {
        let readings = &mut *self.readings.lock();
        readings.all_ended().try_for_each(|read| stream.wait(read))?;
        // A wait is for what was recorded when it was asked for.
        readings.start_anew();
        Ok(())
    }

    /// Waits until it has been written, and until all have read it who have begun to.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.written.synchronize()?;
        let readings = &mut *self.readings.lock();
        readings.all_ended().try_for_each(Event::synchronize)?;
        readings.start_anew();
        Ok(())
    }
}
