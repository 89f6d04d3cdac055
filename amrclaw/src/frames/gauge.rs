//! Time series at points: one CSV file per gauge.
//!
//! ```text
//! # gauge g1 at x = 6.9999999999999996e-1, y = 0.0000000000000000e0
//! level,t,pressure,u,v
//! 3,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0,0.0000000000000000e0
//! ```
//!
//! Levels count from 1. Numbers have 17 significant digits, so that reading them gives the same values.

use super::error::InputError;
use crate::text::digits17;
use std::path::Path;

/// What a gauge has recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct GaugeSeries {
    /// Name and place, as the file's first line says.
    pub about: String,
    /// Names of the columns: level, time, equations.
    pub columns: Vec<String>,
    /// Their numbers, of each row; NaN for what is no number.
    pub rows: Vec<Vec<f64>>,
}

impl GaugeSeries {
    /// Reads the file of gauge `name` in a folder; every `k`-th row alone if there are more than `most`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(dir: &Path, name: &str, most: usize) -> Result<Self, InputError> {
        let path = dir.join(file_name(name));
        let text = std::fs::read_to_string(&path).map_err(InputError::io(&path))?;
        let mut lines = text.lines();
        let (about, names) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let rows: Vec<&str> = lines.collect();
        let every = rows.len().div_ceil(most.max(1)).max(1);
        let numbers = |row: &&str| row.split(',').map(|word| word.parse().unwrap_or(f64::NAN)).collect();
        Ok(GaugeSeries {
            about: about.trim_start_matches("# ").to_owned(),
            columns: fields(names),
            rows: rows.iter().step_by(every).map(numbers).collect(),
        })
    }

    /// Time and value of each row of a quantity.
    pub fn of(&self, column: usize) -> Vec<(f64, f64)> {
        let number = |row: &[f64], k: usize| row.get(k).copied().unwrap_or(f64::NAN);
        self.rows.iter().map(|row| (number(row, 1), number(row, column))).collect()
    }
}

/// Names of the gauges whose files are in a folder, sorted.
pub fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = files.filter_map(|file| name_of(&file).map(str::to_owned)).collect();
    names.sort();
    names
}

/// Name of the file of gauge `name`.
pub fn file_name(name: &str) -> String {
    format!("gauge_{name}.csv")
}

/// The gauge whose file has this name: the inverse of [`file_name`].
fn name_of(file: &str) -> Option<&str> {
    file.strip_prefix("gauge_")?.strip_suffix(".csv")
}

/// True for names that [`file_name`] gives.
pub fn is_file_name(name: &str) -> bool {
    name_of(name).is_some()
}

/// The two lines above the rows.
pub fn header(name: &str, position: &[f64], equations: &[String]) -> String {
    let position: Vec<String> =
        position.iter().zip(["x", "y", "z"]).map(|(&x, axis)| format!("{axis} = {}", digits17(x))).collect();
    let columns: Vec<String> = equations.iter().map(|equation| quoted(equation)).collect();
    format!("# gauge {name} at {}\nlevel,t,{}\n", position.join(", "), columns.join(","))
}

/// A CSV field: in quotes if it holds a comma or quotes.
fn quoted(field: &str) -> String {
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

/// The fields of a line of CSV: the inverse of [`quoted`].
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut inside) = (vec![String::new()], false);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let field = fields.last_mut().expect("there is one from the start");
        match c {
            '"' if inside && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => inside = !inside,
            ',' if !inside => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::super::SeriesWriter;
    use super::*;
    use crate::index::Level;
    use std::path::PathBuf;

    fn equations() -> Vec<String> {
        vec!["pressure".into(), "u, normal".into()]
    }

    fn head(name: &str, position: [f64; 2]) -> String {
        header(name, &position, &equations())
    }

    fn write_three_rows(dir: &Path) -> PathBuf {
        let mut gauge = SeriesWriter::create(dir.join(file_name("g1")), &head("g1", [0.7, -1.5])).unwrap();
        assert!(!gauge.path().exists(), "not before it is shown");
        gauge.show().unwrap();
        for (level, t) in [(2, 0.0), (2, 0.1), (0, 0.2)] {
            gauge.record(Level(level), t, &[1.0 / 3.0, -t]).unwrap();
        }
        gauge.flush().unwrap();
        gauge.path().to_owned()
    }

    /// Header, levels from 1, quoting, and values that come back bit for bit.
    #[test]
    fn rows_are_csv_with_all_digits() {
        let dir = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(write_three_rows(dir.path())).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "# gauge g1 at x = 6.9999999999999996e-1, y = -1.5000000000000000e0");
        assert_eq!(lines[1], "level,t,pressure,\"u, normal\"");
        let row: Vec<&str> = lines[3].split(',').collect();
        assert_eq!((row[0], row[1].parse::<f64>().unwrap()), ("3", 0.1));
        assert_eq!(row[2].parse::<f64>().unwrap().to_bits(), (1.0_f64 / 3.0).to_bits());
        assert_eq!(lines[4].split(',').next(), Some("1"));
        let read = GaugeSeries::read(dir.path(), "g1", 100).unwrap();
        assert_eq!(read.columns, ["level", "t", "pressure", "u, normal"]);
        assert_eq!(read.of(3), [(0.0, -0.0), (0.1, -0.1), (0.2, -0.2)]);
        SeriesWriter::create(dir.path().join(file_name("gauge_a")), &head("gauge_a", [0.7, 0.0]))
            .unwrap()
            .show()
            .unwrap();
        assert_eq!(names_in(dir.path()), ["g1", "gauge_a"]);
    }

    /// A restart at t = 0.1 keeps the row at exactly that time, drops later ones and one that was cut off, and continues.
    #[test]
    fn a_restart_drops_later_rows() {
        let dir = tempfile::tempdir().unwrap();
        let path = write_three_rows(dir.path());
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}1,0.05")).unwrap();
        let mut gauge = SeriesWriter::resume(path.clone(), &head("g1", [0.7, -1.5]), 0.1).unwrap();
        gauge.show().unwrap();
        gauge.record(Level(0), 0.2, &[1.0 / 3.0, -0.2]).unwrap();
        gauge.flush().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }

    /// A file of another gauge is not continued; a missing one is begun.
    #[test]
    fn only_the_same_gauge_is_resumed() {
        let dir = tempfile::tempdir().unwrap();
        write_three_rows(dir.path());
        let resume =
            |name: &str, at: [f64; 2]| SeriesWriter::resume(dir.path().join(file_name(name)), &head(name, at), 1.0);
        let message = resume("g1", [0.7, 1.5]).unwrap_err().to_string();
        assert!(message.contains("gauge_g1.csv"), "{message}");
        let mut new = resume("g2", [0.0; 2]).unwrap();
        new.show().unwrap();
        assert!(new.path().exists());
    }
}
