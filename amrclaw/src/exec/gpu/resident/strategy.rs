//! Which way a regrid goes: kernels make the boxes of new levels, and the tables of their plans, where they can; else the host does.
//!
//! All ranks decide alike, since both ends of a message must have its items in the same order. Where kernels plan, the host makes no plans.

use crate::exec::{ClusterMethod, RegridWay};
use crate::index::CellBox;
use cuda::amr::tuning::{MAX_PLANE_CELLS, MAX_TILES};
use cuda::amr::{MAX_LEVELS, MAX_RANKS};
use parking_lot::Mutex;
use tracing::debug;

/// Largest number of patches of a level that kernels plan: each patch searches many others for its neighbours.
const MAX_PATCHES: usize = 1 << 14;

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Boxes,
    Tables,
    Leaves,
}

/// Why the host makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostReason {
    Criterion,
    KeptFlags,
    Scattered,
    WideBuffer,
    ManyLevels,
    LargeLevel,
    ManyBoxes,
    ManyRanks,
    Functions,
    ManyPatches,
    ManyNeighbours,
    OneRow,
    Folded,
    Leaves,
    MarksOfHost,
}

/// Who makes boxes or tables: a device, or the host for a reason.
pub(super) type Way<T = ()> = Result<T, HostReason>;

impl HostReason {
    fn text(self) -> &'static str {
        match self {
            HostReason::Criterion => "no kernel has the criterion",
            HostReason::KeptFlags => "each rank keeps its flags of levels with so many cells",
            HostReason::Scattered => "patches are scattered over too many tiles",
            HostReason::WideBuffer => "regrid.buffer is wider than a tile of flags",
            HostReason::ManyLevels => "more levels are made at once than kernels know",
            HostReason::LargeLevel => "a level is too long for the kernels",
            HostReason::ManyBoxes => "there are more boxes than kernels have room for",
            HostReason::ManyRanks => "there are more ranks than kernels divide plans among",
            HostReason::Functions => "functions or walls of a mapped mesh compute cells beyond sides",
            HostReason::ManyPatches => "a level has more patches than kernels plan",
            HostReason::ManyNeighbours => "a patch has more neighbours than kernels have room for",
            HostReason::OneRow => "the cells of a mesh from a file are one row without ghost cells",
            HostReason::Folded => "cells beyond a folded side are read backwards",
            HostReason::Leaves => {
                "kernels renew leaves in the plane at rest, of one rank, in f64, at order 2 by least squares, without auxiliary values"
            }
            HostReason::MarksOfHost => "leaves are marked by quantities alone, without regions, gauges and curves",
        }
    }
}

pub(super) fn unless(reason: HostReason, applies: bool) -> Way {
    if applies { Err(reason) } else { Ok(()) }
}

/// Who goes on with flags that kernels have made. `kept`: each rank keeps its own; `has_map`: their tiles have a map; `is_wide`: they have not been
/// widened as asked for.
pub(super) fn way_of_flags(kept: bool, has_map: bool, is_wide: bool) -> Way {
    unless(HostReason::KeptFlags, kept)?;
    unless(HostReason::Scattered, !has_map)?;
    unless(HostReason::WideBuffer, is_wide)
}

/// Who makes the boxes of so many levels at once.
pub(super) fn way_of_levels(count: usize) -> Way {
    unless(HostReason::ManyLevels, count > MAX_LEVELS)
}

/// Number of aligned tiles, `size` cells wide, on the Morton curve from cell 0 that passes through the whole box.
pub(super) fn tiles_along_curve<const D: usize>(size: i32, bounds: &CellBox<D>) -> u128 {
    let halvings = |end: i32| (end.max(1) as u32).div_ceil(size as u32).next_power_of_two().trailing_zeros();
    1 << (D as u32 * bounds.hi.iter().map(|&end| halvings(end)).max().unwrap_or(0))
}

/// Who covers the tags in a box of cells.
pub(super) fn way_of_cover<const D: usize>(method: ClusterMethod, bounds: &CellBox<D>) -> Way {
    let size = bounds.size().map(|n| n as usize);
    let is_large = match method {
        ClusterMethod::BergerRigoutsos(_) => {
            size.iter().any(|&n| size.iter().product::<usize>() / n.max(1) > MAX_PLANE_CELLS)
        }
        ClusterMethod::Tiles(size) => tiles_along_curve(size, bounds) > MAX_TILES,
    };
    unless(HostReason::LargeLevel, is_large)
}

/// Who makes the tables of plans of levels with at most so many patches each. `functions`: of the case compute cells beyond sides, which are
/// then filled axis by axis.
pub(super) fn way_of_tables(num_ranks: usize, functions: bool, most_patches: usize) -> Way {
    unless(HostReason::ManyRanks, num_ranks > MAX_RANKS)?;
    unless(HostReason::Functions, functions)?;
    unless(HostReason::ManyPatches, most_patches > MAX_PATCHES)
}

/// The ways that regrids have gone.
#[derive(Default)]
pub(super) struct Ways(Mutex<Vec<RegridWay>>);

impl Ways {
    /// Notes one, for the log and the record of the run.
    pub fn note(&self, made: Made, way: Way) {
        debug!(?made, ?way, "regrid");
        let what = match made {
            Made::Boxes => "boxes",
            Made::Tables => "tables",
            Made::Leaves => "leaves",
        };
        let because = way.err().map(HostReason::text);
        let mut all = self.0.lock();
        match all.iter_mut().find(|known| (known.what, known.because) == (what, because)) {
            Some(known) => known.times += 1,
            None => all.push(RegridWay { what, because, times: 1 }),
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<RegridWay> {
        self.0.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Cuts;

    /// Each limit has its reason, and the device does what none of them forbids.
    #[test]
    fn each_limit_has_its_reason() {
        let cuts = ClusterMethod::BergerRigoutsos(Cuts { cutoff: 0.7, halved_below: 0.5, min_size: 2 });
        let long = CellBox::new([0, 0], [1 << 30, 8]);
        let ways = [
            (way_of_flags(false, true, false), Ok(())),
            (way_of_flags(true, true, false), Err(HostReason::KeptFlags)),
            (way_of_flags(false, false, false), Err(HostReason::Scattered)),
            (way_of_flags(false, true, true), Err(HostReason::WideBuffer)),
            (way_of_levels(MAX_LEVELS + 1), Err(HostReason::ManyLevels)),
            (way_of_cover(cuts, &CellBox::new([0, 0], [300, 200])), Ok(())),
            (way_of_cover(cuts, &long), Err(HostReason::LargeLevel)),
            (way_of_cover(ClusterMethod::Tiles(2), &long), Err(HostReason::LargeLevel)),
            (way_of_tables(MAX_RANKS, false, MAX_PATCHES), Ok(())),
            (way_of_tables(MAX_RANKS + 1, false, 9), Err(HostReason::ManyRanks)),
            (way_of_tables(1, true, 9), Err(HostReason::Functions)),
            (way_of_tables(1, false, MAX_PATCHES + 1), Err(HostReason::ManyPatches)),
        ];
        for (n, (found, expected)) in ways.into_iter().enumerate() {
            assert_eq!(found, expected, "line {n}");
        }
    }
}
