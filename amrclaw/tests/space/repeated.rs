//! The same run on different numbers of threads, restarted, and in single precision.

use super::common::restarts::assert_restarts_change_nothing;
use super::common::{assert_threads_do_not_matter, case, largest_difference, options, take_steps};
use super::{start, start_on};
use amrclaw::simulation::{Precision, RunOptions, Simulation};

/// A spherical blast between walls, open and periodic sides, on three levels that follow it.
const BURST: &str = include_str!("../cases/burst_in_space.toml");

const SPLITS: [&str; 2] = ["scheme.split=unsplit", "scheme.split=strang"];

/// Bitwise equal on 1, 2 and 7 threads, in every cell and in the totals.
#[test]
fn threads_do_not_change_bits() {
    for split in SPLITS {
        assert_threads_do_not_matter(|threads| start_on::<3>(BURST, &[split], threads), 3, [2, 3], split);
    }
}

/// A run restarted after any step is bitwise equal to one that never stopped.
#[test]
fn restarts_after_every_step_change_nothing() {
    let (case, options) = (case(BURST, &["scheme.split=unsplit"]), options(2));
    assert_restarts_change_nothing(
        || start::<3>(BURST, &["scheme.split=unsplit"]),
        |frame, state| {
            Simulation::builder(&case).options(&options).resume(frame, state).unwrap_or_else(|e| panic!("{e}"))
        },
        3,
    );
}

/// Single precision equals double precision up to some units of its round-off, 6e-8 of values of size one.
#[test]
fn single_precision_is_close() {
    for split in SPLITS {
        let run = |precision| {
            let options = RunOptions { precision, ..options(2) };
            let case = case(include_str!("../cases/sound_in_space.toml"), &[split, "mesh.cells=[9,7,8]"]);
            let mut simulation: Simulation<3> =
                Simulation::builder(&case).options(&options).build().unwrap_or_else(|e| panic!("{e}"));
            take_steps(&mut simulation, 2);
            simulation.frame()
        };
        let (single, double) = (run(Precision::F32), run(Precision::F64));
        assert_eq!(single.levels.len(), 3, "{split}");
        let difference = largest_difference(&single, &double);
        assert!((1e-8..5e-6).contains(&difference), "{split}: {difference:e}");
    }
}
