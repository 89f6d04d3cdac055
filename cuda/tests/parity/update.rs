//! The update of patches.

use super::support::level::{
    Choice, DX, FREE, Outcome, Tables, TestLevel, in_plane, option_table, option_table_in_space,
};
use super::support::solvers::{Random, TestSolver, all, all_in};
use super::support::update::UpdateKernel;
use super::{Machine, check};
use cuda::DeviceBuffer;
use cuda::abi::{Plain, Pointer};
use cuda::amr::{PatchReport, UpdateArgs, UpdateOptions};
use cuda::compile::Target;
use riemann::faces::FaceSolver;
use riemann::patch::PatchSolver;
use riemann::real::Precision;
use riemann::real::Scalar;

fn same_update<R: Scalar + Plain>(
    machine: &Machine,
    solver: &TestSolver,
    (kernels, faces): (&dyn PatchSolver<R>, &dyn FaceSolver<R>),
    fused: bool,
    (sizes, choices): (&[[i32; 3]], &[Choice]),
) {
    let nowhere = |_| String::new();
    for (options, grow) in choices {
        let what = format!("{}, {}, fused {fused}, {options:?}", solver.name, R::NAME);
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
        let kernel = UpdateKernel::new(&machine.device, options, &target).unwrap_or_else(|error| panic!("{error}"));
        let level = TestLevel::<R>::new(solver, sizes, *grow, options.sweep, &mut Random::new(7));
        let expected = level.reference(kernels, options);
        let found = update_on_device(machine, &kernel, &level, options, expected.fluxes.len());
        check((&format!("{what}: new states"), &nowhere), fused, &found.q, &expected.q);
        if options.keeps_faces {
            let fluxes = level.seen_fluxes(faces, &found.fluxes);
            check((&format!("{what}: faces kept"), &nowhere), fused, &fluxes, &expected.fluxes);
        }
        for (found, expected) in found.courant.iter().zip(&expected.courant) {
            assert!(
                (found - expected).abs() <= if fused || R::BYTES == 4 { 1e-5 } else { 0.0 },
                "{what}: {found} {expected}"
            );
        }
    }
}

fn update_on_device<R: Scalar + Plain>(
    machine: &Machine,
    kernel: &UpdateKernel,
    level: &TestLevel<R>,
    options: &UpdateOptions,
    num_kept: usize,
) -> Outcome<R> {
    let Tables { patches, tiles, words, bases, slots } = level.tables(options, 16);
    let none = PatchReport { courant: 0, not_finite: 0, reverses: 0 };
    let reports = machine.send(&vec![none; patches.len()]);
    let (num_patches, num_tiles) = (patches.len(), tiles.len());
    let patches = machine.send(&patches);
    let tiles = machine.send(&tiles);
    let (words, bases, slots) = (machine.send(&words), machine.send(&bases), machine.send(&slots));
    let (q, aux) = (machine.send(&level.q), machine.send(&level.aux));
    let q_next = machine.send(&vec![R::default(); level.q.len()]);
    let kept = machine.send(&vec![R::default(); num_kept]);
    let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
    let args = UpdateArgs {
        patches: patches.at(0),
        tiles: tiles.at(0),
        reports: reports.at(0),
        q: address(&q),
        q_next: address(&q_next),
        aux: address(&aux),
        kept: address(&kept),
        kept_stride: level.num_slots as u64,
        face_words: words.at(0),
        face_bases: bases.at(0),
        face_slots: slots.at(0),
        dt_over_dx: DX.map(|dx| level.dt / dx),
        free: FREE,
        num_tiles: num_tiles as i32,
        num_ghost: level.ghosts,
        sharing_faces: 0,
    };
    // SAFETY: the tables are those of the level, and the buffers live until the results are fetched.
    unsafe { kernel.launch(&machine.stream, &args) }.unwrap_or_else(|error| panic!("{error}"));
    let reports = machine.fetch(&reports, none);
    assert!(reports.iter().all(|report| report.not_finite == 0) && reports.len() == num_patches);
    Outcome {
        q: machine.fetch(&q_next, R::default()),
        fluxes: machine.fetch(&kept, R::default()),
        courant: reports.iter().map(|report| f64::from_bits(report.courant)).collect(),
    }
}

fn updates_agree_on(solvers: &[TestSolver], sizes: &[[i32; 3]], options: fn(&TestSolver) -> Vec<Choice>) {
    let machine = Machine::open();
    for solver in solvers {
        let choices = options(solver);
        for fused in [false, true] {
            let pair = (&*solver.kernels.double as _, &*solver.faces.double as _);
            same_update::<f64>(&machine, solver, pair, fused, (sizes, &choices));
        }
        if let Some(single) = solver.kernels.single.as_deref() {
            same_update::<f32>(&machine, solver, (single, &*solver.faces.single as _), true, (sizes, &choices));
        }
        println!("{}: updates agree in {} options", solver.name, choices.len());
    }
}

#[test]
#[ignore = "needs a GPU"]
fn updates_agree() {
    let sizes = in_plane([[61, 21], [5, 3], [28, 16], [130, 57], [1, 1]]);
    updates_agree_on(&all(), &sizes, option_table);
}

#[test]
#[ignore = "needs a GPU"]
fn updates_in_space_agree() {
    let sizes = [[61, 13, 9], [5, 3, 40], [1, 1, 1], [28, 8, 17]];
    updates_agree_on(&all_in(3), &sizes, option_table_in_space);
}
