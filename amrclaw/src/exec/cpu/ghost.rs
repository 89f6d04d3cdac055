//! Filling ghost cells: same level, coarser level, physical boundary, patch by patch.

use super::CpuExecutor;
use super::boundary::{BoundaryContext, Outside};
use super::exchange::{post, receive};
use super::interpolate::Slope;
use super::regions::{CoarseLevel, copy_region, pack_regions, unpack_regions};
use crate::exec::comm::{CommError, Phase};
use crate::fields::Shared;
use crate::index::Level;
use crate::physics::Boundary;
use crate::plan::{GhostPlan, Regions};
use crate::threads::parallel_for;
use riemann::real::Scalar;
use std::time::Instant;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Fills a level's ghost cells. Messages to other ranks are sent before the local work, those from other ranks are awaited after
    /// it.
    pub(super) fn fill_level(&mut self, level: Level, plan: &GhostPlan<D>) -> Result<(), CommError> {
        let (ranks, header, exchange) = (self.ranks.clone(), self.header(Phase::GhostCells, level), plan.exchange());
        let (coarser, from_here) = self.levels.split_at_mut(level.index());
        let store = &mut from_here[0];
        let limiter = (self.solver.as_ref(), &self.scratch);
        let coarse =
            coarser.last().map(|c| CoarseLevel::at_time(c, store.states.time, self.ratios[level.index() - 1], limiter));
        let context = BoundaryContext::new(&self.problem, &self.signs, store);
        let layout = store.layout.clone();
        let num_eqn = store.num_eqn;
        let (q, aux) = store.q_mut_and_aux();
        let q = Shared::new(q);
        let sides = Outside { plan, context };
        let inside = |k: usize| {
            let target = &layout.patches[k];
            // SAFETY: each patch's ghost cells are written by its own task alone; tasks read interior cells of other
            // patches, which nobody writes.
            unsafe {
                for region in plan.copies(k) {
                    copy_region(q, target, q, &layout.patches[region.source as usize], region, num_eqn);
                }
                if let Some(coarse) = coarse {
                    for region in plan.interps(k) {
                        coarse.interpolate(q, target, region, num_eqn, Slope::Central);
                    }
                }
            }
        };
        let outside = |k: usize| {
            // SAFETY: likewise.
            unsafe { sides.fill((q, aux), &layout.patches[k], k) };
        };
        // What boundary functions cost is recorded where a device takes the steps.
        let noted = self.engine.is_some()
            && self.problem.boundary.as_flattened().iter().any(|side| matches!(side, Boundary::User(_)));
        if ranks.is_solo() && !noted {
            parallel_for(plan.num_patches(), |k| {
                inside(k);
                outside(k);
            });
            return Ok(());
        }
        let len = |regions: &Regions<D>| num_eqn * regions.num_cells();
        post(&ranks, header, (&exchange.sent, &exchange.received), len, |regions, message| {
            // SAFETY: interior cells and the coarser level are only read meanwhile; each message is one task's.
            unsafe { pack_regions(regions, message, (q, &layout), coarse, (num_eqn, Slope::Central)) };
        })?;
        parallel_for(plan.num_patches(), inside);
        receive(&ranks, header, &exchange.received, len, |regions, message| {
            // SAFETY: the level is borrowed alone.
            unsafe { unpack_regions(regions, message, (q, &layout), num_eqn) };
        })?;
        // Ghost cells outside the domain copy from all of these.
        let start = Instant::now();
        parallel_for(plan.num_patches(), outside);
        if noted {
            self.note_host("boundaries", level, start);
        }
        Ok(())
    }
}
