//! Kernels compiled for the host do what the CPU's kernels do, to the bit: in every option, on random states, for every
//! built-in solver that has a text for devices.

mod support;

use cuda::abi::Pointer;
use cuda::amr::{PatchReport, UpdateArgs, UpdateOptions, update_grid};
use cuda::compile::{Precision, Target};
use riemann::faces::FaceSolver;
use riemann::patch::PatchSolver;
use riemann::real::Scalar;
use std::sync::Mutex;
use support::emulator::Emulated;
use support::level::{DT, DX, Tables, TestLevel, fewer_options};
use support::solvers::{Random, TestSolver, all};

/// Odd, narrower and wider than a warp, longer and shorter than a tile.
const SIZES: [[i32; 2]; 3] = [[61, 21], [5, 3], [28, 16]];
const ROWS: i32 = 9;

fn bits<R: Scalar>(values: &[R]) -> Vec<u64> {
    values.iter().map(|v| v.to_f64().to_bits()).collect()
}

fn compare<R: Scalar>(
    solver: &TestSolver,
    (kernels, faces): (&dyn PatchSolver<R>, &dyn FaceSolver<R>),
    options: &UpdateOptions,
    grow: [i32; 2],
) {
    let what = format!("{}, {}, {options:?}", solver.name, R::NAME);
    let target = Target { precision: Precision::of::<R>(), fused: false, solver: Some(solver.source.clone()) };
    let kernel = Emulated::new::<UpdateArgs>(&options.source(&solver.source, target.precision), &target, "update_2d");
    let mut level = TestLevel::<R>::new(solver, &SIZES, grow, options.sweep, &mut Random::new(7));
    let expected = level.reference(kernels, options);
    let Tables { patches, tiles, words, slots, num_cells } = level.tables(options, ROWS);
    let mut q_next = vec![R::default(); level.q.len()];
    let mut kept = vec![R::default(); expected.fluxes.len()];
    let mut reports = vec![PatchReport { courant: 0, not_finite: 0, padding: 0 }; patches.len()];
    let run = |level: &TestLevel<R>, q_next: &mut [R], kept: &mut [R], reports: &mut [PatchReport]| {
        let args = UpdateArgs {
            patches: Pointer::new(patches.as_ptr() as u64),
            tiles: Pointer::new(tiles.tiles.as_ptr() as u64),
            reports: Pointer::new(reports.as_mut_ptr() as u64),
            q: Pointer::new(level.q.as_ptr() as u64),
            q_next: Pointer::new(q_next.as_mut_ptr() as u64),
            aux: Pointer::new(level.aux.as_ptr() as u64),
            kept: Pointer::new(kept.as_mut_ptr() as u64),
            kept_stride: level.num_slots as u64,
            face_words: Pointer::new(words.as_ptr() as u64),
            face_slots: Pointer::new(slots.as_ptr() as u64),
            num_cells: num_cells as u64,
            dt_over_dx: DX.map(|dx| DT / dx),
            num_tiles: tiles.tiles.len() as i32,
            num_ghost: level.ghosts,
        };
        let grid = update_grid(tiles.tiles.len() as u32);
        // SAFETY: the tables hold what the kernel expects, at addresses of the host.
        unsafe { kernel.run(grid.blocks, grid.threads, &args) };
    };
    run(&level, &mut q_next, &mut kept, &mut reports);
    let different = bits(&q_next).iter().zip(bits(&expected.q)).filter(|(a, b)| **a != *b).count();
    assert_eq!(different, 0, "{what}: new states");
    for (k, report) in reports.iter().enumerate() {
        assert_eq!(f64::from_bits(report.courant), expected.courant[k], "{what}: Courant number of patch {k}");
        assert_eq!(report.not_finite, 0, "{what}");
    }
    if options.keeps_faces {
        assert_eq!(bits(&level.seen_fluxes(faces, &kept)), bits(&expected.fluxes), "{what}: faces kept");
    }
    // A NaN in one patch is seen there and nowhere else.
    let place = level.first_state(1);
    level.q[place] = R::from_f64(f64::NAN);
    reports.fill(PatchReport { courant: 0, not_finite: 0, padding: 0 });
    run(&level, &mut q_next, &mut kept, &mut reports);
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
    for_all(1, |solver, options, grow| {
        compare::<f64>(solver, (&*solver.kernels.double, &*solver.faces.double), options, grow);
    });
}

#[test]
fn the_update_is_the_cpus_to_the_bit_in_f32() {
    // The text is the same but for the type: every third option is enough.
    for_all(3, |solver, options, grow| {
        compare::<f32>(solver, (&*solver.kernels.single, &*solver.faces.single), options, grow);
    });
}
