//! Scratch memory, one block per thread.

use parking_lot::{Mutex, MutexGuard};
use riemann::real::Scalar;

/// One block of numbers per thread of the pool; a thread's lock is never contended.
#[derive(Debug)]
pub(super) struct Scratch<R> {
    blocks: Vec<Mutex<Vec<R>>>,
}

impl<R: Scalar> Scratch<R> {
    pub fn new(threads: usize, len: usize) -> Self {
        Scratch { blocks: (0..threads.max(1)).map(|_| Mutex::new(vec![R::default(); len])).collect() }
    }

    /// Gives each block this length; where it changes, the numbers are lost.
    pub fn resize(&mut self, len: usize) {
        for block in self.blocks.iter_mut().map(Mutex::get_mut).filter(|block| block.len() != len) {
            *block = vec![R::default(); len];
        }
    }

    /// The block of the calling thread.
    pub fn mine(&self) -> MutexGuard<'_, Vec<R>> {
        let thread = rayon::current_thread_index().unwrap_or(0);
        self.blocks[thread % self.blocks.len()].lock()
    }

    /// Bytes of all blocks.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|b| b.lock().len() * R::BYTES).sum()
    }
}
