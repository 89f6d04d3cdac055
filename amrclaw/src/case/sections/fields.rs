//! `[initial]`, `[aux]`, `[source]`: expressions by name.

use crate::case::origin::Value;
use crate::case::reader::Reader;
use crate::case::settings::{CellData, NamedExpression};

/// The word that leaves values to the solver or the program.
pub(super) const USER: &str = "user";

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
    let fields = table(reader, section);
    if fields.iter().all(|field| field.text != USER) {
        return CellData::Expressions(fields);
    }
    if let Some(field) = fields.iter().find(|field| field.text != USER) {
        let help = "write expressions for all of them, or \"user\" for all";
        reader.wrong(&field.key, "is an expression, but another of the table is \"user\"", help);
    }
    CellData::User
}

/// Reads every expression of a table; none if there is no such table.
pub fn table(reader: &mut Reader<'_>, section: &str) -> Vec<NamedExpression> {
    let names = reader.names(section).into_iter();
    let fields = names.filter_map(|(name, _)| {
        let key = format!("{section}.{name}");
        let (text, syntax) = reader.expression(&key)?;
        Some(NamedExpression { name: name.to_string(), text, syntax, key })
    });
    fields.collect()
}
