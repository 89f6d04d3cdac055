//! What a mesher gives: points, cells and named sides.

use super::Shape;
use std::fmt;
use std::path::{Path, PathBuf};

/// Rows of numbers of different lengths, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Row `i` is `items[starts[i] .. starts[i + 1]]`; one more than there are rows.
    pub starts: Vec<u32>,
    /// All rows.
    pub items: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { starts: vec![0], items: Vec::new() }
    }
}

impl Rows {
    /// No row yet, with memory for as many rows and numbers.
    pub fn with_capacity(rows: usize, items: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Rows { starts, items: Vec::with_capacity(items) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [u32] {
        &mut self.items[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// With more than 2³² numbers.
    pub fn push(&mut self, row: impl IntoIterator<Item = u32>) {
        self.items.extend(row);
        self.starts.push(u32::try_from(self.items.len()).expect("fewer than 2^32 numbers"));
    }
}

/// Sides with names, as files list them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    /// The names.
    pub names: Vec<String>,
    /// Of each side: the number of its name.
    pub name: Vec<u32>,
    /// Of each side: its nodes, two in the plane, three or four in space, in their order around it.
    pub nodes: Rows,
    /// Of each side: its place in the file; empty without a file.
    pub places: Vec<Place>,
}

/// A mesh as files hold it, before it is checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elements {
    /// 2 or 3.
    pub dim: usize,
    /// Positions of nodes; in the plane all have the same z.
    pub points: Vec<[f64; 3]>,
    /// Of each cell: its shape.
    pub shape: Vec<Shape>,
    /// Of each cell: its nodes.
    pub nodes: Rows,
    /// Of each cell: the part of the mesh that it is in, as Gmsh's surfaces and volumes are; empty: all are in one. If all cells of one shape in a
    /// part are listed the other way around, they are turned.
    pub part: Vec<u32>,
    /// Of each cell: its place in the file; empty without a file.
    pub places: Vec<Place>,
    /// Of each cell: its number in the file, counted from 0; empty: the cells are in the file's order.
    pub numbers: Vec<u32>,
    /// What lies at the mesh's boundary.
    pub sides: Sides,
}

impl Elements {
    /// No cell yet, in `dim` dimensions.
    pub fn new(dim: usize) -> Self {
        Elements { dim, ..Elements::default() }
    }

    /// Adds a cell without a place.
    pub fn push(&mut self, shape: Shape, nodes: impl IntoIterator<Item = u32>) {
        self.shape.push(shape);
        self.nodes.push(nodes);
    }

    /// Adds a side without a place.
    pub fn push_side(&mut self, name: &str, nodes: impl IntoIterator<Item = u32>) {
        let at = self.sides.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.sides.names.push(name.to_owned());
            self.sides.names.len() - 1
        });
        self.sides.name.push(at as u32);
        self.sides.nodes.push(nodes);
    }

    /// "cell 7", with the file's number, and its place.
    pub(crate) fn cell(&self, cell: usize) -> (String, Place) {
        let number = self.numbers.get(cell).map_or(cell, |&number| number as usize);
        (format!("cell {number}"), self.places.get(cell).copied().unwrap_or_default())
    }

    /// An error about a cell; `what` follows its number.
    pub(crate) fn cell_error(&self, cell: usize, what: impl fmt::Display) -> MeshError {
        let (name, place) = self.cell(cell);
        MeshError::new(place, format!("{name} {what}"))
    }

    /// An error about a side; `what` follows its name.
    pub(crate) fn side_error(&self, side: usize, what: impl fmt::Display) -> MeshError {
        let place = self.sides.places.get(side).copied().unwrap_or_default();
        let name = &self.sides.names[self.sides.name[side] as usize];
        MeshError::new(place, format!("side {side}, of `{name}`, {what}"))
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Not in a file, or all of it.
    #[default]
    None,
    /// A line, counted from 1.
    Line(u32),
    /// A byte, counted from 0.
    Byte(u64),
}

/// What is wrong with a mesh or its file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError {
    /// The file; `None` if the mesh came from none.
    pub file: Option<PathBuf>,
    /// The place in the file.
    pub place: Place,
    /// What is wrong, and what to do.
    pub what: String,
}

impl MeshError {
    /// An error at a place of a file yet to be named.
    pub(crate) fn new(place: Place, what: impl Into<String>) -> Self {
        MeshError { file: None, place, what: what.into() }
    }

    /// The same error with its file.
    pub fn in_file(self, file: &Path) -> Self {
        MeshError { file: Some(file.to_owned()), ..self }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            let comma = if self.place == Place::None { ": " } else { ", " };
            write!(f, "{}{comma}", file.display())?;
        }
        match self.place {
            Place::None => {}
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for MeshError {}
