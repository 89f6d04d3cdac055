//! Auxiliary values of a replaced level: those of cells that the new level has too are copied, not computed again.

use super::regions::copy_region;
use super::store::LevelStore;
use crate::fields::{LevelLayout, PatchLayout, Pool, Shared};
use crate::index::CellBox;
use crate::mesh::{Cover, Image, LevelMesh};
use crate::plan::Region;
use riemann::real::Scalar;
use std::sync::Arc;

/// Auxiliary values that a level had before it was replaced.
#[derive(Debug)]
pub(super) struct FormerAux<const D: usize, R> {
    mesh: Arc<LevelMesh<D>>,
    layout: Arc<LevelLayout<D>>,
    /// The time of which they are.
    pub time: f64,
    pub values: Vec<R>,
}

impl<const D: usize, R: Scalar> FormerAux<D, R> {
    /// Moves them out of a level's store.
    pub fn take_from(store: &mut LevelStore<D, R>) -> Self {
        let (mesh, layout) = (store.mesh.clone(), store.layout.clone());
        FormerAux { mesh, layout, time: store.aux_time, values: std::mem::take(&mut store.aux) }
    }

    /// Copies those of a level that may be needed again.
    pub fn copy_of(store: &LevelStore<D, R>, pool: &mut Pool<R>) -> Self {
        let mut values = pool.take(store.aux.len());
        values.copy_from_slice(&store.aux);
        FormerAux { mesh: store.mesh.clone(), layout: store.layout.clone(), time: store.aux_time, values }
    }

    /// A view for several threads.
    pub fn shared(&mut self) -> SharedFormer<'_, D, R> {
        SharedFormer { mesh: &self.mesh, layout: &self.layout, values: Shared::new(&mut self.values) }
    }
}

/// A view of [`FormerAux`] that several threads read.
#[derive(Clone, Copy)]
pub(super) struct SharedFormer<'a, const D: usize, R> {
    mesh: &'a LevelMesh<D>,
    layout: &'a LevelLayout<D>,
    values: Shared<'a, R>,
}

impl<const D: usize, R: Scalar> SharedFormer<'_, D, R> {
    /// Copies the interior values of the replaced level to `cells` of a new patch, `count` values a cell. Returns the parts of these
    /// cells that it did not have on this rank.
    ///
    /// # Safety
    /// Nobody else touches these cells meanwhile, and nobody writes the former level's.
    pub unsafe fn copy(
        &self,
        to: Shared<'_, R>,
        patch: &PatchLayout<D>,
        cells: &CellBox<D>,
        count: usize,
    ) -> Vec<CellBox<D>> {
        let mut cover = Cover::default();
        cover.find(self.mesh, cells);
        for Image { patch: source, part, shift } in cover.images {
            let former = &self.layout.patches[source];
            // Beyond a folded side values are not those of the cells inside.
            if former.is_local && !shift.turned {
                let region = Region { target: 0, source: source as u32, cells: part, shift };
                // SAFETY: the caller's promise.
                unsafe { copy_region(to, patch, self.values, former, &region, [count; 2]) };
            } else {
                cover.open.push(part);
            }
        }
        cover.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Geometry;
    use std::collections::BTreeSet;

    /// A level's store, periodic along x, whose values identify their cells.
    fn store(patches: &[[[i32; 2]; 2]], pool: &mut Pool<f64>) -> LevelStore<2, f64> {
        let boxes = patches.iter().map(|&[lo, hi]| CellBox::new(lo, hi)).collect();
        let mesh = Arc::new(LevelMesh::new(CellBox::new([0, 0], [20, 9]), [true, false], boxes));
        let geometry = Geometry::new([0.0; 2], [1.0; 2], [10, 5]);
        let mut store = LevelStore::new(mesh, geometry, (0, None), [2, 1, 2], 0.0, pool);
        for patch in &store.layout.clone().patches {
            for cell in patch.with_ghosts().cells() {
                for m in 0..2 {
                    store.aux[patch.offset(2, cell) + m * patch.component()] = value(cell, m);
                }
            }
        }
        store
    }

    fn value(cell: [i32; 2], m: usize) -> f64 {
        f64::from(cell[0].rem_euclid(20) * 100 + cell[1] * 10) + m as f64
    }

    /// Every cell of a new patch, also beyond a periodic side, either has the former level's value or is returned as missing, exactly
    /// once.
    #[test]
    fn what_was_there_is_copied() {
        let mut pool = Pool::new();
        let mut former =
            FormerAux::take_from(&mut store(&[[[0, 0], [4, 5]], [[4, 2], [9, 9]], [[17, 1], [20, 4]]], &mut pool));
        let mut new = store(&[[[0, 1], [7, 6]]], &mut pool);
        new.aux.fill(f64::NAN);
        let (layout, mesh) = (new.layout.clone(), former.mesh.clone());
        let patch = &layout.patches[0];
        // SAFETY: nobody else is there.
        let open = unsafe { former.shared().copy(Shared::new(&mut new.aux), patch, &patch.with_ghosts(), 2) };
        let left: Vec<_> = open.iter().flat_map(|part| part.cells()).collect();
        assert_eq!(left.iter().copied().collect::<BTreeSet<_>>().len(), left.len());
        for cell in patch.with_ghosts().cells() {
            let was_there = mesh.covers(&CellBox::new(cell, cell.map(|c| c + 1))) && (0..9).contains(&cell[1]);
            assert_eq!(left.contains(&cell), !was_there, "{cell:?}");
            for m in 0..2 {
                let found = new.aux[patch.offset(2, cell) + m * patch.component()];
                assert!(if was_there { found == value(cell, m) } else { found.is_nan() }, "{cell:?}: {found}");
            }
        }
    }
}
