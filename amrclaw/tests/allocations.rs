//! A step allocates no memory. Regrids do, and after some of them even regrids do not.
//!
//! The only test in this file, since the counter counts allocations of the whole process.

mod common;

use amrclaw::simulation::Simulation;
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
/// Steps whose allocations are counted together: as many as two blocks are for.
const STEPS: usize = 2 * CALLS_PER_BLOCK;
/// How often steps are counted anew, at most.
const ATTEMPTS: usize = 5;

/// The fewest allocations in as many steps, of several attempts.
///
/// When a thread first waits for a lock, parking_lot allocates a table, and for further threads larger ones. Two threads want a lock at
/// once by chance, more often where other programs use the processors. What a step itself allocates is counted in all attempts.
fn fewest_allocations(simulation: &mut Simulation<2>) -> u64 {
    let mut fewest = u64::MAX;
    for _ in 0..ATTEMPTS {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        take_steps(simulation, STEPS);
        fewest = fewest.min(ALLOCATIONS.load(Ordering::Relaxed) - before);
        if fewest <= 2 {
            break;
        }
    }
    fewest
}

#[test]
fn steps_allocate_nothing_and_regrids_soon_nothing_either() {
    for split in ["unsplit", "strang"] {
        let mut simulation = start(CASE, &["regrid.interval=1000", &format!("scheme.split={split}")]);
        assert_eq!(simulation.hierarchy().num_levels(), 3);
        assert!(simulation.hierarchy().levels()[2].patches().len() > 3);
        // The first steps allocate.
        take_steps(&mut simulation, 5);
        let of_pool = simulation.memory().allocations;
        let fewest = fewest_allocations(&mut simulation);
        assert!(fewest <= 2, "{split}: {fewest} allocations in {STEPS} steps, besides two blocks of the pool's queue");
        assert_eq!(simulation.memory().allocations, of_pool, "{split}: the steps took memory for values");
    }

    let mut simulation = start(CASE, &[]);
    let mut by_then = Vec::new();
    for _ in 0..6 {
        take_steps(&mut simulation, 20);
        by_then.push(simulation.memory().allocations);
    }
    assert!(simulation.counts().regrids > 60, "{} regrids", simulation.counts().regrids);
    assert!(by_then[0] > 0);
    let late = by_then[5] - by_then[3];
    assert!(late <= 2, "memory for values was still allocated {late} times: {by_then:?}");
}
