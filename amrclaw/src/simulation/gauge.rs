//! Gauges: the solution at a point, at every step of the finest level there.

use crate::exec::Executor;
use crate::index::Level;
use crate::mesh::Hierarchy;

/// The middle of a cell of a row, as which a mesh from a file is taken.
pub(super) fn middle_of<const D: usize>(cell: usize) -> [f64; D] {
    std::array::from_fn(|d| if d == 0 { cell as f64 + 0.5 } else { 0.5 })
}

/// A time series at a point.
#[derive(Clone, Debug)]
pub struct Gauge<const D: usize> {
    /// Its name.
    pub name: String,
    /// Its physical position.
    pub position: [f64; D],
    /// Its computational position, which differs from the physical one on a mapped mesh.
    point: [f64; D],
    /// Level and patch that it reads.
    location: (Level, usize),
    num_eqn: usize,
    levels: Vec<Level>,
    times: Vec<f64>,
    /// Values of the rows; those of the last rows are missing until the executor has reported them.
    values: Vec<f64>,
}

/// One row of a gauge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaugeSample<'a> {
    /// Level read.
    pub level: Level,
    /// Time.
    pub time: f64,
    /// Value of each equation's quantity.
    pub q: &'a [f64],
}

impl<const D: usize> Gauge<D> {
    pub(super) fn new(name: String, position: [f64; D], point: [f64; D], num_eqn: usize) -> Self {
        let (levels, times, values) = (Vec::new(), Vec::new(), Vec::new());
        Gauge { name, position, point, location: (Level::COARSEST, 0), num_eqn, levels, times, values }
    }

    /// All rows so far.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = GaugeSample<'_>> {
        (0..self.times.len()).map(|k| GaugeSample {
            level: self.levels[k],
            time: self.times[k],
            q: &self.values[k * self.num_eqn..][..self.num_eqn],
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// True if there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Forgets the rows from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.levels.truncate(len);
        self.times.truncate(len);
        self.values.truncate(len * self.num_eqn);
    }

    /// The cell of a mesh from a file that it reads.
    pub(super) fn cell(&self) -> usize {
        self.point[0] as usize
    }

    /// Reads at another computational position from now on: the cells of a mesh from a file are others.
    pub(super) fn move_to(&mut self, point: [f64; D]) {
        self.point = point;
    }

    /// Finds the finest patch over the gauge.
    pub(super) fn locate(&mut self, hierarchy: &Hierarchy<D>) {
        let (level, patch, _) = hierarchy.finest_at(self.point);
        self.location = (level, patch);
    }

    /// Adds a row if the gauge reads this level; [`Gauge::complete`] adds its values later. True if a row was added.
    pub(super) fn record(&mut self, exec: &mut dyn Executor<D>, level: Level, time: f64) -> bool {
        let reads = self.location.0 == level;
        if reads {
            self.levels.push(level);
            self.times.push(time);
            exec.sample(level, self.location.1, self.point);
        }
        reads
    }

    /// Sets the values of the first row without values.
    pub(super) fn complete(&mut self, values: &[f64]) {
        self.values.extend_from_slice(values);
    }
}
