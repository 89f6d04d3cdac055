//! What goes wrong goes wrong alike, and is told alike: the same steps, the same place, the same words.

use super::common::{bits, start};
use super::start_emulated;
use amrclaw::simulation::{Simulation, UserFunctions};

/// Gas that is torn apart faster than sound, by Roe's solver, in sweeps.
const TORN: &str = r#"
[solver]
name = "euler"
[mesh]
cells = [20, 6]
[mesh.boundary]
y = ["periodic", "periodic"]
[levels]
max = 2
[regrid.flag]
tolerance = 0.5
[scheme]
split = "strang"
[time]
end = 1.0
cfl_desired = 0.8
max_retries = 2
[initial]
density = "1"
x_momentum = "if(x < 0.5, -20, 20)"
y_momentum = "0"
energy = "200.1"
"#;

/// Advection that a source lets grow by a factor of 61 a step.
const GROWING: &str = r#"
[solver]
name = "advection"
u = 0.5
v = 0.25
[mesh]
cells = [12, 10]
[mesh.boundary]
x = ["periodic", "periodic"]
y = ["periodic", "periodic"]
[scheme]
source = "godunov"
[source]
q = "1000 * q"
[time]
end = 10.0
dt = 0.01
[initial]
q = "1 + x"
"#;

/// Steps to the first error: its words, and the state then.
fn failure(mut simulation: Simulation<2>) -> (String, Vec<u64>) {
    let error = (0..60).find_map(|_| simulation.step().err()).expect("the run fails");
    (error.to_string(), bits(&simulation.frame()))
}

#[test]
fn failures_are_those_of_the_cpu() {
    for text in [TORN, GROWING] {
        let (expected, found) =
            (failure(start(text, &[])), failure(start_emulated(text, &[], UserFunctions::<2>::default())));
        assert_eq!(expected.0, found.0);
        assert!(expected.1 == found.1, "the states differ after: {}", found.0);
    }
}
