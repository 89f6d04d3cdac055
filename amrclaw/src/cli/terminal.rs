//! Text on standard output and standard error. If the reader has gone, as with `amrclaw info | head -1`, text is discarded: a
//! run continues, and its exit code reports how it ended. Results that find no room are an error, once all else is done.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Result, Write};
use std::sync::OnceLock;

/// The first error of the standard output.
static LOST: OnceLock<Error> = OnceLock::new();

/// Writes text to a stream; in one piece, so that output of other processes does not interleave with it.
pub fn write(mut stream: impl Write, text: Arguments<'_>) -> Result<()> {
    // `println!` would panic here and end a run that may have taken hours.
    stream.write_all(text.to_string().as_bytes()).and_then(|()| stream.flush())
}

/// Whole lines on the standard output.
pub fn show(lines: &str) {
    note_lost(write(std::io::stdout().lock(), format_args!("{lines}")));
}

/// Keeps the first error of the standard output, unless its reader has gone.
pub fn note_lost(outcome: Result<()>) {
    if let Err(error) = outcome
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error);
    }
}

/// The first error of the standard output.
pub fn lost() -> Option<&'static Error> {
    LOST.get()
}

/// Prints a line of results on standard output.
macro_rules! say {
    ($($text:tt)*) => {
        crate::cli::terminal::show(&format!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a line of other information on standard error.
macro_rules! note {
    ($($text:tt)*) => {
        // Nobody is left to be told of an error here.
        _ = crate::cli::terminal::write(std::io::stderr().lock(), format_args!("{}\n", format_args!($($text)*)))
    };
}
