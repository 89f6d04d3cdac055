//! Values of new leaves: limited linear in the father, the mean of the sons, conserved to round-off.

use super::renew::Renewed;
use crate::Mesh;
use crate::step::{Across, Gradient, add_stencil};
use crate::threads;
use riemann::cells::CellSums;
use std::ops::Range;

/// Values of cells, `[component, cell]` without gaps, on the new mesh. `is_fine`: false for states that no son of a cell may have; if one is
/// not, all get their father's.
pub fn transfer(
    (old, new): (&Mesh, &Mesh),
    Renewed { from, change, .. }: &Renewed,
    values: &[f64],
    is_fine: &(dyn Fn(usize, &[f64]) -> bool + Sync),
) -> Vec<f64> {
    let (before, cells, sons) = (old.num_cells(), new.num_cells(), 1 << old.dim);
    let components = values.len() / before.max(1);
    let is_first = |cell: usize| change[cell] == 1 && (cell == 0 || from[cell - 1] != from[cell]);
    let firsts: Vec<usize> = (0..cells).filter(|&cell| is_first(cell)).collect();
    // What is added to the father's value in its sons, `[family, component, son]`.
    let of_families = |families: Range<usize>| {
        let (mut stencil, mut all) = (Vec::new(), vec![0.0; families.len() * components * sons]);
        for (changes, &first) in all.chunks_exact_mut(components * sons).zip(&firsts[families]) {
            let father = from[first] as usize;
            stencil.clear();
            add_stencil(&mut stencil, old, Gradient::LeastSquares, father);
            for (m, changes) in changes.chunks_exact_mut(sons).enumerate() {
                linear((old, new), (father, first), &stencil, &values[m * before..][..before], changes);
            }
            let state = |son: usize| -> Vec<f64> {
                (0..components).map(|m| values[m * before + father] + changes[m * sons + son]).collect()
            };
            if !(0..sons).all(|son| is_fine(father, &state(son))) {
                changes.fill(0.0);
            }
        }
        all
    };
    let changes = threads::pieces(firsts.len(), &of_families).concat();
    let of = |at: usize| {
        let (m, cell) = (at / cells, at % cells);
        let own = m * before + from[cell] as usize;
        match change[cell] {
            0 => values[own],
            1 => {
                let family = firsts.partition_point(|&first| first <= cell) - 1;
                values[own] + changes[(family * components + m) * sons + cell - firsts[family]]
            }
            _ => mean(&old.volume[from[cell] as usize..][..sons], &values[own..][..sons]),
        }
    };
    threads::table(components * cells, &of)
}

/// What a limited gradient adds to a father's value in each of its sons, from the first on.
fn linear(
    (old, new): (&Mesh, &Mesh),
    (father, first): (usize, usize),
    stencil: &[Across],
    values: &[f64],
    changes: &mut [f64],
) {
    let (mut gradient, mut below, mut above) = ([0.0; 3], 0.0_f64, 0.0_f64);
    for face in stencil {
        let difference = values.get(face.neighbour as usize).map_or(0.0, |value| value - values[father]);
        (0..old.dim).for_each(|d| gradient[d] += face.weight[d] * difference);
        (below, above) = (below.min(difference), above.max(difference));
    }
    let mut factor = 1.0;
    for (k, change) in changes.iter_mut().enumerate() {
        let (to, from) = (new.centroid[first + k], old.centroid[father]);
        *change = CellSums::change(gradient, [0, 1, 2].map(|d| to[d] - from[d]));
        factor = CellSums::barth_jespersen(factor, *change, below, above);
    }
    let volume = &new.volume[first..first + changes.len()];
    let (sum, whole): (f64, f64) =
        volume.iter().zip(&*changes).fold((0.0, 0.0), |(sum, whole), (v, change)| (sum + v * change, whole + v));
    changes.iter_mut().for_each(|change| *change = factor * (*change - sum / whole));
}

/// Values of all cells with those of complete families replaced by their mean.
pub fn of_families(mesh: &Mesh, families: &[u32], values: &[f64]) -> Vec<f64> {
    let (cells, sons) = (mesh.num_cells(), 1 << mesh.dim);
    let of = |at: usize| {
        let (m, first) = (at / cells, families[at % cells] as usize);
        if first >= cells {
            return values[at];
        }
        mean(&mesh.volume[first..first + sons], &values[m * cells + first..][..sons])
    };
    threads::table(values.len(), &of)
}

/// The mean of sons, by volume. Equal values stay to the bit.
fn mean(volume: &[f64], values: &[f64]) -> f64 {
    let sum: f64 = volume.iter().zip(values).map(|(volume, value)| volume * (value - values[0])).sum();
    values[0] + sum / volume.iter().sum::<f64>()
}
