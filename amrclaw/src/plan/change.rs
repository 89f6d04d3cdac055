//! A change from one hierarchy to another: which levels are new, their plans, and where their values come from.

use super::{LevelPlans, PlanOptions, Planned, Planning, TransferPlan, Transfers, partitions, stays};
use crate::index::Level;
use crate::mesh::{Hierarchy, Partition, Speeds};
use crate::threads::join;
use std::sync::Arc;

/// A change of the mesh, for an executor to adopt.
///
/// Plans are made when the change is adopted, so that the executor can do other work at the same time. What an executor derives from a
/// level or from its plans stays valid until a change replaces that level or those plans.
#[derive(Debug)]
pub struct MeshChange<'a, const D: usize> {
    hierarchy: &'a Hierarchy<D>,
    before: Option<Planned<'a, D>>,
    options: PlanOptions,
    speeds: Speeds,
    plans: Option<Arc<Vec<LevelPlans<D>>>>,
    transfers: Transfers<D>,
}

impl<'a, const D: usize> MeshChange<'a, D> {
    /// `hierarchy` in the place of `before`, if there was one.
    pub fn new(hierarchy: &'a Hierarchy<D>, before: Option<Planned<'a, D>>, options: PlanOptions) -> Self {
        let speeds = Speeds::equal(options.rank.of);
        MeshChange { hierarchy, before, options, speeds, plans: None, transfers: Vec::new() }
    }

    /// The same change with given speeds of the ranks; they are equal by default.
    pub fn among(self, speeds: Speeds) -> Self {
        assert_eq!(speeds.num_ranks(), self.options.rank.of, "a speed for each rank");
        MeshChange { speeds, ..self }
    }

    /// The return from `before` to a hierarchy whose plans and values still exist.
    pub fn back(
        hierarchy: &'a Hierarchy<D>,
        plans: Arc<Vec<LevelPlans<D>>>,
        before: &'a Hierarchy<D>,
        options: PlanOptions,
    ) -> Self {
        let change = MeshChange::new(hierarchy, Some((before, &[])), options);
        MeshChange { plans: Some(plans), ..change }
    }

    /// The new hierarchy.
    pub fn hierarchy(&self) -> &'a Hierarchy<D> {
        self.hierarchy
    }

    /// Makes the plans, unless they exist, while `meanwhile` runs on other threads with the partition of each level, and returns the
    /// result of `meanwhile`. `transfer`: plan the transfers of values to new levels too.
    pub fn plan_while<T: Send>(
        &mut self,
        transfer: bool,
        meanwhile: impl FnOnce(&[Option<Arc<Partition>>]) -> T + Send,
    ) -> T {
        if let Some(plans) = &self.plans {
            return meanwhile(&owners_in(plans));
        }
        let owners = partitions(self.hierarchy, &self.speeds, self.before);
        let planning = self.planning(&owners);
        let ((plans, transfers), answer) = join(|| planning.levels(transfer), || meanwhile(&owners));
        (self.plans, self.transfers) = (Some(Arc::new(plans)), transfers);
        answer
    }

    /// Defers the plans, unless they exist, until they are first used: for an executor that makes tables of its own. Returns the partition of
    /// each level.
    pub fn plan_lazily(&mut self) -> Vec<Option<Arc<Partition>>> {
        if self.plans.is_none() {
            let owners = partitions(self.hierarchy, &self.speeds, self.before);
            let planning = self.planning(&owners);
            self.plans = Some(Arc::new((0..self.hierarchy.num_levels()).map(|l| planning.lazy(l)).collect()));
        }
        owners_in(self.plans())
    }

    fn planning<'s>(&'s self, owners: &'s [Option<Arc<Partition>>]) -> Planning<'s, D> {
        Planning { hierarchy: self.hierarchy, options: self.options, owners, before: self.before }
    }

    /// Plans the transfer of values to a new level, if it has not been planned with the other plans.
    pub fn plan_transfer(&self, level: Level) -> TransferPlan<D> {
        self.planning(&owners_in(self.plans())).transfer(level.index())
    }

    /// The plans of all levels.
    ///
    /// # Panics
    /// If they have not been made.
    pub fn plans(&self) -> &Arc<Vec<LevelPlans<D>>> {
        self.plans.as_ref().expect("plans are made first")
    }

    /// The plans of all levels, to be kept after the change.
    ///
    /// # Panics
    /// If they have not been made.
    pub fn into_plans(self) -> Arc<Vec<LevelPlans<D>>> {
        self.plans.expect("plans are made first")
    }

    /// True if a level has other patches than before, or no longer exists.
    pub fn replaces(&self, level: usize) -> bool {
        let levels = |hierarchy: &Hierarchy<D>| hierarchy.num_levels();
        match self.before {
            Some((before, _)) => {
                level < levels(before).max(levels(self.hierarchy)) && !stays(level, self.hierarchy, before)
            }
            None => level < levels(self.hierarchy),
        }
    }

    /// True if the plans of a level differ from those before, or no longer exist. They depend on the level and on the next coarser one.
    pub fn replaces_plans(&self, level: usize) -> bool {
        let gone =
            self.before.is_none_or(|(before, _)| level >= before.num_levels()) && level >= self.hierarchy.num_levels();
        !gone && (self.replaces(level) || level > 0 && self.replaces(level - 1))
    }

    /// True if the faces of the conservation fix between a level and the next coarser one differ from those before.
    pub fn replaces_faces(&self, level: usize) -> bool {
        self.options.conservation_fix && self.replaces_plans(level)
    }

    /// The levels that have other patches than before, coarsest first.
    pub fn new_levels(&self) -> impl Iterator<Item = Level> + '_ {
        (0..self.hierarchy.num_levels()).filter(|&l| self.replaces(l)).map(|l| Level(l as u8))
    }

    /// The coarsest level that is replaced or dropped; one past the finest if there is none.
    pub fn first_replaced(&self) -> Level {
        let all = self.hierarchy.num_levels();
        Level((0..all).find(|&l| self.replaces(l)).unwrap_or(all) as u8)
    }

    /// Transfers of values to the new levels, coarsest first, each with the next coarser level if its ghost cells have to be filled
    /// before.
    pub fn transfers(&self) -> impl Iterator<Item = (Level, &TransferPlan<D>, Option<Level>)> {
        let plans = self.transfers.iter().enumerate();
        plans.filter_map(|(l, plan)| Some((Level(l as u8), plan.as_ref()?, self.filled_before(Level(l as u8)))))
    }

    /// The next coarser level, if its ghost cells have to be filled before values are transferred to `level`: interpolation slopes read the
    /// ghost cells of its patches, and those of its new patches have not been filled by flagging.
    pub fn filled_before(&self, level: Level) -> Option<Level> {
        level.coarser().filter(|coarse| self.replaces_plans(coarse.index()))
    }

    /// The coarsest level whose ghost cells have been filled neither for flagging nor for a transfer to the next finer level.
    pub fn first_unfilled(&self) -> Level {
        let finest = self.hierarchy.finest();
        let is_filled = |l: usize| !self.replaces_plans(l) || self.replaces(l + 1);
        (0..finest.index()).find(|&l| !is_filled(l)).map_or(finest, |l| Level(l as u8))
    }

    /// The transfer of values to a level, if it is new.
    pub fn transfer(&self, level: usize) -> Option<&TransferPlan<D>> {
        self.transfers.get(level)?.as_ref()
    }
}

/// Owners of the patches of each level that plans know.
fn owners_in<const D: usize>(plans: &[LevelPlans<D>]) -> Vec<Option<Arc<Partition>>> {
    plans.iter().map(|plans| plans.partition.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{CellBox, Ratio};
    use crate::mesh::{Domain, Rank};

    /// Three levels: boxes of the two finer ones, in their own cells.
    fn hierarchy(before: Option<&Hierarchy<1>>, finer: &[[i32; 2]]) -> Hierarchy<1> {
        let domain = Domain { lower: [0.0], upper: [1.0], cells: [16], repeats: [false].into() };
        let coarsest = vec![domain.coarsest()];
        let mut hierarchy = before.cloned().unwrap_or_else(|| Hierarchy::new(domain, vec![Ratio([2]); 2], coarsest));
        let boxes = finer.iter().map(|&[lo, hi]| vec![CellBox::new([lo], [hi])]);
        hierarchy.replace_finer(Level(0), boxes.collect());
        hierarchy
    }

    const OPTIONS: PlanOptions = PlanOptions { num_ghost: 2, conservation_fix: true, rank: Rank::SOLO };

    /// For each level, and one past them: whether patches are new, and whether plans are new.
    fn told(change: &MeshChange<'_, 1>) -> Vec<[bool; 2]> {
        (0..4).map(|l| [change.replaces(l), change.replaces_plans(l)]).collect()
    }

    /// A change replaces levels whose patches differ, and the plans of these and of the next finer ones; all other plans are kept.
    /// Ghost cells of a new level are filled where the next finer level is interpolated from them.
    #[test]
    fn a_change_tells_what_it_replaces() {
        let start = hierarchy(None, &[[4, 20], [16, 32]]);
        let mut first = MeshChange::new(&start, None, OPTIONS);
        first.plan_while(false, |_| ());
        assert_eq!(told(&first), [[true, true], [true, true], [true, true], [false, false]]);
        assert!(first.transfers().next().is_none());
        let plans = first.into_plans();
        for (finer, expected, first_unfilled) in [
            (&[[4, 20], [16, 32]][..], [[false; 2]; 4], 2),
            (&[[4, 22], [16, 32]], [[false; 2], [true; 2], [false, true], [false; 2]], 1),
            (&[[4, 22], [18, 32]], [[false; 2], [true; 2], [true; 2], [false; 2]], 2),
            (&[[4, 20], [18, 32]], [[false; 2], [false; 2], [true; 2], [false; 2]], 2),
            (&[[4, 20]], [[false; 2], [false; 2], [true; 2], [false; 2]], 1),
        ] {
            let after = hierarchy(Some(&start), finer);
            let mut change = MeshChange::new(&after, Some((&start, &plans)), OPTIONS);
            change.plan_while(true, |_| ());
            assert_eq!(told(&change), expected, "{finer:?}");
            assert_eq!(change.first_unfilled(), Level(first_unfilled), "{finer:?}");
            for (l, (old, new)) in plans.iter().zip(change.plans().iter()).enumerate() {
                assert_eq!(old.is_same(new), !change.replaces_plans(l), "{finer:?}, level {l}");
            }
            let moved: Vec<_> = change.transfers().map(|(level, ..)| level).collect();
            assert!(moved.iter().copied().eq(change.new_levels()), "{finer:?}: {moved:?}");
            let back = MeshChange::back(&start, plans.clone(), &after, OPTIONS);
            assert_eq!(told(&back), expected, "back from {finer:?}");
        }
    }
}
