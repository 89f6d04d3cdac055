//! `[levels]`.

use super::AXES;
use crate::case::origin::Value;
use crate::case::reader::{Reader, brief, plural};
use crate::case::settings::{LevelSettings, MeshSettings};

/// Most levels.
const MOST: i64 = 30;

/// Reads the number of levels and the ratios between them.
pub fn read(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> LevelSettings {
    let max = reader.integer("levels.max", 1, 1);
    reader.check(max <= MOST, "levels.max", format!("must be at most {MOST}, but is {max}"), "use larger ratios");
    let max = max.min(MOST) as usize;
    if mesh.file.is_some() {
        // Each of its cells is refined by itself, and none is a level of boxes.
        return LevelSettings { max, ratio: Vec::new(), ratio_time: None };
    }
    let ratio = space_ratios(reader, max, dimension);
    let ratio_time = time_ratios(reader, max);
    if reader.fine(&["mesh.cells", "levels"]) {
        check_index_range(reader, &mesh.cells, &ratio);
    }
    if reader.fine(&["mesh", "levels"]) {
        check_resolution(reader, mesh, &ratio);
    }
    LevelSettings { max, ratio, ratio_time }
}

/// One number for all levels, or a list with one number, or one list of numbers per axis, for each level.
fn space_ratios(reader: &mut Reader<'_>, max: usize, dimension: Option<usize>) -> Vec<Vec<i32>> {
    const PATH: &str = "levels.ratio";
    let axes = dimension.unwrap_or(0);
    let same = |ratio: i64| vec![vec![ratio as i32; axes]; max - 1];
    let Some(node) = reader.node(PATH) else { return same(2) };
    if let Value::Integer(_) = node.value {
        return same(reader.integer_of(PATH, node, 2).unwrap_or(2));
    }
    let ratios = reader.list(PATH, "a list of ratios", |reader, path, item| {
        let Value::Array(items) = &item.value else {
            return reader.integer_of(path, item, 2).map(|ratio| vec![ratio as i32; axes]);
        };
        let given = items.len();
        let ratios = reader.each(path, items, |reader, path, item| reader.integer_of(path, item, 1))?;
        let refines = ratios.iter().any(|ratio| *ratio > 1);
        reader.check(refines, path, "refines no axis", "write 2 or more for an axis at least");
        let message = format!("needs {axes} ratio{}, one per axis, but has {given}", plural(axes));
        let help = "write one number for all axes, or a list with one per axis";
        reader.check(dimension.is_none_or(|axes| axes == given), path, message, help);
        Some(ratios.into_iter().map(|r| r as i32).collect())
    });
    match ratios {
        Some(ratios) => fit(reader, PATH, ratios, max),
        None => same(2),
    }
}

/// Refinement ratios in time; `None` if they follow from those in space.
fn time_ratios(reader: &mut Reader<'_>, max: usize) -> Option<Vec<i32>> {
    const PATH: &str = "levels.ratio_time";
    let node = reader.node(PATH)?;
    if let Value::Integer(_) = node.value {
        let ratio = reader.integer_of(PATH, node, 1)?;
        return Some(vec![ratio as i32; max - 1]);
    }
    let ratios = reader.integers(PATH, 1)?;
    Some(fit(reader, PATH, ratios, max))
}

/// A list that is too short is a mistake; entries for levels that are not used are dropped.
fn fit<T>(reader: &mut Reader<'_>, path: &str, mut ratios: Vec<T>, max: usize) -> Vec<T> {
    let (needed, given) = (max - 1, ratios.len());
    if given < needed && reader.fine(&["levels.max"]) {
        let there = if given == 1 { "is 1".to_string() } else { format!("are {given}") };
        let message = format!("{max} levels need {needed} ratio{}, but there {there}", plural(needed));
        reader.wrong(path, message, "write one ratio for each level that is refined, or lower `levels.max`");
    }
    ratios.truncate(needed);
    ratios
}

/// Checks that 32-bit indices number the cells of the finest level, with a margin for ghost cells and sums.
fn check_index_range(reader: &mut Reader<'_>, cells: &[i32], ratio: &[Vec<i32>]) {
    let finest = |axis: usize| ratio.iter().fold(f64::from(cells[axis]), |n, r| n * f64::from(r[axis]));
    let largest = (0..cells.len()).map(finest).fold(0.0, f64::max);
    let limit = (f64::from(i32::MAX) / 4.0).floor();
    let path = if reader.is_present("levels.max") { "levels.max" } else { "mesh.cells" };
    let message = format!("the finest level would have {} cells along an axis, more than {limit}", brief(largest));
    reader.check(largest <= limit, path, message, "use fewer levels, smaller ratios or fewer cells");
}

/// Checks that 64-bit coordinates distinguish the finest cells everywhere in the domain, with some bits to spare for positions
/// within a cell.
fn check_resolution(reader: &mut Reader<'_>, mesh: &MeshSettings, ratio: &[Vec<i32>]) {
    let key = if reader.is_present("mesh.upper") { "mesh.upper" } else { "mesh.lower" };
    for (d, axis) in AXES.iter().enumerate().take(mesh.cells.len()) {
        let finest = ratio.iter().fold(f64::from(mesh.cells[d]), |n, r| n * f64::from(r[d]));
        let dx = (mesh.upper[d] - mesh.lower[d]) / finest;
        let farthest = if mesh.lower[d].abs() > mesh.upper[d].abs() { mesh.lower[d] } else { mesh.upper[d] };
        let message = format!(
            "the finest cells are {dx:.1e} wide along {axis}, too narrow to be distinguished at {axis} = {}",
            brief(farthest)
        );
        let help = "use a larger domain, or one nearer to 0, or fewer cells";
        reader.check(dx > 16.0 * f64::EPSILON * farthest.abs(), &format!("{key}.{d}"), message, help);
    }
}
