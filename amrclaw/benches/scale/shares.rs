//! Partitions of a hierarchy and the messages between ranks, computed by the partitions and plans that runs use.

use super::options::Options;
use super::tiled::Tiles;
use super::together::{Together, clustered};
use amrclaw::index::CellBox;
use amrclaw::mesh::{Hierarchy, Partition, Rank, Speeds};
use amrclaw::plan::{Exchange, FaceRun, LevelPlans, PlanOptions, Region, build};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Messages in one step of a level: those of the rank that has most.
#[derive(Clone, Copy, Default)]
pub struct Crossing {
    /// Messages, and the larger of bytes sent and received, each time that ghost cells are filled.
    pub ghost: [f64; 2],
    /// The same for the conservation fix and averaging down, in each step of the next coarser level.
    pub joint: [f64; 2],
}

/// A hierarchy partitioned among ranks, and its costs.
pub struct Shares {
    pub ranks: usize,
    pub num_patches: usize,
    /// Largest work of a rank over the mean, in a step of the coarsest level.
    pub imbalance: f64,
    /// Cells of the rank with most cells, for each level.
    pub most_cells: Vec<f64>,
    /// Largest number of other ranks that a sampled rank communicates with.
    pub neighbours: usize,
    /// Largest numbers of messages and bytes of a sampled rank in a step of the coarsest level.
    pub messages: usize,
    pub bytes: f64,
    pub crossings: Vec<Crossing>,
    /// Seconds to make the plans of one rank; and to sort all patches and partition the curve, which every rank does.
    pub plan_seconds: f64,
    pub cut_seconds: f64,
    /// Cost of clustering.
    pub boxes: Together,
    /// Bytes of boxes, owners and the plans of one rank.
    pub memory: f64,
}

impl Shares {
    pub fn new<const D: usize>(
        tiles: &Tiles<D>,
        copies: usize,
        ranks: usize,
        options: &Options,
    ) -> Result<Self, String> {
        let (hierarchy, order_seconds) = tiles.copies(copies);
        let steps = tiles.steps();
        let clock = Instant::now();
        let partitions = owners(&hierarchy, ranks);
        let partition_seconds = clock.elapsed().as_secs_f64();
        let cells: Vec<Vec<f64>> = hierarchy
            .levels()
            .iter()
            .zip(&partitions)
            .map(|(mesh, partition)| {
                let mut cells = vec![0.0; ranks];
                mesh.patches()
                    .iter()
                    .zip(partition.owners())
                    .for_each(|(p, &rank)| cells[rank as usize] += p.volume() as f64);
                cells
            })
            .collect();
        let work: Vec<f64> =
            (0..ranks).map(|rank| cells.iter().zip(&steps).map(|(cells, steps)| steps * cells[rank]).sum()).collect();
        // Levels are stepped one after another: all ranks wait for the busiest one of each level.
        let most_cells: Vec<f64> = cells.iter().map(|cells| cells.iter().copied().fold(0.0, f64::max)).collect();
        let most: f64 = most_cells.iter().zip(&steps).map(|(cells, steps)| steps * cells).sum();
        let mean = work.iter().sum::<f64>() / ranks as f64;
        let num_patches = hierarchy.levels().iter().map(|mesh| mesh.patches().len()).sum::<usize>();
        let mut shares = Shares {
            ranks,
            num_patches,
            imbalance: most / mean,
            most_cells,
            neighbours: 0,
            messages: 0,
            bytes: 0.0,
            crossings: vec![Crossing::default(); steps.len()],
            plan_seconds: 0.0,
            cut_seconds: order_seconds + partition_seconds,
            boxes: Together::default(),
            memory: (num_patches * (size_of::<CellBox<D>>() + size_of::<u32>())) as f64,
        };
        shares.boxes = if ranks <= options.together {
            boxes(&hierarchy, &partitions, ranks)?
        } else {
            let (hierarchy, _) = tiles.copies((copies * options.together / ranks).max(1));
            boxes(&hierarchy, &owners(&hierarchy, options.together), options.together)?
        };
        for rank in samples(&work, options.samples) {
            shares.look_at(tiles, &hierarchy, rank, partition_seconds);
        }
        Ok(shares)
    }

    /// Includes the plans and messages of one rank in the maxima.
    fn look_at<const D: usize>(
        &mut self,
        tiles: &Tiles<D>,
        hierarchy: &Hierarchy<D>,
        rank: usize,
        partition_seconds: f64,
    ) {
        let rank = Rank { number: rank, of: self.ranks };
        let clock = Instant::now();
        let (plans, _) = build(hierarchy, PlanOptions { num_ghost: 2, conservation_fix: true, rank }, None);
        self.plan_seconds = self.plan_seconds.max((clock.elapsed().as_secs_f64() - partition_seconds).max(0.0));
        let steps = tiles.steps();
        let (mut others, mut messages, mut bytes) = (BTreeSet::new(), 0.0, 0.0);
        for (l, plans) in plans.iter().enumerate() {
            let crossing = crossing(plans, tiles, &mut others);
            // If there are finer levels, ghost cells are filled before and after the step.
            let fills = steps[l] * if l + 1 < steps.len() { 2.0 } else { 1.0 };
            let joint = if l > 0 { steps[l - 1] } else { 0.0 };
            messages += fills * crossing.ghost[0] + joint * crossing.joint[0];
            bytes += fills * crossing.ghost[1] + joint * crossing.joint[1];
            let most = &mut self.crossings[l];
            for k in 0..2 {
                most.ghost[k] = most.ghost[k].max(crossing.ghost[k]);
                most.joint[k] = most.joint[k].max(crossing.joint[k]);
            }
        }
        self.neighbours = self.neighbours.max(others.len());
        self.messages = self.messages.max(messages as usize);
        self.bytes = self.bytes.max(bytes);
        let boxes = (self.num_patches * (size_of::<CellBox<D>>() + size_of::<u32>())) as f64;
        let lists: usize = plans
            .iter()
            .map(|plans| {
                let regions = plans.ghost().copies.all().len() + plans.ghost().interps.all().len();
                let faces = plans.reflux().map_or(0, |plan| plan.runs.all().len());
                // Each list stores an end for every patch, including those of other ranks.
                (regions + faces) * 2 * size_of::<CellBox<D>>() + 5 * size_of::<u32>() * plans.ghost().num_patches()
            })
            .sum();
        self.memory = self.memory.max(boxes + lists as f64);
    }
}

/// The partitions of all levels among equally fast ranks.
fn owners<const D: usize>(hierarchy: &Hierarchy<D>, ranks: usize) -> Vec<Arc<Partition>> {
    Partition::of_levels(hierarchy.levels(), hierarchy.ratios(), &Speeds::equal(ranks), |_| None)
}

/// The ranks to examine: those with most work, and others at equal distances.
fn samples(work: &[f64], count: usize) -> BTreeSet<usize> {
    let mut order: Vec<usize> = (0..work.len()).collect();
    order.sort_by(|&a, &b| work[b].total_cmp(&work[a]));
    let busiest = order.iter().copied().take(count.div_ceil(2));
    busiest.chain((0..count / 2).map(|k| k * work.len() / count.max(1))).collect()
}

/// The messages between one rank and others in the plans of a level.
fn crossing<const D: usize>(plans: &LevelPlans<D>, tiles: &Tiles<D>, others: &mut BTreeSet<usize>) -> Crossing {
    let number = size_of::<f64>() * tiles.num_eqn();
    let ghost = larger(&plans.ghost().exchange, others, |regions| number * regions.num_cells());
    let mut joint = [0.0; 2];
    if let Some(plan) = plans.restrict() {
        let volume = |items: &Vec<Region<D>>| items.iter().map(|r| r.cells.volume()).sum::<usize>();
        joint = larger(&plan.exchange, others, |items| number * volume(items));
    }
    if let Some(plan) = plans.reflux() {
        // The owner of the coarse side sends sums and cell values to that of the fine side, which sends sums back.
        let there_and_back = size_of::<f64>() * (2 * tiles.num_eqn() + tiles.num_values());
        let volume = |items: &Vec<FaceRun<D>>| items.iter().map(|r| r.cells.volume()).sum::<usize>();
        let [messages, bytes] = larger(&plan.exchange, others, |items| there_and_back * volume(items));
        joint = [joint[0] + 2.0 * messages, joint[1] + bytes];
    }
    Crossing { ghost, joint }
}

/// Numbers of messages and bytes: the larger of those sent and received.
fn larger<T>(exchange: &Exchange<T>, others: &mut BTreeSet<usize>, bytes: impl Fn(&T) -> usize) -> [f64; 2] {
    let [sent, received] = [&exchange.sent, &exchange.received].map(|messages| {
        others.extend(messages.iter().map(|message| message.rank));
        [messages.len(), messages.iter().map(|message| bytes(&message.items)).sum()]
    });
    [0, 1].map(|k| sent[k].max(received[k]) as f64)
}

/// How often clustering is repeated. The shortest time counts, to exclude other load on the machine.
const TRIES: usize = 3;

/// The clustering of all ranks together.
fn boxes<const D: usize>(
    hierarchy: &Hierarchy<D>,
    partitions: &[Arc<Partition>],
    ranks: usize,
) -> Result<Together, String> {
    let tries = (0..TRIES).map(|_| clustered(hierarchy, partitions, ranks)).collect::<Result<Vec<_>, _>>()?;
    Ok(tries.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap_or_default())
}
