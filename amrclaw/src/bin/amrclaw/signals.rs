//! Ctrl-C: the run ends after the present step; the second time at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that is set when the user, or the system, asks the program to end. Asked again, it ends at once with exit code 1.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Actions are carried out in this order: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}
