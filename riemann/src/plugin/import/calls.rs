//! Which functions of plugins the program's threads are executing: a user's function may never return, and whoever waits for it must be
//! able to say where.

use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// A call of a plugin's function that has not returned. Equal only to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The function.
    pub function: &'static str,
    /// Tells calls of all threads apart.
    call: (usize, u64),
}

/// The function that a thread is in. Written by that thread alone.
#[derive(Default)]
struct Slot {
    /// Counts entries and returns: odd inside a function.
    count: AtomicU64,
    /// The last function entered.
    function: AtomicPtr<&'static str>,
}

/// The slots of all threads that have been in a function and live.
static THREADS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

thread_local! {
    static SLOT: Arc<Slot> = register();
    /// Depth of calls: only the outermost is recorded.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The outermost function that this thread is in. Nothing is made or freed to read it, so that handlers of signals may.
    static HERE: Cell<Option<&'static &'static str>> = const { Cell::new(None) };
}

fn register() -> Arc<Slot> {
    let slot = Arc::new(Slot::default());
    let mut threads = THREADS.lock().unwrap_or_else(|e| e.into_inner());
    threads.retain(|slot| slot.strong_count() > 0);
    threads.push(Arc::downgrade(&slot));
    slot
}

/// Lasts as long as the call.
pub(super) struct Inside;

/// Records that this thread is about to call a function, until the returned value is dropped.
pub(super) fn enter(function: &'static &'static str) -> Inside {
    if DEPTH.replace(DEPTH.get() + 1) == 0 {
        HERE.set(Some(function));
        SLOT.with(|slot| {
            slot.function.store(std::ptr::from_ref(function).cast_mut(), Ordering::Relaxed);
            slot.count.store(slot.count.load(Ordering::Relaxed) + 1, Ordering::Release);
        });
    }
    Inside
}

impl Drop for Inside {
    fn drop(&mut self) {
        if DEPTH.replace(DEPTH.get() - 1) == 1 {
            HERE.set(None);
            SLOT.with(|slot| slot.count.store(slot.count.load(Ordering::Relaxed) + 1, Ordering::Release));
        }
    }
}

/// The function that this thread is in. For handlers of signals, and of the program's end.
pub fn running_here() -> Option<&'static str> {
    HERE.get().copied()
}

/// The functions that threads are in at this moment.
pub fn running() -> Vec<Running> {
    let threads = THREADS.lock().unwrap_or_else(|e| e.into_inner());
    let of = |slot: Arc<Slot>| {
        let count = slot.count.load(Ordering::Acquire);
        if count.is_multiple_of(2) {
            return None;
        }
        // SAFETY: what is stored there are references to constants; inside a function there is one.
        let function = unsafe { *slot.function.load(Ordering::Relaxed) };
        Some(Running { function, call: (Arc::as_ptr(&slot) as usize, count) })
    };
    threads.iter().filter_map(Weak::upgrade).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function is seen from its call to its return, and two calls of it are two.
    #[test]
    fn calls_are_seen_while_they_last() {
        let here = |function: &'static str| running().into_iter().filter(move |r| r.function == function);
        let first = {
            let _inside = enter(&"a function of this test");
            let _nested = enter(&"another");
            assert_eq!(here("another").count(), 0, "the outermost is named");
            assert_eq!(running_here(), Some("a function of this test"));
            here("a function of this test").next().expect("it runs")
        };
        assert_eq!((here("a function of this test").count(), running_here()), (0, None));
        let _inside = enter(&"a function of this test");
        assert_ne!(here("a function of this test").next(), Some(first));
    }
}
