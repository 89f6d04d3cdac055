//! The end of a process for which the system has no memory left.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator. Where the system refuses memory, the process ends with an error that names its rank and with exit code 1; the
/// launcher then ends the other ranks. Without this Rust would abort it with a message that names neither.
pub struct Allocator;

/// Stands for a process without a rank.
const NONE: usize = usize::MAX;

static RANK: AtomicUsize = AtomicUsize::new(NONE);

/// Lets the error name this process's rank.
pub fn name_rank(number: usize) {
    RANK.store(number, Ordering::Relaxed);
}

/// Ends the process if there is no memory at an address that an allocation of so many bytes has returned.
fn checked(address: *mut u8, bytes: usize) -> *mut u8 {
    if address.is_null() {
        refused(bytes);
    }
    address
}

#[cold]
fn refused(bytes: usize) -> ! {
    // Nothing here allocates memory.
    let mut text = [0; 160];
    let mut rest = std::io::Cursor::new(&mut text[..]);
    let rank = RANK.load(Ordering::Relaxed);
    // The text has room for all of this.
    let _ = if rank == NONE { write!(rest, "error: ") } else { write!(rest, "error: rank {rank}: ") };
    let _ = writeln!(rest, "the system refuses {bytes} bytes of memory: use a smaller mesh, or more machines");
    let len = rest.position() as usize;
    let _ = std::io::stderr().write_all(&text[..len]);
    // SAFETY: ends the process at once; nothing of it is used any more.
    unsafe { libc::_exit(1) }
}

// SAFETY: every call is the system allocator's with the same arguments, and its result is passed on.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        checked(unsafe { System.realloc(address, layout, size) }, size)
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) }
    }
}
