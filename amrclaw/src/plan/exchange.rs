//! Plans of one rank among several: the items that it executes locally, sends and receives.
//!
//! In every plan an item reads one patch and writes another. If these belong to two ranks, the owner of the patch that is read executes the
//! item into a message, where the item's cells are stored like a patch without ghost cells; the owner of the patch that is written copies
//! them from there. So the arithmetic is that of a single rank. A message holds everything that one rank sends to another in one step of
//! the method, item after item in the order of the solo plan: both ranks list the same items, since both split the same plan.
//!
//! Faces of the conservation fix are accumulated from both sides: the coarse patch starts a face's sum and provides the states of its
//! cells, the fine patch adds to the sum, and the coarse patch gets it back. Both ranks therefore list the face; it is sent to the fine
//! patch after each step of the coarse level, and back when the sums are applied.

use super::PatchLists;
use super::region::Region;
use crate::index::{CellBox, Ratio};
use crate::mesh::Partition;

/// The items exchanged with one other rank in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageItems<T> {
    /// The other rank.
    pub rank: usize,
    /// The items, in the order of the solo plan.
    pub items: T,
}

/// What a rank sends and receives in one step of the method, one message for each rank that it communicates with. A single rank has
/// none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange<T> {
    /// To others.
    pub sent: Vec<MessageItems<T>>,
    /// From others.
    pub received: Vec<MessageItems<T>>,
}

impl<T> Default for Exchange<T> {
    fn default() -> Self {
        Exchange { sent: Vec::new(), received: Vec::new() }
    }
}

impl<P> Exchange<P> {
    /// What is sent, and what is received.
    pub fn directions(&self) -> [&[MessageItems<P>]; 2] {
        [&self.sent, &self.received]
    }
}

impl<P: Default> Exchange<P> {
    /// Concatenates the exchanges of consecutive runs of patches.
    pub(super) fn join(parts: impl Iterator<Item = Self>, append: impl Fn(&mut P, P)) -> Self {
        let mut all = Exchange::default();
        for Exchange { sent, received } in parts {
            sent.into_iter().for_each(|message| append(items_of(&mut all.sent, message.rank), message.items));
            received.into_iter().for_each(|message| append(items_of(&mut all.received, message.rank), message.items));
        }
        all
    }
}

/// Cells of patches that are copied or interpolated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Regions<const D: usize> {
    /// Copies.
    pub copies: Vec<Region<D>>,
    /// Interpolations.
    pub interps: Vec<Region<D>>,
}

impl<const D: usize> Regions<D> {
    /// Copies, then interpolations.
    pub fn all(&self) -> impl Iterator<Item = &Region<D>> {
        self.copies.iter().chain(&self.interps)
    }

    /// Number of all cells.
    pub fn num_cells(&self) -> usize {
        self.all().map(|region| region.cells.volume()).sum()
    }

    /// Appends other regions.
    pub(super) fn append(&mut self, other: Self) {
        self.copies.extend(other.copies);
        self.interps.extend(other.interps);
    }

    /// Coarse boxes under the interpolated regions.
    pub fn coarse_boxes(&self, ratio: Ratio<D>) -> impl Iterator<Item = CellBox<D>> + '_ {
        self.interps.iter().map(move |region| region.cells.coarse_from_fine(ratio))
    }
}

/// One rank's view of who owns what a plan reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Owners<'a> {
    pub rank: usize,
    pub sources: &'a Partition,
    pub targets: &'a Partition,
    /// Items that are sent or received stay in the lists too.
    pub both: bool,
}

impl Owners<'_> {
    /// Keeps only items that read and write patches of this rank; adds those that it sends or receives to messages by `put`. `ends`: the patch
    /// that an item reads, and the one that it writes.
    pub fn split<T: Copy, P: Default>(
        self,
        mut lists: PatchLists<T>,
        exchange: &mut Exchange<P>,
        ends: impl Fn(&T) -> [u32; 2],
        put: impl Fn(&mut P, T),
    ) -> PatchLists<T> {
        lists.retain(|item| {
            let [source, target] = ends(item);
            let (from, to) = (self.sources.owner(source as usize), self.targets.owner(target as usize));
            let (messages, rank) = match (from == self.rank, to == self.rank) {
                (true, false) => (&mut exchange.sent, to),
                (false, true) => (&mut exchange.received, from),
                (own, _) => return own,
            };
            put(items_of(messages, rank), *item);
            self.both
        });
        lists
    }

    /// The same of regions.
    pub fn split_regions<const D: usize, P: Default>(
        self,
        lists: PatchLists<Region<D>>,
        exchange: &mut Exchange<P>,
        put: impl Fn(&mut P, Region<D>),
    ) -> PatchLists<Region<D>> {
        self.split(lists, exchange, |region| [region.source, region.target], put)
    }
}

/// The items for a rank, whose message is made if there is none.
fn items_of<P: Default>(messages: &mut Vec<MessageItems<P>>, rank: usize) -> &mut P {
    let place = messages.binary_search_by_key(&rank, |message| message.rank);
    let place = place.unwrap_or_else(|place| {
        messages.insert(place, MessageItems { rank, items: P::default() });
        place
    });
    &mut messages[place].items
}

#[cfg(test)]
mod tests {
    use super::super::rank_part::{PlanOwners, RankPart};
    use super::super::{BuiltPlans, FaceRun, PlanInput};
    use super::*;
    use crate::index::{CellBox, Repeats};
    use crate::mesh::LevelMesh;
    use proptest::prelude::*;

    /// One rank's items of a kind: those in its lists, those sent, and those received.
    type Items<T> = (Vec<T>, Vec<(usize, T)>, Vec<(usize, T)>);

    /// Asserts that the ranks' local and received items together are the solo plan, each item once and at the owner of the patch that it
    /// writes; and that each rank receives what the others send, in the same order.
    fn assert_whole<T: Copy + PartialEq + std::fmt::Debug>(
        solo: &[T],
        ranks: &[Items<T>],
        owner: impl Fn(&T) -> usize,
        what: &str,
    ) {
        for (rank, (local, sent, received)) in ranks.iter().enumerate() {
            let mut here: Vec<T> = local.iter().copied().chain(received.iter().map(|&(_, item)| item)).collect();
            for item in solo.iter().filter(|item| owner(item) == rank) {
                let place = here.iter().position(|other| other == item);
                here.swap_remove(place.unwrap_or_else(|| panic!("{what}: rank {rank} lacks {item:?}")));
            }
            assert!(here.is_empty(), "{what}: rank {rank} writes {here:?}, which are not its own");
            for (other, (.., theirs)) in ranks.iter().enumerate() {
                let to = sent.iter().filter(|(to, _)| *to == other).map(|(_, item)| item);
                let from = theirs.iter().filter(|(from, _)| *from == rank).map(|(_, item)| item);
                assert!(to.eq(from), "{what}: from {rank} to {other}");
            }
        }
    }

    fn messages<P, T: Copy>(messages: &[MessageItems<P>], items: impl Fn(&P) -> &Vec<T>) -> Vec<(usize, T)> {
        messages.iter().flat_map(|message| items(&message.items).iter().map(|item| (message.rank, *item))).collect()
    }

    fn items<P, T: Copy>(lists: &PatchLists<T>, exchange: &Exchange<P>, of: impl Fn(&P) -> &Vec<T>) -> Items<T> {
        (lists.all().to_vec(), messages(&exchange.sent, &of), messages(&exchange.received, &of))
    }

    /// Some of the blocks that a domain is cut into.
    fn blocks<const D: usize>(domain: CellBox<D>, piece: i32, keep: &[bool]) -> Vec<CellBox<D>> {
        let piece = Ratio::uniform(piece);
        let kept = domain.coarse_from_fine(piece).cells().zip(keep.iter().cycle()).filter(|(_, keep)| **keep);
        kept.map(|(block, _)| CellBox::cell(block).fine_from_coarse(piece).intersect(&domain)).collect()
    }

    /// The plans of a level over another, of every rank and of a single one, with any owners.
    fn union_is_the_solo_plan<const D: usize>(
        cells: [i32; D],
        repeats: impl Into<Repeats<D>>,
        keep: &[bool],
        owners: &[u32],
    ) {
        let (ratio, ranks, repeats) = (Ratio::uniform(2), 4, repeats.into());
        let domain = CellBox::new([0; D], cells);
        let fine_domain = domain.fine_from_coarse(ratio);
        let coarse = LevelMesh::new(domain, repeats, blocks(domain, 4, &[true]));
        let mesh = LevelMesh::new(fine_domain, repeats, blocks(fine_domain, 6, keep));
        let later: Vec<bool> = keep.iter().rev().copied().collect();
        let old = LevelMesh::new(fine_domain, repeats, blocks(fine_domain, 8, &later));
        let input = PlanInput {
            mesh: &mesh,
            coarser: Some((&coarse, ratio)),
            transfer: true,
            old: Some(&old),
            num_ghost: 2,
            conservation_fix: true,
        };
        let solo = BuiltPlans::new(input);
        let of = |mesh: &LevelMesh<D>, first: usize| {
            Partition::of_owners(owners.iter().copied().cycle().skip(first).take(mesh.patches().len()).collect())
        };
        let (own, coarser, before) = (of(&mesh, 0), of(&coarse, 1), of(&old, 2));
        let owners = PlanOwners { own: &own, coarser: Some(&coarser), old: Some(&before) };
        let parts: Vec<_> = (0..ranks).map(|rank| BuiltPlans::rank_part(RankPart::new(input, rank, owners))).collect();
        let fine_owner = |patch: u32| own.owner(patch as usize);

        let ghost = parts.iter().map(|part| &part.ghost);
        let copies: Vec<_> = ghost.clone().map(|p| items(&p.copies, &p.exchange, |r| &r.copies)).collect();
        assert_whole(solo.ghost.copies.all(), &copies, |r| fine_owner(r.target), "copies of ghost cells");
        let interps: Vec<_> = ghost.clone().map(|p| items(&p.interps, &p.exchange, |r| &r.interps)).collect();
        assert_whole(solo.ghost.interps.all(), &interps, |r| fine_owner(r.target), "interpolated ghost cells");
        for (rank, plan) in ghost.enumerate() {
            let outside = solo.ghost.boundaries.all().iter().filter(|r| fine_owner(r.target) == rank);
            assert!(outside.eq(plan.boundaries.all()), "ghost cells outside the domain");
        }

        let plan = solo.transfer.as_ref().expect("asked for");
        let transfer = || parts.iter().filter_map(|part| part.transfer.as_ref());
        let copies: Vec<_> = transfer().map(|p| items(&p.copies, &p.exchange, |r| &r.copies)).collect();
        assert_whole(plan.copies.all(), &copies, |r| fine_owner(r.target), "copies to new patches");
        let interps: Vec<_> = transfer().map(|p| items(&p.interps, &p.exchange, |r| &r.interps)).collect();
        assert_whole(plan.interps.all(), &interps, |r| fine_owner(r.target), "interpolations in new patches");

        let plan = solo.restrict.as_ref().expect("there is a coarser level");
        let restrict = parts.iter().filter_map(|part| part.restrict.as_ref());
        let regions: Vec<_> = restrict.map(|p| items(&p.regions, &p.exchange, |r| r)).collect();
        assert_whole(plan.regions.all(), &regions, |r| coarser.owner(r.target as usize), "averages");

        // Each rank numbers its faces anew, and a face between two ranks stays in the lists of both.
        let unnumbered = |run: &FaceRun<D>| FaceRun { first_slot: 0, first_fine: 0, ..*run };
        let reflux = parts.iter().filter_map(|part| part.reflux.as_ref());
        let runs: Vec<Items<FaceRun<D>>> = reflux
            .map(|p| {
                let (all, sent, received) = items(&p.runs, &p.exchange, |r| r);
                let plain = |runs: Vec<(usize, FaceRun<D>)>| -> Vec<_> {
                    runs.iter().map(|(rank, run)| (*rank, unnumbered(run))).collect()
                };
                let crosses = |run: &&FaceRun<D>| sent.iter().chain(&received).all(|(_, other)| other != *run);
                (all.iter().filter(crosses).map(unnumbered).collect(), plain(sent.clone()), plain(received.clone()))
            })
            .collect();
        let all: Vec<_> = solo.reflux.as_ref().expect("asked for").runs.all().iter().map(unnumbered).collect();
        assert_whole(&all, &runs, |run| fine_owner(run.fine_patch), "faces");
    }

    proptest! {
        /// For any owners, the ranks together execute the solo plan, no item twice, and expect what is sent to them. So every ghost cell is
        /// written once, as by the solo plan.
        #[test]
        fn ranks_together_carry_out_the_solo_plan(
            keep in proptest::collection::vec(any::<bool>(), 4..23),
            owners in proptest::collection::vec(0..4_u32, 1..29),
            periodic in any::<[bool; 3]>(),
        ) {
            prop_assume!(keep.contains(&true));
            union_is_the_solo_plan([23], [periodic[0]], &keep, &owners);
            union_is_the_solo_plan([13, 9], [periodic[0], periodic[1]], &keep, &owners);
            let folded = Repeats { axes: [true; 2], folded: Some(1) };
            union_is_the_solo_plan([14, 9], folded, &keep, &owners);
            union_is_the_solo_plan([7, 6, 5], periodic, &keep, &owners);
        }
    }
}
