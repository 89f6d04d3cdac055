//! The domain's sides as the device sees them.

use super::axes::axes;
use crate::mesh::{Beyond, OriginRun};
use crate::physics::{Boundary, Problem};
use cuda::amr::Origin;

/// The domain's sides, where kernels fill what lies beyond them.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Sides<const D: usize> {
    /// What the lower and the upper side along each axis show.
    pub beyond: [[Beyond; 2]; D],
    /// Component that changes its sign at walls across each axis, or −1.
    pub normals: [i32; D],
}

impl<const D: usize> Sides<D> {
    /// Nothing where the user has a say: the host then fills what lies outside.
    pub fn of(problem: &Problem<D>, wall_normal: [Option<usize>; D]) -> Option<Self> {
        if problem.boundary.as_flattened().iter().any(|side| matches!(side, Boundary::User(_))) {
            return None;
        }
        let beyond = problem.boundary.each_ref().map(|sides| sides.each_ref().map(Boundary::beyond));
        Some(Sides { beyond, normals: wall_normal.map(|normal| normal.map_or(-1, |m| m as i32)) })
    }
}

/// Where cells outside have their values from, as kernels see it.
pub(super) fn origin<const D: usize>(runs: &[OriginRun; D]) -> Origin {
    Origin {
        scale: axes(runs.map(|run| run.scale), 1),
        offset: axes(runs.map(|run| run.offset), 0),
        negated: axes(runs.map(|run| u32::from(run.negated)), 0),
    }
}
