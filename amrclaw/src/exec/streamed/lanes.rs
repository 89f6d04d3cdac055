//! Streams that take turns, each with room for a batch.

use super::batches::{Batch, Largest};
use crate::exec::device::FaceMapPlace;
use cuda::abi::{Pointee, Pointer};
use cuda::{CudaError, Device, DeviceBuffer, Event, Stream};

/// Batches that are under way at once: one copied in, one updated, one copied back, one to begin with.
pub(super) const COUNT: usize = 4;

/// A stream with room for a batch.
pub(super) struct Lane {
    pub stream: Stream,
    pub q: DeviceBuffer<u8>,
    pub q_next: DeviceBuffer<u8>,
    pub aux: DeviceBuffer<u8>,
    /// The map of the faces that a batch keeps: bits, bases and number; slots.
    pub words: DeviceBuffer<u8>,
    pub slots: DeviceBuffer<u8>,
}

/// All lanes of a device.
pub(super) struct Lanes {
    pub all: Vec<Lane>,
    pub timers: Timers,
    memory_limit: Option<u64>,
}

/// How long the kernels of a sweep take: a pair of events for each batch, made once.
#[derive(Default)]
pub(super) struct Timers {
    events: Vec<[Event; 2]>,
    running: usize,
}

impl Lanes {
    pub fn new(device: &Device, memory_limit: Option<u64>) -> Result<Self, CudaError> {
        let lane = |_| {
            let none = || device.buffer(0);
            let (q, q_next, aux, words, slots) = (none()?, none()?, none()?, none()?, none()?);
            Ok(Lane { stream: device.stream()?, q, q_next, aux, words, slots })
        };
        let all = (0..COUNT).map(lane).collect::<Result<_, CudaError>>()?;
        Ok(Lanes { all, timers: Timers::default(), memory_limit })
    }

    /// Gives as many lanes as fit the memory room for the largest batch; at least one. Returns how many.
    pub fn fit(&mut self, device: &Device, largest: Largest) -> Result<usize, CudaError> {
        let Largest { q, aux, words, slots } = largest;
        let fitting = |limit: u64| limit as usize * 3 / 4 / (2 * q + aux + words + slots).max(1);
        let count = self.memory_limit.map_or(COUNT, fitting).clamp(1, COUNT);
        let fits = |lane: &mut Lane| lane.sized(largest).iter().all(|(buffer, bytes)| buffer.len() >= *bytes);
        if !self.all[..count].iter_mut().all(fits) {
            // All go before any comes, so that the memory is in one piece again.
            for (buffer, _) in self.all.iter_mut().flat_map(|lane| lane.sized(largest)) {
                *buffer = device.buffer(0)?;
            }
            for lane in &mut self.all[..count] {
                let stream = lane.stream.clone();
                for (buffer, bytes) in lane.sized(largest) {
                    grow(device, buffer, bytes, &stream)?;
                }
            }
        }
        Ok(count)
    }
}

impl Lane {
    /// Where the kernels find the map of a batch's faces.
    pub fn face_map(&self, batch: &Batch) -> FaceMapPlace {
        let words: Pointer<u32> = in_level(&self.words, batch.words.start, size_of::<u32>());
        let bases = Pointer::new(words.address().wrapping_add((batch.words.len() * size_of::<u32>()) as u64));
        FaceMapPlace { words, bases, slots: Pointer::new(self.slots.at(0).address()) }
    }

    /// Its buffers, and the bytes that each needs.
    fn sized(&mut self, largest: Largest) -> [(&mut DeviceBuffer<u8>, usize); 5] {
        let Largest { q, aux, words, slots } = largest;
        [
            (&mut self.q, q),
            (&mut self.q_next, q),
            (&mut self.aux, aux),
            (&mut self.words, words),
            (&mut self.slots, slots),
        ]
    }
}

impl Timers {
    /// Starts to take the time of a lane's work; returns the number for [`Timers::end`].
    pub fn begin(&mut self, device: &Device, lane: &Lane) -> Result<usize, CudaError> {
        if self.running == self.events.len() {
            self.events.push([device.event(true)?, device.event(true)?]);
        }
        lane.stream.record(&self.events[self.running][0])?;
        self.running += 1;
        Ok(self.running - 1)
    }

    pub fn end(&self, timer: usize, lane: &Lane) -> Result<(), CudaError> {
        lane.stream.record(&self.events[timer][1])
    }

    /// Seconds of all that was begun since the last call and has ended.
    pub fn total(&mut self) -> Result<f64, CudaError> {
        let running = std::mem::take(&mut self.running);
        let seconds = |[begin, end]: &[Event; 2]| Ok(end.milliseconds_since(begin)? * 1e-3);
        self.events[..running].iter().map(seconds).sum()
    }
}

/// Where the array of a level would begin of which a buffer holds the numbers, of so many bytes each, from `start` on: tables of
/// patches count from there.
pub(super) fn in_level<T: Pointee>(part: &DeviceBuffer<u8>, start: usize, bytes: usize) -> Pointer<T> {
    Pointer::new(part.at(0).address().wrapping_sub((start * bytes) as u64))
}

/// Makes a buffer larger if it has to be; what it held is lost.
pub(super) fn grow(
    device: &Device,
    buffer: &mut DeviceBuffer<u8>,
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    if buffer.len() < bytes {
        stream.synchronize()?;
        *buffer = device.buffer(0)?;
        *buffer = device.buffer(bytes)?;
        // Ghost cells of new states are copied back, and written by nobody before.
        stream.fill(buffer, 0, bytes, 0)?;
        stream.synchronize()?;
    }
    Ok(())
}
