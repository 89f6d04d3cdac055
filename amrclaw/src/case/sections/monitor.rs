//! `[[monitor]]`.

use super::AXES;
use super::output::check_file_name;
use super::region::region_time;
use crate::case::choice::Extreme;
use crate::case::origin::Value;
use crate::case::reader::{Reader, brief};
use crate::case::settings::{MeshSettings, MonitorSettings, NamedExpression};
use crate::frames::monitor::MonitorFormat;
use std::collections::HashSet;

/// Most points of a monitor.
const MAX_POINTS: usize = 1 << 24;

/// Reads the monitors.
pub fn read(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> Vec<MonitorSettings> {
    let mut names = HashSet::new();
    (0..reader.count("monitor")).filter_map(|n| monitor(reader, n, &mut names, (mesh, dimension))).collect()
}

fn monitor(
    reader: &mut Reader<'_>,
    number: usize,
    names: &mut HashSet<String>,
    (mesh, dimension): (&MeshSettings, Option<usize>),
) -> Option<MonitorSettings> {
    let key = format!("monitor.{number}");
    let path = |name: &str| format!("{key}.{name}");
    reader.require(&path("name"), "write `name = \"coast\"` under this `[[monitor]]`");
    let name = reader.string(&path("name")).unwrap_or_default();
    check_file_name(reader, &path("name"), name, ("monitor", names));
    let mut values: Vec<(Extreme, NamedExpression)> = Vec::new();
    let kinds = [("max", Extreme::Max), ("min", Extreme::Min), ("first", Extreme::First), ("now", Extreme::Now)];
    for (kind, extreme) in kinds {
        for (value, _) in reader.names(&path(kind)) {
            let key = format!("{}.{value}", path(kind));
            let is_new = AXES.iter().all(|axis| *axis != value) && values.iter().all(|(_, known)| known.name != value);
            reader.check(
                is_new,
                &key,
                format!("the file has a `{value}` already"),
                "give each value a name of its own",
            );
            let fine = !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
            let message = format!("\"{value}\" cannot name a value");
            reader.check(fine, &key, message, "use letters, digits, `_` and `-` only");
            values.extend(reader.named_expression(&key).map(|formula| (extreme, formula)));
        }
    }
    let help = "write `max.NAME = \"FORMULA\"`, `min.NAME`, `now.NAME` or `first.NAME`, a condition";
    reader.check(!values.is_empty() || !reader.fine(&[&key]), &key, "has nothing to record", help);
    let plain = mesh.mapping.is_none() && mesh.file.is_none();
    reader.check(plain, &key, "is for straight meshes", "write gauges, on a mesh from a file forces");
    let every_steps = reader.integer(&path("every_steps"), 1, 1) as u64;
    let time = region_time(reader, &path("time"));
    let format = reader.choice(&path("format"), MonitorFormat::Npy);
    let (shape, points) = points(reader, &key, dimension.filter(|_| plain)?)?;
    let dimension = dimension?;
    let is_map = shape.len() == 2 && (0..2).all(|d| points[d] < points[points.len() - 2 + d]);
    let help = "write `points = [NX, NY]`, both at least 2, with `lower` below `upper`, or another format";
    reader.check(is_map || format != MonitorFormat::Geotiff, &path("format"), "holds lattices of the plane", help);
    for (d, (lower, upper)) in mesh.lower.iter().zip(&mesh.upper).enumerate() {
        let beyond = points.iter().skip(d).step_by(dimension).find(|x| !(*lower..=*upper).contains(*x));
        let message = format!("is outside the domain: {} = {}", AXES[d], brief(*beyond.unwrap_or(lower)));
        let help = format!("write points from {} to {}", brief(*lower), brief(*upper));
        reader.check(beyond.is_none() || !reader.fine(&["mesh"]), &key, message, help);
    }
    Some(MonitorSettings { name: name.to_owned(), shape, points, every_steps, time, format, values })
}

/// The numbers of points along the axes of their lattice, and their positions.
fn points(reader: &mut Reader<'_>, key: &str, dimension: usize) -> Option<(Vec<usize>, Vec<f64>)> {
    let [number, list, lower, upper] = ["points", "positions", "lower", "upper"].map(|name| format!("{key}.{name}"));
    let corners = [&lower, &upper].map(|corner| reader.per_axis(corner, Some(dimension)));
    if reader.exclusive(&[&number, &list])? == list {
        let points = reader.list(&list, "a list of points", |reader, path, item| {
            let coordinates = match &item.value {
                Value::Array(items) => reader.each(path, items, |reader, path, x| reader.number_of(path, x, false))?,
                _ => Vec::new(),
            };
            let message = format!("a point has {dimension} coordinates");
            reader.check(
                coordinates.len() == dimension,
                path,
                message,
                "write a list of points such as `[[0.5, 0.2]]`",
            );
            (coordinates.len() == dimension).then_some(coordinates)
        })?;
        reader.check(!points.is_empty(), &list, "gives no points", "write a list of points such as `[[0.5, 0.2]]`");
        return Some((vec![points.len()], points.concat()));
    }
    let shape: Vec<usize> = reader.integers(&number, 1)?.into_iter().map(|n| n as usize).collect();
    let all = shape.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)).filter(|all| *all <= MAX_POINTS);
    let fits = shape.len() == 1 || shape.len() == dimension;
    let help =
        format!("write one number for each axis, or one for points on a line, at most {MAX_POINTS} points in all");
    reader.check(fits && all.is_some(), &number, "gives no points", help);
    reader.require(&lower, "write the first point");
    reader.require(&upper, "write the last point");
    let [lower, upper] = corners;
    let (lower, upper, all) = (lower?, upper?, all.filter(|_| fits)?);
    let position = |k: usize| {
        let (mut rest, mut along) = (k, [(0, 1); 3]);
        for (along, &n) in along.iter_mut().zip(&shape) {
            *along = (rest % n, n);
            rest /= n;
        }
        let (lower, upper, last) = (&lower, &upper, shape.len() - 1);
        (0..dimension).map(move |d| {
            let (k, n) = along[d.min(last)];
            if n == 1 { lower[d] } else { lower[d] + (upper[d] - lower[d]) * (k as f64 / (n - 1) as f64) }
        })
    };
    let points = (0..all).flat_map(position).collect();
    Some((shape, points))
}
