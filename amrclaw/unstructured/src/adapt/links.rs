//! Which leaves lie behind the sides of each leaf.

use super::division::Behind;
use super::forest::{Across, Forest, Leaves, NONE};
use crate::threads;

/// A whole side.
pub(super) const WHOLE: u8 = u8::MAX;

/// Most leaves behind the sides of one.
const MOST_LINKS: usize = 24;

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

#[derive(Clone, Copy)]
struct Row([Link; MOST_LINKS], u8);

impl Default for Row {
    fn default() -> Self {
        Row([Link::default(); MOST_LINKS], 0)
    }
}

impl Row {
    fn push(&mut self, link: Link) {
        self.0[self.1 as usize] = link;
        self.1 += 1;
    }
}

impl Forest {
    /// The links of leaves whose levels differ by at most 1 across sides.
    pub fn links(&self, leaves: &Leaves) -> Links {
        let (mut starts, mut items) = (vec![0], Vec::with_capacity(leaves.len() * 2 * (self.roots.dim + 1)));
        // Piece by piece, so that rows of full width take little memory.
        const PIECE: usize = 1 << 16;
        for first in (0..leaves.len()).step_by(PIECE) {
            for row in threads::table(PIECE.min(leaves.len() - first), &|k| self.links_of(leaves, first + k)) {
                items.extend_from_slice(&row.0[..row.1 as usize]);
                starts.push(items.len() as u32);
            }
        }
        Links { starts, items }
    }

    fn links_of(&self, leaves: &Leaves, leaf: usize) -> Row {
        let (root, level, place) = (leaves.root[leaf], leaves.level[leaf], leaves.place[leaf]);
        let mut row = Row::default();
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
        row
    }
}
