//! Damaged checkpoints: each must be refused, or give the same bytes at the end of the run as the intact one.

use super::random::Random;
use super::{Attempt, Verdict};
use std::process::{Command, Output};

/// A cheap case with two levels.
const CASE: &str = r#"
solver = { name = "acoustics", density = 1.0, bulk = 4.0 }
mesh = { cells = [12, 10] }
levels = { max = 2, ratio = 2 }
regrid.flag.tolerance = 0.1
time = { end = 1.0, max_steps = 4 }
output = { checkpoint_every_steps = 2, png = false }
initial = { pressure = "exp(-50 * ((x - 0.4)^2 + y^2))", u = 0, v = 0 }
"#;

/// The last frame, of the uninterrupted and the continued run.
const LAST_FRAME: &str = "frame_0001.vtkhdf";

/// Damages the checkpoint after two steps of a run, and runs the other two steps from it.
pub fn attack(attempt: &Attempt, random: &mut Random) -> Result<Verdict, String> {
    let folder = &attempt.folder;
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::write(folder.join("case.toml"), CASE).map_err(wrong)?;
    let whole = run(attempt, &["--output", "whole"]).map_err(wrong)?;
    if !whole.status.success() {
        return Err(format!("the whole run failed: {}", said(&whole)));
    }
    let mut bytes = std::fs::read(folder.join("whole/checkpoint_000002.h5")).map_err(wrong)?;
    let how = damage(&mut bytes, random);
    std::fs::create_dir(folder.join("damaged")).map_err(wrong)?;
    std::fs::write(folder.join("damaged/checkpoint_000002.h5"), bytes).map_err(wrong)?;
    let damaged = ["--output", "damaged", "--restart", "damaged/checkpoint_000002.h5"];
    let outcome = run(attempt, &damaged).map_err(wrong)?;
    let frame = |name: &str| std::fs::read(folder.join(name).join(LAST_FRAME)).map_err(wrong);
    match outcome.status.code() {
        Some(2) if said(&outcome).contains("checkpoint") => Ok(Verdict::Declined),
        Some(0) if frame("whole")? == frame("damaged")? => Ok(Verdict::Held),
        Some(0) => Err(format!("{how}: accepted, with another result")),
        code => Err(format!("{how}: ended with {code:?}: {}", said(&outcome))),
    }
}

fn run(attempt: &Attempt, arguments: &[&str]) -> std::io::Result<Output> {
    let mut command = Command::new(attempt.program);
    command
        .current_dir(&attempt.folder)
        .args(["run", "case.toml", "--quiet", "--threads", "1"])
        .args(arguments)
        .output()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// Damages a file in a random way; returns a description.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let last = bytes.len() as u64 - 1;
    let at = random.whole(0, last) as usize;
    let end = (at + random.whole(1, 64) as usize).min(bytes.len());
    match random.whole(0, 9) {
        0 => {
            bytes.truncate(at);
            format!("cut off at {at}")
        }
        1 => {
            bytes[at..end].fill(0);
            format!("zeros from {at} to {end}")
        }
        2 => {
            bytes[at..end].fill_with(|| random.whole(0, 255) as u8);
            format!("noise from {at} to {end}")
        }
        3 => {
            let block = bytes[at..end].to_vec();
            bytes.splice(at..at, block);
            format!("bytes from {at} to {end} twice")
        }
        4 => {
            bytes.drain(at..end);
            format!("bytes from {at} to {end} left out")
        }
        5 => {
            let other = random.whole(0, last) as usize;
            bytes.swap(at, other);
            format!("bytes {at} and {other} change places")
        }
        _ => {
            let bit = random.whole(0, 7);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} flipped")
        }
    }
}
