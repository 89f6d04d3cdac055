//! The executors for GPUs are bitwise equal to the CPU's in whole runs, with regridding, the conservation fix and rejected
//! steps. The host emulates the device and runs the same kernels; with `AMRCLAW_TEST_GPU` set the device is a GPU.

mod ahead;
mod apart;
mod checked;
#[path = "../common/mod.rs"]
mod common;
mod emulator;
mod failures;
mod flags;
mod formulas;
mod gpu;
mod late;
#[path = "../../../cuda/tests/support/library.rs"]
mod library;
mod machines;
mod mapped;
mod narrow;
mod on_mesh;
mod plans;
mod ranks;
mod refine;
mod restarts;
mod space;
mod table;
mod values;
mod wind;

use ::cuda::nvrtc::Nvrtc;
use amrclaw::exec::cpu::CpuExecutor;
use amrclaw::exec::gpu::device::KernelOptions;
use amrclaw::exec::gpu::resident::{GpuMachine, ResidentExecutor};
use amrclaw::exec::gpu::streamed::{GpuLane, LANES, Streamed};
use amrclaw::exec::{ExecError, Executor};
use amrclaw::index::Ratio;
use amrclaw::physics::Problem;
use amrclaw::simulation::{MakeExecutor, RunError, RunOptions, Simulation, UserFunctions};
use common::{bits, case, take_steps};
use emulator::Emulator;
use late::Late;
use riemann::patch::SolverKernels;

/// Options for the kernels of a problem, without fused multiply-adds.
fn kernels_of<const D: usize>(problem: &Problem<D>, solver: &SolverKernels) -> KernelOptions {
    let text = solver.double.device_source().expect("built-in solvers have a text");
    KernelOptions::of(problem, solver.double.as_ref(), text, false)
}

fn emulated<const D: usize>(
    problem: &Problem<D>,
    solver: &SolverKernels,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    let kernels = kernels_of(problem, solver);
    let (problem, solver, threads) = (problem.clone(), solver.double.clone(), options.num_threads());
    if std::env::var_os("AMRCLAW_TEST_GPU").is_some() {
        let hardware = GpuMachine::open(0, None, &kernels).map_err(ExecError::from)?;
        return Ok(Box::new(ResidentExecutor::new(hardware, problem, solver, ratios, threads)?));
    }
    Ok(Box::new(ResidentExecutor::new(Late::prompt(Emulator::new(&kernels)), problem, solver, ratios, threads)?))
}

/// The device memory that streaming may use in tests, so small that a batch has only a few patches.
const STREAMING_MEMORY: u64 = 400_000;

/// Makes the streamed executor, whose values are in the host's memory.
fn streamed<const D: usize>(
    problem: &Problem<D>,
    solver: &SolverKernels,
    ratios: Vec<Ratio<D>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<D>>, RunError> {
    let kernels = kernels_of(problem, solver);
    let (problem, solver, threads) = (problem.clone(), solver.double.clone(), options.num_threads());
    if std::env::var_os("AMRCLAW_TEST_GPU").is_some() {
        let lanes = GpuLane::open(0, &kernels, None, LANES).map_err(ExecError::from)?;
        let engine = Streamed::new(lanes, &kernels, (&problem, solver.as_ref()), None).map_err(ExecError::from)?;
        return Ok(Box::new(engine.executor(problem, solver, ratios, threads)));
    }
    let lanes = vec![Emulator::new(&kernels); LANES];
    let engine =
        Streamed::new(lanes, &kernels, (&problem, solver.as_ref()), Some(STREAMING_MEMORY)).map_err(ExecError::from)?;
    Ok(Box::new(engine.executor(problem, solver, ratios, threads)))
}

fn start_emulated<const D: usize>(text: &str, overrides: &[&str], user: UserFunctions<D>) -> Simulation<D> {
    start_with(text, overrides, user, &emulated)
}

fn start_with<const D: usize>(
    text: &str,
    overrides: &[&str],
    user: UserFunctions<D>,
    make: MakeExecutor<'_, D>,
) -> Simulation<D> {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    Simulation::builder(&case(text, overrides))
        .options(&options)
        .functions(user)
        .executor(make)
        .build()
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A run on each of the two device executors.
fn start_on_both<const D: usize>(
    text: &str,
    overrides: &[&str],
    user: impl Fn() -> UserFunctions<D>,
) -> [Simulation<D>; 2] {
    let both: [MakeExecutor<'_, D>; 2] = [&emulated, &streamed];
    both.map(|make| start_with(text, overrides, user(), make))
}

/// Three levels of sound over a domain with `dx != dy`, a wall, an open and two periodic sides.
const SOUND: &str = include_str!("../cases/sound.toml");

/// Runs a case on the CPU and on both device executors, and asserts that everything is bitwise equal.
fn compare(text: &str, overrides: &[&str], steps: usize) {
    for device in start_on_both(text, overrides, UserFunctions::<2>::default) {
        compare_with(device, text, overrides, steps);
    }
}

fn compare_with(device: Simulation<2>, text: &str, overrides: &[&str], steps: usize) -> Simulation<2> {
    compare_runs(common::start(text, overrides), device, overrides, steps)
}

/// Asserts that two runs are bitwise equal; returns the one on the device.
fn compare_runs(mut cpu: Simulation<2>, mut device: Simulation<2>, overrides: &[&str], steps: usize) -> Simulation<2> {
    for step in 0..steps {
        take_steps(&mut cpu, 1);
        take_steps(&mut device, 1);
        assert_eq!(cpu.hierarchy().levels().len(), device.hierarchy().levels().len(), "{overrides:?}, step {step}");
        let (expected, found) = (bits(&cpu.frame()), bits(&device.frame()));
        let different = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert_eq!((different, expected.len()), (0, found.len()), "{overrides:?}: bits after step {step}");
    }
    assert_eq!(cpu.counts(), device.counts(), "{overrides:?}");
    for simulation in [&mut cpu, &mut device] {
        simulation.renew_aux().unwrap();
    }
    assert!(bits(&cpu.frame()) == bits(&device.frame()), "{overrides:?}: auxiliary values of the present time");
    assert_eq!(cpu.totals(), device.totals(), "{overrides:?}");
    assert_eq!(cpu.dt_next().to_bits(), device.dt_next().to_bits());
    for (a, b) in cpu.gauges().iter().zip(device.gauges()) {
        assert!(a.samples().eq(b.samples()), "{overrides:?}: gauges");
    }
    device
}

/// Sound with choices of scheme and mesh that use different parts of the executor.
#[test]
fn sound_is_that_of_the_cpu_to_the_bit() {
    let table: &[&[&str]] = &[
        &["scheme.split=\"strang\"", "mesh.boundary.y=[\"wall\",\"wall\"]"],
        &["levels.ratio=[[2,1],[1,3]]", "output.format=[\"clawpack-ascii\"]"],
        &["levels.ratio=[[2,4],[4,2]]", "scheme.transverse=1", "output.format=[\"clawpack-ascii\"]"],
        &["regrid.cluster=\"tiles\"", "regrid.tile_size=3"],
        // The first step is rejected, after regrids.
        &["time.dt_initial=3.0", "mesh.boundary.x=[\"periodic\",\"periodic\"]"],
    ];
    table.iter().for_each(|overrides| compare(SOUND, overrides, 4));
    // The first step is rejected twice, by different levels.
    compare(include_str!("../cases/hard/deep_corner.toml"), &["levels.max=6"], 2);
}

/// Cold gas that implodes: steps are taken again with fallback to first order at some faces, and slopes between levels are limited, by both sweeps.
#[test]
fn an_implosion_is_that_of_the_cpu_to_the_bit() {
    let implosion = include_str!("../cases/hard/implosion.toml");
    for scheme in ["scheme={}", "scheme={split='strang'}"] {
        for device in start_on_both(implosion, &[scheme], UserFunctions::<2>::default) {
            let device = compare_with(device, implosion, &[scheme], 12);
            assert!(device.counts().fallback.repeated > 0, "{scheme}");
        }
    }
}

/// A swirling flow: auxiliary values on faces, which change with time.
const SWIRL: &str = include_str!("../cases/swirl.toml");

#[test]
fn flow_is_that_of_the_cpu_to_the_bit() {
    compare(
        SWIRL,
        &["scheme.split=\"strang\"", "regrid.flag.criterion=\"richardson\"", "regrid.flag.tolerance=1e-3"],
        4,
    );
    // The host reads a wind and what it drives in from files with times.
    compare(include_str!("../cases/restart/wind_from_files.toml"), &[], 6);
}

/// A sphere whose sides are folded: ghost cells and coarse cells that are read backwards, a finer level that ends at a fold or crosses it, a
/// source at the places of both, and water whose momentum is settled.
#[test]
fn a_folded_sphere_is_that_of_the_cpu_to_the_bit() {
    let sphere = include_str!("../../../examples/advection_sphere/case.toml");
    let ends_there =
        "regrid={interval=2,buffer=0,flag={criterion=\"user\",expression=\"Z(x, y) > 0 and X(x, y) > Y(x, y)\"}}";
    let crosses = "regrid={interval=2,flag={criterion=\"difference\",tolerance=0.01}}";
    for flags in [ends_there, crosses] {
        let turned = "initial.q=\"exp(-8 * ((X(x, y) - 0.6)^2 + (Y(x, y) + 0.8)^2 + Z(x, y)^2))\"";
        compare(
            sphere,
            &["mesh.cells=[32,16]", flags, turned, "source.q=\"-(1 + Y(x, y)) * q\"", "scheme.source=\"strang\""],
            6,
        );
    }
    let water = include_str!("../../../examples/shallow_sphere/case.toml");
    compare(water, &["mesh.cells=[32,16]", "scheme.source=\"godunov\"", "initial.x_momentum=\"0.2 * radial_y\""], 6);
}

/// Water that runs up shores and dries, rubs and turns, also on a sphere: limited fluxes, settled states, transfer variables between levels.
#[test]
fn water_on_land_is_that_of_the_cpu_to_the_bit() {
    let shore = include_str!("../cases/solvers/shallow_water_bathymetry.toml");
    compare(shore, &[], 3);
    compare(shore, &["scheme.split=\"godunov\"", "levels.ratio=[4,2]", "mesh.boundary.x=\"wall\""], 3);
    // Beside finer patches cells give all that they have, and water returns to them.
    let rough = [
        "aux.bottom=\"abs(sin(1234.5 * x + 3456.7 * y))\"",
        "initial.depth=\"max(0, 1.2 * abs(sin(2345.6 * x + 4567.8 * y)) - 0.4)\"",
        "regrid.flag={criterion=\"user\",expression=\"(x - 0.5)^2 + (y - 0.4)^2 < 0.05\"}",
        "levels.ratio=[2,4]",
    ];
    compare(shore, &rough, 2);
    let mapped = [
        "mesh.mapping={x=\"X + 0.04 * sin(6 * Y)\",y=\"Y + 0.06 * sin(3 * X)\"}",
        "mesh.boundary={x=\"wall\",y=\"extrapolate\"}",
    ];
    compare(shore, &[&rough[..], &mapped].concat(), 3);
    // Split, others pay what they still owe, some of them far off; and what returns is not of cells under a third level.
    let owing = [
        "solver={name=\"shallow_water_bathymetry\",gravity=1}",
        "mesh={upper=[1,1],cells=[23,23],boundary={x=\"wall\",y=\"wall\"}}",
        "ground.sea_level=-0.134",
        "levels={max=3,ratio=[4,4]}",
        "regrid.interval=1",
        "regrid.buffer=0",
        "regrid.flag={criterion=\"user\",expression=\"(x - 0.288)^2 + (y - 0.563)^2 < 0.063\"}",
        "scheme={split=\"godunov\",limiter=\"superbee\"}",
        "time={end=100,dt_initial=0.007015,cfl_desired=0.9}",
        "define.shape=\"(sin(-0.303 * x + 1.753 * y + 4.769) + 0.3 * sin(-342.689 * x - 2585.678 * y + 3.5) + 0.2)\"",
        "aux.bottom=\"-0.134 - if(shape > 0.3 || shape <= 0, shape, 1e-14 * 10^(45 * shape))\"",
        "initial={depth=\"max(0, -0.134 - bottom + 0.509 * sin(-1275.019 * x - 229.674 * y + 0.999))\",x_momentum=0,y_momentum=0}",
    ];
    compare(shore, &owing, 1);
    compare(include_str!("../cases/features/ocean.toml"), &["solver.rotation=7.292e-5"], 2);
}

/// On a line too: gas between a wall and an open side, with shocks that the mesh follows; and an inflow into what rests, before which no
/// Courant number limits the steps, and whose first step is taken again.
#[test]
fn a_line_is_that_of_the_cpu_to_the_bit() {
    compare_on_a_line(include_str!("../cases/gas_on_a_line.toml"), 6, 3);
    compare_on_a_line(include_str!("../cases/restart/late_inflow.toml"), 9, 2);
    // Corrections are left out, and then a step is taken again because a depth is negative all the same.
    compare_on_a_line(include_str!("../cases/hard/parting_water.toml"), 18, 1);
}

fn compare_on_a_line(text: &str, steps: usize, levels: usize) {
    let options = RunOptions { threads: Some(2), ..RunOptions::default() };
    let mut cpu =
        Simulation::<1>::builder(&case(text, &[])).options(&options).build().unwrap_or_else(|e| panic!("{e}"));
    let mut devices = start_on_both::<1>(text, &[], UserFunctions::default);
    for step in 0..steps {
        cpu.step().unwrap_or_else(|e| panic!("{e}"));
        let expected = cpu.frame();
        assert_eq!(expected.levels.len(), levels);
        for device in &mut devices {
            device.step().unwrap_or_else(|e| panic!("{e}"));
            assert!(bits(&expected) == bits(&device.frame()), "step {step}");
        }
    }
    for device in &devices {
        assert_eq!((cpu.totals(), cpu.counts()), (device.totals(), device.counts()));
    }
}

/// All kernels of whole runs compile for a GPU, in both precisions, with and without fused operations; of cases that differ only in
/// their formulas, the kernels that call these. Skipped if NVRTC is missing.
#[test]
fn kernels_of_runs_compile() {
    if Nvrtc::get().is_err() {
        return;
    }
    let kept = ::cuda::cache::kernels();
    let compile = |of_case: bool,
                   problem: &Problem<2>,
                   solver: &SolverKernels,
                   ratios: Vec<Ratio<2>>,
                   options: &RunOptions| {
        let text = || solver.double.device_source().expect("built-in solvers have a text");
        for fused in [true, false] {
            let double = KernelOptions::of(problem, solver.double.as_ref(), text(), fused);
            let single = solver.single.as_deref().map(|single| KernelOptions::of(problem, single, text(), fused));
            let of = |kernels: &KernelOptions| if of_case { kernels.of_case().collect() } else { kernels.texts() };
            for kernel in of(&double).into_iter().chain(single.iter().flat_map(of)) {
                kernel.source.machine_code(&kernel.target, "sm_90", kept.as_deref()).unwrap_or_else(|e| panic!("{e}"));
            }
        }
        let (problem, solver) = (problem.clone(), solver.double.clone());
        let executor: Box<dyn Executor<2>> = Box::new(CpuExecutor::new(problem, solver, ratios, options.num_threads()));
        Ok(executor)
    };
    let paper = include_str!("../../../examples/acoustics_radial/case.toml");
    let own = [(paper, &["mesh.cells=[50,50]"][..]), (SOUND, &["scheme.split=\"strang\""]), (SWIRL, &[])];
    let own = own.map(|(text, overrides)| (text, overrides, false));
    let with_formulas = formulas::IN_A_PLANE.map(|(text, overrides)| (text, overrides, true));
    // A mapping with long formulas, which are evaluated at many nodes per cell.
    let mapped = (include_str!("../../../examples/acoustics_cylinder/case.toml"), &[][..], true);
    for (text, overrides, of_case) in own.into_iter().chain(with_formulas).chain([mapped]) {
        let options = RunOptions { threads: Some(2), ..RunOptions::default() };
        let make = |problem: &Problem<2>, solver: &SolverKernels, ratios: Vec<Ratio<2>>, options: &RunOptions| {
            compile(of_case, problem, solver, ratios, options)
        };
        let built = Simulation::builder(&case(text, overrides)).options(&options).executor(&make).build();
        assert!(built.is_ok());
    }
}
