//! `[mesh.mapping]`: where computational points lie.

use super::fields::USER;
use crate::case::origin::Value;
use crate::case::reader::{Reader, brief};
use crate::case::settings::{MappingSettings, MeshSettings, NamedExpression};
use crate::formula::{Syntax, nearest};

/// A ready mapping. In its formulas `X`, `Y`, `Z` are computational coordinates, and `S`, `T`, `U` the same ones scaled to run from 0 to
/// 1 in the domain. A mapping of the plane is also one of space, with `z = Z`.
struct Ready {
    name: &'static str,
    /// Names of its parameters.
    parameters: &'static [&'static str],
    x: &'static str,
    y: &'static str,
    /// The formula of z, for mappings of space only.
    z: Option<&'static str>,
}

/// All ready mappings. `docs/case-file.md` describes them.
const READY: &[Ready] = &[
    Ready { name: "polar", parameters: &[], x: "X * cos(Y)", y: "X * sin(Y)", z: None },
    Ready {
        name: "annulus",
        parameters: &["inner", "outer"],
        x: "(inner + (outer - inner) * S) * cos(2 * pi * T)",
        y: "(inner + (outer - inner) * S) * sin(2 * pi * T)",
        z: None,
    },
    Ready {
        name: "cylinder_in_box",
        parameters: &["radius", "half_width"],
        x: "(radius + (half_width / max(abs(cos(2*pi*T)), abs(sin(2*pi*T))) - radius) * S) * cos(2*pi*T)",
        y: "(radius + (half_width / max(abs(cos(2*pi*T)), abs(sin(2*pi*T))) - radius) * S) * sin(2*pi*T)",
        z: None,
    },
    Ready {
        name: "wedge",
        parameters: &["corner", "angle"],
        x: "X",
        y: "Y + max(X - corner, 0) * tan(angle * pi / 180) * (1 - T)",
        z: None,
    },
    Ready {
        name: "channel_with_bump",
        parameters: &["centre", "width", "height"],
        x: "X",
        y: "Y + height * exp(-((X - centre) / width)^2) * (1 - T)",
        z: None,
    },
    Ready {
        name: "spherical",
        parameters: &[],
        x: "X * sin(Y) * cos(Z)",
        y: "X * sin(Y) * sin(Z)",
        z: Some("X * cos(Y)"),
    },
    Ready {
        name: "cubed_sphere_face",
        parameters: &["inner", "outer"],
        x: "RADIUS * tan(pi * (2*S - 1) / 4) / sqrt(1 + tan(pi * (2*S - 1) / 4)^2 + tan(pi * (2*T - 1) / 4)^2)",
        y: "RADIUS * tan(pi * (2*T - 1) / 4) / sqrt(1 + tan(pi * (2*S - 1) / 4)^2 + tan(pi * (2*T - 1) / 4)^2)",
        z: Some("RADIUS / sqrt(1 + tan(pi * (2*S - 1) / 4)^2 + tan(pi * (2*T - 1) / 4)^2)"),
    },
    Ready {
        name: "hill",
        parameters: &["x_centre", "y_centre", "width", "height"],
        x: "X",
        y: "Y",
        z: Some("Z + height * exp(-((X - x_centre)^2 + (Y - y_centre)^2) / width^2) * (1 - U)"),
    },
];

/// The parameters of all ready mappings.
const PARAMETERS: [&str; 11] =
    ["inner", "outer", "radius", "half_width", "corner", "angle", "centre", "width", "height", "x_centre", "y_centre"];

/// Reads the table, if there is one, or the word `user`, which leaves the mapping to the solver.
pub fn read(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> Option<MappingSettings> {
    let word = match reader.node("mesh.mapping").map(|node| &node.value) {
        Some(Value::String(word)) => Some(word),
        _ => None,
    };
    if word.is_none() && reader.names("mesh.mapping").is_empty() {
        return None;
    }
    if dimension == Some(1) {
        let message = "mapped meshes have two or three dimensions, but `mesh.cells` has one number";
        reader.wrong("mesh.mapping", message, "remove the table, or give two or three numbers of cells");
        return None;
    }
    if let Some(word) = word {
        let help = "write \"user\", or a table `[mesh.mapping]` with formulas `x` and `y`, or a `kind`";
        reader.check(word == USER, "mesh.mapping", format!("\"{word}\" is not known"), help);
        return Some(MappingSettings { formulas: Vec::new() }).filter(|_| word == USER);
    }
    let given = reader.exclusive(&["mesh.mapping.kind", "mesh.mapping.x"]);
    let in_space = dimension == Some(3);
    if given == Some("mesh.mapping.kind") { ready(reader, mesh, in_space) } else { formulas(reader, in_space) }
}

/// A mapping by the user's formulas.
fn formulas(reader: &mut Reader<'_>, in_space: bool) -> Option<MappingSettings> {
    for name in PARAMETERS {
        let path = format!("mesh.mapping.{name}");
        if reader.optional_number(&path).is_some() {
            let help = "write the number into the formulas, or choose a built-in mapping with `kind`";
            reader.wrong(&path, "is not a parameter of a mapping by formulas", help);
        }
    }
    let mut formula = |axis: &str, example: &str| {
        let key = format!("mesh.mapping.{axis}");
        let names = if in_space { "X, Y and Z" } else { "X and Y" };
        let help = format!("write the physical coordinate as a formula of {names}, such as `{axis} = \"{example}\"`");
        reader.require(&key, &help);
        let (text, syntax) = reader.expression(&key)?;
        Some(NamedExpression { name: axis.to_owned(), text, syntax, key })
    };
    let examples = [("x", "(1 + X) * cos(2*pi*Y)"), ("y", "(1 + X) * sin(2*pi*Y)"), ("z", "Z + 0.1 * X")];
    let read = examples.iter().take(if in_space { 3 } else { 2 }).map(|(axis, example)| formula(axis, example));
    let formulas: Vec<_> = read.collect();
    no_third(reader, in_space);
    Some(MappingSettings { formulas: formulas.into_iter().collect::<Option<_>>()? })
}

/// Notes a formula of z for a mapping in the plane.
fn no_third(reader: &mut Reader<'_>, in_space: bool) {
    let path = "mesh.mapping.z";
    let help = "remove the line, or give three numbers of cells";
    if !in_space && reader.is_present(path) && reader.expression(path).is_some() {
        reader.check(false, path, "a two-dimensional mesh has no z".to_owned(), help);
    }
}

/// A ready mapping by name, with the values of its parameters in its formulas.
fn ready(reader: &mut Reader<'_>, mesh: &MeshSettings, in_space: bool) -> Option<MappingSettings> {
    let (key, names) = ("mesh.mapping.kind", READY.iter().map(|ready| ready.name));
    let name = reader.string(key)?;
    let Some(ready) = READY.iter().find(|ready| ready.name == name) else {
        let known = names.clone().collect::<Vec<_>>().join(", ");
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean \"{near}\"? The mappings known here are {known}"),
            None => format!("write one of {known}, or formulas `x` and `y`"),
        };
        reader.wrong(key, format!("\"{name}\" is not known"), help);
        return None;
    };
    for path in ["mesh.mapping.y", "mesh.mapping.z"] {
        reader.check(!reader.is_present(path), path, format!("cannot stand beside `{key}`"), "remove one of them");
    }
    let message = format!("the mapping \"{name}\" is three-dimensional, but the mesh is two-dimensional");
    reader.check(in_space || ready.z.is_none(), key, message, "give three numbers of cells, or choose another mapping");
    let mut values = Vec::new();
    for parameter in PARAMETERS {
        let path = format!("mesh.mapping.{parameter}");
        if ready.parameters.contains(&parameter) {
            reader.require(&path, &format!("write `{parameter} = ...`: the mapping \"{name}\" has {}", list(ready)));
            values.push((parameter, reader.optional_number(&path)));
        } else if reader.optional_number(&path).is_some() {
            let message = format!("the mapping \"{name}\" has no such parameter");
            reader.wrong(&path, message, format!("remove the line: it has {}", list(ready)));
        }
    }
    let mut numbers = Vec::new();
    for (parameter, value) in values {
        numbers.push((parameter, value?));
    }
    let unit = |axis: usize| {
        let [lower, upper] = [mesh.lower.get(axis)?, mesh.upper.get(axis)?].map(|x| brief(*x));
        Some(format!("(({} - ({lower})) / (({upper}) - ({lower})))", ["X", "Y", "Z"][axis]))
    };
    let mut known = vec![("S", unit(0)?), ("T", unit(1)?)];
    known.extend(unit(2).map(|third| ("U", third)));
    known.extend(numbers.iter().map(|(name, value)| (*name, format!("({})", brief(*value)))));
    // Distance from the centre, in a shell between two spheres.
    let radius = put_in("(inner + (outer - inner) * U)", &known);
    known.push(("RADIUS", radius));
    let formula = |axis: &str, template: &str| {
        let text = put_in(template, &known);
        let syntax = Syntax::parse(&text).expect("the formulas of ready mappings are right");
        NamedExpression { name: axis.to_owned(), text, syntax, key: key.to_owned() }
    };
    let mut formulas = vec![formula("x", ready.x), formula("y", ready.y)];
    formulas.extend(in_space.then(|| formula("z", ready.z.unwrap_or("Z"))));
    Some(MappingSettings { formulas })
}

/// The text with each known word replaced by its text.
fn put_in(text: &str, known: &[(&str, String)]) -> String {
    let (mut out, mut rest) = (String::new(), text);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_letter(c) != is_letter(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        out += known.iter().find(|(name, _)| *name == word).map_or(word, |(_, text)| text);
        rest = after;
    }
    out
}

/// The parameters of a ready mapping, for messages.
fn list(ready: &Ready) -> String {
    if ready.parameters.is_empty() { "no parameters".to_owned() } else { ready.parameters.join(", ") }
}
