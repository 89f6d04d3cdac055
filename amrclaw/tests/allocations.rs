//! A step allocates no memory. Regrids do, and after some of them even regrids do not.
//!
//! The only test in this file, since the counter counts allocations of the whole process.

mod common;

use common::{start, take_steps};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts allocations, then forwards them to the system's allocator.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is the system allocator's own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Three levels of several patches, regridded every second step.
const CASE: &str = include_str!("cases/gas_under_pressure.toml");

/// Tasks from outside the thread pool until its queue (crossbeam's injector) allocates another block.
const CALLS_PER_BLOCK: usize = 63;

#[test]
fn steps_allocate_nothing_and_regrids_soon_nothing_either() {
    for split in ["unsplit", "strang"] {
        let mut simulation = start(CASE, &["regrid.interval=1000", &format!("scheme.split={split}")]);
        assert_eq!(simulation.hierarchy().num_levels(), 3);
        assert!(simulation.hierarchy().levels()[2].patches().len() > 3);
        // A worker allocates its scratch memory with its first task, which on a busy machine may come late.
        take_steps(&mut simulation, CALLS_PER_BLOCK);
        let (before, of_pool) = (ALLOCATIONS.load(Ordering::Relaxed), simulation.allocations());
        let steps = 2 * CALLS_PER_BLOCK;
        take_steps(&mut simulation, steps);
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert!(
            allocated <= 2,
            "{split}: {allocated} allocations in {steps} steps, besides two blocks of the pool's queue"
        );
        assert_eq!(simulation.allocations(), of_pool, "{split}: the steps took memory for values");
    }

    let mut simulation = start(CASE, &[]);
    let mut by_then = Vec::new();
    for _ in 0..6 {
        take_steps(&mut simulation, 20);
        by_then.push(simulation.allocations());
    }
    assert!(simulation.counts().regrids > 60, "{} regrids", simulation.counts().regrids);
    assert!(by_then[0] > 0);
    let late = by_then[5] - by_then[3];
    assert!(late <= 2, "memory for values was still allocated {late} times: {by_then:?}");
}
