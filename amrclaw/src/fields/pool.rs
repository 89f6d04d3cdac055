//! Memory that outlives the arrays in it: after the first regrids nothing is allocated.

use rayon::prelude::*;
use riemann::real::Scalar;
use std::mem::MaybeUninit;

/// Arrays up to this size, half a megabyte, are hardly worth telling apart.
const SMALL: usize = 1 << 16;
/// Numbers that may always lie idle.
const IDLE: usize = 8 * SMALL;

/// What lies idle beyond that when memory must be allocated is at most this part of what is in use.
const IDLE_PART: usize = 8;

/// An array that is made or made larger has this part more than was asked for: the next regrid wants about as much.
const SPARE_PART: usize = 16;

/// Numbers that a thread fills at a time.
const FILLED: usize = 1 << 18;

/// Arrays of fewer bytes share pages with others, and are not locked.
const LOCKABLE: usize = 1 << 20;

/// Keeps pages of memory in place, for devices that copy from and to them.
pub trait PageLock: Send + Sync {
    /// Locks a piece of memory. False if the system refuses.
    ///
    /// # Safety
    /// The memory stays the program's until it is unlocked.
    unsafe fn lock(&self, address: usize, bytes: usize) -> bool;

    /// Unlocks it.
    ///
    /// # Safety
    /// No copy from or to it is under way.
    unsafe fn unlock(&self, address: usize);
}

/// Arrays handed back, for the next that asks.
#[derive(Default)]
pub struct Pool<R> {
    lock: Option<Box<dyn PageLock>>,
    /// Addresses of the arrays that are locked.
    locked: Vec<usize>,
    free: Vec<Vec<R>>,
    /// Numbers held by arrays that are out or free.
    held: usize,
    /// The most that were.
    peak: usize,
    /// Numbers held by arrays that are free.
    idle: usize,
    /// Arrays that had to be made or made larger.
    grown: u64,
    /// Arrays are full of NaN when they are handed out.
    spoils: bool,
}

impl<R: Scalar> Pool<R> {
    /// An empty pool.
    pub fn new() -> Self {
        Pool { lock: None, locked: Vec::new(), free: Vec::new(), held: 0, peak: 0, idle: 0, grown: 0, spoils: false }
    }

    /// An empty pool whose arrays are locked in memory. It must be dropped before them.
    pub fn locked(lock: Box<dyn PageLock>) -> Self {
        let mut pool = Pool::new();
        pool.lock = Some(lock);
        pool
    }

    /// From now on arrays are full of NaN when they are handed out: who reads what nobody has written will see it.
    pub fn spoil(&mut self) {
        self.spoils = true;
    }

    fn lock(&mut self, array: &Vec<R>) {
        let (address, bytes) = (array.as_ptr() as usize, array.capacity() * R::BYTES);
        // SAFETY: the array is unlocked before its memory goes.
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
        // A large array is not spent on a small request: the next large one would have to be allocated.
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
            // Idle memory goes first.
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
        if self.spoils {
            array.fill(R::from_f64(f64::NAN));
        }
        array
    }

    /// Frees the largest idle arrays until few numbers lie idle beside those in use and `len` more.
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

    /// Counts an array no longer: it will not be given back.
    pub fn forget(&mut self, array: &Vec<R>) {
        self.held -= array.capacity();
        self.unlock(array);
    }

    /// Bytes of all arrays that came from here.
    pub fn bytes(&self) -> usize {
        self.held * R::BYTES
    }

    /// The most bytes that there were.
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

/// Makes an array hold `len` numbers, all of them written. What it held stays or goes.
///
/// A large array that grows keeps its pages: the system has to clear the new ones alone.
fn grow<R: Scalar>(array: &mut Vec<R>, len: usize) {
    if array.capacity() == 0 {
        // Zeros from the system cost nothing until they are touched, which all threads then do together.
        *array = vec![R::default(); len];
    } else {
        // SAFETY: all numbers of the pool's arrays have been written.
        unsafe { array.set_len(array.capacity()) };
        array.reserve_exact(len - array.len());
    }
    advise_large_pages(array);
    let fill = |part: &mut [MaybeUninit<R>]| part.fill(MaybeUninit::new(R::default()));
    array.spare_capacity_mut().par_chunks_mut(FILLED).for_each(fill);
    // SAFETY: the numbers behind those that there were have just been written.
    unsafe { array.set_len(array.capacity()) };
}

/// Asks the system for large pages where an array is larger than many of them: fewer page faults, fewer misses of the
/// processor's table of pages.
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

    /// The smallest array that is large enough is taken, and asking again for what was given back allocates nothing.
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

    /// What nobody uses any more does not pile up: a level that shrinks leaves little idle memory behind.
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
