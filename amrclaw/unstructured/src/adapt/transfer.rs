//! Values of new leaves: limited linear in the father, the mean of the sons, conserved to round-off.

use super::renew::Renewed;
use crate::Mesh;
use crate::step::{Across, Gradient, add_stencil};
use crate::threads;
use riemann::cells::CellSums;

/// Values of cells, `[component, cell]` without gaps, on the new mesh. `is_fine`: false for states that no son of a cell may have; if one is
/// not, all get their father's.
pub fn transfer(
    (old, new): (&Mesh, &Mesh),
    renewed: &Renewed,
    values: &[f64],
    is_fine: &dyn Fn(usize, &[f64]) -> bool,
) -> Vec<f64> {
    let (before, cells) = (old.num_cells(), new.num_cells());
    let components = values.len() / before.max(1);
    let sons = 1 << old.dim;
    let mut moved = vec![0.0; components * cells];
    let (mut stencil, mut changes) = (Vec::new(), vec![0.0; components * sons]);
    let mut cell = 0;
    while cell < cells {
        let from = renewed.from[cell] as usize;
        let old_value = |m: usize, k: usize| values[m * before + from + k];
        match renewed.change[cell] {
            0 => (0..components).for_each(|m| moved[m * cells + cell] = old_value(m, 0)),
            1 => {
                let range = cell..cell + sons;
                stencil.clear();
                add_stencil(&mut stencil, old, Gradient::LeastSquares, 0, from);
                for m in 0..components {
                    let change = &mut changes[m * sons..][..sons];
                    linear((old, new), (from, range.start), &stencil, &values[m * before..][..before], change);
                }
                let is_fine = |k: usize| {
                    let state: Vec<f64> = (0..components).map(|m| old_value(m, 0) + changes[m * sons + k]).collect();
                    is_fine(from, &state)
                };
                let share = f64::from(u8::from((0..sons).all(is_fine)));
                for (k, cell) in range.enumerate() {
                    (0..components)
                        .for_each(|m| moved[m * cells + cell] = old_value(m, 0) + share * changes[m * sons + k]);
                }
                cell += sons - 1;
            }
            _ => {
                let volume = &old.volume[from..from + sons];
                for m in 0..components {
                    moved[m * cells + cell] = mean(volume, &values[m * before + from..][..sons]);
                }
            }
        }
        cell += 1;
    }
    moved
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
