//! A mesh from a file: `mesh.file`, and the keys that go with it.

use super::{AXES, fields, path_from_case};
use crate::case::choice::{BoundaryKind, Interpolated, MeshLoop};
use crate::case::origin::Value;
use crate::case::reader::Reader;
use crate::case::settings::{InflowValues, MeshFile};
use crate::frames::FrameFormat;
use std::path::Path;
use std::sync::Arc;
use unstructured::adapt::{Forest, MOST_LEVELS};
use unstructured::motion::Follow;
use unstructured::step::{Gradient, Limiter, Scheme, SolvedBy, TimeStep};
use unstructured::{Mesh, MeshError, Order};

/// Keys that a mesh from a file leaves without meaning, and why.
const WITHOUT_MEANING: [(&str, &str); 13] = [
    ("mesh.cells", CELLS),
    ("mesh.lower", CELLS),
    ("mesh.upper", CELLS),
    ("mesh.mapping", CELLS),
    ("levels.ratio", REFINED),
    ("levels.ratio_time", REFINED),
    ("regrid.cluster", REFINED),
    ("regrid.tile_size", REFINED),
    ("regrid.max_patch_size", REFINED),
    ("scheme.split", SWEPT),
    ("scheme.transverse", SWEPT),
    ("scheme.double_transverse", SWEPT),
    ("scheme.capacity", "the cells of a mesh from a file have their own volumes"),
];
const CELLS: &str = "the file says where the cells are";
const REFINED: &str = "each cell is refined by itself, in halves";
const SWEPT: &str = "cells of any shape have no axes to sweep along: all faces of a cell act at once";

/// The mesh of `mesh.file`, if the key is there and the mesh is right; where it is there and wrong, only that is noted.
pub fn read(reader: &mut Reader<'_>) -> Option<MeshFile> {
    let text = reader.string("mesh.file");
    let order = reader.optional_choice("mesh.order").unwrap_or_default();
    let pairs = pairs(reader);
    let scheme = scheme(reader);
    let gradients_of = reader.optional_choice("scheme.gradients_of").unwrap_or(Interpolated::Conserved);
    let (steady, axes) = (steady(reader), AXES.iter().map(|axis| format!("mesh.motion.{axis}")));
    let motion: Vec<_> = axes.filter_map(|key| reader.named_expression(&key)).collect();
    let follow = follow(reader);
    let named = reader.names("mesh.curves").into_iter();
    let curves: Vec<_> =
        named.map(|(name, place)| (name, place, fields::table(reader, &format!("mesh.curves.{name}")))).collect();
    let Some(text) = text else {
        if !reader.is_present("mesh.file") {
            only_with_file(reader);
        }
        return None;
    };
    for (key, why) in WITHOUT_MEANING {
        let present = reader.is_present(key);
        reader.check(!present, key, format!("has no meaning beside `mesh.file`: {why}"), "remove the line");
    }
    let formats = reader.choices::<FrameFormat>("output.format").unwrap_or_default();
    let is_written = formats.iter().all(|format| *format == FrameFormat::VtkHdf);
    let message = "meshes from files are written as \"vtkhdf\" only";
    reader.check(is_written, "output.format", message, "remove the line");
    let path = path_from_case(reader, "mesh.file", text);
    let mesh = match open(&path, order, &pairs) {
        Ok(mesh) => Arc::new(mesh),
        Err(error) => {
            reader.wrong("mesh.file", error.to_string(), "write the path of a mesh, Gmsh's `.msh` or SU2's `.su2`");
            return None;
        }
    };
    let (sides, inflow) = sides(reader, &mesh);
    let forest = forest(reader, &mesh);
    let help = "remove it, or write `levels.max` above 1";
    reader.check(curves.is_empty() || forest.is_some(), "mesh.curves", "is for sides that are refined", help);
    let of_side = |(name, place, formulas): (&str, &_, _)| {
        let number = mesh.boundary.names.iter().position(|known| known == name);
        if number.is_none() {
            let (key, help) =
                (format!("mesh.curves.{name}"), format!("its sides are {}", mesh.boundary.names.join(", ")));
            reader.wrong_at(Some(place), &key, format!("the mesh has no side `{name}`"), help);
        }
        Some((number?, formulas))
    };
    let curves = curves.into_iter().filter_map(of_side).collect();
    let scheme = Scheme { is_local: steady.is_some(), ..scheme };
    Some(MeshFile {
        path,
        mesh,
        sides,
        inflow,
        scheme,
        gradients_of,
        steady,
        motion,
        curves,
        follow,
        forest,
        leaves: None,
    })
}

/// The mesh's cells as trees, if `levels.max` lets them be refined.
fn forest(reader: &mut Reader<'_>, mesh: &Arc<Mesh>) -> Option<Arc<Forest>> {
    let levels = reader.integer("levels.max", 1, 1);
    let most = i64::from(MOST_LEVELS) + 1;
    reader.check(
        levels <= most,
        "levels.max",
        format!("must be at most {most} beside `mesh.file`"),
        "use fewer levels",
    );
    if levels == 1 {
        return None;
    }
    let forest = Forest::new(mesh.clone());
    forest.map(Arc::new).map_err(|error| reader.wrong("levels.max", error.to_string(), "remove the line")).ok()
}

/// Reads a mesh and joins periodic sides.
fn open(path: &Path, order: Order, pairs: &[[String; 2]]) -> Result<Mesh, MeshError> {
    let pairs: Vec<[&str; 2]> = pairs.iter().map(|[one, other]| [one.as_str(), other.as_str()]).collect();
    Mesh::in_order(unstructured::read::read(path)?, order)?.joined(&pairs)
}

/// Keys of meshes from files, in a case without.
fn only_with_file(reader: &mut Reader<'_>) {
    let of_scheme = ["time", "gradient", "gradients_of", "loop", "steady"].map(|key| format!("scheme.{key}"));
    let of_mesh = ["order", "periodic", "motion", "springs", "curves"].map(|key| format!("mesh.{key}"));
    for key in of_mesh.iter().chain(&of_scheme) {
        let present = reader.is_present(key);
        reader.check(!present, key, "is for a mesh from a file", "remove the line, or write `mesh.file`");
    }
}

/// `mesh.periodic`: pairs of names.
fn pairs(reader: &mut Reader<'_>) -> Vec<[String; 2]> {
    let help = "write for example `periodic = [[\"left\", \"right\"]]`";
    let pair = |reader: &mut Reader<'_>, path: &str, item: &crate::case::origin::Node| {
        let words: Vec<&str> = match &item.value {
            Value::Array(items) => items
                .iter()
                .filter_map(|item| if let Value::String(word) = &item.value { Some(word.as_str()) } else { None })
                .collect(),
            _ => Vec::new(),
        };
        match words[..] {
            [one, other] if one != other => Some([one.to_owned(), other.to_owned()]),
            _ => {
                reader.wrong(path, "needs the names of two sides", help);
                None
            }
        }
    };
    reader.list("mesh.periodic", "a list of pairs of names", pair).unwrap_or_default()
}

fn scheme(reader: &mut Reader<'_>) -> Scheme {
    let order = reader.integer("scheme.order", 1, 2).min(2) as u8;
    let is_file = reader.is_present("mesh.file");
    let limiter = if is_file { reader.optional_choice("scheme.limiter") } else { None };
    let time = reader.optional_choice("scheme.time").unwrap_or(if order > 1 { TimeStep::Rk2 } else { TimeStep::Euler });
    if order > 1 {
        let help = "write \"rk2\" or \"rk3\", or `order = 1`";
        reader.check(time != TimeStep::Euler, "scheme.time", "one stage is not stable at order 2", help);
    }
    if time == TimeStep::Hancock {
        let help = "write `order = 2` and no `steady`, or another method";
        let fine = order > 1 && !reader.is_present("scheme.steady");
        reader.check(fine, "scheme.time", "\"hancock\" is for order 2 and steps of one length", help);
    }
    let gradient = reader.optional_choice("scheme.gradient").unwrap_or(Gradient::LeastSquares);
    let solved_by = match reader.optional_choice("scheme.loop").unwrap_or(MeshLoop::Auto) {
        // On an H200 a fifth faster at order 1, as fast at order 2, in less memory.
        MeshLoop::Auto | MeshLoop::Cell => SolvedBy::Cells,
        MeshLoop::Face => SolvedBy::Faces,
    };
    Scheme { order, time, gradient, limiter: limiter.unwrap_or(Limiter::Venkatakrishnan), is_local: false, solved_by }
}

/// `scheme.steady`: the change at which a state is steady.
fn steady(reader: &mut Reader<'_>) -> Option<f64> {
    let key = "scheme.steady";
    let tolerance = reader.optional_number(key)?;
    let fine = 0.0 < tolerance && tolerance < 1.0;
    let help = "write for example `steady = 1e-6`, or remove the line for steps of one length";
    reader.check(fine, key, format!("must lie between 0 and 1, but is {tolerance}"), help);
    Some(tolerance)
}

/// `mesh.springs`: the time between two solutions of springs, by which inner nodes follow the sides'.
fn follow(reader: &mut Reader<'_>) -> Option<Arc<Follow>> {
    let key = "mesh.springs";
    let every = reader.optional_number(key)?;
    let help = "write the time in which the sides move by about a cell, such as `springs = 0.1`";
    reader.check(every > 0.0 && every.is_finite(), key, format!("must be positive, but is {every}"), help);
    let help = "write under `[mesh.motion]` where the sides' nodes are, or remove the line";
    reader.check(reader.is_present("mesh.motion"), key, "follows sides that do not move", help);
    Some(Arc::new(Follow::new(every)))
}

/// What lies beyond each side of the mesh, and the tables of values at those that are `"inflow"`.
fn sides(reader: &mut Reader<'_>, mesh: &Mesh) -> (Vec<BoundaryKind>, Vec<InflowValues>) {
    let names = &mesh.boundary.names;
    let list = names.join(", ");
    let mut kinds = Vec::new();
    for name in names {
        let path = format!("mesh.boundary.{name}");
        if name.contains('.') || name.is_empty() {
            let help = "give the side another name in the mesh";
            reader.wrong("mesh.file", format!("the name \"{name}\" of a side cannot be a key"), help);
            continue;
        }
        let help = format!("write what lies beyond the side, such as `{name} = \"wall\"`, under `[mesh.boundary]`");
        reader.require(&path, &help);
        let kind = reader.optional_choice(&path).unwrap_or(BoundaryKind::Extrapolate);
        if kind == BoundaryKind::Folded {
            reader.wrong(&path, "a mesh from a file has no folded sides", "write `wall` or `extrapolate`");
        }
        if kind == BoundaryKind::Periodic {
            let help =
                "write the pairs as `periodic = [[\"left\", \"right\"]]` under `[mesh]`, without lines of their own";
            reader.wrong(&path, "does not say which side it continues at", help);
        }
        kinds.push(kind);
    }
    let mut tables = Vec::new();
    for (name, place) in reader.names("mesh.boundary") {
        let path = format!("mesh.boundary.{name}");
        let side = name.strip_suffix("_state").and_then(|side| names.iter().position(|known| known == side));
        if names.iter().any(|known| known == name) {
            continue;
        }
        if side.is_none() && name != "inflow" {
            let help = format!("its sides are {list}; values at a side are in `[mesh.boundary.SIDE_state]`");
            reader.wrong_at(Some(place), &path, format!("the mesh has no side `{name}`"), help);
            continue;
        }
        let values = fields::table(reader, &path);
        let side = side.map(|side| (side, 0));
        tables.push(InflowValues { table: name.to_owned(), side, values });
    }
    (kinds, tables)
}
