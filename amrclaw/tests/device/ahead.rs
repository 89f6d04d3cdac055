//! The plans of new levels are counted as soon as kernels have made the boxes, if the tables have places for all of these.

use super::emulator::Emulator;
use super::late::Late;
use super::{SOUND, compare_runs, kernels_of, start_with};
use amrclaw::exec::Executor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::index::Ratio;
use amrclaw::physics::Problem;
use amrclaw::simulation::{RunError, RunOptions, Simulation, UserFunctions};
use riemann::patch::SolverKernels;
use std::sync::{Arc, Mutex};

/// Fewest places for the patches of a level whose plans are counted ahead.
const PLACES: u32 = 64;
/// The flagged region grows between two regrids until its patches exceed the places: `t` reaches 0.05 in the sixth step.
const GROWS: &[&str] = &[
    "regrid.flag={criterion='user',expression='r < if(t > 0.05, 0.9, 0.3)'}",
    "regrid.max_patch_size=8",
    "regrid.interval=1",
    "regrid.buffer=1",
    "time.dt=0.01",
];

/// After each step, the number of the finest level's patches and of launches that count plans so far; then the blocks of every such launch.
fn course() -> (Vec<(u32, usize)>, Vec<u32>) {
    let counting = Arc::<Mutex<Vec<u32>>>::default();
    let make = |problem: &Problem<2>, solver: &SolverKernels, ratios: Vec<Ratio<2>>, options: &RunOptions| {
        let device = Late::prompt(Emulator::new(&kernels_of(problem, solver)).noting(counting.clone()));
        let solver = solver.double.clone();
        let executor = ResidentExecutor::new(device, problem.clone(), solver, ratios, options.num_threads())?;
        Ok::<Box<dyn Executor<2>>, RunError>(Box::new(executor))
    };
    let start = || -> Simulation<2> { start_with(SOUND, GROWS, UserFunctions::default(), &make) };
    compare_runs(super::common::start(SOUND, GROWS), start(), GROWS, 8);
    counting.lock().expect("no kernel panics").clear();
    let mut simulation = start();
    let mut steps = Vec::new();
    for _ in 0..8 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        let finest = simulation.hierarchy().levels().last().expect("there is a level").patches().len() as u32;
        steps.push((finest, counting.lock().expect("no kernel panics").len()));
    }
    let blocks = counting.lock().expect("no kernel panics").clone();
    (steps, blocks)
}

/// Results are bitwise equal to the CPU's, whether there are places for all patches or not. If there are, one block per place counts the
/// plans, before the host knows the number of patches; if not, they are counted again, by one block per patch.
#[test]
fn plans_are_counted_before_the_host_knows_the_boxes() {
    let (steps, blocks) = course();
    let grown = steps.iter().position(|&(finest, _)| finest > PLACES).expect("the finest level grows");
    let (before, after) = blocks.split_at(steps[grown - 1].1);
    // The first three launches are those of the initial hierarchy.
    assert!(before.iter().skip(3).all(|&blocks| blocks == PLACES), "{steps:?}, {before:?}");
    assert!(after.contains(&PLACES) && after.contains(&steps[grown].0), "{steps:?}, {after:?}");
    assert!(after.contains(&(steps[grown].0 * 5 / 4)), "{steps:?}, {after:?}");
}
