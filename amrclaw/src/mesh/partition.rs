//! Which rank owns which patch: ranks own pieces of Hilbert's curve.

use super::LevelMesh;
use super::curve::key_of;

/// One of the ranks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Rank {
    /// The only one.
    pub const SOLO: Rank = Rank { number: 0, of: 1 };
}

/// Owners of a level's patches.
///
/// One curve goes through the patches of all levels, and is cut into a piece for each rank; the cuts differ from level to level, since
/// the ranks wait for one another in each step of a level: so each level is shared out evenly by itself, and what lies over each other
/// is still mostly at home together. A function of the meshes alone: the same on every rank.
///
/// Invariant: every patch has one owner; a rank may own none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    owners: Vec<u32>,
    /// Rank `r`, but the first, owns the curve from `cuts[r − 1]` on.
    cuts: Vec<u64>,
}

/// Cuts stay as they are while the largest load is at most this part of the smallest possible one: every patch then stays where it is.
const KEPT_WITHIN: f64 = 1.1;

impl Partition {
    /// Shares a level out among `size` ranks, by cells. `before`: the level's partition before it was replaced; its cuts are kept as
    /// long as they do.
    pub fn new<const D: usize>(mesh: &LevelMesh<D>, size: usize, before: Option<&Partition>) -> Self {
        let domain = mesh.domain();
        let patches = mesh.patches().iter();
        let keyed: Vec<(u64, u64)> = patches.map(|p| (key_of(p, &domain), p.volume() as u64)).collect();
        let mut sorted = keyed.clone();
        sorted.sort_unstable();
        let least = smallest_load(&sorted, size);
        let kept = before
            .map(|before| &before.cuts)
            .filter(|cuts| cuts.len() + 1 == size && largest_load(&keyed, cuts) as f64 <= KEPT_WITHIN * least as f64);
        let cuts = kept.cloned().unwrap_or_else(|| cuts_at(&sorted, size, least));
        let owners = keyed.iter().map(|&(key, _)| owner_of(key, &cuts) as u32).collect();
        Partition { owners, cuts }
    }

    /// Patches whose owners are given, for tests of what any owners may do.
    #[cfg(test)]
    pub(crate) fn of_owners(owners: Vec<u32>) -> Self {
        Partition { owners, cuts: Vec::new() }
    }

    /// Owner of a patch.
    pub fn owner(&self, patch: usize) -> usize {
        self.owners[patch] as usize
    }

    /// Whether a rank owns a patch; where patches are not shared out, it owns all.
    pub fn owns(partition: Option<&Partition>, rank: usize, patch: usize) -> bool {
        partition.is_none_or(|partition| partition.owner(patch) == rank)
    }

    /// Owners of all patches.
    pub fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// Patches of a rank, in the mesh's order.
    pub fn patches_of(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        self.owners.iter().enumerate().filter(move |&(_, &owner)| owner as usize == rank).map(|(k, _)| k)
    }
}

/// The rank that owns a position.
fn owner_of(key: u64, cuts: &[u64]) -> usize {
    cuts.partition_point(|&cut| cut <= key)
}

/// The largest load of a rank.
fn largest_load(keyed: &[(u64, u64)], cuts: &[u64]) -> u64 {
    let mut loads = vec![0; cuts.len() + 1];
    keyed.iter().for_each(|&(key, cells)| loads[owner_of(key, cuts)] += cells);
    loads.into_iter().max().unwrap_or(0)
}

/// Fills one rank after the other up to `most`; answers where each but the first begins, which may be behind the end.
fn cuts_at(sorted: &[(u64, u64)], size: usize, most: u64) -> Vec<u64> {
    let (mut cuts, mut load) = (Vec::with_capacity(size - 1), 0);
    let mut last = None;
    for &(key, cells) in sorted {
        // Patches at the same position have the same owner.
        if load + cells > most && load > 0 && last != Some(key) {
            cuts.push(key);
            load = 0;
        }
        load += cells;
        last = Some(key);
    }
    cuts.truncate(size - 1);
    cuts.resize(size - 1, u64::MAX);
    cuts
}

/// The smallest load that the busiest of `size` ranks can have, if each takes patches that follow one another.
fn smallest_load(sorted: &[(u64, u64)], size: usize) -> u64 {
    let total: u64 = sorted.iter().map(|&(_, cells)| cells).sum();
    let largest = sorted.iter().map(|&(_, cells)| cells).max().unwrap_or(0);
    let mut too_few = largest.max(total.div_ceil(size as u64)).saturating_sub(1);
    let mut enough = too_few + largest + 1;
    let fits = |most: u64| {
        let (mut parts, mut load) = (1, 0);
        for &(_, cells) in sorted {
            if load + cells > most && load > 0 {
                (parts, load) = (parts + 1, 0);
            }
            load += cells;
        }
        parts <= size
    };
    while too_few + 1 < enough {
        let middle = too_few + (enough - too_few) / 2;
        if fits(middle) { enough = middle } else { too_few = middle }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{CellBox, Ratio};
    use proptest::prelude::*;

    /// Some of the blocks that a domain is cut into.
    fn level(keep: &[bool]) -> LevelMesh<2> {
        let domain = CellBox::new([0, 0], [48, 36]);
        let blocks = CellBox::new([0, 0], [8, 6]).cells().zip(keep.iter().cycle()).filter(|(_, keep)| **keep);
        let patches = blocks.map(|(block, _)| CellBox::cell(block).fine_from_coarse(Ratio([6, 6])));
        LevelMesh::new(domain, [false, true], patches.collect())
    }

    fn loads(mesh: &LevelMesh<2>, partition: &Partition, size: usize) -> Vec<usize> {
        let cells = |rank| partition.patches_of(rank).map(|k| mesh.patches()[k].volume()).sum();
        (0..size).map(cells).collect()
    }

    proptest! {
        /// Every patch has an owner among the ranks, and no rank has more than the mean and a patch.
        #[test]
        fn loads_are_even(keep in proptest::collection::vec(any::<bool>(), 5..48), size in 1..70_usize) {
            prop_assume!(keep.contains(&true));
            let mesh = level(&keep);
            let partition = Partition::new(&mesh, size, None);
            let loads = loads(&mesh, &partition, size);
            prop_assert_eq!(loads.iter().sum::<usize>(), mesh.num_cells());
            let bound = mesh.num_cells() / size + 36;
            prop_assert!(loads.iter().all(|&load| load <= bound), "{:?}", loads);
        }
    }

    /// A level that changes a little keeps its cuts, and every patch that stays its owner; one that has left its place is cut anew.
    #[test]
    fn few_patches_move() {
        let all = level(&[true]);
        let before = Partition::new(&all, 4, None);
        let mut keep = vec![true; 48];
        keep[5] = false;
        let less = level(&keep);
        let after = Partition::new(&less, 4, Some(&before));
        for (k, patch) in less.patches().iter().enumerate() {
            let then = all.patches().iter().position(|p| p == patch).expect("a patch that was there");
            assert_eq!(after.owner(k), before.owner(then), "{patch:?}");
        }
        let corner: Vec<bool> = (0..48).map(|k| k % 8 < 4 && k < 24).collect();
        let moved = Partition::new(&level(&corner), 4, Some(&before));
        assert_eq!(loads(&level(&corner), &moved, 4), [108; 4]);
    }

    /// With fewer patches than ranks some own nothing.
    #[test]
    fn a_rank_may_own_nothing() {
        let mesh = level(&(0..48).map(|k| k < 3).collect::<Vec<_>>());
        let partition = Partition::new(&mesh, 5, None);
        let mut loads = loads(&mesh, &partition, 5);
        loads.sort_unstable();
        assert_eq!(loads, [0, 0, 36, 36, 36]);
    }
}
