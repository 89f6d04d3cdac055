//! Files of monitors: NumPy's `.npy`, an array of records. Each has the point's coordinates, then the monitor's values, all of 64 bits.

use super::atomic::{Durability, write_file};
use super::error::OutputError;
use std::io::Write;
use std::path::Path;

const BEFORE: &str = "monitor_";
const AFTER: &str = ".npy";

/// Name of the file of monitor `name`.
pub fn file_name(name: &str) -> String {
    format!("{BEFORE}{name}{AFTER}")
}

/// True for names that [`file_name`] gives.
pub fn is_file_name(name: &str) -> bool {
    name.starts_with(BEFORE) && name.ends_with(AFTER)
}

/// Writes a file. `names`: of the columns; `shape`: x first; `columns`: their numbers, x fastest.
///
/// # Errors
/// Names the file and the cause.
pub fn write(path: &Path, names: &[&str], shape: &[usize], columns: &[Vec<f64>]) -> Result<(), OutputError> {
    let kinds: Vec<String> = names.iter().map(|name| format!("('{name}', '<f8')")).collect();
    let along: String = shape.iter().rev().map(|n| format!("{n}, ")).collect();
    let dictionary = format!("{{'descr': [{}], 'fortran_order': False, 'shape': ({along}), }}", kinds.join(", "));
    // Version 2 of the format: the header's length has four bytes, and the whole header is padded to a multiple of 64.
    let padding = 64 - (12 + dictionary.len() + 1) % 64;
    let header = format!("{dictionary}{}\n", " ".repeat(padding));
    write_file(path, Durability::Program, |out| {
        out.write_all(b"\x93NUMPY\x02\x00")?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        for k in 0..shape.iter().product() {
            columns.iter().try_for_each(|column| out.write_all(&column[k].to_le_bytes()))?;
        }
        Ok(())
    })
}
