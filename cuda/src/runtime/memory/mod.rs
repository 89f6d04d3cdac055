//! Pools of memory on the device and of pinned memory on the host: once warm, they allocate nothing from the driver.

mod backend;
mod buffer;
mod imported;
mod lock;
mod mapped;
mod slabs;

pub use backend::{Backend, DeviceMemory, PinnedMemory};
pub use buffer::{DeviceBuffer, PinnedBuffer};
pub use imported::ImportedMemory;
pub use lock::PageLocks;
pub use slabs::PoolStatistics;

use crate::runtime::error::CudaError;
use parking_lot::Mutex;
use slabs::Slabs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that is allocated from the driver in large pieces and handed out in small ones. Threads may share it.
#[derive(Debug)]
pub struct Pool<B: Backend> {
    backend: B,
    limit: Arc<Limit>,
    slabs: Mutex<Slabs>,
}

/// Bytes held by all pools of one memory together, and their limit.
#[derive(Debug, Default)]
pub struct Limit {
    most: Option<u64>,
    held: AtomicU64,
}

impl Limit {
    /// A limit of `most` bytes, if there is one.
    pub fn new(most: Option<u64>) -> Self {
        Limit { most, held: AtomicU64::new(0) }
    }

    /// Bytes that may still be allocated, if there is a limit.
    fn left(&self) -> Option<u64> {
        self.most.map(|most| most.saturating_sub(self.held.load(Ordering::Relaxed)))
    }

    /// Counts bytes as held; false if that would exceed the limit.
    fn take(&self, bytes: u64) -> bool {
        let with = |held: u64| Some(held + bytes).filter(|&held| self.most.is_none_or(|most| held <= most));
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with).is_ok()
    }

    fn give(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl<B: Backend> Pool<B> {
    /// An empty pool, which may share a limit with others.
    pub fn new(backend: B, limit: Arc<Limit>) -> Self {
        Pool { backend, limit, slabs: Mutex::new(Slabs::default()) }
    }

    /// The address of `bytes` bytes, aligned to 512.
    ///
    /// # Errors
    /// If neither the pool nor the driver has them, or the device has failed.
    pub fn allocate(&self, bytes: u64) -> Result<u64, CudaError> {
        let mut slabs = self.slabs.lock();
        if let Some(address) = slabs.take(bytes) {
            return Ok(address);
        }
        // First a comfortable slab, then one that just fits, then such a one again after freeing unused slabs.
        for attempt in 0..3 {
            if attempt == 2 || slabs.idles() {
                slabs.remove_free().into_iter().for_each(|(address, size)| self.free(address, size));
            }
            let mut size = slabs.slab_size(bytes, attempt == 0);
            if let Some(left) = self.limit.left().filter(|_| attempt == 0) {
                // All that the limit leaves in one piece: several slabs would each waste the rest of a page.
                size = size.min(left / slabs::GRAIN * slabs::GRAIN).max(slabs.least(bytes));
            }
            if !self.limit.take(size) {
                continue;
            }
            match self.backend.allocate(size) {
                Ok(Some(address)) => {
                    slabs.add(address, size, bytes);
                    return Ok(slabs.take(bytes).expect("the new slab is large enough"));
                }
                Ok(None) => self.limit.give(size),
                Err(failed) => {
                    self.limit.give(size);
                    return Err(failed);
                }
            }
        }
        let limit = match self.limit.most {
            Some(limit) => format!("the limit is {limit}"),
            None => self.backend.shortage(),
        };
        Err(CudaError::OutOfMemory { kind: B::KIND, needed: bytes, held: slabs.statistics().held, limit })
    }

    fn free(&self, address: u64, size: u64) {
        self.backend.free(address, size);
        self.limit.give(size);
    }

    /// Takes memory back.
    pub fn release(&self, address: u64) {
        self.slabs.lock().give(address);
    }

    /// How much is held and used.
    pub fn statistics(&self) -> PoolStatistics {
        self.slabs.lock().statistics()
    }
}

impl<B: Backend> Drop for Pool<B> {
    fn drop(&mut self) {
        let all = self.slabs.get_mut().all();
        for (address, size) in all {
            self.free(address, size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// A driver with a fixed amount of memory.
    struct Mock {
        next: AtomicU64,
        left: AtomicU64,
        sizes: Mutex<std::collections::HashMap<u64, u64>>,
        failed: AtomicBool,
    }

    impl Mock {
        fn with(bytes: u64) -> Mock {
            Mock {
                next: AtomicU64::new(1 << 20),
                left: AtomicU64::new(bytes),
                sizes: Mutex::default(),
                failed: AtomicBool::default(),
            }
        }
    }

    impl Backend for Mock {
        const KIND: &'static str = "mock";

        fn allocate(&self, bytes: u64) -> Result<Option<u64>, CudaError> {
            if self.failed.load(Ordering::Relaxed) {
                return Err(CudaError::NoDevice("it failed".into()));
            }
            if self.left.load(Ordering::Relaxed) < bytes {
                return Ok(None);
            }
            self.left.fetch_sub(bytes, Ordering::Relaxed);
            // A gap between slabs, so that pieces of two never look like neighbours.
            let address = self.next.fetch_add(bytes + (1 << 20), Ordering::Relaxed);
            self.sizes.lock().insert(address, bytes);
            Ok(Some(address))
        }

        fn free(&self, address: u64, bytes: u64) {
            let known = self.sizes.lock().remove(&address).expect("allocated once, freed once");
            assert_eq!(bytes, known);
            self.left.fetch_add(bytes, Ordering::Relaxed);
        }

        fn shortage(&self) -> String {
            format!("the driver has {} left", self.left.load(Ordering::Relaxed))
        }
    }

    const MIB: u64 = 1 << 20;

    /// Sizes that change from round to round within the same total, as at regrids, are served without the driver once
    /// the pool is warm.
    #[test]
    fn a_warm_pool_does_not_ask_the_driver() {
        let pool = Pool::new(Mock::with(1 << 40), Arc::default());
        let mut warm = 0;
        for round in 0..50u64 {
            let sizes = (0..40u64).map(|k| (k * k * 7919 + round * 104_729) % (3 * MIB) + 1);
            let addresses: Vec<u64> = sizes.map(|bytes| pool.allocate(bytes).expect("there is plenty")).collect();
            for (n, &address) in addresses.iter().enumerate() {
                assert_eq!(address % 512, 0);
                assert!(!addresses[..n].contains(&address));
            }
            addresses.iter().for_each(|&address| pool.release(address));
            if round == 3 {
                warm = pool.statistics().driver_allocations;
            }
        }
        let statistics = pool.statistics();
        assert_eq!(statistics.used, 0);
        assert!(statistics.driver_allocations <= warm + 1, "{statistics:?} after {warm}");
    }

    /// Neighbouring free pieces are merged: a request as large as a whole slab fits.
    #[test]
    fn neighbours_are_joined() {
        let pool = Pool::new(Mock::with(1 << 40), Arc::default());
        let whole = pool.allocate(64 * MIB).expect("there is plenty");
        pool.release(whole);
        let pieces: Vec<u64> = (0..64).map(|_| pool.allocate(MIB).expect("there is plenty")).collect();
        for k in (0..64).step_by(2).chain((1..64).step_by(2)) {
            pool.release(pieces[k]);
        }
        assert_eq!(pool.allocate(64 * MIB).expect("it was there before"), whole);
        assert_eq!(pool.statistics().driver_allocations, 1);
    }

    /// When the driver has no more memory, unused slabs are freed before a request is refused; the error says how much was needed and
    /// what to do.
    #[test]
    fn what_is_free_is_given_back_before_giving_up() {
        let pool = Pool::new(Mock::with(150 * MIB), Arc::default());
        let small: Vec<u64> = (0..2).map(|_| pool.allocate(60 * MIB).expect("two fit")).collect();
        small.iter().for_each(|&address| pool.release(address));
        let large = pool.allocate(140 * MIB).expect("both slabs are free");
        let error = pool.allocate(20 * MIB).expect_err("10 are left").to_string();
        for part in ["out of mock memory: 20971520 bytes", "146800640 are held", "cuda-streamed"] {
            assert!(error.contains(part), "{error}");
        }
        pool.release(large);
    }

    /// A failed device is reported as such, not as a shortage of memory.
    #[test]
    fn a_failed_device_is_not_short_of_memory() {
        let pool = Pool::new(Mock::with(150 * MIB), Arc::default());
        pool.backend.failed.store(true, Ordering::Relaxed);
        let error = pool.allocate(MIB).expect_err("it has failed").to_string();
        assert!(error.contains("it failed") && !error.contains("out of"), "{error}");
    }

    /// Requests that grow from time to time, as a level's arrays and tables do, do not leave all their earlier sizes behind.
    #[test]
    fn what_is_outgrown_is_given_back() {
        const GIB: u64 = 1 << 30;
        let pool = Pool::new(Mock::with(1 << 50), Arc::default());
        let mut before = Vec::new();
        for n in 1..40 {
            let level: Vec<u64> = [n * GIB, n * MIB, n * GIB, n * GIB]
                .into_iter()
                .map(|size| pool.allocate(size).expect("there is plenty"))
                .collect();
            before.drain(..).for_each(|address| pool.release(address));
            before = level;
        }
        let PoolStatistics { held, peak, .. } = pool.statistics();
        assert!(held <= peak + peak / 2, "{held} held for {peak}");
    }

    /// The limit holds, and close to it slabs are no larger than they must be.
    #[test]
    fn the_limit_is_kept() {
        let pool = Pool::new(Mock::with(1 << 40), Arc::new(Limit::new(Some(10 * MIB))));
        let first = pool.allocate(6 * MIB).expect("within the limit");
        pool.allocate(4 * MIB).expect("within the limit");
        assert!(pool.allocate(1).expect_err("nothing is left").to_string().contains("the limit is 10485760"));
        pool.release(first);
        pool.allocate(6 * MIB).expect("given back");
        assert_eq!(pool.statistics().held, 10 * MIB);
    }

    /// Pools of the same memory share a limit.
    #[test]
    fn a_limit_is_kept_by_pools_together() {
        let limit = Arc::new(Limit::new(Some(200 * MIB)));
        let [pool, other] = [(); 2].map(|()| Pool::new(Mock::with(1 << 40), limit.clone()));
        pool.allocate(60 * MIB).expect("within the limit");
        other.allocate(60 * MIB).expect("within the limit");
        assert!(
            other.allocate(100 * MIB).expect_err("too much with the other pool's").to_string().contains("the limit is")
        );
        drop(pool);
        other.allocate(100 * MIB).expect("the other pool is gone");
    }
}
