//! Sweeps over the tiles of a level on the processor's threads.

use super::scratch::Scratch;
use super::tile::Tile;
use super::tiles::TilePlan;
use crate::exec::StepReport;
use crate::exec::step::LevelSweep;
use crate::fields::Shared;
use crate::threads::parallel_reduce;
use riemann::patch::{PatchSolver, Scheme, TileArgs};
use riemann::real::Scalar;

/// A sweep of a level's tiles.
pub(super) struct TileSweep<'a, const D: usize, R: Scalar> {
    pub level: &'a LevelSweep<'a, D, R>,
    pub solver: &'a dyn PatchSolver<R>,
    pub scheme: Scheme,
    /// Fluxes of the faces kept, and numbers between their components.
    pub kept: Shared<'a, R>,
    pub kept_stride: usize,
}

impl<const D: usize, R: Scalar> TileSweep<'_, D, R> {
    /// Updates a tile.
    pub fn update_tile(&self, tile: &Tile, tiles: &TilePlan, scratch: &mut [R]) -> StepReport {
        let LevelSweep { layout, input, output, aux, num_aux, num_eqn, dt, dx, free, sweep, .. } = *self.level;
        let patch = &layout.patches[tile.patch as usize];
        let size = patch.cells.size();
        let (mut lo, mut hi) = (tile.lo, tile.hi);
        for d in 0..D {
            lo[d] -= if lo[d] == 0 { sweep.grow[d] } else { 0 };
            hi[d] += if hi[d] == size[d] { sweep.grow[d] } else { 0 };
        }
        let start = patch.offset(num_eqn, patch.cells.lo);
        let aux = match num_aux {
            0 => std::ptr::NonNull::dangling().as_ptr(),
            n => aux.at(patch.offset(n, patch.cells.lo)).cast_const(),
        };
        let args = TileArgs {
            q: input.at(start),
            q_next: output.at(start),
            aux,
            strides: patch.strides(),
            lo,
            hi,
            sweep: sweep.axes,
            dt: dt * sweep.fraction,
            dx,
            free,
            scheme: &self.scheme,
            kept_faces: (&tiles.kept[tile.kept[sweep.kept_list].clone()]).into(),
            kept_values: if self.kept_stride == 0 { std::ptr::NonNull::dangling().as_ptr() } else { self.kept.at(0) },
            kept_stride: self.kept_stride,
        };
        // SAFETY: patches have the ghost cells that the sweeps need and arrays the overrun; tiles are disjoint and
        // every slot has one face, so no two tasks write the same place.
        let report = unsafe { self.solver.update_tile(&args, scratch) };
        StepReport::of(report.courant, tile.patch as usize, report.admissible)
    }

    /// Updates all tiles of the level. `aside`: the buffer for updating patches of several tiles in place.
    pub fn update_all(&self, plan: &TilePlan, scratch: &Scratch<R>, aside: &Scratch<R>) -> StepReport {
        if self.level.input.is_same(self.level.output) && self.level.sweep.axes == [true; 3] {
            return self.update_in_place(plan, scratch, aside);
        }
        let update = |n: usize| self.update_tile(&plan.tiles[n], plan, &mut scratch.mine());
        parallel_reduce(plan.tiles.len(), update, StepReport::NONE, StepReport::or)
    }
}
