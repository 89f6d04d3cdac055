//! Constant states stay bitwise equal.

use super::common::{start, take_steps};

/// Three levels on patches that stay where they are.
const FORCED_LEVELS: &str = include_str!("../cases/constant.toml");

/// Every built-in solver with its parameters, auxiliary values and a state of tenths, which are not binary fractions, so that round-off
/// would show.
const CONSTANT_STATES: [(&str, &str, &[f64]); 16] = [
    ("name='acoustics',density=1.3,bulk=3.7", "", &[1.1, 0.3, -0.7]),
    ("name='acoustics_variable'", "impedance=1.7,sound_speed=0.9", &[1.1, 0.3, -0.7]),
    ("name='advection',u=0.7,v=-0.3", "", &[1.1]),
    // Free of divergence, edge by edge.
    ("name='advection_edge'", "u_edge=0.7,v_edge=-0.3", &[1.1]),
    ("name='burgers'", "", &[1.1]),
    ("name='euler'", "", &[1.1, 0.3, -0.7, 2.7]),
    ("name='shallow_water',gravity=9.81", "", &[1.1, 0.3, -0.7]),
    ("name='advection_mapped'", "u_edge=0.7,v_edge=-0.3,capacity=1.0", &[1.1]),
    ("name='advection_reaction',u=0.7,v=-0.3,rate=1.0", "", &[1.1]),
    ("name='elasticity',density=1.3,lambda=2.0,mu=0.9", "", &[1.1, 0.3, -0.7, 0.13, -0.61]),
    ("name='euler_hllc'", "", &[1.1, 0.3, -0.7, 2.7]),
    ("name='euler_strong_shocks'", "", &[1.1, 0.3, -0.7, 2.7]),
    ("name='euler_tracer'", "", &[1.1, 0.3, -0.7, 2.7, 0.5]),
    ("name='p_system',density=1.3,modulus=2.7,nonlinearity=0.5", "", &[0.13, 0.3, -0.7]),
    ("name='shallow_water_bathymetry'", "bottom=-0.5", &[1.1, 0.3, -0.7]),
    ("name='traffic'", "", &[0.3]),
];

/// Overrides that make [`FORCED_LEVELS`] a constant state of a solver.
fn state_of((solver, aux, state): (&str, &str, &[f64])) -> Vec<String> {
    let name = solver.split('\'').nth(1).expect("a name in quotes");
    let info = riemann::catalogue::find(name, 2).expect("it is built in");
    assert_eq!(info.equations.len(), state.len(), "{name}");
    let values: Vec<String> = info.equations.iter().zip(state).map(|(name, value)| format!("{name}={value}")).collect();
    vec![format!("solver={{{solver}}}"), format!("aux={{{aux}}}"), format!("initial={{{}}}", values.join(","))]
}

/// A constant state stays bitwise equal: without jumps there are no waves, and any mean or interpolation of equal numbers is that number.
#[test]
fn constant_states_stay_to_the_bit() {
    let arrangements =
        [("periodic", "[2, 4]", "unsplit"), ("extrapolate", "[4, 2]", "strang"), ("periodic", "[2, 2]", "godunov")];
    for (solver, aux, state) in CONSTANT_STATES {
        for (boundary, ratio, split) in arrangements {
            let mut overrides = state_of((solver, aux, state));
            overrides.extend(["x", "y"].map(|axis| format!("mesh.boundary.{axis}={boundary}")));
            overrides.push(format!("levels.ratio={ratio}"));
            overrides.push(format!("scheme={{split='{split}',source='none'}}"));
            let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
            let mut simulation = start(FORCED_LEVELS, &overrides);
            assert_eq!(simulation.hierarchy().num_levels(), 3);
            take_steps(&mut simulation, 12);
            for (level, patches) in simulation.frame().levels.iter().map(|l| &l.patches).enumerate() {
                for patch in patches {
                    for (m, values) in patch.q.chunks_exact(patch.cells.volume()).enumerate() {
                        let changed = values.iter().find(|v| v.to_bits() != state[m].to_bits());
                        assert_eq!(changed, None, "{solver}, {boundary}, {ratio}, {split}: level {level}, value {m}");
                    }
                }
            }
        }
    }
}

/// Every built-in solver whose kernels this build has is in the table above.
#[test]
fn all_solvers_have_a_constant_state() {
    for info in riemann::catalogue::all().iter().filter(|info| !info.on_demand) {
        let named = format!("name='{}'", info.name);
        assert!(CONSTANT_STATES.iter().any(|(solver, ..)| solver.contains(&named)), "{} is missing", info.name);
    }
}
