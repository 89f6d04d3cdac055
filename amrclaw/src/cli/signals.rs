//! Ctrl-C: the run ends after the current step of any level; the second time it ends at once. It also ends when a function of a
//! solver's file does not return after the signal.

use riemann::plugin::running;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Interval at which the watching thread checks for a signal.
const LOOK: Duration = Duration::from_millis(100);

/// Timeout after the signal for a call of a solver's function. A call handles a row of cells, or a tile of at most 16384, which takes
/// much less unless the function never returns.
const CALL_TIMEOUT: Duration = Duration::from_millis(900);

/// A flag that is set by SIGINT or SIGTERM. A second signal ends the program at once with exit code 1; so does a function of a
/// solver's file that does not return.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Handlers run in this order: at the first signal the flag is still unset, and is then set.
        flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    let watched = stop.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || watch(&watched))?;
    Ok(stop)
}

/// Makes a write beyond the limit to a file's size an error like any other, where it would end the program without a word.
pub fn report_file_limits() {
    // Handling the signal is enough; if it cannot be handled, all is as without.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Ends the program if a call that was running at the signal, or began later, exceeds the timeout.
fn watch(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK);
    }
    loop {
        let before = running();
        thread::sleep(CALL_TIMEOUT);
        if let Some(call) = running().into_iter().find(|call| before.contains(call)) {
            note!(
                "error: interrupted in the solver's `{}`, which does not return: nothing more has been written",
                call.function
            );
            low_level::exit(1);
        }
    }
}
