//! `[mesh.mapping]`: where computational points lie.

use crate::io::config::reader::{Reader, brief};
use crate::io::config::settings::{MappingSettings, MeshSettings, NamedExpression};
use crate::io::expression::{Syntax, nearest};

/// A mapping that is known by name. In its formulas `X`, `Y` are computational coordinates, which `S`, `T` are too, from 0 to 1 in the
/// domain.
struct Ready {
    name: &'static str,
    /// Names of its parameters.
    parameters: &'static [&'static str],
    x: &'static str,
    y: &'static str,
}

/// All there are. `docs/case-file.md` describes them.
const READY: &[Ready] = &[
    Ready { name: "polar", parameters: &[], x: "X * cos(Y)", y: "X * sin(Y)" },
    Ready {
        name: "annulus",
        parameters: &["inner", "outer"],
        x: "(inner + (outer - inner) * S) * cos(2 * pi * T)",
        y: "(inner + (outer - inner) * S) * sin(2 * pi * T)",
    },
    Ready {
        name: "cylinder_in_box",
        parameters: &["radius", "half_width"],
        x: "(radius + (half_width / max(abs(cos(2*pi*T)), abs(sin(2*pi*T))) - radius) * S) * cos(2*pi*T)",
        y: "(radius + (half_width / max(abs(cos(2*pi*T)), abs(sin(2*pi*T))) - radius) * S) * sin(2*pi*T)",
    },
    Ready {
        name: "wedge",
        parameters: &["corner", "angle"],
        x: "X",
        y: "Y + max(X - corner, 0) * tan(angle * pi / 180) * (1 - T)",
    },
    Ready {
        name: "channel_with_bump",
        parameters: &["centre", "width", "height"],
        x: "X",
        y: "Y + height * exp(-((X - centre) / width)^2) * (1 - T)",
    },
];

/// The parameters that any ready mapping has.
const PARAMETERS: [&str; 9] =
    ["inner", "outer", "radius", "half_width", "corner", "angle", "centre", "width", "height"];

/// Reads the table, if there is one.
pub fn read(reader: &mut Reader<'_>, mesh: &MeshSettings, dimension: Option<usize>) -> Option<MappingSettings> {
    if reader.names("mesh.mapping").is_empty() {
        return None;
    }
    if let Some(axes) = dimension.filter(|axes| *axes != 2) {
        let message = format!("mapped grids are in the plane, but `mesh.cells` has {axes} numbers");
        reader.wrong("mesh.mapping", message, "remove the table, or give two numbers of cells");
        return None;
    }
    let given = reader.exclusive(&["mesh.mapping.kind", "mesh.mapping.x"]);
    if given == Some("mesh.mapping.kind") { ready(reader, mesh) } else { formulas(reader) }
}

/// A mapping by formulas of the user's.
fn formulas(reader: &mut Reader<'_>) -> Option<MappingSettings> {
    for name in PARAMETERS {
        let path = format!("mesh.mapping.{name}");
        if reader.optional_number(&path).is_some() {
            let help = "write the number into the formulas, or name a ready mapping as `kind`";
            reader.wrong(&path, "is no parameter of a mapping by formulas", help);
        }
    }
    let mut formula = |axis: &str, example: &str| {
        let key = format!("mesh.mapping.{axis}");
        let help = format!("write the physical coordinate as a formula of X and Y, such as `{axis} = \"{example}\"`");
        reader.require(&key, &help);
        let (text, syntax) = reader.expression(&key)?;
        Some(NamedExpression { name: axis.to_owned(), text, syntax, key })
    };
    let (x, y) = (formula("x", "(1 + X) * cos(2*pi*Y)"), formula("y", "(1 + X) * sin(2*pi*Y)"));
    Some(MappingSettings { x: x?, y: y? })
}

/// A mapping by its name, with its parameters put into its formulas.
fn ready(reader: &mut Reader<'_>, mesh: &MeshSettings) -> Option<MappingSettings> {
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
    let path = "mesh.mapping.y";
    reader.check(!reader.is_present(path), path, format!("cannot stand beside `{key}`"), "remove one of them");
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
    let corners = [mesh.lower.first()?, mesh.lower.get(1)?, mesh.upper.first()?, mesh.upper.get(1)?].map(|x| brief(*x));
    let unit = |name: &str, lower: &str, upper: &str| format!("(({name} - ({lower})) / (({upper}) - ({lower})))");
    let [x0, y0, x1, y1] = &corners;
    let mut known = vec![("S", unit("X", x0, x1)), ("T", unit("Y", y0, y1))];
    known.extend(numbers.iter().map(|(name, value)| (*name, format!("({})", brief(*value)))));
    let formula = |axis: &str, template: &str| {
        let text = put_in(template, &known);
        let syntax = Syntax::parse(&text).expect("the formulas of ready mappings are right");
        NamedExpression { name: axis.to_owned(), text, syntax, key: key.to_owned() }
    };
    Some(MappingSettings { x: formula("x", ready.x), y: formula("y", ready.y) })
}

/// The text with other texts in place of words.
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

/// The parameters of a ready mapping in words.
fn list(ready: &Ready) -> String {
    if ready.parameters.is_empty() { "no parameters".to_owned() } else { ready.parameters.join(", ") }
}
