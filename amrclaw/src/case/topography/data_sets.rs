//! Heights in NetCDF and HDF5: an array and its coordinates.

use super::{Lattice, OFF_PLACE, Wrong, of_boxes, shape};
use crate::case::data::{COORDINATES, DataSets};
use crate::case::settings::Topography;

/// Reads the array of heights: the one with as many axes as the domain, or that which the case names.
pub fn read(file: &dyn DataSets, one: &Topography, axes: usize) -> Result<Lattice, Wrong> {
    let variable = file.chosen(one.variable.as_deref(), &|count| count == axes)?;
    let array = file.unpacked(&variable)?;
    if one.corners.iter().all(Option::is_some) {
        return of_boxes(one, array, axes);
    }
    let count = shape(&array, axes)?;
    let mut lattice = Lattice { count, first: [0.5; 2], spacing: [1.0; 2], ..Lattice::default() };
    let mut descending = [false; 2];
    for d in 0..axes {
        let Some(name) = file.coordinate(COORDINATES[d]) else {
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
