//! A pool of arrays that are reused: after the first regrids nothing is allocated.

use rayon::prelude::*;
use riemann::real::Scalar;
use std::mem::MaybeUninit;

/// Requests of up to this many numbers, half a megabyte, may be served by an array of twice the size.
const SMALL: usize = 1 << 16;
/// Numbers that may always be idle.
const IDLE: usize = 8 * SMALL;

/// Before an allocation, idle arrays are freed until at most [`IDLE`] numbers plus one in so many of those in use are idle.
const IDLE_PART: usize = 8;

/// An array that is allocated or grown is larger than requested by one part in so many, for slightly larger requests of later regrids.
const SPARE_PART: usize = 16;

/// Numbers per task when an array is filled in parallel.
const FILLED: usize = 1 << 18;

/// Arrays of fewer bytes share pages with others, and are not locked.
const LOCKABLE: usize = 1 << 20;

/// Locks pages in physical memory (pinned memory), so that devices can copy from and to them.
pub trait PageLock: Send + Sync {
    /// Locks a piece of memory. False if the system refuses.
    ///
    /// # Safety
    /// The memory stays allocated until it is unlocked.
    unsafe fn lock(&self, address: usize, bytes: usize) -> bool;

    /// Unlocks it.
    ///
    /// # Safety
    /// No copy from or to it is in progress.
    unsafe fn unlock(&self, address: usize);
}

/// Arrays that have been given back, to be taken again.
#[derive(Default)]
pub struct Pool<R> {
    lock: Option<Box<dyn PageLock>>,
    /// Addresses of the arrays that are locked.
    locked: Vec<usize>,
    free: Vec<Vec<R>>,
    /// Numbers in all arrays, taken and free.
    held: usize,
    /// The largest `held` so far.
    peak: usize,
    /// Numbers in free arrays.
    idle: usize,
    /// How often an array had to be allocated or grown.
    grown: u64,
    /// Arrays are filled with NaN when they are taken.
    poisons: bool,
}

impl<R: Scalar> Pool<R> {
    /// An empty pool.
    pub fn new() -> Self {
        Pool { lock: None, locked: Vec::new(), free: Vec::new(), held: 0, peak: 0, idle: 0, grown: 0, poisons: false }
    }

    /// An empty pool whose arrays are locked in memory. It must be dropped before them.
    pub fn locked(lock: Box<dyn PageLock>) -> Self {
        let mut pool = Pool::new();
        pool.lock = Some(lock);
        pool
    }

    /// From now on arrays are filled with NaN when they are taken, so that a read of a value that was never written shows.
    pub fn poison(&mut self) {
        self.poisons = true;
    }

    fn lock(&mut self, array: &Vec<R>) {
        let (address, bytes) = (array.as_ptr() as usize, array.capacity() * R::BYTES);
        // SAFETY: the array is unlocked before its memory is freed.
        if self.lock.as_ref().is_some_and(|lock| bytes >= LOCKABLE && unsafe { lock.lock(address, bytes) }) {
            self.locked.push(address);
        }
    }

    fn unlock(&mut self, array: &[R]) {
        let address = array.as_ptr() as usize;
        if let (Some(lock), Some(k)) = (&self.lock, self.locked.iter().position(|&a| a == address)) {
            self.locked.swap_remove(k);
            // SAFETY: the array is the caller's alone.
            unsafe { lock.unlock(address) };
        }
    }

    /// An array of `len` numbers, each of them some finite or non-finite number left by an earlier owner, or zero.
    pub fn take(&mut self, len: usize) -> Vec<R> {
        // A small request does not take a large array: the next large request would have to allocate.
        let too_large = len + (len / 2).max(len.min(SMALL)) + 1024;
        let fits = |v: &Vec<R>| (len..too_large).contains(&v.capacity());
        let nearly = |v: &Vec<R>| (len / 2..len).contains(&v.capacity());
        let capacity = |k: &usize| self.free[*k].capacity();
        let fitting = (0..self.free.len()).filter(|&k| fits(&self.free[k])).min_by_key(capacity);
        let growing = || (0..self.free.len()).filter(|&k| nearly(&self.free[k])).max_by_key(capacity);
        let mut array = match fitting.or_else(growing) {
            Some(k) => self.free.swap_remove(k),
            None => Vec::new(),
        };
        self.idle -= array.capacity();
        if array.capacity() < len {
            // Frees idle memory before allocating.
            self.held -= array.capacity();
            self.unlock(&array);
            self.drop_idle(len);
            grow(&mut array, len + len / SPARE_PART);
            self.held += array.capacity();
            self.peak = self.peak.max(self.held);
            self.grown += 1;
            self.lock(&array);
        }
        // SAFETY: all numbers of the pool's arrays have been written: see `grow`.
        unsafe { array.set_len(len) };
        if self.poisons {
            array.fill(R::from_f64(f64::NAN));
        }
        array
    }

    /// Frees the largest idle arrays until few numbers are idle compared with those in use plus `len`.
    fn drop_idle(&mut self, len: usize) {
        let capacity = |free: &[Vec<R>], k: &usize| free[*k].capacity();
        while self.idle > IDLE + (self.held - self.idle + len) / IDLE_PART {
            let largest = (0..self.free.len()).max_by_key(|k| capacity(&self.free, k)).expect("what is idle is free");
            let array = self.free.swap_remove(largest);
            self.idle -= array.capacity();
            self.held -= array.capacity();
            self.unlock(&array);
        }
    }

    /// Takes an array back.
    pub fn give(&mut self, array: Vec<R>) {
        if array.capacity() > 0 {
            self.idle += array.capacity();
            self.free.push(array);
        }
    }

    /// Stops counting an array that will not be given back.
    pub fn forget(&mut self, array: &Vec<R>) {
        self.held -= array.capacity();
        self.unlock(array);
    }

    /// Bytes of all arrays of the pool, taken and free.
    pub fn bytes(&self) -> usize {
        self.held * R::BYTES
    }

    /// The largest [`Pool::bytes`] so far.
    pub fn peak_bytes(&self) -> usize {
        self.peak * R::BYTES
    }

    /// How often an array had to be allocated.
    pub fn allocations(&self) -> u64 {
        self.grown
    }
}

impl<R> Drop for Pool<R> {
    fn drop(&mut self) {
        for &address in &self.locked {
            if let Some(lock) = &self.lock {
                // SAFETY: steps wait for their copies before they end.
                unsafe { lock.unlock(address) };
            }
        }
    }
}

/// Makes an array hold at least `len` numbers, all of them initialized. Previous values may be lost.
///
/// A large array that grows keeps its pages: the system has to clear only the new ones.
fn grow<R: Scalar>(array: &mut Vec<R>, len: usize) {
    if array.capacity() == 0 {
        // Zero pages from the system cost nothing until they are first touched, which all threads then do in parallel.
        *array = vec![R::default(); len];
    } else {
        // SAFETY: all numbers of the pool's arrays have been written.
        unsafe { array.set_len(array.capacity()) };
        array.reserve_exact(len - array.len());
    }
    advise_large_pages(array);
    let fill = |part: &mut [MaybeUninit<R>]| part.fill(MaybeUninit::new(R::default()));
    array.spare_capacity_mut().par_chunks_mut(FILLED).for_each(fill);
    // SAFETY: the numbers beyond the old length have just been written.
    unsafe { array.set_len(array.capacity()) };
}

/// Advises the system to use large pages for an array that contains whole ones: fewer page faults and fewer TLB misses.
fn advise_large_pages<R>(array: &Vec<R>) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 1 << 21;
        let start = (array.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (array.as_ptr() as usize + array.capacity() * size_of::<R>()) & !(PAGE - 1);
        if end > start {
            // SAFETY: whole pages inside the array's own memory; the advice changes no value, and may be refused.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = array;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest array that is large enough is taken, and a request for a size that was given back allocates nothing.
    #[test]
    fn arrays_are_used_again() {
        let mut pool = Pool::<f64>::new();
        let (small, large) = (pool.take(100), pool.take(1000));
        pool.give(large);
        pool.give(small);
        assert!(pool.take(90).capacity() < 1000);
        assert_eq!(pool.take(900).len(), 900);
        assert_eq!(pool.allocations(), 2);
    }

    /// Unused memory does not accumulate: a level that shrinks leaves little idle memory behind.
    #[test]
    fn idle_arrays_are_freed() {
        let mut pool = Pool::<f64>::new();
        for len in [81, 27, 9].map(|n| n * SMALL) {
            let array = pool.take(len);
            let all = pool.bytes() / f64::BYTES;
            assert!(all <= len + len / 4 + IDLE, "{all} numbers held for {len}");
            pool.give(array);
        }
    }
}
