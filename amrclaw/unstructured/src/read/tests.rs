use super::*;
use crate::Mesh;
use crate::make::{Block, Of};
use crate::random::random;
use crate::write::{Format, write_to};
use std::collections::BTreeMap;

const FORMATS: [Format; 5] = [
    Format::Gmsh2 { binary: false },
    Format::Gmsh2 { binary: true },
    Format::Gmsh4 { binary: false },
    Format::Gmsh4 { binary: true },
    Format::Su2,
];

fn block(cells: &[usize]) -> Elements {
    Block { shake: 0.2, ..Block::new(cells, Of::Mixed) }.make().unwrap()
}

fn written(elements: &Elements, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, elements, format).unwrap();
    bytes
}

fn parsed(bytes: &[u8], format: Format) -> Result<Elements, MeshError> {
    if format == Format::Su2 { su2::read(bytes) } else { gmsh::read(bytes) }
}

/// Sides by their nodes, with their names.
fn sides(elements: &Elements) -> BTreeMap<Vec<u32>, String> {
    let sides = &elements.sides;
    (0..sides.nodes.len())
        .map(|side| (sides.nodes.row(side).to_vec(), sides.names[sides.name[side] as usize].clone()))
        .collect()
}

/// What is written is read again, in all formats, digit by digit.
#[test]
fn files_hold_all() {
    for cells in [&[5, 4][..], &[3, 3, 2]] {
        let made = block(cells);
        for format in FORMATS {
            let read = parsed(&written(&made, format), format).unwrap_or_else(|e| panic!("{format:?}: {e}"));
            assert_eq!(
                (&read.points, &read.shape, &read.nodes),
                (&made.points, &made.shape, &made.nodes),
                "{format:?}"
            );
            assert_eq!(sides(&read), sides(&made), "{format:?}");
            let (read, made) = (Mesh::new(read).unwrap(), Mesh::new(made.clone()).unwrap());
            assert_eq!((read.volume, read.faces), (made.volume, made.faces), "{format:?}");
        }
    }
}

/// Cut files are errors with a place, wherever they are cut. A byte changed by chance is an error with a place, or another mesh with as many
/// cells and nodes; a panic, or memory for what a file claims, is neither.
#[test]
fn damaged_files_are_told() {
    for (n, format) in (0..).zip(FORMATS) {
        for cells in [&[3, 2][..], &[2, 1, 2]] {
            let made = block(cells);
            let whole = written(&made, format);
            let chance = |k: u64, below: usize| random(1000 * n + k) as usize % below;
            for k in 0..60 {
                let length = chance(k, whole.trim_ascii_end().len());
                let error = parsed(&whole[..length], format).and_then(Mesh::new).unwrap_err();
                assert_ne!(error.place, Place::None, "{format:?}, {length} bytes: {error}");
            }
            let mut refused = 0;
            for k in 100..200 {
                let mut damaged = whole.clone();
                damaged[chance(k, whole.len())] ^= 1 << chance(k + 500, 8);
                match parsed(&damaged, format).and_then(Mesh::new) {
                    Ok(mesh) => {
                        assert_eq!((mesh.num_cells(), mesh.points.len()), (made.shape.len(), made.points.len()))
                    }
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > 40, "{format:?}: {refused} of 100");
        }
    }
}

/// Mistakes of files by hand, with their places.
#[test]
fn mistakes_have_places() {
    let text = String::from_utf8(written(&block(&[2, 2]), Format::Gmsh2 { binary: false })).unwrap();
    let new = String::from_utf8(written(&block(&[2, 2]), Format::Gmsh4 { binary: false })).unwrap();
    let su2 = String::from_utf8(written(&block(&[2, 2]), Format::Su2)).unwrap();
    let cases: [(&str, &str, &str, &str); 13] = [
        (&text, "2.2 0 8", "4.0 0 8", "line 2: this is version \"4.0\" of the format; versions 2.2 and 4.1 are read"),
        (&text, "$Nodes\n9", "$Nodes\n10", "line 24: a node's number is expected, not \"$EndNodes\""),
        (&text, "\n5 0", "\n4 0", "two nodes have the number 4"),
        (&text, "\n1 1 2 1 1", "\n1 8 2 1 1", "line 26: an element has type 8; read are points, lines"),
        (&text, "\n1 1 2 1 1 4 1", "\n1 1 2 1 1 40 1", "line 26: an element names node 40, which is not among $Nodes"),
        (&text, "0.0 1.0 0.0", "0.0 inf 0.0", "y of a node is inf"),
        (&text, "$Nodes", "$Node", "the file ends before $EndNode"),
        (&new, "1 9 1 9", "1 8 1 9", "there are 9 nodes, but 8 are announced"),
        (&su2, "NDIME= 2", "NDIME= 4", "line 1: NDIME is 2 or 3, not 4"),
        (&su2, "NMARK= 4", "NMARK= 5", "5 markers are announced; the file has 4"),
        (&su2, "MARKER_ELEMS= 2", "MARKER_ELEMS= 3", "an element's type is expected, not \"MARKER_TAG=\""),
        (&su2, "NPOIN= 9", "NPOIN= 8", "a key such as NELEM= is expected, not \"1.0 1.0\""),
        (&su2, "\n3 ", "\n3 99", "names node 99"),
    ];
    for (text, from, to, expected) in cases {
        assert!(text.contains(from), "{from}: {text}");
        let changed = text.replacen(from, to, 1);
        let format = if text.starts_with("NDIME") { Format::Su2 } else { FORMATS[0] };
        let told = parsed(changed.as_bytes(), format).and_then(Mesh::new).unwrap_err().to_string();
        assert!(told.contains(expected), "{to}: {told}");
    }
}

/// Numbers of groups name sides without names; other sections, and numbers of nodes with gaps, are read over.
#[test]
fn gmsh_files_of_other_kinds() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\n$ and all that\n$EndComments\n$Nodes\n4\n10 0 0 5\n\
                7000000 1 0 5\n30 1 1 5\n900000000 0 0.5 5\n$EndNodes\n$Elements\n6\n1 15 2 0 1 10\n2 1 2 4 1 10 7000000\n\
                3 1 2 4 1 7000000 30\n4 1 3 5 1 9 30 900000000\n5 1 2 5 1 900000000 10\n6 3 2 0 1 10 7000000 30 900000000\n$EndElements";
    let mesh = Mesh::new(gmsh::read(text.as_bytes()).unwrap()).unwrap();
    assert_eq!((mesh.boundary.names, mesh.volume), (vec!["4".to_owned(), "5".to_owned()], vec![0.75]));
    let only_lines = text.replace("6 3 2 0 1 10 7000000 30 900000000", "6 1 2 5 1 900000000 10");
    assert!(
        gmsh::read(only_lines.as_bytes())
            .unwrap_err()
            .what
            .contains("Gmsh saves the elements of physical groups alone")
    );
}
