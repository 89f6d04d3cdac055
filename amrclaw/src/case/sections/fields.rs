//! `[initial]`, `[aux]`, `[source]`: expressions by name.

use super::SIDES;
use crate::case::origin::Value;
use crate::case::reader::Reader;
use crate::case::settings::{CellData, DataFile, NamedExpression};
use crate::formula::Syntax;

/// The word that leaves values to the solver or the program.
pub(super) const USER: &str = "user";

/// The table of primitive variables within `[initial]`.
pub(in crate::case) const PRIMITIVE: &str = "initial.primitive";

/// Reads `[initial]`, which every case has.
pub fn initial(reader: &mut Reader<'_>) -> CellData {
    reader.require("initial", "write an expression for each equation under `[initial]`, or `initial = \"user\"`");
    cell_data(reader, "initial")
}

/// Reads a table of expressions, or the word `user` in its place.
pub fn cell_data(reader: &mut Reader<'_>, section: &str) -> CellData {
    if let Some(Value::String(word)) = reader.node(section).map(|node| &node.value) {
        let help = format!("write \"user\", or a table `[{section}]`");
        reader.check(word == USER, section, format!("\"{word}\" is not known"), help);
        return CellData::User;
    }
    let mut fields = table(reader, section);
    if is_table(reader, PRIMITIVE) && section == "initial" {
        for field in &fields {
            let message = "cannot stand beside `[initial.primitive]`";
            reader.wrong(&field.key, message, "write all of them as primitive variables, or none");
        }
        fields.clear();
    }
    if fields.iter().all(|field| field.text != USER) {
        return CellData::Expressions(fields);
    }
    if let Some(field) = fields.iter().find(|field| field.text != USER) {
        let help = "write expressions for all of them, or \"user\" for all";
        reader.wrong(&field.key, "is an expression, but another of the table is \"user\"", help);
    }
    CellData::User
}

/// True if there is a table at `path`.
fn is_table(reader: &Reader<'_>, path: &str) -> bool {
    path == PRIMITIVE && matches!(reader.node(path).map(|node| &node.value), Some(Value::Table(_)))
}

/// Reads every expression of a table; none if there is no such table.
pub fn table(reader: &mut Reader<'_>, section: &str) -> Vec<NamedExpression> {
    let names = reader.names(section).into_iter().filter(|(name, _)| !is_table(reader, &format!("{section}.{name}")));
    let names: Vec<_> = names.collect();
    let names = names.into_iter();
    names.filter_map(|(name, _)| value(reader, section, name)).collect()
}

/// The tables whose values may come from files, besides those of sides.
const WITH_FILES: [&str; 3] = ["initial", PRIMITIVE, "aux"];

/// The table of sides and the tables of values there.
const SIDES_TABLE: &str = "mesh.boundary";

/// An expression; for a file the name of its numbers.
fn value(reader: &mut Reader<'_>, section: &str, name: &str) -> Option<NamedExpression> {
    let key = format!("{section}.{name}");
    let is_file = matches!(reader.node(&key).map(|node| &node.value), Some(Value::Table(_)));
    if !is_file || !(WITH_FILES.contains(&section) || section.starts_with(SIDES_TABLE)) {
        return reader.named_expression(&key);
    }
    let text = name_in_file(&key);
    let syntax = Syntax::parse(&text).ok()?;
    Some(NamedExpression { name: name.to_owned(), text, syntax, key })
}

/// The name that stands for the numbers of a file in formulas.
fn name_in_file(key: &str) -> String {
    format!("file_of_{}", key.replace('.', "_"))
}

/// Reads which values come from files.
pub fn data_files(reader: &mut Reader<'_>, dimension: Option<usize>) -> Vec<DataFile> {
    let mut files = Vec::new();
    let sides = reader.names(SIDES_TABLE).into_iter().map(|(name, _)| format!("{SIDES_TABLE}.{name}"));
    let sections: Vec<String> = WITH_FILES.into_iter().map(str::to_owned).chain(sides).collect();
    for section in &sections {
        for (name, _) in reader.names(section) {
            let key = format!("{section}.{name}");
            if is_table(reader, &key) || !matches!(reader.node(&key).map(|node| &node.value), Some(Value::Table(_))) {
                continue;
            }
            let path = format!("{key}.file");
            let variable = reader.string(&format!("{key}.variable")).map(str::to_owned);
            let [lower, upper] =
                ["lower", "upper"].map(|corner| reader.per_axis(&format!("{key}.{corner}"), dimension));
            let times = reader.numbers(&format!("{key}.times"), false);
            let side = section.strip_prefix("mesh.boundary.").and_then(|name| SIDES.iter().position(|s| *s == name));
            reader.require(&path, "write the path of a .npy, HDF5 or NetCDF file");
            if let Some(text) = reader.string(&path) {
                files.push(DataFile {
                    name: name_in_file(&key),
                    path: super::path_from_case(reader, &path, text),
                    variable,
                    lower,
                    upper,
                    times,
                    side: side.map(|number| number / 2),
                    is_initial: section.starts_with("initial"),
                    key: path,
                });
            }
        }
    }
    files
}
