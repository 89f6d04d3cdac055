//! SU2's format, <https://su2code.github.io/docs_v7/Mesh-File/>.

use super::source::{integer, real};
use crate::mesh::{Elements, MeshError, Place, Shape};

type Outcome<T> = Result<T, MeshError>;

/// Lines of a file without comments and blank ones.
struct Lines<'a> {
    rest: &'a [u8],
    /// Number of the line that was returned last.
    line: u32,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let length = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
            let line = &self.rest[..length];
            self.rest = self.rest.get(length + 1..).unwrap_or(&[]);
            self.line += 1;
            let line = line.split(|&byte| byte == b'%').next().unwrap_or(&[]).trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }
}

impl<'a> Lines<'a> {
    fn error(&self, what: impl Into<String>) -> MeshError {
        MeshError::new(Place::Line(self.line), what)
    }

    /// One of several lines that were announced.
    fn expect(&mut self, what: &str) -> Outcome<&'a [u8]> {
        self.next().ok_or_else(|| self.error(format!("the file ends before {what}")))
    }

    fn wrong(&self, what: &str, word: &[u8]) -> MeshError {
        let shown: String = String::from_utf8_lossy(word).chars().take(30).collect();
        self.error(format!("{what} is expected, not {shown:?}"))
    }

    fn number(&self, word: Option<&[u8]>, what: &str) -> Outcome<u64> {
        let word = word.unwrap_or_default();
        integer(word).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| self.wrong(what, word))
    }
}

/// Words of a line.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The key and the value of a line `KEY= VALUE`.
fn assignment(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b'=')?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

/// The number of nodes of a type of element, and its shape if it is a cell's.
fn measure(kind: i64) -> Option<(usize, Option<Shape>)> {
    Some(match kind {
        3 => (2, None),
        5 => (3, Some(Shape::Triangle)),
        9 => (4, Some(Shape::Quadrilateral)),
        10 => (4, Some(Shape::Tetrahedron)),
        12 => (8, Some(Shape::Hexahedron)),
        13 => (6, Some(Shape::Prism)),
        14 => (5, Some(Shape::Pyramid)),
        _ => return None,
    })
}

/// Reads a file's bytes.
pub(super) fn read(bytes: &[u8]) -> Outcome<Elements> {
    let mut lines = Lines { rest: bytes, line: 0 };
    let mut elements = Elements::default();
    let (mut has_cells, mut has_points, mut markers, mut announced) = (false, false, 0, None);
    // Sections of other keys hold lines of their own.
    let mut is_foreign = false;
    while let Some(line) = lines.next() {
        let Some((key, value)) = assignment(line) else {
            if is_foreign {
                continue;
            }
            return Err(lines.wrong("a key such as NELEM=", line));
        };
        is_foreign = false;
        match key {
            b"NDIME" => {
                elements.dim = lines.number(Some(value), "a number of dimensions")? as usize;
                if !(2..=3).contains(&elements.dim) {
                    return Err(lines.error(format!("NDIME is 2 or 3, not {}", elements.dim)));
                }
            }
            b"NELEM" | b"NPOIN" if elements.dim == 0 => return Err(lines.error("NDIME= comes first")),
            b"NELEM" if has_cells => return Err(lines.error("NELEM= is here once more")),
            b"NPOIN" if has_points => return Err(lines.error("NPOIN= is here once more")),
            b"NELEM" => {
                has_cells = true;
                cells(&mut lines, &mut elements, value)?;
            }
            b"NPOIN" => {
                has_points = true;
                points(&mut lines, &mut elements, value)?;
            }
            b"NMARK" => announced = Some((lines.line, lines.number(Some(value), "a number of markers")?)),
            b"MARKER_TAG" => {
                markers += 1;
                marker(&mut lines, &mut elements, value)?;
            }
            b"NZONE" if value != b"1" => return Err(lines.error("a mesh of one zone is read")),
            _ => is_foreign = true,
        }
    }
    for (has, key) in [(has_cells, "NELEM"), (has_points, "NPOIN")] {
        if !has {
            return Err(lines.error(format!("the file ends without {key}=")));
        }
    }
    match announced {
        Some((line, count)) if count != markers => {
            Err(MeshError::new(Place::Line(line), format!("{count} markers are announced; the file has {markers}")))
        }
        _ => Ok(elements),
    }
}

/// Type, shape and nodes of an element; more words are its number.
fn element<'n>(lines: &Lines, line: &[u8], nodes: &'n mut [u32; 8]) -> Outcome<(Option<Shape>, &'n [u32])> {
    let mut words = words(line);
    let first = words.next().unwrap_or_default();
    let kind = integer(first).ok_or_else(|| lines.wrong("an element's type", first))?;
    let Some((count, shape)) = measure(kind) else {
        return Err(lines.error(format!("an element has type {kind}; known are 3, 5, 9, 10, 12, 13 and 14")));
    };
    for node in &mut nodes[..count] {
        let word = words.next().unwrap_or_default();
        let number = integer(word).and_then(|number| u32::try_from(number).ok());
        *node = number.ok_or_else(|| lines.wrong("a node's number", word))?;
    }
    Ok((shape, &nodes[..count]))
}

fn cells(lines: &mut Lines, elements: &mut Elements, value: &[u8]) -> Outcome<()> {
    for _ in 0..lines.number(Some(value), "a number of elements")? {
        let line = lines.expect("all elements that NELEM announces")?;
        let mut nodes = [0; 8];
        let (shape, nodes) = element(lines, line, &mut nodes)?;
        let shape = shape.filter(|shape| shape.dim() == elements.dim);
        let shape =
            shape.ok_or_else(|| lines.error(format!("this element is no cell in {} dimensions", elements.dim)))?;
        elements.push(shape, nodes.iter().copied());
        elements.places.push(Place::Line(lines.line));
    }
    Ok(())
}

fn points(lines: &mut Lines, elements: &mut Elements, value: &[u8]) -> Outcome<()> {
    // A second number counts the nodes of other ranks.
    for _ in 0..lines.number(words(value).next(), "a number of nodes")? {
        let line = lines.expect("all nodes that NPOIN announces")?;
        let (mut words, mut point) = (words(line), [0.0; 3]);
        for x in &mut point[..elements.dim] {
            let word = words.next().unwrap_or_default();
            *x = real(word).filter(|x| x.is_finite()).ok_or_else(|| lines.wrong("a finite coordinate", word))?;
        }
        elements.points.push(point);
    }
    Ok(())
}

fn marker(lines: &mut Lines, elements: &mut Elements, name: &[u8]) -> Outcome<()> {
    let name = String::from_utf8_lossy(name).into_owned();
    if name.is_empty() {
        return Err(lines.error("MARKER_TAG= has no name"));
    }
    let next = lines.expect("MARKER_ELEMS=")?;
    let Some((b"MARKER_ELEMS", value)) = assignment(next) else { return Err(lines.wrong("MARKER_ELEMS=", next)) };
    for _ in 0..lines.number(Some(value), "a number of sides")? {
        let line = lines.expect("all sides that MARKER_ELEMS announces")?;
        let mut nodes = [0; 8];
        let (_, nodes) = element(lines, line, &mut nodes)?;
        if !(if elements.dim == 2 { 2..=2 } else { 3..=4 }).contains(&nodes.len()) {
            return Err(lines.error(format!("this element is no side in {} dimensions", elements.dim)));
        }
        elements.push_side(&name, nodes.iter().copied());
        elements.sides.places.push(Place::Line(lines.line));
    }
    Ok(())
}
