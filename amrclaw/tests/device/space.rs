//! Runs in three dimensions: on three levels, with the conservation fix, by unsplit and split schemes.

use super::common::{bits, case, options, take_steps};
use super::emulator::Emulator;
use super::late::Late;
use super::{kernels_of, start_emulated};
use amrclaw::exec::Executor;
use amrclaw::exec::gpu::resident::ResidentExecutor;
use amrclaw::index::Ratio;
use amrclaw::physics::Problem;
use amrclaw::simulation::{RunError, RunOptions, Simulation, UserFunctions};
use riemann::patch::SolverKernels;

const SOUND: &str = include_str!("../cases/sound_in_space.toml");

/// Sound through two media.
const LAYERS: [&str; 4] = [
    "solver={name=\"acoustics_variable\"}",
    "aux.impedance=if(x + 0.3 * z < 0.5, 1, 2.3)",
    "aux.sound_speed=if(x + 0.3 * z < 0.5, 1, 0.6)",
    "scheme.limiter=\"mc\"",
];

const GAS: &str = include_str!("../cases/gas_in_space.toml");

/// Cases and overrides. The last two run only on a GPU: emulation would take minutes.
pub const CASES: [(&str, &[&str]); 6] = [
    (SOUND, &[]),
    (SOUND, &["scheme.split=\"strang\""]),
    (SOUND, &LAYERS),
    (GAS, &["scheme.split=\"godunov\"", "scheme.limiter=\"mc\""]),
    (GAS, &["scheme.limiter=\"minmod\""]),
    (SOUND, &["levels.ratio=[[2,4,2],[2,2,4]]", "scheme.split=\"strang\""]),
];

pub fn compare(text: &str, overrides: &[&str], steps: usize) -> Simulation<3> {
    compare_with(start_emulated::<3>(text, overrides, UserFunctions::default()), text, overrides, (steps, 3))
}

/// Asserts that a run of so many steps on a device, on so many levels, is bitwise equal to the CPU's, and returns it.
pub fn compare_with(
    mut device: Simulation<3>,
    text: &str,
    overrides: &[&str],
    (steps, levels): (usize, usize),
) -> Simulation<3> {
    let mut cpu =
        Simulation::<3>::builder(&case(text, overrides)).options(&options(2)).build().unwrap_or_else(|e| panic!("{e}"));
    for step in 0..steps {
        take_steps(&mut cpu, 1);
        take_steps(&mut device, 1);
        assert_eq!(cpu.hierarchy().levels().len(), levels, "{overrides:?}, step {step}");
        let (expected, found) = (bits(&cpu.frame()), bits(&device.frame()));
        let different = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert_eq!((different, expected.len()), (0, found.len()), "{overrides:?}: bits after step {step}");
    }
    assert_eq!(cpu.counts(), device.counts(), "{overrides:?}");
    assert_eq!(cpu.totals(), device.totals(), "{overrides:?}");
    assert_eq!(cpu.dt_next().to_bits(), device.dt_next().to_bits(), "{overrides:?}");
    for (a, b) in cpu.gauges().iter().zip(device.gauges()) {
        assert!(a.samples().eq(b.samples()), "{overrides:?}: gauges");
    }
    device
}

/// Bitwise equal to the CPU, with a regrid after the second step and kept faces on all six sides of patches.
#[test]
fn space_is_that_of_the_cpu_to_the_bit() {
    CASES[..4].iter().for_each(|(text, overrides)| drop(compare(text, overrides, 3)));
}

/// An executor on a device that works on so few tiles at once that sixteen patches are many.
fn small_device(
    problem: &Problem<3>,
    solver: &SolverKernels,
    ratios: Vec<Ratio<3>>,
    options: &RunOptions,
) -> Result<Box<dyn Executor<3>>, RunError> {
    let device = Late::prompt(Emulator::new(&kernels_of(problem, solver)).with_resident_tiles(1));
    let threads = options.num_threads();
    Ok(Box::new(ResidentExecutor::new(device, problem.clone(), solver.double.clone(), ratios, threads)?))
}

/// Bitwise equal to the CPU if a finest level of many patches is swept in place: with the fix, through regrids and a rejected step, where an
/// intermediate array becomes the level's own (an odd number of sweeps), and where it does not (sources before the sweeps).
#[test]
fn states_swept_in_place_are_those_of_the_cpu_to_the_bit() {
    let source = "source.pressure=-3 * pressure + x";
    let table: [&[&str]; 3] = [
        &["regrid.max_patch_size=8", "scheme.split=\"godunov\"", "time.dt_initial=3.0"],
        &["regrid.max_patch_size=8", "scheme.split=\"strang\""],
        &["regrid.max_patch_size=8", "scheme.split=\"godunov\"", "scheme.source=\"strang\"", source],
    ];
    for overrides in table {
        let device = Simulation::<3>::builder(&case(SOUND, overrides))
            .options(&options(2))
            .executor(&small_device)
            .build()
            .unwrap_or_else(|e| panic!("{e}"));
        assert!(device.hierarchy().levels()[2].patches().len() >= 16, "{overrides:?}: too few patches");
        compare_with(device, SOUND, overrides, (3, 3));
    }
}
