//! Covering tags with few boxes: M. Berger & I. Rigoutsos 1991, doi:10.1109/21.120081.
//!
//! A box is shrunk to its tags. If the tagged part of its cells reaches the cutoff it is kept; otherwise it is cut in
//! two and each half is treated the same way. Where to cut follows from the signatures, the number of tags in each
//! plane across an axis: at a plane without tags, else where the signature's second difference changes sign with the
//! largest jump, which is the edge of a feature.

use crate::index::CellBox;
use crate::mesh::{TagCounter, TagSet, has_empty_plane, jump_and_distance, strongest_bend};
use rayon::prelude::*;
use std::cmp::Reverse;

mod shared;

pub use shared::{boxes_from_words, boxes_to_words, divide_among_ranks, redistribute_tags};

/// Efficiency below which a box without holes and inflections is bisected. Bisection cuts at arbitrary places, so that a box
/// of moderate efficiency is better kept whole. AMRClaw used this bound before it abandoned bisection.
pub const HALVED_BELOW: f64 = 0.4;

/// Parameters of clustering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterParams {
    /// Smallest accepted efficiency, tagged cells over all cells of a box; between 0 and 1.
    pub cutoff: f64,
    /// Fewest cells on either side of a cut that does not go through a plane without tags; at least 1.
    pub min_size: i32,
}

impl Default for ClusterParams {
    /// Clawpack's usual choice: efficiency 0.7, cuts at least two cells from a box's ends.
    fn default() -> Self {
        ClusterParams { cutoff: 0.7, min_size: 2 }
    }
}

/// Disjoint boxes that hold all tags, in an order that depends on the tags alone.
///
/// Each box is the bounding box of its tags. It reaches the cutoff, or it has no plane without tags, no change of sign
/// in a signature's second difference at least `min_size` (and two) cells from its ends, and either its efficiency is
/// at least [`HALVED_BELOW`] or bisecting it would not pay.
/// The boxes are in cells of the tags' level, so that patches refined from them are aligned with that level.
pub fn cluster<const D: usize>(tags: &TagSet<D>, params: &ClusterParams) -> Vec<CellBox<D>> {
    assert!(params.min_size >= 1, "boxes cannot be smaller than one cell: min_size = {}", params.min_size);
    let counter = TagCounter::new(tags);
    let mut signatures = Vec::new();
    let whole = Candidate::new(counter.bounds(), &mut signatures, &counter);
    if whole.tagged == 0 {
        return Vec::new();
    }
    assert_differences_fit(&signatures);
    let small = CELLS_FOR_A_THREAD.max(whole.bounds.volume() / PARTS);
    let mut parts = Vec::new();
    let mut accepted = divide(whole, signatures, &counter, params, &mut |candidate, signatures| {
        let is_small = candidate.bounds.volume() <= small;
        if is_small {
            parts.push(candidate.detach(signatures));
        }
        is_small
    });
    let divide_part = |(part, signatures)| divide(part, signatures, &counter, params, &mut |_, _| false);
    let divided: Vec<_> = parts.into_par_iter().map(divide_part).collect();
    divided.into_iter().for_each(|boxes| accepted.extend(boxes));
    accepted
}

/// Asserts that the second differences of the signatures fit in 32 bits.
fn assert_differences_fit(signatures: &[u32]) {
    let most = signatures.iter().max().expect("a box that is cut has planes");
    assert!(*most < 1 << 29, "{most} tags in one plane: their second differences do not fit into 32 bits");
}

/// A candidate with at most this fraction of all cells (one in so many), or with at most so many cells, is divided by one thread.
/// The few larger candidates are divided first by a single thread: fetching tags from other caches takes longer than counting them.
const PARTS: usize = 16;
const CELLS_FOR_A_THREAD: usize = 1 << 17;

/// The boxes into which a candidate is divided, except those of parts for which `put_off`, given their signatures, returns true.
///
/// `signatures` is a stack: the signatures of the next candidate are on top, and those of its two parts replace them.
fn divide<const D: usize>(
    whole: Candidate<D>,
    mut signatures: Vec<u32>,
    counter: &TagCounter<D>,
    params: &ClusterParams,
    put_off: &mut impl FnMut(&Candidate<D>, &[u32]) -> bool,
) -> Vec<CellBox<D>> {
    let mut accepted = Vec::new();
    let mut pending = vec![whole];
    while let Some(candidate) = pending.pop() {
        signatures.truncate(candidate.end);
        if put_off(&candidate, &signatures) {
            continue;
        }
        let efficiency = candidate.efficiency();
        let cut = match efficiency >= params.cutoff {
            true => None,
            false => candidate.cut(&signatures, counter.tags(), efficiency, params.min_size),
        };
        match cut {
            None => accepted.push(candidate.bounds),
            Some(cut) => {
                let (smaller, larger) = candidate.split(cut, &mut signatures, counter);
                pending.extend([larger, smaller]);
            }
        }
    }
    accepted
}

/// A cut before cell `at` of `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    axis: usize,
    at: i32,
}

/// A box that is the bounding box of its tags. Its signatures are stored in an array shared with other candidates.
struct Candidate<const D: usize> {
    bounds: CellBox<D>,
    /// Tagged cells.
    tagged: usize,
    /// Start of the signature along each axis in that array, and the end of the candidate's signatures.
    starts: [usize; D],
    end: usize,
}

impl<const D: usize> Candidate<D> {
    /// The tags of `region`, counted; the signatures are added to `signatures`.
    fn new(region: CellBox<D>, signatures: &mut Vec<u32>, counter: &TagCounter<D>) -> Self {
        let mut counted = Candidate::of_own_tags(region, signatures, counter);
        counted.settle(signatures);
        counted
    }

    /// A region with the signatures of one rank's tags. Those of other ranks must be added before [`Candidate::settle`].
    fn of_own_tags(region: CellBox<D>, signatures: &mut Vec<u32>, counter: &TagCounter<D>) -> Self {
        let size = region.size().map(|n| n as usize);
        let mut end = signatures.len();
        let starts = size.map(|planes| {
            end += planes;
            end - planes
        });
        signatures.resize(end, 0);
        let mut rest = &mut signatures[starts[0]..];
        let counts = size.map(|planes| rest.split_off_mut(..planes).expect("space was made"));
        counter.count(&region, counts);
        Candidate { bounds: region, tagged: 0, starts, end }
    }

    /// Counts the tags and shrinks the box to them, once the signatures are complete.
    fn settle(&mut self, signatures: &[u32]) {
        self.tagged = self.signature(0, signatures).iter().map(|&n| n as usize).sum();
        self.shrink(signatures);
    }

    /// The signature along an axis.
    fn signature<'a>(&self, axis: usize, signatures: &'a [u32]) -> &'a [u32] {
        &signatures[self.starts[axis]..][..self.bounds.size()[axis] as usize]
    }

    /// Cuts off the planes without tags at the ends.
    fn shrink(&mut self, signatures: &[u32]) {
        for d in 0..D {
            let signature = self.signature(d, signatures);
            let end = signature.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
            let start = signature.iter().position(|&n| n > 0).unwrap_or(0);
            self.bounds.hi[d] = self.bounds.lo[d] + end as i32;
            self.bounds.lo[d] += start as i32;
            self.starts[d] += start;
        }
    }

    /// The smaller and the larger part, each shrunk to its tags. Only the tags of the smaller part are counted; those of the
    /// larger part are the difference, and its signatures replace those of the whole.
    fn split(mut self, Cut { axis, at }: Cut, signatures: &mut Vec<u32>, counter: &TagCounter<D>) -> (Self, Self) {
        let (lower, upper) = self.bounds.split(axis, at);
        let planes = at - self.bounds.lo[axis];
        let lower_is_smaller = planes < self.bounds.hi[axis] - at;
        let (smaller, larger) = if lower_is_smaller { (lower, upper) } else { (upper, lower) };
        let counted = Candidate::new(smaller, signatures, counter);
        self.tagged -= counted.tagged;
        for d in (0..D).filter(|&d| d != axis) {
            let first = self.starts[d] + (counted.bounds.lo[d] - self.bounds.lo[d]) as usize;
            let (own, others) = signatures.split_at_mut(self.end);
            let part = &others[counted.starts[d] - self.end..][..counted.bounds.size()[d] as usize];
            own[first..].iter_mut().zip(part).for_each(|(all, part)| *all -= part);
        }
        if lower_is_smaller {
            self.starts[axis] += planes as usize;
        }
        self.bounds = larger;
        self.shrink(signatures);
        (counted, self)
    }

    /// The candidate with signatures of its own.
    fn detach(&self, signatures: &[u32]) -> (Self, Vec<u32>) {
        let own: [&[u32]; D] = std::array::from_fn(|d| self.signature(d, signatures));
        let mut end = 0;
        let starts = own.map(|planes| {
            end += planes.len();
            end - planes.len()
        });
        (Candidate { starts, end, ..*self }, own.concat())
    }

    /// Where to cut, if anywhere.
    fn cut(&self, signatures: &[u32], tags: &TagSet<D>, efficiency: f64, min_size: i32) -> Option<Cut> {
        let halve = || if efficiency < HALVED_BELOW { self.bisection(tags, min_size) } else { None };
        self.cut_by_planes(signatures, min_size).or_else(halve)
    }

    /// The cut that follows from the signatures alone: at a hole or an inflection.
    fn cut_by_planes(&self, signatures: &[u32], min_size: i32) -> Option<Cut> {
        let own: [&[u32]; D] = std::array::from_fn(|d| self.signature(d, signatures));
        self.hole(own).or_else(|| self.inflection(own, min_size))
    }

    /// Tagged cells over all cells.
    fn efficiency(&self) -> f64 {
        self.tagged as f64 / self.bounds.volume() as f64
    }

    /// The order among cuts of equal merit: the one nearest to the middle cell is preferred, then the one across the last
    /// axis (rows along x stay long), then the lowest.
    ///
    /// Symmetric features often give such ties. AMRClaw breaks them in this way, and its hierarchies, and so its solutions,
    /// are reproduced cell by cell only with the same rule. On a ring, preferring the longer axis gives half as many boxes
    /// again and one per cent fewer cells.
    fn preference(&self, cut: Cut) -> impl Ord + use<D> {
        Reverse(((cut.at - self.middle(cut.axis)).abs(), D - cut.axis, cut.at))
    }

    /// The middle of an axis, rounded down.
    fn middle(&self, axis: usize) -> i32 {
        (self.bounds.lo[axis] + self.bounds.hi[axis] - 1).div_euclid(2)
    }

    /// The cut at the widest gap between planes with tags.
    fn hole(&self, signatures: [&[u32]; D]) -> Option<Cut> {
        let mut widest = Best::default();
        for (axis, signature) in signatures.into_iter().enumerate().filter(|(_, planes)| has_empty_plane(planes)) {
            let mut last = 0;
            for (k, _) in signature.iter().enumerate().filter(|(_, n)| **n > 0) {
                if k > last + 1 {
                    widest.offer((k - last) as u32, Cut { axis, at: self.bounds.lo[axis] + k as i32 }, self);
                }
                last = k;
            }
        }
        widest.0.map(|(_, cut)| cut)
    }

    /// The cut where a second difference of a signature changes sign with the largest jump.
    fn inflection(&self, signatures: [&[u32]; D], min_size: i32) -> Option<Cut> {
        // Both planes beside the cut need neighbours on both sides: the cut is at least two cells from the ends.
        let margin = min_size.max(2) as usize;
        let mut strongest = Best::default();
        for (axis, signature) in signatures.into_iter().enumerate().filter(|(_, planes)| planes.len() >= 2 * margin) {
            let planes = &signature[margin - 2..signature.len() - (margin - 2)];
            let (first, middle) = (self.bounds.lo[axis] + margin as i32, self.middle(axis));
            let (jump, distance) = jump_and_distance(strongest_bend(planes, middle - first));
            if jump > 0 {
                strongest.offer(jump, Cut { axis, at: middle + distance }, self);
            }
        }
        strongest.0.map(|(_, cut)| cut)
    }

    /// The cut in the middle of the longest axis along which halving pays: the halves, shrunk to their tags, must save
    /// more cells than the two layers of ghost cells that a patch's new sides cost.
    ///
    /// Without this condition tags without edges, such as a chequerboard, would be divided into the smallest boxes.
    fn bisection(&self, tags: &TagSet<D>, min_size: i32) -> Option<Cut> {
        let (size, cells) = (self.bounds.size(), self.bounds.volume());
        let mut axes: [usize; D] = std::array::from_fn(|d| d);
        axes.sort_by_key(|&axis| Reverse(size[axis]));
        axes.into_iter().filter(|&axis| size[axis] >= 2 * min_size).find_map(|axis| {
            let at = self.bounds.lo[axis] + size[axis] / 2;
            let halves = <[_; 2]>::from(self.bounds.split(axis, at));
            let kept: usize = halves.iter().map(|half| tags.bounding_box_in(half).volume()).sum();
            let ghost_cells = 2 * cells / size[axis] as usize;
            (kept + ghost_cells < cells).then_some(Cut { axis, at })
        })
    }
}

/// The best cut so far: the one of largest merit, and among equals the preferred one.
#[derive(Default)]
struct Best(Option<(u32, Cut)>);

impl Best {
    fn offer<const D: usize>(&mut self, merit: u32, cut: Cut, of: &Candidate<D>) {
        let better =
            self.0.is_none_or(|(most, best)| merit > most || merit == most && of.preference(cut) > of.preference(best));
        if better {
            self.0 = Some((merit, cut));
        }
    }
}

#[cfg(test)]
mod tests;
