//! Compares a finished run of the case with the series: `cargo run --release --example acoustics_cylinder FOLDER`.
//!
//! Prints the area-weighted mean difference of the pressure, relative to the mean pressure, and fails if it exceeds 2 %.

mod exact;

use amrclaw::frames::read;
use exact::relative_error;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("output/acoustics_cylinder"), PathBuf::from);
    let (_, file) = read::list_frames(&folder)?.pop().ok_or("the folder holds no frames")?;
    let frame = read::frame::<2>(&file)?;
    let error = relative_error(&frame).ok_or("the frame is of no mapped mesh")?;
    println!("t = {}, {} levels: the pressure differs by {:.2} %", frame.time, frame.levels.len(), 100.0 * error);
    if error < 0.02 { Ok(()) } else { Err("off by more than 2 %".into()) }
}
