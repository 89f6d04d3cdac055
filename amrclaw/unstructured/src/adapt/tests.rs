//! Leaves and their meshes against lists made by brute force.

use super::*;
use crate::make::{Block, Of};
use crate::mesh::geometry::lies_on;
use crate::random::{random, unit_random};
use crate::step::{Gradient, gradients, stencil};
use crate::{Elements, Mesh};
use std::sync::Arc;

/// Number `n` of a stream of random numbers below `most`.
fn below(stream: u64, n: usize, most: u64) -> u64 {
    random(stream * 1_000_003 + n as u64) % most
}

fn forest(number: u64) -> Forest {
    let (cells, of): (&[usize], Of) = [
        (&[3, 2][..], Of::Quadrilaterals),
        (&[2, 2], Of::Triangles),
        (&[3, 2], Of::Mixed),
        (&[2, 2, 1], Of::Hexahedra),
    ][number as usize % 4];
    let made = Block { shake: 0.2, ..Block::new(cells, of) }.make().unwrap();
    let mesh = Mesh::in_order(made, [crate::Order::File, crate::Order::Hilbert][number as usize / 4 % 2]).unwrap();
    let pairs: &[[&str; 2]] = if (number / 8).is_multiple_of(3) { &[["x_lower", "x_upper"]] } else { &[] };
    Forest::new(Arc::new(mesh.joined(pairs).unwrap())).unwrap()
}

/// Where the corners of a leaf's sides are.
fn sides(mesh: &Mesh, leaf: usize) -> Vec<Vec<[f64; 3]>> {
    let nodes = mesh.cells.nodes.row(leaf);
    let side = |side: &&[u8]| side.iter().map(|&k| mesh.points[nodes[k as usize] as usize]).collect();
    mesh.cells.shape[leaf].faces().iter().map(side).collect()
}

/// Pairs of leaves of which one has a side that lies on one of the other, maybe once moved by the period.
fn neighbours(mesh: &Mesh) -> Vec<Vec<usize>> {
    let all: Vec<_> = (0..mesh.num_cells()).map(|leaf| sides(mesh, leaf)).collect();
    let mut shifts = vec![[0.0; 3]];
    shifts.extend(mesh.periodic.iter().flat_map(|p| [p.shift, p.shift.map(|x| -x)]));
    let touch = |a: usize, b: usize| {
        shifts.iter().any(|shift| {
            let moved = |at: &[f64; 3]| [0, 1, 2].map(|d| at[d] + shift[d]);
            let on = |one: &Vec<[f64; 3]>, other: &Vec<[f64; 3]>| one.iter().all(|at| lies_on(other, moved(at)));
            (a != b || *shift != [0.0; 3]) && all[a].iter().any(|one| all[b].iter().any(|other| on(one, other)))
        })
    };
    (0..all.len()).map(|a| (0..all.len()).filter(|&b| touch(a, b) || touch(b, a)).collect()).collect()
}

/// The levels that brute force gives.
fn settled(forest: &Forest, leaves: &Leaves, near: &[Vec<usize>], wanted: &[u8]) -> Vec<u8> {
    let sons = forest.num_sons();
    let father = |leaf: usize| {
        let level = leaves.level[leaf];
        let cut = if level == 0 { 0 } else { forest.shift(level - 1) };
        (leaves.root[leaf], level, leaves.place[leaf].checked_shr(cut))
    };
    let brothers = |leaf: usize| -> Vec<usize> {
        if leaves.level[leaf] == 0 {
            return Vec::new();
        }
        (0..leaves.len()).filter(|&other| father(other) == father(leaf)).collect()
    };
    let is_whole = |leaf: usize| brothers(leaf).len() == sons;
    let mut levels: Vec<u8> = (0..leaves.len())
        .map(|i| wanted[i].clamp(leaves.level[i] - u8::from(is_whole(i)), leaves.level[i] + 1))
        .collect();
    for _ in 0..4 * leaves.len() {
        for leaf in 0..leaves.len() {
            let most = near[leaf].iter().map(|&other| levels[other]).max().unwrap_or(0);
            levels[leaf] = levels[leaf].max(most.max(1) - 1);
            if levels[leaf] < leaves.level[leaf] && brothers(leaf).iter().any(|&b| levels[b] >= leaves.level[b]) {
                levels[leaf] = leaves.level[leaf];
            }
        }
    }
    levels
}

/// 200 meshes with random wishes, three times one after another: levels are those of brute force, links those that geometry shows, levels
/// differ by 1 at most, the mesh that keeps what has not changed is the one made anew, to the bit, cells close, volumes are those of the roots, what is carried over is conserved, and a constant stays to the bit. Round-off
/// is 1e-13 of what is added up.
#[test]
fn leaves_are_those_of_brute_force() {
    for number in 0..200 {
        let forest = forest(number);
        let mut leaves = forest.undivided();
        let mut links = forest.links(&leaves, None);
        let mut mesh = forest.mesh(&leaves, &links, None, None);
        mesh.stencil = Some(stencil(&mesh, Gradient::LeastSquares));
        let mut q: Vec<f64> = (0..2 * mesh.num_cells()).map(|i| unit_random(i as u64)).collect();
        q[..mesh.num_cells()].fill(0.1);
        for round in 0..3 {
            let near = neighbours(&mesh);
            for leaf in 0..leaves.len() {
                let mut behind: Vec<usize> =
                    links.row(leaf).iter().filter(|link| !link.is_boundary()).map(|link| link.to as usize).collect();
                behind.sort_unstable();
                behind.dedup();
                assert_eq!(behind, near[leaf], "mesh {number}, round {round}, leaf {leaf}");
                let far = |&other: &usize| leaves.level[leaf].abs_diff(leaves.level[other]) > 1;
                assert!(!near[leaf].iter().any(far), "2:1 in mesh {number}, round {round}");
            }
            let wish = |leaf: usize| {
                let up = below(number * 3 + round, leaf, 4) as u8;
                (leaves.level[leaf] + up / 3).saturating_sub(u8::from(up < 2))
            };
            let wanted: Vec<u8> = (0..leaves.len()).map(wish).collect();
            let levels = forest.settle(&leaves, &links, &wanted);
            assert_eq!(levels, settled(&forest, &leaves, &near, &wanted), "mesh {number}, round {round}");
            let renewed = forest.renewed(&leaves, &levels);
            let new_links = forest.links(&renewed.leaves, Some((&links, &renewed)));
            assert_eq!(new_links, forest.links(&renewed.leaves, None), "mesh {number}, round {round}");
            let before = Before { mesh: &mesh, links: &links, renewed: &renewed };
            let new = forest.mesh(&renewed.leaves, &new_links, Some(&before), None);
            let mut whole = forest.mesh(&renewed.leaves, &new_links, None, None);
            whole.stencil = Some(stencil(&whole, Gradient::LeastSquares));
            assert!(new == whole, "mesh {number}, round {round}");
            let moved = transfer((&mesh, &new), &renewed, &q, &|_, _| true);
            for m in 0..2 {
                let total = |mesh: &Mesh, q: &[f64]| -> f64 {
                    mesh.volume.iter().zip(&q[m * mesh.num_cells()..]).map(|(v, q)| v * q).sum()
                };
                let (before, after) = (total(&mesh, &q), total(&new, &moved));
                assert!((before - after).abs() < 1e-13 * before.abs(), "{before} {after}");
            }
            assert!(moved[..new.num_cells()].iter().all(|&q| q == 0.1), "mesh {number}, round {round}");
            assert!(new.closedness() < 1e-13, "mesh {number}: {}", new.closedness());
            assert_eq!(forest.leaves_of(&forest.text(&renewed.leaves)).as_ref(), Some(&renewed.leaves));
            (leaves, links, mesh, q) = (renewed.leaves, new_links, new, moved);
        }
        for (root, &volume) in forest.roots().volume.iter().enumerate() {
            let own = leaves.starts[root] as usize..leaves.starts[root + 1] as usize;
            assert!((mesh.volume[own].iter().sum::<f64>() - volume).abs() < 1e-13 * volume);
        }
        // All joined again, the mesh is that of the roots.
        while leaves.level.iter().any(|&level| level > 0) {
            let levels = forest.settle(&leaves, &links, &vec![0; leaves.len()]);
            leaves = forest.renewed(&leaves, &levels).leaves;
            links = forest.links(&leaves, None);
        }
        assert_eq!(leaves, forest.undivided());
        let (back, roots) = (forest.mesh(&leaves, &links, None, None), forest.roots());
        assert_eq!((&back.faces.left, &back.faces.right), (&roots.faces.left, &roots.faces.right));
        assert_eq!((&back.cell_faces, &back.boundary), (&roots.cell_faces, &roots.boundary));
        assert_eq!((&back.faces.normal, &back.faces.size), (&roots.faces.normal, &roots.faces.size));
        assert_eq!((&back.volume, &back.centroid), (&roots.volume, &roots.centroid));
        assert_eq!((&back.faces.centre, &back.periodic), (&roots.faces.centre, &roots.periodic));
    }
}

/// Texts that are not of a forest are refused: too short, too long, not of ones and zeros.
#[test]
fn other_texts_are_refused() {
    let forest = forest(0);
    assert_eq!(forest.leaves_of("00"), Some(forest.undivided()));
    for text in ["0", "8", "000", "0g", "", "01", &"f".repeat(60)] {
        assert_eq!(forest.leaves_of(text), None, "{text}");
    }
}

/// A jump and a kink are found where they are; a line has no curvature.
#[test]
fn criteria_find_what_they_should() {
    let mesh = Mesh::new(Block::new(&[8, 4], Of::Quadrilaterals).make().unwrap()).unwrap();
    let field = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let cells = mesh.centroid.iter().map(|at| of(at[0]));
        let beyond = (mesh.first_boundary()..mesh.num_faces()).map(|face| {
            let (at, from) = (mesh.faces.centre[face], mesh.centroid[mesh.faces.left[face] as usize]);
            of(2.0 * at[0] - from[0])
        });
        cells.chain(beyond).collect()
    };
    let curvature =
        |field: &[f64]| curvature(&mesh, &gradients(&mesh, &stencil(&mesh, Gradient::LeastSquares), field), field);
    let line = curvature(&field(&|x| 1.0 + x));
    assert!(line.iter().all(|c| *c < 1e-12));
    let kink = curvature(&field(&|x| 1.0 + (x - 0.5).max(0.0)));
    let jump = differences(&mesh, &field(&|x| if x < 0.5 { 0.0 } else { 2.0 }));
    for (cell, at) in mesh.centroid.iter().enumerate() {
        // The kink is in the gradients of the cells beside it, which those beyond compare with theirs.
        let near = [0.13, 0.2].map(|far| (at[0] - 0.5).abs() < far);
        assert_eq!([jump[cell] == 2.0, kink[cell] > 0.08], near, "at {at:?}: {} {}", jump[cell], kink[cell]);
    }
}

/// A quarter of a ring between circles of radius 1 and 2, in space between cylinders.
pub(crate) fn ring(of: Of) -> Elements {
    let mut made = Block::new(if of == Of::Hexahedra { &[2, 5, 3] } else { &[4, 16] }, of).make().unwrap();
    for point in &mut made.points {
        let (radius, angle) = (1.0 + point[0], std::f64::consts::FRAC_PI_2 * point[1]);
        (point[0], point[1]) = (radius * angle.cos(), radius * angle.sin());
    }
    made
}

/// The curve of its inner side.
pub(crate) fn inner_circle(forest: &Forest) -> impl Fn(usize, [f64; 3]) -> [f64; 3] + Clone + Send + Sync + use<> {
    let inner = forest.roots().boundary.number("x_lower").unwrap();
    move |name, at| {
        let radius = if name == inner { at[0].hypot(at[1]) } else { 1.0 };
        [at[0] / radius, at[1] / radius, at[2]]
    }
}

/// Its cells, some times refined at sides, in space at a part of these.
pub(crate) fn refined_at_sides(forest: &Forest, curve: &Curve<'_>, times: usize) -> (Leaves, Links, Mesh) {
    let (mut leaves, mut links) = (forest.undivided(), forest.links(&forest.undivided(), None));
    let mut mesh = forest.mesh(&leaves, &links, None, Some(curve));
    for _ in 0..times {
        let is_chosen = |leaf: usize| mesh.dim == 2 || mesh.centroid[leaf][1] + 0.3 * mesh.centroid[leaf][2] > 0.8;
        let at_side = |leaf: usize| links.row(leaf).iter().any(Link::is_boundary) && is_chosen(leaf);
        let wanted: Vec<u8> = (0..leaves.len()).map(|leaf| leaves.level[leaf] + u8::from(at_side(leaf))).collect();
        let renewed = forest.renewed(&leaves, &forest.settle(&leaves, &links, &wanted));
        let new_links = forest.links(&renewed.leaves, None);
        let before = Before { mesh: &mesh, links: &links, renewed: &renewed };
        mesh = forest.mesh(&renewed.leaves, &new_links, Some(&before), Some(curve));
        (leaves, links) = (renewed.leaves, new_links);
    }
    (leaves, links, mesh)
}

/// A ring of quadrilaterals or triangles between circles, of hexahedra between cylinders, refined three times at its inner side, of which in space a
/// part stays coarse: new nodes lie on the circle, cells close, coarse ones beside finer ones too, and are proper, and all volumes stay those of the
/// roots, so that what is carried over is conserved. A curve of which a cell at one of its edges does not know is found.
#[test]
fn new_nodes_lie_on_a_curve() {
    for of in [Of::Quadrilaterals, Of::Triangles, Of::Hexahedra] {
        let in_space = of == Of::Hexahedra;
        let made = ring(of);
        let mut parts = made.clone();
        let half = parts.sides.names.len() as u32;
        parts.sides.names.push("half".to_owned());
        parts.sides.name.iter_mut().step_by(2).for_each(|name| *name = half);
        let [forest, parted] = [made, parts].map(|made| Forest::new(Arc::new(Mesh::new(made).unwrap())).unwrap());
        let curve = inner_circle(&forest);
        assert!(!in_space || (forest.torn(&curve).is_none() && parted.torn(&curve).is_some()));
        let (leaves, links, mesh) = refined_at_sides(&forest, &curve, 3);
        assert!(mesh == forest.mesh(&leaves, &links, None, Some(&curve)), "{of:?}");
        assert!(mesh.closedness() < 1e-14 && mesh.first_folded().is_none(), "{of:?}");
        let sides = mesh.boundary.of_name(mesh.boundary.number("x_lower").unwrap());
        assert!(in_space || sides.len() == 16 * 8, "{of:?}: {}", sides.len());
        for node in sides.flat_map(|b| mesh.faces.nodes.row(mesh.first_boundary() + b)) {
            let [x, y, _] = mesh.points[*node as usize];
            assert!((x.hypot(y) - 1.0).abs() < 1e-15, "{of:?}: {x} {y}");
        }
        let whole = |mesh: &Mesh| mesh.volume.iter().sum::<f64>();
        let far = (whole(&mesh) / whole(forest.roots()) - 1.0).abs();
        assert!(far < 1e-13, "sums of some thousand numbers: {far:e}");
    }
}
