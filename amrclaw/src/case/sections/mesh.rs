//! `[mesh]`.

use super::AXES;
use super::fields;
use crate::case::choice::BoundaryKind;
use crate::case::origin::Value;
use crate::case::reader::{Reader, brief, plural};
use crate::case::settings::{InflowValues, MeshFile, MeshSettings};
use crate::mesh::FARTHEST;
use crate::physics::AuxOutside;

/// The dimension: the length of `mesh.cells`, even if its values are wrong.
pub fn dimension(reader: &mut Reader<'_>) -> Option<usize> {
    const HELP: &str = "write one number of cells per axis, such as `cells = [100, 100]` under `[mesh]`";
    reader.require("mesh.cells", HELP);
    let Value::Array(items) = &reader.node("mesh.cells")?.value else { return None };
    if (1..=3).contains(&items.len()) {
        return Some(items.len());
    }
    reader.wrong("mesh.cells", format!("needs 1, 2 or 3 numbers, but has {}", items.len()), HELP);
    None
}

/// Reads the section.
pub fn read(reader: &mut Reader<'_>, dimension: Option<usize>, file: Option<MeshFile>) -> MeshSettings {
    let axes = dimension.unwrap_or(0);
    if reader.is_present("mesh.file") && file.is_none() {
        // What is wrong with it has been noted.
        let (lower, upper, cells, boundary) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let aux_outside = AuxOutside::Nearest;
        return MeshSettings { lower, upper, cells, boundary, aux_outside, mapping: None, file };
    }
    if let Some(file) = file {
        let cells: Vec<i32> = (0..axes).map(|d| if d == 0 { file.mesh.num_cells() as i32 } else { 1 }).collect();
        return MeshSettings {
            lower: vec![0.0; axes],
            upper: cells.iter().map(|&n| f64::from(n)).collect(),
            cells,
            boundary: vec![[BoundaryKind::Extrapolate; 2]; axes],
            aux_outside: AuxOutside::Nearest,
            mapping: None,
            file: Some(file),
        };
    }
    check_sides(reader);
    let cells = reader.integers("mesh.cells", 1).unwrap_or_else(|| vec![1; axes]);
    let lower = reader.per_axis("mesh.lower", dimension).unwrap_or_else(|| vec![0.0; axes]);
    let upper = reader.per_axis("mesh.upper", dimension).unwrap_or_else(|| vec![1.0; axes]);
    if reader.fine(&["mesh.lower", "mesh.upper"]) {
        check_extent(reader, &lower, &upper);
    }
    let aux_outside = reader.choice("mesh.boundary.aux", AuxOutside::Nearest);
    let boundary = boundary(reader, dimension);
    let mut mesh = MeshSettings { lower, upper, cells, boundary, aux_outside, mapping: None, file: None };
    mesh.mapping = super::mapping::read(reader, &mesh, dimension);
    mesh
}

/// Notes every axis along which the domain has no extent, or too much.
fn check_extent(reader: &mut Reader<'_>, lower: &[f64], upper: &[f64]) {
    let key = if reader.is_present("mesh.upper") { "mesh.upper" } else { "mesh.lower" };
    for (d, (lower, upper)) in lower.iter().zip(upper).enumerate() {
        let path = format!("{key}.{d}");
        let span = format!("along {}: from {} to {}", AXES[d], brief(*lower), brief(*upper));
        let help = "write `mesh.upper` larger than `mesh.lower` along every axis";
        reader.check(lower < upper, &path, format!("the domain has no extent {span}"), help);
        let message = format!("the domain's extent is too large for a number {span}");
        reader.check(lower.abs().max(upper.abs()) <= FARTHEST, &path, message, "use a smaller domain");
    }
}

/// Notes sides that a box does not have.
fn check_sides(reader: &mut Reader<'_>) {
    for (name, place) in reader.names("mesh.boundary") {
        let path = format!("mesh.boundary.{name}");
        let is_known = AXES.contains(&name) || SIDES.contains(&name) || matches!(name, "aux" | "inflow");
        match reader.node(&path).map(|node| &node.value) {
            _ if is_known && !SIDES.contains(&name) => {}
            Some(Value::Table(_)) if is_known => {}
            Some(Value::Table(_) | Value::String(_)) if !is_known => {
                drop(fields::table(reader, &path));
                reader.unknown_key("mesh.boundary", name, &path, place);
            }
            Some(_) if !is_known => drop(reader.optional_choice::<BoundaryKind>(&path)),
            _ => reader.wrong(&path, "needs a table", format!("write `[{path}]` above its keys")),
        }
    }
}

fn boundary(reader: &mut Reader<'_>, dimension: Option<usize>) -> Vec<[BoundaryKind; 2]> {
    let mut sides = Vec::new();
    for (d, axis) in AXES.iter().enumerate() {
        let path = format!("mesh.boundary.{axis}");
        let here = axis_boundary(reader, &path);
        match dimension {
            Some(axes) if d >= axes => {
                let message = format!("the mesh has no axis {axis}: `mesh.cells` has {axes} number{}", plural(axes));
                let help = "remove the line, or add the axis to `mesh.cells`";
                reader.check(!reader.is_present(&path), &path, message, help);
            }
            _ => sides.push(here),
        }
    }
    sides
}

/// The conditions at the two sides of an axis; a single word applies to both.
fn axis_boundary(reader: &mut Reader<'_>, path: &str) -> [BoundaryKind; 2] {
    let kinds = reader.choices(path).unwrap_or(vec![BoundaryKind::Extrapolate]);
    match kinds[..] {
        [both] => [both; 2],
        [lower, upper] => {
            for kind in [BoundaryKind::Periodic, BoundaryKind::Folded] {
                let message = format!("one side is {kind} and the other is not");
                let help = format!("write \"{kind}\" for both sides or for none");
                reader.check((lower == kind) == (upper == kind), path, message, help);
            }
            [lower, upper]
        }
        _ => {
            let message = format!("needs two words, lower side first, but has {}", kinds.len());
            reader.wrong(path, message, "write for example `[\"extrapolate\", \"wall\"]`");
            [BoundaryKind::Extrapolate; 2]
        }
    }
}

/// The names of the domain's sides: axis by axis, the lower one first.
pub const SIDES: [&str; 6] = ["x_lower", "x_upper", "y_lower", "y_upper", "z_lower", "z_upper"];

/// Reads the tables of values at the sides that are `"inflow"`.
pub fn inflow(reader: &mut Reader<'_>, dimension: Option<usize>) -> Vec<InflowValues> {
    let mut tables = Vec::new();
    let sides = SIDES.iter().enumerate().map(|(i, name)| (*name, Some((i / 2, i % 2))));
    for (name, side) in [("inflow", None)].into_iter().chain(sides) {
        let path = format!("mesh.boundary.{name}");
        let values = fields::table(reader, &path);
        if reader.names(&path).is_empty() {
            continue;
        }
        if let (Some((axis, _)), Some(axes)) = (side, dimension) {
            let message = format!("the mesh has no axis {}: it is in {axes}D", AXES[axis]);
            reader.check(axis < axes, &path, message, "remove the table");
        }
        tables.push(InflowValues { table: name.to_owned(), side, values });
    }
    tables
}
