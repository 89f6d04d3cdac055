//! Finds keys that the table of keys does not know.

use super::keys::{Known, known, names_in, paths_ending_in};
use super::origin::{Node, Place, Value};
use super::reader::Reader;
use crate::formula::nearest;

impl Reader<'_> {
    /// Notes every key that is not in the table of keys, and every value that should be a table and is not.
    pub fn check_keys(&mut self) {
        let root = &self.origin.root;
        if let Value::Table(table) = &root.value {
            for entry in table.entries() {
                self.check_key("", &entry.key, &entry.key_place, &entry.node);
            }
        }
    }

    fn check_key(&mut self, parent: &str, name: &str, place: &Place, node: &Node) {
        let path = if parent.is_empty() { name.to_string() } else { format!("{parent}.{name}") };
        let is_known = if name.contains('.') { Known::No } else { known(&path) };
        match (is_known, &node.value) {
            (Known::No, _) => self.unknown_key(parent, name, &path, place),
            (Known::Table { list: true, .. }, Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    self.check_table(&format!("{path}.{i}"), item);
                }
            }
            (Known::Table { list: true, .. }, _) => {
                self.wrong_type(&path, node, "a list of tables", &format!("write `[[{path}]]` above each one"));
            }
            (Known::Table { or_value: Some(_), .. }, Value::String(_)) => {}
            (Known::Table { or_value: Some(kind), .. }, value)
                if ["number", "expression"].iter().any(|known| kind.starts_with(known))
                    && !matches!(value, Value::Table(_)) => {}
            (Known::Table { .. }, _) => self.check_table(&path, node),
            (Known::Key, _) => {}
        }
    }

    fn check_table(&mut self, path: &str, node: &Node) {
        match &node.value {
            Value::Table(table) => {
                for entry in table.entries() {
                    self.check_key(path, &entry.key, &entry.key_place, &entry.node);
                }
            }
            _ => self.wrong_type(path, node, "a table", &format!("write `[{path}]` above its keys")),
        }
    }

    pub fn unknown_key(&mut self, parent: &str, name: &str, path: &str, place: &Place) {
        let names = names_in(parent);
        let where_known = paths_ending_in(name).next();
        let help = match (where_known, nearest(name, names.iter().copied())) {
            (Some(known), _) => format!("`{name}` is known as `{known}`"),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("the keys known here are {}", names.join(", ")),
        };
        self.wrong_at(Some(place), path, "unknown key".to_string(), help);
    }
}
