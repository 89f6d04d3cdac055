//! Text for whoever looks on. Where nobody does any more, as behind `amrclaw info | head -1`, it is left out: a run goes
//! on, and its exit code tells how it ended.

use std::fmt::Arguments;
use std::io::Write;

/// Writes text to a stream, as far as somebody reads it; in one piece, so that what other processes write does not come between.
pub fn write(mut stream: impl Write, text: Arguments<'_>) {
    // `println!` would panic here, and with it end a run that has hours behind it.
    let _ = stream.write_all(text.to_string().as_bytes()).and_then(|()| stream.flush());
}

/// Whole lines on the standard output.
pub fn show(lines: &str) {
    write(std::io::stdout().lock(), format_args!("{lines}"));
}

/// A line on the standard output: what was asked for.
macro_rules! say {
    ($($text:tt)*) => {
        crate::terminal::write(std::io::stdout().lock(), format_args!("{}\n", format_args!($($text)*)))
    };
}

/// A line on the standard error: what else there is to know.
macro_rules! note {
    ($($text:tt)*) => {
        crate::terminal::write(std::io::stderr().lock(), format_args!("{}\n", format_args!($($text)*)))
    };
}
