//! `[levels]`.

use crate::io::config::case::{LevelSettings, MeshSettings};
use crate::io::config::origin::{Node, Value};
use crate::io::config::reader::{Reader, plural};

/// Most levels.
const MOST: i64 = 30;

/// Reads the number of levels and the ratios between them.
pub fn read(reader: &mut Reader<'_>, mesh: Option<&MeshSettings>) -> Option<LevelSettings> {
    let max = reader.integer("levels.max", 1, 1).filter(|max| {
        reader.check(*max <= MOST, "levels.max", format!("must be at most {MOST}, but is {max}"), "use larger ratios");
        *max <= MOST
    });
    let max = max.map(|max| max as usize);
    let dimension = mesh.map(|mesh| mesh.cells.len());
    let ratio = match reader.node("levels.ratio") {
        Some(node) => space_ratios(reader, node, max, dimension),
        None => max.zip(dimension).map(|(max, dimension)| vec![vec![2; dimension]; max - 1]),
    };
    let ratio_time = time_ratios(reader, max);
    if let (Some(mesh), Some(ratio)) = (mesh, &ratio) {
        check_index_range(reader, &mesh.cells, ratio)?;
    }
    Some(LevelSettings { max: max?, ratio: ratio?, ratio_time: ratio_time? })
}

/// One number for all levels, or a list with one number, or one list of numbers per axis, for each level.
fn space_ratios(
    reader: &mut Reader<'_>,
    node: &Node,
    max: Option<usize>,
    dimension: Option<usize>,
) -> Option<Vec<Vec<i32>>> {
    const PATH: &str = "levels.ratio";
    if let Value::Integer(_) = node.value {
        let ratio = reader.integer_of(PATH, node, 2)? as i32;
        return Some(vec![vec![ratio; dimension?]; max? - 1]);
    }
    let mut ratios = reader.list(PATH, "a list of ratios", |reader, path, item| match &item.value {
        Value::Array(items) => {
            let ratios = reader.each(path, items, |reader, path, item| reader.integer_of(path, item, 2))?;
            let axes = dimension?;
            if ratios.len() != axes {
                let message = format!("needs {axes} ratio{}, one per axis, but has {}", plural(axes), ratios.len());
                reader.wrong(path, message, "write one number for all axes, or a list with one per axis");
                return None;
            }
            Some(ratios.into_iter().map(|r| r as i32).collect())
        }
        _ => {
            let ratio = reader.integer_of(path, item, 2)?;
            Some(vec![ratio as i32; dimension?])
        }
    })??;
    fit(reader, PATH, &mut ratios, max?)?;
    Some(ratios)
}

/// `Some(None)` if the ratios follow those in space.
fn time_ratios(reader: &mut Reader<'_>, max: Option<usize>) -> Option<Option<Vec<i32>>> {
    const PATH: &str = "levels.ratio_time";
    let Some(node) = reader.node(PATH) else { return Some(None) };
    if let Value::Integer(_) = node.value {
        let ratio = reader.integer_of(PATH, node, 1)? as i32;
        return Some(Some(vec![ratio; max? - 1]));
    }
    let mut ratios = reader.integers(PATH, 1)??;
    fit(reader, PATH, &mut ratios, max?)?;
    Some(Some(ratios))
}

/// A list that is too short is a mistake; entries for levels that are not used are dropped.
fn fit<T>(reader: &mut Reader<'_>, path: &str, ratios: &mut Vec<T>, max: usize) -> Option<()> {
    let needed = max - 1;
    if ratios.len() < needed {
        let message = format!("{max} levels need {needed} ratio{}, but there {}", plural(needed), are(ratios.len()));
        reader.wrong(path, message, "write one ratio for each level that is refined, or lower `levels.max`");
        return None;
    }
    ratios.truncate(needed);
    Some(())
}

fn are(count: usize) -> String {
    if count == 1 { "is 1".to_string() } else { format!("are {count}") }
}

/// Cells of the finest level are numbered with 32 bits; a factor is kept for ghost cells and sums.
fn check_index_range(reader: &mut Reader<'_>, cells: &[i32], ratio: &[Vec<i32>]) -> Option<()> {
    let finest = |axis: usize| ratio.iter().fold(f64::from(cells[axis]), |n, r| n * f64::from(r[axis]));
    let largest = (0..cells.len()).map(finest).fold(0.0, f64::max);
    let limit = f64::from(i32::MAX) / 4.0;
    let path = if reader.is_present("levels.max") { "levels.max" } else { "mesh.cells" };
    let message = format!("the finest level would have {largest:.3e} cells along an axis, more than {limit:.1e}");
    reader.check(largest <= limit, path, message, "use fewer levels, smaller ratios or fewer cells");
    (largest <= limit).then_some(())
}
