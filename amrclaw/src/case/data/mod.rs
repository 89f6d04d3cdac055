//! Values of initial data, auxiliary values and inflow from files: NumPy's `.npy`, NetCDF and HDF5.

mod classic_netcdf;
mod npy;
mod sets;

pub(super) use npy::read_npy;
pub(super) use sets::{COORDINATES, DataSets};

use super::reader::Reader;
use super::settings::{CaseSettings, DataFile};
use crate::formula::Samples;
use classic_netcdf::ClassicNetcdf;
use sets::Hdf5;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most numbers of a file: 8 GiB of them.
const MAX_VALUES: u64 = 1 << 30;

/// An array: its numbers of values, the last axis first, and the values with that axis fastest.
pub(super) struct Array {
    pub count: Vec<usize>,
    pub values: Vec<f64>,
}

/// What is wrong, and what to write instead.
type Wrong = (String, String);

/// Reads the files of a case, in the order of its settings; notes what is wrong with them. One that cannot be used is left out.
pub(super) fn read_all(reader: &mut Reader<'_>, case: &CaseSettings) -> Vec<Samples> {
    let files = case.data.iter();
    files
        .filter_map(|file| read(case, file).map_err(|(message, help)| reader.wrong(&file.key, message, help)).ok())
        .collect()
}

fn read(case: &CaseSettings, file: &DataFile) -> Result<Samples, Wrong> {
    if case.mesh.file.is_some() {
        let message = "values from files are for meshes of boxes".to_owned();
        return Err((message, "write a formula".to_owned()));
    }
    let name = file.path.display();
    let axes = case.mesh.cells.len();
    let (mut array, times) = contents(file, axes).map_err(|(message, help)| (format!("{name}: {message}"), help))?;
    if let Some(number) = array.values.iter().position(|value| !value.is_finite()) {
        let value = array.values[number];
        return Err((format!("{name}: value {number} is {value}"), "give finite values".to_owned()));
    }
    check_times(case, file, &times)?;
    if !times.is_empty() {
        array.count.pop();
    }
    if let (Some(axis), true) = (file.side, array.count.len() + 1 == axes) {
        array.count.insert(axis, 1);
    }
    let lower = file.lower.as_ref().unwrap_or(&case.mesh.lower);
    let upper = file.upper.as_ref().unwrap_or(&case.mesh.upper);
    if let Some(d) = (0..axes).find(|&d| lower[d] >= upper[d]) {
        let message = format!("its box goes from {} to {} along {}", lower[d], upper[d], ["x", "y", "z"][d]);
        return Err((message, "write a `lower` below `upper`".to_owned()));
    }
    Ok(Samples::new([lower, upper], array.count, times, array.values))
}

/// The array of a file and the times of its first axis, none if its values hold at all times: an array along the domain's axes, or at a side
/// along those of the side. Those of `times`, or of a coordinate of the file, belong to an axis before these.
fn contents(file: &DataFile, axes: usize) -> Result<(Array, Vec<f64>), Wrong> {
    let help = || match of_python(&file.path) && !file.path.exists() {
        true => "run the Python program that gave this array again, or give the array in a file of your own".to_owned(),
        false => "give a file in the format .npy, HDF5 or NetCDF".to_owned(),
    };
    let start = beginning(&file.path).map_err(|message| (message, help()))?;
    let in_space = if file.side.is_some() { axes - 1..=axes } else { axes..=axes };
    let (array, coordinate) = if start.starts_with(b"\x93NUMPY") || is_npy(&file.path) {
        (read_npy(&file.path)?, None)
    } else {
        let sets = open(&file.path, &start).ok_or_else(|| ("is of another format".to_owned(), help()))??;
        let name = sets.chosen(file.variable.as_deref(), &|count| (*in_space.start()..=axes + 1).contains(&count))?;
        let times = sets.coordinate(COORDINATES[2]).map(|name| sets.unpacked(name)).transpose()?;
        (sets.unpacked(&name)?, times.map(|array| array.values))
    };
    let (count, shape) = (array.count.len(), shape_of(&array.count));
    let is_of_time =
        |times: &Vec<f64>| count > axes || (file.side.is_some() && array.count.last() == Some(&times.len()));
    let times = file.times.clone().or(coordinate.filter(is_of_time));
    let in_time = times.is_some();
    let has_axes = count >= usize::from(in_time) && in_space.contains(&(count - usize::from(in_time)));
    if !has_axes || array.values.is_empty() {
        let or_times = if !in_time && count > axes { ", or `times`, those of its first axis" } else { "" };
        return Err((
            format!("has the shape {shape}"),
            format!("give an array {}{or_times}", wanted(file, axes, in_time)),
        ));
    }
    let times = times.unwrap_or_default();
    if in_time && array.count[count - 1] != times.len() {
        let message = format!("has the shape {shape}, but {} times", times.len());
        return Err((
            message,
            format!("give an array {}, the first axis as long as its times", wanted(file, axes, true)),
        ));
    }
    Ok((array, times))
}

/// Whether a file is that of an array given from Python, which the package `amrclaw` calls so. Those that nobody uses it removes.
fn of_python(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"from_python_"))
}

/// The axes of arrays that fit, as NumPy writes them.
fn wanted(file: &DataFile, axes: usize, in_time: bool) -> String {
    let names = |skipped: Option<usize>| {
        let space = (0..axes).rev().filter(|d| Some(*d) != skipped).map(|d| ["x", "y", "z"][d]);
        let all: Vec<&str> = in_time.then_some("t").into_iter().chain(space).collect();
        format!("[{}]", all.join(", "))
    };
    match file.side {
        Some(_) if axes > 1 || in_time => format!("{} or {}", names(file.side), names(None)),
        _ => names(None),
    }
}

fn shape_of(count: &[usize]) -> String {
    let shape: Vec<String> = count.iter().rev().map(usize::to_string).collect();
    format!("[{}]", shape.join(", "))
}

/// Refuses times that do not ascend, or that do not reach over all times for which values are asked: for initial data the start.
fn check_times(case: &CaseSettings, file: &DataFile, times: &[f64]) -> Result<(), Wrong> {
    let [Some(first), Some(last)] = [times.first(), times.last()] else { return Ok(()) };
    let name = file.path.display();
    if let Some(n) = times.windows(2).position(|pair| pair[0].partial_cmp(&pair[1]) != Some(std::cmp::Ordering::Less)) {
        let message = format!("{name}: time {} is {}, after {}", n + 1, times[n + 1], times[n]);
        return Err((message, "give times in ascending order".to_owned()));
    }
    let (from, to) = (case.time.start, if file.is_initial { case.time.start } else { case.time.end });
    let round_off = 1e-9 * (last - first);
    if *first > from + round_off || *last < to - round_off {
        let message = format!("{name}: has values from t = {first} to {last}, and {from} to {to} is asked for");
        return Err((message, "give values for all of the run, in its unit of time".to_owned()));
    }
    Ok(())
}

/// Opens a file that begins with these bytes; `None` if it is none of named arrays.
pub(super) fn open(path: &Path, start: &[u8]) -> Option<Result<Box<dyn DataSets>, Wrong>> {
    match start {
        [0x89, b'H', b'D', b'F', ..] => Some(Hdf5::open(path).map(|file| Box::new(file) as _)),
        [b'C', b'D', b'F', ..] => Some(ClassicNetcdf::open(path).map(|file| Box::new(file) as _)),
        _ => None,
    }
}

/// The first bytes of a regular file.
pub(super) fn beginning(path: &Path) -> Result<Vec<u8>, String> {
    is_file(path)?;
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut start));
    read.map_err(|error| error.to_string())?;
    Ok(start)
}

fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "npy")
}

/// Numbers of values, the last axis first; `None` if there are more values than a file may have.
fn counts(shape: impl DoubleEndedIterator<Item = u64> + Clone) -> Option<Vec<usize>> {
    let all = shape.clone().try_fold(1u64, |product, count| product.checked_mul(count))?;
    (all <= MAX_VALUES).then(|| shape.rev().map(|count| count as usize).collect())
}

/// Makes sure that a path is that of a regular file: reading a pipe would block.
pub(super) fn is_file(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err("is not a regular file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
