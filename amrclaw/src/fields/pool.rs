//! Memory that outlives the arrays in it: after the first regrids nothing is allocated.

use riemann::real::Scalar;

/// Arrays up to this size are not worth telling apart.
const SMALL: usize = 1 << 10;

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
    /// Arrays that had to be made or made larger.
    grown: u64,
}

impl<R: Scalar> Pool<R> {
    /// An empty pool.
    pub fn new() -> Self {
        Pool { lock: None, locked: Vec::new(), free: Vec::new(), held: 0, grown: 0 }
    }

    /// An empty pool whose arrays are locked in memory. It must be dropped before them.
    pub fn locked(lock: Box<dyn PageLock>) -> Self {
        let mut pool = Pool::new();
        pool.lock = Some(lock);
        pool
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
        let fits = |v: &Vec<R>| (len..=2 * len + SMALL).contains(&v.capacity());
        let nearly = |v: &Vec<R>| (len / 2..len).contains(&v.capacity());
        let capacity = |k: &usize| self.free[*k].capacity();
        let fitting = (0..self.free.len()).filter(|&k| fits(&self.free[k])).min_by_key(capacity);
        let growing = || (0..self.free.len()).filter(|&k| nearly(&self.free[k])).max_by_key(capacity);
        let mut array = match fitting.or_else(growing) {
            Some(k) => self.free.swap_remove(k),
            None => Vec::new(),
        };
        if array.capacity() < len {
            // A little more than asked for: the next regrid wants about as much. The old memory goes first.
            self.held -= array.capacity();
            self.unlock(&array);
            drop(std::mem::take(&mut array));
            // Zeros from the system cost nothing until they are touched, which all threads then do together.
            array = vec![R::default(); len + len / 8];
            self.held += array.capacity();
            self.grown += 1;
            self.lock(&array);
        }
        array.resize(len, R::default());
        array
    }

    /// Takes an array back.
    pub fn give(&mut self, array: Vec<R>) {
        if array.capacity() > 0 {
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
}
