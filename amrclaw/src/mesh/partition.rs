//! Which rank owns which patch: ranks own pieces of Hilbert's curve.

use super::curve::key_of;
use super::{LevelMesh, Speeds};

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
/// is still mostly at home together. A function of the meshes and of what all know of the ranks: the same on every rank.
///
/// Invariant: every patch has one owner; a rank may own none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    owners: Vec<u32>,
    /// Rank `r`, but the first, owns the curve from `cuts[r − 1]` on.
    cuts: Vec<u64>,
}

/// Cuts stay as they are while the largest load is at most this part of the smallest possible one: every patch then stays where it is.
const KEPT_WITHIN: f64 = 1.03;

impl Partition {
    /// Shares a level out among ranks, by cells and by how fast the ranks are. `before`: the level's partition before it was replaced; its
    /// cuts are kept as long as they do.
    pub fn new<const D: usize>(mesh: &LevelMesh<D>, speeds: &Speeds, before: Option<&Partition>) -> Self {
        let domain = mesh.domain();
        let patches = mesh.patches().iter();
        let keyed: Vec<(u64, u64)> = patches.map(|p| (key_of(p, &domain), p.volume() as u64)).collect();
        let mut sorted = keyed.clone();
        sorted.sort_unstable();
        let least = smallest_load(&sorted, speeds);
        let keeps = |cuts: &&Vec<u64>| {
            cuts.len() + 1 == speeds.num_ranks()
                && largest_load(&keyed, cuts, speeds) as f64 <= KEPT_WITHIN * least as f64
        };
        let kept = before.map(|before| &before.cuts).filter(keeps);
        let cuts = kept.cloned().unwrap_or_else(|| cuts_at(&sorted, speeds, least));
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

/// The largest load of a rank, as the fastest ones would have it.
fn largest_load(keyed: &[(u64, u64)], cuts: &[u64], speeds: &Speeds) -> u64 {
    let mut loads = vec![0; cuts.len() + 1];
    keyed.iter().for_each(|&(key, cells)| loads[owner_of(key, cuts)] += cells);
    loads.into_iter().enumerate().map(|(rank, load)| speeds.as_of_fastest(rank, load)).max().unwrap_or(0)
}

/// Fills one rank after the other up to its share, which is `most` of the fastest ones; answers where each but the first begins, which may
/// be behind the end, and is where the next one begins of a rank that has no room for a patch.
fn cuts_at(sorted: &[(u64, u64)], speeds: &Speeds, most: u64) -> Vec<u64> {
    let last_rank = speeds.num_ranks() - 1;
    let (mut cuts, mut load) = (Vec::with_capacity(last_rank), 0);
    let mut last = None;
    for &(key, cells) in sorted {
        // Patches at the same position have the same owner.
        while cuts.len() < last_rank && load + cells > speeds.share(cuts.len(), most) && last != Some(key) {
            cuts.push(key);
            load = 0;
        }
        load += cells;
        last = Some(key);
    }
    cuts.resize(last_rank, u64::MAX);
    cuts
}

/// The smallest load that the fastest ranks can have, if each rank takes patches that follow one another, and none takes longer than
/// they.
fn smallest_load(sorted: &[(u64, u64)], speeds: &Speeds) -> u64 {
    let total: u64 = sorted.iter().map(|&(_, cells)| cells).sum();
    let largest = sorted.iter().map(|&(_, cells)| cells).max().unwrap_or(0);
    let mut too_few = largest.max(speeds.mean_of_fastest(total)).saturating_sub(1);
    let mut enough = too_few + largest + 1;
    let fits = |most: u64| {
        let (mut rank, mut load) = (0, 0);
        for &(_, cells) in sorted {
            while load + cells > speeds.share(rank, most) {
                (rank, load) = (rank + 1, 0);
                if rank == speeds.num_ranks() {
                    return false;
                }
            }
            load += cells;
        }
        true
    };
    // Where slow ranks have no room for a patch, the mean is not nearly what can be had.
    while !fits(enough) {
        (too_few, enough) = (enough, 2 * enough);
    }
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
            let partition = Partition::new(&mesh, &Speeds::equal(size), None);
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
        let before = Partition::new(&all, &Speeds::equal(4), None);
        let mut keep = vec![true; 48];
        keep[5] = false;
        let less = level(&keep);
        let after = Partition::new(&less, &Speeds::equal(4), Some(&before));
        for (k, patch) in less.patches().iter().enumerate() {
            let then = all.patches().iter().position(|p| p == patch).expect("a patch that was there");
            assert_eq!(after.owner(k), before.owner(then), "{patch:?}");
        }
        let corner: Vec<bool> = (0..48).map(|k| k % 8 < 4 && k < 24).collect();
        let moved = Partition::new(&level(&corner), &Speeds::equal(4), Some(&before));
        assert_eq!(loads(&level(&corner), &moved, 4), [108; 4]);
    }

    /// With fewer patches than ranks some own nothing.
    #[test]
    fn a_rank_may_own_nothing() {
        let mesh = level(&(0..48).map(|k| k < 3).collect::<Vec<_>>());
        let partition = Partition::new(&mesh, &Speeds::equal(5), None);
        let mut loads = loads(&mesh, &partition, 5);
        loads.sort_unstable();
        assert_eq!(loads, [0, 0, 36, 36, 36]);
    }

    /// Ranks have patches as they are fast; one whose share is less than a patch has none.
    #[test]
    fn faster_ranks_have_more() {
        let mesh = level(&[true]);
        let shared = |speeds: &[u32]| loads(&mesh, &Partition::new(&mesh, &Speeds::of(speeds), None), speeds.len());
        assert_eq!(shared(&[1000, 500, 1000]), [20 * 36, 10 * 36, 18 * 36]);
        assert_eq!(shared(&[500, 1000, 10, 1000]), [10 * 36, 20 * 36, 0, 18 * 36]);
        let even = Partition::new(&mesh, &Speeds::equal(3), None);
        let later = Partition::new(&mesh, &Speeds::of(&[1000, 500, 1000]), Some(&even));
        assert_eq!(loads(&mesh, &later, 3), [20 * 36, 10 * 36, 18 * 36], "cuts that no longer do");
    }
}
