//! Meshes in the plane from blocks of quadrilaterals, and meshes in space from these, moved along z or turned around x.

use crate::mesh::{Elements, Shape};
use std::collections::HashMap;

/// A mesh in the plane as it is sewn together.
#[derive(Default)]
pub(super) struct Patchwork {
    pub points: Vec<[f64; 2]>,
    pub quads: Vec<[u32; 4]>,
    /// Nodes by position: blocks share those on their common edges.
    known: HashMap<[i64; 2], u32>,
}

impl Patchwork {
    /// The node at a position.
    pub(super) fn node(&mut self, at: [f64; 2]) -> u32 {
        // Blocks may differ by round-off there. Numbers that people choose, and their halves, do not lie where this rounds up or down.
        let key = at.map(|x| (x * 987_654_321.9 + 0.377).round() as i64);
        let new = self.points.len() as u32;
        let node = *self.known.entry(key).or_insert(new);
        if node == new {
            self.points.push(at);
        }
        node
    }

    /// Adds a block of quadrilaterals; `at` gives the nodes' positions by their indices, counterclockwise.
    pub(super) fn block(&mut self, [nx, ny]: [usize; 2], at: &dyn Fn(usize, usize) -> [f64; 2]) {
        let nodes: Vec<u32> = (0..(nx + 1) * (ny + 1)).map(|n| self.node(at(n % (nx + 1), n / (nx + 1)))).collect();
        for n in 0..nx * ny {
            let corner = |i: usize, j: usize| nodes[(n / nx + j) * (nx + 1) + n % nx + i];
            self.quads.push([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
        }
    }

    /// Adds a block between four corners, counterclockwise.
    pub(super) fn between(&mut self, cells: [usize; 2], corners: [[f64; 2]; 4]) {
        self.block(cells, &|i, j| {
            let (s, t) = (i as f64 / cells[0] as f64, j as f64 / cells[1] as f64);
            let on = |a: [f64; 2], b: [f64; 2], s: f64| [0, 1].map(|d| a[d] * (1.0 - s) + b[d] * s);
            let [a, b, c, d] = corners;
            on(on(a, b, s), on(d, c, s), t)
        });
    }

    /// As a mesh of triangles or quadrilaterals. `cut` says into what a quadrilateral is cut by its middle: `None` not at all, else whether along
    /// the diagonal from its first corner. `name` names sides by their middle.
    pub(super) fn into_elements(
        self,
        cut: &dyn Fn([f64; 2]) -> Option<bool>,
        name: &dyn Fn([f64; 2]) -> &'static str,
    ) -> Elements {
        let mut mesh = Elements::new(2);
        mesh.points = self.points.iter().map(|&[x, y]| [x, y, 0.0]).collect();
        let middle = |nodes: &[u32]| {
            [0, 1].map(|d| nodes.iter().map(|&n| self.points[n as usize][d]).sum::<f64>() / nodes.len() as f64)
        };
        let mut open: HashMap<[u32; 2], usize> = HashMap::new();
        let mut edges = Vec::new();
        for quad in self.quads {
            let [a, b, c, d] = quad;
            match cut(middle(&quad)) {
                None => mesh.push(Shape::Quadrilateral, quad),
                Some(first) => {
                    let two = if first { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                    two.into_iter().for_each(|three| mesh.push(Shape::Triangle, three));
                }
            }
            for edge in [[a, b], [b, c], [c, d], [d, a]] {
                *open.entry([edge[0].min(edge[1]), edge[0].max(edge[1])]).or_insert(0) += 1;
                edges.push(edge);
            }
        }
        for [a, b] in edges.into_iter().filter(|&[a, b]| open[&[a.min(b), a.max(b)]] == 1) {
            mesh.push_side(name(middle(&[a, b])), [a, b]);
        }
        mesh
    }
}

/// Moves a mesh of the plane along z, in `layers` up to `height`. `tetrahedra`: prisms are cut into three each; a mesh that is its own mirror image
/// at y = 0 stays so.
pub(super) fn extruded(flat: &Elements, layers: usize, height: f64, tetrahedra: bool, ends: &str) -> Elements {
    let mut mesh = Elements::new(3);
    let count = flat.points.len() as u32;
    let order = |a: u32, b: u32| {
        let [(x, y), (other, beside)] =
            [a, b].map(|node| (flat.points[node as usize][0], flat.points[node as usize][1]));
        x.total_cmp(&other).then(y.abs().total_cmp(&beside.abs()))
    };
    for layer in 0..=layers {
        let z = height * layer as f64 / layers as f64;
        mesh.points.extend(flat.points.iter().map(|&[x, y, _]| [x, y, z]));
    }
    for layer in 0..layers as u32 {
        let (low, high) = (layer * count, (layer + 1) * count);
        for (cell, &shape) in flat.shape.iter().enumerate() {
            let row = flat.nodes.row(cell);
            if shape == Shape::Triangle && tetrahedra {
                // Sides are cut from the lower end of the foremost node to the upper one of the other: alike on both sides.
                let mut sorted = row.to_vec();
                sorted.sort_by(|&a, &b| order(a, b));
                let is_turned =
                    row.iter().position(|&n| n == sorted[0]).is_none_or(|at| row[(at + 1) % 3] != sorted[1]);
                let [a, b, c] = [0, 1, 2].map(|k| sorted[k]);
                for four in [
                    [a + low, b + low, c + low, c + high],
                    [a + low, b + low, c + high, b + high],
                    [a + low, a + high, b + high, c + high],
                ] {
                    let [p, q, r, s] = four;
                    mesh.push(Shape::Tetrahedron, if is_turned { [p, r, q, s] } else { four });
                }
                continue;
            }
            let shape = if shape == Shape::Triangle { Shape::Prism } else { Shape::Hexahedron };
            mesh.push(shape, [low, high].into_iter().flat_map(|up| row.iter().map(move |&node| node + up)));
        }
        let cut = |side: [u32; 4]| {
            if tetrahedra {
                vec![vec![side[0], side[1], side[2]], vec![side[0], side[2], side[3]]]
            } else {
                vec![side.to_vec()]
            }
        };
        for side in 0..flat.sides.nodes.len() {
            let row = flat.sides.nodes.row(side);
            let (a, b) = if order(row[0], row[1]).is_lt() { (row[0], row[1]) } else { (row[1], row[0]) };
            let name = &flat.sides.names[flat.sides.name[side] as usize];
            cut([a + low, b + low, b + high, a + high]).into_iter().for_each(|nodes| mesh.push_side(name, nodes));
        }
    }
    for up in [0, layers as u32 * count] {
        (0..flat.shape.len()).for_each(|cell| mesh.push_side(ends, flat.nodes.row(cell).iter().map(|node| node + up)));
    }
    mesh
}

/// Plates without thickness in planes through the axis.
pub(super) struct Plates<'a> {
    /// How many, at equal angles.
    pub count: usize,
    /// Cells of the plane that a plate covers.
    pub covers: &'a dyn Fn(usize) -> bool,
    /// Nodes of the plane inside a plate: there its two sides have nodes of their own.
    pub parts: &'a dyn Fn(u32) -> bool,
}

/// Turns a mesh of the plane, with y ≥ 0, around the axis y = 0, in `sectors`. What touches the axis has fewer nodes in space.
pub(super) fn turned(flat: &Elements, sectors: usize, plates: &Plates) -> Elements {
    let mut mesh = Elements::new(3);
    let has_plate = |sector: usize| plates.count > 0 && sector.is_multiple_of(sectors / plates.count);
    // Of each plane: the nodes seen by the sector before, and by the one behind.
    let mut planes: Vec<[Vec<u32>; 2]> = Vec::new();
    for sector in 0..sectors {
        let (sin, cos) = (std::f64::consts::TAU * sector as f64 / sectors as f64).sin_cos();
        let mut nodes: [Vec<u32>; 2] = Default::default();
        for (n, &[x, r, _]) in flat.points.iter().enumerate() {
            let before = if r == 0.0 && sector > 0 { planes[0][0][n] } else { mesh.points.len() as u32 };
            if before as usize == mesh.points.len() {
                mesh.points.push([x, r * cos, r * sin]);
            }
            let is_double = has_plate(sector) && r > 0.0 && (plates.parts)(n as u32);
            let behind = if is_double { mesh.points.len() as u32 } else { before };
            if is_double {
                mesh.points.push(mesh.points[before as usize]);
            }
            nodes[0].push(before);
            nodes[1].push(behind);
        }
        planes.push(nodes);
    }
    let on_axis = |node: u32| flat.points[node as usize][1] == 0.0;
    for sector in 0..sectors {
        let (low, high) = (&planes[sector][1], &planes[(sector + 1) % sectors][0]);
        for cell in 0..flat.shape.len() {
            wedge(&mut mesh, flat.nodes.row(cell), low, high, &on_axis);
            if has_plate(sector) && (plates.covers)(cell) {
                let row = flat.nodes.row(cell);
                planes[sector].iter().for_each(|nodes| mesh.push_side("fins", row.iter().map(|&n| nodes[n as usize])));
            }
        }
        for side in 0..flat.sides.nodes.len() {
            let row = flat.sides.nodes.row(side);
            let (a, b) = (row[0], row[1]);
            let mut nodes = vec![low[a as usize], low[b as usize], high[b as usize], high[a as usize]];
            nodes.dedup();
            nodes.pop_if(|last| *last == low[a as usize]);
            if nodes.len() > 2 {
                mesh.push_side(&flat.sides.names[flat.sides.name[side] as usize], nodes);
            }
        }
    }
    mesh
}

/// What a triangle or quadrilateral passes over between two planes.
fn wedge(mesh: &mut Elements, row: &[u32], low: &[u32], high: &[u32], on_axis: &dyn Fn(u32) -> bool) {
    let first = row.iter().position(|&n| on_axis(n));
    let count = row.iter().filter(|&&n| on_axis(n)).count();
    let [l, h] = [low, high].map(|plane| move |n: u32| plane[n as usize]);
    let at = |k: usize| row[(first.unwrap_or(0) + k) % row.len()];
    match (row.len(), count) {
        (3, 0) => mesh.push(Shape::Prism, row.iter().map(|&n| l(n)).chain(row.iter().map(|&n| h(n)))),
        (3, 1) => mesh.push(Shape::Pyramid, [l(at(1)), l(at(2)), h(at(2)), h(at(1)), l(at(0))]),
        (3, _) => {
            let off = row.iter().copied().find(|&n| !on_axis(n)).expect("a triangle has one node off the axis");
            let [a, b] = [1, 2].map(|k| row[(row.iter().position(|&n| n == off).unwrap_or(0) + k) % 3]);
            mesh.push(Shape::Tetrahedron, [l(off), l(a), l(b), h(off)]);
        }
        (_, 0) => mesh.push(Shape::Hexahedron, row.iter().map(|&n| l(n)).chain(row.iter().map(|&n| h(n)))),
        // One triangle on each side of the diagonal from the axis.
        (_, 1) => [[at(0), at(1), at(2)], [at(0), at(2), at(3)]]
            .iter()
            .for_each(|three| wedge(mesh, three, low, high, on_axis)),
        (_, _) => {
            // From the edge on the axis: a, b on it, c, d beyond.
            let k = (0..4).find(|&k| on_axis(row[k]) && on_axis(row[(k + 1) % 4])).expect("the edge on the axis");
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| row[(k + i) % 4]);
            mesh.push(Shape::Prism, [l(a), l(d), h(d), l(b), l(c), h(c)]);
        }
    }
}
