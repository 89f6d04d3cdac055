//! Heights in NetCDF-4 and HDF5: an array and its coordinates.

use super::{Lattice, OFF_PLACE, Wrong, of_boxes, shape};
use crate::case::data_file::{Array, read_set};
use crate::case::settings::Topography;
use crate::frames::frame_header::open_streaming;
use std::path::Path;

/// Names of coordinates, x first.
const COORDINATES: [&[&str]; 2] = [&["x", "lon", "longitude", "easting"], &["y", "lat", "latitude", "northing"]];

/// Reads the array of heights: the one with as many axes as the domain, or that which the case names.
pub fn read(one: &Topography, path: &Path, axes: usize) -> Result<Lattice, Wrong> {
    let plain = |message: String| (message, "give a file of NetCDF-4 or HDF5".to_owned());
    let damaged = |error: hdf5::Error| plain(error.to_string());
    let file = open_streaming(path, "a file of HDF5 or NetCDF-4").map_err(|error| plain(error.to_string()))?;
    let names = file.root().datasets().map_err(damaged)?;
    let is_coordinate = |name: &str| COORDINATES.iter().any(|known| known.contains(&&*name.to_lowercase()));
    let mut fitting = Vec::new();
    for name in names.iter().filter(|name| !is_coordinate(name)) {
        let set = file.dataset(name).map_err(damaged)?;
        if set.shape().map_err(damaged)?.len() == axes {
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
    let mut array = read_set(&file, variable, &names)?;
    let attributes = file.dataset(variable).map_err(damaged)?.attrs().map_err(damaged)?;
    let none: Vec<f64> =
        ["_FillValue", "missing_value"].iter().filter_map(|name| attributes.get(*name)?.to_f64s()).flatten().collect();
    array.values.iter_mut().filter(|value| none.contains(value)).for_each(|value| *value = f64::NAN);
    for (name, neutral) in [("scale_factor", 1.0), ("add_offset", 0.0)] {
        let packed = attributes.get(name).and_then(|value| value.to_f64s()).is_some_and(|value| value != [neutral]);
        if packed {
            let help = "unpack it, by `ncpdq -U` or in Python, and give that file".to_owned();
            return Err((format!("`{variable}` has packed values (`{name}`)"), help));
        }
    }
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
        let Array { values, .. } = read_set(&file, name, &names)?;
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
    let mut rows: Vec<Vec<f64>> = array.values.chunks(count[0]).map(<[f64]>::to_vec).collect();
    if descending[0] {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    if descending[1] {
        rows.reverse();
    }
    lattice.heights = rows.concat();
    Ok(lattice)
}
