//! How kernels fill cells beyond the domain's sides.

use super::axes::axes;
use crate::mesh::{Beyond, OriginRun};
use crate::physics::{Boundary, Problem};
use cuda::amr::Origin;

/// The domain's sides, as kernels need them to fill the ghost cells beyond.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Sides<const D: usize> {
    /// The rule for indices beyond the lower and the upper side along each axis.
    pub beyond: [[Beyond; 2]; D],
    /// For each axis, a bit for each of its two sides where a user's function or the wall of a mapped grid computes ghost cells. If one does,
    /// cells outside the domain are filled axis by axis after those inside, so that corners take what functions have written.
    pub functions: [u32; D],
    /// Likewise, where it is a user's, whose states are checked.
    pub checked: [u32; D],
}

impl<const D: usize> Sides<D> {
    /// The sides of a problem.
    pub fn of(problem: &Problem<D>) -> Self {
        let beyond = std::array::from_fn(|d| match problem.domain.repeats.axes[d] {
            true => [Beyond::Periodic; 2],
            false => problem.boundary[d].each_ref().map(Boundary::beyond),
        });
        let bits = |asks: fn(&Boundary<D>) -> bool| {
            problem.boundary.each_ref().map(|[lower, upper]| u32::from(asks(lower)) | u32::from(asks(upper)) << 1)
        };
        let functions = bits(|side| matches!(side, Boundary::MappedWall(_) | Boundary::User(_)));
        Sides { beyond, functions, checked: bits(|side| matches!(side, Boundary::User(_))) }
    }

    /// The rules, as kernels take them.
    pub fn rules(&self) -> [[i32; 2]; 3] {
        axes(self.beyond.map(|sides| sides.map(Beyond::number)), [1; 2])
    }

    /// Two bits for each axis: the lower and the upper side have a user's function.
    pub fn users(&self) -> u32 {
        (0..D).map(|d| self.checked[d] << (2 * d)).sum()
    }

    /// True if a user's function or the wall of a mapped grid computes ghost cells at some side.
    pub fn ask(&self) -> bool {
        self.functions.iter().any(|&sides| sides != 0)
    }
}

/// Origin of the values of cells outside the domain, as kernels take it.
pub(in crate::exec) fn origin<const D: usize>(runs: &[OriginRun; D]) -> Origin {
    Origin {
        scale: axes(runs.map(|run| run.scale), 1),
        offset: axes(runs.map(|run| run.offset), 0),
        walls: (0..D).map(|d| u32::from(runs[d].walls) << (2 * d)).sum(),
    }
}
