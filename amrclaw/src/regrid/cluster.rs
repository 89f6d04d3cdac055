//! Covering tags with few boxes: M. Berger & I. Rigoutsos 1991, doi:10.1109/21.120081.
//!
//! A box is shrunk to its tags. If the tagged part of its cells reaches the cutoff it is kept; otherwise it is cut in
//! two and each half is treated the same way. Where to cut follows from the signatures, the number of tags in each
//! plane across an axis: at a plane without tags, else where the signature's second difference changes sign with the
//! largest jump, which is the edge of a feature.

use crate::index::CellBox;
use crate::mesh::TagSet;
use std::cmp::Reverse;

/// Efficiency below which a box without holes and edges is halved. Halving cuts at arbitrary places; a box that is not
/// too bad is better kept whole. AMRClaw used this bound before it gave up halving altogether.
pub const HALVED_BELOW: f64 = 0.4;

/// What clustering aims at.
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

/// Disjoint boxes that hold all tags, sorted.
///
/// Each box is the bounding box of its tags. It reaches the cutoff, or it has no plane without tags, no change of sign
/// in a signature's second difference at least `min_size` (and two) cells from its ends, and either its efficiency is
/// at least [`HALVED_BELOW`] or halving it would not pay.
/// The boxes count cells of the tags' level, so that patches refined from them line up with it.
pub fn cluster<const D: usize>(tags: &TagSet<D>, params: &ClusterParams) -> Vec<CellBox<D>> {
    assert!(params.min_size >= 1, "boxes cannot be smaller than one cell: min_size = {}", params.min_size);
    let whole = tags.bounding_box();
    if whole.is_empty() {
        return Vec::new();
    }
    let mut accepted = divide(Candidate { bounds: whole, signatures: tags.signatures(&whole) }, tags, params);
    accepted.sort_unstable();
    accepted
}

/// Cells of a half that is worth a thread of its own.
const CELLS_FOR_A_THREAD: usize = 1 << 14;

/// The boxes that a candidate ends up as.
fn divide<const D: usize>(whole: Candidate<D>, tags: &TagSet<D>, params: &ClusterParams) -> Vec<CellBox<D>> {
    let mut accepted = Vec::new();
    let mut pending = vec![whole];
    while let Some(candidate) = pending.pop() {
        let efficiency = candidate.efficiency();
        let cut = if efficiency >= params.cutoff { None } else { candidate.cut(tags, efficiency, params.min_size) };
        let Some(cut) = cut else {
            accepted.push(candidate.bounds);
            continue;
        };
        let (one, other) = candidate.split(cut, tags);
        if one.bounds.volume().min(other.bounds.volume()) < CELLS_FOR_A_THREAD {
            pending.extend([one, other]);
        } else {
            let (ones, others) = rayon::join(|| divide(one, tags, params), || divide(other, tags, params));
            accepted.extend(ones.into_iter().chain(others));
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

/// A box that is the bounding box of its tags, with its signatures.
struct Candidate<const D: usize> {
    bounds: CellBox<D>,
    signatures: [Vec<u32>; D],
}

impl<const D: usize> Candidate<D> {
    /// Cuts off the planes without tags at the ends.
    fn shrink(&mut self) {
        for (d, signature) in self.signatures.iter_mut().enumerate() {
            let end = signature.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
            let start = signature.iter().position(|&n| n > 0).unwrap_or(0);
            signature.truncate(end);
            signature.drain(..start);
            self.bounds.hi[d] = self.bounds.lo[d] + end as i32;
            self.bounds.lo[d] += start as i32;
        }
    }

    /// The two parts, each shrunk to its tags. Only the tags of the smaller one are counted: the other has the rest.
    fn split(mut self, Cut { axis, at }: Cut, tags: &TagSet<D>) -> (Self, Self) {
        let (lower, upper) = self.bounds.split(axis, at);
        let planes = (at - self.bounds.lo[axis]) as usize;
        let across = &mut self.signatures[axis];
        let lower_is_smaller = planes < across.len() - planes;
        let (smaller, larger) = if lower_is_smaller { (lower, upper) } else { (upper, lower) };
        let mut counted = Candidate { bounds: smaller, signatures: tags.signatures(&smaller) };
        if lower_is_smaller {
            across.drain(..planes);
        } else {
            across.truncate(planes);
        }
        self.bounds = larger;
        for d in (0..D).filter(|&d| d != axis) {
            self.signatures[d].iter_mut().zip(&counted.signatures[d]).for_each(|(all, part)| *all -= part);
        }
        counted.shrink();
        self.shrink();
        (counted, self)
    }

    /// Tagged cells over all cells.
    fn efficiency(&self) -> f64 {
        let tagged: usize = self.signatures[0].iter().map(|&n| n as usize).sum();
        tagged as f64 / self.bounds.volume() as f64
    }

    /// Where to cut, if anywhere.
    fn cut(&self, tags: &TagSet<D>, efficiency: f64, min_size: i32) -> Option<Cut> {
        let halve = || if efficiency < HALVED_BELOW { self.bisection(tags, min_size) } else { None };
        self.hole().or_else(|| self.inflection(min_size)).or_else(halve)
    }

    /// Which of several cuts of equal merit to take: the one nearest to the cell in the middle, then the one across the
    /// last axis (rows along x stay long), then the lowest.
    ///
    /// Symmetric features make such ties all the time. AMRClaw settles them in this way; its hierarchies, and so its
    /// solutions, can only be met cell by cell by doing the same. Preferring the longer axis instead gives half as many
    /// boxes again, for one per cent fewer cells, on a ring.
    fn preference(&self, cut: Cut) -> impl Ord + use<D> {
        let middle = (self.bounds.lo[cut.axis] + self.bounds.hi[cut.axis] - 1).div_euclid(2);
        Reverse(((cut.at - middle).abs(), D - cut.axis, cut.at))
    }

    /// The cut at the widest gap between planes with tags.
    fn hole(&self) -> Option<Cut> {
        let mut widest = Best::default();
        for (axis, signature) in self.signatures.iter().enumerate() {
            if signature.iter().fold(u32::MAX, |least, &n| least.min(n)) > 0 {
                continue;
            }
            let mut last = 0;
            for (k, _) in signature.iter().enumerate().filter(|(_, n)| **n > 0) {
                if k > last + 1 {
                    widest.offer((k - last) as i64, Cut { axis, at: self.bounds.lo[axis] + k as i32 }, self);
                }
                last = k;
            }
        }
        widest.0.map(|(_, cut)| cut)
    }

    /// The cut where a second difference of a signature changes sign with the largest jump.
    fn inflection(&self, min_size: i32) -> Option<Cut> {
        // Both planes beside the cut need neighbours on both sides: the cut is at least two cells from the ends.
        let margin = min_size.max(2) as usize;
        let mut strongest = Best::default();
        for (axis, signature) in self.signatures.iter().enumerate() {
            if signature.len() < 2 * margin {
                continue;
            }
            let first = self.bounds.lo[axis] + margin as i32;
            let planes = &signature[margin - 2..signature.len() - (margin - 2)];
            for (at, planes) in (first..).zip(planes.windows(4)) {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| i64::from(planes[k]));
                let (before, after) = (a - 2 * b + c, b - 2 * c + d);
                if before < 0 && after > 0 || before > 0 && after < 0 {
                    strongest.offer((before - after).abs(), Cut { axis, at }, self);
                }
            }
        }
        strongest.0.map(|(_, cut)| cut)
    }

    /// The cut in the middle of the longest axis along which halving pays: the halves, shrunk to their tags, must save
    /// more cells than the two layers of ghost cells that a patch's new sides cost.
    ///
    /// Halving for its own sake would grind tags without edges, such as a chequerboard, to the smallest boxes.
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

/// The best of the cuts on offer: of most merit, and of equals the one that is preferred.
#[derive(Default)]
struct Best(Option<(i64, Cut)>);

impl Best {
    #[inline(always)]
    fn offer<const D: usize>(&mut self, merit: i64, cut: Cut, of: &Candidate<D>) {
        let better =
            self.0.is_none_or(|(most, best)| merit > most || merit == most && of.preference(cut) > of.preference(best));
        if better {
            self.0 = Some((merit, cut));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::CellIndex;

    /// Tags from a picture, first row lowest.
    fn tags_from<const N: usize>(rows: [&str; N]) -> TagSet<2> {
        let mut tags = TagSet::new(CellBox::new([0, 0], [rows[0].len() as i32, N as i32]));
        for (j, row) in rows.iter().enumerate() {
            row.bytes().enumerate().filter(|(_, c)| *c == b'#').for_each(|(i, _)| tags.insert([i as i32, j as i32]));
        }
        tags
    }

    fn clustered(tags: &TagSet<2>, cutoff: f64) -> Vec<CellBox<2>> {
        cluster(tags, &ClusterParams { cutoff, ..ClusterParams::default() })
    }

    /// A plane without tags comes before any inflection, and the widest gap first. No tags, no boxes.
    #[test]
    fn cuts_at_holes() {
        assert_eq!(clustered(&TagSet::new(CellBox::new([0, 0], [9, 9])), 0.7), []);
        let tags = tags_from(["##....###", "##....###", ".........", "##......."]);
        let boxes = [CellBox::new([0, 0], [2, 2]), CellBox::new([0, 3], [2, 4]), CellBox::new([6, 0], [9, 2])];
        assert_eq!(clustered(&tags, 0.9), boxes);
        assert_eq!(clustered(&tags, 0.7), [CellBox::new([0, 0], [2, 4]), boxes[2]]);
        assert_eq!(clustered(&tags, 0.1), [CellBox::new([0, 0], [9, 4])]);
    }

    /// The signatures along x and y step down at 3 and at 2: the higher step, of four cells at y = 2, is cut.
    #[test]
    fn cuts_at_the_strongest_inflection() {
        let tags = tags_from(["#######", "#######", "###....", "###....", "###...."]);
        assert_eq!(clustered(&tags, 0.8), [CellBox::new([0, 0], [7, 2]), CellBox::new([0, 2], [3, 5])]);
    }

    /// A diagonal has constant signatures, no hole and no inflection; halving it saves half of the cells each time.
    #[test]
    fn halves_what_has_no_edges() {
        let mut tags = TagSet::new(CellBox::new([0, 0], [64, 64]));
        (0..64).for_each(|i| tags.insert([i, i]));
        let boxes = clustered(&tags, 0.7);
        let cells: usize = boxes.iter().map(CellBox::volume).sum();
        assert_eq!((boxes.len(), cells), (16, 16 * 16), "halved down to 4 x 4, where ghost cells outweigh the gain");
    }

    /// Halving a chequerboard never saves anything, so it is left alone though it misses the cutoff.
    #[test]
    fn leaves_what_cannot_be_improved() {
        let mut tags = TagSet::new(CellBox::new([0, 0], [64, 64]));
        let black = |cell: &CellIndex<2>| (cell[0] + cell[1]) % 2 == 0;
        CellBox::new([0, 0], [64, 64]).cells().filter(black).for_each(|cell| tags.insert(cell));
        assert_eq!(clustered(&tags, 0.7), [CellBox::new([0, 0], [64, 64])]);
    }

    /// AMRClaw's clustering (5.13.1, `smartbis.f`) makes this many boxes and cells of the same ring, off the centre so
    /// that few ties arise, buffered by eight and by two cells. Both follow Berger & Rigoutsos and differ in holes, ties
    /// and halving, which moves single boxes: a fifth of the boxes, but no more than five per cent of the cells.
    #[test]
    fn rings_cost_what_they_cost_in_amrclaw() {
        let domain = CellBox::new([0, 0], [1000, 1000]);
        let mut ring = TagSet::new(domain);
        let coordinate = |i: i32, centre: f64| (f64::from(i) + 0.5) / 500.0 - 1.0 - centre;
        let in_ring = |c: &CellIndex<2>| (coordinate(c[0], 0.013).hypot(coordinate(c[1], 0.007)) - 0.5).abs() < 0.05;
        domain.cells().filter(in_ring).for_each(|cell| ring.insert(cell));
        for (width, cutoff, boxes, cells) in [
            (8, 0.5, 24, 166_251),
            (8, 0.7, 86, 127_945),
            (8, 0.9, 293, 117_765),
            (2, 0.5, 34, 125_292),
            (2, 0.7, 101, 104_811),
            (2, 0.9, 319, 92_654),
        ] {
            let found = clustered(&crate::regrid::buffer(&ring, width, [false; 2]), cutoff);
            let volume: usize = found.iter().map(CellBox::volume).sum();
            let off = |ours: usize, theirs: usize| (ours as f64 / theirs as f64 - 1.0).abs();
            let figures = format!("cutoff {cutoff}: {} boxes, {volume} cells, not {boxes}, {cells}", found.len());
            assert!(off(volume, cells) < 0.05 && off(found.len(), boxes) < 0.2, "{figures}");
        }
    }
}
