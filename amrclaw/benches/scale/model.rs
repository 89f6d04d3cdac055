//! The time of a step by a model without overlap of communication and computation.

use super::options::Options;
use super::shares::Shares;
use super::tiled::Tiles;
use std::fmt;

/// Bytes of the step report that every rank sends to all others in each step of a level.
const REPORT: f64 = 40.0;
/// Bytes of a box that is sent to all ranks.
const BOX: f64 = 24.0;

pub struct Model {
    cell: f64,
    step: f64,
    latency: f64,
    bandwidth: f64,
    host: f64,
    threads: usize,
    interval: f64,
    /// Steps of each level in one of the coarsest.
    steps: Vec<f64>,
}

/// Seconds of a step of the coarsest level.
#[derive(Clone, Copy)]
pub struct Step {
    /// Updates and messages.
    advance: f64,
    /// Regrids: clustering by all ranks together, an all-gather of the boxes, their order and owners, which every rank computes, and plans.
    regrid: f64,
}

/// Parallel efficiency: of steps alone, and including regrids.
pub struct Efficiency {
    pub step: f64,
    pub all: f64,
}

impl Model {
    pub fn new<const D: usize>(options: &Options, tiles: &Tiles<D>) -> Self {
        Model {
            cell: options.cell_seconds,
            step: options.step_seconds,
            latency: options.latency,
            bandwidth: options.bandwidth,
            host: options.host,
            threads: options.threads,
            interval: options.interval,
            steps: tiles.steps(),
        }
    }

    pub fn step(&self, shares: &Shares) -> Step {
        let (ranks, finest) = (shares.ranks as f64, self.steps.len() - 1);
        let crosses = |[messages, bytes]: [f64; 2]| messages * self.latency + bytes / self.bandwidth;
        // An all-gather: every rank receives the bytes of all.
        let told = |bytes: f64| {
            if shares.ranks > 1 { ranks.log2().ceil() * self.latency + ranks * bytes / self.bandwidth } else { 0.0 }
        };
        let mut advance = 0.0;
        for (l, steps) in self.steps.iter().enumerate() {
            let fills = if l < finest { 2.0 } else { 1.0 };
            let crossing = &shares.crossings[l];
            let compute = shares.most_cells[l] * self.cell + self.step;
            advance += steps * (compute + fills * crosses(crossing.ghost) + told(REPORT));
            advance += if l > 0 { self.steps[l - 1] * crosses(crossing.joint) } else { 0.0 };
        }
        let regrids = if finest > 0 { self.steps[finest - 1] / self.interval } else { 0.0 };
        let patches = shares.num_patches as f64 / ranks;
        let on_host = (shares.plan_seconds + shares.cut_seconds + shares.boxes.seconds) / self.host;
        let crossing = crosses([shares.boxes.messages, shares.boxes.bytes]) + told(patches * BOX);
        Step { advance, regrid: regrids * (on_host + crossing) }
    }
}

impl Step {
    /// Efficiency relative to `one`, the step with the fewest ranks. `part`: work per rank relative to that step's.
    pub fn efficiency(&self, one: &Step, part: f64) -> Efficiency {
        Efficiency {
            step: part * one.advance / self.advance,
            all: part * (one.advance + one.regrid) / (self.advance + self.regrid),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "model: {:e} s a cell, {:e} s a step of a level, {:e} s a message, {:e} bytes a second, host {} times {} threads here, \
             regrids every {} steps",
            self.cell, self.step, self.latency, self.bandwidth, self.host, self.threads, self.interval
        )
    }
}
