//! Sizes, normals, volumes and centroids.
//!
//! A face of four nodes need not be plane: it is four triangles around the mean of its nodes. Its vector `size · normal` is half the product of
//! its diagonals, wherever that mean is, so every cell closes; on a curved side a face beside finer ones has up to eight nodes, likewise; volumes are of these triangles too (the divergence theorem), so cells
//! neither overlap nor leave gaps.

use super::elements::Rows;
use super::{Faces, Mesh, Shape};
use crate::threads;

pub(crate) type Vector = [f64; 3];

pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn times(f: f64, a: Vector) -> Vector {
    a.map(|x| f * x)
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn squared(a: Vector) -> f64 {
    dot(a, a)
}

pub(super) fn length(a: Vector) -> f64 {
    squared(a).sqrt()
}

pub(crate) fn mean(points: &[Vector]) -> Vector {
    times(1.0 / points.len() as f64, points.iter().fold([0.0; 3], |sum, &p| plus(sum, p)))
}

/// `size · normal` of a triangle. The product of its two shortest edges loses least where it is thin.
fn triangle(p: [Vector; 3]) -> Vector {
    let edge = |k: usize| minus(p[(k + 1) % 3], p[k]);
    let long = (0..3).max_by(|&a, &b| dot(edge(a), edge(a)).total_cmp(&dot(edge(b), edge(b)))).expect("three edges");
    times(0.5, cross(edge((long + 1) % 3), edge((long + 2) % 3)))
}

/// `size · normal` of a face. Of four nodes it is the half product of the diagonals, which are here sums of edges: thin faces lose less.
fn vector(points: &[Vector]) -> Vector {
    match *points {
        [a, b] => [b[1] - a[1], a[0] - b[0], 0.0],
        [a, b, c] => triangle([a, b, c]),
        [a, b, c, d] => {
            let (along, across) = (minus(b, a), minus(d, a));
            let skew = minus(minus(c, b), across);
            plus(cross(along, across), times(0.5, cross(skew, minus(across, along))))
        }
        _ => triangles(points).map(triangle).fold([0.0; 3], plus),
    }
}

/// A face as triangles; one triangle is itself.
pub(crate) fn triangles(points: &[Vector]) -> impl Iterator<Item = [Vector; 3]> + '_ {
    let n = points.len();
    let (count, apex) = if n == 3 { (1, points[2]) } else { (n, mean(points)) };
    (0..count).map(move |k| [points[k], points[(k + 1) % n], apex])
}

/// True for a point of a plane face, up to round-off.
pub(crate) fn lies_on(face: &[Vector], point: Vector) -> bool {
    let n = face.len();
    let edges = (0..n).map(|k| (minus(face[k], point), minus(face[(k + 1) % n], point)));
    let (whole, parts): (f64, f64) = match *face {
        [a, b] => (length(minus(b, a)), length(minus(a, point)) + length(minus(b, point))),
        _ => (length(vector(face)), edges.map(|(a, b)| 0.5 * length(cross(a, b))).sum()),
    };
    parts <= (1.0 + 1e-9) * whole
}

/// Where a face's nodes are.
fn gather<'a>(all: &[Vector], nodes: impl Iterator<Item = u32>, into: &'a mut [Vector; 8]) -> &'a [Vector] {
    let mut count = 0;
    nodes.for_each(|node| {
        into[count] = all[node as usize];
        count += 1;
    });
    &into[..count]
}

/// Volume and centroid of a cell; in the plane area.
pub(crate) fn of_cell(all: &[Vector], shape: Shape, nodes: &[u32]) -> (f64, Vector) {
    let mut space = [[0.0; 3]; 8];
    let points = gather(all, nodes.iter().copied(), &mut space);
    // Parts are seen from here: far from the origin nothing is lost.
    let origin = mean(points);
    let (mut volume, mut moment) = (0.0, [0.0; 3]);
    let mut add = |part: f64, centre: Vector| {
        volume += part;
        moment = plus(moment, times(part, centre));
    };
    for face in shape.faces() {
        if let [a, b] = **face {
            let (a, b) = (minus(points[a as usize], origin), minus(points[b as usize], origin));
            add(0.5 * (a[0] * b[1] - a[1] * b[0]), times(1.0 / 3.0, plus(a, b)));
        } else {
            let mut space = [[0.0; 3]; 8];
            for corners in triangles(gather(all, face.iter().map(|&k| nodes[k as usize]), &mut space)) {
                let from_origin = corners.map(|p| minus(p, origin));
                let sum = plus(plus(from_origin[0], from_origin[1]), from_origin[2]);
                add(dot(triangle(corners), sum) / 9.0, times(0.25, sum));
            }
        }
    }
    (volume, plus(origin, times(1.0 / volume, moment)))
}

/// Volumes and centroids of cells.
pub(crate) fn of_cells(points: &[Vector], shape: &[Shape], nodes: &Rows) -> (Vec<f64>, Vec<Vector>) {
    let of = |cell: usize| of_cell(points, shape[cell], nodes.row(cell));
    threads::tables(shape.len(), &of)
}

/// The volumes of a mesh's cells whose nodes are at these points, and their centroids: with what curved sides have besides.
pub(crate) fn of_mesh(mesh: &Mesh, points: &[Vector]) -> (Vec<f64>, Vec<Vector>) {
    let (mut volume, centroid) = of_cells(points, &mesh.cells.shape, &mesh.cells.nodes);
    let first = if mesh.bulge.is_empty() { mesh.num_faces() } else { mesh.first_boundary() };
    for face in (first..mesh.num_faces()).filter(|&face| mesh.faces.nodes.row(face).len() > 4) {
        let cell = mesh.faces.left[face] as usize;
        volume[cell] = enclosed(mesh, points, (cell, centroid[cell]));
    }
    volume.iter_mut().zip(&mesh.bulge).for_each(|(volume, bulge)| *volume += bulge);
    (volume, centroid)
}

/// The volume that a cell's faces enclose in space, of which some have more nodes than the cell.
fn enclosed(mesh: &Mesh, all: &[Vector], (cell, origin): (usize, Vector)) -> f64 {
    let of = |&entry: &u32| {
        let mut space = [[0.0; 3]; 8];
        let face = (entry / 2) as usize;
        let moved = if entry % 2 == 0 { [0.0; 3] } else { mesh.shift(face) };
        let points = gather(all, mesh.faces.nodes.row(face).iter().copied(), &mut space);
        let part = |corners: [Vector; 3]| dot(triangle(corners), plus(minus(mean(&corners), origin), moved)) / 3.0;
        let sum: f64 = triangles(points).map(part).sum();
        if entry % 2 == 0 { sum } else { -sum }
    };
    mesh.cell_faces.row(cell).iter().map(of).sum()
}

/// `size · normal` and centroid of a face. Of a face that is not plane, triangles count as they are seen along the normal.
pub(crate) fn of_face(points: &[Vector]) -> (Vector, Vector) {
    let whole = vector(points);
    let centre = match *points {
        [a, b] => mean(&[a, b]),
        [a, b, c] => mean(&[a, b, c]),
        _ => {
            let seen = |corners: [Vector; 3]| (dot(triangle(corners), whole), mean(&corners));
            let sum = triangles(points)
                .map(seen)
                .fold([0.0; 3], |sum, (part, at)| plus(sum, times(part, minus(at, points[0]))));
            plus(points[0], times(1.0 / dot(whole, whole), sum))
        }
    };
    (whole, centre)
}

/// True if a cell's centroid lies inside all its faces: it is neither turned inside out nor folded.
pub(super) fn is_proper(all: &[Vector], shape: Shape, nodes: &[u32]) -> bool {
    surrounds(all, (shape, nodes), of_cell(all, shape, nodes))
}

/// The same of a cell whose volume and centroid are known.
pub(crate) fn surrounds(all: &[Vector], (shape, nodes): (Shape, &[u32]), (volume, centroid): (f64, Vector)) -> bool {
    let inside = |face: &&[u8]| {
        let mut space = [[0.0; 3]; 8];
        let (vector, centre) = of_face(gather(all, face.iter().map(|&k| nodes[k as usize]), &mut space));
        dot(vector, minus(centre, centroid)) > 0.0
    };
    volume > 0.0 && shape.faces().iter().all(inside)
}

/// The first cell that is turned inside out or folded.
pub(crate) fn first_folded(points: &[Vector], shape: &[Shape], nodes: &Rows) -> Option<usize> {
    threads::table(shape.len(), &|cell| !is_proper(points, shape[cell], nodes.row(cell)))
        .iter()
        .position(|&folded| folded)
}

/// The volume that a face sweeps along its normal from its nodes' first positions through the second to the third, at equal distances on straight
/// lines. Of each of its triangles, whose vector is quadratic in time, Simpson's rule is exact.
pub(crate) fn swept(all: [&[Vector]; 3], nodes: &[u32]) -> f64 {
    let mut space = [[[0.0; 3]; 8]; 3];
    let [one, two, three] = &mut space;
    let gathered = |all: &[Vector], space| gather(all, nodes.iter().copied(), space);
    let [before, middle, after] = [gathered(all[0], one), gathered(all[1], two), gathered(all[2], three)];
    if let ([a, b], [c, d]) = (before, after) {
        return 0.5 * dot(vector(middle), plus(minus(*c, *a), minus(*d, *b)));
    }
    let part = |((a, b), c): (([Vector; 3], [Vector; 3]), [Vector; 3])| {
        let ways: Vector = std::array::from_fn(|d| (0..3).map(|k| c[k][d] - a[k][d]).sum());
        dot(plus(plus(triangle(a), times(4.0, triangle(b))), triangle(c)), ways) / 18.0
    };
    triangles(before).zip(triangles(middle)).zip(triangles(after)).map(part).sum()
}

/// Normal, size and centre of a face.
fn placed(points: &[Vector]) -> (Vector, f64, Vector) {
    let (vector, centre) = of_face(points);
    let size = length(vector);
    (times(1.0 / size, vector), size, centre)
}

/// Fills in normals, sizes and centres.
pub(crate) fn of_faces(mesh: &mut Mesh) {
    let Mesh { points, faces, .. } = mesh;
    let of = |face: usize| placed(gather(points, faces.nodes.row(face).iter().copied(), &mut [[0.0; 3]; 8]));
    let (normals, others) = threads::tables(faces.left.len(), &|face| {
        let (normal, size, centre) = of(face);
        (normal, (size, centre))
    });
    faces.normal = normals;
    (faces.size, faces.centre) = threads::tables(others.len(), &|face| others[face]);
}

/// Adds normal, size and centre of the face whose nodes are the last ones.
pub(crate) fn add_face(all: &[Vector], faces: &mut Faces) {
    let nodes = faces.nodes.row(faces.normal.len()).iter().copied();
    let (normal, size, centre) = placed(gather(all, nodes, &mut [[0.0; 3]; 8]));
    faces.normal.push(normal);
    faces.size.push(size);
    faces.centre.push(centre);
}
