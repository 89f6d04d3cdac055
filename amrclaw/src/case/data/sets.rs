//! Files of named arrays and their coordinates: NetCDF and HDF5.

use super::{Array, Wrong, counts};
use crate::frames::frame_header::open_streaming;
use std::path::Path;

/// Names of coordinates: x, y, time.
pub const COORDINATES: [&[&str]; 3] =
    [&["x", "lon", "longitude", "easting"], &["y", "lat", "latitude", "northing"], &["time", "t"]];

/// The named arrays of a file.
pub trait DataSets {
    fn names(&self) -> &[String];

    fn num_axes(&self, name: &str) -> Result<usize, Wrong>;

    fn array(&self, name: &str) -> Result<Array, Wrong>;

    /// The numbers of an array's attribute; empty if it has none.
    fn attribute(&self, array: &str, name: &str) -> Vec<f64>;

    /// The values of an array, unpacked, NaN where it has none.
    fn unpacked(&self, name: &str) -> Result<Array, Wrong> {
        let mut array = self.array(name)?;
        let none = ["_FillValue", "missing_value"].map(|attribute| self.attribute(name, attribute)).concat();
        let [scale, offset] = [("scale_factor", 1.0), ("add_offset", 0.0)]
            .map(|(attribute, neutral)| self.attribute(name, attribute).first().copied().unwrap_or(neutral));
        for value in &mut array.values {
            *value = if none.contains(value) { f64::NAN } else { *value * scale + offset };
        }
        Ok(array)
    }

    /// The array that a case names, or the only one besides coordinates whose number of axes fits.
    fn chosen(&self, variable: Option<&str>, fits: &dyn Fn(usize) -> bool) -> Result<String, Wrong> {
        if let Some(name) = variable {
            return Ok(name.to_owned());
        }
        let mut fitting = Vec::new();
        for name in self.names().iter().filter(|name| !COORDINATES.iter().any(|known| is_named(name, known))) {
            if fits(self.num_axes(name)?) {
                fitting.push(name.clone());
            }
        }
        match fitting.pop().filter(|_| fitting.is_empty()) {
            Some(only) => Ok(only),
            None => {
                let help = format!("add `variable = \"NAME\"`, one of {}", self.names().join(", "));
                Err(("it does not tell which of its data sets is meant".to_owned(), help))
            }
        }
    }

    /// The coordinate with one of these names, if the file has it.
    fn coordinate(&self, known: &[&str]) -> Option<&String> {
        self.names().iter().find(|name| is_named(name, known))
    }
}

fn is_named(name: &str, known: &[&str]) -> bool {
    known.contains(&&*name.to_lowercase())
}

/// A file of HDF5, which NetCDF-4 is.
pub struct Hdf5 {
    file: hdf5::File,
    names: Vec<String>,
}

impl Hdf5 {
    pub fn open(path: &Path) -> Result<Self, Wrong> {
        let file = open_streaming(path, "a file of HDF5 or NetCDF-4").map_err(damaged)?;
        let names = file.root().datasets().map_err(damaged)?;
        Ok(Hdf5 { file, names })
    }
}

fn damaged(error: impl ToString) -> Wrong {
    (error.to_string(), "give a file of NetCDF or HDF5".to_owned())
}

impl DataSets for Hdf5 {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn num_axes(&self, name: &str) -> Result<usize, Wrong> {
        Ok(self.file.dataset(name).map_err(damaged)?.shape().map_err(damaged)?.len())
    }

    fn array(&self, name: &str) -> Result<Array, Wrong> {
        let missing = |_| (format!("there is no data set `{name}`"), format!("there are {}", self.names.join(", ")));
        let set = self.file.dataset(name).map_err(missing)?;
        let shape = set.shape().map_err(damaged)?;
        let count = counts(shape.iter().copied()).ok_or_else(|| damaged(format!("its shape is {shape:?}")))?;
        let values = set.read_f64().map_err(damaged)?;
        if values.len() != count.iter().product::<usize>() {
            return Err(damaged(format!("{} values for the shape {shape:?}", values.len())));
        }
        Ok(Array { count, values })
    }

    fn attribute(&self, array: &str, name: &str) -> Vec<f64> {
        let attributes = self.file.dataset(array).and_then(|set| set.attrs()).ok();
        attributes.and_then(|all| all.get(name)?.to_f64s()).unwrap_or_default()
    }
}
