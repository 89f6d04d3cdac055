//! Cost of adaption: a ring that grows and shrinks over quadrilaterals, four levels below the roots, by two of the finest cells from adaption to adaption.
//! `cargo bench -p amrclaw-unstructured --bench adapt -- [--cells N] [--threads N] [--times N]`
//!
//! Nanoseconds a leaf of each part of an adaption, and of a step of gas, order 2, by Hancock's method; how many leaves change; and the program's memory,
//! which stays the same from one ring of full size to the next.

use riemann::catalogue;
use riemann::patch::PACK_OVERRUN;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use unstructured::Mesh;
use unstructured::adapt::{Before, Forest, Leaves, curvature, transfer};
use unstructured::make::{Block, Of};
use unstructured::step::{
    BoundaryFace, Field, Gradient, Limiter, Outside, Scheme, SolvedBy, Stepper, TimeStep, gradients, stencil,
};

const LEVELS: u8 = 4;
const STATE: [f64; 4] = [1.4, 0.1, 0.2, 2.5];

struct Open;

impl Outside for Open {
    fn fill(&self, _: &BoundaryFace<'_>, inside: &[f64], outside: &mut [f64]) {
        outside.copy_from_slice(inside);
    }
}

/// Seconds by name, in the order of their first use.
#[derive(Default)]
struct Parts(Vec<(&'static str, f64)>);

impl Parts {
    fn of<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let clock = Instant::now();
        let done = work();
        let at = self.0.iter().position(|part| part.0 == name).unwrap_or_else(|| {
            self.0.push((name, 0.0));
            self.0.len() - 1
        });
        self.0[at].1 += clock.elapsed().as_secs_f64();
        done
    }
}

/// Megabytes of the program's memory, as Linux tells.
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<f64>().ok().map(|pages| (pages * 4096.0 / 1e5).round() / 10.0)
}

/// The levels of leaves near a circle.
fn wanted((leaves, mesh): (&Leaves, &Mesh), cells: usize, radius: f64) -> Vec<u8> {
    let of = |(&level, at): (&u8, &[f64; 3])| {
        let far = ((at[0] - 0.5).hypot(at[1] - 0.5) - radius).abs() * (cells << level) as f64;
        match far {
            far if far < 2.0 => (level + 1).min(LEVELS),
            far if far > 4.0 => level.saturating_sub(1),
            _ => level,
        }
    };
    leaves.level.iter().zip(&mesh.centroid).map(of).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut cells, mut threads, mut times) = (48, 1, 40);
    while let Some(argument) = arguments.next() {
        let value: usize = arguments.next().ok_or("an option needs a number")?.parse()?;
        match argument.as_str() {
            "--threads" => threads = value,
            "--cells" => cells = value,
            "--times" => times = value,
            other => return Err(format!("{other}: only --cells, --threads and --times").into()),
        }
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let hllc =
        catalogue::kernels("euler_hllc", 2, &BTreeMap::new())?.ok_or("this build has no kernels for this processor")?;
    let hllc = hllc.double.as_ref();
    let roots = Mesh::new(Block { shake: 0.2, ..Block::new(&[cells, cells], Of::Quadrilaterals) }.make()?)?;
    let forest = Forest::new(Arc::new(roots))?;
    let scheme = Scheme {
        order: 2,
        time: TimeStep::Hancock,
        gradient: Gradient::LeastSquares,
        limiter: Limiter::BarthJespersen,
        is_local: false,
        solved_by: SolvedBy::Cells,
    };
    let mut leaves = forest.undivided();
    let mut links = forest.links(&leaves, None);
    let mut mesh = forest.mesh(&leaves, &links, None, None);
    mesh.stencil = Some(stencil(&mesh, scheme.gradient));
    let mut mesh = Arc::new(mesh);
    let mut q: Vec<f64> = STATE.iter().flat_map(|&value| vec![value; mesh.num_cells()]).collect();
    let finest = 1.0 / (cells << LEVELS) as f64;
    let (mut parts, mut sum) = (Parts::default(), 0);
    let (mut changed, mut memory) = (0, Vec::new());
    for time in 0..times + 8 {
        if time == 8 {
            (parts, sum, changed) = (Parts::default(), 0, 0);
        }
        let radius = 0.4 - ((2.0 * finest * time as f64) % 0.6 - 0.3).abs();
        if 2.0 * finest * time as f64 % 0.6 >= 0.6 - 2.0 * finest {
            memory.push(resident());
        }
        let field: Vec<f64> = q[..mesh.num_cells()].iter().chain(&vec![1.4; mesh.boundary.len()]).copied().collect();
        let slopes = || gradients(&mesh, &stencil(&mesh, Gradient::LeastSquares), &field);
        parts.of("criterion", || curvature(&mesh, &slopes(), &field));
        let wanted = wanted((&leaves, &mesh), cells, radius);
        let levels = parts.of("settle", || forest.settle(&leaves, &links, &wanted));
        let renewed = parts.of("renewed", || forest.renewed(&leaves, &levels));
        let changes = renewed.change.iter().filter(|change| **change != 0).count();
        let new_links = parts.of("links", || forest.links(&renewed.leaves, Some((&links, &renewed))));
        let before = Before { mesh: &mesh, links: &links, renewed: &renewed };
        let new = parts.of("mesh", || Arc::new(forest.mesh(&renewed.leaves, &new_links, Some(&before), None)));
        q = parts.of("transfer", || transfer((&mesh, &new), &renewed, &q, &|_, _| true));
        (leaves, links, mesh) = (renewed.leaves, new_links, new);
        let component = mesh.num_cells();
        let mut stepper = parts.of("stepper", || Stepper::new(mesh.clone(), scheme, 4));
        q.resize(q.len() + PACK_OVERRUN, 0.0);
        let mut new = q.clone();
        let (field, aux) = (Field { values: &q, component }, Field { values: &[], component });
        parts.of("flow", || stepper.step((hllc, &Open), (field, aux), (0.0, 0.1 * finest), &mut new, false))?;
        q.truncate(4 * component);
        sum += mesh.num_cells();
        changed += changes;
    }
    println!("{} leaves, {threads} threads: ns a leaf", mesh.num_cells());
    parts.0.iter().for_each(|(name, seconds)| println!("{name:10} {:8.1}", 1e9 * seconds / sum as f64));
    let flow = parts.0.last().expect("the flow").1;
    let adaption: f64 = parts.0.iter().map(|part| part.1).sum::<f64>() - flow;
    println!("{:.1} % of leaves are new; megabytes after each ring: {memory:?}", 100.0 * changed as f64 / sum as f64);
    println!("adaption takes {:.0} % of a run with one every four steps", 100.0 * adaption / (adaption + 4.0 * flow));
    Ok(())
}
