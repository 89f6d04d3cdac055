//! Kernels compiled for the host do what the CPU's kernels do, to the bit: in every option, on random states, for every
//! built-in solver that has a text for devices.

mod support;

use cuda::abi::Pointer;
use cuda::compile::{Precision, Target};
use cuda::update::{PatchReport, UpdateArgs, UpdateOptions, grid};
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::sync::Mutex;
use support::emulator::Emulated;
use support::level::{DT, DX, TestLevel, fewer_options};
use support::solvers::{Random, TestSolver, all};

/// Odd, narrower and wider than a warp, longer and shorter than a tile.
const SIZES: [[i32; 2]; 3] = [[61, 21], [5, 3], [28, 16]];
const ROWS: i32 = 9;

fn bits<R: Scalar>(values: &[R]) -> Vec<u64> {
    values.iter().map(|v| v.to_f64().to_bits()).collect()
}

fn compare<R: Scalar>(solver: &TestSolver, kernels: &dyn PatchSolver<R>, options: &UpdateOptions, grow: [i32; 2]) {
    let what = format!("{}, {}, {options:?}", solver.name, R::NAME);
    let target = Target { precision: Precision::of::<R>(), fused: false, solver: Some(solver.source.clone()) };
    let kernel = Emulated::new::<UpdateArgs>(&options.source(&solver.source, target.precision), &target, "update_2d");
    let mut level = TestLevel::<R>::new(solver, &SIZES, grow, options.sweep, &mut Random::new(7));
    let expected = level.reference(kernels, options);
    let (patches, table) = level.tables(options, ROWS);
    let mut q_next = vec![R::default(); level.q.len()];
    let mut taps = vec![R::default(); expected.taps.len()];
    let mut reports = vec![PatchReport { courant: 0, not_finite: 0, padding: 0 }; patches.len()];
    let run = |level: &TestLevel<R>, q_next: &mut [R], taps: &mut [R], reports: &mut [PatchReport]| {
        let args = UpdateArgs {
            patches: Pointer::new(patches.as_ptr() as u64),
            tiles: Pointer::new(table.tiles.as_ptr() as u64),
            taps: Pointer::new(table.taps.as_ptr() as u64),
            reports: Pointer::new(reports.as_mut_ptr() as u64),
            q: Pointer::new(level.q.as_ptr() as u64),
            q_next: Pointer::new(q_next.as_mut_ptr() as u64),
            aux: Pointer::new(level.aux.as_ptr() as u64),
            tap_values: Pointer::new(taps.as_mut_ptr() as u64),
            tap_stride: level.num_slots as u64,
            map_words: Pointer::NULL,
            map_slots: Pointer::NULL,
            map_cells: 0,
            dt_over_dx: DT / DX[0],
            dt_over_dy: DT / DX[1],
            num_tiles: table.tiles.len() as i32,
            num_ghost: level.ghosts,
        };
        let grid = grid(table.tiles.len() as u32);
        // SAFETY: the tables hold what the kernel expects, at addresses of the host.
        unsafe { kernel.run(grid.blocks, grid.threads, &args) };
    };
    run(&level, &mut q_next, &mut taps, &mut reports);
    let different = bits(&q_next).iter().zip(bits(&expected.q)).filter(|(a, b)| **a != *b).count();
    assert_eq!(different, 0, "{what}: new states");
    for (k, report) in reports.iter().enumerate() {
        assert_eq!(f64::from_bits(report.courant), expected.courant[k], "{what}: Courant number of patch {k}");
        assert_eq!(report.not_finite, 0, "{what}");
    }
    assert_eq!(bits(&taps), bits(&expected.taps), "{what}: fluxes kept");
    // A NaN in one patch is seen there and nowhere else.
    let place = patches[1].q as usize;
    level.q[place] = R::from_f64(f64::NAN);
    reports.fill(PatchReport { courant: 0, not_finite: 0, padding: 0 });
    run(&level, &mut q_next, &mut taps, &mut reports);
    assert_eq!(reports.iter().map(|r| r.not_finite).collect::<Vec<_>>(), [0, 1, 0], "{what}: NaN");
}

/// Two compilations at a time are enough for two processors.
fn for_all(every: usize, check: impl Fn(&TestSolver, &UpdateOptions, [i32; 2]) + Sync) {
    let solvers = all();
    assert!(!solvers.is_empty());
    let jobs: Vec<_> =
        solvers.iter().flat_map(|s| fewer_options(s).into_iter().step_by(every).map(move |o| (s, o))).collect();
    let queue = Mutex::new(jobs.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((solver, (options, grow))) = { queue.lock().expect("no panic").next() } {
                    check(solver, &options, grow);
                }
            });
        }
    });
}

#[test]
fn the_update_is_the_cpus_to_the_bit_in_f64() {
    for_all(1, |solver, options, grow| compare::<f64>(solver, &*solver.kernels.double, options, grow));
}

#[test]
fn the_update_is_the_cpus_to_the_bit_in_f32() {
    // The text is the same but for the type: every third option is enough.
    for_all(3, |solver, options, grow| compare::<f32>(solver, &*solver.kernels.single, options, grow));
}
