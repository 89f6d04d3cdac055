//! Files of monitors: NumPy's `.npy`, an array of records, each the point's coordinates, then the monitor's values; classic NetCDF, with 64-bit
//! offsets; or GeoTIFF. All numbers have 64 bits.

use super::atomic::{Durability, write_file};
use super::error::OutputError;
use super::monitor_geotiff;
use crate::text::choices;
use std::io::Write;
use std::path::Path;

const BEFORE: &str = "monitor_";

choices! {
    /// The format of a monitor's files.
    MonitorFormat {
        /// NumPy's.
        Npy = "npy",
        /// Classic NetCDF.
        Netcdf = "netcdf",
        /// GeoTIFF, for lattices of the plane.
        Geotiff = "geotiff",
    }
}

impl MonitorFormat {
    fn ending(self) -> &'static str {
        match self {
            MonitorFormat::Npy => ".npy",
            MonitorFormat::Netcdf => ".nc",
            MonitorFormat::Geotiff => ".tif",
        }
    }
}

/// Name of the file of monitor `name`, or of its values at the frame with this number.
pub fn file_name(name: &str, frame: Option<usize>, format: MonitorFormat) -> String {
    let number = frame.map_or_else(String::new, |number| format!("_{number:04}"));
    format!("{BEFORE}{name}{number}{}", format.ending())
}

/// True for names that [`file_name`] gives.
pub fn is_file_name(name: &str) -> bool {
    name.starts_with(BEFORE) && MonitorFormat::ALL.iter().any(|format| name.ends_with(format.ending()))
}

/// Writes a file. `names`: of the columns, coordinates first; `shape`: x first; `columns`: their numbers, x fastest.
///
/// # Errors
/// Names the file and the cause.
pub fn write(
    path: &Path,
    format: MonitorFormat,
    names: &[&str],
    shape: &[usize],
    columns: &[Vec<f64>],
) -> Result<(), OutputError> {
    match format {
        MonitorFormat::Npy => write_npy(path, names, shape, columns),
        MonitorFormat::Netcdf => write_netcdf(path, names, shape, columns),
        MonitorFormat::Geotiff => monitor_geotiff::write(path, names, [shape[0], shape[1]], columns),
    }
}

fn write_npy(path: &Path, names: &[&str], shape: &[usize], columns: &[Vec<f64>]) -> Result<(), OutputError> {
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

/// Layout: the NetCDF Users Guide, appendix B. A lattice has the dimensions of its axes, whose coordinates have their names; other points have one.
fn write_netcdf(path: &Path, names: &[&str], shape: &[usize], columns: &[Vec<f64>]) -> Result<(), OutputError> {
    const DIMENSIONS: u32 = 10;
    const VARIABLES: u32 = 11;
    const DOUBLE: u32 = 6;
    let is_lattice = shape.len() > 1;
    let dimensions: Vec<&str> = if is_lattice { names[..shape.len()].to_vec() } else { vec!["point"] };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let name = |name: &str| {
        let mut bytes = words(&[name.len() as u32]);
        bytes.extend(name.bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    // Of each variable its dimensions, the slowest first, and its numbers.
    let all: Vec<u32> = (0..shape.len() as u32).rev().collect();
    let stride = |d: usize| shape[..d].iter().product::<usize>();
    let variables =
        names.iter().zip(columns).enumerate().map(|(k, (name, column))| match is_lattice && k < shape.len() {
            true => {
                (*name, vec![k as u32], column.iter().step_by(stride(k)).take(shape[k]).copied().collect::<Vec<f64>>())
            }
            false => (*name, all.clone(), column.clone()),
        });
    let variables: Vec<_> = variables.collect();
    let header = |first: u64| {
        let mut bytes = [b"CDF\x02".to_vec(), words(&[0, DIMENSIONS, dimensions.len() as u32])].concat();
        for (dimension, n) in dimensions.iter().zip(shape) {
            bytes.extend([name(dimension), words(&[*n as u32])].concat());
        }
        bytes.extend(words(&[0, 0, VARIABLES, variables.len() as u32]));
        let mut begin = first;
        for (variable, of, numbers) in &variables {
            let size = 8 * numbers.len() as u64;
            bytes.extend(
                [name(variable), words(&[of.len() as u32]), words(of), words(&[0, 0, DOUBLE, size as u32])].concat(),
            );
            bytes.extend(begin.to_be_bytes());
            begin += size;
        }
        bytes
    };
    let header = header(header(0).len() as u64);
    write_file(path, Durability::Program, |out| {
        out.write_all(&header)?;
        let mut numbers = variables.iter().flat_map(|(.., numbers)| numbers);
        numbers.try_for_each(|number| out.write_all(&number.to_be_bytes()))
    })
}
