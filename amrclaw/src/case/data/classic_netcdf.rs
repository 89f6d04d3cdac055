//! Classic NetCDF: a header that says where arrays of big-endian numbers lie. After Unidata, "The NetCDF Classic Format Specification":
//! versions 1, 2 (long offsets) and 5 (long counts). Arrays whose first axis can grow lie record by record, each with a part of all of them.

use super::npy::numbers;
use super::sets::DataSets;
use super::{Array, Wrong, counts};
use std::path::Path;

/// Marks of the lists of the header.
const DIMENSION: u64 = 10;
const VARIABLE: u64 = 11;
const ATTRIBUTE: u64 = 12;

/// An array of the file.
#[derive(Default)]
struct Variable {
    name: String,
    /// The first axis first, without the one that can grow.
    shape: Vec<u64>,
    grows: bool,
    attributes: Vec<(String, Vec<f64>)>,
    kind: u64,
    begin: u64,
}

/// A file in memory.
pub struct ClassicNetcdf {
    bytes: Vec<u8>,
    names: Vec<String>,
    variables: Vec<Variable>,
    records: Records,
}

/// The records of a file: how many, and bytes of each.
struct Records {
    count: u64,
    size: u64,
}

impl Records {
    /// Parts of variables are completed to words of four bytes, but where there is one variable alone. A program that has not closed its
    /// file has left the count open, all bits set: then as many as the file has whole.
    fn new(variables: &[Variable], count: Option<u64>, bytes: usize) -> Option<Self> {
        let growing: Vec<&Variable> = variables.iter().filter(|variable| variable.grows).collect();
        let sizes = growing.iter().map(|variable| variable.part_size()).collect::<Option<Vec<u64>>>()?;
        let size = match sizes[..] {
            [only] => only,
            _ => sizes.iter().try_fold(0u64, |sum, size| sum.checked_add(size.checked_next_multiple_of(4)?))?,
        };
        let begin = growing.iter().map(|variable| variable.begin).min().unwrap_or(0);
        let whole = (bytes as u64).saturating_sub(begin).checked_div(size).unwrap_or(0);
        Some(Records { count: count.unwrap_or(whole), size })
    }
}

impl Variable {
    /// Bytes of all values, or of those in one record.
    fn part_size(&self) -> Option<u64> {
        let size = type_of(self.kind)?.as_bytes()[2] - b'0';
        self.shape.iter().try_fold(u64::from(size), |product, count| product.checked_mul(*count))
    }

    /// The values: parts of them, so far from one another.
    fn values(&self, bytes: &[u8], parts: u64, distance: u64) -> Option<Vec<f64>> {
        let len = counts(self.shape.iter().copied())?.iter().product();
        let mut values = Vec::new();
        for part in 0..parts {
            let begin = self.begin.checked_add(part.checked_mul(distance)?)?;
            values.extend(numbers(type_of(self.kind)?, bytes.get(usize::try_from(begin).ok()?..)?, len)?);
        }
        Some(values)
    }
}

impl ClassicNetcdf {
    pub fn open(path: &Path) -> Result<Self, Wrong> {
        let bytes = std::fs::read(path).map_err(|error| damaged(error.to_string()))?;
        let header = Header { bytes: &bytes, at: 4, version: bytes.get(3).copied().unwrap_or(0) }.variables();
        let (variables, records) = header.ok_or_else(|| damaged("its header is cut short or damaged".to_owned()))?;
        let names = variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(ClassicNetcdf { bytes, names, variables, records })
    }

    fn variable(&self, name: &str) -> Result<&Variable, Wrong> {
        let missing = || (format!("there is no data set `{name}`"), format!("there are {}", self.names().join(", ")));
        self.variables.iter().find(|variable| variable.name == name).ok_or_else(missing)
    }
}

fn damaged(message: String) -> Wrong {
    (message, "the file is no complete classic NetCDF: copy it again, or convert it by `nccopy -k nc4`".to_owned())
}

impl DataSets for ClassicNetcdf {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn num_axes(&self, name: &str) -> Result<usize, Wrong> {
        let variable = self.variable(name)?;
        Ok(variable.shape.len() + usize::from(variable.grows))
    }

    fn array(&self, name: &str) -> Result<Array, Wrong> {
        let variable = self.variable(name)?;
        let Records { count, size } = self.records;
        let (parts, distance) = if variable.grows { (count, size) } else { (1, 0) };
        let short = || damaged(format!("`{name}` is not wholly in the file"));
        let records = variable.grows.then_some(count);
        let count = counts(records.iter().chain(&variable.shape).copied()).ok_or_else(short)?;
        let values = variable.values(&self.bytes, parts, distance).ok_or_else(short)?;
        Ok(Array { count, values })
    }

    fn attribute(&self, array: &str, name: &str) -> Vec<f64> {
        let variable = self.variable(array).ok();
        let attribute = variable.and_then(|variable| variable.attributes.iter().find(|(known, _)| known == name));
        attribute.map_or_else(Vec::new, |(_, values)| values.clone())
    }
}

/// NumPy's name of a type of numbers.
fn type_of(kind: u64) -> Option<&'static str> {
    let names = [">i1", ">u1", ">i2", ">i4", ">f4", ">f8", ">u1", ">u2", ">u4", ">i8", ">u8"];
    names.get(usize::try_from(kind).ok()?.checked_sub(1)?).copied()
}

/// Reads the header, from its start to its end. `None` where the file ends early.
struct Header<'a> {
    bytes: &'a [u8],
    at: usize,
    version: u8,
}

impl<'a> Header<'a> {
    fn variables(mut self) -> Option<(Vec<Variable>, Records)> {
        if ![1, 2, 5].contains(&self.version) {
            return None;
        }
        let open = if self.version == 5 { u64::MAX } else { u64::from(u32::MAX) };
        let records = self.count().map(|count| (count != open).then_some(count))?;
        let lengths = self.list(DIMENSION, |header| {
            header.name()?;
            header.count()
        })?;
        self.attributes()?;
        let variables = self.list(VARIABLE, |header| {
            let name = header.name()?;
            let axes = header.count()?;
            let mut shape = Vec::new();
            for _ in 0..axes {
                shape.push(*lengths.get(usize::try_from(header.count()?).ok()?)?);
            }
            // The axis that can grow has no length, and is the first.
            let grows = shape.first() == Some(&0);
            shape.drain(..usize::from(grows));
            let (attributes, kind) = (header.attributes()?, header.number(4)?);
            header.count()?; // of bytes, which follows from the shape
            let begin = header.number(if header.version == 1 { 4 } else { 8 })?;
            (!shape.contains(&0)).then_some(Variable { name, shape, grows, attributes, kind, begin })
        })?;
        let records = Records::new(&variables, records, self.bytes.len())?;
        Some((variables, records))
    }

    fn attributes(&mut self) -> Option<Vec<(String, Vec<f64>)>> {
        self.list(ATTRIBUTE, |header| {
            let (name, kind) = (header.name()?, type_of(header.number(4)?)?);
            let (count, size) = (usize::try_from(header.count()?).ok()?, usize::from(kind.as_bytes()[2] - b'0'));
            let bytes = header.padded(count.checked_mul(size)?)?;
            Some((name, numbers(kind, bytes, count)?))
        })
    }

    /// A list of what `item` reads, after its mark and length.
    fn list<T>(&mut self, mark: u64, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let (found, count) = (self.number(4)?, self.count()?);
        if found != mark && (found, count) != (0, 0) {
            return None;
        }
        (0..count).map(|_| item(self)).collect()
    }

    fn name(&mut self) -> Option<String> {
        let length = usize::try_from(self.count()?).ok()?;
        Some(String::from_utf8_lossy(self.padded(length)?).into_owned())
    }

    /// A length or a number of things.
    fn count(&mut self) -> Option<u64> {
        self.number(if self.version == 5 { 8 } else { 4 })
    }

    fn number(&mut self, size: usize) -> Option<u64> {
        Some(self.padded(size)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Bytes, which zeros complete to words of four.
    fn padded(&mut self, length: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length.next_multiple_of(4);
        Some(bytes)
    }
}
