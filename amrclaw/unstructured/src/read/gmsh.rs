//! Gmsh's format, <https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats>.
//!
//! Elements of the highest dimension are cells, those of one less are sides; their names are those of their physical groups, or the groups'
//! numbers.

use super::source::{Form, Source};
use super::tags::Tags;
use crate::mesh::{Elements, MeshError, Place, Rows, Shape, Sides};
use std::collections::BTreeMap;

type Outcome<T> = Result<T, MeshError>;

/// A file as far as it has been read.
#[derive(Default)]
struct File {
    /// Version 4.1.
    is_new: bool,
    /// Names of physical groups, by dimension and number.
    names: BTreeMap<(i64, i64), String>,
    /// Physical groups of curves, surfaces and volumes, by dimension and tag (version 4).
    groups: BTreeMap<(i64, i64), Vec<i64>>,
    points: Vec<[f64; 3]>,
    tags: Option<Tags>,
    /// Elements by dimension.
    found: [Found; 4],
    has_elements: bool,
}

/// Elements of one dimension.
#[derive(Default)]
struct Found {
    /// Gmsh's numbers of types.
    kind: Vec<i64>,
    nodes: Rows,
    /// Physical group, 0 for none, and geometric entity.
    of: Vec<(i64, i64)>,
    places: Vec<Place>,
}

/// Dimension and number of nodes of an element's type.
fn measure(kind: i64) -> Option<(usize, usize)> {
    Some(match kind {
        15 => (0, 1),
        1 => (1, 2),
        2 => (2, 3),
        3 => (2, 4),
        4 => (3, 4),
        5 => (3, 8),
        6 => (3, 6),
        7 => (3, 5),
        _ => return None,
    })
}

/// The shape of a cell's type.
fn shape(kind: i64) -> Shape {
    match kind {
        2 => Shape::Triangle,
        3 => Shape::Quadrilateral,
        4 => Shape::Tetrahedron,
        5 => Shape::Hexahedron,
        6 => Shape::Prism,
        _ => Shape::Pyramid,
    }
}

/// Reads a file's bytes.
pub(super) fn read(bytes: &[u8]) -> Outcome<Elements> {
    let mut source = Source::new(bytes);
    let is_new = header(&mut source)?;
    let mut file = File { is_new, ..File::default() };
    while !source.is_at_end() {
        let place = source.clone();
        let word = source.word("a section")?;
        match word {
            b"$PhysicalNames" => file.physical_names(&mut source)?,
            b"$Entities" if is_new => file.entities(&mut source)?,
            b"$Nodes" if file.tags.is_some() => return Err(place.error("$Nodes is here once more")),
            b"$Nodes" if is_new => file.nodes_of_blocks(&mut source)?,
            b"$Nodes" => file.nodes(&mut source)?,
            b"$Elements" if file.has_elements => return Err(place.error("$Elements is here once more")),
            b"$Elements" if file.tags.is_none() => return Err(place.error("$Elements comes before $Nodes")),
            b"$Elements" if is_new => file.blocks(&mut source)?,
            b"$Elements" => file.elements(&mut source)?,
            [b'$', name @ ..] if !name.starts_with(b"End") => {
                let name = String::from_utf8_lossy(name).into_owned();
                source.skip_to(&format!("$End{name}"))?;
            }
            other => {
                let other: String = String::from_utf8_lossy(other).chars().take(30).collect();
                return Err(place.error(format!("a section such as $Nodes is expected, not {other:?}")));
            }
        }
    }
    if !file.has_elements {
        return Err(source.error("the file ends without $Elements"));
    }
    file.into_elements(&source)
}

/// Reads what a file begins with; true for version 4.1.
fn header(source: &mut Source) -> Outcome<bool> {
    source.expect("$MeshFormat")?;
    let version = source.word("the version")?;
    let is_new = match version {
        b"2.2" | b"2" | b"2.1" => false,
        b"4.1" => true,
        other => {
            let other = String::from_utf8_lossy(other).into_owned();
            let what = "versions 2.2 and 4.1 are read: save with Mesh.MshFileVersion = 4.1";
            return Err(source.error(format!("this is version {other:?} of the format; {what}")));
        }
    };
    let is_binary = match source.text_int("the type of the file")? {
        0 => false,
        1 => true,
        other => return Err(source.error(format!("the type of the file is 0 (ascii) or 1 (binary), not {other}"))),
    };
    let bytes = source.text_int("the number of bytes of a real")?;
    if bytes != 8 {
        return Err(source.error(format!("numbers have {bytes} bytes; those of 8 are read")));
    }
    if is_binary {
        source.rest_of_line();
        source.form = Form::Binary(false);
        source.form = match source.clone().take("the number 1")? {
            [1, 0, 0, 0] => Form::Binary(false),
            [0, 0, 0, 1] => Form::Binary(true),
            other => {
                return Err(
                    source.error(format!("the number 1 is expected, which tells the order of bytes, not {other:?}"))
                );
            }
        };
        source.int("the number 1")?;
    }
    source.expect("$EndMeshFormat")?;
    Ok(is_new)
}

/// Goes to where numbers begin: as in memory they do in the next line.
fn begin_numbers(source: &mut Source) {
    if source.form != Form::Text {
        source.rest_of_line();
    }
}

/// Version 4: numbers of blocks and of what is in them.
fn head_of_blocks(source: &mut Source, what: &str) -> Outcome<(u64, u64)> {
    begin_numbers(source);
    let counts = (source.size("the number of blocks")?, source.size(what)?);
    source.size("the least tag")?;
    source.size("the greatest tag")?;
    Ok(counts)
}

/// As many of something were read as the file announces.
fn check_count(source: &Source, (read, count): (u64, u64), what: &str) -> Outcome<()> {
    match read == count {
        true => Ok(()),
        false => Err(source.error(format!("there are {read} {what}, but {count} are announced"))),
    }
}

/// A count in text.
fn text_count(source: &mut Source, what: &str) -> Outcome<u64> {
    let count = source.text_int(what)?;
    begin_numbers(source);
    u64::try_from(count).map_err(|_| source.error(format!("{what} is {count}, less than 0")))
}

impl File {
    fn physical_names(&mut self, source: &mut Source) -> Outcome<()> {
        for _ in 0..text_count(source, "the number of names")? {
            let dim = source.text_int("a dimension")?;
            let number = source.text_int("a group's number")?;
            let rest = String::from_utf8_lossy(source.rest_of_line()).into_owned();
            let name = rest.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                return Err(
                    source.error(format!("in the line before, a name in quotes is expected, not {:?}", rest.trim()))
                );
            };
            self.names.insert((dim, number), name.to_owned());
        }
        source.expect("$EndPhysicalNames")
    }

    /// Version 4: which groups curves, surfaces and volumes belong to.
    fn entities(&mut self, source: &mut Source) -> Outcome<()> {
        begin_numbers(source);
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = source.size("the number of entities")?;
        }
        for (dim, count) in (0..).zip(counts) {
            for _ in 0..count {
                let tag = source.int("an entity's tag")?;
                for _ in 0..if dim == 0 { 3 } else { 6 } {
                    source.real("an entity's extent")?;
                }
                let mut groups = Vec::new();
                for _ in 0..source.size("a number of groups")? {
                    groups.push(source.int("a group's number")?.abs());
                }
                self.groups.insert((dim, tag), groups);
                if dim > 0 {
                    for _ in 0..source.size("a number of entities")? {
                        source.int("an entity's tag")?;
                    }
                }
            }
        }
        source.expect("$EndEntities")
    }

    /// Version 2.
    fn nodes(&mut self, source: &mut Source) -> Outcome<()> {
        let mut tags = Vec::new();
        for _ in 0..text_count(source, "the number of nodes")? {
            tags.push(tag_of(source.int("a node's number")?, source)?);
            self.points.push(point(source)?);
        }
        self.number(&tags, source)?;
        source.expect("$EndNodes")
    }

    /// Version 4.
    fn nodes_of_blocks(&mut self, source: &mut Source) -> Outcome<()> {
        let (blocks, count) = head_of_blocks(source, "the number of nodes")?;
        let mut tags = Vec::new();
        for _ in 0..blocks {
            let dim = source.int("an entity's dimension")?;
            source.int("an entity's tag")?;
            let is_parametric = source.int("whether nodes have parameters")? != 0;
            let in_block = source.size("a number of nodes")?;
            for _ in 0..in_block {
                tags.push(source.size("a node's tag")?);
            }
            for _ in 0..in_block {
                self.points.push(point(source)?);
                for _ in 0..if is_parametric { dim.clamp(0, 3) } else { 0 } {
                    source.real("a node's parameter")?;
                }
            }
        }
        check_count(source, (tags.len() as u64, count), "nodes")?;
        self.number(&tags, source)?;
        source.expect("$EndNodes")
    }

    fn number(&mut self, tags: &[u64], source: &Source) -> Outcome<()> {
        if tags.len() >= u32::MAX as usize {
            return Err(source.error(format!("there are {} nodes; fewer than 2^32 are possible", tags.len())));
        }
        let tags = Tags::new(tags).map_err(|tag| source.error(format!("two nodes have the number {tag}")))?;
        self.tags = Some(tags);
        Ok(())
    }

    /// Version 2.
    fn elements(&mut self, source: &mut Source) -> Outcome<()> {
        let count = text_count(source, "the number of elements")?;
        let mut read = 0;
        while read < count {
            // In text each element has a head of its own.
            let (kind, in_block, tags) = if source.form == Form::Text {
                source.int("an element's number")?;
                (source.int("an element's type")?, 1, source.int("a number of tags")?)
            } else {
                (source.int("elements' type")?, source.int("a number of elements")?, source.int("a number of tags")?)
            };
            for _ in 0..in_block {
                if source.form != Form::Text {
                    source.int("an element's number")?;
                }
                let mut of = [0; 2];
                for k in 0..tags {
                    let tag = source.int("an element's tag")?;
                    if let Some(of) = usize::try_from(k).ok().and_then(|k| of.get_mut(k)) {
                        *of = tag;
                    }
                }
                self.element(source, kind, (of[0].abs(), of[1]))?;
            }
            read += in_block.max(0) as u64;
        }
        check_count(source, (read, count), "elements")?;
        self.has_elements = true;
        source.expect("$EndElements")
    }

    /// Version 4.
    fn blocks(&mut self, source: &mut Source) -> Outcome<()> {
        let (blocks, count) = head_of_blocks(source, "the number of elements")?;
        let mut read = 0;
        for _ in 0..blocks {
            let dim = source.int("an entity's dimension")?;
            let entity = source.int("an entity's tag")?;
            let kind = source.int("elements' type")?;
            let group = self.groups.get(&(dim, entity)).and_then(|groups| groups.first()).copied().unwrap_or(0);
            for _ in 0..source.size("a number of elements")? {
                source.size("an element's tag")?;
                self.element(source, kind, (group, entity))?;
                read += 1;
            }
        }
        check_count(source, (read, count), "elements")?;
        self.has_elements = true;
        source.expect("$EndElements")
    }

    /// Reads an element's nodes; `of` are its physical group, 0 for none, and its entity.
    fn element(&mut self, source: &mut Source, kind: i64, of: (i64, i64)) -> Outcome<()> {
        let Some((dim, count)) = measure(kind) else {
            let known =
                "points, lines, triangles, quadrilaterals, tetrahedra, hexahedra, prisms and pyramids of first order";
            return Err(source.error(format!("an element has type {kind}; read are {known} (Mesh.ElementOrder = 1)")));
        };
        let place = source.place();
        let mut nodes = [0; 8];
        for node in &mut nodes[..count] {
            let what = "a node's number";
            let tag = if self.is_new { source.size(what)? } else { tag_of(source.int(what)?, source)? };
            let known = self.tags.as_ref().and_then(|tags| tags.node(tag));
            *node =
                known.ok_or_else(|| source.error(format!("an element names node {tag}, which is not among $Nodes")))?;
        }
        let found = &mut self.found[dim];
        found.kind.push(kind);
        found.nodes.push(nodes[..count].iter().copied());
        found.of.push(of);
        found.places.push(place);
        Ok(())
    }

    /// Cells are what has most dimensions.
    fn into_elements(self, source: &Source) -> Outcome<Elements> {
        let [.., curves, surfaces, volumes] = self.found;
        let (dim, cells, sides) = if volumes.kind.is_empty() { (2, surfaces, curves) } else { (3, volumes, surfaces) };
        if cells.kind.is_empty() {
            let why =
                "Gmsh saves the elements of physical groups alone: is there one of all surfaces, or of all volumes?";
            return Err(source.error(format!("there is no triangle, quadrilateral or cell in space. {why}")));
        }
        let name = |group: i64| self.names.get(&(dim as i64 - 1, group)).cloned().unwrap_or_else(|| group.to_string());
        let mut elements = Elements {
            dim,
            points: self.points,
            shape: cells.kind.into_iter().map(shape).collect(),
            nodes: cells.nodes,
            part: cells.of.into_iter().map(|(_, entity)| entity as u32).collect(),
            places: cells.places,
            numbers: Vec::new(),
            sides: Sides::default(),
        };
        let mut numbers = BTreeMap::new();
        for (side, (group, entity)) in sides.of.into_iter().enumerate().filter(|(_, (group, _))| *group != 0) {
            let number = *numbers.entry(group).or_insert_with(|| {
                elements.sides.names.push(name(group));
                elements.sides.names.len() as u32 - 1
            });
            if let Some([one, other, ..]) = self.groups.get(&(dim as i64 - 1, entity)).map(Vec::as_slice) {
                let what = format!("a side is in the groups `{}` and `{}`: give it one name", name(*one), name(*other));
                return Err(MeshError::new(sides.places[side], what));
            }
            elements.sides.name.push(number);
            elements.sides.nodes.push(sides.nodes.row(side).iter().copied());
            elements.sides.places.push(sides.places[side]);
        }
        Ok(elements)
    }
}

/// A tag of 32 bits.
fn tag_of(tag: i64, source: &Source) -> Outcome<u64> {
    u64::try_from(tag).map_err(|_| source.error(format!("a node's number is {tag}, less than 0")))
}

fn point(source: &mut Source) -> Outcome<[f64; 3]> {
    Ok([source.real("x of a node")?, source.real("y of a node")?, source.real("z of a node")?])
}
