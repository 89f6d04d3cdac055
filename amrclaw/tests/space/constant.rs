//! Constant states stay, to the bit, across levels.

use super::common::take_steps;
use super::start;
use riemann::catalogue;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Three levels on patches that stay where they are; sides, ratios and sweeps as given.
fn settings(boundary: &str, ratio: &str, split: &str) -> String {
    format!(
        r#"
[mesh]
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.7, 0.9]
cells = [9, 7, 8]
[mesh.boundary]
x = "{boundary}"
y = "{boundary}"
z = "{boundary}"
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 2
buffer = 0
max_patch_size = 8
[regrid.flag]
tolerance = 1e9
[[regrid.region]]
levels = [2, 3]
lower = [0.3, 0.25, 0.3]
upper = [0.9, 0.7, 0.65]
[[regrid.region]]
levels = [3, 3]
lower = [0.48, 0.4, 0.42]
upper = [0.6, 0.52, 0.53]
[scheme]
split = "{split}"
[time]
end = 10.0
dt_initial = 0.001
[output]
format = []
"#
    )
}

/// Parameters that have no default: no two alike.
fn parameters(info: &catalogue::SolverInfo) -> BTreeMap<String, f64> {
    let value =
        |(k, p): (usize, &catalogue::ParameterInfo)| (p.name.to_owned(), p.default.unwrap_or(1.3 - 0.4 * k as f64));
    info.parameters.iter().enumerate().map(value).collect()
}

/// Every built-in solver that has three dimensions, whichever these are, in a state of numbers without pattern: no jump, no wave; and every
/// mean and interpolation of equal numbers is that number.
#[test]
fn constant_states_stay_to_the_bit() {
    let arrangements = [("periodic", "[2, 4]", "unsplit"), ("extrapolate", "[[2, 2, 4], [2, 2, 2]]", "strang")];
    let mut solvers = 0;
    for info in catalogue::all().iter().filter(|info| info.dim == 3) {
        let parameters = parameters(info);
        let faces = catalogue::faces(info.name, 3, &parameters).unwrap_or_else(|e| panic!("{}: {e}", info.name));
        let unit = |len: usize| (0..len).map(|m| (0.37 + 0.618 * m as f64).fract()).collect::<Vec<_>>();
        let state = faces.double.admissible(&unit(info.equations.len()));
        let aux = faces.double.admissible_aux(&unit(info.aux.len()));
        let mut text = format!("solver.name = \"{}\"\n", info.name);
        parameters.iter().for_each(|(name, value)| writeln!(text, "solver.{name} = {value}").expect("a string"));
        let mut fields = |section: &str, names: &[&str], values: &[f64]| {
            names.iter().zip(values).for_each(|(n, v)| writeln!(text, "{section}.{n} = {v:?}").expect("a string"));
        };
        fields("initial", info.equations, &state);
        fields("aux", info.aux, &aux);
        for (boundary, ratio, split) in arrangements {
            let mut simulation = start::<3>(&format!("{text}{}", settings(boundary, ratio, split)), &[]);
            assert_eq!(simulation.hierarchy().num_levels(), 3);
            take_steps(&mut simulation, 3);
            for (level, patches) in simulation.frame().levels.iter().map(|l| &l.patches).enumerate() {
                for patch in patches {
                    for (m, values) in patch.q.chunks_exact(patch.cells.volume()).enumerate() {
                        let changed = values.iter().find(|v| v.to_bits() != state[m].to_bits());
                        assert_eq!(changed, None, "{}, {split}: level {level}, value {m}, was {}", info.name, state[m]);
                    }
                }
            }
        }
        solvers += 1;
    }
    assert!(solvers >= 9, "{solvers} solvers");
}
