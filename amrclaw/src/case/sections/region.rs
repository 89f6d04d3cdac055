//! `[[regrid.region]]`.

use super::{path_from_case, ruled};
use crate::case::origin::{Node, Value};
use crate::case::reader::Reader;
use crate::case::settings::{LevelSettings, MeshSettings, Region, RegionPlace};
use crate::index::Level;

/// Reads where and when which levels are allowed.
pub fn read(
    reader: &mut Reader<'_>,
    mesh: &MeshSettings,
    dimension: Option<usize>,
    levels: &LevelSettings,
) -> Vec<Region> {
    let numbers = 0..reader.count("regrid.region");
    numbers.map(|number| region(reader, &format!("regrid.region.{number}"), mesh, dimension, levels)).collect()
}

fn region(
    reader: &mut Reader<'_>,
    region: &str,
    mesh: &MeshSettings,
    dimension: Option<usize>,
    levels: &LevelSettings,
) -> Region {
    let path = |key: &str| format!("{region}.{key}");
    let [coarsest, finest] = region_levels(reader, &path("levels"), levels);
    let time = region_time(reader, &path("time"));
    let (corner, polygon, ruled) = (path("lower"), path("polygon"), path("ruled"));
    let place = match reader.exclusive(&[&corner, &polygon, &ruled]) {
        Some(key) if key != corner => shape(reader, region, key, mesh, dimension),
        _ => between_corners(reader, region, mesh, dimension),
    };
    Region { coarsest, finest, place, time }
}

/// A box.
fn between_corners(
    reader: &mut Reader<'_>,
    region: &str,
    mesh: &MeshSettings,
    dimension: Option<usize>,
) -> RegionPlace {
    let [lower_path, upper_path] = ["lower", "upper"].map(|key| format!("{region}.{key}"));
    for corner in [&lower_path, &upper_path] {
        reader.require(corner, "write the region's corners `lower` and `upper`, one number per axis, or a `polygon`");
    }
    extrusion(reader, region, dimension);
    for key in ["along", "extent"].map(|key| format!("{region}.{key}")) {
        let fine = !reader.is_present(&key) || !reader.fine(&[&key]);
        reader.check(fine, &key, "belongs to a polygon", "remove the line");
    }
    let lower = reader.per_axis(&lower_path, dimension).unwrap_or_default();
    let upper = reader.per_axis(&upper_path, dimension).unwrap_or_default();
    let axes = lower.len().min(upper.len());
    if let Some(d) = (0..axes).find(|&d| lower[d] >= upper[d]) {
        let message = format!("the region is empty: from {} to {} along {}", lower[d], upper[d], super::AXES[d]);
        reader.wrong(&format!("{upper_path}.{d}"), message, "write `upper` larger than `lower` along every axis");
    }
    let paths = [lower_path.as_str(), &upper_path];
    let outside = |d: usize| upper[d] <= mesh.lower[d] || lower[d] >= mesh.upper[d];
    if mesh.file.is_none()
        && reader.fine(&paths)
        && reader.fine(&["mesh.cells", "mesh.lower", "mesh.upper"])
        && let Some(d) = (0..axes.min(mesh.lower.len()).min(mesh.upper.len())).find(|&d| outside(d))
    {
        is_outside(reader, &format!("{lower_path}.{d}"), d);
    }
    RegionPlace::Box { lower, upper }
}

fn is_outside(reader: &mut Reader<'_>, key: &str, axis: usize) {
    let message = format!("the region lies outside the domain along {}", super::AXES[axis]);
    reader.wrong(key, message, "move the region into `mesh.lower` to `mesh.upper`");
}

/// A polygon of the case, or a ruled rectangle in a file; in space extruded.
fn shape(
    reader: &mut Reader<'_>,
    region: &str,
    key: &str,
    mesh: &MeshSettings,
    dimension: Option<usize>,
) -> RegionPlace {
    let upper = format!("{region}.upper");
    reader.check(!reader.is_present(&upper), &upper, format!("cannot stand beside `{key}`"), "remove one of them");
    let rings = if key.ends_with("ruled") { ruled_rings(reader, key) } else { rings(reader, key) }.unwrap_or_default();
    let message = "a domain in one dimension has no polygons";
    reader.check(dimension != Some(1), key, message, "write `lower` and `upper`");
    let (along, extent) = extrusion(reader, region, dimension);
    let place = RegionPlace::Polygon { rings, along, extent };
    let RegionPlace::Polygon { rings, .. } = &place else { unreachable!("made above") };
    let plane = [usize::from(along == 0), if along == 2 { 1 } else { 2 }];
    if mesh.mapping.is_none()
        && mesh.file.is_none()
        && dimension.is_some_and(|n| n > 1)
        && !rings.is_empty()
        && reader.fine(&[key, "mesh.cells", "mesh.lower", "mesh.upper", &format!("{region}.along")])
        && let Some(d) = (0..2).find(|&d| {
            let points = || rings.iter().flatten().map(|point| point[d]);
            points().all(|x| x <= mesh.lower[plane[d]]) || points().all(|x| x >= mesh.upper[plane[d]])
        })
    {
        is_outside(reader, key, plane[d]);
    }
    place
}

/// The axis of an extrusion, and from where to where.
fn extrusion(reader: &mut Reader<'_>, region: &str, dimension: Option<usize>) -> (usize, [f64; 2]) {
    let [along, extent] = ["along", "extent"].map(|key| format!("{region}.{key}"));
    let name = reader.string(&along).unwrap_or("z");
    let axis = super::AXES.iter().position(|axis| *axis == name);
    reader.check(
        axis.is_some() || !reader.fine(&[&along]),
        &along,
        format!("\"{name}\" is no axis"),
        "write \"x\", \"y\" or \"z\"",
    );
    let all = [f64::NEG_INFINITY, f64::INFINITY];
    let ends = reader.numbers(&extent, true).unwrap_or(all.to_vec());
    let ends = <[f64; 2]>::try_from(ends).ok().filter(|[from, to]| from < to);
    let help = "write `[from, to]`, the smaller number first";
    reader.check(ends.is_some() || !reader.fine(&[&extent]), &extent, "is no interval", help);
    for key in [&along, &extent] {
        let fine = dimension.is_none_or(|n| n == 3) || !reader.is_present(key) || !reader.fine(&[key]);
        reader.check(fine, key, "has a meaning in three dimensions only", "remove the line");
    }
    (axis.unwrap_or(2), ends.unwrap_or(all))
}

const RINGS: &str =
    "write a list of points such as `[[0, 0], [1, 0], [0, 1]]`, or a list of such lists: outlines, and holes in them";

/// The rings of a polygon: one, as a list of points, or a list of several.
fn rings(reader: &mut Reader<'_>, path: &str) -> Option<Vec<Vec<[f64; 2]>>> {
    let node = reader.node(path)?;
    let first = |node: &'_ Node| match &node.value {
        Value::Array(items) => items.first().cloned(),
        _ => None,
    };
    let is_list = |node: Node| matches!(node.value, Value::Array(_));
    let several = first(node).and_then(|item| first(&item)).is_some_and(is_list);
    match several {
        true => reader.list(path, "a list of rings", ring),
        false => ring(reader, path, node).map(|ring| vec![ring]),
    }
}

fn ring(reader: &mut Reader<'_>, path: &str, node: &Node) -> Option<Vec<[f64; 2]>> {
    let Value::Array(items) = &node.value else {
        reader.wrong_type(path, node, "a list of points", RINGS);
        return None;
    };
    let message = format!("a ring needs three points or more, but has {}", items.len());
    reader.check(items.len() > 2, path, message, RINGS);
    let points: Vec<Option<[f64; 2]>> =
        items.iter().enumerate().map(|(k, item)| point(reader, &format!("{path}.{k}"), item)).collect();
    points.into_iter().collect()
}

fn point(reader: &mut Reader<'_>, path: &str, node: &Node) -> Option<[f64; 2]> {
    let coordinates = match &node.value {
        Value::Array(items) => {
            items.iter().map(|item| reader.number_of(path, item, false)).collect::<Option<Vec<f64>>>()?
        }
        _ => Vec::new(),
    };
    let point = <[f64; 2]>::try_from(coordinates).ok();
    let help = "write `[x, y]`, in three dimensions the two coordinates across `along`";
    reader.check(point.is_some(), path, "a point of a polygon has two coordinates", help);
    point
}

fn ruled_rings(reader: &mut Reader<'_>, key: &str) -> Option<Vec<Vec<[f64; 2]>>> {
    let text = reader.string(key)?;
    let path = path_from_case(reader, key, text);
    let help = "write the path of a file as AMRClaw's `RuledRectangle.write` makes it";
    ruled::read(&path).map_err(|message| reader.wrong(key, format!("{}{message}", path.display()), help)).ok()
}

/// Levels count from 1 in the file.
fn region_levels(reader: &mut Reader<'_>, path: &str, levels: &LevelSettings) -> [Level; 2] {
    let max = levels.max as i32;
    let given = reader.integers(path, 1).unwrap_or(vec![1, max]);
    let help = format!("write `[coarsest, finest]`, two levels from 1 to {max}, the coarser first");
    let [coarsest, finest] = given[..] else {
        reader.wrong(path, format!("needs two levels, but has {}", given.len()), help);
        return [Level::COARSEST; 2];
    };
    if coarsest > finest {
        reader.wrong(path, format!("the coarsest level {coarsest} is finer than the finest, {finest}"), help);
    } else if finest > max && reader.fine(&["levels.max"]) {
        reader.wrong(&format!("{path}.1"), format!("there is no level {finest}: `levels.max` is {max}"), help);
    }
    [coarsest, finest].map(|level| Level((level.min(max) - 1) as u8))
}

pub fn region_time(reader: &mut Reader<'_>, path: &str) -> [f64; 2] {
    let always = [f64::NEG_INFINITY, f64::INFINITY];
    let times = reader.numbers(path, true).unwrap_or(always.to_vec());
    let [from, to] = times[..] else {
        reader.wrong(path, format!("needs two times, but has {}", times.len()), "write `[from, to]`");
        return always;
    };
    let message = format!("the span ends at {to}, before it starts at {from}");
    reader.check(from <= to, path, message, "write the earlier time first");
    [from, to]
}
