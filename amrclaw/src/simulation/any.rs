//! Simulations whose number of dimensions is known when they run.
//!
//! What calls them does not compile the executors again, as a crate that names [`Simulation`] does.

use super::{RunError, RunOptions, Simulation};
use crate::case::Case;
use crate::diagnose::Counts;
use crate::exec::{HostArray, HostMemory};
use crate::fields::PatchLayout;
use crate::frames::AnyFrame;
use crate::frames::frame::Frame;
use crate::index::{Level, in_dimensions};

/// A [`Simulation`] of any number of dimensions: what is not explained here is there.
#[allow(missing_docs, reason = "each is that of `Simulation`")]
pub trait AnySimulation: Send + Sync {
    fn time(&self) -> f64;
    fn dt_next(&self) -> f64;
    fn threads(&self) -> usize;
    fn counts(&self) -> &Counts;
    fn step_to(&mut self, limit: f64) -> Result<(), RunError>;
    fn aux_stays(&self) -> bool;
    fn renew_aux(&mut self) -> Result<(), RunError>;
    fn totals(&self) -> Vec<f64>;
    fn frame(&self) -> AnyFrame;
    fn take_values(&mut self, level: Level) -> Option<HostMemory>;
    fn num_levels(&self) -> usize;
    /// First cell of each patch of a level, and the cell past its last.
    fn boxes(&self, level: Level) -> Vec<[Vec<i32>; 2]>;
    /// The present values of a level, in place; `None` if they are not in host memory, or if there is no such level.
    fn host_patches(&self, level: Level) -> Option<HostPatches<'_>>;
}

/// The values of a level's patches, ghost cells included, and where each patch lies in them.
pub struct HostPatches<'a> {
    /// The solution, then the auxiliary values.
    pub values: [HostArray<'a>; 2],
    /// Components of each.
    pub components: [usize; 2],
    /// In the order of the level.
    pub patches: Vec<HostPatch>,
}

/// A patch's cells, and the layout of its interior values.
pub struct HostPatch {
    /// First cell.
    pub lo: Vec<i32>,
    /// The cell past the last.
    pub hi: Vec<i32>,
    /// Position of component 0 of the first cell of `q`, then of `aux`.
    pub offset: [usize; 2],
    /// Strides, in numbers: from one component to the next, then from one cell to the next along x, y and z.
    pub strides: Vec<usize>,
}

/// The simulation of a case at its start, as [`Simulation::builder`] builds it.
///
/// # Errors
/// As for [`SimulationBuilder::build`](super::SimulationBuilder::build).
pub fn any_simulation(case: &Case, options: &RunOptions) -> Result<Box<dyn AnySimulation>, RunError> {
    fn of<const D: usize>(case: &Case, options: &RunOptions) -> Result<Box<dyn AnySimulation>, RunError>
    where
        AnyFrame: From<Frame<D>>,
    {
        Ok(Box::new(Simulation::<D>::builder(case).options(options).build()?))
    }
    in_dimensions!(case.dimension(), D => of::<D>(case, options))
}

impl<const D: usize> AnySimulation for Simulation<D>
where
    AnyFrame: From<Frame<D>>,
{
    fn time(&self) -> f64 {
        self.time()
    }
    fn dt_next(&self) -> f64 {
        self.dt_next()
    }
    fn threads(&self) -> usize {
        self.threads()
    }
    fn counts(&self) -> &Counts {
        self.counts()
    }
    fn step_to(&mut self, limit: f64) -> Result<(), RunError> {
        self.step_to(limit)
    }
    fn aux_stays(&self) -> bool {
        self.aux_stays()
    }
    fn renew_aux(&mut self) -> Result<(), RunError> {
        self.renew_aux()
    }
    fn totals(&self) -> Vec<f64> {
        self.totals()
    }
    fn frame(&self) -> AnyFrame {
        self.frame().into()
    }
    fn take_values(&mut self, level: Level) -> Option<HostMemory> {
        self.take_values(level)
    }
    fn num_levels(&self) -> usize {
        self.hierarchy().num_levels()
    }
    fn boxes(&self, level: Level) -> Vec<[Vec<i32>; 2]> {
        let patches = self.hierarchy().level(level).patches();
        patches.iter().map(|cells| [cells.lo.to_vec(), cells.hi.to_vec()]).collect()
    }
    fn host_patches(&self, level: Level) -> Option<HostPatches<'_>> {
        let values = self.host_values(level)?;
        let components = [self.equations().len(), self.aux().len()];
        let patch = |layout: &PatchLayout<D>| {
            let (cells, strides) = (layout.cells, layout.strides());
            let along = [1, strides.row, strides.slab];
            HostPatch {
                lo: cells.lo.to_vec(),
                hi: cells.hi.to_vec(),
                offset: components.map(|count| layout.offset(count, cells.lo)),
                strides: std::iter::once(strides.component).chain(along.into_iter().take(D)).collect(),
            }
        };
        let patches = values.layout.patches.iter().map(patch).collect();
        Some(HostPatches { values: [values.q, values.aux], components, patches })
    }
}
