//! Text on standard output and standard error. If the reader has gone, as with `amrclaw info | head -1`, text is discarded: a
//! run continues, and its exit code reports how it ended.

use std::fmt::Arguments;
use std::io::Write;

/// Writes text to a stream and ignores errors; in one piece, so that output of other processes does not interleave with it.
pub fn write(mut stream: impl Write, text: Arguments<'_>) {
    // `println!` would panic here and end a run that may have taken hours.
    let _ = stream.write_all(text.to_string().as_bytes()).and_then(|()| stream.flush());
}

/// Whole lines on the standard output.
pub fn show(lines: &str) {
    write(std::io::stdout().lock(), format_args!("{lines}"));
}

/// Prints a line of results on standard output.
macro_rules! say {
    ($($text:tt)*) => {
        crate::terminal::write(std::io::stdout().lock(), format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a line of other information on standard error.
macro_rules! note {
    ($($text:tt)*) => {
        crate::terminal::write(std::io::stderr().lock(), format_args!("{}\n", format_args!($($text)*)))
    };
}
