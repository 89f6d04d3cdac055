//! Which rank owns which patch: ranks own pieces of Hilbert's curve.
//!
//! Patches of intermediate levels go to the owner of the finer patches over them, as far as the load allows. Shares follow the ranks' speeds.

mod cuts;

use super::curve::{LANES, keys_of};
use super::{LevelMesh, Speeds};
use crate::index::{CellBox, Ratio};
use cuts::{Load, cuts_at, largest_load, nearest_with_room, owner_of, smallest_load};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::sync::Arc;

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
/// One Hilbert curve passes through the patches of all levels. On the finest level, which has most of the work, and on the coarsest, which
/// never changes, each rank owns one segment of the curve. A patch of an intermediate level goes to the rank that owns most of the finer
/// cells over it or, without finer cells, to the owner of that segment; but only as far as the load stays even, since ranks wait for one
/// another in each step of a level. The partition depends on the meshes and on the shared speeds alone: all ranks compute the same one.
///
/// Invariant: every patch has one owner; a rank may own none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    owners: Vec<u32>,
    /// Rank `r > 0` owns the curve from `cuts[r − 1]` on: of this level, or of the finer level whose cuts this one follows.
    cuts: Vec<u64>,
}

/// Fewest patches per thread: fewer take less time than waking the thread.
const SHARED: usize = 1 << 10;

/// Cuts are kept while the largest load is at most this multiple of the smallest possible one, so that no patch moves to another rank.
const KEPT_WITHIN: f64 = 1.01;

/// How much longer a level's steps may take, so that its patches are on the ranks of the finer patches over them: a fraction of the
/// work of a step of the coarsest level.
const LONGER_AT_MOST: f64 = 0.02;

impl Partition {
    /// Distributes the levels of a hierarchy among ranks, by cells and by the ranks' speeds. `ratios[l]`: from level `l` to `l + 1`.
    /// `before`: the previous partition of a level, and whether the level keeps it because its mesh has not changed.
    pub fn of_levels<const D: usize>(
        levels: &[Arc<LevelMesh<D>>],
        ratios: &[Ratio<D>],
        speeds: &Speeds,
        before: impl Fn(usize) -> Option<(Arc<Partition>, bool)>,
    ) -> Vec<Arc<Partition>> {
        let steps: Vec<u64> = (0..levels.len()).map(|l| steps_of(&ratios[..l])).collect();
        let work: u64 = levels.iter().zip(&steps).map(|(mesh, steps)| steps * mesh.num_cells() as u64).sum();
        let longer = LONGER_AT_MOST * speeds.mean_of_fastest(work) as f64;
        let mut finer: Option<Arc<Partition>> = None;
        let mut partitions = Vec::with_capacity(levels.len());
        for (l, mesh) in levels.iter().enumerate().rev() {
            let partition = match (before(l), &finer) {
                (Some((kept, true)), _) => kept,
                (_, Some(above)) if l > 0 => {
                    let most = speeds.mean_of_fastest(mesh.num_cells() as u64) + (longer / steps[l] as f64) as u64;
                    Arc::new(Partition::under(mesh, (&levels[l + 1], ratios[l]), above, (speeds, most)))
                }
                (before, _) => Arc::new(Partition::new(mesh, speeds, before.as_ref().map(|(before, _)| &**before))),
            };
            finer = Some(partition.clone());
            partitions.push(partition);
        }
        partitions.reverse();
        partitions
    }

    /// Cuts a level independently of others. `before`: the level's previous partition, whose cuts are kept while they are even enough.
    fn new<const D: usize>(mesh: &LevelMesh<D>, speeds: &Speeds, before: Option<&Partition>) -> Self {
        let keyed = keyed(mesh);
        let cuts_before = before.map(|before| &before.cuts).filter(|cuts| cuts.len() + 1 == speeds.num_ranks());
        let load_before = cuts_before.map(|cuts| largest_load(&keyed, cuts, speeds) as f64);
        let is_even = |least: u64| load_before.is_some_and(|load| load <= KEPT_WITHIN * least as f64);
        // The load is usually so close to the mean that the smallest possible load need not be computed.
        let mean = speeds.mean_of_fastest(mesh.num_cells() as u64);
        let cuts = cuts_before.filter(|_| is_even(mean)).cloned().unwrap_or_else(|| {
            let mut sorted = keyed.clone();
            sorted.par_sort_unstable();
            let least = smallest_load(&sorted, speeds);
            cuts_before.filter(|_| is_even(least)).cloned().unwrap_or_else(|| cuts_at(&sorted, speeds, least))
        });
        let owners = keyed.par_iter().with_min_len(SHARED).map(|&(key, _)| owner_of(key, &cuts) as u32).collect();
        Partition { owners, cuts }
    }

    /// Distributes a level below a finer one that is already distributed. `most`: the largest load of a fastest rank up to which patches
    /// follow the finer ones.
    fn under<const D: usize>(
        mesh: &LevelMesh<D>,
        (finer, ratio): (&LevelMesh<D>, Ratio<D>),
        above: &Partition,
        (speeds, most): (&Speeds, u64),
    ) -> Self {
        let most_over = |patch: &CellBox<D>| above.owner_of_most(finer, &patch.fine_from_coarse(ratio));
        let most_over: Vec<Option<u32>> = mesh.patches().par_iter().with_min_len(SHARED / 8).map(most_over).collect();
        let keyed = keyed(mesh);
        let of_curve = |&(key, _): &Load| owner_of(key, &above.cuts) as u32;
        let wanted = most_over.iter().zip(&keyed).map(|(over, load)| over.unwrap_or_else(|| of_curve(load)));
        let (wanted, cuts): (Vec<u32>, _) = (wanted.collect(), above.cuts.clone());
        let mut loads = vec![0; speeds.num_ranks()];
        wanted.iter().zip(&keyed).for_each(|(&rank, &(_, cells))| loads[rank as usize] += cells);
        if loads.iter().enumerate().all(|(rank, &load)| load <= speeds.share(rank, most)) {
            return Partition { owners: wanted, cuts };
        }
        // Patches under finer ones choose first.
        let mut order: Vec<usize> = (0..keyed.len()).collect();
        order.par_sort_unstable_by_key(|&k| (most_over[k].is_none(), keyed[k]));
        let mut sorted = keyed.clone();
        sorted.par_sort_unstable();
        let most = most.max(smallest_load(&sorted, speeds));
        let (mut owners, mut held) = (vec![0; keyed.len()], vec![0; speeds.num_ranks()]);
        for k in order {
            let cells = keyed[k].1;
            let rank = nearest_with_room(wanted[k] as usize, cells, &held, speeds, most);
            (owners[k], held[rank]) = (rank as u32, held[rank] + cells);
        }
        Partition { owners, cuts }
    }

    /// The rank that owns most cells of the level in a box, the lowest rank if several do; `None` if the level has no cells there.
    fn owner_of_most<const D: usize>(&self, mesh: &LevelMesh<D>, cells: &CellBox<D>) -> Option<u32> {
        let mut owned: Vec<(u32, usize)> = Vec::new();
        mesh.for_each_image(cells, |image| {
            let (owner, cells) = (self.owners[image.patch], image.part.volume());
            match owned.iter_mut().find(|(rank, _)| *rank == owner) {
                Some((_, sum)) => *sum += cells,
                None => owned.push((owner, cells)),
            }
        });
        owned.into_iter().max_by_key(|&(rank, cells)| (cells, Reverse(rank))).map(|(rank, _)| rank)
    }

    /// A partition with the given owners, for tests that must hold for any partition.
    #[cfg(test)]
    pub(crate) fn of_owners(owners: Vec<u32>) -> Self {
        Partition { owners, cuts: Vec::new() }
    }

    /// Owner of a patch.
    pub fn owner(&self, patch: usize) -> usize {
        self.owners[patch] as usize
    }

    /// Whether a rank owns a patch; without a partition it owns all.
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

/// Steps of a level in one of the coarsest, if levels are refined in time as in space.
fn steps_of<const D: usize>(ratios: &[Ratio<D>]) -> u64 {
    ratios.iter().map(|ratio| ratio.0.iter().copied().max().unwrap_or(1) as u64).product()
}

/// The position on the curve and the number of cells of each patch.
fn keyed<const D: usize>(mesh: &LevelMesh<D>) -> Vec<Load> {
    let domain = mesh.domain();
    mesh.patches()
        .par_chunks(LANES)
        .with_min_len(SHARED / LANES)
        .flat_map_iter(|few| few.iter().zip(keys_of(few, &domain)).map(|(patch, key)| (key, patch.volume() as u64)))
        .collect()
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

    /// A level of blocks, and over its left half one of smaller blocks with twice the cells along each axis.
    fn two_levels() -> ([Arc<LevelMesh<2>>; 2], [Ratio<2>; 1]) {
        let coarse = level(&[true]);
        let fine_domain = coarse.domain().fine_from_coarse(Ratio([2, 2]));
        let blocks = CellBox::new([0, 0], [12, 18]).cells();
        let patches = blocks.map(|block| CellBox::cell(block).fine_from_coarse(Ratio([4, 4]))).collect();
        let fine = LevelMesh::new(fine_domain, [false, true], patches);
        ([Arc::new(coarse), Arc::new(fine)], [Ratio([2, 2])])
    }

    /// An intermediate level follows the finer one over it: far fewer cells have another owner than the finer patch over them than if the
    /// level were cut independently; and its loads are as even, up to the allowed extra time.
    #[test]
    fn a_level_follows_the_finer_one() {
        let ([coarse, fine], ratios) = two_levels();
        let base = Arc::new(LevelMesh::new(
            CellBox::new([0, 0], [24, 18]),
            [false, true],
            vec![CellBox::new([0, 0], [24, 18])],
        ));
        let levels = [base, coarse.clone(), fine.clone()];
        let speeds = Speeds::equal(6);
        let shared = Partition::of_levels(&levels, &[Ratio([2, 2]), ratios[0]], &speeds, |_| None);
        let crossing = |own: &Partition| -> usize {
            let pairs = fine.patches().iter().zip(shared[2].owners());
            let under = |(patch, &owner): (&CellBox<2>, &u32)| {
                let mut cells = 0;
                coarse.for_each_image(&patch.coarse_from_fine(ratios[0]), |image| {
                    cells += if own.owners[image.patch] == owner { 0 } else { image.part.volume() };
                });
                cells
            };
            pairs.map(under).sum()
        };
        let alone = Partition::new(&coarse, &speeds, None);
        assert!(3 * crossing(&shared[1]) < crossing(&alone), "{} {}", crossing(&shared[1]), crossing(&alone));
        // 288 cells are the mean; two hundredths of 4 · 1728 + 2 · 1728 + 432 cells' steps are 11 for each step of the level and rank.
        let most = loads(&coarse, &shared[1], 6).into_iter().max().unwrap();
        assert!(most <= 288 + 36, "{most}");
        assert_eq!(shared[2], Arc::new(Partition::new(&fine, &speeds, None)), "the finest is cut by itself");
    }

    proptest! {
        /// Whatever finer patches there are, and whatever the ranks' speeds: each patch has an owner, and no rank has more than the limit or,
        /// where patches are too large for that, more than an even share plus their size.
        #[test]
        fn what_follows_is_even(
            keep in proptest::collection::vec(any::<bool>(), 5..48),
            speeds in proptest::collection::vec(100..1000_u32, 1..9),
            longer in 0..200_u64,
        ) {
            let ([coarse, fine], ratios) = two_levels();
            prop_assume!(keep.contains(&true));
            let kept = fine.patches().iter().zip(keep.iter().cycle()).filter(|(_, keep)| **keep).map(|(patch, _)| *patch);
            let finer = LevelMesh::new(fine.domain(), [false, true], kept.collect());
            let speeds = Speeds::of(&[&[Speeds::FASTEST][..], &speeds].concat());
            let above = Partition::new(&finer, &speeds, None);
            let mean = speeds.mean_of_fastest(coarse.num_cells() as u64);
            let own = Partition::under(&coarse, (&finer, ratios[0]), &above, (&speeds, mean + longer));
            let loads = loads(&coarse, &own, speeds.num_ranks());
            prop_assert_eq!(loads.iter().sum::<usize>(), coarse.num_cells());
            // Ranks too slow for a patch leave their share to others.
            let most = mean + longer.max(36 * speeds.num_ranks() as u64);
            for (rank, load) in loads.iter().enumerate() {
                prop_assert!(*load as u64 <= speeds.share(rank, most), "{:?}", loads);
            }
        }
    }

    /// A level that changes little keeps its cuts, so that remaining patches keep their owners; a level that has moved is cut again.
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

    /// Loads are proportional to the ranks' speeds; a rank whose share is less than a patch has none.
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
