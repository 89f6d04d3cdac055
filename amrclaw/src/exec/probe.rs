//! What checks need of an executor beside its verbs.

use super::{ExecError, Executor, Flagged};
use crate::index::{CellBox, Level};

/// A patch's cells, ghost cells included, and their values: `[equation, z, y, x]`, x fastest.
pub type PatchValues<const D: usize> = (CellBox<D>, Vec<f64>);

/// An executor whose ghost cells can be read, and which can be made to reveal reads of values that it has not written.
pub trait Probe<const D: usize>: Executor<D> {
    /// The present values of a level's patches, ghost cells included.
    fn with_ghosts(&self, level: Level) -> Vec<PatchValues<D>>;

    /// Puts NaN into all ghost cells of a level's present state.
    fn poison_ghosts(&mut self, level: Level);

    /// The flags of a level, as [`Executor::refine`] has them: where the executor makes boxes of them too.
    ///
    /// # Errors
    /// The device fails.
    fn flags(&mut self, level: Level, dt: f64) -> Result<Flagged<D>, ExecError>;

    /// From now on new arrays on the host are filled with NaN.
    fn poison_new_arrays(&mut self);
}
