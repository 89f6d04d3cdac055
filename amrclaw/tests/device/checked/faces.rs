//! The faces of the conservation fix, found cell by cell.

use amrclaw::index::{CellBox, CellIndex, Level};
use amrclaw::mesh::Hierarchy;
use amrclaw::plan::RefluxPlan;
use riemann::axis::{Axis, Side};
use std::collections::HashMap;

/// A coarse cell, where it is in the domain, and the face of it that a fine patch lies behind.
type Face<const D: usize> = (CellIndex<D>, Axis, Side);

/// Asserts that the plan between level `fine` and the next coarser one has every face between a fine patch and a coarse cell that is not
/// refined, once.
pub(super) fn assert_once<const D: usize>(hierarchy: &Hierarchy<D>, fine: Level, plan: &RefluxPlan<D>) {
    let coarse = Level(fine.0 - 1);
    let mut found: HashMap<Face<D>, usize> = HashMap::new();
    for run in plan.runs.all() {
        for cell in run.cells.cells() {
            let here = run.shift.source(cell);
            *found.entry((here, run.axis, run.coarse_side)).or_default() += 1;
        }
    }
    let (mesh, domain, ratio) = (hierarchy.level(fine), hierarchy.domain_box(coarse), hierarchy.ratio(coarse));
    for patch in mesh.patches() {
        let covered = patch.coarse_from_fine(ratio);
        for (axis, side) in Axis::ALL.into_iter().take(D).flat_map(|axis| Side::BOTH.map(|side| (axis, side))) {
            let mut beside = covered;
            let d = axis.index();
            match side {
                Side::Lower => (beside.lo[d], beside.hi[d]) = (covered.lo[d] - 1, covered.lo[d]),
                Side::Upper => (beside.lo[d], beside.hi[d]) = (covered.hi[d], covered.hi[d] + 1),
            }
            for cell in hierarchy.level(coarse).inside_domain(&beside).cells() {
                if !mesh.images(&CellBox::cell(cell).fine_from_coarse(ratio)).is_empty() {
                    continue;
                }
                let here = std::array::from_fn(|d| cell[d].rem_euclid(domain.hi[d]));
                let times = found.remove(&(here, axis, side)).unwrap_or(0);
                assert_eq!(
                    times, 1,
                    "times that the register of level {fine} has the face of cell {here:?} across {axis:?}, {side:?}"
                );
            }
        }
    }
    assert!(found.is_empty(), "the register of level {fine} has faces that no fine patch has: {found:?}");
}
