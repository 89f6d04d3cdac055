//! The domain's sides as the device sees them.

use super::axes::axes;
use crate::mesh::{Beyond, OriginRun};
use crate::physics::{Boundary, Problem};
use cuda::amr::Origin;

/// The domain's sides, as kernels fill what lies beyond them.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Sides<const D: usize> {
    /// What the lower and the upper side along each axis show.
    pub beyond: [[Beyond; 2]; D],
    /// Component that changes its sign at walls across each axis, or −1.
    pub normals: [i32; D],
    /// A bit for each of the two sides across an axis where a function of the user's or the wall of a mapped grid has a say. Where one has, what lies outside is filled
    /// axis by axis behind what lies inside: corners show what functions have written.
    pub functions: [u32; D],
}

impl<const D: usize> Sides<D> {
    /// Those of a problem.
    pub fn of(problem: &Problem<D>, wall_normal: [Option<usize>; D]) -> Self {
        let beyond = problem.boundary.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond));
        let asks = |side: &Boundary<D>| u32::from(matches!(side, Boundary::MappedWall(_) | Boundary::User(_)));
        let functions = problem.boundary.each_ref().map(|[lower, upper]| asks(lower) | asks(upper) << 1);
        Sides { beyond, normals: wall_normal.map(|normal| normal.map_or(-1, |m| m as i32)), functions }
    }

    /// True where the user or a mapped grid has a say.
    pub fn ask(&self) -> bool {
        self.functions.iter().any(|&sides| sides != 0)
    }
}

/// Where cells outside have their values from, as kernels see it.
pub(in crate::exec) fn origin<const D: usize>(runs: &[OriginRun; D]) -> Origin {
    Origin {
        scale: axes(runs.map(|run| run.scale), 1),
        offset: axes(runs.map(|run| run.offset), 0),
        negated: axes(runs.map(|run| u32::from(run.negated)), 0),
    }
}
