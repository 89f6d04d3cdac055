//! Which leaves lie behind the sides of each leaf.

use super::division::Behind;
use super::forest::{Across, Forest, Leaves, NONE};
use super::renew::Renewed;
use crate::threads;

/// A whole side.
pub(super) const WHOLE: u8 = u8::MAX;

/// A leaf behind a side of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The leaf; none at the boundary.
    pub to: u32,
    /// The root's face: at the boundary, and between periodic sides.
    pub(super) face: u32,
    /// This leaf's side, and the part of it if the leaf behind is finer.
    pub(super) side: u8,
    pub(super) part: u8,
    /// Side and part of the leaf behind, if that is coarser.
    pub(super) its_side: u8,
    pub(super) its_part: u8,
    /// Between periodic sides: this leaf is on the left.
    pub(super) is_left: bool,
}

impl Link {
    /// True at the boundary.
    pub fn is_boundary(&self) -> bool {
        self.to == NONE
    }
}

/// The links of all leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// Links of leaf `i` are `items[starts[i] .. starts[i + 1]]`, by side and part.
    pub starts: Vec<u32>,
    /// All links.
    pub items: Vec<Link>,
}

impl Links {
    /// Those of a leaf.
    pub fn row(&self, leaf: usize) -> &[Link] {
        &self.items[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }

    /// The same link as the leaf behind has it.
    pub(super) fn mate(&self, link: &Link) -> usize {
        let row = self.row(link.to as usize);
        let is_it = |other: &Link| other.side == link.its_side && other.part == link.its_part;
        self.starts[link.to as usize] as usize + row.iter().position(is_it).expect("the leaf behind has it too")
    }
}

impl Forest {
    /// The links of leaves whose levels differ by at most 1 across sides. Those between old leaves are known `before`.
    pub fn links(&self, leaves: &Leaves, before: Option<(&Links, &Renewed)>) -> Links {
        let known = before.map(|(links, renewed)| (links, renewed, renewed.kept(links.starts.len() - 1)));
        let pieces = threads::pieces(leaves.len(), &|range| {
            let (mut ends, mut items) = (Vec::with_capacity(range.len()), Vec::with_capacity(6 * range.len()));
            for leaf in range {
                let old = known.as_ref().filter(|(_, renewed, _)| renewed.change[leaf] == 0);
                let row = old.map(|(links, renewed, kept)| (links.row(renewed.from[leaf] as usize), kept));
                let stays = |&(row, kept): &(&[Link], &Vec<u32>)| {
                    row.iter().all(|link| link.is_boundary() || kept[link.to as usize] != NONE)
                };
                match row.filter(stays) {
                    Some((row, kept)) => items.extend(row.iter().map(|link| match link.is_boundary() {
                        true => *link,
                        false => Link { to: kept[link.to as usize], ..*link },
                    })),
                    None => self.add_links(leaves, leaf, &mut items),
                }
                ends.push(items.len());
            }
            (ends, items)
        });
        let mut starts = vec![0];
        for (ends, _) in &pieces {
            let first = starts[starts.len() - 1];
            starts.extend(ends.iter().map(|&end| first + end as u32));
        }
        Links { starts, items: threads::joined(&pieces, |(_, items)| items) }
    }

    fn add_links(&self, leaves: &Leaves, leaf: usize, row: &mut Vec<Link>) {
        let (root, level, place) = (leaves.root[leaf], leaves.level[leaf], leaves.place[leaf]);
        for side in 0..self.division(root).shape().faces().len() as u8 {
            let own = Link { side, part: WHOLE, its_part: WHOLE, face: NONE, ..Link::default() };
            let (root, place, its_side, turn, periodic) = match self.across(root, level, place, side) {
                Across::Boundary(face) => {
                    row.push(Link { to: NONE, face, ..own });
                    continue;
                }
                Across::Cell { root, place, side, turn, periodic } => (root, place, side, turn, periodic),
            };
            let (face, is_left) = periodic.unwrap_or((NONE, false));
            let own = Link { its_side, face, is_left, ..own };
            let (to, division) = (leaves.find(root, place), self.division(root));
            if leaves.level[to] <= level {
                let is_coarser = leaves.level[to] < level;
                let its_part = match division.behind(self.son(level.max(1), place), its_side) {
                    Behind::Part(part) if is_coarser => part,
                    _ => WHOLE,
                };
                row.push(Link { to: to as u32, its_part, ..own });
                continue;
            }
            let parts = division.parts(its_side);
            for part in 0..parts {
                let son = division.at(its_side, (turn + parts - part) % parts);
                let to = leaves.find(root, place | u64::from(son) << self.shift(level + 1));
                debug_assert_eq!(leaves.level[to], level + 1, "levels differ by 1 at most");
                row.push(Link { to: to as u32, part, ..own });
            }
        }
    }
}
