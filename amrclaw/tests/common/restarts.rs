//! Runs that are restarted after every step.

use super::{bits, take_steps};
use amrclaw::frames::frame::Frame;
use amrclaw::simulation::{ScheduleState, Simulation};

/// Cases as steps to take, dimensions and text. In each, one of these holds: ghost cells are interpolated from coarse cells whose neighbours
/// have just changed; flags depend on time-dependent auxiliary values; cell geometry is copied from replaced levels; executors keep
/// parts of auxiliary values; steps are limited by the one before and by the longest; split sweeps look beside faces; a parameter
/// follows the solution; the ground moves while the mesh follows, and what passes between levels depends on it; flags are by an
/// adjoint solution; auxiliary values and inflow come from files with times.
pub const CASES: [(usize, usize, &str); 12] = [
    (5, 2, include_str!("../cases/restart/narrow_strip.toml")),
    (7, 2, include_str!("../cases/restart/no_buffer.toml")),
    (3, 1, include_str!("../cases/restart/one_cell.toml")),
    (4, 2, include_str!("../cases/restart/moving_aux.toml")),
    (4, 2, include_str!("../cases/mapped/gas.toml")),
    (4, 2, include_str!("../cases/swirl.toml")),
    (9, 1, include_str!("../cases/restart/late_inflow.toml")),
    (3, 2, include_str!("../cases/hard/striped_shock.toml")),
    (5, 2, include_str!("../cases/restart/reduced.toml")),
    (5, 2, include_str!("../cases/restart/lifted_water.toml")),
    (5, 2, include_str!("../cases/restart/adjoint.toml")),
    (5, 2, include_str!("../cases/restart/wind_from_files.toml")),
];

/// Takes steps, and after each of them continues with another simulation, restarted from the frame and the schedule alone. All must be
/// bitwise equal after every step.
pub fn assert_restarts_change_nothing<const D: usize>(
    start: impl Fn() -> Simulation<D>,
    resume: impl Fn(&Frame<D>, &ScheduleState) -> Simulation<D>,
    steps: usize,
) {
    let mut whole = start();
    let mut resumed: Vec<Simulation<D>> = Vec::new();
    for step in 1..=steps {
        take_steps(&mut whole, 1);
        let expected = bits(&whole.frame());
        for (k, simulation) in resumed.iter_mut().enumerate() {
            take_steps(simulation, 1);
            let found = bits(&simulation.frame());
            let different = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
            let sizes = (0, expected.len());
            assert_eq!((different, found.len()), sizes, "restarted after step {}: bits after step {step}", k + 1);
            assert_eq!(simulation.dt_next().to_bits(), whole.dt_next().to_bits());
        }
        resumed.push(resume(&whole.frame(), &whole.schedule_state()));
    }
}
