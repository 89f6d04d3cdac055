//! Panics end inside the plugin.

use super::Status;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Place and message of the thread's last panic, as the hook saw it.
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps messages of panics for `take_panic` instead of printing them. A plugin has its own copy of the standard
/// library, so that the program's own panics are not touched.
pub(super) fn keep_messages() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        SEEN.with(|seen| *seen.borrow_mut() = Some(message));
    }));
}

/// Runs `work`; turns a panic into a status.
pub(super) fn guard(work: impl FnOnce() -> Status) -> Status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(status) => status,
        Err(payload) => {
            SEEN.with(|seen| _ = seen.borrow_mut().get_or_insert_with(|| text(payload.as_ref()).to_owned()));
            Status::PANICKED
        }
    }
}

/// A panic's message, without its place.
fn text(payload: &(dyn Any + Send)) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

/// See [`super::Table::take_panic`].
///
/// # Safety
/// `buffer` must have room for `len` bytes.
pub(super) unsafe extern "C" fn take_panic(buffer: *mut u8, len: usize) -> usize {
    let message = SEEN.with(|seen| seen.borrow_mut().take()).unwrap_or_default();
    let mut end = message.len().min(len);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    // SAFETY: the buffer has room for `len >= end` bytes.
    unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), buffer, end) };
    end
}
