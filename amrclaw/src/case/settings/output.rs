//! What is written, recorded and drawn.

use super::NamedExpression;
use crate::case::choice::Extreme;
use crate::frames::monitor::MonitorFormat;
use crate::frames::{FrameFormat, Plot};

/// The case file's `[output]`.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Formats to write; none at all is allowed.
    pub format: Vec<FrameFormat>,
    /// When to write frames.
    pub frames: FrameSchedule,
    /// Coarsest-level steps between checkpoints; 0 for none.
    pub checkpoint_every_steps: u64,
    /// Minutes between checkpoints; 0 for none.
    pub checkpoint_every_minutes: f64,
    /// Write auxiliary values too.
    pub aux: bool,
    /// Draw a picture of each frame.
    pub png: bool,
    /// Keep the present state in a file between frames.
    pub live: bool,
    /// Formulas times the outward normal, summed over sides of a mesh from a file.
    pub forces: Vec<ForceSettings>,
}

/// A table `[output.forces.NAME]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceSettings {
    /// NAME, after which the file is named.
    pub name: String,
    /// The side of the mesh; NAME unless the case says another.
    pub side: String,
    /// Steps between rows.
    pub every_steps: u64,
    /// What is multiplied by the normal.
    pub value: NamedExpression,
}

/// When frames are written.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameSchedule {
    /// At these times, ascending.
    Times(Vec<f64>),
    /// At the start, and this many times at equal intervals up to the end.
    Count(u64),
    /// At the start, after every so many steps of the coarsest level, and at the end.
    EverySteps(u64),
}

impl FrameSchedule {
    /// The times of frames in `start ..= end`; `None` if frames are written by number of steps.
    pub fn times(&self, start: f64, end: f64) -> Option<Vec<f64>> {
        match self {
            FrameSchedule::Times(times) => Some(times.clone()),
            FrameSchedule::Count(count) => {
                let at = |n: u64| if n == *count { end } else { start + (end - start) * (n as f64 / *count as f64) };
                Some((0..=*count).map(at).collect())
            }
            FrameSchedule::EverySteps(_) => None,
        }
    }
}

/// One of the case file's `[[gauge]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GaugeSettings {
    /// Name of the gauge and of its file.
    pub name: String,
    /// Where it stands.
    pub position: Vec<f64>,
}

/// One of the case file's `[[monitor]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MonitorSettings {
    /// Its name, and that of its file.
    pub name: String,
    /// Numbers of points along the axes of their lattice, x first; one number for points on a line or in a list.
    pub shape: Vec<usize>,
    /// Positions of the points, x of the lattice fastest, one coordinate for each axis.
    pub points: Vec<f64>,
    /// Steps of the coarsest level between looks.
    pub every_steps: u64,
    /// The first and the last time of a look.
    pub time: [f64; 2],
    /// The format of its files.
    pub format: MonitorFormat,
    /// What is recorded.
    pub values: Vec<(Extreme, NamedExpression)>,
}

/// One of the case file's `[[plot]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSettings {
    /// What is drawn; none for what [`Case::plots`](crate::case::Case::plots) chooses.
    pub fields: Vec<NamedExpression>,
    /// Components of arrows.
    pub vectors: Vec<NamedExpression>,
    /// Where land is drawn.
    pub land: Option<NamedExpression>,
    /// All else.
    pub plot: Plot,
}
