//! Which leaves are divided and which joined: integers, list by list.

use super::forest::{Across, Forest, Leaves, MOST_LEVELS, NONE};
use super::links::{Link, Links};
use crate::Mesh;
use crate::threads;

/// New leaves, and what they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewed {
    /// The leaves.
    pub leaves: Leaves,
    /// Of each: the old leaf; if it is a father of such, the first of them.
    pub from: Vec<u32>,
    /// Of each: its level less that of the old leaf.
    pub change: Vec<i8>,
}

/// Leaves, their links and their mesh before new leaves were made of them.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// The links.
    pub links: &'a Links,
    /// What has been made of the leaves.
    pub renewed: &'a Renewed,
}

impl Renewed {
    /// Of each old leaf its number now, if it is a leaf still.
    pub(super) fn kept(&self, old: usize) -> Vec<u32> {
        let mut kept = vec![NONE; old];
        for (leaf, (&from, &change)) in (0..).zip(self.from.iter().zip(&self.change)) {
            if change == 0 {
                kept[from as usize] = leaf;
            }
        }
        kept
    }

    /// True if a leaf is an old one and so are all those beside it: its links, faces and gradient are the same.
    pub(super) fn stays(&self, leaf: usize, links: &[Link]) -> bool {
        let is_old = |leaf: usize| self.change[leaf] == 0;
        is_old(leaf) && links.iter().all(|link| link.is_boundary() || is_old(link.to as usize))
    }
}

impl Forest {
    /// Of each leaf the first of its brothers, if it and they all are leaves.
    pub fn families(&self, leaves: &Leaves) -> Vec<u32> {
        let sons = self.num_sons();
        threads::table(leaves.len(), &|leaf| {
            let level = leaves.level[leaf];
            let first = leaf - self.son(level.max(1), leaves.place[leaf]) as usize;
            // What comes before a leaf and has its level is the brother before it, and so on.
            let are_leaves =
                |first: usize| leaves.level.get(first..first + sons).is_some_and(|all| all.iter().all(|&l| l == level));
            if level > 0 && are_leaves(first) { first as u32 } else { NONE }
        })
    }

    /// The levels that leaves get, from the wanted ones: at most one from their own; brothers are joined together or not at all; levels differ by
    /// at most 1 across sides. Leaves are then divided where others want it, never joined.
    pub fn settle(&self, leaves: &Leaves, links: &Links, wanted: &[u8]) -> Vec<u8> {
        let families = self.families(leaves);
        let sons = self.num_sons();
        let mut levels = threads::table(leaves.len(), &|leaf| {
            let own = leaves.level[leaf];
            let least = if families[leaf] == NONE { own } else { own - 1 };
            wanted[leaf].clamp(least, (own + 1).min(MOST_LEVELS))
        });
        loop {
            let next = threads::table(leaves.len(), &|leaf| {
                let behind = links.row(leaf).iter().filter(|link| !link.is_boundary());
                let near = behind.map(|link| levels[link.to as usize]).max().unwrap_or(0);
                let (level, own) = (levels[leaf].max(near.saturating_sub(1)), leaves.level[leaf]);
                let first = families[leaf] as usize;
                let stays = level < own && levels[first..first + sons].iter().any(|&l| l >= own);
                if stays { own } else { level }
            });
            if next == levels {
                return levels;
            }
            levels = next;
        }
    }

    /// Leaves of these levels, as [`Forest::settle`] gives them.
    pub fn renewed(&self, leaves: &Leaves, levels: &[u8]) -> Renewed {
        let sons = self.num_sons();
        let count = |leaf: usize| match levels[leaf].cmp(&leaves.level[leaf]) {
            std::cmp::Ordering::Greater => sons,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => usize::from(self.son(leaves.level[leaf], leaves.place[leaf]) == 0),
        };
        let total = (0..leaves.len()).map(count).sum();
        let mut new = Leaves::none(total);
        let (mut from, mut change) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for leaf in 0..leaves.len() {
            let (root, place) = (leaves.root[leaf], leaves.place[leaf]);
            for son in 0..count(leaf) {
                // A first son's place is its father's.
                let place = if count(leaf) > 1 { place | (son as u64) << self.shift(levels[leaf]) } else { place };
                new.push(root, levels[leaf], place);
                from.push(leaf as u32);
                change.push(levels[leaf] as i8 - leaves.level[leaf] as i8);
            }
        }
        new.index(self.roots.num_cells());
        Renewed { leaves: new, from, change }
    }

    /// Leaves as text: of each tree a 1 for each divided cell and a 0 for each leaf, as one comes to them; four to a letter.
    pub fn text(&self, leaves: &Leaves) -> String {
        let mut bits = Vec::with_capacity(2 * leaves.len());
        for (&level, &place) in leaves.level.iter().zip(&leaves.place) {
            let opened = (1..=level).rev().take_while(|&l| self.son(l, place) == 0).count();
            bits.extend(std::iter::repeat_n(true, opened));
            bits.push(false);
        }
        let letter = |four: &[bool]| {
            let number = (0..4).fold(0, |n, k| 2 * n + u32::from(four.get(k).copied().unwrap_or(false)));
            char::from_digit(number, 16).expect("below 16")
        };
        bits.chunks(4).map(letter).collect()
    }

    /// The leaves of a text; `None` if it is not one of this forest.
    pub fn leaves_of(&self, text: &str) -> Option<Leaves> {
        let digits = text.chars().map(|letter| letter.to_digit(16)).collect::<Option<Vec<u32>>>()?;
        let mut bits = digits.iter().flat_map(|digit| (0..4).rev().map(move |k| digit >> k & 1));
        let mut leaves = Leaves::none(2 * text.len());
        for root in 0..self.roots.num_cells() as u32 {
            let mut open = vec![(0_u8, 0_u64)];
            while let Some((level, place)) = open.pop() {
                if bits.next()? == 0 {
                    leaves.push(root, level, place);
                } else if level == MOST_LEVELS {
                    return None;
                } else {
                    let son = |son: usize| (level + 1, place | (son as u64) << self.shift(level + 1));
                    open.extend((0..self.num_sons()).rev().map(son));
                }
            }
        }
        leaves.index(self.roots.num_cells());
        let rest: Vec<u32> = bits.collect();
        let is_one = rest.len() < 4 && rest.iter().all(|&bit| bit == 0) && self.is_balanced(&leaves);
        is_one.then_some(leaves)
    }

    /// True if levels differ by at most 1 across sides: no leaf has one behind it that is coarser by more.
    fn is_balanced(&self, leaves: &Leaves) -> bool {
        (0..leaves.len()).all(|leaf| {
            let (root, level, place) = (leaves.root[leaf], leaves.level[leaf], leaves.place[leaf]);
            let sides = 0..self.division(root).shape().faces().len() as u8;
            sides.into_iter().all(|side| match self.across(root, level, place, side) {
                Across::Boundary(_) => true,
                Across::Cell { root, place, .. } => leaves.level[leaves.find(root, place)] + 1 >= level,
            })
        })
    }
}
