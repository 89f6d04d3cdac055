//! `[[plot]]`.

use super::AXES;
use super::output::{check_file_name, check_inside};
use crate::case::origin::{Node, Value};
use crate::case::reader::{Reader, brief};
use crate::case::settings::{MeshSettings, NamedExpression, PlotSettings};
use crate::frames::plot::{Contours, Plot};
use crate::picture::ColourMap;
use std::collections::HashSet;

/// Reads the pictures.
pub fn read(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> Vec<PlotSettings> {
    let mut names = HashSet::new();
    (0..reader.count("plot")).map(|n| plot(reader, &format!("plot.{n}"), &mut names, (mesh, dimension))).collect()
}

fn plot(
    reader: &mut Reader<'_>,
    key: &str,
    names: &mut HashSet<String>,
    (mesh, dimension): (&MeshSettings, Option<usize>),
) -> PlotSettings {
    let path = |name: &str| format!("{key}.{name}");
    reader.require(&path("name"), "write `name = \"speed\"` under this `[[plot]]`");
    let name = reader.string(&path("name")).unwrap_or_default();
    check_file_name(reader, &path("name"), name, ("plot", names));
    let log = reader.boolean(&path("log"), false);
    let plain = mesh.mapping.is_none() && mesh.file.is_none();
    let slices = slices(reader, &path("slice"), (mesh, dimension), plain);
    let line = line(reader, &path("line"), (mesh, dimension), plain);
    let vectors = formulas(reader, &path("vectors"));
    let land = reader.named_expression(&path("land"));
    let is_curve = dimension == Some(1) || line.is_some() || dimension == Some(2) && !slices.is_empty();
    let help = "give this `[[plot]]` no `slice` or `line`, and write another for the curve";
    let of_maps = [
        ("contours", reader.is_present(&path("contours"))),
        ("vectors", !vectors.is_empty()),
        ("land", land.is_some()),
    ];
    for (name, present) in of_maps {
        reader.check(!(present && is_curve), &path(name), "is for maps, and this is a curve", help);
        let message = "is for straight meshes";
        let has_place = plain || name != "contours" && dimension == Some(2);
        reader.check(!present || has_place, &path(name), message, "remove the key");
    }
    let (given, wanted) = (vectors.len(), dimension.unwrap_or(vectors.len()));
    let message = format!("needs {wanted} components, but has {given}");
    reader.check(given == 0 || given == wanted, &path("vectors"), message, "write a formula for each axis");
    let drawn = dimension != Some(3) || mesh.file.is_none();
    reader.check(drawn, key, "a mesh from a file is not drawn in 3D", "remove the table");
    let plot = Plot {
        name: name.to_owned(),
        range: range(reader, &path("range"), log),
        log,
        colours: colours(reader, &path("colours")),
        contours: contours(reader, &path("contours")),
        slices,
        line,
        zoom: zoom(reader, &path("zoom")),
        no_outlines: !reader.boolean(&path("outlines"), true),
        ..Plot::default()
    };
    PlotSettings { fields: formulas(reader, &path("field")), vectors, land, plot }
}

/// One formula, or a list of them.
fn formulas(reader: &mut Reader<'_>, key: &str) -> Vec<NamedExpression> {
    let Some(node) = reader.node(key) else { return Vec::new() };
    let mut read = |key: &str, node: &Node| {
        let (text, syntax) = reader.expression_of(key, node)?;
        Some(NamedExpression { name: String::new(), text, syntax, key: key.to_owned() })
    };
    match &node.value {
        Value::Array(items) => {
            (items.iter().enumerate()).filter_map(|(k, item)| read(&format!("{key}.{k}"), item)).collect()
        }
        _ => read(key, node).into_iter().collect(),
    }
}

/// Two numbers, of which the first is the smaller one.
fn range(reader: &mut Reader<'_>, key: &str, log: bool) -> Option<(f64, f64)> {
    let numbers = reader.numbers(key, false)?;
    let help = "write the values of the first and the last colour, such as `[0, 1]`";
    let [low, high] = numbers[..] else {
        reader.wrong(key, format!("needs two numbers, but has {}", numbers.len()), help);
        return None;
    };
    reader.check(low < high, key, format!("{} is not less than {}", brief(low), brief(high)), help);
    reader.check(!log || low > 0.0, key, "has no logarithms", "write positive numbers, or no `log`");
    Some((low, high))
}

fn colours(reader: &mut Reader<'_>, key: &str) -> Option<String> {
    let name = reader.string(key)?;
    let wrong = name.parse::<ColourMap>().err();
    wrong.into_iter().for_each(|message| reader.wrong(key, message, "choose one of these"));
    Some(name.to_owned())
}

fn contours(reader: &mut Reader<'_>, key: &str) -> Option<Contours> {
    let contours = match reader.node(key)?.value {
        Value::Array(_) => Contours::At(reader.numbers(key, false)?),
        _ => Contours::Number(reader.optional_integer(key, 1)? as usize),
    };
    contours.checked().map_err(|message| reader.wrong(key, message, "write how many, or a list of values")).ok()
}

/// Where along axes the cuts are.
fn slices(
    reader: &mut Reader<'_>,
    key: &str,
    (mesh, dimension): (&MeshSettings, Option<usize>),
    plain: bool,
) -> Vec<(usize, f64)> {
    let mut slices = Vec::new();
    for (axis, _) in reader.names(key) {
        let key = format!("{key}.{axis}");
        let Some(place) = reader.optional_number(&key) else { continue };
        let d = AXES.iter().position(|known| *known == axis).unwrap_or(3);
        let exists = d < 3 && dimension.is_none_or(|dimension| dimension > 1 && d < dimension);
        reader.check(exists, &key, "the case is not cut along this axis", "remove the key");
        let cut = mesh.mapping.is_none() || dimension == Some(3);
        reader.check(cut, &key, "is for straight meshes, those from files, and three dimensions", "remove the key");
        if plain && exists {
            check_inside(reader, &key, "is", (d, place), mesh);
        }
        slices.push((d, place));
    }
    slices
}

/// The ends of a line.
fn line(
    reader: &mut Reader<'_>,
    key: &str,
    (mesh, dimension): (&MeshSettings, Option<usize>),
    plain: bool,
) -> Option<[Vec<f64>; 2]> {
    let help = "write both ends, such as `[[0, 0.5], [1, 0.5]]`";
    let point = |reader: &mut Reader<'_>, key: &str, node: &Node| match &node.value {
        Value::Array(items) => {
            items.iter().map(|item| reader.number_of(key, item, false)).collect::<Option<Vec<f64>>>()
        }
        _ => {
            reader.wrong_type(key, node, "a point", help);
            None
        }
    };
    let ends: [Vec<f64>; 2] = match reader.list(key, "a list of two points", point)?.try_into() {
        Ok(ends) => ends,
        Err(points) => {
            reader.wrong(key, format!("needs two points, but has {}", Vec::len(&points)), help);
            return None;
        }
    };
    let cut = mesh.mapping.is_none() && dimension != Some(1);
    reader.check(cut, key, "is for straight meshes and those from files in 2D and 3D", "remove the key");
    for (n, end) in ends.iter().enumerate() {
        let (given, wanted) = (end.len(), dimension.unwrap_or(ends[0].len()));
        reader.check(given == wanted, key, format!("a point has {wanted} coordinates, not {given}"), help);
        let inside = end.iter().enumerate().take(if plain { wanted.min(3) } else { 0 });
        inside.for_each(|(d, &place)| check_inside(reader, &format!("{key}.{n}"), "is", (d, place), mesh));
    }
    reader.check(ends[0] != ends[1], key, "the ends are the same point", help);
    Some(ends)
}

/// The part that is shown.
fn zoom(reader: &mut Reader<'_>, key: &str) -> Vec<(f64, f64)> {
    let numbers = reader.numbers(key, false).unwrap_or_default();
    let pairs: Vec<(f64, f64)> = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let ordered = [0, 2, 4].contains(&numbers.len()) && pairs.iter().all(|(low, high)| low < high);
    let help = "write from and to along each axis of the picture, such as `[0, 0.5, -1, 1]`";
    reader.check(ordered, key, "is no part of the domain", help);
    pairs
}
