//! Constant states on several levels stay bitwise equal.

use super::common::take_steps;
use super::start;
use riemann::catalogue;
use std::collections::BTreeMap;

/// Three levels on patches that stay where they are.
const FORCED_LEVELS: &str = include_str!("../cases/constant_in_space.toml");

/// Overrides for the sides of the domain, the ratios and the sweeps.
fn arranged(boundary: &str, ratio: &str, split: &str) -> Vec<String> {
    let sides = ["x", "y", "z"].map(|axis| format!("mesh.boundary.{axis}={boundary}"));
    sides.into_iter().chain([format!("levels.ratio={ratio}"), format!("scheme.split={split}")]).collect()
}

/// An override that is a table of these keys and values, printed so that they are read back exactly.
fn table<'a>(name: &str, values: impl Iterator<Item = (&'a str, f64)>) -> String {
    let values: Vec<String> = values.map(|(key, value)| format!("{key}={value:?}")).collect();
    format!("{name}={{{}}}", values.join(","))
}

/// The solver's parameters: defaults, or values that are all different.
fn parameters(info: &catalogue::SolverInfo) -> BTreeMap<String, f64> {
    let value =
        |(k, p): (usize, &catalogue::ParameterInfo)| (p.name.to_owned(), p.default.unwrap_or(1.3 - 0.4 * k as f64));
    info.parameters.iter().enumerate().map(value).collect()
}

/// Every built-in three-dimensional solver keeps a constant state bitwise: without jumps there are no waves, and any mean or interpolation
/// of equal numbers is that number.
#[test]
fn constant_states_stay_to_the_bit() {
    let arrangements = [("periodic", "[2, 4]", "unsplit"), ("extrapolate", "[[2, 2, 4], [2, 2, 2]]", "strang")];
    let mut solvers = 0;
    for info in catalogue::all().iter().filter(|info| info.dim == 3 && !info.on_demand) {
        let parameters = parameters(info);
        let faces = catalogue::faces(info.name, 3, &parameters).unwrap_or_else(|e| panic!("{}: {e}", info.name));
        let unit = |len: usize| (0..len).map(|m| (0.37 + 0.618 * m as f64).fract()).collect::<Vec<_>>();
        let faces = faces.expect("tests have those of all");
        let state = faces.double.admissible(&unit(info.equations.len()));
        let aux = faces.double.admissible_aux(&unit(info.aux.len()));
        let aux = table("aux", info.aux.iter().copied().zip(aux));
        let initial = table("initial", info.equations.iter().copied().zip(state.iter().copied()));
        let solver = table("solver", parameters.iter().map(|(name, value)| (name.as_str(), *value)));
        let name = format!("solver.name={}", info.name);
        for (boundary, ratio, split) in arrangements {
            let arranged = arranged(boundary, ratio, split);
            let overrides = [&solver, &name, &aux, &initial].into_iter().chain(&arranged);
            let mut simulation = start::<3>(FORCED_LEVELS, &overrides.map(String::as_str).collect::<Vec<_>>());
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
