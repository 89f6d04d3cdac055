//! Filling ghost cells: same level, coarser level, physical boundary, patch by patch.

use super::CpuExecutor;
use super::boundary::{BoundaryContext, Outside};
use super::interpolate::Slope;
use super::regions::{CoarseLevel, Filling};
use super::transfer_variables::Written;
use crate::fields::Shared;
use crate::index::Level;
use crate::physics::Boundary;
use crate::plan::GhostPlan;
use crate::ranks::{CommError, MessageKind};
use crate::threads::parallel_for;
use riemann::real::Scalar;
use std::time::Instant;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Fills a level's ghost cells. Messages to other ranks are sent before the local work, those from other ranks are awaited after
    /// it.
    pub(super) fn fill_level(&mut self, level: Level, plan: &GhostPlan<D>) -> Result<(), CommError> {
        let (ranks, header) = (self.ranks.clone(), self.header(MessageKind::GhostCells, level));
        let (coarser, from_here) = self.levels.split_at_mut(level.index());
        let store = &mut from_here[0];
        let limiter = (self.solver.as_ref(), &self.scratch.tiles);
        let coarse =
            coarser.last().map(|c| CoarseLevel::at_time(c, store.states.time, self.ratios[level.index() - 1], limiter));
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let (layout, num_eqn) = (store.layout.clone(), store.num_eqn);
        let (q, aux) = store.q_mut_and_aux();
        let q = Shared::new(q);
        let sides = Outside { plan, context };
        let here = (q, &*layout);
        let inside = Filling {
            plan,
            num_eqn,
            target: here,
            source: here,
            coarse,
            slope: Slope::Central,
            written: Written::States(aux),
        };
        let outside = |k: usize| {
            // SAFETY: as for `inside`.
            unsafe { sides.fill((q, aux), &layout.patches[k], k) };
        };
        // What boundary functions cost is recorded where a device takes the steps.
        let noted = self.engine.is_some()
            && self.problem.boundary.as_flattened().iter().any(|side| matches!(side, Boundary::User(_)));
        if ranks.is_solo() && !noted {
            parallel_for(plan.num_patches(), |k| {
                // SAFETY: each patch's ghost cells are written by its own task alone; tasks read interior cells of other
                // patches, which nobody writes.
                unsafe { inside.patch(k) };
                outside(k);
            });
            return Ok(());
        }
        // SAFETY: likewise; the level is borrowed alone, and the coarser one is only read.
        unsafe { inside.all((&ranks, header))? };
        // Ghost cells outside the domain copy from all of these.
        let start = Instant::now();
        parallel_for(plan.num_patches(), outside);
        if noted {
            self.note_host("boundaries", level, start);
        }
        Ok(())
    }
}
