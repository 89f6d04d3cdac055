//! Lanes, each with memory for one batch.

use super::batches::{Batch, LaneBytes};
use super::lane::Lane;
use crate::exec::gpu::device::{FaceMapPlace, pointer};
use cuda::CudaError;
use cuda::abi::{Pointee, Pointer};

/// Batches that are under way at once: one copied in, one updated, one copied back, one to begin with.
pub(super) const COUNT: usize = 4;

/// Memory that grows.
pub(super) struct Buffer<L: Lane> {
    pub memory: L::Memory,
    bytes: usize,
}

/// A lane with memory for a batch.
pub(super) struct LaneBuffers<L: Lane> {
    pub queue: L,
    pub q: Buffer<L>,
    pub q_next: Buffer<L>,
    pub aux: Buffer<L>,
    /// The map of the faces that a batch keeps: bits, bases and number; slots.
    pub words: Buffer<L>,
    pub slots: Buffer<L>,
}

/// All lanes of a device.
pub(super) struct LaneSet<L: Lane> {
    pub all: Vec<LaneBuffers<L>>,
    memory_limit: Option<u64>,
}

impl<L: Lane> Buffer<L> {
    /// An empty buffer.
    pub fn none(lane: &L) -> Result<Self, CudaError> {
        Ok(Buffer { memory: lane.allocate(0)?, bytes: 0 })
    }

    /// The address `bytes` bytes behind its beginning.
    pub fn at<T: Pointee + ?Sized>(&self, bytes: usize) -> Pointer<T> {
        pointer::<T, L>(&self.memory, bytes)
    }

    /// The address at which a level's array would begin of which this buffer holds the numbers from `start` on, of `bytes` bytes each:
    /// tables of patches count from there.
    pub fn in_level<T: Pointee>(&self, start: usize, bytes: usize) -> Pointer<T> {
        Pointer::new(L::address(&self.memory).wrapping_sub((start * bytes) as u64))
    }

    /// Makes it larger if it has to be; what it held is lost.
    pub fn grow(&mut self, lane: &L, bytes: usize) -> Result<(), CudaError> {
        if self.bytes < bytes {
            lane.wait()?;
            *self = Self::none(lane)?;
            *self = Buffer { memory: lane.allocate(bytes)?, bytes };
            // Ghost cells of new states are copied back although nothing writes them before.
            lane.zero(&self.memory, 0, bytes)?;
            lane.wait()?;
        }
        Ok(())
    }
}

impl<L: Lane> LaneSet<L> {
    pub fn new(lanes: Vec<L>, memory_limit: Option<u64>) -> Result<Self, CudaError> {
        let without_memory = |queue: L| {
            let none = || Buffer::none(&queue);
            let (q, q_next, aux, words, slots) = (none()?, none()?, none()?, none()?, none()?);
            Ok(LaneBuffers { queue, q, q_next, aux, words, slots })
        };
        Ok(LaneSet { all: lanes.into_iter().map(without_memory).collect::<Result<_, CudaError>>()?, memory_limit })
    }

    /// The lane for what goes on alone.
    pub fn first(&self) -> &L {
        &self.all[0].queue
    }

    /// Allocates memory for the largest batch in as many lanes as fit, at least one. Returns their number.
    pub fn fit(&mut self, largest: LaneBytes) -> Result<usize, CudaError> {
        let LaneBytes { q, aux, words, slots } = largest;
        let fitting = |limit: u64| limit as usize * 3 / 4 / (2 * q + aux + words + slots).max(1);
        let count = self.memory_limit.map_or(self.all.len(), fitting).clamp(1, self.all.len());
        let fits = |buffers: &mut LaneBuffers<L>| {
            buffers.sized(largest).1.iter().all(|(buffer, bytes)| buffer.bytes >= *bytes)
        };
        if !self.all[..count].iter_mut().all(fits) {
            // All buffers are freed before any is allocated, so that the memory is in one piece again.
            for of_lane in &mut self.all {
                let (lane, buffers) = of_lane.sized(largest);
                for (buffer, _) in buffers {
                    *buffer = Buffer::none(lane)?;
                }
            }
            for of_lane in &mut self.all[..count] {
                let (lane, buffers) = of_lane.sized(largest);
                for (buffer, bytes) in buffers {
                    buffer.grow(lane, bytes)?;
                }
            }
        }
        Ok(count)
    }

    /// Waits until all queued work is done.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.all.iter().try_for_each(|buffers| buffers.queue.wait())
    }
}

impl<L: Lane> LaneBuffers<L> {
    /// Where the kernels find the map of a batch's faces.
    pub fn face_map(&self, batch: &Batch) -> FaceMapPlace {
        let words: Pointer<u32> = self.words.in_level(batch.words.start, size_of::<u32>());
        let bases = Pointer::new(words.address().wrapping_add((batch.words.len() * size_of::<u32>()) as u64));
        FaceMapPlace { words, bases, slots: self.slots.at(0) }
    }

    /// Its buffers, and the bytes that each needs.
    fn sized(&mut self, largest: LaneBytes) -> (&L, [(&mut Buffer<L>, usize); 5]) {
        let LaneBytes { q, aux, words, slots } = largest;
        let buffers = [
            (&mut self.q, q),
            (&mut self.q_next, q),
            (&mut self.aux, aux),
            (&mut self.words, words),
            (&mut self.slots, slots),
        ];
        (&self.queue, buffers)
    }
}
