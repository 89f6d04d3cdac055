//! A user's function may end the program, or crash it: a message then says which function it was, and no run that has ended so
//! looks as if it had come to its end.

use riemann::plugin::running_here;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

/// Signals of a crash, each with what it says.
const CRASHES: [(libc::c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV, an invalid address"),
    (libc::SIGBUS, "SIGBUS, an invalid address"),
    (libc::SIGILL, "SIGILL, an invalid instruction"),
    (libc::SIGFPE, "SIGFPE, an invalid operation on numbers"),
    (libc::SIGABRT, "SIGABRT, as by `abort`"),
];

/// What is said of who has ended the program.
const ENDED: &str = " has ended the program (`exit`): nothing more has been written\n";

/// What was done at the signals of [`CRASHES`] before.
static BEFORE: OnceLock<[libc::sigaction; CRASHES.len()]> = OnceLock::new();

/// True while the program does what its command says.
static WORKS: AtomicBool = AtomicBool::new(false);

/// Does the work of a whole program. A thread of the user's that ends the program meanwhile does not end the work: it fails.
pub fn whole_program<T>(work: impl FnOnce() -> T) -> T {
    WORKS.store(true, Ordering::Relaxed);
    let outcome = work();
    WORKS.store(false, Ordering::Relaxed);
    outcome
}

/// From now on, in this process, the end and crashes of the program inside a plugin's function are reported.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: zeros are a valid `sigaction`, the pointers are to live ones, and the functions have the signatures that are
        // expected of them.
        unsafe {
            libc::atexit(at_exit);
            let mut before: [libc::sigaction; CRASHES.len()] = std::mem::zeroed();
            for ((signal, _), before) in CRASHES.iter().zip(&mut before) {
                libc::sigaction(*signal, std::ptr::null(), before);
            }
            let _ = BEFORE.set(before);
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = at_crash;
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            // Rust gives its threads a stack of their own for handlers, so that one runs where the usual stack has overflowed.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            for (signal, _) in CRASHES {
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    });
}

/// The program ends with 1 if it is a plugin's function, or a thread that one has started, that calls `exit`, whatever the argument.
extern "C" fn at_exit() {
    match running_here() {
        Some(function) => write(["error: the solver's `", function, "`", ENDED]),
        None if WORKS.load(Ordering::Relaxed) => write(["error: a thread that the solver has started", ENDED]),
        None => return,
    }
    // SAFETY: it only ends the process.
    unsafe { libc::_exit(1) };
}

/// Names the function that has crashed; what was done at the signal before is then done. Calls nothing that handlers of signals must not.
extern "C" fn at_crash(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let number = CRASHES.iter().position(|(known, _)| *known == signal).unwrap_or(0);
    if let Some(function) = running_here().filter(|_| !SAID.swap(true, Ordering::Relaxed)) {
        let [before, after] = ["error: the solver's `", "` has crashed ("];
        write([before, function, after, CRASHES[number].1, "): nothing more has been written\n"]);
    }
    // SAFETY: `watch` has set it before this handler; the system gives a valid `info`.
    unsafe {
        if let Some(before) = BEFORE.get() {
            libc::sigaction(signal, &before[number], std::ptr::null_mut());
        }
        // What the processor has signalled it signals again when this returns; what a program has sent comes once.
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Writes to standard error, without locks or memory.
fn write<const N: usize>(parts: [&str; N]) {
    let mut line = [0_u8; 256];
    let mut len = 0;
    for byte in parts.iter().flat_map(|part| part.bytes()).take(line.len()) {
        line[len] = byte;
        len += 1;
    }
    // SAFETY: so many bytes are there.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), len) };
}
