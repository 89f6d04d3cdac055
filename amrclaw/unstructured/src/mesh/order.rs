//! The order of cells in memory: neighbours in space are neighbours in memory.

use super::elements::{Elements, Rows, Sides};
use crate::random::random;
use crate::threads;
use rayon::prelude::*;

/// How cells are ordered. Faces follow their left cells, and nodes their first use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As in the file.
    File,
    /// Along Hilbert's curve through the cells' centres.
    #[default]
    Hilbert,
    /// By breadth from a corner of the mesh, backwards (Cuthill & McKee 1969, reversed by George).
    Rcm,
    /// By chance, always the same: the worst, to see what others are worth.
    Shuffled,
}

/// So many cells by chance.
pub(super) fn shuffled(cells: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cells as u32).collect();
    order.sort_by_key(|&cell| random(u64::from(cell)));
    order
}

/// Cells along Hilbert's curve: which cell comes where.
pub(super) fn hilbert(elements: &Elements) -> Vec<u32> {
    let Elements { dim, points, nodes, .. } = elements;
    let centre = |cell: usize| {
        let row = nodes.row(cell);
        let mean = |d: usize| row.iter().map(|&node| points[node as usize][d]).sum::<f64>() / row.len() as f64;
        [mean(0), mean(1), mean(2)]
    };
    let centres = threads::table(nodes.len(), &centre);
    let whole = |d: usize| {
        let bounds = (f64::INFINITY, f64::NEG_INFINITY);
        centres.iter().fold(bounds, |(low, high), at| (low.min(at[d]), high.max(at[d])))
    };
    let (low, high): (Vec<f64>, Vec<f64>) = (0..3).map(whole).unzip();
    let extent = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    // 42 bits in the plane and 63 in space.
    let scale = if extent > 0.0 { f64::from((1 << 21) - 1) / extent } else { 0.0 };
    let mut keys = threads::table(centres.len(), &|cell| {
        let place: [u32; 3] = std::array::from_fn(|d| ((centres[cell][d] - low[d]) * scale) as u32);
        (along_curve(place, *dim), cell as u32)
    });
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, cell)| cell).collect()
}

/// Where Hilbert's curve passes a place of 21 bits an axis, after J. Skilling, doi:10.1063/1.1751381.
fn along_curve(mut place: [u32; 3], dim: usize) -> u64 {
    const TOP: u32 = 20;
    let x = &mut place[..dim];
    for bit in (1..=TOP).rev() {
        let below = (1 << bit) - 1;
        for i in 0..dim {
            if x[i] >> bit & 1 == 1 {
                x[0] ^= below;
            } else {
                let swapped = (x[0] ^ x[i]) & below;
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
    }
    (1..dim).for_each(|i| x[i] ^= x[i - 1]);
    let flips = (1..=TOP).filter(|bit| x[dim - 1] >> bit & 1 == 1).fold(0, |flips, bit| flips ^ ((1 << bit) - 1));
    x.iter_mut().for_each(|x| *x ^= flips);
    let bits = (0..=TOP).rev().flat_map(|bit| x.iter().map(move |x| u64::from(x >> bit & 1)));
    bits.fold(0, |key, bit| key << 1 | bit)
}

/// Cells by breadth, each cell's unseen neighbours by their number of neighbours, all backwards. `pairs` are neighbours.
pub(super) fn rcm(cells: usize, pairs: &[(u32, u32)]) -> Vec<u32> {
    let mut starts = vec![0_u32; cells + 2];
    let ends = || pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    ends().for_each(|(a, _)| starts[a as usize + 2] += 1);
    (2..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let mut items = vec![0; 2 * pairs.len()];
    for (a, b) in ends() {
        let at = &mut starts[a as usize + 1];
        items[*at as usize] = b;
        *at += 1;
    }
    starts.pop();
    let neighbours = Rows { starts, items };
    let degree = |cell: &u32| neighbours.row(*cell as usize).len();
    let mut seeds: Vec<u32> = (0..cells as u32).collect();
    seeds.sort_by_key(degree);
    let (mut order, mut seen, mut next) = (Vec::with_capacity(cells), vec![false; cells], 0);
    for seed in seeds {
        if !std::mem::replace(&mut seen[seed as usize], true) {
            order.push(seed);
        }
        while next < order.len() {
            let first = order.len();
            for &cell in neighbours.row(order[next] as usize) {
                if !std::mem::replace(&mut seen[cell as usize], true) {
                    order.push(cell);
                }
            }
            order[first..].sort_by_key(degree);
            next += 1;
        }
    }
    order.reverse();
    order
}

/// The same mesh with its cells in this order, nodes by first use; nodes of no cell follow if sides name them, and else are left out.
pub(super) fn apply(old: &Elements, order: &[u32]) -> Elements {
    let numbers = order.iter().map(|&cell| old.numbers.get(cell as usize).copied().unwrap_or(cell)).collect();
    let places =
        if old.places.is_empty() { Vec::new() } else { order.iter().map(|&c| old.places[c as usize]).collect() };
    let mut new = vec![u32::MAX; old.points.len()];
    let mut points = Vec::with_capacity(old.points.len());
    let mut moved = |row: &[u32], rows: &mut Rows| {
        rows.push(row.iter().map(|&node| {
            let new = &mut new[node as usize];
            if *new == u32::MAX {
                *new = points.len() as u32;
                points.push(old.points[node as usize]);
            }
            *new
        }));
    };
    let mut nodes = Rows::with_capacity(old.nodes.len(), old.nodes.items.len());
    order.iter().for_each(|&cell| moved(old.nodes.row(cell as usize), &mut nodes));
    let mut sides = Rows::default();
    (0..old.sides.nodes.len()).for_each(|side| moved(old.sides.nodes.row(side), &mut sides));
    let shape = order.iter().map(|&cell| old.shape[cell as usize]).collect();
    let Sides { names, name, places: side_places, .. } = old.sides.clone();
    let sides = Sides { names, name, nodes: sides, places: side_places };
    Elements { dim: old.dim, points, shape, nodes, part: Vec::new(), places, numbers, sides }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::{Block, Of};
    use crate::mesh::Mesh;

    /// Every order holds each cell once, with its nodes where they were; neighbours are near by Hilbert's curve and by breadth, and far in a
    /// random order.
    #[test]
    fn neighbours_are_near() {
        for of in [Of::Triangles, Of::Mixed] {
            let block = if of == Of::Triangles { Block::new(&[24, 17], of) } else { Block::new(&[9, 8, 7], of) };
            let made = Block { shake: 0.2, ..block }.make().unwrap();
            let shuffled = apply(&made, &shuffled(made.shape.len()));
            let far = |mesh: &Mesh| {
                let distance = |face: usize| f64::from(mesh.faces.right[face] - mesh.faces.left[face]);
                (0..mesh.first_boundary()).map(|face| distance(face).ln()).sum::<f64>() / mesh.first_boundary() as f64
            };
            let in_file = Mesh::new(shuffled.clone()).unwrap();
            for order in [Order::Hilbert, Order::Rcm] {
                let mesh = Mesh::in_order(shuffled.clone(), order).unwrap();
                let mut volume = vec![0.0; mesh.num_cells()];
                mesh.cells.numbers.iter().zip(&mesh.volume).for_each(|(&n, &v)| volume[n as usize] = v);
                let original = Mesh::new(made.clone()).unwrap();
                assert!(volume.iter().zip(&original.volume).all(|(a, b)| (a - b).abs() < 1e-15));
                assert!(far(&mesh) < far(&in_file) - 1.0, "{of:?} {order:?}: {} {}", far(&mesh), far(&in_file));
            }
        }
    }

    /// The curve passes every place of the coarsest 8 along each axis once, in steps to neighbours.
    #[test]
    fn the_curve_has_no_gap() {
        for dim in [2, 3] {
            let place = |n: u32| [n % 8, n / 8 % 8, n / 64].map(|x| x << 18);
            let mut along: Vec<_> =
                (0..8_u32.pow(dim)).map(|n| (along_curve(place(n), dim as usize), place(n))).collect();
            along.sort_unstable();
            for pair in along.windows(2) {
                let moved = |d: usize| pair[0].1[d].abs_diff(pair[1].1[d]) >> 18;
                assert_eq!(moved(0) + moved(1) + moved(2), 1);
            }
        }
    }
}
