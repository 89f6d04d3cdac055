//! What a change of the mesh requires before the next step: lists of faces, tiles, memory.

use super::CpuExecutor;
use super::faces::ListedFaces;
use super::store::FixNeeds;
use super::tiles::TilePlan;
use crate::physics::Split;
use crate::plan::MeshChange;
use riemann::real::Scalar;
use std::sync::Arc;

impl<const D: usize, R: Scalar> CpuExecutor<D, R> {
    /// Bytes outside the pool: the threads' scratch memory, and what levels keep for auxiliary values.
    pub(super) fn other_bytes(&self) -> usize {
        let kept: usize = self.levels.iter().map(|store| store.cache_bytes()).sum();
        self.scratch.tiles.bytes() + self.scratch.aside.bytes() + self.scratch.sources.bytes() + kept
    }

    /// Builds what is new in the plans of a change: lists of faces, tiles, memory for the terms of the conservation fix.
    pub(super) fn make_ready(&mut self, change: &MeshChange<'_, D>) {
        self.epoch = change.hierarchy().epoch();
        if let Some(finest) = self.levels.last_mut() {
            finest.release_spare(&mut self.pool);
        }
        let plans = change.plans();
        let num_kept = self.solver.transfers().map_or(0, <[usize]>::len);
        for (l, (store, plans)) in self.levels.iter_mut().zip(plans.iter()).enumerate() {
            if change.replaces_faces(l) {
                store.faces = plans.reflux().cloned().map(|plan| Arc::new(ListedFaces::new(plan, num_kept > 0)));
            }
        }
        match &self.engine {
            Some(engine) => engine.adopt(change),
            None => self.cut_into_tiles(change),
        }
        let most_buffered = self.levels.last().map_or(0, |finest| finest.tiles.turns.most_buffered * finest.num_eqn);
        self.scratch.aside.resize(most_buffered);
        let num_levels = self.levels.len();
        let needs = FixNeeds {
            num_aux: self.solver.aux().len(),
            num_sweeps: self.sweeps.len(),
            sourced: self.problem.applies_sources(self.solver.has_source()),
            num_kept,
            by_engine: self.engine.is_some(),
            sends_cells: !self.ranks.is_solo(),
        };
        let over_ghosts = self.sweeps_over_ghosts() && self.engine.is_none();
        for (l, (store, plans)) in self.levels.iter_mut().zip(plans.iter()).enumerate() {
            store.make_room(plans, needs, &mut self.pool);
            let in_place = over_ghosts && l + 1 == num_levels && store.tiles.whole_patches;
            store.make_room_for_ghosts(in_place, &mut self.pool);
        }
    }

    /// Cuts levels into tiles, where the levels are new or the kept faces have changed.
    fn cut_into_tiles(&mut self, change: &MeshChange<'_, D>) {
        let split = self.problem.split != Split::Unsplit;
        for l in 0..self.levels.len() {
            if change.replaces(l) || change.replaces_faces(l) || change.replaces_faces(l + 1) {
                let faces = [l, l + 1].map(|l| self.levels.get(l).and_then(|store| store.faces.clone()));
                let [own, finer] = faces.each_ref().map(Option::as_deref);
                let store = &mut self.levels[l];
                store.tiles = Arc::new(TilePlan::new(&store.layout, own, finer, split, self.threads));
            }
        }
    }
}
