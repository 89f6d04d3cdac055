//! Constant states stay, to the bit.

use super::common::{start, take_steps};

/// Three levels on patches that stay where they are; sides as given.
fn forced_levels(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.7]
cells = [21, 17]
[mesh.boundary]
x = ["{boundary}", "{boundary}"]
y = ["{boundary}", "{boundary}"]
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 3
buffer = 0
max_patch_size = 12
[regrid.flag]
criterion = "difference"
tolerance = 1e9
[[regrid.region]]
levels = [2, 3]
lower = [0.2, 0.1]
upper = [0.8, 0.7]
[[regrid.region]]
levels = [3, 3]
lower = [0.31, 0.22]
upper = [0.64, 0.51]
[scheme]
split = "{split}"
[time]
end = 10.0
dt_initial = 0.001
"#
    )
}

/// Every built-in solver with a state that no arithmetic treats kindly: tenths are not binary fractions.
const CONSTANT_STATES: [(&str, &[f64]); 15] = [
    (
        "[solver]\nname = \"acoustics\"\ndensity = 1.3\nbulk = 3.7\n[initial]\npressure = \"1.1\"\nu = \"0.3\"\nv = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"acoustics_variable\"\n[aux]\nimpedance = \"1.7\"\nsound_speed = \"0.9\"\n\
         [initial]\npressure = \"1.1\"\nu = \"0.3\"\nv = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    ("[solver]\nname = \"advection\"\nu = 0.7\nv = -0.3\n[initial]\nq = \"1.1\"\n", &[1.1]),
    // Free of divergence, edge by edge.
    (
        "[solver]\nname = \"advection_edge\"\n[aux]\nu_edge = \"0.7\"\nv_edge = \"-0.3\"\n[initial]\nq = \"1.1\"\n",
        &[1.1],
    ),
    ("[solver]\nname = \"burgers\"\n[initial]\nq = \"1.1\"\n", &[1.1]),
    (
        "[solver]\nname = \"euler\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n",
        &[1.1, 0.3, -0.7, 2.7],
    ),
    (
        "[solver]\nname = \"shallow_water\"\ngravity = 9.81\n[initial]\ndepth = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"advection_mapped\"\n[aux]\nu_edge = \"0.7\"\nv_edge = \"-0.3\"\ncapacity = \"1.0\"\n\
         [initial]\nq = \"1.1\"\n",
        &[1.1],
    ),
    ("[solver]\nname = \"advection_reaction\"\nu = 0.7\nv = -0.3\nrate = 1.0\n[initial]\nq = \"1.1\"\n", &[1.1]),
    (
        "[solver]\nname = \"elasticity\"\ndensity = 1.3\nlambda = 2.0\nmu = 0.9\n[initial]\nstress_xx = \"1.1\"\n\
         stress_yy = \"0.3\"\nstress_xy = \"-0.7\"\nu = \"0.13\"\nv = \"-0.61\"\n",
        &[1.1, 0.3, -0.7, 0.13, -0.61],
    ),
    (
        "[solver]\nname = \"euler_hllc\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n",
        &[1.1, 0.3, -0.7, 2.7],
    ),
    (
        "[solver]\nname = \"euler_tracer\"\n[initial]\ndensity = \"1.1\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.7\"\nenergy = \"2.7\"\n\
         tracer = \"0.5\"\n",
        &[1.1, 0.3, -0.7, 2.7, 0.5],
    ),
    (
        "[solver]\nname = \"p_system\"\ndensity = 1.3\nmodulus = 2.7\nnonlinearity = 0.5\n[initial]\nstrain = \"0.13\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[0.13, 0.3, -0.7],
    ),
    (
        "[solver]\nname = \"shallow_water_bathymetry\"\n[aux]\nbottom = \"-0.5\"\n[initial]\ndepth = \"1.1\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.7\"\n",
        &[1.1, 0.3, -0.7],
    ),
    ("[solver]\nname = \"traffic\"\n[initial]\ndensity = \"0.3\"\n", &[0.3]),
];

/// A constant state stays to the bit: no jump, no wave; and every mean and interpolation of equal numbers is that number.
#[test]
fn constant_states_stay_to_the_bit() {
    let arrangements =
        [("periodic", "[2, 4]", "unsplit"), ("extrapolate", "[4, 2]", "strang"), ("periodic", "[2, 2]", "godunov")];
    for (solver, state) in CONSTANT_STATES {
        for (boundary, ratio, split) in arrangements {
            let mut simulation =
                start(&format!("{solver}{}", forced_levels(boundary, ratio, split)), &["scheme.source=\"none\""]);
            assert_eq!(simulation.hierarchy().num_levels(), 3);
            take_steps(&mut simulation, 12);
            for (level, patches) in simulation.frame().levels.iter().map(|l| &l.patches).enumerate() {
                for patch in patches {
                    for (m, values) in patch.q.chunks_exact(patch.cells.volume()).enumerate() {
                        let changed = values.iter().find(|v| v.to_bits() != state[m].to_bits());
                        assert_eq!(changed, None, "{solver}{boundary}, {ratio}, {split}: level {level}, value {m}");
                    }
                }
            }
        }
    }
}

/// Every built-in solver has been thought of above.
#[test]
fn all_solvers_have_a_constant_state() {
    for info in riemann::catalogue::all() {
        let named = format!("name = \"{}\"", info.name);
        assert!(CONSTANT_STATES.iter().any(|(text, _)| text.contains(&named)), "{} is missing", info.name);
    }
}
