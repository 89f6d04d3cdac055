//! How the process treats memory that has been freed.

/// Arrays from this size on go back to the system when they are freed, bytes; smaller ones are kept for the next.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_FROM: i32 = 4 << 20;

/// Lets the process keep freed memory in small pieces for later use; for programs to call once, before threads begin.
///
/// A regrid builds sets and plans of some hundred kilobytes and frees those before. Where the C library gives such pieces
/// back to the system each time, a quarter of a regrid goes into having pages mapped again, on all threads in turn. Does
/// nothing with other C libraries than GNU's.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: changes two settings of the allocator, which it reads under its own locks.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}
