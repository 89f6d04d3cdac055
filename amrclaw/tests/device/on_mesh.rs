//! Cases on meshes from files: the device's bits are the CPU's.

use super::common::restarts::assert_restarts_change_nothing;
use super::common::{bits, case, options};
use super::emulator::Emulator;
use super::late::Late;
use super::mapped::begin_on_mesh;
use super::{emulated, start_with};
use amrclaw::exec::gpu::device::KernelOptions;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::simulation::{MakeExecutor, Simulation, UserFunctions};
use unstructured::make::{Block, Of};
use unstructured::write::{Format, write};

/// Gas that a stream enters by formulas of place and time, and that leaves; a source that depends on position and acts beyond the inflow.
const GAS: &str = r#"
solver = { name = "euler_hllc", gamma = 1.4 }
scheme = { source = "strang" }
[mesh.boundary]
x_lower = "inflow"
x_upper = "extrapolate"
[mesh.boundary.x_lower_state]
density = "1 + 0.1 * y * sin(20 * t) + 0 * r"
x_momentum = "0.5 + 0.1 * x_momentum"
y_momentum = "0.1 * y_momentum"
energy = "2.5"
[initial]
density = "1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2))"
x_momentum = "0.5"
y_momentum = "0"
energy = "2.5 + 2 * exp(-20 * r^2)"
[source]
y_momentum = "-density * x"
energy = "-0.5 * energy * (1 + x)"
"#;

/// Gas in space, in a closed box with two periodic sides.
const GAS_IN_SPACE: &str = r#"
solver = { name = "euler_hllc", gamma = 1.4 }
[initial]
density = "1 + exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2 + z^2))"
x_momentum = "0.2 * y"
y_momentum = "0"
z_momentum = "0.1"
energy = "2.5 + 2 * exp(-20 * ((x - 0.4)^2 + z^2))"
"#;

/// Water over a bottom: f-waves, an auxiliary value by a formula, a source of the solver.
const WATER: &str = r#"
solver = { name = "shallow_water_bathymetry", gravity = 9.81, manning = 0.03 }
aux = { bottom = "-1 + 0.3 * x + 0.1 * cos(3 * y)" }
[initial]
depth = "1 - 0.3 * x - 0.1 * cos(3 * y) + 0.1 * exp(-20 * ((x - 0.4)^2 + (y - 0.5)^2))"
x_momentum = "0"
y_momentum = "0"
"#;

/// Sound, of which the limiter gets the range.
const SOUND: &str = r#"
solver = { name = "acoustics", density = 1.0, bulk = 4.0 }
[initial]
pressure = "exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))"
u = "0"
v = "0"
"#;

/// A solid with sides that are held and free: vectors and a tensor in the frames of faces.
const SOLID: &str = r#"
solver = { name = "elasticity", density = 1.0, lambda = 2.0, mu = 1.0 }
[initial]
stress_xx = "exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))"
stress_yy = "0.5 * exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))"
stress_xy = "0"
u = "0"
v = "0"
"#;

/// Gas that is torn apart, so that steps with unlimited gradients fail.
const TORN: &str = r#"
solver = { name = "euler_hllc", gamma = 1.4 }
[initial]
density = "1"
x_momentum = "if(x < 0.4, -4, 4)"
y_momentum = "0"
energy = "8.05"
"#;

/// Water that breaks onto ground as good as dry, where second order leaves less than nothing.
const DAM: &str = r#"
solver = { name = "shallow_water", gravity = 1.0 }
[initial]
depth = "if(x < 0.5, 1, 1e-12)"
x_momentum = "0"
y_momentum = "0"
"#;

/// The case on a block of shaken cells.
fn on_block(folder: &std::path::Path, text: &str, cells: &[usize], of: Of) -> String {
    let block = Block { shake: 0.3, ..Block::new(cells, of) };
    let path = folder.join("block.msh");
    write(&path, &block.make().expect("there is such a block"), Format::Gmsh4 { binary: true }).expect("it is written");
    format!("mesh.file = {path:?}\ntime.end = 1\noutput.format = []\n{text}")
}

/// Runs a case on the CPU and on the device: states, totals, step sizes, repeated steps and samples are the same to the bit.
fn compare<const D: usize>(text: &str, overrides: &[&str]) -> Simulation<D> {
    let cpu: Simulation<D> = {
        let built = Simulation::builder(&case(text, overrides)).options(&options(2)).build();
        built.unwrap_or_else(|error| panic!("{error}"))
    };
    let make: MakeExecutor<'_, D> = &emulated;
    compare_both([cpu, start_with(text, overrides, UserFunctions::default(), make)], overrides)
}

/// Runs a case until a step fails, on the CPU and on the device: with the same error.
fn fail_alike(text: &str, overrides: &[&str], wanted: &str) {
    let cpu = Simulation::<2>::builder(&case(text, overrides)).options(&options(2)).build();
    let device = start_with::<2>(text, overrides, UserFunctions::default(), &emulated);
    let fails = |mut run: Simulation<2>| (0..40).find_map(|_| run.step().err()).expect("it fails").to_string();
    let [cpu, device] = [cpu.unwrap_or_else(|error| panic!("{error}")), device].map(fails);
    assert_eq!(cpu, device);
    assert!(cpu.contains(wanted), "{cpu}");
}

/// The same of two runs that have begun, on the CPU and on the device.
fn compare_both<const D: usize>(mut both: [Simulation<D>; 2], overrides: &[&str]) -> Simulation<D> {
    for step in 0..4 {
        let [cpu, device] = both.each_mut().map(|simulation| {
            simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
            let totals: Vec<u64> = simulation.totals().iter().map(|total| total.to_bits()).collect();
            (bits(&simulation.frame()), totals, simulation.dt_next().to_bits())
        });
        let different = cpu.0.iter().zip(&device.0).filter(|(a, b)| a != b).count();
        assert_eq!(different, 0, "{overrides:?}: bits after step {step}");
        assert_eq!((cpu.1, cpu.2), (device.1, device.2), "{overrides:?}: totals and size of step {step}");
        let [cpu, device] = both.each_ref().map(|simulation| simulation.frame().mesh);
        assert!(cpu == device, "{overrides:?}: mesh after step {step}");
    }
    let counts = both.each_ref().map(|simulation| format!("{:?}", simulation.counts()));
    assert_eq!(counts[0], counts[1]);
    let [_, device] = both;
    device
}

/// Odd numbers of triangles, squares and mixed cells in the plane and in space; orders, limiters, gradients, stages; walls of fluids and of
/// solids, inflow, sides where waves leave, periodic sides; sources by formulas and of the solver; either loop; steps of a
/// cell's own length.
#[test]
fn steps_on_meshes_have_the_bits_of_the_cpu() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |text: &str, cells: &[usize], of: Of| on_block(folder.path(), text, cells, of);
    let walls = "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",x_lower=\"wall\",x_upper=\"wall\"}";
    let held = "mesh.boundary={y_lower=\"clamped\",y_upper=\"free\",x_lower=\"wall\",x_upper=\"free\"}";
    let periodic = ["mesh.periodic=[[\"x_lower\",\"x_upper\"]]", "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\"}"];
    let gas = of(GAS, &[9, 7], Of::Mixed);
    for scheme in [
        &["scheme.order=1", "scheme.loop=face", "scheme.source_method=implicit"][..],
        &["scheme.order=2", "scheme.time=hancock", "scheme.gradients_of=primitive"],
        &["scheme.order=2", "scheme.limiter=barth-jespersen", "scheme.time=rk3", "scheme.loop=cell"],
    ] {
        let sides = ["mesh.boundary.y_lower=wall", "mesh.boundary.y_upper=extrapolate"];
        compare::<2>(&gas, &[&sides[..], scheme].concat());
    }
    compare::<2>(&of(SOUND, &[8, 11], Of::Triangles), &[&periodic[..], &["scheme.order=2"]].concat());
    let steady = ["scheme.time=rk3_low_storage", "scheme.steady=1e-9", "time.end=100"];
    compare::<2>(&of(SOLID, &[5, 7], Of::Quadrilaterals), &[&[held, "scheme.order=1"][..], &steady].concat());
    let water = of(WATER, &[7, 9], Of::Triangles);
    let interpolated = ["scheme.order=2", "scheme.limiter=none", "scheme.gradients_of=primitive"];
    for scheme in [&["scheme.order=1", "scheme.time=rk3"], &interpolated[..2], &interpolated] {
        compare::<2>(&water, &[&[walls, "scheme.source=strang"][..], scheme].concat());
    }
    let space = of(GAS_IN_SPACE, &[3, 4, 3], Of::Mixed);
    let sides = ["mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",z_lower=\"wall\",z_upper=\"wall\"}", periodic[0]];
    for scheme in [["scheme.order=1", "scheme.loop=cell"], ["scheme.order=2", "scheme.gradient=green-gauss"]] {
        compare::<3>(&space, &[&sides[..], &scheme].concat());
    }
}

/// Meshes that move by formulas and by springs: faces at their own speeds, volumes before and after a stage, walls that move, for states with a momentum
/// and with a velocity; data, a source and an inflow that depend on where cells are; with cells that are refined meanwhile, too, on curved sides. Odd numbers of
/// cells, all stages and gradients, either loop, periodic sides, the plane and space. What folds, or does not move alike, is the same error.
#[test]
fn steps_on_meshes_that_move_have_the_bits_of_the_cpu() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |text: &str, cells: &[usize], of: Of| on_block(folder.path(), text, cells, of);
    let plane = "mesh.motion={x=\"x * (1 + 0.2 * sin(9 * t)) + 0.1 * sin(8 * t) * y * (1 - y)\",y=\"y + 0.3 * t * y * x * (1 - x)\"}";
    let sides = ["mesh.boundary.y_lower=wall", "mesh.boundary.y_upper=wall"];
    let gas = of(GAS, &[9, 7], Of::Mixed);
    for scheme in [
        &["scheme.order=1", "scheme.loop=face"][..],
        &["scheme.order=2", "scheme.time=hancock", "mesh.springs=0.01"],
        &["scheme.order=2", "scheme.time=rk3", "scheme.loop=face"],
        &["scheme.order=2", "scheme.limiter=barth-jespersen", "scheme.time=rk3_low_storage", "scheme.loop=cell"],
    ] {
        compare::<2>(&gas, &[&sides[..], &[plane], scheme].concat());
        let refined = ["levels.max=3", "regrid={interval=1,flag={tolerance={density=0.2}}}"];
        let device = compare::<2>(&gas, &[&sides[..], &[plane], scheme, &refined].concat());
        assert!(device.frame().cells[0] > 63 * 2, "cells are refined");
    }
    let walls = "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",x_lower=\"wall\",x_upper=\"wall\"}";
    let sound = of(SOUND, &[8, 11], Of::Triangles);
    compare::<2>(&sound, &[walls, plane, "scheme.order=2"]);
    let periodic = ["mesh.periodic=[[\"x_lower\",\"x_upper\"]]", "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\"}"];
    let alike = "mesh.motion={x=\"x + sin(8 * t) * y * (1 - y)\",y=\"y + 3 * t * y * (1 - y)\"}";
    compare::<2>(&sound, &[&periodic[..], &[alike, "scheme.order=2", "scheme.gradient=green-gauss"]].concat());
    fail_alike(&sound, &[&periodic[..], &["mesh.motion.x=\"x * (1 + 3 * t)\""]].concat(), "do not move alike");
    // Nodes of finer cells behind a periodic side are the right cell's.
    let far = of(&SOUND.replace("x - 0.4", "x - 0.8"), &[8, 11], Of::Triangles);
    let refined = ["scheme.order=2", "levels.max=2", "regrid={interval=1,flag={tolerance={pressure=0.05}}}"];
    compare::<2>(&far, &[&periodic[..], &[alike], &refined].concat());
    // At the end of a step; half way too; half way alone.
    let some = "t > 0.02 && hypot(x - 0.5, y - 0.5) < 0.2";
    for folds in [
        format!("mesh.motion.x=\"if({some}, x + 0.15, x)\""),
        format!("mesh.motion.x=\"if({some}, x + 0.3, x)\""),
        "mesh.motion={x=\"if(t > 0, 1 - x, x)\",y=\"if(t > 0, 1 - y, y)\"}".to_owned(),
    ] {
        fail_alike(&sound, &[walls, &folds], "is folded at t = 0.");
    }
    let space = of(GAS_IN_SPACE, &[3, 4, 3], Of::Mixed);
    let closed = "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",z_lower=\"wall\",z_upper=\"wall\",x_lower=\"wall\",x_upper=\"wall\"}";
    let twist = "mesh.motion={x=\"x + 0.3 * sin(7 * t) * (y - 0.5) * z\",z=\"z * (1 - 0.2 * sin(6 * t) * y)\"}";
    let open = ["mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",z_lower=\"wall\",z_upper=\"wall\"}", periodic[0]];
    compare::<3>(&space, &[&open[..], &[twist, "scheme.order=1", "scheme.loop=cell"]].concat());
    compare::<3>(&space, &[closed, twist, "scheme.order=2", "mesh.springs=0.02"]);
    let hexahedra = of(GAS_IN_SPACE, &[3, 3, 2], Of::Hexahedra);
    let refined = ["scheme.order=2", "levels.max=2", "regrid={interval=1,flag={tolerance={density=0.3}}}"];
    let curve = "mesh.curves.z_lower.z=\"0.05 * sin(3.14159265358979 * x) * sin(3.14159265358979 * y)\"";
    for motion in [&[closed, twist, curve][..], &[closed, twist]] {
        let device = compare::<3>(&hexahedra, &[motion, &refined].concat());
        assert!(device.frame().cells[0] > 18 + 7, "cells are refined");
    }
}

/// A solver's own source is told where cells of a mesh that moves are as it acts, before the waves and after them; its own values beyond a side
/// where that is, in the frames of faces.
#[test]
fn a_solvers_own_source_follows_meshes_that_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = on_block(folder.path(), SOUND, &[8, 11], Of::Triangles)
        .replace("name = \"acoustics\", density = 1.0, bulk = 4.0", "path = \"driven.rs\"");
    let moves = [
        "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",x_lower=\"wall\",x_upper=\"user\"}",
        "mesh.motion.x=\"x + 9 * t * x * (1 - x)\"",
    ];
    for overrides in [&moves[..], &[moves[0], moves[1], "scheme.source=strang", "scheme.order=2"]] {
        let both = [None, Some(&emulated as MakeExecutor<'_, 2>)];
        compare_both(both.map(|make| begin_on_mesh(&text, overrides, make)), overrides);
    }
}

/// Leaves that kernels divide and join are those of the host, to the last one, and to the bit their nodes, faces, gradients and states: of triangles,
/// quadrilaterals, both and hexahedra, between periodic sides, in streams and at walls, where pulses come and go; by either loop; flagged by quantities,
/// formulas and derivatives.
#[test]
fn leaves_that_kernels_make_are_those_of_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |text: &str, cells: &[usize], of: Of| on_block(folder.path(), text, cells, of);
    let scheme = ["scheme.order=2", "scheme.limiter=barth-jespersen", "levels.max=4"];
    let open = ["mesh.boundary.y_lower=wall", "mesh.boundary.y_upper=extrapolate", "scheme.time=hancock"];
    let gas =
        "regrid={interval=1,buffer=2,flag={criterion=\"curvature\",tolerance={density=0.05,energy=0.2},keep=0.6}}";
    let periodic = [
        "mesh.periodic=[[\"x_lower\",\"x_upper\"]]",
        "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\"}",
        "scheme.loop=face",
    ];
    // Periodic, with cells at the upper side finer than behind it.
    let pulse = "1 + exp(-30 * (sin(3.14159 * (x - 0.8))^2 + (y - 0.5)^2))";
    let round = SOUND.replace("exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))", pulse);
    let sound = "regrid={interval=1,flag={criterion=\"curvature\",tolerance={pressure=0.3}}}";
    let differences = "regrid={interval=1,buffer=1,flag={tolerance={density=0.2,y_momentum=0.1}}}";
    let slopes = "regrid={interval=1,flag={criterion=\"user\",expression=\"grad(pressure * cos(x)) > 2 + dx(dy(u))\"}}";
    let formulas =
        "regrid={interval=1,buffer=1,flag={tolerance={\"dx(density) / 9 + y * t\"=0.2,y_momentum=0.1,\"energy^2\"=2}}}";
    for (text, sides, regrid, what) in [
        (of(GAS, &[7, 5], Of::Mixed), open, differences, Of::Mixed),
        (of(GAS, &[9, 7], Of::Mixed), open, gas, Of::Mixed),
        (of(GAS, &[6, 7], Of::Quadrilaterals), open, gas, Of::Quadrilaterals),
        (of(&round, &[5, 6], Of::Triangles), periodic, sound, Of::Triangles),
        (of(&round, &[7, 5], Of::Quadrilaterals), periodic, slopes, Of::Quadrilaterals),
        (of(GAS, &[7, 5], Of::Mixed), open, formulas, Of::Mixed),
    ] {
        let device = compare::<2>(&text, &[&sides[..], &scheme, &[regrid]].concat());
        assert_made_by_kernels(&device, what);
    }
    // Sound that comes up everywhere at once: more leaves than there is room for, an eighth more than before and 32.
    let sudden = SOUND
        .replace("exp(-30 * ((x - 0.4)^2 + (y - 0.5)^2))", "0")
        .replace("u = \"0\"", "u = \"sin(40 * x) * cos(50 * y)\"");
    let device = compare::<2>(&of(&sudden, &[7, 5], Of::Quadrilaterals), &[&periodic[..], &scheme, &[sound]].concat());
    assert!(device.frame().cells[0] > 210, "{} cells: 71, 111, 156 and 207 have room", device.frame().cells[0]);
    let space = of(GAS_IN_SPACE, &[3, 4, 3], Of::Hexahedra);
    let sides = ["mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",z_lower=\"wall\",z_upper=\"wall\"}", periodic[0]];
    let differences = "regrid={interval=1,buffer=1,flag={tolerance={density=0.3,\"dz(energy) / 9\"=0.3}}}";
    let device = compare::<3>(&space, &[&sides[..], &scheme[..2], &["levels.max=3", differences]].concat());
    assert!(device.frame().cells[0] > 36 + 7, "cells are refined");
    assert_made_by_kernels(&device, Of::Hexahedra);
}

/// After each of four steps kernels have renewed the leaves.
fn assert_made_by_kernels<const D: usize>(device: &Simulation<D>, of: Of) {
    let ways = device.device_use().expect("a device").regrids;
    let by_kernels = ways.iter().find(|way| way.what == "leaves" && way.because.is_none());
    assert_eq!(by_kernels.map(|way| way.times), Some(4), "{of:?}: {ways:?}");
}

/// In `f32` the device takes the same steps, up to the numbers' round-off of 6e-8: after four steps with differences of neighbours, limited gradients and
/// quotients by volumes, less than a hundred times that, relative to the largest value.
#[test]
fn steps_on_meshes_in_f32_are_those_in_f64() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = on_block(folder.path(), SOUND, &[8, 11], Of::Triangles);
    let sides = "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",x_lower=\"wall\",x_upper=\"wall\"}";
    let make_single: MakeExecutor<'_, 2> = &|problem, solver, ratios, options| {
        let single = solver.single.clone().expect("quick builds have it for few waves");
        let source = single.device_source().expect("built-in solvers have a text");
        let machine = Late::prompt(Emulator::new(&KernelOptions::of(problem, single.as_ref(), source, false)));
        Ok(Box::new(ResidentExecutor::new(machine, problem.clone(), single, ratios, options.num_threads())?))
    };
    let moving = "mesh.motion={x=\"x + sin(8 * t) * y * (1 - y)\",y=\"y + 3 * t * y * x * (1 - x)\"}";
    for scheme in [
        &["scheme.order=2", "scheme.loop=face"][..],
        &["scheme.order=2", "scheme.gradient=green-gauss", moving],
        &["scheme.order=1", "scheme.loop=cell"],
    ] {
        let overrides = [&[sides, "time.dt=0.004"][..], scheme].concat();
        let makes: [MakeExecutor<'_, 2>; 2] = [&emulated, make_single];
        let values = makes.map(|make| {
            let mut simulation = start_with(&text, &overrides, UserFunctions::default(), make);
            (0..4).for_each(|_| simulation.step().unwrap_or_else(|error| panic!("{error}")));
            simulation.frame().levels.remove(0).patches.remove(0).q
        });
        let most = values[0].iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let far = values[0].iter().zip(&values[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far > 0.0 && far < 6e-6 * most, "{scheme:?}: {far} of {most}");
    }
}

/// Steps that fail with unlimited gradients are repeated at first order on the device too, and so are those that leave a negative depth.
#[test]
fn failed_steps_are_repeated_at_first_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let walls = "mesh.boundary={y_lower=\"wall\",y_upper=\"wall\",x_lower=\"wall\",x_upper=\"wall\"}";
    for (text, limiter) in [(TORN, "scheme.limiter=none"), (DAM, "scheme.limiter=venkatakrishnan")] {
        let text = on_block(folder.path(), text, &[9, 7], Of::Triangles);
        let simulation = compare::<2>(&text, &[walls, "scheme.order=2", limiter]);
        assert!(simulation.counts().fallback.repeated > 0, "{limiter}: {:?}", simulation.counts());
        let frame = simulation.frame();
        let patch = &frame.levels[0].patches[0];
        assert!(patch.q[..patch.cells.volume()].iter().all(|&value| value > -1e-12), "{limiter}: densities and depths");
    }
}

/// A run whose leaves kernels make goes on with the same bits on the device and on the CPU, from whichever step.
#[test]
fn runs_whose_leaves_kernels_make_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = on_block(folder.path(), GAS, &[6, 7], Of::Mixed);
    let regrid = "regrid={interval=2,flag={criterion='curvature',tolerance={density=0.05},keep=0.6}}";
    let overrides = ["mesh.boundary.y_lower=wall", "mesh.boundary.y_upper=wall", "levels.max=3", regrid];
    let start = || start_with::<2>(&text, &overrides, UserFunctions::default(), &emulated);
    let case = case(&text, &overrides);
    for on_device in [true, false] {
        let resumed = |frame: &_, state: &_| {
            let (options, make): (_, MakeExecutor<'_, 2>) = (options(2), &emulated);
            let builder = Simulation::builder(&case).options(&options);
            let builder = if on_device { builder.executor(make) } else { builder };
            builder.resume(frame, state).unwrap_or_else(|error| panic!("{error}"))
        };
        assert_restarts_change_nothing(start, resumed, 5);
    }
}
