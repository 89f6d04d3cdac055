use super::*;

/// One cell of each shape, with a face of a hexahedron and a pyramid that is not plane.
fn cube() -> Elements {
    let mut cube = Elements::new(3);
    for z in 0..2 {
        cube.points.extend([[0.0, 0.0], [1.1, 0.0], [1.0, 0.9], [0.0, 1.0]].map(|[x, y]| [x, y, f64::from(z) * 0.7]));
    }
    cube.points[6][2] = 0.9;
    cube.points.extend([[0.4, 0.5, 1.4], [0.5, -1.0, 0.0], [0.5, -1.0, 0.7]]);
    cube.push(Shape::Hexahedron, 0..8);
    cube.push(Shape::Pyramid, 4..9);
    cube.push(Shape::Prism, [0, 9, 1, 4, 10, 5]);
    cube.push(Shape::Tetrahedron, [4, 10, 5, 8]);
    let open: [&[u32]; 13] = [
        &[0, 1, 2, 3],
        &[1, 2, 6, 5],
        &[2, 3, 7, 6],
        &[3, 0, 4, 7],
        &[5, 6, 8],
        &[6, 7, 8],
        &[7, 4, 8],
        &[0, 1, 9],
        &[0, 9, 10, 4],
        &[1, 9, 10, 5],
        &[4, 10, 8],
        &[10, 5, 8],
        &[4, 5, 10],
    ];
    open[..12]
        .iter()
        .for_each(|side| cube.push_side(if side.contains(&8) { "top" } else { "rest" }, side.iter().copied()));
    cube
}

/// All shapes of space together, with faces that are not plane: faces are found once, normals run from left to right, cells close, and the
/// volume is that inside the boundary. Both tolerances are a few units of the last place of sums of a dozen numbers near 1.
#[test]
fn faces_and_volumes_of_all_shapes() {
    let mesh = Mesh::new(cube()).unwrap();
    assert_eq!((mesh.num_cells(), mesh.num_faces(), mesh.boundary.len()), (4, 16, 12));
    assert_eq!(mesh.boundary.names, ["rest", "top"]);
    assert_eq!((mesh.boundary.of_name(0), mesh.boundary.of_name(1)), (0..7, 7..12));
    assert!(mesh.closedness() < 1e-15, "{}", mesh.closedness());
    for face in 0..mesh.num_faces() {
        let (left, right) = (mesh.faces.left[face] as usize, mesh.faces.right[face] as usize);
        assert!(left < right);
        assert_eq!(face < mesh.first_boundary(), right < 4);
        assert!(mesh.cell_faces.row(left).contains(&(2 * face as u32)));
        let out = geometry::minus(mesh.faces.centre[face], mesh.centroid[left]);
        assert!(geometry::dot(out, mesh.faces.normal[face]) > 0.0);
        if right < 4 {
            assert!(mesh.cell_faces.row(right).contains(&(2 * face as u32 + 1)));
        } else {
            assert_eq!(right, 4 + face - mesh.first_boundary());
        }
    }
    // The divergence theorem over the triangles of the boundary alone.
    let moment = |face: usize| {
        let points: Vec<_> = mesh.faces.nodes.row(face).iter().map(|&node| mesh.points[node as usize]).collect();
        geometry::triangles(&points).map(|[a, b, c]| geometry::dot(a, geometry::cross(b, c)) / 6.0).sum::<f64>()
    };
    let inside: f64 = (mesh.first_boundary()..mesh.num_faces()).map(moment).sum();
    let volume: f64 = mesh.volume.iter().sum();
    assert!((inside - volume).abs() < 1e-14, "{inside} {volume}");
}

/// Nine squares, the second and the last of each row cut into triangles.
fn squares() -> Elements {
    let mut mesh = Elements::new(2);
    mesh.points = (0..16).map(|n| [f64::from(n % 4), f64::from(n / 4) * 0.5, 3.0]).collect();
    for y in 0..3 {
        for x in 0..3 {
            let [a, b, c, d] = [0, 1, 5, 4].map(|k| k + 4 * y + x);
            if x == 1 {
                mesh.push(Shape::Triangle, [a, b, c]);
                mesh.push(Shape::Triangle, [a, c, d]);
            } else {
                mesh.push(Shape::Quadrilateral, [a, b, c, d]);
            }
        }
        mesh.push_side("left", [4 * y, 4 * y + 4]);
        mesh.push_side("right", [4 * y + 3, 4 * y + 7]);
        mesh.push_side("below", [y, y + 1]);
        mesh.push_side("above", [y + 12, y + 13]);
    }
    mesh
}

/// Sizes in the plane; parts that are listed clockwise are turned, whatever else their part holds.
#[test]
fn squares_are_measured() {
    let mesh = Mesh::new(squares()).unwrap();
    assert_eq!((mesh.num_cells(), mesh.num_faces(), mesh.boundary.len()), (12, 27, 12));
    assert_eq!((mesh.volume[0], mesh.volume[1]), (0.5, 0.25));
    assert_eq!(mesh.centroid[0], [0.5, 0.25, 0.0]);
    assert_eq!(mesh.closedness(), 0.0);
    let described = mesh.description();
    for line in [
        "12 cells in 2D, 27 faces, 16 nodes",
        "  triangles      6",
        "  left           3",
        "y from 0 to 1.5",
        "together 4.5",
    ] {
        assert!(described.contains(line), "{line}: {described}");
    }
    let mut other = squares();
    other.part = (0..12).map(|cell| u32::from(cell > 3)).collect();
    (4..12).for_each(|cell| other.nodes.row_mut(cell).reverse());
    let other = Mesh::new(other).unwrap();
    assert_eq!((other.volume, other.faces.left), (mesh.volume, mesh.faces.left));
}

/// Each mistake is told with the cell or side and its place.
#[test]
fn mistakes_are_told() {
    type Change = fn(&mut Elements);
    let cases: &[(Change, &str)] = &[
        (|m| m.nodes.row_mut(3).swap(0, 1), "line 13: cell 3 is turned inside out or folded"),
        (|m| m.nodes.row_mut(4).reverse(), "line 14: cell 4 is turned inside out or folded"),
        (|m| m.points[5] = [2.5, 1.0, 3.0], "cell 6 is turned inside out or folded"),
        (|m| m.nodes.row_mut(5)[0] = 16, "line 15: cell 5 names node 16, but there are 16, counted from 0"),
        (|m| m.nodes.row_mut(5)[0] = m.nodes.row(5)[1], "line 15: cell 5 names node"),
        (|m| m.points[7][0] = f64::NAN, "node 7, counted from 0, lies at [NaN, 0.5, 3.0], which is not finite"),
        (|m| m.points[7][2] = 0.0, "z of the cells' nodes is from 0 to 3"),
        (|m| m.push(Shape::Triangle, [0, 1, 5]), "cell 12 and cell 0 lie on the same side of their face at (0.5, 0)"),
        (
            |m| m.push(Shape::Triangle, [1, 5, 4]),
            "cell 12 has a face at (1, 0.25) that belongs to cell 0, cell 2, cell 12",
        ),
        (|m| m.push(Shape::Quadrilateral, [5, 4, 0, 1]), "cell 12 is cell 0 once more"),
        (
            |m| m.sides.name.truncate(11),
            "cell 11 has a side at (2.5, 1.5) that has no cell and no name beyond it: the mesh is open there",
        ),
        (|m| m.push_side("wing", [5, 10]), "side 12, of `wing`, lies between cell 5 and cell 6: "),
        (|m| m.push_side("wing", [1, 10]), "side 12, of `wing`, belongs to no cell"),
        (|m| m.push_side("wing", [1, 16]), "side 12, of `wing`, names node 16"),
        (|m| m.push_side("wing", [1, 0]), "side 12, of `wing`, is also a side of `below`"),
        (|m| m.shape[2] = Shape::Tetrahedron, "cell 2 is a tetrahedron in a mesh of 2 dimensions"),
        (|m| m.shape[2] = Shape::Quadrilateral, "cell 2 has 3 nodes; a quadrilateral has 4"),
        (|m| *m = Elements::new(2), "the mesh has no cell in 2 dimensions"),
    ];
    for (n, (change, expected)) in cases.iter().enumerate() {
        let mut mesh = squares();
        mesh.places = (10..22).map(Place::Line).collect();
        change(&mut mesh);
        if mesh.sides.name.len() == 11 {
            mesh.sides.nodes.starts.truncate(12);
        }
        let told = Mesh::new(mesh).unwrap_err().to_string();
        assert!(told.contains(expected), "{n}: {told}");
    }
    let mut folded = cube();
    folded.points[10] = [0.5, 1.2, 0.7];
    let told = Mesh::new(folded).unwrap_err().to_string();
    assert!(told.contains("cell 2 is turned inside out") || told.contains("cell 3"), "{told}");
    // A square beside two of half its height, and a cube below two.
    let mut hanging = Elements::new(2);
    hanging.points = [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [2., 0.], [2., 0.5], [2., 1.], [1., 0.5]]
        .map(|[x, y]| [x, y, 0.0])
        .to_vec();
    [[0, 1, 2, 3], [1, 4, 5, 7], [7, 5, 6, 2]].into_iter().for_each(|nodes| hanging.push(Shape::Quadrilateral, nodes));
    for side in [[0, 1], [3, 0], [2, 3], [1, 4], [4, 5], [5, 6], [6, 2]] {
        hanging.push_side("all", side);
    }
    let told = Mesh::new(hanging).unwrap_err().to_string();
    assert_eq!(
        told,
        "cell 0 has a side at (1, 0.5) that meets a part of a side of cell 1, with a hanging node at (1, 0.5): cells share whole sides"
    );
    let mut split = cube();
    split.sides = Sides::default();
    let row: Vec<u32> = split.nodes.row(1).to_vec();
    let middle = split.points.len() as u32;
    let mean = |a: u32, b: u32| [0, 1, 2].map(|d| 0.5 * (split.points[a as usize][d] + split.points[b as usize][d]));
    let more = [mean(row[0], row[1]), mean(row[2], row[3])];
    split.points[6][2] = 0.7;
    split.points.extend(more);
    split.points[middle as usize + 1][2] = 0.7;
    split.nodes.row_mut(1)[1..3].copy_from_slice(&[middle, middle + 1]);
    for side in [[0, 1, 2, 3], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]] {
        split.push_side("all", side);
    }
    let told = Mesh::new(split).unwrap_err().to_string();
    assert!(told.contains("cell 0 has a side at") && told.contains("a hanging node"), "{told}");
}
