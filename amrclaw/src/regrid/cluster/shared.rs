//! Clustering by several ranks, each of which knows some of the tags. They cut the largest candidates together, each cut dividing the ranks
//! too, until one rank is left to each candidate: it has all tags of it then, and goes on alone.
//!
//! A rank's work and what it sends follow its own tags, times the logarithm of the number of ranks, and not the tags of all.

use super::{Candidate, ClusterParams, assert_differences_fit};
use crate::exec::comm::{CommError, Head, Ranks};
use crate::index::CellBox;
use crate::mesh::{LevelMesh, Partition, Rank, TagCounter, TagSet};

/// Moves tags, which reach into what lies around other ranks' patches, so that one rank alone has those of a tile: the owner of the first
/// patch in it or, where there is none, a rank that follows from the tile's place. All ranks call it.
///
/// # Errors
/// As for [`Communicator::wait`](crate::exec::comm::Communicator::wait).
pub fn with_one_rank<const D: usize>(
    mut tags: TagSet<D>,
    mesh: &LevelMesh<D>,
    partition: &Partition,
    ranks: &Ranks,
    head: Head,
) -> Result<TagSet<D>, CommError> {
    let Rank { number, of } = ranks.rank();
    let rank_of = |cells: &CellBox<D>| {
        let mut first = None;
        mesh.for_each_image(cells, |image| first = Some(first.map_or(image.patch, |k: usize| k.min(image.patch))));
        let anywhere = || cells.hi.iter().map(|&end| i64::from(end)).sum::<i64>().rem_euclid(of as i64) as usize;
        first.map_or_else(anywhere, |patch| partition.owner(patch))
    };
    let for_others = tags.take_tiles(|cells| Some(rank_of(cells)).filter(|&rank| rank != number));
    for words in ranks.exchange(head, for_others)? {
        tags.add_words(&words);
    }
    Ok(tags)
}

/// The tags of the candidate that is left to this rank, of all ranks' tags, each of which one rank alone has; empty if there are fewer
/// candidates than ranks. `params`: none if tags are not to be divided. All ranks call it.
///
/// What ranks make of their candidates by [`cluster`](super::cluster) is together what one makes of all tags.
///
/// # Errors
/// As for [`Communicator::wait`](crate::exec::comm::Communicator::wait).
pub fn part_of_rank<const D: usize>(
    mut tags: TagSet<D>,
    params: Option<&ClusterParams>,
    ranks: &Ranks,
    head: Head,
) -> Result<TagSet<D>, CommError> {
    let Rank { number, of } = ranks.rank();
    let (mut group, mut region) = (0..of, bounds_of_all(&tags, ranks)?);
    while group.len() > 1 && !region.is_empty() {
        let mut signatures = Vec::new();
        let mut candidate = Candidate::of_own_tags(region, &mut signatures, &TagCounter::new(&tags));
        ranks.sum(&group, head, &mut signatures)?;
        assert_differences_fit(&signatures);
        candidate.settle(&signatures);
        let (lower, upper, share) = halves(&candidate, &signatures, params);
        // Each half has ranks in proportion to its tags.
        let ranks_below = ((group.len() as f64 * share).round() as usize).clamp(1, group.len() - 1);
        let (below, above) = (group.start..group.start + ranks_below, group.start + ranks_below..group.end);
        let ((own, ours), (other, theirs)) = match below.contains(&number) {
            true => ((lower, below), (upper, above)),
            false => ((upper, above), (lower, below)),
        };
        // Those of one half send what the other's have to know, each to the one in its place, again from the first one on.
        ranks.post_words(theirs.start + (number - ours.start) % theirs.len(), head, &tags.words_in(&other))?;
        let mut kept = TagSet::new(*tags.domain());
        kept.add_words(&tags.words_in(&own));
        for from in theirs.clone().skip(number - ours.start).step_by(ours.len()) {
            kept.add_words(&ranks.wait_for_words(from, head)?);
        }
        (tags, group, region) = (kept, ours, own);
    }
    Ok(tags)
}

/// The two parts of a candidate, and which part of the tags lies in the first one. If only one rank can tell where to cut it, if at all, the
/// first is the whole.
fn halves<const D: usize>(
    candidate: &Candidate<D>,
    signatures: &[u32],
    params: Option<&ClusterParams>,
) -> (CellBox<D>, CellBox<D>, f64) {
    let bounds = candidate.bounds;
    let params = params.filter(|params| candidate.efficiency() < params.cutoff);
    let Some(cut) = params.and_then(|params| candidate.cut_by_planes(signatures, params.min_size)) else {
        return (bounds, CellBox::EMPTY, 0.0);
    };
    let (lower, upper) = bounds.split(cut.axis, cut.at);
    let planes = &candidate.signature(cut.axis, signatures)[..(cut.at - bounds.lo[cut.axis]) as usize];
    let tagged: usize = planes.iter().map(|&n| n as usize).sum();
    (lower, upper, tagged as f64 / candidate.tagged as f64)
}

/// The smallest box that holds the tags of all ranks.
fn bounds_of_all<const D: usize>(tags: &TagSet<D>, ranks: &Ranks) -> Result<CellBox<D>, CommError> {
    let all = ranks.gather(&words_of_boxes(&[tags.bounding_box()]))?;
    Ok(all.iter().flat_map(|words| boxes_of_words(words)).fold(CellBox::EMPTY, |hull, bounds| hull.hull(&bounds)))
}

/// Boxes in words: for each axis a word of both ends.
pub fn words_of_boxes<const D: usize>(boxes: &[CellBox<D>]) -> Vec<u64> {
    let ends = |cells: &CellBox<D>| {
        let CellBox { lo, hi } = *cells;
        (0..D).map(move |d| u64::from(lo[d] as u32) | u64::from(hi[d] as u32) << 32)
    };
    boxes.iter().flat_map(ends).collect()
}

/// Back from [`words_of_boxes`].
pub fn boxes_of_words<const D: usize>(words: &[u64]) -> impl Iterator<Item = CellBox<D>> {
    words.chunks_exact(D).map(|ends| {
        CellBox::new(std::array::from_fn(|d| ends[d] as i32), std::array::from_fn(|d| (ends[d] >> 32) as i32))
    })
}

#[cfg(test)]
mod tests {
    use super::super::cluster;
    use super::*;
    use crate::exec::comm::{Phase, Threads, USUAL_PATIENCE};
    use parking_lot::Mutex;
    use proptest::prelude::*;
    use std::sync::Arc;

    const HEAD: Head = Head { phase: Phase::Flags, level: 0, epoch: 0 };

    /// The boxes that ranks make of tags together. Each rank has the tags in its patches, and those in a few cells around them, which it has
    /// in common with others; patches go to ranks in turn.
    fn by_ranks<const D: usize>(
        tags: &TagSet<D>,
        mesh: &LevelMesh<D>,
        params: &ClusterParams,
        size: usize,
    ) -> Vec<CellBox<D>> {
        let owners: Vec<u32> = (0..mesh.patches().len()).map(|k| (k % size) as u32).collect();
        let (partition, found) = (Partition::of_owners(owners), Mutex::new(Vec::new()));
        let work = |ranks: Ranks| {
            let mut own = TagSet::new(*tags.domain());
            for patch in partition.patches_of(ranks.rank().number) {
                own.add_words(&tags.words_in(&mesh.patches()[patch].grow(3)));
            }
            let own = with_one_rank(own, mesh, &partition, &ranks, HEAD).expect("all are there");
            let part = part_of_rank(own, Some(params), &ranks, HEAD).expect("all are there");
            found.lock().extend(cluster(&part, params));
        };
        Threads::run(size, USUAL_PATIENCE, &Arc::default(), work, work).expect("threads");
        found.into_inner()
    }

    /// Any number of ranks makes the boxes of one, in any dimension: blobs with gaps and steps, and scattered cells.
    fn check<const D: usize>(blobs: &[([i32; 3], [i32; 3])], size: usize, cutoff: f64) -> Result<(), TestCaseError> {
        let domain = CellBox::new([-5; D], std::array::from_fn(|d| [200, 90, 40][d]));
        let mut patches = vec![domain];
        for at in [10, 60, 130] {
            let whole = patches.pop().expect("there is one");
            let (lower, upper) = whole.split(0, at);
            patches.extend([lower, upper]);
        }
        let mesh = LevelMesh::new(domain, [false; D], patches);
        let mut tags = TagSet::new(domain);
        for (lo, extent) in blobs {
            tags.insert_box(&CellBox::new(std::array::from_fn(|d| lo[d]), std::array::from_fn(|d| lo[d] + extent[d])));
        }
        let params = ClusterParams { cutoff, ..ClusterParams::default() };
        let (mut expected, mut found) = (cluster(&tags, &params), by_ranks(&tags, &mesh, &params, size));
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected, "{} ranks", size);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn ranks_make_the_boxes_of_one(
            blobs in prop::collection::vec(([-5..190i32, -5..80i32, -5..36i32], [1..60i32, 1..30i32, 1..20i32]), 0..9),
            size in 1..9usize, cutoff in 0.5..1.0,
        ) {
            check::<1>(&blobs, size, cutoff)?;
            check::<2>(&blobs, size, cutoff)?;
            check::<3>(&blobs, size, cutoff)?;
        }
    }

    /// Tags that are not to be divided all come to the first rank; boxes come back from words, below zero too.
    #[test]
    fn one_rank_can_have_all() {
        let domain = CellBox::new([-70, 0], [90, 50]);
        let work = |ranks: Ranks| {
            let mut own = TagSet::new(domain);
            let place = 7 * ranks.rank().number as i32;
            own.insert_box(&CellBox::new([place - 70, place], [place - 65, place + 2]));
            let part = part_of_rank(own, None, &ranks, HEAD).expect("all are there");
            assert_eq!(part.count(), if ranks.is_first() { 10 * ranks.rank().of } else { 0 });
        };
        Threads::run(5, USUAL_PATIENCE, &Arc::default(), work, work).expect("threads");
        let boxes = [domain, CellBox::new([i32::MIN, -1], [-1, i32::MAX])];
        assert!(boxes_of_words::<2>(&words_of_boxes(&boxes)).eq(boxes));
    }
}
