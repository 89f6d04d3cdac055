//! Shared by the tests: simulations of cases given as text, and measures of frames.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod capacity;
pub mod narrow;
pub mod restarts;

use amrclaw::case::{Case, find_built_in};
use amrclaw::frames::frame::Frame;
use amrclaw::simulation::{Device, Precision, RunOptions, Simulation, UserFunctions};

/// A case from its text, with overrides `key.path=value`. Its files are beside the cases of restarts.
pub fn case(text: &str, overrides: &[&str]) -> Case {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_string()).collect();
    Case::from_str_with(text, "tests/cases/restart/case.toml", &overrides, find_built_in)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Options that run a test on the CPU, or on the device that `AMRCLAW_TEST_DEVICE` names (`cuda`, `cuda-streamed`), where every
/// feature must work as on the CPU. `AMRCLAW_TEST_FMAD=off` disables fused multiply-adds.
pub fn options(threads: usize) -> RunOptions {
    let wanted = std::env::var("AMRCLAW_TEST_DEVICE").unwrap_or_else(|_| "cpu".into());
    let all = [Device::Cpu, Device::Cuda, Device::CudaStreamed];
    let device = all.into_iter().find(|device| device.name() == wanted);
    RunOptions {
        threads: Some(threads),
        device: device.unwrap_or_else(|| panic!("AMRCLAW_TEST_DEVICE={wanted}")),
        no_fused: std::env::var("AMRCLAW_TEST_FMAD").is_ok_and(|fmad| fmad == "off"),
        ..RunOptions::default()
    }
}

/// A simulation of a case on two threads.
pub fn start(text: &str, overrides: &[&str]) -> Simulation<2> {
    start_on(text, overrides, 2)
}

/// A simulation of a case on `threads` threads.
pub fn start_on(text: &str, overrides: &[&str], threads: usize) -> Simulation<2> {
    Simulation::builder(&case(text, overrides)).options(&options(threads)).build().unwrap_or_else(|e| panic!("{e}"))
}

/// A simulation of a case in the given precision.
pub fn start_in(text: &str, overrides: &[&str], precision: Precision) -> Simulation<2> {
    let options = RunOptions { precision, ..options(2) };
    Simulation::builder(&case(text, overrides)).options(&options).build().unwrap_or_else(|e| panic!("{e}"))
}

/// A simulation of a case with the test's own functions.
pub fn start_with(text: &str, overrides: &[&str], user: UserFunctions<2>) -> Simulation<2> {
    Simulation::builder(&case(text, overrides))
        .options(&options(2))
        .functions(user)
        .build()
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Takes `steps` coarse steps.
pub fn take_steps<const D: usize>(simulation: &mut Simulation<D>, steps: usize) {
    for n in 0..steps {
        simulation.step().unwrap_or_else(|e| panic!("step {}: {e}", n + 1));
    }
}

/// Asserts that runs on 1, 2 and 7 threads, which `start` begins, are bitwise equal: every cell of every patch, the totals and the next
/// time step. After `steps` they have regridded at least `regrids` times, and level 3 has more than `patches` patches.
pub fn assert_threads_do_not_matter<const D: usize>(
    start: impl Fn(usize) -> Simulation<D>,
    steps: usize,
    [regrids, patches]: [usize; 2],
    what: &str,
) {
    let run = |threads| {
        let mut simulation = start(threads);
        take_steps(&mut simulation, steps);
        assert!(simulation.counts().regrids >= regrids as u64);
        assert!(simulation.hierarchy().levels()[2].patches().len() > patches);
        let totals: Vec<u64> = simulation.totals().iter().map(|t| t.to_bits()).collect();
        (bits(&simulation.frame()), totals, simulation.dt_next().to_bits())
    };
    let one = run(1);
    for threads in [2, 7] {
        assert!(run(threads) == one, "{what}: {threads} threads give other bits than one");
    }
}

/// Takes steps until `time`.
pub fn advance_to<const D: usize>(simulation: &mut Simulation<D>, time: f64) {
    simulation.advance_to(time).unwrap_or_else(|e| panic!("{e}"));
}

/// Calls `visit` with level, cell centre, cell size and state for every cell of the composite grid.
pub fn for_each_finest_cell<const D: usize>(
    frame: &Frame<D>,
    mut visit: impl FnMut(usize, [f64; D], [f64; D], &[f64]),
) {
    let num_eqn = frame.equations.len();
    let mut state = vec![0.0; num_eqn];
    for (l, level) in frame.levels.iter().enumerate() {
        for patch in &level.patches {
            let volume = patch.cells.volume();
            for (k, cell) in patch.cells.cells().enumerate() {
                if frame.is_covered(l, cell) {
                    continue;
                }
                state.iter_mut().enumerate().for_each(|(m, value)| *value = patch.q[m * volume + k]);
                let centre = frame.geometry(l).centre(cell);
                visit(l, centre, level.dx, &state);
            }
        }
    }
}

/// `∫ |q_m|` over the composite grid, per equation.
pub fn absolute_totals<const D: usize>(frame: &Frame<D>) -> Vec<f64> {
    let mut totals = vec![0.0; frame.equations.len()];
    for_each_finest_cell(frame, |_, _, dx, q| {
        let volume: f64 = dx.iter().product();
        totals.iter_mut().zip(q).for_each(|(total, value)| *total += value.abs() * volume);
    });
    totals
}

/// `∫ |q_m − exact_m|` over the composite grid, of one equation.
pub fn l1_error<const D: usize>(frame: &Frame<D>, m: usize, exact: impl Fn([f64; D]) -> f64) -> f64 {
    let mut error = 0.0;
    for_each_finest_cell(frame, |_, x, dx, q| error += (q[m] - exact(x)).abs() * dx.iter().product::<f64>());
    error
}

/// Time, patches and all values of a frame as bits, to show that two frames are bitwise equal.
pub fn bits<const D: usize>(frame: &Frame<D>) -> Vec<u64> {
    let mut bits = vec![frame.time.to_bits()];
    for level in &frame.levels {
        for patch in &level.patches {
            let corners = patch.cells.lo.into_iter().chain(patch.cells.hi);
            bits.extend(corners.map(|i| i as u64));
            bits.extend(patch.q.iter().chain(&patch.aux).map(|v| v.to_bits()));
        }
    }
    bits
}

/// Largest difference between two frames on the same patches.
pub fn largest_difference<const D: usize>(a: &Frame<D>, b: &Frame<D>) -> f64 {
    assert_eq!(a.levels.len(), b.levels.len());
    let mut largest: f64 = 0.0;
    for (a, b) in a.levels.iter().zip(&b.levels) {
        assert_eq!(a.patches.len(), b.patches.len());
        for (a, b) in a.patches.iter().zip(&b.patches) {
            assert_eq!(a.cells, b.cells);
            largest = a.q.iter().zip(&b.q).fold(largest, |l, (x, y)| l.max((x - y).abs()));
        }
    }
    largest
}

/// Orders of convergence from errors on grids, each with half the cell size of the one before.
pub fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}
