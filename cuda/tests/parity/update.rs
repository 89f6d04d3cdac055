//! The update of patches.

use super::support::level::{DT, DX, Outcome, TestLevel, option_table};
use super::support::solvers::{Random, TestSolver, all};
use super::{Machine, check};
use cuda::DeviceBuffer;
use cuda::abi::{Plain, Pointer};
use cuda::compile::{Precision, Target};
use cuda::update::{PatchReport, UpdateArgs, UpdateKernel, UpdateOptions};
use riemann::patch::PatchSolver;
use riemann::real::Scalar;

fn same_update<R: Scalar + Plain>(machine: &Machine, solver: &TestSolver, kernels: &dyn PatchSolver<R>, fused: bool) {
    for (options, grow) in option_table(solver) {
        let what = format!("{}, {}, fused {fused}, {options:?}", solver.name, R::NAME);
        let target = Target { precision: Precision::of::<R>(), fused, solver: Some(solver.source.clone()) };
        let kernel = UpdateKernel::new(&machine.device, &options, &target).unwrap_or_else(|error| panic!("{error}"));
        let sizes = [[61, 21], [5, 3], [28, 16], [130, 57], [1, 1]];
        let level = TestLevel::<R>::new(solver, &sizes, grow, options.sweep, &mut Random::new(7));
        let expected = level.reference(kernels, &options);
        let found = update_on_device(machine, &kernel, &level, &options, expected.taps.len());
        check(&format!("{what}: new states"), fused, &found.q, &expected.q);
        check(&format!("{what}: fluxes kept"), fused, &found.taps, &expected.taps);
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
    num_taps: usize,
) -> Outcome<R> {
    let (patches, table) = level.tables(options, 16);
    let none = PatchReport { courant: 0, not_finite: 0, padding: 0 };
    let reports = machine.send(&vec![none; patches.len()]);
    let (num_patches, num_tiles) = (patches.len(), table.tiles.len());
    let patches = machine.send(&patches);
    let tiles = machine.send(&table.tiles);
    let tap_table = machine.send(&table.taps);
    let (q, aux) = (machine.send(&level.q), machine.send(&level.aux));
    let q_next = machine.send(&vec![R::default(); level.q.len()]);
    let taps = machine.send(&vec![R::default(); num_taps]);
    let address = |buffer: &DeviceBuffer<R>| Pointer::new(buffer.at(0).address());
    let args = UpdateArgs {
        patches: patches.at(0),
        tiles: tiles.at(0),
        taps: tap_table.at(0),
        reports: reports.at(0),
        q: address(&q),
        q_next: address(&q_next),
        aux: address(&aux),
        tap_values: address(&taps),
        tap_stride: level.num_slots as u64,
        map_words: Pointer::NULL,
        map_slots: Pointer::NULL,
        map_cells: 0,
        dt_over_dx: DT / DX[0],
        dt_over_dy: DT / DX[1],
        num_tiles: num_tiles as i32,
        num_ghost: level.ghosts,
    };
    // SAFETY: the tables are those of the level, and the buffers live until the results are fetched.
    unsafe { kernel.launch(&machine.stream, &args) }.unwrap_or_else(|error| panic!("{error}"));
    let reports = machine.fetch(&reports, none);
    assert!(reports.iter().all(|report| report.not_finite == 0) && reports.len() == num_patches);
    Outcome {
        q: machine.fetch(&q_next, R::default()),
        taps: machine.fetch(&taps, R::default()),
        courant: reports.iter().map(|report| f64::from_bits(report.courant)).collect(),
    }
}

#[test]
#[ignore = "needs a GPU"]
fn updates_agree() {
    let machine = Machine::open();
    for solver in all() {
        for fused in [false, true] {
            same_update::<f64>(&machine, &solver, &*solver.kernels.double, fused);
        }
        same_update::<f32>(&machine, &solver, &*solver.kernels.single, true);
        println!("{}: updates agree in {} options", solver.name, option_table(&solver).len());
    }
}
