//! `[[bottom_motion]]`: displacements of the ground from GeoClaw's `dtopo` files.

use super::text::{Lines, MAX_NODES, Point, Wrong, lattice_of, number, point, wrong};
use super::{Lattice, OFF_PLACE, at_line, common, domain_of, in_words};
use crate::case::data::is_file;
use crate::case::reader::Reader;
use crate::case::settings::CaseSettings;
use crate::formula::{HeightGrid, Motion};
use crate::text::cut;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// Times, and the displacements at these, all on the same lattice.
type Stages = (Vec<f64>, Vec<Lattice>);

/// The motions of a case's ground. Notes what is wrong; `None` then.
pub fn read_motions(reader: &mut Reader<'_>, case: &CaseSettings) -> Option<Arc<[Motion]>> {
    if !reader.fine(&["mesh", "bottom_motion"]) {
        return None;
    }
    let (axes, domain) = (case.mesh.cells.len(), domain_of(case));
    let mut motions = Vec::new();
    for (key, path) in &case.ground.motions {
        match of_file(path, axes) {
            Ok((times, stages)) => {
                let cover = stages[0].cover();
                let message = format!("reaches no part of the domain: it covers {}", in_words(axes, cover));
                let help = "are its units those of the mesh, or x and y interchanged?";
                reader.check(common(cover, domain).is_some(), key, message, help);
                let grid = |one: Lattice| {
                    HeightGrid::new(cover, [one.first, one.spacing], one.count, one.heights, f64::NEG_INFINITY)
                };
                motions.push(Motion::new(times, stages.into_iter().map(grid).collect()));
            }
            Err((message, help)) => reader.wrong(key, message, help),
        }
    }
    reader.fine(&["bottom_motion"]).then(|| motions.into())
}

/// Reads a file.
fn of_file(path: &Path, axes: usize) -> Result<Stages, super::Wrong> {
    let plain =
        |message: String| (format!("{}: {message}", path.display()), "write the path of a `dtopo` file".to_owned());
    is_file(path).map_err(plain)?;
    let file = File::open(path).map_err(|error| plain(error.to_string()))?;
    read(BufReader::new(file), axes).map_err(|wrong| at_line(path, wrong))
}

/// Reads columns (type 1), or a header and rows (types 2 and 3). `axes`: 1 or 2.
fn read(from: impl BufRead, axes: usize) -> Result<Stages, Wrong> {
    let mut lines = Lines::new(from);
    if !lines.next()? {
        return wrong(0, "is empty", "give a file of displacements");
    }
    let words = lines.line.split_whitespace();
    match words.clone().any(|word| number(word).is_none()) || words.count() == 1 {
        true if axes == 1 => wrong(1, "has a header, as files of two dimensions have", "give columns `t x z`"),
        true => rows(&mut lines),
        false => columns(&mut lines, axes),
    }
}

/// The lines of a header, in their order.
const HEADER: [&str; 9] = ["mx", "my", "mt", "xlower", "ylower", "t0", "dx", "dy", "dt"];

/// The numbers of a header; the line after it has been read, if there is one, which is returned too.
fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<([f64; 9], bool), Wrong> {
    let (mut values, mut more) = ([0.0; 9], true);
    for (k, name) in HEADER.iter().enumerate() {
        let help = format!("write lines {}, each with its number", HEADER.join(", "));
        if !more {
            return wrong(lines.number - 1, format!("the header ends before `{name}`"), help);
        }
        let words: Vec<&str> = lines.line.split_whitespace().collect();
        let numbers: Vec<f64> = words.iter().filter_map(|word| number(word)).collect();
        let other = words.iter().any(|word| HEADER.contains(word) && word != name);
        let whole = k > 2 || numbers.first().is_some_and(|n| n.fract() == 0.0 && *n >= if k < 2 { 2.0 } else { 1.0 });
        let above = k < 6 || numbers.first().is_some_and(|n| *n > 0.0 || (k == 8 && values[2] == 1.0));
        match numbers[..] {
            [value] if !other && whole && above && value.is_finite() => values[k] = value,
            _ => return wrong(lines.number, format!("\"{}\" is no `{name}`", cut(lines.line.trim(), 60)), help),
        }
        more = lines.next()?;
    }
    Ok((values, more))
}

/// A header, and for each time rows from the north.
fn rows<R: BufRead>(lines: &mut Lines<R>) -> Result<Stages, Wrong> {
    let ([mx, my, mt, x, y, t0, dx, dy, dt], mut more) = header(lines)?;
    if mx * my * mt > MAX_NODES as f64 {
        return wrong(0, format!("announces {mx} by {my} by {mt} displacements"), format!("give at most {MAX_NODES}"));
    }
    let (count, num_times) = ([mx as usize, my as usize], mt as usize);
    let all = count[0] * count[1] * num_times;
    let mut heights: Vec<f64> = Vec::new();
    while more {
        for word in lines.line.split_whitespace() {
            match number(word).filter(|height| height.is_finite()) {
                Some(height) if heights.len() < all => heights.push(height),
                Some(_) => {
                    let help = format!("write `mx` times `my` times `mt`, {mx} times {my} times {mt} displacements");
                    return wrong(lines.number, format!("has more displacements than the {all} of its header"), help);
                }
                None => {
                    return wrong(lines.number, format!("\"{}\" is no displacement", cut(word, 60)), "write numbers");
                }
            }
        }
        more = lines.next()?;
    }
    if heights.len() < all {
        let message = format!("ends after {} of {all} displacements", heights.len());
        let help = "the file is cut short: copy it again, or mend `mx`, `my` and `mt`";
        return wrong(lines.number - 1, message, help);
    }
    let of_time = |heights: &[f64]| Lattice {
        first: [x, y],
        spacing: [dx, dy],
        count,
        heights: heights.rchunks(count[0]).flatten().copied().collect(),
        ..Lattice::default()
    };
    let times = (0..num_times).map(|n| t0 + n as f64 * dt).collect();
    Ok((times, heights.chunks(count[0] * count[1]).map(of_time).collect()))
}

/// Columns t, x, y, z, or t, x, z on a line, time by time.
fn columns<R: BufRead>(lines: &mut Lines<R>, axes: usize) -> Result<Stages, Wrong> {
    let (mut times, mut stages): Stages = (Vec::new(), Vec::new());
    let (mut points, mut places): (Vec<Point>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut number = 0;
    let mut more = true;
    while more {
        let (time, one) = point(lines, axes, true)?;
        if !one.1.is_finite() {
            return wrong(lines.number, "a displacement is not finite", "write numbers");
        }
        if times.last().is_some_and(|last| time < *last) {
            return wrong(
                lines.number,
                format!("the time {time} is before that of the line before"),
                "write ascending times",
            );
        }
        if times.last() != Some(&time) {
            times.push(time);
        }
        points.push(one);
        places.push(lines.number);
        number += 1;
        if number > MAX_NODES {
            return wrong(lines.number, "has too many points", format!("give at most {MAX_NODES}"));
        }
        more = lines.next()?;
        if more && point(lines, axes, true)?.0 == time {
            continue;
        }
        let stage = lattice_of(&points, &places, axes)?;
        let same = |first: &Lattice| {
            let apart =
                |d: usize| (first.first[d] - stage.first[d]).abs() + (first.spacing[d] - stage.spacing[d]).abs();
            first.count == stage.count && (0..2).all(|d| apart(d) <= OFF_PLACE * first.spacing[d])
        };
        if !stages.first().is_none_or(same) {
            return wrong(
                places[0],
                format!("the points of the time {time} are others"),
                "write the same points for each time",
            );
        }
        stages.push(stage);
        points.clear();
        places.clear();
    }
    Ok((times, stages))
}
