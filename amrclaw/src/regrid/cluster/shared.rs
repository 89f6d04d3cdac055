//! Clustering by several ranks, each of which holds some of the tags. The ranks cut the largest candidates together, and each cut divides
//! the group of ranks too, until each candidate is left to one rank, which then holds all of its tags and continues alone.
//!
//! A rank's work and messages grow with its own tags times the logarithm of the number of ranks, not with the tags of all ranks.

use super::{Candidate, ClusterParams, assert_differences_fit};
use crate::index::CellBox;
use crate::mesh::{LevelMesh, Partition, Rank, TagCounter, TagSet};
use crate::ranks::{CommError, MessageHeader, Ranks};

/// Redistributes tags, of which several ranks may hold the same ones around their patches, so that one rank holds all tags of a tile: the
/// owner of the first patch in the tile or, without a patch, a rank computed from the tile's index. A collective operation.
///
/// # Errors
/// As for [`Communicator::wait`](crate::ranks::Communicator::wait).
pub fn redistribute_tags<const D: usize>(
    mut tags: TagSet<D>,
    mesh: &LevelMesh<D>,
    partition: &Partition,
    ranks: &Ranks,
    header: MessageHeader,
) -> Result<TagSet<D>, CommError> {
    let Rank { number, of } = ranks.rank();
    let rank_of = |cells: &CellBox<D>| {
        let mut first = None;
        mesh.for_each_image(cells, |image| first = Some(first.map_or(image.patch, |k: usize| k.min(image.patch))));
        let anywhere = || cells.hi.iter().map(|&end| i64::from(end)).sum::<i64>().rem_euclid(of as i64) as usize;
        first.map_or_else(anywhere, |patch| partition.owner(patch))
    };
    let for_others = tags.take_tiles(|cells| Some(rank_of(cells)).filter(|&rank| rank != number));
    for words in ranks.exchange(header, for_others)? {
        tags.add_words(&words);
    }
    Ok(tags)
}

/// All tags of the candidate that is left to this rank; empty if there are fewer candidates than ranks. Each tag must be held by one rank
/// only. `params`: `None` if all tags are to go to the first rank. A collective operation.
///
/// The boxes that the ranks get from their candidates by [`cluster`](super::cluster) are together those of a single rank.
///
/// # Errors
/// As for [`Communicator::wait`](crate::ranks::Communicator::wait).
pub fn divide_among_ranks<const D: usize>(
    mut tags: TagSet<D>,
    params: Option<&ClusterParams>,
    ranks: &Ranks,
    header: MessageHeader,
) -> Result<TagSet<D>, CommError> {
    let Rank { number, of } = ranks.rank();
    let (mut group, mut region) = (0..of, bounds_of_all(&tags, ranks)?);
    while group.len() > 1 && !region.is_empty() {
        let mut signatures = Vec::new();
        let mut candidate = Candidate::of_own_tags(region, &mut signatures, &TagCounter::new(&tags));
        ranks.sum(&group, header, &mut signatures)?;
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
        // Each rank of one half sends its tags in the other half to the rank of equal position there, cyclically.
        ranks.post_words(theirs.start + (number - ours.start) % theirs.len(), header, &tags.words_in(&other))?;
        let mut kept = TagSet::new(*tags.domain());
        kept.add_words(&tags.words_in(&own));
        for from in theirs.clone().skip(number - ours.start).step_by(ours.len()) {
            kept.add_words(&ranks.wait_for_words(from, header)?);
        }
        (tags, group, region) = (kept, ours, own);
    }
    Ok(tags)
}

/// The two parts of a candidate, and the fraction of its tags in the first one. If the signatures do not determine a cut, the first part is
/// the whole, and one rank continues with it.
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
    let all = ranks.gather(&boxes_to_words(&[tags.bounding_box()]))?;
    Ok(all.iter().flat_map(|words| boxes_from_words(words)).fold(CellBox::EMPTY, |hull, bounds| hull.hull(&bounds)))
}

/// Boxes serialized as words: one word per axis, with both ends.
pub fn boxes_to_words<const D: usize>(boxes: &[CellBox<D>]) -> Vec<u64> {
    let ends = |cells: &CellBox<D>| {
        let CellBox { lo, hi } = *cells;
        (0..D).map(move |d| u64::from(lo[d] as u32) | u64::from(hi[d] as u32) << 32)
    };
    boxes.iter().flat_map(ends).collect()
}

/// The inverse of [`boxes_to_words`].
pub fn boxes_from_words<const D: usize>(words: &[u64]) -> impl Iterator<Item = CellBox<D>> {
    words.chunks_exact(D).map(|ends| {
        CellBox::new(std::array::from_fn(|d| ends[d] as i32), std::array::from_fn(|d| (ends[d] >> 32) as i32))
    })
}

#[cfg(test)]
mod tests {
    use super::super::cluster;
    use super::*;
    use crate::ranks::{DEFAULT_TIMEOUT, MessageKind, Threads};
    use parking_lot::Mutex;
    use proptest::prelude::*;
    use std::sync::Arc;

    const HEAD: MessageHeader = MessageHeader { kind: MessageKind::Flags, level: 0, epoch: 0 };

    /// The boxes that several ranks make of tags together. Each rank holds the tags in its patches and in a few cells around them, which
    /// other ranks may hold too; patches are distributed to ranks cyclically.
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
            let own = redistribute_tags(own, mesh, &partition, &ranks, HEAD).expect("all are there");
            let part = divide_among_ranks(own, Some(params), &ranks, HEAD).expect("all are there");
            found.lock().extend(cluster(&part, params));
        };
        Threads::run(size, DEFAULT_TIMEOUT, &Arc::default(), work, work).expect("threads");
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
            tags.insert_boxes(&[CellBox::new(
                std::array::from_fn(|d| lo[d]),
                std::array::from_fn(|d| lo[d] + extent[d]),
            )]);
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

    /// Without `params` all tags go to the first rank; boxes, with negative indices too, survive the conversion to words.
    #[test]
    fn one_rank_can_have_all() {
        let domain = CellBox::new([-70, 0], [90, 50]);
        let work = |ranks: Ranks| {
            let mut own = TagSet::new(domain);
            let place = 7 * ranks.rank().number as i32;
            own.insert_boxes(&[CellBox::new([place - 70, place], [place - 65, place + 2])]);
            let part = divide_among_ranks(own, None, &ranks, HEAD).expect("all are there");
            assert_eq!(part.count(), if ranks.is_first() { 10 * ranks.rank().of } else { 0 });
        };
        Threads::run(5, DEFAULT_TIMEOUT, &Arc::default(), work, work).expect("threads");
        let boxes = [domain, CellBox::new([i32::MIN, -1], [-1, i32::MAX])];
        assert!(boxes_from_words::<2>(&boxes_to_words(&boxes)).eq(boxes));
    }
}
