//! Cutting the curve into one segment per rank.

use crate::mesh::Speeds;

/// A patch: its position on the curve and its number of cells.
pub type Load = (u64, u64);

/// The rank that owns a position.
pub fn owner_of(key: u64, cuts: &[u64]) -> usize {
    cuts.partition_point(|&cut| cut <= key)
}

/// The largest load of a rank, converted to a load of the fastest ranks that takes as long.
pub fn largest_load(patches: &[Load], cuts: &[u64], speeds: &Speeds) -> u64 {
    let mut loads = vec![0; cuts.len() + 1];
    patches.iter().for_each(|&(key, cells)| loads[owner_of(key, cuts)] += cells);
    loads.into_iter().enumerate().map(|(rank, load)| speeds.as_of_fastest(rank, load)).max().unwrap_or(0)
}

/// Fills one rank after another up to its share, which is `most` for the fastest ones. Returns where each rank but the first begins:
/// possibly behind the end; a rank that has no room for a patch begins where the next one does.
pub fn cuts_at(sorted: &[Load], speeds: &Speeds, most: u64) -> Vec<u64> {
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

/// The rank nearest to `wanted`, by number, with room for `cells` more cells if the fastest ranks may have `most`; if there is none, the
/// rank that would take the shortest time for its total load. `held`: the present loads.
pub fn nearest_with_room(wanted: usize, cells: u64, held: &[u64], speeds: &Speeds, most: u64) -> usize {
    let has_room = |&rank: &usize| held[rank] + cells <= speeds.share(rank, most);
    let around = (0..held.len()).flat_map(|d| [wanted.checked_sub(d), Some(wanted + d)]).flatten();
    around.filter(|&rank| rank < held.len()).find(has_room).unwrap_or_else(|| {
        let time = |&rank: &usize| speeds.as_of_fastest(rank, held[rank] + cells);
        (0..held.len()).min_by_key(time).expect("there is a rank")
    })
}

/// The smallest possible load of the fastest ranks, if each rank takes consecutive patches and no rank takes longer than they.
pub fn smallest_load(sorted: &[Load], speeds: &Speeds) -> u64 {
    let sums: Vec<u64> = sorted
        .iter()
        .scan(0, |sum, &(_, cells)| {
            *sum += cells;
            Some(*sum)
        })
        .collect();
    let total = sums.last().copied().unwrap_or(0);
    let largest = sorted.iter().map(|&(_, cells)| cells).max().unwrap_or(0);
    let mut too_few = largest.max(speeds.mean_of_fastest(total)).saturating_sub(1);
    let mut enough = too_few + largest + 1;
    // Fills each rank up to its share, whose end is found by binary search in the sums.
    let fits = |most: u64| {
        let (mut taken, mut begin) = (0, 0);
        for rank in 0..speeds.num_ranks() {
            let share = speeds.share(rank, most);
            begin += sums[begin..].partition_point(|sum| sum - taken <= share);
            if begin == sums.len() {
                return true;
            }
            taken = if begin == 0 { 0 } else { sums[begin - 1] };
        }
        false
    };
    // Where slow ranks have no room for a patch, the bound from the mean is far too small.
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
    use proptest::prelude::*;

    /// Whether ranks have room for patches that they take one after another, as long as each fits.
    fn has_room(sorted: &[Load], speeds: &Speeds, most: u64) -> bool {
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
    }

    proptest! {
        /// The smallest load for which there is room, patch by patch: one cell less is too few, unless a patch or the mean is larger.
        #[test]
        fn no_smaller_load_has_room(
            cells in proptest::collection::vec(1..50_u64, 0..40),
            speeds in proptest::collection::vec(10..1000_u32, 0..7),
        ) {
            let sorted: Vec<Load> = (0..).zip(cells).collect();
            let speeds = Speeds::of(&[&[Speeds::FASTEST][..], &speeds].concat());
            let least = smallest_load(&sorted, &speeds);
            prop_assert!(has_room(&sorted, &speeds, least));
            let total = sorted.iter().map(|&(_, cells)| cells).sum();
            let bound = sorted.iter().map(|&(_, cells)| cells).max().unwrap_or(0).max(speeds.mean_of_fastest(total));
            prop_assert!(least <= bound.max(1) || !has_room(&sorted, &speeds, least - 1), "{least}");
        }
    }
}
