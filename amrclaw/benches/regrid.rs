//! Cost of a regrid stage by stage, from flags to patches to plans; no values are moved.
//!
//! The hierarchies are those of the paper's benchmark on 1000² base cells with three levels: two acoustic rings, one moving
//! outward, one inward, flagged by their exact differences. Each figure is the median of 15 regrids after 3 to warm up.
//! The figure in brackets is not part of the sum: partition of all levels among two ranks, and the plans of the first.
//!
//! `cargo bench -p amrclaw --bench regrid -- [THREADS]`

use amrclaw::index::{CellBox, Level, Ratio};
use amrclaw::mesh::{Domain, Hierarchy, Rank, TagSet};
use amrclaw::plan::{PlanOptions, build, nesting_width};
use amrclaw::regrid::nest::{LevelNesting, enforce, project, split_to_size};
use amrclaw::regrid::{ClusterParams, buffer, cluster};
use amrclaw::simulation::keep_freed_memory;
use std::time::Instant;

const BASE_CELLS: i32 = 1000;
const RATIO: Ratio<2> = Ratio([2, 2]);
const NUM_GHOST: i32 = 2;
const MAX_PATCH_SIZE: i32 = 256;
const TOLERANCE: f64 = 0.01;
const WARM_UP: usize = 3;
const REPEATS: usize = 15;
const OPTIONS: PlanOptions = PlanOptions { num_ghost: NUM_GHOST, conservation_fix: true, rank: Rank::SOLO };
const FIRST_OF_TWO: PlanOptions = PlanOptions { rank: Rank { number: 0, of: 2 }, ..OPTIONS };

/// Pressure and radial velocity: two half waves whose amplitude times `√r` is constant.
fn state(x: f64, y: f64, time: f64) -> [f64; 3] {
    let r = x.hypot(y).max(1e-3);
    let wave = |centre: f64| {
        let s = (r - centre).abs();
        let height = if s <= 0.2 { 1.0 + (std::f64::consts::PI * s / 0.2).cos() } else { 0.0 };
        0.5 * height * (0.5 / r).sqrt()
    };
    let (outward, inward) = (wave(0.5 + 2.0 * time), wave(0.5 - 2.0 * time));
    let u = (outward - inward) / 2.0;
    [outward + inward, u * x / r, u * y / r]
}

/// Flagged cells of a level of `cells`² cells: those that differ from a neighbour by more than the tolerance.
fn flags(cells: i32, time: f64) -> TagSet<2> {
    let dx = 2.0 / f64::from(cells);
    let at = |i: i32, j: i32| state((f64::from(i) + 0.5) * dx - 1.0, (f64::from(j) + 0.5) * dx - 1.0, time);
    let rows: Vec<Vec<[f64; 3]>> = (-1..=cells).map(|j| (-1..=cells).map(|i| at(i, j)).collect()).collect();
    let differ = |a: [f64; 3], b: [f64; 3]| (0..3).any(|m| (a[m] - b[m]).abs() > TOLERANCE);
    let mut tags = TagSet::new(CellBox::new([0, 0], [cells, cells]));
    for j in 0..cells as usize {
        for i in 0..cells as usize {
            let row = &rows[j + 1];
            if differ(row[i], row[i + 2]) || differ(rows[j][i + 1], rows[j + 2][i + 1]) {
                tags.insert([i as i32, j as i32]);
            }
        }
    }
    tags
}

/// Times of the stages in milliseconds, by name.
#[derive(Default)]
struct Stages(Vec<(&'static str, Vec<f64>)>);

impl Stages {
    fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let clock = Instant::now();
        let result = work();
        let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some((_, times)) => times.push(milliseconds),
            None => self.0.push((name, vec![milliseconds])),
        }
        result
    }

    fn medians(mut self, regrids: usize) -> Vec<(&'static str, f64)> {
        self.0
            .iter_mut()
            .map(|(name, times)| {
                // The times of a stage that runs once per level are summed.
                let per_regrid = times.len() / regrids;
                let mut sums: Vec<f64> =
                    times.chunks(per_regrid).skip(WARM_UP).map(|levels| levels.iter().sum()).collect();
                sums.sort_by(f64::total_cmp);
                (*name, sums[sums.len() / 2])
            })
            .collect()
    }
}

struct Settings {
    cutoff: f64,
    interval: i32,
}

/// Boxes of the levels finer than `base` from the flags of each level, as a regrid makes them.
fn finer_boxes(
    base: usize,
    hierarchy: &Hierarchy<2>,
    flags: &[TagSet<2>; 2],
    settings: &Settings,
    stages: &mut Stages,
) -> Vec<Vec<CellBox<2>>> {
    let width = nesting_width(NUM_GHOST, &[RATIO]);
    let open = [false; 2];
    let mut finer: Vec<Vec<CellBox<2>>> = Vec::new();
    for l in (base..2.min(hierarchy.num_levels())).rev() {
        let mut tags = stages.time("buffer", || buffer(&flags[l], settings.interval, open));
        if let Some(boxes) = finer.first() {
            stages.time("project", || project(boxes, [RATIO; 2], width, 1 + settings.interval, &mut tags, open));
        }
        let nesting = LevelNesting::new(hierarchy.level(Level(base as u8)), &hierarchy.ratios()[base..l], width);
        stages.time("clip", || nesting.clip(&mut tags));
        let params = ClusterParams { cutoff: settings.cutoff, ..ClusterParams::default() };
        let boxes = stages.time("cluster", || cluster(&tags, &params));
        let boxes = stages.time("enforce", || enforce(&boxes, &tags, |b| nesting.nests(b)));
        let boxes = split_to_size(&boxes, [MAX_PATCH_SIZE / 2; 2]);
        finer.insert(0, boxes.iter().map(|b| b.fine_from_coarse(RATIO)).collect());
    }
    finer
}

/// Flags on the patches of the present hierarchy.
fn flags_on(hierarchy: &Hierarchy<2>, everywhere: &[TagSet<2>; 2]) -> [TagSet<2>; 2] {
    std::array::from_fn(|l| {
        let mut tags = everywhere[l].clone();
        if let Some(mesh) = hierarchy.levels().get(l) {
            let mut inside = TagSet::new(*tags.domain());
            inside.insert_boxes(mesh.patches());
            let mut outside = tags.clone();
            outside.subtract(&inside);
            tags.subtract(&outside);
        }
        tags
    })
}

fn measure(settings: &Settings, flags_then: &[TagSet<2>; 2], flags_now: &[TagSet<2>; 2], base: usize) {
    let domain = Domain { lower: [-1.0; 2], upper: [1.0; 2], cells: [BASE_CELLS; 2], repeats: [false; 2].into() };
    let coarsest = split_to_size(&[domain.coarsest()], [MAX_PATCH_SIZE; 2]);
    let mut old = Hierarchy::new(domain, vec![RATIO; 2], coarsest);
    for l in 0..2 {
        let tags = flags_on(&old, flags_then);
        let boxes = finer_boxes(l, &old, &tags, settings, &mut Stages::default());
        old.replace_finer(Level(l as u8), boxes);
    }
    let tags = flags_on(&old, flags_now);
    let mut stages = Stages::default();
    let mut new = old.clone();
    let [old_plans, of_rank] = [OPTIONS, FIRST_OF_TWO].map(|options| build(&old, options, None).0);
    for _ in 0..WARM_UP + REPEATS {
        let boxes = finer_boxes(base, &old, &tags, settings, &mut stages);
        new = old.clone();
        stages.time("mesh", || new.replace_finer(Level(base as u8), boxes));
        // Plans of unchanged levels are kept.
        stages.time("plans", || build(&new, OPTIONS, Some((&old, &old_plans))));
        stages.time("(plans of one of two ranks)", || build(&new, FIRST_OF_TWO, Some((&old, &of_rank))));
    }
    let patches: Vec<usize> = new.levels().iter().map(|mesh| mesh.patches().len()).collect();
    let cells: Vec<usize> = new.levels().iter().map(|mesh| mesh.num_cells()).collect();
    println!(
        "cutoff {}, interval and buffer {}, base level {}: patches {patches:?}, cells {cells:?}",
        settings.cutoff,
        settings.interval,
        base + 1
    );
    let medians = stages.medians(WARM_UP + REPEATS);
    let counts = |name: &str| !name.starts_with('(');
    let total: f64 = medians.iter().filter(|(name, _)| counts(name)).map(|(_, ms)| ms).sum();
    let text: Vec<String> = medians.iter().map(|(name, ms)| format!("{name} {ms:.3}")).collect();
    println!("    {} | sum of stages {total:.3} ms", text.join(", "));
}

fn main() {
    keep_freed_memory();
    let threads = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    println!("{threads} thread(s); milliseconds, median of {REPEATS}");
    for interval in [8, 2] {
        // The time between regrids: some steps of Courant number 0.9 at sound speed 2.
        let (then, step) = (0.1, f64::from(interval) * 0.9 / f64::from(BASE_CELLS));
        let flags_at = |time| [flags(BASE_CELLS, time), flags(2 * BASE_CELLS, time)];
        let (flags_then, flags_now) = (flags_at(then), flags_at(then + step));
        for cutoff in [0.5, 0.7, 0.9] {
            for base in [0, 1] {
                pool.install(|| measure(&Settings { cutoff, interval }, &flags_then, &flags_now, base));
            }
        }
    }
}
