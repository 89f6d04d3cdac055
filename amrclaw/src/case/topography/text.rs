//! Heights in files of text: a header and rows from the north (ESRI's ASCII, GeoClaw's types 2 and 3), or columns x, y, z (GeoClaw's type 1).

use super::{Lattice, OFF_PLACE};
use crate::text::cut;
use std::io::BufRead;

/// Most nodes of a file.
pub const MAX_NODES: usize = 1 << 28;

/// What is wrong, with its line, 0 for the whole file, and what to write instead.
#[derive(Debug, PartialEq)]
pub struct Wrong {
    pub line: usize,
    pub message: String,
    pub help: String,
}

pub fn wrong<T>(line: usize, message: impl Into<String>, help: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { line, message: message.into(), help: help.into() })
}

/// A number, with Fortran's exponents too.
pub fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok())
}

/// The lines of a file that are neither empty nor comments.
pub struct Lines<R> {
    from: R,
    pub line: String,
    pub number: usize,
}

impl<R: BufRead> Lines<R> {
    pub fn new(from: R) -> Self {
        Lines { from, line: String::new(), number: 0 }
    }

    /// Reads the next line; false at the end.
    pub fn next(&mut self) -> Result<bool, Wrong> {
        loop {
            self.line.clear();
            self.number += 1;
            // A line of a text is not longer than this: what has no lines is not read into memory.
            let read = std::io::Read::take(&mut self.from, 1 << 26).read_line(&mut self.line);
            match read {
                Ok(0) => return Ok(false),
                Ok(_) if self.line.trim().is_empty() || self.line.trim_start().starts_with('#') => {}
                Ok(_) => return Ok(true),
                Err(error) => return wrong(self.number, format!("cannot be read: {error}"), "give a file of text"),
            }
        }
    }
}

/// Reads a file. `axes`: 1 or 2.
pub fn read(from: impl BufRead, axes: usize) -> Result<Lattice, Wrong> {
    let mut lines = Lines::new(from);
    if !lines.next()? {
        return wrong(0, "is empty", "give a file of heights");
    }
    let has_words = lines.line.split_whitespace().any(|word| number(word).is_none());
    match has_words || lines.line.split_whitespace().count() == 1 {
        true if axes == 1 => wrong(1, "has a header, as files of two dimensions have", "give columns `x z`"),
        true => rows(&mut lines),
        false => columns(&mut lines, axes),
    }
}

/// The lines of a header, in GeoClaw's order.
const HEADER: [&str; 6] = ["ncols", "nrows", "xlower", "ylower", "cellsize", "nodata_value"];
const HEADER_HELP: &str =
    "write lines `ncols`, `nrows`, `xllcorner`, `yllcorner`, `cellsize` and `nodata_value`, each with its number";

/// A number of the header.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    line: usize,
    values: [f64; 2],
    /// The position is that of the cell's corner, not of its node.
    of_corner: bool,
}

/// Which line of [`HEADER`] a word stands for.
fn known(word: &str) -> Option<usize> {
    let lower = word.trim_matches([':', '=', ',']).to_lowercase();
    Some(match &*lower {
        "ncols" | "mx" | "nx" => 0,
        "nrows" | "my" | "ny" => 1,
        "xlower" | "xll" | "xllcorner" | "xllcenter" | "xllcentre" => 2,
        "ylower" | "yll" | "yllcorner" | "yllcenter" | "yllcentre" => 3,
        "cellsize" | "dx" | "dy" => 4,
        "nodata_value" | "nodata" | "no_data_value" | "no_data" => 5,
        _ => return None,
    })
}

/// A header, and rows from the north.
fn rows<R: BufRead>(lines: &mut Lines<R>) -> Result<Lattice, Wrong> {
    let mut header = [None::<Entry>; 6];
    let (mut position, mut more, mut any_words) = (0, true, false);
    // A header without words has all six lines.
    while more && (position < 6 || lines.line.split_whitespace().any(|word| number(word).is_none())) {
        let words: Vec<&str> = lines.line.split_whitespace().collect();
        let numbers: Vec<f64> = words.iter().filter_map(|word| number(word)).take(2).collect();
        let names: Vec<&str> = words.iter().copied().filter(|word| number(word).is_none()).collect();
        // Heights begin where words end.
        any_words |= !names.is_empty();
        if names.is_empty() && any_words && header[..5].iter().all(Option::is_some) {
            break;
        }
        let place =
            names.iter().find_map(|name| known(name)).or((names.is_empty() && position < 6).then_some(position));
        let (Some(place), Some(&first)) = (place, numbers.first()) else {
            return wrong(
                lines.number,
                format!("\"{}\" is no line of a header", cut(lines.line.trim(), 60)),
                HEADER_HELP,
            );
        };
        let is = |name: &str| names.first().is_some_and(|word| word.to_lowercase().contains(name));
        let before = header[4].map_or([first; 2], |entry| entry.values);
        let values = match numbers[..] {
            [dx, dy] if place == 4 => [dx, dy],
            _ if is("dx") => [first, before[1]],
            _ if is("dy") => [before[0], first],
            _ => [first; 2],
        };
        header[place] = Some(Entry { line: lines.number, values, of_corner: is("corner") });
        position += 1;
        more = lines.next()?;
    }
    let mut entries = [Entry::default(); 5];
    for (k, entry) in entries.iter_mut().enumerate() {
        let Some(found) = header[k] else {
            return wrong(0, format!("the header has no `{}`", HEADER[k]), HEADER_HELP);
        };
        *entry = found;
    }
    let nodata = header[5].map(|entry| entry.values[0]);
    let mut count = [0; 2];
    for (d, count) in count.iter_mut().enumerate() {
        let Entry { line, values: [n, _], .. } = entries[d];
        if !(n.fract() == 0.0 && (2.0..=MAX_NODES as f64).contains(&n)) {
            return wrong(line, format!("`{}` is {n}", HEADER[d]), "write a whole number, 2 or more");
        }
        *count = n as usize;
    }
    let Entry { line, values: spacing, .. } = entries[4];
    if !spacing.iter().all(|dx| *dx > 0.0 && dx.is_finite()) {
        return wrong(line, format!("`cellsize` is {}", spacing[0]), "write the distance of nodes, above zero");
    }
    let node = |d: usize| entries[2 + d].values[0] + if entries[2 + d].of_corner { 0.5 * spacing[d] } else { 0.0 };
    let of_corners = entries[2].of_corner || entries[3].of_corner;
    if let Some(entry) = entries[2..4].iter().find(|entry| !entry.values[0].is_finite()) {
        return wrong(entry.line, "the lower corner is not finite", "write a coordinate");
    }
    let mut lattice = Lattice { first: [node(0), node(1)], spacing, count, of_boxes: of_corners, ..Lattice::default() };
    read_heights(lines, more, &mut lattice, nodata)?;
    Ok(lattice)
}

/// The heights after a header, the northern row first.
fn read_heights<R: BufRead>(
    lines: &mut Lines<R>,
    mut more: bool,
    lattice: &mut Lattice,
    nodata: Option<f64>,
) -> Result<(), Wrong> {
    let [columns, rows] = lattice.count;
    let Some(all) = columns.checked_mul(rows).filter(|all| *all <= MAX_NODES) else {
        return wrong(0, format!("announces {columns} by {rows} heights"), format!("give at most {MAX_NODES}"));
    };
    let mut heights: Vec<f64> = Vec::new();
    // As many on each line as there should be rows: the two numbers are interchanged.
    let mut swapped = columns != rows;
    while more {
        let before = heights.len();
        for word in lines.line.split_whitespace() {
            let Some(height) = number(word) else {
                return wrong(lines.number, format!("\"{}\" is no height", cut(word, 60)), "write numbers");
            };
            let missing = nodata == Some(height) || height.is_nan();
            if missing && lattice.missing.is_none() {
                lattice.missing = Some(lines.number);
            }
            if height.is_infinite() {
                return wrong(lines.number, "a height is infinite", "write numbers");
            }
            heights.push(if missing { f64::NAN } else { height });
        }
        swapped &= heights.len() - before == rows;
        if heights.len() > all {
            let help = format!("write `ncols` times `nrows`, {columns} times {rows} heights");
            return wrong(lines.number, format!("has more heights than the {all} of its header"), help);
        }
        more = lines.next()?;
    }
    if heights.len() < all {
        let message = format!("ends after {} of {all} heights", heights.len());
        return wrong(lines.number - 1, message, "the file is cut short: copy it again, or mend `ncols` and `nrows`");
    }
    if swapped && rows > 1 && columns > 1 && lines.number > 8 {
        let message = format!("its lines have {rows} heights, but `ncols` is {columns}");
        return wrong(0, message, "interchange `ncols` and `nrows`");
    }
    lattice.heights = heights.rchunks(columns).flatten().copied().collect();
    Ok(())
}

/// Where a point is, and its height.
pub type Point = ([f64; 2], f64);

/// The numbers of a line with the coordinates of a point, after a time if `in_time`: the time or 0, and the point.
pub fn point<R>(lines: &Lines<R>, axes: usize, in_time: bool) -> Result<(f64, Point), Wrong> {
    let first = usize::from(in_time);
    let values: Option<Vec<f64>> = lines.line.split_whitespace().map(|word| number(&word.replace(',', ""))).collect();
    let is_point =
        |values: &Vec<f64>| values.len() == first + axes + 1 && values[..first + axes].iter().all(|x| x.is_finite());
    let Some(values) = values.filter(is_point) else {
        let names = [["x z", "x y z"], ["t x z", "t x y z"]][first][axes - 1];
        let help = format!("write {} numbers on each line: {names}", first + axes + 1);
        return wrong(lines.number, format!("\"{}\" is no point", cut(lines.line.trim(), 60)), help);
    };
    let y = if axes == 2 { values[first + 1] } else { 0.5 };
    Ok((if in_time { values[0] } else { 0.0 }, ([values[first], y], values[first + axes])))
}

/// Columns x, y, z, or x, z on a line, in the order of any lattice.
fn columns<R: BufRead>(lines: &mut Lines<R>, axes: usize) -> Result<Lattice, Wrong> {
    let (mut points, mut places) = (Vec::new(), Vec::new());
    loop {
        points.push(point(lines, axes, false)?.1);
        places.push(lines.number);
        if points.len() > MAX_NODES {
            return wrong(lines.number, "has too many points", format!("give at most {MAX_NODES}"));
        }
        if !lines.next()? {
            return lattice_of(&points, &places, axes);
        }
    }
}

/// The lattice of points in the order of any. `places`: their lines.
pub fn lattice_of(points: &[Point], places: &[usize], axes: usize) -> Result<Lattice, Wrong> {
    let first_line = places[0];
    // The axis along which points follow each other, and how many do.
    let fast = usize::from(axes == 2 && points.len() > 1 && points[0].0[0] == points[1].0[0]);
    let slow = 1 - fast;
    let run = points.iter().take_while(|point| point.0[slow] == points[0].0[slow]).count();
    let rest = points.len() % run;
    if run < 2 || rest != 0 || (axes == 2 && run == points.len()) {
        let message = format!("{} points are no lattice of rows of {run}", points.len());
        let help = "write the points of a lattice row by row, each row complete";
        return wrong(places[points.len() - 1], message, help);
    }
    let mut lattice = Lattice { heights: vec![f64::NAN; points.len()], spacing: [1.0; 2], ..Lattice::default() };
    (lattice.count[fast], lattice.count[slow]) = (run, points.len() / run);
    let stride = [1, run];
    for (k, d) in [fast, slow].into_iter().enumerate() {
        let n = lattice.count[d];
        let (from, to) = (points[0].0[d], points[(n - 1) * stride[k]].0[d]);
        lattice.first[d] = from.min(to);
        if n > 1 {
            lattice.spacing[d] = (to - from).abs() / (n - 1) as f64;
        }
    }
    let ascending = [0, 1].map(|d| points[points.len() - 1].0[d] >= points[0].0[d]);
    for (k, (point, height)) in points.iter().enumerate() {
        let mut node = [0; 2];
        (node[fast], node[slow]) = (k % run, k / run);
        for d in 0..axes {
            if !ascending[d] {
                node[d] = lattice.count[d] - 1 - node[d];
            }
            let wanted = lattice.first[d] + node[d] as f64 * lattice.spacing[d];
            let off = (point[d] - wanted).abs();
            if !(off <= OFF_PLACE * lattice.spacing[d] && lattice.spacing[d] > 0.0) {
                let message = format!(
                    "{} is {}, but {wanted} in a lattice that begins on line {first_line}",
                    ["x", "y"][d],
                    point[d]
                );
                return wrong(places[k], message, "write points at equal distances, row by row");
            }
        }
        if height.is_infinite() {
            return wrong(places[k], "a height is infinite", "write numbers");
        }
        if height.is_nan() && lattice.missing.is_none() {
            lattice.missing = Some(places[k]);
        }
        lattice.heights[node[0] + lattice.count[0] * node[1]] = *height;
    }
    Ok(lattice)
}
