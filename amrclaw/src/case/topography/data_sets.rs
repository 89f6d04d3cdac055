//! Heights in NetCDF and HDF5: an array and its coordinates.

use super::{Lattice, OFF_PLACE, Wrong, of_boxes, shape};
use crate::case::data_file::{Array, read_set};
use crate::case::settings::Topography;
use crate::frames::frame_header::open_streaming;
use std::path::Path;

/// Names of coordinates, x first.
const COORDINATES: [&[&str]; 2] = [&["x", "lon", "longitude", "easting"], &["y", "lat", "latitude", "northing"]];

/// The named arrays of a file.
pub trait DataSets {
    fn names(&self) -> &[String];

    fn num_axes(&self, name: &str) -> Result<usize, Wrong>;

    fn array(&self, name: &str) -> Result<Array, Wrong>;

    /// The numbers of an array's attribute; empty if it has none.
    fn attribute(&self, array: &str, name: &str) -> Vec<f64>;
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
        read_set(&self.file, name, &self.names)
    }

    fn attribute(&self, array: &str, name: &str) -> Vec<f64> {
        let attributes = self.file.dataset(array).and_then(|set| set.attrs()).ok();
        attributes.and_then(|all| all.get(name)?.to_f64s()).unwrap_or_default()
    }
}

/// Reads the array of heights: the one with as many axes as the domain, or that which the case names.
pub fn read(file: &dyn DataSets, one: &Topography, axes: usize) -> Result<Lattice, Wrong> {
    let names = file.names();
    let is_coordinate = |name: &str| COORDINATES.iter().any(|known| known.contains(&&*name.to_lowercase()));
    let mut fitting = Vec::new();
    for name in names.iter().filter(|name| !is_coordinate(name)) {
        if file.num_axes(name)? == axes {
            fitting.push(name.clone());
        }
    }
    let variable = match (&one.variable, fitting.as_slice()) {
        (Some(name), _) => name,
        (None, [only]) => only,
        (None, _) => {
            let help = format!("add `variable = \"NAME\"`, one of {}", names.join(", "));
            return Err((format!("{} data sets may be heights", fitting.len()), help));
        }
    };
    let array = heights(file, variable)?;
    if one.corners.iter().all(Option::is_some) {
        return of_boxes(one, array, axes);
    }
    let count = shape(&array, axes)?;
    let mut lattice = Lattice { count, first: [0.5; 2], spacing: [1.0; 2], ..Lattice::default() };
    let mut descending = [false; 2];
    for d in 0..axes {
        let Some(name) = names.iter().find(|name| COORDINATES[d].contains(&&*name.to_lowercase())) else {
            let message = format!("there is no data set {}", COORDINATES[d].join(", "));
            return Err((message, "write `lower` and `upper`, the corners of the box that it covers".to_owned()));
        };
        let values = file.array(name)?.values;
        if values.len() != count[d] {
            let message = format!("`{name}` has {} values, `{variable}` {} along that axis", values.len(), count[d]);
            return Err((message, format!("give an array {}", ["[x]", "[y, x]"][axes - 1])));
        }
        let (from, to) = (values[0], values[count[d] - 1]);
        descending[d] = to < from;
        let step = (to - from) / (count[d] - 1) as f64;
        let is_there = |(n, x): (usize, &f64)| (x - (from + n as f64 * step)).abs() <= OFF_PLACE * step.abs();
        let off = values.iter().enumerate().position(|node| !is_there(node)).or((step == 0.0).then_some(0));
        if let Some(n) = off {
            let message = format!("value {n} of `{name}` is {}, not at equal distances from others", values[n]);
            return Err((message, "interpolate to a lattice of equal distances".to_owned()));
        }
        (lattice.first[d], lattice.spacing[d]) = (from.min(to), step.abs());
    }
    lattice.heights = ascending(array.values, count[0], descending);
    Ok(lattice)
}

/// The values of an array, unpacked, NaN where it has none.
fn heights(file: &dyn DataSets, variable: &str) -> Result<Array, Wrong> {
    let mut array = file.array(variable)?;
    let none = ["_FillValue", "missing_value"].map(|name| file.attribute(variable, name)).concat();
    let [scale, offset] = [("scale_factor", 1.0), ("add_offset", 0.0)]
        .map(|(name, neutral)| file.attribute(variable, name).first().copied().unwrap_or(neutral));
    for value in &mut array.values {
        *value = if none.contains(value) { f64::NAN } else { *value * scale + offset };
    }
    Ok(array)
}

/// Rows of values along x, with both axes in ascending order.
pub fn ascending(values: Vec<f64>, columns: usize, descending: [bool; 2]) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = values.chunks(columns).map(<[f64]>::to_vec).collect();
    if descending[0] {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    if descending[1] {
        rows.reverse();
    }
    rows.concat()
}
