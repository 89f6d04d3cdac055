//! Runs in three dimensions: on three levels, with the conservation fix, unsplit and in sweeps.

use super::common::{bits, case, options, take_steps};
use super::start_emulated;
use amrclaw::simulation::{Simulation, UserFunctions};

/// Cells that are not cubes, a wall, open and periodic sides, and patches of many sizes.
const SETTINGS: &str = r#"
[mesh]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.9, 1.1]
cells = [14, 11, 13]
[mesh.boundary]
x = ["wall", "extrapolate"]
y = ["periodic", "periodic"]
z = ["extrapolate", "wall"]
[levels]
max = 3
ratio = [2, 2]
[regrid]
interval = 2
buffer = 1
max_patch_size = 16
[regrid.flag]
criterion = "difference"
tolerance = 0.2
[time]
end = 10.0
dt_initial = 0.002
cfl_desired = 0.8
[output]
format = []
[[gauge]]
name = "g"
position = [0.43, 0.52, 0.35]
"#;

const SOUND: &str = r#"
[solver]
name = "acoustics"
density = 1.3
bulk = 3.7
[initial]
pressure = "exp(-60 * ((x - 0.2)^2 + (y - 0.5)^2 + (z - 0.9)^2))"
u = "0.1 * y"
v = "0"
w = "0.2 * x"
"#;

const LAYERS: &str = r#"
[solver]
name = "acoustics_variable"
[aux]
impedance = "if(x + 0.3 * z < 0.5, 1, 2.3)"
sound_speed = "if(x + 0.3 * z < 0.5, 1, 0.6)"
[initial]
pressure = "exp(-60 * ((x - 0.2)^2 + (y - 0.5)^2 + (z - 0.9)^2))"
u = "0"
v = "0"
w = "0"
"#;

const GAS: &str = r#"
[solver]
name = "euler_hllc"
[initial]
density = "1 + exp(-60 * ((x - 0.2)^2 + (y - 0.5)^2 + (z - 0.9)^2))"
x_momentum = "0.3"
y_momentum = "-0.2"
z_momentum = "0.1"
energy = "3 + 2 * exp(-60 * ((x - 0.2)^2 + (y - 0.5)^2 + (z - 0.9)^2))"
"#;

/// Solver with its data, and overrides. The last two are for hardware alone: the host would take minutes.
pub const CASES: [(&str, &[&str]); 6] = [
    (SOUND, &[]),
    (SOUND, &["scheme.split=\"strang\""]),
    (LAYERS, &["scheme.limiter=\"mc\""]),
    (GAS, &["scheme.split=\"godunov\"", "scheme.limiter=\"mc\""]),
    (GAS, &["scheme.limiter=\"minmod\""]),
    (SOUND, &["levels.ratio=[[2,4,2],[2,2,4]]", "scheme.split=\"strang\""]),
];

/// The text of one of them.
pub fn text(solver: &str) -> String {
    [solver, SETTINGS].concat()
}

fn compare(solver: &str, overrides: &[&str], steps: usize) {
    let text = text(solver);
    let mut cpu = Simulation::<3>::builder(&case(&text, overrides))
        .options(&options(2))
        .build()
        .unwrap_or_else(|e| panic!("{e}"));
    let mut device = start_emulated::<3>(&text, overrides, UserFunctions::default());
    for step in 0..steps {
        take_steps(&mut cpu, 1);
        take_steps(&mut device, 1);
        assert_eq!(cpu.hierarchy().levels().len(), 3, "{overrides:?}, step {step}");
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
}

/// A regrid after the second step, and kept faces on all six sides of patches.
#[test]
fn space_is_that_of_the_cpu_to_the_bit() {
    CASES[..4].iter().for_each(|(solver, overrides)| compare(solver, overrides, 3));
}
