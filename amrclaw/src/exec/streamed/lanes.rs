//! Streams that take turns, each with room for a batch.

use super::batches::Largest;
use cuda::{CudaError, Device, DeviceBuffer, Event, Stream};
use riemann::real::Scalar;

/// Batches that are under way at once: one copied in, one updated, one copied back, one to begin with.
pub(super) const COUNT: usize = 4;

/// A stream with room for a batch.
pub(super) struct Lane {
    pub stream: Stream,
    pub q: DeviceBuffer<u8>,
    pub q_next: DeviceBuffer<u8>,
    pub aux: DeviceBuffer<u8>,
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
            let [q, q_next, aux] = [device.buffer(0)?, device.buffer(0)?, device.buffer(0)?];
            Ok(Lane { stream: device.stream()?, q, q_next, aux })
        };
        let all = (0..COUNT).map(lane).collect::<Result<_, CudaError>>()?;
        Ok(Lanes { all, timers: Timers::default(), memory_limit })
    }

    /// Gives as many lanes as fit the memory room for the largest batch; at least one. Returns how many.
    pub fn fit(&mut self, device: &Device, largest: Largest) -> Result<usize, CudaError> {
        let Largest { q, aux } = largest;
        let fitting = |limit: u64| limit as usize * 3 / 4 / (2 * q + aux).max(1);
        let count = self.memory_limit.map_or(COUNT, fitting).clamp(1, COUNT);
        if self.all[..count].iter().any(|lane| lane.q.len() < q || lane.aux.len() < aux) {
            // All go before any comes, so that the memory is in one piece again.
            for buffer in self.all.iter_mut().flat_map(|lane| [&mut lane.q, &mut lane.q_next, &mut lane.aux]) {
                *buffer = device.buffer(0)?;
            }
            for lane in &mut self.all[..count] {
                for (buffer, bytes) in [(&mut lane.q, q), (&mut lane.q_next, q), (&mut lane.aux, aux)] {
                    grow(device, buffer, bytes, &lane.stream)?;
                }
            }
        }
        Ok(count)
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

pub(super) fn bytes_of<R: Scalar>(numbers: &[R]) -> &[u8] {
    // SAFETY: any number is so many bytes.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), std::mem::size_of_val(numbers)) }
}

pub(super) fn bytes_of_mut<R: Scalar>(numbers: &mut [R]) -> &mut [u8] {
    // SAFETY: likewise, and any bytes are a number.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), std::mem::size_of_val(numbers)) }
}
