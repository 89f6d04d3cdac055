//! `[[topography]]`: heights of ground from files and formulas.

mod data_sets;
mod geotiff;
mod motion;
mod text;

pub(super) use motion::read_motions;

use super::data::{self, Array, beginning, read_npy};
use super::reader::{Reader, brief};
use super::sections::AXES;
use super::settings::{CaseSettings, NamedExpression, Topography};
use crate::formula::{ExpressionCells, Given, HeightGrid, Names, common, outside};
use crate::mesh::Geometry;
use crate::physics::{CellFunction, CellRow};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// Heights at the nodes of a lattice; along one axis `x` alone.
#[derive(Debug, Default)]
struct Lattice {
    first: [f64; 2],
    spacing: [f64; 2],
    count: [usize; 2],
    /// x fastest, both axes ascending; NaN where there are none.
    heights: Vec<f64>,
    /// The line of the first height that is missing.
    missing: Option<usize>,
    /// Each node stands for a box around it: the lattice covers half a spacing more.
    of_boxes: bool,
}

/// Largest difference of a coordinate of a file from its place in the lattice, in parts of the spacing: coordinates are written with few digits.
const OFF_PLACE: f64 = 0.02;

/// Lower and upper corner.
type Place = [[f64; 2]; 2];

impl Lattice {
    fn cover(&self) -> Place {
        let wider = |d: usize| if self.of_boxes || self.count[d] == 1 { 0.5 } else { 0.0 };
        let at = |d: usize, n: f64| self.first[d] + n * self.spacing[d];
        [[0, 1].map(|d| at(d, -wider(d))), [0, 1].map(|d| at(d, (self.count[d] - 1) as f64 + wider(d)))]
    }

    /// The place of the height with a number.
    fn node(&self, number: usize) -> [f64; 2] {
        let node = [number % self.count[0], number / self.count[0]];
        [0, 1].map(|d| self.first[d] + node[d] as f64 * self.spacing[d])
    }
}

/// What is wrong, and what to write instead.
type Wrong = (String, String);

/// Numbers along x and y, the second `other` where there is one axis.
fn along(given: &[f64], other: f64) -> [f64; 2] {
    [given[0], given.get(1).copied().unwrap_or(other)]
}

/// The domain, between 0 and 1 along an axis that it lacks.
fn domain_of(case: &CaseSettings) -> Place {
    [along(&case.mesh.lower, 0.0), along(&case.mesh.upper, 1.0)]
}

/// The lattices of a case, of which the first at a point counts. Notes what is wrong; `None` then.
pub(super) fn read_all(
    reader: &mut Reader<'_>,
    case: &CaseSettings,
    rest: f64,
    names: &Names,
) -> Option<Arc<[HeightGrid]>> {
    if !reader.fine(&["mesh", "levels", "topography"]) {
        return None;
    }
    let axes = case.mesh.cells.len();
    let domain = domain_of(case);
    let mut lattices = Vec::new();
    for (number, one) in case.ground.topography.iter().enumerate() {
        let (key, read) = match (&one.file, &one.formula) {
            (Some(path), _) => (format!("{}.file", one.key), read(one, path, axes)),
            (None, Some(formula)) if axes == 1 => (formula.key.clone(), sampled::<1>(case, formula, names)),
            (None, Some(formula)) => (formula.key.clone(), sampled::<2>(case, formula, names)),
            (None, None) => continue,
        };
        let lattice = read.and_then(|lattice| prepared(one, lattice, domain));
        match lattice {
            Ok((cover, lattice)) => {
                let size = if one.file.is_some() { lattice.spacing[0] * lattice.spacing[1] } else { f64::INFINITY };
                lattices.push((-one.priority, size, number, cover, lattice));
            }
            Err((message, help)) => reader.wrong(&key, message, help),
        }
    }
    if !reader.fine(&["topography"]) {
        return None;
    }
    lattices.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let plain: Vec<Place> = lattices.iter().map(|lattice| lattice.3).collect();
    let covers: Vec<Place> = lattices.iter().map(|lattice| widened(lattice.3, lattice.4.spacing)).collect();
    if let Some(open) = uncovered(&covers, domain).and(uncovered(&plain, domain)) {
        let all = plain.iter().map(|cover| in_words(axes, *cover)).collect::<Vec<_>>().join("; ");
        let message = format!("nothing covers {} of the domain; they cover {all}", in_words(axes, open));
        let interchanged = covers.iter().map(|cover| cover.map(|[x, y]| [y, x])).collect::<Vec<_>>();
        let help = match axes == 2 && uncovered(&interchanged, domain).is_none() {
            true => "x and y are interchanged: exchange the columns, or `ncols` and `nrows` and the corners",
            false => "give a file or a `formula` for it; are the units of the file's header those of the mesh?",
        };
        reader.wrong("topography", message, help);
        return None;
    }
    let grid = |(.., number, cover, lattice): (i64, f64, usize, Place, Lattice)| {
        let own = case.ground.topography[number].sea_level.filter(|_| rest.is_finite());
        let rest = own.unwrap_or(rest);
        HeightGrid::new(cover, [lattice.first, lattice.spacing], lattice.count, lattice.heights, rest)
    };
    Some(lattices.into_iter().map(grid).collect())
}

/// A box in words.
fn in_words(axes: usize, [lower, upper]: Place) -> String {
    let along = |d: usize| format!("{} from {} to {}", AXES[d], brief(lower[d]), brief(upper[d]));
    (0..axes).map(along).collect::<Vec<_>>().join(", ")
}

/// A box and the round-off of its corners.
fn widened([lower, upper]: Place, spacing: [f64; 2]) -> Place {
    let by = |d: usize| 1e-6 * spacing[d];
    [[0, 1].map(|d| lower[d] - by(d)), [0, 1].map(|d| upper[d] + by(d))]
}

/// A part of a box that no other covers.
fn uncovered(covers: &[Place], place: Place) -> Option<Place> {
    let Some((cover, others)) = covers.split_first() else { return Some(place) };
    match common(place, *cover) {
        None => uncovered(others, place),
        Some(inside) => outside(place, inside).find_map(|piece| uncovered(others, piece)),
    }
}

/// The lattice with scaled heights and none missing, and what it is for.
fn prepared(one: &Topography, mut lattice: Lattice, domain: Place) -> Result<(Place, Lattice), Wrong> {
    let cover = if one.file.is_some() { lattice.cover() } else { domain };
    // Numbers as large stand for none: NetCDF's default is 1e37, many GeoTIFFs' the lowest of 32 bits.
    lattice.heights.iter_mut().filter(|height| height.abs() > 1e30).for_each(|height| *height = f64::NAN);
    lattice.heights.iter_mut().for_each(|height| *height *= one.scale);
    let near = widened(domain, lattice.spacing.map(|dx| 1e6 * dx));
    let is_near = |k: usize| {
        let at = lattice.node(k);
        (0..2).all(|d| (near[0][d]..=near[1][d]).contains(&at[d]))
    };
    let open = (0..lattice.heights.len()).find(|&k| lattice.heights[k].is_nan() && is_near(k));
    if let (Some(k), None) = (open, one.missing) {
        let at = lattice.node(k);
        let line = lattice.missing.map_or(String::new(), |line| format!(" (the first without one is on line {line})"));
        let message = format!("there is no height at {}, {}{line}", brief(at[0]), brief(at[1]));
        return Err((message, "write `missing = HEIGHT` for all such places".to_owned()));
    }
    let missing = one.missing.unwrap_or(0.0);
    lattice.heights.iter_mut().filter(|height| height.is_nan()).for_each(|height| *height = missing);
    let [lower, upper] = [0, 1].map(|k| one.corners[k].as_ref().map_or(cover[k], |given| along(given, cover[k][1])));
    common([lower, upper], cover).map(|cover| (cover, lattice)).ok_or_else(|| {
        ("its box is empty".to_owned(), "write a `lower` below `upper`, within what it covers".to_owned())
    })
}

/// Most heights of a formula.
const MAX_SAMPLES: usize = 1 << 25;

/// A formula's heights at the corners of the finest level's cells.
fn sampled<const D: usize>(case: &CaseSettings, formula: &NamedExpression, names: &Names) -> Result<Lattice, Wrong> {
    let wrong = |message: String, help: &str| Err((message, help.to_owned()));
    let cells = super::mapping::finest::<D>(case);
    let count: [usize; 2] = std::array::from_fn(|d| cells.get(d).map_or(1, |n| *n as usize + 1));
    if count[0].saturating_mul(count[1]) > MAX_SAMPLES {
        let help = "give a file, or the formula under `[aux]` without files";
        return wrong(format!("the finest level has {} by {} nodes", count[0], count[1]), help);
    }
    let expression = match formula.syntax.compile(names) {
        Ok(expression) => expression,
        Err(errors) => return wrong(errors[0].message.clone(), &errors[0].help),
    };
    let height = ExpressionCells::<D>::with_definitions(Vec::<Given<D>>::new(), Vec::new(), vec![expression]);
    if height.depends_on_time() {
        return wrong("depends on time".to_owned(), "write a bottom that moves under `[aux]`");
    }
    let domain = case.mesh.domain::<D>();
    let finest = Geometry::new(domain.lower, domain.upper, cells);
    let mut heights = vec![0.0; count[0] * count[1]];
    for (j, out) in heights.chunks_mut(count[0]).enumerate() {
        let first = std::array::from_fn(|d| if d == 1 { j as i32 } else { 0 });
        height.fill_row(&CellRow { geometry: finest.corners(), first, len: out.len(), time: 0.0 }, out);
    }
    Ok(Lattice {
        first: along(&domain.lower, 0.5),
        spacing: along(&finest.dx, 1.0),
        count,
        heights,
        ..Lattice::default()
    })
}

/// Reads a file, of whatever kind it is.
fn read(one: &Topography, path: &Path, axes: usize) -> Result<Lattice, Wrong> {
    let name = path.display();
    let named = |(message, help): Wrong| (format!("{name}: {message}"), help);
    let plain = |message: String| named((message, "write the path of a file of heights".to_owned()));
    let start = beginning(path).map_err(plain)?;
    let kind = |mark: &[u8]| start.starts_with(mark);
    if kind(b"\x93NUMPY") {
        return read_npy(path).and_then(|array| of_boxes(one, array, axes)).map_err(named);
    }
    if let Some(sets) = data::open(path, &start) {
        return sets.and_then(|sets| data_sets::read(&*sets, one, axes)).map_err(named);
    }
    if kind(b"II*\0") || kind(b"MM\0*") || kind(b"II+\0") || kind(b"MM\0+") {
        return geotiff::read(path).map_err(named);
    }
    let file = File::open(path).map_err(|error| plain(error.to_string()))?;
    text::read(BufReader::new(file), axes).map_err(|wrong| at_line(path, wrong))
}

/// What is wrong with a file of text, and where.
fn at_line(path: &Path, wrong: text::Wrong) -> Wrong {
    let line = if wrong.line == 0 { String::new() } else { format!(", line {}", wrong.line) };
    (format!("{}{line}: {}", path.display(), wrong.message), wrong.help)
}

/// An array whose values stand for equal boxes between corners that the case gives.
fn of_boxes(one: &Topography, array: Array, axes: usize) -> Result<Lattice, Wrong> {
    let count = shape(&array, axes)?;
    let [Some(lower), Some(upper)] = &one.corners else {
        let message = "the file does not say where its heights are".to_owned();
        return Err((message, "write `lower` and `upper`, the corners of the box that it covers".to_owned()));
    };
    let (lower, upper) = (along(lower, 0.0), along(upper, 1.0));
    if !(0..2).all(|d| lower[d] < upper[d]) {
        return Err(("its box is empty".to_owned(), "write a `lower` below `upper`".to_owned()));
    }
    let spacing = [0, 1].map(|d| (upper[d] - lower[d]) / count[d] as f64);
    let first = [0, 1].map(|d| lower[d] + 0.5 * spacing[d]);
    Ok(Lattice { first, spacing, count, heights: array.values, of_boxes: true, missing: None })
}

/// The numbers of an array's values along x and y.
fn shape(array: &Array, axes: usize) -> Result<[usize; 2], Wrong> {
    if array.count.len() != axes || array.count.iter().any(|n| *n < 2) {
        let shape: Vec<String> = array.count.iter().rev().map(usize::to_string).collect();
        let help = format!("give an array {}, two or more heights along each axis", ["[x]", "[y, x]"][axes - 1]);
        return Err((format!("the array has the shape [{}]", shape.join(", ")), help));
    }
    if let Some(value) = array.values.iter().find(|value| value.is_infinite()) {
        return Err((format!("a height is {value}"), "give finite heights".to_owned()));
    }
    Ok([array.count[0], array.count.get(1).copied().unwrap_or(1)])
}
