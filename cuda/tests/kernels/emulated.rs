//! CUDA kernels compiled for the host give the bits of the CPU's kernels: with every option, on random states, for every
//! built-in solver that has a CUDA text.

use super::support::emulator::Emulated;
use super::support::level::{Choice, DX, FREE, Tables, TestLevel, fewer_options, fewer_options_in_space, in_plane};
use super::support::solvers::{Random, TestSolver, all, all_in};
use cuda::abi::Pointer;
use cuda::amr::{PatchReport, UpdateArgs};
use cuda::compile::Target;
use riemann::faces::FaceSolver;
use riemann::patch::PatchSolver;
use riemann::real::Precision;
use riemann::real::Scalar;
use std::sync::Mutex;

/// Odd, narrower and wider than a warp, longer and shorter than a tile; the remaining columns are so many that a warp marches up two,
/// three and six parts of a tile side by side.
const SIZES: [[i32; 2]; 3] = [[61, 21], [5, 3], [41, 37]];
const ROWS: i32 = 9;
/// In three dimensions: wider than a tile along both axes, a single cell, longer than a tile.
const SIZES_IN_SPACE: [[i32; 3]; 3] = [[37, 13, 5], [1, 1, 1], [3, 4, 11]];

fn bits<R: Scalar>(values: &[R]) -> Vec<u64> {
    values.iter().map(|v| v.to_f64().to_bits()).collect()
}

fn compare<R: Scalar>(
    solver: &TestSolver,
    (kernels, faces): (&dyn PatchSolver<R>, &dyn FaceSolver<R>),
    sizes: &[[i32; 3]],
    (options, grow): &Choice,
) {
    let what = format!("{}, {}, {options:?}", solver.name, R::NAME);
    let target = Target { precision: Precision::of::<R>(), fused: false, solver: Some(solver.source.clone()) };
    let kernel =
        Emulated::new::<UpdateArgs>(&options.source(&solver.source, target.precision), &target, options.entry());
    let mut level = TestLevel::<R>::new(solver, sizes, *grow, options.sweep, &mut Random::new(7));
    let Tables { patches, tiles, words, bases, slots } = level.tables(options, ROWS);
    let mut q_next = vec![R::default(); level.q.len()];
    let mut kept = vec![R::default(); solver.source.equations * level.num_slots];
    let mut reports = vec![PatchReport { courant: 0, not_finite: 0, reverses: 0 }; patches.len()];
    let run = |level: &TestLevel<R>, q_next: &mut [R], kept: &mut [R], reports: &mut [PatchReport]| {
        let args = UpdateArgs {
            patches: Pointer::new(patches.as_ptr() as u64),
            tiles: Pointer::new(tiles.as_ptr() as u64),
            reports: Pointer::new(reports.as_mut_ptr() as u64),
            q: Pointer::new(level.q.as_ptr() as u64),
            q_next: Pointer::new(q_next.as_mut_ptr() as u64),
            aux: Pointer::new(level.aux.as_ptr() as u64),
            kept: Pointer::new(kept.as_mut_ptr() as u64),
            kept_stride: level.num_slots as u64,
            face_words: Pointer::new(words.as_ptr() as u64),
            face_bases: Pointer::new(bases.as_ptr() as u64),
            face_slots: Pointer::new(slots.as_ptr() as u64),
            dt_over_dx: DX.map(|dx| level.dt / dx),
            free: FREE,
            num_tiles: tiles.len() as i32,
            num_ghost: level.ghosts,
            sharing_faces: level.sharing_faces.into(),
        };
        let grid = options.tile_shape(&solver.source, target.precision).grid(tiles.len() as u32);
        // SAFETY: the tables are as the kernel expects them, and all pointers are host addresses.
        unsafe { kernel.run(grid.blocks, grid.threads, &args) };
    };
    for sharing_faces in [0, 6] {
        level.sharing_faces = sharing_faces;
        let expected = level.reference(kernels, options);
        reports.fill(PatchReport { courant: 0, not_finite: 0, reverses: 0 });
        run(&level, &mut q_next, &mut kept, &mut reports);
        let different = bits(&q_next).iter().zip(bits(&expected.q)).filter(|(a, b)| **a != *b).count();
        assert_eq!(different, 0, "{what}: new states, shared: {sharing_faces}");
        for (k, report) in reports.iter().enumerate() {
            assert_eq!(f64::from_bits(report.courant), expected.courant[k], "{what}: Courant number of patch {k}");
            // Random states may come to hold what must not be negative: that is reported as long as corrections are not left out.
            assert!(sharing_faces == 0 || report.not_finite == 0, "{what}");
        }
        if options.keeps_faces {
            assert_eq!(bits(&level.seen_fluxes(faces, &kept)), bits(&expected.fluxes), "{what}: faces kept");
        }
    }
    // A NaN in one patch is reported for this patch only.
    let place = level.first_state(1);
    level.q[place] = R::from_f64(f64::NAN);
    reports.fill(PatchReport { courant: 0, not_finite: 0, reverses: 0 });
    run(&level, &mut q_next, &mut kept, &mut reports);
    assert_eq!(reports.iter().map(|r| r.not_finite).collect::<Vec<_>>(), [0, 1, 0], "{what}: NaN");
}

/// Two compilations at a time are enough for two processors.
fn for_all(jobs: Vec<(&TestSolver, Choice)>, check: impl Fn(&TestSolver, &Choice) + Sync) {
    assert!(!jobs.is_empty());
    let queue = Mutex::new(jobs.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((solver, choice)) = { queue.lock().expect("no panic").next() } {
                    check(solver, &choice);
                }
            });
        }
    });
}

fn jobs(solvers: &[TestSolver], every: usize, options: fn(&TestSolver) -> Vec<Choice>) -> Vec<(&TestSolver, Choice)> {
    solvers.iter().flat_map(|s| options(s).into_iter().step_by(every).map(move |choice| (s, choice))).collect()
}

fn compare_double(sizes: &[[i32; 3]]) -> impl Fn(&TestSolver, &Choice) + Sync {
    move |solver, choice| compare::<f64>(solver, (&*solver.kernels.double, &*solver.faces.double), sizes, choice)
}

fn compare_single(sizes: &[[i32; 3]]) -> impl Fn(&TestSolver, &Choice) + Sync {
    move |solver, choice| {
        compare::<f32>(
            solver,
            (solver.kernels.single.as_deref().expect("picked by that"), &*solver.faces.single),
            sizes,
            choice,
        )
    }
}

#[test]
fn the_update_is_the_cpus_to_the_bit_in_f64() {
    for_all(jobs(&all(), 1, fewer_options), compare_double(&in_plane(SIZES)));
}

/// The solvers that this build has in `f32`.
fn in_single(mut solvers: Vec<TestSolver>) -> Vec<TestSolver> {
    solvers.retain(|solver| solver.kernels.single.is_some());
    solvers
}

#[test]
fn the_update_is_the_cpus_to_the_bit_in_f32() {
    // The text differs only by the type: every third option is enough.
    for_all(jobs(&in_single(all()), 3, fewer_options), compare_single(&in_plane(SIZES)));
}

#[test]
fn the_update_in_space_is_the_cpus_to_the_bit_in_f64() {
    for_all(jobs(&all_in(3), 1, fewer_options_in_space), compare_double(&SIZES_IN_SPACE));
}

/// Blocks have a different number of threads than in `f64`.
#[test]
fn the_update_in_space_is_the_cpus_to_the_bit_in_f32() {
    for_all(jobs(&in_single(all_in(3)), 5, fewer_options_in_space), compare_single(&SIZES_IN_SPACE));
}
