//! Ctrl-C: the run ends after the step at hand of whatever level; the second time at once. A function of a solver's file that
//! does not return does not keep it.

use riemann::plugin::running;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often the watching thread looks whether a signal has come.
const LOOK: Duration = Duration::from_millis(100);

/// How long a call of a solver's function may last after the signal. Calls are for a row of cells, or a tile of at most 16384:
/// any that is to return does so in much less.
const PATIENCE: Duration = Duration::from_millis(900);

/// A flag that is set when the user, or the system, asks the program to end. Asked again, it ends at once with exit code 1; so it
/// does when it is in a function of a solver's file that does not return.
pub fn stop_flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Actions are carried out in this order: the first signal finds the flag unset, and sets it.
        flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    let watched = stop.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || watch(&watched))?;
    Ok(stop)
}

/// Ends the program when a call that was going on at the signal, or began later, goes on for too long.
fn watch(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK);
    }
    loop {
        let before = running();
        thread::sleep(PATIENCE);
        if let Some(call) = running().into_iter().find(|call| before.contains(call)) {
            note!(
                "error: interrupted in the solver's `{}`, which does not return: nothing more has been written",
                call.function
            );
            low_level::exit(1);
        }
    }
}
