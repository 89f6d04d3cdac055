//! `amrclaw mesh`.

use super::{Outcome, program};
use std::fs;
use std::path::Path;

fn mesh(folder: &Path, arguments: &str) -> Outcome {
    program(folder).arg("mesh").args(arguments.split(' ')).output().expect("the program starts").into()
}

/// Meshes are made, converted to every format and back, and described alike; what is there is not replaced.
#[test]
fn meshes_are_made_converted_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let done = |arguments: &str| {
        let outcome = mesh(folder.path(), arguments);
        assert_eq!(outcome.code, Some(0), "{arguments}: {}", outcome.stderr);
        outcome.stdout
    };
    for (what, cells, name) in [
        ("square {} --cells 5,4 --of mixed --shake 0.2 --lower -1,-2", "triangles", "x_lower"),
        ("box {} --cells 3,2,2 --of mixed", "pyramids", "z_upper"),
        ("naca0012 {} --around 16 --radius 3", "quadrilaterals", "wing"),
        ("naca0012 {} --around 16 --radius 3 --layers 2", "tetrahedra", "symmetry"),
        ("corner {} --cells 4 --angle -135", "quadrilaterals", "bottom"),
        ("ogive {} --cells 2 --radius 3 --fins", "hexahedra", "fins"),
    ] {
        done(&format!("make {}", what.replace("{}", "made.msh --overwrite")));
        let described = |file: &str| done(&format!("info {file}")).split_once('\n').unwrap().1.to_owned();
        let made = described("made.msh");
        assert!(made.contains(&format!("  {cells}")) && made.contains(&format!("  {name}")), "{made}");
        for format in ["msh2", "msh2-ascii", "msh4-ascii"] {
            done(&format!("convert made.msh same.msh --overwrite --format {format}"));
            assert_eq!(described("same.msh"), made);
        }
        done("convert same.msh same.su2 --overwrite");
        assert_eq!(described("same.su2"), made);
    }
    let before = fs::read(folder.path().join("made.msh")).unwrap();
    let refused = mesh(folder.path(), "make square made.msh --cells 2,2");
    assert_eq!((refused.code, before), (Some(2), fs::read(folder.path().join("made.msh")).unwrap()));
}

/// Mistakes end with code 2, the file and the place, and nothing is written.
#[test]
fn damaged_meshes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(mesh(folder.path(), "make square whole.su2 --cells 2,2").code, Some(0));
    let whole = fs::read_to_string(folder.path().join("whole.su2")).unwrap();
    for (from, to, expected) in [
        ("NMARK= 4", "NMARK= 4\nNMARK= 5", "cut.su2, line 22: 5 markers are announced; the file has 4"),
        ("MARKER_ELEMS= 2\n3 0 1", "MARKER_ELEMS= 1\n3 0 1", "cut.su2, line 33: a key such as NELEM= is expected"),
        ("\n5 ", "\n5 99", "cut.su2, line 3: cell 0 names node 99"),
        ("NPOIN= 9", "NPOIN= 90", "cut.su2, line 21: "),
    ] {
        fs::write(folder.path().join("cut.su2"), whole.replacen(from, to, 1)).unwrap();
        for command in ["info cut.su2", "convert cut.su2 out.msh"] {
            let outcome = mesh(folder.path(), command);
            assert!(outcome.code == Some(2) && outcome.stderr.contains(expected), "{to}: {}", outcome.stderr);
        }
    }
    for (arguments, expected) in [
        ("make square out.vtk --cells 2,2", "out.vtk: formats are msh4, "),
        ("make square out.msh --cells 2,2,2", "--cells has 2 numbers here, not 3"),
        ("make square out.msh --cells 2,2 --of prisms", "prisms do not fill a block of 2 dimensions"),
        ("make corner out.msh --angle 50", "the ramp leaves no channel"),
        ("info there.msh", "there.msh: cannot be read: "),
        ("info none.cgns", "none.cgns: "),
    ] {
        let outcome = mesh(folder.path(), arguments);
        assert!(outcome.code == Some(2) && outcome.stderr.contains(expected), "{arguments}: {}", outcome.stderr);
    }
    assert!(!folder.path().join("out.msh").exists() && !folder.path().join("out.vtk").exists());
}
