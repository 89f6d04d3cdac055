//! A step allocates nothing: memory is taken when the mesh changes, and after some regrids not even then.
//!
//! One test a file: the counter counts what the whole process allocates.

mod common;

use common::{start, take_steps};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts calls, then hands them to the system.
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

/// Three levels on several patches; regrids as given.
fn case(interval: usize) -> String {
    format!(
        r#"
[solver]
name = "euler"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.9]
cells = [29, 27]
[mesh.boundary]
x = ["wall", "extrapolate"]
y = ["periodic", "periodic"]
[levels]
max = 3
ratio = [2, 2]
[regrid]
interval = {interval}
buffer = 1
max_patch_size = 16
conservation_fix = true
[regrid.flag]
criterion = "difference"
tolerance = 0.1
[time]
end = 10.0
dt_initial = 1e-3
cfl_desired = 0.8
[initial]
density = "1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2))"
x_momentum = "0.6 * (1 + exp(-60 * ((x - 0.3)^2 + (y - 0.6)^2)))"
y_momentum = "0"
energy = "3 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))"
"#
    )
}

/// Calls of the thread pool from outside before its queue needs another block: 63 (crossbeam's injector).
const CALLS_PER_BLOCK: usize = 63;

#[test]
fn steps_allocate_nothing_and_regrids_soon_nothing_either() {
    for split in ["unsplit", "strang"] {
        let mut simulation = start(&case(1000), &[&format!("scheme.split=\"{split}\"")]);
        assert_eq!(simulation.hierarchy().num_levels(), 3);
        assert!(simulation.hierarchy().levels()[2].patches().len() > 3);
        take_steps(&mut simulation, 5);
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

    let mut simulation = start(&case(2), &[]);
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
